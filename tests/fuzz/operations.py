"""Statements of one operation: which inputs it takes, and what comes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .writer import COMPLEX, FLOATS, INTS, NUMBERS, Value, Writer

_EXACT = ("negative", "abs", "identity", "zeros_like", "ones_like", "stop_gradient", "square")
_EXACT_FLOAT = (
    "floor", "math.ceil", "round", "sign", "nn.relu", "nn.relu6", "math.is_nan", "math.is_inf", "math.is_finite", "math.reciprocal", "math.rint",
)  # fmt: skip
_NEAR_FLOAT = (
    "exp", "math.log", "tanh", "sigmoid", "sin", "cos", "tan", "atan", "sinh", "cosh", "math.erf", "math.log1p", "math.expm1", "nn.softplus",
    "nn.elu", "nn.selu", "nn.gelu", "nn.softmax", "nn.log_softmax", "sqrt", "math.rsqrt", "math.lgamma", "math.asinh", "nn.swish", "math.erfc",
    "nn.leaky_relu", "nn.softsign", "math.xlogy", "math.acos", "math.log_sigmoid", "math.digamma", "math.l2_normalize", "math.asin",
)  # fmt: skip
_BINARY = (
    "add", "subtract", "multiply", "maximum", "minimum", "divide", "math.floordiv", "math.floormod", "squared_difference", "truediv",
    "math.divide_no_nan", "math.multiply_no_nan", "truncatediv", "truncatemod",
)  # fmt: skip
_OPERATORS = ("+", "-", "*", "/", "//", "%")
_COMPARE = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
_DIVIDES = ("divide", "truediv", "/")


def is_exact(v: Value) -> bool:
    """True where a value is the same on both sides, so that it may decide something."""
    return v.ulps == 0


def unary(w: Writer) -> None:
    """A function of one tensor, element by element."""
    x = w.value(types=NUMBERS)
    if x.dtype in FLOATS and w.draws.chance(75):
        if w.draws.chance(40):
            y = w.value(types=FLOATS, fits=is_exact)
            name = w.draws.pick(_EXACT_FLOAT)
            w.let(
                f"tf.{name}({y.name})", "bool" if "is_" in name else y.dtype, y.shape, large=y.large
            )
            return
        name = w.draws.pick(_NEAR_FLOAT)
        arguments = f"{x.name}, {x.name}" if name == "math.xlogy" else x.name
        if ("softmax" in name) and not x.shape:
            return
        w.let(f"tf.{name}({arguments})", x.dtype, x.shape, 8 + 16 * x.ulps, x.large)
        return
    name = w.draws.pick(_EXACT[:2] if x.dtype in COMPLEX else _EXACT)
    if x.dtype in COMPLEX and name == "abs":
        w.let(
            f"tf.abs({x.name})",
            "float32" if x.dtype == "complex64" else "float64",
            x.shape,
            8 + 2 * x.ulps,
        )
    else:
        w.let(f"tf.{name}({x.name})", x.dtype, x.shape, 2 * x.ulps, x.large)


def broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    """Returns the shape of two tensors together; None where they do not fit."""
    n = max(len(a), len(b))
    a, b = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
    if any(i != j and 1 not in (i, j) for i, j in zip(a, b)):
        return None
    return tuple(j if i == 1 else i for i, j in zip(a, b))


def partner(w: Writer, x: Value, fits: Callable[[Value], bool] = lambda v: True) -> Value:
    """Returns a tensor of the same type that can be joined to another element by element."""
    if w.draws.chance(50):
        shape = tuple(1 if w.draws.chance(25) else k for k in x.shape)
        shape = shape[w.draws.below(len(shape) + 1) :] if w.draws.chance(30) else shape
        shape = (
            (w.draws.pick((1, 2)), *shape)
            if w.draws.chance(10) and len(shape) == len(x.shape) < 3
            else shape
        )
        return w.value(types=(x.dtype,), shape=shape, fits=fits)
    return w.value(lambda v: fits(v) and broadcast(x.shape, v.shape) is not None, types=(x.dtype,))


def binary(w: Writer) -> None:
    """A function of two tensors, which are broadcast, or of a tensor and a number."""
    x = w.value(types=NUMBERS)
    y = partner(w, x)
    text, shape, ulps = y.name, broadcast(x.shape, y.shape), 2 * (x.ulps + y.ulps)
    if x.dtype in FLOATS + INTS and w.draws.chance(20):
        text, shape, ulps = w.number(x.dtype), x.shape, 2 * x.ulps
    assert shape is not None
    operator = w.draws.chance(50)
    name = w.draws.pick(_OPERATORS if operator else _BINARY)
    decides = name in ("//", "%") or "floor" in name or "trunc" in name
    if ulps and decides:
        return
    if x.dtype in COMPLEX and (decides or name in ("maximum", "minimum", "math.multiply_no_nan")):
        name, operator = "+", True
    if x.dtype not in FLOATS + COMPLEX and name.endswith("no_nan"):
        return
    if (
        x.dtype not in FLOATS[:2] and "trunc" in name
    ):  # integers: an internal error of TensorFlow's for zero
        return
    inexact = (x.dtype in COMPLEX and name not in ("+", "-", "add", "subtract")) or (
        name in _DIVIDES and x.dtype in ("float16", "bfloat16")
    )
    dtype = x.dtype
    if name in _DIVIDES and dtype in INTS:
        dtype = "float32" if dtype in ("int8", "uint8", "int16", "uint16") else "float64"
    expression = f"{x.name} {name} {text}" if operator else f"tf.{name}({x.name}, {text})"
    w.let(
        expression,
        dtype,
        shape,
        ulps * (4 if decides or name in (*_DIVIDES, "math.divide_no_nan") else 1) + 8 * inexact,
        x.large or y.large,
    )


def power(w: Writer) -> None:
    """Powers, and what else is not exact of two tensors."""
    x = w.value(types=FLOATS[:2])
    y = partner(w, x)
    name = w.draws.pick(("pow", "math.atan2", "math.xlogy", "math.xdivy"))
    first = f"tf.abs({x.name})" if name == "pow" and w.draws.chance(50) else x.name
    shape = broadcast(x.shape, y.shape)
    w.let(
        f"tf.{name}({first}, {y.name})",
        x.dtype,
        shape,
        16 + 64 * (x.ulps + y.ulps),
        x.large or y.large,
    )


def compare(w: Writer) -> None:
    """Comparisons and logic."""
    if w.draws.chance(30):
        x = w.value(types=("bool",))
        y = partner(w, x)
        name = w.draws.pick(("math.logical_and", "math.logical_or", "math.logical_xor", "equal"))
        w.let(f"tf.{name}({x.name}, {y.name})", "bool", broadcast(x.shape, y.shape))
        return
    x = w.value(is_exact, types=FLOATS + INTS)
    y = partner(w, x, is_exact)
    w.let(f"tf.{w.draws.pick(_COMPARE)}({x.name}, {y.name})", "bool", broadcast(x.shape, y.shape))


def bits(w: Writer) -> None:
    """Operations on bits."""
    x = w.value(types=INTS)
    y = partner(w, x)
    w.let(
        f"tf.bitwise.{w.draws.pick(('bitwise_and', 'bitwise_or', 'bitwise_xor'))}({x.name}, {y.name})",
        x.dtype,
        broadcast(x.shape, y.shape),
    )


def axis_of(w: Writer, x: Value) -> int:
    """Returns an axis of a tensor, counted from either end."""
    k = w.draws.below(len(x.shape))
    return k - len(x.shape) if w.draws.chance(35) else k


def reduced(x: Value, axes: Any, keep: bool) -> tuple[int, ...]:
    """Returns the shape of a reduction."""
    rank = len(x.shape)
    own = (
        set(range(rank))
        if axes is None
        else {a % rank for a in ([axes] if isinstance(axes, int) else axes)}
    )
    return tuple(1 if i in own else k for i, k in enumerate(x.shape) if keep or i not in own)


def reduction(w: Writer) -> None:
    """Reductions over some axes."""
    name = w.draws.pick(
        ("sum", "mean", "max", "min", "prod", "any", "all", "logsumexp", "std", "variance")
    )
    types = (
        ("bool",)
        if name in ("any", "all")
        else FLOATS
        if name in ("logsumexp", "std", "variance")
        else FLOATS + INTS
    )
    x = w.value(types=types)
    axes: Any = None
    if x.shape and w.draws.chance(70):
        axes = (
            axis_of(w, x)
            if w.draws.chance(70)
            else w.draws.some(range(len(x.shape)), w.draws.between(0, len(x.shape)))
        )
    keep = w.draws.chance(35)
    exact = x.dtype in INTS or name in ("max", "min", "any", "all")
    extra = ", keepdims=True" if keep else ""
    axis = "" if axes is None else f", axis={axes}" if w.draws.chance(50) else f", {axes}"
    many = 4 if x.dtype in ("float16", "bfloat16") else 1
    w.let(
        f"tf.reduce_{name}({x.name}{axis}{extra})",
        x.dtype,
        reduced(x, axes, keep),
        x.ulps if exact else (16 + 8 * x.ulps) * many,
        x.large,
    )


def argument(w: Writer) -> None:
    """Indices of extremes, orders."""
    x = w.value(lambda v: is_exact(v) and v.shape and 0 not in v.shape, types=FLOATS[:2] + INTS[:2])
    if not x.shape:
        return
    axis = axis_of(w, x)
    name = w.draws.pick(("argmax", "argmin", "argsort", "sort"))
    if name.startswith("arg") and name != "argsort":
        w.let(f"tf.{name}({x.name}, {axis})", "int64", reduced(x, axis, False))
    elif not x.large:
        direction = w.draws.pick(("", ', direction="DESCENDING"'))
        stable = ", stable=True" if name == "argsort" else ""
        w.let(
            f"tf.{name}({x.name}, {axis}{direction}{stable})",
            "int32" if stable else x.dtype,
            x.shape,
        )


def cumulative(w: Writer) -> None:
    """Sums and products along an axis."""
    x = w.value(lambda v: bool(v.shape), types=FLOATS[:2] + INTS[:2])
    if not x.shape:
        return
    flags = w.draws.pick(
        ("", ", exclusive=True", ", reverse=True", ", exclusive=True, reverse=True")
    )
    name = w.draws.pick(("cumsum", "math.cumprod"))
    w.let(
        f"tf.{name}({x.name}, {axis_of(w, x)}{flags})",
        x.dtype,
        x.shape,
        0 if x.dtype in INTS else 8 + 4 * x.ulps,
        x.large,
    )


def reshape(w: Writer) -> None:
    """The same elements in another shape."""
    x = w.value()
    kind = w.draws.below(4)
    if kind == 0:
        axis = w.draws.between(0, len(x.shape))
        w.let(
            f"tf.expand_dims({x.name}, {axis})",
            x.dtype,
            x.shape[:axis] + (1,) + x.shape[axis:],
            x.ulps,
            x.large,
        )
    elif kind == 1:
        w.let(
            f"tf.squeeze({x.name})", x.dtype, tuple(k for k in x.shape if k != 1), x.ulps, x.large
        )
    elif kind == 2 and x.size:
        w.let(
            f"tf.reshape({x.name}, {w.draws.pick(('[-1]', '-1', '(-1,)'))})",
            x.dtype,
            (x.size,),
            x.ulps,
            x.large,
        )
    else:
        shape = w.draws.pick([(x.size,), (x.size, 1), (1, x.size), x.shape[::-1]])
        if len(shape) == 2 and shape[0] % 2 == 0 and shape[0]:
            shape = (2, shape[0] // 2 * shape[1])
        w.let(f"tf.reshape({x.name}, {list(shape)})", x.dtype, shape, x.ulps, x.large)


def transpose(w: Writer) -> None:
    """Permuted, reversed, rolled axes."""
    x = w.value()
    if not x.shape:
        return
    kind = w.draws.below(4)
    if kind == 0:
        w.let(f"tf.transpose({x.name})", x.dtype, x.shape[::-1], x.ulps, x.large)
    elif kind == 1:
        order = w.draws.some(range(len(x.shape)), len(x.shape))
        w.let(
            f"tf.transpose({x.name}, {order})",
            x.dtype,
            [x.shape[i] for i in order],
            x.ulps,
            x.large,
        )
    elif kind == 2:
        w.let(f"tf.reverse({x.name}, [{axis_of(w, x)}])", x.dtype, x.shape, x.ulps, x.large)
    else:
        w.let(
            f"tf.roll({x.name}, {w.draws.between(-3, 3)}, {axis_of(w, x)})",
            x.dtype,
            x.shape,
            x.ulps,
            x.large,
        )


def join(w: Writer) -> None:
    """Tensors side by side."""
    x = w.value()
    y = w.value(types=(x.dtype,), shape=x.shape)
    ulps, large = max(x.ulps, y.ulps), x.large or y.large
    if x.shape and w.draws.chance(50):
        axis = axis_of(w, x)
        shape = [2 * k if i == axis % len(x.shape) else k for i, k in enumerate(x.shape)]
        w.let(f"tf.concat([{x.name}, {y.name}], {axis})", x.dtype, shape, ulps, large)
    else:
        axis = w.draws.between(0, len(x.shape))
        w.let(
            f"tf.stack([{x.name}, {y.name}], axis={axis})",
            x.dtype,
            x.shape[:axis] + (2,) + x.shape[axis:],
            ulps,
            large,
        )


def cut(w: Writer) -> None:
    """Slices, as with Python's brackets."""
    x = w.value(lambda v: bool(v.shape))
    if not x.shape:
        return
    items, shape = [], []
    for k in x.shape:
        kind = w.draws.below(6)
        if kind == 0 and k:
            items.append(str(w.draws.between(-k, k - 1)))
        elif kind == 1:
            items.append("tf.newaxis")
            items.append(":")
            shape += [1, k]
        elif kind == 2:
            a, b, s = (
                w.draws.between(-4, 4),
                w.draws.between(-4, 4),
                w.draws.pick((1, 1, 2, -1, -2)),
            )
            items.append(f"{a}:{b}:{s}")
            shape.append(len(range(k)[a:b:s]))
        else:
            part = w.draws.pick(("1:", ":-1", "::2", "::-1", ":", ":1"))
            low, _, rest = part.partition(":")
            high, _, step = rest.partition(":")
            items.append(part)
            shape.append(len(range(k)[slice(*(int(t) if t else None for t in (low, high, step)))]))
    if len(items) < 5:
        w.let(f"{x.name}[{', '.join(items)}]", x.dtype, shape, x.ulps, x.large)


