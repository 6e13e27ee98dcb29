"""Nested structures: lists, tuples, named tuples and dictionaries of leaves.

Dictionaries are traversed in the order of their sorted keys.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, MappingView, Sequence
from typing import Any

from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import export

_USUAL = frozenset((list, tuple, dict))


@export("nest.is_nested")
def is_nested(seq: Any) -> bool:
    """Returns True if a value is a structure rather than a leaf.

    Args:
        seq: A value.

    Returns:
        True for sequences (except strings), mappings, ``attrs`` instances, and objects with
        ``__tf_flatten__``.
    """
    if type(seq) in _USUAL:
        return True
    if isinstance(seq, (Tensor, str, bytes, bytearray, memoryview)):
        return False
    if isinstance(seq, (Sequence, Mapping, MappingView)):
        return not hasattr(seq, "dtype")
    return _tells(seq) or has_fields(seq)


def _tells(value: Any) -> bool:
    """True if an object's class implements ``__tf_flatten__`` and ``__tf_unflatten__``."""
    kind = type(value)
    return hasattr(kind, "__tf_flatten__") and hasattr(kind, "__tf_unflatten__")


def has_fields(value: Any) -> bool:
    """True if an object is an instance of an ``attrs`` class."""
    return hasattr(type(value), "__attrs_attrs__")


def _children(structure: Any) -> list[Any]:
    """Returns the children of a structure in traversal order."""
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted(structure)]
    if has_fields(structure):
        return [getattr(structure, field.name) for field in type(structure).__attrs_attrs__]
    return list(structure.__tf_flatten__()[1] if _tells(structure) else structure)


def metadata(structure: Any) -> Any:
    """Returns the metadata of ``__tf_flatten__`` of a structure and its substructures."""
    if not is_nested(structure):
        return None
    data = structure.__tf_flatten__()[0] if _tells(structure) else None
    return data, tuple(map(metadata, _children(structure)))


def _rebuilt(structure: Any, children: list[Any]) -> Any:
    """Returns a structure of the same type with other children."""
    if isinstance(structure, Mapping):
        values = dict(zip(sorted(structure), children, strict=True))
        items = [(key, values[key]) for key in structure]
        if isinstance(structure, defaultdict):
            return defaultdict(structure.default_factory, items)
        return dict(items) if type(structure) is dict else type(structure)(items)  # type: ignore[call-arg]
    if isinstance(structure, MappingView):
        return list(children)
    if _is_named(structure) or has_fields(structure):
        return type(structure)(*children)
    if _tells(structure):
        return type(structure).__tf_unflatten__(structure.__tf_flatten__()[0], tuple(children))
    if type(structure) in (list, tuple):
        return type(structure)(children)
    return list(children) if isinstance(structure, range) else type(structure)(children)


def _is_named(structure: Any) -> bool:
    return isinstance(structure, tuple) and hasattr(structure, "_fields")


def _collect(structure: Any, into: list[Any]) -> list[Any]:
    """Appends the leaves of a structure to a list."""
    if is_nested(structure):
        for child in _children(structure):
            _collect(child, into)
    else:
        into.append(structure)
    return into


def _spec(leaf: Any, expand: bool = True) -> Any:
    """Returns the TypeSpec of a composite tensor (ragged, sparse); None for other leaves."""
    spec = getattr(leaf, "_type_spec", None) if expand else None
    if not hasattr(spec, "_to_components"):  # a class has a property of that name
        return None
    # The spec of one tensor is that of a symbolic input of an older Keras, which is a leaf.
    return None if getattr(spec, "_is_component", False) else spec


def _parts(leaf: Any) -> list[Any]:
    """Returns the components of a composite tensor, which may be any structure, flat."""
    spec = _spec(leaf)
    return [leaf] if spec is None else flatten(spec._to_components(leaf), expand_composites=True)


@export("nest.flatten")
def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """Returns the leaves of a structure.

    Args:
        structure: A structure, or a leaf.
        expand_composites: If True, ragged and sparse tensors are expanded into their component tensors.

    Returns:
        A list.
    """
    leaves = _collect(structure, [])
    return [part for leaf in leaves for part in _parts(leaf)] if expand_composites else leaves


def _describe(structure: Any) -> str:
    return f"type={type(structure).__name__} str={structure!s}"


def _outline(structure: Any) -> str:
    """Returns a structure with dots for its leaves, as a string."""
    if not is_nested(structure):
        return "."
    return str(_rebuilt(structure, [_Dot(_outline(child)) for child in _children(structure)]))


