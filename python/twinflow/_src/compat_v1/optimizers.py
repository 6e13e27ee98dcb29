"""The optimizers of ``tf.compat.v1.train``."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from twinflow._src.compat_v1.optimizer_base import Optimizer, apply_update, number, summed
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import entered, thread
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.train.optimizers.formulas import LEGACY


class _Row(Optimizer):
    """Base class of optimizers that apply an update of the table.

    Subclasses define ``_op_type``, ``_slot_rows`` (slots: name, name used in variable names,
    initial value or the attribute that holds it), and ``_numbers``. User code sets and reads these
    attributes under TensorFlow's names, so each step reads them again.
    """

    _op_type: Any
    _attrs: dict[str, Any] = {}
    _numbers: dict[
        str, tuple[str, str]
    ]  # by tensor name: the attributes of a hyperparameter and of its tensor
    _slot_order: list[
        str
    ] = []  # the order of slots in the rule, if it differs from that of creation

    def _prepare(self) -> None:
        for name, (field, tensor) in self._numbers.items():
            setattr(self, tensor, number(getattr(self, field), name))

    def _set(self, *values: Any) -> None:
        """Sets the hyperparameters, in order, and resets their tensors."""
        for (field, tensor), value in zip(self._numbers.values(), values, strict=True):
            setattr(self, field, value)
            setattr(self, tensor, None)

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            for name, label, value in self._slot_rows:
                self._slot(
                    var, name, label, getattr(self, value) if isinstance(value, str) else value
                )

    def _apply(self, grad: Any, var: Any) -> Any:
        slots = [
            self.get_slot(var, name)
            for name in self._slot_order or [name for name, _, _ in self._slot_rows]
        ]
        grad = summed(grad) if isinstance(grad, IndexedSlices) else grad
        scalars = self._scalars()
        return apply_update(LEGACY[self._op_type], [var, *slots], scalars, grad, self._attrs)

    def _scalars(self) -> list[Any]:
        return [getattr(self, tensor) for _, tensor in self._numbers.values()]


def _fields(*names: str) -> dict[str, tuple[str, str]]:
    """Returns the default attribute names of hyperparameters and of their tensors."""
    return {name: (f"_{name}", f"_{name}_tensor") for name in names}


class GradientDescentOptimizer(_Row):
    """Gradient descent optimizer.

    Args:
        learning_rate: The learning rate.
        use_locking: Accepted and without effect.
        name: The name scope of the ops.
    """

    _op_type = "ApplyGradientDescent"
    _numbers = _fields("learning_rate")
    _learning_rate_tensor: Any

    def _apply(self, grad: Any, var: Any) -> Any:
        if not isinstance(grad, IndexedSlices):
            return super()._apply(grad, var)
        rate = API["cast"](self._learning_rate_tensor, var.dtype.base_dtype)
        return _unwrap_update_op(var.scatter_sub(IndexedSlices(grad.values * rate, grad.indices)))

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._set(learning_rate)


@documented_like(GradientDescentOptimizer)
class MomentumOptimizer(_Row):
    """Momentum optimizer.

    Args:
        momentum: The momentum.
        use_nesterov: If True, uses Nesterov momentum.
    """

    _op_type = "ApplyMomentum"
    _numbers = _fields("learning_rate", "momentum")

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._set(learning_rate, momentum)
        self._use_nesterov = use_nesterov
        self._slot_rows = [("momentum", name, 0.0)]

    @property
    def _attrs(self) -> dict[str, Any]:  # type: ignore[override]
        return {"use_nesterov": True} if self._use_nesterov else {}


@documented_like(GradientDescentOptimizer)
class AdagradOptimizer(_Row):
    """Adagrad optimizer: steps divided by the root of the sum of squared gradients.

    Args:
        initial_accumulator_value: The initial sum.
    """

    _op_type = "ApplyAdagrad"
    _numbers = _fields("learning_rate")

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._set(learning_rate)
        self._initial_accumulator_value = initial_accumulator_value
        self._slot_rows = [("accumulator", name, "_initial_accumulator_value")]


@documented_like(GradientDescentOptimizer)
class AdadeltaOptimizer(_Row):
    """Adadelta optimizer: steps scaled by moving averages of squared updates and squared gradients.

    Args:
        rho: The decay of the averages.
        epsilon: Added for numerical stability.
    """

    _op_type = "ApplyAdadelta"
    _numbers = {name: (f"_{name}", f"_{name}_t") for name in ("lr", "rho", "epsilon")}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._set(learning_rate, rho, epsilon)
        self._slot_rows = [("accum", name, 0.0), ("accum_update", name, 0.0)]


@documented_like(MomentumOptimizer)
class RMSPropOptimizer(_Row):
    """RMSProp optimizer: steps divided by the root of a moving average of squared gradients.

    Args:
        decay: The decay of the average.
        epsilon: Added for numerical stability.
        centered: If True, divides by the estimated standard deviation of the gradient.
    """

    _numbers = _fields("learning_rate", "decay", "momentum", "epsilon")

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._set(learning_rate, decay, momentum, epsilon)
        self._centered = centered

    @property
    def _op_type(self) -> str:
        return "ApplyCenteredRMSProp" if self._centered else "ApplyRMSProp"

    @property
    def _slot_rows(self) -> list[tuple[str, str, float | str]]:  # type: ignore[override]
        mean = [("mg", self._name, 0.0)] if self._centered else []
        return [("rms", self._name, 1.0), *mean, ("momentum", self._name, 0.0)]

    @property
    def _slot_order(self) -> list[str]:  # type: ignore[override]
        return ["mg", "rms", "momentum"] if self._centered else []


@documented_like(GradientDescentOptimizer)
class FtrlOptimizer(_Row):
    """FTRL (follow the regularized leader) optimizer.

    Args:
        learning_rate_power: The exponent of the sum of squared gradients; not positive.
        initial_accumulator_value: The initial sum of squared gradients.
        l1_regularization_strength: L1 regularization.
        l2_regularization_strength: L2 regularization.
        accum_name: The name of the sums of squared gradients; ``name`` if None.
        linear_name: The name of the linear terms; ``name`` with suffix ``_1`` if None.
        l2_shrinkage_regularization_strength: L2 regularization added to the gradient (shrinkage).
        beta: Added to the root of the sum of squared gradients, or None.

    Raises:
        ValueError: An argument has the wrong sign.
    """

    _numbers = {
        "learning_rate": ("_learning_rate", "_learning_rate_tensor"),
        "l1": ("_l1_regularization_strength", "_l1_regularization_strength_tensor"),
        "l2": (
            "_adjusted_l2_regularization_strength",
            "_adjusted_l2_regularization_strength_tensor",
        ),
        "l2_shrinkage": (
            "_l2_shrinkage_regularization_strength",
            "_l2_shrinkage_regularization_strength_tensor",
        ),
        "learning_rate_power": ("_learning_rate_power", "_learning_rate_power_tensor"),
    }

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: Any = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: Any = 0.0,
        beta: Any = None,
    ) -> None:
        super().__init__(use_locking, name)
        for label, value in {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }.items():
            if value < 0.0:
                raise ValueError(f"{label} {value:f} needs to be positive or zero")
        if learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power:f} needs to be negative or zero"
            )
        self._learning_rate, self._learning_rate_power = learning_rate, learning_rate_power
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self._beta = 0.0 if beta is None else beta
        self._initial_accumulator_value = initial_accumulator_value
        self._accum_name, self._linear_name = accum_name, linear_name
        for _, tensor in self._numbers.values():
            setattr(self, tensor, None)
        self._slot_rows = [
            ("accum", accum_name or name, "_initial_accumulator_value"),
            ("linear", linear_name or (name if accum_name else f"{name}_1"), 0.0),
        ]

    @property
    def _adjusted_l2_regularization_strength(self) -> Any:
        """L2 regularization, plus the equivalent of beta in the denominator."""
        if not self._beta:
            return self._l2_regularization_strength
        rate = self._learning_rate() if callable(self._learning_rate) else self._learning_rate
        return self._l2_regularization_strength + self._beta / (2.0 * rate)

    @property
    def _shrinks(self) -> bool:
        return bool(self._l2_shrinkage_regularization_strength > 0)

    @property
    def _op_type(self) -> str:
        return "ApplyFtrlV2" if self._shrinks else "ApplyFtrl"

    def _scalars(self) -> list[Any]:
        rate, l1, l2, shrinkage, power = super()._scalars()
        return [rate, l1, l2, shrinkage, power] if self._shrinks else [rate, l1, l2, power]


@documented_like(GradientDescentOptimizer)
class AdagradDAOptimizer(_Row):
    """Adagrad dual averaging optimizer.

    Args:
        global_step: The variable that counts steps.
        initial_gradient_squared_accumulator_value: The initial sum of squared gradients.
        l1_regularization_strength: L1 regularization.
        l2_regularization_strength: L2 regularization.
    """

    _op_type = "ApplyAdagradDA"
    _numbers = {
        "learning_rate": ("_learning_rate", "_learning_rate_tensor"),
        "l1": ("_l1_regularization_strength", "_l1_regularization_strength_tensor"),
        "l2": ("_l2_regularization_strength", "_l2_regularization_strength_tensor"),
    }

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError(
                "initial_gradient_squared_accumulator_value must be positive: "
                f"{initial_gradient_squared_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._set(learning_rate, l1_regularization_strength, l2_regularization_strength)
        self._global_step = global_step
        self._initial_gradient_squared_accumulator_value = (
            initial_gradient_squared_accumulator_value
        )
        self._slot_rows = [
            ("gradient_accumulator", name, 0.0),
            ("gradient_squared_accumulator", name, "_initial_gradient_squared_accumulator_value"),
        ]

    def _prepare(self) -> None:
        super()._prepare()
        self._global_step_on_worker = API["identity"](self._global_step) + 1

    def _scalars(self) -> list[Any]:
        return [*super()._scalars(), self._global_step_on_worker]


@documented_like(AdadeltaOptimizer)
class AdamOptimizer(_Row):
    """Adam optimizer.

    Args:
        beta1: The decay of the first moment.
        beta2: The decay of the second moment.
    """

    _op_type = "ApplyAdam"
    _numbers = {
        "learning_rate": ("_lr", "_lr_t"),
        "beta1": ("_beta1", "_beta1_t"),
        "beta2": ("_beta2", "_beta2_t"),
        "epsilon": ("_epsilon", "_epsilon_t"),
    }

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name)
        self._set(learning_rate, beta1, beta2, epsilon)
        self._slot_rows = [("m", name, 0.0), ("v", name, 0.0)]

    def _create_slots(self, var_list: list[Any]) -> None:
        for name in ("beta1", "beta2"):
            value = getattr(self, f"_{name}")
            self._other(f"{name}_power", value() if callable(value) else value, var_list)
        super()._create_slots(var_list)

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        """Returns the powers of both betas; called by user-defined subclasses."""
        others = self._others_here()
        return others.get("beta1_power"), others.get("beta2_power")

    def _scalars(self) -> list[Any]:
        return [*self._get_beta_accumulators(), *super()._scalars()]

    def _apply(self, grad: Any, var: Any) -> Any:
        if not isinstance(grad, IndexedSlices):
            return super()._apply(grad, var)
        return _sparse_adam(
            var, self.get_slot(var, "m"), self.get_slot(var, "v"), self._scalars(), grad
        )

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        scope = thread.scope
        beside = (
            nullcontext()
            if scope.graph is None
            else scope.graph.colocate_with(self._get_beta_accumulators()[0])
        )
        betas = [getattr(self, tensor) for tensor in ("_beta1_t", "_beta2_t")]
        with entered(scope.but(controls=(*scope.controls, *update_ops))), beside:
            done = [
                power.assign(power * beta)
                for power, beta in zip(self._get_beta_accumulators(), betas)
            ]
        return super()._finish([*update_ops, *done], name_scope)


def _unwrap_update_op(update: Any) -> Any:
    """Returns the op of an update; None in eager execution."""
    return None if thread.scope.graph is None else getattr(update, "op", update)


def _sparse_adam(var: Any, m: Any, v: Any, scalars: list[Any], grad: Any) -> Any:
    """Builds an Adam step with a sparse gradient: the moments of all rows decay."""
    power1, power2, lr, beta1, beta2, epsilon = (
        API["cast"](x, var.dtype.base_dtype) for x in scalars
    )
    rate = lr * API["sqrt"](1 - power2) / (1 - power1)
    grad = summed(grad)
    means = []
    for slot, beta, values in ((m, beta1, grad.values), (v, beta2, grad.values * grad.values)):
        with API["control_dependencies"]([slot.assign(slot * beta)]):
            means.append(slot.scatter_add(IndexedSlices(values * (1 - beta), grad.indices)))
    first, second = map(convert_to_tensor, means)
    step = var.assign_sub(rate * first / (API["sqrt"](second) + epsilon))
    return API["group"](step, first, second)


@documented_like(AdagradDAOptimizer)
class ProximalGradientDescentOptimizer(_Row):
    """Proximal gradient descent optimizer."""

    _op_type = "ApplyProximalGradientDescent"
    _numbers = _fields("learning_rate", "l1_regularization_strength", "l2_regularization_strength")

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._set(learning_rate, l1_regularization_strength, l2_regularization_strength)


@documented_like(FtrlOptimizer)
class ProximalAdagradOptimizer(_Row):
    """Proximal Adagrad optimizer.

    Raises:
        ValueError: The initial sum is not positive.
    """

    _op_type = "ApplyProximalAdagrad"
    _numbers = _fields("learning_rate", "l1_regularization_strength", "l2_regularization_strength")

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._set(learning_rate, l1_regularization_strength, l2_regularization_strength)
        self._initial_accumulator_value = initial_accumulator_value
        self._slot_rows = [("accumulator", name, "_initial_accumulator_value")]
