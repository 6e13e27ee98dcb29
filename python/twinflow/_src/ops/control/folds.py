"""Folds and scans over the first dimension of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.control_flow.tensor_array import TensorArray
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.nest import assert_same_structure, flatten, map_structure, pack_sequence_as
from twinflow._src.dispatch.op import export
from twinflow._src.ops.control import graph_map
from twinflow._src.ops.control.loops import while_loop


def _assert_callable(fn: Any) -> None:
    if not callable(fn):
        raise TypeError(f"{fn.__name__} is not callable. Please provide a callable function.")


def _unstacked(elems: Any) -> tuple[Any, int]:
    """A structure of the arrays of slices of tensors, and their number."""
    leaves = [convert_to_tensor(x) for x in flatten(elems)]
    count = leaves[0]._array.shape[0]
    arrays = [TensorArray(x.dtype, size=count).unstack(x) for x in leaves]
    return pack_sequence_as(elems, arrays), count


def _fold(
    fn: Callable[..., Any], elems: Any, initializer: Any, backwards: bool, name: str | None
) -> Any:
    if thread.scope.graph is not None:
        return graph_map.folded(fn, elems, initializer, backwards, name)
    arrays, count = _unstacked(elems)
    slices = lambda i: map_structure(lambda array: array.read(i), arrays)
    given = initializer is not None
    if backwards:
        at = count if given else count - 1
        begin = [at, initializer if given else slices(at)]
        goes_on = lambda i, state: i > 0
        step = lambda i, state: [i - 1, fn(state, slices(i - 1))]
    else:
        begin = [convert_to_tensor(0 if given else 1), initializer if given else slices(0)]
        goes_on = lambda i, state: i < count
        step = lambda i, state: [i + 1, fn(state, slices(i))]
    return while_loop(goes_on, step, begin, maximum_iterations=count)[1]


@export("foldl")
def foldl(
    fn: Any,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Combines the slices along the first dimension from the first to the last.

    Args:
        fn: A function of what has been combined so far and the next slice.
        elems: A tensor, or a structure of tensors of one first size.
        initializer: What to begin with; the first slice where None.
        parallel_iterations: Accepted and without effect.
        back_prop: Accepted and without effect.
        swap_memory: Accepted and without effect.
        name: A name for the operation.

    Returns:
        What the last call gives.

    Raises:
        TypeError: The function cannot be called.
        OutOfRangeError: There is nothing to begin with.
    """
    _assert_callable(fn)
    return _fold(fn, elems, initializer, False, name)


@export("foldr")
def foldr(
    fn: Any,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Combines the slices along the first dimension from the last to the first.

    Args:
        fn: A function of what has been combined so far and the next slice.
        elems: A tensor, or a structure of tensors of one first size.
        initializer: What to begin with; the last slice where None.
        parallel_iterations: Accepted and without effect.
        back_prop: Accepted and without effect.
        swap_memory: Accepted and without effect.
        name: A name for the operation.

    Returns:
        What the last call gives.

    Raises:
        TypeError: The function cannot be called.
        OutOfRangeError: There is nothing to begin with.
    """
    _assert_callable(fn)
    return _fold(fn, elems, initializer, True, name)


@export("scan")
def scan(
    fn: Any,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Combines the slices along the first dimension and stacks all that comes of it on the way.

    Args:
        fn: A function of what has been combined so far and the next slice.
        elems: A tensor, or a structure of tensors of one first size.
        initializer: What to begin with; the first slice where None, which is then the first result too.
        parallel_iterations: Accepted and without effect.
        back_prop: Accepted and without effect.
        swap_memory: Accepted and without effect.
        infer_shape: Whether all results must have one shape.
        reverse: Whether the slices are taken from the last to the first.
        name: A name for the operation.

    Returns:
        Tensors in the structure of the results.

    Raises:
        TypeError: The function cannot be called.
        InvalidArgumentError: A result has another type than what it began with.
    """
    _assert_callable(fn)
    if thread.scope.graph is not None:
        return graph_map.scanned(fn, elems, initializer, reverse, name=name)
    arrays, count = _unstacked(elems)
    order = list(range(count))
    if reverse:
        order.reverse()
    if initializer is None:
        state = map_structure(lambda a: a.read(order[0]), arrays)
    else:
        state = map_structure(convert_to_tensor, initializer)
    columns = [_column(x, count, infer_shape) for x in flatten(state)]
    if initializer is None:
        columns = [c.write(order[0], x) for c, x in zip(columns, flatten(state))]
        order = order[1:]
    begun = elems if initializer is None else initializer
    for i in order:
        state = fn(state, map_structure(lambda a, i=i: a.read(i), arrays))
        assert_same_structure(begun, state)
        columns = [c.write(i, x) for c, x in zip(columns, flatten(state))]
    return pack_sequence_as(begun, [c.stack() for c in columns])


def _column(first: Any, count: int, infer_shape: bool) -> TensorArray:
    """What is to hold the results that are like a tensor."""
    shape = first.shape if infer_shape else None
    return TensorArray(first.dtype, size=count, infer_shape=infer_shape, element_shape=shape)
