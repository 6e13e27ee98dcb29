"""Optimizer updates of mirrored variables, with gradients summed over replicas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twinflow._src.core.context import thread
from twinflow._src.variables.options import creators
from twinflow._src.wings.distribute import strategy_context
from twinflow._src.wings.distribute.cross_device import ReduceOp
from twinflow._src.wings.distribute.variables import Copy, DistributedVariable


def summed_over_replicas(grads: Iterable[Any], variables: Iterable[Any]) -> list[Any]:
    """Returns the gradients summed over all replicas, to each replica.

    Raises AssertionError if a variable is not mirrored, so that each replica would update it.
    """
    for variable in variables:
        whole = getattr(variable, "_value", variable)
        if not isinstance(whole, (DistributedVariable, Copy)):
            raise AssertionError(
                f"The variable {whole.name} was not made within the scope of the strategy."
            )

    def merged(strategy: Any, *all_grads: Any) -> Any:
        return strategy.extended.batch_reduce_to(ReduceOp.SUM, [(g, g) for g in all_grads])

    return list(strategy_context.get_replica_context().merge_call(merged, args=tuple(grads)))


def agree(variables: Iterable[Any]) -> None:
    """Copies the component that was updated in cross-replica context to all components.

    ``variables`` may be distributed or ordinary variables, or Keras's.
    """
    for variable in variables:
        whole = getattr(variable, "_value", variable)
        if isinstance(whole, DistributedVariable):
            whole._agree()


def step_once(optimizer: Any, pairs: list[tuple[Any, Any]], global_step: Any) -> None:
    """Applies a TensorFlow 1 optimizer once for all replicas, with the summed gradients.

    ``pairs`` are the gradients and variables of this replica; ``global_step`` is a step counter, or
    None. Raises NotImplementedError in a traced function.
    """
    if thread.scope.graph is not None:
        raise NotImplementedError(
            "Optimizers of TensorFlow 1 make steps within a tf.distribute.Strategy only where operations run at once: "
            "take one of tf.keras.optimizers in a tf.function."
        )
    context = strategy_context.get_replica_context()
    if context is None or context.num_replicas_in_sync == 1:
        return _step(optimizer, pairs, global_step)
    variables = [variable for _, variable in pairs]

    def merged(strategy: Any, *grads: Any) -> None:
        sums = [
            strategy.extended._reduce_to(ReduceOp.SUM, g, v.device)
            for g, v in zip(grads, variables)
        ]
        _step(optimizer, list(zip(sums, variables)), global_step)

    context.merge_call(merged, args=tuple(gradient for gradient, _ in pairs))
    return None


def _step(optimizer: Any, pairs: list[tuple[Any, Any]], global_step: Any) -> None:
    """Updates the first components, with slots that are not mirrored."""
    variables = [variable for _, variable in pairs]
    first = [v if v._values is None else v.values[0] for v in variables]
    outer, creators.stack = creators.stack, ()
    try:
        optimizer._create_slots(first)
        optimizer._prepare()
        optimizer._run_step([(g, v) for (g, _), v in zip(pairs, first)], None)
    finally:
        creators.stack = outer
    agree(variables)
    if global_step is not None:
        global_step.assign_add(1)
