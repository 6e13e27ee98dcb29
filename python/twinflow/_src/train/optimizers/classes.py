"""Keras's optimizers, rows over the table of updates, and their serialization."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any, ClassVar

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.initializers.keras import Constant
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.math import power
from twinflow._src.train.descriptions import build_from_config, described
from twinflow._src.train.optimizers import formulas
from twinflow._src.train.optimizers.base import Optimizer
from twinflow._src.train.optimizers.updates import Rule, Update, corrected_rate
from twinflow._src.variables.keras_variable import Variable


class _Row(Optimizer):
    """Base class of optimizers that apply an update of the table.

    Subclasses define ``_update``, ``_groups`` and ``_hyperparameters``, the settings of the formula.
    """

    _update: Update
    # Slots that are created together: attributes that hold them, and suffixes of their names.
    _groups: tuple[dict[str, str], ...] = ()

    def build(self, variables: Any) -> None:
        """Creates the slots; see ``Optimizer``."""
        if self.built:
            return
        super().build(variables)
        for group in self._groups:
            initial = [self._initial_value(name) for name in group]
            slots = self.add_optimizer_variables(variables, list(group.values()), initial)
            for name, slot in zip(group, slots):
                setattr(self, name, slot)

    def _initial_value(self, name: str) -> Any:
        """Returns the initializer of a slot, of which the attribute is given."""
        return "zeros"

    def _hyperparameters(self) -> dict[str, Any]:
        return {}

    def _rule(self) -> Rule:
        slots = (getattr(self, name) for group in self._groups for name in group)
        return self._update, tuple(slots), self._hyperparameters()


class SGD(_Row):
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

    @property
    def _groups(self) -> tuple[dict[str, str], ...]:  # type: ignore[override]
        return ({"momentums": "momentum"},) if self.momentum != 0 else ()

    def build(self, variables: Any) -> None:
        """Creates the slots; see ``Optimizer``."""
        if not self.built:
            self.momentums: list[Any] = []
        super().build(variables)

    def _rule(self) -> Rule:
        if not self.momentums:
            return formulas.DESCENT, (), {}
        settings = {"momentum": self.momentum, "nesterov": self.nesterov}
        return formulas.MOMENTUM, (self.momentums,), settings


class Adagrad(_Row):
    """Optimizer that divides gradients by the root of the sum of their squares.

    Args:
        learning_rate: The learning rate.
        initial_accumulator_value: Initial value of the sums.
        epsilon: Added to the sums, for numerical stability.
        **options: See ``Optimizer``.
    """

    __module__ = "twinflow.keras.optimizers"

    _settings = ("initial_accumulator_value", "epsilon")
    _update, _groups = formulas.ADAGRAD, ({"_accumulators": "accumulator"},)

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

    def _initial_value(self, name: str) -> Any:
        return Constant(self.initial_accumulator_value)

    def _hyperparameters(self) -> dict[str, Any]:
        return {"epsilon": self.epsilon}


class RMSprop(_Row):
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
    _velocities: list[Any]

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

    @property
    def _groups(self) -> tuple[dict[str, str], ...]:  # type: ignore[override]
        momentums = ({"_momentums": "momentum"},) if self.momentum > 0 else ()
        means = ({"_average_gradients": "average_gradient"},) if self.centered else ()
        return ({"_velocities": "velocity"}, *momentums, *means)

    def build(self, variables: Any) -> None:
        """Creates the slots; see ``Optimizer``."""
        if not self.built:
            self._momentums: list[Any] = []
            self._average_gradients: list[Any] = []
        super().build(variables)

    def _rule(self) -> Rule:
        slots = tuple(filter(None, (self._velocities, self._momentums, self._average_gradients)))
        settings = {
            "rho": self.rho,
            "new": 1 - self.rho,
            "momentum": self.momentum,
            "epsilon": self.epsilon,
            "centered": self.centered,
        }
        return formulas.RMSPROP[len(slots)], slots, settings


@documented_like(RMSprop)
class Adadelta(_Row):
    """Optimizer that scales gradients by moving averages of squared updates and squared gradients."""

    __module__ = "twinflow.keras.optimizers"

    _settings, _update = ("rho", "epsilon"), formulas.ADADELTA
    _groups = (
        {
            "_accumulated_grads": "accumulated_grad",
            "_accumulated_delta_vars": "accumulated_delta_var",
        },
    )

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

    def _hyperparameters(self) -> dict[str, Any]:
        return {"rho": self.rho, "new": 1 - self.rho, "epsilon": self.epsilon}


_POSITIVE = (
    "initial_accumulator_value",
    "learning_rate_power",
    "l1_regularization_strength",
    "l2_regularization_strength",
    "l2_shrinkage_regularization_strength",
)


@documented_like(Adagrad)
class Ftrl(_Row):
    """Follow-the-regularized-leader optimizer.

    Args:
        learning_rate_power: Exponent of the learning rate's decay with the sums of squares; not
            positive.
        l1_regularization_strength: L1 regularization.
        l2_regularization_strength: L2 regularization.
        l2_shrinkage_regularization_strength: L2 regularization added to the loss (shrinkage).
        beta: Added to the L2 regularization, divided by twice the learning rate.

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
    _update, _groups = formulas.FTRL, ({"_accumulators": "accumulator", "_linears": "linear"},)

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

    def _initial_value(self, name: str) -> Any:
        return Constant(self.initial_accumulator_value) if name == "_accumulators" else "zeros"

    def _step_numbers(self, rate: Any, dtype: Any) -> Any:
        return rate, 2 * (self.l2_regularization_strength + self.beta / (2.0 * rate))

    def _hyperparameters(self) -> dict[str, Any]:
        return {
            "power": -self.learning_rate_power,
            "shrinkage": 2 * self.l2_shrinkage_regularization_strength,
            "bound": self.l1_regularization_strength,
        }


