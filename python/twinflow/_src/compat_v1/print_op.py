"""``tf.Print``: a tensor that tells the values of others when it is computed."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterator
from typing import Any

from twinflow._src.control_flow.py_function import later
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.dispatch.op import API
from twinflow._src.ops.strings.print_format import element_texts

_SHOWN = 3  # elements, where a program names no number


def Print(
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """A tensor whose computation writes the values of others to the standard error.

    Args:
        input_: The tensor.
        data: A list of what is told.
        message: What stands before the values, or None.
        first_n: How often values are told at most; always where None or negative.
        summarize: How many elements of each value are shown; 3 where None, all where negative.
        name: A name for the operation.

    Returns:
        The tensor.
    """
    numbers = itertools.count()
    most = math.inf if first_n is None or first_n < 0 else first_n
    shown = _SHOWN if summarize is None else summarize

    def told(tensor: Any, *values: Any) -> Any:
        if next(numbers) < most:
            texts = (f"[{summary(x._host(), x.dtype, shown)}]" for x in values)
            sys.stderr.write(f"{message or ''}{''.join(texts)}\n")
            sys.stderr.flush()
        return tensor

    tensor = convert_to_tensor(input_)
    values = [convert_to_tensor(x) for x in data]
    if thread.scope.graph is None:
        return API["identity"](told(tensor, *values))
    results = [tensor.dtype], [tensor.shape._dims], True
    return later("Print", told, [tensor, *values], results, name, lambda call, dy: [dy, *[None] * len(values)])


def summary(array: Any, dtype: Any, most: int) -> str:
    """The first elements of a tensor, those of each row in brackets.

    Args:
        array: The tensor's array on the host.
        dtype: Its type.
        most: How many elements are shown; all where negative.
    """
    count = array.size if most < 0 else min(most, array.size)
    flat = array.reshape(-1)[:count]
    if dtype.is_complex:
        texts = ["?"] * count
    else:
        texts = [text.decode("utf-8", "replace").removeprefix('"').removesuffix('"') for text in element_texts(flat, dtype)]
    shown = _rows(iter(texts), count, array.shape) if array.ndim else "".join(texts)
    return shown + ("..." if count < array.size else "")


def _rows(texts: Iterator[str], left: int, shape: tuple[int, ...]) -> str:
    """Rows in brackets, as far as there are elements."""
    if len(shape) == 1:
        return " ".join(itertools.islice(texts, min(left, shape[0])))
    size, parts = math.prod(shape[1:]), []
    for begin in range(0, min(left, shape[0] * size), max(size, 1)):
        mine = min(size, left - begin)
        cut = "..." if len(shape) == 2 and mine < size else ""
        parts.append(f"[{_rows(texts, mine, shape[1:])}{cut}]")
    return "".join(parts)
