"""``tf.compat.v1.train.SyncReplicasOptimizer``: synchronous updates of variables of parameter servers.

Each worker adds its gradients to accumulators, and waits for a token. A thread of the chief takes
the mean of enough gradients, applies it, and enqueues tokens with the number of the new step.
Gradients that were computed at an older step are dropped.

Source: Chen, Pan, Monga, Bengio and Jozefowicz, Revisiting Distributed Synchronous SGD, 2016.
"""

from __future__ import annotations

from typing import Any

from twinflow._src.compat_v1.logging import info
from twinflow._src.compat_v1.optimizer_base import Optimizer
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.dispatch.op import API
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import get_default_graph
from twinflow._src.variables.creation import VariableV1
from twinflow._src.variables.v1_collections import (
    global_variables,
    report_uninitialized_variables,
)
from twinflow._src.wings.monitored.hooks import SessionRunHook
from twinflow._src.wings.monitored.sessions import SessionManager
from twinflow._src.wings.queue.accumulators import (
    ConditionalAccumulator,
    SparseConditionalAccumulator,
)
from twinflow._src.wings.queue.queues import FIFOQueue
from twinflow._src.wings.queue.runners import QueueRunner


class SyncReplicasOptimizer(Optimizer):
    """An optimizer that applies the mean of the gradients of several workers.

    Args:
        opt: The optimizer that applies it.
        replicas_to_aggregate: The number of gradients of a step.
        total_num_replicas: The number of workers; ``replicas_to_aggregate`` if None. If it is
            larger, the slowest workers of a step are not waited for.
        variable_averages: An ``ExponentialMovingAverage`` that is updated after each step, or None.
        variables_to_average: The variables of it.
        use_locking: Accepted and without effect: updates exclude each other.
        name: A name.

    Attributes:
        local_step_init_op: The operation that sets the worker's step to the global one.
        chief_init_op: The same for the chief, with the steps of the accumulators.
        ready_for_local_init_op: A tensor that is empty when these may run.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(
        self,
        opt: Any,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: Any = None,
        variables_to_average: Any = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ) -> None:
        super().__init__(use_locking, name)
        if total_num_replicas is None:
            total_num_replicas = replicas_to_aggregate
        info(
            "SyncReplicas: %d gradients for each step, of %d replicas.",
            replicas_to_aggregate,
            total_num_replicas,
        )
        self._opt = opt
        self._replicas_to_aggregate = replicas_to_aggregate
        self._total_num_replicas = total_num_replicas
        self._tokens_per_step = max(total_num_replicas, replicas_to_aggregate)
        self._variable_averages = variable_averages
        self._variables_to_average = variables_to_average
        self._gradients_applied = False
        self._global_step: Any = None
        self._local_step: Any = None
        self._sync_token_queue: Any = None
        self._chief_queue_runner: Any = None
        self._accumulator_list: list[tuple[Any, Any]] = []

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """Returns the gradients of the inner optimizer; see ``Optimizer.compute_gradients``."""
        return list(self._opt.compute_gradients(*args, **kwargs))

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Adds the operations of a step of a worker, and those of the chief.

        Args:
            grads_and_vars: Pairs of a gradient, or None, and a variable.
            global_step: The variable that counts steps.
            name: The name of the operations.

        Returns:
            The train op of a worker.

        Raises:
            ValueError: There are no variables, or no global step.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        graph = get_default_graph()
        self._global_step = global_step
        self._local_step = VariableV1(
            0,
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
            dtype=global_step.dtype.base_dtype,
            name="sync_rep_local_step",
        )
        self.local_step_init_op = self._local_step.assign(global_step)
        chief_init_ops = [self.local_step_init_op]
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        with graph.name_scope(name or self._name):
            applied, aggregated = self._accumulate(graph, pairs)
        with graph.device(global_step.device):
            update = self._opt.apply_gradients(aggregated, global_step)
        with graph.device(global_step.device):
            queue = FIFOQueue(
                -1,
                global_step.dtype.base_dtype,
                shapes=[()],
                name="sync_token_q",
                shared_name="sync_token_q",
            )
        self._sync_token_queue = queue
        with graph.control_dependencies(applied):
            token = queue.dequeue()
        train = self._local_step.assign(token)
        with graph.control_dependencies([update]):
            tokens = API["fill"]([self._tokens_per_step], global_step.read_value())
            sync = queue.enqueue_many((tokens,))
        if self._variable_averages is not None:
            with graph.control_dependencies([sync]):
                sync = self._variable_averages.apply(self._variables_to_average)
        self._chief_queue_runner = QueueRunner(queue, [sync])
        with graph.name_scope(name or self._name):
            for accumulator, device in self._accumulator_list:
                with graph.device(device):
                    step_op = accumulator.set_global_step(global_step, name="SetGlobalStep")
                chief_init_ops.append(step_op)
            self.chief_init_op = API["group"](*chief_init_ops)
        self._gradients_applied = True
        graph.add_to_collections([GraphKeys.TRAIN_OP], train)
        return train

    def _accumulate(self, graph: Any, pairs: list[Any]) -> tuple[list[Any], list[tuple[Any, Any]]]:
        """Returns the operations that add gradients, and the means with their variables."""
        applied: list[Any] = []
        aggregated: list[tuple[Any, Any]] = []
        for gradient, variable in pairs:
            with graph.device(variable.device):
                if gradient is None:
                    aggregated.append((None, variable))
                elif isinstance(gradient, IndexedSlices):
                    name = f"{variable.name}/grad_accum".replace(":", "_")
                    rows = SparseConditionalAccumulator(
                        gradient.values.dtype, shape=(), shared_name=name
                    )
                    self._accumulator_list.append((rows, variable.device))
                    applied.append(
                        rows.apply_indexed_slices_grad(gradient, local_step=self._local_step)
                    )
                    mean = rows.take_indexed_slices_grad(self._replicas_to_aggregate)
                    aggregated.append((mean, variable))
                else:
                    name = f"{variable.name}/grad_accum".replace(":", "_")
                    sums = ConditionalAccumulator(
                        gradient.dtype, shape=variable.shape, shared_name=name
                    )
                    self._accumulator_list.append((sums, variable.device))
                    applied.append(sums.apply_grad(gradient, local_step=self._local_step))
                    aggregated.append((sums.take_grad(self._replicas_to_aggregate), variable))
        return applied, aggregated

    def get_chief_queue_runner(self) -> Any:
        """Returns the ``QueueRunner`` that the chief has to start.

        Raises:
            ValueError: ``apply_gradients`` was not called.
        """
        if not self._gradients_applied:
            raise ValueError("Should be called after apply_gradients().")
        return self._chief_queue_runner

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Returns a slot of the inner optimizer; see ``Optimizer.get_slot``."""
        return self._opt.get_slot(*args, **kwargs)

    def variables(self) -> list[Any]:
        """Returns the variables of the inner optimizer."""
        return list(self._opt.variables())

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """Returns the names of the slots of the inner optimizer."""
        return list(self._opt.get_slot_names(*args, **kwargs))

    def get_init_tokens_op(self, num_tokens: int = -1) -> Any:
        """Returns the operation by which the chief enqueues the first tokens.

        Args:
            num_tokens: Their number; ``replicas_to_aggregate`` if -1.

        Raises:
            ValueError: ``apply_gradients`` was not called, or there are too few tokens for a step.
        """
        if not self._gradients_applied:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError(
                f"Too few tokens to finish the first step: {num_tokens} (given) vs {needed} (needed)"
            )
        graph = get_default_graph()
        if num_tokens <= 0:
            return API["no_op"](name="no_init_tokens")
        with graph.device(self._global_step.device):
            tokens = API["fill"]([num_tokens], self._global_step.read_value())
            return self._sync_token_queue.enqueue_many((tokens,))

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> Any:
        """Returns the hook of ``MonitoredTrainingSession``.

        Args:
            is_chief: True for the chief.
            num_tokens: The number of the first tokens; ``replicas_to_aggregate`` if -1.
        """
        return _SyncReplicasOptimizerHook(self, is_chief, num_tokens)