def gather(w: Writer) -> None:
    """Elements by their indices."""
    x = w.value(lambda v: bool(v.shape) and 0 not in v.shape)
    if not x.shape or 0 in x.shape:
        return
    axis = w.draws.below(len(x.shape))
    n = w.draws.between(0, 4)
    indices = [w.draws.below(x.shape[axis]) for _ in range(n)]
    if w.draws.chance(70):
        own, text = (
            ((), str(w.draws.below(x.shape[axis])))
            if w.draws.chance(20)
            else ((n,), f"tf.constant({indices}, tf.int32)")
        )
        w.let(
            f"tf.gather({x.name}, {text}, axis={axis})",
            x.dtype,
            x.shape[:axis] + own + x.shape[axis + 1 :],
            x.ulps,
            x.large,
        )
    else:
        rows = [[w.draws.below(k) for k in x.shape[: w.draws.between(1, len(x.shape))]]]
        w.let(
            f"tf.gather_nd({x.name}, {rows})",
            x.dtype,
            (1, *x.shape[len(rows[0]) :]),
            x.ulps,
            x.large,
        )


def spread(w: Writer) -> None:
    """Repeated, padded, filled."""
    x = w.value(
        lambda v: v.size < 12 and v.dtype not in INTS[5:]
    )  # TensorFlow tiles no large unsigned integers
    kind = w.draws.below(5)
    if kind == 0 and x.shape:
        times = [w.draws.between(0, 2) if w.draws.chance(30) else 1 for _ in x.shape]
        w.let(
            f"tf.tile({x.name}, {times})",
            x.dtype,
            [a * b for a, b in zip(x.shape, times)],
            x.ulps,
            x.large,
        )
    elif kind == 1 and x.shape and x.dtype not in ("bool", "string"):
        pads = [[w.draws.between(0, 1), w.draws.between(0, 1)] for _ in x.shape]
        w.let(
            f"tf.pad({x.name}, {pads})",
            x.dtype,
            [a + sum(b) for a, b in zip(x.shape, pads)],
            x.ulps,
            x.large,
        )
    elif kind == 2:
        shape = (w.draws.between(1, 2), *x.shape)
        w.let(f"tf.broadcast_to({x.name}, {list(shape)})", x.dtype, shape, x.ulps, x.large)
    elif kind == 3 and x.shape:
        axis = axis_of(w, x)
        w.let(
            f"tf.repeat({x.name}, 2, axis={axis})",
            x.dtype,
            [2 * k if i == axis % len(x.shape) else k for i, k in enumerate(x.shape)],
            x.ulps,
            x.large,
        )
    elif x.shape and x.dtype in NUMBERS:
        w.let(f"tf.linalg.diag({x.name})", x.dtype, (*x.shape, x.shape[-1]), x.ulps, x.large)


