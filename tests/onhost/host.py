"""The host's compiler, and what it made before."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

COMPILER = shutil.which("g++")


def compiled(
    text: str,
    folder: Path,
    options: list[str],
    language: str = "c++",
    libraries: list[str] | None = None,
) -> Path:
    """The file of a library made of a text; what is there already is not made again.

    Args:
        text: The text.
        folder: Where such files lie.
        options: What the compiler is told.
        language: "c" or "c++".
        libraries: What it is linked with.
    """
    made = folder / f"{_key(text, language, *options, *(libraries or ()))}.so"
    if not made.exists():
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / f"{made.stem}.{os.getpid()}.{'c' if language == 'c' else 'cu'}"
        source.write_text(text)
        made_by_us = source.with_suffix(f".{os.getpid()}.so")
        command = [
            COMPILER,
            *options,
            "-x",
            language,
            source,
            "-x",
            "none",
            *(libraries or ()),
            "-shared",
            "-o",
            made_by_us,
        ]
        run(command, source)
        made_by_us.replace(made)
        source.unlink()
    return made


def header(text: str, folder: Path, options: list[str], known: str) -> Path:
    """A header of which the compiler keeps what it has read of it; several processes may ask for it.

    Args:
        text: Its text.
        folder: Where such files lie.
        options: What the compiler is told, also where the header is used.
        known: The texts of what it includes that may change.
    """
    file = folder / "headers" / f"{_key(text, known, *options)}.h"
    made = Path(f"{file}.gch")
    if not made.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        own = file.with_suffix(f".{os.getpid()}.h")
        own.write_text(text)
        run([COMPILER, *options, "-x", "c++-header", own, "-o", f"{own}.gch"], own)
        own.replace(file)
        Path(f"{own}.gch").replace(made)
    return file


def _key(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:32]


def run(command: list[object], source: Path) -> None:
    """Compiles; says what the compiler says where it does not take a text."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the host's compiler does not take {source}:\n{done.stderr[:4000]}")
