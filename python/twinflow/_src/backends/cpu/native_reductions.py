"""Products of rows, and extremes of short ones, by native loops, in the order of ``reductions.py``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.elementwise import bounds
from twinflow._src.backends.cpu.native import (
    TAKES_SECOND_ZERO,
    NativeLoop,
    for_range,
    for_vectors,
    load_vector,
    store_vector,
)
from twinflow._src.backends.cpu.parallel import all_cores, shared

# Sizes of rows from which products are of vectors, of so many bytes, and from which rows are folded to
# a size before. NumPy's calls in ``reductions.py`` have the same order.
LONG_ROW, VECTOR_BYTES, FOLDED, FOLD = 64, 16, 960, 192
# Minimum size of rows, and that from which extremes are left to NumPy.
_LEAST, _LONG_EXTREMES = 10, 40
# Elements per chunk, for several threads; long rows of an iteration, because a product waits for the
# one before.
_BLOCK, _ROWS = 1 << 17, 4


def reduce_rows(function: Any, x: Any) -> Any:
    """Returns the products or extremes of the rows of a matrix; None if NumPy is to be used."""
    rows, size = x.shape
    is_long = function is np.multiply and size >= LONG_ROW
    loop = _LOOPS.get((function.__name__, is_long, x.dtype.char))
    most = size + 1 if function is np.multiply else TAKES_SECOND_ZERO * _LONG_EXTREMES
    together = _ROWS if is_long else 1
    if loop is None or rows < together or not _LEAST <= size < most or not loop.is_ready(x.size):
        return None
    result = np.empty(rows, x.dtype)
    arrays = [x, result, np.array([rows, size])]
    spans = bounds(-(-rows // together), max(_BLOCK // (size * together), 1))
    shared(lambda span: loop(arrays, *span), spans, all_cores())
    return result


def _short_body(
    combine: Callable[..., Any], ir: Any, b: Any, pointers: list[Any], index: Any
) -> None:
    """Emits a row that is reduced element by element."""
    x, out, sizes = pointers
    size = b.load(b.gep(sizes, [ir.Constant(index.type, 1)]))
    row = b.gep(x, [b.mul(index, size)])
    following = lambda k, total: combine(b, total, b.load(b.gep(row, [k])))
    total = for_range(ir, b, ir.Constant(index.type, 1), size, following, b.load(row))
    b.store(total, b.gep(out, [index]))


def _extreme(sign: str, b: Any, x: Any, y: Any) -> Any:
    """Emits NaN if one is that; of equal numbers the second one."""
    is_first = b.or_(b.fcmp_ordered(sign, x, y), b.fcmp_unordered("uno", x, x))
    return b.select(is_first, x, y)


def _long_body(ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    """Emits products of some rows, element by element of vectors; the last rows overlap with those before."""
    x, out, sizes = pointers
    element, number = x.type.pointee, lambda value: ir.Constant(index.type, value)
    lanes = VECTOR_BYTES // (4 if element == ir.FloatType() else 8)
    rows, size = (b.load(b.gep(sizes, [number(i)])) for i in range(2))
    first, last = b.mul(index, number(_ROWS)), b.sub(rows, number(_ROWS))
    first = b.select(b.icmp_signed("<", first, last), first, last)
    places = [b.add(first, number(i)) for i in range(_ROWS)]
    starts = [b.gep(x, [b.mul(place, size)]) for place in places]
    with b.goto_entry_block():
        folded = b.alloca(element, _ROWS * FOLD)
        totals = [b.alloca(ir.VectorType(element, lanes)) for _ in starts]
    is_folded = b.icmp_signed(">=", size, number(FOLDED))
    with b.if_then(is_folded):
        start = lambda i: b.gep(x, [b.mul(b.add(first, i), size)])
        buffer = lambda i: b.gep(folded, [b.mul(i, number(FOLD))])
        fold = lambda i: _fold(ir, b, start(i), buffer(i), size)
        for_range(ir, b, number(0), number(_ROWS), fold)
    count = b.select(is_folded, number(FOLD), size)
    buffers = [b.gep(folded, [number(i * FOLD)]) for i in range(_ROWS)]
    starts = [b.select(is_folded, *pair) for pair in zip(buffers, starts)]

    def multiply(k: Any) -> None:
        for total, start in zip(totals, starts):
            factor = load_vector(ir, b, start, b.mul(k, number(lanes)), lanes)
            b.store(b.fmul(b.load(total), factor), total)

    for total, start in zip(totals, starts):
        b.store(load_vector(ir, b, start, number(0), lanes), total)
    whole = b.udiv(count, number(lanes))
    for_range(ir, b, number(1), whole, multiply)
    whole = b.mul(whole, number(lanes))
    for total, start, place in zip(totals, starts, places):
        rest = lambda k, product, start=start: b.fmul(product, b.load(b.gep(start, [k])))
        product = for_range(
            ir, b, whole, count, rest, _multiply_halves(ir, b, b.load(total), lanes)
        )
        b.store(product, b.gep(out, [place]))


def _fold(ir: Any, b: Any, row: Any, buffer: Any, size: Any) -> None:
    """Emits the products of the elements of a row that are ``FOLD`` apart."""
    fold = ir.Constant(size.type, FOLD)
    whole = b.udiv(size, fold)
    after = b.mul(whole, fold)

    def block(column: Any, lanes: int) -> None:
        load = lambda k: load_vector(ir, b, row, b.add(b.mul(k, fold), column), lanes)
        multiply = lambda k, total: b.fmul(total, load(k))
        total = for_range(ir, b, size.type(1), whole, multiply, load(size.type(0)))
        store_vector(ir, b, total, buffer, column)

    def rest(i: Any) -> None:
        factor, place = b.load(b.gep(row, [b.add(after, i)])), b.gep(buffer, [i])
        b.store(b.fmul(b.load(place), factor), place)

    for_vectors(ir, b, fold, (32,), block)
    for_range(ir, b, size.type(0), b.sub(size, after), rest)


def _multiply_halves(ir: Any, b: Any, value: Any, lanes: int) -> Any:
    """Emits the product of a vector's elements, half by half."""
    parts = [b.extract_element(value, ir.Constant(ir.IntType(32), i)) for i in range(lanes)]
    while len(parts) > 1:
        half = len(parts) // 2
        parts = [b.fmul(x, y) for x, y in zip(parts[:half], parts[half:])]
    return parts[0]


_SHORT: dict[str, Callable[..., Any]] = {
    "multiply": lambda b, x, y: b.fmul(x, y),
    "maximum": functools.partial(_extreme, ">"),
    "minimum": functools.partial(_extreme, "<"),
}
_LOOPS = {
    (name, False, char): NativeLoop((key, key, "u8"), functools.partial(_short_body, combine))
    for name, combine in _SHORT.items()
    for char, key in (("f", "f4"), ("d", "f8"))
} | {
    ("multiply", True, char): NativeLoop((key, key, "u8"), _long_body)
    for char, key in (("f", "f4"), ("d", "f8"))
}
