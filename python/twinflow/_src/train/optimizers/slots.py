"""The variables of optimizers: slots for the variables that they train."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.context import entered, thread
from twinflow._src.initializers.keras_registry import Initializer
from twinflow._src.train.naming import within
from twinflow._src.train.optimizers.options import plain
from twinflow._src.variables.keras_variable import Variable


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
            self._model_variables_moving_average = self.add_optimizer_variables(variables, "average")
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
