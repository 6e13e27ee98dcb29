"""Computes ``python/twinflow/_src/api/api_index.txt``: which module defines which operations and public names."""

from __future__ import annotations

import importlib
import inspect
import pathlib
import re
import sys
from collections import defaultdict
from typing import Any

import twinflow
from twinflow._src.dispatch.op import API, OPS

PACKAGE = pathlib.Path(twinflow.__file__).parent
_DEFINES = re.compile(r"^@(op|export|named)\(|\bexport\(", re.MULTILINE)


def _module(value: Any) -> str:
    """Returns the module that defines a function or a class; public classes name their namespace instead."""
    if not inspect.isclass(value) or value.__module__.startswith("twinflow._src."):
        return value.__module__
    for part in vars(value).values():
        if inspect.isfunction(part) and part.__module__.startswith("twinflow._src."):
            return part.__module__
    modules = [(n, m) for n, m in sys.modules.items() if n.startswith("twinflow._src.")]
    line = re.compile(rf"^(class )?{value.__name__}\b", re.MULTILINE)
    return next(
        name
        for name, module in modules
        if vars(module).get(value.__name__) is value
        and line.search(pathlib.Path(module.__file__ or "").read_text("utf-8"))
    )


def text() -> str:
    """Returns what the file is to hold: a line for each module, with the types of its operations and its public names."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if _DEFINES.search(path.read_text("utf-8")):
            importlib.import_module(
                ".".join(("twinflow", *path.relative_to(PACKAGE).with_suffix("").parts))
            )
    found: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for column, defined in enumerate(({type: op.kernel for type, op in OPS.items()}, API)):
        for name, function in defined.items():
            found[_module(inspect.unwrap(function)).removeprefix("twinflow._src.")][column].append(
                name
            )
    lines = (
        " ".join((f"{module}:", *sorted(types), "|", *sorted(names)))
        for module, (types, names) in found.items()
    )
    return "".join(f"{line}\n" for line in sorted(lines))
