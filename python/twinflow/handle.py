"""The storage of a variable: lend on read; on write, reuse the memory or bind a new array.

A read gives away the array itself: no copy and no lock. A write takes the lock, steals the array so
that nobody can borrow it meanwhile, and looks at its reference count: unshared memory is written in
place, shared memory is left to those who borrowed it. This is safe because an array that a variable
holds owns its memory (its ``base`` is None): every view, memoryview or DLPack capsule of it then
holds a reference to that very array.
"""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from . import errors
from .context import runtime
from .devices import Device
from .dtypes import DType

_counter = itertools.count()


class Handle:
    """The resource behind one or more variable objects.

    Attributes:
        array: The value; None while a thread writes, or where there is none.
        device: Where the value lives.
        dtype: The type of the elements.
        name: The variable's name, for messages.
        uid: A number that no other handle of the process has.
    """

    __slots__ = ("__weakref__", "array", "device", "dtype", "lock", "name", "uid")

    def __init__(self, array: Any, device: Device, dtype: DType, name: str) -> None:
        self.array, self.device, self.dtype, self.name = array, device, dtype, name
        self.lock = threading.Lock()
        self.uid = next(_counter)

    def __del__(self) -> None:
        if runtime is not None and runtime.log_placement:  # None while the interpreter shuts down
            runtime.log("DestroyResourceOp", self.device)

    def __repr__(self) -> str:
        return f'<ResourceHandle(name="{self.name}/{self.uid}", device="{self.device.name}")>'

    def lend(self) -> Any:
        """The array, to read from."""
        array = self.array
        if array is None:
            with self.lock:  # another thread is writing: it is there in a moment
                array = self.array
            if array is None:
                raise errors.FailedPreconditionError(
                    None,
                    None,
                    f"Could not find variable {self.name}. This could mean that the variable has been "
                    "deleted. In TF1, it can also mean the variable is uninitialized.",
                )
        return array

    def update(self, write: Callable[[Any, Any], Any]) -> None:
        """Replaces the value by what ``write`` makes of it.

        Args:
            write: Called with the present array and the array to write the result to, which is the
                same one where nobody else holds it, else a new one of its shape. Either way it gives
                back the array that holds the result. It must raise before it writes, if at all.
        """
        with self.lock:
            array, count = _steal(self)
            try:
                if count == _UNSHARED:
                    self.array = write(array, array)
                else:
                    self.array = write(array, self.device.xp.empty_like(array))
            except BaseException:
                self.array = array
                raise

    def bind(self, array: Any) -> None:
        """Makes ``array``, which must own its memory, the value."""
        with self.lock:
            self.array = array


def _steal(handle: Handle | _Probe) -> tuple[Any, int]:
    """Takes the array out of a handle; also gives the number of references that are left to it."""
    array = handle.array
    handle.array = None
    return array, _references(array)


_counts_are_exact = (
    sys.implementation.name == "cpython" and getattr(sys, "_is_gil_enabled", lambda: True)()
)


def _never(array: Any) -> int:
    return 0


_references = sys.getrefcount if _counts_are_exact else _never


class _Probe:
    array: Any = None


def _calibrated() -> int:
    """The count that ``_steal`` sees for an array that its handle alone holds, on this interpreter."""
    probe = _Probe()
    probe.array = np.zeros(1)
    return _steal(probe)[1]


_UNSHARED = _calibrated() if _counts_are_exact else -1
