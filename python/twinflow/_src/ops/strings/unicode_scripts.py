"""The scripts of Unicode characters, as ICU numbers them.

``scripts.txt`` holds the first code point of each run of characters of one script.
"""

from __future__ import annotations

import functools
from typing import Annotated, Any

import numpy as np

from twinflow._src.core.data_files import read_text
from twinflow._src.core.dtypes import int32
from twinflow._src.core.shapes import same
from twinflow._src.dispatch.op import Kind, op

_Points = Annotated[Any, Kind("input", only=int32)]


@functools.cache
def runs() -> tuple[Any, Any]:
    """The first code points of the runs, and their scripts."""
    text = read_text("ops/strings/scripts.txt")
    pairs = [line.split() for line in text.splitlines()]
    return np.array([int(a, 16) for a, _ in pairs]), np.array([int(b) for _, b in pairs], np.int32)


@op(
    "UnicodeScript",
    api="strings.unicode_script",
    shape=same,
    out=int32,
    devices=("CPU",),
    no_gradient=True,
)
def unicode_script(xp: Any, input: _Points) -> Any:
    """Returns the scripts that characters belong to.

    Args:
        input: Code points, an int32 tensor.

    Returns:
        An int32 tensor of the same shape: ICU's number of the script; -1 for what is no code point.
    """
    starts, scripts = runs()
    found = scripts[np.searchsorted(starts, input, side="right") - 1]
    return np.where((input >= 0) & (input <= 0x10FFFF), found, np.int32(-1))
