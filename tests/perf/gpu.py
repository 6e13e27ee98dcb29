"""Measures on a GPU: against CuPy alone, against PyTorch where it is installed, and against the card's limits.

    make bench-gpu
    python -m tests.perf.gpu calls mlp   # some of the groups; a kernel that breaks the device spoils those of its process

Budgets: large work takes at most 1.05 of CuPy's time, a call at most 2 microseconds more than CuPy's own, a step of training of the
perceptron at most PyTorch's. float32 is float32 everywhere: PyTorch's convolutions are told not to round factors to 10 bits.
"""

from __future__ import annotations

import operator
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .gpu_timing import NAMES, Card, Row, row, told


def rows(
    tf: Any, cupy: Any, torch: Any, wait: Callable[[], None], card: Card, groups: list[str]
) -> Iterator[Row]:
    """The rows of some groups; of all where none is named, those that tell most first."""
    for name in groups or GROUPS:
        try:
            yield from GROUPS[name](tf, cupy, torch, wait, card)
        except (
            Exception
        ) as error:  # what is made for a group's rows: the groups that follow are worth as much
            yield Row(name, note=f"FAILED: {told(error)}")
        card.clear(torch)


def _given(tf: Any, cupy: Any, torch: Any, *shape: int) -> tuple[Any, Any, Any]:
    array = cupy.random.standard_normal(shape, dtype=cupy.float32)
    return (
        tf.convert_to_tensor(array),
        array,
        None if torch is None else torch.as_tensor(array, device="cuda"),
    )


