"""Distributed values: one component for each replica."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from twinflow._src.composite_tensors.component_specs import CompositeTensor, component_specs
from twinflow._src.core.specs import TypeSpec, type_spec_from_value
from twinflow._src.core.tensor import Tensor


class DistributedValues:
    """Values with one component for each replica.

    Args:
        values: The components in the order of the replicas.
    """

    __module__ = "twinflow.distribute"

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = tuple(values)

    @property
    def values(self) -> tuple[Any, ...]:
        """The components in the order of the replicas."""
        return self._values

    def _lines(self, text: Callable[[Any], str]) -> str:
        lines = ",\n".join(f"  {i}: {text(value)}" for i, value in enumerate(self._values))
        return f"{type(self).__name__}:{{\n{lines}\n}}"

    def __str__(self) -> str:
        return self._lines(str)

    def __repr__(self) -> str:
        return self._lines(repr)


class Mirrored(DistributedValues):
    """Values that are the same on every replica."""

    __module__ = "twinflow.types.experimental.distributed"


class PerReplica(DistributedValues):
    """Values that may differ between replicas."""

    __module__ = "twinflow.types.experimental.distributed"

    @property
    def _type_spec(self) -> PerReplicaSpec:
        return PerReplicaSpec(*map(type_spec_from_value, self._values))


CompositeTensor.register(PerReplica)


class PerReplicaSpec(TypeSpec):
    """The TypeSpec of per-replica values."""

    value_type = PerReplica

    def __init__(self, *specs: Any) -> None:
        self._specs = specs

    def _serialize(self) -> tuple[Any, ...]:
        return self._specs

    def __repr__(self) -> str:
        return f"PerReplicaSpec{self._specs!r}"

    def _to_components(self, value: Any) -> list[Any]:
        return [
            part for spec, item in zip(self._specs, value.values) for part in _parts(spec, item)
        ]

    def _from_components(self, components: Sequence[Any]) -> PerReplica:
        rest = list(components)
        return PerReplica([_build_value(spec, rest) for spec in self._specs])


def _parts(spec: Any, value: Any) -> list[Any]:
    return [value] if isinstance(value, Tensor) else spec._to_components(value)


def _build_value(spec: Any, rest: list[Any]) -> Any:
    """Builds a value from the first tensors of a list, which are removed."""
    count = len(component_specs(spec))
    components = [rest.pop(0) for _ in range(count)]
    return (
        components[0]
        if not hasattr(spec, "_from_components")
        else spec._from_components(components)
    )


# ------------------------------------------------------------------ structures


def mapped(function: Callable[[Any], Any], structure: Any) -> Any:
    """Maps a function over the leaves of lists, tuples and dictionaries."""
    if isinstance(structure, Mapping):
        items = {key: mapped(function, value) for key, value in structure.items()}
        return _mapping_like(structure, items)
    if isinstance(structure, (list, tuple)):
        return sequence_like(structure, [mapped(function, item) for item in structure])
    return function(structure)


def select(replica: int, structure: Any) -> Any:
    """Replaces distributed values in a structure by the component of one replica."""
    return mapped(lambda x: x.values[replica] if isinstance(x, DistributedValues) else x, structure)


def sequence_like(structure: Any, items: list[Any]) -> Any:
    """Returns a list or tuple of the same type as another one."""
    kind = type(structure)
    return kind(*items) if hasattr(structure, "_fields") else kind(items)


def _mapping_like(structure: Any, items: dict[Any, Any]) -> Any:
    kind = type(structure)
    return items if kind is dict else kind(items.items())


def regroup(
    structures: Sequence[Any], wrap: Callable[..., Any] = PerReplica, always: bool = False
) -> Any:
    """Merges structures of all replicas into one structure of distributed values.

    Values that are the same object are wrapped only with ``always``.
    """
    first = structures[0]
    if isinstance(first, (list, tuple)):
        _assert_alike(structures, (list, tuple))
        return sequence_like(
            first, [regroup(items, wrap, always) for items in zip(*structures, strict=True)]
        )
    if isinstance(first, Mapping):
        _assert_alike(structures, Mapping)
        items = {key: regroup([s[key] for s in structures], wrap, always) for key in first}
        return _mapping_like(first, items)
    if not always and all(value is first for value in structures):
        return first
    container = getattr(first, "_distributed_container", None)
    owner = container() if container is not None and not always else None
    if owner is not None and all(map(operator.is_, owner.values, structures)):
        return owner
    return wrap(structures)


def _assert_alike(structures: Sequence[Any], kind: Any) -> None:
    if not all(isinstance(s, kind) and len(s) == len(structures[0]) for s in structures):
        raise AssertionError(f"The replicas gave structures that differ: {structures}")
