"""Programs of derivatives."""

from __future__ import annotations

from .operations import SMOOTH
from .variables import variable
from .writer import Value, Writer

_UNCONNECTED = (
    "",
    "",
    ", unconnected_gradients=tf.UnconnectedGradients.ZERO",
    ', unconnected_gradients="zero"',
)


def tape(w: Writer) -> None:
    """Derivatives of first to third order by tensors and variables."""
    w.recent = 65
    w.types = (w.draws.pick(("float32", "float32", "float64")),) * 5
    w.edges = w.draws.pick((0, 0, 0, 0, 15))
    sources = [
        variable(w) if w.draws.chance(40) else w.literal(w.types[0], w.shape())
        for _ in range(w.draws.between(1, 3))
    ]
    helper = _custom(w) if w.draws.chance(40) else ""
    if w.draws.chance(15):
        _function(w)
    order = w.draws.pick((1, 1, 1, 2, 2, 3))
    persistent = w.draws.chance(40)
    lines, target = _nested(w, sources, order, persistent, helper)
    w.say("\n".join(lines), 1 << 10)
    w.say(target, 1 << 12)
    if persistent:
        for _ in range(2):
            x = w.draws.pick(sources)
            asked = w.draws.pick(
                (x.name, f"[{x.name}]", f"{{'a': {x.name}}}", f"({x.name}, {sources[0].name})")
            )
            w.say(f"t0.gradient({target}, {asked}{w.draws.pick(_UNCONNECTED)})", 1 << 12)
        if w.draws.chance(50):
            w.say(f"t0.jacobian({target}, {w.draws.pick(sources).name})", 1 << 12)
        if w.draws.chance(30):
            w.say(
                f"t0.gradient({target}, {w.draws.pick(sources).name}, output_gradients=tf.ones_like({target}) * 2)",
                1 << 12,
            )
    else:
        w.say(f"t0.gradient({target}, {sources[0].name})", 1 << 12)
    for k in range(1 if order > 1 or not persistent else 2, order + 1):
        w.say(f"g{k}", 1 << 13)


def _nested(
    w: Writer, sources: list[Value], order: int, persistent: bool, helper: str
) -> tuple[list[str], str]:
    """The lines of tapes within tapes, and the name of what is derived."""
    option = (
        "persistent=True"
        if persistent
        else w.draws.pick(("", "", "watch_accessed_variables=False"))
    )
    with w.body() as block:
        for x in sources:
            if w.draws.chance(90 if not x.variable else 60 if "False" in option else 0):
                w.say(f"t0.watch({x.name})")
        for i in range(w.draws.between(2, 6)):
            if helper and i == 1:
                x = w.value()
                w.let(f"{helper}({x.name})", x.dtype, x.shape)
            w.draws.pick((*SMOOTH, *SMOOTH, _guarded, _guarded, _rows, _rows))(w)
            if w.draws.chance(8):
                x = w.value()
                w.let(f"tf.stop_gradient({x.name})", x.dtype, x.shape)
        own = [v for v in w.scopes[-1] if v.dtype == w.types[0]] or sources
        target = own[-1]
        if w.draws.chance(60):
            parts = " + ".join(f"tf.reduce_sum({v.name})" for v in own[-4:])
            target = w.let(w.draws.pick((parts, f"({parts}) * {target.name}")), target.dtype, ())
    lines = [f"with tf.GradientTape({option}) as t0:", *("    " + line for line in block)]
    asked = f"[{', '.join(x.name for x in sources)}]"
    for k in range(1, order):
        inner = w.draws.pick(sources).name
        watched = [f"    t{k}.watch({x.name})" for x in sources if not x.variable]
        before = f"g{k - 1}" if k > 1 else target.name
        derived = f"    g{k} = t{k - 1}.gradient({before}, {inner}, unconnected_gradients='zero')"
        lines = [
            f"with tf.GradientTape() as t{k}:",
            *watched,
            *("    " + line for line in lines),
            derived,
        ]
    if order == 1 and persistent:
        return lines, target.name
    before = f"g{order - 1}" if order > 1 else target.name
    return [
        *lines,
        f"g{order} = t{order - 1}.gradient({before}, {asked})",
        f"g{order}",
    ], target.name


