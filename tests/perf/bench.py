"""Measures operations against the bare NumPy calls beneath them, beside their budgets.

    python -m tests.perf.bench                      # `make bench`
    python -m tests.perf.bench --module tensorflow  # the same expressions in another library

A row compares an expression with what NumPy (for R: reticulate, R or NumPy) takes for the bare work.
Both are timed alternately in one process, many times over; times and ratios are medians. "limit" is how many
times longer a row takes than the machine needs to copy as much memory, or to multiply as many numbers. The rows
are also written to ``build/bench.json`` (for another library: ``build/bench-LIBRARY.json``).
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from . import peers, rows
from .timing import Pair, Row, in_units, measured

FOLDER = pathlib.Path(__file__).parent
ROOT = FOLDER.parent.parent

IMPORT = """
import time
t0 = time.perf_counter()
import numpy
t1 = time.perf_counter()
import {module}
print(t1 - t0, time.perf_counter() - t1)
"""


def import_row(module: str) -> Row:
    """Import time over NumPy's own, in fresh processes; the bytecode is cached, as it is for users."""
    command = [sys.executable, "-c", IMPORT.format(module=module)]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    times = []
    for _ in range(12 if module == "twinflow" else 4):
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        times.append([float(seconds) for seconds in done.stdout.split()])
    bare, ours = (statistics.median(t[i] for t in times[1:]) for i in (0, 1))
    return Row("import, over NumPy's", ours, bare, ours / bare, most_seconds=0.15)


def groups_of(module: str, np: Any) -> Iterator[tuple[str, Callable[[], Iterator[Row]]]]:
    """The titles of groups of rows, and what measures each."""
    words = peers.PEERS[module](np) if module in peers.PEERS else importlib.import_module(module)
    for group in rows.GROUPS:
        if group.alone and module != "twinflow":
            continue
        pairs = group.pairs(words, np)
        if module in peers.PEERS:
            pairs = [
                pair._replace(ours=words.finished(pair.ours))
                for pair in pairs
                if pair.what not in words.lacks and _has_words(pair)
            ]
        yield (
            group.title,
            lambda pairs=pairs, group=group: measured(pairs, group.rounds, group.rest),
        )


def _has_words(pair: Pair) -> bool:
    """True if another library has all that a row asks for."""
    try:
        pair.ours()
    except (AttributeError, TypeError):
        return False
    return True


def r_rows() -> Iterator[Row]:
    """The R side: a process of its own prints a line for each row."""
    command = ["Rscript", "--no-save", "--no-restore", str(FOLDER / "bench_border.R")]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    for line in done.stdout.splitlines():
        what, ours, bare, ratio, budget, original = line.split("\t")
        most = None if budget == "NA" else float(budget)
        note = f"  (R package tensorflow: {original})" if original else ""
        yield Row(what, float(ours), float(bare), float(ratio), most, note=note)
    if done.returncode:
        print(f"R stopped with status {done.returncode}", file=sys.stderr)


# ------------------------------------------------------------------ the table


def line(row: Row) -> str:
    """A row of the table."""
    ratio = "-" if row.ratio is None else f"{row.ratio:.2f}x"
    budget = "-" if row.most is None else f"{row.most:g}x"
    if row.most_seconds is not None:
        budget = in_units(row.most_seconds)
    limit = "-" if row.limit is None else f"{row.seconds / row.limit:.2f}x"
    return (
        f"{row.what:38} {in_units(row.seconds):>9} {in_units(row.bare):>9} {ratio:>8} {limit:>8} "
        f"{budget:>8}  {row.verdict}{row.note}"
    )


def show(title: str, found: Iterator[Row]) -> list[Row]:
    """Prints rows as they come."""
    print(f"\n{title:38} {'time':>9} {'bare':>9} {'ratio':>8} {'limit':>8} {'budget':>8}  verdict")
    shown = []
    for row in found:
        print(line(row), flush=True)
        shown.append(row)
    return shown


def versions(module: str, np: Any) -> dict[str, str]:
    """The measurements and the machine that they were made on."""
    return {
        module: str(importlib.import_module(module).__version__),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "date": time.strftime("%Y-%m-%d"),
    }


def main() -> None:
    """Prints the table and writes it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--module", default="twinflow", help="the library to measure")
    parser.add_argument("--no-r", action="store_true", help="leave out the R side")
    options = parser.parse_args()
    module = options.module
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"  # the CPU is measured, on any machine
    import numpy as np

    found = show("process", iter([import_row(module)]))
    for title, measure in groups_of(module, np):
        found += show(f"{title} (bare: NumPy)", measure())
    if module == "twinflow" and not options.no_r and shutil.which("Rscript"):
        found += show("R (bare: see bench_border.R)", r_rows())
    name = "bench.json" if module == "twinflow" else f"bench-{module}.json"
    written = {
        **versions(module, np),
        "rows": [{**r._asdict(), "verdict": r.verdict} for r in found],
    }
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build" / name).write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    print(f"\n{', '.join(f'{k} {v}' for k, v in versions(module, np).items())}")
    print(f"written: build/{name}")


if __name__ == "__main__":
    main()
