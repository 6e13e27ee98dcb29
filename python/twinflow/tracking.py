"""Objects that know what they hold: assigned lists, dictionaries and tuples are tracked, too."""

from __future__ import annotations

from typing import Any


class ListWrapper(list[Any]):
    """A list that an object holds."""

    def __repr__(self) -> str:
        return f"ListWrapper({super().__repr__()})"

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


class _DictWrapper(dict[Any, Any]):
    """A dictionary that an object holds."""

    def __repr__(self) -> str:
        return f"DictWrapper({super().__repr__()})"

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


class _TupleWrapper(tuple[Any, ...]):
    """A tuple that an object holds."""

    def __repr__(self) -> str:
        return f"_TupleWrapper({super().__repr__()})"

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (tuple(self),)


_WRAPPERS: dict[type, Any] = {list: ListWrapper, dict: _DictWrapper, tuple: _TupleWrapper}


def wrapped(value: Any) -> Any:
    """What an object holds for a value: plain containers, and those inside them, become tracked ones."""
    wrapper = _WRAPPERS.get(type(value))
    if wrapper is None:
        return value
    if wrapper is _DictWrapper:
        return _DictWrapper({key: wrapped(item) for key, item in value.items()})
    return wrapper(map(wrapped, value))


class AutoTrackable:
    """An object whose attributes are tracked: variables, other such objects, and containers of them."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, wrapped(value))
