"""The public names of optimizers, schedules, losses and metrics, and the modules that they are in.

Most programs do not train, so the modules are imported when a name of them is first asked for.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any

# By namespace: the module and its names; a name in the module that differs follows a colon.
_TABLE: dict[tuple[str, ...], dict[str, str]] = {
    ("optimizers", "keras.optimizers"): {
        "optimizer_base": "Optimizer",
        "optimizer_classes": "Adadelta Adagrad Ftrl Lion RMSprop SGD",
        "optimizer_adam": "Adam AdamW Adamax Nadam",
        "optimizer_lookup": "deserialize get serialize",
    },
    ("optimizers.schedules", "keras.optimizers.schedules"): {
        "schedule_base": "LearningRateSchedule serialize:described_schedule deserialize:revived",
        "schedule_classes": "ExponentialDecay InverseTimeDecay PiecewiseConstantDecay PolynomialDecay",
        "schedule_cosine": "CosineDecay CosineDecayRestarts",
    },
    ("keras",): {"keras_variable": "Variable", "optimizer_base": "Optimizer"},
}


def _found(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"{__package__}.{module}"), name)


def _entries() -> Iterator[tuple[str, Callable[[], Any]]]:
    for places, modules in _TABLE.items():
        for module, names in modules.items():
            for entry in names.split():
                name, _, own = entry.partition(":")
                for place in places:
                    yield f"{place}.{name}", functools.partial(_found, module, own or name)


NAMES = dict(_entries())
