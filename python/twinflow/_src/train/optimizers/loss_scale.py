"""Dynamic scaling of losses, for gradients of low precision."""

from __future__ import annotations

from typing import Any

from twinflow._src.dispatch.op import API
from twinflow._src.initializers.keras import Constant
from twinflow._src.train.descriptions import within
from twinflow._src.train.optimizers import classes
from twinflow._src.train.optimizers.base import Optimizer
from twinflow._src.train.optimizers.step import do_if, plain


class LossScaleOptimizer(Optimizer):
    """Optimizer that multiplies losses by a factor and divides their gradients by it.

    The factor is doubled after a number of steps with finite gradients; it is halved, and the step
    is skipped, if a gradient is not finite.

    Args:
        inner_optimizer: The optimizer that applies the gradients.
        initial_scale: The first factor.
        dynamic_growth_steps: The number of steps after which the factor is doubled.
        name: The name; derived from the class if None.
        **kwargs: See ``Optimizer``.

    Raises:
        ValueError: ``inner_optimizer`` has a ``loss_scale_factor`` of its own.
    """

    __module__ = "twinflow.keras.optimizers"

    def __init__(
        self,
        inner_optimizer: Any,
        initial_scale: float = 32768.0,
        dynamic_growth_steps: int = 2000,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if not kwargs.pop("dynamic", True):
            raise ValueError(
                "LossScaleOptimizer no longer supports `dynamic=False`. Instead, simply set "
                "`loss_scale_factor` directly on the `inner_optimizer`."
            )
        super().__init__(learning_rate=0.0, name=name, **kwargs)
        self.inner_optimizer = inner_optimizer
        self.initial_scale, self.dynamic_growth_steps = initial_scale, dynamic_growth_steps

    def build(self, variables: Any) -> None:
        """Creates the slots; see ``Optimizer``."""
        self.step_counter = self.add_variable((), dtype="int64", name="step_counter")
        self.dynamic_scale = self.add_variable(
            (), Constant(self.initial_scale), "float32", name="dynamic_scale"
        )
        self.inner_optimizer.build(variables)
        super().build(variables)

    @property
    def variables(self) -> list[Any]:
        """All variables: those of the scale, then those of the inner optimizer."""
        return [*self._variables, *self.inner_optimizer.variables]

    def apply(self, grads: Any, trainable_variables: Any = None) -> None:
        """Applies gradients of a scaled loss; see ``Optimizer``.

        Args:
            grads: The gradients, some of which may be None.
            trainable_variables: The variables; those passed to ``build`` if None.
        """
        if not self.built:
            with within(self.name, self):
                self.build(trainable_variables)
        do_if(
            self._check_finite(grads), lambda: self._apply(grads, trainable_variables), self._skip
        )

    def _check_finite(self, grads: Any) -> Any:
        values = [getattr(g, "values", g) for g in grads if g is not None]
        finite = [API["reduce_all"](API["math.is_finite"](g)) for g in values]
        return API["reduce_all"](API["stack"](finite))

    def _apply(self, grads: Any, variables: Any) -> None:
        scale, of = plain(self.dynamic_scale), variables or self._trainable_variables
        divided = [
            g if g is None or getattr(v, "overwrite_with_gradient", False) else g / scale
            for g, v in zip(grads, of)
        ]
        self.inner_optimizer.apply(divided, trainable_variables=variables)
        is_due = API["equal"](plain(self.step_counter), self.dynamic_growth_steps - 1)
        do_if(is_due, lambda: self._rescale(2.0), lambda: self._count_step())

    def _count_step(self) -> None:
        plain(self.step_counter).assign_add(1)

    def _skip(self) -> None:
        self._rescale(0.5)

    def _rescale(self, factor: float) -> None:
        plain(self.step_counter).assign(0)
        plain(self.dynamic_scale).assign(plain(self.dynamic_scale) * factor)

    @property
    def learning_rate(self) -> Any:
        """The learning rate of the inner optimizer."""
        return self.inner_optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, learning_rate: Any) -> None:
        self.inner_optimizer.learning_rate = learning_rate

    @property
    def iterations(self) -> Any:
        """Number of steps of the inner optimizer."""
        return self.inner_optimizer.iterations

    def scale_loss(self, loss: Any) -> Any:
        """Returns the loss multiplied by the present factor."""
        return loss * (plain(self.dynamic_scale) if self.built else self.initial_scale)

    def finalize_variable_values(self, var_list: Any) -> None:
        """Assigns final values to variables; see ``Optimizer``."""
        self.inner_optimizer.finalize_variable_values(var_list)

    def get_config(self) -> dict[str, Any]:
        """Returns the configuration for ``from_config``, without the state."""
        return {
            "name": self.name,
            "inner_optimizer": classes.serialize(self.inner_optimizer),
            "initial_scale": self.initial_scale,
            "dynamic_growth_steps": self.dynamic_growth_steps,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Creates an optimizer from the result of ``get_config``.

        Args:
            config: A configuration.
            custom_objects: Additional classes by name.
        """
        inner = classes.deserialize(config.pop("inner_optimizer"), custom_objects)
        return cls(inner, **config)
