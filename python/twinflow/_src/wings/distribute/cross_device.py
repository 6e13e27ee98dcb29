"""Cross-device ops: reduction of per-replica values, and broadcast to devices as mirrored values.

Values are added in the order of the replicas, so that sums are deterministic. All classes do so
here; in TensorFlow they differ in how the runtime moves the data.
"""

from __future__ import annotations

import enum
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.scopes import device
from twinflow._src.dispatch.op import API, OPS, execute
from twinflow._src.variables.options import VariableAggregation, VariableAggregationV2
from twinflow._src.variables.variable import Variable
from twinflow._src.wings.distribute import strategy_context, values
from twinflow._src.wings.distribute.values import DistributedValues

# ------------------------------------------------------------------ mirrored values


_BOTH = "add sub mul truediv floordiv mod pow and_ or_ xor matmul"
_LEFT = "lt le gt ge getitem neg abs invert"


class Mirrored(values.Mirrored):
    """Mirrored values; an op on them uses the value of the current replica."""

    def _here(self) -> Any:
        """Returns the value of the replica that runs or is updated, by default the first one."""
        number = strategy_context.replica_or_none()
        return self._values[number if number and len(self._values) > 1 else 0]

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return convert_to_tensor(self._here(), dtype, name=name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self._here(), dtype, copy=copy)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._here(), name)


def _add_operators() -> None:
    def straight(function: Any) -> Any:
        return lambda self, *other: function(self._here(), *other)

    def swapped(function: Any) -> Any:
        return lambda self, other: function(other, self._here())

    for name in (*_BOTH.split(), *_LEFT.split()):
        function = getattr(operator, name)
        setattr(Mirrored, f"__{name.strip('_')}__", straight(function))
        if name in _BOTH.split():
            setattr(Mirrored, f"__r{name.strip('_')}__", swapped(function))


_add_operators()


# ------------------------------------------------------------------ reduce ops


class ReduceOp(enum.Enum):
    """The reduction of per-replica values: sum or mean."""

    __module__ = "twinflow.distribute"

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: Any) -> ReduceOp:
        """Returns the ``ReduceOp`` of a variable's aggregation.

        Args:
            aggregation: A ``tf.VariableAggregation``.

        Raises:
            ValueError: The aggregation is neither SUM nor MEAN.
        """
        if aggregation.name in ReduceOp.__members__:
            return ReduceOp[aggregation.name]
        raise ValueError(
            f"Could not convert from `tf.VariableAggregation` {aggregation} to`tf.distribute.ReduceOp` type"
        )


def reduce_op_of(reduce_op: Any) -> ReduceOp:
    """Returns the ``ReduceOp`` of a name (in any case) or ``ReduceOp``, or raises ValueError."""
    return reduce_op if isinstance(reduce_op, ReduceOp) else ReduceOp(reduce_op.upper())


def has_aggregation(value: Any, *names: str) -> bool:
    """True if an aggregation of TensorFlow 1 or 2 has one of the names."""
    return isinstance(value, (VariableAggregation, VariableAggregationV2)) and value.name in names


# ------------------------------------------------------------------ cross-device ops


