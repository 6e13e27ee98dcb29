"""Toeplitz, tridiagonal, permutation and Householder matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import as_dtype, complex64, complex128, float32, float64
from twinflow._src.core.errors import InvalidArgumentError
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API
from twinflow._src.wings.linear_operators.base import LinearOperator, record_parameters
from twinflow._src.wings.linear_operators.shapes import (
    Hint,
    as_text,
    broadcast_batches,
    broadcast_sizes,
    broadcast_static,
    column,
    concat_sizes,
    convert_unless_variable,
    size,
    sizes,
    static_dim,
    static_of,
)
from twinflow._src.wings.linear_operators.spec import make_composite_tensor


@make_composite_tensor
class LinearOperatorToeplitz(LinearOperator):
    """Toeplitz matrices: constant along their diagonals.

    Products are those of a circulant matrix of twice the size, by Fourier transforms
    (https://en.wikipedia.org/wiki/Toeplitz_matrix).

    Args:
        col: The first columns, a tensor of shape ``[..., N]``.
        row: The first rows, a tensor of shape ``[..., N]``; their first elements are ignored.
        is_non_singular: The hint that the operator is invertible.
        is_self_adjoint: The hint that the operator is self-adjoint.
        is_positive_definite: The hint that the operator is positive definite.
        is_square: The hint that the operator is square; not False.
        name: The name.

    Raises:
        ValueError: The sizes differ, or a hint is wrong.
    """

    __module__ = "twinflow.linalg"
    _composite_tensor_fields = "col", "row"
    _experimental_parameter_ndims_to_matrix_ndims = {"col": 1, "row": 1}

    @record_parameters
    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        self._row = convert_unless_variable(row, "row")
        self._col = convert_unless_variable(col, "col")
        for label, value in (("col", self._col), ("row", self._row)):
            if value.shape.rank == 0:
                raise ValueError(
                    f"Argument {label} must have at least 1 dimension.  Found: {as_text(value)}"
                )
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        rows, columns = static_dim(self._col.shape, -1), static_dim(self._row.shape, -1)
        if rows is not None and columns is not None and rows != columns:
            raise ValueError("Expected square matrix, got row and col with mismatched dimensions.")
        super().__init__(dtype=self._row.dtype, **self._arguments(is_square=True))

    @property
    def col(self) -> Any:
        """The first columns."""
        return self._col

    @property
    def row(self) -> Any:
        """The first rows."""
        return self._row

    def _shape(self) -> TensorShape:
        whole = broadcast_static([self._row.shape, self._col.shape])
        return whole.concatenate(self._row.shape[-1:])

    def _shape_tensor(self) -> Any:
        return concat_sizes(
            [broadcast_sizes([sizes(self._row), sizes(self._col)]), sizes(self._row, -1)]
        )

    def _assert_self_adjoint(self) -> Any:
        return API["debugging.assert_equal"](
            self._row,
            self._col,
            message="row and col are not the same, and so this operator is not self-adjoint.",
        )

    def _both(self) -> tuple[Any, Any]:
        """Returns first rows and columns of one shape."""
        row, col = convert_to_tensor(self._row), convert_to_tensor(self._col)
        shape = broadcast_sizes([sizes(row), sizes(col)])
        return API["broadcast_to"](row, shape), API["broadcast_to"](col, shape)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = API["linalg.adjoint"](x) if adjoint_arg else x
        row, col = self._both()
        row = API["concat"]([_first(col), row[..., 1:]], -1)
        if adjoint:
            row, col = _conj(col, row) if self.dtype.is_complex else (col, row)
        count = size(row, -1)
        # The first column of a circulant matrix whose corner is the Toeplitz matrix.
        kernel = API["concat"]([col, _first(row), API["reverse"](row[..., 1:], [-1])], -1)
        wide = {float64: complex128, complex128: complex128}.get(self.dtype, complex64)
        spectrum = API["signal.fft"](API["cast"](kernel, wide))
        columns = API["linalg.matrix_transpose"](API["cast"](x, wide))
        columns = API["concat"]([columns, API["zeros_like"](columns)], -1)
        product = API["signal.ifft"](API["signal.fft"](columns) * API["expand_dims"](spectrum, -2))
        result = API["linalg.matrix_transpose"](product[..., :count])
        return API["cast"](
            result if self.dtype.is_complex else API["math.real"](result), self.dtype
        )

    def _trace(self) -> Any:
        return API["cast"](self._size(-1), self.dtype) * self._both()[1][..., 0]

    def _diag_part(self) -> Any:
        diagonal = column(self._both()[1][..., 0])
        return diagonal * API["ones"]([self._size(-1)], dtype=self.dtype)

    def _to_dense(self) -> Any:
        row, col = self._both()
        elements = API["concat"]([API["reverse"](col, [-1]), row[..., 1:]], -1)
        count = size(row, -1)
        steps = API["range"](count)
        index = steps[None, :] - steps[:, None] + (count - 1)
        return API["gather"](elements, index, axis=-1)


def _first(x: Any) -> Any:
    return x[..., :1]


def _conj(*tensors: Any) -> tuple[Any, ...]:
    return tuple(map(API["math.conj"], tensors))


_FORMATS = ("compact", "matrix", "sequence")


@make_composite_tensor
class LinearOperatorTridiag(LinearOperator):
    """Tridiagonal matrices.

    Args:
        diagonals: The superdiagonal, the diagonal and the subdiagonal, in the format.
        diagonals_format: ``"compact"``: a tensor of shape ``[..., 3, N]``; ``"sequence"``: a list of
            three tensors of shape ``[..., N]``; ``"matrix"``: a tensor of shape ``[..., N, N]``. The
            last element of the superdiagonal and the first one of the subdiagonal are ignored.
        is_non_singular: The hint that the operator is invertible.
        is_self_adjoint: The hint that the operator is self-adjoint.
        is_positive_definite: The hint that the operator is positive definite.
        is_square: The hint that the operator is square.
        name: The name.

    Raises:
        ValueError: The format is unknown.
    """

    __module__ = "twinflow.linalg"
    _composite_tensor_fields = "diagonals", "diagonals_format"

    @record_parameters
    def __init__(
        self,
        diagonals: Any,
        diagonals_format: str = "compact",
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        if diagonals_format not in _FORMATS:
            raise ValueError(
                "Argument `diagonals_format` must be one of compact, matrix, or sequence. "
                f"Received : {diagonals_format}."
            )
        if diagonals_format == "sequence":
            self._diagonals: Any = [convert_unless_variable(d, "diag") for d in diagonals]
            dtype = self._diagonals[0].dtype
        else:
            self._diagonals = convert_unless_variable(diagonals, "diagonals")
            dtype = self._diagonals.dtype
        self._diagonals_format = diagonals_format
        super().__init__(
            dtype=dtype, **self._arguments(is_square=True if is_square is None else is_square)
        )

    @property
    def diagonals(self) -> Any:
        """The diagonals, in their format."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """The format of the diagonals."""
        return self._diagonals_format

    def _shape(self) -> TensorShape:
        d = self._diagonals
        if self.diagonals_format == "matrix":
            return d.shape
        if self.diagonals_format == "sequence":
            batch = broadcast_static([part.shape[:-1] for part in d])
            return batch.concatenate([static_dim(d[1].shape, -1)] * 2)
        return d.shape[:-2].concatenate([static_dim(d.shape, -1)] * 2)

    def _shape_tensor(self) -> Any:
        d = self._diagonals
        if self.diagonals_format == "matrix":
            return sizes(d)
        if self.diagonals_format == "sequence":
            whole = broadcast_sizes([sizes(part) for part in d])
            return concat_sizes([whole, whole[-1:]])
        return concat_sizes([sizes(d, None, -2), sizes(d, -1), sizes(d, -1)])

    def _three(self) -> tuple[Any, Any, Any]:
        """Returns the superdiagonal, the diagonal and the subdiagonal, each of size N."""
        d = self._diagonals
        if self.diagonals_format == "compact":
            return d[..., 0, :], d[..., 1, :], d[..., 2, :]
        if self.diagonals_format == "matrix":
            part = API["linalg.diag_part"](d, k=(-1, 1), align="LEFT_RIGHT")
            return part[..., 0, :], part[..., 1, :], part[..., 2, :]
        shape = broadcast_sizes([sizes(part) for part in d])
        above, main, below = (API["broadcast_to"](part, shape) for part in d)
        return above, main, below

    def _assert_self_adjoint(self) -> Any:
        above, main, below = self._three()
        text = "Diagonal contained non-zero imaginary parts, or the other diagonals differ."
        checks = []
        if self.dtype.is_complex:
            below = API["math.conj"](below)
            checks.append(API["debugging.assert_equal"](API["math.imag"](main), 0.0, message=text))
        checks.append(
            API["debugging.assert_equal"](
                above[..., :-1], below[..., 1:], message="Matrix was not self-adjoint."
            )
        )
        return checks[-1]

    def _of_adjoint(self) -> tuple[Any, Any, Any]:
        """Returns the diagonals of the adjoint."""
        above, main, below = self._three()
        if self.dtype.is_complex:
            above, main, below = _conj(above, main, below)
        return API["roll"](below, -1, -1), main, API["roll"](above, 1, -1)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = API["linalg.adjoint"](x) if adjoint_arg else x
        above, main, below = map(column, self._of_adjoint() if adjoint else self._three())
        zero = API["zeros_like"](x[..., :1, :])
        following = API["concat"]([x[..., 1:, :], zero], -2)
        previous = API["concat"]([zero, x[..., :-1, :]], -2)
        return above * following + main * x + below * previous

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = API["linalg.adjoint"](rhs) if adjoint_arg else rhs
        three = API["stack"](self._of_adjoint() if adjoint else self._three(), -2)
        batch = broadcast_sizes([sizes(three, None, -2), sizes(rhs, None, -2)])
        three = API["broadcast_to"](three, concat_sizes([batch, sizes(three, -2)]))
        rhs = API["broadcast_to"](rhs, concat_sizes([batch, sizes(rhs, -2)]))
        return API["linalg.tridiagonal_solve"](three, rhs, diagonals_format="compact")

    def _diag_part(self) -> Any:
        return self._three()[1]

    def _to_dense(self) -> Any:
        return API["linalg.diag"](API["stack"](self._three(), -2), k=(-1, 1), align="LEFT_RIGHT")

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"diagonals": [1, 1, 1] if self.diagonals_format == "sequence" else 2}


@make_composite_tensor
class LinearOperatorPermutation(LinearOperator):
    """Permutation matrices: row i has its 1 in column ``perm[i]``.

    Args:
        perm: The permutations, an integer tensor of shape ``[..., N]``.
        dtype: The dtype of the matrices.
        is_non_singular: True.
        is_self_adjoint: The hint that the operator is self-adjoint.
        is_positive_definite: The hint that the operator is positive definite.
        is_square: True.
        name: The name.

    Raises:
        TypeError: The permutation is not of integers.
        ValueError: It is a scalar or no permutation, or a hint is wrong.
    """

    __module__ = "twinflow.linalg"
    _composite_tensor_fields = "perm", "dtype"
    _experimental_parameter_ndims_to_matrix_ndims = {"perm": 1}

    @record_parameters
    def __init__(
        self,
        perm: Any,
        dtype: Any = float32,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        for hint, hint_values in (("non-singular", is_non_singular), ("square", is_square)):
            if hint_values is False:
                raise ValueError(
                    f"A Permutation operator is always {hint}. Expected argument "
                    f"`is_{hint.replace('-', '_')}` to be True. Received: False."
                )
        self._perm = convert_unless_variable(perm, "perm")
        self._check_perm()
        super().__init__(dtype=as_dtype(dtype), **self._arguments(is_square=True))

    def _check_perm(self) -> None:
        """Raises an error for what is known to be no permutation."""
        if self._perm.shape.rank == 0:
            raise ValueError(
                f"Argument `perm` must have at least 1 dimension. Received: {as_text(self._perm)}."
            )
        if not self._perm.dtype.is_integer:
            raise TypeError(
                f"Argument `perm` must be integer dtype. Received: {as_text(self._perm)}."
            )
        static = static_of(self._perm) if isinstance(self._perm, Tensor) else self._perm
        if isinstance(static, np.ndarray):
            count = static.shape[-1]
            if not (np.sort(static, -1) == np.arange(count)).all():
                raise ValueError(
                    f"Argument `perm` must be a vector of unique integers from 0 to {count - 1}."
                )

    @property
    def perm(self) -> Any:
        """The permutations."""
        return self._perm

    def _shape(self) -> TensorShape:
        return self._perm.shape.concatenate(self._perm.shape[-1:])

    def _shape_tensor(self) -> Any:
        return concat_sizes([sizes(self._perm), sizes(self._perm, -1)])

    def _assert_non_singular(self) -> Any:
        return None

    def _cond(self) -> Any:
        return API["ones"](self._batch_sizes(), dtype=self.dtype.real_dtype)

    def _determinant(self) -> Any:
        return API["linalg.det"](self.to_dense())

    def _log_abs_determinant(self) -> Any:
        return API["zeros"](self._batch_sizes(), dtype=self.dtype)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = API["linalg.adjoint"](x) if adjoint_arg else x
        perm = convert_to_tensor(self._perm)
        if adjoint:
            perm = API["argsort"](perm, axis=-1)
        batch = broadcast_sizes([sizes(perm, None, -1), sizes(x, None, -2)])
        if isinstance(batch, np.ndarray) and not len(batch):
            return API["gather"](x, perm, axis=-2)
        perm = API["broadcast_to"](perm, concat_sizes([batch, sizes(perm, -1)]))
        x = API["broadcast_to"](x, concat_sizes([batch, sizes(x, -2)]))
        return API["gather"](x, perm, axis=-2, batch_dims=perm.shape.rank - 1)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _to_dense(self) -> Any:
        columns = API["range"](size(self._perm, -1), dtype=self._perm.dtype)
        return API["cast"](API["equal"](column(convert_to_tensor(self._perm)), columns), self.dtype)

    def _diag_part(self) -> Any:
        rows = API["range"](size(self._perm, -1), dtype=self._perm.dtype)
        return API["cast"](API["equal"](self._perm, rows), self.dtype)


@make_composite_tensor
class LinearOperatorHouseholder(LinearOperator):
    """Householder reflections: ``I - 2 v v^H / |v|^2``.

    Args:
        reflection_axis: v, a tensor of shape ``[..., N]``; its length does not matter.
        is_non_singular: The hint that the operator is invertible.
        is_self_adjoint: True.
        is_positive_definite: False.
        is_square: True.
        name: The name.

    Raises:
        ValueError: A hint is wrong, or the axis is a scalar.
    """

    __module__ = "twinflow.linalg"
    _composite_tensor_fields = ("reflection_axis",)
    _experimental_parameter_ndims_to_matrix_ndims = {"reflection_axis": 1}

    @record_parameters
    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        self._reflection_axis = convert_unless_variable(reflection_axis, "reflection_axis")
        if self._reflection_axis.shape.rank == 0:
            raise ValueError(
                "Argument reflection_axis must have at least 1 dimension.  Found: "
                f"{self._reflection_axis!s}"
            )
        if is_self_adjoint is False:
            raise ValueError("A Householder operator is always self adjoint.")
        if is_positive_definite is True:
            raise ValueError("A Householder operator is always non-positive definite.")
        if is_square is False:
            raise ValueError("A Householder operator is always square.")
        super().__init__(
            dtype=self._reflection_axis.dtype,
            **self._arguments(is_self_adjoint=True, is_positive_definite=False, is_square=True),
        )

    @property
    def reflection_axis(self) -> Any:
        """The axes that are reflected."""
        return self._reflection_axis

    def _shape(self) -> TensorShape:
        return self._reflection_axis.shape.concatenate(self._reflection_axis.shape[-1:])

    def _shape_tensor(self) -> Any:
        return concat_sizes([sizes(self._reflection_axis), sizes(self._reflection_axis, -1)])

    def _assert_self_adjoint(self) -> Any:
        return None

    def _assert_non_singular(self) -> Any:
        return None

    def _assert_positive_definite(self) -> Any:
        raise InvalidArgumentError(
            None, None, "Householder operators are always non-positive definite."
        )

    def _unit(self) -> Any:
        """Returns the axes with length one."""
        v = convert_to_tensor(self._reflection_axis)
        square = v * API["math.conj"](v) if v.dtype.is_complex else v * v
        return v / API["sqrt"](API["reduce_sum"](square, axis=-1, keepdims=True))

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = API["linalg.adjoint"](x) if adjoint_arg else x
        v, x = broadcast_batches(column(self._unit()), x)
        return x - 2 * v * API["linalg.matmul"](v, x, adjoint_a=True)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _to_dense(self) -> Any:
        v = column(self._unit())
        outer = -2 * API["linalg.matmul"](v, v, adjoint_b=True)
        return API["linalg.set_diag"](outer, 1 + API["linalg.diag_part"](outer))

    def _diag_part(self) -> Any:
        v = self._unit()
        return 1 - 2 * v * (API["math.conj"](v) if v.dtype.is_complex else v)

    def _trace(self) -> Any:
        ones = API["ones"](self._batch_sizes(), dtype=self.dtype)
        return (API["cast"](self._size(-1), self.dtype) - 2) * ones

    def _determinant(self) -> Any:
        return -API["ones"](self._batch_sizes(), dtype=self.dtype)

    def _log_abs_determinant(self) -> Any:
        return API["zeros"](self._batch_sizes(), dtype=self.dtype)

    def _eigvals(self) -> Any:
        ones = API["ones_like"](convert_to_tensor(self._reflection_axis))
        return API["concat"]([-ones[..., :1], ones[..., 1:]], -1)

    def _cond(self) -> Any:
        return API["ones"](self._batch_sizes(), dtype=self.dtype.real_dtype)

    def _linop_adjoint(self) -> LinearOperator:
        return self

    def _linop_inverse(self) -> LinearOperator:
        return self
