"""Block diagonal and block lower triangular operators."""

from __future__ import annotations

import functools
import operator as python_operators
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int32
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API
from twinflow._src.wings.linear_operators.base import LinearOperator, record_parameters
from twinflow._src.wings.linear_operators.compositions import (
    HINT_TEXTS,
    ProductOfDeterminants,
    as_list,
    common_dtype,
    group_assertions,
    join_names,
)
from twinflow._src.wings.linear_operators.shapes import (
    Hint,
    all_hint,
    assert_same_size,
    broadcast_sizes,
    broadcast_static,
    column,
    commuting,
    concat_sizes,
    is_static,
    sizes,
    static_dim,
    uncolumn,
)
from twinflow._src.wings.linear_operators.spec import make_composite_tensor

# Blocks of arguments. An argument is blockwise if it is a list or tuple of tensors, one a block.


def is_blockwise(argument: Any, block_sizes: list[int | None], axis: int) -> bool:
    """True if an argument is a list with a tensor for each block."""
    if not isinstance(argument, (list, tuple)):
        return False
    if any(isinstance(item, Tensor) for item in argument):
        return _have_rank(argument, axis) and _have_sizes(argument, block_sizes, axis)
    if len(argument) != len(block_sizes) or not all(map(_is_sequence, argument)):
        return False
    tensors = _tensors(argument)
    return (
        tensors is not None
        and _have_rank(tensors, axis)
        and _have_sizes(tensors, block_sizes, axis)
    )


def _is_sequence(item: Any) -> bool:
    return isinstance(item, (list, tuple)) or hasattr(item, "shape")


def _tensors(items: Any) -> list[Any] | None:
    try:
        return [convert_to_tensor(item) for item in items]
    except (TypeError, ValueError):
        return None


def _have_rank(items: Any, axis: int) -> bool:
    return all(
        item.shape.rank is None or item.shape.rank >= -axis for item in _tensors(items) or ()
    )


def _have_sizes(items: Any, block_sizes: list[int | None], axis: int) -> bool:
    """True if the sizes of items are those of the blocks, as far as they are known."""
    tensors = _tensors(items)
    if tensors is None or len(tensors) != len(block_sizes):
        return False
    pairs = zip((static_dim(t.shape, axis) for t in tensors), block_sizes)
    return all(a is None or b is None or a == b for a, b in pairs)


def _split(x: Any, counts: list[Any], axis: int) -> list[Any]:
    """Splits a tensor into blocks."""
    if all(isinstance(count, int) for count in counts):
        return list(API["split"](x, counts, axis=axis))
    rank = x.shape.rank if axis < 0 and x.shape.rank is not None else None
    counts = [convert_to_tensor(count, dtype=int32) for count in counts]
    return list(
        API["split"](
            x, API["stack"](counts), axis=axis if rank is None else rank + axis, num=len(counts)
        )
    )


def _concat(blocks: list[Any], axis: int) -> Any:
    """Concatenates blocks, after broadcasting their batch dimensions to each other."""
    return API["concat"](_broadcast(blocks), axis)


def _broadcast(matrices: list[Any]) -> list[Any]:
    batches = [sizes(m, None, -2) for m in matrices]
    if all(map(is_static, batches)) and len({tuple(b) for b in batches}) == 1:
        return matrices
    batch = broadcast_sizes(batches)
    return [API["broadcast_to"](m, concat_sizes([batch, sizes(m, -2)])) for m in matrices]


def _join(vectors: list[Any]) -> Any:
    """Concatenates vectors, after broadcasting their batch dimensions."""
    return uncolumn(_concat([column(vector) for vector in vectors], -2))


