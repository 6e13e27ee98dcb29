"""Rows of the table of updates: the ops that apply a formula to a variable and its slots.

A dense update is one kernel: in place on the host if the buffers are not shared, fused on a GPU.
TensorFlow 1's ops exist for resources and references, for dense gradients and for rows of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from twinflow._src.autodiff.reverse import unseen
from twinflow._src.backends.cpu.parallel import uninterrupted
from twinflow._src.backends.host_checks import is_host
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.core.context import quietly, thread
from twinflow._src.core.dtypes import NUMBERS, REALS, float32, float64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.core.tensor import EagerTensor, transfer_tensor
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.inputs import FAST
from twinflow._src.dispatch.registry import Kind, Op, Param
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.train.optimizers.arithmetic import NewArrays, Tensors, arithmetic, blocks
from twinflow._src.variables.handle import update_together

Formula = Callable[..., tuple[Any, ...]]
# A callback of ``update_together`` that takes the gradient, if any, and the scalar inputs.
Writer = Callable[..., Sequence[Any]]


class Update:
    """A row of the table of updates: the update of a variable by one of Keras's optimizers.

    Args:
        type: The op type.
        formula: The formula; see ``formulas``.
        slots: Number of slots of the variable.
        inputs: Names of the op's other inputs; ``grad`` is the gradient, others are scalars.
    """

    _dtypes = REALS

    def __init__(self, type: str, formula: Formula, slots: int, inputs: str) -> None:
        self.type, self.formula, self.slots, self._inputs = type, formula, slots, inputs
        self._ops: dict[str, Op] = {}

    def op(self, type: str) -> Op:
        """Returns the op of one of the update's types, cached."""
        if type not in self._ops:
            self._ops[type] = self._build_op(type)
        return self._ops[type]

    def inputs(self, type: str) -> list[str]:
        """Returns the names of the inputs, other than variables, of an op type."""
        return self._inputs.split()

    def __call__(
        self, variable: Any, slots: list[Any], gradient: Any, numbers: Any, **settings: Any
    ) -> None:
        """Updates a variable; by ops on tensors where the gradient or shape requires it."""
        if _fits(variable, gradient):
            inputs = self.in_order(self.type, gradient, numbers)
            execute(self.op(self.type), [variable, *slots, *inputs], settings)
        else:
            self.formula(Tensors, variable, slots, gradient, numbers, **settings)

    def in_order(self, type: str, gradient: Any, numbers: Sequence[Any]) -> list[Any]:
        """Returns the inputs, other than variables, in the order of an op type."""
        rows = isinstance(gradient, IndexedSlices)
        parts = {"grad": gradient.values if rows else gradient}
        if rows:
            parts["indices"] = gradient.indices
        scalars = iter(numbers)
        return [parts[n] if n in parts else next(scalars) for n in self.inputs(type)]

    def writer(self, xp: Any, dtype: Any, settings: dict[str, Any]) -> Writer:
        """Returns the callback of ``update_together`` that updates by a dense gradient."""
        has_gradient = "grad" in self._inputs
        if is_host(xp):
            return _block_writer(arithmetic(xp, dtype), self.formula, has_gradient, settings)
        return _fused_writer(
            xp, dtype, self.formula, self.slots, has_gradient, frozenset(settings.items())
        )

    def _build_op(self, type: str) -> Op:
        op = Op(type, self._kernel(type), impure=True, no_gradient=True, dtypes=self._dtypes)
        op.kinds = (*[Kind("resource")] * (self.slots + 1), *self._kinds(type))
        op.tensors = op.params = tuple(
            Param(f"input_{i}", None, kind) for i, kind in enumerate(op.kinds)
        )
        op.infer = _infer
        return op

    def _kinds(self, type: str) -> list[Kind]:
        return [Kind() for _ in self.inputs(type)]

    def _kernel(self, type: str) -> Callable[..., Any]:
        count, writer = self.slots + 1, self.writer

        def kernel(xp: Any, *inputs: Any, **settings: Any) -> None:
            handles = [state._handle for state in inputs[:count]]
            write = writer(xp, handles[0].value_dtype.np, settings)
            update_together(write, handles, inputs[count:])

        return kernel


