"""Checkpoints of lists of tensors, for R's ``save_checkpoint()`` and ``load_checkpoint()``."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import twinflow
from twinflow._src.checkpoint import functions
from twinflow._src.checkpoint.object_graph import (
    GRAPH_KEY,
    View,
    graph_of,
    is_trackable,
    node_names,
)
from twinflow._src.checkpoint.objects import _Checkpoint
from twinflow._src.checkpoint.options import CheckpointOptions
from twinflow._src.checkpoint.reader import Reader
from twinflow._src.checkpoint.restore import Restore, RestoreByName
from twinflow._src.core.tensor import Tensor
from twinflow._src.r_bridge.session import RError, session
from twinflow._src.trackable.trackable import AutoTrackable

tf: Any = twinflow  # its names come from the op table

Progress = Callable[[int, int], Any] | None


class _Saved(_Checkpoint):
    """A checkpoint of one object or list."""

    def __init__(self, of: Any) -> None:
        super().__init__(None, {})
        self.__dict__["_view"] = View(of)


def save(x: Any, path: str, progress: Progress) -> str:
    """Writes a checkpoint of tensors, variables, objects or lists of these; returns its path prefix."""
    return _checkpoint(x, _variable)._write(path, CheckpointOptions(progress=progress))


def restore(x: Any, path: str, partial: bool, progress: Progress) -> None:
    """Restores variables from a checkpoint, or the latest of a directory.

    With ``partial`` unmatched values and variables are allowed, and variables of another dtype or
    shape are left as they are, with a warning; without, they raise an error before any variable
    changes.
    """
    checkpoint, prefix = _checkpoint(x, _refuse), _prefix(path)

    def verify(restoration: Restore | RestoreByName) -> None:
        if not partial:
            _verify(restoration, checkpoint._objects())
        elif unfit := _unfit(restoration):
            session.warning(f"left as they are: {'; '.join(unfit)}")

    checkpoint._read(prefix, CheckpointOptions(progress=progress), verify).expect_partial()


def _verify(restoration: Restore | RestoreByName, view: View) -> None:
    """Raises an error if values of the checkpoint or variables of the program are unmatched."""
    objects = {id(value): ".".join(path) or "into" for value, path in view.objects()}
    if isinstance(restoration, RestoreByName):
        values, variables = [], [name for _, name in restoration.unused]
    else:
        restoration.leftover.expected = True
        names = node_names(restoration.proto)
        matched = {id(value) for _, value in restoration.objects()}
        values = [
            names.get(number, "?").removeprefix("(root).")
            for number, node in enumerate(restoration.proto.nodes)
            if node.attributes
            and (restoration.object(number) is None or number in restoration.unused)
        ]
        variables = [
            objects[id(value)]
            for value, _ in view.objects()
            if value._saved_parts() and id(value) not in matched
        ]
    unfit = _unfit(restoration)
    if values or variables or unfit:
        messages = [
            "; ".join(unfit),
            f"the checkpoint has no value for {_listed(variables)}" if variables else "",
            f"`into` has no variable for {_listed(values)} of the checkpoint" if values else "",
        ]
        raise RError(
            f"{'; '.join(filter(None, messages))}; nothing was changed: "
            "load_checkpoint(partial = TRUE) loads what matches"
        )


def _unfit(restoration: Restore | RestoreByName) -> list[str]:
    """Returns what keeps values from their variables, of up to eight of them."""
    reader = restoration.reader
    return [
        f"`{key.partition('/.ATTRIBUTES/')[0].replace('/', '.')}` is {_kind(reader.dtype(key), reader.shape(key))} in the "
        f"checkpoint and {_kind(variable.dtype.base_dtype, variable.shape)} in `into`"
        for variable, key in (restoration.unfit or [])[:8]
    ]


def _kind(dtype: Any, shape: Any) -> str:
    return f"{dtype.name} of shape ({', '.join(str(n) for n in tuple(shape))})"


def _listed(names: list[str], most: int = 8) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def _checkpoint(x: Any, leaf: Callable[[Any], Any]) -> _Checkpoint:
    if isinstance(x, _Checkpoint):
        return x
    return _Saved(
        _holder(_name_items(x), leaf)
        if isinstance(x, (dict, list, tuple))
        else _as_trackable(x, leaf)
    )


def _name_items(items: Any) -> dict[str, Any]:
    return items if isinstance(items, dict) else {str(i): item for i, item in enumerate(items)}


def _holder(items: dict[str, Any], leaf: Callable[[Any], Any], path: str = "") -> AutoTrackable:
    holder = AutoTrackable()
    for name, item in items.items():
        if not name:
            raise RError("all elements of the list need names, or none of them")
        holder._track(name, _as_trackable(item, leaf, f"{path}${name}".lstrip("$")))
    return holder


def _as_trackable(item: Any, leaf: Callable[[Any], Any], path: str = "") -> Any:
    """Returns the trackable that a checkpoint saves for a list element."""
    if isinstance(item, (dict, list, tuple)) and not is_trackable(item):
        return _holder(_name_items(item), leaf, path)
    if isinstance(item, Tensor):
        return leaf(item)
    if is_trackable(item):
        return item
    where = f"the element `{path}` is" if path else "this is"
    raise RError(
        f"a checkpoint cannot hold an object of class {type(item).__name__}: {where} neither a "
        "tensor nor an object with variables"
    )


def _variable(tensor: Any) -> Any:
    return tf.Variable(tensor, trainable=False)


def _refuse(tensor: Any) -> Any:
    raise RError(
        "a tensor keeps its value: give load_checkpoint() a tf$Variable(), or leave `into` out"
    )


# -- reading without objects -----------------------------------------------------------------------


def values(path: str, progress: Progress) -> Any:
    """Returns the tensors of a checkpoint, or the latest of a directory, nested as they were saved."""
    reader = Reader(_prefix(path))
    keys = sorted({*reader.keys()} - {GRAPH_KEY})
    tensors = {key: tf.constant(array) for key, array in reader.read_all(keys, progress).items()}
    if GRAPH_KEY not in reader:
        return tensors
    return _nest(graph_of(reader).nodes, 0, tensors, ())


def _nest(nodes: Any, number: int, tensors: dict[str, Any], above: tuple[int, ...]) -> Any:
    """Returns the content of a node: a tensor or a list, None for an empty node."""
    for attribute in nodes[number].attributes:
        return tensors.get(attribute.checkpoint_key)
    children = {}
    for child in nodes[number].children:
        if child.node_id not in (*above, number):
            inner = _nest(nodes, child.node_id, tensors, (*above, number))
            if inner is not None:
                children[child.local_name] = inner
    if list(children) == [str(i) for i in range(len(children))]:
        return list(children.values()) or None
    return children


def _prefix(path: str) -> str:
    """Returns the checkpoint prefix of a path; for a directory, that of its latest checkpoint."""
    if not os.path.isdir(path):
        return path
    prefix = functions.latest_checkpoint(path)
    if prefix is None:
        raise RError(f"there is no checkpoint in {path}")
    return prefix