class _BlockOperator(LinearOperator):
    """Base class of operators of blocks, whose arguments may be lists of blocks."""

    def _domain_blocks(self) -> list[Any]:
        """Returns the operators that tell the blocks' numbers of columns."""
        raise NotImplementedError

    def _range_blocks(self) -> list[Any]:
        """Returns the operators that tell the blocks' numbers of rows."""
        raise NotImplementedError

    def _counts(self, of_range: bool) -> list[Any]:
        """Returns the sizes of the blocks, ints where they are known."""
        if of_range:
            return [operator._size(-2) for operator in self._range_blocks()]
        return [operator._size(-1) for operator in self._domain_blocks()]

    def _static_counts(self, of_range: bool) -> list[int | None]:
        axis = -2 if of_range else -1
        operators = self._range_blocks() if of_range else self._domain_blocks()
        return [static_dim(operator.shape, axis) for operator in operators]

    def _apply_blocks(
        self, blocks: list[Any], method: str, adjoint: bool, adjoint_arg: bool
    ) -> list[Any]:
        """Returns the blocks of a product or a solution."""
        raise NotImplementedError

    def _apply(self, x: Any, method: str, adjoint: bool, adjoint_arg: bool) -> Any:
        """Returns a product or a solution; in blocks if the argument is."""
        of_range = (method == "solve") != adjoint
        axis = -1 if adjoint_arg else -2
        name = "x" if method == "matmul" else "rhs"
        counts = self._static_counts(of_range)
        if is_blockwise(x, counts, axis):
            blocks = [self._input(item, name) for item in x]
            for block, count in zip(blocks, counts):
                assert_same_size(count, static_dim(block.shape, axis))
            return self._apply_blocks(blocks, method, adjoint, adjoint_arg)
        if isinstance(x, (list, tuple)) and any(isinstance(item, Tensor) for item in x):
            _refuse_blocks(self, x, counts, axis, name)
        x = self._input(x, name)
        whole = static_dim(self.shape, -2 if of_range else -1)
        assert_same_size(whole, static_dim(x.shape, axis))
        blocks = _split(x, self._counts(of_range), axis)
        return _concat(self._apply_blocks(blocks, method, adjoint, adjoint_arg), -2)

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """Multiplies matrices, or another operator, by the operator from the left.

        Args:
            x: A tensor of shape ``[..., N, R]``, a list of tensors with the rows of each block, or
                an operator.
            adjoint: If True, the operator's conjugate transpose is taken.
            adjoint_arg: If True, the conjugate transpose of ``x`` is taken.
            name: A name for the operations.

        Returns:
            A tensor of shape ``[..., M, R]``, a list of blocks, or an operator.

        Raises:
            TypeError: The dtypes differ.
            ValueError: The sizes are incompatible.
        """
        if isinstance(x, LinearOperator):
            return super().matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg, name=name)
        with self._name_scope(name):
            return self._apply(x, "matmul", adjoint, adjoint_arg)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._apply(x, "matmul", adjoint, adjoint_arg)

    def _apply_to_vectors(self, x: Any, method: str, adjoint: bool) -> Any:
        of_range = (method == "solve") != adjoint
        name = "x" if method == "matmul" else "rhs"
        counts = self._static_counts(of_range)
        if is_blockwise(x, counts, -1):
            blocks = [column(self._input(item, name)) for item in x]
            return [uncolumn(block) for block in self._apply_blocks(blocks, method, adjoint, False)]
        if isinstance(x, (list, tuple)) and any(
            isinstance(item, Tensor) and item.shape.rank for item in x
        ):
            _refuse_blocks(self, x, counts, -1, name)
        x = self._input(x, name)
        assert_same_size(static_dim(self.shape, -2 if of_range else -1), static_dim(x.shape, -1))
        return uncolumn(self._apply(column(x), method, adjoint, False))

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """Multiplies vectors by the operator from the left.

        Args:
            x: A tensor of shape ``[..., N]``, or a list of tensors with the elements of each block.
            adjoint: If True, the operator's conjugate transpose is taken.
            name: A name for the operations.

        Returns:
            A tensor of shape ``[..., M]``, or a list of blocks.

        Raises:
            TypeError: The dtypes differ.
            ValueError: The sizes are incompatible.
        """
        with self._name_scope(name):
            return self._apply_to_vectors(x, "matmul", adjoint)

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """Solves the linear equations ``A x = rhs``.

        Args:
            rhs: A tensor of shape ``[..., M, R]``, a list of tensors with the rows of each block, or
                an operator.
            adjoint: If True, the equations have the operator's conjugate transpose.
            adjoint_arg: If True, the conjugate transpose of ``rhs`` is taken.
            name: A name for the operations.

        Returns:
            A tensor of shape ``[..., N, R]``, a list of blocks, or an operator.

        Raises:
            NotImplementedError: The operator is singular or not square.
            TypeError: The dtypes differ.
            ValueError: The sizes are incompatible.
        """
        self._assert_has_solution()
        if isinstance(rhs, LinearOperator):
            return super().solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg, name=name)
        with self._name_scope(name):
            return self._apply(rhs, "solve", adjoint, adjoint_arg)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """Solves the linear equations ``A x = rhs`` for vectors.

        Args:
            rhs: A tensor of shape ``[..., M]``, or a list of tensors with the elements of each block.
            adjoint: If True, the equations have the operator's conjugate transpose.
            name: A name for the operations.

        Returns:
            A tensor of shape ``[..., N]``, or a list of blocks.

        Raises:
            NotImplementedError: The operator is singular or not square.
            TypeError: The dtypes differ.
            ValueError: The sizes are incompatible.
        """
        self._assert_has_solution()
        with self._name_scope(name):
            return self._apply_to_vectors(rhs, "solve", adjoint)


