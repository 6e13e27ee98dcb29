"""SavedModels of TensorFlow 1 as objects: their graph as functions, with variables and files."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, NamedTuple

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import PLAIN, entered
from twinflow._src.core.dtypes import string
from twinflow._src.core.protos import message
from twinflow._src.core.specs import TensorSpec
from twinflow._src.dispatch.registry import OPS
from twinflow._src.function.arguments import Parameters
from twinflow._src.function.concrete_function import ConcreteFunction
from twinflow._src.function.wrap_function import WrappedFunction
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.signatures import REFERENCES, attributes, signature
from twinflow._src.graph.symbolic import Operation
from twinflow._src.graph_serialization.functions import resources_of
from twinflow._src.graph_serialization.graph_only_ops import TYPES as UPDATES
from twinflow._src.graph_serialization.graph_only_ops import ResourceArgument
from twinflow._src.graph_serialization.nodes import Nodes, reader
from twinflow._src.graph_serialization.tensor_proto import shape_of
from twinflow._src.graph_serialization.utilities import extract_sub_graph
from twinflow._src.trackable.trackable import AutoTrackable, Trackable
from twinflow._src.variables.creation import uninitialized_variable
from twinflow._src.variables.ref_variable import REFERENCE_TYPES
from twinflow._src.wings.saved_model import constants
from twinflow._src.wings.saved_model.assets import Asset
from twinflow._src.wings.saved_model.files import variables_prefix
from twinflow._src.wings.saved_model.signature_defs import SignatureMap, get_tensor_from_tensor_info
from twinflow._src.wings.saved_model.v1_loader import assets, init_op_name

_INTERNAL = (constants.INIT_OP_SIGNATURE_KEY, constants.TRAIN_OP_SIGNATURE_KEY)
_COLLECTIONS = ("variables", "local_variables", "trainable_variables", "model_variables")


def load(path: str, meta_graph: Any, skip_checkpoint: bool = False) -> Any:
    """Returns the object of a meta graph without an object graph.

    Args:
        path: The directory of the SavedModel.
        meta_graph: The ``MetaGraphDef``.
        skip_checkpoint: Whether to leave variables without values.
    """
    graph_def = _with_resources(_runnable(meta_graph))
    graph, lifted = FuncGraph("wrapped_function"), _variables_of(meta_graph, graph_def)
    graph.outer = None
    with entered(PLAIN.but(graph=graph)):
        nodes = Nodes(graph_def)
        nodes.add_all({f"{name}:0": ResourceArgument(v) for name, v in lifted.items()})
    whole = WrappedFunction(graph, {}, None)
    root: Any = AutoTrackable()
    files = assets(meta_graph, path)
    root.asset_paths = [Asset(file) for _, file in files]
    restore = _restore_function(whole, meta_graph.saver_def)
    if lifted and restore is not None and not skip_checkpoint:
        restore(convert_to_tensor(variables_prefix(path), dtype=string))
    init, name = None, init_op_name(meta_graph)
    if name is not None:
        tensors = [tensor for tensor, _ in files if tensor.partition(":")[0] in graph._operations]
        init = whole.prune(tensors, graph.as_graph_element(name))
        paths = [asset.asset_path for asset, (t, _) in zip(root.asset_paths, files) if t in tensors]
        init(*paths)
    root.initializer = _Initializer(init, root.asset_paths)
    references = _reference_names(meta_graph.graph_def)
    listed = _listed(meta_graph, lifted)
    root.variables = [lifted[name] for name in listed if name not in references]
    root._reference_variables = [v for n, v in lifted.items() if n in references or n not in listed]
    root._tables = resources_of(graph, whole_graph=True)
    root.signatures = _signatures(whole, meta_graph)
    root.prune, root.graph, root.restore = whole.prune, graph, restore
    return root


class _Initializer(Trackable):
    """The initialization of a graph, with the files that it reads.

    Args:
        function: The function, or None.
        files: The files.
    """

    def __init__(self, function: Any, files: list[Any]) -> None:
        self._function, self._files = function, files


def _restore_function(whole: WrappedFunction, saver_def: Any) -> Any:
    """Returns the function that restores variables from a checkpoint, or None."""
    if not saver_def.restore_op_name:
        return None
    return whole.prune([saver_def.filename_tensor_name], saver_def.restore_op_name)


# ------------------------------------------------------------------ signatures


def _signatures(whole: WrappedFunction, meta_graph: Any) -> SignatureMap:
    result = SignatureMap()
    for key, signature_def in sorted(meta_graph.signature_def.items()):
        if key not in _INTERNAL:
            result.add(key, _signature(whole, signature_def))
    return result


def _signature(whole: WrappedFunction, proto: Any) -> ConcreteFunction:
    """Returns the function of a signature, with keyword arguments."""
    graph = whole.graph
    inputs = {n: get_tensor_from_tensor_info(i, graph) for n, i in sorted(proto.inputs.items())}
    outputs = {n: get_tensor_from_tensor_info(i, graph) for n, i in sorted(proto.outputs.items())}
    flat, names = [], []
    for name, value in inputs.items():
        parts = nest.flatten(value, expand_composites=True)
        flat += parts
        is_sparse = isinstance(value, SparseTensor)
        suffixes: tuple[str, ...] = ("_indices", "_values", "_dense_shape") if is_sparse else ("",)
        several = len(parts) > 1 and not is_sparse
        suffixes = tuple(f"_{i}" for i in range(len(parts))) if several else suffixes
        names += [f"{name}{suffix}" for suffix in suffixes]
    tensors = nest.flatten(outputs, expand_composites=True)
    part = whole.prune(flat, [t for t in tensors if not isinstance(t, Operation)])
    return SignatureFunction(part.graph, names, outputs)


class SignatureFunction(ConcreteFunction):
    """The function of a signature of TensorFlow 1: keyword arguments, a dictionary of results.

    Args:
        graph: The part of the graph.
        names: The names of its inputs.
        outputs: The results by name.
    """

    def __init__(self, graph: Any, names: list[str], outputs: dict[str, Any]) -> None:
        kind = inspect.Parameter.KEYWORD_ONLY
        keywords = ["".join(c if c.isalnum() else "_" for c in name) for name in names]
        keywords = [name if name.isidentifier() else f"arg_{name}" for name in keywords]
        parameters = Parameters(
            inspect.Signature([inspect.Parameter(name, kind) for name in keywords])
        )
        structure = {
            key: TensorSpec(t.shape, t.dtype, name)
            for key, name, t in zip(keywords, names, graph.inputs)
        }
        super().__init__(graph, structure, outputs, parameters)
        self._names = names

    @property
    def _arg_keywords(self) -> list[str]:
        """The names of the tensor arguments."""
        return self._names

    @property
    def _num_positional_args(self) -> int:
        """The number of arguments that can be positional."""
        return 1


# ------------------------------------------------------------------ variables


def _variables_of(meta_graph: Any, graph_def: Any) -> dict[str, Any]:
    """Returns a variable for each handle in a graph, and removes the handles from it."""
    trainable = {
        proto.variable_name.partition(":")[0]: proto.trainable for proto in _protos(meta_graph)
    }
    handles = [node for node in graph_def.node if node.op == "VarHandleOp"]
    result, shared = {}, {}
    for node in handles:
        name = node.attr["shared_name"].s.decode() or node.name
        if name not in shared:
            shape = shape_of(node.attr["shape"].shape)
            dtype = node.attr["dtype"].type
            shared[name] = uninitialized_variable(
                node.name, dtype, shape, trainable.get(node.name, False)
            )
        result[node.name] = shared[name]
        graph_def.node.remove(node)
    for node in graph_def.node:
        node.input[:] = [x for x in node.input if x.removeprefix("^") not in result or x[0] != "^"]
    return result


def _protos(meta_graph: Any) -> Iterable[Any]:
    """Yields the ``VariableDef`` messages of the collections of variables."""
    for key in _COLLECTIONS:
        if key in meta_graph.collection_def:
            for data in meta_graph.collection_def[key].bytes_list.value:
                yield message("VariableDef").FromString(data)


def _listed(meta_graph: Any, lifted: dict[str, Any]) -> list[str]:
    names = [proto.variable_name.partition(":")[0] for proto in _protos(meta_graph)]
    return [name for name in dict.fromkeys(names) if name in lifted]


def _reference_names(graph_def: Any) -> set[str]:
    return {node.name for node in graph_def.node if node.op in ("VariableV2", "Variable")}


# ------------------------------------------------------------------ graphs


def _runnable(meta_graph: Any) -> Any:
    """Returns a copy of a graph; without what no signature needs, if it has unknown operations."""
    graph_def = message("GraphDef")()
    graph_def.CopyFrom(meta_graph.graph_def)
    if all(node.op in OPS or reader(node.op) is not None for node in graph_def.node):
        return graph_def
    roots = {init_op_name(meta_graph), meta_graph.saver_def.restore_op_name}
    for signature_def in meta_graph.signature_def.values():
        for info in (*signature_def.inputs.values(), *signature_def.outputs.values()):
            roots.update(_names(info))
    return extract_sub_graph(graph_def, sorted({r.partition(":")[0] for r in roots if r}))


def _names(info: Any) -> list[str]:
    """Returns the names of the tensors in a ``TensorInfo``."""
    sparse = info.coo_sparse
    names = [info.name, sparse.values_tensor_name, sparse.indices_tensor_name]
    names.append(sparse.dense_shape_tensor_name)
    return names + [name for part in info.composite_tensor.components for name in _names(part)]


def _with_resources(graph_def: Any) -> Any:
    """Returns a graph with resource variables in place of reference variables."""
    if not _reference_names(graph_def):
        return graph_def
    result = message("GraphDef")()
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    references = _references(graph_def)
    for node in graph_def.node:
        _add_converted(result, node, references)
    return result


class _Reference(NamedTuple):
    """A reference to a variable.

    Attributes:
        variable: The name of the variable.
        update: The name of the last update before it, or None.
        dtype: The dtype of the variable, as an enum value.
    """

    variable: str
    update: str | None
    dtype: int


def _references(graph_def: Any) -> dict[str, _Reference]:
    """Returns the variable of each reference by the name of its node, and the update before it."""
    by_name = {node.name: node for node in graph_def.node}
    result: dict[str, _Reference] = {}

    def find(name: str) -> _Reference | None:
        node = by_name.get(name)
        if node is None or name in result:
            return result.get(name)
        if node.op in ("VariableV2", "Variable"):
            result[name] = _Reference(name, None, node.attr["dtype"].type)
        elif _returns_reference(node.op):
            source = find(node.input[0].partition(":")[0])
            if source is not None:
                result[name] = source._replace(update=name)
        return result.get(name)

    for node in graph_def.node:
        find(node.name)
    return result


def _returns_reference(op: str) -> bool:
    return op in REFERENCE_TYPES or (op in UPDATES and not op.startswith("Resource"))


def _add_converted(graph_def: Any, source: Any, references: dict[str, _Reference]) -> None:
    """Adds a node, and the reads of the references that it takes as values."""
    node = message("NodeDef")()
    node.CopyFrom(source)
    del node.input[:]
    converts = _returns_reference(source.op) or source.op == "IsVariableInitialized"
    taken = _count_references(source.op) if converts else 0
    waits = []
    for i, text in enumerate(source.input):
        reference = None if text.startswith("^") else references.get(text.partition(":")[0])
        if reference is None:
            node.input.append(text)
            continue
        waits += [f"^{reference.update}"] if reference.update is not None else []
        if i < taken:
            node.input.append(reference.variable)
        elif source.op in ("Identity", "RefIdentity"):
            node.op = "ReadVariableOp"
            node.attr["dtype"].CopyFrom(source.attr["T"])
            node.input.append(reference.variable)
        else:
            node.input.append(_add_read(graph_def, source, i, reference))
    node.input.extend(wait for wait in dict.fromkeys(waits) if wait not in node.input)
    if source.op in ("VariableV2", "Variable"):
        node.op = "VarHandleOp"
        node.attr["shared_name"].s = source.attr["shared_name"].s or source.name.encode()
    elif converts:
        node.op = _resource_type(source.op)
        if "dtype" in attributes(node.op) and "T" in source.attr:
            node.attr["dtype"].CopyFrom(source.attr["T"])
    graph_def.node.append(node)


def _add_read(graph_def: Any, taker: Any, index: int, of: _Reference) -> str:
    read = graph_def.node.add(name=f"{taker.name}/read_{index}", op="ReadVariableOp")
    read.input.extend([of.variable, *([f"^{of.update}"] if of.update is not None else [])])
    read.attr["dtype"].type = of.dtype
    return f"{read.name}:0"


def _count_references(op: str) -> int:
    gives = signature(op)
    names = REFERENCES.get(op) or REFERENCES.get(op.removeprefix("Sparse"), ("ref",))
    return sum(arg.name in names for arg in gives.inputs) if gives is not None else 1


def _resource_type(op: str) -> str:
    if op == "IsVariableInitialized":
        return "VarIsInitializedOp"
    return REFERENCE_TYPES.get(op) or f"Resource{op}"
