"""docs/performance.md and its picture, and README's table, from docs/performance.json.

    python -m tests.perf.page

``tests.perf.compare`` measures and writes the data; this writes what people read.
"""

from __future__ import annotations

import html
import json
import math
import pathlib
import re
from typing import Any

from . import memory
from .reasons import LIMITS, limit_of
from .timing import in_units

ROOT = pathlib.Path(__file__).parent.parent.parent
DATA, PAGE, PICTURE = (ROOT / "docs" / f"performance.{kind}" for kind in ("json", "md", "svg"))
README = ROOT / "README.md"
NEAR = 0.95  # ratios from here on are no difference

_HEAD = """# Performance

![Times of the other libraries, as multiples of twinflow's](performance.svg)

Medians of alternating calls, each library in a process of its own, in turns, of which the least median counts: {turns}. Written by
`make oracle-bench` on {machine}, {date}, from `performance.json`. NumPy is the bare work, in twinflow's process; the figures in
brackets are how many times longer a library takes than twinflow. "best" is the least of them, and "limit" what a row waits for where
another library, or bare NumPy, takes less than 0.95 of its time ([below](#limits)). TensorFlow's smallest rows differ much from run to
run (a + b: 12 to 150 us); training steps contain what they add up to.

`pip install 'twinflow[jit]'` adds llvmlite, with which `tf.function(jit_compile=True)` compiles chains, reductions and loops over tensors
of known shapes to native code ([ADR 0029](adr/0029-native-code.md)); without it such functions run as others do, which is what the rows
"jit_compile" then show. With it random numbers, arithmetic of float16, sums of rows at indices, running sums and products along rows, pooling,
resizing and colours of images are native loops as well, in every call, after the first 2^23 elements or two thousand calls of each; and exp, log, tanh, sigmoid, erf and their kin of
float32 have TensorFlow's digits at every size ([ADR 0008](adr/0008-rounding-of-elementary-functions.md)).

{versions}.

"""
_LIMITS = """
## Limits

| limit | |
| --- | --- |
{rows}
"""
_MEMORY = """
## Memory

What a program takes at its peak over what its process had before, in a process of its own: `tests/perf/memory.py`. Tensors
on tapes have 64 MB each.

"""


def best(row: dict[str, Any]) -> float | None:
    """Returns the least time of the others as a multiple of ours."""
    others = [time for name, time in row["seconds"].items() if name != "twinflow"]
    return min(others) / row["seconds"]["twinflow"] if others else None


def limit(row: dict[str, Any]) -> str:
    """Returns what a row waits for, with its part of the machine's best where that is known."""
    ratio = best(row)
    if ratio is None or ratio >= NEAR:
        return ""
    share = row.get("limit")
    part = f" ({share / row['seconds']['twinflow']:.0%})" if share else ""
    return f"{limit_of(row['what']) or '?'}{part}"


def _cell(row: dict[str, Any], name: str) -> str:
    time, ours = row["seconds"].get(name), row["seconds"]["twinflow"]
    return "" if time is None else f"{in_units(time)} ({time / ours:.2g}x)"


def page(data: dict[str, Any]) -> str:
    """Returns the page."""
    others = [name for name in data["libraries"] if name != "twinflow"]
    versions = ", ".join(f"{name} {number}" for name, number in data["versions"].items())
    lines = [
        _HEAD.format(**data | {"versions": versions})
        + f"| | twinflow | {' | '.join(others)} | best | limit |",
        "| --- |" + " ---: |" * (len(others) + 2) + " --- |",
    ]
    for row in data["rows"]:
        ratio = best(row)
        cells = [in_units(row["seconds"]["twinflow"]), *(_cell(row, name) for name in others)]
        cells += ["" if ratio is None else f"{ratio:.2g}x", limit(row)]
        lines.append(f"| {row['what']} | {' | '.join(cells)} |")
    used = {limit(row).partition(" (")[0] for row in data["rows"]}
    named = "\n".join(f"| {name} | {text} |" for name, text in LIMITS.items() if name in used)
    text = "\n".join(lines) + "\n" + _LIMITS.format(rows=named)
    return text + (_MEMORY + memory.table(data["memory"]) if data.get("memory") else "")


# ------------------------------------------------------------------ picture

