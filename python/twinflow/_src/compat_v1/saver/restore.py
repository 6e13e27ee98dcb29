"""Restoring by a saver in a graph: all values are read and checked before a variable changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.checkpoint import values as texts
from twinflow._src.checkpoint.reader import Reader
from twinflow._src.checkpoint.writer import Item, write
from twinflow._src.compat_v1.saver.graph import Spec
from twinflow._src.compiler.program import needed
from twinflow._src.core import errors
from twinflow._src.core.errors import invalid
from twinflow._src.core.protos import message
from twinflow._src.core.scopes import get_logger
from twinflow._src.core.shapes import static_sizes, text
from twinflow._src.graph.execution_errors import in_session
from twinflow._src.graph.static_values import array_of
from twinflow._src.graph.symbolic import Operation
from twinflow._src.io.local_files import path_text
from twinflow._src.variables.variable import BaseResourceVariable

_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"


class Assignment(NamedTuple):
    """A value restored by a graph: the output of a ``RestoreV2`` op, assigned by ``node``."""

    tensor: Any
    key: str
    part: str
    variable: Any
    reshape: bool
    node: Operation


def restore(sess: Any, saver_def: Any, prefix: str) -> None:
    """Runs the restore ops of a saver; all values are checked before one is assigned."""
    root = sess.graph.get_operation_by_name(saver_def.restore_op_name)
    nodes = [node for node in needed([], [], [root]) if node.type == "RestoreV2"]
    assignments = [each for node in nodes for each in _assignments_of(sess.graph, node)]

    def run() -> None:
        reader = Reader(prefix)
        names = _names(reader, assignments)
        for each in assignments:
            _assert_fits(reader, names, each)
        feeds = {saver_def.filename_tensor_name: prefix}
        if len(nodes) > 1 or names:
            feeds |= _read(reader, names, assignments)
        sess.run(root, feeds)

    wrapped(run)


def wrapped(run: Callable[[], None]) -> None:
    """Restores; adds the context of the failed restore to error messages."""
    try:
        run()
    except errors.NotFoundError as error:
        raise _explained(error, "a Variable name or other graph key that is missing") from error
    except errors.InvalidArgumentError as error:
        raise _explained(error, "a mismatch between the current graph and the graph") from error


def _explained(error: errors.OpError, what: str) -> errors.OpError:
    kind = (
        errors.NotFoundError
        if isinstance(error, errors.NotFoundError)
        else errors.InvalidArgumentError
    )
    return kind(
        error.node_def,
        error.op,
        f"Restoring from checkpoint failed. This is most likely due to {what} from the checkpoint. Please ensure that "
        f"you have not altered the graph expected based on the checkpoint. Original error:\n\n{error.message}",
    )


# ------------------------------------------------------------------ restored values


def _assignments_of(graph: Any, node: Operation) -> Iterator[Assignment]:
    keys, parts = (array_of(x) for x in node.inputs[1:3])
    if keys is None or parts is None:
        return  # computed names are checked by the op
    takers = _takers(graph)
    for tensor, key, part in zip(node.outputs, keys, parts):
        assignment = _assignment(tensor, takers)
        if assignment is not None:
            assign, reshape = assignment
            yield Assignment(
                tensor, path_text(key), path_text(part), assign.arguments[0], reshape, assign
            )


def _takers(graph: Any) -> dict[int, list[Operation]]:
    consumers: dict[int, list[Operation]] = {}
    for node in graph.get_operations():
        for tensor in node.inputs:
            consumers.setdefault(id(tensor), []).append(node)
    return consumers


def _assignment(tensor: Any, takers: dict[int, list[Operation]]) -> tuple[Operation, bool] | None:
    """Returns the op that assigns a tensor to a variable, and True if it reshapes the tensor."""
    reshape = False
    while True:
        nodes = takers.get(id(tensor), ())
        assign = next((n for n in nodes if n.type in ("Assign", "AssignVariableOp")), None)
        if assign is not None:
            return (
                (assign, reshape) if isinstance(assign.arguments[0], BaseResourceVariable) else None
            )
        passed = next((n for n in nodes if n.type in ("Identity", "Reshape")), None)
        if passed is None:
            return None
        reshape, tensor = reshape or passed.type == "Reshape", passed.outputs[0]


def _assert_fits(reader: Reader, names: dict[str, str], each: Assignment) -> None:
    key = names.get(each.key, each.key)
    try:
        assert_fits(reader, key, each.part, each.variable, each.reshape)
    except errors.OpError as error:
        shape = error.message.startswith("Assign requires")
        node = each.node if shape else each.tensor.op
        said = f"{error.message}\n\t [[{{{{node {node.name}}}}}]]"
        raise type(error)(None, node, in_session(node, said)) from error


def _read(reader: Reader, names: dict[str, str], assignments: list[Assignment]) -> dict[Any, Any]:
    """Reads and verifies the values, keyed by the tensors to feed."""
    keys = {each.key: names.get(each.key, each.key) for each in assignments}
    whole = reader.read_all(keys[each.key] for each in assignments if not each.part)
    values = {}
    for each in assignments:
        part = texts.parse_slice_spec(each.part)
        key = keys[each.key]
        values[each.tensor] = (
            whole[key] if part is None else reader.read_part(key, part.starts, part.sizes)
        )
    return values


# ------------------------------------------------------------------ object-based checkpoints


def _names(reader: Reader, assignments: list[Assignment]) -> dict[str, str]:
    """Maps variable names to keys of an object-based checkpoint; empty for a name-based one."""
    missing = [each.key for each in assignments if each.key not in reader]
    if not missing or _OBJECTS not in reader:
        return {}
    proto = message("TrackableObjectGraph").FromString(reader.read(_OBJECTS)[()])
    names = {
        a.full_name: a.checkpoint_key
        for node in proto.nodes
        for a in node.attributes
        if a.full_name
    }
    for node in proto.nodes:
        for slot in node.slot_variables:
            saved = proto.nodes[slot.slot_variable_node_id]
            names |= {a.full_name: a.checkpoint_key for a in saved.attributes if a.full_name}
    if not all(key in names for key in missing):
        return {}
    get_logger().warning(
        "%s is a checkpoint of objects; its values are found by the names of variables. tf.train.Checkpoint reads such "
        "checkpoints without that.",
        reader.prefix,
    )
    return names


# Eager execution.


def save_now(prefix: str, specs: Sequence[Spec]) -> None:
    """Saves the values of variables to the checkpoint ``prefix``."""
    write(prefix, [_item(spec) for spec in specs])


def _item(spec: Spec) -> Item:
    tensor = spec.variable.read_value()

    def read() -> Any:
        return tensor._host()

    return Item(
        spec.name,
        read,
        tensor.dtype.base_dtype,
        static_sizes(tensor.shape),
        texts.parse_slice_spec(spec.part),
    )


def restore_now(prefix: str, specs: Sequence[Spec], reshape: bool) -> None:
    """Restores variables from a checkpoint, all or none; raises if a value does not fit."""
    reader = Reader(prefix)
    for spec in specs:
        assert_fits(reader, spec.name, spec.part, spec.variable, reshape)
    arrays = reader.read_all([spec.name for spec in specs if not spec.part])
    for spec in specs:
        array = arrays[spec.name] if not spec.part else _part(reader, spec)
        spec.variable.assign(
            np.reshape(array, static_sizes(spec.variable.shape)) if reshape else array
        )


def _part(reader: Reader, spec: Spec) -> Any:
    part = texts.parse_slice_spec(spec.part)
    assert part is not None
    return reader.read_part(spec.name, part.starts, part.sizes)


def assert_fits(reader: Reader, key: str, part: str, variable: Any, reshape: bool) -> None:
    """Raises InvalidArgumentError if a value of a checkpoint does not match a variable."""
    dtype, stored = variable.dtype.base_dtype, reader.dtype(key)
    if stored is not dtype:
        raise invalid(
            f"tensor_name = {key}; expected dtype {dtype.cname} does not equal original dtype {stored.cname}"
        )
    slices = texts.parse_slice_spec(part)
    shape = reader.shape(key) if slices is None else slices.shape
    fits = variable.shape.num_elements() in (None, int(np.prod(shape, dtype=np.int64)))
    if not (fits if reshape else variable.shape.is_compatible_with(shape)):
        raise invalid(
            "Assign requires shapes of both tensors to match. lhs shape= "
            f"{text(variable.shape._dims)} rhs shape= {text(shape)}: key {key} of {reader.prefix} for the "
            f"variable {variable.name}"
        )
