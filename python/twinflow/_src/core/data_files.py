"""Text files of tables that are part of the package."""

from __future__ import annotations

import os

_SRC = os.path.dirname(os.path.dirname(__file__))


def read_text(name: str) -> str:
    """Returns the content of a text file of the package, by its path below ``twinflow/_src``.

    ``importlib.resources`` would take longer than all the rest of the import.
    """
    with open(os.path.join(_SRC, name), encoding="utf-8") as file:
        return file.read()
