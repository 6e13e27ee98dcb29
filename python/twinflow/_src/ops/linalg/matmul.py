"""Matrix products: the MatMul and BatchMatMul ops, and their kernels on BLAS."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from contextlib import nullcontext
from typing import Annotated, Any

import numpy as np

from twinflow._src.autodiff.reverse import conjugate, unbroadcast
from twinflow._src.backends.cpu import blas, gemm
from twinflow._src.backends.cpu.elementwise import MANY, in_blocks
from twinflow._src.backends.cpu.float16 import shortened, widened
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import whole_numbers
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import (
    COMPLEXES,
    FROM_NUMPY,
    REALS,
    DType,
    as_dtype,
    bfloat16,
    float32,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from twinflow._src.core.errors import NotFoundError, invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, FAST, Call, Kind, Type, execute, export, op
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.complex_numbers import conj
from twinflow._src.ops.linalg.operator_arguments import is_operator, multiply
from twinflow._src.shape_rules.linalg import product, products

# ------------------------------------------------------------------ kernels

# Conversion to BLAS dtypes, and parallel products on the CPU.


# Element count from which integer products are checked for exactness in double precision.
_MANY = 1 << 15
# Multiplications from which BLAS uses threads (_THREADED), and from which our thread pool is used
# (_SHARED): waking and joining a thread takes as long as half of the latter.
_THREADED, _SHARED = 1 << 18, 1 << 23
# Blocks of a product: few, more from _LARGE multiplications on, most from _HUGE on, as BLAS packs
# each block anew. A block has at least _ROWS rows or columns. A batch has up to _BATCHES blocks.
_FEW, _LARGE, _MORE, _HUGE, _MOST = 2, 1 << 24, 4, 1 << 30, 16
_ROWS, _BATCHES = 128, 16
# A small result with a long inner dimension is split along it: blocks of at least _LENGTH, at most
# _SUMS of them.
_LENGTH, _SUMS = 512, 16
# Integers up to this magnitude are exact in double precision.
_EXACT = 1 << 53


def matrix_product(xp: Any, a: Any, b: Any) -> Any:
    """Returns the products of the matrices in the last two dimensions, in their own dtype.

    16-bit floats are multiplied and added in single precision, integers in double precision if
    every sum is exact.
    """
    dtype = a.dtype
    kind = dtype.kind
    if xp is np and dtype.char in "fd" and a.size * b.shape[-1] <= _THREADED:  # fast path
        return np.matmul(a, b)
    if kind in "fc" and dtype.itemsize > 2:
        return multiplied(xp, a, b)
    if kind in "fV":
        return _of_short_floats(xp, a, b)
    if kind in "iu" and _is_exact(a, b):
        product = multiplied(xp, a.astype(xp.float64), b.astype(xp.float64))
        return product.astype(xp.int64).astype(dtype)
    return xp.matmul(a, b).astype(dtype, copy=False)


def _of_short_floats(xp: Any, a: Any, b: Any) -> Any:
    """Returns products of 16-bit floats, computed in single precision."""
    dtype = a.dtype
    if xp is not np:
        return multiplied(xp, a.astype(xp.float32), b.astype(xp.float32)).astype(dtype)
    return narrowed(multiplied(np, widened(a), widened(b)), dtype)


def narrowed(x: Any, dtype: Any) -> Any:
    """Rounds a C-ordered float32 array to a 16-bit float dtype, in parallel blocks if large."""
    if x.size < MANY:
        return shortened(x, dtype)
    return in_blocks(lambda part: shortened(part, dtype), x, dtype)


def multiplied(xp: Any, a: Any, b: Any) -> Any:
    """Returns products of matrices of a BLAS dtype; large ones run on the CPU thread pool."""
    if xp is not np:
        return xp.matmul(a, b)
    work = a.size * b.shape[-1]
    if work <= _THREADED:
        return np.matmul(a, b)
    if b.ndim == 2 < a.ndim and a.flags.c_contiguous and a.size:
        return multiplied(xp, a.reshape(-1, a.shape[-1]), b).reshape(*a.shape[:-1], b.shape[1])
    if a.shape[-1] == 1 and a.dtype.kind == "f":
        product = a * b
        product += 0  # turns -0 into 0, as a sum of products would
        return product
    if a.ndim == b.ndim == 2 and work <= _HUGE:
        return gemm.multiply(a, b, _on_our_threads)
    return _on_our_threads(a, b)


def _on_our_threads(a: Any, b: Any) -> Any:
    """Returns products of matrices on our thread pool, small ones on this thread."""
    work = a.size * b.shape[-1]
    if work < _SHARED:
        with blas.alone():
            return np.matmul(a, b)
    return _in_batches(a, b) if a.ndim > 2 or b.ndim > 2 else _in_parts(a, b, work)


def _in_parts(a: Any, b: Any, multiplications: int) -> Any:
    """Returns the product of two matrices, in parallel blocks of the result."""
    count = _FEW if multiplications < _LARGE else _MORE if multiplications < _HUGE else _MOST
    columns = blas.parts(b.shape[1], _ROWS, math.isqrt(count))  # square blocks are packed fastest
    rows = blas.parts(len(a), _ROWS, count // len(columns))
    columns = blas.parts(b.shape[1], _ROWS, count // len(rows))
    if len(rows) == len(columns) == 1 and len(b) >= 2 * _LENGTH:
        return _in_sums(a, b)
    result = np.empty((len(a), b.shape[1]), a.dtype)
    work = lambda at: np.matmul(a[at[0]], b[:, at[1]], out=result[at])
    blas.each(np, work, list(itertools.product(rows, columns)), is_product=True)
    return result


def _in_sums(a: Any, b: Any) -> Any:
    """Returns the product of two matrices, split along the inner dimension and summed in order."""
    parts = blas.parts(len(b), _LENGTH, _SUMS)
    partial_products = np.empty((len(parts), len(a), b.shape[1]), a.dtype)
    work = lambda i: np.matmul(a[:, parts[i]], b[parts[i]], out=partial_products[i])
    blas.each(np, work, range(len(parts)), is_product=True)
    return np.add.reduce(partial_products)


def _in_batches(a: Any, b: Any) -> Any:
    """Returns products of batches of matrices, in parallel chunks of the first dimension."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    result = np.empty((*batch, a.shape[-2], b.shape[-1]), a.dtype)
    part = lambda x, at: x[at] if x.ndim == result.ndim and len(x) > 1 else x
    work = lambda at: np.matmul(part(a, at), part(b, at), out=result[at])
    blas.each(np, work, blas.parts(batch[0], 1, _BATCHES))
    return result


