"""The cost of an op among many: a long tape, graph or trace beside as many ops in short ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .timing import Pair

LONG, SHORT = 50_000, 500


def taped(tf: Any, count: int) -> None:
    """Records a chain of operations and walks it back."""
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(count):
            y = y * 1.0
    tape.gradient(y, x)


def graphed(tf: Any, count: int) -> None:
    """Builds a chain of operations in a graph and runs it."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [])
        y = x
        for _ in range(count):
            y = y + 1.0
    with tf.compat.v1.Session(graph=graph) as session:
        session.run(y, {x: 1.0})


def traced(tf: Any, count: int) -> None:
    """Traces a chain of operations and runs it."""

    def chain(x: Any) -> Any:
        for _ in range(count):
            x = x + 1.0
        return x

    tf.function(chain, autograph=False)(tf.constant(0.0))


def held(tf: Any, count: int) -> Callable[[], None]:
    """Adds to one variable among many that are alive."""
    variables = [tf.Variable(1.0) for _ in range(count)]
    return lambda: [variables[0].assign_add(1.0) for _ in range(1000)] and None


def pairs(tf: Any, np: Any) -> list[Pair]:
    """One long piece of work beside as much work in pieces of a hundredth."""

    def times(work: Callable[[Any, int], None]) -> Callable[[], None]:
        return lambda: [work(tf, SHORT) for _ in range(LONG // SHORT)] and None

    return [
        *(
            Pair(f"5e4 operations in one {name}", lambda w=work: w(tf, LONG), times(work), most=2)
            for name, work in (("tape", taped), ("graph", graphed), ("trace", traced))
        ),
        Pair("assign_add beside 5e4 variables", held(tf, LONG), held(tf, 1), most=1.5),
    ]
