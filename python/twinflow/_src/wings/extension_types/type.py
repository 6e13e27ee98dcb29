"""``tf.experimental.ExtensionType``: user-defined composite tensor classes, and maps over them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from twinflow._src.composite_tensors.component_specs import component_specs
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.dispatch.execute import COMPOSITES
from twinflow._src.dispatch.op import API, export
from twinflow._src.dispatch.signature_errors import wraps
from twinflow._src.wings.extension_types.dispatch import on_extension
from twinflow._src.wings.extension_types.fields import (
    RESERVED,
    ImmutableDict,
    assert_supported,
    complete,
    convert_field,
    describe_value,
    format_field_value,
    hints_of,
    rebuild,
    resolve,
    tensors_of,
)
from twinflow._src.wings.private_api import type_specs


def _map_fields(function: Callable[[Any], Any], value: Any) -> Any:
    """Applies a function to the shapes and specs in a field of a spec."""
    if isinstance(value, (TensorShape, TypeSpec)):
        return function(value)
    if isinstance(value, tuple):
        return tuple(_map_fields(function, item) for item in value)
    if isinstance(value, Mapping):
        return type(value)({key: _map_fields(function, item) for key, item in value.items()})  # type: ignore[call-arg]
    return value


def _batched(value: Any, size: Any) -> Any:
    """Returns a shape or spec with a further first dimension."""
    if isinstance(value, TensorShape):
        return TensorShape([size]).concatenate(value)
    return value._batch(size)


def _unbatched(value: Any) -> Any:
    """Returns a shape or spec without its first dimension."""
    if isinstance(value, TensorShape):
        return value[1:]
    return value._unbatch()


class ExtensionTypeBatchEncoder:
    """Encoder of extension types as tensors that are sliced and stacked.

    A subclass is assigned to ``__batch_encoder__`` of a ``BatchableExtensionType``.
    """

    __module__ = "twinflow.experimental"

    def batch(self, spec: Any, batch_size: Any) -> Any:
        """Returns the spec of a batch.

        Args:
            spec: The spec of an element.
            batch_size: The number of elements, or None.
        """
        parts = [_map_fields(lambda x: _batched(x, batch_size), p) for p in spec._serialize()]
        return spec._with_parts(parts)

    def unbatch(self, spec: Any) -> Any:
        """Returns the spec of an element.

        Args:
            spec: The spec of a batch.
        """
        return spec._with_parts([_map_fields(_unbatched, part) for part in spec._serialize()])

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """Returns the tensors of a value, whose first dimensions are that of the batch.

        Args:
            spec: The spec of the value.
            value: An extension type.
            minimum_rank: The smallest rank of the tensors.
        """
        return tuple(value.__dict__[name] for name in self._tensor_fields(spec))

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """Returns the value of tensors; the inverse of ``encode``.

        Args:
            spec: The spec of the value.
            encoded_value: The tensors.
        """
        tensors = dict(zip(self._tensor_fields(spec), encoded_value, strict=True))
        result: Any = object.__new__(spec.value_type)
        for name in type(spec)._fields_of:
            result.__dict__[name] = tensors.get(name, spec.__dict__[name])
        result.__validate__()
        return result

    def encoding_specs(self, spec: Any) -> Any:
        """Returns the specs of the tensors that ``encode`` returns.

        Args:
            spec: The spec of a value.
        """
        return tuple(spec.__dict__[name] for name in self._tensor_fields(spec))

    def _tensor_fields(self, spec: Any) -> list[str]:
        """Returns the names of the fields that are tensors."""
        return [name for name in type(spec)._fields_of if isinstance(spec.__dict__[name], TypeSpec)]


export("experimental.ExtensionTypeBatchEncoder")(ExtensionTypeBatchEncoder)


# ``tf.experimental.ExtensionType``: user-defined composite tensor classes.


_BUILDING = "_tf_extension_type_in_constructor"


class _Frozen:
    """Base of objects whose attributes can only be set in the constructor."""

    _fields_of: dict[str, Any]

    def __setattr__(self, name: str, value: Any) -> None:
        if _BUILDING not in self.__dict__ or name not in type(self)._fields_of:
            raise self._immutability_error(name)
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        raise self._immutability_error(name)

    def _immutability_error(self, name: str) -> AttributeError:
        kind = "ExtensionTypeSpec" if isinstance(self, TypeSpec) else "ExtensionType"
        return AttributeError(
            f"Cannot mutate attribute `{name}` outside the custom constructor of {kind}."
        )


# ------------------------------------------------------------------ specs


class ExtensionTypeSpec(_Frozen, TypeSpec):
    """The TypeSpec of an extension type: the specs of its tensors, and its other fields."""

    _value_class: type

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        resolve(self._value_class)
        arguments = type(self).__signature__.bind(*args, **kwargs).arguments  # type: ignore[attr-defined]
        self.__dict__.update(arguments)
        self._convert()

    def _convert(self) -> None:
        """Validates and converts the fields that a constructor has set."""
        complete(self, "ExtensionTypeSpec", specs=True)

    @property
    def value_type(self) -> type:
        """The class of the values of this spec."""
        return self._value_class

    def _serialize(self) -> tuple[Any, ...]:
        return tuple(self.__dict__[name] for name in type(self)._fields_of)

    @classmethod
    def _deserialize(cls, serialization: Sequence[Any]) -> Any:
        return _spec_again(cls._value_class, tuple(serialization))

    @property
    def _component_specs(self) -> list[Any]:
        return [part for field in self._serialize() for part in component_specs(field)]

    def _to_components(self, value: Any) -> list[Any]:
        return [
            tensor
            for name in type(self)._fields_of
            for tensor in tensors_of(self.__dict__[name], value.__dict__[name])
        ]

    def _from_components(self, parts: Sequence[Any]) -> Any:
        tensors = iter(parts)
        result: Any = object.__new__(self._value_class)
        for name in type(self)._fields_of:
            result.__dict__[name] = rebuild(self.__dict__[name], tensors)
        result.__validate__()
        return result

    def _with_parts(self, parts: Sequence[Any]) -> Any:
        result = object.__new__(type(self))
        result.__dict__.update(zip(type(self)._fields_of, parts))
        return result

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Returns True if some value matches both this and another spec or value."""
        other = getattr(spec_or_value, "_type_spec", spec_or_value)
        return type(other) is type(self) and _fits(
            self._serialize(), other._serialize(), "is_compatible_with"
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Returns True if every value that matches this spec matches the other."""
        return type(other) is type(self) and _fits(
            self._serialize(), other._serialize(), "is_subtype_of"
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """Returns the most specific spec that all values of these specs match, or None."""
        parts: Any = self._serialize()
        for other in others:
            if type(other) is not type(self):
                return None
            parts = _common(parts, other._serialize())
            if parts is None:
                return None
        return self._with_parts(parts)

    def _key(self) -> tuple[Any, ...]:
        return self._serialize()

    def __repr__(self) -> str:
        parts = (
            f"{name}={format_field_value(self.__dict__[name])}" for name in type(self)._fields_of
        )
        return f"{type(self).__qualname__}({', '.join(parts)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _spec_again, (self._value_class, self._serialize())


def _spec_again(cls: Any, parts: tuple[Any, ...]) -> Any:
    return object.__new__(cls.Spec)._with_parts(parts)


def _fits(a: Any, b: Any, question: str) -> bool:
    """True if the fields of two specs are compatible; ``question`` names the TypeSpec method."""
    if isinstance(a, TypeSpec):
        return isinstance(b, TypeSpec) and getattr(a, question)(b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_fits(x, y, question) for x, y in zip(a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_fits(a[k], b[k], question) for k in a)
    return bool(a == b)


def _common(a: Any, b: Any) -> Any:
    """Returns the common supertype of the fields of two specs, None if there is none."""
    if isinstance(a, TypeSpec):
        return a.most_specific_common_supertype([b]) if isinstance(b, TypeSpec) else None
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        result = [_common(x, y) for x, y in zip(a, b)]
        return (
            None if any(f is None and x is not None for f, x in zip(result, a)) else tuple(result)
        )
    return a if a == b else None


# ------------------------------------------------------------------ classes


class _Meta(type):
    """Metaclass of extension types: collects fields, creates ``Spec``, wraps constructors."""

    _fields_of: dict[str, Any]

    def __new__(mcs, name: str, bases: tuple[type, ...], names: dict[str, Any]) -> Any:
        own_spec = names.pop("Spec", None)
        registered = names.pop("__name__", None)
        cls: Any = super().__new__(mcs, name, bases, names)
        cls._fields_of = {}
        if _is_abstract(cls):
            if own_spec is not None:  # the base of the spec classes of subclasses
                cls.Spec = type(f"{name}.Spec", (own_spec, ExtensionTypeSpec), {})
            return cls
        hints = hints_of(cls)
        _assert_fields(cls, hints, names)
        for base in (*reversed(cls.__mro__[1:]),):
            cls._fields_of |= getattr(base, "_fields_of", {})
        cls._fields_of |= hints
        if "__init__" not in names and not any(getattr(base, "_custom", False) for base in bases):
            cls.__signature__ = _signature(cls, cls._fields_of)
            cls.__init__ = _initialize
        cls._custom = cls.__init__ is not _initialize
        cls.Spec = _spec_class(cls, own_spec)
        if registered is not None:
            type_specs.register(registered + ".Spec")(cls.Spec)
        COMPOSITES[cls] = on_extension
        return cls

    def __call__(cls: Any, *args: Any, **kwargs: Any) -> Any:
        if _is_abstract(cls):
            raise AssertionError(
                f"Cannot create an instance of {cls.__name__} because {cls.__name__} is an abstract "
                "base class."
            )
        resolve(cls)
        result = cls.__new__(cls)
        result.__dict__[_BUILDING] = True
        result.__init__(*args, **kwargs)
        del result.__dict__[_BUILDING]
        complete(result, "ExtensionType")
        result.__validate__()
        return result


def _is_abstract(cls: type) -> bool:
    """True for the base classes of this module."""
    return cls.__module__ == __name__


def _assert_fields(cls: Any, hints: dict[str, Any], names: dict[str, Any]) -> None:
    """Raises an error for a reserved field name, a missing or an unsupported annotation."""
    base, title = next(c for c in reversed(cls.__mro__) if type(c) is _Meta), cls.__name__
    for field, annotation in hints.items():
        if field in RESERVED:
            raise ValueError(
                f"The field annotations for {title} are invalid. Field '{field}' is reserved."
            )
        assert_supported(annotation, field, base)
        if field in names:
            convert_field(names[field], annotation, f"default value for {field}")
    for name, value in names.items():
        dunder = name.startswith("__") and name.endswith("__")
        behaviour = callable(value) or isinstance(value, (property, classmethod, staticmethod))
        if name not in hints and not (dunder or behaviour or name.startswith("_tf_")):
            raise ValueError(
                f"The field annotations for {title} are invalid. Field {name} is missing a type annotation."
            )


def _signature(cls: Any, fields: dict[str, Any]) -> inspect.Signature:
    """Returns the constructor's signature; fields after one with a default are keyword-only."""
    result: list[inspect.Parameter] = []
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    for name, annotation in fields.items():
        default = getattr(cls, name, inspect.Parameter.empty)
        if default is inspect.Parameter.empty and any(p.default is not p.empty for p in result):
            kind = inspect.Parameter.KEYWORD_ONLY
        result.append(inspect.Parameter(name, kind, default=default, annotation=annotation))
    return inspect.Signature(result, return_annotation=cls)


def _initialize(self: Any, *args: Any, **kwargs: Any) -> None:
    bound = type(self).__signature__.bind(*args, **kwargs)
    bound.apply_defaults()
    self.__dict__.update(bound.arguments)


def _spec_class(cls: Any, nested: Any) -> Any:
    """Creates the spec class of an extension type; ``own`` is the user's ``Spec`` class, if any."""
    methods = (
        {} if nested is None else {k: v for k, v in vars(nested).items() if not _is_of_class(k)}
    )
    base = next((c.Spec for c in cls.__mro__[1:] if "Spec" in vars(c)), ExtensionTypeSpec)
    title = f"{cls.__name__}.Spec"
    body = {"__module__": cls.__module__, "__qualname__": f"{cls.__qualname__}.Spec"}
    if "__init__" in methods:
        methods["__init__"] = _constructor(methods["__init__"])
    result: Any = type(
        title, (base,), {**methods, **body, "_value_class": cls, "_fields_of": cls._fields_of}
    )
    if "__init__" in methods:
        return result
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in cls._fields_of]
    result.__signature__ = inspect.Signature(parameters, return_annotation=result)
    return result


