"""Computes ``python/twinflow/late_names.txt``: which module defines which operations and public names."""

from __future__ import annotations

import importlib
import inspect
import pathlib
import re
from collections import defaultdict

import twinflow
from twinflow.op import API, OPS

PACKAGE = pathlib.Path(twinflow.__file__).parent
_DEFINES = re.compile(r"^@(op|export|named)\(|\bexport\(", re.MULTILINE)


def text() -> str:
    """What the file is to hold: a line for each module, with the types of its operations and its public names."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if _DEFINES.search(path.read_text("utf-8")):
            importlib.import_module(".".join(("twinflow", *path.relative_to(PACKAGE).with_suffix("").parts)))
    found: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for column, defined in enumerate(({type: op.kernel for type, op in OPS.items()}, API)):
        for name, function in defined.items():
            found[inspect.unwrap(function).__module__.removeprefix("twinflow.")][column].append(name)
    lines = (" ".join((f"{module}:", *sorted(types), "|", *sorted(names))) for module, (types, names) in found.items())
    return "".join(f"{line}\n" for line in sorted(lines))
