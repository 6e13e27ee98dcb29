"""``tf.saved_model.save``: objects, variables and functions as a SavedModel."""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import shutil
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.checkpoint.object_graph import GRAPH_KEY, ObjectGraph, View
from twinflow._src.checkpoint.values import bytes_item, items
from twinflow._src.checkpoint.writer import write
from twinflow._src.composite_tensors.component_specs import composite_spec
from twinflow._src.core import nest
from twinflow._src.core.context import PLAIN, entered, runtime, thread
from twinflow._src.core.dtypes import resource, string
from twinflow._src.core.protos import message, shape_proto
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.function import trace_types
from twinflow._src.function.arguments import Parameters
from twinflow._src.function.concrete_function import ConcreteFunction
from twinflow._src.function.function import Function
from twinflow._src.function.trace_types import VariableSpec
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.graph_serialization.attributes import attr_value, build_constant, build_node
from twinflow._src.graph_serialization.functions import Library, _Function, resources_of
from twinflow._src.graph_serialization.messages import PRODUCER, node_def
from twinflow._src.graph_serialization.meta_graphs import TENSORFLOW, _write_info
from twinflow._src.io.local_files import local, path_text
from twinflow._src.io.local_files import write as write_file
from twinflow._src.numerics.object_arrays import object_array
from twinflow._src.trackable.trackable import (
    ListWrapper,
    Trackable,
    TrackableReference,
    _Tuple,
    wrapped,
)
from twinflow._src.variables.variable import BaseResourceVariable, Variable
from twinflow._src.wings.lookup.base import LookupInterface
from twinflow._src.wings.private_api.nest_up_to import map_structure_with_tuple_paths
from twinflow._src.wings.saved_model import constants
from twinflow._src.wings.saved_model.assets import Asset, CapturableResource
from twinflow._src.wings.saved_model.custom_gradients import (
    CapturedTensor,
    CustomGradient,
    add_to_definition,
    custom_gradients,
)
from twinflow._src.wings.saved_model.files import variables_prefix
from twinflow._src.wings.saved_model.fingerprints import write_fingerprint
from twinflow._src.wings.saved_model.options import SaveOptions
from twinflow._src.wings.saved_model.resources import (
    RestoredResource,
    children_of_resource,
    create_handle,
    resource_of,
    saving_functions,
)
from twinflow._src.wings.saved_model.revived_types import user_object_proto
from twinflow._src.wings.saved_model.signature_defs import SignatureMap
from twinflow._src.wings.saved_model.structures import NotEncodableError, encode, variable_to_proto

_DEFAULT_SIGNATURE = "_default_save_signature"


def save(
    obj: Any, export_dir: Any, signatures: Any = None, options: SaveOptions | None = None
) -> None:
    """Saves an object with its variables and functions as a SavedModel.

    All traces of its functions are saved. A ``tf.function`` with an input signature is traced if
    it has not been called.

    Args:
        obj: A ``tf.Module`` or another trackable object.
        export_dir: The directory, which is created.
        signatures: A function with an input signature, a concrete function, or a dictionary of
            those by name; None for the only function of ``obj`` with an input signature, if any.
        options: A ``tf.saved_model.SaveOptions``.

    Raises:
        ValueError: The object or a signature cannot be saved.
        AssertionError: A function uses a variable that no attribute refers to, or the call is
            within a function being traced.
        NotImplementedError: A function has an operation that TensorFlow lacks.
    """
    save_and_return_nodes(obj, export_dir, signatures, options)


def save_and_return_nodes(
    obj: Any,
    export_dir: Any,
    signatures: Any = None,
    options: SaveOptions | None = None,
    experimental_skip_checkpoint: bool = False,
) -> tuple[list[Any], NodePaths]:
    """Saves an object as ``tf.saved_model.save`` does.

    Args:
        obj: A ``tf.Module`` or another trackable object.
        export_dir: The directory, which is created.
        signatures: Its signatures, see ``tf.saved_model.save``.
        options: A ``tf.saved_model.SaveOptions``.
        experimental_skip_checkpoint: If True, the values of variables are not saved.

    Returns:
        The objects in the order of their nodes, and their paths.
    """
    options = options or SaveOptions()
    path = path_text(export_dir)
    if getattr(thread.scope.graph, "building_function", False):
        raise AssertionError(
            "`tf.saved_model.save` is not supported inside a traced @tf.function. Move the call to the outer "
            "eagerly-executed context."
        )
    if not isinstance(obj, Trackable):
        raise ValueError(
            f"Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the `Trackable` class, "
            f"for export. Got {obj} with type {type(obj)}."
        )
    with entered(PLAIN):
        saver = Saver(obj, signatures, options)
        saver.write(path, not experimental_skip_checkpoint)
    return saver.nodes(), saver.paths


# ------------------------------------------------------------------ children


