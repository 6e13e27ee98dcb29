"""Functions of nested structures with paths, and up to the depth of a shallow structure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from twinflow._src.core import nest

Path = tuple[Any, ...]


def is_namedtuple(instance: Any, strict: bool = False) -> bool:
    """Returns True for named tuples.

    Args:
        instance: A value.
        strict: Whether its class must inherit from ``tuple`` alone.
    """
    is_tuple = isinstance(instance, tuple) and isinstance(getattr(instance, "_fields", None), tuple)
    return is_tuple and (not strict or type(instance).__base__ is tuple)


def is_mapping(obj: Any) -> bool:
    """Returns True for mappings.

    Args:
        obj: A value.
    """
    return isinstance(obj, Mapping)


def is_attrs(obj: Any) -> bool:
    """Returns True for instances of ``attrs`` classes.

    Args:
        obj: A value.
    """
    return nest.has_fields(obj)


def sequence_like(instance: Any, args: Any) -> Any:
    """Returns a structure of the class of another one.

    Args:
        instance: A structure; keys and metadata are its.
        args: The children, in the order of sorted keys.
    """
    if _has_spec(instance):
        spec = instance._type_spec
        return spec._from_components(nest.pack_sequence_as(spec._to_components(instance), args))
    return nest._rebuilt(instance, list(args))


def yield_sorted_items(iterable: Any) -> Iterator[tuple[Any, Any]]:
    """Yields the keys and children of a structure, in the order of sorted keys.

    Args:
        iterable: A mapping, a named tuple, an ``attrs`` object, a sequence or a composite tensor.
    """
    if isinstance(iterable, Mapping):
        yield from ((key, iterable[key]) for key in sorted(iterable))
    elif nest.has_fields(iterable):
        fields = type(iterable).__attrs_attrs__
        yield from ((field.name, getattr(iterable, field.name)) for field in fields)
    elif is_namedtuple(iterable):
        yield from ((name, getattr(iterable, name)) for name in iterable._fields)
    elif _has_spec(iterable):
        yield type(iterable).__name__, iterable._type_spec._to_components(iterable)
    else:
        yield from enumerate(iterable.__tf_flatten__()[1] if _has_flatten(iterable) else iterable)


def yield_value(iterable: Any) -> Iterator[Any]:
    """Yields the children of a structure, in the order of sorted keys.

    Args:
        iterable: A structure.
    """
    return (value for _, value in yield_sorted_items(iterable))


def _has_flatten(value: Any) -> bool:
    return hasattr(type(value), "__tf_flatten__")


def _has_spec(value: Any) -> bool:
    """True for composite tensors."""
    return not nest.is_nested(value) and nest._spec(value) is not None


def _is_inner(value: Any, expand: bool) -> bool:
    """True for a value that has children."""
    return nest.is_nested(value) or nest._spec(value, expand) is not None


# ------------------------------------------------------------------ shallow structures


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Asserts that one structure is the upper part of another.

    Args:
        shallow_tree: The upper part.
        input_tree: A structure that may be deeper.
        check_types: Whether the types of the sequences must be the same.
        expand_composites: Whether composite tensors are structures of their components.

    Raises:
        TypeError: A child is a leaf, or the types of the sequences differ.
        ValueError: The numbers of children or the keys differ.
    """
    if not _is_inner(shallow_tree, expand_composites):
        return
    if not _is_inner(input_tree, expand_composites):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"{type(input_tree)}."
        )
    if nest.is_nested(shallow_tree) != nest.is_nested(input_tree) or (
        check_types and not _has_type_of(input_tree, shallow_tree)
    ):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{type(input_tree)}, while shallow structure has type {type(shallow_tree)}."
        )
    shallow, deep = (list(yield_sorted_items(tree)) for tree in (shallow_tree, input_tree))
    if len(shallow) != len(deep):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(deep)}, while shallow structure has length {len(shallow)}."
        )
    if isinstance(shallow_tree, Mapping) and isinstance(input_tree, Mapping):
        absent = sorted(set(shallow_tree) - set(input_tree))
        if absent:
            raise ValueError(
                "The shallow_tree's keys are not a subset of the input_tree's keys. The "
                "shallow_tree has the following keys that are not in the input_tree: "
                f"{absent}."
            )
    for (_, above), (_, below) in zip(shallow, deep):
        assert_shallow_structure(above, below, check_types, expand_composites)


def _has_type_of(value: Any, other: Any) -> bool:
    if is_namedtuple(other) and is_namedtuple(value):
        return bool(nest._same_type(value, other))
    if isinstance(other, Mapping) and isinstance(value, Mapping):
        return True
    if not nest.is_nested(other):
        return type(value) is type(other)
    return isinstance(value, type(other)) or isinstance(other, type(value))