def _constructor(init: Any) -> Any:
    """Wraps the user's spec constructor to validate the fields that it sets."""

    @functools.wraps(init)
    def constructor(self: Any, *args: Any, **kwargs: Any) -> None:
        resolve(self._value_class)
        self.__dict__[_BUILDING] = True
        init(self, *args, **kwargs)
        del self.__dict__[_BUILDING]
        self._convert()

    return constructor


def _is_of_class(name: str) -> bool:
    return name in ("__dict__", "__weakref__", "__module__", "__qualname__", "__doc__")


class ExtensionType(_Frozen, metaclass=_Meta):
    """Base class of user-defined composite tensors.

    Annotations declare the fields of a subclass and their types; a class attribute is a field's
    default. Objects are immutable. ``__validate__`` is called on a new object. ``Spec`` is the
    class of TypeSpecs.

    Annotations name the fields of a subclass, and their types; a class attribute is a field's
    default. Objects cannot be changed. ``__validate__`` is called on a new object. ``Spec`` is the
    class of descriptions.
    """

    Spec: ClassVar[Any]

    def __validate__(self) -> None:
        """Validates a new object; subclasses raise an error for invalid fields."""

    @property
    def _type_spec(self) -> Any:
        parts = [describe_value(self.__dict__[name]) for name in type(self)._fields_of]
        return object.__new__(type(self).Spec)._with_parts(parts)

    def __repr__(self) -> str:
        parts = (f"{name}={self.__dict__[name]!r}" for name in type(self)._fields_of)
        return f"{type(self).__qualname__}({', '.join(parts)})"

    def __eq__(self, other: object) -> Any:
        if type(self) is not type(other) or self._type_spec != other._type_spec:
            return False
        pairs = zip(*(nest.flatten(x, expand_composites=True) for x in (self, other)))
        same = [API["reduce_all"](API["equal"](a, b)) for a, b in pairs if _alike(a, b)]
        return API["reduce_all"](API["stack"](same)) if same else convert_to_tensor(True)

    def __ne__(self, other: object) -> Any:
        result = self.__eq__(other)
        return not result if isinstance(result, bool) else API["logical_not"](result)

    __hash__ = None  # type: ignore[assignment]