class Lion(_Row):
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
    _update, _groups = formulas.LION, ({"_momentums": "momentum"},)

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

    def _step_numbers(self, rate: Any, dtype: Any) -> Any:
        beta_1, beta_2 = cast(self.beta_1, dtype), cast(self.beta_2, dtype)
        return rate, beta_1, 1.0 - beta_1, beta_2, 1.0 - beta_2


class _Moments(_Row):
    """Base class of Adam and variants: two moments and the step count."""

    _settings: ClassVar[tuple[str, ...]] = ("beta_1", "beta_2", "epsilon")
    _groups = ({"_momentums": "momentum", "_velocities": "velocity"},)

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

    def _later(self, steps: int, dtype: Any) -> Any:
        """Returns the iteration ``steps`` ahead, in a dtype."""
        iterations = self.iterations
        if isinstance(iterations, Variable):
            iterations = iterations.value
        return cast(iterations + steps, dtype)

    def _corrections(self, dtype: Any, *bases: float) -> Iterator[Any]:
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
    _momentums: list[Any]
    _velocities: list[Any]
    _velocity_hats: list[Any]

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
        super().__init__(learning_rate, beta_1, beta_2, epsilon, *options, **named)
        self.amsgrad = amsgrad

    @property
    def _groups(self) -> tuple[dict[str, str], ...]:  # type: ignore[override]
        return _Moments._groups + (({"_velocity_hats": "velocity_hat"},) if self.amsgrad else ())

    def _step_numbers(self, rate: Any, dtype: Any) -> Any:
        iterations = self.iterations
        iterations = getattr(iterations, "value", iterations)
        alpha = corrected_rate(rate, iterations, self.beta_1, self.beta_2)
        if alpha is not None:
            return (alpha,)
        rest_1, rest_2 = self._corrections(dtype, self.beta_1, self.beta_2)
        return (rate * API["sqrt"](rest_2) / rest_1,)

    @property
    def _update(self) -> Update:  # type: ignore[override]
        return formulas.AMSGRAD if self.amsgrad else formulas.ADAM

    def _hyperparameters(self) -> dict[str, Any]:
        return {"new_1": 1 - self.beta_1, "new_2": 1 - self.beta_2, "epsilon": self.epsilon}


@documented_like(Adam)
class AdamW(Adam):
    """Adam with weight decay.

    Args:
        weight_decay: Decay of weights per step, relative to the learning rate.

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

    _update, _groups = formulas.ADAMAX, ({"_m": "momentum", "_u": "norm"},)

    def _step_numbers(self, rate: Any, dtype: Any) -> Any:
        return rate, *self._corrections(dtype, self.beta_1)

    def _hyperparameters(self) -> dict[str, Any]:
        return {"new_1": 1 - self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon}


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

    _update = formulas.NADAM

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
        shares = 1 - product * ahead, 1 - now, 1 - product, *self._corrections(dtype, self.beta_2)
        return (rate, 1 - beta_1, 1 - beta_2, ahead, *shares)

    def _hyperparameters(self) -> dict[str, Any]:
        return {"epsilon": self.epsilon}


# Serialization and lookup by name.


_CLASSES: dict[str, Any] = {
    cls.__name__.lower(): cls
    for cls in (SGD, Adam, AdamW, Adagrad, RMSprop, Adadelta, Adamax, Nadam, Ftrl, Lion, Optimizer)
}
# Classes of other modules, which are imported when they are asked for.
_OTHERS = {
    **{
        name.lower(): ("normalized", name)
        for name in ["Lamb", "Adafactor", "Muon", "ScheduleFreeAdamW"]
    },
    "lossscaleoptimizer": ("loss_scale", "LossScaleOptimizer"),
}


def _find_class(name: str) -> Any:
    """Returns the optimizer with a lowercase name, or None."""
    if name in _OTHERS:
        module, attribute = _OTHERS[name]
        return getattr(importlib.import_module(f"{__package__}.{module}"), attribute)
    return _CLASSES.get(name)


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
    config = {**config, "class_name": name.lower() if _find_class(name.lower()) else name}
    return build_from_config(config, _find_class, custom_objects)


@documented_like(deserialize)
def get(identifier: Any) -> Any:
    """Returns an optimizer by name, serialized form or instance.

    Args:
        identifier: An optimizer, a name, or a serialized form; None is returned unchanged.

    Raises:
        ValueError: The identifier is not an optimizer.
    """
    if identifier is None:
        return None
    optimizer = identifier
    if isinstance(identifier, str) and _find_class(identifier.lower()):
        optimizer = _find_class(identifier.lower())()
    elif isinstance(identifier, dict):
        optimizer = deserialize(identifier)
    if isinstance(optimizer, Optimizer):
        return optimizer
    raise ValueError(f"Could not interpret optimizer identifier: {identifier}")