def choose(w: Writer) -> None:
    """Elements by a condition."""
    x = w.value()
    y = w.value(types=(x.dtype,), shape=x.shape)
    if w.draws.chance(70):
        mask = w.value(types=("bool",), shape=x.shape)
        w.let(
            f"tf.where({mask.name}, {x.name}, {y.name})",
            x.dtype,
            x.shape,
            max(x.ulps, y.ulps),
            x.large or y.large,
        )
    elif x.dtype in FLOATS + INTS[:2]:
        low, high = sorted((w.draws.between(-3, 3), w.draws.between(-3, 3)))
        w.let(f"tf.clip_by_value({x.name}, {low}, {high})", x.dtype, x.shape, x.ulps, x.large)


def convert(w: Writer) -> None:
    """Elements of another type."""
    x = w.value(lambda v: is_exact(v) and not v.large, types=(*NUMBERS, "bool"))
    dtype = w.draws.pick((*NUMBERS, "bool"))
    if dtype.startswith("u") and not x.dtype.startswith("u"):
        return  # negative numbers become what the processor makes of them
    if x.dtype in COMPLEX and dtype not in COMPLEX:
        return
    w.let(f"tf.cast({x.name}, tf.{dtype})", dtype, x.shape)


def update(w: Writer) -> None:
    """A tensor with some elements replaced."""
    x = w.value(lambda v: bool(v.shape) and v.shape[0] > 0, types=FLOATS[:2] + INTS[:2])
    if not x.shape or not x.shape[0]:
        return
    n = w.draws.between(1, 3)
    rows = [[w.draws.below(x.shape[0])] for _ in range(n)]
    name = w.draws.pick(("add", "sub", "min", "max", "update"))
    if name == "update":
        rows = rows[:1]
    y = w.value(types=(x.dtype,), shape=(len(rows), *x.shape[1:]))
    name = f"tensor_scatter_nd_{name}"
    w.let(
        f"tf.{name}({x.name}, {rows}, {y.name})",
        x.dtype,
        x.shape,
        (x.ulps + y.ulps) + 8 * (n > 2 and x.dtype in FLOATS),
        x.large or y.large,
    )