_COLORS = {"NumPy": "#8a8a8a", "tensorflow": "#e8710a", "torch": "#c5221f", "jax": "#1a73e8"}
_LEFT, _WIDTH, _BAR, _GAP, _TOP = 270, 620, 3.2, 4, 74
_LOW, _HIGH = -2, 3  # powers of ten


def _x(ratio: float) -> float:
    exponent = min(max(math.log10(ratio), _LOW), _HIGH)
    return _LEFT + _WIDTH * (exponent - _LOW) / (_HIGH - _LOW)


def picture(data: dict[str, Any]) -> str:
    """Returns an SVG: for each row the times of the others over ours, on a log scale."""
    others = [name for name in data["libraries"] if name != "twinflow"]
    step = _BAR * len(others) + _GAP
    height = _TOP + step * len(data["rows"]) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 30}" height="{height:.0f}" '
        'font-family="sans-serif" font-size="9">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="10" y="20" font-size="14">Time of a library / time of twinflow, {data["date"]}: '
        "bars to the right are slower than twinflow</text>",
    ]
    for i, name in enumerate(others):
        parts.append(f'<rect x="{_LEFT + 110 * i}" y="32" width="10" height="10" ')
        parts[-1] += f'fill="{_COLORS.get(name, "black")}"/>'
        parts.append(f'<text x="{_LEFT + 14 + 110 * i}" y="41" font-size="11">{name}</text>')
    for power in range(_LOW, _HIGH + 1):
        x, strong = _x(10.0**power), "#202020" if not power else "#d0d0d0"
        parts.append(f'<path d="M{x:.1f} {_TOP - 8}V{height - 16:.1f}" stroke="{strong}"/>')
        parts.append(
            f'<text x="{x:.1f}" y="{_TOP - 12}" text-anchor="middle">{10.0**power:g}x</text>'
        )
    for i, row in enumerate(data["rows"]):
        top = _TOP + step * i
        parts.append(
            f'<text x="{_LEFT - 8}" y="{top + step / 2 + 1:.1f}" text-anchor="end">'
            f"{html.escape(row['what'])}</text>"
        )
        for j, name in enumerate(others):
            if name in row["seconds"]:
                ends = sorted((_x(1), _x(row["seconds"][name] / row["seconds"]["twinflow"])))
                parts.append(
                    f'<rect x="{ends[0]:.1f}" y="{top + _BAR * j:.1f}" width="{ends[1] - ends[0]:.1f}" '
                    f'height="{_BAR}" fill="{_COLORS.get(name, "black")}"/>'
                )
    return "\n".join(parts) + "\n</svg>\n"


# ------------------------------------------------------------------ README

# Lines of README's table by the rows that they are taken from.
_README = {
    "`import`, over NumPy's own": "import, over NumPy's",
    "`a + b`, two float32": "a + b",
    "variable + variable": "v + w",
    "`v.assign_add(a)`": "v.assign_add(a)",
    "`tf.Variable(a)`": "tf.Variable(a)",
    "`a + b`, ten million float32": "1e7: a + b",
    "`tf.exp(a)`, ten million float32": "1e7: tf.exp(a)",
    "a training step of a small network, with a tape": "training step, batch 32, eager",
    "the same in a `tf.function`": "training step, batch 32, traced",
}


def readme(text: str, data: dict[str, Any]) -> str:
    """Returns README with the times of its table replaced."""
    rows = {row["what"]: row["seconds"] for row in data["rows"]}
    for title, what in _README.items():
        times = rows.get(what, {})
        if {"twinflow", "tensorflow"} <= times.keys():
            line = f"| {title} | {in_units(times['twinflow'])} | {in_units(times['tensorflow'])} |"
            text = re.sub(
                rf"^\| {re.escape(title)} \|.*$", lambda _, line=line: line, text, flags=re.M
            )
    return text


def main() -> None:
    """Writes the page, the picture and README's table."""
    data = json.loads(DATA.read_text("utf-8"))
    PAGE.write_text(page(data), "utf-8")
    PICTURE.write_text(picture(data), "utf-8")
    README.write_text(readme(README.read_text("utf-8"), data), "utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}, {PICTURE.relative_to(ROOT)}, README.md")


if __name__ == "__main__":
    main()
