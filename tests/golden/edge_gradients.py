"""Gradients at the edges: of what selects, clips, divides, at zeros, ties, infinities and NaN, for such upstream gradients.

python -m tests.golden.edge_gradients            says where twinflow's gradients are others
python -m tests.golden.edge_gradients --record   records TensorFlow's, for a Python that has it
"""

from __future__ import annotations

import fnmatch
import itertools
import json
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FILE = Path(__file__).resolve().parent / "edge_gradients.json"
INF, NAN = math.inf, math.nan

UPSTREAM = [1.5, 0.0, INF, -INF, NAN]
# What a function of one number, of two numbers, of a row of numbers is tried with.
ONE = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, 6.0, 7.0, 80.0, -110.0, INF, -INF, NAN]
TWO = list(itertools.product([0.0, -0.0, 1.0, -1.0, 2.5, INF, -INF, NAN], repeat=2))
ROWS = [
    *(
        [0.0, 0.0, 0.0],
        [-0.0, 0.0, 1.0],
        [1.0, 0.0, 2.0],
        [1.0, 1.0, 1.0],
        [2.0, 2.0, 1.0],
        [-1.0, 2.0, -3.0],
    ),
    *(
        [-1.0, 0.0, 0.0],
        [INF, 1.0, 2.0],
        [INF, INF, 0.0],
        [-INF, 1.0, 2.0],
        [-INF, -INF, -INF],
        [INF, -INF, 1.0],
    ),
    *(
        [NAN, 1.0, 2.0],
        [1.0, NAN, 3.0],
        [NAN, NAN, NAN],
        [NAN, INF, 0.0],
        [0.5, 0.25, 4.0],
        [3.0, 2.0, 1.0],
    ),
]
PARTS = [0.0, -0.0, 1.0, -2.0, 0.5]
COMPLEX = [complex(a, b) for a, b in itertools.product(PARTS, repeat=2)]

# Among NaN, TensorFlow's answers of these depend on the order in which it compares.
COMPARING = ("sort", "top_k", "segment_m", "unsorted_m", "unsorted_prod", "nth", "logsumexp")
# Where we differ on purpose, by patterns of the cases' ids, with the reason.
DIFFERENT: dict[str, str] = {
    "*/nn.silu": "the product rule: NaN where both terms are infinite; TensorFlow states the gradient in one formula",
    "*/pow.half/traced": "TensorFlow's optimizer of graphs makes a square root of the power, which differs at -0. and -inf",
    "float32/fake_quant": "an infinite gradient of an element out of range is 0, not NaN",
    "*/math.nextafter": "the gradient by the second argument is 0 for any upstream gradient, not NaN",
    "*unsorted_prod/*": "an infinite gradient of a row that belongs to no segment is 0, not NaN",
    "float64/gelu.approximate": "in float64 the hyperbolic tangent of 10.8 is rounded to 1 in TensorFlow only",
    "*logsumexp*/*inf": "TensorFlow adds an infinite term to both of its signed parts: NaN",
    "*/nn.softsign": "there are second derivatives",
    "second/math.special.dawsn": "a difference of large numbers in float32",
    "second/row.norm.3": "a difference of large numbers in float32",
    "second/math.special.bessel_k1": "NaN where TensorFlow takes a denormal for zero",
    "forward/math.erfcinv": "a constant has no tangent; TensorFlow multiplies a tangent of 0 by the infinite derivative",
    "forward/p*": "the same",
    "forward/stop": "the same",
    "forward/of_two.weighted_cross_entropy": "the same",
    "second/sort/traced": "zeros where TensorFlow has no gradient: sorting is one operation in a graph",
    "second/row.sort.down/traced": "the same",
    "second/row.segment_mean": "the gradient of a segment without rows is 0, not NaN",
    "second/row.unsorted*": "the same",
    "bfloat16/clip.sqrt": "the smaller of -0. and 0. is either",
    "complex64/*/1.5": "a complex number divided by 0 is infinite, not NaN; and roots on the branch cut",
}