def multiply(w: Writer) -> None:
    """Products of matrices."""
    x = w.value(lambda v: len(v.shape) >= 2, types=(*FLOATS[:2], "int32", *COMPLEX))
    if len(x.shape) < 2:
        return
    n = w.draws.pick((1, 2, 3))
    y = w.value(types=(x.dtype,), shape=(*x.shape[:-2], x.shape[-1], n))
    ulps = 0 if x.dtype == "int32" else 16 + 8 * (x.ulps + y.ulps)
    kind = w.draws.below(3)
    shape = (*x.shape[:-1], n)
    if kind == 0:
        w.let(f"tf.matmul({x.name}, {y.name})", x.dtype, shape, ulps, x.large or y.large)
    elif kind == 1:
        w.let(f"{x.name} @ {y.name}", x.dtype, shape, ulps, x.large or y.large)
    else:
        w.let(
            f'tf.einsum("...ij,...jk->...ik", {x.name}, {y.name})',
            x.dtype,
            shape,
            ulps,
            x.large or y.large,
        )


def segments(w: Writer) -> None:
    """Sums over segments, one-hot rows, counts."""
    kind = w.draws.below(4)
    if kind == 0:
        x = w.value(lambda v: bool(v.shape) and v.shape[0] > 0, types=FLOATS[:2] + INTS[:2])
        if not x.shape or not x.shape[0]:
            return
        ids = [w.draws.between(-1, 2) for _ in range(x.shape[0])]
        name = w.draws.pick(("sum", "max", "min", "prod", "mean"))
        if name == "mean" and x.dtype in INTS:
            return
        w.let(
            f"tf.math.unsorted_segment_{name}({x.name}, {ids}, 3)",
            x.dtype,
            (3, *x.shape[1:]),
            0 if x.dtype in INTS else 16 + 8 * x.ulps,
            True,
        )
    elif kind == 1:
        x = w.value(
            lambda v: is_exact(v) and not v.large and len(v.shape) < 3, types=("int32", "int64")
        )
        depth, axis = w.draws.between(1, 4), w.draws.pick((-1, 0))
        shape = (*x.shape, depth) if axis else (depth, *x.shape)
        w.let(f"tf.one_hot({x.name}, {depth}, axis={axis})", "float32", shape)
    elif kind == 2:
        x = w.value(is_exact, types=("int32", "int64", "float32", "bool"))
        w.let(f"tf.math.count_nonzero({x.name})", "int64", ())
    else:
        n, m = w.draws.between(0, 4), w.draws.pick((1, 2, 3))
        w.let(f"tf.range({n}, {n + 3 * m}, {m})", "int32", (3,))


