# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsFloat, SupportsIndex

def conjugate_gradient(
    operator: Any,
    rhs: Any,
    preconditioner: Any = None,
    x: Any = None,
    tol: SupportsFloat = 1e-05,
    max_iter: SupportsIndex = 20,
    name: str = "conjugate_gradient",
) -> Any:
    """Solves linear equations by the preconditioned conjugate gradient method."""
