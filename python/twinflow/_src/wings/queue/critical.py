"""``tf.CriticalSection``: mutual exclusion of functions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, ClassVar

from twinflow._src.core.context import runtime, thread
from twinflow._src.core.fork import LongLock
from twinflow._src.dispatch.op import API
from twinflow._src.trackable.trackable import Trackable


class CriticalSection(Trackable):
    """A critical section: executes functions one at a time across threads.

    Args:
        name: A name.
        shared_name: A name under which critical sections share the lock.
        critical_section_def: Accepted and without effect.
        import_scope: Accepted and without effect.
    """

    __module__ = "twinflow"

    _shared: ClassVar[dict[str, Any]] = {}

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: Any = None,
    ) -> None:
        self._signature = (shared_name or "", id(self), runtime.host.name)
        lock = (LongLock(), threading.local())
        lock = lock if shared_name is None else self._shared.setdefault(shared_name, lock)
        self._lock: Any = lock[0]
        self._local: Any = lock[1]
        self._base_name = name or "critical_section"

    @property
    def name(self) -> str:
        """The name in a graph.

        Raises:
            AttributeError: There is no current graph.
        """
        if thread.scope.graph is None:
            raise AttributeError("Tensor.op is undefined when eager execution is enabled.")
        return self._base_name

    def execute(
        self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None
    ) -> Any:
        """Executes a function while holding the lock of the critical section.

        Args:
            fn: The function, without arguments.
            exclusive_resource_access: Accepted and without effect; there is one lock per section.
            name: A name for the operations.

        Returns:
            The function's result.

        Raises:
            ValueError: The function executes in the same critical section again.
        """
        if getattr(self._local, "inside", False):
            raise ValueError(
                f"Attempting to lock a CriticalSection (signature={self._signature}) in which we are already running. This "
                "is illegal and may cause deadlocks."
            )
        if thread.scope.graph is not None:
            return self._run_inside(fn, name)
        with self._lock:
            return self._run_inside(fn, name)

    def _run_inside(self, fn: Callable[[], Any], name: str | None) -> Any:
        self._local.inside = True
        try:
            with API["name_scope"](name or self._base_name):
                return fn()
        finally:
            self._local.inside = False
