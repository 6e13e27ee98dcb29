"""Measures on a GPU: against CuPy alone, against PyTorch where it is installed, and against the card's limits.

    make bench-gpu
    python -m tests.perf.gpu calls training   # some of the groups; a kernel that breaks the device spoils those of its process

What the card can do is measured in the same run: the bytes a second of a copy in its memory, and the operations a
second of the products of large matrices. A figure is the median of several rounds in which ours and the others take
turns; a large one is the time until the card is done, a small one the time that the host needs to ask for the work.
"""

from __future__ import annotations

import functools
import operator
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

ROUNDS = 15
BUDGET_LARGE, BUDGET_SMALL = 1.05, 2e-6  # of CuPy's time; seconds over CuPy's


class Row(NamedTuple):
    """What was measured: seconds of each, and the least that the card needs."""

    what: str
    ours: float | None
    cupy: float | None
    torch: float | None
    limit: float | None
    budget: str


def measured(wait: Callable[[], None], functions: list[Callable[[], Any] | None], least: float = 0.02) -> list[Any]:
    """The median seconds of functions that take turns; None for those that are not there."""
    counts = [0 if f is None else _count(wait, f, least) for f in functions]
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(ROUNDS):
        for function, count, found in zip(functions, counts, times, strict=True):
            if function is not None:
                found.append(_timed(wait, function, count) / count)
    return [statistics.median(found) if found else None for found in times]


def _count(wait: Callable[[], None], function: Callable[[], Any], least: float) -> int:
    for _ in range(3):
        function()
    wait()
    return max(1, int(least / max(_timed(wait, function, 3) / 3, 1e-7)))


def _timed(wait: Callable[[], None], function: Callable[[], Any], count: int) -> float:
    wait()
    start = time.perf_counter()
    for _ in range(count):
        function()
    wait()
    return time.perf_counter() - start


class Card:
    """The card's limits, measured when they are first asked for."""

    def __init__(self, cupy: Any, wait: Callable[[], None]) -> None:
        self._cupy, self._wait = cupy, wait

    @functools.cached_property
    def bandwidth(self) -> float:
        """Bytes a second, of a copy: what is read and what is written."""
        x = self._cupy.zeros(1 << 28, self._cupy.float32)
        return 2 * x.nbytes / measured(self._wait, [_call(self._cupy.copyto, self._cupy.empty_like(x), x)])[0]

    @functools.cached_property
    def flops(self) -> float:
        """float32 operations a second, of a product of matrices."""
        n = 8192
        x = self._cupy.random.standard_normal((n, n), dtype=self._cupy.float32)
        return 2 * n**3 / measured(self._wait, [_call(self._cupy.matmul, x, x)])[0]


def rows(tf: Any, cupy: Any, torch: Any, wait: Callable[[], None], card: Card, groups: list[str]) -> Iterator[Row]:
    """The rows of some groups; of all where none is named, those that tell most first."""
    for name in groups or GROUPS:
        try:
            yield from GROUPS[name](tf, cupy, torch, wait, card)
        except Exception as error:  # what is made for a group's rows: the groups that follow are worth as much
            yield Row(name, None, None, None, None, f"FAILED: {type(error).__name__}: {str(error)[:200]}")


def _row(wait: Any, what: str, ours: Any, bare: Any, other: Any, limit: float | None, small: bool = False) -> Row:
    try:
        own, cupys, torchs = measured(wait, [ours, bare, other])
    except Exception as error:  # the rows that follow are worth as much
        return Row(what, None, None, None, limit, f"FAILED: {type(error).__name__}: {str(error)[:200]}")
    if cupys is None:
        budget = "-" if torchs is None else "ok" if own <= torchs else "OVER"
    else:
        budget = "ok" if (own - cupys <= BUDGET_SMALL if small else own <= BUDGET_LARGE * cupys) else "OVER"
    return Row(what, own, cupys, torchs, limit, budget)


def _given(tf: Any, cupy: Any, torch: Any, *shape: int) -> tuple[Any, Any, Any]:
    array = cupy.random.standard_normal(shape, dtype=cupy.float32)
    return tf.convert_to_tensor(array), array, None if torch is None else torch.as_tensor(array, device="cuda")


