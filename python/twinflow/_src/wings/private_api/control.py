"""Conditionals on Python and tensor predicates, and merge calls of replicas."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.autodiff.tape import GradientTape
from twinflow._src.composite_tensors.component_specs import composite_spec
from twinflow._src.conversion.constant import is_tensor, public_is_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import EagerTensor, array_text
from twinflow._src.dispatch.op import API
from twinflow._src.graph.default_graph import executing_eagerly_outside_functions
from twinflow._src.graph.static_values import array_of, known_elements
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.wings.distribute import strategy_context


def smart_constant_value(pred: Any) -> bool | None:
    """Returns a predicate as a Python bool, None if it is a tensor without a static value.

    Args:
        pred: A scalar tensor or a Python bool, or 1 or 0.

    Raises:
        TypeError: ``pred`` is something else.
    """
    if is_tensor(pred):
        is_symbolic = isinstance(pred, SymbolicTensor)
        value = (try_evaluate_constant if is_symbolic else API["get_static_value"])(pred)
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


def case_helper(
    cond_fn: Callable[..., Any],
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None,
    exclusive: bool,
    name: str | None,
    allow_python_preds: bool = False,
    **cond_kwargs: Any,
) -> Any:
    """Returns the result of the function of the first predicate that is true, by nested conditionals.

    Args:
        cond_fn: A function like ``tf.cond``.
        pred_fn_pairs: A list of pairs of a predicate and a function, or a dictionary of them.
        default: The function for the case that no predicate is true; the last one where None.
        exclusive: Whether more than one true predicate is an error.
        name: The name scope.
        allow_python_preds: Whether predicates may be Python bools.
        **cond_kwargs: Passed to ``cond_fn``.

    Raises:
        TypeError: A predicate or a function has another type.
        ValueError: There are no pairs.
        InvalidArgumentError: Several predicates are true and ``exclusive`` is set.
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    if not pairs:
        raise ValueError("must have at least one pair")
    for pred, fn in pairs:
        if not (is_tensor(pred) or (allow_python_preds and isinstance(pred, (bool, np.bool_)))):
            raise TypeError(f"pred must be Tensor, got {pred}")
        if not callable(fn):
            raise TypeError(f"fn for pred {pred} must be callable.")
    with API["name_scope"](name or "case"):
        predicates = [pred for pred, _ in pairs]
        checks = [_assert_exclusive(predicates)] if exclusive and len(pairs) > 1 else []
        with API["control_dependencies"]([check for check in checks if check is not None]):
            if default is None:
                (_, default), pairs = pairs[-1], pairs[:-1]
            for pred, fn in reversed(pairs):
                default = functools.partial(
                    cond_fn, pred, true_fn=fn, false_fn=default, **cond_kwargs
                )
            return default()


def _assert_exclusive(predicates: list[Any]) -> Any:
    """Asserts that at most one predicate is true."""
    count = API["reduce_sum"](API["cast"](API["stack"](predicates), "int32"))
    message = ["Input error: exclusive=True, more than one condition evaluated to True:"]
    return API["debugging.Assert"](API["less_equal"](count, 1), [*message, *predicates])


def pfor(
    loop_fn: Callable[[Any], Any],
    iters: Any,
    fallback_to_while_loop: bool = True,
    parallel_iterations: int | None = None,
    warn: bool = False,
) -> Any:
    """Returns the results of a function of the numbers below ``iters``, stacked.

    Args:
        loop_fn: A function of the number of the iteration, whose results have the same shapes in
            each; it may have a keyword argument ``pfor_config``, which is None here.
        iters: The number of iterations.
        fallback_to_while_loop: See ``tf.vectorized_map``.
        parallel_iterations: Without effect.
        warn: See ``tf.vectorized_map``.
    """
    return API["vectorized_map"](loop_fn, API["range"](iters), fallback_to_while_loop, warn)


ENABLE_CONTROL_FLOW_V2 = True  # programs read and set it; there is no other control flow here


def graph_or_parents_in_xla_context(graph: Any) -> bool:
    """Returns True for the graphs of functions with ``jit_compile`` and those inside of them.

    Args:
        graph: A graph.
    """
    while graph is not None:
        if getattr(graph, "is_compiled", False):
            return True
        graph = getattr(graph, "outer", None)
    return False


def prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Any:
    """Returns a tensor without a gradient: an error is raised where one is requested.

    Args:
        input: A tensor.
        message: The reason, for the error.
        name: The name of the operation.
    """

    @API["custom_gradient"]
    def identity(x: Any) -> Any:
        def gradient(dy: Any) -> Any:
            raise LookupError(f"Gradient explicitly disabled. Reason: {message.encode()!r}")

        return API["identity"](x, name=name), gradient

    return identity(input)


def parameterized_truncated_normal(
    shape: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Returns random numbers of normal distributions within bounds.

    Args:
        shape: The shape of the result.
        means: The means of the normal distributions.
        stddevs: Their standard deviations.
        minvals: The lower bounds.
        maxvals: The upper bounds.
        dtype: The dtype of the result.
        seed: The seed of the operation.
        name: The name of the operation.
    """
    low, high = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    seeds = API["random.uniform"]([2], low, high, "int64", seed=seed)
    return API["random.stateless_parameterized_truncated_normal"](
        shape,
        seeds,
        *(API["cast"](x, dtype) for x in (means, stddevs, minvals, maxvals)),
        name=name,
    )


def get_enclosing_xla_context() -> None:
    """Returns None: control flow is not compiled by XLA."""
    return None


def disable_cudnn_autotune(func: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator of functions during which cuDNN's algorithms are not chosen by measuring.

    Args:
        func: A function.
    """

    @functools.wraps(func)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        before = os.environ.get("TF_CUDNN_USE_AUTOTUNE")
        os.environ["TF_CUDNN_USE_AUTOTUNE"] = "false"
        try:
            return func(*args, **kwargs)
        finally:
            if before is None:
                del os.environ["TF_CUDNN_USE_AUTOTUNE"]
            else:
                os.environ["TF_CUDNN_USE_AUTOTUNE"] = before

    return decorated


# ------------------------------------------------------------------ static values of tensors


def as_shape(shape: Any) -> TensorShape:
    """Returns a value as a ``TensorShape``.

    Args:
        shape: A value that ``tf.TensorShape`` takes.
    """
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """Returns the shape that a vector of sizes describes, with the sizes that are known.

    Args:
        tensor: A vector of integers; -1 is an unknown size.

    Raises:
        TypeError: It is a known scalar, or its elements are no integers.
        AttributeError: It is not a tensor.
    """
    sizes: Any
    if isinstance(tensor, EagerTensor):
        sizes = list(tensor.numpy())
    else:
        shape = tensor.get_shape().with_rank(1)
        sizes = known_elements(tensor)
        if sizes is None:
            return TensorShape(None if shape[0] is None else [None] * shape[0])
    return TensorShape([None if size is None or size == -1 else size for size in sizes])


def try_evaluate_constant(tensor: Any) -> Any:
    """Returns the value of a tensor that depends on constants only, else None.

    Args:
        tensor: A symbolic tensor.
    """
    value = API["get_static_value"](tensor)
    if value is not None:
        return value
    array: np.ndarray[Any, Any] | None = array_of(tensor)
    return None if array is None else array[()]


# ------------------------------------------------------------------ the constants of ``tf.experimental.dtensor``
# The sharding spec of a dimension that is not split over devices.
UNSHARDED = "unsharded"


def numpy_text(tensor: Any, is_repr: bool = False) -> str:
    """Returns the text of the elements of a tensor, as NumPy writes it.

    Args:
        tensor: An eager tensor.
        is_repr: Whether the text is that of ``repr``.
    """
    return array_text(tensor._host(), repr if is_repr else str)


def should_record_backprop(tensors: Any) -> bool:
    """Returns True if an active tape tracks a tensor.

    Args:
        tensors: A list of tensors.
    """
    tapes = [tape for tape in thread.scope.observers if isinstance(tape, GradientTape)]
    return any(tape.follows(tensor) for tensor in tensors for tape in tapes)


def gen_new_seed(seed: int | None, salt: str) -> int | None:
    """Returns a seed that depends on another seed and a text; None for None.

    Args:
        seed: A seed.
        salt: A text.
    """
    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF
