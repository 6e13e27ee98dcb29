"""Objects whose children checkpoints save: trackables, and wrappers of lists, dictionaries and tuples.

A plain container assigned to an attribute is replaced by a wrapper. The wrapper shares the storage
of the original, so that elements added to the original are visible in the wrapper.
"""

from __future__ import annotations

import contextlib
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterable
from copy import deepcopy
from functools import cache, update_wrapper
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor

# Internal attributes, under TensorFlow's names: the children, deferred restorations by name or by
# object, and the uid of the checkpoint that the value was restored from.
CHILDREN, DEFERRED = (
    "_self_unconditional_dependency_names",
    "_self_unconditional_deferred_dependencies",
)
BY_NAME, RESTORED_BY = "_self_name_based_restores", "_self_update_uid"
PRIVATE = (CHILDREN, DEFERRED, BY_NAME, RESTORED_BY)


class TrackableReference(NamedTuple):
    """A child of an object with its name."""

    name: str
    ref: Any


class NoDependency:
    """A value that is not tracked when it is set as an attribute."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Trackable:
    """Base class of objects in checkpoints, with children by name or a value.

    Libraries override ``_trackable_children``, ``_serialize_to_tensors`` and
    ``_restore_from_tensors``, and call the other methods that TensorFlow's class has.
    """

    _self_update_uid: int = 0  # uid of the checkpoint that the value was restored from
    _self_setattr_tracking: bool = True  # True if attributes become children when set
    _saves: str | None = None  # name of the saved value; None without a value

    def _trackable_children(
        self, save_type: Any = "checkpoint", cache: Any = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Returns the children by name, as they are saved.

        Args:
            save_type: ``"checkpoint"`` or ``"savedmodel"``.
            cache: Values that the objects of one save share.
            **kwargs: Further options of saving.
        """
        return dict(vars(self).get(CHILDREN, ()))

    @property
    def _setattr_tracking(self) -> bool:
        return self._self_setattr_tracking

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        self._self_setattr_tracking = value

    @property
    def _update_uid(self) -> int:
        return self._self_update_uid

    @_update_uid.setter
    def _update_uid(self, value: int) -> None:
        self._self_update_uid = value

    @property
    def _object_identifier(self) -> str:
        """The kind of object in saved models."""
        return "_generic_user_object"

    @property
    def _unconditional_dependency_names(self) -> dict[str, Any]:
        self._maybe_initialize_trackable()
        children: dict[str, Any] = vars(self)[CHILDREN]
        return children

    @property
    def _unconditional_checkpoint_dependencies(self) -> list[TrackableReference]:
        return [TrackableReference(*item) for item in self._unconditional_dependency_names.items()]

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        return self._unconditional_checkpoint_dependencies

    @property
    def _deferred_dependencies(self) -> dict[str, Any]:
        self._maybe_initialize_trackable()
        deferred: dict[str, Any] = vars(self)[DEFERRED]
        return deferred

    def _maybe_initialize_trackable(self) -> None:
        """Creates the attributes with the children and the deferred restorations."""
        attributes = vars(self)
        if CHILDREN not in attributes:
            attributes |= {
                CHILDREN: {},
                DEFERRED: attributes.get(DEFERRED, {}),
                BY_NAME: attributes.get(BY_NAME, []),
            }

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Adds a child.

        Args:
            trackable: A trackable object.
            name: Its name.
            overwrite: Whether it may replace another child of the name.

        Returns:
            The child.

        Raises:
            TypeError: The object is not trackable.
            ValueError: Another child has the name.
        """
        if not isinstance(trackable, Trackable):
            raise TypeError(
                "Trackable._track_trackable() can only be used to track objects of type Trackable. "
                f"Got type {type(trackable)}."
            )
        existing = self._lookup_dependency(name)
        if existing is not None and existing is not trackable and not overwrite:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with this "
                "name is already declared as a dependency. Names must be unique (or overwrite=True)."
            )
        self._track(name, trackable)
        return trackable

    def _add_variable_with_custom_getter(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = "float32",
        initializer: Any = None,
        getter: Any = None,
        overwrite: bool = False,
        **kwargs_for_getter: Any,
    ) -> Any:
        """Creates a variable and adds it as a child, restored from earlier restored checkpoints.

        Args:
            name: The name of the child and of the variable.
            shape: The shape of the variable.
            dtype: Its dtype.
            initializer: Its initializer.
            getter: A function of the arguments above that returns the variable.
            overwrite: Whether it may replace another child of the name.
            **kwargs_for_getter: Further arguments of ``getter``.

        Returns:
            The variable.

        Raises:
            ValueError: Another child has the name.
        """
        if not overwrite and self._lookup_dependency(name) is not None:
            raise ValueError(
                f"A variable named '{name}' already exists in this Trackable, but "
                "Trackable._add_variable called to create another with that name. Variable names "
                "must be unique within a Trackable object."
            )
        variable = getter(
            name=name, shape=shape, dtype=dtype, initializer=initializer, **kwargs_for_getter
        )
        if not isinstance(variable, Trackable):
            return variable
        return self._track_trackable(variable, name, overwrite)

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        """Returns a child, or None.

        Args:
            name: Its name.
            cached_dependencies: The children by name, where they are known.
        """
        if cached_dependencies is not None:
            return cached_dependencies.get(name)
        return vars(self).get(CHILDREN, {}).get(name)

    def _handle_deferred_dependencies(self, name: str, trackable: Any) -> None:
        """Restores a new child from earlier restored checkpoints.

        Args:
            name: Its name.
            trackable: The child.
        """
        self._restore_late(name, trackable)

    def _no_dependency(self, value: Any) -> Any:
        """Returns a value that is not tracked when it is set as an attribute: here the value."""
        return value

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """Returns the tensors to save by name.

        Raises:
            NotImplementedError: The class has no values to save.
        """
        raise NotImplementedError

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        """Restores the values that ``_serialize_to_tensors`` returned.

        Args:
            restored_tensors: The tensors by name.

        Raises:
            NotImplementedError: The class has no values to save.
        """
        raise NotImplementedError

    def _saved_variable(self) -> Any:
        """Returns the variable whose value is saved, or None."""
        return None

    _suffix = ""  # appended to the key of the value in files, for one of several parts

    def _saved_parts(self) -> tuple[Any, ...]:
        """Returns the objects with values to save: the object itself, none, or several parts."""
        if self._saves is not None:
            return (self,)
        if type(self)._serialize_to_tensors is Trackable._serialize_to_tensors:
            return ()
        return _tensor_parts(self)

    def _track(self, name: str, value: Any) -> None:
        """Adds a child, and applies deferred restorations to it."""
        self._maybe_initialize_trackable()
        vars(self)[CHILDREN][name] = value
        self._restore_late(name, value)

    def _restore_late(self, name: str, value: Any) -> None:
        """Restores a new child from earlier restored checkpoints, latest first."""
        attributes = vars(self)
        waiting = attributes[DEFERRED].pop(name, ()) if DEFERRED in attributes else ()
        for position in sorted(waiting, key=lambda p: p.restored_by, reverse=True):
            position.restore(value)
        for restore in attributes.get(BY_NAME, ()):
            restore.restore(value)


def restore_item(structure: Trackable, name: str, item: Any) -> None:
    """Restores a new item of a list or dictionary, which keeps its value where the saved one does not fit."""
    with contextlib.suppress(ValueError):
        structure._restore_late(name, item)


class _TensorPart(Trackable):
    """One of the tensors that an object of a library saves.

    Args:
        owner: The object.
        name: The name of the tensor.
        tensors: All tensors of the object.
        restored: Receives the restored tensors of all parts.
    """

    def __init__(
        self, owner: Trackable, name: str, tensors: dict[str, Any], restored: dict[str, Any]
    ) -> None:
        self._owner, self._name, self._tensors, self._restored = owner, name, tensors, restored
        self._saves = name

    def saved_array(self) -> tuple[Any, Any]:
        """Returns the value as an array, and its dtype."""
        tensor = convert_to_tensor(self._tensors[self._name])
        return np.asarray(tensor.numpy(), tensor.dtype.np), tensor.dtype

    def deserialize(self, value: Any) -> None:
        """Restores the owner once the values of all parts are there."""
        self._restored[self._name] = convert_to_tensor(value)
        if len(self._restored) == len(self._tensors):
            self._owner._restore_from_tensors(self._restored)


def _tensor_parts(owner: Trackable) -> tuple[Trackable, ...]:
    """Returns the parts of an object of a class with ``_serialize_to_tensors``."""
    try:
        tensors = owner._serialize_to_tensors()
    except NotImplementedError:
        return ()
    restored: dict[str, Any] = {}
    return tuple(_TensorPart(owner, name, tensors, restored) for name in tensors)


class SavedValue(Trackable):
    """Base class of objects with a value in checkpoints, such as variables."""

    _saves = "VARIABLE_VALUE"

    def _saved_variable(self) -> Any:
        return self


_ABSENT = object()


class TrackableDataStructure(Trackable):
    """Base class of the wrappers of containers, with the weights of the layers inside."""

    @property
    def _values(self) -> list[Any]:
        """The values of the container."""
        container: Any = self
        return list(container.values() if isinstance(self, dict) else container)

    @property
    def _layers(self) -> list[Any]:
        """The layers and further containers inside."""
        return [
            value
            for value in self._values
            if isinstance(value, TrackableDataStructure) or _has_weights(value)
        ]

    @property
    def trainable_weights(self) -> list[Any]:
        """The trainable weights of the layers, and trainable variables of the container."""
        return self._weights("trainable_weights", lambda variable: variable.trainable)

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other weights of the layers, and other variables of the container."""
        return self._weights("non_trainable_weights", lambda variable: not variable.trainable)

    @property
    def weights(self) -> list[Any]:
        """All weights, those that are trained first."""
        return self.trainable_weights + self.non_trainable_weights

    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights
    variables = weights

    def _weights(self, kind: str, is_wanted: Callable[[Any], bool]) -> list[Any]:
        inside = [weight for layer in self._layers for weight in getattr(layer, kind)]
        variables = [x for x in self._values if isinstance(x, SavedValue)]
        return inside + [x for x in variables if hasattr(x, "trainable") and is_wanted(x)]


