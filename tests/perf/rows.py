"""The rows of the benchmark: expressions in TensorFlow's API, and the same work in bare NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from . import files, growth, pipelines, rows_large, training
from .timing import Pair


class Group(NamedTuple):
    """Rows that are timed together, and how many samples each of them has."""

    title: str
    pairs: Callable[[Any, Any], list[Pair]]
    rounds: int
    rest: float = 0  # seconds between two samples
    alone: bool = False  # whether it tells of twinflow alone


def small(tf: Any, np: Any) -> list[Pair]:
    """Operations on two numbers or little more: what a call costs."""
    x, y = np.array([1.5, 2.5], np.float32), np.array([0.5, 4.0], np.float32)
    out, one, pair = x.copy(), np.float32(1), [1.5, 2.5]
    a, b = tf.constant(x), tf.constant(y)
    v, w = tf.Variable(x), tf.Variable(y)
    m, n = np.ones((8, 8), np.float32), tf.constant(np.ones((8, 8), np.float32))
    return [
        Pair("a + b", lambda: a + b, lambda: x + y, most=4),
        Pair("tf.add(a, b)", lambda: tf.add(a, b), lambda: np.add(x, y), most=4),
        Pair("a + 1", lambda: a + 1, lambda: x + one, most=7),
        Pair("v + a", lambda: v + a, lambda: x + y, most=7),
        Pair("v + w", lambda: v + w, lambda: x + y, most=7),
        Pair("v.assign(a)", lambda: v.assign(a), lambda: np.copyto(out, x)),
        Pair("v.assign_add(a)", lambda: v.assign_add(a), lambda: np.add(out, x, out=out)),
        Pair("tf.Variable(a)", lambda: tf.Variable(a), lambda: x.copy(), most_seconds=12e-6),
        Pair("tf.constant(list)", lambda: tf.constant(pair), lambda: np.array(pair, "f4")),
        Pair("tf.matmul, 8 x 8", lambda: tf.matmul(n, n), lambda: np.matmul(m, m)),
        Pair("tf.reduce_sum, 8 x 8", lambda: tf.reduce_sum(n), lambda: np.sum(m)),
        Pair("a[0]", lambda: a[0], lambda: x[0]),
        Pair("tf.gather, list of 2", lambda: tf.gather(a, [1, 0]), lambda: x[[1, 0]]),
        Pair("a.numpy()", lambda: a.numpy(), lambda: x.copy()),
    ]


def derivatives(tf: Any, np: Any) -> list[Pair]:
    """A tape around one operation, and a function of 40 small ones."""
    x, y = np.float32(3), np.ones(8, np.float32)
    v, a = tf.Variable(3.0), tf.constant(y)

    def square() -> Any:
        with tf.GradientTape() as tape:
            result = v * v
        return tape.gradient(result, v)

    eight = tf.Variable(y)

    def slice_row() -> Any:
        with tf.GradientTape() as tape:
            result = eight[0] * 2.0
        return tape.gradient(result, eight)

    def chain(z: Any) -> Any:
        for _ in range(20):
            z = z * 0.5 + 1.0
        return z

    def leapfrog(q: Any, p: Any) -> Any:
        """Twenty steps of a particle in a harmonic potential."""

        def step(i: Any, q: Any, p: Any) -> Any:
            p = p - 0.05 * q
            q = q + 0.1 * p
            return i + 1, q, p - 0.05 * q

        return tf.while_loop(lambda i, q, p: i < 20, step, (0, q, p))

    def bare_leapfrog(q: Any, p: Any) -> Any:
        half, whole = np.float32(0.05), np.float32(0.1)
        for _ in range(20):
            p = p - half * q
            q = q + whole * p
            p = p - half * q
        return q, p

    w, sequence = (np.ones(size, np.float32) / 64 for size in ((32, 32), (20, 32, 32)))
    weights, items, bare_w = tf.Variable(w), tf.constant(sequence), w.copy()

    @tf.function
    def recurrence(items: Any) -> Any:
        """The gradient of a recurrent network of 20 steps, batch 32, 32 units."""

        def step(i: Any, h: Any) -> Any:
            return i + 1, tf.tanh(items[i] + h @ weights)

        with tf.GradientTape() as tape:
            _, h = tf.while_loop(lambda i, h: i < 20, step, (0, tf.zeros((32, 32))))
        return tape.gradient(h, weights)

    def bare_recurrence() -> Any:
        states = [np.zeros((32, 32), np.float32)]
        for item in sequence:
            states.append(np.tanh(item + states[-1] @ bare_w))
        slope, total = np.ones_like(states[0]), np.zeros_like(bare_w)
        for before, after in zip(states[-2::-1], states[:0:-1], strict=True):
            slope = slope * (1 - after * after)
            total += before.T @ slope
            slope = slope @ bare_w.T
        return total

    traced, compiled = tf.function(chain), tf.function(chain, jit_compile=True)
    steps = tf.function(leapfrog, jit_compile=True)
    return [
        Pair("tape of a square", square, lambda: (x * x, x + x)),
        Pair("tape of a slice", slice_row, lambda: (y[0] * 2, np.zeros(8, np.float32))),
        Pair("40 operations in a function", lambda: traced(a), lambda: chain(y)),
        Pair("gradient of a loop, traced", lambda: recurrence(items), bare_recurrence, rounds=True),
        Pair("40 operations, jit_compile", lambda: compiled(a), lambda: chain(y)),
        Pair("20 leapfrog steps, jit_compile", lambda: steps(a, a), lambda: bare_leapfrog(y, y)),
    ]


def middling(tf: Any, np: Any) -> list[Pair]:
    """Operations on 1e3 and 1e5 numbers, and products of matrices."""
    pairs = []
    for size, name in ((1_000, "1e3"), (100_000, "1e5")):
        pairs += elementwise(tf, np, size, name)
    for size in (64, 128, 512):
        m = np.random.default_rng(1).normal(size=(size, size)).astype(np.float32)
        n = tf.constant(m)
        pairs.append(
            Pair(f"matmul, {size}", lambda n=n: tf.matmul(n, n), lambda m=m: np.matmul(m, m))
        )
    return pairs


def elementwise(tf: Any, np: Any, size: int, name: str) -> list[Pair]:
    """Elementwise operations and a sum of float32 numbers."""
    x = np.linspace(0, 1, size, dtype=np.float32)
    y = x[::-1].copy()
    a, b, v = tf.constant(x), tf.constant(y), tf.Variable(x)
    return [
        Pair(f"{name}: a + b", lambda: a + b, lambda: x + y),
        Pair(f"{name}: tf.exp(a)", lambda: tf.exp(a), lambda: np.exp(x)),
        Pair(f"{name}: tf.tanh(a)", lambda: tf.tanh(a), lambda: np.tanh(x)),
        Pair(f"{name}: tf.reduce_sum(a)", lambda: tf.reduce_sum(a), lambda: np.sum(x)),
        Pair(f"{name}: v.assign_add(a)", lambda: v.assign_add(a), lambda: np.add(y, x, out=y)),
    ]


def large(tf: Any, np: Any) -> list[Pair]:
    """Operations on ten million float32: what the work costs."""
    x = np.linspace(0, 1, 10_000_000, dtype=np.float32)
    a = tf.constant(x)
    fused = tf.function(lambda a: tf.tanh(a * a + a) * a)
    m = np.random.default_rng(1).normal(size=(2048, 2048)).astype(np.float32)
    n = tf.constant(m)
    places = np.random.default_rng(1).permutation(1_000_000)
    table, at = tf.constant(x[:8_000_000].reshape(-1, 8)), tf.constant(places)
    bare_table, rng = x[:8_000_000].reshape(-1, 8), np.random.default_rng(1)
    return [
        *elementwise(tf, np, 10_000_000, "1e7"),
        Pair("1e7: tanh(a*a+a)*a, function", lambda: fused(a), lambda: np.tanh(x * x + x) * x),
        Pair("matmul, 2048", lambda: tf.matmul(n, n), lambda: np.matmul(m, m)),
        Pair("gather 1e6 rows of 8", lambda: tf.gather(table, at), lambda: bare_table[places]),
        Pair(
            "1e7 uniform numbers",
            lambda: tf.random.uniform([10_000_000]),
            lambda: rng.random(10_000_000, np.float32),
        ),
        Pair(
            "1e7 normal numbers",
            lambda: tf.random.normal([10_000_000]),
            lambda: rng.standard_normal(10_000_000, np.float32),
        ),
    ]


def steps(tf: Any, np: Any) -> list[Pair]:
    """Steps of training of a network of two layers: what all parts cost together."""
    return [
        Pair(
            f"training step, batch {batch}, {how}",
            training.step_of(tf, np, batch, how),
            training.bare_step(np, batch),
            most=3 if (batch, how) == (32, "eager") else None,
            rounds=True,
        )
        for batch in (32, 4096)
        for how in ("eager", "traced loss", "traced")
    ]


GROUPS = (
    Group("call", small, 101),
    Group("derivative", derivatives, 101),
    Group("middling work", middling, 31, rest=0.05),
    Group("work", large, 15, rest=0.05),
    Group("long arrays", rows_large.long_arrays, 3),
    Group("elements", rows_large.elements, 7),
    Group("reductions", rows_large.reductions, 7),
    Group("matrices", rows_large.matrices, 5, rest=0.1),
    Group("matrices beside a busy core", rows_large.busy, 9, rest=0.05),
    Group("windows", rows_large.windows, 7, rest=0.1),
    Group("moves", rows_large.moves, 5),
    Group("images", rows_large.images, 5),
    Group("training", steps, 15, rest=0.1),
    Group("files", files.pairs, 5),
    Group("pipelines", pipelines.pairs, 7),
    Group("growth", growth.pairs, 3, alone=True),
)