def children_of(value: Any, cache: dict[Any, Any]) -> dict[str, Any]:
    """Returns the objects to save below an object, by name: functions, too.

    ``cache`` is what libraries keep of an object while a model is saved.
    """
    if isinstance(value, Function):
        return {f"trace_{i}": f for i, f in enumerate(traces(value))}
    if isinstance(value, ConcreteFunction):
        offset = len(_resources(value))
        return {
            f"capture_{offset + i}": x
            for i, x in enumerate(value.graph.external_captures)
            if isinstance(x, EagerTensor)
        }
    if isinstance(value, (EagerTensor, BaseResourceVariable, Asset)):
        return {}
    if isinstance(value, SignatureMap):
        return dict(value)
    if isinstance(value, CapturableResource) and not isinstance(value, RestoredResource):
        return children_of_resource(value)
    return {
        name: wrapped(child)
        for name, child in value._trackable_children("savedmodel", cache=cache).items()
    }


def _resources(function: ConcreteFunction) -> list[Any]:
    """Returns the variables and lookup tables that a function captures."""
    return [*function._used_variables(), *resources_of(function.graph)]


def traces(function: Function) -> list[ConcreteFunction]:
    """Returns the concrete functions of a function; it is traced if it has an input signature."""
    with _saving():
        return function._list_all_concrete_functions_for_serialization()


@contextlib.contextmanager
def _saving() -> Iterator[None]:
    """Makes functions be traced for a SavedModel, if there are distributed variables."""
    thread.saves, before = runtime.replicated, thread.saves
    try:
        yield
    finally:
        thread.saves = before


# ------------------------------------------------------------------ signatures


def _concrete(value: Any) -> ConcreteFunction:
    if isinstance(value, ConcreteFunction):
        return value
    is_fixed = isinstance(value, Function) and (
        value._parameters.specs is not None or not value._parameters.signature.parameters
    )
    if not is_fixed:
        raise ValueError(
            f"Expected a TensorFlow function for which to generate a signature, but got {value}. Only `tf.functions` with "
            "an input signature or concrete functions can be used as a signature."
        )
    with _saving():
        return value.get_concrete_function()


def signature_map(obj: Any, signatures: Any, children: dict[str, Any]) -> SignatureMap:
    """Returns the wrappers of the functions that are signatures."""
    result = SignatureMap()
    if signatures is None:
        signatures = _default_signatures(obj, children)
    if not isinstance(signatures, Mapping):
        signatures = {constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures}
    for key, function in signatures.items():
        if not isinstance(key, str):
            raise AttributeError(f"'{type(key).__name__}' object has no attribute 'replace'")
        result.add(key, _wrapper(key, _concrete(function)))
    return result


def _default_signatures(obj: Any, children: dict[str, Any]) -> Any:
    former = getattr(obj, "signatures", None)
    if isinstance(former, SignatureMap):
        return dict(former)
    functions: dict[str, Any] = {
        name: child
        for name, child in children.items()
        if isinstance(child, (Function, ConcreteFunction))
    }
    if _DEFAULT_SIGNATURE in functions:
        return functions[_DEFAULT_SIGNATURE]
    if len(functions) != 1:
        return {}
    (only,) = functions.values()
    if isinstance(only, Function) and only._parameters.specs is None:
        only = next(iter(traces(only)), None) if len(traces(only)) == 1 else None
    return only if only is not None and _can_be_signature(_concrete(only)) else {}


def _can_be_signature(function: ConcreteFunction) -> bool:
    """True if inputs and outputs of a function are such as signatures have."""
    try:
        _normalized(function.structured_outputs, function, "")
    except ValueError:
        return False
    return not function._variables


def _wrapper(key: str, function: ConcreteFunction) -> ConcreteFunction:
    """Returns a function of keyword arguments that returns a dictionary."""
    if function._variables:
        raise ValueError(
            f"Unable to serialize concrete_function '{function.name!r}'with tf.Variable input. Functions that expect "
            "tf.Variable inputs cannot be exported as signatures."
        )
    graph = FuncGraph("signature_wrapper")
    names = _unique(function._arg_keywords)
    with entered(PLAIN.but(graph=graph)):
        specs = dict(zip(names, function.graph.inputs))
        inputs = {n: graph.argument(specs[n].dtype, specs[n].shape._dims, n) for n in sorted(names)}
        outputs = _normalized(function.run([inputs[n] for n in names]), function, key)
        for tensor in nest.flatten(outputs, expand_composites=True):
            graph.outputs.append(tensor)
    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = Parameters(inspect.Signature([inspect.Parameter(n, kind) for n in inputs]))
    structure = {n: TensorSpec(s.shape, s.dtype, n) for n, s in inputs.items()}
    return ConcreteFunction(graph, structure, outputs, parameters)


def _unique(names: Sequence[str]) -> list[str]:
    result: list[str] = []
    for name in names:
        plain = "".join(c if c.isalnum() or c == "_" else "_" for c in name)
        free, count = plain, 0
        while free in result:
            count += 1
            free = f"{plain}_{count}"
        result.append(free)
    return result