def strings(w: Writer) -> None:
    """Operations on strings."""
    x = w.value(types=("string",))
    kind = w.draws.below(6)
    if kind == 0:
        w.let(f"tf.strings.length({x.name})", "int32", x.shape)
    elif kind == 1:
        w.let(
            f"tf.strings.{w.draws.pick(('upper', 'lower', 'strip'))}({x.name})", "string", x.shape
        )
    elif kind == 2:
        y = partner(w, x)
        if x.shape == y.shape:
            w.let(f'tf.strings.join([{x.name}, {y.name}], "-")', "string", x.shape)
    elif kind == 3:
        w.let(f'tf.strings.regex_replace({x.name}, "[a-x]", "<\\\\0>")', "string", x.shape)
    elif kind == 4:
        y = w.value(lambda v: is_exact(v) and not v.large, types=("int32", "int64", "bool", "int8"))
        w.let(f"tf.strings.as_string({y.name})", "string", y.shape)
    else:
        w.let(
            f"tf.strings.to_hash_bucket_fast({x.name}, {w.draws.between(1, 99)})", "int64", x.shape
        )


def unknown_shape(w: Writer) -> None:
    """Results whose shape values decide; nothing goes on with them."""
    kind = w.draws.below(4)
    if kind == 0:
        x = w.value(
            lambda v: is_exact(v) and not v.large and bool(v.shape),
            types=("int32", "int64", "float32"),
        )
        if x.shape:
            w.let(f"tf.unique(tf.reshape({x.name}, [-1]))", x.dtype, (), keep=False)
    elif kind == 1:
        x = w.value(types=("bool",))
        w.let(f"tf.where({x.name})", "int64", (), keep=False)
    elif kind == 2:
        x = w.value(lambda v: bool(v.shape))
        if x.shape:
            mask = [w.draws.pick(("True", "False")) for _ in range(x.shape[0])]
            w.let(
                f"tf.boolean_mask({x.name}, [{', '.join(mask)}])", x.dtype, (), x.ulps, keep=False
            )
    else:
        x = w.value(
            lambda v: is_exact(v) and not v.large and bool(v.shape) and v.shape[-1] > 0,
            types=FLOATS[:2] + INTS[:2],
        )
        if x.shape and x.shape[-1]:
            w.let(
                f"tf.math.top_k({x.name}, {w.draws.between(1, x.shape[-1])})",
                x.dtype,
                (),
                keep=False,
            )


