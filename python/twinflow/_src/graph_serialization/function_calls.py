"""Import of operations that call functions: branches, loops, and plain calls."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from twinflow._src.control_flow.if_and_case_ops import Branches, traced
from twinflow._src.control_flow.while_op import while_loop_of
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import altered, entered, thread
from twinflow._src.core.dtypes import resource
from twinflow._src.core.errors import UnimplementedError
from twinflow._src.core.protos import message
from twinflow._src.graph.signatures import signature
from twinflow._src.graph_serialization import own_ops

TYPES = (
    "If",
    "StatelessIf",
    "Case",
    "StatelessCase",
    "While",
    "StatelessWhile",
    "PartitionedCall",
    "StatefulPartitionedCall",
)


def called(node: Any) -> tuple[Any, list[Any]]:
    """Adds the operation for a node that calls functions; returns it and its results.

    It is None for a plain call, whose function is inlined.
    """
    kind = node.type.removeprefix("Stateless").removeprefix("Stateful").removeprefix("Partitioned")
    return {"If": _add_branches, "Case": _add_branches, "While": _add_loop, "Call": _copy_body}[
        kind
    ](node)


def _function(node: Any, name: str) -> Any:
    definition = node.library.get(name)
    if definition is None:
        raise ValueError(
            f"The node '{node.name}' calls the function '{name}', which the graph does not have."
        )
    return definition


def _function_name(node: Any, attr: str) -> list[str]:
    value = node.proto.attr[attr]
    funcs = value.list.func if value.WhichOneof("value") == "list" else [value.func]
    return [func.name for func in funcs]


def _add_branches(node: Any) -> tuple[Any, list[Any]]:
    index, *values = node.inputs
    several = node.type.endswith("Case")
    names = (
        _function_name(node, "branches")
        if several
        else _function_name(node, "then_branch") + _function_name(node, "else_branch")
    )
    graphs = [traced(name, lambda name=name: _body(node, name, values))[0] for name in names]
    results = Branches(graphs).node(
        "Case" if several else "If", _truth(index, several), name=f"{node.name}/"
    )
    return thread.scope.graph.get_operation_by_name(node.name), results


def _truth(index: Any, several: bool) -> Any:
    from twinflow._src.core.dtypes import bool_

    if several or index.dtype is bool_:
        return index
    return convert_to_tensor(index) != 0


def _add_loop(node: Any) -> tuple[Any, list[Any]]:
    (cond,), (body,) = _function_name(node, "cond"), _function_name(node, "body")
    inputs = list(node.inputs)
    indices = [i for i, x in enumerate(inputs) if x.dtype is not resource]
    shapes = node.attrs.get("output_shapes") or []
    dims = [shapes[i]._dims if i < len(shapes) else inputs[i]._dims for i in indices]

    def fill_inputs(values: Sequence[Any]) -> list[Any]:
        whole = list(inputs)
        for position, value in zip(indices, values, strict=True):
            whole[position] = value
        return whole

    def step(*values: Any) -> list[Any]:
        results = _body(node, body, fill_inputs(values))
        return [results[i] for i in indices]

    start = [inputs[i] for i in indices]
    results = while_loop_of(
        lambda *values: _body(node, cond, fill_inputs(values))[0],
        step,
        start,
        f"{node.name}/",
        dims,
    )
    operation = thread.scope.graph.get_operation_by_name(node.name)
    return operation, fill_inputs(results)


def _copy_body(node: Any) -> tuple[Any, list[Any]]:
    (name,) = _function_name(node, "f")
    return None, _body(node, name, list(node.inputs), f"{node.name}/")


# ------------------------------------------------------------------ function bodies


def _body(node: Any, name: str, values: Sequence[Any], prefix: str = "") -> list[Any]:
    """Inlines the body of a function in the current graph; returns its results."""
    function = _function(node, name)
    with altered(_copies, "names", lambda outer: (*outer, _count_outputs(node, name, outer))):
        return _body_of(function, values, node.library, prefix)


_MOST_COPIES = 20_000


class _Copies(threading.local):
    """The functions being inlined, innermost last, and the number of inlined bodies."""

    names: tuple[str, ...] = ()
    count = 0


_copies = _Copies()


def _count_outputs(node: Any, name: str, outer: tuple[str, ...]) -> str:
    """Counts an inlined body; raises UnimplementedError for recursion and for too many bodies."""
    if name in outer:
        raise UnimplementedError(
            None, None, f"The function '{name}' calls itself, by the node '{node.name}'."
        )
    _copies.count = _copies.count + 1 if outer else 1
    if _copies.count > _MOST_COPIES:
        said = f"The functions of the graph call each other more than {_MOST_COPIES} times, at the node '{node.name}'."
        raise UnimplementedError(None, None, said)
    return name


def is_inlining() -> bool:
    """True while the body of a function is inlined."""
    return bool(_copies.names)


def inlined(function: Any, values: Sequence[Any], library: dict[str, Any]) -> list[Any]:
    """Inlines the body of a function in the current graph; returns its results.

    Args:
        function: A ``FunctionDef``.
        values: A tensor or ``ResourceArgument`` for each argument.
        library: The functions that it may call, by name.
    """
    name = function.signature.name
    with altered(_copies, "names", lambda outer: (*outer, name)):
        return _body_of(function, values, library, "")


def _body_of(
    function: Any, values: Sequence[Any], library: dict[str, Any], prefix: str
) -> list[Any]:
    from twinflow._src.graph_serialization.nodes import Nodes

    graph, sources = _as_graph(function)
    nodes = Nodes(graph, library)
    nodes.prefix = prefix or thread.scope.name
    arguments = {
        f"{arg.name}:0": value
        for arg, value in zip(function.signature.input_arg, values, strict=True)
    }
    with entered(thread.scope.but(name="")):
        nodes.add_all(arguments)
    outputs = []
    for arg in function.signature.output_arg:
        if function.ret[arg.name] not in sources:
            raise ValueError(
                f"The function '{function.signature.name}' has no '{function.ret[arg.name]}' for its result '{arg.name}'."
            )
        source = sources[function.ret[arg.name]]
        outputs.append(arguments[source] if source in arguments else nodes.element(source))
    return outputs


def _as_graph(function: Any) -> tuple[Any, dict[str, str]]:
    """Returns a function body as a ``GraphDef``, and a map from its tensor names to the graph's."""
    graph = message("GraphDef")()
    sources = {arg.name: f"{arg.name}:0" for arg in function.signature.input_arg}
    for node in function.node_def:
        sources |= _results(node)
    waits = {f"^{arg.name}" for arg in function.signature.input_arg}  # arguments are there
    for node in function.node_def:
        added = graph.node.add()
        added.CopyFrom(node)
        inputs = [x for x in node.input if x not in waits]
        added.input[:] = [x if x.startswith("^") else sources.get(x, x) for x in inputs]
    return graph, sources


def _results(node: Any) -> dict[str, str]:
    """Returns a map from the result names of a node in a function body to those in a graph."""
    if node.op in own_ops.TYPES and "_inputs" in node.attr:
        return own_ops.result_names(node)
    gives = signature(node.op)
    names, index = {}, 0
    for arg in gives.outputs if gives is not None else ():
        count = 1
        if arg.number is not None:
            value = node.attr[arg.number]
            count = len(value.list.type) if arg.number == arg.type else value.i
        for i in range(count):
            names[f"{node.name}:{arg.name}:{i}"] = f"{node.name}:{index}"
            index += 1
    return names