def _has_weights(value: Any) -> bool:
    """True if the class of an object has the weights of a layer."""
    kind = type(value)
    return hasattr(kind, "trainable_weights") and hasattr(kind, "non_trainable_weights")


def wrapped(value: Any) -> Any:
    """Returns a value with plain containers replaced by trackable wrappers, recursively."""
    kind: Any = type(value)
    if kind is list:
        return ListWrapper(value)
    if kind is dict:
        return _DictWrapper(value)
    if kind is OrderedDict:
        return _OrderedDictWrapper(value)
    if isinstance(value, tuple) and not isinstance(value, Trackable):
        return _wrapped_tuple(value)
    return value


def _unsaved_error(
    value: Any, kind: str, purpose: str, why: str, wrap: str = "a non-trackable"
) -> ValueError:
    return ValueError(
        f"Unable to save the object {value!s} (a {kind} wrapper constructed {purpose}). {why}\n\n"
        f"If you don't need this {kind} checkpointed, wrap it in {wrap} object; it will be subsequently ignored."
    )


def _change_message(now: Any, kind: str) -> str:
    return (
        f"The wrapped {kind} was modified outside the wrapper (its final value was {now}, its value when a "
        "checkpoint dependency was added was None), which breaks restoration on object creation."
    )


def _delegate(*names: str) -> Callable[[type], type]:
    """Decorator that makes methods of a container read the wrapped storage."""

    def extend(of: type) -> type:
        base = next(b for b in of.__mro__ if b in (list, dict))
        for name in names:
            original = getattr(base, name)
            setattr(of, name, update_wrapper(_reader(original), original))
        return of

    return extend


