"""Coordination of threads: ``tf.train.Coordinator`` and threads that repeat a call."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from twinflow._src.compat_v1.logging import info
from twinflow._src.core.errors import OutOfRangeError


class Coordinator:
    """A request to stop that threads share, with the exception that led to it.

    Args:
        clean_stop_exception_types: The exceptions that end a thread without being an error;
            OutOfRangeError if None.
    """

    __module__ = "twinflow.train"

    def __init__(self, clean_stop_exception_types: Any = None) -> None:
        self._clean_stop_exception_types = tuple(
            (OutOfRangeError,) if clean_stop_exception_types is None else clean_stop_exception_types
        )
        self._lock, self._stop_event = threading.Lock(), threading.Event()
        self._exc_info_to_raise: Any = None
        self._joined = False
        self._registered_threads: set[threading.Thread] = set()

    def request_stop(self, ex: Any = None) -> None:
        """Requests that the threads stop.

        Args:
            ex: The exception to raise in ``join``, or what ``sys.exc_info()`` returns.

        Raises:
            ValueError: ``ex`` is neither.
            Exception: ``ex``, if the threads were joined already.
        """
        with self._lock:
            error = self._read_exception(ex)
            if self._joined:
                if error is not None:
                    raise error
                return
            if self._stop_event.is_set():
                return
            if error is not None and self._exc_info_to_raise is None:
                info("Error reported to Coordinator: %s", error, exc_info=error)
                self._exc_info_to_raise = error
            self._stop_event.set()

    def _read_exception(self, ex: Any) -> BaseException | None:
        """Returns the exception that a caller reports; None for clean stops."""
        error = ex
        if isinstance(ex, tuple):
            if len(ex) != 3 or not isinstance(ex[1], BaseException):
                raise ValueError(f"ex_info must be a tuple of length 3, as of sys.exc_info(): {ex}")
            error = ex[1]
        if error is None or isinstance(error, self._clean_stop_exception_types):
            return None
        if not isinstance(error, BaseException):
            raise ValueError(f"ex must be an exception or the tuple of sys.exc_info(): {ex}")
        return error

    def clear_stop(self) -> None:
        """Withdraws the request to stop; ``should_stop`` returns False again."""
        with self._lock:
            self._joined, self._exc_info_to_raise = False, None
            self._stop_event.clear()

    def should_stop(self) -> bool:
        """True if a stop was requested."""
        return self._stop_event.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Returns a context manager that requests a stop for an exception of its block."""
        try:
            yield
        except BaseException:  # the request carries it to ``join``
            self.request_stop(sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits for a request to stop.

        Args:
            timeout: The longest time in seconds; None for no limit.

        Returns:
            True if a stop was requested.
        """
        return self._stop_event.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Registers a thread that ``join`` waits for.

        Args:
            thread: The thread.
        """
        with self._lock:
            self._registered_threads.add(thread)

    def join(
        self,
        threads: Sequence[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits until the threads have ended; after a request to stop only for a time.

        Args:
            threads: The threads, besides the registered ones.
            stop_grace_period_secs: The seconds to wait after a request to stop.
            ignore_live_threads: If True, threads that run on are no error.

        Raises:
            RuntimeError: A thread runs on.
            Exception: The exception passed to ``request_stop``.
        """
        with self._lock:
            waiting = self._registered_threads | set(threads or ())
        while any(thread.is_alive() for thread in waiting) and not self.wait_for_stop(1.0):
            pass
        end = time.monotonic() + stop_grace_period_secs
        for thread in waiting:
            thread.join(max(0.0, end - time.monotonic()))
        alive = [thread.name for thread in waiting if thread.is_alive()]
        with self._lock:
            self._joined = True
            self._registered_threads = set()
            if self._exc_info_to_raise is not None:
                raise self._exc_info_to_raise
            if not alive:
                return
            if not ignore_live_threads:
                raise RuntimeError(
                    f"Coordinator stopped with threads still running: {' '.join(alive)}"
                )
            info("Coordinator stopped with threads still running: %s", " ".join(alive))

    joined = property(lambda self: self._joined, doc="True after ``join``.")

    def raise_requested_exception(self) -> None:
        """Raises the exception passed to ``request_stop``, if any."""
        with self._lock:
            if self._exc_info_to_raise is not None:
                raise self._exc_info_to_raise


class LooperThread(threading.Thread):
    """A thread that repeats a call until its coordinator requests a stop.

    Args:
        coord: The ``Coordinator``.
        timer_interval_secs: The seconds between the starts of two calls; None for no pause.
        target: The function; subclasses may override ``run_loop`` instead.
        args: Its positional arguments.
        kwargs: Its named arguments.

    Raises:
        ValueError: ``coord`` is not a coordinator.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(
        self,
        coord: Any,
        timer_interval_secs: float | None,
        target: Callable[..., Any] | None = None,
        args: Any = None,
        kwargs: Any = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        super().__init__(daemon=True)
        self._coord, self._timer_interval_secs, self._call = coord, timer_interval_secs, target
        self._call_args, self._call_kwargs = args or (), kwargs or {}
        if target is None and (args or kwargs):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Any,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Any = None,
        kwargs: Any = None,
    ) -> LooperThread:
        """Starts a thread that repeats a call; see ``LooperThread``.

        Args:
            coord: The ``Coordinator``.
            timer_interval_secs: The seconds between the starts of two calls.
            target: The function.
            args: Its positional arguments.
            kwargs: Its named arguments.

        Returns:
            The thread.
        """
        looper = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        """Repeats the call until a stop is requested."""
        with self._coord.stop_on_exception():
            self.start_loop()
            following = time.time()
            if self._timer_interval_secs is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                while not self._coord.wait_for_stop(following - time.time()):
                    following += self._timer_interval_secs
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Does nothing; subclasses may override it to prepare the loop."""

    def stop_loop(self) -> None:
        """Does nothing; subclasses may override it to end the loop."""

    def run_loop(self) -> None:
        """Calls the function once."""
        if self._call is not None:
            self._call(*self._call_args, **self._call_kwargs)
