"""Ops by which TensorFlow 1 optimizers update a variable and its slots."""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import numpy as np

from twinflow._src.compat_v1.optimizer_rules import nesterov
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.allocation import allocate_on_device as allocated
from twinflow._src.core.context import quietly, thread
from twinflow._src.core.dtypes import NUMBERS, as_dtype
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.core.tensor import transfer_tensor
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import Kind, Op, Param
from twinflow._src.variables.ref_variable import RefVariable


def _written(handle: Any, value: Any) -> None:
    # Rules on scalars return NumPy scalars, not arrays.
    handle.update(lambda old, out: handle.device.xp.asarray(value, old.dtype))


# By op type: the number of variable inputs, then the names of the other inputs as ordered in rules
# and in the op.
_LAYOUTS = {
    "ApplyGradientDescent": (1, "lr grad", "lr grad"),
    "ApplyMomentum": (2, "lr momentum grad", "lr grad momentum"),
    "ApplyAdagrad": (2, "lr grad", "lr grad"),
    "ApplyAdadelta": (3, "lr rho epsilon grad", "lr rho epsilon grad"),
    "ApplyRMSProp": (3, "lr rho momentum epsilon grad", "lr rho momentum epsilon grad"),
    "ApplyCenteredRMSProp": (4, "lr rho momentum epsilon grad", "lr rho momentum epsilon grad"),
    "ApplyFtrl": (3, "lr l1 l2 power grad", "grad lr l1 l2 power"),
    "ApplyFtrlV2": (3, "lr l1 l2 shrinkage power grad", "grad lr l1 l2 shrinkage power"),
    "ApplyAdagradDA": (3, "lr l1 l2 step grad", "grad lr l1 l2 step"),
    "ApplyAdam": (
        3,
        "lr beta1 beta2 epsilon power1 power2 grad",
        "power1 power2 lr beta1 beta2 epsilon grad",
    ),
    "ApplyProximalGradientDescent": (1, "lr l1 l2 grad", "lr l1 l2 grad"),
    "ApplyProximalAdagrad": (2, "lr l1 l2 grad", "lr l1 l2 grad"),
}


def update_layout(type: str) -> tuple[int, list[str], list[str]]:
    """Returns the number of variable inputs, and the names of the others in rule and op order."""
    count, ours, theirs = _LAYOUTS[type.removeprefix("Resource").replace("SparseApply", "Apply")]
    if "SparseApply" in type:
        ours, theirs = (text.replace("grad", "grad indices") for text in (ours, theirs))
    return count, ours.split(), theirs.split()


def _kernel(type: str, rule: Callable[..., Any]) -> Callable[..., Any]:
    count, ours, theirs = update_layout(type)
    places = [theirs.index(name) for name in ours]
    is_resource = type.startswith("Resource")
    gradient = "delta" if "GradientDescent" in type else "grad"  # the term in error messages
    run = _by_rows if "SparseApply" in type else functools.partial(_dense, gradient)

    def kernel(xp: Any, *given: Any, **_: Any) -> Any:
        numbers = given[count:]
        run(xp, rule, [x._handle for x in given[:count]], [numbers[i] for i in places])
        return None if is_resource else given[0]._handle.lend()

    return kernel


def _dense(
    word: str, xp: Any, rule: Callable[..., Any], handles: list[Any], numbers: list[Any]
) -> None:
    own, gradient = handles[0].lend().shape, numbers[-1].shape
    if gradient != own:
        raise invalid(f"var and {word} do not have the same shape{text(own)} {text(gradient)}")
    for handle, value in zip(handles, rule(xp, *(h.lend() for h in handles), *numbers)):
        _written(handle, value)


def _by_rows(xp: Any, rule: Callable[..., Any], handles: list[Any], numbers: list[Any]) -> None:
    """Applies a sparse gradient; a row with duplicate indices is updated once per occurrence."""
    *scalars, grad, indices = numbers
    values = [handle.lend() for handle in handles]
    _assert_rows(values[0].shape, grad.shape, handles[0].device.backend.to_host(indices))
    values = [value.copy() for value in values]
    left = xp.arange(len(indices))
    while len(left):
        _, first = xp.unique(indices[left], return_index=True)
        places, later = left[first], xp.ones(len(left), bool)
        rows, later[first] = indices[places], False
        found = rule(xp, *(value[rows] for value in values), *scalars, grad[places])
        for value, new in zip(values, found):
            value[rows] = new
        left = left[later]
    for handle, value in zip(handles, values):
        _written(handle, value)


