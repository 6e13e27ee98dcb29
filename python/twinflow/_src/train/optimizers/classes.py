"""Gradient descent optimizers (SGD, Adagrad, RMSprop, Adadelta, Ftrl, Lion) and serialization."""

from __future__ import annotations

from typing import Any

from twinflow._src.initializers.keras import Constant
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.train.descriptions import build_from_config, described
from twinflow._src.train.optimizers.adam import Adam, Adamax, AdamW, Nadam
from twinflow._src.train.optimizers.base import Optimizer
from twinflow._src.train.optimizers.kernels import Ruled
from twinflow._src.train.optimizers.rules import (
    ADADELTA,
    ADAGRAD,
    DESCENT,
    FTRL,
    LION,
    MOMENTUM,
    RMSPROP,
)

# Optimizer classes.


class SGD(Optimizer):
    """Stochastic gradient descent, with optional momentum.

    Args:
        learning_rate: The learning rate.
        momentum: Weight of the last step in the next one.
        nesterov: If True, uses Nesterov momentum.
        **options: See ``Optimizer``.

    Raises:
        ValueError: ``momentum`` is not a float between 0 and 1.
    """

    __module__ = "twinflow.keras.optimizers"

    _settings = ("momentum", "nesterov")

    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        *options: Any,
        **named: Any,
    ) -> None:
        super().__init__(learning_rate, *options, **named)
        if not isinstance(momentum, float) or momentum < 0 or momentum > 1:
            raise ValueError("`momentum` must be a float between [0, 1].")
        self.momentum, self.nesterov = momentum, nesterov

    def build(self, variables: Any) -> None:
        """Creates the slots; see ``Optimizer``."""
        if self.built:
            return
        super().build(variables)
        self.momentums: list[Any] = []
        if self.momentum != 0:
            self.momentums = self.add_optimizer_variables(variables, "momentum")

    def _rule(self) -> Ruled:
        if not self.momentums:
            return DESCENT, (), {}
        return MOMENTUM, (self.momentums,), {"momentum": self.momentum, "nesterov": self.nesterov}


class Adagrad(Optimizer):
    """Optimizer that divides gradients by the root of the sum of their squares.

    Args:
        learning_rate: The learning rate.
        initial_accumulator_value: Initial value of the sums.
        epsilon: Added to the sums, for numerical stability.
        **options: See ``Optimizer``.
    """

    __module__ = "twinflow.keras.optimizers"

    _settings = ("initial_accumulator_value", "epsilon")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-07,
        *options: Any,
        **named: Any,
    ) -> None:
        super().__init__(learning_rate, *options, **named)
        self.initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon

    def build(self, variables: Any) -> None:
        """Creates the slots; see ``Optimizer``."""
        if not self.built:
            super().build(variables)
            first = Constant(self.initial_accumulator_value)
            self._accumulators = self.add_optimizer_variables(variables, "accumulator", first)

    def _rule(self) -> Ruled:
        return ADAGRAD, (self._accumulators,), {"epsilon": self.epsilon}


class RMSprop(Optimizer):
    """Optimizer that divides gradients by the root of a moving average of their squares.

    Args:
        learning_rate: The learning rate.
        rho: Weight of the old average in the update of an average.
        momentum: Weight of the last step in the next one.
        epsilon: Added to the averages, for numerical stability.
        centered: If True, divides by the estimated standard deviation of the gradient.
        **options: See ``Optimizer``.
    """

    __module__ = "twinflow.keras.optimizers"

    _settings = ("rho", "momentum", "epsilon", "centered")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-07,
        centered: bool = False,
        *options: Any,
        **named: Any,
    ) -> None:
        super().__init__(learning_rate, *options, **named)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered

    def build(self, variables: Any) -> None:
        """Creates the slots; see ``Optimizer``."""
        if self.built:
            return
        super().build(variables)
        self._velocities = self.add_optimizer_variables(variables, "velocity")
        self._momentums: list[Any] = []
        self._average_gradients: list[Any] = []
        if self.momentum > 0:
            self._momentums = self.add_optimizer_variables(variables, "momentum")
        if self.centered:
            self._average_gradients = self.add_optimizer_variables(variables, "average_gradient")

    def _rule(self) -> Ruled:
        slots = tuple(filter(None, (self._velocities, self._momentums, self._average_gradients)))
        how = {
            "rho": self.rho,
            "new": 1 - self.rho,
            "momentum": self.momentum,
            "epsilon": self.epsilon,
            "centered": self.centered,
        }
        return RMSPROP[len(slots)], slots, how


class Adadelta(Optimizer):
    """Optimizer that scales gradients by moving averages of squared updates and squared gradients.

    Args:
        learning_rate: The learning rate.
        rho: Weight of the old average in the update of an average.
        epsilon: Added to the averages, for numerical stability.
        **options: See ``Optimizer``.
    """

    __module__ = "twinflow.keras.optimizers"

    _settings = ("rho", "epsilon")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.95,
        epsilon: float = 1e-07,
        *options: Any,
        **named: Any,
    ) -> None:
        super().__init__(learning_rate, *options, **named)
        self.rho, self.epsilon = rho, epsilon

    def build(self, variables: Any) -> None:
        """Creates the slots; see ``Optimizer``."""
        if not self.built:
            super().build(variables)
            names = ["accumulated_grad", "accumulated_delta_var"]
            slots = self.add_optimizer_variables(variables, names)
            self._accumulated_grads, self._accumulated_delta_vars = slots

    def _rule(self) -> Ruled:
        slots = self._accumulated_grads, self._accumulated_delta_vars
        return ADADELTA, slots, {"rho": self.rho, "new": 1 - self.rho, "epsilon": self.epsilon}


