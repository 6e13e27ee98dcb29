"""Computes ``docs/coverage.md``: which of TensorFlow's public names twinflow has.

TensorFlow's names are those of ``docs/symbols.txt``, which ``tools/record_symbols.py`` records.
"""

from __future__ import annotations

import dataclasses
import pathlib
from collections import Counter, defaultdict
from typing import Any

import twinflow

SYMBOLS = pathlib.Path(__file__).resolve().parent.parent / "docs" / "symbols.txt"
THERE, OUT, MISSING = "there", "out of scope", "not there yet"
RAW = "raw_ops"

# What twinflow leaves to TensorFlow, by the beginning of a name after ``compat.v1``.
_LEFT = {
    "data.experimental.distributed_save": "snapshots that the data service writes",
    "experimental.dtensor": "tensors spread over several devices",
    "experimental.tensorrt": "export to an accelerator's runtime",
    "feature_column": "feature columns, which TensorFlow itself advises against",
    "image.decode_jxl": "JPEG XL, which no library on PyPI reads everywhere",
    "io.decode_jxl": "JPEG XL, which no library on PyPI reads everywhere",
    "keras": "Keras",
    "layers": "Keras",
    "lite": "export to TensorFlow Lite",
    "load_library": "kernels written in C++",
    "load_op_library": "kernels written in C++",
    "load_file_system_library": "kernels written in C++",
    "mlir": "compilers",
    "profiler": "TensorFlow's profiler",
    "quantization.experimental": "export of quantized models",
    "sysconfig": "kernels written in C++",
    "tpu": "TPUs",
    "user_ops": "kernels written in C++",
    "xla": "compilers",
}
# Parts of Keras under another name; those of compat.v1 are no part of it.
_KERAS = ("losses", "metrics")


@dataclasses.dataclass(frozen=True)
class Symbol:
    """A public name of TensorFlow.

    Attributes:
        name: The name, without ``tf.``.
        rank: Its place among the names that TensorFlow's guides use, 0 for the others.
        status: Whether twinflow has it.
        reason: Why it is out of scope, or "".
    """

    name: str
    rank: int
    status: str
    reason: str

    @property
    def namespace(self) -> str:
        """Returns where a table counts the name: ``math``, ``compat.v1``, or ``""``."""
        parts = self.name.split(".")
        if parts[0] == "compat" and len(parts) > 2:
            return "compat.v1"
        return parts[0] if len(parts) > 1 else ""


def symbols() -> list[Symbol]:
    """All of TensorFlow's names but those of ``tf.raw_ops``."""
    rows = [line.split() for line in SYMBOLS.read_text("utf-8").splitlines()]
    return [
        _symbol(row[0], int(row[2]) if len(row) == 3 else 0) for row in rows if not _is_raw(row[0])
    ]


def _symbol(name: str, rank: int) -> Symbol:
    if exists(name):
        return Symbol(name, rank, THERE, "")
    reason = left(name)
    return Symbol(name, rank, OUT if reason else MISSING, reason)


def _is_raw(name: str) -> bool:
    return name.startswith(f"{RAW}.")


def exists(name: str) -> bool:
    """True if twinflow has a name."""
    value: Any = twinflow
    for part in name.split("."):
        try:
            value = getattr(value, part)
        except AttributeError:
            return False
    return True


def left(name: str) -> str:
    """Why a name is out of scope; "" where it is not."""
    parts = name.removeprefix("compat.v1.").split(".")
    if name.startswith(_KERAS):
        return "Keras"
    beginnings = (".".join(parts[:length]) for length in range(1, len(parts) + 1))
    return next((_LEFT[beginning] for beginning in beginnings if beginning in _LEFT), "")


def page(notice: str) -> str:
    """The page.

    Args:
        notice: Its first line.
    """
    every = symbols()
    counts = Counter(symbol.status for symbol in every)
    raw = {
        line.split()[0].removeprefix(f"{RAW}.")
        for line in SYMBOLS.read_text("utf-8").splitlines()
        if _is_raw(line)
    }
    parts = [
        f"{notice}# Coverage",
        f"TensorFlow 2.21 has {len(every)} public names. Of these {counts[THERE]} are in twinflow, {counts[OUT]} are out\n"
        f"of scope, {counts[MISSING]} are not there yet. Of the {len(raw)} operations in `tf.raw_ops`\n"
        f"{len([name for name in raw if exists(f'{RAW}.{name}')])} are there; their [signatures](reference/raw_ops.md). A name that is\n"
        "missing raises `AttributeError`. What the functions do is in the [reference](reference/index.md), where they\n"
        "differ from TensorFlow's in [differences](differences.md). The names of `tf.compat.v2` are those of `tf`.",
        _ranked([symbol for symbol in every if symbol.rank]),
        _by_namespace(every),
        _by_reason([symbol for symbol in every if symbol.status == OUT]),
        _missing([symbol for symbol in every if symbol.status == MISSING]),
    ]
    return "\n\n".join(parts) + "\n"


def _ranked(found: list[Symbol]) -> str:
    counts = Counter(symbol.status for symbol in found)
    rows = ["| rank | name | status |", "| ---: | --- | --- |"]
    for symbol in sorted(found, key=lambda symbol: symbol.rank):
        status = f"{symbol.status}: {symbol.reason}" if symbol.reason else symbol.status
        rows.append(f"| {symbol.rank} | `tf.{symbol.name}` | {status} |")
    text = (
        f"Ordered by how often the guides on TensorFlow's site use them: {counts[THERE]} of {len(found)} are there,\n"
        f"{counts[OUT]} out of scope, {counts[MISSING]} not there yet."
    )
    return "\n\n".join(["## The names that guides use", text, "\n".join(rows)])


def _by_namespace(every: list[Symbol]) -> str:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for symbol in every:
        counts[symbol.namespace][symbol.status] += 1
    rows = [f"| namespace | {THERE} | {OUT} | {MISSING} |", "| --- | ---: | ---: | ---: |"]
    for namespace, count in sorted(counts.items()):
        title = f"tf.{namespace}" if namespace else "tf"
        rows.append(f"| `{title}` | {count[THERE]} | {count[OUT]} | {count[MISSING]} |")
    return "## By namespace\n\n" + "\n".join(rows)


def _by_reason(found: list[Symbol]) -> str:
    counts = Counter(symbol.reason for symbol in found)
    rows = ["| what | names |", "| --- | ---: |"]
    rows += [f"| {reason} | {count} |" for reason, count in sorted(counts.items())]
    return "## Out of scope\n\nThe same names of `tf.compat.v1` count with them.\n\n" + "\n".join(
        rows
    )


def _missing(found: list[Symbol]) -> str:
    names: dict[str, list[str]] = defaultdict(list)
    for symbol in found:
        path, _, last = symbol.name.rpartition(".")
        names[f"tf.{path}".removesuffix(".")].append(last)
    lines = [f"- `{path}`: {', '.join(sorted(last))}" for path, last in sorted(names.items())]
    return "## Not there yet\n\n" + "\n".join(lines)
