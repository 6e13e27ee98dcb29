"""Graph ops of a saver, named as in TensorFlow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twinflow._src.compat_v1.saver.specs import Spec
from twinflow._src.conversion.constant import constant
from twinflow._src.core.context import entered, thread
from twinflow._src.core.protos import message
from twinflow._src.dispatch.op import API, OPS
from twinflow._src.graph.default_graph import get_default_graph
from twinflow._src.graph.ops import DISABLE_COPY, NO_OP
from twinflow._src.graph.placeholders import placeholder_with_default
from twinflow._src.graph.select import SELECT
from twinflow._src.variables.ref_variable import RefVariable, reference_op

_HOST = "/device:CPU:0"


def build(specs: Sequence[Spec], options: Any) -> Any:
    """Adds the ops of a saver to the default graph.

    Args:
        specs: The variables to save.
        options: The saver: ``_name``, ``_filename``, ``_sharded``, ``_reshape`` and others.

    Returns:
        A ``SaverDef``.
    """
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
    found: dict[str, list[Spec]] = {}
    for spec in specs:
        found.setdefault(spec.device, []).append(spec)
    return [(device, found[device]) for device in sorted(found)]


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
        found = API["identity"](tensor, name="control_dependency")
    found.op.marks["_class"] = [f"loc:@{tensor.op.name}".encode()]
    return found


def _save(prefix: Any, specs: Sequence[Spec]) -> Any:
    tensors = [_saved(spec) for spec in specs]
    names, parts = [spec.name for spec in specs], [spec.part for spec in specs]
    kinds = tuple(t.dtype.base_dtype for t in tensors)
    return _called(OPS["SaveV2"].public(prefix, names, parts, tensors, dtypes=kinds))


def _called(found: Any) -> Any:
    """Returns the newest op of the graph, if its call returned nothing."""
    return thread.scope.graph.newest if found is None else found


def _saved(spec: Spec) -> Any:
    """Returns the tensor of a variable to save."""
    variable = spec.variable
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
