"""Options of all optimizers: clipping, weight decay, moving averages, gradient accumulation."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.dispatch.op import API
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.train.optimizers.formulas import AVERAGE, DECAY
from twinflow._src.variables.keras_variable import Variable


def plain(variable: Any) -> Any:
    """Returns the ``tf.Variable`` of either kind of variable; in a replica, the local copy."""
    variable = variable.value if isinstance(variable, Variable) else variable
    return variable if variable._values is None else variable._localized()


class Options:
    """Options of optimizers; see ``Optimizer``."""

    weight_decay: Any
    clipnorm: Any
    loss_scale_factor: Any
    clipvalue: Any
    global_clipnorm: Any
    use_ema: bool
    ema_momentum: float
    ema_overwrite_frequency: int | None
    gradient_accumulation_steps: int | None
    iterations: Any
    _iterations: Any
    learning_rate: Any
    _trainable_variables: list[Any]
    _accumulated_gradients: list[Any]
    _model_variables_moving_average: list[Any]
    built: bool
    _get_variable_index: Callable[[Any], int]
    _backend_update_step: Callable[..., None]

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


def added(x: Any, y: Any) -> Any:
    """Returns x + y as a dense tensor."""
    return API["add"](_dense(x), _dense(y))


def _dense(g: Any) -> Any:
    """Converts IndexedSlices to a dense tensor."""
    return convert_to_tensor(g) if isinstance(g, IndexedSlices) else g


def do_if(
    condition: Any, do: Callable[[], None], otherwise: Callable[[], None] = lambda: None
) -> None:
    """Calls one of two functions; in a graph, by ``tf.cond``."""
    if thread.scope.graph is None:
        (do if condition else otherwise)()
    else:
        API["cond"](condition, do, otherwise)


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
