"""Context managers that are decorators which libraries can unwrap."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from twinflow._src.wings.private_api.decorator import make_decorator


def contextmanager(target: Callable[..., Iterator[Any]]) -> Callable[..., Any]:
    """Decorator that makes a context manager of a generator function.

    Args:
        target: The generator function.
    """
    return make_decorator(target, contextlib.contextmanager(target), "contextmanager")