@functools.lru_cache(maxsize=256)
def anonymous_spec(fields: tuple[str, ...]) -> Any:
    """Returns the spec class of the values in files whose extension type is not registered."""
    cls: Any = type.__new__(_Meta, "AnonymousExtensionType", (ExtensionType,), {})
    cls._fields_of = dict.fromkeys(fields, Any)
    cls.Spec = _spec_class(cls, None)
    cls.Spec.__name__ = cls.Spec.__qualname__ = "AnonymousExtensionTypeSpec"
    return cls.Spec


def spec_from_fields(spec_class: Any, fields: Sequence[tuple[str, Any]]) -> Any:
    """Returns the spec with the fields of a file."""
    parts = [ImmutableDict(v) if isinstance(v, Mapping) else v for _, v in fields]
    return object.__new__(spec_class)._with_parts(parts)


def _alike(a: Any, b: Any) -> bool:
    return a.shape.is_compatible_with(b.shape)


class BatchableExtensionType(ExtensionType):
    """An extension type whose tensors can be sliced and stacked along their first dimension."""

    class Spec:
        """The methods of the specs of batches."""

        __batch_encoder__ = ExtensionTypeBatchEncoder()

        def _batch(self, batch_size: Any) -> Any:
            return self.__batch_encoder__.batch(self, batch_size)

        def _unbatch(self) -> Any:
            return self.__batch_encoder__.unbatch(self)


