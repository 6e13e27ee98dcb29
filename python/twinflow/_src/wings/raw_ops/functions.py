"""Functions of ``tf.raw_ops``, created lazily on first access.

Results are a tensor, a list, or a named tuple of these. Ops that exist in graphs only, and ops on
variables (handles, references, optimizer updates), have runners of their own.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import namedtuple
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from twinflow._src.compat_v1.optimizer_base import apply_update
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.errors import UnimplementedError, invalid
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.registry import OPS, REQUIRED, Op
from twinflow._src.graph.signatures import REFERENCES, is_known
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.graph_serialization.graph_only_ops import (
    GRAPH_ONLY,
    TYPES,
    legacy_update,
    settings_of,
    variable_of,
)
from twinflow._src.graph_serialization.nodes import LISTS, READERS, Node
from twinflow._src.variables.handle import Handle, HandleTensor
from twinflow._src.variables.variable import variable_over
from twinflow._src.wings.raw_ops.composite_functions import OTHERS
from twinflow._src.wings.raw_ops.lookup_functions import TABLES
from twinflow._src.wings.raw_ops.parameters import (
    bind_arguments,
    check_attributes,
    check_lists,
    check_tout,
    check_update_type,
    check_value_type,
    description,
    for_kernel,
    function_name,
    known_signature,
    parameters,
    python_signature,
)

# Variables of the resource handles that functions of ``tf.raw_ops`` take and return.


def variable_behind(type: str, index: int, value: Any) -> Any:
    """Returns the variable of a handle.

    ``index`` is that of the input. Raises InvalidArgumentError for a tensor that is not a
    handle, and TypeError for other values.
    """
    if isinstance(value, HandleTensor):
        return variable_over(value.resource)
    if isinstance(value, SymbolicTensor) and value.dtype.name == "resource":
        return variable_of(value, type)
    if not is_tensor(value):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype resource")
    raise invalid(
        f"cannot compute {type} as input #{index}(zero-based) was expected to be a resource tensor but is a "
        f"{value.dtype.base_dtype.cname} tensor [Op:{type}] name: "
    )


# Results: a tensor, a list, or a named tuple of these.


@functools.cache
def _tuple_of(type: str) -> Any:
    return namedtuple(type, [arg.name for arg in known_signature(type).outputs])


def build_result(type: str, values: dict[str, Any], result: Any) -> Any:
    """Packs the results of an op as its ``tf.raw_ops`` function returns them.

    ``values`` are the arguments by the op definition's names, ``result`` its result tensors.
    """
    outputs = known_signature(type).outputs
    if not outputs or (len(outputs) == 1 and outputs[0].number is None):
        return result[0] if outputs and isinstance(result, (list, tuple)) else result
    tensors = list(result) if isinstance(result, (list, tuple)) else [result]
    if len(outputs) == 1:
        return tensors
    parts: list[Any] = []
    for index, arg in enumerate(outputs):
        if arg.number is None:
            parts.append(tensors.pop(0))
            continue
        count = _count(type, arg.number, values)
        if count is None:  # the remaining results
            count = len(tensors) - (len(outputs) - index - 1)
        parts.append(tensors[:count])
        del tensors[:count]
    if tensors:
        raise invalid(
            f"{type}: the lengths of its lists do not go with the numbers that it was given"
        )
    return _tuple_of(type)(*parts)


def _count(type: str, number: str, values: dict[str, Any]) -> int | None:
    """Returns the length of an output list, from its number attribute or an input list."""
    length = values.get(number)
    if length is not None:
        return length if isinstance(length, int) else len(length)
    for arg in known_signature(type).inputs:
        if arg.number == number:
            return len(values[arg.name])
    return None


# Graph-only ops and ops on variables: handles, references, optimizer updates.


Runner = Callable[[dict[str, Any], "str | None"], Any]


def _in_graphs(type: str, eager: Callable[..., Any]) -> Runner:
    """Returns a runner that adds a node to the graph, or calls ``eager`` outside a graph."""

    def run(values: dict[str, Any], name: str | None) -> Any:
        if thread.scope.graph is None:
            return eager(type, values)
        return _node(type, values, name)

    return run


def _node(type: str, values: dict[str, Any], name: str | None) -> Any:
    graph = thread.scope.graph
    inputs = [
        graph.own(convert_to_tensor(values[arg.name])) for arg in known_signature(type).inputs
    ]
    attrs = {p.source: values[p.source] for p in parameters(type) if p.attr is not None}
    proto = SimpleNamespace(op=type, attr={"value": SimpleNamespace(tensor=values.get("value"))})
    result = READERS[type](Node(proto, graph.name_of_node(name or type), inputs, attrs, {}))
    return result.tensors if known_signature(type).outputs else result.operation


def _reject(type: str, values: dict[str, Any]) -> Any:
    """Returns the RuntimeError for an op with reference inputs or outputs outside a graph."""
    results = [arg.name for arg in known_signature(type).outputs]
    name = next(n for n in (*results, *REFERENCES[type]) if n in REFERENCES[type])
    raise RuntimeError(
        f"{function_name(type).strip('_')} op does not support eager execution. Arg '{name}' is a ref."
    )


def _reject_unfed(type: str, values: dict[str, Any]) -> Any:
    raise invalid(
        f"You must feed a value for placeholder tensor '{type}' with dtype {values['dtype'].cname}"
    )


def _const(type: str, values: dict[str, Any]) -> Any:
    raise UnimplementedError(None, None, "Attr value has unhandled type 6")


def _new_handle(type: str, values: dict[str, Any]) -> Any:
    device = runtime.place(thread.scope.device)
    memory = Handle(None, device, values["dtype"], values["debug_name"] or values["shared_name"])
    return HandleTensor(memory, values["shape"])


def _of_handle(type: str, values: dict[str, Any]) -> Any:
    return variable_behind(type, 0, values["resource"])


_EAGER: dict[str, Callable[..., Any]] = {
    "Const": _const,
    "NoOp": lambda type, values: None,
    "Placeholder": _reject_unfed,
    "PlaceholderWithDefault": lambda type, values: convert_to_tensor(values["input"]),
    "VarHandleOp": _new_handle,
    **{type: _reject for type in REFERENCES if type in READERS},
}


def _optimizer(type: str) -> Runner:
    """Returns the runner of an optimizer update op on variable handles."""
    update, inputs = legacy_update(type), legacy_update(type).inputs(type)

    def run(values: dict[str, Any], name: str | None) -> Any:
        names, count = [arg.name for arg in known_signature(type).inputs], update.slots + 1
        variables = [variable_behind(type, i, values[n]) for i, n in enumerate(names[:count])]
        dtype = variables[0].dtype.base_dtype
        operands = dict(zip(inputs, (values[n] for n in names[count:]), strict=True))
        numbers = [_number(x, dtype) for n, x in operands.items() if n not in ("grad", "indices")]
        settings = settings_of(type, values)
        return apply_update(update, variables, numbers, _gradient(operands, dtype), settings)

    return run


def _number(value: Any, dtype: Any) -> Any:
    return value if hasattr(value, "dtype") else convert_to_tensor(value, dtype)


def _gradient(args: dict[str, Any], dtype: Any) -> Any:
    from twinflow._src.composite_tensors.indexed_slices import IndexedSlices

    gradient = _number(args["grad"], dtype)
    return (
        IndexedSlices(gradient, convert_to_tensor(args["indices"]))
        if "indices" in args
        else gradient
    )


STATE: dict[str, Runner] = {
    **{type: _in_graphs(type, eager) for type, eager in _EAGER.items()},
    **{type: _optimizer(type) for type in TYPES if type.startswith("Resource")},
    "DisableCopyOnRead": lambda values, name: _of_handle("DisableCopyOnRead", values) and None,
}


# Functions of ``tf.raw_ops``.


_FUNCTIONS = {**OTHERS, **STATE, **TABLES}


def names() -> list[str]:
    """Returns the types of all available ops."""
    return sorted(filter(is_known, {*OPS, *LISTS, *GRAPH_ONLY, *_FUNCTIONS}))


@functools.cache
def function(type: str) -> Callable[..., Any]:
    """Returns the function of an op type. Raises KeyError for an unknown type."""
    run = _runner(type)

    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            keys = [*(p.name for p in parameters(type)), "name"]
            raise TypeError(
                f"{function_name(type)} only takes keyword args (possible keys: {keys}). Please pass these args as "
                "kwargs instead."
            )
        name = kwargs.pop("name", None)
        values = bind_arguments(type, kwargs)
        check_lists(type, values)
        values |= check_attributes(type, values)
        return build_result(type, values, run(values, name))

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
        op, attr_names = GRAPH_ONLY[type]
        return functools.partial(
            _run, op, lambda attrs: {n: attrs[n] for n in attr_names if n in attrs}
        )
    op = _plain(OPS.get(type) or LISTS[type])
    return functools.partial(_run, op, functools.partial(for_kernel, op))


def _plain(op: Op) -> Op:
    """Returns an op without its public wrapper's dtype dispatch and input conversion."""
    if not (op.variants or op.hinted or op.converts):
        return op
    plain = dataclasses.replace(op, variants={}, hinted=False, converts=False)
    plain.public = op.public
    return plain


