# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

from twinflow.autograph import experimental as experimental

def set_verbosity(level: SupportsIndex, alsologtostdout: bool = False) -> None:
    """Sets how much AutoGraph tells of what it does; it tells nothing here."""

def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """Returns the source of a function after rewriting."""

def to_graph(
    entity: Any, recursive: bool = True, experimental_optional_features: Any = None
) -> Any:
    """Returns a function like another one whose control flow may depend on tensors."""

def trace(*args: Any) -> None:
    """Prints values when it is called; in a traced function that is when the function is traced."""
