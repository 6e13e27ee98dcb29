"""``tf.compat.v1.summary``: summaries as string tensors, their union, and writers of files."""

from __future__ import annotations

import contextlib
import re
import time
import warnings
from collections.abc import Iterator
from typing import Any

from twinflow._src.compat_v1.session.session import get_default_session
from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.protos import message
from twinflow._src.core.scopes import get_logger
from twinflow._src.dispatch.op import API, documented_like, export
from twinflow._src.graph.default_graph import get_default_graph
from twinflow._src.wings.summary import plugins, summary_ops
from twinflow._src.wings.summary.event_file import EventFile
from twinflow._src.wings.summary.write import serialized_graph
from twinflow._src.wings.summary.writer import SUMMARIES, WRITERS, is_eager

_KEY = "summaries"  # the collection of summaries


def _add_summary(
    op: Any, inputs: Any, options: tuple[str, Any, str | None], attrs: Any = None
) -> Any:
    """Adds a summary operation to its collections; ``options``: name, collections, family.

    ``inputs`` is a function of the tag.
    """
    name, collections, family = options
    clean = lambda x: re.sub(r"[^-/_A-Za-z0-9.]", "_", x).lstrip("/")
    base = clean(str(name))
    base = f"{clean(family)}/{base}" if family else base
    with API["name_scope"](base) as scope:
        path = scope.rstrip("/")
        tag = f"{clean(family)}/{path}" if family else path
        result = op(*inputs(tag), **(attrs or {}), name=scope)
        if not is_eager():
            for key in [_KEY] if collections is None else collections:
                thread.scope.graph.add_to_collection(key, result)
    return result


def _is_for_v2() -> bool:
    """True if a summary in eager code goes to the default writer of ``tf.summary``."""
    if not is_eager():
        return False
    if thread.summary_writer is None:
        warnings.warn(
            "Cannot activate TF2 compatibility support for TF1 summary ops: default summary "
            "writer not found.",
            stacklevel=4,
        )
        return False
    if thread.summary_step is None:
        warnings.warn(
            "Cannot activate TF2 compatibility support for TF1 summary ops: global step not set. "
            "To set step for summary writer, use `tf.summary.SummaryWriter.as_default(step=_)`, "
            "`tf.summary.experimental.set_step()` or `tf.compat.v1.train.create_global_step()`.",
            stacklevel=4,
        )
        return False
    return True


@export("compat.v1.summary.scalar")
def scalar(name: Any, tensor: Any, collections: Any = None, family: str | None = None) -> Any:
    """Returns the summary of a scalar.

    Args:
        name: The name of the operation, and the tag.
        tensor: A real scalar.
        collections: The graph's collections that get the summary; ``"summaries"`` if None.
        family: A prefix of the tag.

    Returns:
        A string scalar: a ``Summary`` message. In eager code, where there are a default writer and
        step of ``tf.summary``, it is written there, and the result is empty.
    """
    if _is_for_v2():
        plugins.scalar(name, tensor)
        return constant(b"")
    return _add_summary(
        summary_ops.scalar_summary, lambda tag: (tag, tensor), (name, collections, family)
    )


@export("compat.v1.summary.histogram")
def histogram(name: Any, values: Any, collections: Any = None, family: str | None = None) -> Any:
    """Returns the summary of a histogram; see ``scalar``.

    Args:
        name: The name of the operation, and the tag.
        values: Finite real numbers.
        collections: The graph's collections that get the summary; ``"summaries"`` if None.
        family: A prefix of the tag.

    Returns:
        A string scalar: a ``Summary`` message.
    """
    if _is_for_v2():
        plugins.histogram(name, values)
        return constant(b"")
    return _add_summary(
        summary_ops.histogram_summary, lambda tag: (tag, values), (name, collections, family)
    )