class LegacyUpdate(Update):
    """A row of the table of updates: the update of a variable by one of TensorFlow 1's optimizers."""

    _dtypes = NUMBERS

    def type_for(self, is_resource: bool, is_sparse: bool) -> str:
        """Returns the type of the op for a kind of variable and of gradient."""
        type = self.type if is_resource else self.type.removeprefix("Resource")
        return type.replace("Apply", "SparseApply") if is_sparse else type

    def inputs(self, type: str) -> list[str]:
        """Returns the names of the inputs, other than variables, of an op type."""
        names = super().inputs(type)
        if "SparseApply" in type:
            names.insert(names.index("grad") + 1, "indices")
        return names

    def _kinds(self, type: str) -> list[Kind]:
        return [Kind(f"T{i}") for i in range(len(self.inputs(type)))]

    def _kernel(self, type: str) -> Callable[..., Any]:
        count, names, by_rows = self.slots + 1, self.inputs(type), "SparseApply" in type
        first = ["grad", "indices"] if by_rows else ["grad"]
        order = [names.index(n) for n in (*first, *(n for n in names if n not in first))]

        def kernel(xp: Any, *inputs: Any, **settings: Any) -> Any:
            handles, values = [state._handle for state in inputs[:count]], inputs[count:]
            args, dtype = [values[i] for i in order], handles[0].value_dtype.np
            if by_rows:
                _check_rows(handles[0], *args[:2])
                write = _row_writer(xp, arithmetic(xp, dtype), self.formula, settings)
            else:
                _check_shapes(type, handles[0], args[0])
                write = self.writer(xp, dtype, settings)
            if "global_step" in names:
                args[-1] = args[-1].astype(dtype)
            update_together(write, handles, args)
            return inputs[0]._handle.lend() if _is_reference(type) else None

        return kernel


# The update, the lists of slots, and the settings of an optimizer's formula.
Rule = tuple[Update, tuple[list[Any], ...], dict[str, Any]]


def _is_reference(type: str) -> bool:
    """True if an op of this type updates a reference variable, and returns it."""
    return type.startswith(("Apply", "SparseApply"))


def _infer(node: Any) -> tuple[list[Any], list[Any], bool]:
    """Infers the output: an op on reference variables returns the first of them."""
    if not _is_reference(node.type):
        return [], [], False
    variable = node.arguments[0]
    return [variable.dtype], [variable.shape._dims], True


def _fits(variable: Any, gradient: Any) -> bool:
    """True if the op applies: a dense gradient of the variable's shape, which is fully defined."""
    dims = variable.shape._dims
    if variable.dtype not in REALS or dims is None or None in dims:
        return False
    if gradient is None:
        return True
    return not isinstance(gradient, IndexedSlices) and gradient.shape._dims == dims


# Writers.


def _block_writer(o: Any, formula: Formula, has_gradient: bool, settings: dict[str, Any]) -> Writer:
    """Returns a writer that runs a formula in place, block by block in the CPU cache."""

    def write(arrays: list[Any], unshared: list[bool], *args: Any) -> list[Any]:
        results, numbers, count = arrays, args[has_gradient:], len(arrays)
        if not all(unshared):
            results = [array if free else array.copy() for array, free in zip(arrays, unshared)]
        parts = blocks([*results, *args[:has_gradient]])

        def work() -> None:
            for block in parts:
                gradient = block[count] if has_gradient else None
                formula(o, block[0], block[1:count], gradient, numbers, **settings)

        if type(parts) is tuple:  # a single block
            work()
        else:
            uninterrupted(work)
        return results

    return write


@functools.cache
def _fused_writer(
    xp: Any, dtype: Any, formula: Formula, slots: int, has_gradient: bool, settings: frozenset[Any]
) -> Writer:
    """Returns a writer that runs a formula as one kernel, generated at the first launch."""

    def update(module: Any, *arrays: Any) -> Any:
        o = NewArrays(module, dtype)
        states, args = arrays[: slots + 1], arrays[slots + 1 :]
        gradient, numbers = (args[0] if has_gradient else None), args[has_gradient:]
        results = formula(o, states[0], states[1:], gradient, numbers, **dict(settings))
        return results if slots else results[0]

    kernel = xp.fused(update, "twinflow_update")

    def write(arrays: list[Any], _: list[bool], *args: Any) -> tuple[Any, ...]:
        results = kernel(*arrays, *args)
        return results if slots else (results,)

    return write


