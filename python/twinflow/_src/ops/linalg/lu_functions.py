"""What is computed with the triangular factors that ``tf.linalg.lu`` gives."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import float32, int32
from twinflow._src.dispatch.op import API, export


def _factors(lower_upper: Any, perm: Any) -> tuple[Any, Any]:
    """The two tensors of a decomposition; raises where their shapes do not go together."""
    factors = convert_to_tensor(lower_upper, dtype_hint=float32)
    order = convert_to_tensor(perm, dtype_hint=int32)
    rank, other = factors.shape.rank, order.shape.rank
    if rank is not None and rank < 2:
        raise ValueError("Input `lower_upper` must have at least 2 dimensions.")
    if rank is not None and other is not None and rank != other + 1:
        raise ValueError("`rank(lower_upper)` must equal `rank(perm) + 1`")
    if factors.shape[:-2].is_fully_defined() and factors.shape[-2] != factors.shape[-1]:
        raise ValueError("`lower_upper` must be square.")
    return factors, order


def _lower(factors: Any) -> Any:
    """The lower factor, whose diagonal is 1."""
    below = API["linalg.band_part"](factors, num_lower=-1, num_upper=0)
    ones = API["ones"](API["shape"](factors)[:-1], dtype=factors.dtype)
    return API["linalg.set_diag"](below, ones)


def _permuted(rhs: Any, order: Any) -> Any:
    """Right-hand sides whose rows are in another order, broadcast over the batches of both."""
    if rhs.shape.rank == 2 and order.shape.rank == 1:
        return API["gather"](rhs, order, axis=-2)
    shape = API["shape"](rhs)
    batch = API["broadcast_dynamic_shape"](shape[:-2], API["shape"](order)[:-1])
    whole = API["concat"]([batch, shape[-2:]], 0)
    rhs = API["reshape"](API["broadcast_to"](rhs, whole), API["concat"]([[-1], shape[-2:]], 0))
    order = API["reshape"](API["broadcast_to"](order, whole[:-1]), API["stack"]([-1, shape[-2]]))
    return API["reshape"](API["gather"](rhs, order, batch_dims=1), whole)  # ranks need not be known


@export("linalg.lu_solve")
def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None
) -> Any:
    """Returns the solutions of systems of linear equations, given the factors of the matrices.

    Args:
        lower_upper: The factors, as ``tf.linalg.lu`` gives them.
        perm: The permutations, likewise.
        rhs: Right-hand sides as columns.
        validate_args: Accepted and without effect: arguments are always checked.
        name: A name for the operation.

    Returns:
        A tensor of the type of the factors.

    Raises:
        ValueError: The shapes do not fit.
    """
    factors, order = _factors(lower_upper, perm)
    rhs = convert_to_tensor(rhs, dtype_hint=factors.dtype)
    if rhs.shape.rank is not None and rhs.shape.rank < 2:
        raise ValueError("Input `rhs` must have at least 2 dimensions.")
    if None not in (factors.shape[-1], rhs.shape[-2]) and factors.shape[-1] != rhs.shape[-2]:
        raise ValueError("`lower_upper.shape[-1]` must equal `rhs.shape[-1]`.")
    permuted = _permuted(rhs, order)
    half = API["linalg.triangular_solve"](_lower(factors), permuted)
    return API["linalg.triangular_solve"](factors, half, lower=False)


@export("linalg.lu_matrix_inverse")
def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Any:
    """Returns the inverses of matrices, given their factors.

    Args:
        lower_upper: The factors, as ``tf.linalg.lu`` gives them.
        perm: The permutations, likewise.
        validate_args: Accepted and without effect: arguments are always checked.
        name: A name for the operation.

    Returns:
        A tensor of the type and shape of the factors.

    Raises:
        ValueError: The shapes do not fit.
    """
    factors, order = _factors(lower_upper, perm)
    shape = API["shape"](factors)
    eye = API["eye"](shape[-1], batch_shape=shape[:-2], dtype=factors.dtype)
    return lu_solve(factors, order, eye)


@export("linalg.lu_reconstruct")
def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Any:
    """Returns the matrices that have the given factors.

    Args:
        lower_upper: The factors, as ``tf.linalg.lu`` gives them.
        perm: The permutations, likewise.
        validate_args: Accepted and without effect: arguments are always checked.
        name: A name for the operation.

    Returns:
        A tensor of the type and shape of the factors.

    Raises:
        ValueError: The shapes do not fit.
        InvalidArgumentError: A permutation is none.
    """
    factors, order = _factors(lower_upper, perm)
    upper = API["linalg.band_part"](factors, num_lower=0, num_upper=-1)
    whole = API["matmul"](_lower(factors), upper)
    if factors.shape.rank == 2:
        found = API["gather"](whole, API["math.invert_permutation"](order))
    else:
        found = _unpermuted(whole, order)
    found.set_shape(factors.shape)
    return found


def _unpermuted(whole: Any, order: Any) -> Any:
    shape = API["shape"](whole)
    rows = API["reshape"](order, [-1, shape[-1]])
    back = API["map_fn"](API["math.invert_permutation"], rows)
    flat = API["reshape"](whole, [-1, shape[-1], shape[-1]])
    return API["reshape"](API["gather"](flat, back, batch_dims=1), shape)
