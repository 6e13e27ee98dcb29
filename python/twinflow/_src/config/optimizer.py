"""``tf.config.optimizer``: what programs ask of the compiler and the rewriter of graphs.

There is neither here: graphs run as they were traced. What is set can be read again.
"""

from __future__ import annotations

from typing import Any

from twinflow._src.dispatch.op import export

_jit: list[str] = [""]
_options: dict[str, Any] = {}
_ALWAYS = {"disable_model_pruning": False, "disable_meta_optimizer": False}


@export("config.optimizer.get_jit")
def get_jit() -> str:
    """What is to be compiled: ``"autoclustering"``, or nothing."""
    return _jit[0]


@export("config.optimizer.set_jit")
def set_jit(enabled: Any) -> None:
    """Sets what is to be compiled.

    Args:
        enabled: ``"autoclustering"`` or True for what can be, anything else for nothing.
    """
    _jit[0] = "autoclustering" if enabled in (True, "autoclustering") else ""


@export("config.optimizer.get_experimental_options")
def get_experimental_options() -> dict[str, Any]:
    """The options of the rewriter that were set, and those that it always has."""
    return _options | _ALWAYS


@export("config.optimizer.set_experimental_options")
def set_experimental_options(options: dict[str, Any]) -> None:
    """Sets options of the rewriter.

    Args:
        options: Values by name.
    """
    _options.update(options)
