"""``tf.train.experimental.PythonState``: what checkpoints keep of a Python object, as text."""

from __future__ import annotations

import abc

from twinflow._src.trackable.trackable import Trackable


class PythonState(Trackable, abc.ABC):
    """The base of objects whose state is saved as a string. Ones of your own say how."""

    __module__ = "twinflow.train.experimental"

    _saves = "py_state"

    @abc.abstractmethod
    def serialize(self) -> str | bytes:
        """The state as a string."""

    @abc.abstractmethod
    def deserialize(self, string_value: bytes) -> None:
        """Takes over a state.

        Args:
            string_value: What ``serialize`` gave.
        """