_POSITIVE = (
    "initial_accumulator_value",
    "learning_rate_power",
    "l1_regularization_strength",
    "l2_regularization_strength",
    "l2_shrinkage_regularization_strength",
)


class Ftrl(Optimizer):
    """Follow-the-regularized-leader optimizer.

    Args:
        learning_rate: The learning rate.
        learning_rate_power: Exponent of the learning rate's decay with the sums of squares; not
            positive.
        initial_accumulator_value: Initial value of the sums.
        l1_regularization_strength: L1 regularization.
        l2_regularization_strength: L2 regularization.
        l2_shrinkage_regularization_strength: L2 regularization added to the loss (shrinkage).
        beta: Added to the L2 regularization, divided by twice the learning rate.
        **options: See ``Optimizer``.

    Raises:
        ValueError: An argument has the wrong sign.
    """

    __module__ = "twinflow.keras.optimizers"

    _settings = (
        "learning_rate_power",
        "initial_accumulator_value",
        "l1_regularization_strength",
        "l2_regularization_strength",
        "l2_shrinkage_regularization_strength",
        "beta",
    )

    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
        *options: Any,
        **named: Any,
    ) -> None:
        super().__init__(learning_rate, *options, **named)
        self.learning_rate_power = learning_rate_power
        self.initial_accumulator_value = initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self.beta = beta
        self._check_signs()

    def _check_signs(self) -> None:
        for name in _POSITIVE:
            value, sign = getattr(self, name), "positive"
            if name == "learning_rate_power":
                value, sign = -value, "negative"
            if value < 0:
                raise ValueError(
                    f"`{name}` needs to be {sign} or zero. Received: {name}={getattr(self, name)}."
                )

    def build(self, variables: Any) -> None:
        """Creates the slots; see ``Optimizer``."""
        if not self.built:
            super().build(variables)
            first = [Constant(self.initial_accumulator_value), "zeros"]
            names = ["accumulator", "linear"]
            slots = self.add_optimizer_variables(variables, names, first)
            self._accumulators, self._linears = slots

    def _step_numbers(self, rate: Any, dtype: Any) -> Any:
        return rate, 2 * (self.l2_regularization_strength + self.beta / (2.0 * rate))

    def _rule(self) -> Ruled:
        how = {
            "power": -self.learning_rate_power,
            "shrinkage": 2 * self.l2_shrinkage_regularization_strength,
            "bound": self.l1_regularization_strength,
        }
        return FTRL, (self._accumulators, self._linears), how


class Lion(Optimizer):
    """Optimizer that steps by the sign of a moving average of the gradient.

    Args:
        learning_rate: The learning rate.
        beta_1: Weight of the average in the sign.
        beta_2: Weight of the old average in its update.
        **options: See ``Optimizer``.

    Raises:
        ValueError: ``beta_1`` is not in (0, 1].
    """

    __module__ = "twinflow.keras.optimizers"

    _settings = ("beta_1", "beta_2")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.99,
        *options: Any,
        **named: Any,
    ) -> None:
        super().__init__(learning_rate, *options, **named)
        self.beta_1, self.beta_2 = beta_1, beta_2
        if beta_1 <= 0 or beta_1 > 1:
            raise ValueError(
                "Argument `beta_1` must be in the [0, 1] range. Otherwise, the optimizer degenerates to "
                f"SignSGD. Received: beta_1={beta_1}."
            )

    def build(self, variables: Any) -> None:
        """Creates the slots; see ``Optimizer``."""
        if not self.built:
            super().build(variables)
            self._momentums = self.add_optimizer_variables(variables, "momentum")

    def _step_numbers(self, rate: Any, dtype: Any) -> Any:
        beta_1, beta_2 = cast(self.beta_1, dtype), cast(self.beta_2, dtype)
        return rate, beta_1, 1.0 - beta_1, beta_2, 1.0 - beta_2

    def _rule(self) -> Ruled:
        return LION, (self._momentums,), {}


# Serialization and lookup by name.


_CLASSES: dict[str, Any] = {
    cls.__name__.lower(): cls
    for cls in (SGD, Adam, AdamW, Adagrad, RMSprop, Adadelta, Adamax, Nadam, Ftrl, Lion, Optimizer)
}


def serialize(optimizer: Any) -> Any:
    """Serializes an optimizer, without its state.

    Args:
        optimizer: An optimizer.

    Returns:
        A dictionary of plain Python values.
    """
    return described(optimizer, "keras.optimizers")


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """Creates an optimizer from its serialized form.

    Args:
        config: The result of ``serialize``.
        custom_objects: Additional classes by name.

    Returns:
        An optimizer.

    Raises:
        TypeError: There is no such class.
    """
    name = config["class_name"]
    config = {**config, "class_name": name.lower() if name.lower() in _CLASSES else name}
    return build_from_config(config, _CLASSES.get, custom_objects)


def get(identifier: Any) -> Any:
    """Returns an optimizer by name, serialized form or instance.

    Args:
        identifier: An optimizer, a name, or a serialized form; None is returned unchanged.

    Returns:
        An optimizer.

    Raises:
        ValueError: The identifier is not an optimizer.
    """
    if identifier is None:
        return None
    found = identifier
    if isinstance(identifier, str) and identifier.lower() in _CLASSES:
        found = _CLASSES[identifier.lower()]()
    elif isinstance(identifier, dict):
        found = deserialize(identifier)
    if isinstance(found, Optimizer):
        return found
    raise ValueError(f"Could not interpret optimizer identifier: {identifier}")
