"""Fork safety: consistent locks and state in child processes.

Other threads do not survive a fork. Locks that are held briefly are acquired before the fork, so
that no thread is inside their critical sections. Locks that may be held for long, such as that of a
function being traced, are replaced in the child.
"""

from __future__ import annotations

import importlib
import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")
# Timeout of a fork for writes and imports of other threads.
SECONDS = 10.0

_before: list[Callable[[], Any]] = []
_after: list[Callable[[], Any]] = []
_in_child: list[Callable[[], Any]] = []
_brief: list[Any] = []
_taken: list[Any] = []  # locks acquired by the forking thread; there is one such thread at a time


def around_forks(
    before: Callable[[], Any] | None = None,
    parent: Callable[[], Any] | None = None,
    child: Callable[[], Any] | None = None,
) -> None:
    """Registers callbacks around each fork of this process.

    ``before`` may be called several times, each time but the last followed by ``parent``.
    """
    for where, function in ((_before, before), (_after, parent), (_in_child, child)):
        if function is not None:
            where.append(function)


def brief_lock() -> Any:
    """Returns a reentrant lock for short critical sections; forks wait for it."""
    lock = threading.RLock()
    _brief.append(lock)
    return lock


class LongLock:
    """A reentrant lock that may be held for long.

    In a child process it is free unless the forking thread holds it.
    """

    __slots__ = ("__weakref__", "lock")

    def __init__(self) -> None:
        self.lock = threading.RLock()
        _long.add(self)

    def __enter__(self) -> None:
        self.lock.acquire()

    def __exit__(self, *exc: object) -> None:
        self.lock.release()


_long: weakref.WeakSet[LongLock] = weakref.WeakSet()


class cached_property(Generic[T]):
    """A property that is computed on first access and kept in the instance, without a lock.

    That of ``functools`` before Python 3.12 holds a lock that all instances share meanwhile, which
    stays locked in a child process. Threads that compute it at once get the first result.
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        self._function, self.__doc__ = function, function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> T:
        if instance is None:
            return self  # type: ignore[return-value]
        result: T = vars(instance).setdefault(self._name, self._function(instance))
        return result


def is_own(lock: Any) -> bool:
    """True if this thread holds a reentrant lock."""
    return bool(lock._is_owned())


def wait_until(done: Callable[[], bool]) -> bool:
    """Waits until a condition on other threads holds; False on a timeout of ``SECONDS``."""
    end = time.monotonic() + SECONDS
    while not done():
        if time.monotonic() > end:
            return False
        time.sleep(1e-4)
    return True


# ------------------------------------------------------------------ fork handlers


def _prepare() -> None:
    """Waits until no other thread is importing or inside a critical section of a brief lock."""
    end = time.monotonic() + SECONDS
    while True:
        wait_until(_is_free_of_imports)
        for function in _before:
            function()
        for lock in (
            locks := _brief[::-1]
        ):  # a module imported later may use the lock of an earlier one inside its own
            lock.acquire()
        _taken[:] = locks
        if _is_free_of_imports() or time.monotonic() > end:
            return
        _release()


def _release() -> None:
    _release_locks()
    for function in _after:
        function()


def _renew() -> None:
    for each in list(_long):
        if not is_own(each.lock):
            each.lock = threading.RLock()
    _release_locks()
    for function in _in_child:
        function()


def _release_locks() -> None:
    locks = _taken.copy()
    _taken.clear()
    for lock in locks:
        lock.release()


def _is_free_of_imports() -> bool:
    """True if no other thread is importing: its module lock would stay locked in the child."""
    locks = [lock() for lock in list(getattr(importlib._bootstrap, "_module_locks", {}).values())]
    return all(getattr(lock, "owner", None) in (None, threading.get_ident()) for lock in locks)


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_prepare, after_in_parent=_release, after_in_child=_renew)
