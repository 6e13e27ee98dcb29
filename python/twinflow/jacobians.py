"""Derivatives of every element of a target, as tapes give them: row by row, or all rows at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .constant import convert_to_tensor
from .errors import invalid
from .gradient import Sums, UnconnectedGradients, backpropagate, flat, packed
from .op import API, Call
from .tape_values import filled, identity, result, unconnected_as


class Jacobians:
    """What tapes can do besides gradients; see ``GradientTape``."""

    _persistent: bool
    _calls: list[Call]
    _tracked: dict[int, Any]
    _begin: Callable[[], None]
    _end: Callable[[], None]

    def _assert_repeatable(self, what: str, at_once: bool) -> None:
        """Whether the rows may be computed one after the other, where they are not at once."""
        if not at_once and not self._persistent:
            raise RuntimeError(
                f"GradientTape must be created with persistent=True to compute the {what} with eager "
                "execution enabled and with experimental_use_pfor set to False."
            )

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivatives of every element of a target with respect to sources.

        Args:
            target: A tensor.
            sources: A tensor or variable, or a structure of them.
            unconnected_gradients: See ``gradient``.
            parallel_iterations: Accepted and without effect.
            experimental_use_pfor: Whether the rows are computed at once, so that any tape will do.

        Returns:
            A structure like ``sources``, each of the target's shape followed by the source's.

        Raises:
            RuntimeError: The tape is not persistent and was used before, or the rows are not to be
                computed at once.
        """
        self._begin()
        shape = target.shape
        self._assert_repeatable("jacobian", experimental_use_pfor)
        unconnected = unconnected_as(unconnected_gradients, "jacobian" * experimental_use_pfor)
        count = int(shape.num_elements() or 0)
        units = API["reshape"](identity(count, target.dtype), [count, *shape.as_list()])
        rows = [backpropagate(self._calls, [(target, unit)], self._tracked) for unit in API["unstack"](units)]
        found = [self._jacobian_of(rows, target, source, unconnected) for source in flat(sources)]
        other = [x for x in found if x is not None and x.dtype is not target.dtype]
        if other and not experimental_use_pfor:
            raise invalid(
                f"TensorArray dtype is {target.dtype.name} but Op is trying to write dtype "
                f"{other[0].dtype.name}"
            )
        self._end()
        return packed(sources, found)

    def _jacobian_of(self, rows: list[Sums], target: Any, source: Any, unconnected: Any) -> Any:
        parts = [result(sums.get(source), source, unconnected) for sums in rows]
        if any(part is None for part in parts):
            return None
        stacked = API["stack"]([convert_to_tensor(part) for part in parts])
        return API["reshape"](stacked, [*target.shape.as_list(), *source.shape.as_list()])

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivatives of each row of a target with respect to the same row of a source.

        Args:
            target: A tensor whose row i depends on row i of the source alone.
            source: A tensor.
            unconnected_gradients: Accepted and without effect: what is not connected gives zeros.
            parallel_iterations: Accepted and without effect.
            experimental_use_pfor: Whether the columns are computed at once, so that any tape will do.

        Returns:
            A tensor of shape (rows, rest of the target's shape, rest of the source's shape).

        Raises:
            ValueError: The numbers of rows differ, or the target or the source is a vector.
            RuntimeError: The tape is not persistent and was used before, or the columns are not to be
                computed at once.
        """
        rows = target.shape.as_list()[0]
        for tensor in (target, source):
            tensor.shape.with_rank_at_least(2)
        count = math.prod(target.shape[1:])
        if rows != source.shape[0]:
            raise ValueError(
                "Need first dimension of target shape "
                f"({target.shape}) and source shape ({source.shape}) to match."
            )
        self._begin()
        self._assert_repeatable("batch_jacobian", experimental_use_pfor)
        unconnected_as(unconnected_gradients, "batch_jacobian" * experimental_use_pfor)
        # Column by column of the target, all rows at once: no row is to depend on another one.
        units = API["reshape"](identity(count, target.dtype), [count, 1, count])
        seeds = API["broadcast_to"](units, [count, rows, count])
        seeds = API["reshape"](seeds, [count, *target.shape])
        walks = [backpropagate(self._calls, [(target, s)], self._tracked) for s in API["unstack"](seeds)]
        found = [sums.get(source) for sums in walks]
        self._end()
        whole = API["stack"]([filled(value, source) for value in found], axis=1)
        return API["reshape"](whole, [*target.shape, *source.shape[1:]])