UNARY = """
abs sqrt math.rsqrt math.reciprocal math.log math.log1p math.exp math.expm1 square sign floor math.ceil math.rint round
nn.relu nn.relu6 nn.leaky_relu nn.elu nn.selu nn.softplus nn.softsign nn.sigmoid nn.silu nn.gelu math.log_sigmoid
tanh sin cos tan asin acos atan sinh cosh asinh acosh atanh math.erf math.erfc math.erfinv math.ndtri math.lgamma math.digamma
math.bessel_i0 math.bessel_i0e math.bessel_i1 math.bessel_i1e math.special.bessel_j0 math.special.bessel_j1 math.special.bessel_k0
math.special.bessel_k0e math.special.bessel_k1 math.special.bessel_k1e math.special.bessel_y0 math.special.bessel_y1
math.special.dawsn math.special.expint math.special.fresnel_cos math.special.fresnel_sin math.special.spence
identity negative math.erfcinv
"""
MORE_UNARY = {
    "clip": "tf.clip_by_value(x, 0.0, 1.0)",
    "clip.above": "tf.minimum(x, 1.0)",
    "clip.sqrt": "tf.sqrt(tf.clip_by_value(x, 0.0, 1.0))",
    "clip.log": "tf.math.log(tf.clip_by_value(x, 0.0, 1.0))",
    "clip.acos": "tf.acos(tf.clip_by_value(x, -1.0, 1.0))",
    "maximum.sqrt": "tf.sqrt(tf.maximum(x, 0.0))",
    "maximum.own": "tf.maximum(x, x)",
    "raw.clip": "tf.raw_ops.ClipByValue(t=x, clip_value_min=tf.cast(0.0, x.dtype), clip_value_max=tf.cast(1.0, x.dtype))",
    "where": "tf.where(x > 0.0, tf.sqrt(x), 0.0)",
    "where.log": "tf.where(x > 0.0, tf.math.log(x), x)",
    "pow.2": "tf.pow(x, 2.0)",
    "pow.half": "tf.pow(x, 0.5)",
    "pow.0": "tf.pow(x, 0.0)",
    "pow.minus": "tf.pow(x, -1.0)",
    "power.of": "tf.pow(tf.cast(2.0, x.dtype), x)",
    "leaky.0": "tf.nn.leaky_relu(x, 0.0)",
    "leaky.2": "tf.nn.leaky_relu(x, 2.0)",
    "fake_quant": "tf.quantization.fake_quant_with_min_max_args(x, -2.0, 2.0)",
    "hinge": "tf.maximum(0.0, 1.0 - x)",
    "is_finite": "tf.where(tf.math.is_finite(x), x, tf.zeros_like(x))",
    "gelu.approximate": "tf.nn.gelu(x, approximate=True)",
    "polyval": "tf.math.polyval([tf.cast(1.0, x.dtype), x], x)",
    "crelu": "tf.reduce_sum(tf.nn.crelu(x[:, None]), 1)",
    "stop": "tf.stop_gradient(x) * x",
}
BINARY = """
maximum minimum add subtract multiply divide math.divide_no_nan math.multiply_no_nan math.xlogy math.xlog1py math.xdivy pow
math.floordiv math.floormod truncatemod atan2 math.squared_difference math.igamma math.igammac math.zeta math.polygamma
math.nextafter complex truncatediv realdiv
"""
MORE_BINARY = {
    "where": "tf.where(x > y, x, y)",
    "clip.low": "tf.clip_by_value(y, x, 2.0)",
    "clip.high": "tf.clip_by_value(y, -1.0, x)",
    "sigmoid_cross_entropy": "tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=y)",
    "weighted_cross_entropy": "tf.nn.weighted_cross_entropy_with_logits(x, y, 2.0)",
    "log_poisson": "tf.nn.log_poisson_loss(x, y, True)",
    "huber": "tf.where(tf.abs(x - y) <= 1.0, 0.5 * tf.square(x - y), tf.abs(x - y) - 0.5)",
    "hypot": "tf.sqrt(tf.square(x) + tf.square(y))",
    "ratio": "tf.math.divide_no_nan(x, tf.maximum(y, 0.0))",
}
AXIS = """
reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_logsumexp norm math.reduce_euclidean_norm math.reduce_std
math.reduce_variance cumsum math.cumprod math.cumulative_logsumexp nn.softmax nn.log_softmax sort math.l2_normalize
"""
MORE_AXIS = {
    "amax.keep": "tf.reduce_max(x, 1, keepdims=True)",
    "norm.1": "tf.norm(x, 1, 1)",
    "norm.inf": "tf.norm(x, np.inf, 1)",
    "norm.3": "tf.norm(x, 3, 1)",
    "norm.clipped": "tf.norm(tf.maximum(x, 0.0), axis=1)",
    "clip_by_norm": "tf.clip_by_norm(x, 1.0, 1)",
    "cumprod.reverse": "tf.math.cumprod(x, 1, exclusive=True, reverse=True)",
    "cumlogsumexp.reverse": "tf.math.cumulative_logsumexp(x, 1, exclusive=True, reverse=True)",
    "top_k": "tf.math.top_k(x, 2).values",
    "sort.down": "tf.sort(x, 1, 'DESCENDING')",
    "max_pool": "tf.nn.max_pool1d(x[:, :, None], 2, 1, 'VALID')[:, :, 0]",
    "avg_pool": "tf.nn.avg_pool1d(x[:, :, None], 2, 1, 'SAME')[:, :, 0]",
    "l2_loss": "tf.stack([tf.nn.l2_loss(row) for row in tf.unstack(x, num=x.shape[0])])",
    "segment_max": "tf.math.segment_max(tf.transpose(x), [0, 0, 1])",
    "segment_min": "tf.math.segment_min(tf.transpose(x), [0, 1, 1])",
    "segment_prod": "tf.math.segment_prod(tf.transpose(x), [0, 1, 1])",
    "segment_mean": "tf.math.segment_mean(tf.transpose(x), [0, 2, 2])",
    "segment_sum": "tf.math.segment_sum(tf.transpose(x), [0, 2, 2])",
    "unsorted_max": "tf.math.unsorted_segment_max(tf.transpose(x), [2, 0, 2], 3)",
    "unsorted_min": "tf.math.unsorted_segment_min(tf.transpose(x), [0, -1, 0], 2)",
    "unsorted_prod": "tf.math.unsorted_segment_prod(tf.transpose(x), [0, -1, 0], 2)",
    "unsorted_sum": "tf.math.unsorted_segment_sum(tf.transpose(x), [0, -1, 0], 2)",
    "unsorted_mean": "tf.math.unsorted_segment_mean(tf.transpose(x), [0, 0, 0], 2)",
    "unsorted_sqrt_n": "tf.math.unsorted_segment_sqrt_n(tf.transpose(x), [1, 0, 1], 2)",
    "argmax.gather": "tf.gather(x, tf.argmax(x, 1), axis=1, batch_dims=1)",
    "boolean_mask": "tf.reduce_sum(tf.boolean_mask(x, x > 0.0))",
    "softmax_cross_entropy": "tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0, 0.0]] * 18, x)",
    "sparse_cross_entropy": "tf.nn.sparse_softmax_cross_entropy_with_logits([2] * 18, x)",
    "moments": "tf.nn.moments(x, [1])[1]",
    "scatter_max": "tf.tensor_scatter_nd_max(x, [[0], [1]], x[2:4])",
    "scatter_min": "tf.tensor_scatter_nd_min(x, [[0], [1]], x[2:4])",
    "minmax": "tf.reduce_max(x, 1) - tf.reduce_min(x, 1)",
    "nth": "tf.raw_ops.NthElement(input=x, n=1)",
    "matvec": "tf.linalg.matvec(tf.constant([[[1.0, 0.0, 2.0]] * 2] * 18, x.dtype), x)",
    "normalize": "tf.linalg.normalize(x, axis=1)[0]",
    "zero_fraction": "x * tf.cast(tf.nn.zero_fraction(x), x.dtype)",
    "cosine": "tf.reduce_sum(tf.math.l2_normalize(x, 1) * [[1.0, 0.0, 0.0]], 1)",
    "dilation": "tf.nn.dilation2d(x[:, None, :, None], tf.zeros([1, 2, 1], x.dtype), [1] * 4, 'VALID', 'NHWC', [1] * 4)[:, 0, :, 0]",
    "floor.sum": "tf.reduce_sum(x - tf.floor(x), 1)",
}
WHOLE = {
    "clip_by_norm": "tf.clip_by_norm(x, 1.0)",
    "clip_by_global_norm": "tf.clip_by_global_norm([x], 1.0)[0][0]",
    "global_norm": "tf.linalg.global_norm([x, x])",
    "max": "tf.reduce_max(x)",
    "prod": "tf.reduce_prod(x)",
    "norm": "tf.norm(x)",
    "std": "tf.math.reduce_std(x)",
}
OF_COMPLEX = "abs sign sqrt math.rsqrt math.reciprocal math.log exp math.angle square math.conj math.real tanh"
# What is tried in types of two bytes.
SHORT_UNARY = """
abs sqrt math.rsqrt math.log nn.relu nn.relu6 nn.leaky_relu nn.elu nn.softplus nn.sigmoid clip clip.sqrt pow.2 pow.half
math.reciprocal
"""
SHORT_BINARY = "maximum minimum divide math.divide_no_nan pow math.xlogy multiply"
SHORT_AXIS = (
    "reduce_max reduce_prod math.reduce_euclidean_norm row.top_k row.segment_max nn.softmax"
)


