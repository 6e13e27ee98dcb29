"""Products, adjoints and inverses of linear operators that no other class holds."""

from __future__ import annotations

import functools
import itertools
import operator as python_operators
from collections.abc import Iterable
from typing import Any

from twinflow._src.core.dtypes import DType
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API
from twinflow._src.wings.linear_operators.base import LinearOperator, record_parameters
from twinflow._src.wings.linear_operators.dense import LinearOperatorLowerTriangular
from twinflow._src.wings.linear_operators.shapes import (
    Hint,
    all_hint,
    assert_same_size,
    broadcast_sizes,
    broadcast_static,
    concat_sizes,
    static_dim,
)
from twinflow._src.wings.linear_operators.spec import make_composite_tensor


def as_list(operators: Any) -> list[Any]:
    """Returns operators as a list; TypeError for one operator."""
    if isinstance(operators, LinearOperator):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(operators)}')
    return list(operators)


def join_names(separator: str, operators: list[LinearOperator], name: str | None) -> str:
    """Returns a name, by default those of the operators."""
    return separator.join(operator.name for operator in operators) if name is None else name


def common_dtype(operators: Iterable[LinearOperator]) -> DType:
    """Returns the dtype of operators; TypeError if they differ."""
    operators = list(operators)
    dtype = operators[0].dtype
    if any(operator.dtype != dtype for operator in operators):
        pairs = "   ".join(str((operator.name, operator.dtype)) for operator in operators)
        raise TypeError(f"Expected all operators to have the same dtype.  Found {pairs}")
    return dtype


def _are_adjoint(a: LinearOperator, b: LinearOperator) -> bool:
    """True if two operators are known to be each other's adjoint."""
    if a is b:
        return bool(a.is_self_adjoint)
    for one, other in ((a, b), (b, a)):
        if isinstance(one, LinearOperatorAdjoint) and one.operator is other:
            return True
    return False


def _is_gram(operators: list[LinearOperator]) -> bool:
    """True for a product of the form ``A A^H``."""
    half, odd = divmod(len(operators), 2)
    return not odd and all(_are_adjoint(operators[i], operators[-1 - i]) for i in range(half))


HINT_TEXTS = {
    "is_non_singular": "non-singular",
    "is_self_adjoint": "self-adjoint",
    "is_positive_definite": "positive-definite",
}


class OperatorOfOperators(LinearOperator):
    """Base class of operators made of a list of others."""

    _composite_tensor_fields = ("operators",)
    _operators: list[Any]

    @property
    def operators(self) -> Any:
        """The operators."""
        return self._operators

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [0] * len(self.operators)}

    def _are_square(self) -> bool:
        return all(operator.is_square for operator in self.operators)


class ProductOfDeterminants(OperatorOfOperators):
    """Base class of operators made of others, the product of whose determinants is their own."""

    def _determinant(self) -> Any:
        if not self._are_square():  # a square product of matrices that have no determinants
            return super()._determinant()
        factors = (operator.determinant() for operator in self.operators)
        return functools.reduce(python_operators.mul, factors)

    def _log_abs_determinant(self) -> Any:
        if not self._are_square():
            return super()._log_abs_determinant()
        values = [operator.log_abs_determinant() for operator in self.operators]
        return functools.reduce(python_operators.add, (API["cast"](v, self.dtype) for v in values))


