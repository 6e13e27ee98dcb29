"""Nested structures: lists, tuples, named tuples and dictionaries that hold leaves.

Dictionaries are walked in the order of their sorted keys.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, MappingView, Sequence
from typing import Any

from twinflow._src.dispatch.op import export

_USUAL = frozenset((list, tuple, dict))


@export("nest.is_nested")
def is_nested(seq: Any) -> bool:
    """Returns whether a value is a structure rather than a leaf.

    Args:
        seq: A value.

    Returns:
        True for sequences (but strings), mappings, objects of classes of ``attrs``, and those that say what they
        hold by ``__tf_flatten__``.
    """
    if type(seq) in _USUAL:
        return True
    if isinstance(seq, (str, bytes, bytearray, memoryview)):
        return False
    if isinstance(seq, (Sequence, Mapping, MappingView)):
        return not hasattr(seq, "dtype")
    return _tells(seq) or has_fields(seq)


def _tells(value: Any) -> bool:
    """Whether an object's class says what it holds, and makes one of other parts."""
    kind = type(value)
    return hasattr(kind, "__tf_flatten__") and hasattr(kind, "__tf_unflatten__")


def has_fields(value: Any) -> bool:
    """Returns whether an object is of a class that the package ``attrs`` made.

    Args:
        value: An object.
    """
    return hasattr(type(value), "__attrs_attrs__")


def _children(structure: Any) -> list[Any]:
    """What a structure holds, in the order in which it is walked."""
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted(structure)]
    if has_fields(structure):
        return [getattr(structure, field.name) for field in type(structure).__attrs_attrs__]
    return list(structure.__tf_flatten__()[1] if _tells(structure) else structure)


def metadata(structure: Any) -> Any:
    """What the classes in a structure with ``__tf_flatten__`` say beside their parts.

    Args:
        structure: A structure, or a leaf.
    """
    if not is_nested(structure):
        return None
    own = structure.__tf_flatten__()[0] if _tells(structure) else None
    return own, tuple(map(metadata, _children(structure)))


def _rebuilt(structure: Any, children: list[Any]) -> Any:
    """A structure of the same kind that holds other children."""
    if isinstance(structure, Mapping):
        found = dict(zip(sorted(structure), children, strict=True))
        items = [(key, found[key]) for key in structure]
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
    """Adds the leaves of a structure to a list."""
    if is_nested(structure):
        for child in _children(structure):
            _collect(child, into)
    else:
        into.append(structure)
    return into


def _spec(leaf: Any, expand: bool = True) -> Any:
    """What describes a leaf that is made of several tensors (ragged, sparse); None for any other."""
    spec = getattr(leaf, "_type_spec", None) if expand else None
    return spec if hasattr(spec, "_to_components") else None  # a class has a property of that name


def _parts(leaf: Any) -> list[Any]:
    spec = _spec(leaf)
    return [leaf] if spec is None else spec._to_components(leaf)


@export("nest.flatten")
def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """Returns the leaves of a structure.

    Args:
        structure: A structure, or a leaf.
        expand_composites: Whether ragged and sparse tensors stand for the tensors that they are made of.

    Returns:
        A list.
    """
    leaves = _collect(structure, [])
    return [part for leaf in leaves for part in _parts(leaf)] if expand_composites else leaves


def _described(structure: Any) -> str:
    return f"type={type(structure).__name__} str={structure!s}"


def _outline(structure: Any) -> str:
    """A structure with dots for its leaves."""
    if not is_nested(structure):
        return "."
    return str(_rebuilt(structure, [_Dot(_outline(child)) for child in _children(structure)]))


class _Dot:
    """A text that prints as itself."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


class _Different(Exception):
    """Two structures differ: what is said, and by which exception."""

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
            f'Substructure "{_described(nested)}" is a sequence, while substructure '
            f'"{_described(leaf)}" is not',
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
            f"{_described(a)}. Second structure: {_described(b)}",
        )


def _compare_types(a: Any, b: Any, check_types: bool) -> None:
    if is_nested(a) != is_nested(b) or (check_types and not _same_type(a, b)):
        raise _Different(
            TypeError,
            "The two namedtuples don't have the same sequence type. First structure "
            f"{_described(a)} has type {type(a).__name__}, while second structure {_described(b)} "
            f"has type {type(b).__name__}",
        )
    if check_types and isinstance(a, Mapping) and isinstance(b, Mapping) and set(a) != set(b):
        raise _Different(
            ValueError,
            "The two dictionaries don't have the same set of keys. First structure has keys "
            f"{_described(list(a))}, while second structure has keys {_described(list(b))}",
        )


def _compare_specs(a: Any, b: Any) -> None:
    if a is not None and a.most_specific_common_supertype([b]) is None:
        raise _Different(
            ValueError,
            f"Incompatible CompositeTensor TypeSpecs: {_described(a)} vs. {_described(b)}",
        )


@export("nest.assert_same_structure")
def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Asserts that two structures are nested in the same way.

    Args:
        nest1: A structure.
        nest2: A structure.
        check_types: Whether the types of the sequences have to be the same.
        expand_composites: Whether ragged and sparse tensors must be of one kind.

    Raises:
        ValueError: The structures differ.
        TypeError: The types of the sequences differ.
    """
    try:
        _compare(nest1, nest2, check_types, expand_composites)
    except _Different as found:
        raise found.kind(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {_described(nest1)}\n\nSecond structure: {_described(nest2)}\n\n"
            f"More specifically: {found.text}\nEntire first structure:\n{_outline(nest1)}\n"
            f"Entire second structure:\n{_outline(nest2)}"
        ) from None


@export("nest.pack_sequence_as")
def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """Returns a structure like another one with other leaves.

    Args:
        structure: A structure, or a leaf.
        flat_sequence: The leaves.
        expand_composites: Whether ragged and sparse tensors are made of as many leaves as they have parts.

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
    return _filled(structure, iter(leaves), expand_composites)


def _filled(structure: Any, leaves: Iterator[Any], expand: bool) -> Any:
    if not is_nested(structure):
        spec = _spec(structure, expand)
        if spec is None:
            return next(leaves)
        return spec._from_components([next(leaves) for _ in spec._to_components(structure)])
    return _rebuilt(structure, [_filled(child, leaves, expand) for child in _children(structure)])


@export("nest.map_structure")
def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Returns a structure of what a function makes of the leaves.

    Args:
        func: Called with one leaf of each structure.
        *structure: Structures that are nested in the same way.
        **kwargs: ``check_types``: whether the types of the sequences have to be the same (they do
            by default). ``expand_composites``: whether the function is called with the tensors that
            ragged and sparse ones are made of.

    Returns:
        A structure like the first one.

    Raises:
        TypeError: The function cannot be called, or the types of the sequences differ.
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
