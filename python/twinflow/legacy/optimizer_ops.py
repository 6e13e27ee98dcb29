"""The operations by which the optimizers of TensorFlow 1 update a variable with its slots."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..composites.indexed_slices import IndexedSlices
from ..constant import convert_to_tensor
from ..context import quietly, thread
from ..dtypes import NUMBERS
from ..errors import invalid
from ..op import API
from ..room import made as allocated
from ..schema import Kind, Op, Param
from ..shapes import text
from ..tensor import moved
from ..variables.ref_variable import RefVariable
from .optimizer_rules import nesterov


def _written(handle: Any, value: Any) -> None:
    # What a rule makes of scalars is a number, no array.
    handle.update(lambda old, out: handle.device.xp.asarray(value, old.dtype))


# By type: how many variables an operation takes first, then its numbers as a rule and as the operation takes them.
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
    "ApplyAdam": (3, "lr beta1 beta2 epsilon power1 power2 grad", "power1 power2 lr beta1 beta2 epsilon grad"),
    "ApplyProximalGradientDescent": (1, "lr l1 l2 grad", "lr l1 l2 grad"),
    "ApplyProximalAdagrad": (2, "lr l1 l2 grad", "lr l1 l2 grad"),
}


def update_layout(type: str) -> tuple[int, list[str], list[str]]:
    """The layout of an optimizer's operation.

    Args:
        type: Its type.

    Returns:
        How many variables it takes, then the names of its numbers as rules take them and as it does.
    """
    count, ours, theirs = _LAYOUTS[type.removeprefix("Resource").replace("SparseApply", "Apply")]
    if "SparseApply" in type:
        ours, theirs = (text.replace("grad", "grad indices") for text in (ours, theirs))
    return count, ours.split(), theirs.split()


def _kernel(type: str, rule: Callable[..., Any]) -> Callable[..., Any]:
    count, ours, theirs = update_layout(type)
    places = [theirs.index(name) for name in ours]
    is_resource = type.startswith("Resource")
    what = "delta" if type.endswith("GradientDescent") else "grad"
    run = _by_rows if "SparseApply" in type else _dense

    def kernel(xp: Any, *given: Any, **_: Any) -> Any:
        numbers = given[count:]
        run(xp, rule, [x._handle for x in given[:count]], [numbers[i] for i in places], what)
        return None if is_resource else given[0]._handle.lend()

    return kernel


def _dense(xp: Any, rule: Callable[..., Any], handles: list[Any], numbers: list[Any], what: str) -> None:
    own, gradient = handles[0].lend().shape, numbers[-1].shape
    if gradient != own:
        raise invalid(f"var and {what} do not have the same shape{text(own)} {text(gradient)}")
    for handle, value in zip(handles, rule(xp, *(h.lend() for h in handles), *numbers)):
        _written(handle, value)


def _by_rows(xp: Any, rule: Callable[..., Any], handles: list[Any], numbers: list[Any], _: str) -> None:
    """With the gradient of some rows; those of a row that occurs several times are added."""
    *scalars, grad, indices = numbers
    rows, places = xp.unique(indices, return_inverse=True)
    total = xp.zeros((len(rows), *grad.shape[1:]), grad.dtype)
    xp.add.at(total, places.reshape(-1), grad)
    found = rule(xp, *(h.lend()[rows] for h in handles), *scalars, total)
    for handle, value in zip(handles, found):
        whole = handle.lend().copy()
        whole[rows] = value
        _written(handle, whole)


@functools.cache
def made(type: str, rule: Callable[..., Any]) -> Op:
    """An optimizer's op.

    Args:
        type: Its type.
        rule: What it does.
    """
    count, _, numbers = update_layout(type)
    op = Op(type, _kernel(type, rule), impure=True, dtypes=NUMBERS, infer=_infer, no_gradient=True)
    op.kinds = (*[Kind("resource")] * count, *(Kind(f"T{i}") for i in range(len(numbers))))
    op.tensors = op.params = tuple(Param(f"input_{i}", None, kind) for i, kind in enumerate(op.kinds))
    return op


def _infer(node: Any) -> tuple[list[Any], list[Any], bool]:
    """An operation on references gives the first of them."""
    if node.type.startswith("Resource"):
        return [], [], False
    variable = node.arguments[0]
    return [variable.dtype], [variable.shape._dims], True


def update(type: str, rule: Callable[..., Any], variables: list[Any], numbers: list[Any], gradient: Any) -> Any:
    """Updates a variable and its slots; in a graph adds the operation that does.

    Args:
        type: The type of the operation on resources by a gradient of all rows.
        rule: What it does; see ``optimizer_rules.py``.
        variables: The variable, then its slots.
        numbers: Scalars: the rate and others.
        gradient: A tensor, or indexed slices.

    Returns:
        The operation; None where it ran.
    """
    rows, graph = isinstance(gradient, IndexedSlices), thread.scope.graph
    type = type.replace("Apply", "SparseApply") if rows else type
    type = type.removeprefix("Resource") if isinstance(variables[0], RefVariable) else type
    if graph is None:
        return _at_once(made(type, rule), variables, _arguments(type, variables[0], numbers, gradient))
    gradient = summed(gradient) if rows else gradient
    with graph.name_scope(type) as path:
        given = [graph.own(x) for x in _arguments(type, variables[0], numbers, gradient)]
    attrs = {"use_nesterov": True} if rule is nesterov else {}
    graph.add(made(type, rule), (*variables, *given), attrs, path[:-1])
    return graph.newest


def _arguments(type: str, variable: Any, numbers: list[Any], gradient: Any) -> list[Any]:
    """What an operation takes besides variables, in its order; numbers become tensors of the variable's type."""
    own, (_, ours, theirs) = variable.dtype.base_dtype, update_layout(type)
    values = [_number(x, own) for x in numbers]
    parts = [gradient.values, gradient.indices] if isinstance(gradient, IndexedSlices) else [gradient]
    by_name = dict(zip(ours, [*values, *parts], strict=True))
    return [by_name[name] for name in theirs]


def _number(value: Any, dtype: Any) -> Any:
    same = getattr(value, "dtype", dtype).base_dtype is dtype
    return convert_to_tensor(value) if same else API["cast"](value, dtype)


def summed(slices: Any) -> Any:
    """Indexed slices in which each row occurs once: those of a row are added."""
    indices, places = API["unique"](slices.indices)
    count = API["shape"](indices)[0]
    values = API["math.unsorted_segment_sum"](slices.values, places, count)
    return IndexedSlices(values, indices, slices.dense_shape)


def _at_once(op: Op, variables: list[Any], values: list[Any]) -> None:
    device = variables[0]._device
    arrays = [moved(convert_to_tensor(x), device)._array for x in values]
    work = functools.partial(quietly, op.kernel, device.xp, *variables, *arrays)
    allocated(device, variables[0].shape._dims, variables[0].dtype.base_dtype, device.backend.run, work, device.ordinal)
