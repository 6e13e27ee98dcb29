"""``tf.case``: the first of several conditions that holds decides."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable
from typing import Any

from twinflow._src.control_flow import cond_and_while as graph_control
from twinflow._src.conversion.constant import constant
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import bool_, int32
from twinflow._src.core.scopes import name_scope
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import export
from twinflow._src.ops.array.stack import stack
from twinflow._src.ops.control.asserts import Assert
from twinflow._src.ops.control.cond import control_dependencies, truth, unpacked
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.compare import less_equal
from twinflow._src.ops.reduce.reduce import reduce_sum


@export("case")
def case(
    pred_fn_pairs: Any,
    default: Any = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """Returns what the function of the first condition that holds gives.

    Args:
        pred_fn_pairs: A list of pairs of a boolean scalar tensor and a function; or an ordered
            dictionary.
        default: The function to call where no condition holds.
        exclusive: Whether at most one condition may hold.
        strict: Whether lists of one element stay lists.
        name: A name for the operation.

    Returns:
        The function's result.

    Raises:
        TypeError: The pairs are not as described.
        InvalidArgumentError: No condition holds and there is no default, or too many hold.
    """
    predicates, actions = zip(*_checked_pairs(pred_fn_pairs, exclusive), strict=True)
    if default is not None and not callable(default):
        raise TypeError("'false_fn' must be callable.")
    if thread.scope.graph is not None:
        return _case_in_graph(list(predicates), list(actions), default, exclusive, name)
    tested = predicates if default is not None else predicates[:-1]
    if exclusive and tested:
        _assert_at_most_one(tested)
    if default is None:
        *others, last = predicates
        message = "Input error: None of conditions evaluated as True:"
        if not any(map(truth, others)):
            Assert(last, (message, stack(list(predicates))))
        default = actions[-1]
    chosen = next((a for p, a in zip(predicates, actions, strict=True) if truth(p)), default)
    return chosen() if strict else unpacked(chosen())


def _case_in_graph(
    predicates: list[Any], actions: list[Any], default: Any, exclusive: bool, name: str
) -> Any:
    """One branch for each condition, nested in the others' else; without a default the last one is that."""
    if default is None:
        *predicates, last = predicates
        *actions, action = actions
        default = functools.partial(_last_action, predicates, last, action)
    branch = default
    with name_scope(name):
        for predicate, action in reversed(list(zip(predicates, actions, strict=True))):
            branch = functools.partial(graph_control.cond, predicate, action, branch, "cond")
        with control_dependencies([_assert_at_most_one(predicates)] if exclusive and predicates else []):
            return branch()


def _last_action(others: list[Any], predicate: Any, action: Callable[[], Any]) -> Any:
    """What is done where none of the other conditions holds; the last one must."""
    message = "Input error: None of conditions evaluated as True:"
    with control_dependencies([Assert(predicate, [message, stack([*others, predicate], name="preds_c")])]):
        return action()


def _assert_at_most_one(predicates: Any) -> Any:
    """Checks that no more than one condition holds."""
    names = ", ".join("?" if thread.scope.graph is None else getattr(p, "name", "?") for p in predicates)
    message = f"Input error: exclusive=True: more than 1 conditions ({names}) evaluated as True:"
    values = stack(list(predicates), name="preds_c")
    count = reduce_sum(cast(values, int32), name="num_true_conds")
    held = less_equal(count, constant(1, name="n_true_conds"))
    return Assert(held, [message, values], summarize=len(predicates))


def _name_of(tensor: Any) -> str:
    return tensor.name


def _checked_pairs(pairs: Any, exclusive: bool) -> list[tuple[Any, Any]]:
    if not isinstance(pairs, (list, tuple, dict)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pairs)}")
    if isinstance(pairs, dict):
        if not isinstance(pairs, collections.OrderedDict) and not exclusive:
            raise ValueError(
                "Unordered dictionaries are not supported for the 'pred_fn_pairs' argument when "
                "`exclusive=False` and eager mode is enabled."
            )
        pairs = list(pairs.items())
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        predicate, function = pair
        if not isinstance(predicate, Tensor):
            raise TypeError(f"pred must be a Tensor, got: {predicate}")
        if predicate.dtype is not bool_:
            raise TypeError(f"pred must be Tensor of type bool: {_name_of(predicate)}")
        if not callable(function):
            raise TypeError(f"fn for pred {_name_of(predicate)} must be callable.")
    if not pairs:
        raise ValueError("not enough values to unpack (expected 2, got 0)")
    return list(pairs)
