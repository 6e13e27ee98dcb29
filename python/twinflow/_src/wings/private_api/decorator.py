"""Decorators that libraries unwrap, and the signatures of decorated functions.

These are TensorFlow's ``tf_decorator``, ``tf_contextlib``, ``tf_inspect`` and ``doc_controls``.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any, TypeVar


class TFDecorator:
    """A decorated function: its target, its wrapper, and the name of the decorator.

    Args:
        decorator_name: The name of the decorator.
        target: The function that is decorated.
        decorator_doc: The documentation of the decorator.
        decorator_argspec: The signature of the wrapper, where it differs from that of the target.
    """

    def __init__(
        self,
        decorator_name: str,
        target: Any,
        decorator_doc: str = "",
        decorator_argspec: Any = None,
    ) -> None:
        self.decorator_name, self.decorator_doc = decorator_name, decorator_doc
        self.decorated_target, self.decorator_argspec = target, decorator_argspec
        functools.update_wrapper(self, target, updated=())
        if decorator_argspec is not None:
            self.__signature__ = _signature(decorator_argspec, target)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.decorated_target(*args, **kwargs)


def make_decorator(
    target: Callable[..., Any],
    decorator_func: Callable[..., Any],
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: Any = None,
) -> Callable[..., Any]:
    """Marks a function as the wrapper of another one, whose name and signature it takes.

    Args:
        target: The function that is wrapped.
        decorator_func: The wrapper.
        decorator_name: The name of the decorator; that of the caller where None.
        decorator_doc: The documentation of the decorator.
        decorator_argspec: The signature of the wrapper, where it differs from that of the target.

    Returns:
        The wrapper.
    """
    if decorator_name is None:
        decorator_name = sys._getframe(1).f_code.co_name
    decorator = TFDecorator(decorator_name, target, decorator_doc, decorator_argspec)
    functools.update_wrapper(decorator_func, target)
    vars(decorator_func)["_tf_decorator"] = decorator
    if decorator_argspec is not None:
        vars(decorator_func)["__signature__"] = _signature(decorator_argspec, target)
    return decorator_func


def _signature(spec: Any, target: Any) -> inspect.Signature:
    """Returns the signature of an ``inspect.FullArgSpec``; a signature as it is.

    The parameter that a method is bound to is left out.
    """
    if isinstance(spec, inspect.Signature):
        return spec
    if inspect.ismethod(unwrap(target)[1]) and spec.args[:1] == ["self"]:
        spec = spec._replace(args=spec.args[1:])
    defaults = dict(zip(reversed(spec.args), reversed(spec.defaults or ())))
    defaults |= spec.kwonlydefaults or {}
    kind = inspect.Parameter
    names: list[tuple[str, Any]] = [(name, kind.POSITIONAL_OR_KEYWORD) for name in spec.args]
    names += [(spec.varargs, kind.VAR_POSITIONAL)] if spec.varargs else []
    names += [(name, kind.KEYWORD_ONLY) for name in spec.kwonlyargs]
    names += [(spec.varkw, kind.VAR_KEYWORD)] if spec.varkw else []
    return inspect.Signature(
        [kind(name, of, default=defaults.get(name, kind.empty)) for name, of in names]
    )


def unwrap(maybe_tf_decorator: Any) -> tuple[list[TFDecorator], Any]:
    """Returns the decorators of a function, outermost first, and the innermost function.

    Args:
        maybe_tf_decorator: A function.
    """
    decorators: list[TFDecorator] = []
    target = maybe_tf_decorator
    while True:
        decorator = getattr(target, "_tf_decorator", None)
        if not isinstance(decorator, TFDecorator):
            return decorators, target
        decorators.append(decorator)
        target = decorator.decorated_target


# ------------------------------------------------------------------ context managers


def contextmanager(target: Callable[..., Iterator[Any]]) -> Callable[..., Any]:
    """Decorator that makes a context manager of a generator function.

    Args:
        target: The generator function.
    """
    return make_decorator(target, contextlib.contextmanager(target), "contextmanager")


# ------------------------------------------------------------------ signatures


Parameter = inspect.Parameter
FullArgSpec = inspect.FullArgSpec
getmro, isclass, ismethod, isfunction = (
    inspect.getmro,
    inspect.isclass,
    inspect.ismethod,
    inspect.isfunction,
)
isgenerator, isbuiltin, ismodule = inspect.isgenerator, inspect.isbuiltin, inspect.ismodule
module_of_inspect = inspect
ArgSpec = namedtuple("ArgSpec", ["args", "varargs", "keywords", "defaults"])
_PACKAGE = __file__.partition("_src")[0]


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
        return _of_signature(target) if isinstance(target, inspect.Signature) else target
    if inspect.isfunction(target) and not hasattr(target, "__signature__"):
        return _of(target) if _is_own_wrapper(target) else inspect.getfullargspec(target)
    if isinstance(target, functools.partial):
        return _of(target)
    if inspect.ismethod(target) or inspect.isclass(target) or not callable(target):
        return inspect.getfullargspec(target)
    if inspect.isroutine(target) or hasattr(target, "__wrapped__"):
        return _of(target)
    return getfullargspec(type(target).__call__)


def _is_own_wrapper(function: Any) -> bool:
    """True for functions of this package that wrap another one, where TensorFlow has a decorator.

    ``functools.wraps`` of others does not count: their wrapper's own parameters are its signature.
    """
    return hasattr(function, "__wrapped__") and function.__code__.co_filename.startswith(_PACKAGE)


def _of(target: Any) -> Any:
    try:
        return _of_signature(inspect.signature(target))
    except ValueError as error:
        raise TypeError("unsupported callable") from error


def _of_signature(signature: inspect.Signature) -> Any:
    """Returns the full argument specification of a signature."""
    function: Any = lambda: None
    function.__signature__ = signature
    return inspect.getfullargspec(function)._replace(annotations={})


def getargspec(obj: Any) -> ArgSpec:
    """Returns the parameters of a callable as Python 2 had them, those with keywords only among the others.

    Args:
        obj: A callable.

    Raises:
        TypeError: The value is not callable, or its signature is not known.
    """
    spec = getfullargspec(obj)
    defaults = (*(spec.defaults or ()), *(spec.kwonlydefaults or {}).values())
    return ArgSpec([*spec.args, *spec.kwonlyargs], spec.varargs, spec.varkw, defaults or None)


def signature(obj: Any, *, follow_wrapped: bool = True) -> inspect.Signature:
    """Returns the signature of a function, under its decorators.

    Args:
        obj: A callable.
        follow_wrapped: Whether ``__wrapped__`` is followed.

    Raises:
        TypeError: The value is not callable.
        ValueError: It has no signature.
    """
    target, is_spec = _target(obj)
    if is_spec and isinstance(target, inspect.Signature):
        return target
    return inspect.signature(target, follow_wrapped=follow_wrapped)


def getdoc(object: Any) -> str | None:
    """Returns the documentation of an object, without indentation.

    Args:
        object: An object.
    """
    return inspect.getdoc(object)


def getcallargs(*func_and_positional: Any, **named: Any) -> dict[str, Any]:
    """Returns the arguments that a call has, by parameter name, with defaults.

    Args:
        *func_and_positional: A function and its positional arguments.
        **named: Its keyword arguments.

    Raises:
        TypeError: The function does not take such arguments.
    """
    return inspect.getcallargs(*func_and_positional, **named)


# ------------------------------------------------------------------ generators of documentation


T = TypeVar("T")


def do_not_generate_docs(obj: T) -> T:
    """Decorator of objects that have no documentation.

    Args:
        obj: A function, class or property.
    """
    return _marked(obj, "_tf_docs_do_not_document")


def do_not_doc_inheritable(obj: T) -> T:
    """Decorator of methods that are not documented in subclasses either.

    Args:
        obj: A function or property.
    """
    return _marked(obj, "_tf_docs_do_not_doc_inheritable")


def for_subclass_implementers(obj: T) -> T:
    """Decorator of methods that are documented in their own class only.

    Args:
        obj: A function or property.
    """
    return _marked(obj, "_tf_docs_do_not_doc_in_subclasses")


def doc_in_current_and_subclasses(obj: T) -> T:
    """Decorator of methods that are documented in subclasses, too.

    Args:
        obj: A function or property.
    """
    return _marked(obj, "_tf_docs_doc_in_current_and_subclasses")


def _marked(obj: T, mark: str) -> T:
    """Sets an attribute where the object can have one: of a property, on its getter."""
    setattr(obj.fget if isinstance(obj, property) else obj, mark, None)
    return obj
