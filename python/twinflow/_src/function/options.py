"""The process-wide settings of functions."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.protos import message
from twinflow._src.dispatch.op import export

# The attributes that programs may give functions. They are kept, and say nothing to what runs here.
_ATTRIBUTES = ["_OutputsOnOpDevice", "_disable_acd", "_implements", "_noinline", "_tf_data_function", "api_implements", "api_preferred_device", "disable_summaries_at_runtime", "experimental_ints_on_device", "function_runs_at_most_once", "go_backwards", "runtime_constant_optimization", "time_major"]


class Settings:
    """What holds for all functions."""

    run_eagerly = False


settings = Settings()


@export("config.run_functions_eagerly", "config.experimental_run_functions_eagerly")
def run_functions_eagerly(run_eagerly: bool) -> None:
    """Makes all functions run as Python, without a graph, or as usual again.

    Args:
        run_eagerly: Whether they run as Python.
    """
    settings.run_eagerly = bool(run_eagerly)


@export("config.functions_run_eagerly", "config.experimental_functions_run_eagerly")
def functions_run_eagerly() -> bool:
    """Returns whether functions run as Python, without a graph."""
    return settings.run_eagerly


def checked_attributes(implements: Any, given: Any) -> dict[str, Any]:
    """The attributes of a function by name.

    Args:
        implements: What it implements, or None.
        given: More of them, or None.

    Raises:
        ValueError: There is no attribute of such a name.
    """
    found = {} if implements is None else {"_implements": implements}
    found.update(given or {})
    for name in found:
        if name not in _ATTRIBUTES:
            raise ValueError(f"`{name} is not supported by tf.function as an attribute.")
    return found


def check_values(attributes: dict[str, Any]) -> None:
    """Raises ValueError where an attribute has a value that no attribute can have."""
    for name, value in attributes.items():
        if not isinstance(value, (bool, int, float, str, bytes, list, message("AttrValue"))):
            raise ValueError(
                f"Attribute {name} must be bool, int, float, string, list, or AttrValue. Got {type(value)}."
            )
