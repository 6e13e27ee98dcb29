"""The functions of ``tf.raw_ops`` for what stands in graphs and for variables: handles, references, optimizers."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from twinflow._src.compat_v1.optimizer_ops import update, update_layout
from twinflow._src.compat_v1.optimizer_rules import nesterov
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.errors import UnimplementedError, invalid
from twinflow._src.graph.op_definitions import REFERENCES
from twinflow._src.graph_serialization.node_readers import READERS, Node
from twinflow._src.graph_serialization.optimizer_ops import RULES, TYPES
from twinflow._src.variables.handle import Handle
from twinflow._src.variables.resource_tensor import HandleTensor
from twinflow._src.wings.raw_ops.attributes import check_left
from twinflow._src.wings.raw_ops.parameters import function_name, known_signature, parameters
from twinflow._src.wings.raw_ops.resources import behind

Runner = Callable[[dict[str, Any], "str | None"], Any]


def _in_graphs(type: str, eager: Callable[..., Any]) -> Runner:
    """An operation that a graph makes as one of a file, and that does something else where there is none."""

    def run(values: dict[str, Any], name: str | None) -> Any:
        if thread.scope.graph is None:
            return eager(type, values)
        return _node(type, values, name)

    return run


def _node(type: str, values: dict[str, Any], name: str | None) -> Any:
    graph = thread.scope.graph
    inputs = [graph.own(convert_to_tensor(values[arg.name])) for arg in known_signature(type).inputs]
    attrs = {p.source: values[p.source] for p in parameters(type) if p.attr is not None}
    proto = SimpleNamespace(op=type, attr={"value": SimpleNamespace(tensor=values.get("value"))})
    made = READERS[type](Node(proto, graph.name_of_node(name or type), inputs, attrs, {}))
    return made.tensors if known_signature(type).outputs else made.operation


def _refused(type: str, values: dict[str, Any]) -> Any:
    """What needs a reference to memory, which there is none of outside a graph."""
    results = [arg.name for arg in known_signature(type).outputs]
    name = next(n for n in (*results, *REFERENCES[type]) if n in REFERENCES[type])
    raise RuntimeError(f"{function_name(type).strip('_')} op does not support eager execution. Arg '{name}' is a ref.")


def _unfed(type: str, values: dict[str, Any]) -> Any:
    raise invalid(f"You must feed a value for placeholder tensor '{type}' with dtype {values['dtype'].cname}")


def _const(type: str, values: dict[str, Any]) -> Any:
    raise UnimplementedError(None, None, "Attr value has unhandled type 6")


def _new_handle(type: str, values: dict[str, Any]) -> Any:
    device = runtime.place(thread.scope.device)
    memory = Handle(None, device, values["dtype"], values["debug_name"] or values["shared_name"])
    return HandleTensor(memory, values["shape"])


def _of_handle(type: str, values: dict[str, Any]) -> Any:
    return behind(type, 0, values["resource"])


def _destroyed(type: str, values: dict[str, Any]) -> None:
    _of_handle(type, values)._handle.array = None


_EAGER: dict[str, Callable[..., Any]] = {
    "Const": _const,
    "NoOp": lambda type, values: None,
    "Placeholder": _unfed,
    "PlaceholderWithDefault": lambda type, values: convert_to_tensor(values["input"]),
    "VarHandleOp": _new_handle,
    **{type: _refused for type in REFERENCES if type in READERS},
}


def _optimizer(type: str) -> Runner:
    """A step of an optimizer on handles of variables."""
    count, ours, theirs = update_layout(type)
    base = type.removeprefix("Resource").replace("SparseApply", "Apply")

    def run(values: dict[str, Any], name: str | None) -> Any:
        names = [arg.name for arg in known_signature(type).inputs]
        variables = [behind(type, i, values[n]) for i, n in enumerate(names[:count])]
        own = variables[0].dtype.base_dtype
        given = dict(zip(theirs, (values[n] for n in names[count:]), strict=True))
        numbers = [_number(given[n], own) for n in ours if n not in ("grad", "indices")]
        momentum = base == "ApplyMomentum" and values["use_nesterov"]
        if not momentum:
            check_left(type, "use_nesterov", values.get("use_nesterov", False))
        rule: Callable[..., Any] = nesterov if momentum else RULES[base]
        return update(f"Resource{base}", rule, variables, numbers, _gradient(given, own))

    return run


def _number(value: Any, dtype: Any) -> Any:
    return value if hasattr(value, "dtype") else convert_to_tensor(value, dtype)


def _gradient(given: dict[str, Any], dtype: Any) -> Any:
    from twinflow._src.composite_tensors.indexed_slices import IndexedSlices

    gradient = _number(given["grad"], dtype)
    return IndexedSlices(gradient, convert_to_tensor(given["indices"])) if "indices" in given else gradient


STATE: dict[str, Runner] = {
    **{type: _in_graphs(type, eager) for type, eager in _EAGER.items()},
    **{type: _optimizer(type) for type in TYPES if type.startswith("Resource")},
    "DestroyResourceOp": lambda values, name: _destroyed("DestroyResourceOp", values),
    "DisableCopyOnRead": lambda values, name: _of_handle("DisableCopyOnRead", values) and None,
}
