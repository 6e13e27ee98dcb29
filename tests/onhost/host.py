"""The host's compiler, and what it made before."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

COMPILER = shutil.which("g++")


def compiled(text: str, folder: Path, options: list[str], language: str = "c++", libraries: list[str] | None = None) -> Path:
    """The file of a library made of a text; what is there already is not made again.

    Args:
        text: The text.
        folder: Where such files lie.
        options: What the compiler is told.
        language: "c" or "c++".
        libraries: What it is linked with.
    """
    key = hashlib.sha256("\0".join([text, language, *options, *(libraries or ())]).encode()).hexdigest()[:32]
    made = folder / f"{key}.so"
    if not made.exists():
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / f"{key}.{os.getpid()}.{'c' if language == 'c' else 'cu'}"
        source.write_text(text)
        made_by_us = source.with_suffix(f".{os.getpid()}.so")
        command = [COMPILER, *options, "-x", language, source, "-x", "none", *(libraries or ()), "-shared", "-o", made_by_us]
        run(command, source)
        made_by_us.replace(made)
        source.unlink()
    return made


def run(command: list[object], source: Path) -> None:
    """Compiles; says what the compiler says where it does not take a text."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the host's compiler does not take {source}:\n{done.stderr[:4000]}")