def _reader(method: Any) -> Callable[..., Any]:
    def read(self: Any, *args: Any, **options: Any) -> Any:
        return method(self._storage, *args, **options)

    return read


_COMPARED = (
    "__eq__",
    "__ne__",
    "__len__",
    "__getitem__",
    "__contains__",
    "__iter__",
    "__reversed__",
)


@_delegate(
    *_COMPARED,
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__add__",
    "__mul__",
    "__rmul__",
    "index",
    "count",
)
class ListWrapper(TrackableDataStructure, list[Any]):
    """A trackable list. Checkpoints can save it as long as it is append-only.

    Args:
        values: A list, whose storage is shared, or other values.
    """

    __hash__ = None

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self._storage = values if type(values) is list else list(values)
        self._moved = self._foreign = False
        for index, value in enumerate(self._storage):
            self._storage[index] = wrapped(value)
        self._settle()

    def _settle(self) -> None:
        """Stores a snapshot of the list in this object's own storage, which C code reads."""
        list.__setitem__(self, slice(None), self._storage)

    def _trackable_children(
        self, save_type: Any = "checkpoint", cache: Any = None, **kwargs: Any
    ) -> dict[str, Any]:
        purpose, now = "to track trackable TensorFlow objects", self._storage
        if self._moved:
            raise _unsaved_error(
                self,
                "list",
                purpose,
                "A list element was replaced (__setitem__, __setslice__), deleted (__delitem__, __delslice__), or "
                "moved (sort). In order to support restoration on object creation, tracking is exclusively for "
                "append-only data structures.",
            )
        if self._is_changed_outside() or any(a is not b for a, b in zip(now, list.__iter__(self))):
            raise _unsaved_error(
                self, "list", purpose, _change_message(now, "list"), "a NoDependency"
            )
        return {str(i): value for i, value in enumerate(now) if isinstance(value, Trackable)}

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        child = (
            self._storage[int(name)]
            if name.isdecimal() and int(name) < len(self._storage)
            else None
        )
        return child if isinstance(child, Trackable) else None

    def _is_changed_outside(self) -> bool:
        """True if the original has changed its length outside the wrapper."""
        self._foreign = self._foreign or len(self._storage) != list.__len__(self)
        return self._foreign

    # ---------------------------------------------------------------- appending
    def append(self, value: Any) -> None:
        """Appends a value."""
        value = wrapped(value)
        if self._is_changed_outside():
            self._settle()
        self._storage.append(value)
        list.append(self, value)
        if isinstance(value, Trackable):
            restore_item(self, str(len(self._storage) - 1), value)

    def extend(self, values: Iterable[Any]) -> None:
        """Appends several values."""
        for value in list(values):
            self.append(value)

    def __iadd__(self, values: Iterable[Any]) -> ListWrapper:  # type: ignore[misc]
        self.extend(values)
        return self

    def __radd__(self, values: list[Any]) -> list[Any]:
        return values + self._storage

    def __imul__(self, count: Any) -> ListWrapper:  # type: ignore[misc]
        if count < 1:
            self.clear()
        self.extend(self._storage * (count - 1))
        return self

    def __repr__(self) -> str:
        return f"ListWrapper({self._storage!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self._storage),)

    def __copy__(self) -> ListWrapper:
        return ListWrapper(list(self._storage))

    copy = __copy__

    def __deepcopy__(self, memo: dict[int, Any]) -> ListWrapper:
        memo[id(self)] = copy = ListWrapper()
        copy.extend(deepcopy(value, memo) for value in self._storage)
        return copy


