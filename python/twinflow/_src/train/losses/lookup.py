"""Serialization and lookup by name of losses and metrics."""

from __future__ import annotations

import inspect
from typing import Any

from twinflow._src.train.descriptions import build_from_config, described
from twinflow._src.train.losses import classes as loss_classes
from twinflow._src.train.losses import functions as loss_entropies
from twinflow._src.train.losses import functions as loss_functions
from twinflow._src.train.metrics import base as metric_base
from twinflow._src.train.metrics import classes as metric_classes
from twinflow._src.train.metrics import counts as metric_counts
from twinflow._src.train.metrics import functions as metric_functions

_SHORT = {
    "bce": "binary_crossentropy",
    "kld": "kl_divergence",
    "mae": "mean_absolute_error",
    "mse": "mean_squared_error",
    "mape": "mean_absolute_percentage_error",
    "msle": "mean_squared_logarithmic_error",
}


def _find(name: str, *modules: Any) -> Any:
    name = _SHORT.get(name, _SHORT.get(name.lower(), name) if name.isupper() else name)
    found = next((vars(m)[name] for m in modules if name in vars(m)), None)
    here = (getattr(found, "__module__", None) or "").partition(".")[0] == "twinflow"
    return found if here and not name.startswith("_") else None


def _loss(name: str) -> Any:
    return _find(name, loss_classes, loss_functions, loss_entropies)


def _metric(name: str) -> Any:
    classes = metric_classes, metric_counts, metric_base
    return _find(name, *classes, metric_functions, loss_functions, loss_entropies)


def serialize_loss(loss: Any) -> Any:
    """Serializes a loss.

    Args:
        loss: A loss or a function.

    Returns:
        A dictionary, or the name of a function.
    """
    return described(loss, "keras.losses")


def deserialize_loss(name: Any, custom_objects: Any = None) -> Any:
    """Creates a loss from its serialized form.

    Args:
        name: The result of ``serialize``, or a name.
        custom_objects: Additional classes and functions by name.

    Returns:
        A loss or a function.
    """
    return build_from_config(name, _loss, custom_objects)


def get_loss(identifier: Any) -> Any:
    """Returns a loss by name, serialized form, class or callable.

    Args:
        identifier: A name, a serialized form, a class, or a callable; None is returned unchanged.

    Returns:
        A loss or a function.

    Raises:
        ValueError: The identifier is not a loss.
    """
    return _got(identifier, _loss, "loss")


def serialize_metric(metric: Any) -> Any:
    """Serializes a metric; see ``serialize_loss``."""
    return described(metric, "keras.metrics")


def deserialize_metric(config: Any, custom_objects: Any = None) -> Any:
    """Creates a metric from its serialized form; see ``deserialize_loss``."""
    return build_from_config(config, _metric, custom_objects)


def get_metric(identifier: Any) -> Any:
    """Returns a metric by name, serialized form, class or callable; see ``get_loss``."""
    return _got(identifier, _metric, "metric")


def _got(identifier: Any, known: Any, kind: str) -> Any:
    if identifier is None:
        return None
    found = identifier
    if isinstance(identifier, dict):
        found = build_from_config(identifier, known, None)
    elif isinstance(identifier, str):
        found = known(identifier)
    if not callable(found):
        raise ValueError(f"Could not interpret {kind} identifier: {identifier}")
    return found() if inspect.isclass(found) else found
