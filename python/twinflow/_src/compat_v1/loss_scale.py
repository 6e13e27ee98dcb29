"""Scales of losses of ``tf.compat.v1.mixed_precision``, and the optimizer that applies them."""

from __future__ import annotations

import abc
from typing import Any

from twinflow._src.compat_v1.optimizer_base import Optimizer
from twinflow._src.compat_v1.renamed_args import cond
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.dtypes import float32, int64
from twinflow._src.dispatch.op import API
from twinflow._src.graph.default_graph import executing_eagerly
from twinflow._src.trackable.trackable import Trackable
from twinflow._src.variables.creation import create_variable


class LossScale(Trackable, abc.ABC):
    """Base class of the factors by which losses are multiplied."""

    __module__ = "twinflow.compat.v1.mixed_precision"

    def __init__(self) -> None:
        self._weights: dict[str, Any] = {}

    @abc.abstractmethod
    def __call__(self) -> Any:
        """Returns the factor, a float32 scalar."""

    @abc.abstractmethod
    def update(self, grads: Any) -> Any:
        """Updates the factor.

        Args:
            grads: The gradients, without the factor.

        Returns:
            The operation of the update, and whether the gradients shall be applied.
        """

    @abc.abstractmethod
    def get_config(self) -> dict[str, Any]:
        """Returns the configuration for ``from_config``."""

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns a new object of a configuration.

        Args:
            config: The result of ``get_config``.
        """
        return cls(**config)


class FixedLossScale(LossScale):
    """A factor that stays.

    Args:
        loss_scale_value: The factor, at least 1.

    Raises:
        ValueError: The factor is less than 1, or no number.
    """

    __module__ = "twinflow.compat.v1.mixed_precision"

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError("loss_scale_value must be a Python int or float.")
        if loss_scale_value < 1:
            raise ValueError("loss_scale_value must be at least 1.")
        self._loss_scale_value = float(loss_scale_value)

    def __call__(self) -> Any:
        return convert_to_tensor(self._loss_scale_value, dtype=float32)

    def update(self, grads: Any) -> Any:
        """Returns no operation, and True; see ``LossScale``."""
        return (None if executing_eagerly() else API["no_op"]()), True

    def __repr__(self) -> str:
        return f"FixedLossScale({self._loss_scale_value})"

    def get_config(self) -> dict[str, Any]:
        """Returns the configuration for ``from_config``."""
        return {"loss_scale_value": self._loss_scale_value}


class DynamicLossScale(LossScale):
    """A factor that grows after a number of finite gradients, and shrinks after others.

    Args:
        initial_loss_scale: The first factor.
        increment_period: The number of steps with finite gradients after which it grows.
        multiplier: The factor of its growth.
    """

    __module__ = "twinflow.compat.v1.mixed_precision"

    def __init__(
        self,
        initial_loss_scale: float = 2**15,
        increment_period: int = 2000,
        multiplier: float = 2.0,
    ) -> None:
        super().__init__()
        self._initial_loss_scale = float(initial_loss_scale)
        self._increment_period, self._multiplier = int(increment_period), float(multiplier)
        self._current_loss_scale = create_variable(
            initial_value=convert_to_tensor(self._initial_loss_scale, dtype=float32),
            trainable=False,
            name="current_loss_scale",
        )
        self._num_good_steps = create_variable(
            initial_value=convert_to_tensor(0, dtype=int64), trainable=False, name="good_steps"
        )

    @property
    def initial_loss_scale(self) -> float:
        """The first factor."""
        return self._initial_loss_scale

    @property
    def increment_period(self) -> int:
        """The number of steps with finite gradients after which the factor grows."""
        return self._increment_period

    @property
    def multiplier(self) -> float:
        """The factor of its growth."""
        return self._multiplier

    def __call__(self) -> Any:
        return convert_to_tensor(self._current_loss_scale)

    def update(self, grads: Any) -> Any:
        """Updates the factor by the gradients of a step; see ``LossScale``."""
        is_finite = _all_finite(nest.flatten(grads))
        scale, count = self._current_loss_scale, self._num_good_steps

        def grow() -> Any:
            grown = scale * self._multiplier
            next_scale = API["where"](API["math.is_finite"](grown), grown, scale)
            return API["group"](scale.assign(next_scale), count.assign(0))

        def shrink() -> Any:
            next_scale = API["maximum"](scale / self._multiplier, 1.0)
            return API["group"](scale.assign(next_scale), count.assign(0))

        def good() -> Any:
            is_due = API["greater_equal"](count + 1, self._increment_period)
            return cond(is_due, grow, lambda: API["group"](count.assign_add(1)))

        return cond(is_finite, good, shrink), is_finite

    def __repr__(self) -> str:
        settings = (
            f"initial_loss_scale={self._initial_loss_scale}, "
            f"increment_period={self._increment_period}, multiplier={self._multiplier})"
        )
        if not executing_eagerly():
            return f"DynamicLossScale({settings}"
        return (
            f"DynamicLossScale(current_loss_scale={self._current_loss_scale.numpy()}, "
            f"num_good_steps={self._num_good_steps.numpy()}, {settings}"
        )

    def get_config(self) -> dict[str, Any]:
        """Returns the configuration for ``from_config``."""
        return {
            "initial_loss_scale": self.initial_loss_scale,
            "increment_period": self.increment_period,
            "multiplier": self.multiplier,
        }


def _all_finite(grads: list[Any]) -> Any:
    values = [g.values if isinstance(g, IndexedSlices) else g for g in grads if g is not None]
    return API["reduce_all"](
        API["stack"]([API["reduce_all"](API["math.is_finite"](x)) for x in values])
    )


def _loss_scale(identifier: Any) -> Any:
    """Returns the loss scale of a number, of "dynamic" or of an object."""
    if isinstance(identifier, (int, float)):
        return FixedLossScale(identifier)
    if identifier == "dynamic":
        return DynamicLossScale()
    if isinstance(identifier, LossScale):
        return identifier
    raise ValueError(f"Could not interpret loss scale identifier: {identifier}")


class MixedPrecisionLossScaleOptimizer(Optimizer):
    """An optimizer that multiplies losses by a factor and divides their gradients by it.

    Args:
        opt: The optimizer that applies the gradients.
        loss_scale: A ``LossScale``, a number or "dynamic".

    Raises:
        ValueError: An argument is of another type.
    """

    __module__ = "twinflow.compat.v1.mixed_precision"

    def __init__(self, opt: Any, loss_scale: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of Optimizer, but got: {type(opt)}')
        super().__init__(opt._use_locking, opt._name)
        self._optimizer, self._loss_scale = opt, _loss_scale(loss_scale)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> Any:
        """Computes the gradients of a loss, by the scaled loss; see ``Optimizer``.

        Args:
            loss: The loss, or a function that returns it.
            var_list: The variables.
            gate_gradients: See ``Optimizer``.
            aggregation_method: See ``Optimizer``.
            colocate_gradients_with_ops: See ``Optimizer``.
            grad_loss: The upstream gradient of the loss.
        """
        scaled = (lambda: self._scale(loss())) if callable(loss) else self._scale(loss)
        pairs = self._optimizer.compute_gradients(
            scaled,
            var_list,
            gate_gradients,
            aggregation_method,
            colocate_gradients_with_ops,
            grad_loss,
        )
        factor = 1 / self._loss_scale()
        return [(None if g is None else _times(g, factor), v) for g, v in pairs]

    def _scale(self, loss: Any) -> Any:
        return loss * API["cast"](self._loss_scale(), loss.dtype)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Applies finite gradients, and updates the factor; see ``Optimizer``.

        Args:
            grads_and_vars: Pairs of a gradient and a variable.
            global_step: The variable that counts steps.
            name: A name for the operation.
        """
        pairs = list(grads_and_vars)
        update, is_finite = self._loss_scale.update([g for g, _ in pairs])
        apply = lambda: self._optimizer.apply_gradients(pairs, global_step, name)
        if is_finite is True:
            applied = apply()
        elif executing_eagerly():
            applied = apply() if is_finite else None
        else:
            self._optimizer._create_slots([v for _, v in pairs])
            with API["control_dependencies"]([is_finite]):
                applied = cond(is_finite, lambda: API["group"](apply()), lambda: API["no_op"]())
        if executing_eagerly():
            return applied
        return API["group"](*(op for op in (applied, update) if op is not None))

    def variables(self) -> Any:
        """Returns the variables of the optimizer that applies the gradients."""
        return self._optimizer.variables()


def _times(gradient: Any, factor: Any) -> Any:
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(
            gradient.values * API["cast"](factor, gradient.dtype),
            gradient.indices,
            gradient.dense_shape,
        )
    return gradient * API["cast"](factor, gradient.dtype)


def enable_mixed_precision_graph_rewrite(opt: Any, loss_scale: Any = "dynamic") -> Any:
    """Returns an optimizer that scales losses; operations keep their dtypes.

    Args:
        opt: The optimizer that applies the gradients.
        loss_scale: A ``LossScale``, a number or "dynamic".
    """
    return MixedPrecisionLossScaleOptimizer(opt, loss_scale)


def disable_mixed_precision_graph_rewrite() -> None:
    """Does nothing: operations keep their dtypes."""
