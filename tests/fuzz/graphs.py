"""Programs of TensorFlow 1: graphs that sessions run."""

from __future__ import annotations

from .operations import ALL, SMOOTH, wrong
from .templates import call
from .writer import FLOATS, Value, Writer

_V1 = "tf.compat.v1"


def graph(w: Writer) -> None:
    """A graph with placeholders and variables, run several times with several feeds."""
    if w.draws.chance(60):
        w.types = ("float32", "float32", "float32", "int32", "bool")
    w.types = tuple(
        "float32" if t in FLOATS[2:] else t for t in w.types
    )  # short floats end TensorFlow's process at times
    fed = [_placeholder(w) for _ in range(w.draws.between(1, 2))]
    variables = [_variable(w) for _ in range(w.draws.between(0, 2))]
    acts = SMOOTH if w.draws.chance(50) else tuple(act for act in ALL if act is not wrong)
    for _ in range(w.draws.between(3, 8)):
        w.draws.pick(acts)(w)
        if w.draws.chance(20):
            _flow(w)
        if w.draws.chance(20):
            call(w)
    fetches = [v.name for v in w.scopes[0] if not v.variable][-6:]
    extra = _effects(w, variables)
    extra += _gradients(w, fed, variables)
    if w.draws.chance(10):
        wrong(w)
    w.say(f"s = {_V1}.Session()")
    if variables:
        w.say(f"s.run({_V1}.global_variables_initializer())")
    feeds = [", ".join(f"{p.name}: {_numbers(w, p)}" for p in fed) for _ in range(2)]
    for feed in feeds:
        w.say(f"s.run([{', '.join(fetches)}], {{{feed}}})", 1 << 12)
        for name in extra:
            w.say(f"s.run({name}, {{{feed}}})", 1 << 12)
        if variables:
            w.say(f"s.run([{', '.join(v.name for v in variables)}])", 1 << 12)
    literals = {line.split(" = ")[0] for line in w.lines if " = tf.constant(" in line}
    between = [
        v
        for v in w.scopes[0]
        if not v.variable and v not in fed and v.dtype != "string" and v.name not in literals
    ]
    if between:
        v = w.draws.pick(between)
        w.say(f"s.run([{', '.join(fetches)}], {{{feeds[0]}, {v.name}: {_numbers(w, v)}}})", 1 << 13)
    w.say("s.close()")


def _numbers(w: Writer, v: Value) -> str:
    """A value to feed, as a nested list."""

    def rows(shape: tuple[int, ...]) -> str:
        return (
            w.number(v.dtype)
            if not shape
            else "[" + ", ".join(rows(shape[1:]) for _ in range(shape[0])) + "]"
        )

    return rows(v.shape)


def _placeholder(w: Writer) -> Value:
    dtype, shape = w.draws.pick([t for t in w.types if t != "string"] or ["float32"]), w.shape()
    shape = tuple(k or 1 for k in shape)
    known = (
        str([None if w.draws.chance(30) else k for k in shape]) if w.draws.chance(80) else "None"
    )
    return w.let(f"{_V1}.placeholder(tf.{dtype}, {known})", dtype, shape)


def _variable(w: Writer) -> Value:
    dtype = w.draws.pick([t for t in w.types if t in FLOATS or t == "int32"] or ["float32"])
    made = Value(w.name("v"), dtype, w.shape(), variable=True)
    start = w.constant(made.dtype, made.shape)
    resource = w.draws.pick(("", ", use_resource=True", ", use_resource=False"))
    if w.draws.chance(50):
        w.say(f"{made.name} = {_V1}.Variable({start}{resource})")
    else:
        w.say(f'{made.name} = {_V1}.get_variable("{made.name}", initializer={start}{resource})')
    w.scopes[0].append(made)
    return made


def _flow(w: Writer) -> None:
    y = w.value(types=(*FLOATS[:2], "int32"))
    other = w.value(types=(y.dtype,), shape=y.shape)
    condition = f"tf.reduce_sum({other.name}) > {w.draws.between(-2, 2)}"
    if w.draws.chance(50):
        w.let(
            f"tf.cond({condition}, lambda: {y.name} + {other.name}, lambda: {y.name} * 2)",
            y.dtype,
            y.shape,
            64,
        )
    else:
        n = w.draws.between(0, 3)
        w.let(
            f"{_V1}.while_loop(lambda i, a: i < {n}, lambda i, a: (i + 1, a + {other.name}), (tf.constant(0), {y.name}))[1]",
            y.dtype,
            y.shape,
            64,
        )


def _effects(w: Writer, variables: list[Value]) -> list[str]:
    """Updates of variables, some in order."""
    names = []
    for v in variables:
        for _ in range(w.draws.between(0, 2)):
            y = w.value(types=(v.dtype,), shape=v.shape)
            name, how = w.name("u"), w.draws.pick(("assign", "assign_add", "assign_sub"))
            call = (
                f"{_V1}.{how}({v.name}, {y.name})"
                if w.draws.chance(50)
                else f"{v.name}.{how}({y.name})"
            )
            if names and w.draws.chance(50):
                w.say(
                    f"with tf.control_dependencies([{w.draws.pick(names)}]):\n    {name} = {call}"
                )
            elif w.draws.chance(30):
                w.say(
                    f"with tf.control_dependencies([{call}]):\n    {name} = tf.identity({v.name})"
                )
            elif w.draws.chance(30):
                w.say(f"{name} = {_V1}.assign_add({call}, {y.name})")
            else:
                w.say(f"{name} = {call}")
            names.append(name)
    return names


def _gradients(w: Writer, fed: list[Value], variables: list[Value]) -> list[str]:
    """Gradients and a step of an optimizer."""
    found = []
    own = w.visible(lambda v: v.dtype in FLOATS[:2] and not v.variable and v not in fed)
    sources = [v for v in (*fed, *variables) if v.dtype in FLOATS[:2]]
    if own and sources and w.draws.chance(70):
        y, x, name = own[-1], w.draws.pick(sources), w.name("g")
        w.say(f"{name} = tf.gradients({y.name}, [{x.name}])")
        found.append(name)
        if w.draws.chance(40):
            second = w.name("g")
            w.say(f"{second} = tf.gradients({name}[0], [{x.name}])")
            found.append(second)
    trained = [v for v in variables if v.dtype == "float32"]
    if trained and own and w.draws.chance(60):
        kind = w.draws.pick((
            "GradientDescentOptimizer(0.5)", "MomentumOptimizer(0.25, 0.5)", "AdamOptimizer(0.125)", "AdagradOptimizer(0.5)", "RMSPropOptimizer(0.25)",
        ))  # fmt: skip
        v, name = w.draws.pick(trained), w.name("o")
        loss = f"tf.reduce_sum(tf.square({v.name})) + tf.cast(tf.reduce_sum({own[-1].name}), tf.float32)"
        w.say(f"{name} = {_V1}.train.{kind}.minimize({loss}, var_list=[{v.name}])")
        found.append(name)
    return found
