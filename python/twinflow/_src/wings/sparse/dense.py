"""Operations between sparse tensors and dense ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.autodiff.reverse import conjugate, unbroadcast
from twinflow._src.backends.host_checks import known_any
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import NUMBERS
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, op
from twinflow._src.ops.array.static_sizes import rank_of
from twinflow._src.ops.state.scatter_kernels import combining, rounds
from twinflow._src.wings.sparse.parts import AnyLengths, AnyPlaces, Lengths, check_order, sizes

# Rows so wide are added whole, where as many of them can be at a time.
_WIDE, _MANY = 32, 8
_PRODUCTS = dtypes.INEXACT | {dtypes.int32}


def _written(places: Any, shape: Any, values: Any, default: Any, **_: Any) -> Any:
    return sizes(shape)


@op("SparseToDense", shape=_written)
def sparse_to_dense(
    xp: Any,
    sparse_indices: AnyPlaces,
    output_shape: AnyLengths,
    sparse_values: Any,
    default_value: Any,
    *,
    validate_indices: bool = True,
) -> Any:
    """Returns a tensor that has given values at some places and another one everywhere else.

    Args:
        sparse_indices: The places: a matrix, or a vector or scalar for a result of rank 1.
        output_shape: The shape of the result.
        sparse_values: The values, one for each place, or one for all.
        default_value: What lies at all other places.
        validate_indices: Whether the places must ascend and not repeat.

    Returns:
        A tensor of the type of the values.

    Raises:
        InvalidArgumentError: A place lies outside the shape, or the places do not ascend.
    """
    if default_value.ndim:
        raise invalid("default_value should be a scalar.")
    shape = tuple(output_shape.tolist())
    places = sparse_indices.reshape(-1, 1) if sparse_indices.ndim < 2 else sparse_indices
    if validate_indices:
        check_order(_on_host(places), shape)
    elif known_any(xp, lambda: (places < 0) | (places >= xp.asarray(shape, dtype=places.dtype))):
        raise invalid(f"Indices are not valid (out of bounds).  Shape: {text(shape)}")
    result = xp.full(shape, default_value[()], sparse_values.dtype)
    if len(places):
        result[tuple(places.T) if shape else ...] = sparse_values if shape else sparse_values[-1]
    return result


def _on_host(array: Any) -> Any:
    return array if isinstance(array, np.ndarray) else array.get()


@sparse_to_dense.gradient
def _(call: Call, dy: Any) -> Any:
    places = call.inputs[0]
    if places.shape.rank != 2:  # numbers are places in a vector
        places = API["reshape"](places, [-1, rank_of(dy)])
    values = API["gather_nd"](dy, places)
    default = API["reduce_sum"](dy) - API["reduce_sum"](values)
    return None, None, unbroadcast(values, call.inputs[2]), default


def _dense_side(places: Any, values: Any, shape: Any, dense: Any, **_: Any) -> Any:
    known = sizes(shape)
    if known is None or dense is None:
        return dense
    if len(known) != len(dense):
        raise invalid(f"Two operands have different ranks; received: {len(known)} and {len(dense)}")
    for i, (a, b) in enumerate(zip(known, dense, strict=True)):
        if None not in (a, b) and a != b:
            raise invalid(
                f"Dimension {i} does not equal (no broadcasting is supported): sparse side {a} vs "
                f"dense side {b}"
            )
    return dense


@op("SparseTensorDenseAdd", shape=_dense_side, dtypes=NUMBERS, devices=("CPU",))
def sparse_tensor_dense_add(
    xp: Any, a_indices: AnyPlaces, a_values: Any, a_shape: AnyLengths, b: Any
) -> Any:
    """Returns the sum of a sparse tensor and a dense one.

    Args:
        a_indices: Where the elements of the sparse tensor lie.
        a_values: Its elements.
        a_shape: Its shape.
        b: The dense tensor, of the same shape.

    Returns:
        A dense tensor.

    Raises:
        InvalidArgumentError: The shapes differ, or an element lies outside.
    """
    _dense_side(a_indices.shape, a_values.shape, a_shape, b.shape)
    outside = lambda: (a_indices < 0) | (a_indices >= xp.asarray(b.shape, dtype=a_indices.dtype))
    if known_any(xp, outside):
        i, d = (int(k) for k in xp.argwhere(outside())[0])
        raise invalid(
            f"Sparse tensor has an invalid index on dimension {d}: a_indices({i},{d}) = "
            f"{int(a_indices[i, d])}, dense tensor shape: {' '.join(map(str, b.shape))}"
        )
    result = b.copy()
    combining(xp, xp.add)(result, tuple(a_indices.T), a_values)
    return result


@sparse_tensor_dense_add.gradient
def _(call: Call, dy: Any) -> Any:
    return None, API["gather_nd"](dy, call.inputs[0]), None, dy


# ------------------------------------------------------------------ products


def _product(
    places: Any, values: Any, a_shape: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False
) -> Any:
    known = sizes(a_shape)
    if b is not None and len(b) != 2:
        raise invalid("Tensor 'b' is not a matrix")
    if known is not None and len(known) != 2:
        raise invalid("Tensor 'a_shape' must have 2 elements")
    (rows, inner) = (None, None) if known is None else known[::-1] if adjoint_a else known
    (depth, columns) = (None, None) if b is None else b[::-1] if adjoint_b else b
    if None not in (inner, depth) and inner != depth:
        raise invalid(
            "Cannot multiply A and B because inner dimension does not match: "
            f"{inner} vs. {depth}.  Did you forget a transpose?  "
            f"Dimensions of A: [{known[0]}, {known[1]}).  Dimensions of B: {text(b)}"
        )
    return rows, columns


@op("SparseTensorDenseMatMul", shape=_product, dtypes=_PRODUCTS)
def sparse_tensor_dense_mat_mul(
    xp: Any,
    a_indices: AnyPlaces,
    a_values: Any,
    a_shape: Lengths,
    b: Any,
    *,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Any:
    """Returns the product of a sparse matrix and a dense one.

    Args:
        a_indices: Where the elements of the sparse matrix lie.
        a_values: Its elements.
        a_shape: Its shape.
        b: The dense matrix.
        adjoint_a: Whether the adjoint of the sparse matrix is taken.
        adjoint_b: Whether the adjoint of the dense matrix is taken.

    Returns:
        A dense matrix.

    Raises:
        InvalidArgumentError: The sizes do not fit, or an element lies outside.
    """
    result = xp.zeros(
        _product(a_indices.shape, a_values.shape, a_shape, b.shape, adjoint_a, adjoint_b), b.dtype
    )
    b = xp.conj(b).T if adjoint_b and b.dtype.kind == "c" else b.T if adjoint_b else b
    where = 1 if adjoint_a else 0
    rows, picked = a_indices[:, where], a_indices[:, 1 - where]
    for name, found, limit, at in (("k", picked, len(b), 1 - where), ("m", rows, len(result), where)):
        bad = lambda found=found, limit=limit: (found < 0) | (found >= limit)
        if known_any(xp, bad):
            i = int(xp.argmax(bad()))
            raise invalid(
                f"{name} ({int(found[i])}) from index[{i},{at}] out of bounds (>={limit})"
            )
    values = xp.conj(a_values) if adjoint_a and a_values.dtype.kind == "c" else a_values
    _add_products(xp, result, rows, values, b, picked)
    return result


def _add_products(xp: Any, result: Any, rows: Any, values: Any, b: Any, picked: Any) -> None:
    """Adds values times rows of b to rows of the result, in order."""
    turns = rounds(rows) if xp is np and values.size and result.shape[1] >= _WIDE else []
    if not turns or len(turns) * _MANY > len(values):
        combining(xp, xp.add)(result, rows, values[:, None] * b[picked])
        return
    for turn in turns:
        result[rows[turn]] += values[turn, None] * b[picked[turn]]


@sparse_tensor_dense_mat_mul.gradient
def _(call: Call, dy: Any) -> Any:
    places, values, shape, b = call.inputs
    adjoint_a, adjoint_b = call.attrs["adjoint_a"], call.attrs["adjoint_b"]
    gather, adjoint = API["gather"], API["linalg.adjoint"]
    where = 1 if adjoint_a else 0
    rows, picked = places[:, where], places[:, 1 - where]
    b_grad = sparse_tensor_dense_mat_mul(places, values, shape, dy, adjoint_a=not adjoint_a)
    rows_of_b = gather(adjoint(b) if adjoint_b else b, picked)
    terms = gather(dy, rows) * conjugate(rows_of_b)
    found = API["reduce_sum"](terms, 1)
    return (
        None,
        conjugate(found) if adjoint_a else found,
        None,
        adjoint(b_grad) if adjoint_b else b_grad,
    )
