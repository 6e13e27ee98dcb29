"""The variables of a loop before its first round: those that have no value yet get one to be replaced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.autograph.jump_lowering import RESULT
from twinflow._src.autograph.options import Options, collecting
from twinflow._src.autograph.values import Get, Put, Undefined
from twinflow._src.composite_tensors.component_specs import composite_spec
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import entered, thread
from twinflow._src.core.tensor_spec import TensorSpec
from twinflow._src.dispatch.op import API
from twinflow._src.graph.func_graph import FuncGraph

_PLACEABLE = "Tensor, int, float, bool, list, tuple or dict"


def begun(
    round_: Callable[[], None], get: Get, put: Put, names: Sequence[str], options: Options, known: dict[str, Any]
) -> tuple[list[Any], list[str]]:
    """The variables before a loop, and the names of those that only a round gives a value.

    A round is run aside to see what those will be like.

    Args:
        round_: Runs a round.
        get: Gives the variables.
        put: Puts them.
        names: Their names.
        options: Where what the loop says of itself is noted.
        known: What variables without a value begin with, by name, where that is known.

    Raises:
        ValueError: A variable has no value, and cannot be given one.
        NotImplementedError: Some rounds return from the function, others do not.
    """
    before, note = [known.get(n, v) if _is_missing(v) else v for n, v in zip(names, get())], ""
    missing = list(map(_is_missing, before))
    if not options.expected and not any(missing):
        return before, []  # nothing to find out, and what the body prints is printed once
    values: Sequence[Any] = before
    try:
        likes = _after_a_round(round_, get, put, options)
        values = [_standing(x, like, options) if new else x for x, like, new in zip(before, likes, missing)]
    except (UnboundLocalError, TypeError, ValueError, KeyError) as error:
        if not any(missing):
            raise
        if RESULT in names:
            raise NotImplementedError(
                "a return statement cannot be placed inside this TensorFlow loop; this may happen if a return "
                "statement depends on a static Python condition such as a hyperparameter"
            ) from error
        note = f"\nNote: AutoGraph tried to define it automatically, but ran into a {type(error).__name__}: {error}"
    finally:
        put(before)
    for name, value in zip(names, values):
        if type(value) is Undefined and name == RESULT:
            raise ValueError(
                "the return value from a TensorFlow loop may only be a Tensor, int, float, bool or a list, tuple or "
                "dict thereof; got <class 'UndefinedReturnValue'>"
            )
        if type(value) is Undefined:
            raise ValueError(f"'{name}' must be defined before the loop{note}")
        if value is None:
            raise ValueError(f"'{name}' is not allowed to be None before the loop")
    return list(values), [name for name, new in zip(names, missing) if new]


def _is_missing(value: Any) -> bool:
    return value is None or type(value) is Undefined


def aside(outer: Any) -> FuncGraph:
    """A graph for what is only tried.

    Args:
        outer: The graph around it.
    """
    graph = FuncGraph("aside")
    graph.seed = None
    graph.creates = getattr(outer, "creates", None)
    return graph


def _after_a_round(round_: Callable[[], None], get: Get, put: Put, options: Options) -> list[Any]:
    """What variables are like after a round: specs in the place of tensors and numbers."""
    outer = thread.scope
    with entered(outer.but(graph=aside(outer.graph), controls=(), observers=())), collecting(options):
        round_()
        return [nest.map_structure(_like, value) for value in get()]


def _like(value: Any) -> Any:
    if composite_spec(value) is not None and hasattr(value, "dtype"):
        return TensorSpec(value.shape, value.dtype)
    if not isinstance(value, (bool, int, float)) and not is_tensor(value):
        return value
    tensor = convert_to_tensor(value)
    return TensorSpec(tensor.shape, tensor.dtype)


def _standing(value: Any, like: Any, options: Options) -> Any:
    """A value for a variable that has none: zeros like what a round makes of it, empty where sizes are not known."""
    if type(like) is Undefined or like is None:
        return value
    if isinstance(like, (list, tuple, dict)) and not like:
        raise ValueError("not enough values to unpack (expected 2, got 0)")
    return nest.map_structure(lambda x: _zeros(x, options), like)


def _zeros(like: Any, options: Options) -> Any:
    if like is None:
        return None
    if not isinstance(like, TensorSpec):
        raise TypeError(
            f"Found an unsupported type '{type(like).__name__}' while creating placeholder for {like}. "
            f"Supported types include {_PLACEABLE}."
        )
    zeros = API["zeros"]([size or 0 for size in like.shape._dims or ()], like.dtype)
    if not like.shape.is_fully_defined():
        options.given.append((zeros, like.shape))
    return zeros
