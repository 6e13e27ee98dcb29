"""What ``experimental_enable_numpy_behavior`` adds to tensors: NumPy's attributes and methods."""

from __future__ import annotations

from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.wings.numpy_ops.registry import tnp

# The methods are the functions of those names.
_FUNCTIONS = ("transpose", "flatten", "ravel", "clip")
_RENAMED = {"max": "amax", "min": "amin", "mean": "mean", "__round__": "around"}


def _reshape(self: Any, *newshape: Any, **kwargs: Any) -> Any:
    """The tensor in another shape, given as one argument or as several."""
    order = kwargs.pop("order", "C")
    if kwargs:
        raise ValueError(f"Unsupported arguments: {kwargs.keys()}")
    one = len(newshape) == 1 and not isinstance(newshape[0], int)
    return tnp.reshape(self, newshape[0] if one else newshape, order=order)


def _tolist(self: Any) -> Any:
    """The elements as nested lists of Python numbers."""
    return self.numpy().tolist()


def _itself(self: Any) -> Any:
    """The tensor itself."""
    return self


def add_methods(cls: type) -> None:
    """Adds NumPy's attributes and methods to a class of tensors."""
    added = {
        "T": property(lambda self: self.transpose()),
        "ndim": property(lambda self: self.shape.rank),
        "size": property(lambda self: np.prod(self.shape.as_list())),
        "data": property(_itself),
        "__pos__": _itself,
        "tolist": _tolist,
        "reshape": _reshape,
        "astype": tf.cast,
        **{name: getattr(tnp, name) for name in _FUNCTIONS},
        **{name: getattr(tnp, other) for name, other in _RENAMED.items()},
    }
    for name, value in added.items():
        setattr(cls, name, value)
