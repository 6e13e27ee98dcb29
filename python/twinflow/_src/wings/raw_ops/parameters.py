"""What the functions of ``tf.raw_ops`` take: the inputs of an op's definition, then its attributes."""

from __future__ import annotations

import functools
import inspect
from typing import Any, NamedTuple

from twinflow._src.dispatch.attributes import python_name
from twinflow._src.dispatch.registry import REQUIRED
from twinflow._src.graph.op_definitions import Attr, attributes
from twinflow._src.graph.signatures import Signature, signature


class Parameter(NamedTuple):
    """A parameter of a function.

    Attributes:
        name: Its name.
        source: The name of the input or attribute in the op's definition.
        default: Its value where none is given; ``REQUIRED`` where there is none.
        attr: The attribute, None for an input.
    """

    name: str
    source: str
    default: Any
    attr: Attr | None


# What Python's functions call otherwise than the definitions.
_REDUCING = "All Any EuclideanNorm Max Mean Min Prod Sum"
_NAMES: dict[str, dict[str, str]] = {
    **{type: {"reduction_indices": "axis"} for type in _REDUCING.split()},
    "ExpandDims": {"dim": "axis"},
    "Select": {"t": "x", "e": "y"},
    "Split": {"split_dim": "axis"},
    "SplitV": {"split_dim": "axis"},
    "Squeeze": {"squeeze_dims": "axis"},
    "Where": {"input": "condition"},
}
# Functions that begin with an underscore, as Python or TensorFlow has others of these names.
_HIDDEN = frozenset(
    ["Abs", "All", "Any", "Assert", "BatchNormWithGlobalNormalization", "ClipByValue", "Complex", "Exit", "For", "FusedBatchNorm", "HistogramFixedWidth", "If", "Max", "Min", "Pow", "Print", "Range", "Slice", "Stack", "Sum", "While"]
)


def function_name(type: str) -> str:
    """The name of the function of an op, which its errors tell.

    Args:
        type: The op's type.
    """
    return "_" * (type in _HIDDEN) + python_name(type)


def known_signature(type: str) -> Signature:
    """The signature of an op of which a definition is recorded.

    Args:
        type: The op's type.
    """
    found = signature(type)
    assert found is not None, type
    return found


@functools.cache
def parameters(type: str) -> tuple[Parameter, ...]:
    """The parameters of an op's function: inputs, attributes that must be given, the others.

    Args:
        type: The op's type.
    """
    inputs, names = known_signature(type).inputs, _NAMES.get(type, {})
    told = {each for arg in inputs for each in (arg.type, arg.number)}
    free = [attr for attr in attributes(type).values() if attr.name not in told]
    attrs = [Parameter(names.get(a.name, a.name), a.name, _default(a), a) for a in free]
    attrs.sort(key=lambda parameter: parameter.default is not REQUIRED)
    return (*(Parameter(names.get(a.name, a.name), a.name, REQUIRED, None) for a in inputs), *attrs)


def _default(attr: Attr) -> Any:
    return attr.default if ",default=" in attr.text else REQUIRED


def python_signature(type: str) -> inspect.Signature:
    """The signature of an op's function.

    Args:
        type: The op's type.
    """
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    items = [inspect.Parameter(p.name, kind, default=p.default) for p in parameters(type)]
    return inspect.Signature([*items, inspect.Parameter("name", kind, default=None)])


def bound(type: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    """The value of each parameter of a call, by the definition's names.

    Args:
        type: The op's type.
        kwargs: The keyword arguments without ``name``.

    Raises:
        TypeError: One is missing or unknown.
    """
    known, rest = parameters(type), dict(kwargs)
    values = {p.source: rest.pop(p.name, p.default) for p in known}
    if rest:
        raise TypeError(f"{function_name(type)}() got an unexpected keyword argument '{next(iter(rest))}'")
    missing = [repr(p.name) for p in known if values[p.source] is REQUIRED]
    if missing:
        raise TypeError(_missing(function_name(type), missing))
    return values


def _missing(name: str, missing: list[str]) -> str:
    if len(missing) == 1:
        return f"{name}() missing 1 required positional argument: {missing[0]}"
    listed = ", ".join(missing[:-1]) + "," * (len(missing) > 2)
    return f"{name}() missing {len(missing)} required positional arguments: {listed} and {missing[-1]}"
