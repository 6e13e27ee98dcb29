"""``tf.linalg.experimental.conjugate_gradient``: iterative solution of linear equations."""

from __future__ import annotations

from typing import Any, NamedTuple

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int32
from twinflow._src.core.scopes import name_scope
from twinflow._src.dispatch.op import API


class CGState(NamedTuple):
    """The state of the method: steps, solution, residual, direction, preconditioned square."""

    i: Any
    x: Any
    r: Any
    p: Any
    gamma: Any


def conjugate_gradient(
    operator: Any,
    rhs: Any,
    preconditioner: Any = None,
    x: Any = None,
    tol: float = 1e-5,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> Any:
    """Solves linear equations by the preconditioned conjugate gradient method.

    The method is algorithm 10.3.1 of Golub and Van Loan, Matrix Computations (3rd edition).

    Args:
        operator: A ``tf.linalg.LinearOperator`` that is self-adjoint and positive definite.
        rhs: The right-hand sides, a tensor of shape ``[..., N]``.
        preconditioner: An operator that approximates the inverse; the identity if None.
        x: The start, a tensor of the shape of ``rhs``; zeros if None.
        tol: The method ends when the norm of each residual is at most ``tol`` times that of its
            right-hand side.
        max_iter: The largest number of steps.
        name: A name for the operations.

    Returns:
        A named tuple: the number of steps ``i``, the solutions ``x``, the residuals ``r``, the
        directions ``p`` and ``gamma``, the products of the residuals and the preconditioned ones.

    Raises:
        ValueError: The operator is not known to be self-adjoint and positive definite, or sizes are
            incompatible.
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")
    with name_scope(name):
        rhs = API["expand_dims"](convert_to_tensor(rhs, name="rhs"), -1)
        if x is None:
            x = API["zeros_like"](rhs)
            residual = rhs
        else:
            x = API["expand_dims"](convert_to_tensor(x, name="x"), -1)
            residual = rhs - operator.matmul(x)
        direction = _precondition(preconditioner, residual)
        limit = tol * API["linalg.norm"](rhs, axis=[-2, -1], keepdims=True)
        start = CGState(
            convert_to_tensor(0, dtype=int32), x, residual, direction, _dot(residual, direction)
        )

        def goes_on(state: CGState) -> Any:
            sizes = API["linalg.norm"](state.r, axis=[-2, -1], keepdims=True)
            return (state.i < max_iter) & API["reduce_any"](sizes > limit)

        def step(state: CGState) -> tuple[CGState]:
            image = operator.matmul(state.p)
            alpha = state.gamma / _dot(state.p, image)
            solution = state.x + alpha * state.p
            rest = state.r - alpha * image
            preconditioned = _precondition(preconditioner, rest)
            gamma = _dot(rest, preconditioned)
            towards = preconditioned + gamma / state.gamma * state.p
            return (CGState(state.i + 1, solution, rest, towards, gamma),)

        (end,) = API["while_loop"](goes_on, step, [start])
        return CGState(
            end.i,
            API["squeeze"](end.x, [-1]),
            API["squeeze"](end.r, [-1]),
            API["squeeze"](end.p, [-1]),
            API["squeeze"](end.gamma, [-2, -1]),
        )


def _precondition(preconditioner: Any, x: Any) -> Any:
    return x if preconditioner is None else preconditioner.matmul(x)


def _dot(a: Any, b: Any) -> Any:
    """Returns the inner products of columns, as matrices of one element."""
    return API["linalg.matmul"](a, b, adjoint_a=True)