def wrong(w: Writer) -> None:
    """Calls that are refused, most of them."""
    x = w.value()
    y = w.value()
    rank = len(x.shape)
    text = w.draws.pick((
        f"tf.add({x.name}, {y.name})", f"{x.name} * {y.name}", f"tf.matmul({x.name}, {y.name})", f"tf.concat([{x.name}, {y.name}], {rank})",
        f"tf.reshape({x.name}, [{x.size + 1}])", f"tf.reshape({x.name}, [-1, -1])", f"tf.gather({x.name}, [7])", f"tf.reduce_sum({x.name}, {rank})",
        f"tf.expand_dims({x.name}, {rank + 1})", f"tf.squeeze({x.name}, [0])", f"tf.transpose({x.name}, [0])", f"{x.name}[0, 0, 0, 0, 0]",
        f"{x.name}[{w.draws.between(-6, 6)}]", f"tf.stack([{x.name}, {y.name}])", f"tf.split({x.name}, 3)", f"tf.broadcast_to({x.name}, [7])",
        f"tf.where({x.name}, 1, 2)", f"tf.cast({x.name}, tf.string)", f"tf.argmax({x.name}, {rank})", f"tf.tile({x.name}, [2])",
        f"tf.strings.length({x.name})", f"tf.sqrt({x.name})", f"tf.math.logical_and({x.name}, {y.name})", f"tf.bitwise.invert({x.name})",
        f"tf.one_hot({x.name}, -1)", f"tf.linalg.inv({x.name})", f"tf.linalg.diag({x.name})", f"tf.slice({x.name}, [0], [9])",
        f"tf.tensor_scatter_nd_add({x.name}, [[5]], {y.name})", f"tf.gather_nd({x.name}, [[9]])", f"tf.constant({w.number(x.dtype)}, tf.int32)",
        f"tf.math.floormod({x.name}, {y.name})", f"tf.unstack({x.name})", f"tf.pad({x.name}, [[1]])", f"tf.cumsum({x.name}, 5)",
        f"tf.ensure_shape({x.name}, [None, 2])", f"tf.math.unsorted_segment_sum({x.name}, {y.name}, 2)", f"tf.roll({x.name}, 1, 4)",
    ))  # fmt: skip
    w.let(text, "", (), max(x.ulps, y.ulps) * 64 + 64, keep=False)


ELEMENTWISE = (unary, unary, binary, binary, binary, power)
MOVING = (reshape, transpose, join, cut, cut, gather, spread, choose)
ALL = (
    *ELEMENTWISE, *ELEMENTWISE, *MOVING, *MOVING, compare, compare, bits, reduction, reduction, reduction, argument, cumulative, convert, convert,
    update, multiply, multiply, segments, strings, unknown_shape, wrong,
)  # fmt: skip
SMOOTH = (
    unary,
    unary,
    binary,
    binary,
    binary,
    power,
    reshape,
    transpose,
    join,
    cut,
    gather,
    spread,
    choose,
    reduction,
    multiply,
    update,
    cumulative,
)
