"""Texts of kernels of GPUs as functions of the host, where there is a compiler."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

COMPILER = shutil.which("c++") or shutil.which("g++")


def compiled(text: str, folder: Path, *options: str) -> ctypes.CDLL:
    """The functions of a text in C++; skips the test where nothing compiles it.

    Args:
        text: The text.
        folder: Where files may lie; what was compiled there once is not compiled again.
        options: What the compiler is told besides.
    """
    if COMPILER is None:
        pytest.skip("there is no C++ compiler")
    made = folder / f"{abs(hash(text))}.so"
    if not made.exists():
        source = made.with_suffix(".cpp")
        source.write_text(text)
        subprocess.run([COMPILER, *options, "-shared", "-fPIC", "-o", made, source], check=True)
    return ctypes.CDLL(str(made))