def _normalized(outputs: Any, function: ConcreteFunction, key: str) -> dict[str, Any]:
    if not isinstance(outputs, Mapping):
        several = isinstance(outputs, (list, tuple))
        outputs = {f"output_{i}": x for i, x in enumerate(outputs if several else [outputs])}
    name = function.name.decode()
    for label, value in outputs.items():
        if not isinstance(label, str):
            raise ValueError(
                f"Got a dictionary with a non-string key {label!r} in the output of the function {name} used to "
                f"generate the SavedModel signature {key!r}."
            )
        if not isinstance(value, SymbolicTensor) and composite_spec(value) is None:
            raise ValueError(
                f"Got a non-Tensor value {value!r} for key {label!r} in the output of the function {name} used to "
                f"generate the SavedModel signature {key!r}. Outputs for functions used as signatures must be a single "
                "Tensor, a sequence of Tensors, or a dictionary from string to Tensor."
            )
    return {label: outputs[label] for label in sorted(outputs)}


# ------------------------------------------------------------------ the message


def _acting_variable(value: Any) -> Any:
    """Returns the variable of an object of a library that acts as one, or the value itself.

    A distributed variable and its components are saved as the first component.
    """
    if hasattr(value, "_should_act_as_resource_variable"):
        inner = value.value
        value = inner if isinstance(inner, Variable) else value.handle.variable()
    if not isinstance(value, Variable):
        return value
    owner = getattr(value, "_distributed_container", None)
    return getattr(value if owner is None else owner(), "_primary", value)


def _key(value: Any) -> int:
    value = _acting_variable(value)
    return id(value._handle) if isinstance(value, BaseResourceVariable) else id(value)


class _SavedView(View):
    """The objects to save, with the children that only saved models have."""

    def __init__(self, root: Any, objects: list[tuple[Any, dict[str, Any]]]) -> None:
        super().__init__(root)
        self._saved = {
            id(value): {
                name: child
                for name, child in children.items()
                if isinstance(child, Trackable) and not isinstance(child, Function)
            }
            for value, children in objects
        }

    def children(self, of: Any) -> dict[str, Any]:
        """Returns the children of an object by name."""
        return {**self._saved.get(id(of), {}), **super().children(of)}


class NodePaths:
    """The paths of objects from a root, by object.

    Args:
        root: The root.
    """

    def __init__(self, root: Any) -> None:
        self._paths: dict[int, list[TrackableReference]] = {id(root): []}

    def __getitem__(self, value: Any) -> list[TrackableReference]:
        """Returns the references that lead from the root to an object."""
        return self._paths[id(value)]

    def add(self, parent: Any, reference: TrackableReference) -> None:
        """Adds the path of a child of an object."""
        self._paths[id(reference.ref)] = [*self._paths[id(parent)], reference]


