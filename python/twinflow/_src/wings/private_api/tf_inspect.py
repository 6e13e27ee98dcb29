"""Signatures of decorated functions, as TensorFlow's ``tf_inspect`` reads them."""

from __future__ import annotations

import functools
import inspect as _inspect
from typing import Any

from twinflow._src.wings.private_api.decorator import unwrap

Parameter = _inspect.Parameter
FullArgSpec = _inspect.FullArgSpec
getmro, isclass, ismethod, isfunction = (
    _inspect.getmro,
    _inspect.isclass,
    _inspect.ismethod,
    _inspect.isfunction,
)
isgenerator, isbuiltin, ismodule = _inspect.isgenerator, _inspect.isbuiltin, _inspect.ismodule
module_of_inspect = _inspect


def _target(obj: Any) -> Any:
    """Returns the function that a decorated function wraps, with the decorator's signature if it has one."""
    decorators, target = unwrap(obj)
    spec = next((d.decorator_argspec for d in decorators if d.decorator_argspec is not None), None)
    return (target if spec is None else spec), spec is not None


def getfullargspec(obj: Any) -> Any:
    """Returns the parameters of a function, of the ``__call__`` of an object, or of a partial function.

    Args:
        obj: A callable.

    Returns:
        An ``inspect.FullArgSpec``.

    Raises:
        TypeError: The value is not callable, or its signature is not known.
    """
    target, is_spec = _target(obj)
    if is_spec:
        return _of_signature(target) if isinstance(target, _inspect.Signature) else target
    if _inspect.isfunction(target) and not hasattr(target, "__signature__"):
        return (
            _inspect.getfullargspec(target) if not hasattr(target, "__wrapped__") else _of(target)
        )
    if isinstance(target, functools.partial) or _inspect.isclass(target):
        return _of(target)
    if _inspect.ismethod(target) or not callable(target):
        return _inspect.getfullargspec(target)
    if _inspect.isroutine(target) or hasattr(target, "__wrapped__"):
        return _of(target)
    return getfullargspec(type(target).__call__)


def _of(target: Any) -> Any:
    try:
        return _of_signature(_inspect.signature(target))
    except ValueError as error:
        raise TypeError("unsupported callable") from error


def _of_signature(signature: _inspect.Signature) -> Any:
    """Returns the full argument specification of a signature."""
    function: Any = lambda: None
    function.__signature__ = signature
    return _inspect.getfullargspec(function)._replace(annotations={})


def signature(obj: Any, *, follow_wrapped: bool = True) -> _inspect.Signature:
    """Returns the signature of a function, under its decorators.

    Args:
        obj: A callable.
        follow_wrapped: Whether ``__wrapped__`` is followed.

    Raises:
        TypeError: The value is not callable.
        ValueError: It has no signature.
    """
    target, is_spec = _target(obj)
    if is_spec and isinstance(target, _inspect.Signature):
        return target
    return _inspect.signature(target, follow_wrapped=follow_wrapped)


def getdoc(object: Any) -> str | None:
    """Returns the documentation of an object, without indentation.

    Args:
        object: An object.
    """
    return _inspect.getdoc(object)


def getcallargs(*func_and_positional: Any, **named: Any) -> dict[str, Any]:
    """Returns the arguments that a call has, by parameter name, with defaults.

    Args:
        *func_and_positional: A function and its positional arguments.
        **named: Its keyword arguments.

    Raises:
        TypeError: The function does not take such arguments.
    """
    return _inspect.getcallargs(*func_and_positional, **named)