class CrossDeviceOps:
    """Base class of cross-device reductions; subclasses implement ``reduce_implementation``."""

    __module__ = "twinflow.distribute"

    def reduce(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None
    ) -> Any:
        """Reduces per-replica values.

        Args:
            reduce_op: A ``tf.distribute.ReduceOp``.
            per_replica_value: The per-replica values.
            destinations: A device name, or values or a variable on whose devices the result is
                placed.
            options: Accepted and without effect.

        Returns:
            A tensor for one device, else the same tensor on each device.

        Raises:
            ValueError: ``reduce_op`` is not a ``ReduceOp``.
        """
        _assert_reduce_op(reduce_op)
        _assert_destinations(destinations)
        return self.reduce_implementation(
            reduce_op, _as_distributed(per_replica_value), destinations, options
        )

    def batch_reduce(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        """Reduces several per-replica values.

        Args:
            reduce_op: A ``tf.distribute.ReduceOp``.
            value_destination_pairs: Pairs of values and destinations; see ``reduce``.
            options: Accepted and without effect.
        """
        _assert_reduce_op(reduce_op)
        pairs = [
            (_as_distributed(value), destinations)
            for value, destinations in value_destination_pairs
        ]
        return self.batch_reduce_implementation(reduce_op, pairs, options)

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """Copies a tensor to devices.

        Args:
            tensor: The tensor.
            destinations: See ``reduce``.
        """
        _assert_destinations(destinations)
        return self.broadcast_implementation(tensor, destinations)

    def reduce_implementation(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None
    ) -> Any:
        """Implements ``reduce``; to be overridden by subclasses."""
        raise NotImplementedError("_reduce method must be implemented in descendants.")

    def batch_reduce_implementation(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> Any:
        """Implements ``batch_reduce``; may be overridden by subclasses."""
        return [
            self.reduce_implementation(reduce_op, v, d, options) for v, d in value_destination_pairs
        ]

    def broadcast_implementation(self, tensor: Any, destinations: Any) -> Any:
        """Implements ``broadcast``; may be overridden by subclasses."""
        return broadcast(tensor, destinations)

    def _gather(self, per_replica_value: Any, destinations: Any, axis: int) -> Any:
        devices = devices_of(destinations)
        with device(devices[0]):
            parts = [API["identity"](value) for value in per_replica_value.values]
            gathered = execute(OPS["ConcatV2"], [parts, axis], {})
        return broadcast(gathered, destinations)


class _InOrder(CrossDeviceOps):
    """Sums the values on one device, in the order of the replicas."""

    def _device(self, destinations: Any) -> str:
        return devices_of(destinations)[0]

    def reduce_implementation(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None
    ) -> Any:
        """See ``CrossDeviceOps``."""
        values = per_replica_value.values
        with device(self._device(destinations)):
            total = summed(values)
            if reduce_op is ReduceOp.MEAN:
                total = divided(total, len(values))
        return broadcast(total, destinations)


class ReductionToOneDevice(_InOrder):
    """Copies all values to one device and reduces them there.

    Args:
        reduce_to_device: The device; the first one of the destination if None.
        accumulation_fn: A function that adds a list of tensors; ``tf.add_n`` if None.
    """

    __module__ = "twinflow.distribute"

    def __init__(self, reduce_to_device: Any = None, accumulation_fn: Any = None) -> None:
        self.reduce_to_device, self.accumulation_fn = (
            reduce_to_device,
            accumulation_fn or API["add_n"],
        )

    def _device(self, destinations: Any) -> str:
        return self.reduce_to_device or super()._device(destinations)


class _Packing(_InOrder):
    _kind = ""

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f"{self._kind} requires num_packs >= 0, but {num_packs} is specified")


class NcclAllReduce(_Packing):
    """All-reduce for devices with NCCL; here the same deterministic sum as in the other classes.

    Args:
        num_packs: Accepted and without effect.

    Raises:
        ValueError: ``num_packs`` is negative.
    """

    __module__ = "twinflow.distribute"

    _kind = "NCCL all-reduce"


class HierarchicalCopyAllReduce(_Packing):
    """Hierarchical all-reduce; here the same deterministic sum as in the other classes.

    Args:
        num_packs: Accepted and without effect.

    Raises:
        ValueError: ``num_packs`` is negative.
    """

    __module__ = "twinflow.distribute"

    _kind = "HierarchicalCopy"


class CollectiveAllReduce(_InOrder):
    """The default cross-device ops of strategies."""


# ------------------------------------------------------------------ sums


def summed(values: Sequence[Any]) -> Any:
    """Returns the sum of tensors or ``IndexedSlices``, in order."""
    if isinstance(values[0], IndexedSlices):
        rows = API["concat"]([v.values for v in values], 0)
        return IndexedSlices(
            rows, API["concat"]([v.indices for v in values], 0), values[0].dense_shape
        )
    return API["add_n"](list(values))


def divided(total: Any, count: int) -> Any:
    """Divides a sum by a count."""
    if isinstance(total, IndexedSlices):
        return IndexedSlices(API["truediv"](total.values, count), total.indices, total.dense_shape)
    return API["truediv"](total, count)


def broadcast(value: Any, destinations: Any) -> Any:
    """Copies a tensor or ``IndexedSlices`` to devices; several devices yield mirrored values."""
    copies = [_copy_to_device(value, name) for name in devices_of(destinations)]
    return copies[0] if len(copies) == 1 else Mirrored(copies)


def _copy_to_device(value: Any, name: str) -> Any:
    with device(name):
        if isinstance(value, IndexedSlices):
            parts = (value.values, value.indices, value.dense_shape)
            return IndexedSlices(
                *(None if part is None else API["identity"](part) for part in parts)
            )
        return API["identity"](value)


# ------------------------------------------------------------------ devices


def canonical(name: str) -> str:
    """Returns the canonical name of a device, whether it exists or not."""
    from twinflow._src.core.devices import DeviceSpec

    spec = DeviceSpec.from_string(name)
    default = DeviceSpec(job="localhost", replica=0, task=0, device_type="CPU", device_index=0)
    index = 0 if spec.device_index is None else spec.device_index
    return default.make_merged_spec(spec).replace(device_index=index).to_string()


def devices_of(destinations: Any) -> tuple[str, ...]:
    """Returns the canonical device names of a device name, values or a variable."""
    if isinstance(destinations, str):
        return (canonical(destinations),)
    if isinstance(destinations, DistributedValues):
        return tuple(_device_of(value) for value in destinations.values)
    return (_device_of(destinations),)


def _device_of(value: Any) -> str:
    return str(value.values.device if isinstance(value, IndexedSlices) else value.device)


def current_device() -> str:
    """Returns the current device: that of the enclosing ``tf.device`` scope, or the first CPU."""
    name = thread.scope.device
    return runtime.host.name if name is None else runtime.place(name).name


def _as_distributed(value: Any) -> Any:
    return value if isinstance(value, DistributedValues) else Mirrored([value])


def _assert_reduce_op(reduce_op: Any) -> None:
    if not isinstance(reduce_op, ReduceOp):
        raise ValueError("`reduce_op` must be Reduce.SUM or Reduce.MEAN.")


def _assert_destinations(destinations: Any) -> None:
    if not isinstance(destinations, (str, DistributedValues, Variable)) and not hasattr(
        destinations, "device"
    ):
        raise ValueError(
            "destinations must be one of a `DistributedValues` object, a tf.Variable object, or a device string."
        )
