"""Texts of kernels of GPUs as functions of the host, where there is a compiler."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

COMPILER = shutil.which("c++") or shutil.which("g++")


def compiled(text: str, folder: Path, *options: str, header: str = "") -> ctypes.CDLL:
    """The functions of a text in C++; skips the test where nothing compiles it.

    Args:
        text: The text.
        folder: Where files may lie; what was compiled there once is not compiled again.
        options: What the compiler is told besides.
        header: What many texts begin with: it is read once.
    """
    if COMPILER is None:
        pytest.skip("there is no C++ compiler")
    made = folder / f"{abs(hash(text))}.so"
    if not made.exists():
        source = made.with_suffix(".cpp")
        source.write_text(text)
        before = ("-include", _read_once(header, folder, options)) if header else ()
        subprocess.run([COMPILER, *options, *before, "-shared", "-fPIC", "-o", made, source], check=True)
    return ctypes.CDLL(str(made))


def _read_once(header: str, folder: Path, options: tuple[str, ...]) -> Path:
    """The file of a header, with what the compiler keeps of it beside: that is most of the work of a short text."""
    file = folder / f"{abs(hash(header))}.h"
    if not file.exists():
        file.write_text(header)
        subprocess.run([COMPILER, *options, "-fPIC", "-x", "c++-header", file, "-o", f"{file}.gch"], check=True)
    return file
