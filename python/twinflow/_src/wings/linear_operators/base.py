"""``tf.linalg.LinearOperator``: the base class of linear operators."""

from __future__ import annotations

import abc
import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import numpy as np

from twinflow._src.composite_tensors.component_specs import CompositeTensor, without_variables
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import DType, as_dtype, int32
from twinflow._src.core.shapes import Dimension, TensorShape
from twinflow._src.dispatch.execute import COMPOSITES, execute
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import OPS, Op
from twinflow._src.trackable.module import Module
from twinflow._src.wings.extension_types.dispatch import on_extension
from twinflow._src.wings.linear_operators.shapes import (
    Hint,
    assert_same_size,
    both_non_singular,
    both_square,
    column,
    eye_like,
    solve_cholesky,
    solve_matrices,
    static_dim,
    uncolumn,
)
from twinflow._src.wings.linear_operators.spec import HINTS, slice_operator


def _invert(inputs: list[Any], attrs: dict[str, Any]) -> Any:
    inverse = inputs[0].inverse()
    return inverse.adjoint() if attrs.get("adjoint") else inverse


def _solve(inputs: list[Any], attrs: dict[str, Any]) -> Any:
    matrix, rhs = inputs
    if not hasattr(matrix, "_is_linear_operator"):
        return NotImplemented
    return matrix.solve(rhs, adjoint=bool(attrs.get("adjoint")))


_METHODS: dict[Op, Callable[[list[Any], dict[str, Any]], Any]] = {
    OPS["MatrixInverse"]: _invert,
    OPS["MatrixSolve"]: _solve,
    OPS["Cholesky"]: lambda inputs, attrs: inputs[0].cholesky(),
    OPS["MatrixDeterminant"]: lambda inputs, attrs: inputs[0].determinant(),
}


