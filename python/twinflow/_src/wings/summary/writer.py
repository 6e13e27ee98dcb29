"""Summary writers, the default writer and step of a thread, and the condition of recording."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from twinflow._src.control_flow.py_function import later
from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import bool_, int32, string
from twinflow._src.core.errors import NotFoundError, invalid
from twinflow._src.core.scopes import init_scope
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.dispatch.op import API, export
from twinflow._src.graph.ops import NO_OP
from twinflow._src.trackable.trackable import Trackable
from twinflow._src.wings.summary.event_file import EventFile

# Collections of graphs.
WRITERS, SUMMARIES = "_SUMMARY_WRITER_V2", "_SUMMARY_V2"


def is_eager() -> bool:
    """True if operations run at once."""
    return thread.scope.graph is None


def run_or_add(type: str, function: Callable[..., None], inputs: Any = (), name: Any = None) -> Any:
    """Calls a function of tensors for its effect; in a graph, adds and returns the operation."""
    if is_eager():
        function(*inputs)
        return None
    return later(type, function, inputs, name=name)


class SummaryWriter:
    """Base class of summary writers; see ``tf.summary.create_file_writer``."""

    __module__ = "twinflow.summary"

    def set_as_default(self, step: Any = None) -> None:
        """Makes this the default writer of the thread.

        Args:
            step: The default step from now on, if not None.
        """
        thread.summary_writer = self
        if step is not None:
            thread.summary_step = step

    def as_default(self, step: Any = None) -> contextlib.AbstractContextManager[Any]:
        """Returns a context manager in which this is the default writer; it flushes at the end.

        Args:
            step: The default step inside, if not None.
        """
        return self._while_default(step)

    @contextlib.contextmanager
    def _while_default(self, step: Any) -> Iterator[Any]:
        writer, outer_step = thread.summary_writer, thread.summary_step
        thread.summary_writer = self
        if step is not None:
            thread.summary_step = step
        try:
            yield self
            self.flush()
        finally:
            thread.summary_writer = writer
            if step is not None:
                thread.summary_step = outer_step

    def init(self) -> Any:
        """Initializes the writer."""
        raise NotImplementedError

    def flush(self) -> Any:
        """Writes buffered summaries."""
        raise NotImplementedError

    def close(self) -> Any:
        """Flushes and closes the writer."""
        raise NotImplementedError

    def _add(self, event: Any) -> None:
        """Writes an ``Event`` message."""
        raise NotImplementedError


class _FileWriter(SummaryWriter):
    """A writer of an event file, which a graph's operation creates."""

    def __init__(self, name: str, create: Callable[[], EventFile]) -> None:
        self._name, self._create = name, create
        self._file: EventFile | None = None
        self._closed = False
        self._init_op: Any = None

    def open(self) -> None:
        """Creates the event file, unless it is open."""
        if self._file is None or self._file.is_closed:
            self._file = self._create()
            weakref.finalize(self, self._file.close)

    def _assert_open(self) -> None:
        if self._closed:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")

    def set_as_default(self, step: Any = None) -> None:
        self._assert_open()
        super().set_as_default(step)

    def as_default(self, step: Any = None) -> contextlib.AbstractContextManager[Any]:
        self._assert_open()
        return super().as_default(step)

    def init(self) -> Any:
        self._assert_open()
        return self._init_op

    def flush(self) -> Any:
        if self._closed:
            return None
        return run_or_add("FlushSummaryWriter", self._flush)

    def _flush(self) -> None:
        self._existing_file().flush()

    def close(self) -> Any:
        if self._closed:
            return None
        result = run_or_add("CloseSummaryWriter", self._close)
        self._closed = True
        return result

    def _close(self) -> None:
        self._existing_file().close()

    def _existing_file(self) -> EventFile:
        if self._file is None or self._file.is_closed:
            raise NotFoundError(
                None,
                None,
                f"Resource localhost/{self._name}/N10tensorflow22SummaryWriterInterfaceE does not exist.",
            )
        return self._file

    def _add(self, event: Any) -> None:
        self._existing_file().add(event)


class _TrackableFileWriter(_FileWriter, Trackable):
    """A file writer that modules track."""


class _NoopWriter(SummaryWriter):
    """A writer that writes nothing and leaves the default writer as it is."""

    def set_as_default(self, step: Any = None) -> None:
        pass

    def as_default(self, step: Any = None) -> contextlib.AbstractContextManager[Any]:
        return contextlib.nullcontext()

    def init(self) -> None:
        pass

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


export("summary.SummaryWriter")(SummaryWriter)


# ------------------------------------------------------------------ creation

_MAX_QUEUE, _FLUSH_MILLIS = 10, 2 * 60 * 1000


