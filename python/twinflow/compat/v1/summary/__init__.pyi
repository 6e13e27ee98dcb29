# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

from twinflow._src.wings.summary.v1 import FileWriter as FileWriter
from twinflow._src.wings.summary.v1 import FileWriterCache as FileWriterCache
from twinflow._src.wings.summary.writer import SummaryWriter as SummaryWriter
from twinflow.compat.v1 import Event as Event
from twinflow.compat.v1 import SessionLog as SessionLog
from twinflow.compat.v1 import Summary as Summary
from twinflow.compat.v1.summary import experimental as experimental
from twinflow.summary import create_file_writer as create_file_writer
from twinflow.summary import create_noop_writer as create_noop_writer
from twinflow.summary import flush as flush
from twinflow.summary import graph as graph
from twinflow.summary import record_if as record_if
from twinflow.summary import should_record_summaries as should_record_summaries
from twinflow.summary import trace_export as trace_export
from twinflow.summary import trace_off as trace_off
from twinflow.summary import trace_on as trace_on
from twinflow.summary import write as write

class SummaryDescription:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class TaggedRunMetadata:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

def all_v2_summary_ops() -> Any:
    """Returns the operations of the graph that write summaries of ``tf.summary``."""

def audio(
    name: Any,
    tensor: Any,
    sample_rate: Any,
    max_outputs: SupportsIndex = 3,
    collections: Any = None,
    family: str | None = None,
) -> Any:
    """Returns the summary of audio; see ``scalar``."""

def get_summary_description(node_def: Any) -> Any:
    """Returns the description of a ``TensorSummary`` operation."""

def histogram(name: Any, values: Any, collections: Any = None, family: str | None = None) -> Any:
    """Returns the summary of a histogram; see ``scalar``."""

def image(
    name: Any,
    tensor: Any,
    max_outputs: SupportsIndex = 3,
    collections: Any = None,
    family: str | None = None,
) -> Any:
    """Returns the summary of images; see ``scalar``."""

def initialize(graph: Any = None, session: Any = None) -> None:
    """Initializes the writers of ``tf.summary`` in a graph of TensorFlow 1."""

def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Any:
    """Returns the union of summaries."""

def merge_all(key: str = "summaries", scope: str | None = None, name: str | None = None) -> Any:
    """Returns the union of all summaries of the graph."""

def scalar(name: Any, tensor: Any, collections: Any = None, family: str | None = None) -> Any:
    """Returns the summary of a scalar."""

def tensor_summary(
    name: Any,
    tensor: Any,
    summary_description: str | None = None,
    collections: Any = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Any:
    """Returns the summary of a tensor."""

def text(name: Any, tensor: Any, collections: Any = None) -> Any:
    """Returns the summary of text; see ``scalar``."""
