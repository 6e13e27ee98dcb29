"""Programs of traced functions."""

from __future__ import annotations

from .operations import ALL, SMOOTH, unknown_shape, wrong
from .templates import call, slope
from .variables import variable
from .writer import FLOATS, INTS, Value, Writer

_CALM = tuple(act for act in ALL if act not in (wrong, unknown_shape))


def function(w: Writer) -> None:
    """A traced function or two, called several times, alone and under a tape."""
    if w.draws.chance(50):
        w.types = ("float32", "float32", "float32", "int32", "bool")
    arguments = [w.literal(w.draws.pick(w.types), w.shape()) for _ in range(w.draws.between(1, 3))]
    v = variable(w) if w.draws.chance(40) else None
    name = definition(w, arguments, v)
    if w.draws.chance(25):
        inner, name = name, w.name("f")
        names = ", ".join(f"a{i}" for i in range(len(arguments)))
        w.say(
            f"@tf.function\ndef {name}({names}):\n    y = {inner}({names})\n    return y, {inner}({names})"
        )
    _calls(w, name, arguments, v)


def _calls(w: Writer, name: str, arguments: list[Value], v: Value | None) -> None:
    given = ", ".join(a.name for a in arguments)
    for _ in range(w.draws.between(1, 2)):
        w.let(f"{name}({given})", "", (), 1 << 12, keep=False)
    if v is not None:
        w.say(f"{v.name}.value()", 1 << 10)
    if w.draws.chance(40):
        others = [
            w.draws.pick((a.name, w.constant(a.dtype, w.shape()), w.constant(a.dtype, a.shape)))
            for a in arguments
        ]
        w.say(f"{name}({', '.join(others)})", 1 << 12)
    x = arguments[0]
    if x.dtype in FLOATS and w.draws.chance(60):
        w.say(
            f"with tf.GradientTape(persistent=True) as t0:\n    t0.watch({x.name})\n    y0 = {name}({given})",
            0,
        )
        w.say(f"t0.gradient(y0, {x.name})", 1 << 12)
        if v is not None:
            w.say(f"t0.gradient(y0, [{x.name}, {v.name}])", 1 << 12)
    w.say(f"{name}.experimental_get_tracing_count()")
    if w.draws.chance(40):
        w.say(f"{name}.get_concrete_function({given}).output_shapes")
    if v is not None:
        w.say(f"{v.name}.value()", 1 << 10)


def definition(w: Writer, arguments: list[Value], v: Value | None) -> str:
    """Adds a traced function of such arguments."""
    name = w.name("f")
    own = [Value(f"a{i}", a.dtype, a.shape, 0, False, a.large) for i, a in enumerate(arguments)]
    captured = [x for x in w.scopes[0] if x not in arguments and (x.variable or w.draws.chance(30))]
    acts = SMOOTH if w.draws.chance(50) else _CALM
    with w.body(*own, *captured, alone=True) as block:
        for _ in range(w.draws.between(1, 4)):
            act = w.draws.pick((*acts, *acts, *_FLOW, *_FLOW))
            act(w)
            if v is not None and w.draws.chance(25):
                y = w.value(lambda x: x.ulps == 0, types=(v.dtype,), shape=v.shape)
                w.say(f"{v.name}.{w.draws.pick(('assign', 'assign_add'))}({y.name})")
        results = w.scopes[-1][-1:] if w.draws.chance(50) else w.scopes[-1][-3:]
    if w.draws.chance(50):
        result = results[-1].name
    else:
        result = w.draws.pick(("{%s}", "(%s,)", "[%s]"))
        result %= ", ".join(f"'{x.name}': {x.name}" if "{" in result else x.name for x in results)
    body = "\n".join("    " + line for line in [*block, f"return {result}"])
    w.say(f"{_decorator(w, own)}\ndef {name}({', '.join(a.name for a in own)}):\n{body}")
    return name


def _decorator(w: Writer, arguments: list[Value]) -> str:
    """The decorator: without signature, or with known, partly known and unknown shapes."""
    kind = w.draws.below(5)
    if kind == 0:
        return "@tf.function"
    if kind == 1:
        return "@tf.function(reduce_retracing=True)"
    specs = []
    for a in arguments:
        shape = str([None if w.draws.chance(50) and kind > 2 else k for k in a.shape])
        specs.append(
            f"tf.TensorSpec({'None' if kind == 4 and w.draws.chance(60) else shape}, tf.{a.dtype})"
        )
    return f"@tf.function(input_signature=[{', '.join(specs)}])"


def _indented(w: Writer, lines: list[str]) -> None:
    for line in lines:
        w.say("    " + line)


def _updated(w: Writer, y: Value, name: str) -> list[str]:
    """Lines that give a name another value of the same type and shape."""
    with w.body() as block:
        x = w.value(lambda v: v.ulps == 0, types=(y.dtype,), shape=y.shape)
        if y.dtype in FLOATS + INTS:
            w.say(f"{name} = {name} {w.draws.pick(('+', '-', '*'))} {x.name}")
        else:
            w.say(f"{name} = {x.name}")
    return block


def _carried(w: Writer) -> Value:
    """A new name for a value, which branches and loops change."""
    x = w.value(lambda v: v.dtype in FLOATS + INTS)
    return w.let(f"tf.identity({x.name})", x.dtype, x.shape, x.ulps)


