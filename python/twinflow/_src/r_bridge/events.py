"""Event files as columns, for R's ``read_events()``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from twinflow._src.core.errors import DataLossError
from twinflow._src.graph_serialization.tensor_proto import make_ndarray
from twinflow._src.wings.summary.event_file import summary_iterator

_COLUMNS = ("run", "tag", "step", "wall_time", "value", "plugin")


def columns(path: str) -> dict[str, list[Any]]:
    """Returns the summaries below a directory, or in a file, as columns.

    A value is that of a scalar, NaN for other summaries. A file that ends within a record counts up
    to it.
    """
    rows = [row for run, file in _event_files(path) for row in _rows_of(run, file)]
    return dict(zip(_COLUMNS, map(list, zip(*rows)))) if rows else {}


def _event_files(path: str) -> Iterator[tuple[str, str]]:
    """Yields the event files of a path, each with its directory below the path."""
    if os.path.isfile(path):
        yield ".", path
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            if "tfevents" in name:
                yield os.path.relpath(folder, path), os.path.join(folder, name)


def _rows_of(run: str, file: str) -> Iterator[tuple[Any, ...]]:
    plugins: dict[str, str] = {}  # files of TensorFlow 1 name the plugin of a tag once
    events = summary_iterator(file)
    while True:
        try:
            event = next(events, None)
        except DataLossError:  # the file is being written
            return
        if event is None:
            return
        for value in event.summary.value:
            plugin = value.metadata.plugin_data.plugin_name or plugins.get(value.tag, "")
            plugins[value.tag] = plugin
            yield run, value.tag, event.step, event.wall_time, _scalar_of(value), plugin


def _scalar_of(value: Any) -> float:
    if value.HasField("simple_value"):
        return float(value.simple_value)
    if value.HasField("tensor"):
        array = make_ndarray(value.tensor)
        if not array.ndim and array.dtype.kind in "biuf":
            return float(array)
    return float("nan")
