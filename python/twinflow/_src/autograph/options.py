"""What programs say of loops that depend on tensors, and of what is rewritten."""

from __future__ import annotations

import enum
import threading
from collections.abc import Iterable
from typing import Any

from twinflow._src.composite_tensors.component_specs import composite_spec
from twinflow._src.control_flow.tensor_array import TensorArray
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import export


class Options:
    """What ``set_loop_options`` says of a loop.

    Args:
        expected: Whether it will say something.
    """

    def __init__(self, expected: bool = False) -> None:
        self.expected = expected
        self.given: list[tuple[Any, Any]] = []
        self.most: Any = None  # rounds

    def shape_of(self, tensor: Any) -> TensorShape:
        """The shape that a variable always has."""
        found = [TensorShape(shape) for value, shape in self.given if value is tensor]
        return found[0] if found else tensor.shape

    def shapes(self, flat: list[Any]) -> list[TensorShape] | None:
        """The shapes of all variables, or None where nothing was said."""
        if not self.given:
            return None
        return [
            TensorShape(()) if isinstance(x, TensorArray) else self._said_of(x) for x in flat
        ]

    def _said_of(self, value: Any) -> Any:
        """The shape that a variable always has; of one that holds several tensors what describes it."""
        found = [shape for given, shape in self.given if given is value]
        if composite_spec(value) is None:
            return self.shape_of(value)
        return found[0] if found else None


class collecting:
    """A block in which ``set_loop_options`` speaks of a loop."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def __enter__(self) -> None:
        _open.loops.append(self._options)

    def __exit__(self, *exc: Any) -> None:
        _open.loops.pop()


class _Open(threading.local):
    """The loops whose bodies the thread is at, the innermost last."""

    def __init__(self) -> None:
        self.loops: list[Options] = []


_open = _Open()


@export("autograph.experimental.set_loop_options")
def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Says something of the loop in whose body it stands.

    Args:
        parallel_iterations: Accepted and without effect.
        swap_memory: Accepted and without effect.
        maximum_iterations: The largest number of rounds, or None.
        shape_invariants: Pairs of a variable and the shape that it always has.
    """
    if _open.loops:
        options = _open.loops[-1]
        options.given = options.given or [(value, shape) for value, shape in shape_invariants or ()]
        options.most = maximum_iterations if options.most is None else options.most


@export("autograph.experimental.Feature")
class Feature(enum.Enum):
    """Parts of the rewriting of functions; all of them are always there, so that naming some has no effect."""

    __module__ = "twinflow.autograph.experimental"

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """Every feature."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: Feature | Iterable[Feature]) -> tuple[Feature, ...]:
        """Every feature but some.

        Args:
            exclude: One feature, or several.
        """
        left_out = (exclude,) if isinstance(exclude, Feature) else tuple(exclude)
        return tuple(feature for feature in cls if feature not in (cls.ALL, *left_out))