def _is_exact(a: Any, b: Any) -> bool:
    """True if an integer product is large and exact in double precision."""
    if min(a.size, b.size) * max(a.shape[-2], b.shape[-1]) < _MANY:
        return False
    return _largest(a) * _largest(b) * a.shape[-1] <= _EXACT


def _largest(x: Any) -> int:
    return max(int(x.max()), -int(x.min()))


# ------------------------------------------------------------------ ops and public functions


_TYPES = REALS | COMPLEXES | {int32, int64}
_SPARSE = (float32, bfloat16)


@op("MatMul", shape=product, dtypes=_TYPES, hinted=True, opens_scope=True, keeps_bfloat16=True)
def matmul2d(
    xp: Any, a: Any, b: Any, *, transpose_a: bool = False, transpose_b: bool = False
) -> Any:
    """Multiplies two matrices."""
    x, y = (
        a.T if transpose_a else a,
        b.T if transpose_b else b,
    )  # a view: BLAS handles it by its transpose flag
    if a.ndim == b.ndim == 2 and x.shape[1] == y.shape[0]:
        return matrix_product(xp, x, y)
    if a.ndim != b.ndim:
        raise invalid(f"In[0] and In[1] has different ndims: {text(a.shape)} vs. {text(b.shape)}")
    if a.ndim != 2:
        raise invalid(f"In[0] and In[1] ndims must be == 2: {a.ndim}")
    raise invalid(f"Matrix size-incompatible: In[0]: {text(a.shape)}, In[1]: {text(b.shape)}")