@export("experimental.extension_type.as_dict")
def as_dict(value: ExtensionType) -> dict[str, Any]:
    """Returns the fields of an extension type as a dictionary, without converting nested ones.

    Args:
        value: An object of an extension type.
    """
    return {name: getattr(value, name) for name in value._fields_of}


export("experimental.ExtensionType")(ExtensionType)
export("experimental.BatchableExtensionType")(BatchableExtensionType)
export("experimental.ExtensionTypeSpec")(ExtensionTypeSpec)


# ``tf.map_fn`` over batchable extension types.


_PARAMETERS = ("dtype", "parallel_iterations", "back_prop", "swap_memory", "infer_shape", "name")


def _is_batchable(leaf: Any) -> bool:
    return isinstance(leaf, BatchableExtensionType) or (
        isinstance(leaf, ExtensionTypeSpec) and issubclass(leaf.value_type, BatchableExtensionType)
    )


def _parts(leaf: Any) -> list[Any]:
    """Returns the component tensors of a leaf, or their specs."""
    if isinstance(leaf, ExtensionTypeSpec):
        return [part for field in leaf._serialize() for part in _iterate_specs(field)]
    return leaf._type_spec._to_components(leaf) if _is_batchable(leaf) else [leaf]


def _iterate_specs(field: Any) -> Iterator[Any]:
    """Yields the specs of the tensors in a field of a spec."""
    if isinstance(field, (TensorSpec, ExtensionTypeSpec)):
        yield from [field] if isinstance(field, TensorSpec) else _parts(field)
    elif isinstance(field, tuple):
        for item in field:
            yield from _iterate_specs(item)


