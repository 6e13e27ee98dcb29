"""Adam and variants: moving averages of the gradient and of its square or magnitude."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.dispatch.op import API
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.math import power
from twinflow._src.train.optimizers.base import Optimizer
from twinflow._src.train.optimizers.gpu import corrected_rate
from twinflow._src.train.optimizers.kernels import Ruled
from twinflow._src.train.optimizers.rules import ADAM, ADAMAX, AMSGRAD, NADAM
from twinflow._src.variables.keras_variable import Variable


class _Moments(Optimizer):
    """Base class of Adam and variants: two moments and the step count."""

    _settings: ClassVar[tuple[str, ...]] = ("beta_1", "beta_2", "epsilon")
    _suffixes: ClassVar[tuple[str, str]] = ("momentum", "velocity")
    _kept: ClassVar[tuple[str, str]] = ("_momentums", "_velocities")
    _momentums: list[Any]
    _velocities: list[Any]

    def build(self, variables: Any) -> None:
        """Creates the slots; see ``Optimizer``."""
        if not self.built:
            super().build(variables)
            slots = self.add_optimizer_variables(variables, list(self._suffixes))
            for name, slot in zip(self._kept, slots):
                setattr(self, name, slot)

    def _later(self, steps: int, dtype: Any) -> Any:
        """Returns the iteration ``steps`` ahead, in a dtype."""
        made = self.iterations
        return cast((made.value if isinstance(made, Variable) else made) + steps, dtype)

    def _shares(self, dtype: Any, *bases: float) -> Iterator[Any]:
        """Yields the bias corrections ``1 - base ** step`` of moving averages."""
        step = self._later(1, dtype)
        return (1 - power(cast(base, dtype), step) for base in bases)


class Adam(_Moments):
    """Adam: divides a moving average of the gradient by the root of an average of its square.

    Args:
        learning_rate: The learning rate.
        beta_1: Weight of the old average in the update of the first moment.
        beta_2: The same for the second moment.
        epsilon: Added to the root, for numerical stability.
        amsgrad: If True, uses the maximum of the second moments so far.
        **options: See ``Optimizer``.
    """

    __module__ = "twinflow.keras.optimizers"

    _settings = ("beta_1", "beta_2", "epsilon", "amsgrad")
    _velocity_hats: Any = ()

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-07,
        amsgrad: bool = False,
        *options: Any,
        **named: Any,
    ) -> None:
        super().__init__(learning_rate, *options, **named)
        self.beta_1, self.beta_2, self.epsilon, self.amsgrad = beta_1, beta_2, epsilon, amsgrad

    def build(self, variables: Any) -> None:
        """Creates the slots; see ``Optimizer``."""
        if not self.built:
            super().build(variables)
            if self.amsgrad:
                self._velocity_hats = self.add_optimizer_variables(variables, "velocity_hat")

    def _step_numbers(self, rate: Any, dtype: Any) -> Any:
        made = self.iterations
        found = corrected_rate(rate, getattr(made, "value", made), self.beta_1, self.beta_2)
        if found is not None:
            return (found,)
        share_1, share_2 = self._shares(dtype, self.beta_1, self.beta_2)
        return (rate * API["sqrt"](share_2) / share_1,)

    def _rule(self) -> Ruled:
        how = {"new_1": 1 - self.beta_1, "new_2": 1 - self.beta_2, "epsilon": self.epsilon}
        if self.amsgrad:
            return AMSGRAD, (self._momentums, self._velocities, self._velocity_hats), how
        return ADAM, (self._momentums, self._velocities), how


class AdamW(Adam):
    """Adam with weight decay.

    Args:
        learning_rate: The learning rate.
        weight_decay: Decay of weights per step, relative to the learning rate.
        beta_1: Weight of the old average in the update of the first moment.
        beta_2: The same for the second moment.
        epsilon: Added to the root, for numerical stability.
        amsgrad: If True, uses the maximum of the second moments so far.
        **options: See ``Optimizer``.

    Raises:
        ValueError: ``weight_decay`` is None.
    """

    __module__ = "twinflow.keras.optimizers"

    def __init__(
        self,
        learning_rate: Any = 0.001,
        weight_decay: Any = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-07,
        amsgrad: bool = False,
        *options: Any,
        **named: Any,
    ) -> None:
        super().__init__(
            learning_rate, beta_1, beta_2, epsilon, amsgrad, weight_decay, *options, **named
        )
        if weight_decay is None:
            raise ValueError("Argument `weight_decay` must be a float. Received: weight_decay=None")


class Adamax(_Moments):
    """Adam with the infinity norm: divides the first moment by a decaying maximum of the gradient.

    Args:
        learning_rate: The learning rate.
        beta_1: Weight of the old average in the update of the first moment.
        beta_2: Decay of the maximum per step.
        epsilon: Added to the maximum, for numerical stability.
        **options: See ``Optimizer``.
    """

    __module__ = "twinflow.keras.optimizers"

    _suffixes, _kept = ("momentum", "norm"), ("_m", "_u")
    _m: list[Any]
    _u: list[Any]

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-07,
        *options: Any,
        **named: Any,
    ) -> None:
        super().__init__(learning_rate, *options, **named)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon

    def _step_numbers(self, rate: Any, dtype: Any) -> Any:
        return rate, *self._shares(dtype, self.beta_1)

    def _rule(self) -> Ruled:
        how = {"new_1": 1 - self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon}
        return ADAMAX, (self._m, self._u), how


class Nadam(_Moments):
    """Adam with Nesterov momentum.

    Args:
        learning_rate: The learning rate.
        beta_1: Weight of the old average in the update of the first moment.
        beta_2: The same for the second moment.
        epsilon: Added to the root, for numerical stability.
        **options: See ``Optimizer``.
    """

    __module__ = "twinflow.keras.optimizers"

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-07,
        *options: Any,
        **named: Any,
    ) -> None:
        super().__init__(learning_rate, *options, **named)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon

    def build(self, variables: Any) -> None:
        """Creates the slots; see ``Optimizer``."""
        if not self.built:
            super().build(variables)
            dtype = variables[0].dtype if variables else "float32"
            self._u_product = Variable(1.0, dtype=dtype)

    def _backend_update_step(self, grads: Any, variables: Any, learning_rate: Any) -> None:
        product = self._u_product
        dtype = product.value.dtype
        raised = power(convert_to_tensor(0.96, dtype), self._later(1, dtype))
        product.value.assign(product.value * self.beta_1 * (1.0 - 0.5 * raised))
        super()._backend_update_step(grads, variables, learning_rate)

    def _step_numbers(self, rate: Any, dtype: Any) -> Any:
        decay, beta_1, beta_2 = (cast(x, dtype) for x in (0.96, self.beta_1, self.beta_2))
        now, ahead = (
            beta_1 * (1.0 - 0.5 * power(decay, self._later(steps, dtype))) for steps in (1, 2)
        )
        product = cast(self._u_product, dtype)
        shares = 1 - product * ahead, 1 - now, 1 - product, *self._shares(dtype, self.beta_2)
        return (rate, 1 - beta_1, 1 - beta_2, ahead, *shares)

    def _rule(self) -> Ruled:
        return NADAM, (self._momentums, self._velocities), {"epsilon": self.epsilon}
