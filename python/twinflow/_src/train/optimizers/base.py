"""Base class of optimizers: slots, learning rate, configuration, saved state and options."""

from __future__ import annotations

import re
import warnings
from typing import Any, ClassVar

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import entered, thread
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.initializers.keras import Initializer
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.trackable.trackable import AutoTrackable
from twinflow._src.train.descriptions import auto_name, described, within
from twinflow._src.train.optimizers.formulas import AVERAGE, DECAY
from twinflow._src.train.optimizers.step import Steps, do_if, plain
from twinflow._src.train.schedules import SCHEDULES, LearningRateSchedule, revived
from twinflow._src.variables.keras_variable import Variable


class Optimizer(Steps, AutoTrackable):
    """Base class of optimizers.

    Subclasses define ``build``, which creates the slots, and ``update_step``.
    Args:
        learning_rate: A float, a schedule, or a callable without arguments.
        weight_decay: Decay of weights per step, relative to the learning rate; None for no decay.
        clipnorm: Maximum norm of the gradient of each variable.
        clipvalue: Maximum absolute value of each element of a gradient.
        global_clipnorm: Maximum global norm of all gradients.
        use_ema: If True, keeps exponential moving averages of the variables.
        ema_momentum: Weight of the old average in the update of an average.
        ema_overwrite_frequency: Number of steps after which averages overwrite the variables; None
            for never.
        loss_scale_factor: Factor by which losses are multiplied and gradients are divided.
        gradient_accumulation_steps: Number of steps whose mean gradient is applied at once.
        name: The name; derived from the class if None.
        **kwargs: Only ``decay``, which has no effect.

    Raises:
        ValueError: An argument is invalid.
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
        self._iterations: Any = self._create_scalar("iteration", 0, "int64")
        if not callable(learning_rate):
            _check_rate(learning_rate)
            learning_rate = self._create_scalar("learning_rate", learning_rate, "float32")
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
        if name != "learning_rate":  # read by each step
            self._forget_steps()

    # ---------------------------------------------------------------- slots
    def _track_variable(self, variable: Variable) -> None:
        if all(variable is not other for other in self._variables):
            self._variables.append(variable)

    def _create_scalar(self, name: str, value: Any, dtype: str) -> Variable:
        with within(self.name, self):
            return Variable(
                value, dtype=dtype, trainable=False, aggregation="only_first_replica", name=name
            )

    @property
    def variables(self) -> list[Variable]:
        """All variables of the optimizer: iterations, learning rate, slots in order of creation."""
        return self._variables[:]

    @property
    def iterations(self) -> Any:
        """Number of steps; with accumulation, number of times gradients were applied."""
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
        """Creates a variable of the optimizer.

        Args:
            shape: Its shape.
            initializer: An initializer, or the name of one.
            dtype: The dtype; float32 if None.
            aggregation: Aggregation of replicas.
            layout: Accepted and without effect.
            name: Its name.

        Returns:
            The variable.
        """
        with within(self.name, self):
            slot = Variable(
                initializer, shape, dtype, trainable=False, aggregation=aggregation, name=name
            )
        self._track_variable(slot)
        return slot

    @documented_like(add_variable)
    def add_variable_from_reference(
        self, reference_variable: Any, name: str | None = None, initializer: Any = "zeros"
    ) -> Variable:
        """Creates a slot: a variable with the shape, dtype and device of another one.

        Args:
            reference_variable: The other variable.
            name: Suffix of the slot's name.
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
        """Creates slots for variables.

        Args:
            trainable_variables: The variables.
            name: Suffix of the names of the slots, or a list of suffixes.
            initializer: An initializer; a list of them for a list of names.

        Returns:
            A list of variables; for a list of names, a tuple of lists.

        Raises:
            ValueError: The numbers of names and initializers differ.
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
        """Creates the slots.

        Args:
            variables: The trainable variables.
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

    # ---------------------------------------------------------------- learning rate
    @property
    def learning_rate(self) -> Any:
        """Learning rate: a variable, or the value of the schedule at the current step."""
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
        """Returns the loss multiplied by ``loss_scale_factor``, if set."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    # ---------------------------------------------------------------- configuration and weights
    # The configuration of a class: names of attributes, equal to those of the constructor's
    # arguments.
    _settings: ClassVar[tuple[str, ...]] = ()

    def get_config(self) -> dict[str, Any]:
        """Returns the configuration for ``from_config``, without the state."""
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
        """Creates an optimizer from the result of ``get_config``.

        Args:
            config: A configuration.
            custom_objects: Additional classes by name.
        """
        if isinstance(config.get("learning_rate"), dict):
            config["learning_rate"] = revived(config["learning_rate"], custom_objects)
        return cls(**config)

    def set_weights(self, weights: Any) -> None:
        """Replaces the values of the optimizer's variables.

        Args:
            weights: A value for each, in order.

        Raises:
            ValueError: The optimizer is not built, or a shape differs.
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
        """Stores the values of the variables in a dictionary, keyed by index."""
        store.update((str(i), variable.numpy()) for i, variable in enumerate(self.variables))

    def load_own_variables(self, store: dict[str, Any]) -> None:
        """Loads the values of the variables from a dictionary; see ``save_own_variables``."""
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
        """Supports copy and pickle: the configuration, and the state if there are no slots."""
        store: dict[str, Any] = {}
        self.save_own_variables(store)
        return _again, (type(self), self.get_config(), store)

    def stateless_apply(self, *args: Any, **kwargs: Any) -> Any:
        """Raises ValueError: the state is held in variables."""
        raise ValueError(
            "stateless_apply is not supported with the TensorFlow backend (as it is incompatible with "
            "tf.distribute)."
        )

    @property
    def _has_options(self) -> bool:
        """True if an option modifies gradients or weights besides the update and weight decay."""
        clips = self.clipnorm or self.global_clipnorm or self.clipvalue
        scales = self.loss_scale_factor is not None or self.gradient_accumulation_steps
        return bool(clips or scales or self.use_ema)

    # ---------------------------------------------------------------- gradients
    def _clip_gradients(self, grads: list[Any]) -> list[Any]:
        if self.clipnorm and self.clipnorm > 0:
            return [g if g is None else API["clip_by_norm"](g, self.clipnorm) for g in grads]
        if self.global_clipnorm and self.global_clipnorm > 0:
            return _clipped_together(grads, self.global_clipnorm)
        if self.clipvalue and self.clipvalue > 0:
            v = self.clipvalue
            return [g if g is None else _clipped(g, v) for g in grads]
        return grads

    # ---------------------------------------------------------------- weight decay
    _not_decaying: frozenset[str] = frozenset()
    _not_decaying_names: Any = None
    _exclude_from_weight_decay_cache: Any = None

    def exclude_from_weight_decay(self, var_list: Any = None, var_names: Any = None) -> None:
        """Excludes variables from weight decay; must be called before ``build``.

        Args:
            var_list: Variables to exclude.
            var_names: Regular expressions; variables whose name matches one are excluded.
        """
        self._not_decaying = frozenset(plain(v)._unique_id for v in var_list or ())
        self._not_decaying_names = re.compile("|".join(set(var_names))) if var_names else None
        self._exclude_from_weight_decay_cache = {}

    def _use_weight_decay(self, variable: Any) -> bool:
        if plain(variable)._unique_id in self._not_decaying:
            return False
        names = self._not_decaying_names
        return names is None or names.search(variable.name) is None

    def _decays(self, variable: Any) -> bool:
        """Returns ``_use_weight_decay`` of a variable, cached."""
        if self._exclude_from_weight_decay_cache is None:
            self._exclude_from_weight_decay_cache = {}
        cache, key = self._exclude_from_weight_decay_cache, plain(variable)._unique_id
        if key not in cache:
            cache[key] = self._use_weight_decay(variable)
        return cache[key]

    def _apply_weight_decay(self, variables: list[Any]) -> None:
        if self.weight_decay is None:
            return
        for variable in map(plain, variables):
            if self._decays(variable):
                rate = cast(self.learning_rate, variable.dtype)
                decay = cast(self.weight_decay, variable.dtype)
                DECAY(variable, [], None, [decay, rate])

    # ---------------------------------------------------------------- moving averages
    def _update_model_variables_moving_average(self, variables: list[Any]) -> None:
        if not self.use_ema:
            return
        for variable, average in zip(map(plain, variables), self._model_variables_moving_average):
            if average is not None:
                later = cast(API["not_equal"](cast(self.iterations, "int64"), 0), variable.dtype)
                momentum = later * self.ema_momentum
                AVERAGE(plain(average), [], variable._read(), [momentum, 1 - momentum])

    def _overwrite_model_variables_with_average_value(self, variables: list[Any]) -> None:
        for variable, average in zip(map(plain, variables), self._model_variables_moving_average):
            variable.assign(average.value)

    def finalize_variable_values(self, var_list: list[Any]) -> None:
        """Overwrites variables with their moving averages, at the end of training.

        Args:
            var_list: The variables.
        """
        if self.use_ema:
            self._overwrite_model_variables_with_average_value(var_list)

    def _average(self) -> None:
        """Updates the moving averages after a step."""
        self._update_model_variables_moving_average(self._trainable_variables)
        if self.ema_overwrite_frequency:
            when = (self.iterations + 1) % self.ema_overwrite_frequency == 0
            variables = self._trainable_variables
            do_if(when, lambda: self._overwrite_model_variables_with_average_value(variables))

    # ---------------------------------------------------------------- accumulation
    def _accumulate(self, grads: list[Any], variables: list[Any]) -> None:
        """Accumulates gradients; applies their mean every ``gradient_accumulation_steps`` steps."""
        steps: Any = self.gradient_accumulation_steps
        sums = [plain(self._accumulated_gradients[self._get_variable_index(v)]) for v in variables]

        def apply() -> None:
            means = [added(g, s) / steps for g, s in zip(grads, sums)]
            self._apply_at_once(means, variables)
            for total in self._accumulated_gradients:
                if total is not None:
                    plain(total).assign(API["zeros"](total.shape, total.dtype))

        def wait() -> None:
            for g, total in zip(grads, sums):
                total.assign(added(total, g))

        do_if((self._iterations + 1) % steps == 0, apply, wait)

    def _apply_at_once(self, grads: list[Any], variables: list[Any]) -> None:
        grads = self._clip_gradients(grads)
        self._apply_weight_decay(variables)
        self._backend_update_step(grads, variables, self.learning_rate)


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
    """Recreates an optimizer from ``__reduce__``."""
    # As in Keras, the state of one with slots is skipped.
    optimizer = kind.from_config(config)
    optimizer.load_own_variables(store)
    return optimizer


