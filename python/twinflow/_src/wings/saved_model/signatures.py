"""Signatures: the functions of a SavedModel for serving, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from twinflow._src.trackable.trackable import Trackable


class SignatureMap(Mapping[str, Any], Trackable):
    """The signatures of a SavedModel: concrete functions by name."""

    def __init__(self) -> None:
        self._signatures: dict[str, Any] = {}

    def add(self, name: str, function: Any) -> None:
        """Adds a signature."""
        self._signatures[name] = function

    def __getitem__(self, key: str) -> Any:
        return self._signatures[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"_SignatureMap({self._signatures})"