class Saver:
    """An object while it is saved.

    Args:
        obj: The object.
        signatures: Its signatures.
        options: The options.
    """

    def __init__(self, obj: Any, signatures: Any, options: SaveOptions) -> None:
        self._root, self._options = obj, options
        cache: dict[Any, Any] = {}
        children = children_of(obj, cache)
        self._signatures = signature_map(obj, signatures, children)
        children.pop("signatures", None)
        children["signatures"] = self._signatures
        self._objects: list[tuple[Any, dict[str, Any]]] = []
        self._numbers: dict[int, int] = {}
        self._collect(children, cache)
        self._meta_graph = message("MetaGraphDef")()
        self._graph = self._meta_graph.graph_def
        self._library = Library(None)
        self._names: dict[int, str] = {}  # of the nodes of variables and constants
        self._used: dict[str, int] = {}  # the last number appended to each name
        self._functions: dict[int, str] = {}
        self._tensor_names: dict[str, Callable[[Any], str]] = {}

    def nodes(self) -> list[Any]:
        """Returns the objects in the order of their nodes."""
        return [value for value, _ in self._objects]

    def _collect(self, children: dict[str, Any], cache: dict[Any, Any]) -> None:
        """Collects all objects; ``children`` are those of the root."""
        todo: deque[Any] = deque([self._root])
        self.paths = NodePaths(self._root)
        self._numbers[_key(self._root)] = 0
        count = 1
        while todo:
            value = todo.popleft()
            children = children if value is self._root else children_of(value, cache)
            self._objects.append((value, children))
            for name, child in children.items():
                if _key(child) not in self._numbers:
                    self.paths.add(value, TrackableReference(name, child))
                    self._numbers[_key(child)] = count
                    count += 1
                    todo.append(child)
        self._assets = [x for x, _ in self._objects if isinstance(x, Asset)]
        for asset in self._assets:
            self._numbers[id(asset.asset_path)] = self._numbers[id(asset)]
        count = self._add_gradients(count)
        self._add_resources(count)

    def _add_gradients(self, count: int) -> int:
        """Adds the custom gradients of functions, with the tensors that they capture."""
        self._gradients: dict[int, list[CustomGradient]] = {}
        if not self._options.experimental_custom_gradients:
            return count
        wrappers = {id(function) for function in self._signatures.values()}
        functions = [f for f, _ in self._objects if isinstance(f, ConcreteFunction)]
        for function in functions:
            if id(function) in wrappers:
                continue
            self._gradients[id(function)] = list(custom_gradients(function))
            for gradient in self._gradients[id(function)]:
                for tensor in gradient.function.graph.external_captures:
                    if _key(tensor) not in self._numbers:
                        is_eager = isinstance(tensor, EagerTensor)
                        value = tensor if is_eager else CapturedTensor(function, tensor)
                        self._numbers[_key(tensor)] = count
                        self._objects.append((value, {}))
                        count += 1
        return count

    def _add_resources(self, count: int) -> None:
        """Adds the handles of resources, and the functions that save and restore tables."""
        self._resources = [x for x, _ in self._objects if resource_of(x) is not None]
        self._saveables: dict[int, list[int]] = {}
        for value in self._resources:
            self._numbers[_key(resource_of(value))] = self._numbers[id(value)]
            if value._saved_parts():
                self._saveables[id(value)] = [count, count + 1]
                for function in saving_functions(resource_of(value)):
                    self._numbers[id(function)] = count
                    self._objects.append((function, {}))
                    count += 1

    # ---------------------------------------------------------------- files
    def write(self, path: str, with_values: bool) -> None:
        """Writes the directory, with or without the values of variables."""
        proto = self._proto()
        graph = ObjectGraph(_SavedView(self._root, self._objects))
        saved = graph.saved
        if not self._options.experimental_skip_saver:
            self._add_saver(saved, graph)
        self._finish()
        folder = local(path)
        os.makedirs(os.path.join(folder, constants.VARIABLES_DIRECTORY), exist_ok=True)
        tensors = [
            *items(saved),
            bytes_item(GRAPH_KEY, graph.proto.SerializeToString(deterministic=True)),
        ]
        if with_values:
            write(variables_prefix(path), tensors)
        assets = os.path.join(folder, constants.ASSETS_DIRECTORY)
        os.makedirs(assets, exist_ok=True)
        for asset, name in zip(self._assets, self._asset_names()):
            target = os.path.join(assets, name)
            if not os.path.exists(asset):  # TensorFlow leaves out those that are not there
                continue
            if not os.path.exists(target) or not os.path.samefile(asset, target):
                shutil.copyfile(asset, target)
        data = proto.SerializeToString(deterministic=True)
        write_file(os.path.join(path, constants.SAVED_MODEL_FILENAME_PB), data)
        write_fingerprint(path, data, self._meta_graph)

    def _asset_names(self) -> list[str]:
        names: list[str] = []
        for asset in self._assets:
            base = os.path.basename(os.fspath(asset))
            name, count = base, 0
            while name in names:
                count += 1
                name = f"{base}_{count}"
            names.append(name)
        return names

    def _proto(self) -> Any:
        proto = message("SavedModel")(saved_model_schema_version=1)
        info = self._meta_graph.meta_info_def
        info.tags.extend([constants.SERVING, *(self._options.extra_tags or ())])
        for value, _ in self._objects:
            self._add_source(value)
        objects = self._meta_graph.object_graph_def
        for value, children in self._objects:
            node = objects.nodes.add()
            for name, child in children.items():
                node.children.add(node_id=self._numbers[_key(child)], local_name=name)
            self._describe(node, value)
        for key, function in self._signatures.items():
            self._add_signature(key, function)
        proto.meta_graphs.append(self._meta_graph)
        self._saved_model = proto
        return proto

    def _finish(self) -> None:
        meta_graph = self._meta_graph
        calls = [f"^{self._add_initialization(each)}" for each in self._resources]
        self._graph.node.append(build_node("NoOp", "NoOp", calls))
        meta_graph.collection_def[constants.MAIN_OP_KEY].node_list.value.append("NoOp")
        init = meta_graph.signature_def[constants.INIT_OP_SIGNATURE_KEY]
        info = init.outputs[constants.INIT_OP_SIGNATURE_KEY]
        info.name, info.tensor_shape.unknown_rank = "NoOp", True
        self._graph.versions.producer = PRODUCER
        self._graph.library.function.extend(self._library.functions)
        if self._options.experimental_debug_stripper:
            _strip_checks(self._graph)
        tags = list(meta_graph.meta_info_def.tags)
        _write_info(meta_graph, False)
        meta_graph.meta_info_def.tags[:] = tags
        meta_graph.meta_info_def.tensorflow_version = TENSORFLOW
        for alias, functions in self._options.function_aliases.items():
            for function in _aliased(functions):
                if id(function) in self._functions:
                    name = self._functions[id(function)]
                    meta_graph.meta_info_def.function_aliases[name] = alias
        del self._saved_model.meta_graphs[:]
        self._saved_model.meta_graphs.append(meta_graph)

    # ---------------------------------------------------------------- nodes of the graph
    def _unique(self, name: str) -> str:
        plain = "".join(c if c.isalnum() or c in "_./-" else "_" for c in name) or "unnamed"
        free, count = plain, self._used.get(plain, 0)
        while free in self._used:
            count += 1
            free = f"{plain}_{count}"
        self._used[plain] = count
        self._used.setdefault(free, 0)
        return free

    def _add_source(self, value: Any) -> None:
        """Adds the node of a variable, of a constant or of the path of an asset."""
        value = _acting_variable(value)
        if isinstance(value, BaseResourceVariable):
            name = self._unique(value._shared_name)
            node = build_node(
                name,
                "VarHandleOp",
                [],
                dtype=("type", value.dtype.base_dtype),
                shape=("shape", value.shape),
                shared_name=("string", name),
                container=("string", ""),
                debug_name=("string", f"{name}/"),
                allowed_devices=("list(string)", []),
            )
            self._graph.node.append(node)
            self._names[_key(value)] = name
        elif isinstance(value, EagerTensor):
            self._names[id(value)] = self._add_constant("Const", value._host(), value.dtype)
        elif isinstance(value, Asset):
            path = np.array(os.fsencode(os.fspath(value)), object)
            name = self._add_constant("asset_path", path, string)
            self._names[id(value.asset_path)] = name
        elif (resource := resource_of(value)) is not None:
            self._names[_key(resource)] = self._add_handle(resource)

    def _add_handle(self, resource: Any) -> str:
        """Adds the operation that creates a table or a variable; returns its name."""
        graph, names = FuncGraph("resource"), dict[str, str]()
        with entered(PLAIN.but(graph=graph)):
            create_handle(resource)
        for node in graph.get_operations():
            proto = node_def(node, library=Library(graph))
            proto.name = self._unique(node.name)
            proto.input[:] = [names[name] for name in proto.input]
            names[node.name] = proto.name
            self._graph.node.append(proto)
        return str(proto.name)

    def _add_initialization(self, value: Any) -> str:
        """Adds the call of the function that fills a resource; returns its name."""
        initialize = next(c for v, c in self._objects if v is value)["_initialize"]
        (function,) = traces(initialize)
        captured = [*_resources(function), *function.graph.external_captures]
        return self._call(
            self._functions[id(function)],
            [self._names[_key(x)] for x in captured],
            [_type(x) for x in captured],
            [t.dtype.base_dtype for t in function.graph.outputs],
        )

    def _add_constant(self, name: str, array: Any, dtype: Any) -> str:
        node = build_constant(self._unique(name), array, dtype)
        self._graph.node.append(node)
        return str(node.name)

    # ---------------------------------------------------------------- objects
    def _describe(self, node: Any, value: Any) -> None:
        """Sets what kind of object a node is."""
        variable = _acting_variable(value)
        if isinstance(variable, BaseResourceVariable):
            with_device = self._options.experimental_variable_policy._save_variable_devices()
            whole = value if isinstance(value, Variable) else variable
            node.variable.CopyFrom(variable_to_proto(whole, with_device))
        elif isinstance(value, Function):
            names = [self._add_function(f) for f in traces(value)]
            node.function.concrete_functions.extend(names)
            node.function.function_spec.CopyFrom(_function_spec(value._parameters))
            node.dependencies.extend(node.children)
        elif isinstance(value, ConcreteFunction):
            self._describe_concrete(node, value)
        elif isinstance(value, CapturedTensor):
            name = self._add_function(value.function)
            node.captured_tensor.concrete_function = name
            node.captured_tensor.name = self._tensor_names[name](value.tensor)
        elif isinstance(value, EagerTensor):
            node.constant.operation = self._names[id(value)]
            node.registered_name = "tf.TrackableConstant"
        elif isinstance(value, Asset):
            node.asset.asset_file_def_index = self._add_asset(value)
        elif resource_of(value) is not None:
            node.resource.device = getattr(value, "_resource_device", "")
            if id(value) in self._saveables:
                save, restore = self._saveables[id(value)]
                node.saveable_objects["table"].save_function = save
                node.saveable_objects["table"].restore_function = restore
        elif isinstance(value, (Trackable, SignatureMap)):
            node.user_object.CopyFrom(user_object_proto(value, _identifier(value)))

    def _add_asset(self, asset: Asset) -> int:
        index = self._assets.index(asset)
        files = self._meta_graph.asset_file_def
        while len(files) < len(self._assets):
            number = len(files)
            files.add(
                filename=self._asset_names()[number]
            ).tensor_info.name = f"{self._names[id(self._assets[number].asset_path)]}:0"
        return index

    def _describe_concrete(self, node: Any, function: ConcreteFunction) -> None:
        bare = node.bare_concrete_function
        bare.concrete_function_name = self._add_function(function)
        keywords = function._arg_keywords
        bare.argument_keywords.extend(keywords)
        bare.allowed_positional_arguments = function._num_positional_args
        bare.function_spec.CopyFrom(_function_spec(function._parameters, False))
        node.dependencies.extend(node.children)

    # ---------------------------------------------------------------- functions
    def _add_function(self, function: ConcreteFunction) -> str:
        """Adds a concrete function to the library; returns its name."""
        if id(function) in self._functions:
            return self._functions[id(function)]
        graph = function.graph
        captured = [*_resources(function), *graph.external_captures]
        bound = [self._number_of(x, function) for x in captured]
        leaves = _ordered_leaves(function)
        standing = [(_stand_in(x), i) for i, x in enumerate(leaves)]
        inside = [getattr(r, "_handle", r) for r in _resources(function)]
        inside += graph.internal_captures
        standing += [(x, len(leaves) + i) for i, x in enumerate(inside)]
        types = [_type(x) for x in (*leaves, *captured)]
        writer = _Function(graph, types, standing, self._library)
        name = writer.written(function.name.decode(), graph.outputs)
        self._functions[id(function)] = name
        self._tensor_names[name] = functools.partial(_graph_name, writer)
        definition = self._library.functions[-1]
        for gradient in self._gradients.get(id(function), ()):
            add_to_definition(definition, gradient, writer._names)
            registered = self._graph.library.registered_gradients.add()
            registered.registered_op_type = gradient.type
            registered.gradient_func = self._add_function(gradient.function)
        proto = self._meta_graph.object_graph_def.concrete_functions[name]
        proto.bound_inputs.extend(bound)
        args, kwargs = function.structured_input_signature
        proto.canonicalized_input_signature.CopyFrom(
            encode((tuple(map(_encodable, args)), {k: _encodable(v) for k, v in kwargs.items()}))
        )
        proto.output_signature.CopyFrom(encode(_output_specs(function.structured_outputs)))
        return name

    def _number_of(self, value: Any, function: ConcreteFunction) -> int:
        number = self._numbers.get(_key(value))
        if number is None:
            raise AssertionError(
                "Tried to export a function which references an 'untracked' resource. TensorFlow objects (e.g. "
                "tf.Variable) captured by functions must be 'tracked' by assigning them to an attribute of a tracked "
                "object or assigned to an attribute of the main object directly. See the information below:\n"
                f"\tFunction name = {function.name!r}\n"
                f"\tCaptured Tensor = {getattr(value, '_handle', value)!r}\n"
                f"\tTrackable referencing this tensor = {value!r}\n"
                f"\tInternal Tensor = None"
            )
        return number

    def _add_signature(self, key: str, function: ConcreteFunction) -> None:
        """Adds the placeholders and the call of a signature, and its ``SignatureDef``."""
        signature = self._meta_graph.signature_def[key]
        signature.method_name = constants.PREDICT_METHOD_NAME
        inputs = []
        names = {id(t): n for n, t in zip(function._arg_keywords, function.graph.inputs)}
        arguments = _ordered_leaves(function)  # the order in the definition of the function
        for tensor in arguments:
            name = names[id(tensor)]
            node = build_node(
                self._unique(f"{key}_{name}"),
                "Placeholder",
                [],
                dtype=("type", tensor.dtype),
                shape=("shape", tensor.shape),
            )
            self._graph.node.append(node)
            inputs.append(node.name)
            signature.inputs[name].CopyFrom(_tensor_info(f"{node.name}:0", tensor))
        captured = [*_resources(function), *function.graph.external_captures]
        types = [_type(x) for x in (*arguments, *captured)]
        call = self._call(
            self._functions[id(function)],
            [*inputs, *(self._names[_key(x)] for x in captured)],
            types,
            [t.dtype.base_dtype for t in function.graph.outputs],
        )
        index = 0
        for name, value in function.structured_outputs.items():
            parts = nest.flatten(value, expand_composites=True)
            if isinstance(value, SymbolicTensor):
                signature.outputs[name].CopyFrom(_tensor_info(f"{call}:{index}", value))
            else:
                info = signature.outputs[name].composite_tensor
                info.type_spec.CopyFrom(encode(composite_spec(value)).type_spec_value)
                for i, part in enumerate(parts):
                    info.components.add().CopyFrom(_tensor_info(f"{call}:{index + i}", part))
            index += len(parts)

    def _call(self, name: str, inputs: list[str], types: Any, results: Any) -> str:
        node = build_node(
            self._unique("StatefulPartitionedCall"),
            "StatefulPartitionedCall",
            inputs,
            Tin=("list(type)", types),
            Tout=("list(type)", results),
            f=("func", name),
            config=("string", ""),
            config_proto=("string", ""),
            executor_type=("string", ""),
        )
        self._graph.node.append(node)
        return str(node.name)

    # ---------------------------------------------------------------- saver
    def _add_saver(self, saved: Sequence[tuple[str, Any]], graph: ObjectGraph) -> None:
        """Adds the functions that write and read variables and tables from within the graph."""
        sources = self._sources(saved)
        handles = [source.handle for source in sources]
        filename = self._unique("saver_filename")
        self._graph.node.append(
            build_node(filename, "Placeholder", [], dtype=("type", string), shape=("shape", []))
        )
        whole = graph.proto.SerializeToString(deterministic=True)
        functions = _save_function(sources, whole), _restore_function(sources)
        tin = [string, *[resource] * len(handles)]
        calls = []
        for function in functions:
            self._library.functions.append(function)
            calls.append(self._call(function.signature.name, [filename, *handles], tin, [string]))
        saver = self._meta_graph.saver_def
        saver.filename_tensor_name = f"{filename}:0"
        saver.save_tensor_name, saver.restore_op_name = f"{calls[0]}:0", calls[1]
        saver.version = 2

    def _sources(self, saved: Sequence[tuple[str, Any]]) -> list[_Source]:
        """Returns the variables and tables that the functions of the saver write and read."""
        sources: dict[str, _Source] = {}
        for key, part in saved:
            variable, table = part._saved_variable(), getattr(part, "_table", None)
            if variable is not None and _key(variable) in self._names:
                handle = self._names[_key(variable)]
                sources[handle] = _Source(handle, [key], [variable.dtype.base_dtype])
            elif isinstance(table, LookupInterface) and id(table) in self._names:
                handle, types = self._names[id(table)], [table.key_dtype, table.value_dtype]
                sources.setdefault(handle, _Source(handle, [], types)).keys.append(key)
        return list(sources.values())


