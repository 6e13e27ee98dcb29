# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

from twinflow.autograph import experimental as experimental

def set_verbosity(level: SupportsIndex, alsologtostdout: bool = False) -> None:
    """Sets the verbosity of AutoGraph logging; no effect, nothing is logged."""

def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """Returns the source code of a function after conversion."""

def to_graph(
    entity: Any, recursive: bool = True, experimental_optional_features: Any = None
) -> Any:
    """Converts a function so that its control flow may depend on tensors."""

def trace(*args: Any) -> None:
    """Prints its arguments when called; in a traced function, at trace time."""
