"""The flat form of a concrete function: tensors in, a list of tensors out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from twinflow._src.core import nest
from twinflow._src.dispatch.op import export

if TYPE_CHECKING:
    from twinflow._src.function.concrete_function import ConcreteFunction


@export("types.experimental.AtomicFunction")
class AtomicFunction:
    """A concrete function whose captured tensors are arguments like the others.

    Args:
        concrete: The concrete function.
    """

    __module__ = "twinflow.types.experimental"

    def __init__(self, concrete: ConcreteFunction) -> None:
        self._concrete = concrete

    @property
    def name(self) -> bytes:
        """The name of the function."""
        return self._concrete.name

    @property
    def graph(self) -> Any:
        """The graph of the body."""
        return self._concrete.graph

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._concrete.captured_inputs:
            raise ValueError(
                "The FunctionType defines captured inputs. Use call_with_captures instead."
            )
        return self._concrete(*args, **kwargs)

    def call_with_captures(self, args: Any, kwargs: Any, captures: Any) -> Any:
        """Calls the function.

        Args:
            args: The positional arguments.
            kwargs: The named arguments.
            captures: The captured tensors, those of the function.

        Returns:
            The structure that the Python function returns.

        Raises:
            ValueError: The captured tensors are others.
        """
        self._check_captures(captures)
        return self._concrete(*args, **kwargs)

    def call_flat(self, *args: Any) -> list[Any]:
        """Calls the function with the tensors of its arguments, then its captured tensors.

        Args:
            *args: The tensors.

        Returns:
            A flat list of results.

        Raises:
            ValueError: The captured tensors are others than those of the function.
        """
        count = len(args) - len(self._concrete.captured_inputs)
        self._check_captures(args[count:])
        return nest.flatten(self._concrete.run(list(args[:count])), expand_composites=True)

    def _check_captures(self, captures: Any) -> None:
        expected = self._concrete.captured_inputs
        if len(captures) != len(expected) or any(
            a is not b for a, b in zip(captures, expected, strict=True)
        ):
            raise ValueError("The captured tensors have to be those of the function.")