matmul2d.native("product")


@matmul2d.batched
def _(call: Any) -> Any:
    a, b = call.inputs
    transpose_a, transpose_b = call.attrs["transpose_a"], call.attrs["transpose_b"]
    if not call.is_batched[1] and not transpose_a:
        return call.folded(0)  # one product
    return API["matmul"](a, b, transpose_a=transpose_a, transpose_b=transpose_b)


@matmul2d.gradient(reads=("a", "b"))
def _(call: Call, dz: Any) -> Any:
    a, b = map(conjugate, call.inputs)
    flipped = bool(call.attrs["transpose_a"]), bool(call.attrs["transpose_b"])
    if flipped == (False, False):
        return lambda: _product(dz, b, False, True), lambda: _product(a, dz, True, False)
    if flipped == (False, True):
        return lambda: _product(dz, b, False, False), lambda: _product(dz, a, True, False)
    if flipped == (True, False):
        return lambda: _product(b, dz, False, True), lambda: _product(a, dz, False, False)
    return lambda: _product(b, dz, True, True), lambda: _product(dz, a, True, True)


def _product(a: Any, b: Any, transpose_a: bool, transpose_b: bool) -> Any:
    """Returns the product of two matrices of known compatible shapes, without argument checks."""
    return execute(matmul2d.op, [a, b], {"transpose_a": transpose_a, "transpose_b": transpose_b})


@op(
    "BatchMatMulV2",
    shape=products,
    dtypes=_TYPES | {int16},
    hinted=True,
    tf_name="MatMul",
    opens_scope=True,
    keeps_bfloat16=True,
)
def batch_matmul(xp: Any, x: Any, y: Any, *, adj_x: bool = False, adj_y: bool = False) -> Any:
    """Multiplies the matrices in the last two dimensions, broadcast over the batch dimensions."""
    a, b = _factors(xp, x, y, adj_x, adj_y)
    return matrix_product(xp, a, b)


batch_matmul.native("product")


def _factors(xp: Any, x: Any, y: Any, adj_x: bool, adj_y: bool) -> tuple[Any, Any]:
    """Returns the matrices to multiply, adjoint if requested; raises if shapes are incompatible."""
    for i, operand in enumerate((x, y)):
        if operand.ndim < 2:
            raise invalid(f"In[{i}] ndims must be >= 2: {operand.ndim}")
    a, b = (
        xp.conj(m.swapaxes(-1, -2)) if adjoint else m for m, adjoint in ((x, adj_x), (y, adj_y))
    )
    try:
        xp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise invalid(
            f"In[0] and In[1] must have compatible batch dimensions: {text(x.shape)} vs. {text(y.shape)}"
        ) from None
    if a.shape[-1] != b.shape[-2]:
        raise invalid(f"Matrix size-incompatible: In[0]: {text(x.shape)}, In[1]: {text(y.shape)}")
    return a, b


# The dtypes of the operands and the output dtype of TensorFlow's CPU kernels for mixed operands.
_BYTES = (int8, uint8)
_MIXED = {
    **{(a, b): int32 for a in _BYTES for b in _BYTES},
    **{pair: bfloat16 for a in _BYTES for pair in ((a, bfloat16), (bfloat16, a))},
}
Left = Annotated[Any, Kind("Ta")]
Right = Annotated[Any, Kind("Tb")]


