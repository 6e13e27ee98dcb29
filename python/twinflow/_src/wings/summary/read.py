"""Reading of event files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from twinflow._src.core.protos import message
from twinflow._src.dispatch.op import export
from twinflow._src.io.records import tf_record_iterator


@export("compat.v1.train.summary_iterator")
def summary_iterator(path: Any) -> Iterator[Any]:
    """Returns an iterator of the events of an event file.

    Args:
        path: The path of the file.

    Returns:
        An iterator of ``Event`` messages.

    Raises:
        NotFoundError: There is no such file.
        DataLossError: The file is corrupted (raised while reading).
    """
    event = message("Event")
    return (event.FromString(record) for record in tf_record_iterator(path))
