"""``ParameterServerStrategy``: variables on parameter servers, computation on workers.

A variable is on one parameter server, in turns, or split by a partitioner along its first axis
into parts on several. Functions are given to workers by a ``ClusterCoordinator``.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from twinflow._src.checkpoint.entries import FULL, Part
from twinflow._src.checkpoint.values import assign_array
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.devices import DeviceSpec
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.errors import UnavailableError
from twinflow._src.core.scopes import device as device_block
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.specs import TypeSpec
from twinflow._src.dispatch.execute import COMPOSITES
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.dispatch.registry import OPS, Op
from twinflow._src.ops.elementwise.operators import _bind
from twinflow._src.trackable.trackable import SavedValue
from twinflow._src.wings.distribute import remote
from twinflow._src.wings.distribute.cluster_spec import ClusterSpec
from twinflow._src.wings.distribute.strategy import Strategy, StrategyExtended

# Seconds that the constructor waits for tasks that are not started yet.
_START_SECONDS = 60.0

# ------------------------------------------------------------------ partitioners


def _sizes(shape: Any) -> list[Any]:
    return TensorShape(shape).as_list()


def _positive(**values: Any) -> None:
    for name, value in values.items():
        if value is not None and value < 1:
            raise ValueError(f"Argument `{name}` must be positive. Received: {value}")


class Partitioner:
    """Abstract base class of partitioners: functions from a shape to the number of parts by axis."""

    __module__ = "twinflow.distribute.experimental.partitioners"

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """Returns the number of parts along each axis.

        Args:
            shape: The shape of the variable.
            dtype: Its dtype.
            axis: The axis to split.
        """
        raise NotImplementedError


def _counts(shape: Any, axis: int, count: int) -> list[int]:
    result = [1] * len(_sizes(shape))
    result[axis] = count
    return result


class FixedShardsPartitioner(Partitioner):
    """A partitioner with a fixed number of parts, at most one for each row.

    Args:
        num_shards: The number of parts.
    """

    __module__ = "twinflow.distribute.experimental.partitioners"

    def __init__(self, num_shards: int) -> None:
        self._num_shards = num_shards

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """Returns the number of parts along each axis; see ``Partitioner``."""
        result = _counts(shape, axis, 1)
        result[axis] = min(self._num_shards, _sizes(shape)[axis])
        return result


class MinSizePartitioner(Partitioner):
    """A partitioner into parts of at least a size.

    Args:
        min_shard_bytes: The least size of a part in bytes.
        max_shards: The largest number of parts.
        bytes_per_string: The assumed size of a string in bytes.

    Raises:
        ValueError: An argument is not positive.
    """

    __module__ = "twinflow.distribute.experimental.partitioners"

    def __init__(
        self, min_shard_bytes: int = 256 << 10, max_shards: int = 1, bytes_per_string: int = 16
    ) -> None:
        _positive(
            min_shard_bytes=min_shard_bytes,
            max_shards=max_shards,
            bytes_per_string=bytes_per_string,
        )
        self._bytes, self._most, self._string = min_shard_bytes, max_shards, bytes_per_string

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """Returns the number of parts along each axis; see ``Partitioner``."""
        total = math.prod(_sizes(shape)) * _element_bytes(dtype, self._string)
        count = -(-total // self._bytes)
        return _counts(shape, axis, max(1, min(self._most, count, _sizes(shape)[axis])))


@documented_like(MinSizePartitioner)
class MaxSizePartitioner(Partitioner):
    """A partitioner into parts of at most a size.

    Args:
        max_shard_bytes: The largest size of a part in bytes.
        max_shards: The largest number of parts; it takes precedence.
    """

    __module__ = "twinflow.distribute.experimental.partitioners"

    def __init__(
        self, max_shard_bytes: int, max_shards: int | None = None, bytes_per_string: int = 16
    ) -> None:
        if max_shard_bytes < 1:
            raise ValueError(
                f"Argument `max_shard_bytes` must be positive. Received {max_shard_bytes}"
            )
        _positive(max_shards=max_shards or None, bytes_per_string=bytes_per_string)
        self._bytes, self._most, self._string = max_shard_bytes, max_shards, bytes_per_string

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """Returns the number of parts along each axis; see ``Partitioner``."""
        sizes = _sizes(shape)
        if any(size is None for size in sizes):
            raise ValueError(f"shape is not fully defined: {TensorShape(shape)}")
        row = math.prod(sizes) // max(sizes[axis], 1) * _element_bytes(dtype, self._string)
        rows = max(1, self._bytes // max(row, 1))
        count = -(-sizes[axis] // rows)
        return _counts(shape, axis, max(1, min(count, self._most or count)))


def _element_bytes(dtype: Any, string: int) -> int:
    dtype = as_dtype(dtype)
    return string if dtype.kind == "s" else int(dtype.size)


# ------------------------------------------------------------------ ShardedVariable


class _Saved:
    """The checkpoint handle of a sharded variable: one value, whatever the parts."""

    def __init__(self, variable: ShardedVariable) -> None:
        self._variable, self.lock = variable, contextlib.nullcontext()
        first = variable.variables[0]
        self.device, self.value_dtype, self.name = runtime.host, first.dtype, variable.name

    def lend(self) -> Any:
        """Returns the value."""
        return self._variable.numpy()

    def pieces(self) -> list[tuple[Any, Part]]:
        """Returns the handles of the parts, each with its slice."""
        shape = tuple(map(int, self._variable.shape))
        rest = len(shape) - 1
        return [
            (part._handle, Part(shape, (start, *[0] * rest), (end - start, *[FULL] * rest)))
            for part, (start, end) in zip(self._variable.variables, self._variable._ranges())
        ]

    @property
    def array(self) -> Any:
        """The value; assignment sets all parts."""
        return self.lend()

    @array.setter
    def array(self, value: Any) -> None:
        for part, rows in zip(self._variable.variables, self._variable._ranges()):
            assign_array(part, np.ascontiguousarray(value[slice(*rows)]))


class ShardedVariableSpec(TypeSpec):
    """The type of sharded variables, whose components are their parts.

    Args:
        name: The name of the variable.
        shape: The shape of the whole.
        dtype: The dtype.
        count: The number of parts.
    """

    __slots__ = ("_count", "_dtype", "_name", "_shape")

    def __init__(self, name: str, shape: Any, dtype: Any, count: int) -> None:
        self._name, self._shape, self._dtype, self._count = name, shape, dtype, count

    @property
    def value_type(self) -> type:
        """The class of sharded variables."""
        return ShardedVariable

    def _serialize(self) -> tuple[Any, ...]:
        return self._name, self._shape, self._dtype, self._count

    @property
    def _component_specs(self) -> Any:
        return [None] * self._count

    def _to_components(self, value: Any) -> list[Any]:
        return list(value.variables)

    def _from_components(self, components: Any) -> Any:
        return ShardedVariable(list(components), name=self._name)


class ShardedVariable(SavedValue):
    """A variable in parts along the first axis, each on a parameter server.

    Args:
        variables: The parts, in order.
        name: A name.

    Raises:
        TypeError: There are no parts, or one is no variable.
        ValueError: The parts differ in dtype, or in the sizes of other axes than the first.
    """

    _counts_as_tensor = True
    __array_priority__ = 100
    is_sharded_variable = True

    def __init__(self, variables: Sequence[Any], name: str = "ShardedVariable") -> None:
        if not isinstance(variables, (list, tuple)) or not variables:
            raise TypeError(
                f"Argument `variables` should be a non-empty list of `variables.Variable`. Received {variables}"
            )
        self._variables, self._name = list(variables), name
        first = self._variables[0]
        for part in self._variables:
            if part.dtype is not first.dtype:
                raise ValueError(
                    "All elements in argument `variables` must have the same dtype. "
                    f"Received dtypes: {[v.dtype for v in variables]}"
                )
            if part.shape[1:] != first.shape[1:]:
                raise ValueError(
                    "All elements in argument `variables` must have the same shapes except for the first axis. "
                    f"Received shapes: {[v.shape for v in variables]}"
                )
        self._sizes = [int(part.shape[0]) for part in self._variables]
        self._offsets = [0, *itertools.accumulate(self._sizes)]
        self._handle = _Saved(self)

    # ---------------------------------------------------------------- properties
    @property
    def variables(self) -> list[Any]:
        """The parts."""
        return self._variables

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._variables[0].dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        rest = self._variables[0].shape[1:].as_list()
        return TensorShape([self._offsets[-1], *rest])

    def get_shape(self) -> TensorShape:
        """Returns the shape of the whole."""
        return self.shape

    @property
    def _shared_name(self) -> str:
        return str(self._variables[0]._shared_name).removesuffix("/part_0")

    @property
    def _type_spec(self) -> ShardedVariableSpec:
        return ShardedVariableSpec(self._name, self.shape, self.dtype, len(self._variables))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._variables)

    def _ranges(self) -> list[tuple[int, int]]:
        """Returns the first row and the end of each part."""
        return list(itertools.pairwise(self._offsets))

    # ---------------------------------------------------------------- reading
    def _concat(self) -> Any:
        if len(self._variables) == 1:
            return API["identity"](self._variables[0])
        return API["concat"]([part.read_value() for part in self._variables], 0)

    def numpy(self) -> np.ndarray[Any, Any]:
        """Returns the whole value as an array."""
        if thread.scope.graph is not None:
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        return np.concatenate([part.numpy() for part in self._variables])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Any:
        return convert_to_tensor(self._concat(), dtype)

    def __getitem__(self, key: Any) -> Any:
        first = key[0] if isinstance(key, tuple) and key else key
        if isinstance(first, (int, np.integer)) and not isinstance(first, bool):
            rows = self._offsets[-1]
            index = first + rows if first < 0 else first
            if not 0 <= index < rows:
                raise IndexError(
                    f"ShardedVariable: slice index {first} of dimension 0 out of bounds."
                )
            number = next(i for i, (_, end) in enumerate(self._ranges()) if index < end)
            row = self._variables[number][int(index) - self._offsets[number]]
            return row[key[1:]] if isinstance(key, tuple) and key[1:] else convert_to_tensor(row)
        return self._concat()[key]

    def _partition(self, ids: Any) -> tuple[Any, Any]:
        """Returns the part of each row index, and the indices within the parts."""
        ids = convert_to_tensor(ids)
        ends = convert_to_tensor(self._offsets[1:], dtype=ids.dtype)
        parts = API["searchsorted"](ends, API["reshape"](ids, [-1]), side="right")
        parts = API["minimum"](parts, len(self._variables) - 1)  # the op reports a wrong index
        starts = API["gather"](convert_to_tensor(self._offsets[:-1], dtype=ids.dtype), parts)
        return parts, API["reshape"](ids, [-1]) - starts

    def sparse_read(self, indices: Any, name: str | None = None) -> Any:
        """Returns rows; each parameter server sends those that it has.

        Args:
            indices: The indices of the rows.
            name: A name.
        """
        indices = convert_to_tensor(indices)
        count = len(self._variables)
        parts, local = self._partition(indices)
        order = API["range"](API["size"](parts))
        places = API["dynamic_partition"](order, parts, count)
        rows = [
            part.sparse_read(local_ids)
            for part, local_ids in zip(
                self._variables, API["dynamic_partition"](local, parts, count), strict=True
            )
        ]
        flat = API["dynamic_stitch"](places, [API["identity"](x) for x in rows])
        rest = API["shape"](self._variables[0])[1:]
        return API["reshape"](flat, API["concat"]([API["shape"](indices), rest], 0), name=name)

    # ---------------------------------------------------------------- writing
    def _each(self, method: str, value: Any) -> ShardedVariable:
        """Updates each part with its rows of a value."""
        tensor = convert_to_tensor(value, dtype=self.dtype)
        rank = len(self.shape)
        for part, (start, end) in zip(self._variables, self._ranges()):
            sizes = [end - start, *[-1] * (rank - 1)]
            rows = API["slice"](tensor, [start, *[0] * (rank - 1)], sizes)
            getattr(part, method)(rows)
        return self

    def assign(
        self,
        value: Any,
        use_locking: Any = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> ShardedVariable:
        """Replaces the value.

        Args:
            value: A value of the whole's shape.
            use_locking: Without effect.
            name: Without effect.
            read_value: Without effect.

        Returns:
            The variable.
        """
        return self._each("assign", value)

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> ShardedVariable:
        """Adds a value of the whole's shape; see ``assign``."""
        return self._each("assign_add", delta)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> ShardedVariable:
        """Subtracts a value of the whole's shape; see ``assign``."""
        return self._each("assign_sub", delta)

    def _scattered(self, method: str, slices: Any) -> ShardedVariable:
        """Updates rows, each in its part."""
        if not isinstance(slices, IndexedSlices):
            raise TypeError(
                f"ShardedVariable: Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {slices}"
            )
        count = len(self._variables)
        parts, local = self._partition(slices.indices)
        values = convert_to_tensor(slices.values, dtype=self.dtype)
        if values.shape.rank == 0 or (values.shape.rank or 0) < len(self.shape):
            shape = API["concat"]([API["shape"](local), API["shape"](values)], 0)
            values = API["broadcast_to"](values, shape)
        rows = API["dynamic_partition"](values, parts, count)
        indices = API["dynamic_partition"](local, parts, count)
        for part, local_ids, row in zip(self._variables, indices, rows):
            getattr(part, method)(IndexedSlices(row, local_ids))
        return self


