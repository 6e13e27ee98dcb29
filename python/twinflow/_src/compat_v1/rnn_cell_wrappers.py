"""Cells of recurrent networks that wrap others: dropout, residual connections, devices."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from twinflow._src.control_flow.tensor_array import TensorArray
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API, documented_like, export
from twinflow._src.trackable.module import Module


class _Wrapper(Module):
    """Base class of cells that call another one."""

    __module__ = "twinflow.nn"

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        name = kwargs.pop("name", None)
        for unknown in set(kwargs) - {"dtype", "trainable", "dynamic"}:
            raise TypeError("Keyword argument not understood:", unknown)
        super().__init__(name=name)
        if not callable(getattr(cell, "call", cell)):
            raise AttributeError(f"{type(cell).__name__!r} object has no attribute 'call'")
        self.cell = cell

    @property
    def state_size(self) -> Any:
        """The sizes of the state of the wrapped cell."""
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        """The size of the output of the wrapped cell."""
        return self.cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns the initial state of the wrapped cell.

        Args:
            batch_size: The size of the batch.
            dtype: The dtype of the state.
        """
        with API["name_scope"](f"{type(self).__name__}ZeroState"):
            return self.cell.zero_state(batch_size, dtype)

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """Returns the initial state of the wrapped cell.

        Args:
            inputs: The inputs, whose batch size and dtype are used.
            batch_size: The size of the batch.
            dtype: The dtype of the state.
        """
        if hasattr(self.cell, "get_initial_state"):
            return self.cell.get_initial_state(inputs=inputs, batch_size=batch_size, dtype=dtype)
        if inputs is not None:
            batch_size, dtype = API["shape"](inputs)[0], inputs.dtype
        return self.zero_state(batch_size, dtype)

    def __call__(self, inputs: Any, state: Any, **kwargs: Any) -> Any:
        """Returns the output and the next state.

        Args:
            inputs: The input of one step.
            state: The state before it.
            **kwargs: Further arguments of the wrapped cell.
        """
        return self._wrapped_call(inputs, state, **kwargs)

    @documented_like(__call__)
    def call(self, inputs: Any, state: Any, **kwargs: Any) -> Any:
        """Returns the output and the next state."""
        return self._wrapped_call(inputs, state, **kwargs)

    def _wrapped_call(self, inputs: Any, state: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor that make an equal cell."""
        cell = {"class_name": type(self.cell).__name__, "config": self.cell.get_config()}
        return {"name": self.name, "trainable": True, "dtype": "float32", "cell": cell}


@export("nn.RNNCellDeviceWrapper")
class DeviceWrapper(_Wrapper):
    """A cell that runs on a device.

    Args:
        cell: A cell.
        device: A device name or function.
        **kwargs: ``name``.
    """

    __module__ = "twinflow.nn"

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns the initial state of the wrapped cell, on the device.

        Args:
            batch_size: The size of the batch.
            dtype: The dtype of the state.
        """
        with API["device"](self._device):
            return super().zero_state(batch_size, dtype)

    def _wrapped_call(self, inputs: Any, state: Any, **kwargs: Any) -> Any:
        with API["device"](self._device):
            return self.cell(inputs, state, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor that make an equal cell."""
        return {**super().get_config(), "device": self._device}


@export("nn.RNNCellResidualWrapper")
class ResidualWrapper(_Wrapper):
    """A cell whose input is added to its output.

    Args:
        cell: A cell.
        residual_fn: A function of the inputs and outputs that replaces the sum.
        **kwargs: ``name``.

    Raises:
        ValueError: In calls: inputs and outputs have different structures.
    """

    __module__ = "twinflow.nn"

    def __init__(
        self, cell: Any, residual_fn: Callable[[Any, Any], Any] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def _wrapped_call(self, inputs: Any, state: Any, **kwargs: Any) -> Any:
        outputs, new_state = self.cell(inputs, state, **kwargs)
        return (self._residual_fn or _sum)(inputs, outputs), new_state


def _sum(inputs: Any, outputs: Any) -> Any:
    nest.assert_same_structure(inputs, outputs)
    nest.map_structure(lambda x, y: x.shape.assert_is_compatible_with(y.shape), inputs, outputs)
    return nest.map_structure(lambda x, y: x + y, inputs, outputs)


@export("nn.RNNCellDropoutWrapper")
class DropoutWrapper(_Wrapper):
    """A cell with dropout of its inputs, states and outputs.

    Args:
        cell: A cell.
        input_keep_prob: The probability that an element of the inputs is kept, 0 to 1.
        output_keep_prob: That of the outputs.
        state_keep_prob: That of the states.
        variational_recurrent: If True, the same elements are dropped in each step.
        input_size: The shapes of the inputs without the batch, for variational dropout of them.
        dtype: The dtype of inputs, states and outputs, for variational dropout.
        seed: The seed.
        dropout_state_filter_visitor: A function of a state that returns True for those to drop;
            by default the memory of an LSTM and arrays are kept.
        **kwargs: ``name``.

    Raises:
        ValueError: A probability is not between 0 and 1, or an argument for variational dropout is
            missing.
        TypeError: The function is not callable.
    """

    __module__ = "twinflow.nn"

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Callable[[Any], Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cell, **kwargs)
        visitor = dropout_state_filter_visitor
        if visitor is not None and not callable(visitor):
            raise TypeError("dropout_state_filter_visitor must be callable")
        self._is_dropped = visitor or _is_dropped
        self._probabilities = {
            "input": input_keep_prob,
            "state": state_keep_prob,
            "output": output_keep_prob,
        }
        for what in ("input", "state", "output"):
            self._probabilities[what] = _checked(f"{what}_keep_prob", self._probabilities[what])
        self._variational, self._input_size, self._seed = variational_recurrent, input_size, seed
        self._noise: dict[str, list[Any]] = {}
        if variational_recurrent:
            self._make_noise(dtype)

    def _make_noise(self, dtype: Any) -> None:
        """Draws the elements that are dropped in all steps."""
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")
        sizes = {"state": self.cell.state_size, "output": self.cell.output_size}
        if _is_dropping(self._probabilities["input"]):
            if self._input_size is None:
                raise ValueError(
                    "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, "
                    "input_size must be provided"
                )
            sizes["input"] = self._input_size
        for what, size in sizes.items():
            self._noise[what] = [
                API["random.uniform"]([1, *_sizes(part)], dtype=dtype, seed=self._seed_of(what, i))
                for i, part in enumerate(nest.flatten(size))
            ]

    def _seed_of(self, what: str, index: int) -> int | None:
        if self._seed is None:
            return None
        text = f"{self._seed}{what}_{index}".encode()
        return int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _wrapped_call(self, inputs: Any, state: Any, **kwargs: Any) -> Any:
        inputs = self._dropped("input", inputs, lambda part: True)
        outputs, new_state = self.cell(inputs, state, **kwargs)
        new_state = self._dropped("state", new_state, self._is_dropped)
        return self._dropped("output", outputs, lambda part: True), new_state

    def _dropped(self, what: str, values: Any, visitor: Callable[[Any], Any]) -> Any:
        """Returns a structure with dropout of those parts for which a function is True."""
        if not _is_dropping(self._probabilities[what]):
            return values
        return self._dropped_parts(what, values, visitor, visitor(values), iter(range(1 << 30)))

    def _dropped_parts(
        self, what: str, part: Any, visitor: Callable[[Any], Any], keep: Any, index: Iterator[int]
    ) -> Any:
        if keep is False:
            next(index)
            return part
        if not nest.is_nested(part):
            return self._drop(what, part, next(index))
        children = nest._children(part)
        flags = [None] * len(children) if keep is True else nest._children(keep)
        results = [
            self._dropped_parts(
                what, child, visitor, False if flag is False else visitor(child), index
            )
            for child, flag in zip(children, flags)
        ]
        return nest._rebuilt(part, results)

    def _drop(self, what: str, value: Any, index: int) -> Any:
        keep = self._probabilities[what]
        if not self._variational:
            return API["nn.dropout"](value, rate=1.0 - keep, seed=self._seed_of(what, index))
        is_kept = API["floor"](keep + self._noise[what][index])
        result = API["truediv"](value, keep) * is_kept
        result.set_shape(value.shape)
        return result

    @property
    def wrapped_cell(self) -> Any:
        """The wrapped cell."""
        return self.cell

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor that make an equal cell."""
        probabilities = {f"{k}_keep_prob": v for k, v in self._probabilities.items()}
        return {
            **super().get_config(),
            **probabilities,
            "variational_recurrent": self._variational,
            "input_size": self._input_size,
            "seed": self._seed,
        }


def _checked(name: str, value: Any) -> Any:
    """Returns a probability, a Python float where it is known."""
    tensor = convert_to_tensor(value)
    constant = API["get_static_value"](tensor)
    if constant is None:
        return tensor
    if constant < 0 or constant > 1:
        raise ValueError(f"Parameter {name} must be between 0 and 1: {int(constant)}")
    return float(constant)


def _is_dropping(keep: Any) -> bool:
    return not isinstance(keep, float) or keep < 1


def _sizes(size: Any) -> list[Any]:
    return [size] if isinstance(size, int) else TensorShape(size).as_list()


def _is_dropped(part: Any) -> Any:
    """Returns False for arrays, and for the memory of a state with fields ``c`` and ``h``."""
    if getattr(part, "_fields", None) == ("c", "h"):
        return type(part)(c=False, h=True)
    return not isinstance(part, TensorArray)
