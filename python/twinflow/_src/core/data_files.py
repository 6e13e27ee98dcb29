"""Text files with tables in the package."""

from __future__ import annotations

import os

_SRC = os.path.dirname(os.path.dirname(__file__))


def read_text(name: str) -> str:
    """Returns the content of a text file of the package.

    ``importlib.resources`` would take longer than all the rest of the import.

    Args:
        name: The path of the file, relative to ``twinflow/_src``.
    """
    with open(os.path.join(_SRC, name), encoding="utf-8") as file:
        return file.read()
