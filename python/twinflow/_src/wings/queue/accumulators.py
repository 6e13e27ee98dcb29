"""Accumulators of gradients of ``tf.compat.v1``: they wait for a number of gradients."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.control_flow.py_function import later
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.dtypes import as_dtype, int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import TensorShape, text
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.docstrings import documented_like
from twinflow._src.wings.queue.queues import place_in, wait_for


class _Store:
    """The sum of gradients, their number and the step; gradients of older steps are dropped."""

    def __init__(self, averages: bool) -> None:
        self.averages, self.step, self.count = averages, 0, 0
        self._sum: Any = None
        self._changed = threading.Condition()

    def apply(self, local_step: int, add: Callable[[Any], Any]) -> None:
        """Adds a gradient; ``add`` returns the new sum."""
        with self._changed:
            if local_step >= self.step:
                self._sum, self.count = add(self._sum), self.count + 1
                self._changed.notify_all()

    def take(self, required: int) -> tuple[Any, int]:
        """Waits for gradients; returns their sum and number, and begins the next step."""
        if required <= 0:
            raise invalid(f"Argument num_required must be positive: {required}")
        with self._changed:
            wait_for(self._changed, lambda: self.count >= required, "TakeGrad")
            result = self._sum, self.count
            self._sum, self.count, self.step = None, 0, self.step + 1
            return result


class ConditionalAccumulatorBase:
    """Base class of accumulators.

    Args:
        dtype: The dtype of gradients.
        shape: Their shape, possibly partial; None if unknown.
        accumulator_ref: The handle of the accumulator.
    """

    __module__ = "twinflow.compat.v1"

    def __init__(self, dtype: Any, shape: Any, accumulator_ref: Any) -> None:
        self._dtype, self._shape = as_dtype(dtype), TensorShape(shape)
        self._accumulator_ref = accumulator_ref
        self._name, self._store = "accumulator", _Store(averages=True)
        # what a task needs to have the same accumulator: see ``restored``
        self.recipe: dict[str, Any] = {}
        self.shared_name = self.device = self.container = ""

    def _begin(self, name: str, reduction_type: str, shared_name: str | None) -> None:
        if reduction_type not in ("MEAN", "SUM"):
            raise ValueError(
                "Attr 'reduction_type' of 'ResourceConditionalAccumulator' Op passed string "
                f'\'{reduction_type}\' not in: "MEAN", "SUM".'
            )
        graph = thread.scope.graph
        self._name = name if graph is None else graph.unique_name(name)
        self._store = _Store(averages=reduction_type == "MEAN")
        self.shared_name = shared_name or self._name
        self.device, self.container = place_in(graph, type(self))
        self.recipe = {
            "kind": type(self).__name__,
            "dtype": self._dtype,
            "shape": self._shape,
            "reduction_type": reduction_type,
        }

    @property
    def accumulator_ref(self) -> Any:
        """The handle of the accumulator."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The dtype of gradients."""
        return self._dtype

    def num_accumulated(self, name: str | None = None) -> Any:
        """Returns the number of gradients, an int32 scalar.

        Args:
            name: A name for the operation.
        """
        count = lambda: np.asarray(self._store.count, np.int32)
        name = name or f"{self._name}_NumAccumulated"
        return self._run("ResourceAccumulatorNumAccumulated", count, (), [(int32, ())], name)

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Any:
        """Sets the step; gradients of older steps are dropped from then on.

        Args:
            new_global_step: The number of the step.
            name: A name for the operation.

        Returns:
            The operation in a graph, else None.
        """

        def set_step(step: Any) -> None:
            self._store.step = max(self._store.step, int(step))

        step = convert_to_tensor(new_global_step, dtype=int64)
        name = name or f"{self._name}_SetGlobalStep"
        return self._run("ResourceAccumulatorSetGlobalStep", set_step, (step,), [], name)

    def _run(
        self,
        type: str,
        function: Callable[..., Any],
        inputs: Sequence[Any],
        results: Sequence[tuple[Any, Any]],
        name: str,
    ) -> Any:
        """Runs an op eagerly, or adds it to the current graph; as the tables of ``tf.lookup``."""

        def run(*tensors: Any) -> Any:
            result = function(*(tensor._host() for tensor in tensors))
            arrays = result if len(results) > 1 else (result,) if results else ()
            pairs = zip(arrays, results, strict=True)
            outputs = [EagerTensor(array, runtime.host, dtype) for array, (dtype, _) in pairs]
            return outputs[0] if len(outputs) == 1 else outputs

        if thread.scope.graph is None:
            outputs = run(*inputs)
            return outputs if len(results) else None
        types, dims = [dtype for dtype, _ in results], [d for _, d in results]
        return later(type, run, inputs, (types, dims, len(results) == 1), name, store=self)

    def run_op(self, type: str, tensors: Sequence[Any]) -> list[Any]:
        """Runs an op on the accumulator, by its type and its inputs, and returns its results.

        Raises:
            InvalidArgumentError: There is no such op.
        """
        name = _METHODS.get(type)
        if name is None:
            raise invalid(f"An accumulator has no operation {type}.")
        if type == "SparseAccumulatorApplyGradient":
            indices, values, step = tensors
            result = self.apply_grad(indices, values, None, step)  # type: ignore[attr-defined]
        else:
            result = getattr(self, name)(*tensors)
        return (
            []
            if result is None
            else list(result)
            if isinstance(result, (list, tuple))
            else [result]
        )