@export("compat.v1.summary.image")
@documented_like(histogram)
def image(
    name: Any,
    tensor: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Any:
    """Returns the summary of images; see ``scalar``.

    Args:
        tensor: Images of shape [images, height, width, channels], uint8 or floats, which are scaled.
        max_outputs: The number of images at most.
    """
    if _is_for_v2():
        plugins.image(name, tensor, max_outputs=max_outputs)
        return constant(b"")
    return _add_summary(
        summary_ops.image_summary,
        lambda tag: (tag, tensor),
        (name, collections, family),
        {"max_images": max_outputs},
    )


@export("compat.v1.summary.audio")
@documented_like(histogram)
def audio(
    name: Any,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Any:
    """Returns the summary of audio; see ``scalar``.

    Args:
        tensor: Clips of shape [clips, samples, channels] or [clips, samples].
        sample_rate: The number of samples per second, a float scalar.
        max_outputs: The number of clips at most.
    """
    if _is_for_v2():
        plugins.audio(name, tensor, API["cast"](sample_rate, "int32"), max_outputs=max_outputs)
        return constant(b"")
    return _add_summary(
        summary_ops.audio_summary,
        lambda tag: (tag, tensor, sample_rate),
        (name, collections, family),
        {"max_outputs": max_outputs},
    )


@export("compat.v1.summary.tensor_summary")
@documented_like(histogram)
def tensor_summary(
    name: Any,
    tensor: Any,
    summary_description: str | None = None,
    collections: Any = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Any:
    """Returns the summary of a tensor.

    Args:
        tensor: The tensor.
        summary_description: A description.
        summary_metadata: A ``SummaryMetadata`` message.
        display_name: The name that TensorBoard shows.
    """
    metadata = message("SummaryMetadata")()
    if summary_metadata is not None:
        metadata.MergeFromString(summary_metadata.SerializeToString())
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    data = metadata.SerializeToString()
    return _add_summary(
        summary_ops.tensor_summary, lambda tag: (tag, tensor, data), (name, collections, family)
    )


@export("compat.v1.summary.text")
@documented_like(histogram)
def text(name: Any, tensor: Any, collections: Any = None) -> Any:
    """Returns the summary of text; see ``scalar``.

    Args:
        tensor: A tensor of strings.

    Raises:
        ValueError: The tensor has another type.
    """
    if _is_for_v2():
        plugins.text(name, tensor)
        return constant(b"")
    if tensor.dtype != "string":
        raise ValueError(f"Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}")
    metadata = plugins.metadata_of("text", None)
    return tensor_summary(name, tensor, collections=collections, summary_metadata=metadata)


@export("compat.v1.summary.merge")
def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Any:
    """Returns the union of summaries.

    Args:
        inputs: A list of summaries.
        collections: The graph's collections that get the result.

    Returns:
        A string scalar: a ``Summary`` message.

    Raises:
        RuntimeError: The function is called in eager code.
    """
    _assert_graph_for_merge()
    with API["name_scope"](name or "Merge"):
        result = summary_ops.merge_summary([convert_to_tensor(x) for x in inputs])
        for key in collections or ():
            thread.scope.graph.add_to_collection(key, result)
    return result


def _assert_graph_for_merge() -> None:
    if is_eager():
        raise RuntimeError(
            "Merging tf.summary.* ops is not compatible with eager execution. Use "
            "tf.contrib.summary instead."
        )


@export("compat.v1.summary.merge_all")
@documented_like(merge)
def merge_all(key: str = _KEY, scope: str | None = None, name: str | None = None) -> Any:
    """Returns the union of all summaries of the graph.

    Args:
        key: The collection of the summaries.
        scope: A regular expression that the beginning of names matches.

    Returns:
        A string scalar, or None if there is no summary.
    """
    _assert_graph_for_merge()
    summaries = thread.scope.graph.get_collection(key, scope)
    return merge(summaries, name=name) if summaries else None


@export("compat.v1.summary.get_summary_description")
def get_summary_description(node_def: Any) -> Any:
    """Returns the description of a ``TensorSummary`` operation.

    Args:
        node_def: The operation's ``NodeDef``.

    Returns:
        A ``SummaryDescription`` message.

    Raises:
        ValueError: The operation is of another type.
    """
    if node_def.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    from google.protobuf import json_format

    description = message("SummaryDescription")()
    json_format.Parse(node_def.attr["description"].s.decode(), description)
    return description


@export("compat.v1.summary.all_v2_summary_ops")
def all_v2_summary_ops() -> Any:
    """Returns the operations of the graph that write summaries of ``tf.summary``.

    Returns:
        A list of tensors; None in eager code.
    """
    return None if is_eager() else thread.scope.graph.get_collection(SUMMARIES)


@export("compat.v1.summary.initialize")
def initialize(graph: Any = None, session: Any = None) -> None:
    """Initializes the writers of ``tf.summary`` in a graph of TensorFlow 1.

    Args:
        graph: A graph to write to the default writer.
        session: The session that runs the operations; the default session if None.

    Raises:
        RuntimeError: There is no default writer.
        ValueError: There is no session.
    """
    if is_eager():
        return
    if thread.summary_writer is None:
        raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
    session = session or get_default_session()
    if session is None:
        raise ValueError("Argument `session must be passed if no default session exists")
    session.run(thread.scope.graph.get_collection(WRITERS))
    if graph is not None:
        event = message("Event")(wall_time=time.time(), graph_def=serialized_graph(graph))
        thread.summary_writer._add(event)


# ------------------------------------------------------------------ writers


class FileWriter:
    """A writer of an event file; a context manager.

    Args:
        logdir: The directory; created if it does not exist.
        graph: A graph to write first.
        max_queue: The number of events that may wait.
        flush_secs: The time in seconds between flushes.
        graph_def: A definition of a graph to write first.
        filename_suffix: The end of the file's name.
        session: Accepted and without effect.

    Raises:
        RuntimeError: The class is called in eager code.
    """

    __module__ = "twinflow.compat.v1.summary"

    def __init__(
        self,
        logdir: Any,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        if is_eager():
            raise RuntimeError(
                "v1.summary.FileWriter is not compatible with eager execution. Use "
                "`tf.summary.create_file_writer`,or a `with v1.Graph().as_default():` context"
            )
        self._logdir = str(logdir)
        settings = max_queue, int(flush_secs * 1000), filename_suffix or ""
        self._open_file = lambda: EventFile(self._logdir, *settings, unique=False)
        self._file = self._open_file()
        self._described: set[str] = set()
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()

    def get_logdir(self) -> str:
        """Returns the directory."""
        return self._logdir

    def add_event(self, event: Any) -> None:
        """Writes an ``Event`` message; nothing if the writer is closed."""
        if self._file.is_closed:
            warnings.warn("Attempting to use a closed FileWriter.", stacklevel=2)
        else:
            self._file.add(event)

    def _add(self, global_step: Any, **content: Any) -> None:
        event = message("Event")(wall_time=time.time(), **content)
        if global_step is not None:
            event.step = int(global_step)
        self.add_event(event)

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Writes a ``Summary`` message or its bytes.

        The metadata of a tag is written once.
        """
        data = summary if isinstance(summary, bytes) else summary.SerializeToString()
        parsed = message("Summary").FromString(data)
        for value in parsed.value:
            if value.HasField("metadata"):
                if value.tag in self._described:
                    value.ClearField("metadata")
                else:
                    self._described.add(value.tag)
        self._add(global_step, summary=parsed)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Writes a graph, or the definition of one.

        Raises:
            ValueError: Both are given, or none.
        """
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        if graph is None and graph_def is None:
            raise TypeError(
                "The passed graph must be an instance of `Graph` or the deprecated `GraphDef`"
            )
        data = serialized_graph(graph if graph is not None else graph_def)
        self._add(global_step, graph_def=data)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Writes a ``MetaGraphDef`` message.

        Raises:
            TypeError: The argument has another type.
        """
        descriptor = getattr(meta_graph_def, "DESCRIPTOR", None)
        if getattr(descriptor, "name", "") != "MetaGraphDef":
            raise TypeError(
                f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}"
            )
        self._add(global_step, meta_graph_def=meta_graph_def.SerializeToString())

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Writes a ``SessionLog`` message."""
        log = message("SessionLog").FromString(session_log.SerializeToString())
        self._add(global_step, session_log=log)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Writes the metadata of a session's run.

        Raises:
            ValueError: The tag is in use.
        """
        if tag in self._described:
            raise ValueError("The provided tag was already used for this event type")
        self._described.add(tag)
        serialize = getattr(run_metadata, "SerializeToString", bytes)
        self._add(global_step, tagged_run_metadata={"tag": tag, "run_metadata": serialize()})

    def flush(self) -> None:
        """Writes the events that wait."""
        self._file.flush()

    def close(self) -> None:
        """Flushes and closes the file; ``reopen`` opens another one."""
        self._file.close()

    def reopen(self) -> None:
        """Opens a new file, if the writer is closed."""
        if self._file.is_closed:
            self._file = self._open_file()


@contextlib.contextmanager
def graph_may_be_missing() -> Iterator[None]:
    """Context in which a graph that cannot be written is a warning."""
    try:
        yield
    except NotImplementedError as error:
        get_logger().warning("The graph is not written. %s", error)


class FileWriterCache:
    """The writers by directory."""

    __module__ = "twinflow.compat.v1.summary"

    _cache: dict[str, FileWriter] = {}

    @staticmethod
    def clear() -> None:
        """Closes and drops all writers."""
        for writer in FileWriterCache._cache.values():
            writer.close()
        FileWriterCache._cache.clear()

    @staticmethod
    def get(logdir: str) -> FileWriter:
        """Returns the writer of a directory, created at the first call.

        Args:
            logdir: The directory.
        """
        if logdir not in FileWriterCache._cache:
            writer = FileWriterCache._cache[logdir] = FileWriter(logdir)
            with graph_may_be_missing():
                writer.add_graph(get_default_graph())
        return FileWriterCache._cache[logdir]


export("compat.v1.summary.FileWriter")(FileWriter)
export("compat.v1.summary.FileWriterCache")(FileWriterCache)
