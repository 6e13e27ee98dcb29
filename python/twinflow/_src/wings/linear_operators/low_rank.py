"""Low-rank updates of linear operators."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API
from twinflow._src.wings.linear_operators.base import (
    LinearOperator,
    dense_product,
    record_parameters,
)
from twinflow._src.wings.linear_operators.dense import LinearOperatorDiag
from twinflow._src.wings.linear_operators.identities import LinearOperatorIdentity
from twinflow._src.wings.linear_operators.shapes import (
    Hint,
    assert_same_size,
    broadcast_sizes,
    broadcast_static,
    concat_sizes,
    convert_unless_variable,
    size,
    sizes,
    solve_cholesky,
    solve_matrices,
    static_dim,
)
from twinflow._src.wings.linear_operators.spec import make_composite_tensor


@make_composite_tensor
class LinearOperatorLowRankUpdate(LinearOperator):
    """The sum of an operator and a matrix of low rank: ``A = L + U D V^H``.

    Solutions and determinants follow from those of L and of the small capacitance matrix
    ``C = D^-1 + V^H L^-1 U`` by the Woodbury identity and the matrix determinant lemma
    (https://en.wikipedia.org/wiki/Woodbury_matrix_identity,
    https://en.wikipedia.org/wiki/Matrix_determinant_lemma).

    Args:
        base_operator: L, an operator of shape ``[..., M, N]``.
        u: U, a tensor of shape ``[..., M, K]``.
        diag_update: The diagonal of D, a tensor of shape ``[..., K]``; ones if None.
        v: V, a tensor of shape ``[..., N, K]``; U if None.
        is_diag_update_positive: The hint that the diagonal of D is positive.
        is_non_singular: The hint that the operator is invertible.
        is_self_adjoint: The hint that the operator is self-adjoint.
        is_positive_definite: The hint that the operator is positive definite.
        is_square: The hint that the operator is square.
        name: The name.

    Raises:
        ValueError: The sizes are incompatible, or a hint contradicts the others.
    """

    __module__ = "twinflow.linalg"
    _composite_tensor_fields = "base_operator", "u", "diag_update", "v", "is_diag_update_positive"
    _experimental_parameter_ndims_to_matrix_ndims = {
        "base_operator": 0,
        "u": 2,
        "diag_update": 1,
        "v": 2,
    }

    @record_parameters
    def __init__(
        self,
        base_operator: Any,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: Hint = None,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        dtype = base_operator.dtype
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError(
                    "Default diagonal is the identity, which is positive.  However, user set "
                    "'is_diag_update_positive' to False."
                )
            is_diag_update_positive = True
        self._base_operator = base_operator
        self._u = convert_unless_variable(u, "u", dtype)
        self._v = self._u if v is None else convert_unless_variable(v, "v", dtype)
        self._diag_update = convert_unless_variable(diag_update, "diag_update", dtype)
        self._is_diag_update_positive = is_diag_update_positive

        is_symmetric = base_operator.is_self_adjoint and v is None
        if is_symmetric and (diag_update is None or not dtype.is_complex):
            if is_self_adjoint is False:
                raise ValueError(
                    "A = L + UDU^H, with L self-adjoint and D real diagonal.  Since UDU^H is "
                    "self-adjoint, this must be a self-adjoint operator."
                )
            is_self_adjoint = True
        if base_operator.is_positive_definite and v is None and is_diag_update_positive:
            if is_self_adjoint and (is_positive_definite is False or is_non_singular is False):
                raise ValueError("Arguments imply this is self-adjoint positive-definite operator.")
            if is_self_adjoint:
                is_positive_definite = is_non_singular = True
        super().__init__(
            dtype=dtype,
            **self._arguments(
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
            ),
        )
        self._diag_operator = self._make_diag_operator()
        self._check_shapes()

    def _make_diag_operator(self) -> LinearOperator:
        """Returns D as an operator."""
        if self._diag_update is not None:
            return LinearOperatorDiag(
                self._diag_update, is_positive_definite=self._is_diag_update_positive
            )
        return LinearOperatorIdentity(num_rows=size(self._u, -1), dtype=self.dtype)

    def _check_shapes(self) -> None:
        """Raises ValueError for sizes that are known to be incompatible."""
        u, v, base = self._u.shape, self._v.shape, self._base_operator.shape
        assert_same_size(static_dim(base, -2), static_dim(u, -2))
        if v is not u:
            static_dim(v, -2)
        if self._diag_update is not None:
            assert_same_size(static_dim(u, -1), static_dim(self._diag_update.shape, -1))

    @property
    def u(self) -> Any:
        """U."""
        return self._u

    @property
    def v(self) -> Any:
        """V."""
        return self._v

    @property
    def is_diag_update_positive(self) -> Hint:
        """The hint that the diagonal of D is positive."""
        return self._is_diag_update_positive

    @property
    def diag_update(self) -> Any:
        """The diagonal of D, or None."""
        return self._diag_update

    @property
    def diag_operator(self) -> LinearOperator:
        """D as an operator."""
        return self._diag_operator

    @property
    def base_operator(self) -> LinearOperator:
        """L."""
        return self._base_operator

    def _factors(self) -> tuple[Any, Any]:
        """Returns U and V as tensors."""
        u = convert_to_tensor(self._u)
        return u, u if self._v is self._u else convert_to_tensor(self._v)

    def _shape(self) -> TensorShape:
        batch = broadcast_static(
            [
                self.base_operator.batch_shape,
                self.diag_operator.batch_shape,
                self._u.shape[:-2],
                self._v.shape[:-2],
            ]
        )
        return batch.concatenate(self.base_operator.shape[-2:])

    def _shape_tensor(self) -> Any:
        base = self.base_operator
        batch = broadcast_sizes(
            [
                base._batch_sizes(),
                self.diag_operator._batch_sizes(),
                sizes(self._u, None, -2),
                sizes(self._v, None, -2),
            ]
        )
        return concat_sizes([batch, [base._size(-2)], [base._size(-1)]])

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        u, v = self._factors()
        left, right = (v, u) if adjoint else (u, v)
        product = self.base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = dense_product(right, x, True, adjoint_arg)
        inner = self.diag_operator.matmul(inner, adjoint=adjoint)
        return product + dense_product(left, inner, False, False)

    def _capacitance(self) -> Any:
        """Returns ``D^-1 + V^H L^-1 U``."""
        u, v = self._factors()
        product = dense_product(v, self.base_operator.solve(u), True, False)
        return self.diag_operator.inverse().add_to_tensor(
            API["broadcast_to"](
                product, concat_sizes([self._capacitance_batch(), sizes(product, -2)])
            )
        )

    def _capacitance_batch(self) -> Any:
        """Returns the batch shape of the capacitance matrix."""
        return broadcast_sizes(
            [
                self.base_operator._batch_sizes(),
                self.diag_operator._batch_sizes(),
                sizes(self._u, None, -2),
                sizes(self._v, None, -2),
            ]
        )

    def _has_cholesky(self) -> bool:
        """True if the capacitance matrix is self-adjoint and positive definite."""
        return bool(
            self.is_diag_update_positive
            and self._v is self._u
            and self.base_operator.is_self_adjoint
            and self.base_operator.is_positive_definite
        )

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        if self.base_operator.is_non_singular is False:
            raise ValueError(
                "Solve not implemented unless this is a perturbation of a non-singular LinearOperator."
            )
        u, v = self._factors()
        left, right = (v, u) if adjoint else (u, v)
        solved = self.base_operator.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = dense_product(right, solved, True, False)
        capacitance = self._capacitance()
        if self._has_cholesky():
            inner = solve_cholesky(API["linalg.cholesky"](capacitance), inner)
        else:
            inner = solve_matrices(capacitance, inner, adjoint=adjoint)
        update = self.base_operator.solve(dense_product(left, inner, False, False), adjoint=adjoint)
        return solved - update

    def _determinant(self) -> Any:
        base = self.base_operator.determinant()
        if self._has_cholesky():
            factor = API["linalg.diag_part"](API["linalg.cholesky"](self._capacitance()))
            small = API["reduce_prod"](factor, axis=[-1]) ** 2
        else:
            small = API["linalg.det"](self._capacitance())
        return small * base * self.diag_operator.determinant()

    def _log_abs_determinant(self) -> Any:
        base = self.base_operator.log_abs_determinant()
        if self._has_cholesky():
            factor = API["linalg.diag_part"](API["linalg.cholesky"](self._capacitance()))
            small = 2 * API["reduce_sum"](API["math.log"](factor), axis=[-1])
        else:
            small = API["linalg.slogdet"](self._capacitance())[1]
        update = self.diag_operator.log_abs_determinant()
        return sum(API["cast"](part, self.dtype) for part in (base, update, small))

    def _diag_part(self) -> Any:
        u, v = self._factors()
        v = API["math.conj"](v) if self.dtype.is_complex else v
        scaled = u * API["expand_dims"](self.diag_operator.diag_part(), -2)
        return self.base_operator.diag_part() + API["reduce_sum"](scaled * v, axis=-1)
