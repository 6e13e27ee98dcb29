"""Fields of extension types: supported annotations, and conversion and validation of values.

Annotations may be strings (forward references) that are resolved when the class or an object is
made.
"""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor, RaggedTensorSpec
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor, SparseTensorSpec
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.core.tensor import Tensor

# Supported annotations, and conversion of values.


_PLAIN = (int, float, str, bytes, bool, type(None))
_COMPOSITES = (RaggedTensor, SparseTensor)
# Reserved names, as values and specs have methods of these names.
RESERVED = frozenset(
    [
        "self",
        "Spec",
        "value_type",
        "is_compatible_with",
        "most_specific_compatible_type",
        "_type_spec",
        "_shape_invariant_to_type_spec",
        "_consumers",
        "_to_components",
        "_from_components",
        "_component_specs",
        "_serialize",
        "_deserialize",
        "_with_tensor_ranks_only",
        "_to_tensor_list",
        "_from_tensor_list",
        "_from_compatible_tensor_list",
        "_flat_tensor_specs",
        "_to_legacy_output_types",
        "_tf_extension_type_fields",
    ]
)


class ImmutableDict(Mapping[Any, Any]):
    """An immutable dictionary.

    Args:
        items: The keys and values.
    """

    def __init__(self, items: Any = ()) -> None:
        self._items = dict(items)

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items!r})"


def _format_annotation(annotation: Any) -> str:
    """Returns an annotation as error messages show it."""
    return repr(annotation.__name__) if inspect.isclass(annotation) else repr(annotation)


def _wrong(path: str, expected: str, value: Any) -> TypeError:
    return TypeError(f"{path}: expected {expected}, got {type(value).__name__!r}")


def _is_union(annotation: Any) -> bool:
    return typing.get_origin(annotation) in (typing.Union, types.UnionType)


def _is_mapping(annotation: Any) -> bool:
    return typing.get_origin(annotation) is collections.abc.Mapping


def assert_supported(annotation: Any, path: str, extension: type) -> None:
    """Raises TypeError for an unsupported annotation; forward references are checked later."""
    if (
        isinstance(annotation, (str, typing.ForwardRef))
        or annotation is None
        or annotation in _PLAIN
    ):
        return
    parts = typing.get_args(annotation)
    if _is_union(annotation) or _is_mapping(annotation):
        for part in parts:
            assert_supported(part, path, extension)
        return
    if typing.get_origin(annotation) is tuple:
        for part in parts:
            if part is not Ellipsis:
                assert_supported(part, path, extension)
        return
    supported = (Tensor, TensorShape, DType, *_COMPOSITES)
    if inspect.isclass(annotation) and (
        annotation in supported or issubclass(annotation, extension)
    ):
        return
    raise TypeError(
        f"In field '{path}': Unsupported type annotation {_format_annotation(annotation)}"
    )


# ------------------------------------------------------------------ field values


def convert_field(value: Any, annotation: Any, path: str, specs: bool = False) -> Any:
    """Converts a value to a field's type.

    ``path`` is the field's name with the position in it. If ``specs``, the value belongs to a spec,
    with TypeSpecs instead of tensors. Raises TypeError for an incompatible value.
    """
    if annotation is None:
        annotation = type(None)
    if _is_union(annotation):
        return _of_union(value, annotation, path, specs)
    if typing.get_origin(annotation) is tuple:
        return _of_tuple(value, typing.get_args(annotation), path, specs)
    if _is_mapping(annotation):
        return _of_mapping(value, typing.get_args(annotation), path, specs)
    if not inspect.isclass(annotation):
        raise TypeError(f"{path}: Unsupported type annotation {_format_annotation(annotation)}")
    if annotation in _BY_CLASS:
        return _BY_CLASS[annotation](value, path, specs)
    if specs and annotation not in _PLAIN:
        return _spec_of(value, annotation, path)
    if not isinstance(value, annotation):
        raise _wrong(path, repr(annotation.__name__), value)
    return value


def _tensor(value: Any, path: str, specs: bool) -> Any:
    if specs:
        if not isinstance(value, TensorSpec):
            raise _wrong(path, "a TensorSpec", value)
        return value
    try:
        return convert_to_tensor(value)
    except (TypeError, ValueError):
        raise _wrong(path, "a Tensor", value) from None


def _shape(value: Any, path: str, specs: bool) -> Any:
    try:
        return TensorShape(value)
    except (TypeError, ValueError):
        raise _wrong(path, "'tf.TensorShape'", value) from None


def _dtype(value: Any, path: str, specs: bool) -> Any:
    try:
        return as_dtype(value)
    except TypeError:
        raise _wrong(path, "'tf.DType'", value) from None


_BY_CLASS: dict[type, Callable[[Any, str, bool], Any]] = {
    Tensor: _tensor,
    TensorShape: _shape,
    DType: _dtype,
}


def _spec_of(value: Any, annotation: Any, path: str) -> Any:
    """Returns the TypeSpec of a composite value."""
    if not isinstance(value, TypeSpec) or not issubclass(value.value_type, annotation):
        raise _wrong(path, f"a TypeSpec of {annotation.__name__!r}", value)
    return value


def _of_union(value: Any, annotation: Any, path: str, specs: bool) -> Any:
    for part in typing.get_args(annotation):
        try:
            return convert_field(value, part, path, specs)
        except TypeError:
            continue  # the next type of the union may match
    raise _wrong(path, repr(annotation), value)


