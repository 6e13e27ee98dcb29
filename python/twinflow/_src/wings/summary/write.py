"""``tf.summary.write`` and the functions that write messages, graphs and traces."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import int64, string
from twinflow._src.core.errors import DataLossError
from twinflow._src.core.protos import message, needed
from twinflow._src.dispatch.op import API, export
from twinflow._src.graph.graph import Graph
from twinflow._src.graph.static_values import array_of
from twinflow._src.graph_serialization.tensor_proto import content_proto
from twinflow._src.wings.summary.writer import (
    SUMMARIES,
    is_eager,
    run_or_add,
    should_record_summaries,
    step_number,
    step_of,
)


@export("summary.experimental.summary_scope")
@contextlib.contextmanager
def summary_scope(
    name: Any, default_name: str = "summary", values: Any = None
) -> Iterator[tuple[str, str]]:
    """Returns a context manager for a custom summary: a name scope that gives the tag.

    Args:
        name: The name of the summary.
        default_name: The name used if ``name`` is None or has no valid character.
        values: Accepted and without effect.

    Returns:
        A context manager of the tag, which has the name and those of the name scopes around, and
        of the name scope.
    """
    name = name or default_name
    scope = API["get_current_name_scope"]()
    tag = f"{scope}/{name}" if scope else name
    # A name scope has no other characters than these.
    valid = re.sub(r"[^A-Za-z0-9_.\-/]", "", name) or default_name
    valid = valid.lstrip("/") if not scope else valid
    with API["name_scope"](valid or default_name) as path:
        yield tag, path


@export("summary.write")
def write(tag: str, tensor: Any, step: Any = None, metadata: Any = None, name: Any = None) -> Any:
    """Writes a tensor as a summary to the default writer.

    Args:
        tag: The tag of the summary.
        tensor: A tensor, or a function that returns one, called only if the summary is recorded.
        step: An int64 scalar; the default step if None.
        metadata: A ``SummaryMetadata`` message or its bytes.
        name: A name for the operations.

    Returns:
        A boolean scalar: True if the summary was written.

    Raises:
        ValueError: There is a default writer, but no step.
    """
    data = metadata.SerializeToString() if hasattr(metadata, "SerializeToString") else metadata
    content = convert_to_tensor(b"" if data is None else data, dtype=string)
    metadata_bytes: bytes = array_of(content)[()]

    def run(number: Any, value: Any) -> None:
        summary = _summary_of(tag, value, metadata_bytes)
        _add(writer, step_number(number), summary=summary)

    writer = thread.summary_writer
    return _record("WriteSummary", run, tensor, step, name or "write_summary")


def _summary_of(tag: str, tensor: Any, metadata: bytes) -> Any:
    """Returns the ``Summary`` message of a tensor."""
    summary = message("Summary")()
    value = summary.value.add(tag=tag)
    value.tensor.CopyFrom(content_proto(tensor._host(), tensor.dtype))
    if metadata:
        value.metadata.SetInParent()
        with contextlib.suppress(_decode_error()):  # TensorFlow writes what it can parse
            value.metadata.MergeFromString(metadata)
    return summary


def _decode_error() -> type[Exception]:
    error: type[Exception] = needed("google.protobuf.message", "protobuf").DecodeError
    return error


def _add(writer: Any, step: int, **content: Any) -> None:
    writer._add(message("Event")(wall_time=time.time(), step=step, **content))


def _record(
    type: str, run: Callable[..., None], tensor: Any, step: Any, scope: str, dtype: Any = None
) -> Any:
    """Runs a function of the step and a tensor if summaries are recorded.

    Returns a boolean scalar, True if it was run.
    """
    with API["name_scope"](scope) as path:
        if thread.summary_writer is None:
            return constant(False)

        def record() -> Any:
            number = step_of(step)
            with API["device"]("cpu:0"):
                value = tensor() if callable(tensor) else API["identity"](tensor)
                inputs = [convert_to_tensor(number, dtype=int64), convert_to_tensor(value, dtype)]
                node = run_or_add(type, run, inputs, path)
                with API["control_dependencies"]([] if node is None else [node]):
                    return constant(True)

        result = _if_recorded(record)
        if not is_eager():
            thread.scope.graph.add_to_collection(SUMMARIES, result)
        return result


def _if_recorded(record: Callable[[], Any]) -> Any:
    condition = should_record_summaries()
    static = array_of(condition)
    if static is None:
        return API["cond"](condition, record, lambda: constant(False), name="summary_cond")
    return record() if static else constant(False)


@export("summary.experimental.write_raw_pb")
def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Any:
    """Writes serialized ``Summary`` messages to the default writer.

    Args:
        tensor: A string tensor of messages.
        step: An int64 scalar; the default step if None.
        name: A name for the operations.

    Returns:
        A boolean scalar: True if the messages were written.

    Raises:
        ValueError: There is a default writer, but no step.
        DataLossError: A string is no message.
    """

    def run(number: Any, value: Any) -> None:
        step_value = step_number(number)
        for index, data in enumerate(value._host().reshape(-1)):
            try:
                summary = message("Summary").FromString(data)
            except _decode_error():
                raise DataLossError(
                    None,
                    None,
                    f"Bad tf.compat.v1.Summary binary proto tensor string at index {index}",
                ) from None
            _add(writer, step_value, summary=summary)

    writer = thread.summary_writer
    return _record("WriteRawProtoSummary", run, tensor, step, name or "write_raw_pb", string)


@export("summary.graph")
def graph(graph_data: Any) -> Any:
    """Writes a graph to the default writer; only outside of graphs and functions.

    Args:
        graph_data: A ``tf.Graph`` or a ``tf.compat.v1.GraphDef``.

    Returns:
        A boolean scalar: True if the graph was written.

    Raises:
        ValueError: The argument is no graph, or the function is called in a graph.
    """
    if not is_eager():
        raise ValueError("graph() cannot be invoked inside a graph context.")
    if thread.summary_writer is None or not bool(should_record_summaries()):
        return constant(False)
    _add(thread.summary_writer, 0, graph_def=serialized_graph(graph_data))
    return constant(True)


def serialized_graph(graph_data: Any) -> bytes:
    """Returns the bytes of a graph or its definition.

    Raises ValueError for other values.
    """
    if isinstance(graph_data, Graph):
        data: bytes = graph_data.as_graph_def(add_shapes=True).SerializeToString()
        return data
    if getattr(getattr(graph_data, "DESCRIPTOR", None), "name", "") == "GraphDef":
        data = graph_data.SerializeToString()
        return data
    raise ValueError(
        "Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. "
        f"Received graph_data={graph_data} of type {type(graph_data).__name__}."
    )
