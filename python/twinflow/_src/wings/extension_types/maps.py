"""``tf.map_fn`` over batchable extension types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from twinflow._src.core import nest
from twinflow._src.core.specs import TensorSpec
from twinflow._src.dispatch.signature_errors import wraps
from twinflow._src.wings.extension_types.fields import rebuilt
from twinflow._src.wings.extension_types.type import BatchableExtensionType, ExtensionTypeSpec

_PARAMETERS = ("dtype", "parallel_iterations", "back_prop", "swap_memory", "infer_shape", "name")


def _is_batchable(leaf: Any) -> bool:
    return isinstance(leaf, BatchableExtensionType) or (
        isinstance(leaf, ExtensionTypeSpec) and issubclass(leaf.value_type, BatchableExtensionType)
    )


def _parts(leaf: Any) -> list[Any]:
    """Returns the component tensors of a leaf, or their specs."""
    if isinstance(leaf, ExtensionTypeSpec):
        return [part for field in leaf._serialize() for part in _described(field)]
    return leaf._type_spec._to_components(leaf) if _is_batchable(leaf) else [leaf]


def _described(field: Any) -> Iterator[Any]:
    """Yields the specs of the tensors in a field of a spec."""
    if isinstance(field, (TensorSpec, ExtensionTypeSpec)):
        yield from [field] if isinstance(field, TensorSpec) else _parts(field)
    elif isinstance(field, tuple):
        for item in field:
            yield from _described(item)


def _again(leaf: Any, parts: Iterator[Any]) -> Any:
    """Rebuilds a leaf from other components."""
    if not _is_batchable(leaf):
        return next(parts)
    return rebuilt(leaf if isinstance(leaf, ExtensionTypeSpec) else leaf._type_spec, parts)


def _packed(structure: Any, parts: list[Any]) -> Any:
    left = iter(parts)
    return nest.pack_sequence_as(
        structure, [_again(leaf, left) for leaf in nest.flatten(structure)]
    )


def over_extensions(names: list[str], plain: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps ``tf.map_fn`` to accept extension types; other functions are returned unchanged."""
    if "map_fn" not in names:
        return plain

    @wraps(plain)
    def map_fn(fn: Any, elems: Any, *args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(_PARAMETERS, args)), **kwargs}
        signature = given.get("fn_output_signature")
        signature = given.pop("dtype", None) if signature is None else signature
        leaves = [*nest.flatten(elems), *nest.flatten(signature)]
        if not any(map(_is_batchable, leaves)):
            return plain(fn, elems, *args, **kwargs)
        like = elems if signature is None else signature
        given["fn_output_signature"] = None if signature is None else _flat(signature)
        on_parts = lambda parts: _flat(fn(_packed(elems, list(parts))))
        return _packed(like, list(plain(on_parts, _flat(elems), **given)))

    return map_fn


def _flat(structure: Any) -> list[Any]:
    return [part for leaf in nest.flatten(structure) for part in _parts(leaf)]
