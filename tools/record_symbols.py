"""Records TensorFlow's public names into ``docs/symbols.txt`` (needs TensorFlow).

    python tools/record_symbols.py [RANKS.csv]

A line is a name without ``tf.``, a letter (f: function, c: class, v: value) and, where the name is among those
that TensorFlow's own guides use, its rank there. Ranks come from a table with the columns ``rank`` and
``symbol``; without one, those that were recorded before are kept.
"""

from __future__ import annotations

import csv
import pathlib
import sys
import types
from collections.abc import Iterator
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "symbols.txt"
_PACKAGES = (
    "tensorflow._api.",
    "tensorflow.experimental",
    "keras._tf_keras",
    "keras.api",
    "keras.src.api",
)


def names(module: types.ModuleType, path: str) -> Iterator[tuple[str, str]]:
    """The public names of a module and of those within it, each with its letter."""
    for name in sorted(dir(module)):
        full = f"{path}.{name}" if path else name
        if name.startswith("_"):
            continue
        try:
            value = getattr(module, name)
        except (AttributeError, ImportError):  # of a lazily loaded package
            continue
        if not isinstance(value, types.ModuleType):
            yield full, letter(value)
        elif getattr(value, "__name__", "").startswith(_PACKAGES) and not is_repeated(full):
            yield from names(value, full)


def is_repeated(path: str) -> bool:
    """True if a namespace only repeats others."""
    return path in ("compat.v2", "compat.v1.compat", "compat.v1.keras", "compat.v1.raw_ops")


def letter(value: Any) -> str:
    """Returns what a name means."""
    if isinstance(value, type):
        return "c"
    return "f" if callable(value) else "v"


def ranks(arguments: list[str]) -> dict[str, int]:
    """The ranks of names."""
    if arguments:
        with open(arguments[0], encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        return {row["symbol"].removeprefix("tf."): int(row["rank"]) for row in rows}
    lines = (
        [line.split() for line in TARGET.read_text("utf-8").splitlines()] if TARGET.exists() else []
    )
    return {parts[0]: int(parts[2]) for parts in lines if len(parts) == 3}


def main() -> None:
    """Writes the file."""
    import tensorflow as tf

    ranked = ranks(sys.argv[1:])
    found = dict(names(tf, ""))
    # Values such as __version__, which the walk leaves out, and names that a later version dropped.
    found |= {name: "v" for name in ranked if name not in found}
    lines = [
        f"{name} {kind} {ranked[name]}\n" if name in ranked else f"{name} {kind}\n"
        for name, kind in sorted(found.items())
    ]
    TARGET.write_text("".join(lines), "utf-8")
    print(f"{len(lines)} names written to {TARGET.relative_to(ROOT)}, {len(ranked)} of them ranked")


if __name__ == "__main__":
    main()