@op(
    "BatchMatMulV3",
    shape=products,
    dtypes=_TYPES | {*_BYTES, int16},
    out="Tout",
    keeps_bfloat16=True,
)
def mixed_matmul(
    xp: Any, x: Left, y: Right, *, Tout: Type, adj_x: bool = False, adj_y: bool = False
) -> Any:
    """Multiplies batches of matrices of different dtypes, with a given output dtype."""
    types = FROM_NUMPY[x.dtype], FROM_NUMPY[y.dtype]
    if _MIXED.get(types) is not Tout:
        names = [f"DT_{t.cname.upper()}" for t in (*types, Tout)]
        raise NotFoundError(
            None,
            None,
            f"Could not find device for node: {{{{node BatchMatMulV3}}}} = BatchMatMulV3[Ta={names[0]}, "
            f"Tb={names[1]}, Tout={names[2]}] [Op:BatchMatMulV3] name: ",
        )
    a, b = _factors(xp, x, y, adj_x, adj_y)
    wide = _MIXED[types].np
    return matrix_product(xp, a.astype(wide), b.astype(wide))


@mixed_matmul.gradient
@batch_matmul.gradient(reads=("x", "y"))
def _(call: Call, dz: Any) -> Any:
    x, y = call.inputs
    flipped = call.attrs["adj_x"], call.attrs["adj_y"]
    by_x, by_y = _BATCH_GRADIENTS[flipped]
    rows, columns = x.shape[:-2], y.shape[:-2]
    if rows.is_fully_defined() and rows == columns:
        return lambda: by_x(x, y, dz), lambda: by_y(x, y, dz)
    return lambda: unbroadcast(by_x(x, y, dz), x), lambda: unbroadcast(by_y(x, y, dz), y)


# Gradient products by the adjoint flags of the operands.
_BATCH_GRADIENTS: dict[tuple[bool, bool], tuple[Callable[..., Any], Callable[..., Any]]] = {
    (False, False): (
        lambda x, y, dz: batch_matmul(dz, y, adj_y=True),
        lambda x, y, dz: batch_matmul(x, dz, adj_x=True),
    ),
    (False, True): (
        lambda x, y, dz: batch_matmul(dz, y),
        lambda x, y, dz: batch_matmul(dz, x, adj_x=True),
    ),
    (True, False): (
        lambda x, y, dz: batch_matmul(y, dz, adj_y=True),
        lambda x, y, dz: batch_matmul(x, dz),
    ),
    (True, True): (
        lambda x, y, dz: batch_matmul(y, dz, adj_x=True, adj_y=True),
        lambda x, y, dz: batch_matmul(dz, x, adj_x=True, adj_y=True),
    ),
}


_SPARSE_FACTORS = frozenset((float32, bfloat16))
_SparseLeft = Annotated[Any, Kind("Ta", allowed=_SPARSE_FACTORS)]
_SparseRight = Annotated[Any, Kind("Tb", allowed=_SPARSE_FACTORS)]


def _infer_sparse_shape(a: Any, b: Any, *, transpose_a: bool, transpose_b: bool, **_: Any) -> Any:
    return product(a, b, transpose_a=transpose_a, transpose_b=transpose_b)


@op("SparseMatMul", shape=_infer_sparse_shape, out=float32)
def sparse_matmul(
    xp: Any,
    a: _SparseLeft,
    b: _SparseRight,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
) -> Any:
    """Multiplies two matrices of float32 or bfloat16; computes in float32."""
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


def _named(name: str | None) -> dict[str, str]:
    """Returns the op name as a keyword, if given: calls without keywords are faster."""
    return {} if name is None else {"name": name}


def _through_sparse(a: DType, b: DType, sparse: bool) -> bool:
    """True if TensorFlow uses its SparseMatMul op for a product."""
    if a is not b and bfloat16 in (a, b) and not {a, b} & {int8, uint8}:
        return True
    return sparse and a in _SPARSE and b in _SPARSE


def _sparse(a: Any, b: Any, **attrs: Any) -> Any:
    """Returns a product by SparseMatMul; in bfloat16 if both operands are."""
    product = sparse_matmul(a, b, **attrs)
    return cast(product, bfloat16) if a.dtype is b.dtype is bfloat16 else product


