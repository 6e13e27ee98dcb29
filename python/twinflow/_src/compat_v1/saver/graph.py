"""Graph part of a saver: what it saves, by name in checkpoints, and ops named as in TensorFlow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import entered, thread
from twinflow._src.core.protos import message
from twinflow._src.dispatch.op import API, OPS
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import executing_eagerly, get_default_graph
from twinflow._src.graph.ops import DISABLE_COPY, NO_OP, SELECT
from twinflow._src.graph.placeholders import placeholder_with_default
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.variables.graph_variable import GraphVariable
from twinflow._src.variables.partitioned import PartitionedVariable
from twinflow._src.variables.ref_variable import RefVariable, reference_op
from twinflow._src.variables.variable import BaseResourceVariable


class Spec(NamedTuple):
    """A variable or table part to save: its name in checkpoints, and its slice or ""."""

    name: str
    variable: Any
    part: str = ""

    @property
    def device(self) -> str:
        """The device of the variable."""
        text: str = self.variable.device
        return text


def all_saveable(scope: str | None = None) -> list[Any]:
    """Returns the saveable variables and tables of the default graph; ``scope`` is a pattern of prefixes."""
    graph = get_default_graph()
    variables = graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope)
    return variables + graph.get_collection(GraphKeys.SAVEABLE_OBJECTS, scope)


def specs_of(var_list: Any) -> list[Spec]:
    """Returns the specs of variables in a list, or in a dictionary by name in checkpoints."""
    named = var_list if isinstance(var_list, Mapping) else _by_name(var_list)
    for name in named:
        if not isinstance(name, str):
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to trackable operations. Name is not a "
                f"string: {name}"
            )
    specs: list[Spec] = []
    seen: set[int] = set()
    for name in sorted(named):
        for spec in _specs(name, named[name]):
            key = id(spec.variable._handle)
            if key in seen:
                raise ValueError(f"The same saveable will be restored with two names: {spec.name}")
            seen.add(key)
            specs.append(spec)
    return specs


# ------------------------------------------------------------------ lists


def _by_name(var_list: Any) -> dict[str, Any]:
    if not isinstance(var_list, (list, tuple, set)):
        raise TypeError(f"Variables to save should be passed in a dict or a list. Got {var_list}")
    items: dict[str, Any] = {}
    for value in nest.flatten(
        sorted(var_list, key=lambda v: v.name) if isinstance(var_list, set) else var_list
    ):
        _add(items, value)
    return items


def _add(items: dict[str, Any], value: Any) -> None:
    info = _slice_of(value)
    if isinstance(value, PartitionedVariable):
        name = value.name
    elif info is not None:
        parts = items.setdefault(info.full_name, [])
        if not isinstance(parts, list):
            raise ValueError(f"Mixing slices and non-slices with the same name: {info.full_name}")
        parts.append(value)
        return
    elif executing_eagerly():
        _add_eager(items, value)
        return
    elif hasattr(value, "export"):  # a lookup table
        name = value.name
    else:
        name = _variable(
            value, f"Variable to save is not a Variable: {value}"
        )._handle.tensor.op.name
    if name in items:
        raise ValueError(f"At least two variables have the same name: {name}")
    items[name] = value


def _add_eager(items: dict[str, Any], value: Any) -> None:
    if not isinstance(value, BaseResourceVariable):
        raise ValueError(
            f"Can only save/restore ResourceVariables when eager execution is enabled. Got type: {type(value)}."
        )
    name = value._shared_name
    if items.setdefault(name, value) is not value:
        raise ValueError(
            f"Two different ResourceVariable objects with the same shared_name '{name}' were passed to the Saver. "
            "This likely means that they were created in different Graphs or isolated contexts, and may not be "
            "checkpointed together."
        )


def _slice_of(value: Any) -> Any:
    return value._get_save_slice_info() if isinstance(value, GraphVariable) else None


def _variable(value: Any, said: str) -> Any:
    """Returns the variable that a value is, or that a tensor was read from."""
    if isinstance(value, BaseResourceVariable):
        return value
    if isinstance(value, SymbolicTensor):
        sources = (value.op.variable, *value.op.arguments)
        for source in sources:
            if isinstance(source, GraphVariable):
                return source
    raise TypeError(said)


# ------------------------------------------------------------------ variables


def _specs(name: str, value: Any) -> list[Spec]:
    if isinstance(value, (list, tuple, PartitionedVariable)):
        return [_part(name, part) for part in value]
    if hasattr(value, "export"):
        contents = TableContents(value)
        return [Spec(f"{name}-{part}", contents.part(i)) for i, part in enumerate(_TABLE_PARTS)]
    if not isinstance(value, (BaseResourceVariable, SymbolicTensor)):
        value = value if executing_eagerly() else convert_to_tensor(value)
    said = f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: {value}"
    variable = _variable(value, said)
    return [Spec(name, variable)]


_TABLE_PARTS = ("keys", "values")


class TableContents:
    """The contents of a lookup table in the graph of a saver.

    Args:
        table: A mutable table.
    """

    def __init__(self, table: Any) -> None:
        self.table = table
        self._exported: list[Any] = []
        self._restored: list[Any] = []

    def part(self, index: int) -> TablePart:
        """Returns the keys, 0, or the values, 1."""
        return TablePart(self, index)

    def export(self) -> list[Any]:
        """Returns the tensors of keys and values."""
        self._exported = self._exported or list(self.table.export())
        return self._exported

    def restore(self, tensor: Any) -> Any:
        """Takes the keys, then the values; returns the operation that replaces the contents."""
        self._restored.append(tensor)
        if len(self._restored) < len(_TABLE_PARTS):
            return tensor.op
        keys, values = self._restored
        self._restored = []
        return _called(self.table._import(keys, values))


class TablePart(NamedTuple):
    """The keys or the values of a lookup table, in place of a variable."""

    contents: TableContents
    place: int
    device: str = ""

    @property
    def dtype(self) -> Any:
        """The dtype."""
        table = self.contents.table
        return (table.key_dtype, table.value_dtype)[self.place]

    @property
    def _handle(self) -> Any:
        return self


def _part(name: str, value: Any) -> Spec:
    if not isinstance(value, BaseResourceVariable):
        raise ValueError(f"Slices must all be Variables: {value}")
    info = _slice_of(value)
    if info is None:
        raise ValueError(f"Slices must all be slices: {value}")
    if info.full_name and not name:
        name = info.full_name
    return Spec(name, value, part_text(info))


def part_text(info: Any) -> str:
    """Returns the slice specification of a variable slice: ``"4 2 0,2:0,2"``."""
    sizes = " ".join(map(str, info.full_shape))
    extents = ":".join(f"{start},{size}" for start, size in zip(info.var_offset, info.var_shape))
    return f"{sizes} {extents}"


# Graph ops, named as in TensorFlow.


_HOST = "/device:CPU:0"


def build(specs: Sequence[Spec], options: Any) -> Any:
    """Adds the ops of a saver to the default graph, and returns its ``SaverDef``."""
    graph = get_default_graph()
    with graph.as_default(), graph.name_scope(options._name or "save"):
        first = placeholder_with_default(options._filename or "model", [], "filename")
        prefix = placeholder_with_default(first, [], "Const")
        shards = _by_device(specs) if options._sharded else [(None, list(specs))]
        save = (_save_shards if options._sharded else _save_all)(prefix, shards)
        restore = _restore_all(prefix, shards, options)
    return message("SaverDef")(
        filename_tensor_name=prefix.name,
        save_tensor_name=save.name,
        restore_op_name=restore.name,
        max_to_keep=options._max_to_keep or 0,
        sharded=options._sharded,
        keep_checkpoint_every_n_hours=options._keep_hours,
        version=2,
    )


def _by_device(specs: Sequence[Spec]) -> list[tuple[str | None, list[Spec]]]:
    """Groups specs by device; the host of each device writes its shard."""
    groups: dict[str, list[Spec]] = {}
    for spec in specs:
        groups.setdefault(spec.device, []).append(spec)
    return [(device, groups[device]) for device in sorted(groups)]


def _device_scope(device: str | None) -> Any:
    return API["device"](device)


def _after(operations: Sequence[Any]) -> Any:
    """Returns a context manager of control dependencies."""
    return get_default_graph().control_dependencies(operations)


# ------------------------------------------------------------------ saving


def _save_all(prefix: Any, shards: Any) -> Any:
    return _then(prefix, _save(prefix, shards[0][1]))


def _then(tensor: Any, operation: Any) -> Any:
    """Returns a tensor with a control dependency on an op."""
    with _after([operation]):
        result = API["identity"](tensor, name="control_dependency")
    result.op.marks["_class"] = [f"loc:@{tensor.op.name}".encode()]
    return result


def _save(prefix: Any, specs: Sequence[Spec]) -> Any:
    tensors = [_saved(spec) for spec in specs]
    names, parts = [spec.name for spec in specs], [spec.part for spec in specs]
    kinds = tuple(t.dtype.base_dtype for t in tensors)
    return _called(OPS["SaveV2"].public(prefix, names, parts, tensors, dtypes=kinds))


def _called(op: Any) -> Any:
    """Returns the newest op of the graph, if its call returned nothing."""
    return thread.scope.graph.newest if op is None else op


def _saved(spec: Spec) -> Any:
    """Returns the tensor of a variable to save."""
    variable = spec.variable
    if isinstance(variable, TablePart):
        return variable.contents.export()[variable.place]
    if isinstance(variable, RefVariable):
        return variable._snapshot if spec.part else variable._variable
    if not spec.part:
        return variable._graph_element
    graph = get_default_graph()
    with _device_scope(variable.device or None):
        with graph.name_scope("Read"):
            graph.add(DISABLE_COPY, (variable,), {}, graph.unique_name("DisableCopyOnRead"))
            value = variable._read()
        value = API["identity"](value)
    with _device_scope(_HOST):
        return API["identity"](value)


def _save_shards(prefix: Any, shards: Any) -> Any:
    """Saves a shard per device, and merges the shards to one checkpoint."""
    with _device_scope("/device:CPU:*"):
        remote = OPS["StaticRegexFullMatch"].public(prefix, pattern="^s3://.*")
        endings = constant(".part"), constant("_temp/part")
        ending = _select(remote, *endings)
        temporary = API["strings.join"]([prefix, ending])
    count = constant(len(shards), name="num_shards")
    saved = []
    for number, (device, specs) in enumerate(shards):
        with _device_scope(_host_of(device)):
            path = OPS["ShardedFilename"].public(temporary, _number(number), count)
            saved.append((path, _then(path, _save(path, specs))))
    with _device_scope(_host_of(shards[-1][0])), _after([done.op for _, done in saved]):
        merge = OPS["MergeV2Checkpoints"].public(
            [path for path, _ in saved], prefix, delete_old_dirs=True
        )
    with (
        _device_scope(_host_of(shards[-1][0])),
        _after([*(done.op for _, done in saved), _called(merge)]),
    ):
        return API["identity"](prefix)


def _select(condition: Any, x: Any, y: Any) -> Any:
    graph = get_default_graph()
    return graph.add(SELECT, (condition, x, y), {}, graph.unique_name("Select"))


def _number(number: int) -> Any:
    graph = get_default_graph()
    name = graph.unique_name(OPS["ShardedFilename"].type, mark_as_used=False)
    with entered(thread.scope.but(name=f"{name}/")):
        return constant(number, name="shard")


def _host_of(device: str | None) -> str:
    from twinflow._src.core.devices import DeviceSpec

    spec = DeviceSpec.from_string(device or "")
    return spec.replace(device_type="CPU", device_index=0).to_string()


# ------------------------------------------------------------------ restoring


def _restore_all(prefix: Any, shards: Any, options: Any) -> Any:
    graph = get_default_graph()
    if not options._sharded:
        return _group(_assigned(prefix, shards[0], options), graph.unique_name("restore_all"))
    parts = []
    for shard in shards:
        with _device_scope(shard[0]):
            assigned = _assigned(prefix, shard, options)
            parts.append(_group(assigned, graph.unique_name("restore_shard")))
    return _group(parts, graph.unique_name("restore_all"))


def _group(operations: Sequence[Any], name: str) -> Any:
    with _after(operations):
        return thread.scope.graph.add(NO_OP, (), {}, name)


def _assigned(prefix: Any, shard: tuple[str | None, list[Spec]], options: Any) -> list[Any]:
    device, specs = shard
    names, parts = [spec.name for spec in specs], [spec.part for spec in specs]
    kinds = tuple(spec.variable.dtype.base_dtype for spec in specs)
    with _device_scope(_host_of(device)):
        tensors = OPS["RestoreV2"].public(prefix, names, parts, dtypes=kinds)
    return [_assign(spec, tensor, options) for spec, tensor in zip(specs, tensors)]


def _assign(spec: Spec, tensor: Any, options: Any) -> Any:
    variable = spec.variable
    if isinstance(variable, TablePart):
        return variable.contents.restore(tensor)
    if options._reshape:
        shape = variable.shape
        tensor = API["reshape"](
            tensor, shape.as_list() if shape.is_fully_defined() else API["shape"](_saved(spec))
        )
    graph = get_default_graph()
    if isinstance(variable, RefVariable):
        attrs = {"validate_shape": not options._reshape and variable.shape.is_fully_defined()}
        node = graph.add(
            reference_op("Assign"), (variable, tensor), attrs, graph.unique_name("Assign")
        ).op
        node.marks["_class"] = [f"loc:@{variable._variable.op.name}".encode()]
        return node
    with _device_scope(variable.device or None):
        tensor = API["identity"](tensor)
        op = OPS["AssignVariableOp"]
        return graph.add(op, (variable, tensor), {}, graph.unique_name(op.type))