def _guarded(w: Writer) -> None:
    """A function whose slope is infinite or NaN where the guard before it holds."""
    x = w.value()
    inner = w.draws.pick((
        "tf.maximum({}, 0.0)", "tf.clip_by_value({}, 0.0, 1.0)", "tf.nn.relu({})", "tf.abs({})", "tf.minimum({}, 0.0)", "tf.where({} > 0.0, {}, 0.0)", "tf.floor({})",
    ))  # fmt: skip
    outer = w.draws.pick(
        (
            "tf.sqrt({})",
            "tf.math.log({})",
            "tf.math.reciprocal({})",
            "tf.norm({})",
            "tf.math.acos({})",
            "tf.pow({}, 0.5)",
            "tf.math.xlogy({}, {})",
        )
    )
    middle = inner.replace("{}", x.name)
    w.let(
        outer.replace("{}", middle),
        x.dtype,
        () if "norm" in outer else x.shape,
        64 + 16 * x.ulps,
        True,
    )


def _rows(w: Writer) -> None:
    """Rows of what a function gives, so that its gradient is one of slices."""
    x = w.value(lambda v: bool(v.shape) and v.shape[0] > 0)
    if not x.shape or not x.shape[0]:
        return
    rows = [w.draws.below(x.shape[0]) for _ in range(w.draws.between(1, 3))]
    inner = w.draws.pick(
        (
            "{}",
            "tf.square({})",
            "{} + {}",
            "{} * {}",
            "tf.exp({})",
            "tf.identity({})",
            "tf.negative({})",
            "tf.reshape({}, tf.shape({}))",
            "tf.cast({}, {}.dtype)",
        )
    )
    call = w.draws.pick(
        (
            "tf.gather({}, {})",
            "tf.nn.embedding_lookup({}, {})",
            "tf.gather({}, tf.constant({}, tf.int64))",
        )
    )
    w.let(
        call.format(inner.replace("{}", x.name), rows),
        x.dtype,
        (len(rows), *x.shape[1:]),
        16 + 4 * x.ulps,
    )


def _custom(w: Writer) -> str:
    """Adds a function with a gradient of its own, which may use what the function computed."""
    name = w.name("c")
    inner = w.draws.pick(("x * x", "tf.exp(x)", "tf.abs(x)", "tf.identity(x)", "tf.tanh(x) * x"))
    slopes = ("dy * 3.0", "dy * x", "tf.clip_by_value(dy, -1.0, 1.0)", "dy + x", "dy * y", "dy * z")
    slope = w.draws.pick((*slopes, "dy * y", "dy * z * y"))
    if w.draws.chance(15):
        slope = f"dy * tf.sin({name}(x))"  # its own gradient is used again
    middle = w.draws.pick(
        (
            "tf.sin(x)",
            "tf.cond(tf.reduce_sum(x) > 0, lambda: x * x, lambda: x)",
            "tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, v * x), (0, x))[1]",
            "_slope(x)",
        )
    )
    if middle == "_slope(x)" and "z" in slope:
        w.say(
            "def _slope(x):\n    with tf.GradientTape() as s:\n        s.watch(x)\n"
            "        y = x * x * x\n    return s.gradient(y, x)"
        )
    factor = f"tf.cast(2.0, x.dtype) * ({slope.replace('3.0', 'tf.cast(3.0, x.dtype)')})"
    lines = f"    y = {inner}\n" + (f"    z = {middle}\n" if "z" in slope else "")
    w.say(
        f"@tf.custom_gradient\ndef {name}(x):\n{lines}"
        f"    def grad(dy):\n        return {factor}\n    return y, grad"
    )
    if w.draws.chance(30) and name not in slope:
        around = w.name("f")
        w.say(f"{around} = tf.function({name})")
        return around
    return name


def _function(w: Writer) -> None:
    """Adds a traced function, and calls it outside of the tape."""
    x = w.value()
    name = w.name("f")
    w.say(f"@tf.function\ndef {name}(x):\n    return tf.sin(x) * x")
    w.let(f"{name}({x.name})", x.dtype, x.shape, 16 + 16 * x.ulps)
