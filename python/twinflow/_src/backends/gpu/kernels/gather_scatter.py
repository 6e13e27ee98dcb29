"""GPU kernels of gather and scatter with out-of-range indices, and ``ufunc.at``.

Out-of-range indices read zeros and write nothing, without a synchronization to check them. Several
updates of one element come in no certain order, but each is atomic (compare-and-swap).

CuPy's ``ufunc.at`` supports only functions and dtypes with hardware atomics, may lose a NaN in a
maximum, and wraps out-of-range indices. Here each update is one compare-and-swap of a word of
memory. Elements longer than a word are combined in rounds in which no index occurs twice.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.gpu.kernels.launch import compile_elementwise

# Gather and scatter.


# The combination of an element and an update, by NumPy function.
COMBINED = {
    "add": "old + operand", "subtract": "old - operand", "multiply": "old * operand", "true_divide": "old / operand",
    "floor_divide": "twinflow_floored(old, operand)",
    "maximum": "old != old || old > operand ? old : operand", "minimum": "old != old || old < operand ? old : operand",
    "logical_xor": "(bool)old != (bool)operand",
}  # fmt: skip
# Dtypes with a hardware atomic add.
_ADDED = frozenset("iIlqLQfd")
_REAL, _IMAGINARY = ("(({0}*)at)[0]", "(({0}*)at)[1]")
_PREAMBLE = """
template<typename T> __device__ T twinflow_floored(T a, T b) {
    if (b == T(0)) return T(0);
    if (T(-1) < T(0) && b == T(-1)) return T(T(0) - a);
    T q = T(a / b);
    return q * b != a && (a < T(0)) != (b < T(0)) ? T(q - T(1)) : q;
}
"""
# The word of memory around an element of one to eight bytes; its other bytes are unchanged.
_EXCHANGED = """
    {word} *word_at = ({word}*)((size_t)at & ~(size_t)(sizeof({word}) - 1));
    int offset = (int)((size_t)at - (size_t)word_at);
    {word} seen = *word_at, before;
    do {{
        before = seen;
        {word} after = before;
        {type} old;
        memcpy(&old, (char*)&before + offset, sizeof({type}));
        {type} result = ({type})({combined});
        memcpy((char*)&after + offset, &result, sizeof({type}));
        seen = atomicCAS(word_at, before, after);
    }} while (seen != before);