class Case(NamedTuple):
    """A function, its inputs and the gradient of its result; ``kind`` is first, second or forward."""

    id: str
    code: str
    kind: str
    inputs: list[Any]
    upstream: Any


def _crossed(code: str, values: list[Any], upstream: list[Any]) -> tuple[list[Any], Any]:
    """Each of the values with each of the upstream gradients."""
    pairs = list(itertools.product(values, upstream))
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def cases() -> Iterator[Case]:
    """All cases, of float32, then of other types."""
    unary = {name: f"tf.{name}(x)" for name in UNARY.split()} | MORE_UNARY
    two = {name: f"tf.{name}(x, y)" for name in BINARY.split()}
    binary = two | {f"of_two.{name}": code for name, code in MORE_BINARY.items()}
    axis = {name: f"tf.{name}(x, 1)" for name in AXIS.split()} | {
        f"row.{name}": code for name, code in MORE_AXIS.items()
    }
    for dtype in ("float32", "float64"):
        for name, code in unary.items():
            x, dz = _crossed(code, ONE, UPSTREAM)
            yield Case(f"{dtype}/{name}", code, "first", [np.array(x, dtype)], np.array(dz, dtype))
        for name, code in binary.items():
            pairs, dz = _crossed(code, TWO, UPSTREAM)
            both = [np.array(part, dtype) for part in zip(*pairs)]
            yield Case(f"{dtype}/{name}", code, "first", both, np.array(dz, dtype))
        for name, code in axis.items():
            for value in UPSTREAM:
                yield Case(f"{dtype}/{name}/{value}", code, "first", [_rows(name, dtype)], value)
        for name, code in WHOLE.items():
            for i, value in itertools.product((0, 1, 2, 5, 7, 10, 12), UPSTREAM):
                yield Case(
                    f"{dtype}/whole.{name}/{i}/{value}",
                    code,
                    "first",
                    [np.array(ROWS[i], dtype)],
                    value,
                )
    for name, code in (unary | binary).items():
        values = ONE if name in unary else TWO
        x, dz = _crossed(code, values, [1.5, 0.0, INF])
        both = [np.array(part, "float32") for part in ([x] if name in unary else zip(*x))]
        yield Case(f"second/{name}", code, "second", both, np.array(dz, "float32"))
        x, dz = _crossed(code, values, [1.5, INF])
        both = [np.array(part, "float32") for part in ([x] if name in unary else zip(*x))]
        yield Case(f"forward/{name}", code, "forward", both, np.array(dz, "float32"))
    for name, code in axis.items():
        yield Case(f"second/{name}", code, "second", [_rows(name, "float32")], 1.5)
    for dtype in ("float16", "bfloat16"):
        for name in SHORT_UNARY.split():
            x, dz = _crossed(unary[name], ONE, UPSTREAM)
            yield Case(
                f"{dtype}/{name}", unary[name], "first", [_typed(x, dtype)], _typed(dz, dtype)
            )
        for name in SHORT_BINARY.split():
            pairs, dz = _crossed(binary[name], TWO, UPSTREAM)
            yield Case(
                f"{dtype}/{name}",
                binary[name],
                "first",
                [_typed(p, dtype) for p in zip(*pairs)],
                _typed(dz, dtype),
            )
        for name in SHORT_AXIS.split():
            for value in UPSTREAM:
                yield Case(
                    f"{dtype}/{name}/{value}", axis[name], "first", [_rows(name, dtype)], value
                )
    for name in OF_COMPLEX.split():
        for value in (1.5, 0.0):
            yield Case(
                f"complex64/{name}/{value}",
                f"tf.{name}(x)",
                "first",
                [np.array(COMPLEX, "complex64")],
                value,
            )
    for name in ("math.divide_no_nan", "divide", "pow", "multiply", "math.xlogy"):
        pairs = list(itertools.product(COMPLEX[::3], repeat=2))
        both = [np.array(part, "complex64") for part in zip(*pairs)]
        for value in (1.5, 0.0):
            yield Case(f"complex64/{name}/{value}", binary[name], "first", both, value)


