# Computed from the op table by tools/make_stubs.py.

from collections.abc import Iterator
from typing import Any

from twinflow._src.wings.summary.writer import SummaryWriter as SummaryWriter
from twinflow.summary import experimental as experimental

def audio(
    name: Any,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: Any = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Any:
    """Writes an audio summary to the default writer, as WAV files."""

def create_file_writer(
    logdir: Any,
    max_queue: Any = None,
    flush_millis: Any = None,
    filename_suffix: Any = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> SummaryWriter:
    """Creates a writer of an event file in a directory."""

def create_noop_writer() -> SummaryWriter:
    """Creates a writer that writes nothing."""

def flush(writer: Any = None, name: str | None = None) -> Any:
    """Writes the buffered summaries of a writer."""

def graph(graph_data: Any) -> Any:
    """Writes a graph to the default writer; only outside of graphs and functions."""

def histogram(
    name: Any, data: Any, step: Any = None, buckets: Any = None, description: str | None = None
) -> Any:
    """Writes a histogram summary to the default writer."""

def image(
    name: Any, data: Any, step: Any = None, max_outputs: Any = 3, description: str | None = None
) -> Any:
    """Writes an image summary to the default writer, as PNG files."""

def record_if(condition: Any) -> Iterator[None]:
    """Returns a context manager that turns recording of summaries on or off."""

def scalar(name: Any, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Writes a scalar summary to the default writer."""

def should_record_summaries() -> Any:
    """Returns True if summaries are recorded: there is a default writer, and recording is on."""

def text(name: Any, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Writes a text summary to the default writer."""

def trace_export(name: str, step: Any = None, profiler_outdir: Any = None) -> None:
    """Stops collecting graphs, and writes those collected to the default writer, and the profile."""

def trace_off() -> None:
    """Stops collecting graphs, without writing them, and the profiler, which writes its profile."""

def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: Any = None) -> None:
    """Starts to collect the graphs of functions, of each when it runs for the first time."""

def write(tag: str, tensor: Any, step: Any = None, metadata: Any = None, name: Any = None) -> Any:
    """Writes a tensor as a summary to the default writer."""
