"""Hooks, classes and settings that the package ``tf_keras`` registers or inherits from."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.dispatch.op import API
from twinflow._src.wings.data.dataset import DatasetSource

# The functions that Keras registered, by name; bounded by the names below.
HOOKS: dict[str, Callable[..., Any]] = {}


def register_call_context_function(func: Callable[..., Any]) -> None:
    """Registers the function that returns the context of the layer that is called.

    Args:
        func: A function without arguments.
    """
    HOOKS["call_context"] = func


def register_clear_session_function(func: Callable[..., Any]) -> None:
    """Registers the function that resets the global state of Keras.

    Args:
        func: A function without arguments.
    """
    HOOKS["clear_session"] = func


def register_get_session_function(func: Callable[..., Any]) -> None:
    """Registers the function that returns the session of Keras.

    Args:
        func: A function without arguments.
    """
    HOOKS["get_session"] = func


def register_load_model_function(func: Callable[..., Any]) -> None:
    """Registers the function that loads a model of Keras.

    Args:
        func: A function of a path.
    """
    HOOKS["load_model"] = func


def register_session_provider(session_provider: Callable[..., Any]) -> None:
    """Registers the function that returns the session in which checkpoints are restored.

    Args:
        session_provider: A function without arguments.
    """
    HOOKS["session_provider"] = session_provider


class GeneratorDataset(DatasetSource):
    """The class of the datasets inside of ``tf.data.Dataset.from_generator``, none of which is public."""


class StateManager:
    """The interface of the stores of the variables of feature columns."""

    def create_variable(
        self,
        feature_column: Any,
        name: str,
        shape: Any,
        dtype: Any = None,
        trainable: bool = True,
        use_resource: bool = True,
        initializer: Any = None,
    ) -> Any:
        """Creates a variable.

        Args:
            feature_column: The feature column that has it.
            name: The name of the variable.
            shape: The shape.
            dtype: The dtype.
            trainable: Whether optimizers train it.
            use_resource: Whether it is a resource variable.
            initializer: Its initializer.
        """
        raise NotImplementedError("StateManager.create_variable")

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """Returns a variable.

        Args:
            feature_column: The feature column that has it.
            name: The name of the variable.
        """
        raise NotImplementedError("StateManager.get_var")

    def add_resource(self, feature_column: Any, name: str, resource: Any) -> None:
        """Adds a resource, such as a table.

        Args:
            feature_column: The feature column that has it.
            name: The name of the resource.
            resource: The resource.
        """
        raise NotImplementedError("StateManager.add_resource")

    def has_resource(self, feature_column: Any, name: str) -> bool:
        """Returns True if there is a resource of a name.

        Args:
            feature_column: The feature column that has it.
            name: The name of the resource.
        """
        raise NotImplementedError("StateManager.has_resource")

    def get_resource(self, feature_column: Any, name: str) -> Any:
        """Returns a resource.

        Args:
            feature_column: The feature column that has it.
            name: The name of the resource.
        """
        raise NotImplementedError("StateManager.get_resource")


class KerasModeKeys:
    """The names of the modes of a model."""

    TRAIN = "train"
    TEST = "test"
    PREDICT = "predict"


# ------------------------------------------------------------------ loss scales


# Wrappers by class of optimizers; bounded by the number of registrations.
_LOSS_SCALE_WRAPPERS: dict[type, tuple[Callable[..., Any], Any]] = {}


def register_loss_scale_wrapper(
    optimizer_cls: type, wrapper_fn: Callable[..., Any], wrapper_cls: Any = None
) -> None:
    """Registers the function that adds loss scaling to optimizers of a class.

    Args:
        optimizer_cls: The class of the optimizers.
        wrapper_fn: A function of an optimizer and a loss scale.
        wrapper_cls: The class of its results; the function itself where None.
    """
    _LOSS_SCALE_WRAPPERS[optimizer_cls] = wrapper_fn, wrapper_cls or wrapper_fn


# ------------------------------------------------------------------ revived types


class VersionedTypeRegistration:
    """One version of a class whose objects are saved under an identifier.

    Args:
        object_factory: A function that returns an object for a saved message.
        version: The version that is written.
        min_producer_version: The oldest version that is read.
        min_consumer_version: The oldest reader.
        bad_consumers: Readers that cannot read it.
        setter: A function that sets an attribute of an object.
    """

    def __init__(
        self,
        object_factory: Callable[[Any], Any],
        version: int,
        min_producer_version: int,
        min_consumer_version: int,
        bad_consumers: Sequence[int] | None = None,
        setter: Callable[[Any, str, Any], None] = setattr,
    ) -> None:
        self.identifier: str | None = None
        self._object_factory, self.setter, self.version = object_factory, setter, version
        self._min_consumer_version = min_consumer_version
        self._min_producer_version = min_producer_version
        self._bad_consumers = list(bad_consumers or ())

    def should_load(self, proto: Any) -> bool:
        """Returns True if this version reads a saved object.

        Args:
            proto: The ``SavedUserObject`` message.
        """
        return (
            proto.identifier == self.identifier
            and self.version >= proto.version.min_consumer
            and proto.version.producer >= self._min_producer_version
            and self.version not in proto.version.bad_consumers
        )

    def from_proto(self, proto: Any) -> Any:
        """Returns an object for a saved message.

        Args:
            proto: The ``SavedUserObject`` message.
        """
        return self._object_factory(proto)


# Predicates and versions by identifier; bounded by the number of registrations.
_REVIVED: dict[str, tuple[Callable[[Any], bool], list[VersionedTypeRegistration]]] = {}


def register_revived_type(
    identifier: str,
    predicate: Callable[[Any], bool],
    versions: Sequence[VersionedTypeRegistration],
) -> None:
    """Registers a class of objects that are saved under an identifier.

    Args:
        identifier: The identifier.
        predicate: A function that is true for its objects.
        versions: The versions of the class.

    Raises:
        AssertionError: The identifier is registered already, or a version occurs twice.
    """
    ordered = sorted(versions, key=lambda registration: registration.version, reverse=True)
    if len({registration.version for registration in ordered}) != len(ordered):
        raise AssertionError(f"Got multiple registrations with version {ordered[0].version}.")
    if identifier in _REVIVED:
        raise AssertionError(f"Duplicate registrations for type '{identifier}'")
    for registration in ordered:
        registration.identifier = identifier
    _REVIVED[identifier] = predicate, ordered


def registered_identifiers() -> Any:
    """Returns the identifiers of the registered classes."""
    return _REVIVED.keys()


def get_setter(proto: Any) -> Callable[[Any, str, Any], None] | None:
    """Returns the function that sets attributes of a saved object, or None.

    Args:
        proto: The ``SavedUserObject`` message.
    """
    _, versions = _REVIVED.get(proto.identifier, (None, []))
    return next((version.setter for version in versions if version.should_load(proto)), None)


def load_context(load_options: Any) -> contextlib.AbstractContextManager[Any]:
    """Returns a context manager around the loading of a model.

    Loaders get their options as arguments, so that it changes nothing.

    Args:
        load_options: A ``tf.saved_model.LoadOptions``.
    """
    return contextlib.nullcontext(load_options)


# ------------------------------------------------------------------ delegation


_DELEGATED = """_update_uid _self_update_uid _object_identifier _unconditional_checkpoint_dependencies
_unconditional_dependency_names _self_unconditional_checkpoint_dependencies
_self_unconditional_dependency_names _setattr_tracking _self_setattr_tracking"""
_METHODS = """_track_trackable _handle_deferred_dependencies _trackable_children _lookup_dependency
_serialize_to_tensors _restore_from_tensors _maybe_initialize_trackable _no_dependency
_gather_saveables_for_checkpoint _checkpoint_dependencies"""


class DelegatingTrackableMixin:
    """Mixin of trackable objects whose children are those of another object.

    Args:
        trackable_obj: The other object.
    """

    def __init__(self, trackable_obj: Any) -> None:
        self._trackable = trackable_obj


def _delegated(name: str) -> property:
    def read(self: Any) -> Any:
        return getattr(self._trackable, name)

    def write(self: Any, value: Any) -> None:
        setattr(self._trackable, name, value)

    return property(read, write, doc=f"``{name}`` of the other object.")


def _method(name: str) -> Callable[..., Any]:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._trackable, name)(*args, **kwargs)

    call.__name__, call.__doc__ = name, f"Calls ``{name}`` of the other object."
    return call


for _name in _DELEGATED.split():
    setattr(DelegatingTrackableMixin, _name, _delegated(_name))
for _name in _METHODS.split():
    setattr(DelegatingTrackableMixin, _name, _method(_name))


# ------------------------------------------------------------------ settings


def get_config() -> Any:
    """Returns the options of the process as a ``ConfigProto``."""
    return API["compat.v1.ConfigProto"]()
