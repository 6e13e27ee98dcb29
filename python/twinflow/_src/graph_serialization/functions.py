"""Export of the functions that operations call: branches, loop conditions and loop bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from twinflow._src.core.dtypes import int32, resource, variant
from twinflow._src.core.protos import message
from twinflow._src.core.tensor import Tensor
from twinflow._src.graph.signatures import signature
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.graph_serialization import own_ops
from twinflow._src.graph_serialization.attributes import (
    build_constant,
    build_node,
)
from twinflow._src.graph_serialization.function_calls import has_function, opaque_call
from twinflow._src.graph_serialization.messages import Written, creates_resource
from twinflow._src.variables.graph_variable import GraphHandle
from twinflow._src.variables.ref_variable import RefVariable
from twinflow._src.variables.variable import BaseResourceVariable


class Library:
    """The function library of a graph, and the names of its tensors and variables.

    Args:
        graph: The graph.
        own_ops: True to write ops that TensorFlow does not have; see ``own_ops``.
    """

    def __init__(self, graph: Any, own_ops: bool = False) -> None:
        self._graph, self.own_ops = graph, own_ops
        self._stand_ins: dict[int, Any] = {}  # placeholders of outer variables, by handle
        self._before: list[Any] = []  # nodes that the next node depends on
        self._added: set[str] = set()  # names of additional nodes
        self.functions: list[Any] = []
        self._names: set[str] = set()

    def name_of(self, value: Any, node: Operation) -> str:
        """Returns the name of an input of an operation."""
        if isinstance(value, str):
            return value  # an additional node before this one
        if value is None:
            return axes(node, self)
        if isinstance(value, BaseResourceVariable):
            handle = value._handle
            if isinstance(handle, GraphHandle) and handle.tensor.graph is self._graph:
                return handle.tensor.name.removesuffix(":0")
            return self._stand_in(handle, node).name
        if not isinstance(value, SymbolicTensor):
            return self._creator(value, node).name
        return value.name.removesuffix(":0")

    def _creator(self, resource: Any, node: Operation | None) -> Operation:
        """Returns the operation that creates a lookup table."""
        for each in self._graph.get_operations():
            if each.definition.resource is resource and creates_resource(each):
                return each
        raise NotImplementedError(
            f"The operation {getattr(node, 'name', None)!r} cannot be written: its lookup table is not of this graph."
        )

    def _stand_in(self, handle: Any, node: Operation) -> Any:
        if id(handle) not in self._stand_ins:
            self._stand_ins[id(handle)] = placeholder(f"{node.name}/resource")
        return self._stand_ins[id(handle)]

    def sources(self) -> list[Any]:
        """Returns the placeholders of outer variables."""
        for node in self._graph.get_operations():
            for value in node.arguments:
                if isinstance(value, BaseResourceVariable):
                    self.name_of(value, node)
        return list(self._stand_ins.values())

    def adds(self, proto: Any) -> str:
        """Adds a node that the next node depends on; returns its name."""
        proto.name = self.free(proto.name)
        self._before.append(proto)
        name: str = proto.name
        return name

    def free(self, name: str) -> str:
        """Returns a name that no operation of the graph and no additional node has."""
        result, count = name, 0
        while result in self._graph._operations or result in self._added:
            result, count = f"{name}_{count + 1}", count + 1
        self._added.add(result)
        return result

    def before(self) -> list[Any]:
        """Returns and clears the additional nodes of the last operation."""
        nodes, self._before = self._before, []
        return nodes

    def unique(self, name: str) -> str:
        """Returns a name that no function of the library has."""
        name = "".join(c if c.isalnum() else "_" for c in name)
        free, count = name, 0
        while free in self._names:
            free, count = f"{name}_{count}", count + 1
        self._names.add(free)
        return free

    def write(self, proto: Any) -> None:
        """Writes the functions to a ``GraphDef``."""
        if self.functions:
            proto.library.function.extend(self.functions)


class _Body(Library):
    """The names in a function body.

    Args:
        graph: Its graph.
        outer: The library to which its functions are added.
        arguments: The names of its arguments, by the ``id`` of their tensors and handles.
    """

    def __init__(self, graph: Any, outer: Library, arguments: dict[int, str]) -> None:
        super().__init__(graph, outer.own_ops)
        self._outer, self._arguments = outer, arguments
        self.functions = outer.functions
        self.unique = outer.unique  # type: ignore[method-assign]

    def adds(self, proto: Any) -> str:
        """Adds a node that the next node depends on; returns the name of its result."""
        return f"{super().adds(proto)}:{'handle' if proto.op == 'EmptyTensorList' else 'output'}:0"

    def name_of(self, value: Any, node: Operation | None) -> str:
        if isinstance(value, str):
            return value
        if value is None:
            return axes(node, self)
        key = id(value._handle) if isinstance(value, BaseResourceVariable) else id(value)
        if key in self._arguments:
            return self._arguments[key]
        if isinstance(value, BaseResourceVariable):
            raise NotImplementedError(
                f"The function uses the variable {value.name}, which is not among its arguments."
            )
        if not isinstance(value, SymbolicTensor):
            return f"{self._creator(value, node).name}:table_handle:0"
        return f"{value.op.name}:{_place(value)}"


def _place(tensor: SymbolicTensor) -> str:
    """Returns the output name and index of a tensor, as in function bodies."""
    from twinflow._src.graph_serialization.messages import attribute_of, output_counts, written

    index, node = tensor.value_index, tensor.op
    if has_function(node) or own_ops.codec_of(node.definition.fixed_attrs) is not None:
        return f"output:{index}"
    gives = signature(written(node).type)
    outputs = gives.outputs if gives is not None else ()
    lists = {arg.number for arg in outputs if arg.number is not None}
    attrs = {name: attribute_of(node, name) for name in lists} if len(lists) > 1 else {}
    for arg, count in zip(outputs, output_counts(outputs, len(node.outputs), attrs)):
        if index < count:
            return f"{arg.name}:{index}"
        index -= count
    return f"output:{tensor.value_index}"


def placeholder(name: str, dtype: Any = resource) -> Any:
    """Returns the ``NodeDef`` of a placeholder for a variable."""
    return build_node(name, "Placeholder", [], dtype=("type", dtype), shape=("shape", []))


def constant(name: str, value: Any) -> Any:
    """Returns the ``NodeDef`` of an int32 constant."""
    return build_constant(name, value, int32)


def axes(node: Any, library: Library) -> str:
    """Returns the name of the implied axes of an operation; adds them before it where there are none."""
    if node.implied is not None:
        return library.name_of(node.implied, node)
    tensor = node.tensors[0]
    is_reversed = node.definition.implied_axes != "all"
    if tensor.shape.rank is not None:
        order = np.arange(tensor.shape.rank)
        return library.adds(constant(f"{node.name}/axes", order[::-1] if is_reversed else order))
    source, dtype = library.name_of(tensor, node), ("type", tensor.dtype.base_dtype)
    rank = library.adds(build_node(f"{node.name}/Rank", "Rank", [source], T=dtype))
    start, delta = (
        library.adds(constant(f"{node.name}/range/{part}", value))
        for part, value in (("start", 0), ("delta", 1))
    )
    axes = build_node(f"{node.name}/range", "Range", [start, rank, delta], Tidx=("type", int32))
    result = library.adds(axes)
    if not is_reversed:
        return result
    axis = library.adds(constant(f"{node.name}/reverse/axis", [0]))
    types = {"T": ("type", int32), "Tidx": ("type", int32)}
    return library.adds(build_node(f"{node.name}/reverse", "ReverseV2", [result, axis], **types))


# ------------------------------------------------------------------ operations that call functions


def calling(node: Operation, library: Library) -> Written | None:
    """Returns the layout of an operation that calls functions; None for other operations."""
    kind = node.type.removeprefix("Stateless")
    if kind == "PrintV2":
        return _printing(node, library)
    if has_function(node):
        return opaque_call(node, library)
    if kind not in ("If", "Case", "While"):
        return None
    holder = getattr(node.definition.kernel, "__self__", None)
    if holder is None:
        return None
    return (_loop if kind == "While" else _branches)(node, holder, library)


def _printing(node: Operation, library: Library) -> Written | None:
    """Returns a print, which writes the result of a ``StringFormat`` operation before it."""
    attrs = node.definition.fixed_attrs
    if not attrs:
        return None
    target = {key: attrs[key] for key in ("output_stream", "end")}
    if "template" not in attrs:
        return Written("PrintV2", node.arguments, target)
    names = [library.name_of(tensor, node) for tensor in node.arguments]
    proto = build_node(
        f"{node.name}/StringFormat",
        "StringFormat",
        names,
        T=("list(type)", [tensor.dtype.base_dtype for tensor in node.arguments]),
        template=("string", attrs["template"]),
        placeholder=("string", attrs["placeholder"]),
        summarize=("int", attrs["summarize"]),
    )
    return Written("PrintV2", (library.adds(proto),), target)


def argument_type(value: Any) -> Any:
    """Returns the dtype of a value as a function argument."""
    if not isinstance(value, (BaseResourceVariable, Tensor)):
        return resource  # a lookup table
    variable = isinstance(value, BaseResourceVariable)
    return resource if variable and not isinstance(value, RefVariable) else value.dtype.base_dtype


def _branches(node: Operation, branches: Any, library: Library) -> Written:
    index, *values = node.arguments
    tables = resources_of(*branches.graphs)
    kind, names = node.type.removeprefix("Stateless"), []
    handles = [(table, len(values) + i) for i, table in enumerate(tables)]
    values += tables
    for i, graph in enumerate(branches.graphs):
        explicit = [
            (graph.inputs[k], position) for k, position in enumerate(branches.input_indices[i])
        ]
        shared = _standing(graph, branches.shared, branches.count - 1)
        function = _Function(
            graph, [argument_type(v) for v in values], [*explicit, *shared, *handles], library
        )
        extras = [t if b == i else (t.dtype, t._dims) for b, t in branches.extras]
        names.append(
            function.written(
                f"{node.name}_{_KINDS.get((kind, i), f'branch{i}')}", [*graph.outputs, *extras]
            )
        )
    attrs = {
        "Tin": [argument_type(v) for v in values],
        "Tout": [t.dtype for t in node.outputs],
        "output_shapes": [t.shape for t in node.outputs],
        "branches": [message("NameAttrList")(name=name) for name in names],
        "then_branch": names[0],
        "else_branch": names[-1],
    }
    return Written(node.type, (index, tuple(values)), attrs)


_KINDS = {("If", 0): "true", ("If", 1): "false"}


def _standing(graph: Any, shared: Any, before: int) -> list[tuple[Any, int]]:
    """Returns the tensors of a graph for shared captures, with the argument indices of these."""
    inside = [*graph.internal_captures, *(v._handle for v in graph.variables)]
    return [
        (tensor, before + position) for tensor, position in zip(inside, shared.positions(graph))
    ]


def resources_of(*graphs: Any, whole_graph: bool = False) -> list[Any]:
    """Returns the lookup tables that function bodies use and do not create, nested ones included."""
    # Of a ``whole_graph`` those that it creates are returned, too.
    tables: dict[int, Any] = {}
    for graph in graphs:
        created = set()
        for node in graph.get_operations():
            table = node.definition.resource
            if table is not None and creates_resource(node) and not whole_graph:
                created.add(id(table))
            elif table is not None:
                tables.setdefault(id(table), table)
            for inner in resources_of(*_bodies(node)):
                tables.setdefault(id(inner), inner)
        tables = {key: table for key, table in tables.items() if key not in created}
    return list(tables.values())


def _bodies(node: Operation) -> list[Any]:
    """Returns the graphs of the branches, or of condition and body, of an operation."""
    holder = getattr(node.definition.kernel, "__self__", None)
    if node.type.removeprefix("Stateless") not in ("If", "Case", "While"):
        return []
    return list(getattr(holder, "graphs", ())) or [
        g for g in (getattr(holder, "cond", None), getattr(holder, "body", None)) if g is not None
    ]


def _loop(node: Operation, loop: Any, library: Library) -> Written:
    values, shared = list(node.arguments[: loop.count]), list(node.arguments[loop.count :])
    tables = resources_of(loop.cond, loop.body)
    start = library.adds(constant(f"{node.name}/rounds", 0))
    lists = [_empty_list(f"{node.name}/list_{i}", t, library) for i, t in enumerate(loop.extras)]
    kept = len(lists) + 1
    count = loop.count + kept + len(shared)
    handles = [(table, count + i) for i, table in enumerate(tables)]
    shared += tables
    types = [t.dtype.base_dtype for t in node.outputs] + [argument_type(v) for v in shared]
    names = []
    for kind, graph in (("cond", loop.cond), ("body", loop.body)):
        inputs = [(t, i) for i, t in enumerate(graph.inputs)]
        function = _Function(
            graph,
            types,
            [*inputs, *_standing(graph, loop.shared, loop.count + kept), *handles],
            library,
        )
        more = function.next_round(loop) if kind == "body" else []
        names.append(function.written(f"{node.name}_{kind}", [*graph.outputs, *more]))
    shapes = [t.shape for t in node.outputs] + [
        [] if types[i] is resource else v.shape for i, v in enumerate(shared, len(node.outputs))
    ]
    attrs = {"T": types, "output_shapes": shapes, "cond": names[0], "body": names[1]}
    return Written(node.type, ((*values, start, *lists, *shared),), attrs)


def _empty_list(name: str, tensor: SymbolicTensor, library: Library) -> str:
    shape, most = (
        library.adds(constant(f"{name}/{part}", -1))
        for part in ("element_shape", "max_num_elements")
    )
    kinds = {"element_dtype": ("type", tensor.dtype), "shape_type": ("type", int32)}
    return library.adds(build_node(name, "EmptyTensorList", [shape, most], **kinds))


# ------------------------------------------------------------------ function bodies


class _Function:
    """A function being serialized.

    Args:
        graph: The graph of its body.
        types: The dtypes of its arguments.
        standing: The tensors of the graph for arguments, with the indices of these.
        library: The library to which it is added.
    """

    def __init__(
        self,
        graph: Any,
        types: Sequence[Any],
        standing: Sequence[tuple[Any, int]],
        library: Library,
    ) -> None:
        self.graph, self._types, self._library = graph, list(types), library
        self._arguments = {id(tensor) for tensor, _ in standing}
        self._names = _Body(
            graph, library, {id(tensor): f"input_{position}" for tensor, position in standing}
        )
        self._nodes: list[Any] = []

    def next_round(self, loop: Any) -> list[str]:
        """Adds the nodes for a loop body's additional results; returns their names and those of captures."""
        at, free = loop.count, self._names.free
        one, following = free("rounds/one"), free("rounds/next")
        self._nodes.append(constant(one, 1))
        add = {"T": ("type", int32)}
        self._nodes.append(
            build_node(following, "AddV2", [f"input_{at}", f"{one}:output:0"], **add)
        )
        names = [f"{following}:z:0"]
        for i, tensor in enumerate(loop.extras):
            inputs = [f"input_{at + 1 + i}", self._names.name_of(tensor, None)]
            kind, push = {"element_dtype": ("type", tensor.dtype)}, free(f"push_{i}")
            self._nodes.append(build_node(push, "TensorListPushBack", inputs, **kind))
            names.append(f"{push}:output_handle:0")
        return names + [f"input_{i}" for i in range(at + len(names), len(self._types))]

    def written(self, name: str, results: Sequence[Any]) -> str:
        """Adds the function to the library; returns its name.

        Results that the graph lacks are names, or pairs of dtype and shape.
        """
        proto = message("FunctionDef")()
        proto.signature.name = self._library.unique(name)
        for i, dtype in enumerate(self._types):
            proto.signature.input_arg.add(name=f"input_{i}", type=dtype.as_datatype_enum)
        self._write_nodes(proto)
        for i, result in enumerate(results):
            self._write_result(proto, f"output_{i}", result)
        self._library.functions.append(proto)
        key: str = proto.signature.name
        return key

    def _write_nodes(self, proto: Any) -> None:
        from twinflow._src.graph_serialization.messages import node_def

        last = None
        for node in self.graph.get_operations():
            if any(id(tensor) in self._arguments for tensor in node.outputs):
                continue
            message = node_def(node, library=self._names)
            if node.definition.impure:
                if last is not None and f"^{last}" not in message.input:
                    message.input.append(f"^{last}")
                last = node.name
                proto.control_ret[last] = last
                proto.signature.control_output.append(last)
                proto.signature.is_stateful = True
            proto.node_def.extend([*self._names.before(), message])
        proto.node_def.extend(self._nodes)

    def _write_result(self, proto: Any, name: str, result: Any) -> None:
        if isinstance(result, tuple):  # a result of the other branch only
            dtype, dims = result
            proto.node_def.append(
                build_node(
                    f"absent/{name}", "FakeParam", [], dtype=("type", dtype), shape=("shape", dims)
                )
            )
            source = f"absent/{name}:output:0"
        else:
            source = self._names.name_of(result, None)
            dtype = self._type_of(result)
        proto.signature.output_arg.add(name=name, type=dtype.as_datatype_enum)
        proto.ret[name] = source

    def _type_of(self, result: Any) -> Any:
        if not isinstance(result, str):
            return result.dtype.base_dtype
        if result.startswith("input_"):
            return self._types[int(result.removeprefix("input_"))]
        return int32 if result.startswith("rounds/") else variant
