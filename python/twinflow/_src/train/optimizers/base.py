"""What all optimizers share: their variables, the rate of learning, the way of a step.

The variables of optimizers: slots for the variables that they train.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from twinflow._src.core.context import entered, thread
from twinflow._src.initializers.keras_registry import Initializer
from twinflow._src.trackable.auto_trackable import AutoTrackable
from twinflow._src.train.descriptions import auto_name, described, within
from twinflow._src.train.optimizers.options import Options, plain
from twinflow._src.train.optimizers.step import Steps
from twinflow._src.train.schedules.classes import SCHEDULES, LearningRateSchedule, revived
from twinflow._src.variables.keras_variable import Variable

# The variables of optimizers: slots for the variables that they train.


class Slots:
    """What optimizers do about their variables; see ``Optimizer``."""

    name: str
    use_ema: bool
    gradient_accumulation_steps: int | None
    built: bool
    _variables: list[Variable]
    _iterations: Any
    _trainable_variables: list[Any]
    _trainable_variables_indices: dict[str, int]

    def _track_variable(self, variable: Variable) -> None:
        if all(variable is not known for known in self._variables):
            self._variables.append(variable)

    def _own(self, name: str, value: Any, dtype: str) -> Variable:
        with within(self.name, self):
            return Variable(
                value, dtype=dtype, trainable=False, aggregation="only_first_replica", name=name
            )

    @property
    def variables(self) -> list[Variable]:
        """The optimizer's variables: iterations, rate, and slots in the order in which they were made."""
        return self._variables[:]

    @property
    def iterations(self) -> Any:
        """How many steps were made; with accumulation, how often gradients were applied."""
        if self.gradient_accumulation_steps:
            return self._iterations // self.gradient_accumulation_steps
        return self._iterations

    def add_variable(
        self,
        shape: Any,
        initializer: Any = "zeros",
        dtype: Any = None,
        aggregation: str | None = "none",
        layout: Any = None,
        name: str | None = None,
    ) -> Variable:
        """Makes a variable of the optimizer.

        Args:
            shape: Its shape.
            initializer: An initializer, or the name of one.
            dtype: The type; float32 where None.
            aggregation: How copies of it would be combined.
            layout: Accepted and without effect.
            name: Its name.

        Returns:
            The variable.
        """
        with within(self.name, self):
            made = Variable(
                initializer, shape, dtype, trainable=False, aggregation=aggregation, name=name
            )
        self._track_variable(made)
        return made

    def add_variable_from_reference(
        self, reference_variable: Any, name: str | None = None, initializer: Any = "zeros"
    ) -> Variable:
        """Makes a slot: a variable like another one, on the same device.

        Args:
            reference_variable: The other variable.
            name: What follows the other's name in that of the slot.
            initializer: An initializer, or the name of one.

        Returns:
            The variable.
        """
        like = reference_variable
        of = like.path.replace("/", "_") if hasattr(like, "path") else _sanitized(like.name)
        with entered(thread.scope.but(device=plain(like).device)):
            return self.add_variable(
                like.shape, initializer, like.dtype, name=f"{of}_{name or 'var'}"
            )

    def add_optimizer_variables(
        self, trainable_variables: Any, name: Any, initializer: Any = "zeros"
    ) -> Any:
        """Makes slots for variables.

        Args:
            trainable_variables: The variables.
            name: What follows their names, or a list of such names.
            initializer: An initializer; a list of them for a list of names.

        Returns:
            A list of variables; for a list of names, a tuple of lists.

        Raises:
            ValueError: There are more or fewer initializers than names.
        """
        names = [name] if isinstance(name, str) else name
        single = isinstance(name, str) or isinstance(initializer, (str, Initializer))
        initializers = [initializer] * len(names) if single else initializer
        if len(names) != len(initializers):
            raise ValueError(
                "The number of provided names must match the number of provided initializers.  "
                f"Received name='{name}', initializer='{initializer}'"
            )
        slots: tuple[list[Any], ...] = tuple([] for _ in names)
        for variable in trainable_variables:
            for slot, suffix, make in zip(slots, names, initializers):
                replaced = getattr(variable, "overwrite_with_gradient", False)
                slot.append(
                    None if replaced else self.add_variable_from_reference(variable, suffix, make)
                )
        return slots[0] if isinstance(name, str) else slots

    def build(self, variables: Any) -> None:
        """Makes the slots.

        Args:
            variables: The variables that are going to be trained.
        """
        if self.use_ema:
            self._model_variables_moving_average = self.add_optimizer_variables(
                variables, "average"
            )
        if self.gradient_accumulation_steps:
            self._accumulated_gradients = []
        for i, variable in enumerate(variables):
            self._trainable_variables_indices[plain(variable)._unique_id] = i
            if self.gradient_accumulation_steps:
                self._accumulated_gradients.append(
                    self.add_variable_from_reference(variable, "gradient_accumulator")
                )
        self._trainable_variables = list(variables)
        self.built = True

    def _get_variable_index(self, variable: Any) -> int:
        return self._trainable_variables_indices[plain(variable)._unique_id]


