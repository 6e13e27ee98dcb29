"""The functions of ``tf.raw_ops``, each made when it is first asked for."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.context import thread
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.registry import OPS, REQUIRED, Op
from twinflow._src.graph.op_definitions import is_known
from twinflow._src.graph_serialization.graph_only_ops import GRAPH_ONLY
from twinflow._src.graph_serialization.node_readers import LISTS
from twinflow._src.wings.raw_ops.attributes import (
    OF_PARTS,
    check_lists,
    check_parts,
    check_update_type,
    check_value_type,
    checked,
    for_kernel,
)
from twinflow._src.wings.raw_ops.composite_functions import OTHERS
from twinflow._src.wings.raw_ops.descriptions import description
from twinflow._src.wings.raw_ops.parameters import (
    bound,
    function_name,
    known_signature,
    parameters,
    python_signature,
)
from twinflow._src.wings.raw_ops.resources import behind
from twinflow._src.wings.raw_ops.results import shaped
from twinflow._src.wings.raw_ops.state import STATE

_FUNCTIONS = {**OTHERS, **STATE}


def names() -> list[str]:
    """The types of all operations that there are."""
    return sorted(filter(is_known, {*OPS, *LISTS, *GRAPH_ONLY, *_FUNCTIONS}))


@functools.cache
def function(type: str) -> Callable[..., Any]:
    """The function of an operation.

    Args:
        type: The operation's type.

    Raises:
        KeyError: There is none.
    """
    run = _runner(type)

    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            keys = [*(p.name for p in parameters(type)), "name"]
            raise TypeError(
                f"{function_name(type)} only takes keyword args (possible keys: {keys}). Please pass these args as "
                "kwargs instead."
            )
        name = kwargs.pop("name", None)
        values = bound(type, kwargs)
        check_lists(type, values)
        values |= checked(type, values)
        return shaped(type, values, run(values, name))

    call.__name__ = call.__qualname__ = function_name(type)
    call.__module__, call.__doc__ = "twinflow.raw_ops", description(type)
    call.__signature__ = python_signature(type)  # type: ignore[attr-defined]
    return call


def _runner(type: str) -> Callable[[dict[str, Any], str | None], Any]:
    if type in _FUNCTIONS:
        return _FUNCTIONS[type]
    if not is_known(type):
        raise KeyError(type)
    if type in GRAPH_ONLY:
        op, taken = GRAPH_ONLY[type]
        return functools.partial(_run, op, lambda attrs: {name: attrs[name] for name in taken})
    op = _plain(OPS.get(type) or LISTS[type])
    return functools.partial(_run, op, functools.partial(for_kernel, op))


def _plain(op: Op) -> Op:
    """An op without what public functions do before it: choosing another one by type, converting in their order."""
    if not (op.variants or op.hinted or op.converts):
        return op
    plain = dataclasses.replace(op, variants={}, hinted=False, converts=False)
    plain.public = op.public
    return plain


def _run(op: Op, attributes: Callable[[dict[str, Any]], dict[str, Any]], values: dict[str, Any], name: str | None) -> Any:
    attrs = attributes({p.source: values[p.source] for p in parameters(op.type) if p.attr is not None})
    inputs = [values[arg.name] for arg in known_signature(op.type).inputs]
    for place, (kind, value) in enumerate(zip(op.kinds, inputs)):
        if value is None:
            raise _absent(known_signature(op.type).inputs[place].name)
        if kind.attr == "resource":
            inputs[place] = behind(op.type, place, value)
            check_value_type(op.type, inputs[place], values)
            inputs[1:] = check_update_type(op, inputs[place], inputs[1:])
    for absent in [n for n, value in attrs.items() if value is REQUIRED]:
        inputs, attrs[absent] = _types(op.type, absent, inputs)
    if op.type in OF_PARTS and not is_tensor(inputs[0]):
        inputs[0] = convert_to_tensor(inputs[0])
    check_parts(op.type, values, inputs[0].dtype if op.type in OF_PARTS else None)
    if name is not None and thread.scope.graph is not None:
        attrs["name"] = name
    return execute(op, inputs, attrs)


def _absent(name: str) -> ValueError:
    """What is said of None in the place of a tensor."""
    if thread.scope.graph is None:
        return ValueError("Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor.")
    return ValueError(f"Tried to convert '{name}' to a tensor and failed. Error: None values not supported.")


def _types(type: str, attr: str, inputs: list[Any]) -> tuple[list[Any], Any]:
    """The inputs with those of a type attribute as tensors, and what the attribute is by them."""
    found, place = list(inputs), [arg.type for arg in known_signature(type).inputs].index(attr)
    if known_signature(type).inputs[place].number is not None:
        found[place] = [convert_to_tensor(x) for x in inputs[place]]
        return found, [x.dtype for x in found[place]]
    found[place] = convert_to_tensor(inputs[place])
    return found, found[place].dtype
