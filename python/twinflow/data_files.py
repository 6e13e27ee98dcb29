"""The files with tables that lie beside the modules that read them."""

from __future__ import annotations

import os


def text_beside(module: str, name: str) -> str:
    """The text of a file of the package; ``importlib.resources`` would take longer than all the rest.

    Args:
        module: The file of the module that asks: its ``__file__``.
        name: The name of the file.
    """
    with open(os.path.join(os.path.dirname(module), name), encoding="utf-8") as file:
        return file.read()
