"""Decorators of deprecated functions and arguments, as TensorFlow's ``deprecation`` has them."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from twinflow._src.core.scopes import get_logger
from twinflow._src.wings.private_api.decorator import make_decorator

# Functions and arguments that were warned of; bounded by the number of deprecated names.
_WARNED: set[Any] = set()
_is_silent = False
"""True while ``silence`` is entered."""


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Context manager without warnings about deprecated functions."""
    global _is_silent
    before, _is_silent = _is_silent, True
    try:
        yield
    finally:
        _is_silent = before


def _check(date: str | None, instructions: str) -> None:
    if date is not None and not re.match(r"20\d\d-[01]\d-[0123]\d", date):
        raise ValueError(f"Date must be in format YYYY-MM-DD. Received: {date}")
    if not instructions:
        raise ValueError(
            "Don't deprecate things without conversion instructions! Specify the `instructions` argument."
        )


def _check_function(func: Any) -> None:
    if not callable(func):
        raise ValueError(
            f"{func} is not a function. If this is a property, make sure @property appears before "
            "@deprecated in your source code:\n\n@property\n@deprecated\ndef method(...)"
        )


def _when(date: str | None) -> str:
    return "in a future version" if date is None else f"after {date}"


def _caller() -> str:
    """Returns file and line of the code that calls a deprecated function."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _warn(key: Any, warn_once: bool, text: str) -> None:
    if _is_silent or (warn_once and key in _WARNED):
        return
    _WARNED.add(key)
    get_logger().warning("From %s: %s", _caller(), text)


def _named(func: Any) -> str:
    return f"{getattr(func, '__qualname__', func)} (from {getattr(func, '__module__', '')})"


def _with_notice(doc: str | None, empty: str, mark: str, notice: str) -> str:
    """Returns a docstring with a mark in its first line and a notice in its second paragraph."""
    if not doc:
        return f"{empty}\n\n{notice}"
    first, *rest = inspect.cleandoc(doc).split("\n\n", 1)
    line, _, more = first.partition("\n")
    rest = ([more] if more else []) + rest
    return "\n\n".join([f"{line} {mark}", notice, *rest])


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Any:
    """Decorator of functions and classes that warns when they are called.

    Args:
        date: The day of the removal, ``YYYY-MM-DD``, or None.
        instructions: A sentence on how to go on.
        warn_once: Whether there is one warning only.

    Raises:
        ValueError: The date has another format, or there are no instructions.
    """
    _check(date, instructions)
    removal = f"will be removed {_when(date)}.\nInstructions for updating:\n{instructions}"

    def decorate(func_or_class: Any) -> Any:
        notice = "Deprecated: THIS {} IS DEPRECATED. It " + removal.replace("{", "{{").replace(
            "}", "}}"
        )
        if isinstance(func_or_class, type):
            return _deprecated_class(func_or_class, notice.format("CLASS"), removal, warn_once)
        _check_function(func_or_class)

        @functools.wraps(func_or_class)
        def warning(*args: Any, **kwargs: Any) -> Any:
            text = f"{_named(func_or_class)} is deprecated and {removal}"
            _warn(func_or_class, warn_once, text)
            return func_or_class(*args, **kwargs)

        doc = func_or_class.__doc__
        text = _with_notice(doc, "DEPRECATED FUNCTION", "(deprecated)", notice.format("FUNCTION"))
        result = make_decorator(func_or_class, warning, "deprecated", text)
        result.__doc__ = text
        return result

    return decorate


def _deprecated_class(cls: Any, notice: str, removal: str, warn_once: bool) -> Any:
    """Makes the constructor of a class warn."""
    initialize = cls.__init__

    @functools.wraps(initialize)
    def warning(self: Any, *args: Any, **kwargs: Any) -> None:
        _warn(cls, warn_once, f"{_named(cls)} is deprecated and {removal}")
        initialize(self, *args, **kwargs)

    cls.__init__ = warning
    cls.__doc__ = _with_notice(cls.__doc__, "DEPRECATED CLASS", "(deprecated)", notice)
    return cls


def deprecated_alias(
    deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True
) -> Any:
    """Returns a function or class that warns and does what another one does.

    Args:
        deprecated_name: The deprecated name.
        name: The name that replaces it.
        func_or_class: The function or class.
        warn_once: Whether there is one warning only.
    """
    text = f"The name {deprecated_name} is deprecated. Please use {name} instead.\n"
    notice = "Deprecated: THIS {} IS DEPRECATED. It will be removed in a future version."
    if isinstance(func_or_class, type):

        class _NewClass(func_or_class):
            __module__ = func_or_class.__module__
            __doc__ = _with_notice(
                func_or_class.__doc__,
                "DEPRECATED CLASS",
                "(deprecated)",
                f"{notice.format('CLASS')} \nPlease use {name} instead.",
            )

            def __init__(self, *args: Any, **kwargs: Any) -> None:
                _warn(_NewClass, warn_once, text)
                super().__init__(*args, **kwargs)

        return _NewClass

    @functools.wraps(func_or_class)
    def warning(*args: Any, **kwargs: Any) -> Any:
        _warn(warning, warn_once, text)
        return func_or_class(*args, **kwargs)

    notice = f"{notice.format('FUNCTION')}\nInstructions for updating:\nPlease use {name} instead."
    doc = _with_notice(func_or_class.__doc__, "DEPRECATED FUNCTION", "(deprecated)", notice)
    result = make_decorator(func_or_class, warning, "deprecated", doc)
    result.__doc__ = doc
    return result


def deprecated_args(
    date: str | None, instructions: str, *deprecated_arg_names_or_tuples: Any, **kwargs: Any
) -> Any:
    """Decorator of functions that warns when they are called with certain arguments.

    Args:
        date: The day of the removal, ``YYYY-MM-DD``, or None.
        instructions: A sentence on how to go on.
        *deprecated_arg_names_or_tuples: Names, or names with a value that does not warn.
        **kwargs: ``warn_once``: Whether there is one warning only; True by default.

    Raises:
        ValueError: The date has another format, there are no instructions or names, or the
            function has no such arguments.
    """
    _check(date, instructions)
    if not deprecated_arg_names_or_tuples:
        raise ValueError("Specify which argument is deprecated.")
    warn_once = kwargs.pop("warn_once", True)
    if kwargs:
        raise ValueError(f"Illegal argument passed to deprecated_args: {kwargs}")
    harmless = dict(
        (name, ()) if isinstance(name, str) else (name[0], tuple(name[1:]))
        for name in deprecated_arg_names_or_tuples
    )

    def decorate(func: Any) -> Any:
        _check_function(func)
        signature = inspect.signature(func)
        names = [p.name for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        takes_any = len(names) < len(signature.parameters)
        missing = [name for name in harmless if name not in names and not takes_any]
        if missing:
            listed = [*names, None, None]
            raise ValueError(
                "The following deprecated arguments are not present in the function signature: "
                f"{missing}. Expected arguments from the following list: {listed}."
            )

        def is_warned_of(name: str, value: Any) -> bool:
            return name in harmless and not any(value is x or value == x for x in harmless[name])

        def values(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
            return {**dict(zip(names, args)), **kwargs}

        notice = (
            f"Deprecated: SOME ARGUMENTS ARE DEPRECATED: `({', '.join(sorted(harmless))})`. They "
            f"will be removed {_when(date)}.\nInstructions for updating:\n{instructions}"
        )
        empty = "DEPRECATED FUNCTION ARGUMENTS"
        doc = _with_notice(func.__doc__, empty, "(deprecated arguments)", notice)
        return _warning_of_arguments(
            func,
            values,
            is_warned_of,
            lambda name, value: name,
            (date, instructions, warn_once, doc),
        )

    return decorate


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any
) -> Any:
    """Decorator of functions that warns when arguments have certain values.

    Args:
        date: The day of the removal, ``YYYY-MM-DD``, or None.
        instructions: A sentence on how to go on.
        warn_once: Whether there is one warning only.
        **deprecated_kwargs: The deprecated values.

    Raises:
        ValueError: The date has another format, or there are no instructions or values.
    """
    _check(date, instructions)
    if not deprecated_kwargs:
        raise ValueError("Specify which argument values are deprecated.")

    def decorate(func: Any) -> Any:
        _check_function(func)

        def values(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
            return inspect.getcallargs(func, *args, **kwargs)

        def is_warned_of(name: str, value: Any) -> bool:
            return name in deprecated_kwargs and value is deprecated_kwargs[name]

        shown = ", ".join(f"{name}={value}" for name, value in sorted(deprecated_kwargs.items()))
        notice = (
            f"Deprecated: SOME ARGUMENT VALUES ARE DEPRECATED: `({shown})`. They will be removed "
            f"{_when(date)}.\nInstructions for updating:\n{instructions}"
        )
        empty = "DEPRECATED FUNCTION ARGUMENT VALUES"
        doc = _with_notice(func.__doc__, empty, "(deprecated argument values)", notice)
        return _warning_of_arguments(
            func,
            values,
            is_warned_of,
            lambda name, value: f"{name}={value}",
            (date, instructions, warn_once, doc),
        )

    return decorate


def _warning_of_arguments(
    func: Any, values: Any, is_warned_of: Any, describe: Callable[[str, Any], str], how: Any
) -> Any:
    """Wraps a function to warn of some of its arguments."""
    date, instructions, warn_once, doc = how

    @functools.wraps(func)
    def warning(*args: Any, **kwargs: Any) -> Any:
        for name, value in values(args, kwargs).items():
            if is_warned_of(name, value):
                text = (
                    f"calling {_named(func)} with {describe(name, value)} is deprecated and will be "
                    f"removed {_when(date)}.\nInstructions for updating:\n{instructions}"
                )
                _warn((func, name), warn_once, text)
        return func(*args, **kwargs)

    result = make_decorator(func, warning, "deprecated", doc)
    result.__doc__ = doc
    return result


def deprecated_endpoints(*args: str) -> Callable[[Any], Any]:
    """Decorator that notes the deprecated public names of a function or class.

    Args:
        *args: The names.

    Raises:
        ValueError: The object has such names already.
    """

    def decorate(func: Any) -> Any:
        if "_tf_deprecated_api_names" in vars(func):
            raise ValueError(
                f"Cannot set deprecated names for {func.__name__} to {args}. Deprecated names are "
                f"already set to {func._tf_deprecated_api_names}."
            )
        func._tf_deprecated_api_names = args
        return func

    return decorate
