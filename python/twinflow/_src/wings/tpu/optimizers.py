"""Optimizers of ``tf.tpu.experimental.embedding``: hyperparameters, and the slots that tables have."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import InitVar
from typing import Any, ClassVar

from twinflow._src.initializers.plain import Constant

Rate = float | Callable[[], float]


class Optimizer:
    """Base class of the optimizers: equality by hyperparameters, clipping and slot variables.

    All have these arguments besides their own: ``learning_rate`` (a number, or a function that returns
    one), ``use_gradient_accumulation``, ``clip_weight_min`` and ``clip_weight_max`` (limits of weights),
    ``weight_decay_factor``, ``multiply_weight_decay_factor_by_learning_rate``, ``clipvalue`` (limits of
    gradients, or their absolute value) and ``low_dimensional_packing_status``.
    """

    __module__ = "twinflow.tpu.experimental.embedding"
    slot_variable_creation_fn: Any = None
    use_gradient_accumulation: bool
    # The initial value of each slot, or the name of the attribute that has it.
    _slots: ClassVar[dict[str, float | str]] = {}

    def __post_init__(self, clipvalue: Any) -> None:
        create = self.slot_variable_creation_fn
        if create is not None and not callable(create):
            raise ValueError(
                "Argument `slot_variable_creation_fn` must be either None or a callable. "
                f"Received: {create}"
            )
        self.slot_variable_creation_fn = create
        if not self.use_gradient_accumulation and clipvalue is not None:
            raise ValueError(
                "When `use_gradient_accumulation` is False, gradient clipping cannot be used and "
                f"`clipvalue` should be left as None. Received value {clipvalue} for argument "
                "`clipvalue`."
            )
        if clipvalue is None:
            clipvalue = (None, None)
        elif not isinstance(clipvalue, tuple):
            clipvalue = (-1.0 * clipvalue, clipvalue)
        self.clip_gradient_min, self.clip_gradient_max = clipvalue
        self._check()

    def _check(self) -> None:
        """Raises for hyperparameters of the class that are out of range."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).items()))

    def _slot_names(self) -> list[str]:
        """Returns the names of the slots."""
        return list(self._slots)

    def _slot_initializers(self) -> list[Any]:
        """Returns the initializers of the slots."""
        values = [getattr(self, x) if isinstance(x, str) else x for x in self._slots.values()]
        return [Constant(value, support_partition=True) for value in values]

    def _create_slots(self, table: Any, variable_creator: Callable[[str, Any], Any]) -> Any:
        """Returns the slot variables of a table by name."""
        names, initializers = self._slot_names(), self._slot_initializers()
        if self.slot_variable_creation_fn is not None:
            return self.slot_variable_creation_fn(table, names, initializers)
        return {name: variable_creator(name, x) for name, x in zip(names, initializers)}

    def _check_accumulator(self, value: float) -> None:
        if value <= 0:
            raise ValueError(
                f"Argument `initial_accumulator_value` must be a positive float. Received: {value}"
            )


@dataclasses.dataclass(eq=False, repr=False)
class SGD(Optimizer):
    """Stochastic gradient descent of embedding tables; see ``Optimizer`` for the arguments."""

    learning_rate: Rate = 0.01
    use_gradient_accumulation: bool = True
    clip_weight_min: float | None = None
    clip_weight_max: float | None = None
    weight_decay_factor: float | None = None
    multiply_weight_decay_factor_by_learning_rate: bool | None = None
    clipvalue: InitVar[Any] = None
    low_dimensional_packing_status: bool = False


@dataclasses.dataclass(eq=False, repr=False)
class Adagrad(Optimizer):
    """Adagrad of embedding tables; see ``Optimizer`` for the other arguments.

    Args:
        initial_accumulator_value: The positive initial value of the accumulators.
        slot_variable_creation_fn: A function of a table, slot names and initializers that returns
            the slot variables by name.
    """

    learning_rate: Rate = 0.001
    initial_accumulator_value: float = 0.1
    use_gradient_accumulation: bool = True
    clip_weight_min: float | None = None
    clip_weight_max: float | None = None
    weight_decay_factor: float | None = None
    multiply_weight_decay_factor_by_learning_rate: bool | None = None
    slot_variable_creation_fn: Callable[..., Any] | None = None
    clipvalue: InitVar[Any] = None
    low_dimensional_packing_status: bool = False
    _slots: ClassVar = {"accumulators": "initial_accumulator_value"}

    def _check(self) -> None:
        self._check_accumulator(self.initial_accumulator_value)


