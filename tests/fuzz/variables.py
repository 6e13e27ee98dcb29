"""Statements on variables."""

from __future__ import annotations

from .operations import is_exact, partner
from .writer import FLOATS, INTS, Value, Writer


def variable(w: Writer, types: tuple[str, ...] = (*FLOATS[:2], *INTS[:2]), rank: int = 0) -> Value:
    """Adds a variable."""
    own = [t for t in w.types if t in types] or list(types)
    made = Value(w.name("v"), w.draws.pick(own), w.shape(rank), variable=True)
    w.say(f"{made.name} = tf.Variable({w.constant(made.dtype, made.shape)})")
    w.scopes[0].append(made)
    return made


def change(w: Writer) -> None:
    """Changes a variable, or takes its value."""
    v = w.draws.pick(w.visible(lambda v: v.variable))
    kind = w.draws.below(9)
    y = w.value(lambda x: is_exact(x) and not x.large, types=(v.dtype,), shape=v.shape)
    if kind < 3:
        w.say(f"{v.name}.{w.draws.pick(('assign', 'assign_add', 'assign_sub'))}({y.name})")
    elif kind < 5:
        w.let(
            w.draws.pick(
                (
                    f"{v.name}.value()",
                    f"{v.name}.read_value()",
                    f"tf.identity({v.name})",
                    f"{v.name} + 0",
                )
            ),
            v.dtype,
            v.shape,
        )
    elif kind == 5 and v.shape and v.shape[0]:
        index = w.draws.below(v.shape[0])
        part = w.value(lambda x: is_exact(x) and not x.large, types=(v.dtype,), shape=v.shape[1:])
        w.say(f"{v.name}[{index}].assign({part.name})")
    elif kind == 6 and v.shape and v.shape[0]:
        rows = w.draws.some(range(v.shape[0]), w.draws.between(1, v.shape[0]))
        part = w.value(
            lambda x: is_exact(x) and not x.large, types=(v.dtype,), shape=(len(rows), *v.shape[1:])
        )
        name = w.draws.pick(
            (
                "scatter_add",
                "scatter_sub",
                "scatter_update",
                "scatter_max",
                "scatter_min",
                "scatter_mul",
            )
        )
        w.say(f"{v.name}.{name}(tf.IndexedSlices({part.name}, tf.constant({rows})))")
    elif kind == 7 and v.shape and v.shape[0]:
        part = w.value(
            lambda x: is_exact(x) and not x.large, types=(v.dtype,), shape=(1, *v.shape[1:])
        )
        w.say(
            f"{v.name}.{w.draws.pick(('scatter_nd_update', 'scatter_nd_add', 'scatter_nd_sub'))}([[{w.draws.below(v.shape[0])}]], {part.name})"
        )
    elif kind == 8:
        z = partner(w, y) if w.draws.chance(50) else w.value()
        w.say(f"{v.name}.{w.draws.pick(('assign', 'assign_add'))}({z.name})", 64)
    w.say(f"{v.name}.value()")
