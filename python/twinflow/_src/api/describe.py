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
from twinflow._src.control_flow.batching import rule_of
from twinflow._src.core import shapes
from twinflow._src.core.dtypes import DType
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.op import API, OPS, R_GENERICS, Op, Param
from twinflow._src.graph.tf_exact.gradients import FORMS


def table() -> list[dict[str, Any]]:
    """Returns one entry per op.

    Returns:
        Dictionaries with ``type`` (TensorFlow's name of the op), ``name`` (of the function),
        ``api`` (public names), ``r`` (the R generic), ``parameters``, ``dtypes``, ``out``,
        ``devices``, ``impure``, ``gradient`` (see :func:`gradient`), ``rules`` (see :func:`rules`),
        ``summary`` (first line of the documentation) and ``doc``.
    """
    return [_op(op) for _, op in sorted(OPS.items())]


def describe(name: str) -> dict[str, Any]:
    """Returns the entry of an op in the table, by its type or a public name: ``describe("AddV2")``.

    Raises:
        KeyError: There is no such op.
    """
    op = OPS.get(name) or getattr(API.get(name), "op", None)
    if op is None:
        raise KeyError(name)
    return _op(op)


def rules(op: Op) -> dict[str, Any]:
    """Returns what an op says about itself to gradients, graphs, the compiler and devices.

    Returns:
        A dictionary: ``signature``, in the form of TensorFlow's op definitions; ``recorded``, True
        if it is TensorFlow's; ``shape``, the name of the shape rule or None; ``reads``, what the
        gradient reads of the inputs and the ``"result"``; ``slices``, whether the gradient accepts
        IndexedSlices; ``specialize``, the kinds of device with specialized kernels; ``form``, True
        if graphs have the operations of TensorFlow's gradient; ``static_value``, ``no_op`` and
        ``batched``, True if there is such a rule; ``name``, that of operations in graphs; and the fields of ``Op``
        that ``FLAGS`` lists.
    """
    definition = opdefs.definition(op.type)
    reads = [p.name for p in op.tensors] + ["result"] if op.reads is None else list(op.reads)
    return {
        "signature": definition.partition("signature=")[2].partition(";")[0].rstrip(">"),
        "recorded": opdefs.is_recorded(op.type),
        "shape": None if op.shape is shapes.unknown else getattr(op.shape, "__name__", "shape"),
        "reads": None if op.gradient is None else reads,
        "slices": op.slices,
        "specialize": sorted(op.specialized),
        "form": op.type in FORMS,
        "static_value": op.static_value is not None,
        "no_op": op.no_op is not None,
        "batched": rule_of(op) is not None,
        "name": op.tf_name or op.type,
        **{flag: getattr(op, flag) for flag in FLAGS},
        "layout": list(op.layout),
    }


def r_verbs() -> dict[str, dict[str, str]]:
    """Returns the functions behind R's generics, by kind and generic.

    An op names its generic by ``r=``; so do functions composed of ops. Functions of the R bridge
    (``r.`` and a name) go before both.
    """
    from twinflow._src.r_bridge import generics, math  # noqa: F401 - the first registers its own

    result: dict[tuple[str, str], str] = {}
    for op in OPS.values():
        if op.r is not None:
            path = next((name for name in op.api if name.startswith("math.")), op.api[0])
            result[_verb_kind(op.r, len(op.tensors)), op.r] = path
    result |= {(_verb_kind(verb, 2), verb): path for verb, path in R_GENERICS.items()}
    for verb, path in math.GENERICS.items():
        result.pop(("binary", verb), None)
        result["reduction" if verb in _SUMMARIES else "plain", verb] = path
    kinds: dict[str, dict[str, str]] = {kind: {} for kind in _KINDS}
    for (kind, verb), path in sorted(result.items()):
        kinds[kind][verb] = path
    return kinds


_KINDS = ("binary", "logical", "unary", "plain", "reduction")
_SUMMARIES = frozenset(("sum", "prod", "min", "max", "all", "any", "range", "mean"))


def _verb_kind(verb: str, tensors: int) -> str:
    if verb in ("&", "|", "!"):
        return "logical"
    if verb[0].isalpha():
        return "reduction" if verb in _SUMMARIES else "plain"
    return "binary" if tensors == 2 else "unary"


FLAGS = ("opens_scope", "keeps_bfloat16", "moves", "is_identity", "by_row", "shape_only")


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
        "r": r_verbs(),
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
        "rules": rules(op),
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
    entry: dict[str, Any] = {"name": function.__name__, "api": api, **_doc(function)}
    signature = signature_of(function)
    entry["signature"] = str(readable(signature))
    entry["parameters"] = [
        {"name": p.name, "kind": "argument", **_default(p.default)}
        for p in signature.parameters.values()
    ]
    return entry


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
    """Returns the signature of a public function; that of an enumeration is always ``(value)``."""
    if isinstance(function, enum.EnumMeta):
        return inspect.Signature(
            [inspect.Parameter("value", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
        )
    return inspect.signature(function)


def readable(signature: inspect.Signature) -> inspect.Signature:
    """Returns a signature whose text is the same in every process: functions are shown by name."""
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