def _mover(name: str) -> Callable[..., Any]:
    """Returns a method that moves, replaces or removes elements, after which saving is refused."""
    original = getattr(list, name)

    def moving(self: ListWrapper, *args: Any, **options: Any) -> Any:
        self._is_changed_outside()
        before = list(self._storage)
        result = original(self._storage, *args, **options)
        for index, value in enumerate(self._storage):
            self._storage[index] = wrapped(value)
        changed = [
            v for pair in zip_longest(before, self._storage) if pair[0] is not pair[1] for v in pair
        ]
        self._moved = self._moved or any(isinstance(value, Trackable) for value in changed)
        self._settle()
        return result

    return update_wrapper(moving, original)


for _name in ("__setitem__", "__delitem__", "insert", "pop", "remove", "clear", "sort", "reverse"):
    setattr(ListWrapper, _name, _mover(_name))


class _Mapping(TrackableDataStructure):
    """Base class of trackable dictionaries; a deleted key remains a child, as in TensorFlow."""

    _storage: dict[Any, Any]

    def _wrap(self, values: dict[Any, Any]) -> None:
        self._storage, self._odd, self._foreign = values, False, False
        for key, value in values.items():
            values[key] = self._track_item(key, wrapped(value))
        self._settle()

    def _track_item(self, key: Any, value: Any) -> Any:
        if isinstance(value, Trackable):
            if isinstance(key, str):
                self._maybe_initialize_trackable()
                vars(self)[CHILDREN][key] = value
                restore_item(self, key, value)
            else:
                self._odd = True
        return value

    def _settle(self) -> None:
        self._seen = dict(self._storage)

    def _trackable_children(
        self, save_type: Any = "checkpoint", cache: Any = None, **kwargs: Any
    ) -> dict[str, Any]:
        purpose = "automatically on attribute assignment"
        if self._odd:
            why = "The wrapped dictionary contains a non-string key which maps to a trackable object or mutable data structure."
            raise _unsaved_error(self, "dictionary", purpose, why)
        seen, now = self._seen, self._storage
        if self._is_changed_outside() or any(
            now.get(key, _ABSENT) is not value for key, value in seen.items()
        ):
            raise _unsaved_error(self, "dictionary", purpose, _change_message(now, "dictionary"))
        return super()._trackable_children()

    def _is_changed_outside(self) -> bool:
        """True if the original has changed its length outside the wrapper."""
        self._foreign = self._foreign or len(self._storage) != len(self._seen)
        return self._foreign

    def __setitem__(self, key: Any, value: Any) -> None:
        value = wrapped(value)
        self._is_changed_outside()
        self._storage[key] = value
        self._settle()
        self._track_item(key, value)

    def __delitem__(self, key: Any) -> None:
        self._is_changed_outside()
        del self._storage[key]
        self._settle()

    def __repr__(self) -> str:
        return f"DictWrapper({self._storage!r})"

    def __str__(self) -> str:
        return str(self._storage)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self._storage), (type(self._storage)(self._storage),)

    def __copy__(self) -> Any:
        return wrapped(self._storage.copy())

    copy = __copy__

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        memo[id(self)] = copy = wrapped(type(self._storage)())
        for key, value in self._storage.items():
            copy[deepcopy(key, memo)] = deepcopy(value, memo)
        return copy