@make_composite_tensor
class LinearOperatorComposition(ProductOfDeterminants):
    """Products of operators: ``A1 A2 ... An``.

    Args:
        operators: The operators, at least one, of one dtype and of compatible sizes.
        is_non_singular: The hint that the operator is invertible.
        is_self_adjoint: The hint that the operator is self-adjoint.
        is_positive_definite: The hint that the operator is positive definite.
        is_square: The hint that the operator is square.
        name: The name; those of the operators joined by ``_o_`` if None.

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
            raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
        dtype = common_dtype(operators)
        is_non_singular = all_hint(
            (operator.is_non_singular for operator in operators),
            is_non_singular,
            "The composition of non-singular operators is always non-singular.",
        )
        if _is_gram(operators) or (len(operators) == 1 and operators[0].is_self_adjoint):
            if is_self_adjoint is False:
                raise ValueError(
                    "The composition was determined to be self-adjoint but user provided incorrect "
                    "`False` hint."
                )
            is_self_adjoint = True
        if _is_gram(operators) and is_non_singular:
            if is_positive_definite is False:
                raise ValueError(
                    "The composition was determined to be non-singular and have the form A @ A.H, hence "
                    "it must be positive-definite. The user provided an incorrect `False` hint."
                )
            is_positive_definite = True
        self._operators = operators
        super().__init__(
            dtype=dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=join_names("_o_", operators, name),
        )

    def _shape(self) -> TensorShape:
        shapes = [operator.shape for operator in self.operators]
        for left, right in itertools.pairwise(shapes):
            assert_same_size(static_dim(left, -1), static_dim(right, -2))
        batch = broadcast_static([shape[:-2] for shape in shapes])
        return batch.concatenate([static_dim(shapes[0], -2), static_dim(shapes[-1], -1)])

    def _shape_tensor(self) -> Any:
        first, last = self.operators[0], self.operators[-1]
        batch = broadcast_sizes([operator._batch_sizes() for operator in self.operators])
        return concat_sizes([batch, [first._size(-2)], [last._size(-1)]])

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        order = list(self.operators) if adjoint else list(reversed(self.operators))
        result = order[0].matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            result = operator.matmul(result, adjoint=adjoint)
        return result

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        order = list(reversed(self.operators)) if adjoint else list(self.operators)
        result = order[0].solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            result = operator.solve(result, adjoint=adjoint)
        return result

    def _assert_non_singular(self) -> Any:
        if not self._are_square():
            return super()._assert_non_singular()
        return group_assertions([operator.assert_non_singular() for operator in self.operators])

    def _linop_cholesky(self) -> LinearOperator:
        first = self.operators[0]
        is_gram = len(self.operators) == 2 and _is_gram(list(self.operators))
        if not is_gram or not isinstance(first, LinearOperatorLowerTriangular):
            return super()._linop_cholesky()
        signs = API["sign"](first.diag_part())  # a Cholesky factor has a positive diagonal
        return LinearOperatorLowerTriangular(
            first.to_dense() * API["expand_dims"](API["math.conj"](signs), -2)
            if self.dtype.is_complex
            else first.to_dense() * API["expand_dims"](signs, -2),
            is_non_singular=first.is_non_singular,
            is_self_adjoint=first.is_self_adjoint,
            is_positive_definite=None,
            is_square=True,
        )


def group_assertions(assertions: list[Any]) -> Any:
    """Returns the operation of several assertions in a graph, else None."""
    present = [assertion for assertion in assertions if assertion is not None]
    return API["group"](*present) if present else None


def _with_hints_of(
    operator: LinearOperator, arguments: dict[str, Any], what: str
) -> dict[str, Any]:
    """Returns the arguments of an adjoint or inverse, whose hints must be those of the operator."""
    for name, text in (HINT_TEXTS | {"is_square": "square"}).items():
        hint, inner = arguments[name], getattr(operator, name)
        if hint is not None and inner is not None and bool(hint) != bool(inner):
            raise ValueError(f"An operator is {text} if and only if its {what} is {text}.")
        arguments[name] = inner if hint is None else hint
    return arguments


class _OperatorOfOne(LinearOperator):
    """Base class of the adjoint and the inverse of an operator, which share its properties."""

    _composite_tensor_fields = ("operator",)
    _experimental_parameter_ndims_to_matrix_ndims = {"operator": 0}
    _operator: Any

    @property
    def operator(self) -> LinearOperator:
        """The operator."""
        return self._operator

    def _assert_non_singular(self) -> Any:
        return self.operator.assert_non_singular()

    def _assert_positive_definite(self) -> Any:
        return self.operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        return self.operator.assert_self_adjoint()

    def _cond(self) -> Any:
        return self.operator.cond()


@make_composite_tensor
class LinearOperatorAdjoint(_OperatorOfOne):
    """The conjugate transpose of an operator.

    Args:
        operator: The operator.
        is_non_singular: The hint that the operator is invertible.
        is_self_adjoint: The hint that the operator is self-adjoint.
        is_positive_definite: The hint that the operator is positive definite.
        is_square: The hint that the operator is square.
        name: The name; that of the operator and ``_adjoint`` if None.

    Raises:
        ValueError: A hint contradicts that of the operator.
    """

    __module__ = "twinflow.linalg"

    @record_parameters
    def __init__(
        self,
        operator: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str | None = None,
    ) -> None:
        self._operator = operator
        arguments = self._arguments(name=f"{operator.name}_adjoint" if name is None else name)
        super().__init__(operator.dtype, **_with_hints_of(operator, arguments, "adjoint"))

    @property
    def operator(self) -> LinearOperator:
        """The operator whose conjugate transpose this is."""
        return self._operator

    def _linop_adjoint(self) -> LinearOperator:
        return self.operator

    def _shape(self) -> TensorShape:
        shape = self.operator.shape
        if shape.rank is None:
            return shape
        return self.operator.batch_shape.concatenate([static_dim(shape, -1), static_dim(shape, -2)])

    def _shape_tensor(self) -> Any:
        inner = self.operator
        return concat_sizes([inner._batch_sizes(), [inner._size(-1)], [inner._size(-2)]])

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return self.operator.matvec(x, adjoint=not adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return self.operator.solvevec(rhs, adjoint=not adjoint)

    def _conj(self, value: Any) -> Any:
        return API["math.conj"](value) if self.dtype.is_complex else value

    def _determinant(self) -> Any:
        return self._conj(self.operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self.operator.log_abs_determinant()

    def _diag_part(self) -> Any:
        return self._conj(self.operator.diag_part())

    def _trace(self) -> Any:
        return self._conj(self.operator.trace())

    def _to_dense(self) -> Any:
        return API["linalg.adjoint"](self.operator.to_dense())

    def _eigvals(self) -> Any:
        return self._conj(self.operator.eigvals())


@make_composite_tensor
class LinearOperatorInversion(_OperatorOfOne):
    """The inverse of an operator.

    Args:
        operator: The operator, square and invertible.
        is_non_singular: The hint that the operator is invertible; not False.
        is_self_adjoint: The hint that the operator is self-adjoint.
        is_positive_definite: The hint that the operator is positive definite.
        is_square: The hint that the operator is square; not False.
        name: The name; that of the operator and ``_inv`` if None.

    Raises:
        ValueError: A hint contradicts that of the operator.
    """

    __module__ = "twinflow.linalg"

    @record_parameters
    def __init__(
        self,
        operator: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str | None = None,
    ) -> None:
        arguments = self._arguments(name=f"{operator.name}_inv" if name is None else name)
        for hint in ("is_square", "is_non_singular"):
            inner = getattr(operator, hint)
            if inner is False or arguments[hint] is False:
                raise ValueError(
                    f"Argument `{hint}` or argument `operator` must have supplied hint `{hint}` equal to "
                    f"`True` or `None`. Found `operator.{hint}`: {inner}, `{hint}`: {arguments[hint]}."
                )
        self._operator = operator
        super().__init__(operator.dtype, **_with_hints_of(operator, arguments, "inverse"))

    @property
    def operator(self) -> LinearOperator:
        """The operator whose inverse this is."""
        return self._operator

    def _linop_inverse(self) -> LinearOperator:
        return self.operator

    def _linop_solve(self, left_operator: LinearOperator, right_operator: LinearOperator) -> Any:
        if isinstance(left_operator, LinearOperatorInversion):
            return left_operator.operator.matmul(right_operator)
        return super()._linop_solve(left_operator, right_operator)

    def _shape(self) -> TensorShape:
        return self.operator.shape

    def _shape_tensor(self) -> Any:
        return self.operator._sizes()

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return self.operator.solvevec(x, adjoint=adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return self.operator.matvec(rhs, adjoint=adjoint)

    def _determinant(self) -> Any:
        return 1.0 / self.operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -1.0 * self.operator.log_abs_determinant()

    def _eigvals(self) -> Any:
        return 1.0 / self.operator.eigvals()