class _Source(NamedTuple):
    """A variable, or a table with keys and values, in the functions of the saver.

    Attributes:
        handle: The name of its handle in the graph.
        keys: The keys of its tensors in the checkpoint.
        types: The dtypes of these.
    """

    handle: str
    keys: list[str]
    types: list[Any]

    @property
    def is_table(self) -> bool:
        """True for a table."""
        return len(self.types) > 1


def _aliased(functions: Any) -> list[ConcreteFunction]:
    if isinstance(functions, Function):
        return traces(functions)
    if isinstance(functions, ConcreteFunction):
        return [functions]
    if isinstance(functions, (list, tuple, set)):
        return [f for each in functions for f in _aliased(each)]
    raise TypeError(
        f"Unsupported type f{type(functions)}. Functions in `function_aliases` should be created by tf.function, or "
        "concrete functions, or collections of concrete functions."
    )


def _identifier(value: Any) -> str:
    if isinstance(value, SignatureMap):
        return "signature_map"
    if isinstance(value, ListWrapper):
        return "trackable_list_wrapper"
    if isinstance(value, _Tuple):
        return "trackable_tuple_wrapper"
    if isinstance(value, dict):
        return "trackable_dict_wrapper"
    return str(value._object_identifier)


def _graph_name(writer: _Function, tensor: SymbolicTensor) -> str:
    """Returns the name of a tensor in the graph of a function that was written."""
    name = writer._names.name_of(tensor, None)
    return f"{name}:0" if ":" not in name else f"{tensor.op.name}:{tensor.value_index}"


