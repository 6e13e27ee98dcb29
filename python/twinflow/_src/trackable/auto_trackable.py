"""``AutoTrackable``: objects whose attributes are tracked for checkpoints."""

from __future__ import annotations

from typing import Any

from twinflow._src.trackable.containers import wrapped
from twinflow._src.trackable.trackable import CHILDREN, PRIVATE, Trackable

_ABSENT = object()


class AutoTrackable(Trackable):
    """An object that tracks its attributes: variables, trackable objects, containers of them."""

    def __setattr__(self, name: str, value: Any) -> None:
        if vars(self).get(name, _ABSENT) is value:
            return
        if not self._self_setattr_tracking:
            super().__setattr__(name, value)
            return
        value = wrapped(value)
        super().__setattr__(name, value)
        if isinstance(value, Trackable):
            self._track(name, value)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        vars(self).get(CHILDREN, {}).pop(name, None)

    def __getstate__(self) -> dict[str, Any]:
        """Returns the attributes, without private tracking state."""
        slots = [name for of in type(self).__mro__ for name in _slots(of) if hasattr(self, name)]
        state = {name: getattr(self, name) for name in slots}
        return state | {name: value for name, value in vars(self).items() if name not in PRIVATE}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            AutoTrackable.__setattr__(self, name, value)


def _slots(of: type) -> list[str]:
    names = vars(of).get("__slots__", ())
    names = (names,) if isinstance(names, str) else names
    return [name for name in names if name not in ("__dict__", "__weakref__")]
