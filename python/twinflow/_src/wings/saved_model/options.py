"""Options of ``tf.saved_model.save`` and ``tf.saved_model.load``."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any


class VariablePolicy(enum.Enum):
    """Options for the variables of a SavedModel.

    ``NONE``: no device names, one variable for each variable of a distribution strategy.
    ``SAVE_VARIABLE_DEVICES``: with the names of devices. ``EXPAND_DISTRIBUTED_VARIABLES``: with
    device names, and with the copies of a strategy's variables.
    """

    __module__ = "twinflow.saved_model.experimental"

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"

    def _save_variable_devices(self) -> bool:
        """Returns True if device names are saved."""
        return self is not VariablePolicy.NONE

    @staticmethod
    def from_obj(obj: Any) -> VariablePolicy:
        """Returns the policy of a name, of a policy or of None; ValueError for another value."""
        if obj is None:
            return VariablePolicy.NONE
        if isinstance(obj, VariablePolicy):
            return obj
        key = str(obj).lower()
        for policy in VariablePolicy:
            if policy.value == key:
                return policy
        raise ValueError(f"Received invalid VariablePolicy value: {obj}.")


class SaveOptions:
    """Options of ``tf.saved_model.save``.

    Args:
        namespace_whitelist: The namespaces of custom operations that may be saved; None for all.
        save_debug_info: Accepted and without effect: there is no debug information to save.
        function_aliases: Functions by alias names.
        experimental_debug_stripper: Whether to omit assertions, checks and prints from graphs.
        experimental_io_device: Accepted and without effect: files are local.
        experimental_variable_policy: A ``VariablePolicy``, or its value.
        experimental_custom_gradients: Whether to save custom gradients.
        experimental_image_format: False: there is one file format.
        experimental_skip_saver: Whether to omit the operations that save and restore variables.
        experimental_sharding_callback: Accepted and without effect: variables are in one file.
        extra_tags: Further tags of the meta graph.

    Raises:
        TypeError: The namespaces are no list of strings.
        ValueError: Another file format is requested, or the policy is none.
    """

    __module__ = "twinflow.saved_model"

    def __init__(
        self,
        namespace_whitelist: Any = None,
        save_debug_info: bool = False,
        function_aliases: Any = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: Any = None,
        experimental_variable_policy: Any = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: Callable[..., Any] | None = None,
        extra_tags: Any = None,
    ) -> None:
        if experimental_image_format:
            raise ValueError("The option `experimental_image_format` is disabled in OSS.")
        self.namespace_whitelist = _validate_namespaces(namespace_whitelist)
        self.save_debug_info = save_debug_info
        self.function_aliases = function_aliases or {}
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags


def _validate_namespaces(namespaces: Any) -> list[str]:
    if namespaces is None:
        return []
    if isinstance(namespaces, (str, bytes)) or not isinstance(namespaces, (list, tuple)):
        raise TypeError(
            f"`namespace_whitelist` must be a list of strings. Got: {namespaces!s} with type {type(namespaces)}."
        )
    result = []
    for name in namespaces:
        if not isinstance(name, (str, bytes)):
            raise ValueError(
                f"Whitelisted namespace must be a string. Got: {name} of type {type(name)}."
            )
        result.append(name if isinstance(name, str) else name.decode())
    return result


class LoadOptions:
    """Options of ``tf.saved_model.load``.

    Args:
        allow_partial_checkpoint: Whether the checkpoint may lack values of variables.
        experimental_io_device: Accepted and without effect: files are local.
        experimental_skip_checkpoint: Whether to leave variables without values.
        experimental_variable_policy: A ``VariablePolicy``, or its value; other than ``NONE``,
            variables are placed on the devices in the file.
        experimental_load_function_aliases: Whether the result has ``function_aliases``.
    """

    __module__ = "twinflow.saved_model"

    def __init__(
        self,
        allow_partial_checkpoint: bool = False,
        experimental_io_device: Any = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: Any = None,
        experimental_load_function_aliases: bool = False,
    ) -> None:
        self.experimental_io_device = experimental_io_device
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_load_function_aliases = experimental_load_function_aliases
