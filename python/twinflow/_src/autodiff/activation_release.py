"""What tapes let go of: the elements of large tensors that nobody else holds and no gradient reads.

A tape keeps the tensors of the calls that it follows. Of many of them gradients read the shape alone: of
both terms of a sum, of what an activation is computed from. Once the program has dropped such a tensor,
and the tape's own references are all that is left, its array is replaced by its shape and type. Whoever
read elements of it nevertheless would get an error, not a wrong number.
"""

from __future__ import annotations

import math
import sys
import types
import weakref
from typing import Any, cast

import numpy as np

from twinflow._src.core.context import runtime
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.registry import Op
from twinflow._src.variables.handle import counts_are_exact

# Of so many of the latest tensors the references are looked at.
_LATEST = 32

# The positions of inputs of which gradients read the shape at most.
_INPUTS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("Add", "AddV2", "BiasAdd", "Sub"), (0, 1)),
    **dict.fromkeys(
        (
            *(
                "AvgPool",
                "BroadcastTo",
                "Cast",
                "Conj",
                "Cumsum",
                "ExpandDims",
                "GatherV2",
                "Identity",
                "Imag",
            ),
            *(
                "Mean",
                "Neg",
                "Pad",
                "Real",
                "Reshape",
                "ReverseV2",
                "Slice",
                "Squeeze",
                "StridedSlice",
            ),
            *("Sum", "Tile", "Transpose"),
            *(
                "Elu",
                "Exp",
                "LogSoftmax",
                "Reciprocal",
                "Relu",
                "Relu6",
                "Rsqrt",
                "Selu",
                "Sigmoid",
                "Softmax",
            ),
            *("Sqrt", "Tanh"),
        ),
        (0,),
    ),
    "SelectV2": (1, 2),
}
# Ops of whose result gradients read the shape at most.
_RESULTS = frozenset(
    (
        *(
            "Abs",
            "Add",
            "AddV2",
            "AvgPool",
            "BatchMatMulV2",
            "BiasAdd",
            "BroadcastTo",
            "Cast",
            "Conj",
            "Conv2D",
        ),
        *(
            "Cos",
            "Cumsum",
            "DepthwiseConv2dNative",
            "Einsum",
            "ExpandDims",
            "GatherV2",
            "Identity",
            "Imag",
        ),
        *(
            "LeakyRelu",
            "Log",
            "Log1p",
            "MatMul",
            "MaxPool",
            "Maximum",
            "Mean",
            "Minimum",
            "Mul",
            "Neg",
            "Pad",
            "Real",
        ),
        *(
            "ReadVariableOp",
            "RealDiv",
            "Reshape",
            "ReverseV2",
            "SelectV2",
            "Sin",
            "Slice",
            "Softplus",
            "Square",
            "SquaredDifference",
        ),
        *("Squeeze", "StridedSlice", "Sub", "Sum", "Tile", "Transpose"),
    )
)


class Emptied:
    """What is left of an array: its shape and its type.

    Args:
        array: The array.
    """

    __slots__ = ("dtype", "shape")
    __array_ufunc__ = None

    def __init__(self, array: Any) -> None:
        self.shape, self.dtype = array.shape, array.dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements that there were."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The number of bytes that they took."""
        return self.size * int(self.dtype.itemsize)

    def __array__(self, *_: Any, **__: Any) -> Any:
        """Refuses.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError(
            "The elements of this tensor are no longer there: its tape has let go of them."
        )


class Releases:
    """What a tape may let go of.

    A tensor is free when all references to it are those that were counted here: those of calls whose gradients
    read its shape at most, and the tape's own. One that was not counted only keeps the tensor.

    Attributes:
        least: Tensors of so many bytes are worth the look at their references.
        idle: The tensors that were counted, by their keys, and how many references of calls there are to each.
    """

    least = 1 << 18

    def __init__(self) -> None:
        self.idle: dict[int, tuple[EagerTensor, int]] = {}

    def note(
        self, op: Op, inputs: tuple[Any, ...], made: EagerTensor, tracked: dict[int, Any]
    ) -> None:
        """Takes note of a call that the tape keeps, once, and lets go of what has become free.

        Args:
            op: The op.
            inputs: Its inputs.
            made: Its result.
            tracked: What the tape follows.
        """
        self.let_go(tracked)
        unread = _INPUTS.get(op.type, ())
        for place, value in enumerate(inputs):
            if type(value) is EagerTensor:
                self._note(value, place in unread)
        self._note(made, op.type in _RESULTS)

    def _note(self, value: EagerTensor, is_unread: bool) -> None:
        key = id(value)
        if not is_unread:
            self.idle.pop(key, None)
        elif value._array.nbytes >= self.least and value._device is runtime.home:
            self.idle[key] = value, self.idle.get(key, (None, 0))[1] + 1

    def let_go(self, tracked: dict[int, Any]) -> None:
        """Empties the tensors that nobody but the tape holds.

        Args:
            tracked: What the tape follows.
        """
        for key in [*self.idle][-_LATEST:]:
            value, count = self.idle.pop(key)
            counted = count + (key in tracked) + _BASE
            if sys.getrefcount(value) > counted or weakref.getweakrefcount(value):
                self.idle[key] = value, count
            else:
                value._array = Emptied(value._array)


def _is_released(is_shared: bool) -> bool:
    """Whether ``let_go`` empties a tensor that something else holds or not."""
    releases, value = Releases(), cast(Any, types.SimpleNamespace(_array=np.zeros(1)))
    releases.idle[0] = value, 0
    if not is_shared:
        del value
    releases.let_go({})
    return not releases.idle


def _calibrated() -> int:
    """The references to a tensor in ``let_go`` that are neither the tape's nor a call's, found by ``let_go`` itself."""
    global _BASE
    for _BASE in (1, 2):  # a local variable, and the argument where it is counted
        if _is_released(False) and not _is_released(True):
            return _BASE
    return -sys.maxsize


_BASE = -sys.maxsize  # nothing is let go of
if counts_are_exact:
    _BASE = _calibrated()
