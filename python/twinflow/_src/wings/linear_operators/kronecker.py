"""Kronecker products of linear operators."""

from __future__ import annotations

import functools
import operator as python_operators
from typing import Any

from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API
from twinflow._src.wings.linear_operators.base import LinearOperator, record_parameters
from twinflow._src.wings.linear_operators.compositions import (
    HINT_TEXTS,
    OperatorOfOperators,
    as_list,
    group_assertions,
    join_names,
)
from twinflow._src.wings.linear_operators.shapes import (
    Hint,
    all_hint,
    broadcast_batches,
    broadcast_sizes,
    broadcast_static,
    concat_sizes,
    size,
    sizes,
    static_dim,
)
from twinflow._src.wings.linear_operators.spec import make_composite_tensor


@make_composite_tensor
class LinearOperatorKronecker(OperatorOfOperators):
    """Kronecker products of operators: ``A1 x A2 x ... x An``.

    Args:
        operators: The operators, at least one, of one dtype.
        is_non_singular: The hint that the operator is invertible.
        is_self_adjoint: The hint that the operator is self-adjoint.
        is_positive_definite: The hint that the operator is positive definite.
        is_square: The hint that the operator is square.
        name: The name; those of the operators joined by ``_x_`` if None.

    Raises:
        TypeError: The dtypes differ.
        ValueError: There is no operator, or a hint contradicts those of the operators.
    """

    __module__ = "twinflow.linalg"

    @record_parameters
    def __init__(
        self,
        operators: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str | None = None,
    ) -> None:
        operators = as_list(operators)
        if not operators:
            raise ValueError(
                f"Argument `operators` must be a list of >=1 operators. Received: {operators}."
            )
        dtype = operators[0].dtype
        if any(operator.dtype != dtype for operator in operators):
            pairs = [str((operator.name, operator.dtype)) for operator in operators]
            raise TypeError(
                "Expected every operation in argument `operators` to have the same dtype. "
                f"Received {pairs!s}."
            )
        arguments = self._arguments(name=join_names("_x_", operators, name))
        for hint, text in HINT_TEXTS.items():
            arguments[hint] = all_hint(
                (getattr(operator, hint) for operator in operators),
                arguments[hint],
                f"The Kronecker product of {text} operators is always {text}. Expected argument "
                f"`{hint}` to be True. Received: {arguments[hint]}.",
            )
        self._operators = operators
        super().__init__(dtype, **arguments)

    def _shape(self) -> TensorShape:
        shapes = [operator.shape for operator in self.operators]
        batch = broadcast_static([shape[:-2] for shape in shapes])
        return batch.concatenate(
            [_product(static_dim(s, axis) for s in shapes) for axis in (-2, -1)]
        )

    def _shape_tensor(self) -> Any:
        batch = broadcast_sizes([operator._batch_sizes() for operator in self.operators])
        return concat_sizes([batch, [self._product_of(-2)], [self._product_of(-1)]])

    def _product_of(self, axis: int) -> Any:
        """Returns the product of a size of all operators."""
        return functools.reduce(python_operators.mul, (o._size(axis) for o in self.operators))

    def _apply(self, x: Any, method: str, adjoint: bool) -> Any:
        """Applies the factors one after the other, each to one axis of the rows of ``x``.

        With the rows of ``x`` as a tensor with an axis for each factor, the product is the
        contraction of each axis with its factor. A factor acts on the first axis of the rows, after
        which that axis becomes the last one.
        """
        columns = size(x, -1)
        for operator in self.operators:
            rows = size(x, -2)
            inner = operator._size(-2 if adjoint == (method == "matmul") else -1)
            rest = rows // inner
            batch = sizes(x, None, -2)
            # [..., inner, rest * columns]
            x = API["reshape"](x, concat_sizes([batch, [inner], [rest * columns]]))
            x = getattr(operator, method)(x, adjoint=adjoint)
            outer, batch = size(x, -2), sizes(x, None, -2)
            x = API["reshape"](x, concat_sizes([batch, [outer], [rest], [columns]]))
            x = _swap_axes(x, -3, -2)
            x = API["reshape"](x, concat_sizes([batch, [outer * rest], [columns]]))
        return x

    def _with_static(self, x: Any, axis: int, like: Any) -> Any:
        """Sets the static shape of a result."""
        if isinstance(x, Tensor):
            batch = broadcast_static([self.batch_shape, like.shape[:-2]])
            x.set_shape(
                batch.concatenate([static_dim(self.shape, axis), static_dim(like.shape, -1)])
            )
        return x

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = API["linalg.adjoint"](x) if adjoint_arg else x
        return self._with_static(self._apply(x, "matmul", adjoint), -1 if adjoint else -2, x)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = API["linalg.adjoint"](rhs) if adjoint_arg else rhs
        return self._with_static(self._apply(rhs, "solve", adjoint), -2 if adjoint else -1, rhs)

    def _powers(self) -> list[Any]:
        """Returns, by factor, the exponent of its determinant: the size of all other factors."""
        total = self._size(-1)
        return [total // operator._size(-1) for operator in self.operators]

    def _determinant(self) -> Any:
        result: Any = None
        for operator, power in zip(self.operators, self._powers()):
            factor = operator.determinant() ** API["cast"](power, self.dtype)
            result = factor if result is None else result * factor
        return result

    def _log_abs_determinant(self) -> Any:
        result: Any = None
        for operator, power in zip(self.operators, self._powers()):
            value = API["cast"](operator.log_abs_determinant(), self.dtype)
            term = value * API["cast"](power, value.dtype)
            result = term if result is None else result + term
        return result

    def _trace(self) -> Any:
        return functools.reduce(python_operators.mul, (o.trace() for o in self.operators))

    def _outer(self, vectors: list[Any]) -> Any:
        """Returns the products of all combinations of the elements of vectors."""
        result = vectors[0]
        for vector in vectors[1:]:
            pair = API["expand_dims"](result, -1) * API["expand_dims"](vector, -2)
            shape = concat_sizes([sizes(pair, None, -2), [size(pair, -2) * size(pair, -1)]])
            result = API["reshape"](pair, shape)
        return result

    def _diag_part(self) -> Any:
        if not self._are_square():
            return super()._diag_part()
        return self._outer([operator.diag_part() for operator in self.operators])

    def _eigvals(self) -> Any:
        return self._outer([operator.eigvals() for operator in self.operators])

    def _to_dense(self) -> Any:
        result = self.operators[0].to_dense()
        for operator in self.operators[1:]:
            result = _kronecker(result, operator.to_dense())
        return result

    def _assert_non_singular(self) -> Any:
        if not self._are_square():
            return super()._assert_non_singular()
        return group_assertions([operator.assert_non_singular() for operator in self.operators])

    def _assert_self_adjoint(self) -> Any:
        if not self._are_square():
            return super()._assert_self_adjoint()
        return group_assertions([operator.assert_self_adjoint() for operator in self.operators])

    def _of(self, operators: list[LinearOperator], **hints: Hint) -> LinearOperatorKronecker:
        """Returns the product of other factors, with the same hints where none are given."""
        return LinearOperatorKronecker(operators, **self._hints(**hints))

    def _linop_adjoint(self) -> LinearOperator:
        return self._of([operator.adjoint() for operator in self.operators])

    def _linop_inverse(self) -> LinearOperator:
        if not self._are_square():
            return super()._linop_inverse()
        return self._of([operator.inverse() for operator in self.operators])

    def _linop_cholesky(self) -> LinearOperator:
        if not all(operator._can_use_cholesky() for operator in self.operators):
            return super()._linop_cholesky()
        return LinearOperatorKronecker(
            [operator.cholesky() for operator in self.operators],
            is_non_singular=True,
            is_self_adjoint=None,
            is_square=True,
        )


def _product(values: Any) -> int | None:
    """Returns the product of sizes, None where one is unknown."""
    result = 1
    for value in values:
        if value is None:
            return None
        result *= value
    return result


def _swap_axes(x: Any, a: int, b: int) -> Any:
    """Transposes two axes, counted from the last."""
    rank = x.shape.rank
    if rank is None:
        count = API["rank"](x)
        order = API["range"](count)
        order = API["concat"](
            [order[: count + a], [count + b, count + a], order[count + b + 1 :]], 0
        )
        return API["transpose"](x, order)
    axes = list(range(rank))
    axes[a], axes[b] = axes[b], axes[a]
    return API["transpose"](x, axes)


def _kronecker(a: Any, b: Any) -> Any:
    """Returns the Kronecker product of dense matrices."""
    a, b = broadcast_batches(a, b)
    whole = a[..., :, None, :, None] * b[..., None, :, None, :]
    shape = concat_sizes(
        [sizes(a, None, -2), [size(a, -2) * size(b, -2)], [size(a, -1) * size(b, -1)]]
    )
    return API["reshape"](whole, shape)
