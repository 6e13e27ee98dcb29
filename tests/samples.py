"""Samples of every op: inputs, attributes, and what NumPy says the result is.

``SAMPLES`` maps an op's type to its samples. Adding an op means adding an entry here; the families
below give samples over types, special values and shapes, so that most entries are one line.

A reference is called with the inputs (and the attributes) as arrays. For an op on a variable the
first input is the variable's value; the reference then gives the value afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from twinflow import dtypes

NAN, INF = float("nan"), float("inf")
REALS = ("float32", "float64", "float16", "bfloat16")
COMPLEXES = ("complex64", "complex128")
SIGNED = ("int32", "int64", "int8", "int16")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
INEXACT = REALS + COMPLEXES
ORDERED = REALS + INTEGERS
NUMBERS = ORDERED + COMPLEXES
SMALL = ("int4", "uint4", "float8_e5m2", "float8_e4m3fn")
QUANTIZED = ("qint8", "quint8", "qint16", "quint16", "qint32")
ANY = NUMBERS + ("bool", "string") + SMALL


class Sample(NamedTuple):
    """A call of an op.

    Attributes:
        inputs: Arrays, or lists of arrays for a parameter that takes several tensors.
        attrs: Keyword arguments.
        reference: A function of the arrays that gives the result, or None.
        dtype: The type of the inputs that are of the op's own type, where NumPy's is not it.
    """

    inputs: tuple[Any, ...]
    attrs: dict[str, Any] = {}
    reference: Callable[..., Any] | None = None

    def __repr__(self) -> str:
        shown = [*map(_short, self.inputs), *(f"{k}={v}" for k, v in self.attrs.items())]
        return ", ".join(shown)


def _short(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_short, value))}]"
    if isinstance(value, np.ndarray):
        name = "string" if value.dtype.kind == "O" else value.dtype.name
        return f"{name}{list(value.shape)}".replace(" ", "")
    return str(value)


# ------------------------------------------------------------------ values

_SPECIAL: dict[str, list[Any]] = {
    "f": [0.0, -0.0, 1.0, 1.5, -2.25, 3.0, 1e-3, NAN, INF, -INF],
    "c": [0, 1 + 2j, -0.5j, -3, 2.5 - 1j, complex(NAN, 1), complex(INF, 0)],
    "i": [0, 1, -1, 3, -7, 6],
    "u": [0, 1, 2, 3, 7, 6],
    "b": [True, False, True],
    "s": [b"", b"a", b"\xc3\xa9t\xc3\xa9", b"A b"],
}


def array(values: Any, dtype: str = "float32") -> np.ndarray[Any, Any]:
    """An array of a type by TensorFlow's name."""
    storage = dtypes.as_dtype(dtype).np
    if storage.kind == "O":
        return np.array(values, object)
    return np.array(values).astype(storage)


def special(dtype: str) -> np.ndarray[Any, Any]:
    """Values of a type that are worth a look: zeros, signs, limits, NaN and infinities."""
    kind = dtypes.as_dtype(dtype).kind
    values = array(_SPECIAL[kind], dtype)
    if kind in "iu" and dtypes.as_dtype(dtype).size > 1:
        limits = np.iinfo(values.dtype)
        values = np.concatenate([values, np.array([limits.min, limits.max], values.dtype)])
    return values


def counted(shape: Sequence[int], dtype: str = "float32") -> np.ndarray[Any, Any]:
    """1, 2, 3, ... in a shape."""
    values = np.arange(1, int(np.prod(shape)) + 1)
    if dtype == "string":
        return np.array([b"%d" % i for i in values], object).reshape(shape)
    return array(values % 7 if dtype in SMALL else values, dtype).reshape(shape)


def strided(shape: Sequence[int], dtype: str = "float32") -> np.ndarray[Any, Any]:
    """Values in memory that is not in C order."""
    wide = counted([*shape[:-1], shape[-1] * 2], dtype)
    return np.asfortranarray(wide[..., ::2])


def ints(*values: int, dtype: str = "int32") -> np.ndarray[Any, Any]:
    """A vector of integers: axes, sizes, indices."""
    return np.array(values, dtype)


def index(value: int) -> np.ndarray[Any, Any]:
    """A scalar integer."""
    return np.array(value, "int32")


# ------------------------------------------------------------------ references