def _rows(name: str, dtype: str) -> Any:
    rows = np.array(ROWS)
    return _typed(
        [
            [1.0, 2.0, -3.0]
            if any(part in name for part in COMPARING) and np.isnan(row).any()
            else row
            for row in rows
        ],
        dtype,
    )


def _typed(values: Any, dtype: str) -> Any:
    if dtype != "bfloat16":
        return np.array(values, dtype)
    import ml_dtypes

    return np.array(values, ml_dtypes.bfloat16)


def gradients(tf: Any, case: Case, traced: bool) -> Any:
    """The gradients of a case as lists of numbers, or the name of the error's class."""
    function = eval(f"lambda x, y=None: {case.code}", {"tf": tf, "np": np})

    def computed(*inputs: Any) -> Any:
        inputs = list(inputs)
        if case.kind == "forward":
            tangents = [tf.zeros_like(x) + tf.constant(case.upstream, x.dtype) for x in inputs]
            with tf.autodiff.ForwardAccumulator(inputs, tangents) as accumulator:
                z = function(*inputs)
            return [accumulator.jvp(z)]
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(inputs)
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                z = function(*inputs)
            dz = tf.constant(_upstream(case.upstream, z.shape), z.dtype)
            outer.watch(dz)
            found = tape.gradient(z, inputs, dz)
        if case.kind == "first":
            return found
        return [
            d
            for g in found
            if g is not None
            for d in outer.gradient(g, [*inputs, dz], tf.ones_like(g))
        ]

    try:
        inputs = [tf.constant(x) for x in case.inputs]
        results = (tf.function(computed, autograph=False) if traced else computed)(*inputs)
        return [None if g is None else _listed(tf.convert_to_tensor(g).numpy()) for g in results]
    except Exception as error:
        return type(error).__name__