def dispatch_op(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an op with an operator among its inputs; NotImplemented for ops that take tensors only."""
    if op in _METHODS:
        return _METHODS[op](inputs, attrs)
    if op.is_identity and inputs[0]._type_spec is not None:
        return nest.map_structure(
            lambda x: execute(op, [x], attrs), inputs[0], expand_composites=True
        )
    return on_extension(op, inputs, attrs)


F = TypeVar("F", bound=Callable[..., None])


def record_parameters(init: F) -> F:
    """Makes a constructor record its arguments as the ``parameters`` of the operator."""
    defaults = {p.name: p.default for p in list(inspect.signature(init).parameters.values())[1:]}

    @functools.wraps(init)
    def construct(self: Any, *args: Any, **kwargs: Any) -> None:
        vars(self)["_parameters"] = {**defaults, **dict(zip(defaults, args)), **kwargs}
        init(self, *args, **kwargs)

    return cast(F, construct)


class LinearOperator(Module, CompositeTensor, metaclass=abc.ABCMeta):
    """Base class of linear operators: (batches of) matrices known by their structure.

    An operator of shape ``[B1, ..., Bb, M, N]`` acts on tensors of shape ``[..., N, R]``. Subclasses
    define ``_shape`` and ``_matmul``, ``_shape_tensor`` for shapes that are not static, and other
    methods with a leading underscore where the structure allows better algorithms than those of
    dense matrices.

    The hints ``is_non_singular``, ``is_self_adjoint``, ``is_positive_definite`` and ``is_square``
    are promises of the caller: True, False or None (unknown). Algorithms are chosen by them;
    ``assert_*`` methods check them.

    Args:
        dtype: The dtype of the matrix, and of the arguments of its methods.
        graph_parents: Deprecated and without effect.
        is_non_singular: The hint that the operator is invertible.
        is_self_adjoint: The hint that the operator equals its conjugate transpose.
        is_positive_definite: The hint that the real part of ``x^H A x`` is positive for every x
            that is not zero.
        is_square: The hint that the operator is square.
        name: The name.
        parameters: The arguments of the subclass's constructor by name.

    Raises:
        ValueError: The hints contradict each other.
    """

    __module__ = "twinflow.linalg"

    _TF_MODULE_IGNORED_PROPERTIES = Module._TF_MODULE_IGNORED_PROPERTIES | {
        "_parameters",
        "_graph_parents",
    }
    _parameters: dict[str, Any] = {}  # of an instance: the arguments of its constructor by name
    _is_linear_operator = True  # read by the functions of tf.linalg

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        COMPOSITES[cls] = dispatch_op

    def __init__(
        self,
        dtype: Any,
        graph_parents: Any = None,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        if is_positive_definite and is_non_singular is False:
            raise ValueError("A positive definite matrix is always non-singular.")
        is_non_singular = is_non_singular or (True if is_positive_definite else is_non_singular)
        if is_non_singular and is_square is False:
            raise ValueError("A non-singular matrix is always square.")
        if is_self_adjoint and is_square is False:
            raise ValueError("A self-adjoint matrix is always square.")
        attributes = vars(self)  # set past Module, which would track them
        if parameters is not None:
            attributes["_parameters"] = parameters
        attributes["_graph_parents"] = [] if graph_parents is None else list(graph_parents)
        self._dtype = as_dtype(dtype) if dtype else dtype
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._is_square_set_or_implied_by_hints = (
            True if is_non_singular or is_self_adjoint else is_square
        )
        self._name = name or type(self).__name__

    def _arguments(self, **replaced: Any) -> dict[str, Any]:
        """Returns the hints and the name that the constructor got, some of them replaced."""
        return {name: self._parameters[name] for name in (*HINTS, "name")} | replaced

    def _hints(self, **replaced: Hint) -> dict[str, Any]:
        """Returns the hints by name, some of them replaced."""
        return {name: getattr(self, name) for name in HINTS} | replaced

    @contextmanager
    def _name_scope(self, name: str | None = None) -> Iterator[None]:  # type: ignore[override]
        """Opens the name scopes of the operator and of a method in a graph."""
        graph = thread.scope.graph
        if graph is None:
            yield
            return
        with graph.name_scope(self.name if name is None else f"{self.name}/{name}"):
            yield

    @property
    def name_scope(self) -> Any:
        """The function that opens the operator's name scope."""
        return self._name_scope

    # ---------------------------------------------------------------- properties
    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of the constructor by name."""
        return dict(self._parameters)

    @property
    def dtype(self) -> DType:
        """The dtype of the matrix."""
        return self._dtype

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def graph_parents(self) -> list[Any]:
        """The tensors that the operator depends on; deprecated and empty."""
        return self._graph_parents  # type: ignore[attr-defined]

    @property
    def is_non_singular(self) -> Hint:
        """The hint that the operator is invertible."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> Hint:
        """The hint that the operator equals its conjugate transpose."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> Hint:
        """The hint that the operator is positive definite."""
        return self._is_positive_definite

    @property
    def is_square(self) -> Hint:
        """True or False if the operator is known to be square or not, else None.

        Raises:
            ValueError: The hint is False, but the operator is square.
        """
        hint = self._is_square_set_or_implied_by_hints
        if hint is True:
            return True
        rows, columns = static_dim(self.shape, -2), static_dim(self.shape, -1)
        static = None if rows is None or columns is None else rows == columns
        if static and hint is False:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return static if hint is None else hint

    @abc.abstractmethod
    def _shape(self) -> TensorShape:
        """Returns the static shape of the matrix."""

    def _shape_tensor(self) -> Any:
        """Returns the shape of the matrix as a tensor."""
        raise NotImplementedError("_shape_tensor is not implemented.")

    @property
    def shape(self) -> TensorShape:
        """The static shape: batch dimensions, rows and columns."""
        return self._shape()

    @property
    def batch_shape(self) -> TensorShape:
        """The static batch shape."""
        return self.shape[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """The rank of the matrix as a tensor."""
        return self.shape.rank

    @property
    def domain_dimension(self) -> Dimension:
        """The number of columns as a ``Dimension``."""
        return Dimension(None if self.shape.rank is None else static_dim(self.shape, -1))

    @property
    def range_dimension(self) -> Dimension:
        """The number of rows as a ``Dimension``."""
        return Dimension(None if self.shape.rank is None else static_dim(self.shape, -2))

    # ---------------------------------------------------------------- shapes as tensors
    def _sizes(self) -> Any:
        """Returns the shape as an array where it is known, else as a tensor."""
        dims = self.shape._dims
        if dims is not None and None not in dims:
            return np.array(dims, np.int32)
        return self._shape_tensor()

    def _size(self, axis: int) -> Any:
        """Returns a size as an int where it is known, else as a tensor."""
        static = static_dim(self.shape, axis)
        return self._shape_tensor()[axis] if static is None else static

    def _batch_sizes(self) -> Any:
        """Returns the batch shape as an array where it is known, else as a tensor."""
        dims = self.batch_shape._dims
        if dims is not None and None not in dims:
            return np.array(dims, np.int32)
        return self._sizes()[:-2]

    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """Returns the shape as a tensor.

        Args:
            name: A name for the operations.

        Returns:
            An int32 vector.
        """
        with self._name_scope(name):
            return convert_to_tensor(self._sizes(), dtype=int32)

    def _batch_shape_tensor(self, shape: Any = None) -> Any:
        return convert_to_tensor(self._batch_sizes() if shape is None else shape[:-2], dtype=int32)

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """Returns the batch shape as a tensor.

        Args:
            name: A name for the operations.

        Returns:
            An int32 vector.
        """
        with self._name_scope(name):
            return self._batch_shape_tensor()

    def _tensor_rank_tensor(self, shape: Any = None) -> Any:
        if self.tensor_rank is not None:
            return convert_to_tensor(self.tensor_rank, dtype=int32)
        return API["size"](self._shape_tensor() if shape is None else shape)

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Any:
        """Returns the rank as a tensor.

        Args:
            name: A name for the operations.

        Returns:
            An int32 scalar.
        """
        with self._name_scope(name):
            return self._tensor_rank_tensor()

    def _domain_dimension_tensor(self, shape: Any = None) -> Any:
        return convert_to_tensor(self._size(-1) if shape is None else shape[-1], dtype=int32)

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Any:
        """Returns the number of columns as a tensor.

        Args:
            name: A name for the operations.

        Returns:
            An int32 scalar.
        """
        with self._name_scope(name):
            return self._domain_dimension_tensor()

    def _range_dimension_tensor(self, shape: Any = None) -> Any:
        return convert_to_tensor(self._size(-2) if shape is None else shape[-2], dtype=int32)

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Any:
        """Returns the number of rows as a tensor.

        Args:
            name: A name for the operations.

        Returns:
            An int32 scalar.
        """
        with self._name_scope(name):
            return self._range_dimension_tensor()

    # ---------------------------------------------------------------- assertions
    def _max_condition_number_to_be_non_singular(self) -> Any:
        """Returns the condition number above which a matrix counts as singular."""
        eps = np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps
        rows, columns = self._size(-2), self._size(-1)
        if isinstance(rows, int) and isinstance(columns, int):
            largest = max(100, rows, columns)
            return np.array(1 / (eps * largest), self.dtype.real_dtype.as_numpy_dtype)
        largest = API["maximum"](API["maximum"](100, rows), columns)
        return 1 / (eps * API["cast"](largest, self.dtype.real_dtype))

    def _assert_non_singular(self) -> Any:
        return API["debugging.assert_less"](
            self.cond(),
            self._max_condition_number_to_be_non_singular(),
            message="Singular matrix up to precision epsilon.",
        )

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Asserts that the operator is invertible, up to precision.

        Args:
            name: A name for the operations.

        Returns:
            None, or the assertion's operation in a graph.

        Raises:
            InvalidArgumentError: The operator is singular.
        """
        with self._name_scope(name):
            return self._assert_non_singular()

    def _assert_self_adjoint(self) -> Any:
        dense = self.to_dense()
        return API["debugging.assert_equal"](
            dense, API["linalg.adjoint"](dense), message="Matrix was not equal to its adjoint."
        )

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Asserts that the operator equals its conjugate transpose.

        Args:
            name: A name for the operations.

        Returns:
            None, or the assertion's operation in a graph.

        Raises:
            InvalidArgumentError: The operator is not self-adjoint.
        """
        with self._name_scope(name):
            return self._assert_self_adjoint()

    def _assert_positive_definite(self) -> Any:
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        factor = API["linalg.cholesky"](self.to_dense())
        diagonal = API["math.real"](API["linalg.diag_part"](factor))
        return assert_positive(diagonal, "Matrix was not positive definite.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Asserts that the operator is positive definite.

        Args:
            name: A name for the operations.

        Returns:
            None, or the assertion's operation in a graph.

        Raises:
            InvalidArgumentError: The operator is not positive definite.
            NotImplementedError: The operator is not known to be self-adjoint.
        """
        with self._name_scope(name):
            return self._assert_positive_definite()

    # ---------------------------------------------------------------- products
    def _check_input_dtype(self, arg: Any) -> None:
        """Raises TypeError for an argument of another dtype."""
        if arg.dtype != self.dtype:
            raise TypeError(
                f"Expected argument to have dtype {self.dtype}.  Found: {arg.dtype} in tensor {arg!s}"
            )

    def _input(self, value: Any, name: str) -> Any:
        """Converts an argument to a tensor of the operator's dtype."""
        tensor = convert_to_tensor(value, name=name)
        self._check_input_dtype(tensor)
        return tensor

    @abc.abstractmethod
    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        """Returns the product of the operator and matrices."""

    def _operator_pair(
        self, other: LinearOperator, adjoint: bool, adjoint_arg: bool, what: str
    ) -> tuple[LinearOperator, LinearOperator]:
        """Returns two operators of compatible sizes, adjoint where requested."""
        left = self.adjoint() if adjoint else self
        right = other.adjoint() if adjoint_arg else other
        # The equations of a solution have the operator's rows, products its columns.
        mine = static_dim(left.shape, -1 if what == "x" else -2)
        theirs = static_dim(right.shape, -2)
        if mine is not None and theirs is not None and mine != theirs:
            raise ValueError(
                f"Operators are incompatible. Expected `{what}` to have dimension {mine} but got "
                f"{theirs}."
            )
        return left, right

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """Multiplies matrices, or another operator, by the operator from the left.

        Args:
            x: A tensor of shape ``[..., N, R]``, or an operator.
            adjoint: If True, the operator's conjugate transpose is taken.
            adjoint_arg: If True, the conjugate transpose of ``x`` is taken.
            name: A name for the operations.

        Returns:
            A tensor of shape ``[..., M, R]``, or an operator.

        Raises:
            TypeError: The dtypes differ.
            ValueError: The sizes are incompatible.
        """
        if isinstance(x, LinearOperator):
            left, right = self._operator_pair(x, adjoint, adjoint_arg, "x")
            with self._name_scope(name):
                return self._linop_matmul(left, right)
        with self._name_scope(name):
            x = self._input(x, "x")
            assert_same_size(
                static_dim(self.shape, -2 if adjoint else -1),
                static_dim(x.shape, -1 if adjoint_arg else -2),
            )
            return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return uncolumn(self.matmul(column(x), adjoint=adjoint))

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """Multiplies vectors by the operator from the left.

        Args:
            x: A tensor of shape ``[..., N]``.
            adjoint: If True, the operator's conjugate transpose is taken.
            name: A name for the operations.

        Returns:
            A tensor of shape ``[..., M]``.

        Raises:
            TypeError: The dtypes differ.
            ValueError: The sizes are incompatible.
        """
        with self._name_scope(name):
            x = self._input(x, "x")
            assert_same_size(static_dim(self.shape, -2 if adjoint else -1), static_dim(x.shape, -1))
            return self._matvec(x, adjoint=adjoint)

    # ---------------------------------------------------------------- determinants
    def _assert_has_determinant(self) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                "Determinant not implemented for an operator that is expected to not be square."
            )

    def _determinant(self) -> Any:
        if self._can_use_cholesky():
            return API["exp"](self.log_abs_determinant())
        return API["linalg.det"](self.to_dense())

    def determinant(self, name: str = "det") -> Any:
        """Returns the determinants.

        Args:
            name: A name for the operations.

        Returns:
            A tensor of the batch shape.

        Raises:
            NotImplementedError: The operator is not square.
        """
        self._assert_has_determinant()
        with self._name_scope(name):
            return self._determinant()

    def _log_abs_determinant(self) -> Any:
        if self._can_use_cholesky():
            diagonal = API["linalg.diag_part"](API["linalg.cholesky"](self.to_dense()))
            return 2 * API["reduce_sum"](API["math.log"](diagonal), axis=[-1])
        return API["linalg.slogdet"](self.to_dense())[1]

    def log_abs_determinant(self, name: str = "log_abs_det") -> Any:
        """Returns the logarithms of the absolute values of the determinants.

        Args:
            name: A name for the operations.

        Returns:
            A tensor of the batch shape.

        Raises:
            NotImplementedError: The operator is not square.
        """
        self._assert_has_determinant()
        with self._name_scope(name):
            return self._log_abs_determinant()

    # ---------------------------------------------------------------- solutions
    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def _dense_solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        """Solves by a factorization of the dense matrix."""
        rhs = API["linalg.adjoint"](rhs) if adjoint_arg else rhs
        if self._can_use_cholesky():
            return solve_cholesky(API["linalg.cholesky"](self.to_dense()), rhs)
        return solve_matrices(self.to_dense(), rhs, adjoint=adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        if self.is_square is False:
            raise NotImplementedError("Solve is not yet implemented for non-square operators.")
        return self._dense_solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _assert_has_solution(self) -> None:
        if self.is_non_singular is False:
            raise NotImplementedError(
                "Exact solve not implemented for an operator that is expected to be singular."
            )
        if self.is_square is False:
            raise NotImplementedError(
                "Exact solve not implemented for an operator that is expected to not be square."
            )

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """Solves the linear equations ``A x = rhs``.

        Args:
            rhs: A tensor of shape ``[..., M, R]``, or an operator.
            adjoint: If True, the equations have the operator's conjugate transpose.
            adjoint_arg: If True, the conjugate transpose of ``rhs`` is taken.
            name: A name for the operations.

        Returns:
            A tensor of shape ``[..., N, R]``, or an operator.

        Raises:
            NotImplementedError: The operator is singular or not square.
            TypeError: The dtypes differ.
            ValueError: The sizes are incompatible.
        """
        self._assert_has_solution()
        if isinstance(rhs, LinearOperator):
            left, right = self._operator_pair(rhs, adjoint, adjoint_arg, "rhs")
            with self._name_scope(name):
                return self._linop_solve(left, right)
        with self._name_scope(name):
            rhs = self._input(rhs, "rhs")
            assert_same_size(
                static_dim(self.shape, -1 if adjoint else -2),
                static_dim(rhs.shape, -1 if adjoint_arg else -2),
            )
            return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return uncolumn(self.solve(column(rhs), adjoint=adjoint))

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """Solves the linear equations ``A x = rhs`` for vectors.

        Args:
            rhs: A tensor of shape ``[..., M]``.
            adjoint: If True, the equations have the operator's conjugate transpose.
            name: A name for the operations.

        Returns:
            A tensor of shape ``[..., N]``.

        Raises:
            NotImplementedError: The operator is singular or not square.
            TypeError: The dtypes differ.
            ValueError: The sizes are incompatible.
        """
        self._assert_has_solution()
        with self._name_scope(name):
            rhs = self._input(rhs, "rhs")
            assert_same_size(
                static_dim(self.shape, -1 if adjoint else -2), static_dim(rhs.shape, -1)
            )
            return self._solvevec(rhs, adjoint=adjoint)

    # ---------------------------------------------------------------- other operators
    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """Returns the conjugate transpose as an operator.

        Args:
            name: A name for the operations.

        Returns:
            The operator itself if it is self-adjoint, else another one.
        """
        if self.is_self_adjoint is True:
            return self
        with self._name_scope(name):
            return self._linop_adjoint()

    @property
    def H(self) -> LinearOperator:
        """The conjugate transpose as an operator."""
        return self.adjoint()

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """Returns the inverse as an operator.

        Args:
            name: A name for the operations.

        Returns:
            An operator.

        Raises:
            ValueError: The operator is singular or not square.
        """
        if self.is_square is False:
            raise ValueError(
                "Cannot take the Inverse: This operator represents a non square matrix."
            )
        if self.is_non_singular is False:
            raise ValueError("Cannot take the Inverse: This operator represents a singular matrix.")
        with self._name_scope(name):
            return self._linop_inverse()

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """Returns the Cholesky factor as an operator: L with ``L L^H = A``, lower triangular.

        Args:
            name: A name for the operations.

        Returns:
            An operator.

        Raises:
            ValueError: The operator is not known to be self-adjoint and positive definite.
        """
        if not self._can_use_cholesky():
            raise ValueError(
                "Cannot take the Cholesky decomposition: Not a positive definite self adjoint "
                "matrix."
            )
        with self._name_scope(name):
            return self._linop_cholesky()

    def _linop_adjoint(self) -> LinearOperator:
        from twinflow._src.wings.linear_operators.compositions import LinearOperatorAdjoint

        return LinearOperatorAdjoint(self, **self._hints())

    def _linop_inverse(self) -> LinearOperator:
        from twinflow._src.wings.linear_operators.compositions import LinearOperatorInversion

        return LinearOperatorInversion(self, **self._hints())

    def _linop_cholesky(self) -> LinearOperator:
        from twinflow._src.wings.linear_operators.dense import LinearOperatorLowerTriangular

        return LinearOperatorLowerTriangular(
            API["linalg.cholesky"](self.to_dense()),
            is_non_singular=True,
            is_self_adjoint=False,
            is_square=True,
        )

    def _linop_matmul(self, left_operator: LinearOperator, right_operator: LinearOperator) -> Any:
        """Returns the product of two operators; classes override it where they know a better one."""
        from twinflow._src.wings.linear_operators import identities
        from twinflow._src.wings.linear_operators.compositions import LinearOperatorComposition

        simple = identities.product(left_operator, right_operator)
        if simple is not None:
            return simple
        return LinearOperatorComposition(
            operators=[left_operator, right_operator],
            is_non_singular=both_non_singular(left_operator, right_operator),
            is_square=both_square(left_operator, right_operator),
        )

    def _linop_solve(self, left_operator: LinearOperator, right_operator: LinearOperator) -> Any:
        """Returns the product of the inverse of an operator and another one."""
        from twinflow._src.wings.linear_operators import identities
        from twinflow._src.wings.linear_operators.compositions import (
            LinearOperatorComposition,
            LinearOperatorInversion,
        )

        if isinstance(left_operator, identities.LinearOperatorIdentity):
            return right_operator
        if isinstance(right_operator, identities.LinearOperatorIdentity):
            return left_operator.inverse()
        return LinearOperatorComposition(
            operators=[LinearOperatorInversion(left_operator), right_operator],
            is_non_singular=both_non_singular(left_operator, right_operator),
            is_square=both_square(left_operator, right_operator),
        )

    # ---------------------------------------------------------------- dense values
    def _to_dense(self) -> Any:
        identity = eye_like(self._size(-1), self._batch_sizes(), self.dtype)
        return self.matmul(identity)

    def to_dense(self, name: str = "to_dense") -> Any:
        """Returns the dense matrices.

        Args:
            name: A name for the operations.

        Returns:
            A tensor of the operator's shape.
        """
        with self._name_scope(name):
            return self._to_dense()

    def _diag_part(self) -> Any:
        return API["linalg.diag_part"](self.to_dense())

    def diag_part(self, name: str = "diag_part") -> Any:
        """Returns the main diagonals.

        Args:
            name: A name for the operations.

        Returns:
            A tensor of the batch shape and ``min(M, N)``.
        """
        with self._name_scope(name):
            return self._diag_part()

    def _trace(self) -> Any:
        return API["reduce_sum"](self.diag_part(), axis=-1)

    def trace(self, name: str = "trace") -> Any:
        """Returns the traces: the sums of the main diagonals.

        Args:
            name: A name for the operations.

        Returns:
            A tensor of the batch shape.
        """
        with self._name_scope(name):
            return self._trace()

    def _add_to_tensor(self, x: Any) -> Any:
        return self.to_dense() + x

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Any:
        """Adds the operator to matrices.

        Args:
            x: A tensor of a shape that broadcasts with the operator's.
            name: A name for the operations.

        Returns:
            A tensor.

        Raises:
            TypeError: The dtypes differ.
        """
        with self._name_scope(name):
            return self._add_to_tensor(self._input(x, "x"))

    def _eigvals(self) -> Any:
        return API["linalg.eigvalsh"](self.to_dense())

    def eigvals(self, name: str = "eigvals") -> Any:
        """Returns the eigenvalues of a self-adjoint operator.

        Args:
            name: A name for the operations.

        Returns:
            A tensor of the batch shape and N.

        Raises:
            NotImplementedError: The operator is not known to be self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        with self._name_scope(name):
            return self._eigvals()

    def _cond(self) -> Any:
        if self.is_self_adjoint:
            values = API["abs"](self.eigvals())
        else:
            values = API["linalg.svd"](self.to_dense(), compute_uv=False)
        return API["reduce_max"](values, axis=-1) / API["reduce_min"](values, axis=-1)

    def cond(self, name: str = "cond") -> Any:
        """Returns the condition numbers: the ratio of the largest and the smallest singular value.

        Args:
            name: A name for the operations.

        Returns:
            A real tensor of the batch shape.
        """
        with self._name_scope(name):
            return self._cond()

    # ---------------------------------------------------------------- composite tensors
    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        """The names of the parameters that make up the operator, without the hints."""
        return ()

    @property
    def _composite_tensor_prefer_static_fields(self) -> tuple[str, ...]:
        """The names of parameters that are no components where their values are known."""
        return ()

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        """By parameter, the number of its dimensions that belong to one matrix."""
        return {}

    @property
    def _type_spec(self) -> Any:
        return None

    def _convert_variables_to_tensors(self) -> Any:
        """Returns a copy with tensors in place of variables."""
        spec = self._type_spec
        return spec._from_components(
            nest.map_structure(
                lambda x: convert_to_tensor(x) if is_tensor(x) else without_variables(x),
                spec._to_components(self),
            )
        )

    def __getitem__(self, slices: Any) -> LinearOperator:
        return slice_operator(self, slices)


def assert_positive(x: Any, text: str) -> Any:
    """Asserts that all elements are positive."""
    return API["debugging.assert_positive"](x, message=text)


def assert_no_zeros(x: Any, text: str) -> Any:
    """Asserts that no absolute value is zero."""
    size = API["abs"](x)
    return API["debugging.assert_less"](API["zeros"]([], size.dtype), size, message=text)


def assert_real(x: Any, text: str) -> Any:
    """Asserts that all imaginary parts are zero."""
    imaginary = API["math.imag"](x)
    return API["debugging.assert_equal"](API["zeros"]([], imaginary.dtype), imaginary, message=text)


def dense_product(matrix: Any, x: Any, adjoint: bool, adjoint_arg: bool) -> Any:
    """Returns the product of two tensors of matrices."""
    return API["linalg.matmul"](matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)