def _row_writer(xp: Any, o: Any, formula: Formula, settings: dict[str, Any]) -> Writer:
    """Returns a writer for a sparse gradient; a row is updated once per occurrence of its index."""

    def write(
        arrays: list[Any], unshared: list[bool], gradient: Any, indices: Any, *numbers: Any
    ) -> list[Any]:
        results = [array if free else array.copy() for array, free in zip(arrays, unshared)]
        left = xp.arange(len(indices))
        while len(left):
            _, first = xp.unique(indices[left], return_index=True)
            positions, later = left[first], xp.ones(len(left), bool)
            rows, later[first] = indices[positions], False
            w, *slots = (array[rows] for array in results)
            values = formula(o, w, slots, gradient[positions], numbers, **settings)
            for array, value in zip(results, values):
                array[rows] = value
            left = left[later]
        return results

    return write


def _check_shapes(type: str, handle: Any, gradient: Any) -> None:
    """Raises InvalidArgumentError if a dense gradient does not have the variable's shape."""
    shape = handle.lend().shape
    if gradient.shape != shape:
        name = "delta" if "GradientDescent" in type else "grad"
        shapes = f"{text(shape)} {text(gradient.shape)}"
        raise invalid(f"var and {name} do not have the same shape{shapes}")


def _check_rows(handle: Any, gradient: Any, indices: Any) -> None:
    """Raises InvalidArgumentError if sparse gradient, indices and variable do not match."""
    dims, shape = gradient.shape, handle.lend().shape
    indices = handle.device.backend.to_host(indices)
    if shape[1:] != dims[1:]:
        pairs = enumerate(zip_longest(shape[1:], dims[1:]), 1)
        raise invalid(
            f"var and grad must match in dimension {next(i for i, (a, b) in pairs if a != b)}"
        )
    if indices.ndim != 1:
        raise invalid("indices must be one-dimensional")
    if dims[:1] != indices.shape:
        raise invalid("grad must be the same size as indices in the first dimension.")
    for i in np.flatnonzero((indices < 0) | (indices >= shape[0]))[:1].tolist():
        raise invalid(f"Index {indices[i]} at offset {i} in indices is out of range")


# Adam's learning rate.


def corrected_rate(rate: Any, iterations: Any, beta_1: float, beta_2: float) -> Any:
    """Returns Adam's bias-corrected learning rate, computed by one kernel instead of twelve ops."""
    # None if the separate ops are required (for observers, gradients, other dtypes).
    scope, settings = thread.scope, {"beta_1": beta_1, "beta_2": beta_2}
    is_plain = (
        type(iterations) in FAST
        and type(iterations) is not EagerTensor
        and iterations._values is None
    )
    if scope.observers or rate.dtype not in RATE.dtypes or not is_plain:
        return None
    if isinstance(scope.graph, FuncGraph):
        return execute(RATE, [iterations, rate], settings)
    device = rate._device
    if not unseen(rate) or device is not iterations._device or iterations._handle.array is None:
        return None
    return run_rate(iterations, rate, **settings)


def run_rate(iterations: Any, rate: Any, **settings: Any) -> EagerTensor:
    """Runs the kernel of ``corrected_rate`` on the device of the number of steps."""
    device = iterations._device
    run, ordinal = device.backend.run, device.ordinal
    array = transfer_tensor(rate, device)._array
    array = quietly(run, _rate, ordinal, device.xp, iterations, array, **settings)
    return EagerTensor(array, device, rate.dtype)


def _rate(xp: Any, iterations: Any, rate: Any, *, beta_1: float, beta_2: float) -> Any:
    """Computes ``corrected_rate``: powers in float64, rounded once, as in C."""
    # The betas are rounded to float32 first, like tensors of Python numbers.
    number = rate.dtype.type
    steps = (iterations._handle.lend() + 1).astype(number).astype(np.float64)
    rest_1, rest_2 = (
        1 - xp.power(np.float64(number(np.float32(beta))), steps).astype(number)
        for beta in (beta_1, beta_2)
    )
    return xp.asarray(rate * xp.sqrt(rest_2) / rest_1)


RATE = Op(
    "KerasAdamRate", _rate, impure=True, no_gradient=True, dtypes=frozenset((float32, float64))
)
RATE.kinds = (Kind("resource"), Kind())
RATE.tensors = RATE.params = (
    Param("iterations", None, RATE.kinds[0]),
    Param("rate", None, RATE.kinds[1]),
)
RATE.infer = lambda node: ([node.arguments[1].dtype], [()], True)
