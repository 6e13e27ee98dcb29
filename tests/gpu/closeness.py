"""Tolerances for results of a GPU by dtype and op; the host's bits where they must be equal."""

from __future__ import annotations

import numpy as np

# What moves values, or is rounded correctly everywhere: the bits are the same.
EXACT = frozenset(
    [
        "Abs",
        "AddV2",
        "Sub",
        "Mul",
        "Neg",
        "Maximum",
        "Minimum",
        "Relu",
        "Relu6",
        "LeakyRelu",
        "Floor",
        "Ceil",
        "Rint",
        "Round",
        "Sign",
        "Square",
        "Sqrt",
        "RealDiv",
        "Cast",
        "Identity",
        "Reshape",
        "Transpose",
        "ConcatV2",
        "Split",
        "SplitV",
        "Pack",
        "Unpack",
        "Tile",
        "Pad",
        "PadV2",
        "MirrorPad",
        "Slice",
        "StridedSlice",
        "GatherV2",
        "GatherNd",
        "Fill",
        "ZerosLike",
        "OnesLike",
        "ExpandDims",
        "Squeeze",
        "BroadcastTo",
        "ReverseV2",
        "Roll",
        "SelectV2",
        "Where",
        "OneHot",
        "Equal",
        "NotEqual",
        "Less",
        "LessEqual",
        "Greater",
        "GreaterEqual",
        "LogicalAnd",
        "LogicalOr",
        "LogicalNot",
        "IsNan",
        "IsInf",
        "IsFinite",
        "ArgMax",
        "ArgMin",
        "Max",
        "Min",
        "MatrixBandPart",
        "MatrixDiagV3",
        "MatrixDiagPartV3",
        "SpaceToDepth",
        "DepthToSpace",
        "SpaceToBatchND",
        "BatchToSpaceND",
        "ReadVariableOp",
        "AssignVariableOp",
        "AssignAddVariableOp",
        "AssignSubVariableOp",
        "RandomUniform",
        "RandomUniformInt",
        "StatelessRandomUniformV2",
        "StatelessRandomUniformIntV2",
        "StatelessRandomUniformFullIntV2",
        "StatelessShuffle",
        "RandomShuffle",
        "TopKV2",
    ]
)
# Relative distances that are allowed, by type; of a result's largest number, so that what cancels does not count.
ALLOWED = {
    "float16": 4e-3,
    "bfloat16": 3e-2,
    "float32": 2e-5,
    "float64": 1e-11,
    "complex64": 5e-5,
    "complex128": 1e-11,
}
# Sums of many terms, and what amplifies the last bits of its input: so many times as much.
LOOSER = {
    "MatrixSquareRoot": 100, "MatrixLogarithm": 100, "MatrixExponential": 100, "MatrixSolveLs": 1000, "Igamma": 100,
    "Igammac": 100, "IgammaGradA": 1000, "RandomGammaGrad": 1000, "Betainc": 100, "Polygamma": 100, "Zeta": 100,
    "LogMatrixDeterminant": 10, "MatrixInverse": 100, "MatrixSolve": 100, "MatrixTriangularSolve": 100,
    "TridiagonalSolve": 100, "BandedTriangularSolve": 100, "Pow": 10, "Lgamma": 100, "Digamma": 100,
}  # fmt: skip
# Vectors that are known up to a factor of size 1.
UP_TO_SIGN = frozenset(["Svd", "SelfAdjointEigV2", "Eig", "Qr"])
# The largest distance of each operation and type.
apart: dict[tuple[str, str], float] = {}


def distance(got, expected):
    """Returns how far two arrays are apart, relative to the larger one; infinite where not finite in other places."""
    kind = np.complex128 if expected.dtype.kind == "c" else np.float64
    one, other = got.astype(kind), expected.astype(kind)
    fine = np.isfinite(one) & np.isfinite(other)
    with np.errstate(all="ignore"):
        if (
            expected.dtype == np.float32
        ):  # CuPy's compiler takes numbers below the normal ones for zero
            for x in (one, other):
                x[np.abs(x) < np.finfo(np.float32).tiny] = 0
        same = fine | (one == other) | (np.isnan(one) & np.isnan(other))
        if not same.all():
            return np.inf
        scale = max(np.abs(other[fine]).max(initial=0), np.finfo(np.float32).tiny)
        return float(np.abs(one[fine] - other[fine]).max(initial=0) / scale)


def assert_near(type, got, expected):
    """Asserts that a result of a GPU is what the CPU gives, as far as it can be."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    if expected.dtype.name not in ALLOWED:
        assert got.dtype == object or got.tobytes() == expected.tobytes(), f"\n{got}\n{expected}"
        assert got.dtype != object or got.tolist() == expected.tolist()
        return
    if type in UP_TO_SIGN:
        got, expected = np.abs(got), np.abs(expected)
    found = distance(got, expected)
    key = (type, expected.dtype.name)
    apart[key] = max(apart.get(key, 0.0), found)
    exact = (
        type in EXACT and expected.dtype.kind == "f"
    )  # not bfloat16, nor quotients of complex numbers
    allowed = 0.0 if exact else ALLOWED[expected.dtype.name] * LOOSER.get(type, 1)
    assert found <= allowed, f"{type}: {found:.2g} apart, {allowed:.2g} allowed\n{got}\n{expected}"


def summary():
    """Lines about the operations that are furthest apart, and how many agree to the bit."""
    found = sorted(apart.items(), key=lambda item: -item[1])
    yield f"{sum(value == 0 for _, value in found)} of {len(found)} pairs of operation and type agree to the bit"
    for (type, dtype), value in found[:40]:
        if value:
            yield f"{type:36} {dtype:12} {value:.2g}"
