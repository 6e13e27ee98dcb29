"""What tapes are asked for: targets and sources that can be differentiated, and the gradients to begin with."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.autodiff.reverse import DIFFERENTIABLE, UnconnectedGradients, flat, unseen
from twinflow._src.composite_tensors.gradients import differentiated
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API
from twinflow._src.variables.variable import BaseResourceVariable


def filled(gradient: Any, source: Any) -> Any:
    return API["zeros_like"](source) if gradient is None else convert_to_tensor(gradient)


def identity(count: int, dtype: Any) -> EagerTensor:
    return convert_to_tensor(np.eye(count), dtype)


def checked_targets(target: Any) -> list[Any]:
    """The tensors that are to be differentiated."""
    if target is None:
        raise TypeError(
            "Argument `target` should be a list or nested structure of Tensors, Variables or "
            "CompositeTensors to be differentiated, but received None."
        )
    return list(map(differentiated, checked(flat(target))))


def checked(values: list[Any]) -> list[Any]:
    """Tensors and variables, and what stands for them; raises where there is anything else."""
    for value in values:
        if isinstance(value, (EagerTensor, BaseResourceVariable)):
            continue
        if not is_tensor(value) or isinstance(value, IndexedSlices):
            # TensorFlow takes a value that has no type for the name or the number of one, and fails at others here.
            known = hasattr(value, "dtype") or as_dtype(value) in DIFFERENTIABLE
            missing = "_id" if known else "dtype"
            raise AttributeError(f"'{type(value).__name__}' object has no attribute '{missing}'")
    return values


def unconnected_as(given: Any, vectorized: str = "") -> UnconnectedGradients:
    """What is to stand for a gradient that there is not."""
    if given is UnconnectedGradients.NONE:
        return given
    try:
        return UnconnectedGradients(given)
    except ValueError:
        raise ValueError(
            f"Encountered an exception while vectorizing the {vectorized} computation. Vectorization can "
            "be disabled by setting experimental_use_pfor to False."
            if vectorized
            else f"Unknown value for unconnected_gradients: {given!r}"
        ) from None


def seed(target: Any, gradient: Any) -> Any:
    if gradient is not None:
        return gradient
    tensor = convert_to_tensor(target)
    if type(tensor) is EagerTensor and not tensor._array.shape and tensor.dtype.is_numeric:
        return convert_to_tensor(1, dtype=tensor.dtype)
    if type(tensor) is not EagerTensor and thread.scope.graph is not None:
        from twinflow._src.graph.tf_exact.fills import seed_ones

        return seed_ones(tensor)
    dims = tensor.shape._dims
    if unseen(tensor) and tensor._device.kind == "CPU" and tensor.dtype.is_numeric:
        return EagerTensor(np.ones(dims, tensor.dtype.np), tensor._device, tensor.dtype)
    if dims is None or None in dims or not tensor.dtype.is_numeric:
        return API["ones_like"](tensor)
    one = convert_to_tensor(1, dtype=tensor.dtype)
    return API["fill"](list(dims), one) if dims else one


def directions(targets: list[Any], given: Any) -> list[Any]:
    """What programs give to multiply gradients by; None for the targets that have nothing."""
    found = [] if given is None else [convert_to_tensor(gradient) for gradient in flat(given)]
    return found + [None] * (len(targets) - len(found))


def result(gradient: Any, source: Any, unconnected: UnconnectedGradients) -> Any:
    if gradient is None and unconnected is UnconnectedGradients.ZERO:
        return API["zeros_like"](source)
    return gradient
