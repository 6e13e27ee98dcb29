"""Samples of every op: inputs, attributes, and what NumPy says the result is.

``SAMPLES`` maps an op's type to its samples. The samples of the ops in ``ops/<family>/<module>.py`` are in
``<family>/<module>.py`` here; ``_values.py`` and ``_sets.py`` have what they are made of, so that most entries
are one line.

A reference is called with the inputs (and the attributes) as arrays. For an op on a variable the
first input is the variable's value; the reference then gives the value afterwards.
"""

from __future__ import annotations

import importlib
import pkgutil

from ._values import Sample

__all__ = ["FAMILIES", "SAMPLES", "Sample"]

# The name of a module, as in ``arrays.joining``, to its samples.
FAMILIES: dict[str, dict[str, list[Sample]]] = {
    module.name.removeprefix(f"{__name__}."): importlib.import_module(module.name).SAMPLES
    for module in pkgutil.walk_packages(__path__, f"{__name__}.")
    if not module.ispkg and "._" not in module.name
}

SAMPLES: dict[str, list[Sample]] = {
    type: samples for family in FAMILIES.values() for type, samples in family.items()
}
