"""The op table as plain data, for the documentation, the R package and the tests.

``python -m twinflow.describe`` prints it as JSON.
"""

from __future__ import annotations

import enum
import inspect
import json
from collections.abc import Callable
from typing import Any

import twinflow
from twinflow._src.core.dtypes import DType
from twinflow._src.dispatch.op import API, OPS, Op, Param


def table() -> list[dict[str, Any]]:
    """Returns one entry per op.

    Returns:
        Dictionaries with ``type`` (TensorFlow's name of the op), ``name`` (of the function),
        ``api`` (public names), ``r`` (the R generic), ``parameters``, ``dtypes``, ``out``,
        ``devices``, ``impure``, ``gradient`` (see :func:`gradient`), ``summary`` (first line of the
        documentation) and ``doc``.
    """
    return [_op(op) for _, op in sorted(OPS.items())]


def composites() -> list[dict[str, Any]]:
    """Returns one entry per public function that is composed of ops.

    Returns:
        Dictionaries with ``name``, ``api`` (public names), ``parameters``, ``signature``,
        ``summary`` and ``doc``.
    """
    names: dict[Callable[..., Any], list[str]] = {}
    for name, function in sorted(API.items()):
        if not hasattr(function, "op"):
            names.setdefault(function, []).append(name)
    return [_composite(function, api) for function, api in names.items()]


def everything() -> dict[str, Any]:
    """Returns the data that ``python -m twinflow.describe`` prints."""
    return {
        "version": twinflow.version.TWINFLOW_VERSION,
        "ops": table(),
        "composites": composites(),
    }


def gradient(op: Op) -> str:
    """Returns the gradient kind of an op: "yes", "none", or "undefined" (a LookupError)."""
    if op.gradient is not None:
        return "yes"
    return "none" if op.no_gradient else "undefined"


def _op(op: Op) -> dict[str, Any]:
    out = op.out.name if isinstance(op.out, DType) else op.out
    return {
        "type": op.type,
        "name": op.name,
        "api": list(op.api),
        "r": op.r,
        "parameters": [_parameter(p) for p in op.params],
        "dtypes": sorted(dtype.name for dtype in op.dtypes),
        "out": out,
        "devices": list(op.devices),
        "impure": op.impure,
        "gradient": gradient(op),
        **_doc(op.kernel),
    }


def _parameter(param: Param) -> dict[str, Any]:
    kind = "attribute"
    if param.kind is not None:
        kind = (
            "resource"
            if param.kind.attr == "resource"
            else "tensors"
            if param.kind.many
            else "tensor"
        )
    return {"name": param.name, "kind": kind, **_default(param.default)}


def _composite(function: Callable[..., Any], api: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": function.__name__, "api": api, **_doc(function)}
    signature = signature_of(function)
    found["signature"] = str(readable(signature))
    found["parameters"] = [
        {"name": p.name, "kind": "argument", **_default(p.default)}
        for p in signature.parameters.values()
    ]
    return found


def _default(value: Any) -> dict[str, Any]:
    """Returns the default of a parameter, empty if it has none."""
    if value is inspect.Parameter.empty:
        return {}
    plain = value is None or isinstance(value, (bool, int, float, str))
    return {"default": value if plain else repr(_Named(value))}


class _Named:
    """A default value whose repr is a function's name."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        return self._value.__name__ if inspect.isfunction(self._value) else repr(self._value)


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """Returns the signature of a public function; that of an enumeration is always ``(value)``.

    Args:
        function: A function or a class.
    """
    if isinstance(function, enum.EnumMeta):
        return inspect.Signature(
            [inspect.Parameter("value", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
        )
    return inspect.signature(function)


def readable(signature: inspect.Signature) -> inspect.Signature:
    """Returns a signature whose text is the same in every process: functions are shown by name.

    Args:
        signature: The signature.
    """
    empty = inspect.Parameter.empty
    parameters = signature.parameters.values()
    named = [p if p.default is empty else p.replace(default=_Named(p.default)) for p in parameters]
    return signature.replace(parameters=named)


def main() -> None:
    """Prints the op table as JSON."""
    print(json.dumps(everything(), indent=1, ensure_ascii=False))


def _doc(function: Callable[..., Any]) -> dict[str, str]:
    doc = inspect.getdoc(function) or ""
    return {"summary": doc.partition("\n")[0], "doc": doc}
