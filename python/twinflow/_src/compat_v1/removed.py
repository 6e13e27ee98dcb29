"""TensorFlow 1 names without support: calls raise NotImplementedError and name an alternative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_LOOPS = "tf.compat.v1.train.MonitoredTrainingSession"

# Names by alternative.
_REASONS = {
    _LOOPS: "ProfilerHook SummarySaverHook Supervisor basic_train_loop",
}
_INSTEAD = {name: instead for instead, names in _REASONS.items() for name in names.split()}
NAMES = " ".join(_INSTEAD)


def _refused(name: str) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"tf.compat.v1.train.{name} is not part of twinflow: supervisors and profilers are not. Use "
            f"{_INSTEAD[name]}."
        )

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Refused: use {_INSTEAD[name]}."
    return refuse


def __getattr__(name: str) -> Any:
    if name not in _INSTEAD:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, _refused(name))
