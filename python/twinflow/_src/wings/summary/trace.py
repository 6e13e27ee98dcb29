"""Traces: the graphs of functions that run between ``trace_on`` and ``trace_export``."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import constant
from twinflow._src.core.context import runtime
from twinflow._src.core.dtypes import string
from twinflow._src.core.errors import UnavailableError
from twinflow._src.core.protos import message
from twinflow._src.core.scopes import get_logger
from twinflow._src.dispatch.op import API, export
from twinflow._src.wings.profiler import start as start_profile
from twinflow._src.wings.profiler import stop as stop_profile
from twinflow._src.wings.summary.plugins import metadata_of
from twinflow._src.wings.summary.write import summary_scope, write

_profiles = False  # True if trace_on has started the profiler


@export("summary.trace_on")
def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: Any = None) -> None:
    """Starts to collect the graphs of functions, of each when it runs for the first time.

    Args:
        graph: If True, collects graphs.
        profiler: If True, starts the profiler, too.
        profiler_outdir: The folder of the profile.
    """
    global _profiles
    if API["inside_function"]():
        get_logger().warning("Cannot enable trace inside a tf.function.")
        return
    if runtime.traced_graphs is not None or _profiles:
        get_logger().warning("Trace already enabled")
        return
    if graph:
        runtime.traced_graphs = []
    if profiler and profiler_outdir is None:
        get_logger().warning(
            "No `profiler_outdir` passed to trace_on(). Profiler won't be enabled."
        )
    elif profiler:
        start_profile(profiler_outdir)
        _profiles = True


@export("summary.trace_export")
def trace_export(name: str, step: Any = None, profiler_outdir: Any = None) -> None:
    """Stops collecting graphs, and writes those collected to the default writer, and the profile.

    Args:
        name: The name of the summary.
        step: An int64 scalar; the default step if None.
        profiler_outdir: Accepted; the profile is written where ``trace_on`` says.

    Raises:
        ValueError: Nothing is collected, or there is a default writer, but no step.
    """
    if API["inside_function"]():
        get_logger().warning("Cannot export trace inside a tf.function.")
        return
    if runtime.traced_graphs is None and not _profiles:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    data = message("RunMetadata")()
    for function_graph in runtime.traced_graphs or ():
        definition = _definition_of(function_graph)
        data.partition_graphs.add().CopyFrom(definition)
        graphs = data.function_graphs.add()
        graphs.partition_graphs.add().CopyFrom(definition)
        graphs.pre_optimization_graph.CopyFrom(definition)
        graphs.post_optimization_graph.CopyFrom(definition)
    kind = "graph_run_metadata" if _profiles else "graph_run_metadata_graph"
    with summary_scope(name, kind, [step]) as (tag, _):
        metadata = metadata_of(kind, None, b"1")
        write(tag, constant(data.SerializeToString(), dtype=string), step, metadata)
    trace_off()


def _definition_of(graph: Any) -> Any:
    """Returns a graph as the message class of this package."""
    return message("GraphDef").FromString(graph.as_graph_def(add_shapes=True).SerializeToString())


@export("summary.trace_off")
def trace_off() -> None:
    """Stops collecting graphs, without writing them, and the profiler, which writes its profile."""
    global _profiles
    runtime.traced_graphs = None
    if _profiles:
        _profiles = False
        try:
            stop_profile()
        except UnavailableError as error:
            get_logger().warning(f"Error while stopping profiler: {error.message}")
