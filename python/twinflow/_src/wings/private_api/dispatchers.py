"""Dispatchers that libraries register for arguments of their own classes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.signature_errors import FALLBACKS
from twinflow._src.wings.private_api.decorator import make_decorator
from twinflow._src.wings.private_api.operators import getitem

# Dispatchers of all functions; bounded by the number of registrations.
_GLOBAL: list[GlobalOpDispatcher] = []
_ATTRIBUTE = "_tf_fallback_dispatchers"


class OpDispatcher:
    """A handler of the calls of one function that its own code does not take."""

    NOT_SUPPORTED = object()

    def handle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Returns the result of a call, or ``NOT_SUPPORTED``.

        Args:
            args: The positional arguments.
            kwargs: The keyword arguments.
        """
        return self.NOT_SUPPORTED

    def register(self, op: Any) -> None:
        """Registers this dispatcher for a function.

        Args:
            op: A function with ``add_dispatch_support``, or one of TensorFlow's public ones.
        """
        vars(getattr(op, "__func__", op)).setdefault(_ATTRIBUTE, []).append(self)
        _ask()


class GlobalOpDispatcher:
    """A handler of the calls of any function that dispatches."""

    NOT_SUPPORTED = OpDispatcher.NOT_SUPPORTED

    def handle(self, op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Returns the result of a call, or ``NOT_SUPPORTED``.

        Args:
            op: The function.
            args: The positional arguments.
            kwargs: The keyword arguments.
        """
        return self.NOT_SUPPORTED

    def register(self) -> None:
        """Registers this dispatcher."""
        _GLOBAL.append(self)
        _ask()


def add_dispatch_support(
    target: Callable[..., Any] | None = None, iterable_parameters: Any = None
) -> Any:
    """Decorator of functions that ask dispatchers where their own code raises an error.

    Args:
        target: The function.
        iterable_parameters: Without effect.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        @functools.wraps(function)
        def dispatching(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except (TypeError, ValueError):
                result = _dispatch(dispatching, args, kwargs)
                if result is OpDispatcher.NOT_SUPPORTED:
                    raise
                return result

        setattr(dispatching, _ATTRIBUTE, [])
        return make_decorator(function, dispatching, "add_dispatch_support")

    return decorate if target is None else decorate(target)


def _ask() -> None:
    """Has public functions ask the dispatchers when they fail."""
    if _public not in FALLBACKS:
        FALLBACKS.append(_public)


def _public(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Dispatches the call of a public function, or of an operator of tensors."""
    function = getitem if function is Tensor.__getitem__ else function
    result = _dispatch(function, tuple(args), kwargs)
    return NotImplemented if result is OpDispatcher.NOT_SUPPORTED else result


def _dispatch(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    for dispatcher in getattr(op, _ATTRIBUTE, ()):
        result = dispatcher.handle(args, kwargs)
        if result is not OpDispatcher.NOT_SUPPORTED:
            return result
    for dispatcher in _GLOBAL:
        result = dispatcher.handle(op, args, kwargs)
        if result is not OpDispatcher.NOT_SUPPORTED:
            return result
    return OpDispatcher.NOT_SUPPORTED


class _OfTypes(OpDispatcher):
    """A dispatcher for calls with arguments of some classes."""

    def __init__(self, function: Callable[..., Any], types: tuple[type, ...]) -> None:
        self._function, self._types = function, types

    def handle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        values = [*args, *kwargs.values()]
        flat = [y for x in values for y in (x if isinstance(x, (list, tuple)) else (x,))]
        is_ours = any(isinstance(value, self._types) for value in flat)
        return self._function(*args, **kwargs) if is_ours else self.NOT_SUPPORTED


def dispatch_for_types(op: Any, *types: type) -> Callable[[Any], Any]:
    """Decorator of a function that replaces another one for arguments of some classes.

    Args:
        op: A function with ``add_dispatch_support``.
        *types: The classes.
    """

    def decorate(function: Any) -> Any:
        _OfTypes(function, types).register(op)
        return function

    return decorate