# Further mutating methods: a checkpoint detects the change, as in TensorFlow.
_CHANGING = ("pop", "popitem", "clear", "update", "setdefault", "__ior__")
_READING = (*_COMPARED, "__or__", "__ror__", "keys", "values", "items", "get")


@_delegate(*_READING, *_CHANGING)
class _DictWrapper(_Mapping, dict[Any, Any]):
    """A trackable dictionary."""

    __hash__ = None

    def __init__(self, values: Any = (), **more: Any) -> None:
        super().__init__()
        self._wrap(values if type(values) is dict and not more else dict(values, **more))

    def _settle(self) -> None:
        super()._settle()
        dict.clear(self)  # its own storage, which C code reads
        dict.update(self, self._storage)


class _OrderedDictWrapper(_Mapping, OrderedDict[Any, Any]):
    """A trackable ordered dictionary."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: Any = (), **more: Any) -> None:
        super().__init__()
        self._wrap(
            values if type(values) is OrderedDict and not more else OrderedDict(values, **more)
        )


for _name in (*_READING, *_CHANGING, "move_to_end"):
    setattr(_OrderedDictWrapper, _name, _reader(getattr(OrderedDict, _name)))


class _Tuple(TrackableDataStructure):
    """Base class of trackable tuples."""

    _kind: Any = tuple

    def _trackable_children(
        self, save_type: Any = "checkpoint", cache: Any = None, **kwargs: Any
    ) -> dict[str, Any]:
        items: Any = self
        names = getattr(self, "_fields", ())
        pairs = [*zip(names, items), *((str(i), value) for i, value in enumerate(items))]
        return {name: value for name, value in pairs if isinstance(value, Trackable)}

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        return self._trackable_children().get(name)

    def __repr__(self) -> str:
        return f"_TupleWrapper({self!s})"

    def __str__(self) -> str:
        return repr(self._plain())

    def __reduce__(self) -> tuple[Any, ...]:
        return _plain_tuple, (self._kind, tuple(self))  # type: ignore[arg-type]

    def _plain(self) -> Any:
        return _plain_tuple(self._kind, tuple(self))  # type: ignore[arg-type]

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        copy = memo[id(self)] = wrapped(deepcopy(self._plain(), memo))
        return copy


def _plain_tuple(kind: Any, values: tuple[Any, ...]) -> Any:
    return kind._make(values) if hasattr(kind, "_make") else kind(values)


class _TupleWrapper(_Tuple, tuple[Any, ...]):
    """A trackable tuple."""


@cache
def _namedtuple_wrapper(kind: Any) -> Any:
    """Returns the class of trackable named tuples of a kind; other code that calls it gets plain ones."""
    members = {"_kind": kind, "__new__": lambda _, *args, **kwargs: kind(*args, **kwargs)}
    return type("_TupleWrapper", (_Tuple, kind), members | {"_make": kind._make})


def _wrapped_tuple(value: Any) -> Any:
    """Returns a trackable tuple; the tuple itself where nothing in it is trackable."""
    items = [wrapped(item) for item in value]
    if not any(isinstance(item, Trackable) for item in items):
        return value
    kind: Any = type(value)
    if kind is not tuple and not hasattr(kind, "_make"):
        return value
    return tuple.__new__(_TupleWrapper if kind is tuple else _namedtuple_wrapper(kind), items)


class AutoTrackable(Trackable):
    """An object that tracks its attributes: variables, trackable objects, containers of them."""

    def __setattr__(self, name: str, value: Any) -> None:
        if vars(self).get(name, _ABSENT) is value:
            return
        if not self._self_setattr_tracking:
            super().__setattr__(name, value)
            return
        if isinstance(value, NoDependency):
            super().__setattr__(name, value.value)
            return
        value = wrapped(value)
        super().__setattr__(name, value)
        if isinstance(value, Trackable):
            self._track(name, value)

    def _trackable_children(
        self, save_type: Any = "checkpoint", cache: Any = None, **kwargs: Any
    ) -> dict[str, Any]:
        children = super()._trackable_children(save_type, cache, **kwargs)
        if save_type != "savedmodel":
            return children
        tracked = {name: child for name, child in children.items() if not _is_function(child)}
        return tracked | functions_of(self)

    def _no_dependency(self, value: Any) -> NoDependency:
        """Returns a value that is not tracked when it is set as an attribute."""
        return NoDependency(value)

    def _delete_tracking(self, name: str) -> None:
        """Removes a child, if there is one of that name.

        Args:
            name: Its name.
        """
        vars(self).get(CHILDREN, {}).pop(name, None)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        self._delete_tracking(name)

    def __getstate__(self) -> dict[str, Any]:
        """Returns the attributes, without private tracking state."""
        slots = [name for of in type(self).__mro__ for name in _slots(of) if hasattr(self, name)]
        state = {name: getattr(self, name) for name in slots}
        return state | {name: value for name, value in vars(self).items() if name not in PRIVATE}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            AutoTrackable.__setattr__(self, name, value)


def _is_function(value: Any) -> bool:
    return getattr(type(value), "_is_traced", False)


def functions_of(value: Any) -> dict[str, Any]:
    """Returns the traced functions among the attributes of an object, by name."""
    functions = {}
    for name in dir(value):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                member = getattr(value, name)
        except Exception:  # a property may raise anything
            continue
        if _is_function(member):
            functions[name] = member
    return functions


def _slots(of: type) -> list[str]:
    names = vars(of).get("__slots__", ())
    names = (names,) if isinstance(names, str) else names
    return [name for name in names if name not in ("__dict__", "__weakref__")]