def _add_scatters() -> None:
    def scatter(method: str) -> Callable[..., Any]:
        def update(
            self: Any, sparse_delta: Any, use_locking: bool = False, name: str | None = None
        ) -> Any:
            return self._scattered(method, sparse_delta)

        update.__name__ = method
        update.__doc__ = f"Updates rows, each in its part; see ``tf.Variable.{method}``."
        return update

    for name in ("add", "sub", "mul", "div", "min", "max", "update"):
        setattr(ShardedVariable, f"scatter_{name}", scatter(f"scatter_{name}"))
    setattr(ShardedVariable, "batch_scatter_update", scatter("scatter_update"))  # noqa: B010


_add_scatters()
_getitem = ShardedVariable.__getitem__
_bind(ShardedVariable)
setattr(ShardedVariable, "__getitem__", _getitem)  # noqa: B010 - not that of tensors


def _on_sharded(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Gathers rows from the parts that have them; other ops take the whole."""
    if op is OPS["GatherV2"] and isinstance(inputs[0], ShardedVariable):
        axis = inputs[2] if len(inputs) > 2 else 0
        if not attrs.get("batch_dims") and (axis is None or _is_zero(axis)):
            return inputs[0].sparse_read(inputs[1])
    return _execute_on_tensors(op, inputs, attrs)


def _is_zero(axis: Any) -> bool:
    return isinstance(axis, (int, np.integer, np.ndarray)) and int(axis) == 0


def _execute_on_tensors(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    from twinflow._src.dispatch.execute import execute

    def to_tensor(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [to_tensor(item) for item in value]
        return value._concat() if isinstance(value, ShardedVariable) else value

    return execute(op, [to_tensor(value) for value in inputs], attrs)


COMPOSITES[ShardedVariable] = _on_sharded


# ------------------------------------------------------------------ the strategy


_JOBS = ("chief", "worker", "evaluator", "ps", None)


def _checked_cluster(resolver: Any) -> ClusterSpec:
    spec: ClusterSpec = resolver.cluster_spec()
    counts = {job: len(spec.job_tasks(job)) for job in spec.jobs}
    if any(job not in _JOBS for job in counts):
        raise ValueError(
            f"Disallowed task type found in cluster spec. Allowed types are {_JOBS} and the cluster spec is {spec}."
        )
    if counts.get("chief", 0) > 1:
        raise ValueError("There must be at most one 'chief' job.")
    if counts.get("evaluator", 0) > 1:
        raise ValueError("There must be at most one 'evaluator' job.")
    if not counts.get("worker"):
        raise ValueError("There must be at least one worker.")
    if not counts.get("ps"):
        raise ValueError("There must be at least one ps.")
    return spec


class ParameterServerStrategyV2Extended(StrategyExtended):
    """The extended part of the strategy; see ``StrategyExtended``."""

    def __init__(
        self, container_strategy: Any, cluster_resolver: Any, variable_partitioner: Any
    ) -> None:
        super().__init__(container_strategy, ("/device:CPU:0",))
        spec = _checked_cluster(cluster_resolver)
        self._num_ps, self._num_workers = spec.num_tasks("ps"), spec.num_tasks("worker")
        self._partitioner, self._count = variable_partitioner, 0
        self.peers = _connect(spec)

    @property
    def parameter_devices(self) -> Any:
        """The device of the coordinator, as in TensorFlow."""
        return ("/job:chief/replica:0/task:0/device:CPU:0",)

    def _next_ps(self) -> str:
        number, self._count = self._count % self._num_ps, self._count + 1
        return f"/job:ps/replica:0/task:{number}/device:CPU:0"

    def _created(self, make: Callable[..., Any], options: dict[str, Any]) -> Any:
        scope = thread.scope.around
        if scope is not None and DeviceSpec.from_string(scope).job == "ps":
            return make(**options)  # beside another variable, as the slots of optimizers are
        counts = self._shards_of(options)
        if counts is None:
            with device_block(self._next_ps()):
                return make(**options)
        return self._create_parts(make, options, counts)

    def _shards_of(self, options: dict[str, Any]) -> int | None:
        """Returns the number of parts of a new variable; None for a variable in one part."""
        if self._partitioner is None or thread.scope.graph is not None:
            return None
        initial = options.get("initial_value")
        value = convert_to_tensor(
            initial() if callable(initial) else initial,
            dtype=options.get("dtype"),
        )
        options["initial_value"] = value
        if not value.shape.rank:
            return None
        counts = self._partitioner(shape=value.shape, dtype=value.dtype)
        if any(count > 1 for count in counts[1:]):
            raise ValueError(
                "ParameterServerStrategy: partitions along other axes than the first are not supported, "
                f"got {counts}."
            )
        return counts[0] if counts and counts[0] > 1 else None

    def _create_parts(self, make: Callable[..., Any], options: dict[str, Any], count: int) -> Any:
        value = options["initial_value"]
        rows, name = int(value.shape[0]), options.get("name") or "Variable"
        sizes = [rows // count + (i < rows % count) for i in range(count)]
        parts, start = [], 0
        for i, size in enumerate(sizes):
            part = {
                **options,
                "initial_value": value[start : start + size],
                "name": f"{name}/part_{i}",
                "shape": None,
            }
            with device_block(self._next_ps()):
                parts.append(make(**part))
            start += size
        for part in parts:
            part._strategy = self._strategy
        return ShardedVariable(parts)


def _connect(spec: ClusterSpec) -> dict[tuple[str, int], Any]:
    """Connects to the workers and parameter servers, and waits for those that start later."""
    addresses = {
        (job, i): spec.task_address(job, i) for job in spec.jobs for i in spec.task_indices(job)
    }
    end = time.monotonic() + _START_SECONDS
    peers = {}
    for place, address in addresses.items():
        if place[0] not in ("worker", "ps"):
            continue
        while True:
            try:
                peer = peers[place] = remote.peer_of(place, address, addresses)
                peer.check()  # of an earlier strategy, it may be lost
                break
            except UnavailableError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)
    return peers


class ParameterServerStrategyV2(Strategy):
    """Asynchronous training: variables on parameter servers, steps on workers.

    Functions are given to workers by ``tf.distribute.coordinator.ClusterCoordinator``.

    Args:
        cluster_resolver: The cluster resolver; the cluster has the jobs ``worker`` and ``ps``.
        variable_partitioner: A partitioner that splits variables, such as one of
            ``tf.distribute.experimental.partitioners``; None for no split.

    Raises:
        ValueError: The cluster has no workers or no parameter servers, or another job.
        UnavailableError: A task does not respond.
    """

    __module__ = "twinflow.distribute"

    _should_use_with_coordinator = True

    def __init__(self, cluster_resolver: Any, variable_partitioner: Any = None) -> None:
        super().__init__(
            ParameterServerStrategyV2Extended(self, cluster_resolver, variable_partitioner)
        )

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: Any = None
    ) -> Any:
        """Calls a function once, in a function that a worker runs or in the coordinator.

        Args:
            fn: The function.
            args: Its positional arguments.
            kwargs: Its keyword arguments.
            options: Accepted and without effect.
        """
        return super().run(fn, args, kwargs, options)