class _SyncReplicasOptimizerHook(SessionRunHook):
    """Initializes the steps of a ``SyncReplicasOptimizer``, and starts the chief's thread.

    Args:
        sync_optimizer: The optimizer.
        is_chief: True for the chief.
        num_tokens: The number of the first tokens.
    """

    def __init__(self, sync_optimizer: SyncReplicasOptimizer, is_chief: bool, num_tokens: int):
        self._sync_optimizer, self._is_chief = sync_optimizer, is_chief
        self._num_tokens = num_tokens

    def begin(self) -> None:
        """Adds the operations of the initialization."""
        optimizer = self._sync_optimizer
        if not optimizer._gradients_applied:
            raise ValueError(
                "SyncReplicasOptimizer.apply_gradient should be called before using the hook."
            )
        self._q_runner = self._init_tokens_op = None
        if self._is_chief:
            self._local_init_op, self._ready_for_local_init_op = optimizer.chief_init_op, None
            self._q_runner = optimizer.get_chief_queue_runner()
            self._init_tokens_op = optimizer.get_init_tokens_op(self._num_tokens)
        else:
            self._local_init_op = optimizer.local_step_init_op
            self._ready_for_local_init_op = optimizer.ready_for_local_init_op

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Runs the initialization, and starts the chief's thread."""
        is_ready, message = SessionManager()._check(self._ready_for_local_init_op, session)
        if not is_ready:
            raise RuntimeError(
                "Init operations did not make model ready for local_init. "
                f"Init op: {self._local_init_op.name}, init fn: None, error: {message}"
            )
        session.run(self._local_init_op)
        if self._init_tokens_op is not None:
            session.run(self._init_tokens_op)
        if self._q_runner is not None:
            self._q_runner.create_threads(session, coord=coord, daemon=True, start=True)