def _type(value: Any) -> Any:
    is_resource = isinstance(value, (BaseResourceVariable, VariableSpec, LookupInterface))
    return resource if is_resource else value.dtype.base_dtype


def _stand_in(leaf: Any) -> Any:
    return leaf.variable._handle if isinstance(leaf, VariableSpec) else leaf


def _ordered_leaves(function: ConcreteFunction) -> list[Any]:
    """Returns the placeholders and variables of the arguments: positional ones, keywords by name."""
    by_parameter: dict[str, list[Any]] = {}
    for name, leaf in trace_types.places_of_leaves(function._structure, function.graph.inputs):
        by_parameter.setdefault(name, []).append(leaf)
    parameters = function._parameters.signature.parameters
    keyword = inspect.Parameter.KEYWORD_ONLY
    order = [n for n in function._structure if parameters[n].kind is not keyword]
    order += sorted(n for n in function._structure if parameters[n].kind is keyword)
    return [leaf for name in order for leaf in by_parameter.get(name, ())]


def _encodable(value: Any) -> Any:
    """Returns an argument, with None in place of objects that have no message."""
    if nest.is_nested(value):
        return nest.map_structure(_encodable, value)
    try:
        encode(value)
    except NotEncodableError:
        return None
    return value


def _output_specs(structure: Any) -> Any:
    """Returns the specs of results, named by their paths as TensorFlow does."""

    def spec(path: tuple[Any, ...], value: Any) -> Any:
        if isinstance(value, SymbolicTensor):
            name = "_".join(map(str, path)) or "unknown"
            name = f"tensor_{name}" if name[0].isdigit() else name
            return TensorSpec(value.shape, value.dtype, name)
        return value if isinstance(value, TypeSpec) else composite_spec(value)

    return map_structure_with_tuple_paths(spec, structure)


