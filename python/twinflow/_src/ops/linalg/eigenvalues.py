"""Eigenvalues and eigenvectors."""

from __future__ import annotations

from typing import Any

from twinflow._src.backends.cpu.matrices import over_batch
from twinflow._src.core.dtypes import DType, as_dtype, complex64, complex128, float32
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import API, Call, Type, export, op
from twinflow._src.ops.linalg.decompositions import MATRIX_TYPES, assert_matrix
from twinflow._src.ops.linalg.spectral_gradients import eig_gradient, eigh_gradient
from twinflow._src.shape_rules.linalg import eigen


@op("SelfAdjointEigV2", shape=eigen, dtypes=MATRIX_TYPES)
def _self_adjoint_eig(xp: Any, input: Any, *, compute_v: bool = True) -> Any:
    """Returns eigenvalues and eigenvectors of self-adjoint matrices.

    Args:
        input: A tensor of square matrices, of which the lower triangles are read.
        compute_v: Whether the vectors are wanted; an empty tensor stands for them otherwise.

    Returns:
        The values in ascending order, and the vectors.

    Raises:
        InvalidArgumentError: The matrices are not square, or have no such decomposition.
    """
    assert_matrix(input, square=True)
    lower = xp.tril(input)
    if not xp.isfinite(lower).all():
        raise invalid(
            "Self-adjoint eigen decomposition was not successful. The input might not be valid."
        )
    if not compute_v:
        return [over_batch(xp, xp.linalg.eigvalsh, input).astype(input.dtype), xp.zeros((0,), input.dtype)]
    values, vectors = over_batch(xp, lambda x: tuple(xp.linalg.eigh(x)), input)
    return [values.astype(input.dtype), xp.ascontiguousarray(vectors)]


@_self_adjoint_eig.gradient
def _(call: Call, dvalues: Any, dvectors: Any) -> Any:
    if call.attrs["compute_v"]:
        whole = eigh_gradient(call.outputs, (dvalues, dvectors))
    else:
        whole = eigh_gradient(_self_adjoint_eig(call.inputs[0]), (dvalues, None))
    # The lower triangle alone was read: it stands for both.
    both = API["linalg.band_part"](whole + API["linalg.adjoint"](whole), -1, 0)
    return API["linalg.set_diag"](both, 0.5 * API["linalg.diag_part"](both))


@export("linalg.eigh")
def eigh(tensor: Any, name: str | None = None) -> Any:
    """Returns eigenvalues and eigenvectors of self-adjoint matrices.

    Args:
        tensor: A tensor of square matrices, of which the lower triangles are read.
        name: A name for the operation.

    Returns:
        The values in ascending order, and the vectors as columns.

    Raises:
        InvalidArgumentError: The matrices are not square, or not finite.
    """
    values, vectors = _self_adjoint_eig(tensor, compute_v=True)
    return values, vectors


@export("linalg.eigvalsh")
def eigvalsh(tensor: Any, name: str | None = None) -> Any:
    """Returns eigenvalues of self-adjoint matrices.

    Args:
        tensor: A tensor of square matrices, of which the lower triangles are read.
        name: A name for the operation.

    Returns:
        The values in ascending order.

    Raises:
        InvalidArgumentError: The matrices are not square, or not finite.
    """
    return _self_adjoint_eig(tensor, compute_v=False)[0]


@op("Eig", shape=eigen, dtypes=MATRIX_TYPES)
def _eig(xp: Any, input: Any, *, compute_v: bool = True, Tout: Type = complex64) -> Any:
    """Returns eigenvalues and eigenvectors of matrices.

    Args:
        input: A tensor of square matrices.
        compute_v: Whether the vectors are wanted; an empty tensor stands for them otherwise.
        Tout: The complex type of the results.

    Returns:
        The values, and the vectors.

    Raises:
        InvalidArgumentError: The matrices are not square, or have no such decomposition.
    """
    assert_matrix(input, square=True)
    if not xp.isfinite(input).all():
        raise invalid("Eigen decomposition was not successful. The input might not be valid.")
    if not compute_v:
        return [xp.linalg.eigvals(input).astype(Tout.np), xp.zeros((0,), Tout.np)]
    values, vectors = xp.linalg.eig(input)
    return [values.astype(Tout.np), xp.ascontiguousarray(vectors.astype(Tout.np))]


@_eig.gradient
def _(call: Call, dvalues: Any, dvectors: Any) -> Any:
    (input,) = call.inputs
    if call.attrs["compute_v"]:
        found = eig_gradient(call.outputs, (dvalues, dvectors))
    else:
        found = eig_gradient(_eig(input, Tout=dvalues.dtype), (dvalues, None))
    return API["cast"](found, input.dtype)


def _complex_type(dtype: DType) -> DType:
    return complex64 if dtype in (float32, complex64) else complex128


@export("linalg.eig", "eig")
def eig(tensor: Any, name: str | None = None) -> Any:
    """Returns eigenvalues and eigenvectors of matrices.

    Args:
        tensor: A tensor of square matrices.
        name: A name for the operation.

    Returns:
        The values, which are complex numbers, and the vectors as columns.

    Raises:
        InvalidArgumentError: The matrices are not square, or not finite.
    """
    # TensorFlow takes tensors and arrays only.
    values, vectors = _eig(tensor, compute_v=True, Tout=_complex_type(as_dtype(tensor.dtype).base_dtype))
    return values, vectors


@export("linalg.eigvals", "eigvals")
def eigvals(tensor: Any, name: str | None = None) -> Any:
    """Returns eigenvalues of matrices.

    Args:
        tensor: A tensor of square matrices.
        name: A name for the operation.

    Returns:
        The values, which are complex numbers.

    Raises:
        InvalidArgumentError: The matrices are not square, or not finite.
    """
    return _eig(tensor, compute_v=False, Tout=_complex_type(as_dtype(tensor.dtype).base_dtype))[0]