@export("summary.create_file_writer")
def create_file_writer(
    logdir: Any,
    max_queue: Any = None,
    flush_millis: Any = None,
    filename_suffix: Any = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> SummaryWriter:
    """Creates a writer of an event file in a directory.

    In a ``tf.function`` the writer is created once, when the function is traced. In a graph of
    TensorFlow 1 the file is created by the operation that ``init`` returns.

    Args:
        logdir: The directory; created if it does not exist.
        max_queue: The number of summaries that may wait for a flush; 10 if None.
        flush_millis: The time in milliseconds between flushes; two minutes if None.
        filename_suffix: The end of the file's name; ``.v2`` if None.
        name: A name for the operations.
        experimental_trackable: If True, ``tf.Module`` and checkpoints track the writer.
        experimental_mesh: Accepted and without effect.

    Returns:
        A ``tf.summary.SummaryWriter``.

    Raises:
        ValueError: ``logdir`` is None, or an argument is a tensor of a function's graph.
        TypeError: An argument has another type.
    """
    is_within_function = API["inside_function"]()
    with API["name_scope"](name or "create_file_writer") as scope, init_scope():
        arguments = {
            "logdir": logdir,
            "max_queue": max_queue,
            "flush_millis": flush_millis,
            "filename_suffix": filename_suffix,
        }
        if is_eager():
            _check_arguments(is_within_function, arguments)
        elif logdir is None:
            raise ValueError("Argument `logdir` cannot be None")
        defaults = {
            "max_queue": _MAX_QUEUE,
            "flush_millis": _FLUSH_MILLIS,
            "filename_suffix": ".v2",
        }
        values = {k: defaults[k] if v is None else v for k, v in arguments.items()}
        dtypes = {"max_queue": int32, "flush_millis": int32}
        tensors = [convert_to_tensor(v, dtype=dtypes.get(k, string)) for k, v in values.items()]
        return _new_writer(scope, tensors, experimental_trackable)


def _check_arguments(is_within_function: bool, arguments: dict[str, Any]) -> None:
    for name, value in arguments.items():
        if isinstance(value, Tensor) and not isinstance(value, EagerTensor) and is_within_function:
            raise ValueError(
                f"Invalid graph Tensor argument '{name}={value}' to create_file_writer() inside an "
                "@tf.function. The create call will be lifted into the outer eager execution "
                "context, so it cannot consume graph tensors defined inside the function body."
            )
    if arguments["logdir"] is None:
        raise ValueError("Argument `logdir` cannot be None")


def _new_writer(scope: str, tensors: list[Any], is_trackable: bool) -> SummaryWriter:
    settings: list[Any] = []
    writer_type = _TrackableFileWriter if is_trackable else _FileWriter
    writer = writer_type(scope.rstrip("/"), lambda: EventFile(*settings))

    def create(*values: Any) -> None:
        arrays = [value._host() for value in values]
        for array, name in zip(arrays, ("logdir", "max_queue", "flush_millis", "filename_suffix")):
            if array.ndim:
                raise invalid(f"{name} must be a scalar")
        logdir, max_queue, flush_millis, suffix = (array[()] for array in arrays)
        settings[:] = logdir.decode(), int(max_queue), int(flush_millis), suffix.decode()
        writer.open()

    writer._init_op = run_or_add("CreateSummaryFileWriter", create, tensors)
    if not is_eager():
        thread.scope.graph.add_to_collection(WRITERS, writer._init_op)
    return writer


@export("summary.create_noop_writer")
def create_noop_writer() -> SummaryWriter:
    """Creates a writer that writes nothing.

    Returns:
        A ``tf.summary.SummaryWriter``.
    """
    return _NoopWriter()


@export("summary.flush")
def flush(writer: Any = None, name: str | None = None) -> Any:
    """Writes the buffered summaries of a writer.

    Args:
        writer: The writer; the default writer if None.
        name: Accepted and without effect.

    Returns:
        None, or the operation in a graph.

    Raises:
        ValueError: ``writer`` is no summary writer.
    """
    writer = thread.summary_writer if writer is None else writer
    if writer is None:
        return None if is_eager() else thread.scope.graph.add(NO_OP, (), {}, "NoOp")
    if isinstance(writer, SummaryWriter):
        return writer.flush()
    raise ValueError(f"Invalid argument to flush(): {writer!r}")


# ------------------------------------------------------------------ recording


@export("summary.record_if")
@contextlib.contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Returns a context manager that turns recording of summaries on or off.

    Args:
        condition: A boolean, a boolean scalar, or a function that returns one, called at each
            summary.

    Returns:
        A context manager.
    """
    outer = thread.summary_condition
    thread.summary_condition = condition
    try:
        yield
    finally:
        thread.summary_condition = outer


@export("summary.should_record_summaries")
def should_record_summaries() -> Any:
    """Returns True if summaries are recorded: there is a default writer, and recording is on.

    Returns:
        A boolean scalar.
    """
    if thread.summary_writer is None or (thread.replica is not None and thread.replica[1]):
        return constant(False)
    condition = thread.summary_condition
    condition = condition() if callable(condition) else condition
    return convert_to_tensor(True if condition is None else condition, dtype=bool_)


@export("summary.experimental.get_step")
def get_step() -> Any:
    """Returns the default step of the thread.

    Returns:
        The value that ``set_step`` was called with, or None.
    """
    return thread.summary_step


@export("summary.experimental.set_step")
def set_step(step: Any) -> None:
    """Sets the default step of the thread.

    Args:
        step: An integer, an int64 scalar or variable, or None. A function of ``tf.function`` keeps
            the value of its trace, unless it is a variable.
    """
    thread.summary_step = step


def step_of(step: Any) -> Any:
    """Returns a step as a tensor of int64; the default step for None.

    Raises ValueError if there is none.
    """
    step = thread.summary_step if step is None else step
    if step is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()"
        )
    return step


def step_number(tensor: Any) -> int:
    """Returns the value of a step.

    Raises InvalidArgumentError if it is no scalar.
    """
    array = np.asarray(tensor._host())
    if array.size != 1:
        raise invalid(f"step must be a scalar, but has shape {list(array.shape)}")
    return int(array.reshape(-1)[0])