def _yield_up_to(shallow: Any, tree: Any, expand: bool, path: Path = ()) -> Iterator[Any]:
    """Yields the path and the value of each leaf of the upper part of a structure."""
    if not _is_inner(shallow, expand):
        yield path, tree
        return
    children = dict(yield_sorted_items(tree))
    for key, child in yield_sorted_items(shallow):
        yield from _yield_up_to(child, children[key], expand, (*path, key))


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[tuple[Path, Any]]:
    """Returns the paths and values of a structure at the leaves of its upper part.

    Args:
        shallow_tree: The upper part.
        input_tree: The structure.
        check_types: Whether the types of the sequences must be the same.
        expand_composites: Whether composite tensors are structures of their components.

    Raises:
        TypeError: A child is a leaf, or the types of the sequences differ.
        ValueError: The numbers of children or the keys differ.
    """
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites)
    return list(_yield_up_to(shallow_tree, input_tree, expand_composites))


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """Returns the values of a structure at the leaves of its upper part.

    Args:
        shallow_tree: The upper part.
        input_tree: The structure.
        check_types: Whether the types of the sequences must be the same.
        expand_composites: Whether composite tensors are structures of their components.

    Raises:
        TypeError: A child is a leaf, or the types of the sequences differ.
        ValueError: The numbers of children or the keys differ.
    """
    items = flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types, expand_composites)
    return [value for _, value in items]


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Applies a function to paths and values at the leaves of the upper part of structures.

    Args:
        shallow_tree: The upper part.
        func: Called with a path and a value of each structure.
        *inputs: The structures.
        **kwargs: ``check_types`` and ``expand_composites``, as of ``flatten_up_to``; others are
            passed to ``func``.

    Returns:
        A structure like the upper part.

    Raises:
        ValueError: There is no structure, or they differ.
    """
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    flat = [flatten_with_tuple_paths_up_to(shallow_tree, x, check_types, expand) for x in inputs]
    results = [
        func(group[0][0], *(value for _, value in group), **kwargs)
        for group in zip(*flat, strict=True)
    ]
    return nest.pack_sequence_as(shallow_tree, results, expand)


def map_structure_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Applies a function to the values at the leaves of the upper part of structures.

    Args:
        shallow_tree: The upper part.
        func: Called with a value of each structure.
        *inputs: The structures.
        **kwargs: As of ``map_structure_with_tuple_paths_up_to``.

    Returns:
        A structure like the upper part.

    Raises:
        ValueError: There is no structure, or they differ.
    """
    without_path = lambda _, *values, **others: func(*values, **others)
    return map_structure_with_tuple_paths_up_to(shallow_tree, without_path, *inputs, **kwargs)


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """Returns the upper part of a structure that a function selects: True where it goes on.

    Args:
        traverse_fn: Called with a substructure; returns a bool, or one for each child.
        structure: A structure.
        expand_composites: Whether composite tensors are structures of their components.

    Raises:
        TypeError: ``traverse_fn`` returned something else.
        ValueError: Its result has another number of children.
    """
    goes_on = traverse_fn(structure)
    if not _is_inner(structure, expand_composites):
        if not isinstance(goes_on, bool):
            raise TypeError(
                f"traverse_fn returned structure: {goes_on} for non-structure: {structure}"
            )
        return goes_on
    if isinstance(goes_on, bool):
        if not goes_on:
            return False
        choices: list[bool] = [True] * len(list(yield_value(structure)))
    else:
        choices = _choices(goes_on, structure)
    children = list(yield_value(structure))
    return sequence_like(
        structure,
        [
            get_traverse_shallow_structure(traverse_fn, child, expand_composites)
            if choice and _is_inner(child, expand_composites)
            else choice
            for choice, child in zip(choices, children, strict=True)
        ],
    )


def _choices(goes_on: Any, structure: Any) -> list[bool]:
    if not nest.is_nested(goes_on):
        raise TypeError(f"traverse_fn returned a non-bool scalar: {goes_on} for input: {structure}")
    assert_shallow_structure(goes_on, structure)
    choices = list(yield_value(goes_on))
    if not all(isinstance(choice, bool) for choice in choices):
        raise TypeError(
            "traverse_fn didn't return a depth=1 structure of bools.  "
            f"saw: {goes_on}  for structure: {structure}"
        )
    return choices


# ------------------------------------------------------------------ paths


def flatten_with_tuple_paths(
    structure: Any, expand_composites: bool = False
) -> list[tuple[Path, Any]]:
    """Returns the path and the value of each leaf.

    Args:
        structure: A structure.
        expand_composites: Whether composite tensors are structures of their components.
    """
    return list(_yield_up_to(structure, structure, expand_composites))


def yield_flat_paths(nest: Any, expand_composites: bool = False) -> Iterator[Path]:
    """Yields the path of each leaf: keys, names and indices.

    Args:
        nest: A structure.
        expand_composites: Whether composite tensors are structures of their components.
    """
    for path, _ in _yield_up_to(nest, nest, expand_composites):
        yield path


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Applies a function to the path and value of each leaf.

    Args:
        func: Called with a path and a leaf of each structure.
        *structure: Structures; the first one has the leaves.
        **kwargs: As of ``map_structure_with_tuple_paths_up_to``.
    """
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Applies a function to the path, as text with slashes, and value of each leaf.

    Args:
        func: Called with a path and a leaf of each structure.
        *structure: Structures; the first one has the leaves.
        **kwargs: As of ``map_structure_with_tuple_paths_up_to``.
    """

    def with_text(path: tuple[Any, ...], *leaves: Any) -> Any:
        return func("/".join(map(str, path)), *leaves)

    return map_structure_with_tuple_paths_up_to(structure[0], with_text, *structure, **kwargs)


def list_to_tuple(structure: Any) -> Any:
    """Returns a structure with tuples in place of lists.

    Args:
        structure: A structure.
    """
    if not nest.is_nested(structure):
        return structure
    children = list(map(list_to_tuple, yield_value(structure)))
    is_list = isinstance(structure, list)
    return tuple(children) if is_list else sequence_like(structure, children)
