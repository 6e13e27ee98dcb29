"""``tf.saved_model.load``: objects, variables and functions of a SavedModel."""

from __future__ import annotations

import functools
from typing import Any

from twinflow._src.checkpoint.object_graph import View, graph_of
from twinflow._src.checkpoint.options import DEFAULT
from twinflow._src.checkpoint.reader import Reader
from twinflow._src.checkpoint.restore import CheckpointLoadStatus, Restore
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import PLAIN, entered
from twinflow._src.core.errors import NotFoundError
from twinflow._src.graph_serialization.tensor_proto import values_of
from twinflow._src.io.local_files import path_text
from twinflow._src.trackable.trackable import (
    PRIVATE,
    AutoTrackable,
    ListWrapper,
    Trackable,
    TrackableDataStructure,
    wrapped,
)
from twinflow._src.variables.options import creators
from twinflow._src.wings.lookup.base import LookupInterface
from twinflow._src.wings.saved_model.assets import Asset
from twinflow._src.wings.saved_model.files import (
    asset_path,
    read_saved_model,
    variables_prefix,
)
from twinflow._src.wings.saved_model.loaded_functions import (
    CapturedTensor,
    Functions,
    LoadedConcreteFunction,
    RegisteredGradient,
    RestoredFunction,
    Spec,
)
from twinflow._src.wings.saved_model.options import LoadOptions, VariablePolicy
from twinflow._src.wings.saved_model.resources import RestoredResource
from twinflow._src.wings.saved_model.revived_types import Setter, revived
from twinflow._src.wings.saved_model.signature_defs import SignatureMap
from twinflow._src.wings.saved_model.structures import variable_from_proto

_LONGEST = 2**20  # lists in files


def load(export_dir: Any, tags: Any = None, options: LoadOptions | None = None) -> Any:
    """Loads a SavedModel.

    Args:
        export_dir: The directory.
        tags: The tags of the meta graph: a string or several; None where there is only one.
        options: A ``tf.saved_model.LoadOptions``.

    Returns:
        An object with the attributes of the object that was saved: variables, functions, which can
        be called, assets, lookup tables, and containers of those; and ``signatures``, a mapping
        from names to concrete functions.

    Raises:
        OSError: There is no SavedModel, or it cannot be parsed.
        ValueError: The tags are those of no meta graph, or the file is inconsistent.
        NotFoundError: A function needs an operation that does not exist here; raised by its first
            use.
    """
    return load_partial(export_dir, {"root": None}, tags, options)["root"]


def load_partial(
    export_dir: Any, filters: Any, tags: Any = None, options: LoadOptions | None = None
) -> dict[str, Any]:
    """Loads a SavedModel around objects that exist already.

    Args:
        export_dir: The directory.
        filters: Paths of objects from the root, such as ``"root.layer.kernel"``; or a dictionary
            from paths to existing objects, or to tuples of an object and a function such as
            ``setattr`` that adds loaded children to it; None for objects that do not exist.
        tags: The tags of the meta graph, see ``tf.saved_model.load``.
        options: A ``tf.saved_model.LoadOptions``.

    Returns:
        The objects by path, with the values that were saved.

    Raises:
        ValueError: A path leads to no object.
    """
    if not isinstance(filters, dict):
        filters = dict.fromkeys(nest.flatten(filters))
    options = options or LoadOptions()
    path = path_text(export_dir)
    if options.experimental_io_device is not None:
        path_text(options.experimental_io_device)
    proto = read_saved_model(path)
    flat_tags = None if tags is None else nest.flatten(tags)
    first = proto.meta_graphs[0] if proto.meta_graphs else None
    if first is not None and first.HasField("object_graph_def") and len(proto.meta_graphs) == 1:
        _assert_tags(path, flat_tags, first)
        with entered(PLAIN):
            loader = Loader(path, first, options, filters)
        root = loader.root
        loaded = loader.by_path
        if options.experimental_load_function_aliases:
            root.function_aliases = loader.aliases()
    else:
        from twinflow._src.wings.saved_model import v1_functions

        first = _by_tags(proto, flat_tags)
        with entered(PLAIN):
            skip = options.experimental_skip_checkpoint
            root = v1_functions.load(path, first, skip)
        loaded = dict.fromkeys(filters, root)
    root.graph_debug_info = None
    root.tensorflow_version = first.meta_info_def.tensorflow_version
    root.tensorflow_git_version = first.meta_info_def.tensorflow_git_version
    return loaded


