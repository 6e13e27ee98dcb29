"""Signatures and documentation of the core's functions, as R shows them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import twinflow
from twinflow._src.core import dtypes

tf: Any = twinflow  # its names come from the op table

_PLAIN = (bool, int, float, str, type(None))


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Returns the parameters of a function, or those of a class's constructor."""
    of = function.__init__ if inspect.isclass(function) else function
    try:
        parameters = list(inspect.signature(of).parameters.values())
    except (TypeError, ValueError):
        return []
    return parameters[1:] if inspect.isclass(function) else parameters


def arguments_of(function: Callable[..., Any]) -> list[list[Any]]:
    """Returns the names of arguments, each with its default value if it has one.

    Variadic ones become R's ``...``; defaults without counterpart in R become NULL.
    """
    arguments: list[list[Any]] = []
    for parameter in _parameters(function):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            if ["..."] not in arguments:
                arguments.append(["..."])
        elif parameter.default is parameter.empty:
            arguments.append([parameter.name])
        else:
            value = parameter.default if isinstance(parameter.default, _PLAIN) else None
            arguments.append([parameter.name, value])
    return arguments


def about(function: Callable[..., Any]) -> dict[str, str]:
    """Returns the name of a function and the first sentence of its documentation."""
    doc = (inspect.getdoc(function) or "").split("\n\n")[0]
    name = getattr(function, "__name__", type(function).__name__)
    return {"name": name, "first_line": " ".join(doc.split()).replace("``", "`")}


def float_default(function: Callable[..., Any]) -> dict[str, Any]:
    """Returns how a function chooses the dtype of floats.

    ``kind`` is "default" if its argument ``dtype`` is float32 by default, "value" if it follows the
    value, and "none" otherwise; ``before`` counts the arguments before ``dtype``.
    """
    parameters = _parameters(function)
    names = [parameter.name for parameter in parameters]
    if "dtype" not in names:
        return {"kind": "none", "before": 0}
    before = names.index("dtype")
    if any(function is each for each in (tf.constant, tf.Variable, tf.convert_to_tensor)):
        return {"kind": "value", "before": before}
    default = parameters[before].default
    is_float = default in (dtypes.float32, "float", "float32")
    return {"kind": "default" if is_float else "none", "before": before}