def _check_rate(learning_rate: Any) -> None:
    if not isinstance(learning_rate, float):
        raise ValueError(
            "Argument `learning_rate` should be float, or an instance of LearningRateSchedule, or a "
            "callable (that takes in the current iteration value and returns the corresponding learning "
            f"rate value). Received instead: learning_rate={learning_rate}"
        )


def _sanitized(name: Any) -> str:
    return str(name).replace("/", "_").replace(":", "_")


def added(x: Any, y: Any) -> Any:
    """Returns x + y as a dense tensor."""
    return API["add"](_dense(x), _dense(y))


def _dense(g: Any) -> Any:
    """Converts IndexedSlices to a dense tensor."""
    return convert_to_tensor(g) if isinstance(g, IndexedSlices) else g


def _clipped_together(grads: list[Any], most: float) -> list[Any]:
    """Clips gradients by their global norm."""
    present = [_dense(_squared(g)) for g in grads if g is not None]
    norm = API["sqrt"](API["reduce_sum"](API["stack"]([API["reduce_sum"](s) for s in present])))
    scale = most * API["minimum"](1.0 / norm, 1.0 / most) + (norm - norm)
    return [g if g is None else _dense(g) * scale for g in grads]


def _squared(g: Any) -> Any:
    if isinstance(g, IndexedSlices):
        return IndexedSlices(API["square"](g.values), g.indices, g.dense_shape)
    return API["square"](g)


def _clipped(g: Any, bound: float) -> Any:
    if isinstance(g, IndexedSlices):
        return IndexedSlices(_clipped(g.values, bound), g.indices, g.dense_shape)
    return API["clip_by_value"](g, -bound, bound)