def _tensor_info(name: str, tensor: Any) -> Any:
    return message("TensorInfo")(
        name=name,
        dtype=tensor.dtype.base_dtype.as_datatype_enum,
        tensor_shape=shape_proto(tensor.shape._dims),
    )


def _function_spec(parameters: Parameters, with_input_signature: bool = True) -> Any:
    """Returns the ``FunctionSpec`` of a Python signature."""
    proto = message("FunctionSpec")()
    whole = proto.fullargspec.named_tuple_value
    whole.name = "FullArgSpec"
    for key, value in parameters.fullargspec._asdict().items():
        whole.values.add(key=key).value.CopyFrom(encode(value))
    specs = parameters.specs if with_input_signature else None
    if with_input_signature and specs is None and not parameters.signature.parameters:
        specs = ()
    proto.input_signature.CopyFrom(encode(None if specs is None else tuple(specs)))
    return proto


# ------------------------------------------------------------------ functions of the saver


def _definition(name: str, count: int) -> Any:
    proto = message("FunctionDef")()
    proto.signature.name, proto.signature.is_stateful = name, True
    proto.signature.input_arg.add(name="file_prefix", type=string.as_datatype_enum)
    for i in range(count):
        proto.signature.input_arg.add(name=f"variable_{i}", type=resource.as_datatype_enum)
    proto.signature.output_arg.add(name="identity", type=string.as_datatype_enum)
    return proto


