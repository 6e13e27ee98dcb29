"""Export of the functions that operations call: branches, loop conditions and loop bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from twinflow._src.core.dtypes import int32, resource, variant
from twinflow._src.core.protos import message
from twinflow._src.graph.signatures import signature
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.graph_serialization.attributes import attr_value, tensor_message
from twinflow._src.graph_serialization.messages import Written
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
        self.functions: list[Any] = []
        self._names: set[str] = set()

    def name_of(self, value: Any, node: Operation) -> str:
        """Returns the name of an input of an operation."""
        if isinstance(value, str):
            return value  # an additional node before this one
        if value is None:
            return self.adds(axes(node))
        if isinstance(value, BaseResourceVariable):
            handle = value._handle
            if isinstance(handle, GraphHandle) and handle.tensor.graph is self._graph:
                return handle.tensor.name.removesuffix(":0")
            return self._stand_in(handle, node).name
        assert isinstance(value, SymbolicTensor), value
        return value.name.removesuffix(":0")

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
        self._before.append(proto)
        name: str = proto.name
        return name

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
            return self.adds(axes(node))
        key = id(value._handle) if isinstance(value, BaseResourceVariable) else id(value)
        if key in self._arguments:
            return self._arguments[key]
        if isinstance(value, BaseResourceVariable):
            raise NotImplementedError(
                f"The function uses the variable {value.name}, which is not among its arguments."
            )
        return f"{value.op.name}:{_place(value)}"


def _place(tensor: SymbolicTensor) -> str:
    """Returns the output name and index of a tensor, as in function bodies."""
    from twinflow._src.graph_serialization.messages import written

    index, node = tensor.value_index, tensor.op
    gives = signature(written(node).type)
    outputs = gives.outputs if gives is not None else ()
    lists = [arg for arg in outputs if arg.number is not None]
    each = (len(node.outputs) - len(outputs) + len(lists)) // len(lists) if lists else 1
    for arg in outputs:
        count = each if arg.number is not None else 1
        if index < count:
            return f"{arg.name}:{index}"
        index -= count
    return f"output:{tensor.value_index}"


def placeholder(name: str, dtype: Any = resource) -> Any:
    """Returns the ``NodeDef`` of a placeholder for a variable."""
    return _node(name, "Placeholder", [], dtype=("type", dtype), shape=("shape", []))


def _node(name: str, op: str, inputs: Sequence[str], **attrs: tuple[str, Any]) -> Any:
    proto = message("NodeDef")(name=name, op=op, input=inputs)
    for key, (kind, value) in attrs.items():
        proto.attr[key].CopyFrom(attr_value(kind, value))
    return proto


def constant(name: str, value: Any) -> Any:
    """Returns the ``NodeDef`` of an int32 constant."""
    proto = _node(name, "Const", [], dtype=("type", int32))
    proto.attr["value"].tensor.CopyFrom(tensor_message(np.asarray(value, np.int32), int32))
    return proto


def axes(node: Any) -> Any:
    """Returns the ``NodeDef`` of the implied axes of an operation in a function body."""
    rank = node.tensors[0].shape.rank
    if rank is None:
        raise NotImplementedError(
            f"The operation {node.name!r} cannot be written: how many dimensions it takes is not known."
        )
    order = np.arange(rank)
    return constant(
        f"{node.name}/axes", order if node.definition.implied_axes == "all" else order[::-1]
    )


# ------------------------------------------------------------------ operations that call functions


def calling(node: Operation, library: Library) -> Written | None:
    """Returns the layout of an operation that calls functions; None for other operations."""
    kind = node.type.removeprefix("Stateless")
    if kind not in ("If", "Case", "While"):
        return None
    holder = getattr(node.definition.kernel, "__self__", None)
    if holder is None:
        return None
    return (_loop if kind == "While" else _branches)(node, holder, library)


def argument_type(value: Any) -> Any:
    """Returns the dtype of a value as a function argument."""
    variable = isinstance(value, BaseResourceVariable)
    return resource if variable and not isinstance(value, RefVariable) else value.dtype.base_dtype


def _branches(node: Operation, branches: Any, library: Library) -> Written:
    index, *values = node.arguments
    kind, names = node.type.removeprefix("Stateless"), []
    for i, graph in enumerate(branches.graphs):
        explicit = [
            (graph.inputs[k], position) for k, position in enumerate(branches.input_indices[i])
        ]
        shared = _standing(graph, branches.shared, branches.count - 1)
        function = _Function(
            graph, [argument_type(v) for v in values], [*explicit, *shared], library
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


def _loop(node: Operation, loop: Any, library: Library) -> Written:
    values, shared = list(node.arguments[: loop.count]), list(node.arguments[loop.count :])
    start = library.adds(constant(f"{node.name}/rounds", 0))
    lists = [_empty_list(f"{node.name}/list_{i}", t, library) for i, t in enumerate(loop.extras)]
    kept = len(lists) + 1
    types = [t.dtype.base_dtype for t in node.outputs] + [argument_type(v) for v in shared]
    names = []
    for kind, graph in (("cond", loop.cond), ("body", loop.body)):
        inputs = [(t, i) for i, t in enumerate(graph.inputs)]
        function = _Function(
            graph, types, [*inputs, *_standing(graph, loop.shared, loop.count + kept)], library
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
    return library.adds(_node(name, "EmptyTensorList", [shape, most], **kinds))


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
        at = loop.count
        self._nodes.append(constant("rounds/one", 1))
        add = {"T": ("type", int32)}
        self._nodes.append(
            _node("rounds/next", "AddV2", [f"input_{at}", "rounds/one:output:0"], **add)
        )
        names = ["rounds/next:z:0"]
        for i, tensor in enumerate(loop.extras):
            inputs = [f"input_{at + 1 + i}", self._names.name_of(tensor, None)]
            kind = {"element_dtype": ("type", tensor.dtype)}
            self._nodes.append(_node(f"push_{i}", "TensorListPushBack", inputs, **kind))
            names.append(f"push_{i}:output_handle:0")
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
                _node(
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