def _refuse_blocks(
    operator: LinearOperator, items: Any, counts: list[int | None], axis: int, name: str
) -> None:
    """Raises the error for a list of tensors that are not the operator's blocks."""
    for item, count in zip(items, counts):
        tensor = operator._input(item, name)
        if len(items) == len(counts):
            assert_same_size(count, static_dim(tensor.shape, axis))
    static = None if None in counts else sum(counts)  # type: ignore[arg-type]
    parts = [static_dim(convert_to_tensor(item).shape, axis) for item in items]
    if None not in parts:
        assert_same_size(static, sum(parts))  # type: ignore[arg-type]


@make_composite_tensor
class LinearOperatorBlockDiag(ProductOfDeterminants, _BlockOperator):
    """Block diagonal matrices: the direct sums of operators.

    Args:
        operators: The operators on the diagonal, at least one, of one dtype.
        is_non_singular: The hint that the operator is invertible.
        is_self_adjoint: The hint that the operator is self-adjoint.
        is_positive_definite: The hint that the operator is positive definite.
        is_square: The hint that the operator is square.
        name: The name; those of the operators joined by ``_ds_`` if None.

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
        is_square: Hint = True,
        name: str | None = None,
    ) -> None:
        operators = as_list(operators)
        if not operators:
            raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
        arguments = self._arguments(name=join_names("_ds_", operators, name))
        for hint, text in HINT_TEXTS.items():
            text = text.replace("positive-", "positive ")
            arguments[hint] = all_hint(
                (getattr(operator, hint) for operator in operators),
                arguments[hint],
                f"The direct sum of {text} operators is always {text}.",
            )
        self._operators = operators
        super().__init__(common_dtype(operators), **arguments)

    @property
    def operators(self) -> Any:
        """The operators on the diagonal."""
        return self._operators

    def _domain_blocks(self) -> list[Any]:
        return list(self.operators)

    def _range_blocks(self) -> list[Any]:
        return list(self.operators)

    def _shape(self) -> TensorShape:
        shapes = [operator.shape for operator in self.operators]
        batch = broadcast_static([shape[:-2] for shape in shapes])
        return batch.concatenate([_sum(static_dim(s, axis) for s in shapes) for axis in (-2, -1)])

    def _shape_tensor(self) -> Any:
        batch = broadcast_sizes([operator._batch_sizes() for operator in self.operators])
        return concat_sizes([batch, [sum(self._counts(True))], [sum(self._counts(False))]])

    def _apply_blocks(
        self, blocks: list[Any], method: str, adjoint: bool, adjoint_arg: bool
    ) -> list[Any]:
        return [
            getattr(operator, method)(block, adjoint=adjoint, adjoint_arg=adjoint_arg)
            for operator, block in zip(self.operators, blocks)
        ]

    def _diag_part(self) -> Any:
        if not self._are_square():
            return super()._diag_part()
        return _join([operator.diag_part() for operator in self.operators])

    def _trace(self) -> Any:
        if not self._are_square():
            return super()._trace()
        terms = (operator.trace() for operator in self.operators)
        return functools.reduce(python_operators.add, terms)

    def _eigvals(self) -> Any:
        return _join([operator.eigvals() for operator in self.operators])

    def _to_dense(self) -> Any:
        blocks = _broadcast([operator.to_dense() for operator in self.operators])
        return _stacked_rows(
            [[blocks[i] if i == j else None for j in range(i + 1)] for i in range(len(blocks))],
            blocks,
        )

    def _assert_non_singular(self) -> Any:
        return group_assertions([operator.assert_non_singular() for operator in self.operators])

    def _assert_self_adjoint(self) -> Any:
        return group_assertions([operator.assert_self_adjoint() for operator in self.operators])

    def _assert_positive_definite(self) -> Any:
        return group_assertions(
            [operator.assert_positive_definite() for operator in self.operators]
        )

    def _of(self, operators: list[LinearOperator], **hints: Hint) -> LinearOperatorBlockDiag:
        """Returns an operator of other blocks, with the same hints where none are given."""
        return LinearOperatorBlockDiag(operators, **self._hints(**hints))

    def _linop_adjoint(self) -> LinearOperator:
        return self._of([operator.adjoint() for operator in self.operators])

    def _linop_inverse(self) -> LinearOperator:
        return self._of([operator.inverse() for operator in self.operators])

    def _linop_cholesky(self) -> LinearOperator:
        return LinearOperatorBlockDiag(
            [operator.cholesky() for operator in self.operators],
            is_non_singular=True,
            is_self_adjoint=None,
            is_square=True,
        )

    def _linop_matmul(self, left_operator: LinearOperator, right_operator: LinearOperator) -> Any:
        return self._blockwise(left_operator, right_operator, "matmul") or super()._linop_matmul(
            left_operator, right_operator
        )

    def _linop_solve(self, left_operator: LinearOperator, right_operator: LinearOperator) -> Any:
        return self._blockwise(left_operator, right_operator, "solve") or super()._linop_solve(
            left_operator, right_operator
        )

    def _blockwise(self, left: LinearOperator, right: LinearOperator, method: str) -> Any:
        """Returns the product of block diagonal operators block by block, else None."""
        if not isinstance(left, LinearOperatorBlockDiag) or not isinstance(
            right, LinearOperatorBlockDiag
        ):
            return None
        if len(left.operators) != len(right.operators):
            verb = "multiply" if method == "matmul" else "solve"
            raise ValueError(
                f"Can not efficiently {verb} two `LinearOperatorBlockDiag`s together when number of blocks differ."
            )
        for one, other in zip(left.operators, right.operators):
            mine = static_dim(one.shape, -1 if method == "matmul" else -2)
            theirs = static_dim(other.shape, -2)
            if mine is not None and theirs is not None and mine != theirs:
                what = "x" if method == "matmul" else "rhs"
                raise ValueError(
                    f"Blocks are incompatible. Expected `{what}` to have dimension {mine} but got {theirs}."
                )
        pairs = zip(left.operators, right.operators)
        blocks = [getattr(one, method)(other) for one, other in pairs]
        hints = commuting(left, right) if method == "solve" else {}
        return LinearOperatorBlockDiag(
            blocks,
            is_non_singular=commuting(left, right)["is_non_singular"],
            is_square=hints.get("is_square", True),
        )


def _sum(values: Any) -> int | None:
    """Returns the sum of sizes, None where one is unknown."""
    values = list(values)
    return None if None in values else sum(values)


def _stacked_rows(rows: list[list[Any]], diagonal: list[Any]) -> Any:
    """Returns the dense matrix of a lower triangle of blocks, of which None stands for zeros."""
    result = []
    for i, row in enumerate(rows):
        parts = []
        for j in range(len(diagonal)):
            block = row[j] if j < len(row) else None
            if block is None:
                shape = concat_sizes(
                    [
                        sizes(diagonal[i], None, -2),
                        sizes(diagonal[i], -2, -1),
                        sizes(diagonal[j], -1),
                    ]
                )
                block = API["zeros"](shape, dtype=diagonal[0].dtype)
            parts.append(block)
        result.append(API["concat"](parts, -1) if len(parts) > 1 else parts[0])
    return API["concat"](result, -2) if len(result) > 1 else result[0]


@make_composite_tensor
class LinearOperatorBlockLowerTriangular(_BlockOperator):
    """Block lower triangular matrices.

    Args:
        operators: The blocks by row: a list of lists, of which the i-th has i + 1 operators. The last
            of each is square; all have one dtype.
        is_non_singular: The hint that the operator is invertible.
        is_self_adjoint: The hint that the operator is self-adjoint.
        is_positive_definite: The hint that the operator is positive definite.
        is_square: The hint that the operator is square; not False.
        name: The name.

    Raises:
        TypeError: The dtypes differ.
        ValueError: Numbers or sizes of blocks, or hints, are wrong.
    """

    __module__ = "twinflow.linalg"
    _composite_tensor_fields = ("operators",)

    @record_parameters
    def __init__(
        self,
        operators: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        operators = [as_list(row) for row in as_list(operators)]
        _check_block_counts(operators)
        _check_block_sizes(operators)
        if is_square is False:
            raise ValueError(
                "`LinearOperatorBlockLowerTriangular` must be square. Expected argument `is_square` to be "
                "True. Received: False."
            )
        dtype = _dtype_of_rows(operators)
        self._operators = operators
        super().__init__(
            dtype=dtype,
            **self._arguments(
                is_non_singular=_is_invertible([row[-1] for row in operators], is_non_singular),
                is_square=True,
            ),
        )

    @property
    def operators(self) -> Any:
        """The blocks by row."""
        return self._operators

    def _diagonal(self) -> list[Any]:
        return [row[-1] for row in self.operators]

    def _domain_blocks(self) -> list[Any]:
        return self._diagonal()

    def _range_blocks(self) -> list[Any]:
        return self._diagonal()

    def _shape(self) -> TensorShape:
        blocks = [operator for row in self.operators for operator in row]
        batch = broadcast_static([operator.batch_shape for operator in blocks])
        rows = _sum(static_dim(operator.shape, -2) for operator in self._diagonal())
        columns = _sum(static_dim(operator.shape, -1) for operator in self._diagonal())
        return batch.concatenate([rows, columns])

    def _shape_tensor(self) -> Any:
        blocks = [operator for row in self.operators for operator in row]
        batch = broadcast_sizes([operator._batch_sizes() for operator in blocks])
        return concat_sizes([batch, [sum(self._counts(True))], [sum(self._counts(False))]])

    def _apply_blocks(
        self, blocks: list[Any], method: str, adjoint: bool, adjoint_arg: bool
    ) -> list[Any]:
        if method == "matmul":
            return self._multiply(blocks, adjoint, adjoint_arg)
        return self._substitute(blocks, adjoint, adjoint_arg)

    def _multiply(self, blocks: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        count = len(self.operators)
        result = []
        for i in range(count):
            terms = (
                [(self.operators[j][i], blocks[j]) for j in range(i, count)]
                if adjoint
                else list(zip(self.operators[i], blocks))
            )
            total: Any = None
            for operator, block in terms:
                term = operator.matmul(block, adjoint=adjoint, adjoint_arg=adjoint_arg)
                total = term if total is None else total + term
            result.append(total)
        return result

    def _substitute(self, blocks: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        """Solves by forward substitution, or backward for the adjoint."""
        if adjoint_arg:
            blocks = [API["linalg.adjoint"](block) for block in blocks]
        count = len(self.operators)
        result: list[Any] = [None] * count
        for i in reversed(range(count)) if adjoint else range(count):
            rest = blocks[i]
            others = range(i + 1, count) if adjoint else range(i)
            for j in others:
                operator = self.operators[j][i] if adjoint else self.operators[i][j]
                rest = rest - operator.matmul(result[j], adjoint=adjoint)
            result[i] = self.operators[i][i].solve(rest, adjoint=adjoint)
        return result

    def _determinant(self) -> Any:
        factors = (operator.determinant() for operator in self._diagonal())
        return functools.reduce(python_operators.mul, factors)

    def _log_abs_determinant(self) -> Any:
        values = [operator.log_abs_determinant() for operator in self._diagonal()]
        return functools.reduce(python_operators.add, (API["cast"](v, self.dtype) for v in values))

    def _diag_part(self) -> Any:
        return _join([operator.diag_part() for operator in self._diagonal()])

    def _trace(self) -> Any:
        terms = (operator.trace() for operator in self._diagonal())
        return functools.reduce(python_operators.add, terms)

    def _eigvals(self) -> Any:
        return _join([operator.eigvals() for operator in self._diagonal()])

    def _to_dense(self) -> Any:
        flat = _broadcast([operator.to_dense() for row in self.operators for operator in row])
        left = iter(flat)
        rows = [[next(left) for _ in row] for row in self.operators]
        return _stacked_rows(rows, [row[-1] for row in rows])

    def _assert_non_singular(self) -> Any:
        return group_assertions([operator.assert_non_singular() for operator in self._diagonal()])

    def _linop_inverse(self) -> LinearOperator:
        """Returns the inverse, whose blocks follow by substitution.

        Below the diagonal, ``X_ij = -A_ii^-1 (A_ij X_jj + ... + A_i,i-1 X_i-1,j)``.
        """
        from twinflow._src.wings.linear_operators.dense import LinearOperatorFullMatrix

        inverse: list[list[Any]] = []
        for i, row in enumerate(self.operators):
            last = row[-1].inverse()
            blocks = []
            for j in range(i):
                total: Any = None
                for k in range(j, i):
                    term = row[k].matmul(inverse[k][j].to_dense())
                    total = term if total is None else total + term
                blocks.append(LinearOperatorFullMatrix(-last.matmul(total)))
            inverse.append([*blocks, last])
        return LinearOperatorBlockLowerTriangular(inverse, **self._hints())

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [[0] * len(row) for row in self.operators]}


def _check_block_counts(operators: list[list[Any]]) -> None:
    if not operators:
        raise ValueError(
            f"Argument `operators` must be a list of >=1 operators. Received: {operators}."
        )
    for i, row in enumerate(operators):
        if len(row) != i + 1:
            raise ValueError(
                f"Argument `operators[{i}]` must contain `{i + 1}` blocks. Received: {len(row)} blocks."
            )


def _check_block_sizes(operators: list[list[Any]]) -> None:
    """Raises ValueError for blocks that are not square or do not fit, as far as sizes are known."""
    for i, row in enumerate(operators):
        if row[-1].is_square is False:
            raise ValueError(
                "Matrices on the diagonal (the final elements of each row-partition in the `operators` list) "
                f"must be square. Expected argument `operators[{i}][-1].is_square` to be True. Received: False."
            )
    for i, row in enumerate(operators):
        rows = static_dim(row[-1].shape, -2)
        for j, operator in enumerate(row[:-1]):
            above = static_dim(operators[j][j].shape, -1)
            mine = static_dim(operator.shape, -2), static_dim(operator.shape, -1)
            if None not in (above, mine[1]) and above != mine[1]:
                raise ValueError(
                    f"Argument `operators[{i}][{j}].domain_dimension` ({mine[1]}) must be the same as "
                    f"`operators[{j}][{j}].domain_dimension` ({above})."
                )
            if None not in (rows, mine[0]) and rows != mine[0]:
                raise ValueError(
                    f"Argument `operators[{i}][{j}].range_dimension` ({mine[0]}) must be the same as "
                    f"`operators[{i}][{i}].range_dimension` ({rows})."
                )


def _dtype_of_rows(operators: list[list[Any]]) -> Any:
    dtype = operators[0][0].dtype
    for i, row in enumerate(operators):
        types = [operator.dtype for operator in row]
        if any(one != dtype for one in types):
            raise TypeError(
                f"Expected all operators to have the same dtype.  Found {types} in row {i} and {dtype} in row 0."
            )
    return dtype


def _is_invertible(diagonal: list[Any], hint_values: Hint) -> Hint:
    """Returns the hint ``is_non_singular``, from the blocks on the diagonal."""
    if all(operator.is_non_singular for operator in diagonal):
        if hint_values is False:
            raise ValueError(
                "A blockwise lower-triangular operator with non-singular operators on the main diagonal is "
                "always non-singular. Expected argument `is_non_singular` to be True. Received: False."
            )
        return True
    if any(operator.is_non_singular is False for operator in diagonal):
        if hint_values is True:
            raise ValueError(
                "A blockwise lower-triangular operator with a singular operator on the main diagonal is always "
                "singular. Expected argument `is_non_singular` to be True. Received: True."
            )
        return False
    return hint_values