def _upstream(value: Any, shape: Any) -> Any:
    """An upstream gradient of a shape, other ones along the last dimension where it is one number."""
    if np.ndim(value):
        return value
    return (
        np.broadcast_to(value * np.arange(1, 1 + shape[-1]), tuple(shape)) if len(shape) else value
    )


def _listed(found: Any) -> list[float]:
    if found.dtype.kind == "c":
        found = np.stack([found.real, found.imag], -1)
    digits = 4 if found.dtype.itemsize < 4 else 6
    return [float(f"{x:.{digits}g}") for x in found.reshape(-1).astype("float64")]


def differing(case: Case, want: Any, found: Any) -> str:
    """Returns what differs, or nothing."""
    if isinstance(want, str) or isinstance(found, str):
        return "" if want == found else f"{found}, wanted {want}"
    narrow = case.id.startswith(("float16", "bfloat16"))
    tolerance = {
        "rtol": 0.02 if narrow else 1e-4,
        "atol": 1e-2 if narrow else 1e-6,
        "equal_nan": True,
    }
    for position, (a, b) in enumerate(zip(want, found, strict=True)):
        if a is None or b is None:
            if a is not b:
                return f"gradient {position} is {b}, wanted {a}"
            continue
        close = np.isclose(b, a, **tolerance)
        if len(a) != len(b) or not close.all():
            bad = np.flatnonzero(~close)
            return f"gradient {position}, {len(bad)} of {len(a)}: " + "; ".join(
                _described(case, i, a, b) for i in bad[:6]
            )
    return ""


