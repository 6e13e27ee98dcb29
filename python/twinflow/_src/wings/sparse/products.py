"""The SparseMatMul op: products of float32 and bfloat16 matrices that may contain many zeros."""

from __future__ import annotations

from typing import Annotated, Any

from twinflow._src.core.dtypes import bfloat16, float32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, Kind, op
from twinflow._src.shape_rules.linalg import product

_FACTORS = frozenset((float32, bfloat16))
Left = Annotated[Any, Kind("Ta", allowed=_FACTORS)]
Right = Annotated[Any, Kind("Tb", allowed=_FACTORS)]


def _shape(a: Any, b: Any, *, transpose_a: bool, transpose_b: bool, **_: Any) -> Any:
    return product(a, b, transpose_a=transpose_a, transpose_b=transpose_b)


@op("SparseMatMul", shape=_shape, out=float32)
def sparse_matmul(
    xp: Any,
    a: Left,
    b: Right,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
) -> Any:
    """Multiplies two matrices of float32 or bfloat16; computes in float32.

    Args:
        a: A tensor of rank 2.
        b: A tensor of rank 2.
        transpose_a: If True, transposes a first.
        transpose_b: If True, transposes b first.
        a_is_sparse: Accepted and without effect on the result.
        b_is_sparse: Accepted and without effect on the result.

    Returns:
        A tensor of float32, of rank 2.

    Raises:
        InvalidArgumentError: The ranks or sizes are incompatible.
    """
    for name, factor in (("a", a), ("b", b)):
        if factor.ndim != 2:
            raise invalid(f"{name} is not a matrix")
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    if x.shape[1] != y.shape[0]:
        raise invalid(f"Matrix size incompatible: a: {text(a.shape)}, b: {text(b.shape)}")
    return xp.matmul(x.astype(xp.float32), y.astype(xp.float32))


@sparse_matmul.gradient
def _(call: Call, dz: Any) -> Any:
    a, b = call.inputs
    left, right = call.attrs["transpose_a"], call.attrs["transpose_b"]
    matmul, cast = API["matmul"], API["cast"]
    if left:
        da = matmul(b, dz, transpose_a=right, transpose_b=True)
    else:
        da = matmul(dz, b, transpose_b=not right)
    if right:
        db = matmul(dz, a, transpose_a=True, transpose_b=left)
    else:
        db = matmul(a, dz, transpose_a=not left)
    return cast(da, a.dtype), cast(db, b.dtype)
