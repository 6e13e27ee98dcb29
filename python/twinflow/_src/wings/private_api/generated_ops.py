"""Functions of TensorFlow's modules ``gen_*_ops``: ops by type, with positional arguments."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from twinflow._src.wings.raw_ops.functions import function


def positional(type: str) -> Callable[..., Any]:
    """Returns the function of ``tf.raw_ops`` of an op, for arguments by position or keyword.

    Args:
        type: The type of an op.
    """
    raw = function(type)
    signature = inspect.signature(raw)

    @functools.wraps(raw)
    def call(*args: Any, **kwargs: Any) -> Any:
        return raw(**signature.bind(*args, **kwargs).arguments)

    return call


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    call = positional("".join(word.capitalize() for word in name.split("_")))
    globals()[name] = call
    return call