def _of_tuple(value: Any, parts: tuple[Any, ...], path: str, specs: bool) -> Any:
    if not isinstance(value, (list, tuple)):
        raise _wrong(path, "tuple", value)
    if len(parts) == 2 and parts[1] is Ellipsis:
        parts = (parts[0],) * len(value)
    if len(parts) != len(value):
        raise TypeError(
            f"{path}: expected tuple with length {len(parts)}, got {type(value).__name__!r})"
        )
    pairs = enumerate(zip(value, parts))
    return tuple(convert_field(item, part, f"{path}[{i}]", specs) for i, (item, part) in pairs)


def _of_mapping(value: Any, parts: tuple[Any, ...], path: str, specs: bool) -> Any:
    if not isinstance(value, Mapping):
        raise _wrong(path, "mapping", value)
    key, item = parts
    return ImmutableDict(
        (convert_field(k, key, f"{path}[<key>]"), convert_field(v, item, f"{path}[{k!r}]", specs))
        for k, v in value.items()
    )


# ------------------------------------------------------------------ tensors in fields


def describe_value(value: Any) -> Any:
    """Returns a field's value with tensors replaced by their TypeSpecs."""
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    if hasattr(value, "_type_spec"):
        return value._type_spec
    if isinstance(value, tuple):
        return tuple(map(describe_value, value))
    if isinstance(value, Mapping):
        return ImmutableDict((k, describe_value(v)) for k, v in value.items())
    return value


def tensors_of(spec: Any, value: Any) -> Iterator[Any]:
    """Returns the tensors in a field's value."""
    if isinstance(spec, TensorSpec):
        yield value
    elif isinstance(spec, TypeSpec):
        yield from spec._to_components(value)
    elif isinstance(spec, tuple):
        for one, item in zip(spec, value):
            yield from tensors_of(one, item)
    elif isinstance(spec, Mapping):
        for key in sorted(spec):
            yield from tensors_of(spec[key], value[key])


def rebuild(spec: Any, tensors: Iterator[Any]) -> Any:
    """Rebuilds a field's value from its spec; takes its tensors from the iterator."""
    if isinstance(spec, TensorSpec):
        return next(tensors)
    if isinstance(spec, TypeSpec):
        return spec._from_components([next(tensors) for _ in range(count_of(spec))])
    if isinstance(spec, tuple):
        return tuple(rebuild(one, tensors) for one in spec)
    if isinstance(spec, Mapping):
        result = {key: rebuild(spec[key], tensors) for key in sorted(spec)}
        return ImmutableDict((key, result[key]) for key in spec)
    return spec


def count_of(spec: Any) -> int:
    """Returns the number of component tensors of a spec."""
    if isinstance(spec, TensorSpec):
        return 1
    if isinstance(spec, RaggedTensorSpec):
        return 1 + spec.ragged_rank
    if isinstance(spec, SparseTensorSpec):
        return 3
    if isinstance(spec, TypeSpec):
        return sum(map(count_of, spec._serialize()))
    if isinstance(spec, tuple):
        return sum(map(count_of, spec))
    return sum(map(count_of, spec.values())) if isinstance(spec, Mapping) else 0


def format_field_value(value: Any) -> str:
    """Returns the repr of a spec's field; immutable dictionaries are shown like Python's."""
    return repr(dict(value)) if isinstance(value, Mapping) else repr(value)


# Resolution of annotations: forward references, and conversion of an object's fields.


def hints_of(cls: Any) -> dict[str, Any]:
    """Returns the annotations of a class itself, with forward references resolved if possible."""
    annotations = inspect.get_annotations(cls)
    try:
        hints = typing.get_type_hints(cls, localns={cls.__name__: cls})
    except (NameError, AttributeError):
        return annotations
    return {name: hints[name] for name in annotations}


def resolve(cls: Any) -> None:
    """Resolves forward references that were undefined at class creation.

    Raises TypeError for an unsupported annotation.
    """
    if not any(map(_is_open, cls._fields_of.values())):
        return
    base = next(c for c in reversed(cls.__mro__) if type(c) is type(cls))
    for owner in reversed(cls.__mro__):
        if owner is not base and issubclass(owner, base):
            result = hints_of(owner)
            for name, annotation in result.items():
                assert_supported(annotation, name, base)
            cls._fields_of.update(result)


def _is_open(annotation: Any) -> bool:
    """True if an annotation contains an unresolved forward reference."""
    if isinstance(annotation, (str, typing.ForwardRef)):
        return True
    return any(map(_is_open, typing.get_args(annotation)))


def complete(instance: Any, kind: str, specs: bool = False) -> None:
    """Converts the fields of a new object to their types.

    ``kind`` is its name in errors. Raises ValueError for a missing field, and TypeError for an
    incompatible value.
    """
    fields = type(instance)._fields_of
    for name in fields.keys() - instance.__dict__.keys():
        if not specs and hasattr(type(instance), name):
            instance.__dict__[name] = getattr(type(instance), name)
    if missing := {name for name in fields if name not in instance.__dict__}:
        raise ValueError(f"Missing required fields: {missing}")
    for name, annotation in fields.items():
        instance.__dict__[name] = convert_field(instance.__dict__[name], annotation, name, specs)
