"""Decorators that libraries unwrap, as TensorFlow's ``tf_decorator`` does."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any


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
        if isinstance(decorator_argspec, inspect.Signature):
            self.__signature__ = decorator_argspec

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
    if isinstance(decorator_argspec, inspect.Signature):
        vars(decorator_func)["__signature__"] = decorator_argspec
    return decorator_func


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
