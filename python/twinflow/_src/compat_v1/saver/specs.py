"""Variables and variable slices saved by a saver, by name in checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import executing_eagerly, get_default_graph
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.variables.graph_variable import GraphVariable
from twinflow._src.variables.partitioned import PartitionedVariable
from twinflow._src.variables.variable import BaseResourceVariable


class Spec(NamedTuple):
    """A tensor to save.

    Attributes:
        name: Its name in checkpoints.
        variable: The variable.
        part: The slice specification within the full tensor; ``""`` for the full tensor.
    """

    name: str
    variable: Any
    part: str = ""

    @property
    def device(self) -> str:
        """The device of the variable."""
        text: str = self.variable.device
        return text


def all_saveable(scope: str | None = None) -> list[Any]:
    """Returns the saveable variables of the default graph; ``scope`` is a pattern of prefixes."""
    graph = get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope)
    return found + graph.get_collection(GraphKeys.SAVEABLE_OBJECTS, scope)


def specs_of(var_list: Any) -> list[Spec]:
    """Returns the specs of variables to save.

    Args:
        var_list: A list of variables, or a dictionary of variables by name in checkpoints.

    Raises:
        TypeError: An item is not a variable.
        ValueError: A name or a variable is duplicate.
    """
    named = var_list if isinstance(var_list, Mapping) else _by_name(var_list)
    for name in named:
        if not isinstance(name, str):
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to trackable operations. Name is not a "
                f"string: {name}"
            )
    found: list[Spec] = []
    seen: set[int] = set()
    for name in sorted(named):
        for spec in _specs(name, named[name]):
            key = id(spec.variable._handle)
            if key in seen:
                raise ValueError(f"The same saveable will be restored with two names: {spec.name}")
            seen.add(key)
            found.append(spec)
    return found


# ------------------------------------------------------------------ lists


def _by_name(var_list: Any) -> dict[str, Any]:
    if not isinstance(var_list, (list, tuple, set)):
        raise TypeError(f"Variables to save should be passed in a dict or a list. Got {var_list}")
    found: dict[str, Any] = {}
    for value in nest.flatten(
        sorted(var_list, key=lambda v: v.name) if isinstance(var_list, set) else var_list
    ):
        _add(found, value)
    return found


def _add(found: dict[str, Any], value: Any) -> None:
    info = _slice_of(value)
    if isinstance(value, PartitionedVariable):
        name = value.name
    elif info is not None:
        parts = found.setdefault(info.full_name, [])
        if not isinstance(parts, list):
            raise ValueError(f"Mixing slices and non-slices with the same name: {info.full_name}")
        parts.append(value)
        return
    elif executing_eagerly():
        _add_eager(found, value)
        return
    else:
        name = _variable(
            value, f"Variable to save is not a Variable: {value}"
        )._handle.tensor.op.name
    if name in found:
        raise ValueError(f"At least two variables have the same name: {name}")
    found[name] = value


def _add_eager(found: dict[str, Any], value: Any) -> None:
    if not isinstance(value, BaseResourceVariable):
        raise ValueError(
            f"Can only save/restore ResourceVariables when eager execution is enabled. Got type: {type(value)}."
        )
    name = value._shared_name
    if found.setdefault(name, value) is not value:
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
    if not isinstance(value, (BaseResourceVariable, SymbolicTensor)):
        value = value if executing_eagerly() else convert_to_tensor(value)
    said = f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: {value}"
    variable = _variable(value, said)
    return [Spec(name, variable)]


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
    places = ":".join(f"{start},{size}" for start, size in zip(info.var_offset, info.var_shape))
    return f"{sizes} {places}"
