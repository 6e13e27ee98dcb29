"""Unicode scripts of characters, with ICU's script codes.

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
    """Returns the first code points of the runs, and their script codes."""
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
    """Determines the script codes of Unicode code points.

    Args:
        input: Code points, an int32 tensor.

    Returns:
        An int32 tensor of the same shape: ICU's script code; -1 for invalid code points.
    """
    starts, scripts = runs()
    found = scripts[np.searchsorted(starts, input, side="right") - 1]
    return np.where((input >= 0) & (input <= 0x10FFFF), found, np.int32(-1))
