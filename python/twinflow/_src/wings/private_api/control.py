"""Conditionals on Python and tensor predicates, and merge calls of replicas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.composite_tensors.component_specs import composite_spec
from twinflow._src.conversion.constant import is_tensor, public_is_tensor
from twinflow._src.dispatch.op import API
from twinflow._src.graph.default_graph import executing_eagerly_outside_functions
from twinflow._src.wings.distribute import strategy_context


def smart_constant_value(pred: Any) -> bool | None:
    """Returns a predicate as a Python bool, None if it is a tensor without a static value.

    Args:
        pred: A scalar tensor or a Python bool, or 1 or 0.

    Raises:
        TypeError: ``pred`` is something else.
    """
    if is_tensor(pred):
        value = API["get_static_value"](pred)
        return None if value is None else bool(value)
    if pred in (0, 1):
        return bool(pred)
    raise TypeError(
        "Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. "
        f"Received: pred={pred} of type {type(pred).__name__}"
    )


def smart_cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """Returns the result of one of two functions; ``tf.cond`` only where the predicate is unknown.

    Args:
        pred: A scalar tensor or a Python bool, or 1 or 0.
        true_fn: The function to be called if the predicate is true.
        false_fn: The function to be called if it is false.
        name: The name scope of the conditional.

    Raises:
        TypeError: ``true_fn`` or ``false_fn`` is not callable, or ``pred`` is no predicate.
    """
    for argument, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(
                f"Argument `{argument}` must be callable. Received {argument}={function}"
            )
    value = smart_constant_value(pred)
    if value is None:
        return API["cond"](pred, true_fn=true_fn, false_fn=false_fn, name=name)
    assert true_fn is not None and false_fn is not None
    return true_fn() if value else false_fn()


def strategy_supports_no_merge_call() -> bool:
    """Returns True if optimizers need no merge call in the current strategy: the default one."""
    return not strategy_context.has_strategy()


def maybe_merge_call(fn: Callable[..., Any], strategy: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns the result of a function of a strategy and values, in a merge call where needed.

    Args:
        fn: A function of a strategy and the arguments.
        strategy: The strategy.
        *args: The positional arguments, one value for each replica in a merge call.
        **kwargs: The keyword arguments.
    """
    if strategy_supports_no_merge_call():
        return fn(strategy, *args, **kwargs)
    return strategy_context.get_replica_context().merge_call(fn, args=args, kwargs=kwargs)


def get_name_scope() -> str:
    """Returns the current name scope without a trailing slash."""
    return str(API["get_current_name_scope"]()) or ""


def is_tf_type(x: Any) -> bool:
    """Returns True for tensors, variables and composite tensors.

    Args:
        x: A value.
    """
    return public_is_tensor(x) or composite_spec(x) is not None


def is_tf2_enabled() -> bool:
    """Returns True unless TensorFlow 1 behavior is switched on."""
    return executing_eagerly_outside_functions()
