"""Hooks, classes and settings that the package ``tf_keras`` registers or inherits from."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
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


# ------------------------------------------------------------------ settings of loaders


def load_context(load_options: Any) -> contextlib.AbstractContextManager[Any]:
    """Returns a context manager around the loading of a model.

    Loaders get their options as arguments, so that it changes nothing.

    Args:
        load_options: A ``tf.saved_model.LoadOptions``.
    """
    return contextlib.nullcontext(load_options)


# ------------------------------------------------------------------ delegation


_DELEGATED = """_update_uid _object_identifier _unconditional_checkpoint_dependencies
_unconditional_dependency_names _setattr_tracking"""
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
