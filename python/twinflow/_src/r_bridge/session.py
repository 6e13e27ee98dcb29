"""The Python side of the R frontend: one call here for each verb of R.

R values arrive as reticulate sends them: a scalar as a Python scalar, an array as a read-only
column-major view of R's own memory, a list as a list. What leaves is a tensor that owns row-major
memory, or something that reticulate turns into a plain R value. Everything is built on the public
functions of the core, so tapes, graphs and placement logs see R's calls like Python's.

Where a name is that a namespace does not have: R users bring code from several versions of TensorFlow.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

import twinflow
from twinflow._src.api.lazy_modules import NAMES
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API
from twinflow._src.variables.variable import Variable

# The Python side of the R frontend: one call here for each verb of R.


VARIABLES: Any = Variable


class RError(ValueError):
    """An error in R's words: R shows the message alone."""


class IntegerRangeError(RError):
    """A double beyond R's integers met an integer dtype: R warns, then stops."""


# -- what R lends to Python ------------------------------------------------------------------------


class Session:
    """The R functions that the border calls, and the bytes handed to R since R last collected."""

    limit = 192 * 2**20

    def __init__(self) -> None:
        self.collect: Callable[[], Any] | None = None
        self.warn: Callable[[str], Any] | None = None
        self.bytes = 0
        self.handles: weakref.WeakSet[Any] = weakref.WeakSet()

    def count_handle(self, handle: Any) -> None:
        """Counts the memory of a variable the first time that R sees it."""
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
    """Tells the border how to make R collect its garbage and how to warn an R user."""
    session.collect, session.warn = collect, warn


def handed(x: Any) -> None:
    """Counts the memory of a tensor that R now holds. R's collector sees only small handles."""
    if type(x) is EagerTensor:
        session.count(x._array.nbytes)
    elif isinstance(x, VARIABLES):
        session.count_handle(x._handle)


def given(x: Any) -> Any:
    """x itself, counted as handed to R."""
    if type(x) is EagerTensor:
        nbytes = x._array.nbytes
        if nbytes > 4096:
            session.count(nbytes)
    return x


def live_array(x: Any) -> np.ndarray:
    """The array of a tensor or variable: its own memory where the core lends it, never written."""
    value = x
    if isinstance(x, VARIABLES):
        value = x.read_value()
    array = value._array if type(value) is EagerTensor else None
    return array if isinstance(array, np.ndarray) else np.asarray(value.numpy())


def lent(x: Any) -> Any:
    """The array of a tensor or variable where it is: that of a GPU, or one of the host, never written."""
    value = x.read_value() if isinstance(x, VARIABLES) else x  # once: a log shows it
    array = getattr(value, "_array", None)
    return array if hasattr(array, "__cuda_array_interface__") else live_array(value)


# Where a name is that a namespace does not have: R users bring code from several versions of
# TensorFlow.


# Namespaces that repeat the names of others.
_REPEATED = ("compat.", "raw_ops.", "experimental.", "keras.")
_MOST = 3


def elsewhere(namespace: str, name: str) -> list[str]:
    """The public names that end like one that is missing.

    Args:
        namespace: The namespace that was asked, such as ``"train"``; empty for ``tf`` itself.
        name: What it does not have.

    Returns:
        Whole names without ``tf.``: at most three of today's, and TensorFlow 1's where there is one.
    """
    today = sorted(
        n
        for n in {*API.listed(), *NAMES}
        if n.rpartition(".")[2] == name and not n.startswith(_REPEATED)
    )
    old = ".".join(filter(None, ("compat", "v1", namespace, name)))
    return [*today[:_MOST], *([old] if _there(old) else [])]


def _there(path: str) -> bool:
    found: Any = twinflow
    for part in path.split("."):
        found = getattr(found, part, None)
    return found is not None