"""
_LETTERS = "PQRSUVWX"  # type parameters of index arrays
_FOUND = "long long row = {row}; if (row >= 0 && row < rows) {{ {then} }}"


def _combined(name: str, dtype: np.dtype[Any]) -> str | None:
    """Returns the source that atomically combines ``*at`` with ``operand``; None if unsupported."""
    char = dtype.char
    if name == "add" and char in _ADDED:
        return "atomicAdd(at, operand);"
    if char in "FD" and name in ("add", "subtract"):
        sign, part = "-" if name == "subtract" else "", "float" if char == "F" else "double"
        parts = ((_REAL, "real"), (_IMAGINARY, "imag"))
        return " ".join(
            f"atomicAdd(&{at.format(part)}, {sign}operand.{which}());" for at, which in parts
        )
    if dtype.itemsize > 8 or (name == "floor_divide" and dtype.kind not in "iu"):
        return None
    if char == "?":  # sums and products of booleans are booleans
        name = {"add": "maximum", "multiply": "minimum"}.get(name, name)
    word = "unsigned long long" if dtype.itemsize == 8 else "unsigned int"
    return _EXCHANGED.format(word=word, type="T", combined=COMBINED[name])


@functools.cache
def combiner(cupy: Any, name: str, dtype: np.dtype[Any]) -> Any:
    """Returns the kernel that combines rows with updates, or None if unsupported."""
    body = _combined(name, dtype)
    if body is None:
        return None
    at = "T *at = &target[row * width + i % width]; T operand = update;"
    text = _FOUND.format(row="indices[i / width]", then=f"{at} {body}")
    inputs = "raw int64 indices, T update, int64 rows, int64 width"
    return compile_elementwise(
        cupy, inputs, "raw T target", text, f"twinflow_{name}_at", preamble=_PREAMBLE
    )


@functools.cache
def _replacer(cupy: Any) -> Any:
    text = _FOUND.format(row="indices[i / width]", then="target[row * width + i % width] = update;")
    inputs = "raw int64 indices, T update, int64 rows, int64 width"
    return compile_elementwise(cupy, inputs, "raw T target", text, "twinflow_replace_at")


@functools.cache
def _taker(cupy: Any) -> Any:
    text = "result = T(0); " + _FOUND.format(
        row="(long long)indices[i / width % count]",
        then="result = source[(i / (width * count) * rows + row) * width + i % width];",
    )
    inputs = "raw T source, raw I indices, int64 count, int64 rows, int64 width"
    return compile_elementwise(cupy, inputs, "T result", text, "twinflow_take_inside")


@functools.cache
def _numberer(cupy: Any, depth: int) -> Any:
    inside = " && ".join(f"p{i} >= 0 && (long long)p{i} < n{i}" for i in range(depth))
    row = functools.reduce(
        lambda text, i: f"({text}) * n{i} + (long long)p{i}", range(1, depth), "(long long)p0"
    )
    inputs = ", ".join(
        [*(f"{_LETTERS[i]} p{i}" for i in range(depth)), *(f"int64 n{i}" for i in range(depth))]
    )
    return compile_elementwise(
        cupy, inputs, "int64 row", f"row = {inside} ? {row} : -1LL;", f"twinflow_rows_{depth}"
    )


def rows_of(cupy: Any, where: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    """Returns the flat row indices of index vectors: an int64 vector, -1 for out-of-range ones."""
    where = tuple(cupy.asarray(indices) for indices in where)
    return _numberer(cupy, len(where))(*where, *shape[: len(where)]).reshape(-1)


def take_inside(cupy: Any) -> Callable[..., Any]:
    """Returns ``take`` with zeros for out-of-range indices."""

    def take(a: Any, indices: Any, axis: int) -> Any:
        before, rows, after = a.shape[:axis], a.shape[axis], a.shape[axis + 1 :]
        out = cupy.empty((*before, *indices.shape, *after), a.dtype)
        if out.size:
            _taker(cupy)(
                _flat(cupy, a), _flat(cupy, indices), indices.size, rows, math.prod(after), out
            )
        return out

    return take


def _flat(cupy: Any, array: Any) -> Any:
    """Returns an array as a contiguous vector; kernels are compiled per rank."""
    if array.ndim != 1:
        array = array.reshape(-1)
    return array if array.flags.c_contiguous else cupy.ascontiguousarray(array)


def pick_inside(cupy: Any) -> Callable[..., Any]:
    """Returns ``gather_nd`` with zeros for out-of-range index vectors."""
    take = take_inside(cupy)

    def pick(a: Any, where: tuple[Any, ...]) -> Any:
        depth, rest = len(where), a.shape[len(where) :]
        indices = cupy.broadcast_arrays(*where)
        rows = rows_of(cupy, tuple(indices), a.shape).reshape(indices[0].shape)
        return take(a.reshape(math.prod(a.shape[:depth]), *rest), rows, 0)

    return pick


def replace_inside(cupy: Any) -> Callable[..., None]:
    """Returns a row scatter that ignores out-of-range index vectors."""

    def replace(target: Any, where: Any, values: Any) -> None:
        write_rows(cupy, _replacer(cupy), target, where, values)

    return replace


def write_rows(cupy: Any, kernel: Any, target: Any, where: Any, values: Any) -> None:
    """Runs a kernel that writes rows of ``target``, such as that of ``combiner``."""
    # The indices are an array, or a tuple of one for each of the first dimensions; ``values`` is
    # one row per index, or broadcasts to that.
    where = where if isinstance(where, tuple) else (where,)
    rest = target.shape[len(where) :]
    width, indices = math.prod(rest), rows_of(cupy, where, target.shape)
    if not (width and indices.size):
        return
    values = cupy.asarray(values).astype(target.dtype, copy=False)
    updates = cupy.broadcast_to(values, (*where[0].shape, *rest)).reshape(indices.size, width)
    whole = target if target.flags.c_contiguous else cupy.ascontiguousarray(target)
    kernel(indices, updates, math.prod(target.shape[: len(where)]), width, whole.reshape(-1))
    if whole is not target:
        target[...] = whole


# ufunc.at.


def combinable(name: str) -> bool:
    """True if kernels may use ``at`` of a function."""
    return name in COMBINED


class Ufunc:
    """A CuPy ufunc with an ``at`` that supports all dtypes.

    Args:
        cupy: The module.
        plain: The function.

    Attributes:
        plain: The function, for calls without an intermediate Python frame.
    """

    def __init__(self, cupy: Any, plain: Any) -> None:
        self._cupy, self.plain = cupy, plain
        self.__name__ = plain.__name__.removeprefix("cupy_")

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.plain(*args, **options)

    def at(self, target: Any, where: Any, updates: Any) -> None:
        """Combines elements or rows with updates, in place; out-of-range indices are ignored.

        The indices are an array, or a tuple of one for each of the first dimensions; there
        is one update per index, or one for all.
        """
        kernel = combiner(self._cupy, self.__name__, target.dtype)
        if kernel is None:
            self._in_rounds(target, where, updates)
        else:
            write_rows(self._cupy, kernel, target, where, updates)

    def _in_rounds(self, target: Any, where: Any, updates: Any) -> None:
        where = where if isinstance(where, tuple) else (where,)
        rest = target.shape[len(where) :]
        rows = target.reshape(math.prod(target.shape[: len(where)]), *rest)
        indices = rows_of(self._cupy, where, target.shape)
        values = self._cupy.broadcast_to(self._cupy.asarray(updates), (*where[0].shape, *rest))
        values = values.reshape(indices.size, *rest)
        for chosen in _rounds(indices.get()):
            turn = self._cupy.asarray(chosen)
            at = indices[turn]
            rows[at] = self.plain(rows[at], values[turn])


def _rounds(indices: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """Splits updates into rounds without duplicate indices, in the order of updates per index."""
    order = np.argsort(indices, kind="stable")
    order = order[indices[order] >= 0]
    ordered = indices[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    turns = np.arange(order.size) - np.repeat(starts, np.diff(starts, append=order.size))
    return [order[turns == turn] for turn in range(int(turns.max(initial=-1)) + 1)]
