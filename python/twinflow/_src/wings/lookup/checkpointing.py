"""The keys and values of a table as checkpoints save them."""

from __future__ import annotations

from typing import Any

import numpy as np


class Part:
    """The keys or the values of a table.

    Args:
        table: The table.
        place: 0 for keys, 1 for values.
        other: What has been restored of the other part, by place; both parts share it.
    """

    _saves = "table"

    def __init__(self, table: Any, place: int, other: dict[int, Any]) -> None:
        self._table, self._place, self._restored = table, place, other
        self._suffix = ("-keys", "-values")[place]

    @classmethod
    def of(cls, table: Any) -> tuple[Part, Part]:
        """Both parts of a table.

        Args:
            table: The table.
        """
        shared: dict[int, Any] = {}
        return cls(table, 0, shared), cls(table, 1, shared)

    def _saved_variable(self) -> None:
        return None

    def saved_array(self) -> tuple[Any, Any]:
        """The array that is saved, and its type."""
        array = self._table._store.export()[self._place]
        return array, (self._table.key_dtype, self._table.value_dtype)[self._place]

    def deserialize(self, array: Any) -> None:
        """Takes what a checkpoint holds; the table is changed when both parts are there.

        Args:
            array: The array.
        """
        self._restored[self._place] = np.asarray(array)
        if len(self._restored) == 2:
            self._table._store.replace(self._restored.pop(0), self._restored.pop(1))
