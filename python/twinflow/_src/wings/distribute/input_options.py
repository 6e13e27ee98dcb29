"""Options and contexts of distributed input."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple


class InputReplicationMode(enum.Enum):
    """The replication of input functions: per worker or per replica."""

    __module__ = "twinflow.distribute"

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputContext:
    """The context of an input function.

    Args:
        num_input_pipelines: The number of input pipelines.
        input_pipeline_id: The index of this input pipeline.
        num_replicas_in_sync: The number of replicas.
    """

    __module__ = "twinflow.distribute"

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self._pipelines, self._id, self._replicas = (
            num_input_pipelines,
            input_pipeline_id,
            num_replicas_in_sync,
        )

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return self._replicas

    @property
    def input_pipeline_id(self) -> int:
        """The index of this input pipeline."""
        return self._id

    @property
    def num_input_pipelines(self) -> int:
        """The number of input pipelines."""
        return self._pipelines

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Returns the batch size per replica.

        Args:
            global_batch_size: The global batch size.

        Raises:
            ValueError: The global batch size is not divisible by the number of replicas.
        """
        if global_batch_size % self._replicas:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by "
                f"`num_replicas_in_sync` {self._replicas} "
            )
        return global_batch_size // self._replicas

    def __str__(self) -> str:
        return f"tf.distribute.InputContext(input pipeline id {self._id}, total: {self._pipelines})"


class InputOptions(NamedTuple):
    """Options of distributed input; accepted and without effect."""

    experimental_fetch_to_device: bool = True
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


InputOptions.__module__ = "twinflow.distribute"


class RunOptions(NamedTuple):
    """Options of ``Strategy.run``; accepted and without effect."""

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


RunOptions.__module__ = "twinflow.distribute"
