"""Optimizers that scale steps by norms of whole variables, and one that averages its iterates."""

from __future__ import annotations

import re
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.train.optimizers.base import Optimizer
from twinflow._src.variables.keras_variable import Variable


def _norm(x: Any) -> Any:
    return API["sqrt"](API["reduce_sum"](API["square"](x)))


def _root_mean_square(x: Any) -> Any:
    return API["sqrt"](API["reduce_mean"](API["square"](x)))


def _update_moments(slots: Any, gradient: Any, beta_1: Any, beta_2: Any) -> tuple[Any, Any]:
    """Updates the moving averages of a gradient and of its square; returns both."""
    m, v = (slot.value for slot in slots)
    m.assign_add((gradient - m) * (1 - beta_1))
    v.assign_add((API["square"](gradient) - v) * (1 - beta_2))
    return m, v


class _Steps(Optimizer):
    """Base class: the number of the step, and the slots of a variable."""

    def _count(self, dtype: Any) -> Any:
        return cast(self.iterations + 1, dtype)

    def _slots_of(self, variable: Any, *attributes: str) -> list[Any]:
        index = self._get_variable_index(variable)
        return [getattr(self, name)[index] for name in attributes]


class Lamb(_Steps):
    """Adam whose steps have the norm of the variable, times the learning rate.

    After You et al., "Large Batch Optimization for Deep Learning: Training BERT in 76 minutes" (2019).

    Args:
        learning_rate: The learning rate.
        beta_1: Weight of the old average in the update of the first moment.
        beta_2: The same for the second moment.
        epsilon: Added to the root, for numerical stability.
        **options: See ``Optimizer``.
    """

    __module__ = "twinflow.keras.optimizers"

    _settings = ("beta_1", "beta_2", "epsilon")

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
            names = ["momentum", "velocity"]
            self._momentums, self._velocities = self.add_optimizer_variables(variables, names)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Updates a variable; see ``Optimizer``."""
        dtype = variable.dtype
        rate, gradient, count = (
            cast(learning_rate, dtype),
            cast(gradient, dtype),
            self._count(dtype),
        )
        slots = self._slots_of(variable, "_momentums", "_velocities")
        m, v = _update_moments(slots, gradient, self.beta_1, self.beta_2)
        first, second = (1.0 - cast(b, dtype) ** count for b in (self.beta_1, self.beta_2))
        step = (m / first) / (API["sqrt"](v / second) + self.epsilon)
        length, change = _norm(variable), _norm(step)
        is_usable = API["logical_and"](length > 0, change > 0)
        ratio = API["where"](is_usable, length / change, cast(1.0, dtype))
        variable.assign_sub(ratio * rate * step)


class Adafactor(_Steps):
    """Optimizer whose second moments of matrices are products of a row and a column.

    After Shazeer and Stern, "Adafactor: Adaptive Learning Rates with Sublinear Memory Cost" (2018).

    Args:
        learning_rate: The largest learning rate.
        beta_2_decay: Exponent of the step by which the weight of new second moments decays.
        epsilon_1: Added to squared gradients.
        epsilon_2: The smallest root mean square of a variable that steps are relative to.
        clip_threshold: The largest root mean square of a step, before the learning rate.
        relative_step: If True, the learning rate is at most the inverse root of the step.
        **options: See ``Optimizer``.
    """

    __module__ = "twinflow.keras.optimizers"

    _settings = ("beta_2_decay", "epsilon_1", "epsilon_2", "clip_threshold", "relative_step")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_2_decay: float = -0.8,
        epsilon_1: float = 1e-30,
        epsilon_2: float = 0.001,
        clip_threshold: float = 1.0,
        relative_step: bool = True,
        *options: Any,
        **named: Any,
    ) -> None:
        super().__init__(learning_rate, *options, **named)
        self.beta_2_decay, self.epsilon_1, self.epsilon_2 = beta_2_decay, epsilon_1, epsilon_2
        self.clip_threshold, self.relative_step = clip_threshold, relative_step

    def build(self, variables: Any) -> None:
        """Creates the slots; see ``Optimizer``."""
        if self.built:
            return
        super().build(variables)
        self._r: list[Any] = []
        self._c: list[Any] = []
        self._v: list[Any] = []
        for variable in variables:
            row, column, whole = self._create_slots(variable)
            self._r.append(row)
            self._c.append(column)
            self._v.append(whole)

    def _create_slots(self, variable: Any) -> tuple[Any, Any, Any]:
        """Creates the second moments of rows, of columns and of all elements."""
        if getattr(variable, "overwrite_with_gradient", False):
            return None, None, None
        dims, name = tuple(variable.shape), variable.name
        if len(dims) < 2:  # placeholders, which saved states have
            row, column = (Variable(0.0, name=name, trainable=False) for _ in range(2))
            self._track_variable(row)
            self._track_variable(column)
        else:
            shapes = dims[:-1], (*dims[:-2], dims[-1])
            row, column = (
                self.add_variable(shape=shape, dtype=variable.dtype, name=name) for shape in shapes
            )
        return row, column, self.add_variable_from_reference(variable, "velocity")

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Updates a variable; see ``Optimizer``."""
        dtype = variable.dtype
        rate, gradient, count = (
            cast(learning_rate, dtype),
            cast(gradient, dtype),
            self._count(dtype),
        )
        rate = API["minimum"](rate, 1 / API["sqrt"](count))
        size = API["maximum"](cast(self.epsilon_2, dtype), _root_mean_square(variable))
        row, column, whole = (slot.value for slot in self._slots_of(variable, "_r", "_c", "_v"))
        squares = API["square"](gradient) + self.epsilon_1
        old = 1 - count**self.beta_2_decay
        if variable.shape.rank >= 2:
            row.assign(old * row + (1 - old) * API["reduce_mean"](squares, axis=-1))
            column.assign(old * column + (1 - old) * API["reduce_mean"](squares, axis=-2))
            shares = row / API["reduce_mean"](row, axis=-1, keepdims=True)
            whole.assign(API["expand_dims"](shares, -1) * API["expand_dims"](column, -2))
        else:
            whole.assign(old * whole + (1 - old) * squares)
        step = gradient / API["sqrt"](whole)
        excess = API["maximum"](cast(1.0, dtype), _root_mean_square(step) / self.clip_threshold)
        variable.assign_sub(size * rate * (step / excess))