def _by_tags(proto: Any, tags: Any) -> Any:
    """Returns the meta graph with certain tags; the only one where tags are None."""
    from twinflow._src.wings.saved_model.v1_loader import meta_graph_of

    if tags is None and len(proto.meta_graphs) != 1:
        sets = [list(graph.meta_info_def.tags) for graph in proto.meta_graphs]
        raise ValueError(
            "Importing a SavedModel with `tf.saved_model.load` requires a `tags=` argument if there is more than one "
            f"MetaGraph. Got `tags=None`, but there are {len(sets)} MetaGraphs in the SavedModel with tag sets: {sets}. "
            "Pass a `tags=` argument to load this SavedModel."
        )
    return proto.meta_graphs[0] if tags is None else meta_graph_of(proto, tags)


def _assert_tags(path: str, tags: Any, meta_graph: Any) -> None:
    mine = list(meta_graph.meta_info_def.tags)
    if tags is not None and set(tags) != set(mine):
        raise ValueError(
            f"Got an incompatible argument to `tags`: {tags}. The SavedModel at {path} has one MetaGraph with tags {mine}. "
            "You may omit the argument, pass 'None', or pass matching tags."
        )


class Loader:
    """The objects of a SavedModel while it is loaded.

    Args:
        path: The directory.
        meta_graph: A ``MetaGraphDef`` with an object graph.
        options: The options.
        filters: Paths with existing objects, see ``load_partial``.

    Attributes:
        root: The object that was saved.
        by_path: The objects by path.
    """

    def __init__(
        self, path: str, meta_graph: Any, options: LoadOptions, filters: dict[str, Any]
    ) -> None:
        self._path, self._meta_graph, self._options = path, meta_graph, options
        self._proto = meta_graph.object_graph_def
        self._protos = list(self._proto.nodes)
        self._check()
        self._functions = Functions(meta_graph.graph_def.library, path)
        self._register_gradients(meta_graph.graph_def.library)
        self._operations = {node.name: node for node in meta_graph.graph_def.node}
        self._concrete: dict[str, LoadedConcreteFunction] = {}
        self._nodes: dict[int, Any] = {}
        self._setters: dict[int, Setter] = {}
        numbers = {path: self._number_at(path) for path in filters}
        self._take({numbers[path]: value for path, value in filters.items() if value is not None})
        for number in range(len(self._protos)):
            self.node(number)
        for number in range(len(self._protos)):
            self._connect(number)
        self.root = self._nodes[0]
        self.by_path = {path: self._nodes[number] for path, number in numbers.items()}
        self._restore()
        for node in self._nodes.values():
            if isinstance(node, RestoredResource):
                node.initialize()
            elif isinstance(node, LookupInterface):  # one that exists already
                node._initialize()

    def _check(self) -> None:
        """Raises ValueError where references between nodes are invalid."""
        count = len(self._protos)
        if not count:
            raise ValueError(f"The SavedModel at {self._path} has no objects.")
        for node in self._protos:
            numbers = [c.node_id for c in (*node.children, *node.dependencies)]
            if any(not 0 <= number < count for number in numbers):
                raise ValueError(f"The SavedModel at {self._path} names an object that it lacks.")
        for name, function in self._proto.concrete_functions.items():
            if any(not 0 <= number < count for number in function.bound_inputs):
                raise ValueError(
                    f"The function '{name}' of the SavedModel at {self._path} captures an object that it lacks."
                )

    # ---------------------------------------------------------------- existing objects
    def _number_at(self, path: str) -> int:
        """Returns the number of the object at a path."""
        root, *names = path.split(".")
        if root != "root":
            raise ValueError(
                "When passing string identifiers to node_filters, the first name must be root. "
                f"Received {root}."
            )
        number = 0
        for name in names:
            children = self._protos[number].children
            matches = [child.node_id for child in children if child.local_name == name]
            if not matches:
                raise ValueError(f"Unable to find node {path}.")
            number = matches[0]
        return number

    def _take(self, existing: dict[int, Any]) -> None:
        """Takes existing objects for nodes, with the containers that these objects have already."""
        for number, value in existing.items():
            value, setter = value if isinstance(value, tuple) else (value, setattr)
            if not isinstance(value, Trackable):
                raise TypeError(
                    "Error when processing dictionary values passed to nodes_to_load. Object at node "
                    f"{number} is expected to be a checkpointable (i.e. 'trackable') TensorFlow object (e.g. "
                    f"tf.Variable, tf.Module or Keras layer). Got {value!r}."
                )
            self._nodes[number], self._setters[number] = value, setter
        for number in existing:
            self._nodes[number]._maybe_initialize_trackable()
            for child in self._protos[number].children:
                container = self._nodes[number]._lookup_dependency(child.local_name)
                if (
                    isinstance(container, TrackableDataStructure)
                    and child.node_id not in self._nodes
                ):
                    self._nodes[child.node_id] = container
                    self._setters[child.node_id] = _leave

    # ---------------------------------------------------------------- objects
    def node(self, number: int) -> Any:
        """Returns the object of a node."""
        if number not in self._nodes:
            proto = self._protos[number]
            kind = proto.WhichOneof("kind")
            create = {
                "user_object": self._user_object,
                "asset": self._asset,
                "function": self._function,
                "bare_concrete_function": self._bare_function,
                "variable": self._variable,
                "constant": self._constant,
                "resource": self._resource,
                "captured_tensor": self._captured_tensor,
            }.get(kind or "")
            if create is None:
                raise ValueError(f"Unknown SavedObject type: {kind}.")
            self._nodes[number] = create(proto, number)
        return self._nodes[number]

    def _user_object(self, proto: Any, number: int) -> Any:
        identifier = proto.user_object.identifier
        if identifier == "trackable_list_wrapper":
            return ListWrapper([])
        if identifier == "trackable_dict_wrapper":
            return wrapped({})
        if identifier == "trackable_tuple_wrapper":
            self._nodes[number] = None  # a tuple cannot contain itself
            return wrapped(tuple(self._items(proto)))
        if identifier == "signature_map":
            return SignatureMap()
        pair = revived(proto.user_object)
        if pair is None:
            return _user_object()
        value, self._setters[number] = pair
        return value

    def _items(self, proto: Any) -> list[Any]:
        """Returns the elements of a list or tuple; None for those that were not saved."""
        indices = {int(c.local_name): c.node_id for c in proto.children if c.local_name.isdecimal()}
        size = max(indices, default=-1) + 1
        if size > _LONGEST:
            raise ValueError(f"The SavedModel at {self._path} has a list of {size} elements.")
        return [self.node(indices[i]) if i in indices else None for i in range(size)]

    def _asset(self, proto: Any, number: int) -> Any:
        index = proto.asset.asset_file_def_index
        files = self._meta_graph.asset_file_def
        if not 0 <= index < len(files):
            raise ValueError(f"The SavedModel at {self._path} names an asset that it lacks.")
        return Asset(asset_path(self._path, files[index].filename))

    def _function(self, proto: Any, number: int) -> Any:
        functions = [self._concrete_function(name) for name in proto.function.concrete_functions]
        return RestoredFunction(functions, Spec(proto.function.function_spec))

    def _bare_function(self, proto: Any, number: int) -> Any:
        bare = proto.bare_concrete_function
        function = self._concrete_function(bare.concrete_function_name)
        if bare.HasField("function_spec"):
            function.use_signature(Spec(bare.function_spec).signature)
        function.use_keywords(list(bare.argument_keywords), bare.allowed_positional_arguments)
        return function

    def _concrete_function(self, name: str) -> LoadedConcreteFunction:
        if name not in self._concrete:
            proto = self._proto.concrete_functions.get(name)
            if proto is None:
                raise ValueError(
                    f"The SavedModel at {self._path} does not describe the function '{name}'."
                )
            numbers = list(proto.bound_inputs)
            self._concrete[name] = LoadedConcreteFunction(
                self._functions, name, proto, lambda: self._captured_all(numbers, name)
            )
        return self._concrete[name]

    def _captured(self, number: int, function: str) -> Any:
        """Returns the tensor, variable or table of a captured object."""
        value = self._nodes[number]
        if isinstance(value, RestoredResource):
            return value.resource
        if isinstance(value, LookupInterface):
            return value
        if isinstance(value, Asset):
            return value.asset_path
        if getattr(value, "is_distributed_variable", False):
            return value._localized()
        if isinstance(value, AutoTrackable) or value is None:
            raise NotImplementedError(
                f"The function '{function}' of the SavedModel at {self._path} captures an object that does not exist here: "
                f"{self._protos[number].user_object.identifier}."
            )
        return value

    def _variable(self, proto: Any, number: int) -> Any:
        policy = self._options.experimental_variable_policy
        with_device = VariablePolicy.from_obj(policy)._save_variable_devices()
        make = functools.partial(variable_from_proto, proto.variable, with_device)
        if not creators.stack:
            return make()
        from twinflow._src.wings.distribute import strategy_context

        return strategy_context.get_strategy().extended._loaded(make, proto.variable.name)

    def _constant(self, proto: Any, number: int) -> Any:
        operation = self._operations.get(proto.constant.operation)
        if operation is None or operation.op != "Const":
            raise ValueError(
                f"The SavedModel at {self._path} has no constant '{proto.constant.operation}'."
            )
        array, dtype = values_of(operation.attr["value"].tensor)
        return convert_to_tensor(array, dtype=dtype)

    def _resource(self, proto: Any, number: int) -> Any:
        return RestoredResource(proto.resource.device, "table" in proto.saveable_objects)

    def _captured_tensor(self, proto: Any, number: int) -> Any:
        return CapturedTensor(proto.captured_tensor.concrete_function, proto.captured_tensor.name)

    def _register_gradients(self, library: Any) -> None:
        """Registers the custom gradients of functions."""
        for each in library.registered_gradients:
            name = each.gradient_func
            saved = self._proto.concrete_functions.get(name)
            numbers = list(saved.bound_inputs) if saved is not None else []
            captures = functools.partial(self._captured_all, numbers, name)
            gradient = RegisteredGradient(self._functions, name, captures)
            self._functions.definitions.gradients[each.registered_op_type] = gradient

    def _captured_all(self, numbers: list[int], function: str) -> list[Any]:
        return [self._captured(number, function) for number in numbers]

    def aliases(self) -> dict[str, Any]:
        """Returns the functions with alias names."""
        names = self._meta_graph.meta_info_def.function_aliases
        return {
            names[trace.saved_name]: function
            for function in self._nodes.values()
            if isinstance(function, RestoredFunction)
            for trace in function.concrete_functions
            if trace.saved_name in names
        }

    # ---------------------------------------------------------------- attributes
    def _connect(self, number: int) -> None:
        """Sets the children of an object."""
        proto, value = self._protos[number], self._nodes[number]
        if isinstance(value, LookupInterface):  # its own functions create it
            for child in proto.children:
                if child.local_name == "_initialize":
                    value._initialize = self._nodes[child.node_id]  # type: ignore[method-assign]
        elif number in self._setters:
            for child in proto.children:
                self._setters[number](value, child.local_name, self._nodes[child.node_id])
                _make_callable(value, child.local_name)
        elif isinstance(value, ListWrapper):
            value.extend(self._items(proto))
        elif isinstance(value, dict):
            for child in proto.children:
                value[child.local_name] = self._nodes[child.node_id]
        elif isinstance(value, SignatureMap):
            for child in proto.children:
                value.add(child.local_name, self._nodes[child.node_id])
        elif isinstance(value, AutoTrackable):
            for child in proto.children:
                _set_attribute(value, child.local_name, self._nodes[child.node_id])

    # ---------------------------------------------------------------- values
    def _restore(self) -> None:
        """Restores variables and tables from the checkpoint of the SavedModel."""
        if self._options.experimental_skip_checkpoint:
            return
        has_values = any(p.WhichOneof("kind") == "variable" for p in self._protos)
        try:
            reader = Reader(variables_prefix(self._path))
        except NotFoundError:
            if has_values:
                raise
            return
        restore = Restore(reader, graph_of(reader), DEFAULT)
        restore.leftover.expected = True
        restore.restore(0, self.root)
        status = CheckpointLoadStatus(restore, View(self.root))
        if self._options.allow_partial_checkpoint:
            status.assert_nontrivial_match()
        else:
            status.assert_existing_objects_matched()


def _user_object() -> Any:
    """Returns an object of a class of its own, so that it can be given a method ``__call__``."""

    class _UserObject(AutoTrackable):
        pass

    return _UserObject()


def _set_attribute(value: Any, name: str, child: Any) -> None:
    if name in PRIVATE or (name.startswith("__") and name.endswith("__") and name != "__call__"):
        vars(value).setdefault("_self_special", {})[name] = child
        return
    setattr(value, name, child)
    _make_callable(value, name)


def _make_callable(value: Any, name: str) -> None:
    """Lets the function that was saved as ``__call__``, if the attribute is that, be called so."""
    if name == "__call__" and not callable(value):
        type(value).__call__ = _call_attribute


def _leave(value: Any, name: str, child: Any) -> None:
    """Leaves a container that exists already as it is."""


def _call_attribute(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls the function that was saved as ``__call__``."""
    return vars(self)["__call__"](*args, **kwargs)