def calls(tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    """Host time of a small op's call: at most two microseconds more than CuPy's own."""
    (x, a, t), (y, b, u) = _given(tf, cupy, torch, 8, 8), _given(tf, cupy, torch, 8, 8)
    v, own = tf.Variable(x), a.copy()

    def taped() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            return x + y

    pairs: list[tuple[str, Any, Any, Any]] = [
        ("x + y", _call(operator.add, x, y), _call(operator.add, a, b), _call(operator.add, t, u)),
        (
            "x * 2.0",
            _call(operator.mul, x, 2.0),
            _call(operator.mul, a, 2.0),
            _call(operator.mul, t, 2.0),
        ),
        (
            "v * x",
            _call(operator.mul, v, x),
            _call(operator.mul, own, a),
            _call(operator.mul, t, u),
        ),
        ("tanh", _call(tf.tanh, x), _call(cupy.tanh, a), _call(torch and torch.tanh, t)),
        ("sigmoid", _call(tf.sigmoid, x), None, _call(torch and torch.sigmoid, t)),
        ("softmax", _call(tf.nn.softmax, x), None, _call(torch and torch.softmax, t, -1)),
        ("v.assign_add", lambda: v.assign_add(x), lambda: cupy.add(own, a, out=own), None),
        ("sum", _call(tf.reduce_sum, x), _call(cupy.sum, a), _call(torch and torch.sum, t)),
        (
            "sums of rows",
            _call(tf.reduce_sum, x, 1),
            _call(cupy.sum, a, 1),
            _call(torch and torch.sum, t, 1),
        ),
        (
            "matmul",
            _call(tf.matmul, x, y),
            _call(cupy.matmul, a, b),
            _call(torch and torch.matmul, t, u),
        ),
        (
            "cast",
            lambda: tf.cast(x, tf.float64),
            lambda: a.astype("d"),
            _call(torch and torch.Tensor.double, t),
        ),
        ("reshape", lambda: tf.reshape(x, [4, 16]), lambda: a.reshape(4, 16), None),
        ("transpose", lambda: tf.transpose(x), lambda: cupy.ascontiguousarray(a.T), None),
        ("x[1:3]", lambda: x[1:3], lambda: a[1:3], None),
        ("concat", lambda: tf.concat([x, y], 0), lambda: cupy.concatenate([a, b], 0), None),
        ("argmax", lambda: tf.argmax(x, 1), lambda: a.argmax(1), None),
        ("v.assign", lambda: v.assign(x), lambda: cupy.copyto(own, a), None),
        ("x + y on a tape", taped, _call(operator.add, a, b), None),
        (
            "gelu",
            lambda: tf.nn.gelu(x),
            None,
            None if torch is None else lambda: torch.nn.functional.gelu(t),
        ),
        (
            "dropout",
            lambda: tf.nn.dropout(x, 0.5),
            None,
            None if torch is None else lambda: torch.nn.functional.dropout(t, 0.5),
        ),
        ("pad", lambda: tf.pad(x, [[1, 1], [1, 1]]), lambda: cupy.pad(a, ((1, 1), (1, 1))), None),
        ("split", lambda: tf.split(x, 2), lambda: cupy.split(a, 2), None),
        (
            "random.uniform of 64",
            lambda: tf.random.uniform([64]),
            lambda: cupy.random.random_sample(64, "f"),
            None,
        ),
        (
            "random.normal of 64",
            lambda: tf.random.normal([64]),
            lambda: cupy.random.standard_normal(64, "f"),
            None,
        ),
    ]
    for what, ours, bare, other in pairs:
        yield row(wait, f"8 x 8: {what}", ours, bare, other)


def _call(function: Callable[..., Any], *values: Any) -> Callable[[], Any] | None:
    """A call of a function; None where a library is not there."""
    return None if function is None or values[0] is None else lambda: function(*values)


def elementwise(tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    """Functions of each element, from small arrays to large ones."""
    for size in (100_000_000, 1_000_000, 1000):
        (x, a, t), (y, b, u) = _given(tf, cupy, torch, size), _given(tf, cupy, torch, size)
        calls = _call(operator.add, x, y), _call(operator.add, a, b), _call(operator.add, t, u)
        yield row(wait, f"x + y, {size:,}", *calls, limit=card.seconds(12 * size))
        calls = _call(tf.tanh, x), _call(cupy.tanh, a), _call(torch and torch.tanh, t)
        yield row(wait, f"tanh(x), {size:,}", *calls, limit=card.seconds(8 * size))
        v, own = tf.Variable(x), a.copy()
        calls = (
            _call(v.assign_add, y),
            lambda own=own, b=b: cupy.add(own, b, out=own),
            _call(torch and torch.add, t, u),
        )
        yield row(wait, f"v.assign_add(y), {size:,}", *calls, limit=card.seconds(12 * size))


def reductions(tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    """Sums and largest elements."""
    x, a, t = _given(tf, cupy, torch, 20_000, 20_000)
    limit = card.seconds(a.nbytes)
    for what, axis in (("sum of 4e8", None), ("sums over axis 0", 0), ("sums over axis 1", 1)):
        calls = (
            _call(tf.reduce_sum, x, axis),
            _call(cupy.sum, a, axis),
            _call(torch and torch.sum, t, axis),
        )
        yield row(wait, what, *calls, limit=limit)
    calls = _call(tf.reduce_max, x, 1), _call(cupy.max, a, 1), _call(torch and torch.amax, t, 1)
    yield row(wait, "largest of each row", *calls, limit=limit)


def products(tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    """Products of matrices."""
    for n in (8192, 1024, 64):
        x, a, t = _given(tf, cupy, torch, n, n)
        calls = (
            _call(tf.matmul, x, x),
            _call(cupy.matmul, a, a),
            _call(torch and torch.matmul, t, t),
        )
        yield row(wait, f"matmul {n}", *calls, limit=card.seconds(8 * n * n, 2 * n**3))


def short_products(tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    """Products of bfloat16, which tensor cores multiply."""
    x, a, t = _given(tf, cupy, torch, 8192, 8192)
    x, a, t = (
        tf.cast(x, tf.bfloat16),
        a.astype(tf.bfloat16.as_numpy_dtype),
        None if t is None else t.bfloat16(),
    )
    calls = _call(tf.matmul, x, x), _call(cupy.matmul, a, a), _call(torch and torch.matmul, t, t)
    yield row(wait, "matmul 8192 of bfloat16", *calls)


def copies(tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    """Half a gigabyte to the GPU and back."""
    host = np.ones(1 << 27, np.float32)
    x, a = tf.constant(host), cupy.asarray(host)
    t = None if torch is None else torch.as_tensor(host).cuda()
    other = None if t is None else lambda: torch.as_tensor(host).cuda()
    up, down = host.nbytes / card.up, host.nbytes / card.down
    yield row(
        wait,
        "512 MiB to the GPU",
        lambda: tf.constant(host),
        lambda: cupy.asarray(host),
        other,
        limit=up,
    )
    yield row(wait, "512 MiB to the host", x.numpy, a.get, None if t is None else t.cpu, limit=down)


def _chain(tanh: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda a, b, c, d: tanh(a * b + c) * d


def chains(tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    """tanh(a * b + c) * d: as written, and as one kernel in a traced function."""
    for size in (30_000_000, 10_000):
        given = [_given(tf, cupy, torch, size) for _ in range(4)]
        tensors, arrays, others = ([three[i] for three in given] for i in range(3))
        limit = card.seconds(20 * size)
        other = _call(_chain(torch.tanh), *others) if torch else None
        yield row(
            wait,
            f"chain of {size:,}",
            _call(_chain(tf.tanh), *tensors),
            _call(_chain(cupy.tanh), *arrays),
            other,
            limit=limit,
        )
        traced, fused = (
            tf.function(_chain(tf.tanh)),
            cupy.fuse(kernel_name="bare")(_chain(cupy.tanh)),
        )
        yield row(
            wait,
            f"traced chain of {size:,}",
            _call(traced, *tensors),
            _call(fused, *arrays),
            None,
            limit=limit,
        )


# ------------------------------------------------------------------ steps of training


def mlp(tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    """Steps of a perceptron with Adam."""
    yield from _steps("an MLP 784-512-512-10", tf, cupy, torch, wait, card)


def convolutions(tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    """Steps of a small convolutional network with Adam."""
    yield from _steps("a conv net 32x32x3", tf, cupy, torch, wait, card)


def _steps(name: str, tf: Any, cupy: Any, torch: Any, wait: Any, card: Card) -> Iterator[Row]:
    from . import gpu_steps as steps

    for batch in (32, 1024):
        bare = _made(steps.bare, cupy, name, batch)
        other = _made(steps.theirs, torch, name, batch) if torch is not None else None
        for traced in (False, True):
            what = f"step of {name}, batch {batch}, {'traced' if traced else 'eager'}"
            ours = _made(steps.ours, tf, name, batch, traced)
            yield row(
                wait,
                what,
                ours,
                bare,
                other,
                limit=card.seconds(*steps.work(name, batch)),
                against="PyTorch",
            )


def _made(make: Callable[..., Callable[[], Any]], *values: Any) -> Callable[[], Any]:
    """A step that is made when it is first called: what fails then is told in its row."""
    step: list[Callable[[], Any]] = []

    def run() -> Any:
        if not step:
            step.append(make(*values))
        return step[0]()

    return run


GROUPS: dict[str, Callable[..., Iterator[Row]]] = {
    group.__name__: group
    for group in (
        calls,
        mlp,
        elementwise,
        reductions,
        products,
        convolutions,
        short_products,
        copies,
        chains,
    )
}


# ------------------------------------------------------------------ the table


def _seconds(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value * 1e6:.1f} us" if value < 1e-3 else f"{value * 1e3:.2f} ms"


def _ratio(one: float | None, other: float | None) -> str:
    return "-" if one is None or other is None else f"{one / other:.2f}"


def _line(found: Row) -> str:
    ours, cupys, _ = found.seconds
    over = (
        "-" if ours is None or cupys is None or cupys > 1e-3 else f"{(ours - cupys) * 1e6:+.1f} us"
    )
    cells = [found.what, *map(_seconds, (*found.seconds, found.limit))]
    cells += [_ratio(ours, other) for other in (*found.seconds[1:], found.limit)]
    return f"| {' | '.join([*cells, over, found.verdict])} |"


def _summary(found: list[Row]) -> Iterator[str]:
    """Returns how many rows kept each budget, and which did not."""
    for budget in dict.fromkeys(r.budget for r in found if r.kept is not None):
        of = [r for r in found if r.budget == budget and r.kept is not None]
        over = [r.what for r in of if not r.kept]
        yield f"{budget}: {len(of) - len(over)} of {len(of)}{'; over: ' if over else ''}{', '.join(over)}"
    if bad := [r.what for r in found if "FAILED" in r.note]:
        yield f"FAILED: {', '.join(bad)}"


def _torch() -> tuple[Any, str]:
    """PyTorch, where it is there and sees the card, and what is told of it."""
    try:
        import torch

        if not torch.cuda.is_available():
            return None, f"PyTorch {torch.__version__} sees no GPU"
    except Exception as error:  # whatever is wrong with it, the rest is worth as much
        return None, f"no PyTorch ({told(error)})"
    torch.backends.cudnn.allow_tf32 = False
    return torch, f"PyTorch {torch.__version__}"


def main(groups: list[str]) -> int:
    """Prints the table; gives 1 where something failed.

    Args:
        groups: Which groups of rows; all where none is named.
    """
    from twinflow._src.backends.gpu import device

    if not device.count():
        print(f"There is nothing to measure: {device.why_none()}")
        return 1
    import cupy

    import twinflow as tf

    torch, which = _torch()
    wait = cupy.cuda.runtime.deviceSynchronize
    card = Card(cupy, wait)
    print(f"{device.details(0)['device_name']}; CuPy {cupy.__version__}, {which}\n{card}\n")
    print(
        f"| what | {' | '.join(NAMES)} | the card | x CuPy | x PyTorch | x the card | over CuPy | budget |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |", flush=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    found: list[Row] = []
    try:
        for one in rows(tf, cupy, torch, wait, card, groups):
            found.append(one)
            print(_line(one), flush=True)
    except KeyboardInterrupt:
        print("The time is up.")
    print("", *_summary(found), "", sep="\n", flush=True)
    return int(any("FAILED" in one.note for one in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
