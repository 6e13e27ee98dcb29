"""The public names of checkpoints, and the modules that they are in; imported when one is first asked for."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any

# By namespace: the module and its names; a name in the module that differs follows a colon.
_TABLE: dict[str, dict[str, str]] = {
    "train": {
        "checkpoint.functions": "load_checkpoint load_variable list_variables latest_checkpoint "
        "get_checkpoint_state",
        "checkpoint.objects": "Checkpoint",
        "checkpoint.options": "CheckpointOptions",
        "checkpoint.manager": "CheckpointManager checkpoints_iterator",
        "checkpoint.views": "CheckpointView TrackableView",
    },
    "train.experimental": {"checkpoint.python_state": "PythonState"},
}


def _found(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"twinflow.{module}"), name)


def _entries() -> Iterator[tuple[str, Callable[[], Any]]]:
    for place, modules in _TABLE.items():
        for module, names in modules.items():
            for entry in names.split():
                name, _, own = entry.partition(":")
                yield f"{place}.{name}", functools.partial(_found, module, own or name)


NAMES = dict(_entries())
