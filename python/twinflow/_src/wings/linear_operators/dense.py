"""Operators that hold their elements: full, lower triangular and diagonal matrices."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API
from twinflow._src.wings.linear_operators.base import (
    LinearOperator,
    assert_no_zeros,
    assert_positive,
    assert_real,
    dense_product,
    record_parameters,
)
from twinflow._src.wings.linear_operators.identities import LinearOperatorScaledIdentity
from twinflow._src.wings.linear_operators.shapes import (
    Hint,
    as_text,
    both_non_singular,
    both_square,
    column,
    commuting,
    concat_sizes,
    convert_unless_variable,
    sizes,
    solve_lower_triangular,
)
from twinflow._src.wings.linear_operators.spec import make_composite_tensor

_MATRIX_DTYPES = (
    dtypes.float16,
    dtypes.float32,
    dtypes.float64,
    dtypes.complex64,
    dtypes.complex128,
)


@make_composite_tensor
class LinearOperatorFullMatrix(LinearOperator):
    """Dense matrices.

    Args:
        matrix: A tensor of shape ``[..., M, N]``, of a floating or complex dtype.
        is_non_singular: The hint that the operator is invertible.
        is_self_adjoint: The hint that the operator is self-adjoint.
        is_positive_definite: The hint that the operator is positive definite.
        is_square: The hint that the operator is square.
        name: The name.

    Raises:
        TypeError: The dtype is not supported.
        ValueError: The rank is less than 2, or hints contradict each other.
    """

    __module__ = "twinflow.linalg"
    _composite_tensor_fields = ("matrix",)
    _experimental_parameter_ndims_to_matrix_ndims = {"matrix": 2}

    @record_parameters
    def __init__(
        self,
        matrix: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        self._matrix = convert_unless_variable(matrix, "matrix")
        dtype, rank = self._matrix.dtype, self._matrix.shape.rank
        if dtype not in _MATRIX_DTYPES:
            raise TypeError(
                f"Argument `matrix` must have dtype in {list(_MATRIX_DTYPES)}. Received: {dtype!s}."
            )
        if rank is not None and rank < 2:
            raise ValueError(
                "Argument `matrix` must have at least 2 dimensions. "
                f"Received: {as_text(self._matrix)}."
            )
        super().__init__(dtype=dtype, **self._arguments())

    @property
    def matrix(self) -> Any:
        """The matrices."""
        return self._matrix

    def _shape(self) -> TensorShape:
        return self._matrix.shape

    def _shape_tensor(self) -> Any:
        return API["shape"](self._matrix)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return dense_product(self._matrix, x, adjoint, adjoint_arg)

    def _to_dense(self) -> Any:
        return convert_to_tensor(self._matrix)


@make_composite_tensor
class LinearOperatorLowerTriangular(LinearOperator):
    """Lower triangular matrices.

    Args:
        tril: A tensor of shape ``[..., N, N]``; elements above the diagonal are ignored.
        is_non_singular: The hint that the operator is invertible.
        is_self_adjoint: The hint that the operator is self-adjoint.
        is_positive_definite: The hint that the operator is positive definite.
        is_square: The hint that the operator is square; not False.
        name: The name.

    Raises:
        ValueError: The hint ``is_square`` is False, or the rank is less than 2.
    """

    __module__ = "twinflow.linalg"
    _composite_tensor_fields = ("tril",)
    _experimental_parameter_ndims_to_matrix_ndims = {"tril": 2}

    @record_parameters
    def __init__(
        self,
        tril: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        self._tril = convert_unless_variable(tril, "tril")
        rank = self._tril.shape.rank
        if rank is not None and rank < 2:
            raise ValueError(
                f"Argument tril must have at least 2 dimensions.  Found: {self._tril!s}"
            )
        super().__init__(dtype=self._tril.dtype, **self._arguments(is_square=True))

    @property
    def tril(self) -> Any:
        """The matrices, with any elements above the diagonal."""
        return self._tril

    def _get_tril(self) -> Any:
        """Returns the matrices with zeros above the diagonal."""
        return API["linalg.band_part"](self._tril, -1, 0)

    def _get_diag(self) -> Any:
        return API["linalg.diag_part"](self._tril)

    def _shape(self) -> TensorShape:
        return self._tril.shape

    def _shape_tensor(self) -> Any:
        return API["shape"](self._tril)

    def _assert_non_singular(self) -> Any:
        return assert_no_zeros(
            self._get_diag(), "Singular operator:  Diagonal contained zero values."
        )

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return dense_product(self._get_tril(), x, adjoint, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = API["linalg.adjoint"](rhs) if adjoint_arg else rhs
        return solve_lower_triangular(convert_to_tensor(self._tril), rhs, adjoint)

    def _determinant(self) -> Any:
        return API["reduce_prod"](self._get_diag(), axis=[-1])

    def _log_abs_determinant(self) -> Any:
        return API["reduce_sum"](API["math.log"](API["abs"](self._get_diag())), axis=[-1])

    def _diag_part(self) -> Any:
        return self._get_diag()

    def _to_dense(self) -> Any:
        return self._get_tril()

    def _eigvals(self) -> Any:
        return self._get_diag()

    def _linop_matmul(self, left_operator: LinearOperator, right_operator: LinearOperator) -> Any:
        if isinstance(left_operator, LinearOperatorLowerTriangular) and isinstance(
            right_operator, LinearOperatorDiag
        ):
            rows = API["expand_dims"](convert_to_tensor(right_operator.diag), -2)
            return _triangular(left_operator.to_dense() * rows, left_operator, right_operator)
        return super()._linop_matmul(left_operator, right_operator)


def _triangular(tril: Any, left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """Returns the product of a triangular and a diagonal operator."""
    return LinearOperatorLowerTriangular(
        tril,
        is_non_singular=both_non_singular(left, right),
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=both_square(left, right),
    )


@make_composite_tensor
class LinearOperatorDiag(LinearOperator):
    """Diagonal matrices.

    Args:
        diag: A tensor of shape ``[..., N]``, the diagonals.
        is_non_singular: The hint that the operator is invertible.
        is_self_adjoint: The hint that the operator is self-adjoint; True for real diagonals.
        is_positive_definite: The hint that the operator is positive definite.
        is_square: The hint that the operator is square; not False.
        name: The name.

    Raises:
        ValueError: A hint is wrong, or the diagonal is a scalar.
    """

    __module__ = "twinflow.linalg"
    _composite_tensor_fields = ("diag",)
    _experimental_parameter_ndims_to_matrix_ndims = {"diag": 1}

    @record_parameters
    def __init__(
        self,
        diag: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        self._diag = convert_unless_variable(diag, "diag")
        if self._diag.shape.rank == 0:
            raise ValueError(
                f"Argument diag must have at least 1 dimension.  Found: {self._diag!s}"
            )
        if not self._diag.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        super().__init__(
            dtype=self._diag.dtype,
            **self._arguments(is_self_adjoint=is_self_adjoint, is_square=True),
        )

    @property
    def diag(self) -> Any:
        """The diagonals."""
        return self._diag

    def _shape(self) -> TensorShape:
        return self._diag.shape.concatenate(self._diag.shape[-1:])

    def _shape_tensor(self) -> Any:
        return concat_sizes([sizes(self._diag), sizes(self._diag, -1)])

    def _assert_non_singular(self) -> Any:
        return assert_no_zeros(self._diag, "Singular operator:  Diagonal contained zero values.")

    def _assert_positive_definite(self) -> Any:
        text = (
            "Diagonal operator had diagonal entries with non-positive real part, thus was not positive definite."
            if self.dtype.is_complex
            else "Real diagonal operator had non-positive diagonal entries, thus was not positive definite."
        )
        return assert_positive(API["math.real"](self._diag), text)

    def _assert_self_adjoint(self) -> Any:
        return assert_real(
            self._diag,
            "This diagonal operator contained non-zero imaginary values.   Thus it was not self-adjoint.",
        )

    def _conj(self, adjoint: bool) -> Any:
        """Returns the diagonals, conjugate for the adjoint of a complex operator."""
        diag = convert_to_tensor(self._diag)
        return API["math.conj"](diag) if adjoint and diag.dtype.is_complex else diag

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = API["linalg.adjoint"](x) if adjoint_arg else x
        return column(self._conj(adjoint)) * x

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return self._conj(adjoint) * x

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = API["linalg.adjoint"](rhs) if adjoint_arg else rhs
        return rhs / column(self._conj(adjoint))

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return rhs / self._conj(adjoint)

    def _determinant(self) -> Any:
        return API["reduce_prod"](self._diag, axis=[-1])

    def _log_abs_determinant(self) -> Any:
        size = API["reduce_sum"](API["math.log"](API["abs"](self._diag)), axis=[-1])
        return API["cast"](size, self.dtype) if self.dtype.is_complex else size

    def _diag_part(self) -> Any:
        return convert_to_tensor(self._diag)

    def _to_dense(self) -> Any:
        return API["linalg.diag"](self._diag)

    def _add_to_tensor(self, x: Any) -> Any:
        diagonal = API["linalg.diag_part"](x) + self._diag
        return API["linalg.set_diag"](x, diagonal)

    def _eigvals(self) -> Any:
        return convert_to_tensor(self._diag)

    def _cond(self) -> Any:
        size = API["abs"](self._diag)
        return API["reduce_max"](size, axis=-1) / API["reduce_min"](size, axis=-1)

    def _linop_adjoint(self) -> LinearOperator:
        return LinearOperatorDiag(self._conj(True), **self._hints())

    def _linop_inverse(self) -> LinearOperator:
        return LinearOperatorDiag(1.0 / self._diag, **self._hints())

    def _linop_cholesky(self) -> LinearOperator:
        return LinearOperatorDiag(
            API["sqrt"](self._diag),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
            is_square=True,
        )

    def _linop_matmul(self, left_operator: LinearOperator, right_operator: LinearOperator) -> Any:
        pair = (left_operator, right_operator)
        diagonals = _diagonals(*pair)
        if diagonals is not None:
            return LinearOperatorDiag(diagonals[0] * diagonals[1], **commuting(*pair))  # type: ignore[arg-type]
        if _is_triangular_after_diagonal(*pair):
            rows = column(convert_to_tensor(left_operator.diag))  # type: ignore[attr-defined]
            return _triangular(rows * right_operator.to_dense(), *pair)
        return super()._linop_matmul(*pair)

    def _linop_solve(self, left_operator: LinearOperator, right_operator: LinearOperator) -> Any:
        pair = (left_operator, right_operator)
        diagonals = _diagonals(*pair)
        if diagonals is not None:
            return LinearOperatorDiag(diagonals[1] / diagonals[0], **commuting(*pair))  # type: ignore[arg-type]
        if _is_triangular_after_diagonal(*pair):
            rows = column(convert_to_tensor(left_operator.diag))  # type: ignore[attr-defined]
            return _triangular(right_operator.to_dense() / rows, *pair)
        return super()._linop_solve(*pair)


def _is_triangular_after_diagonal(left: LinearOperator, right: LinearOperator) -> bool:
    return isinstance(left, LinearOperatorDiag) and isinstance(right, LinearOperatorLowerTriangular)


def _diagonals(left: LinearOperator, right: LinearOperator) -> tuple[Any, Any] | None:
    """Returns the diagonals of two diagonal operators, of which one may be a scaled identity."""
    if not isinstance(left, LinearOperatorDiag) and not isinstance(right, LinearOperatorDiag):
        return None
    result = []
    for operator in (left, right):
        if isinstance(operator, LinearOperatorDiag):
            result.append(operator.diag)
        elif isinstance(operator, LinearOperatorScaledIdentity):
            result.append(column(convert_to_tensor(operator.multiplier)))
        else:
            return None
    return result[0], result[1]