class Muon(_Steps):
    """Optimizer whose steps of matrices are orthogonalized momentums; Adam for other variables.

    After Jordan et al., "Muon: An optimizer for hidden layers in neural networks" (2024): an
    iteration of Newton and Schulz of degree five makes all singular values about 1.

    Args:
        learning_rate: The learning rate.
        adam_beta_1: Weight of the old average in Adam's first moment.
        adam_beta_2: The same for the second moment.
        adam_weight_decay: Decay of the weights that Adam updates.
        epsilon: Added to Adam's root, for numerical stability.
        weight_decay: Decay of weights per step, relative to the learning rate; None for no decay.
        clipnorm: Maximum norm of the gradient of each variable.
        clipvalue: Maximum absolute value of each element of a gradient.
        global_clipnorm: Maximum global norm of all gradients.
        use_ema: If True, keeps exponential moving averages of the variables.
        ema_momentum: Weight of the old average in the update of an average.
        ema_overwrite_frequency: Number of steps after which averages overwrite the variables.
        loss_scale_factor: Factor by which losses are multiplied and gradients are divided.
        gradient_accumulation_steps: Number of steps whose mean gradient is applied at once.
        name: The name; derived from the class if None.
        exclude_layers: Regular expressions; variables whose paths match one are updated by Adam.
        exclude_embeddings: If True, so are variables whose paths name embeddings.
        muon_a: Coefficient of x in the iteration.
        muon_b: Coefficient of its third power.
        muon_c: Coefficient of its fifth power.
        adam_lr_ratio: Factor of the learning rate where Adam is used.
        momentum: Weight of the old momentum.
        ns_steps: Number of iterations.
        nesterov: If True, uses Nesterov momentum.
        rms_rate: The root mean square that steps have, for any shape; None for no scaling.
        **kwargs: See ``Optimizer``.
    """

    __module__ = "twinflow.keras.optimizers"

    _settings = (
        "adam_beta_1",
        "adam_beta_2",
        "epsilon",
        "exclude_layers",
        "muon_a",
        "muon_b",
        "muon_c",
        "adam_lr_ratio",
        "momentum",
        "ns_steps",
        "nesterov",
        "exclude_embeddings",
        "adam_weight_decay",
        "rms_rate",
    )

    def __init__(
        self,
        learning_rate: Any = 0.001,
        adam_beta_1: float = 0.9,
        adam_beta_2: float = 0.999,
        adam_weight_decay: Any = 0.004,
        epsilon: float = 1e-07,
        weight_decay: Any = 0.004,
        clipnorm: Any = None,
        clipvalue: Any = None,
        global_clipnorm: Any = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: Any = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        exclude_layers: Any = None,
        exclude_embeddings: bool = True,
        muon_a: float = 3.4445,
        muon_b: float = -4.775,
        muon_c: float = 2.0315,
        adam_lr_ratio: float = 1,
        momentum: float = 0.95,
        ns_steps: int = 5,
        nesterov: bool = True,
        rms_rate: float | None = 0.2,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            learning_rate,
            weight_decay,
            clipnorm,
            clipvalue,
            global_clipnorm,
            use_ema,
            ema_momentum,
            ema_overwrite_frequency,
            loss_scale_factor,
            gradient_accumulation_steps,
            name,
            **kwargs,
        )
        self.adam_beta_1, self.adam_beta_2, self.epsilon = adam_beta_1, adam_beta_2, epsilon
        self.adam_weight_decay, self.adam_lr_ratio = adam_weight_decay, adam_lr_ratio
        self.muon_a, self.muon_b, self.muon_c = muon_a, muon_b, muon_c
        self.momentum, self.ns_steps, self.nesterov = momentum, ns_steps, nesterov
        self.exclude_layers, self.exclude_embeddings = exclude_layers or [], exclude_embeddings
        self.rms_rate = rms_rate

    def _should_use_adamw(self, variable: Any) -> bool:
        """True if Adam updates a variable: it is no matrix, or is excluded by its path."""
        if len(variable.shape) != 2:
            return True
        path = getattr(variable, "path", variable.name)
        if self.exclude_embeddings and "embedding" in path.lower():
            return True
        return any(re.search(pattern, path) for pattern in self.exclude_layers)

    def build(self, variables: Any) -> None:
        """Creates the slots; see ``Optimizer``."""
        if self.built:
            return
        super().build(variables)
        self.momentums: list[Any] = []
        self.adam_velocities: list[Any] = []
        for variable in variables:
            is_updated = not getattr(variable, "overwrite_with_gradient", False)
            by_adam = is_updated and self._should_use_adamw(variable)
            add = self.add_variable_from_reference
            self.momentums.append(add(variable, "momentum") if is_updated else None)
            self.adam_velocities.append(add(variable, "velocity") if by_adam else None)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Updates a variable; see ``Optimizer``."""
        dtype = variable.dtype
        rate, gradient = cast(learning_rate, dtype), cast(gradient, dtype)
        momentum, velocity = self._slots_of(variable, "momentums", "adam_velocities")
        if velocity is not None:
            self._adam_step(gradient, variable, rate * self.adam_lr_ratio, (momentum, velocity))
            return
        m = momentum.value
        m.assign_add(gradient + m * (self.momentum - 1))
        step = rate * self._orthogonal(gradient + self.momentum * m if self.nesterov else m)
        if self.rms_rate is not None:
            step = step * max(variable.shape.as_list()) ** 0.5 * self.rms_rate
        variable.assign_sub(step)

    def _adam_step(self, gradient: Any, variable: Any, rate: Any, slots: Any) -> None:
        dtype, betas = variable.dtype, (self.adam_beta_1, self.adam_beta_2)
        count = self._count(dtype)
        first, second = (1 - cast(beta, dtype) ** count for beta in betas)
        m, v = _update_moments(slots, gradient, *betas)
        alpha = rate * API["sqrt"](second) / first
        variable.assign_sub((m * alpha) / (API["sqrt"](v) + self.epsilon))

    def _orthogonal(self, x: Any) -> Any:
        """Returns a matrix with the singular vectors of ``x`` and singular values of about 1."""
        x = convert_to_tensor(x)
        rows, columns = x.shape.as_list()
        x = API["transpose"](x) if rows > columns else x
        x = x / (_norm(x) + 1e-7)
        for _ in range(self.ns_steps):
            gram = API["matmul"](x, x, transpose_b=True)
            change = self.muon_b * gram + self.muon_c * API["matmul"](gram, gram)
            x = self.muon_a * x + API["matmul"](change, x)
        return API["transpose"](x) if rows > columns else x

    def _apply_weight_decay(self, variables: list[Any]) -> None:
        for variable in variables:
            by_adam = self._should_use_adamw(variable)
            decay = self.adam_weight_decay if by_adam else self.weight_decay
            if decay is not None and self._decays(variable):
                rate = cast(self.learning_rate, variable.dtype)
                variable.assign(variable - variable * cast(decay, variable.dtype) * rate)


@documented_like(Lamb)
class ScheduleFreeAdamW(_Steps):
    """Adam over averaged iterates, which needs no schedule of the learning rate.

    After Defazio et al., "The Road Less Scheduled" (2024). The slot ``momentum`` holds the iterates;
    the variables are between them and their average.

    Args:
        beta_1: Weight of the average in the variables.
        beta_2: Weight of the old average in the update of the second moment.
        warmup_steps: Number of steps over which the learning rate grows linearly.
    """

    __module__ = "twinflow.keras.optimizers"

    _settings = ("beta_1", "beta_2", "epsilon", "warmup_steps")

    def __init__(
        self,
        learning_rate: Any = 0.0025,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-08,
        warmup_steps: int = 0,
        *options: Any,
        **named: Any,
    ) -> None:
        super().__init__(learning_rate, *options, **named)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon
        self.warmup_steps = warmup_steps

    def build(self, variables: Any) -> None:
        """Creates the slots; see ``Optimizer``."""
        if self.built:
            return
        super().build(variables)
        names = ["momentum", "velocity"]
        self._momentums, self._velocities = self.add_optimizer_variables(variables, names)
        for iterate, variable in zip(self._momentums, variables):
            if iterate is not None:
                iterate.assign(variable)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Updates a variable; see ``Optimizer``."""
        dtype = variable.dtype
        rate, gradient, count = (
            cast(learning_rate, dtype),
            cast(gradient, dtype),
            self._count(dtype),
        )
        beta_1, beta_2 = cast(self.beta_1, dtype), cast(self.beta_2, dtype)
        if self.warmup_steps > 0:
            rate = rate * API["minimum"](count / cast(self.warmup_steps, dtype), 1.0)
        iterate, v = (s.value for s in self._slots_of(variable, "_momentums", "_velocities"))
        v.assign_add((API["square"](gradient) - v) * (1 - beta_2))
        scale = API["sqrt"](v / (1 - beta_2**count)) + cast(self.epsilon, dtype)
        iterate.assign_sub(rate * gradient / scale)
        weight = 1.0 / count
        # from the new iterate, where the paper has the one before: Keras's variables are live
        average = (variable - (1 - beta_1) * iterate) / beta_1
        average = (1 - weight) * average + weight * iterate
        variable.assign((1 - beta_1) * iterate + beta_1 * average)
