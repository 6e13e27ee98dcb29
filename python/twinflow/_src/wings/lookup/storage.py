"""The in-memory hash map of a lookup table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from twinflow._src.core.dtypes import DType
from twinflow._src.core.errors import FailedPreconditionError, invalid


def plain(array: Any) -> list[Any]:
    """Returns the keys of an array as a list of Python values, usable as dictionary keys."""
    found: list[Any] = array.reshape(-1).tolist()
    return found


class Store:
    """A hash map from keys to values of one shape."""

    def __init__(
        self, key_dtype: DType, value_dtype: DType, value_shape: Sequence[int] = ()
    ) -> None:
        self.key_dtype, self.value_dtype, self.value_shape = (
            key_dtype,
            value_dtype,
            tuple(value_shape),
        )
        self._held: dict[Any, Any] = {}

    def __len__(self) -> int:
        return len(self._held)

    def _rows(self, keys: Any, values: Any) -> Iterable[tuple[Any, Any]]:
        """Pairs keys with their values; raises for incompatible shapes."""
        expected = keys.shape + self.value_shape
        if values.shape != expected:
            raise invalid(f"Expected shape {_text(expected)} for value, got {_text(values.shape)}")
        rows = values.reshape(-1, *self.value_shape)
        return zip(plain(keys), rows)

    def insert(self, keys: Any, values: Any) -> None:
        """Inserts keys, or replaces their values."""
        self._held.update(self._rows(keys, values))

    def insert_new(self, keys: Any, values: Any) -> None:
        """Inserts keys. Raises FailedPreconditionError if a key exists with another value."""
        for key, value in self._rows(keys, values):
            old = self._held.setdefault(key, value)
            if old is not value and old != value:
                raise FailedPreconditionError(
                    None,
                    None,
                    f"HashTable has different value for same key. Key {_format_value(key)} has {_format_value(old)} and trying to add "
                    f"value {_format_value(value)}",
                )

    def remove(self, keys: Any) -> None:
        """Removes keys; missing keys are ignored."""
        for key in plain(keys):
            self._held.pop(key, None)

    def find(self, keys: Any, default: Any) -> Any:
        """Looks up the values of keys.

        ``default`` is the value of missing keys, or one for each key.
        """
        wanted, held = plain(keys), self._held
        several = (
            default.shape != self.value_shape and default.shape == keys.shape + self.value_shape
        )
        if not several and default.shape != self.value_shape:
            raise invalid(
                f"Expected shape {_text(self.value_shape)} or {_text(keys.shape + self.value_shape)} "
                f"for default value, got {_text(default.shape)}"
            )
        others = default.reshape(-1, *self.value_shape) if several else [default[()]] * len(wanted)
        return self._array([held.get(key, other) for key, other in zip(wanted, others)], keys.shape)

    def _array(self, values: list[Any], shape: tuple[int, ...]) -> Any:
        found = np.empty((len(values), *self.value_shape), self.value_dtype.np)
        for place, value in enumerate(values):
            found[place] = value
        return found.reshape(shape + self.value_shape)

    def export(self) -> tuple[Any, Any]:
        """Returns all keys, and their values."""
        keys = np.empty(len(self._held), self.key_dtype.np)
        keys[:] = list(self._held)
        return keys, self._array(list(self._held.values()), (len(self._held),))

    def replace(self, keys: Any, values: Any) -> None:
        """Replaces the whole contents; see ``insert``."""
        self._held = dict(self._rows(keys, values))


def _text(shape: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, shape))}]"


def _format_value(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