def _rebuild_leaf(leaf: Any, parts: Iterator[Any]) -> Any:
    """Rebuilds a leaf from other components."""
    if not _is_batchable(leaf):
        return next(parts)
    return rebuild(leaf if isinstance(leaf, ExtensionTypeSpec) else leaf._type_spec, parts)


def _pack(structure: Any, parts: list[Any]) -> Any:
    left = iter(parts)
    return nest.pack_sequence_as(
        structure, [_rebuild_leaf(leaf, left) for leaf in nest.flatten(structure)]
    )


def over_extensions(names: list[str], plain: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps ``tf.map_fn`` to accept extension types; other functions are returned unchanged."""
    if "map_fn" not in names:
        return plain

    @wraps(plain)
    def map_fn(fn: Any, elems: Any, *args: Any, **kwargs: Any) -> Any:
        arguments = {**dict(zip(_PARAMETERS, args)), **kwargs}
        signature = arguments.get("fn_output_signature")
        signature = arguments.pop("dtype", None) if signature is None else signature
        leaves = [*nest.flatten(elems), *nest.flatten(signature)]
        if not any(map(_is_batchable, leaves)):
            return plain(fn, elems, *args, **kwargs)
        like = elems if signature is None else signature
        arguments["fn_output_signature"] = None if signature is None else _flat(signature)
        on_parts = lambda parts: _flat(fn(_pack(elems, list(parts))))
        return _pack(like, list(plain(on_parts, _flat(elems), **arguments)))

    return map_fn


def _flat(structure: Any) -> list[Any]:
    return [part for leaf in nest.flatten(structure) for part in _parts(leaf)]