class _Dot:
    """A string that is its own repr."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


class _Different(Exception):
    """Two structures differ; holds the error class and the message."""

    def __init__(self, kind: type[Exception], text: str) -> None:
        super().__init__(text)
        self.kind, self.text = kind, text


def _same_type(a: Any, b: Any) -> bool:
    if _is_named(a) and _is_named(b):
        return type(a).__name__ == type(b).__name__ and a._fields == b._fields
    return type(a) is type(b) or (isinstance(a, Mapping) and isinstance(b, Mapping))


def _is_leaf(value: Any, expand: bool) -> bool:
    return not is_nested(value) and _spec(value, expand) is None


def _compare(a: Any, b: Any, check_types: bool, expand: bool) -> None:
    if _is_leaf(a, expand) != _is_leaf(b, expand):
        nested, leaf = (b, a) if _is_leaf(a, expand) else (a, b)
        raise _Different(
            ValueError,
            f'Substructure "{_describe(nested)}" is a sequence, while substructure '
            f'"{_describe(leaf)}" is not',
        )
    if not is_nested(a) and not is_nested(b):
        _compare_specs(_spec(a, expand), _spec(b, expand))
        return
    _compare_types(a, b, check_types)
    one, other = _children(a), _children(b)
    for x, y in zip(one, other):
        _compare(x, y, check_types, expand)
    if len(one) != len(other):
        raise _Different(
            ValueError,
            "The two structures don't have the same number of elements. First structure: "
            f"{_describe(a)}. Second structure: {_describe(b)}",
        )


def _compare_types(a: Any, b: Any, check_types: bool) -> None:
    if is_nested(a) != is_nested(b) or (check_types and not _same_type(a, b)):
        raise _Different(
            TypeError,
            "The two namedtuples don't have the same sequence type. First structure "
            f"{_describe(a)} has type {type(a).__name__}, while second structure {_describe(b)} "
            f"has type {type(b).__name__}",
        )
    if check_types and isinstance(a, Mapping) and isinstance(b, Mapping) and set(a) != set(b):
        raise _Different(
            ValueError,
            "The two dictionaries don't have the same set of keys. First structure has keys "
            f"{_describe(list(a))}, while second structure has keys {_describe(list(b))}",
        )


def _compare_specs(a: Any, b: Any) -> None:
    if a is not None and a.most_specific_common_supertype([b]) is None:
        raise _Different(
            ValueError,
            f"Incompatible CompositeTensor TypeSpecs: {_describe(a)} vs. {_describe(b)}",
        )


@export("nest.assert_same_structure")
def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Asserts that two structures have the same nesting.

    Args:
        nest1: A structure.
        nest2: A structure.
        check_types: If True, the types of the sequences must be the same.
        expand_composites: If True, composite tensors must have compatible TypeSpecs.

    Raises:
        ValueError: The structures differ.
        TypeError: The types of the sequences differ.
    """
    try:
        _compare(nest1, nest2, check_types, expand_composites)
    except _Different as found:
        raise found.kind(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {_describe(nest1)}\n\nSecond structure: {_describe(nest2)}\n\n"
            f"More specifically: {found.text}\nEntire first structure:\n{_outline(nest1)}\n"
            f"Entire second structure:\n{_outline(nest2)}"
        ) from None


@export("nest.pack_sequence_as")
def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """Packs a flat sequence into a structure.

    Args:
        structure: The structure to copy, or a leaf.
        flat_sequence: The leaves.
        expand_composites: If True, composite tensors are rebuilt from their components.

    Returns:
        A structure.

    Raises:
        ValueError: There are too many or too few leaves.
        TypeError: The leaves are not a sequence.
    """
    if not is_nested(flat_sequence):
        raise TypeError(
            f"Attempted to pack value:\n  {flat_sequence!s}\ninto a structure, but found incompatible "
            f"type `{type(flat_sequence)}` instead."
        )
    leaves = list(flat_sequence)
    if not is_nested(structure) and _spec(structure, expand_composites) is None:
        if len(leaves) != 1:
            raise ValueError(
                f"The target structure is of type `{type(structure)}`\n  {structure!s}\nHowever the "
                f"input is a sequence ({type(flat_sequence)}) of length {len(leaves)}.\n  "
                f"{flat_sequence!s}\nnest cannot guarantee that it is safe to map one to the other."
            )
        return leaves[0]
    count = len(flatten(structure, expand_composites))
    if count != len(leaves):
        raise ValueError(
            f"Could not pack sequence. Structure had {count} atoms, but flat_sequence had "
            f"{len(leaves)} items.  Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _fill(structure, iter(leaves), expand_composites)


def _fill(structure: Any, leaves: Iterator[Any], expand: bool) -> Any:
    if not is_nested(structure):
        spec = _spec(structure, expand)
        if spec is None:
            return next(leaves)
        return spec._from_components(_fill(spec._to_components(structure), leaves, expand))
    return _rebuilt(structure, [_fill(child, leaves, expand) for child in _children(structure)])


@export("nest.map_structure")
def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Applies a function to each leaf and returns a structure of the results.

    Args:
        func: Called with one leaf of each structure.
        *structure: Structures that are nested in the same way.
        **kwargs: ``check_types``: if True, the types of the sequences must be the same (the
            default). ``expand_composites``: if True, the function is called with the
            components of composite tensors.

    Returns:
        A structure like the first one.

    Raises:
        TypeError: The function is not callable, or the types of the sequences differ.
        ValueError: There is no structure, or they differ.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    if kwargs:
        names = "`, `".join(kwargs)
        raise ValueError(
            f"Only valid keyword arguments are `check_types` and `expand_composites`, not: `{names}`"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand)
    leaves = zip(*(flatten(one, expand) for one in structure), strict=True)
    return pack_sequence_as(structure[0], [func(*group) for group in leaves], expand)