def _assert_rows(own: tuple[int, ...], gradient: tuple[int, ...], indices: Any) -> None:
    """Raises InvalidArgumentError if sparse gradient, indices and variable do not match."""
    if own[1:] != gradient[1:]:
        pairs = enumerate(zip_longest(own[1:], gradient[1:]), 1)
        raise invalid(
            f"var and grad must match in dimension {next(i for i, (a, b) in pairs if a != b)}"
        )
    if indices.ndim != 1:
        raise invalid("indices must be one-dimensional")
    if gradient[:1] != indices.shape:
        raise invalid("grad must be the same size as indices in the first dimension.")
    for i in np.flatnonzero((indices < 0) | (indices >= own[0]))[:1].tolist():
        raise invalid(f"Index {indices[i]} at offset {i} in indices is out of range")


@functools.cache
def build_update_op(type: str, rule: Callable[..., Any]) -> Op:
    """Returns the op of an update rule, cached."""
    count, _, numbers = update_layout(type)
    op = Op(type, _kernel(type, rule), impure=True, dtypes=NUMBERS, infer=_infer, no_gradient=True)
    op.kinds = (*[Kind("resource")] * count, *(Kind(f"T{i}") for i in range(len(numbers))))
    op.tensors = op.params = tuple(
        Param(f"input_{i}", None, kind) for i, kind in enumerate(op.kinds)
    )
    return op


def _infer(node: Any) -> tuple[list[Any], list[Any], bool]:
    """Infers the output: an op on reference variables returns the first of them."""
    if node.type.startswith("Resource"):
        return [], [], False
    variable = node.arguments[0]
    return [variable.dtype], [variable.shape._dims], True


def update(
    type: str, rule: Callable[..., Any], variables: list[Any], numbers: list[Any], gradient: Any
) -> Any:
    """Updates a variable and its slots; in a graph, adds the op.

    Args:
        type: The resource op type for dense gradients.
        rule: The update rule; see ``optimizer_rules.py``.
        variables: The variable, then its slots.
        numbers: Scalars: the learning rate and others.
        gradient: A tensor or IndexedSlices.

    Returns:
        The op; None in eager execution.
    """
    rows, graph = isinstance(gradient, IndexedSlices), thread.scope.graph
    type = type.replace("Apply", "SparseApply") if rows else type
    type = type.removeprefix("Resource") if isinstance(variables[0], RefVariable) else type
    if graph is None:
        return _at_once(
            build_update_op(type, rule),
            variables,
            _arguments(type, variables[0], numbers, gradient),
        )
    gradient = summed(gradient) if rows else gradient
    with graph.name_scope(type) as path:
        given = [graph.own(x) for x in _arguments(type, variables[0], numbers, gradient)]
    attrs = {"use_nesterov": True} if rule is nesterov else {}
    graph.add(build_update_op(type, rule), (*variables, *given), attrs, path[:-1])
    return graph.newest


def _arguments(type: str, variable: Any, numbers: list[Any], gradient: Any) -> list[Any]:
    """Returns the non-variable inputs in op order; scalars are cast to the variable's dtype."""
    own, (_, ours, theirs) = variable.dtype.base_dtype, update_layout(type)
    values = [_number(x, own) for x in numbers]
    parts = (
        [gradient.values, gradient.indices] if isinstance(gradient, IndexedSlices) else [gradient]
    )
    by_name = dict(zip(ours, [*values, *parts], strict=True))
    return [by_name[name] for name in theirs]


def _number(value: Any, dtype: Any) -> Any:
    same = as_dtype(getattr(value, "dtype", dtype)).base_dtype is dtype
    return convert_to_tensor(value) if same else API["cast"](value, dtype)


def summed(slices: Any) -> Any:
    """Returns IndexedSlices with duplicate indices summed."""
    indices, places = API["unique"](slices.indices)
    count = API["shape"](indices)[0]
    values = API["math.unsorted_segment_sum"](slices.values, places, count)
    return IndexedSlices(values, indices, slices.dense_shape)


def _at_once(op: Op, variables: list[Any], values: list[Any]) -> None:
    device = variables[0]._device
    arrays = [transfer_tensor(convert_to_tensor(x), device)._array for x in values]
    work = functools.partial(quietly, op.kernel, device.xp, *variables, *arrays)
    allocated(
        device,
        variables[0].shape._dims,
        variables[0].dtype.base_dtype,
        device.backend.run,
        work,
        device.ordinal,
    )
