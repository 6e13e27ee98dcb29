"""Session state of the R bridge: errors, memory accounting and name suggestions.

R values arrive as reticulate converts them: a scalar as a Python scalar, an array as a read-only
column-major view of R's memory, a list as a list. Results are tensors that own row-major memory, or
values that reticulate converts to plain R values. The bridge uses the public functions of the core,
so that tapes, graphs and placement logs treat R's calls like Python's.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

import twinflow
from twinflow._src.api.lazy_modules import NAMES
from twinflow._src.core import whole_numbers
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API
from twinflow._src.variables.variable import Variable

# Session state of the R bridge.


VARIABLES: Any = Variable
_SCALARS = (bool, int, float, complex, str, bytes)


class RError(ValueError):
    """An error with an R-style message; R shows the message alone."""


class IntegerRangeError(RError):
    """A double beyond R's integer range was cast to an integer dtype: R warns, then stops."""


# -- memory that is shared with R ------------------------------------------------------------------


class Session:
    """R callbacks of the bridge, and the bytes handed to R since its last garbage collection."""

    limit = 192 * 2**20

    def __init__(self) -> None:
        self.collect: Callable[[], Any] | None = None
        self.warn: Callable[[str], Any] | None = None
        self.bytes = 0
        self.handles: weakref.WeakSet[Any] = weakref.WeakSet()

    def count_handle(self, handle: Any) -> None:
        """Counts the memory of a variable when R first sees it."""
        if handle not in self.handles and handle.array is not None:
            self.handles.add(handle)
            self.count(handle.array.nbytes)

    def count(self, nbytes: int) -> None:
        self.bytes += nbytes
        if self.bytes > self.limit and self.collect is not None:
            self.bytes = 0
            self.collect()

    def warning(self, text: str) -> None:
        if self.warn is not None:
            self.warn(text)


session = Session()


def connect(collect: Callable[[], Any], warn: Callable[[str], Any]) -> None:
    """Registers R's garbage collector and warning function."""
    session.collect, session.warn = collect, warn
    whole_numbers.accept_from(is_called_from_r)


# Packages whose frames may lie between a function that R called and the place that asks.
_OWN = ("twinflow.", "contextlib", "functools", "concurrent.")
# Packages through which R calls, or Python calls R, which called.
_R = ("rpytools", "rpy2")


def is_called_from_r() -> bool:
    """True if R called the running function of twinflow, not Python code of a user's or a package's."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if not name.startswith(_OWN) and name != "twinflow":
            return name.startswith(_R)
        frame = frame.f_back
    return True


def handed(x: Any) -> None:
    """Counts the memory of the tensors in a value, as R's collector sees only small handles."""
    if type(x) is EagerTensor:
        session.count(x._array.nbytes)
    elif isinstance(x, VARIABLES):
        session.count_handle(x._handle)
    elif type(x) is dict:
        handed(list(x.values()))
    elif type(x) in (list, tuple) and not (x and isinstance(x[0], _SCALARS)):
        for item in x:
            handed(item)


def count_transfer(x: Any) -> Any:
    """Returns x, counted as handed to R."""
    if type(x) is EagerTensor:
        nbytes = x._array.nbytes
        if nbytes > 4096:
            session.count(nbytes)
    return x


def live_array(x: Any) -> np.ndarray:
    """Returns the array of a tensor or variable, without a copy if possible.

    It must not be written.
    """
    value = x
    if isinstance(x, VARIABLES):
        value = x.read_value()
    array = value._array if type(value) is EagerTensor else None
    return array if isinstance(array, np.ndarray) else np.asarray(value.numpy())


def get_device_array(x: Any) -> Any:
    """Returns the array of a tensor or variable on its device. It must not be written."""
    value = x.read_value() if isinstance(x, VARIABLES) else x  # read once: logged
    array = getattr(value, "_array", None)
    return array if hasattr(array, "__cuda_array_interface__") else live_array(value)


# Suggestions for names that a namespace lacks: R code may target other versions of TensorFlow.


# Namespaces that alias the names of others.
_REPEATED = ("compat.", "raw_ops.", "experimental.", "keras.")
_MOST = 3


def elsewhere(namespace: str, name: str) -> list[str]:
    """Returns public names that end like a missing one: at most three of TensorFlow 2 and one of 1."""
    today = sorted(
        n
        for n in {*API.listed(), *NAMES}
        if n.rpartition(".")[2] == name and not n.startswith(_REPEATED)
    )
    old = ".".join(filter(None, ("compat", "v1", namespace, name)))
    return [*today[:_MOST], *([old] if _there(old) else [])]


def _there(path: str) -> bool:
    value: Any = twinflow
    for part in path.split("."):
        value = getattr(value, part, None)
    return value is not None
