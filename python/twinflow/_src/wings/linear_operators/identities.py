"""Identity, scaled identity and zero operators, which hold no matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import as_dtype, float32, int32
from twinflow._src.core.errors import InvalidArgumentError
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API
from twinflow._src.wings.linear_operators.base import (
    LinearOperator,
    assert_positive,
    assert_real,
    record_parameters,
)
from twinflow._src.wings.linear_operators.shapes import (
    Hint,
    assert_same_size,
    broadcast_sizes,
    column,
    commuting,
    concat_sizes,
    convert_unless_variable,
    eye_like,
    is_static,
    sizes,
    static_dim,
    static_of,
)
from twinflow._src.wings.linear_operators.spec import make_composite_tensor


def _as_count(value: Any, name: str) -> Any:
    """Returns a number of rows, an int where it is known."""
    tensor = convert_to_tensor(
        value.numpy() if hasattr(value, "numpy") and not isinstance(value, Tensor) else value,
        name=name,
    )
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument {name} must be integer type.  Found: {tensor!s}")
    static = static_of(tensor)
    if isinstance(static, Tensor):
        if static.shape.rank not in (None, 0):
            raise ValueError(f"Argument {name} must be a 0-D Tensor.  Found: {static}")
        return API["cast"](static, int32)
    if static.ndim:
        raise ValueError(f"Argument {name} must be a 0-D Tensor.  Found: {static}")
    if static < 0:
        raise ValueError(f"Argument {name} must be non-negative.  Found: {static}")
    return int(static)


def _as_batch_shape(value: Any) -> Any:
    """Returns a batch shape, an int32 array where it is known."""
    if value is None:
        return np.zeros(0, np.int32)
    if isinstance(value, TensorShape):
        value = value.as_list()
    if isinstance(value, (list, tuple)) and not value:
        return np.zeros(0, np.int32)
    tensor = convert_to_tensor(value, name="batch_shape_arg")
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument batch_shape must be integer type.  Found: {tensor!s}")
    static = static_of(tensor)
    if isinstance(static, Tensor):
        return API["cast"](static, int32)
    if static.ndim != 1:
        raise ValueError(f"Argument batch_shape must be a 1-D Tensor.  Found: {static}")
    if (static < 0).any():
        raise ValueError(f"Argument batch_shape must be non-negative.  Found:{static}")
    return static.astype(np.int32)


def _static_batch(batch: Any) -> TensorShape:
    """Returns the static form of a batch shape."""
    if is_static(batch):
        return TensorShape([int(n) for n in batch])
    rank = static_dim(batch.shape, 0) if batch.shape.rank is not None else None
    return TensorShape(None) if rank is None else TensorShape([None] * rank)


def _with_batch(x: Any, batch: Any) -> Any:
    """Broadcasts matrices to a batch shape."""
    if is_static(batch):
        dims = x.shape._dims
        if dims is not None and len(batch) <= len(dims) - 2:
            ours = dims[len(dims) - 2 - len(batch) : -2]
            if all(a == b or b == 1 for a, b in zip(ours, batch)):
                return x
    shape = broadcast_sizes([sizes(x, None, -2), batch])
    return API["broadcast_to"](x, concat_sizes([shape, sizes(x, -2)]))


def _count_of(value: Any) -> int | None:
    return value if isinstance(value, int) else None


class BaseLinearOperatorIdentity(LinearOperator):
    """Base class of multiples of the identity."""

    _num_rows: Any

    def _rows_check(self, x: Any) -> None:
        """Asserts the number of rows of an argument whose size is not static."""
        if self._assert_proper_shapes and not isinstance(self._num_rows, int):  # type: ignore[attr-defined]
            API["debugging.assert_equal"](self._num_rows, API["shape"](x)[-2])

    def _ones_diag(self) -> Any:
        """Returns ones of the shape of the diagonal."""
        shape = concat_sizes([self._batch_sizes(), [self._size(-1)]])
        return API["ones"](shape, dtype=self.dtype)


@make_composite_tensor
class LinearOperatorIdentity(BaseLinearOperatorIdentity):
    """Identity matrices, of any batch shape.

    Args:
        num_rows: The number of rows, an integer scalar.
        batch_shape: The batch shape, an integer vector; no batch dimensions if None.
        dtype: The dtype; float32 if None.
        is_non_singular: True.
        is_self_adjoint: True.
        is_positive_definite: True.
        is_square: True.
        assert_proper_shapes: If True, sizes that are not static are asserted when they are known.
        name: The name.

    Raises:
        ValueError: A hint is not True, or a size is negative or of another rank.
        TypeError: A size is not an integer.
    """

    __module__ = "twinflow.linalg"
    _composite_tensor_fields = "num_rows", "batch_shape", "dtype", "assert_proper_shapes"
    _composite_tensor_prefer_static_fields = "num_rows", "batch_shape"

    @record_parameters
    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: Hint = True,
        is_self_adjoint: Hint = True,
        is_positive_definite: Hint = True,
        is_square: Hint = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        for hint, what in (
            (is_self_adjoint, "self adjoint"),
            (is_non_singular, "non-singular"),
            (is_positive_definite, "positive-definite"),
            (is_square, "square"),
        ):
            if not hint:
                raise ValueError(f"An identity operator is always {what}.")
        super().__init__(
            dtype=as_dtype(dtype) if dtype is not None else float32,
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
            is_square=True,
            name=name,
        )
        self._assert_proper_shapes = assert_proper_shapes
        self._num_rows = _as_count(num_rows, "num_rows")
        self._batch_shape_arg = _as_batch_shape(batch_shape)

    def _shape(self) -> TensorShape:
        rows = _count_of(self._num_rows)
        return _static_batch(self._batch_shape_arg).concatenate([rows, rows])

    def _shape_tensor(self) -> Any:
        return concat_sizes([self._batch_shape_arg, [self._num_rows], [self._num_rows]])

    def _assert_non_singular(self) -> Any:
        return None

    def _assert_self_adjoint(self) -> Any:
        return None

    def _assert_positive_definite(self) -> Any:
        return None

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = API["linalg.adjoint"](x) if adjoint_arg else x
        self._rows_check(x)
        return _with_batch(x, self._batch_shape_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return API["ones"](self._batch_sizes(), dtype=self.dtype)

    def _log_abs_determinant(self) -> Any:
        return API["zeros"](self._batch_sizes(), dtype=self.dtype)

    def _trace(self) -> Any:
        rows = API["cast"](self._num_rows, self.dtype)
        return rows * API["ones"](self._batch_sizes(), dtype=self.dtype)

    def _diag_part(self) -> Any:
        return self._ones_diag()

    def _eigvals(self) -> Any:
        return self._ones_diag()

    def _cond(self) -> Any:
        return API["ones"](self._batch_sizes(), dtype=self.dtype.real_dtype)

    def _to_dense(self) -> Any:
        return eye_like(self._num_rows, self._batch_shape_arg, self.dtype)

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:
        """Adds the identity to matrices.

        Args:
            mat: A tensor of shape ``[..., N, N]``.
            name: A name for the operations.

        Returns:
            A tensor.

        Raises:
            TypeError: The dtypes differ.
        """
        with self._name_scope(name):
            mat = self._input(mat, "mat")
            diagonal = API["linalg.diag_part"](mat)
            return API["linalg.set_diag"](mat, diagonal + API["ones_like"](diagonal))

    def _linop_adjoint(self) -> LinearOperator:
        return self

    def _linop_inverse(self) -> LinearOperator:
        return self

    def _linop_cholesky(self) -> LinearOperator:
        return LinearOperatorIdentity(
            num_rows=self._num_rows, batch_shape=self._batch_shape_arg, dtype=self.dtype
        )


@make_composite_tensor
class LinearOperatorScaledIdentity(BaseLinearOperatorIdentity):
    """Multiples of the identity matrix, one for each element of a multiplier.

    Args:
        num_rows: The number of rows, an integer scalar.
        multiplier: A tensor of the batch shape.
        is_non_singular: The hint that the operator is invertible.
        is_self_adjoint: The hint that the operator is self-adjoint; True for real multipliers.
        is_positive_definite: The hint that the operator is positive definite.
        is_square: True.
        assert_proper_shapes: If True, sizes that are not static are asserted when they are known.
        name: The name.

    Raises:
        ValueError: A hint is wrong, or the number of rows is negative or not a scalar.
        TypeError: The number of rows is not an integer.
    """

    __module__ = "twinflow.linalg"
    _composite_tensor_fields = "num_rows", "multiplier", "assert_proper_shapes"
    _composite_tensor_prefer_static_fields = ("num_rows",)
    _experimental_parameter_ndims_to_matrix_ndims = {"multiplier": 0}

    @record_parameters
    def __init__(
        self,
        num_rows: Any,
        multiplier: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        self._assert_proper_shapes = assert_proper_shapes
        self._multiplier = convert_unless_variable(multiplier, "multiplier")
        if not self._multiplier.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        super().__init__(
            dtype=self._multiplier.dtype, **self._arguments(is_self_adjoint=is_self_adjoint)
        )
        self._num_rows = _as_count(num_rows, "num_rows")

    @property
    def multiplier(self) -> Any:
        """The factors of the identity."""
        return self._multiplier

    def _shape(self) -> TensorShape:
        rows = _count_of(self._num_rows)
        return self._multiplier.shape.concatenate([rows, rows])

    def _shape_tensor(self) -> Any:
        return concat_sizes([sizes(self._multiplier), [self._num_rows], [self._num_rows]])

    def _factor(self, adjoint: bool = False) -> Any:
        """Returns the factors with two more dimensions."""
        factor = convert_to_tensor(self._multiplier)
        if adjoint and factor.dtype.is_complex:
            factor = API["math.conj"](factor)
        return column(column(factor))

    def _assert_non_singular(self) -> Any:
        return assert_positive(API["abs"](self._multiplier), "LinearOperator was singular")

    def _assert_positive_definite(self) -> Any:
        return assert_positive(
            API["math.real"](self._multiplier), "LinearOperator was not positive definite."
        )

    def _assert_self_adjoint(self) -> Any:
        return assert_real(self._multiplier, "LinearOperator was not self-adjoint")

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = API["linalg.adjoint"](x) if adjoint_arg else x
        self._rows_check(x)
        return x * self._factor(adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = API["linalg.adjoint"](rhs) if adjoint_arg else rhs
        self._rows_check(rhs)
        return rhs / self._factor(adjoint)

    def _rows_as(self, dtype: Any) -> Any:
        return API["cast"](self._num_rows, dtype)

    def _determinant(self) -> Any:
        return self._multiplier ** self._rows_as(self.dtype)

    def _log_abs_determinant(self) -> Any:
        size = API["math.log"](API["abs"](self._multiplier))
        return self._rows_as(size.dtype) * size

    def _trace(self) -> Any:
        return self._rows_as(self.dtype) * self._multiplier

    def _diag_part(self) -> Any:
        return column(convert_to_tensor(self._multiplier)) * API["ones"](
            [self._size(-1)], dtype=self.dtype
        )

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        zero = API["equal"](API["abs"](self._multiplier), 0)
        dtype = self.dtype.real_dtype
        shape = sizes(self._multiplier)
        nan = API["fill"](shape, np.array(np.nan, dtype.as_numpy_dtype))
        return API["where"](zero, nan, API["ones"](shape, dtype=dtype))

    def _to_dense(self) -> Any:
        return eye_like(self._num_rows, None, self.dtype) * self._factor()

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:
        """Adds the operator to matrices.

        Args:
            mat: A tensor of shape ``[..., N, N]``.
            name: A name for the operations.

        Returns:
            A tensor.

        Raises:
            TypeError: The dtypes differ.
        """
        with self._name_scope(name):
            mat = self._input(mat, "mat")
            factor = column(convert_to_tensor(self._multiplier))
            shape = broadcast_sizes([sizes(mat, None, -2), sizes(self._multiplier)])
            mat = API["broadcast_to"](mat, concat_sizes([shape, sizes(mat, -2)]))
            diagonal = API["linalg.diag_part"](mat) + factor
            return API["linalg.set_diag"](mat, diagonal)

    def _with(self, multiplier: Any, **hints: Hint) -> LinearOperatorScaledIdentity:
        """Returns an operator of the same size with another multiplier."""
        return LinearOperatorScaledIdentity(self._num_rows, multiplier, **self._hints(**hints))

    def _linop_adjoint(self) -> LinearOperator:
        factor = self._multiplier
        return self._with(API["math.conj"](factor) if self.dtype.is_complex else factor)

    def _linop_inverse(self) -> LinearOperator:
        return self._with(1.0 / self._multiplier)

    def _linop_cholesky(self) -> LinearOperator:
        return self._with(
            API["sqrt"](self._multiplier),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
        )

    def _linop_matmul(self, left_operator: LinearOperator, right_operator: LinearOperator) -> Any:
        pair = (left_operator, right_operator)
        if all(isinstance(op, LinearOperatorScaledIdentity) for op in pair):
            factor = left_operator.multiplier * right_operator.multiplier  # type: ignore[attr-defined]
            return self._with(factor, **commuting(*pair))
        diagonal = _diagonal_class()
        if isinstance(right_operator, diagonal):
            return right_operator._linop_matmul(*pair)
        return super()._linop_matmul(*pair)

    def _linop_solve(self, left_operator: LinearOperator, right_operator: LinearOperator) -> Any:
        pair = (left_operator, right_operator)
        if all(isinstance(op, LinearOperatorScaledIdentity) for op in pair):
            factor = right_operator.multiplier / left_operator.multiplier  # type: ignore[attr-defined]
            return self._with(factor, **commuting(*pair))
        diagonal = _diagonal_class()
        if isinstance(right_operator, diagonal):
            return right_operator._linop_solve(*pair)
        return super()._linop_solve(*pair)


def _diagonal_class() -> Any:
    from twinflow._src.wings.linear_operators.dense import LinearOperatorDiag

    return LinearOperatorDiag


@make_composite_tensor
class LinearOperatorZeros(LinearOperator):
    """Matrices of zeros, of any batch shape.

    Args:
        num_rows: The number of rows, an integer scalar.
        num_columns: The number of columns; that of the rows if None.
        batch_shape: The batch shape, an integer vector; no batch dimensions if None.
        dtype: The dtype; float32 if None.
        is_non_singular: False.
        is_self_adjoint: True for square operators.
        is_positive_definite: False.
        is_square: The hint that the operator is square.
        assert_proper_shapes: If True, sizes that are not static are asserted when they are known.
        name: The name.

    Raises:
        ValueError: A hint is wrong, or a size is negative or of another rank.
        TypeError: A size is not an integer.
    """

    __module__ = "twinflow.linalg"
    _composite_tensor_fields = (
        "num_rows",
        "num_columns",
        "batch_shape",
        "dtype",
        "assert_proper_shapes",
    )
    _composite_tensor_prefer_static_fields = "num_rows", "num_columns", "batch_shape"

    @record_parameters
    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: Hint = False,
        is_self_adjoint: Hint = True,
        is_positive_definite: Hint = False,
        is_square: Hint = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        if not is_self_adjoint and is_square and is_self_adjoint is False:
            raise ValueError("A zero operator is always self adjoint.")
        if is_non_singular:
            raise ValueError("A zero operator is always singular.")
        if is_positive_definite:
            raise ValueError("A zero operator is always not positive-definite.")
        super().__init__(
            dtype=as_dtype(dtype) if dtype is not None else float32, **self._arguments()
        )
        self._assert_proper_shapes = assert_proper_shapes
        self._num_rows = _as_count(num_rows, "num_rows")
        self._num_columns = (
            self._num_rows if num_columns is None else _as_count(num_columns, "num_columns")
        )
        self._batch_shape_arg = _as_batch_shape(batch_shape)
        both = isinstance(self._num_rows, int) and isinstance(self._num_columns, int)
        if both and is_square and self._num_rows != self._num_columns:
            raise ValueError(
                f"LinearOperatorZeros initialized as is_square=True, but got num_rows({self._num_rows}) "
                f"!= num_columns({self._num_columns})"
            )

    def _shape(self) -> TensorShape:
        matrix = [_count_of(self._num_rows), _count_of(self._num_columns)]
        return _static_batch(self._batch_shape_arg).concatenate(matrix)

    def _shape_tensor(self) -> Any:
        return concat_sizes([self._batch_shape_arg, [self._num_rows], [self._num_columns]])

    def _assert_non_singular(self) -> Any:
        raise InvalidArgumentError(None, None, "Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> Any:
        raise InvalidArgumentError(None, None, "Zero operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> Any:
        return None

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = API["linalg.adjoint"](x) if adjoint_arg else x
        rows = self._num_columns if adjoint else self._num_rows
        if self._assert_proper_shapes:
            columns = self._num_rows if adjoint else self._num_columns
            API["debugging.assert_equal"](columns, API["shape"](x)[-2])
        batch = broadcast_sizes([sizes(x, None, -2), self._batch_shape_arg])
        return API["zeros"](concat_sizes([batch, [rows], sizes(x, -1)]), dtype=x.dtype)

    def _least(self) -> Any:
        """Returns the length of the diagonal."""
        rows, columns = self._num_rows, self._num_columns
        if isinstance(rows, int) and isinstance(columns, int):
            return min(rows, columns)
        return API["minimum"](rows, columns)

    def _determinant(self) -> Any:
        assert_same_size(_count_of(self._num_rows), _count_of(self._num_columns))
        return API["zeros"](self._batch_sizes(), dtype=self.dtype)

    def _log_abs_determinant(self) -> Any:
        return API["math.log"](self._determinant())

    def _trace(self) -> Any:
        return API["zeros"](self._batch_sizes(), dtype=self.dtype)

    def _diag_part(self) -> Any:
        shape = concat_sizes([self._batch_sizes(), [self._least()]])
        return API["zeros"](shape, dtype=self.dtype)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _to_dense(self) -> Any:
        return API["zeros"](self._sizes(), dtype=self.dtype)

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:
        """Adds zeros to matrices.

        Args:
            mat: A tensor of shape ``[..., M, N]``.
            name: A name for the operations.

        Returns:
            A tensor.
        """
        with self._name_scope(name):
            return _with_batch(self._input(mat, "mat"), self._batch_shape_arg)

    def _linop_adjoint(self) -> LinearOperator:
        return self._of_size(self._num_columns, self._num_rows)

    def _of_size(self, rows: Any, columns: Any) -> LinearOperatorZeros:
        """Returns zeros of another size."""
        square = isinstance(rows, int) and rows == columns
        return LinearOperatorZeros(
            rows,
            columns,
            batch_shape=self._batch_shape_arg,
            dtype=self.dtype,
            is_non_singular=self.is_non_singular,
            is_self_adjoint=True if square else self.is_self_adjoint,
            is_positive_definite=self.is_positive_definite,
            is_square=True if square else self.is_square,
        )

    def _linop_matmul(self, left_operator: LinearOperator, right_operator: LinearOperator) -> Any:
        result = product(left_operator, right_operator)
        return super()._linop_matmul(left_operator, right_operator) if result is None else result


def product(left: LinearOperator, right: LinearOperator) -> LinearOperator | None:
    """Returns the product of operators if one of them is an identity or zero, else None."""
    if isinstance(left, LinearOperatorIdentity):
        return right
    if isinstance(right, LinearOperatorIdentity):
        return left
    for zeros in (left, right):
        if isinstance(zeros, LinearOperatorZeros):
            if not (left.is_square and right.is_square):
                raise ValueError(
                    "Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` "
                    "not supported at this time."
                )
            return zeros
    return None