def exactly(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reference that NumPy computes in the type itself."""

    def reference(*arrays: Any, **attrs: Any) -> Any:
        with np.errstate(all="ignore"):
            result = function(*arrays, **attrs)
            return result if isinstance(result, list) else np.asarray(result)

    return reference


def widely(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reference that is computed with 64 bits and then rounded to the type of the first input."""

    def reference(*arrays: Any, **attrs: Any) -> Any:
        with np.errstate(all="ignore"):
            result = np.asarray(function(*map(_wide, arrays), **attrs))
            storage = np.asarray(arrays[0]).dtype
            return (result.real if storage.kind != "c" and result.dtype.kind == "c" else result).astype(storage)

    return reference


def _wide(values: Any) -> Any:
    if isinstance(values, list):
        return [_wide(v) for v in values]
    kind = values.dtype.kind
    return values.astype({"c": np.complex128, "i": np.int64, "u": np.uint64}.get(kind, np.float64))


def strings(function: Callable[[bytes], Any], dtype: Any = object) -> Callable[..., Any]:
    """A reference that applies a function to each string."""

    def reference(values: Any, **attrs: Any) -> Any:
        result = np.empty(values.shape, dtype)
        result.reshape(-1)[:] = [function(s) for s in values.ravel()]
        return result

    return reference


# ------------------------------------------------------------------ families


def unary(types: Sequence[str], reference: Any = None, only: Any = None) -> list[Sample]:
    """Special values of every type, then shapes: scalar, empty, several dimensions, odd memory.

    Args:
        types: The types.
        reference: What NumPy says.
        only: A function that tells which of the special values to take.
    """
    found = []
    for dtype in types:
        values = special(dtype)
        found.append(Sample((values if only is None else values[only(values)],), {}, reference))
    first = types[0]
    shapes: list[Any] = [
        counted((), first),
        counted((0,), first),
        counted((2, 0, 3), first),
        counted((1, 2, 1, 3, 1, 2, 1), first),
        strided((3, 2), first),
    ]
    return found + [Sample((values,), {}, reference) for values in shapes]


def binary(types: Sequence[str], reference: Any = None, only: Any = None) -> list[Sample]:
    """All pairs of special values of every type, then shapes that broadcast.

    Args:
        types: The types.
        reference: What NumPy says.
        only: A function of both arrays that tells which pairs to take.
    """
    found = []
    for dtype in types:
        x, y = (a.ravel() for a in np.meshgrid(special(dtype), special(dtype)))
        if only is not None:
            x, y = x[only(x, y)], y[only(x, y)]
        found.append(Sample((x, y), {}, reference))
    for a, b in [
        ((), ()),
        ((3,), ()),
        ((), (2, 3)),
        ((2, 3), (3,)),
        ((2, 1), (1, 3)),
        ((0,), ()),
        ((2, 0), (1, 1)),
        ((1, 2, 1, 2, 1, 2), (2, 1, 1, 1, 2, 1)),
    ]:
        found.append(Sample((counted(a, types[0]), counted(b, types[0])), {}, reference))
    found.append(Sample((strided((2, 3), types[0]), strided((2, 3), types[0])), {}, reference))
    return found


def reduction(types: Sequence[str], reference: Any, empty: bool = True) -> list[Sample]:
    """Over all axes, none, one, several, negative ones; with and without the reduced dimensions."""

    def by_axis(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        axes = None if axis is None else tuple(np.ravel(axis).tolist())
        return np.asarray(reference(x, axis=axes, keepdims=keepdims)).astype(x.dtype)

    found = [Sample((counted((2, 3), t), ints(1)), {}, exactly(by_axis)) for t in types]
    if types[0] == "float32":
        found.append(Sample((array([[1, NAN], [INF, 2]]), ints(0)), {}, exactly(by_axis)))
    cube = counted((2, 3, 4), types[0])
    for axis in (ints(0), ints(-1), ints(0, 2), ints(-1, -3), ints(), ints(1, dtype="int64"), index(1)):
        found.append(Sample((cube, axis), {}, exactly(by_axis)))
        found.append(Sample((cube, axis), {"keepdims": True}, exactly(by_axis)))
    found += [
        Sample((cube,), {}, exactly(by_axis)),
        Sample((cube,), {"keepdims": True}, exactly(by_axis)),
        Sample((counted((), types[0]),), {}, exactly(by_axis)),
        Sample((counted((1, 2, 1, 2, 1, 2, 1), types[0]), ints(1, 3)), {}, exactly(by_axis)),
        Sample((strided((3, 4), types[0]), ints(0)), {}, exactly(by_axis)),
    ]
    if empty:
        found.append(Sample((counted((0, 3), types[0]), ints(0)), {}, exactly(by_axis)))
    return found


def moving(reference: Any, *rest: Sequence[Any], types: Sequence[str] = ANY, shape: Any = (2, 3)) -> list[Sample]:
    """Ops that move elements and look at none: every type, then further arguments.

    Args:
        reference: What NumPy says.
        *rest: For each sample the inputs after the first, and possibly a dictionary of attributes.
        types: The types.
        shape: The shape of the first input.
    """
    found = []
    for n, more in enumerate(rest):
        attrs = more[-1] if more and isinstance(more[-1], dict) else {}
        inputs = tuple(m for m in more if not isinstance(m, dict))
        for dtype in types if n == 0 else types[:1]:
            found.append(Sample((counted(shape, dtype), *inputs), attrs, exactly(reference)))
        found.append(Sample((strided(shape), *inputs), attrs, exactly(reference)))
    return found


def of(reference: Any, *calls: tuple[Any, ...]) -> list[Sample]:
    """Samples written out: inputs, then possibly a dictionary of attributes."""
    return [
        Sample(tuple(c for c in call if not isinstance(c, dict)), next((c for c in call if isinstance(c, dict)), {}), reference)
        for call in calls
    ]


# ------------------------------------------------------------------ the samples

SAMPLES: dict[str, list[Sample]] = {}


def _finite_pairs(x: Any, y: Any) -> Any:
    return np.isfinite(x) & np.isfinite(y)


def _not_zero(x: Any, y: Any) -> Any:
    """Pairs that integers can divide: no zero, and not the smallest by -1."""
    if x.dtype.kind not in "iu":
        return np.ones(x.shape, bool)
    smallest = (x == np.iinfo(x.dtype).min) & (x != 0)
    return (y != 0) & ~(smallest & (y == y.dtype.type(-1 if x.dtype.kind == "i" else 1)))


def _floor_mod(x: Any, y: Any) -> Any:
    return np.mod(x, y) if x.dtype.kind in "iu" else np.where(np.isfinite(x) | np.isnan(x), np.mod(x, y), np.nan)


def _truncate_div(x: Any, y: Any) -> Any:
    if x.dtype.kind not in "iu":
        return np.trunc(x / y)
    exact = [int(abs(int(a)) // abs(int(b))) * (-1 if (a < 0) != (b < 0) else 1) for a, b in zip(*map(np.ravel, np.broadcast_arrays(x, y)), strict=True)]
    return np.array(exact, x.dtype).reshape(np.broadcast_shapes(x.shape, y.shape))


def _positive_power(x: Any, y: Any) -> Any:
    return (y >= 0) & (np.abs(y) < 8) if x.dtype.kind in "iu" else _finite_pairs(x, y)


def _numbers_only(x: Any, y: Any) -> Any:
    return ~(np.isnan(x) | np.isnan(y)) & _finite_pairs(x, y)


SAMPLES["AddV2"] = binary(NUMBERS, exactly(np.add))
SAMPLES["Sub"] = binary(NUMBERS, exactly(np.subtract))
SAMPLES["Mul"] = binary(NUMBERS, exactly(np.multiply))
SAMPLES["RealDiv"] = binary(REALS, exactly(np.divide)) + binary(COMPLEXES, widely(np.divide), lambda x, y: _finite_pairs(x, y) & (y != 0))
SAMPLES["FloorDiv"] = binary(REALS, widely(lambda x, y: np.floor(x / y)), _numbers_only) + binary(INTEGERS, exactly(np.floor_divide), _not_zero)
SAMPLES["FloorMod"] = binary(REALS, widely(_floor_mod), lambda x, y: _numbers_only(x, y) & (y != 0)) + binary(INTEGERS, exactly(np.mod), _not_zero)
SAMPLES["TruncateDiv"] = binary(REALS, exactly(_truncate_div), _numbers_only) + binary(INTEGERS, exactly(_truncate_div), _not_zero)
SAMPLES["TruncateMod"] = binary(REALS, widely(np.fmod), lambda x, y: y != 0) + binary(("int32", "int64"), exactly(np.fmod), _not_zero)
SAMPLES["Pow"] = binary((*REALS, *SIGNED), widely(np.power), _positive_power) + binary(COMPLEXES, None)
SAMPLES["DivNoNan"] = binary(REALS, widely(lambda x, y: np.where(y == 0, 0, x / y))) + binary(COMPLEXES, widely(lambda x, y: np.where(y == 0, 0, x / y)), _finite_pairs)
SAMPLES["Maximum"] = binary(ORDERED, exactly(np.maximum), lambda x, y: (x != 0) | (y != 0))
SAMPLES["Minimum"] = binary(ORDERED, exactly(np.minimum), lambda x, y: (x != 0) | (y != 0))
SAMPLES["SquaredDifference"] = binary((*REALS, "int32", "int64"), exactly(lambda x, y: (x - y) * (x - y))) + binary(COMPLEXES, widely(lambda x, y: np.conj(x - y) * (x - y)), _finite_pairs)
SAMPLES["Atan2"] = binary(REALS, widely(np.arctan2))
SAMPLES["AddN"] = [
    *of(exactly(sum), *[([counted((2, 3), t)] * 3,) for t in NUMBERS]),
    *of(exactly(sum), ([counted(()), counted(())],), ([counted((0, 2))] * 2,), ([strided((2, 3)), counted((2, 3))],)),
]
SAMPLES["Add"] = of(
    exactly(np.add),
    (array([b"a", b""], "string"), array([b"b", b"c"], "string")),
    (array([[b"a"], [b"b"]], "string"), array(b"!", "string")),
    (counted((0,), "string"), counted((), "string")),
)

SAMPLES["Neg"] = unary((*REALS, *SIGNED, *COMPLEXES), exactly(np.negative))
SAMPLES["Abs"] = unary((*REALS, *SIGNED), exactly(np.abs))
SAMPLES["ComplexAbs"] = unary(COMPLEXES, exactly(np.abs))
SAMPLES["Square"] = unary(REALS + INTEGERS, exactly(lambda x: x * x)) + unary(COMPLEXES, widely(lambda x: x * x), np.isfinite)
SAMPLES["Sign"] = unary((*REALS, *SIGNED), exactly(np.sign)) + unary(COMPLEXES, widely(np.sign), np.isfinite)

for _type, _function in {
    "Exp": np.exp,
    "Expm1": np.expm1,
    "Sin": np.sin,
    "Cos": np.cos,
    "Tan": np.tan,
    "Atan": np.arctan,
    "Sinh": np.sinh,
    "Cosh": np.cosh,
    "Tanh": np.tanh,
    "Asinh": np.arcsinh,
}.items():
    SAMPLES[_type] = unary(REALS, widely(_function)) + unary(COMPLEXES, widely(_function), np.isfinite)

for _type, _function in {
    "Log": np.log,
    "Log1p": np.log1p,
    "Sqrt": np.sqrt,
    "Asin": np.arcsin,
    "Acos": np.arccos,
    "Acosh": np.arccosh,
    "Atanh": np.arctanh,
}.items():
    # On a branch cut the sign of a zero decides, and rounding may lose it: complex samples keep off.
    SAMPLES[_type] = unary(REALS, widely(_function)) + unary(
        COMPLEXES, widely(_function), lambda z: np.isfinite(z) & (z.imag != 0) & (z.real != 0)
    )

SAMPLES["Rsqrt"] = unary(REALS, widely(lambda x: 1 / np.sqrt(x)), lambda x: ~((x == 0) & np.signbit(x))) + unary(COMPLEXES, widely(lambda x: 1 / np.sqrt(x)), lambda z: np.isfinite(z) & (z != 0) & (z.imag != 0))
SAMPLES["Reciprocal"] = unary(REALS, widely(np.reciprocal)) + unary(COMPLEXES, widely(np.reciprocal), lambda z: np.isfinite(z) & (z != 0))
SAMPLES["Sigmoid"] = unary(REALS, widely(lambda x: 1 / (1 + np.exp(-x)))) + unary(COMPLEXES, widely(lambda x: 1 / (1 + np.exp(-x))), np.isfinite)
SAMPLES["Softplus"] = unary(REALS, widely(lambda x: np.logaddexp(x, 0)), np.isfinite)
SAMPLES["Relu"] = unary(ORDERED, exactly(lambda x: np.where(np.isnan(x), x, np.maximum(x, x.dtype.type(0)))))
SAMPLES["Round"] = unary(REALS, widely(np.rint)) + unary(SIGNED, exactly(np.array))
SAMPLES["Rint"] = unary(REALS, widely(np.rint))
SAMPLES["Floor"] = unary(REALS, widely(np.floor))
SAMPLES["Ceil"] = unary(REALS, widely(np.ceil))
SAMPLES["IsNan"] = unary(REALS, exactly(np.isnan))
SAMPLES["IsInf"] = unary(REALS, exactly(np.isinf))
SAMPLES["IsFinite"] = unary(REALS, exactly(np.isfinite))
SAMPLES["Real"] = unary(COMPLEXES, exactly(np.real))
SAMPLES["Imag"] = unary(COMPLEXES, exactly(np.imag))
SAMPLES["Conj"] = unary(COMPLEXES, exactly(np.conj))
SAMPLES["Angle"] = unary(COMPLEXES, exactly(lambda z: np.arctan2(z.imag, z.real)))
SAMPLES["Complex"] = binary(("float32", "float64"), exactly(lambda x, y: (x + 1j * y).astype(f"c{2 * x.itemsize}")), _finite_pairs)

SAMPLES["Equal"] = binary((*NUMBERS, "bool", "string"), exactly(np.equal))
SAMPLES["NotEqual"] = binary((*NUMBERS, "bool", "string"), exactly(np.not_equal))
SAMPLES["Less"] = binary(ORDERED, exactly(np.less))
SAMPLES["LessEqual"] = binary(ORDERED, exactly(np.less_equal))
SAMPLES["Greater"] = binary(ORDERED, exactly(np.greater))
SAMPLES["GreaterEqual"] = binary(ORDERED, exactly(np.greater_equal))
SAMPLES["LogicalAnd"] = binary(("bool",), exactly(np.logical_and))
SAMPLES["LogicalOr"] = binary(("bool",), exactly(np.logical_or))
SAMPLES["LogicalNot"] = unary(("bool",), exactly(np.logical_not))
SAMPLES["BitwiseAnd"] = binary(INTEGERS, exactly(np.bitwise_and))
SAMPLES["BitwiseOr"] = binary(INTEGERS, exactly(np.bitwise_or))
SAMPLES["BitwiseXor"] = binary(INTEGERS, exactly(np.bitwise_xor))
SAMPLES["Invert"] = unary(INTEGERS, exactly(np.invert))

# ------------------------------------------------------------------ moving elements

SAMPLES["Identity"] = unary(ANY, exactly(np.array))
SAMPLES["StopGradient"] = unary(REALS, exactly(np.array))
SAMPLES["Cast"] = [
    *of(exactly(lambda x, dtype: x.astype(dtypes.as_dtype(dtype).np)), *[(array([0, 1, 3]), {"dtype": t}) for t in NUMBERS]),
    *of(exactly(lambda x, dtype: x.astype(dtypes.as_dtype(dtype).np)), *[(array([0, 1, 3], t), {"dtype": "float64"}) for t in (*ORDERED, "bool")]),
    *of(exactly(lambda x, dtype: x != 0), (special("float32"), {"dtype": "bool"}), (array([0, 1j, 1], "complex64"), {"dtype": "bool"})),
    *of(None, (array([300, -1, 2**33], "int64"), {"dtype": "uint8"}), (array([1.9, -1.9]), {"dtype": "int32"}), (special("complex64"), {"dtype": "float64"}), (counted((0, 2)), {"dtype": "int8"}), (strided((2, 3)), {"dtype": "int64"})),
]
SAMPLES["Bitcast"] = of(
    exactly(lambda x, type: x.view(dtypes.as_dtype(type).np)),
    (special("float32"), {"type": "int32"}),
    (special("int64"), {"type": "float64"}),
    (special("float32"), {"type": "float32"}),
    (special("bfloat16"), {"type": "int16"}),
) + of(
    exactly(lambda x, type: np.ascontiguousarray(x)[..., None].view(dtypes.as_dtype(type).np)),
    (counted((2, 2), "float64"), {"type": "int32"}),
    (strided((2, 2), "int32"), {"type": "uint8"}),
)
SAMPLES["Fill"] = [
    *of(exactly(lambda dims, value: np.full(dims, value)), *[(ints(2, 3), counted((), t)) for t in ANY]),
    *of(exactly(lambda dims, value: np.full(dims, value)), (ints(), counted(())), (ints(0, 2), counted(())), (ints(2, dtype="int64"), counted(()))),
]
SAMPLES["ZerosLike"] = unary((*NUMBERS, "bool", *SMALL), exactly(np.zeros_like)) + of(exactly(lambda x: np.full(x.shape, b"", object)), (counted((2,), "string"),))
SAMPLES["OnesLike"] = unary((*NUMBERS, "bool"), exactly(np.ones_like))
SAMPLES["Range"] = of(
    exactly(lambda a, b, c: np.arange(a, b, c, dtype=a.dtype)),
    *[(array(1, t), array(8, t), array(2, t)) for t in (*REALS, *SIGNED)],
    (array(5), array(0), array(-1)),
    (array(3), array(3), array(1)),
    (array(0, "int32"), array(-7, "int32"), array(-3, "int32")),
)
SAMPLES["Shape"] = of(
    exactly(lambda x, out_type="int32": np.array(x.shape, out_type)),
    (counted((2, 3)),),
    (counted(()),),
    (counted((0, 4)), {"out_type": "int64"}),
    (counted((1,) * 6),),
    *[(counted((2,), t),) for t in ANY],
)
SAMPLES["Reshape"] = moving(np.reshape, (ints(3, 2),), (ints(-1),), (ints(1, 6, 1),), (ints(3, -1, dtype="int64"),)) + of(
    exactly(np.reshape), (counted((1, 1)), ints()), (counted((0, 3)), ints(3, 0)), (counted((2,) * 6), ints(8, 8))
)
SAMPLES["ExpandDims"] = moving(lambda x, axis: np.expand_dims(x, int(axis)), (index(0),), (index(-1),), (index(1),)) + of(
    exactly(lambda x, axis: np.expand_dims(x, int(axis))), (counted(()), index(0)), (counted((0,)), index(1))
)
SAMPLES["Squeeze"] = moving(lambda x, axis=None: np.squeeze(x, None if axis is None else tuple(axis)), (), ({"axis": [0]},), ({"axis": [-1, 0]},), shape=(1, 3, 1)) + of(
    exactly(np.squeeze), (counted(()),), (counted((0, 1)),), (counted((1, 1)),)
)
SAMPLES["Transpose"] = moving(lambda x, perm=None: np.transpose(x, None if perm is None else perm.tolist()), (), (ints(1, 0),), (ints(0, 1),), (ints(-1, 0),)) + of(
    exactly(np.transpose), (counted(()), ints()), (counted((2, 0, 3)), ints(2, 0, 1)), (counted((1, 2, 3, 1, 2, 2)), ints(5, 3, 1, 0, 2, 4))
)
SAMPLES["BroadcastTo"] = moving(np.broadcast_to, (ints(2, 2, 3),), (ints(2, 3),)) + of(
    exactly(np.broadcast_to), (counted(()), ints(2, 2)), (counted((3, 1)), ints(3, 4)), (counted((1,)), ints(0)), (counted(()), ints())
)
SAMPLES["Tile"] = moving(np.tile, (ints(2, 1),), (ints(1, 1),), (ints(0, 2),)) + of(exactly(np.tile), (counted(()), ints()), (counted((0,)), ints(3)))
SAMPLES["ReverseV2"] = moving(lambda x, axis: np.flip(x, tuple(axis.tolist())), (ints(1),), (ints(0, 1),), (ints(-1),), (ints(),)) + of(
    exactly(lambda x, axis: x), (counted(()), ints())
)
SAMPLES["Pack"] = [
    *of(exactly(np.stack), *[([counted((2, 3), t)] * 2,) for t in ANY]),
    *of(
        exactly(np.stack),
        ([counted((2, 3)), strided((2, 3))], {"axis": 1}),
        ([counted((2, 3))], {"axis": -1}),
        ([counted(())] * 3,),
        ([counted((0,))] * 2,),
    ),
]
SAMPLES["Unpack"] = moving(lambda x, axis=0: list(np.moveaxis(x, axis, 0)), (), ({"axis": 1},), ({"axis": -1},)) + of(
    exactly(lambda x, axis=0: list(np.moveaxis(x, axis, 0))), (counted((3,)),), (counted((2, 0)),)
)
SAMPLES["ConcatV2"] = [
    *of(exactly(lambda x, axis: np.concatenate(x, int(axis))), *[([counted((2, 3), t), counted((1, 3), t)], index(0)) for t in ANY]),
    *of(
        exactly(lambda x, axis: np.concatenate(x, int(axis))),
        ([counted((2, 3)), strided((2, 1))], index(1)),
        ([counted((2, 3)), counted((2, 0))], index(-1)),
        ([counted((0,)), counted((0,))], index(0)),
    ),
]
SAMPLES["SplitV"] = moving(lambda x, sizes, axis: np.split(x, np.cumsum(sizes)[:-1], int(axis)), (ints(1, 2), index(1)), (ints(0, 2), index(0)), (ints(2), index(0))) + of(
    None, (counted((6,)), ints(2, -1), index(0))
)
SAMPLES["Split"] = of(
    exactly(lambda axis, x, num_split: np.split(x, num_split, int(axis))),
    *[(index(1), counted((2, 4), t), {"num_split": 2}) for t in ANY],
    (index(0), counted((3,)), {"num_split": 3}),
    (index(-1), strided((2, 4)), {"num_split": 4}),
    (index(0), counted((0, 2)), {"num_split": 2}),
)
SAMPLES["GatherV2"] = moving(
    lambda x, i, axis: np.take(x, i, int(axis)), (ints(1, 0, 1), index(0)), (np.array([[2, 0]]), index(1)), (ints(), index(-1)), (index(1), index(0))
) + of(exactly(lambda x, i, axis: np.take(x, i, int(axis))), (counted((2, 0)), ints(1), index(0)))
SAMPLES["GatherNd"] = moving(lambda x, i: x[tuple(np.moveaxis(i, -1, 0))], (np.array([[1, 2], [0, 0]]),), (np.array([[1]], "int32"),), (np.array([1, 1]),)) + of(
    None, (counted((2, 2)), np.zeros((0, 2), "int32")), (counted((2, 2)), np.zeros((3, 0), "int32"))
)
SAMPLES["Where"] = of(
    exactly(np.argwhere),
    *[(special(t),) for t in (*NUMBERS, "bool")],
    (np.array([[True, False], [True, True]]),),
    (np.array(True),),
    (np.zeros((0, 2), bool),),
    (strided((2, 3)),),
)
SAMPLES["SelectV2"] = [
    *of(exactly(np.where), *[(np.array([True, False, True]), counted((3,), t), counted((3,), t)[::-1]) for t in ANY]),
    *of(
        exactly(np.where),
        (np.array(True), counted((2, 3)), counted((3,))),
        (np.array([[True], [False]]), counted((3,)), counted(())),
        (np.zeros((0,), bool), counted(()), counted((1,))),
        (np.array([True, False]), array([NAN, 1]), array([1, INF])),
    ),
]
SAMPLES["StridedSlice"] = moving(
    lambda x, b, e, s, **_: x[tuple(slice(*t) for t in zip(b.tolist(), e.tolist(), s.tolist(), strict=True))],
    (ints(0, 1), ints(2, 3), ints(1, 1)),
    (ints(0), ints(1), ints(1)),
    (ints(0, 0), ints(2, 3), ints(1, 2)),
    (ints(1, 2, dtype="int64"), ints(0, 0, dtype="int64"), ints(-1, -1, dtype="int64")),
) + of(
    None,
    (counted((2, 3)), ints(1, 0), ints(2, 0), ints(1, 1), {"shrink_axis_mask": 1, "end_mask": 2}),
    (counted((2, 3)), ints(0, 0), ints(0, 0), ints(1, 1), {"new_axis_mask": 1, "ellipsis_mask": 2}),
    (counted((2, 3)), ints(1, 2), ints(0, 0), ints(1, 1), {"shrink_axis_mask": 3}),
    (counted((2, 3)), ints(), ints(), ints()),
)
SAMPLES["Slice"] = moving(
    lambda x, b, n: x[tuple(slice(i, i + k) for i, k in zip(b.tolist(), n.tolist(), strict=True))],
    (ints(0, 1), ints(2, 2)),
    (ints(1, 0), ints(1, 0)),
    (ints(0, 0, dtype="int64"), ints(2, 3, dtype="int64")),
) + of(None, (counted((2, 3)), ints(0, 1), ints(-1, -1)), (counted(()), ints(), ints()))

# ------------------------------------------------------------------ products and reductions


def _adjoint(x: Any) -> Any:
    return np.conj(np.swapaxes(x, -1, -2))


def _matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    return np.matmul(a.T if transpose_a else a, b.T if transpose_b else b)


def _batch_matmul(x: Any, y: Any, adj_x: bool = False, adj_y: bool = False) -> Any:
    return np.matmul(_adjoint(x) if adj_x else x, _adjoint(y) if adj_y else y)


_FACTORS = ("float32", "float64", "float16", "bfloat16", "int32", "int64", *COMPLEXES)
SAMPLES["MatMul"] = of(
    widely(_matmul),
    *[(counted((2, 3), t), counted((3, 2), t)) for t in _FACTORS],
    (counted((3, 2)), counted((3, 4)), {"transpose_a": True}),
    (counted((2, 3)), counted((4, 3)), {"transpose_b": True}),
    (counted((3, 2)), counted((4, 3)), {"transpose_a": True, "transpose_b": True}),
    (counted((0, 3)), counted((3, 2))),
    (counted((2, 0)), counted((0, 2))),
    (strided((2, 3)), strided((3, 2))),
)
SAMPLES["BatchMatMulV2"] = of(
    widely(_batch_matmul),
    *[(counted((2, 2, 3), t), counted((2, 3, 2), t)) for t in _FACTORS if t not in ("float16", "bfloat16")],
    (counted((2, 2, 3)), counted((3, 1))),
    (counted((5, 1, 2, 3)), counted((2, 3, 1))),
    (counted((2, 3, 2), "complex64") * array(1j, "complex64"), counted((2, 3, 2), "complex64"), {"adj_x": True}),
    (counted((2, 2, 3)), counted((2, 2, 3)), {"adj_y": True}),
    (counted((0, 2, 3)), counted((3, 2))),
)


def _by_axes(function: Any, **wide: Any) -> Any:
    def reduced(x: Any, axis: Any, keepdims: bool) -> Any:
        up = x if x.dtype.kind in "b" else _wide(x)
        return function(up, axis=axis, keepdims=keepdims)

    return reduced


def _mean(x: Any, axis: Any, keepdims: bool) -> Any:
    total = np.sum(x, axis=axis, keepdims=keepdims)
    count = x.size // max(total.size, 1) if total.size else 1
    return np.trunc(total / count) if x.dtype.kind in "iu" else total / count


SAMPLES["Sum"] = reduction(NUMBERS, _by_axes(np.sum))
SAMPLES["Prod"] = reduction(NUMBERS, _by_axes(np.prod))
SAMPLES["Mean"] = reduction(NUMBERS, _by_axes(_mean), empty=False)
SAMPLES["Max"] = reduction(ORDERED, _by_axes(np.max), empty=False)
SAMPLES["Min"] = reduction(ORDERED, _by_axes(np.min), empty=False)
SAMPLES["Any"] = reduction(("bool",), _by_axes(np.any)) + of(exactly(np.any), (np.array([False, False]),))
SAMPLES["All"] = reduction(("bool",), _by_axes(np.all)) + of(exactly(np.all), (np.array([True, False]),))
for _type, _function in (("ArgMax", np.argmax), ("ArgMin", np.argmin)):
    _reference = exactly(lambda x, axis, output_type="int64", _f=_function: np.asarray(_f(x, int(axis))).astype(output_type))
    SAMPLES[_type] = of(
        _reference,
        *[(array([[1, 3, 2], [7, 0, 7]], t), index(1)) for t in ORDERED],
        (counted((2, 3, 2)), index(-1)),
        (counted((2, 3)), index(0), {"output_type": "int32"}),
        (array([1, 2, 2, 1]), index(0)),
        (strided((2, 3)), index(0)),
    )

# ------------------------------------------------------------------ strings

SAMPLES["StringLength"] = [
    *of(strings(len, np.int32), (special("string"),), (counted((), "string"),), (counted((0, 2), "string"),)),
    *of(strings(lambda s: len(s.decode()), np.int32), (special("string"), {"unit": "UTF8_CHAR"})),
]
SAMPLES["StringUpper"] = [
    *of(strings(lambda s: s.upper()), (special("string"),), (array(b"a", "string"),), (counted((0,), "string"),)),
    *of(strings(lambda s: s.decode().upper().encode()), (special("string"), {"encoding": "utf-8"})),
]
SAMPLES["StringLower"] = [
    *of(strings(lambda s: s.lower()), (special("string"),), (array(b"A", "string"),), (counted((0,), "string"),)),
    *of(strings(lambda s: s.decode().lower().encode()), (array(["É".encode()], "string"), {"encoding": "utf-8"})),
]
SAMPLES["StringJoin"] = of(
    exactly(lambda parts, separator="": np.array([separator.encode().join(p) for p in zip(*parts, strict=True)], object)),
    ([counted((2,), "string"), counted((2,), "string")],),
    ([counted((3,), "string")] * 3, {"separator": "-"}),
) + of(None, ([counted((), "string"), counted((2,), "string")],), ([counted((), "string")] * 2,))

# ------------------------------------------------------------------ variables: the value before, then inputs

_VALUES = (*NUMBERS, "bool", "string")
SAMPLES["ReadVariableOp"] = of(exactly(np.array), *[(special(t),) for t in _VALUES], (counted(()),), (counted((0, 2)),))
SAMPLES["VarIsInitializedOp"] = of(exactly(lambda v: np.True_), (counted((2,)),), (counted((2,), "string"),))
SAMPLES["AssignVariableOp"] = of(
    exactly(lambda v, x: x),
    *[(special(t), special(t)[::-1]) for t in _VALUES],
    (counted(()), array(7)),
    (counted((0,)), counted((0,))),
    (counted((2, 3)), strided((2, 3))),
)
for _type, _function in (("AssignAddVariableOp", np.add), ("AssignSubVariableOp", np.subtract)):
    SAMPLES[_type] = of(
        exactly(_function),
        *[(special(t), special(t)[::-1]) for t in NUMBERS],
        (counted(()), array(7)),
        (counted((0,)), counted((0,))),
        (counted((2, 3)), strided((2, 3))),
    )
SAMPLES["ResourceCountUpTo"] = of(
    exactly(lambda v, limit: v + 1), (index(2), {"limit": 5}), (np.array(0, "int64"), {"limit": 1})
)


def _at(function: Any) -> Any:
    def scattered(value: Any, where: Any, updates: Any) -> Any:
        result = value.copy()
        function(result, where, updates)
        return result

    return exactly(scattered)


def _at_nd(function: Any) -> Any:
    def scattered(value: Any, indices: Any, updates: Any) -> Any:
        result = value.copy()
        function(result, tuple(np.moveaxis(indices, -1, 0)), updates)
        return result

    return exactly(scattered)


def _put(target: Any, where: Any, updates: Any) -> None:
    target[where] = updates


def _divide_at(target: Any, where: Any, updates: Any) -> None:
    (np.floor_divide if target.dtype.kind in "iu" else np.divide).at(target, where, updates)


for _name, _function, _types in (
    ("Add", np.add.at, NUMBERS),
    ("Sub", np.subtract.at, NUMBERS),
    ("Mul", np.multiply.at, NUMBERS),
    ("Div", _divide_at, NUMBERS),
    ("Min", np.minimum.at, ORDERED),
    ("Max", np.maximum.at, ORDERED),
    ("Update", _put, _VALUES),
):
    SAMPLES[f"ResourceScatter{_name}"] = of(
        _at(_function),
        *[(counted((3, 2), t), ints(2, 0), counted((2, 2), t)) for t in _types],
        (counted((4,)), ints(1, 3, dtype="int64"), array([5, 6])),
        (counted((3, 2)), ints(1), counted((1, 2))),
        (counted((3, 2)), index(1), counted((2,))),
        (counted((3, 2)), ints(0, 2), array(9)),
        (counted((3, 2)), ints(), counted((0, 2))),
    )
    if _name not in ("Update", "Div"):
        SAMPLES[f"ResourceScatter{_name}"] += of(_at(_function), (counted((3,)), ints(1, 1, 1), array([2, 3, 4])))
for _name, _function, _types in (
    ("Add", np.add.at, NUMBERS),
    ("Sub", np.subtract.at, NUMBERS),
    ("Min", np.minimum.at, ORDERED),
    ("Max", np.maximum.at, ORDERED),
    ("Update", _put, _VALUES),
):
    SAMPLES[f"ResourceScatterNd{_name}"] = of(
        _at_nd(_function),
        *[(counted((3, 2), t), np.array([[2, 0], [0, 1]]), counted((2,), t)) for t in _types],
        (counted((3, 2)), np.array([[1]], "int32"), counted((1, 2))),
        (counted((3,)), np.array([[0], [2]]), array([7, 8])),
        (counted((3,)), np.zeros((0, 1), "int32"), counted((0,))),
    )
SAMPLES["ResourceGather"] = of(
    exactly(lambda v, i: v[i]),
    *[(counted((3, 2), t), ints(2, 0, 2)) for t in _VALUES],
    (counted((3, 2)), index(1)),
    (counted((3, 2)), np.array([[0, 1], [2, 2]])),
    (counted((3, 2)), ints()),
)
SAMPLES["ResourceGatherNd"] = of(
    exactly(lambda v, i: v[tuple(np.moveaxis(i, -1, 0))]),
    *[(counted((3, 2), t), np.array([[2, 1], [0, 0]])) for t in _VALUES],
    (counted((3, 2)), np.array([[1]])),
)


def _slice_assigned(value: Any, begin: Any, end: Any, strides: Any, update: Any) -> Any:
    result = value.copy()
    result[tuple(slice(*t) for t in zip(begin.tolist(), end.tolist(), strides.tolist(), strict=True))] = update
    return result


SAMPLES["ResourceStridedSliceAssign"] = of(
    exactly(_slice_assigned),
    *[(counted((3, 2), t), ints(0), ints(2), ints(1), counted((2, 2), t)) for t in _VALUES],
    (counted((3, 2)), ints(0, 1), ints(3, 2), ints(2, 1), counted((2, 1))),
    (counted((3, 2)), ints(2), ints(0), ints(-1), counted((2, 2))),
    (counted((4,)), ints(1), ints(3), ints(1), array(9)),
) + of(None, (counted((3, 2)), ints(1, 0), ints(2, 0), ints(1, 1), counted((2,)), {"shrink_axis_mask": 1, "end_mask": 2}))