def _operands(a: Any, b: Any, name: Any) -> tuple[Any, Any, Any]:
    """Returns the operands as tensors and the op's name; in graphs constants get its name scope."""
    if is_tensor(a) and is_tensor(b):
        return a, b, name
    graph = thread.scope.graph
    with nullcontext(name) if graph is None else graph.name_scope(name or "MatMul") as path:
        a = a if is_tensor(a) else convert_to_tensor(a, name="a")
        if not is_tensor(b):
            b = whole_numbers.with_integers(b) if a.dtype.is_integer else b
            b = convert_to_tensor(b, dtype_hint=a.dtype, name="b")
    return a, b, path


@export("matmul", "linalg.matmul")
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Any:
    """Multiplies the matrices in the last two dimensions: ``a @ b``.

    Args:
        a: A tensor of rank 2 or more.
        b: A tensor of the same dtype, of rank 2 or more.
        transpose_a: If True, transposes ``a`` first.
        transpose_b: If True, transposes ``b`` first.
        adjoint_a: If True, takes the conjugate transpose of ``a`` first.
        adjoint_b: If True, takes the conjugate transpose of ``b`` first.
        a_is_sparse: A hint that ``a`` has many zeros; the values of the result do not depend on it.
        b_is_sparse: A hint that ``b`` has many zeros.
        output_type: The dtype of the result; that of the operands if None.
        grad_a: Accepted and without effect.
        grad_b: Accepted and without effect.

    Returns:
        A tensor of the operands' dtype.

    Raises:
        InvalidArgumentError: The ranks, sizes or types are incompatible.
        ValueError: Both ``transpose`` and ``adjoint`` are set for an operand.
    """
    if type(a) in FAST and type(b) in FAST and a.dtype is b.dtype:
        x, y = a._array, b._array  # None while a thread writes to the variable
        others = adjoint_a or adjoint_b or a_is_sparse or b_is_sparse or output_type or name
        usual = type(transpose_a) is type(transpose_b) is bool and not others
        if usual and x is not None and y is not None:
            flipped = transpose_a or transpose_b
            if x.ndim == y.ndim == 2:
                return matmul2d(a, b, transpose_a, transpose_b) if flipped else matmul2d(a, b)
            if x.ndim > 2 < y.ndim and not flipped:
                return batch_matmul(a, b)
    if is_operator(a) or is_operator(b):
        return multiply(a, b, transpose_a, transpose_b, adjoint_a, adjoint_b)
    for which, transpose, adjoint in (("a", transpose_a, adjoint_a), ("b", transpose_b, adjoint_b)):
        if transpose and adjoint:
            raise ValueError(
                f"Only one of `transpose_{which}` and `adjoint_{which}` can be True. Received "
                f"`transpose_{which}`={transpose}, `adjoint_{which}`={adjoint}."
            )
    a, b, name = _operands(a, b, name)
    left, right = transpose_a or adjoint_a, transpose_b or adjoint_b
    rank_a, rank_b = a.shape.rank, b.shape.rank
    batch = rank_a is None or rank_b is None or rank_a > 2 or rank_b > 2
    sparse = a_is_sparse or b_is_sparse
    if (sparse or not batch) and _through_sparse(a.dtype, b.dtype, sparse):
        a, b = conj(a) if adjoint_a else a, conj(b) if adjoint_b else b
        zeros = {"a_is_sparse": a_is_sparse, "b_is_sparse": b_is_sparse}
        return _sparse(a, b, transpose_a=left, transpose_b=right, **zeros, **_named(name))
    if output_type is not None and not a.dtype == b.dtype == as_dtype(output_type):
        x, y = conj(a) if transpose_a else a, conj(b) if transpose_b else b
        return mixed_matmul(x, y, Tout=output_type, adj_x=left, adj_y=right)
    if batch and not sparse:
        a, b = conj(a) if transpose_a else a, conj(b) if transpose_b else b
        return batch_matmul(a, b, adj_x=left, adj_y=right, **_named(name))
    a, b = conj(a) if adjoint_a else a, conj(b) if adjoint_b else b
    flips = {"transpose_a": left, "transpose_b": right} if left or right else {}
    return matmul2d(a, b, **flips, **_named(name))