# Methods by type of op.
_METHODS = {
    "ResourceAccumulatorNumAccumulated": "num_accumulated",
    "ResourceAccumulatorSetGlobalStep": "set_global_step",
    "ResourceAccumulatorApplyGradient": "apply_grad",
    "ResourceAccumulatorTakeGradient": "take_grad",
    "SparseAccumulatorApplyGradient": "apply_grad",
    "SparseAccumulatorTakeGradient": "take_grad",
}


def restored(recipe: dict[str, Any]) -> ConditionalAccumulatorBase:
    """Returns a new accumulator by its ``recipe``."""
    kinds = {
        "ConditionalAccumulator": ConditionalAccumulator,
        "SparseConditionalAccumulator": SparseConditionalAccumulator,
    }
    kind = kinds.get(recipe["kind"])
    if kind is None:
        raise invalid(f"There are no accumulators {recipe['kind']}.")
    return kind(recipe["dtype"], recipe["shape"], reduction_type=recipe["reduction_type"])


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of dense gradients.

    Args:
        dtype: The dtype of gradients.
        shape: Their shape, possibly partial; None if unknown.
        shared_name: The name under which the sessions of a cluster share the accumulator.
        name: A name.
        reduction_type: "MEAN" or "SUM".

    Raises:
        ValueError: The reduction is unknown.
    """

    __module__ = "twinflow.compat.v1"

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        super().__init__(dtype, shape, None)
        self._begin(name, reduction_type, shared_name)

    def apply_grad(self, grad: Any, local_step: Any = 0, name: str | None = None) -> Any:
        """Adds a gradient, unless its step is older than that of the accumulator.

        Args:
            grad: The gradient.
            local_step: The step at which it was computed.
            name: A name for the operation.

        Returns:
            The operation in a graph, else None.

        Raises:
            ValueError: The shape is incompatible.
        """
        gradient = convert_to_tensor(grad, dtype=self._dtype)
        gradient.shape.assert_is_compatible_with(self._shape)

        def apply(array: Any, step: Any) -> None:
            def add(total: Any) -> Any:
                if total is not None and total.shape != array.shape:
                    raise invalid(
                        f"Shape mismatch: expected {text(total.shape)}, got {text(array.shape)}"
                    )
                return array.copy() if total is None else total + array

            self._store.apply(int(step), add)

        inputs = (gradient, convert_to_tensor(local_step, dtype=int64))
        name = name or f"{self._name}_ApplyGradient"
        return self._run("ResourceAccumulatorApplyGradient", apply, inputs, [], name)

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        """Waits for gradients, and returns their mean or sum; the next step begins.

        Args:
            num_required: The number of gradients to wait for.
            name: A name for the operation.

        Raises:
            InvalidArgumentError: The number is not positive.
        """

        def take(required: Any) -> Any:
            total, count = self._store.take(int(required))
            return total / total.dtype.type(count) if self._store.averages else total

        inputs = (convert_to_tensor(num_required, dtype=int32),)
        results = [(self._dtype, self._shape._dims)]
        name = name or f"{self._name}_TakeGradient"
        return self._run("ResourceAccumulatorTakeGradient", take, inputs, results, name)


@documented_like(ConditionalAccumulator)
class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of gradients of rows.

    Args:
        shape: The shape of the variable, possibly partial; None if unknown.
    """

    __module__ = "twinflow.compat.v1"

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        super().__init__(dtype, shape, None)
        self._begin(name, reduction_type, shared_name)

    def apply_indexed_slices_grad(
        self, grad: Any, local_step: Any = 0, name: str | None = None
    ) -> Any:
        """Adds a gradient of rows; see ``apply_grad``.

        Args:
            grad: The ``IndexedSlices``.
            local_step: The step at which it was computed.
            name: A name for the operation.
        """
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(
        self,
        grad_indices: Any,
        grad_values: Any,
        grad_shape: Any = None,
        local_step: Any = 0,
        name: str | None = None,
    ) -> Any:
        """Adds a gradient of rows, unless its step is older than that of the accumulator.

        Args:
            grad_indices: The indices of the rows.
            grad_values: Their gradients.
            grad_shape: The shape of the variable; None if unknown.
            local_step: The step at which the gradient was computed.
            name: A name for the operation.

        Returns:
            The operation in a graph, else None.
        """
        indices = convert_to_tensor(grad_indices, dtype=int64)
        values = convert_to_tensor(grad_values, dtype=self._dtype)

        def apply(indices: Any, values: Any, step: Any) -> None:
            if len(indices) != len(values):
                raise invalid(
                    "Shape mismatch: the numbers of indices and of rows differ, "
                    f"{len(indices)} and {len(values)}"
                )

            def add(rows: Any) -> Any:
                result = {} if rows is None else dict(rows)
                for index, row in zip(indices.tolist(), values, strict=True):
                    total, count = result.get(index, (0, 0))
                    result[index] = total + row, count + 1
                return result

            self._store.apply(int(step), add)

        inputs = (indices, values, convert_to_tensor(local_step, dtype=int64))
        name = name or f"{self._name}_ApplyGradient"
        return self._run("SparseAccumulatorApplyGradient", apply, inputs, [], name)

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        """Waits for gradients, and returns the mean or sum of each row; the next step begins.

        Args:
            num_required: The number of gradients to wait for.
            name: A name for the operation.

        Returns:
            The indices of the rows, their gradients, and the shape of the variable.

        Raises:
            InvalidArgumentError: The number is not positive.
        """

        def take(required: Any) -> Any:
            rows, _ = self._store.take(int(required))
            indices = sorted(rows)
            parts = [rows[i] for i in indices]
            if self._store.averages:
                values = np.stack([total / total.dtype.type(count) for total, count in parts])
            else:
                values = np.stack([total for total, _ in parts])
            dims = self._shape.as_list() if self._shape.rank is not None else []
            shape = [-1 if n is None else n for n in dims] or [-1, *values.shape[1:]]
            return np.array(indices, np.int64), values, np.array(shape, np.int64)

        inputs = (convert_to_tensor(num_required, dtype=int32),)
        results = [(int64, None), (self._dtype, None), (int64, None)]
        name = name or f"{self._name}_TakeGradient"
        return self._run("SparseAccumulatorTakeGradient", take, inputs, results, name)

    def take_indexed_slices_grad(self, num_required: Any, name: str | None = None) -> Any:
        """Waits for gradients, and returns the mean or sum of each row as ``IndexedSlices``.

        Args:
            num_required: The number of gradients to wait for.
            name: A name for the operation.
        """
        indices, values, shape = self.take_grad(num_required, name)
        return IndexedSlices(values, indices, shape)