def calls(tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    """What a call of a small operation takes of the host: at most two microseconds more than CuPy's own."""
    (x, a, t), (y, b, u) = _given(tf, cupy, torch, 8, 8), _given(tf, cupy, torch, 8, 8)
    v, own = tf.Variable(x), a.copy()

    def taped() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            return x + y

    pairs: list[tuple[str, Any, Any, Any]] = [
        ("x + y", _call(operator.add, x, y), _call(operator.add, a, b), _call(operator.add, t, u)),
        ("x * 2.0", _call(operator.mul, x, 2.0), _call(operator.mul, a, 2.0), _call(operator.mul, t, 2.0)),
        ("v * x", _call(operator.mul, v, x), _call(operator.mul, own, a), _call(operator.mul, t, u)),
        ("tanh", _call(tf.tanh, x), _call(cupy.tanh, a), _call(torch and torch.tanh, t)),
        ("sigmoid", _call(tf.sigmoid, x), None, _call(torch and torch.sigmoid, t)),
        ("softmax", _call(tf.nn.softmax, x), None, _call(torch and torch.softmax, t, -1)),
        ("v.assign_add", lambda: v.assign_add(x), lambda: cupy.add(own, a, out=own), None),
        ("sum", _call(tf.reduce_sum, x), _call(cupy.sum, a), _call(torch and torch.sum, t)),
        ("sums of rows", _call(tf.reduce_sum, x, 1), _call(cupy.sum, a, 1), _call(torch and torch.sum, t, 1)),
        ("matmul", _call(tf.matmul, x, y), _call(cupy.matmul, a, b), _call(torch and torch.matmul, t, u)),
        ("cast", lambda: tf.cast(x, tf.float64), lambda: a.astype("d"), _call(torch and torch.Tensor.double, t)),
        ("reshape", lambda: tf.reshape(x, [4, 16]), lambda: a.reshape(4, 16), None),
        ("transpose", lambda: tf.transpose(x), lambda: cupy.ascontiguousarray(a.T), None),
        ("x[1:3]", lambda: x[1:3], lambda: a[1:3], None),
        ("concat", lambda: tf.concat([x, y], 0), lambda: cupy.concatenate([a, b], 0), None),
        ("argmax", lambda: tf.argmax(x, 1), lambda: a.argmax(1), None),
        ("v.assign", lambda: v.assign(x), lambda: cupy.copyto(own, a), None),
        ("x + y on a tape", taped, _call(operator.add, a, b), None),
        ("gelu", lambda: tf.nn.gelu(x), None, None if torch is None else lambda: torch.nn.functional.gelu(t)),
        ("dropout", lambda: tf.nn.dropout(x, 0.5), None, None if torch is None else lambda: torch.nn.functional.dropout(t, 0.5)),
        ("pad", lambda: tf.pad(x, [[1, 1], [1, 1]]), lambda: cupy.pad(a, ((1, 1), (1, 1))), None),
        ("split", lambda: tf.split(x, 2), lambda: cupy.split(a, 2), None),
        ("random.uniform of 64", lambda: tf.random.uniform([64]), lambda: cupy.random.random_sample(64, "f"), None),
        ("random.normal of 64", lambda: tf.random.normal([64]), lambda: cupy.random.standard_normal(64, "f"), None),
    ]
    for what, ours, bare, other in pairs:
        yield _row(wait, f"8 x 8: {what}", ours, bare, other, None, True)


def _call(function: Callable[..., Any], *values: Any) -> Callable[[], Any] | None:
    """A call of a function; None where a library is not there."""
    return None if function is None or values[0] is None else lambda: function(*values)


def elementwise(tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    """Functions of each element, from small arrays to large ones."""
    for size in (1000, 1_000_000, 100_000_000):
        x, a, t = _given(tf, cupy, torch, size)
        small, second = size <= 1000, 4 * size / card.bandwidth
        calls = _call(operator.add, x, x), _call(operator.add, a, a), _call(operator.add, t, t)
        yield _row(wait, f"x + y, {size:,}", *calls, 3 * second, small)
        calls = _call(tf.tanh, x), _call(cupy.tanh, a), _call(torch and torch.tanh, t)
        yield _row(wait, f"tanh(x), {size:,}", *calls, 2 * second, small)


def reductions(tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    """Sums and largest elements."""
    x, a, t = _given(tf, cupy, torch, 10_000, 10_000)
    limit = a.nbytes / card.bandwidth
    for what, axis in (("sum of 1e8", None), ("sums over axis 0", 0), ("sums over axis 1", 1)):
        calls = _call(tf.reduce_sum, x, axis), _call(cupy.sum, a, axis), _call(torch and torch.sum, t, axis)
        yield _row(wait, what, *calls, limit)
    calls = _call(tf.reduce_max, x, 1), _call(cupy.max, a, 1), _call(torch and torch.amax, t, 1)
    yield _row(wait, "largest of each row", *calls, limit)


def products(tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    """Products of matrices."""
    for n in (64, 1024, 8192):
        x, a, t = _given(tf, cupy, torch, n, n)
        limit = max(2 * n**3 / card.flops, 12 * n * n / card.bandwidth)
        calls = _call(tf.matmul, x, x), _call(cupy.matmul, a, a), _call(torch and torch.matmul, t, t)
        yield _row(wait, f"matmul {n}", *calls, limit, n <= 64)


def short_products(tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    """Products of bfloat16, which tensor cores multiply."""
    x, a, t = _given(tf, cupy, torch, 8192, 8192)
    x, a, t = tf.cast(x, tf.bfloat16), a.astype(tf.bfloat16.as_numpy_dtype), None if t is None else t.bfloat16()
    calls = _call(tf.matmul, x, x), _call(cupy.matmul, a, a), _call(torch and torch.matmul, t, t)
    yield _row(wait, "matmul 8192 of bfloat16", *calls, None)


def copies(tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    """Half a gigabyte to the GPU and back."""
    host = np.ones(1 << 27, np.float32)
    x, a = tf.constant(host), cupy.asarray(host)
    t = None if torch is None else torch.as_tensor(host).cuda()
    other = None if t is None else lambda: torch.as_tensor(host).cuda()
    yield _row(wait, "512 MiB to the GPU", lambda: tf.constant(host), lambda: cupy.asarray(host), other, None)
    yield _row(wait, "512 MiB to the host", x.numpy, a.get, None if t is None else t.cpu, None)


def _chain(tanh: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda a, b, c, d: tanh(a * b + c) * d


def chains(tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    """tanh(a * b + c) * d: as written, and as one kernel in a traced function."""
    for size in (10_000, 10_000_000):
        (x, a, t), limit = _given(tf, cupy, torch, size), 20 * size / card.bandwidth
        four, arrays = [x + float(i) for i in range(4)], [a + i for i in range(4)]
        other = _call(_chain(torch.tanh), t, t, t, t) if torch else None
        yield _row(wait, f"chain of {size:,}", _call(_chain(tf.tanh), *four), _call(_chain(cupy.tanh), *arrays), other, limit)
        traced, fused = tf.function(_chain(tf.tanh)), cupy.fuse(kernel_name="bare")(_chain(cupy.tanh))
        yield _row(wait, f"traced chain of {size:,}", _call(traced, *four), _call(fused, *arrays), None, limit)


# ------------------------------------------------------------------ steps of training


def training(tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    """Steps of a perceptron and of a small convolutional network with Adam."""
    from .gpu_steps import NETWORKS, ours, theirs

    for name in NETWORKS:
        for batch in (32, 1024):
            other = theirs(torch, name, batch) if torch is not None else None
            for traced in (False, True):
                what = f"step of {name}, batch {batch}, {'traced' if traced else 'eager'}"
                yield _row(wait, what, ours(tf, name, batch, traced), None, other, None)


GROUPS: dict[str, Callable[..., Iterator[Row]]] = {
    group.__name__: group
    for group in (calls, training, elementwise, reductions, products, short_products, copies, chains)
}


# ------------------------------------------------------------------ the table


def _seconds(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value * 1e6:.1f} us" if value < 1e-3 else f"{value * 1e3:.2f} ms"


def _ratio(one: float | None, other: float | None) -> str:
    return "-" if one is None or other is None else f"{one / other:.2f}"


def _over(row: Row) -> str:
    """What a call takes more than CuPy's, of the host."""
    if row.ours is None or row.cupy is None or row.cupy > 1e-3:
        return "-"
    return f"{(row.ours - row.cupy) * 1e6:+.1f} us"


def main(groups: list[str]) -> int:
    """Prints the table.

    Args:
        groups: Which groups of rows; all where none is named.
    """
    from twinflow.backends import gpu

    if not gpu.count():
        print(f"There is nothing to measure: {gpu.why_none()}")
        return 1
    import cupy

    import twinflow as tf

    try:
        import torch
    except ImportError:
        torch = None
    wait = cupy.cuda.runtime.deviceSynchronize
    card = Card(cupy, wait)
    print(f"{gpu.details(0)['device_name']}; CuPy {cupy.__version__}, PyTorch {torch.__version__ if torch else 'is not installed'}\n")
    print("| what | twinflow | CuPy | PyTorch | the card | x CuPy | x PyTorch | x the card | over CuPy | budget |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |", flush=True)
    for row in rows(tf, cupy, torch, wait, card, groups):
        cells = [row.what, *map(_seconds, (row.ours, row.cupy, row.torch, row.limit))]
        cells += [_ratio(row.ours, other) for other in (row.cupy, row.torch, row.limit)]
        print(f"| {' | '.join([*cells, _over(row), row.budget])} |", flush=True)
    for name, scale in (("bandwidth", 1e9), ("flops", 1e12)):
        if name in vars(card):
            print(f"The card: {name} {vars(card)[name] / scale:,.1f}e{9 if scale == 1e9 else 12} a second")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
