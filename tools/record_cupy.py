"""Records what CuPy has: its functions, their parameters, and the types of its ufuncs.

Run it with a Python that has CuPy; no GPU is needed:

    python tools/record_cupy.py tests/standin/cupy_names.json

The record of the installed version is put beside those of other versions. The tests' stand-in for CuPy
refuses what is in none of them, and a test compares what the kernels use with it.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from pathlib import Path
from typing import Any

import cupy

# Modules and classes whose public names are recorded.
PLACES = {"": cupy, "linalg.": cupy.linalg, "fft.": cupy.fft, "ndarray.": cupy.ndarray}
PLACES["lib.stride_tricks."] = cupy.lib.stride_tricks
# Methods of Python's protocols that NumPy's arrays have: whether CuPy's have them matters too.
PROTOCOLS = (
    "__index__",
    "__contains__",
    "__imatmul__",
    "__array__",
    "__array_ufunc__",
    "__len__",
    "__iter__",
)


def main(path: str) -> None:
    """Writes the record of the installed CuPy."""
    target = Path(path)
    found = json.loads(target.read_text()) if target.exists() else {}
    found[cupy.__version__.split(".")[0]] = {
        "version": cupy.__version__,
        "names": {
            place + name: described(getattr(owner, name))
            for place, owner in PLACES.items()
            for name in names(owner)
        },
    }
    lines = [f"{json.dumps(major)}: {lined(record)}" for major, record in sorted(found.items())]
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def lined(record: dict[str, Any]) -> str:
    """A record with one name in a line, so that changes can be read."""
    rows = ",\n".join(
        f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(record["names"].items())
    )
    return f'{{"version": {json.dumps(record["version"])}, "names": {{\n{rows}\n}}}}'


def names(owner: Any) -> list[str]:
    """The public names of a module or class."""
    public = [
        n for n in dir(owner) if not n.startswith("_") and not inspect.ismodule(getattr(owner, n))
    ]
    return public + [n for n in PROTOCOLS if owner is cupy.ndarray and hasattr(owner, n)]


def described(value: Any) -> Any:
    """The types of a ufunc, the parameters of a function, or what else it is."""
    if isinstance(value, cupy.ufunc):
        return {"ufunc": list(value.types)}
    if isinstance(value, type):
        return "class"
    return {"parameters": parameters(value)} if callable(value) else "value"


def parameters(function: Any) -> list[str] | None:
    """The names of a function's parameters; None where they are not told."""
    try:
        return [
            f"{'*' * p.kind.value * (p.kind.value in (2, 4))}{p.name}"[-40:]
            for p in inspect.signature(function).parameters.values()
        ]
    except (ValueError, TypeError):
        said = re.match(r"[\w.]+\((.*?)\)", (function.__doc__ or "").replace("\n", " "))
        if not said:
            return None
        return [
            re.split(r"[=:]", part.strip())[0].split()[-1]
            for part in said[1].split(",")
            if part.strip()
        ]


if __name__ == "__main__":
    main(sys.argv[1])
