"""Jacobians of tapes: backward passes for the elements of the target.

Many of them are one pass that is traced once and runs for all elements as a batch.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from twinflow._src.autodiff.reverse import (
    Sums,
    UnconnectedGradients,
    backpropagate,
    filled,
    flat,
    identity,
    packed,
    result,
    unconnected_as,
)
from twinflow._src.autodiff.trace_cache import NO_VALUE
from twinflow._src.composite_tensors.indexed_slices import differentiated
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import bool_, string
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, Call


def _shaped(value: Any, target: Any, source: Any) -> Any:
    """Reshapes a matrix of derivatives to the target's shape followed by the source's."""
    whole = API["reshape"](value, _concat_shapes(API["shape"](target), API["shape"](source)))
    whole.set_shape(target.shape.concatenate(source.shape))
    return whole


def _sizes(x: Any) -> Any:
    """Returns the shape of a tensor: a list of integers if it is static, else a tensor."""
    return x.shape.as_list() if x.shape.is_fully_defined() else API["shape"](x)


def _concat_shapes(first: Any, second: Any) -> Any:
    both = first, second
    return [*first, *second] if all(isinstance(x, list) for x in both) else API["concat"](both, 0)


# From this number of upstream gradients on, tracing the backward pass takes less time than running
# it for each of them.
_MANY = 16


def _columns(target: Any, count: int) -> Any:
    """Returns a stack of one-hot upstream gradients: one per column of a target, for all rows."""
    units = API["reshape"](identity(count, target.dtype), [count, 1, count])
    sizes = _sizes(target)
    seeds = API["broadcast_to"](units, API["stack"]([count, sizes[0], count]))
    return API["reshape"](seeds, API["concat"]([[count], sizes], 0))


class Jacobians:
    """Mixin of ``GradientTape`` with the Jacobian methods."""

    _persistent: bool
    _calls: list[Call]
    _tracked: dict[int, Any]
    _begin: Callable[[], None]
    _end: Callable[[], None]

    def _assert_repeatable(self, what: str, at_once: bool) -> None:
        """Raises RuntimeError for row-by-row computation on a non-persistent tape in eager mode."""
        if not at_once and not self._persistent and thread.scope.graph is None:
            raise RuntimeError(
                f"GradientTape must be created with persistent=True to compute the {what} with eager "
                "execution enabled and with  experimental_use_pfor set to False."
            )

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Computes the Jacobian of a target with respect to sources.

        Args:
            target: A tensor.
            sources: A tensor or variable, or a structure of them.
            unconnected_gradients: See ``gradient``.
            parallel_iterations: Accepted and without effect.
            experimental_use_pfor: If True, many rows are computed at once; if False, one by one, in
                less memory, which requires a persistent tape in eager mode.

        Returns:
            A structure like ``sources``, each of the target's shape followed by the source's.

        Raises:
            RuntimeError: The tape is not persistent and was used before, or
                ``experimental_use_pfor`` is False.
        """
        self._begin()
        self._assert_repeatable("jacobian", experimental_use_pfor)
        unconnected = unconnected_as(unconnected_gradients, "jacobian" * experimental_use_pfor)
        target, leaves = differentiated(target), list(map(differentiated, flat(sources)))
        if target.shape.is_fully_defined():
            rows = self._rows(target, leaves, unconnected, experimental_use_pfor)
            jacobians = [self._jacobian_of(row, target, x) for row, x in zip(rows, leaves)]
        else:
            jacobians = self._looped(target, leaves, unconnected)
        other = [x for x in jacobians if x is not None and x.dtype is not target.dtype]
        if other and not experimental_use_pfor:
            raise invalid(
                f"TensorArray dtype is {target.dtype.name} but Op is trying to write dtype "
                f"{other[0].dtype.name}"
            )
        self._end()
        return packed(sources, jacobians)

    def _rows(self, target: Any, sources: list[Any], unconnected: Any, at_once: bool) -> list[Any]:
        """Returns the gradients of sources for each element of a target, stacked, or None.

        They are zeros where nothing is connected; boolean and string targets have no gradients.
        """
        count = int(target.shape.num_elements() or 0)
        if target.dtype in (bool_, string):
            gradients = [result(None, x, unconnected) for x in sources]
            return [x if x is None else API["stack"]([x] * (count or 1)) for x in gradients]
        if not count:  # no row, but the connected sources must be found
            return self._stacked(
                target, API["zeros_like"](target)[None], sources, unconnected, at_once
            )
        units = API["reshape"](identity(count, target.dtype), [count, *target.shape.as_list()])
        return self._stacked(target, units, sources, unconnected, at_once)

    def _stacked(
        self, target: Any, units: Any, sources: list[Any], unconnected: Any, at_once: bool
    ) -> list[Any]:
        """Returns the gradients of sources for a stack of upstream gradients, stacked, or None."""

        def backward(unit: Any) -> list[Any]:
            sums = backpropagate(self._calls, [(target, unit)], self._tracked)
            return [result(sums.get(x), x, unconnected) for x in sources]

        if at_once and (static_size(units.shape, 0) or 0) >= _MANY:
            with contextlib.suppress(*NO_VALUE):  # gradient functions that cannot be traced
                return list(API["vectorized_map"](backward, units, warn=False))
        columns = zip(*map(backward, API["unstack"](units)))
        return [
            None
            if any(x is None for x in column)
            else API["stack"](list(map(convert_to_tensor, column)))
            for column in columns
        ]

    def _looped(self, target: Any, sources: list[Any], unconnected: Any) -> list[Any]:
        """Computes Jacobians of a target with an unknown number of elements, in a graph loop."""
        shape, count = API["shape"](target), API["size"](target)

        def row(i: Any) -> Sums:
            unit = API["reshape"](API["one_hot"](i, count, dtype=target.dtype), shape)
            return backpropagate(self._calls, [(target, unit)], self._tracked)

        whole = backpropagate(self._calls, [(target, API["zeros_like"](target))], self._tracked)
        connected = [x for x in sources if result(whole.get(x), x, unconnected) is not None]

        def parts(i: Any) -> list[Any]:
            sums = row(i)
            return [filled(sums.get(x), x) for x in connected]

        stacked = API["map_fn"](
            parts, API["range"](count), fn_output_signature=[x.dtype for x in connected]
        )
        jacobians = {id(x): _shaped(value, target, x) for x, value in zip(connected, stacked)}
        return [jacobians.get(id(x)) for x in sources]

    def _looped_columns(self, target: Any, source: Any) -> Any:
        """Computes ``batch_jacobian`` for a target whose row size is unknown, in a graph loop."""
        shape = API["shape"](target)
        count = API["reduce_prod"](shape[1:])
        sizes = API["concat"]([shape, API["shape"](source)[1:]], 0)
        if (
            backpropagate(self._calls, [(target, API["zeros_like"](target))], self._tracked).get(
                source
            )
            is None
        ):
            self._end()
            return API["zeros"](sizes, target.dtype)

        def column(i: Any) -> Any:
            unit = API["broadcast_to"](
                API["one_hot"](i, count, dtype=target.dtype), API["stack"]([shape[0], count])
            )
            seeds = [(target, API["reshape"](unit, shape))]
            return filled(backpropagate(self._calls, seeds, self._tracked).get(source), source)

        # At least one column is computed, because it determines the shape.
        parts = API["map_fn"](
            column, API["range"](API["maximum"](count, 1)), fn_output_signature=source.dtype
        )[:count]
        self._end()
        order = API["concat"]([[1, 0], API["range"](2, API["rank"](parts))], 0)
        return API["reshape"](API["transpose"](parts, order), sizes)

    def _jacobian_of(self, stacked: Any, target: Any, source: Any) -> Any:
        if stacked is None:
            return None
        if target.shape.num_elements() == 0:
            stacked = stacked[:0]
        return API["reshape"](stacked, _concat_shapes(_sizes(target), _sizes(source)))

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Computes the Jacobian of each row of a target with respect to the same row of a source.

        Args:
            target: A tensor whose row i depends only on row i of the source.
            source: A tensor.
            unconnected_gradients: Accepted and without effect: unconnected gradients are zeros.
            parallel_iterations: Accepted and without effect.
            experimental_use_pfor: If True, many columns are computed at once; if False, one by one,
                in less memory, which requires a persistent tape in eager mode.

        Returns:
            A tensor of shape (rows, rest of the target's shape, rest of the source's shape).

        Raises:
            ValueError: The numbers of rows differ, or the target or the source is a vector.
            RuntimeError: The tape is not persistent and was used before, or
                ``experimental_use_pfor`` is False.
        """
        target, source = differentiated(target), differentiated(source)
        rows = None if target.shape.rank is None else target.shape.as_list()[0]
        for tensor in (target, source):
            tensor.shape.with_rank_at_least(2)
        count = target.shape[1:].num_elements()
        if target.shape.rank is None or rows != static_size(source.shape, 0):
            raise ValueError(
                "Need first dimension of target shape "
                f"({target.shape}) and source shape ({source.shape}) to match."
            )
        self._begin()
        self._assert_repeatable("batch_jacobian", experimental_use_pfor)
        unconnected_as(unconnected_gradients, "batch_jacobian" * experimental_use_pfor)
        # One pass per column of the target for all rows at once: rows must be independent.
        if count is None:
            return self._looped_columns(target, source)
        columns = None
        if target.dtype not in (bool_, string) and count:
            units = _columns(target, count)
            columns = self._stacked(
                target, units, [source], UnconnectedGradients.NONE, experimental_use_pfor
            )[0]
        self._end()
        sizes = _concat_shapes(_sizes(target), _sizes(source)[1:])
        if columns is None:
            return API["zeros"](sizes, target.dtype)
        rank = source.shape.rank
        order: Any = [1, 0, *range(2, (rank or 1) + 1)]
        if rank is None:
            order = API["concat"]([[1, 0], API["range"](2, API["rank"](columns))], 0)
        whole = API["reshape"](API["transpose"](columns, order), sizes)
        whole.set_shape(target.shape.concatenate(source.shape[1:]))
        return whole
