"""Registration of the functions of ``tf.experimental.numpy``: public names and docstrings."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

import twinflow as tf

# The public modules. The functions of this package call each other and TensorFlow's functions
# through them, so that replacements by ``experimental_enable_numpy_behavior`` apply to all callers.
tnp: Any = tf.experimental.numpy
_MODULES: dict[str, Any] = {"": tnp, "random": tnp.__dict__["random"]}

F = TypeVar("F", bound=Callable[..., Any])

# Descriptions of usual parameters.
_DIAGONAL = "The offset of the diagonal: 0 for the main one, positive above it."
_USUAL = {
    "a a1 a2 arr array ary b m val x x1 z": "An array.",
    "x2": "An array that broadcasts against it.",
    "arys tup operands": "Arrays.",
    "axis": "The axes; all if None.",
    "keepdims": "If True, keeps reduced axes with size 1.",
    "out": "Must be None.",
    "decimals": (
        "The number of decimals; negative numbers round to the left of the decimal point."
    ),
    "shape": "Its shape.",
    "fill_value": "A value that broadcasts to the shape.",
    "k offset": _DIAGONAL,
    "axis1": "The axis of the rows.",
    "axis2": "The axis of the columns.",
    "N": "The number of rows.",
    "M": "The number of columns; that of rows if None.",
    "num": "The number of samples.",
    "endpoint": "If True, the end is included.",
    "rtol": "The relative tolerance, times the absolute value of ``b``.",
    "atol": "The absolute tolerance.",
    "equal_nan": "If True, NaN is equal to NaN.",
    "high": "The exclusive upper bound.",
}
_PARAMETERS = {name: text for names, text in _USUAL.items() for name in names.split()}
_STARS: dict[Any, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def expose(
    *names: str, doc: str = "", returns: str = "A tensor.", raises: str = "", **descriptions: str
) -> Callable[[F], F]:
    """Registers a function under public names, such as ``"sum"`` or ``"random.rand"``.

    Args:
        *names: The names. The first one is the one in errors.
        doc: The first line of the docstring of a function that a table defines.
        returns: The section of the docstring.
        raises: The section of the docstring, if any.
        **descriptions: Descriptions of the parameters that are not the usual ones.
    """

    def register_function(function: F) -> F:
        function.__name__ = function.__qualname__ = names[0].rpartition(".")[2]
        if summary := doc or function.__doc__:  # not in python -OO
            sections = _describe(function, descriptions), returns, raises
            function.__doc__ = _join_sections(summary, *sections)
        for name in names:
            constant(name, function)
        return function

    return register_function


def _describe(function: Callable[..., Any], descriptions: dict[str, str]) -> str:
    """Returns the section of a docstring about the parameters of a function."""
    texts = {**_PARAMETERS, **descriptions}
    parameters = inspect.signature(function).parameters.values()
    return "\n".join(f"{_STARS.get(p.kind, '')}{p.name}: {texts[p.name]}" for p in parameters)


def _join_sections(summary: str, *sections: str) -> str:
    titles = ("Args", "Returns", "Raises")
    parts = [f"{title}:\n{textwrap.indent(s, '    ')}" for title, s in zip(titles, sections) if s]
    return "\n\n".join([summary, *parts])


def constant(name: str, value: Any) -> None:
    """Registers a value under a public name."""
    path, _, leaf = name.rpartition(".")
    setattr(_MODULES[path], leaf, value)


def public() -> dict[str, Any]:
    """Returns the public names and their objects."""
    return {
        f"{path}.{name}".lstrip("."): value
        for path, module in _MODULES.items()
        for name, value in vars(module).items()
        if not name.startswith("_")
    }