def _condition(w: Writer) -> str:
    x = w.value(lambda v: v.ulps == 0, types=("float32", "int32", "float64", "int64"))
    return (
        f"tf.reduce_sum({x.name}) {w.draws.pick(('>', '<', '>=', '!='))} {w.draws.between(-2, 2)}"
    )


def _if(w: Writer) -> None:
    y = _carried(w)
    condition = (
        _condition(w)
        if w.draws.chance(70)
        else w.draws.pick(("True", "1 > 2", f"len({y.name}.shape) > 1"))
    )
    first, second = _updated(w, y, y.name), _updated(w, y, y.name)
    w.say(f"if {condition}:")
    _indented(w, first)
    if w.draws.chance(70):
        w.say("else:")
        _indented(w, second)


def _while(w: Writer) -> None:
    y, i = _carried(w), w.name("i")
    lines = _updated(w, y, y.name)
    w.say(
        f"{i} = {w.draws.pick(('0', 'tf.constant(0)'))}\nwhile {i} < {w.draws.pick(('tf.constant(3)', '2', 'tf.constant(0)'))}:"
    )
    _indented(w, lines)
    if w.draws.chance(30):
        w.say(f"    if {_condition(w)}:\n        break")
    w.say(f"    {i} = {i} + 1")


def _for(w: Writer) -> None:
    y = _carried(w)
    rows = w.value(lambda v: bool(v.shape) and v.name != y.name, types=(y.dtype,))
    if (
        not rows.shape or rows.name == y.name
    ):  # TensorFlow loses the elements of a tensor that its own loop changes
        return
    lines = _updated(w, y, y.name)
    over = w.draws.pick((rows.name, "tf.range(3)", "range(2)"))
    w.say(f"for row in {over}:")
    _indented(w, lines)
    if over == rows.name:
        w.say(f"    {y.name} = {y.name} + tf.reduce_max(row)" if rows.size else "    pass")


def _cond(w: Writer) -> None:
    y = _carried(w)
    other = w.value(lambda v: v.ulps == 0, types=(y.dtype,), shape=y.shape)
    w.let(
        f"tf.cond({_condition(w)}, lambda: {y.name} + {other.name}, lambda: {y.name} * 2)",
        y.dtype,
        y.shape,
        2 * y.ulps,
    )


def _while_loop(w: Writer) -> None:
    y = _carried(w)
    other = w.value(lambda v: v.ulps == 0, types=(y.dtype,), shape=y.shape)
    w.let(
        f"tf.while_loop(lambda i, a: i < {w.draws.between(0, 3)}, lambda i, a: (i + 1, a + {other.name}), (tf.constant(0), {y.name}))[1]",
        y.dtype, y.shape, 4 * y.ulps,
    )  # fmt: skip


def _map(w: Writer) -> None:
    x = w.value(lambda v: bool(v.shape) and v.shape[0] > 0, types=FLOATS[:2] + INTS[:2])
    if not x.shape or not x.shape[0]:
        return
    ulps = 16 + 8 * x.ulps if x.dtype in FLOATS else 0
    kind = w.draws.below(4)
    if kind == 0:
        w.let(f"tf.map_fn(lambda e: e * 2 + 1, {x.name})", x.dtype, x.shape, ulps, x.large)
    elif kind == 1:
        w.let(f"tf.scan(lambda a, e: a + e, {x.name})", x.dtype, x.shape, ulps, x.large)
    elif kind == 2:
        w.let(f"tf.foldl(lambda a, e: a - e, {x.name})", x.dtype, x.shape[1:], ulps, x.large)
    else:
        w.let(f"tf.vectorized_map(lambda e: e * e, {x.name})", x.dtype, x.shape, ulps, x.large)


def _array(w: Writer) -> None:
    y, n = _carried(w), w.draws.between(1, 3)
    a, i = w.name("ta"), w.name("i")
    w.say(
        f"{a} = tf.TensorArray(tf.{y.dtype}, size={n})\nfor {i} in tf.range({n}):\n    {a} = {a}.write({i}, {y.name} + tf.cast({i}, tf.{y.dtype}))"
    )
    w.let(f"{a}.stack()", y.dtype, (n, *y.shape), y.ulps)


def _slope(w: Writer) -> None:
    """A tape within the function, over values of it."""
    found = w.visible(lambda v: v.dtype in FLOATS[:2])
    if not found:
        return
    x = w.draws.pick(found)
    with w.body(*[v for v in w.scopes[-1] if v.dtype == x.dtype]) as block:
        for _ in range(w.draws.between(1, 3)):
            w.draws.pick(SMOOTH)(w)
        y = (w.visible(lambda v: v.dtype == x.dtype) or [x])[-1]
    t, g = w.name("t"), w.name("x")
    w.say(f"with tf.GradientTape() as {t}:")
    for line in [f"{t}.watch({x.name})", *block]:
        w.say("    " + line)
    w.say(f'{g} = {t}.gradient({y.name}, {x.name}, unconnected_gradients="zero")')
    w.scopes[-1].append(Value(g, x.dtype, x.shape, 1 << 10))


_FLOW = (
    _if,
    _if,
    _while,
    _for,
    _cond,
    _while_loop,
    _map,
    _array,
    _slope,
    _slope,
    slope,
    call,
    call,
)
