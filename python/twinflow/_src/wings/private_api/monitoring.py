"""Metrics of a process that libraries set: counters and gauges by labels."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

T = TypeVar("T", bool, int, str)
_MAX_LABELS = 3


class Cell(Generic[T]):
    """The value of a metric for one choice of labels."""

    def __init__(self, value: T) -> None:
        self._value: T = value

    def set(self, value: T) -> None:
        """Sets the value.

        Args:
            value: The value.
        """
        self._value = type(self._value)(value)

    def value(self) -> T:
        """Returns the value."""
        return self._value


class CounterCell(Cell[int]):
    """The count of a counter for one choice of labels."""

    def increase_by(self, value: int) -> None:
        """Adds to the count.

        Args:
            value: The increment.
        """
        self._value += value


class Metric(Generic[T]):
    """A metric with a value for each choice of labels.

    Args:
        name: The name.
        description: A description.
        *labels: The names of the labels, at most three.

    Raises:
        ValueError: There are more labels.
    """

    _initial: Any
    _cell: type[Cell[Any]] = Cell

    def __init__(self, name: str, description: str, *labels: str) -> None:
        kind = type(self).__name__
        if len(labels) > _MAX_LABELS:
            raise ValueError(f"Cannot create {kind} metric with label >= {_MAX_LABELS}")
        self.name, self.description, self._labels = name, description, labels
        self._cells: dict[tuple[str, ...], Cell[T]] = {}

    def get_cell(self, *labels: str) -> Any:
        """Returns the cell of a choice of labels.

        Args:
            *labels: A value for each label.

        Raises:
            ValueError: The number of labels is another.
        """
        if len(labels) != len(self._labels):
            kind = type(self).__name__
            raise ValueError(f"The {kind} expects taking {len(self._labels)} labels")
        return self._cells.setdefault(labels, self._cell(self._initial))


class BoolGauge(Metric[bool]):
    """A metric whose values are booleans."""

    _initial = False


class IntGauge(Metric[int]):
    """A metric whose values are integers."""

    _initial = 0


class StringGauge(Metric[str]):
    """A metric whose values are strings."""

    _initial = ""


class Counter(Metric[int]):
    """A metric whose values grow."""

    _initial = 0
    _cell = CounterCell