def _run(
    op: Op,
    attributes: Callable[[dict[str, Any]], dict[str, Any]],
    values: dict[str, Any],
    name: str | None,
) -> Any:
    attrs = attributes(
        {p.source: values[p.source] for p in parameters(op.type) if p.attr is not None}
    )
    inputs = [values[arg.name] for arg in known_signature(op.type).inputs]
    for index, (kind, value) in enumerate(zip(op.kinds, inputs)):
        if value is None:
            raise _absent(known_signature(op.type).inputs[index].name)
        if kind.attr == "resource":
            inputs[index] = variable_behind(op.type, index, value)
            check_value_type(op, inputs[index], values)
            inputs[1:] = check_update_type(op, inputs[index], inputs[1:])
    for absent in [n for n, value in attrs.items() if value is REQUIRED]:
        inputs, attrs[absent] = _types(op.type, absent, inputs)
    if op.tout is not None:
        inputs[0] = inputs[0] if is_tensor(inputs[0]) else convert_to_tensor(inputs[0])
        check_tout(op, values, inputs[0].dtype)
    if name is not None and thread.scope.graph is not None:
        attrs["name"] = name
    return execute(op, inputs, attrs)


def _absent(name: str) -> ValueError:
    """Returns the ValueError for None passed as a tensor."""
    if thread.scope.graph is None:
        return ValueError(
            "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor."
        )
    return ValueError(
        f"Tried to convert '{name}' to a tensor and failed. Error: None values not supported."
    )


def _types(type: str, attr: str, inputs: list[Any]) -> tuple[list[Any], Any]:
    """Converts the inputs of a type attribute to tensors, and infers the attribute from them."""
    result, index = list(inputs), [arg.type for arg in known_signature(type).inputs].index(attr)
    if known_signature(type).inputs[index].number is not None:
        result[index] = [convert_to_tensor(x) for x in inputs[index]]
        return result, [x.dtype for x in result[index]]
    result[index] = convert_to_tensor(inputs[index])
    return result, result[index].dtype
