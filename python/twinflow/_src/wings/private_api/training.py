"""Functions that training in the package ``tf_keras`` calls: conversion, weights, averages, datasets."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from twinflow._src.autograph.autograph import converted
from twinflow._src.autograph.calls import callee_for
from twinflow._src.checkpoint import functions
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.context import thread
from twinflow._src.dispatch.op import API
from twinflow._src.variables.variable import BaseResourceVariable, Variable
from twinflow._src.wings.data.dataset import DatasetSource

_callee = callee_for(converted)


class ControlStatus(NamedTuple):
    """The state of AutoGraph at a point of a program: functions are converted there, or not."""

    is_enabled: bool


def control_status_ctx() -> ControlStatus:
    """Returns the state of AutoGraph: functions that are called in a trace are converted."""
    return ControlStatus(thread.scope.graph is not None)


def tf_convert(
    f: Callable[..., Any],
    ctx: ControlStatus,
    convert_by_default: bool = True,
    user_requested: bool = False,
) -> Callable[..., Any]:
    """Returns a function converted by AutoGraph where its caller is; functions of libraries are not.

    Args:
        f: A function.
        ctx: The result of ``control_status_ctx``.
        convert_by_default: No effect: outside a trace the function computes the same as its conversion.
        user_requested: If True, a function of a library is converted as well.
    """
    if not ctx.is_enabled:
        return f
    function: Callable[..., Any] = (converted if user_requested else _callee)(f)
    return function


class CheckpointInitialValueCallable:
    """An initializer that returns the value of a variable in a checkpoint that is being restored.

    Args:
        checkpoint_position: The position of the variable in the checkpoint.
    """

    def __init__(self, checkpoint_position: Any) -> None:
        self._checkpoint_position = checkpoint_position

    @property
    def checkpoint_position(self) -> Any:
        """The position of the variable in the checkpoint."""
        return self._checkpoint_position

    def __call__(self, shape: Any = None, dtype: Any = None, shard_info: Any = None) -> Any:
        """Returns the value of the checkpoint."""
        return self._checkpoint_position.value_tensors()["VARIABLE_VALUE"]


def is_resource_variable(var: Any) -> bool:
    """Returns True for a variable."""
    return isinstance(var, BaseResourceVariable) or hasattr(var, "_should_act_as_resource_variable")


def broadcast_weights(weights: Any, values: Any) -> Any:
    """Returns weights with the shape of values, as in losses and metrics.

    Args:
        weights: A tensor of the rank of the values, or a scalar; each size is that of the values or 1.
        values: A tensor.

    Raises:
        ValueError: The static shapes do not fit.
    """
    values = convert_to_tensor(values)
    weights = convert_to_tensor(weights, None if is_tensor(weights) else values.dtype)
    if weights.shape.is_fully_defined() and values.shape.is_fully_defined():
        if weights.shape == values.shape:
            return weights
        _check_weights(weights.shape.as_list(), values.shape.as_list())
    return weights * API["ones_like"](values, dtype=weights.dtype)


def _check_weights(weights: list[int], values: list[int]) -> None:
    """Raises ValueError if static shapes do not fit."""
    if not weights:
        return
    said = "weights can not be broadcast to values."
    if len(weights) != len(values):
        raise ValueError(
            f"{said} values.rank={len(values)}. weights.rank={len(weights)}. "
            f"values.shape={tuple(values)}. weights.shape={tuple(weights)}."
        )
    if any(weight not in (1, value) for weight, value in zip(weights, values, strict=True)):
        raise ValueError(
            f"{said} Mismatch at dim {_mismatch(weights, values)}. "
            f"values.shape={tuple(values)}. weights.shape={tuple(weights)}."
        )


def _mismatch(weights: list[int], values: list[int]) -> int:
    pairs = zip(weights, values, strict=True)
    return next(i for i, (weight, value) in enumerate(pairs) if weight not in (1, value))


def assign_moving_average(
    variable: Any, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Any:
    """Moves a variable towards a value: ``variable -= (1 - decay) * (variable - value)``.

    Args:
        variable: A variable.
        value: A tensor of its shape.
        decay: The share of the variable that is kept.
        zero_debias: If True, the average is that of a variable that began as 0 and has no bias to 0.
        name: A name for the operation.

    Returns:
        The updated variable.
    """
    with API["name_scope"](name or "AssignMovingAvg"):
        rest = convert_to_tensor(1.0 - decay, variable.dtype.base_dtype)
        value = API["cast"](value, variable.dtype)
        if not zero_debias:
            return variable.assign_sub((variable - value) * rest)
        biased, step = _debias_slots(variable)
        biased.assign_sub((biased - value) * rest)
        step.assign_add(1.0)
        return variable.assign(biased / (1.0 - API["pow"](1.0 - rest, step)))


def _debias_slots(variable: Any) -> tuple[Any, Any]:
    """Returns the biased average and the number of updates that a variable keeps."""
    slots = getattr(variable, "_debias_slots", None)
    if slots is None:
        with API["init_scope"]():
            create = functools.partial(Variable, trainable=False)
            slots = (
                create(API["zeros"](variable.shape, variable.dtype), name="biased"),
                create(API["zeros"]([], variable.dtype), name="local_step"),
            )
        variable._debias_slots = slots
    return slots


class DTensorDataset(DatasetSource):
    """The class of the datasets whose batches are split over a mesh of devices, which there are not here.

    Args:
        dataset: A dataset.
        mesh: A mesh.
        layouts: The layouts of its elements.
        global_batch_size: The size of a batch of all devices.
        dataset_already_batched: True if the dataset has batches.
        batch_dim: The dimension of the mesh by which batches are split.
        prefetch: The number of batches that are read ahead.
        tf_data_service_config: The configuration of the service that reads.

    Raises:
        NotImplementedError: Always.
    """

    def __init__(
        self,
        dataset: Any,
        *,
        mesh: Any,
        layouts: Any,
        global_batch_size: int,
        dataset_already_batched: bool = False,
        batch_dim: str | None = None,
        prefetch: int | None = None,
        tf_data_service_config: Any = None,
    ) -> None:
        raise NotImplementedError("DTensorDataset is not there: tensors have no layouts on meshes")


class DVariable(BaseResourceVariable):
    """The class of the variables that are split over a mesh of devices, which there are not here.

    Args:
        initial_value: The initial value.
        *args: Further arguments of a variable.
        dtype: The dtype.
        **kwargs: Further arguments of a variable.

    Raises:
        NotImplementedError: Always.
    """

    def __init__(self, initial_value: Any, *args: Any, dtype: Any = None, **kwargs: Any) -> None:
        raise NotImplementedError("DVariable is not there: tensors have no layouts on meshes")


@contextlib.contextmanager
def cache_variable_reads() -> Iterator[None]:
    """Context in which variables on parameter servers may be read once; here each read is local."""
    yield


@contextlib.contextmanager
def variable_sync_on_read_context() -> Iterator[None]:
    """Context in which replicas read the aggregate of a variable, as they do here everywhere."""
    yield


def update_checkpoint_state(
    save_dir: Any, model_checkpoint_path: Any, save_relative_paths: bool = False, **options: Any
) -> None:
    """Writes the checkpoint state of a directory.

    Args:
        save_dir: The directory.
        model_checkpoint_path: The latest checkpoint.
        save_relative_paths: If True, its path in the file is relative to the directory.
        **options: Those of ``tf.compat.v1.train.update_checkpoint_state``.
    """
    path = os.fspath(model_checkpoint_path)
    if save_relative_paths and os.path.isabs(path):
        path = os.path.relpath(path, os.fspath(save_dir))
    functions.update_checkpoint_state(save_dir, path, **options)


def auto_shard_dataset(
    dataset: Any, num_shards: Any, index: Any, num_replicas_in_sync: Any = None
) -> Any:
    """Returns the part of a dataset for one of several workers.

    Args:
        dataset: A dataset.
        num_shards: The number of workers.
        index: The index of the worker.
        num_replicas_in_sync: No effect.
    """
    return dataset.shard(num_shards, index)


def is_mixed_precision_graph_rewrite_enabled() -> bool:
    """Returns False: optimizers of TensorFlow 1 do not rewrite graphs here."""
    return False


def set_using_mixed_precision_policy(value: bool) -> None:
    """Accepts that a policy of mixed precision is used, which no rewriting of graphs has to know.

    Args:
        value: True if there is one.
    """


def assert_splits_match(nested_splits_lists: Any) -> list[Any]:
    """Returns assertions that ragged tensors have the same row splits.

    Args:
        nested_splits_lists: The row splits of each tensor, from the outermost to the innermost.

    Raises:
        ValueError: The tensors have not the same ragged rank.
    """
    first, *others = nested_splits_lists
    if any(len(splits) != len(first) for splits in others):
        raise ValueError("Inputs must have identical ragged splits")
    return [
        API["debugging.assert_equal"](
            splits, other, message="Inputs must have identical ragged splits"
        )
        for splits_list in others
        for splits, other in zip(first, splits_list, strict=True)
    ]


def convert_to_tensor_or_composite(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Returns a composite tensor as it is, other values as a tensor.

    Args:
        value: A value.
        dtype: The dtype of the tensor.
        name: A name for the operation.
    """
    is_composite = hasattr(value, "_type_spec") and not is_tensor(value)
    return value if is_composite else convert_to_tensor(value, dtype)


def execute_fn_for_device(
    device_branch_fns: dict[str, Callable[[], Any]],
    default_fn: Callable[[], Any],
    name: str = "execute_fn",
) -> Any:
    """Returns the result of the function for the device where operations run, or of the default.

    Args:
        device_branch_fns: Functions by the kind of a device, ``"CPU"`` or ``"GPU"``.
        default_fn: The function for other devices.
        name: A name for the operation.
    """
    kinds = {device.upper(): function for device, function in device_branch_fns.items()}
    return kinds.get("CPU", default_fn)()
