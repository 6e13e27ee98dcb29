"""Checks of what operations give for infinities and numbers that are none."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import REALS
from twinflow._src.core.errors import invalid
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import export
from twinflow._src.dispatch.registry import Op

# What only passes elements on, which somebody else has made.
_PASSING = {"Identity", "Concat", "ConcatV2", "ExpandDims", "Fill", "Gather", "Maximum", "Minimum", "Reshape", "Slice"}
_PASSING |= {"Squeeze", "Stack", "StridedSlice", "StridedSliceGrad", "Transpose", "Unpack", "CheckNumerics"}
_KINDS = (("-Inf", np.isneginf), ("+Inf", np.isposinf), ("NaN", np.isnan))


class _Checker:
    """An observer that looks at the results of operations."""

    def record(self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], made: Any) -> None:
        """Raises InvalidArgumentError where a result is not finite; called by the runtime."""
        outputs = made if isinstance(made, list) else [made]
        for i, output in enumerate(outputs):
            if type(output) is EagerTensor and output.dtype in REALS and op.type not in _PASSING:
                counts = _counts(output)
                if counts:
                    raise invalid(_said(op, inputs, output, i, len(outputs), counts))

    def accessed(self, variable: Any) -> None:
        """Nothing: what is read is looked at when it is read."""


def _counts(tensor: EagerTensor) -> dict[str, int]:
    array = tensor._host().astype(np.float64)
    if np.isfinite(array).all():
        return {}
    found = {kind: int(np.count_nonzero(holds(array))) for kind, holds in _KINDS}
    return {kind: count for kind, count in found.items() if count}


def _said(op: Op, inputs: Any, output: EagerTensor, place: int, outputs: int, counts: dict[str, int]) -> str:
    several = f" ({len(inputs)})" if len(inputs) > 1 else ""
    given = [f"         {i}: {x!s}" for i, x in enumerate(inputs)] if several else [f" {x!s}" for x in inputs]
    texts = f"  Input tensor{'s' * bool(several)}{several}:" + ("\n" if several else "") + "\n".join(given)
    lines = [f"  # of {'+' * (kind == 'NaN')}{kind} elements: {count}" for kind, count in counts.items()]
    kinds = list(counts)
    listed = " and ".join(kinds) if len(kinds) < 3 else f"{kinds[0]}, {kinds[1]}, and {kinds[2]}"
    return "\n".join(
        [
            f'\n\n!!! Detected Infinity or NaN in output {place} of eagerly-executing op "{op.type}" '
            f"(# of outputs: {outputs}) !!!",
            f"  dtype: {output.dtype}",
            f"  shape: {output.shape}",
            *lines,
            f"\n{texts}\n\n : Tensor had {listed} values",
        ]
    )


_checker = _Checker()


@export("debugging.enable_check_numerics")
def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Lets operations of this thread be refused whose results are infinite or no numbers, from now on.

    Functions run their operations one by one then.

    Args:
        stack_height_limit: Accepted and without effect.
        path_length_limit: Accepted and without effect.

    Returns:
        None.
    """
    scope = thread.scope
    if _checker not in scope.observers:
        thread.scope = scope.watched(*scope.observers, _checker)


@export("debugging.disable_check_numerics")
def disable_check_numerics() -> None:
    """Ends what ``tf.debugging.enable_check_numerics`` began.

    Returns:
        None.
    """
    scope = thread.scope
    thread.scope = scope.watched(*(o for o in scope.observers if o is not _checker))