@dataclasses.dataclass(eq=False, repr=False)
class AdagradMomentum(Optimizer):
    """Adagrad with momentum of embedding tables; see ``Optimizer`` and ``Adagrad`` for the other arguments.

    Args:
        momentum: The momentum.
        use_nesterov: Whether to use Nesterov momentum.
        exponent: The positive exponent of the preconditioner.
        beta2: The decay of the accumulators; 1 for sums.
        epsilon: A positive number added to the accumulators.
    """

    learning_rate: Rate = 0.001
    momentum: float = 0.0
    use_nesterov: bool = False
    exponent: float = 2
    beta2: float = 1
    epsilon: float = 1e-10
    use_gradient_accumulation: bool = True
    clip_weight_min: float | None = None
    clip_weight_max: float | None = None
    weight_decay_factor: float | None = None
    multiply_weight_decay_factor_by_learning_rate: bool | None = None
    slot_variable_creation_fn: Callable[..., Any] | None = None
    clipvalue: InitVar[Any] = None
    low_dimensional_packing_status: bool = False
    _slots: ClassVar = {"accumulators": 0, "momenta": 0}

    def _check(self) -> None:
        if self.epsilon <= 0:
            raise ValueError("Adagrad momentum: epsilon must be positive")
        if self.exponent <= 0:
            raise ValueError("Adagrad momentum: Precondition exponent must >0")


@dataclasses.dataclass(eq=False, repr=False)
class FTRL(Optimizer):
    """FTRL of embedding tables; see ``Optimizer`` and ``Adagrad`` for the other arguments.

    Args:
        learning_rate_power: The exponent of the accumulators in the learning rate.
        l1_regularization_strength: The strength of L1 regularization.
        l2_regularization_strength: The strength of L2 regularization.
        beta: A term of the learning rate.
        multiply_linear_by_learning_rate: Whether ``linears`` are multiplied by the learning rate.
        allow_zero_accumulator: Whether accumulators may be zero.
    """

    learning_rate: Rate = 0.001
    learning_rate_power: float = -0.5
    l1_regularization_strength: float = 0.0
    l2_regularization_strength: float = 0.0
    beta: float = 0.0
    initial_accumulator_value: float = 0.1
    use_gradient_accumulation: bool = True
    clip_weight_min: float | None = None
    clip_weight_max: float | None = None
    weight_decay_factor: float | None = None
    multiply_weight_decay_factor_by_learning_rate: bool | None = None
    slot_variable_creation_fn: Callable[..., Any] | None = None
    clipvalue: InitVar[Any] = None
    multiply_linear_by_learning_rate: bool = False
    allow_zero_accumulator: bool = False
    low_dimensional_packing_status: bool = False
    _slots: ClassVar = {"accumulators": "initial_accumulator_value", "linears": 0}

    def _check(self) -> None:
        self._check_accumulator(self.initial_accumulator_value)


@dataclasses.dataclass(eq=False, repr=False)
class Adam(Optimizer):
    """Adam of embedding tables; see ``Optimizer`` and ``Adagrad`` for the other arguments.

    Args:
        beta_1: The decay of the first moment.
        beta_2: The decay of the second moment.
        epsilon: A positive number added to denominators.
        lazy_adam: Whether only the rows that were looked up are updated.
        sum_inside_sqrt: Whether ``epsilon`` is added inside the square root.
    """

    learning_rate: Rate = 0.001
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-07
    lazy_adam: bool = True
    sum_inside_sqrt: bool = True
    use_gradient_accumulation: bool = True
    clip_weight_min: float | None = None
    clip_weight_max: float | None = None
    weight_decay_factor: float | None = None
    multiply_weight_decay_factor_by_learning_rate: bool | None = None
    slot_variable_creation_fn: Callable[..., Any] | None = None
    clipvalue: InitVar[Any] = None
    low_dimensional_packing_status: bool = False
    _slots: ClassVar = {"momenta": 0, "velocities": 0}

    def _check(self) -> None:
        if not 0.0 <= self.beta_1 < 1.0:
            raise ValueError(f"Argument `beta_1` must be >= 0 and < 1. Received: {self.beta_1}.")
        if not 0.0 <= self.beta_2 < 1.0:  # TensorFlow's text has beta_1, too
            raise ValueError(f"Argument `beta_2` must be >= 0 and < 1. Received: {self.beta_1}.")
        if self.epsilon <= 0.0:
            raise ValueError(f"epsilon must be positive; got {self.epsilon}.")
        if not self.use_gradient_accumulation and not self.lazy_adam:
            raise ValueError(
                "When disabling lazy Adam (`lazy_adam=False`), gradient accumulation must be used. "
                "Set `use_gradient_accumulation` to False."
            )


_KINDS: list[Any] = [SGD, Adagrad, AdagradMomentum, FTRL, Adam]
for _kind in _KINDS:
    del _kind.clipvalue  # the default of an argument, not an attribute