def _described(case: Case, i: int, want: list[float], found: list[float]) -> str:
    at = [x.reshape(-1)[i] for x in (*case.inputs, case.upstream) if getattr(x, "size", 0) > i]
    return f"{[complex(x) if x.dtype.kind == 'c' else float(x) for x in at]} -> {found[i]}, wanted {want[i]}"


def recorded() -> dict[str, dict[str, Any]]:
    """TensorFlow's answers, by the cases' ids: ``eager``, and ``traced`` where it is another."""
    return json.loads(FILE.read_text("utf-8"))["cases"]


def record() -> None:
    """Writes TensorFlow's answers."""
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    import tensorflow as tf

    lines = []
    for case in cases():
        eager, traced = gradients(tf, case, False), gradients(tf, case, True)
        answers = (
            {"eager": eager}
            if not differing(case, eager, traced)
            else {"eager": eager, "traced": traced}
        )
        lines.append(f"{json.dumps(case.id)}:{json.dumps(answers, separators=(',', ':'))}")
    text = ",\n".join(lines)
    FILE.write_text(
        f'{{"tensorflow":"{tf.__version__}","numpy":"{np.__version__}","cases":{{\n{text}\n}}}}\n',
        "utf-8",
    )


def reasons(case: Case, traced: bool) -> list[str]:
    """The patterns by which a case is one where we differ on purpose."""
    names = (case.id, f"{case.id}/traced") if traced else (case.id,)
    return [
        pattern for pattern in DIFFERENT if any(fnmatch.fnmatch(name, pattern) for name in names)
    ]


def differences(tf: Any) -> Iterator[tuple[Case, bool, str]]:
    """The cases, whether in a function, and what differs there from TensorFlow's answers, or nothing."""
    answers = recorded()
    for case in cases():
        want = answers[case.id]
        for traced in (False, True):
            wanted = want.get("traced", want["eager"]) if traced else want["eager"]
            yield case, traced, differing(case, wanted, gradients(tf, case, traced))


def report(tf: Any) -> None:
    """Says where a module's gradients are others."""
    for case, traced, said in differences(tf):
        if said and not reasons(case, traced):
            print(case.id, "traced" if traced else "eager", said)


if __name__ == "__main__":
    if "--record" in sys.argv:
        record()
    else:
        import twinflow

        report(twinflow)