def _sanitized(name: Any) -> str:
    return str(name).replace("/", "_").replace(":", "_")


# What all optimizers share: their variables, the rate of learning, the way of a step.


class Optimizer(Steps, Slots, Options, AutoTrackable):
    """The base of optimizers. One of your own has ``build``, which makes its slots, and ``update_step``.

    Args:
        learning_rate: A float, a schedule, or a function without arguments.
        weight_decay: How much weights decay in a step, as a part of the rate; None for not at all.
        clipnorm: The norm that the gradient of a variable is clipped to.
        clipvalue: The bound that each element of a gradient is clipped to.
        global_clipnorm: The norm that all gradients together are clipped to.
        use_ema: Whether moving averages of the variables are kept.
        ema_momentum: The share of the old average in a new one.
        ema_overwrite_frequency: After how many steps averages replace values; None for never.
        loss_scale_factor: By what losses were multiplied and gradients are divided.
        gradient_accumulation_steps: Of how many steps the mean gradient is applied at once.
        name: The name, by which variables are named; from that of the class where None.
        **kwargs: None but ``decay``, which is without effect.

    Raises:
        ValueError: An argument cannot be.
    """

    __module__ = "twinflow.keras"

    def __init__(
        self,
        learning_rate: Any,
        weight_decay: Any = None,
        clipnorm: Any = None,
        clipvalue: Any = None,
        global_clipnorm: Any = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: Any = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        self._variables: list[Variable] = []
        if kwargs.pop("decay", None) is not None:
            warnings.warn(
                "Argument `decay` is no longer supported and will be ignored.", stacklevel=3
            )
        if kwargs:
            raise ValueError(f"Argument(s) not recognized: {kwargs}")
        self.name = auto_name(type(self).__name__) if name is None else name
        self.weight_decay, self.clipnorm, self.clipvalue = weight_decay, clipnorm, clipvalue
        self.global_clipnorm, self.loss_scale_factor = global_clipnorm, loss_scale_factor
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self.use_ema, self.ema_momentum = use_ema, ema_momentum
        self.ema_overwrite_frequency = ema_overwrite_frequency
        self._check_options()
        self.built = False
        self._trainable_variables: list[Any] = []
        self._trainable_variables_indices: dict[str, int] = {}
        self._iterations = self._own("iteration", 0, "int64")
        if not callable(learning_rate):
            _check_rate(learning_rate)
            learning_rate = self._own("learning_rate", learning_rate, "float32")
        self._learning_rate = learning_rate

    def _check_options(self) -> None:
        steps, every = self.gradient_accumulation_steps, self.ema_overwrite_frequency
        if steps and not steps >= 2:
            raise ValueError(
                "`gradient_accumulation_steps` must be an integer >= 2. Received: "
                f"gradient_accumulation_steps={steps}"
            )
        if self.use_ema and (self.ema_momentum > 1 or self.ema_momentum < 0):
            raise ValueError(
                "`ema_momentum` must be in the range [0, 1]. Received: "
                f"ema_momentum={self.ema_momentum}"
            )
        if self.use_ema and every and (not isinstance(every, int) or every < 1):
            raise ValueError(
                "`ema_overwrite_frequency` must be an integer >= 1 or None. Received: "
                f"ema_overwrite_frequency={every}"
            )
        clips = {n: getattr(self, n) for n in ("clipnorm", "clipvalue", "global_clipnorm")}
        if sum(value is not None for value in clips.values()) > 1:
            raise ValueError(
                "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: "
                + ", ".join(f"{name}={value}" for name, value in clips.items())
            )

    def __setattr__(self, name: str, value: Any) -> None:
        if "_variables" not in vars(self) and name != "_variables":
            raise RuntimeError(
                f"In optimizer '{type(self).__name__}', you forgot to call `super().__init__()` as the "
                "first statement in the `__init__()` method. Go add it!"
            )
        if isinstance(value, Variable):
            self._track_variable(value)
        super().__setattr__(name, value)
        if name != "learning_rate":  # which each step reads
            self._forget_steps()

    # ---------------------------------------------------------------- the rate
    @property
    def learning_rate(self) -> Any:
        """The rate: a variable, or what the schedule gives for the present step."""
        rate = self._learning_rate
        if isinstance(rate, LearningRateSchedule):
            return rate(self._iterations)
        return rate() if callable(rate) else rate

    @learning_rate.setter
    def learning_rate(self, learning_rate: Any) -> None:
        before = self._learning_rate
        if callable(learning_rate):
            if isinstance(before, Variable):
                self._variables = [v for v in self._variables if v is not before]
            self._learning_rate = learning_rate
            return
        if isinstance(before, LearningRateSchedule):
            raise TypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its "
                "`learning_rate` constructor argument, hence its learning rate is not settable. If you "
                "need the learning rate to be settable, you should instantiate the optimizer with a "
                "float `learning_rate` argument."
            )
        before.assign(learning_rate)

    def scale_loss(self, loss: Any) -> Any:
        """A loss times ``loss_scale_factor``, where that is set."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    # ---------------------------------------------------------------- descriptions and weights
    # The settings of a kind of optimizer: attributes with names like those of the arguments.
    _settings: ClassVar[tuple[str, ...]] = ()

    def get_config(self) -> dict[str, Any]:
        """What ``from_config`` needs to make the same optimizer again, without its state."""
        rate = self._learning_rate
        if isinstance(rate, Variable):
            rate = float(rate.numpy())
        elif callable(rate):
            rate = described(rate, SCHEDULES)
        return {
            "name": self.name,
            "learning_rate": rate,
            **{name: getattr(self, name) for name in (*_COMMON, *self._settings)},
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Makes an optimizer of what ``get_config`` gave.

        Args:
            config: A configuration.
            custom_objects: More classes by their names.
        """
        if isinstance(config.get("learning_rate"), dict):
            config["learning_rate"] = revived(config["learning_rate"], custom_objects)
        return cls(**config)

    def set_weights(self, weights: Any) -> None:
        """Replaces the values of the optimizer's variables.

        Args:
            weights: A value for each, in order.

        Raises:
            ValueError: The optimizer has no slots yet, or a shape is another one.
        """
        if not self.built:
            raise ValueError(
                "You are calling `set_weights()` on an optimizer that has not yet been built. Please "
                "call `optimizer.build(trainable_variables)` to create the optimizer weights before "
                "calling `set_weights()`."
            )
        for variable, weight in zip(self._variables, weights):
            if variable.shape != weight.shape:
                raise ValueError(
                    f"Optimizer variable {variable.value._unique_id} has shape {variable.shape!s} not "
                    f"compatible with provided weight shape {weight.shape!s}."
                )
            variable.assign(weight)

    def save_own_variables(self, store: dict[str, Any]) -> None:
        """Puts the values of the variables into a dictionary, by their number."""
        store.update((str(i), variable.numpy()) for i, variable in enumerate(self.variables))

    def load_own_variables(self, store: dict[str, Any]) -> None:
        """Takes the values of the variables from a dictionary; see ``save_own_variables``."""
        if len(store) != len(self.variables):
            text = (
                f"Skipping variable loading for optimizer '{self.name}', because it has "
                f"{len(self.variables)} variables whereas the saved optimizer has {len(store)} variables. "
            )
            warnings.warn(text, stacklevel=2)
            return
        for i, variable in enumerate(self.variables):
            variable.assign(store[str(i)])

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies, and what is pickled: an optimizer of the same settings, with the state if it has no slots yet."""
        store: dict[str, Any] = {}
        self.save_own_variables(store)
        return _again, (type(self), self.get_config(), store)

    def stateless_apply(self, *args: Any, **kwargs: Any) -> Any:
        """Refused, as the state is in variables."""
        raise ValueError(
            "stateless_apply is not supported with the TensorFlow backend (as it is incompatible with "
            "tf.distribute)."
        )


_COMMON = (
    "weight_decay",
    "clipnorm",
    "global_clipnorm",
    "clipvalue",
    "use_ema",
    "ema_momentum",
    "ema_overwrite_frequency",
    "loss_scale_factor",
    "gradient_accumulation_steps",
)


def _again(kind: type[Optimizer], config: dict[str, Any], store: dict[str, Any]) -> Optimizer:
    """The optimizer of which ``__reduce__`` told; Keras leaves out the state of one with slots, and warns."""
    made = kind.from_config(config)
    made.load_own_variables(store)
    return made


def _check_rate(learning_rate: Any) -> None:
    if not isinstance(learning_rate, float):
        raise ValueError(
            "Argument `learning_rate` should be float, or an instance of LearningRateSchedule, or a "
            "callable (that takes in the current iteration value and returns the corresponding learning "
            f"rate value). Received instead: learning_rate={learning_rate}"
        )