def _strings(name: str, values: Sequence[str]) -> Any:
    return build_constant(name, object_array([value.encode() for value in values]), string)


def _then(proto: Any, after: Sequence[str]) -> Any:
    """Adds the result of a function: the file prefix, after some operations."""
    inputs = ["file_prefix", *(f"^{name}" for name in after)]
    proto.node_def.append(build_node("Identity", "Identity", inputs, T=("type", string)))
    proto.ret["identity"] = "Identity:output:0"
    for name in after:
        proto.control_ret[name] = name
        proto.signature.control_output.append(name)
    return proto


def _save_function(sources: Sequence[_Source], graph: bytes) -> Any:
    proto = _definition("__inference__traced_save", len(sources))
    names = [*(key for source in sources for key in source.keys), GRAPH_KEY]
    proto.node_def.append(_strings("tensor_names", names))
    proto.node_def.append(_strings("shape_and_slices", [""] * len(names)))
    inputs = ["file_prefix", "tensor_names:output:0", "shape_and_slices:output:0"]
    for i, source in enumerate(sources):
        if source.is_table:
            attrs = dict(zip(("Tkeys", "Tvalues"), (("type", t) for t in source.types)))
            node = build_node(f"Export_{i}", "LookupTableExportV2", [f"variable_{i}"], **attrs)
            inputs += [f"Export_{i}:keys:0", f"Export_{i}:values:0"]
        else:
            dtype = ("type", source.types[0])
            node = build_node(f"Read_{i}", "ReadVariableOp", [f"variable_{i}"], dtype=dtype)
            inputs.append(f"Read_{i}:value:0")
        proto.node_def.append(node)
    proto.node_def.append(build_constant("object_graph", np.array(graph, object), string))
    save = build_node("SaveV2", "SaveV2", [*inputs, "object_graph:output:0"])
    types = [*(dtype for source in sources for dtype in source.types), string]
    save.attr["dtypes"].CopyFrom(attr_value("list(type)", types))
    proto.node_def.append(save)
    return _then(proto, ["SaveV2"])


def _restore_function(sources: Sequence[_Source]) -> Any:
    proto = _definition("__inference__traced_restore", len(sources))
    if not sources:
        return _then(proto, [])
    keys = [key for source in sources for key in source.keys]
    proto.node_def.append(_strings("tensor_names", keys))
    proto.node_def.append(_strings("shape_and_slices", [""] * len(keys)))
    inputs = ["file_prefix", "tensor_names:output:0", "shape_and_slices:output:0"]
    restore = build_node("RestoreV2", "RestoreV2", inputs)
    types = [dtype for source in sources for dtype in source.types]
    restore.attr["dtypes"].CopyFrom(attr_value("list(type)", types))
    proto.node_def.append(restore)
    tensors = iter(f"RestoreV2:tensors:{i}" for i in range(len(keys)))
    for i, source in enumerate(sources):
        values = [f"variable_{i}", *(next(tensors) for _ in source.keys)]
        proto.node_def.append(_assignment(i, source, values))
    return _then(proto, [node.name for node in proto.node_def[3:]])


def _assignment(index: int, source: _Source, values: list[str]) -> Any:
    """Returns the node that sets a variable or the contents of a table."""
    if source.is_table:
        attrs = dict(zip(("Tin", "Tout"), (("type", t) for t in source.types)))
        return build_node(f"LookupTableImportV2_{index}", "LookupTableImportV2", values, **attrs)
    dtype = ("type", source.types[0])
    fixed = {"dtype": dtype, "validate_shape": ("bool", False)}
    return build_node(f"AssignVariableOp_{index}", "AssignVariableOp", values, **fixed)


# Operations on request for debugging: without results, and those that return their first input.
_CHECKS = ("Assert", "PrintV2")
_IDENTITIES = ("CheckNumerics", "CheckNumericsV2", "Print")


def _strip_checks(graph_def: Any) -> None:
    """Replaces assertions, checks of numbers and prints of a ``GraphDef`` with its functions."""
    nodes = [*graph_def.node]
    for function in graph_def.library.function:
        nodes += function.node_def
    for node in nodes:
        if node.op in _CHECKS:
            _replace_op(node, "NoOp", [], node.input)
        elif node.op in _IDENTITIES:
            _replace_op(node, "Identity", node.input[:1], node.input[1:])


def _replace_op(node: Any, op: str, inputs: Any, waits: Any) -> None:
    """Makes a node one of another op that waits for its former inputs."""
    names = [text.removeprefix("^").partition(":")[0] for text in waits]
    inputs = [*inputs, *(f"^{name}" for name in dict.fromkeys(names))]
    for key in [key for key in node.attr if key != "T" or op == "NoOp"]:
        del node.attr[key]
    node.op = op
    node.input[:] = inputs
