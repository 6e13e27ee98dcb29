"""``tf.map_fn`` over extension types whose tensors can be cut and stacked."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from .. import nest
from ..op import API
from ..tensor_spec import TensorSpec
from .fields import rebuilt
from .type import BatchableExtensionType, ExtensionTypeSpec

_plain = API["map_fn"]


def _is_batchable(leaf: Any) -> bool:
    return isinstance(leaf, BatchableExtensionType) or (
        isinstance(leaf, ExtensionTypeSpec) and issubclass(leaf.value_type, BatchableExtensionType)
    )


def _parts(leaf: Any) -> list[Any]:
    """The tensors that a leaf is made of, or what describes them."""
    if isinstance(leaf, ExtensionTypeSpec):
        return [part for field in leaf._serialize() for part in _described(field)]
    return leaf._type_spec._to_components(leaf) if _is_batchable(leaf) else [leaf]


def _described(field: Any) -> Iterator[Any]:
    """The descriptions of the tensors in a field of a spec."""
    if isinstance(field, (TensorSpec, ExtensionTypeSpec)):
        yield from [field] if isinstance(field, TensorSpec) else _parts(field)
    elif isinstance(field, tuple):
        for item in field:
            yield from _described(item)


def _again(leaf: Any, parts: Iterator[Any]) -> Any:
    """A leaf of other parts."""
    if not _is_batchable(leaf):
        return next(parts)
    return rebuilt(leaf if isinstance(leaf, ExtensionTypeSpec) else leaf._type_spec, parts)


def _packed(structure: Any, parts: list[Any]) -> Any:
    left = iter(parts)
    return nest.pack_sequence_as(structure, [_again(leaf, left) for leaf in nest.flatten(structure)])


@functools.wraps(_plain)
def map_fn(fn: Any, elems: Any, *args: Any, **kwargs: Any) -> Any:
    names = ("dtype", "parallel_iterations", "back_prop", "swap_memory", "infer_shape", "name")
    given = {**dict(zip(names, args)), **kwargs}
    signature = given.get("fn_output_signature")
    signature = given.pop("dtype", None) if signature is None else signature
    leaves = [*nest.flatten(elems), *nest.flatten(signature)]
    if not any(map(_is_batchable, leaves)):
        return _plain(fn, elems, *args, **kwargs)
    like = elems if signature is None else signature
    given["fn_output_signature"] = None if signature is None else _flat(signature)

    def on_parts(parts: Any) -> Any:
        return _flat(fn(_packed(elems, list(parts))))

    return _packed(like, list(_plain(on_parts, _flat(elems), **given)))


def _flat(structure: Any) -> list[Any]:
    return [part for leaf in nest.flatten(structure) for part in _parts(leaf)]


for _name in [name for name, function in API.items() if function is _plain]:
    API[_name] = map_fn
