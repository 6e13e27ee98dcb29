"""Measures operations against the bare NumPy calls beneath them, beside their budgets.

    python -m tests.perf.bench                      # `make bench`
    python -m tests.perf.bench --module tensorflow  # the same expressions in another module

A row compares an expression with what NumPy (for R: reticulate, R or NumPy) takes for the bare work.
Both are timed alternately in one process, many times over; times and ratios are medians. The rows
are also written to ``build/bench.json`` (for another module: ``build/bench-MODULE.json``).
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
import timeit
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from . import training

FOLDER = pathlib.Path(__file__).parent
ROOT = FOLDER.parent.parent
SAMPLE = 1e-3  # seconds in one sample of a small operation
ROUNDS = 101  # samples of each contestant; of the large operations LARGE_ROUNDS
LARGE_ROUNDS = 15


class Row(NamedTuple):
    """What was measured: seconds, and the budget as a ratio or in seconds."""

    what: str
    seconds: float
    bare: float | None = None
    ratio: float | None = None
    most: float | None = None
    most_seconds: float | None = None

    @property
    def verdict(self) -> str:
        """Whether the budget was kept; a dash where there is none."""
        if self.most is not None and self.ratio is not None:
            return "ok" if self.ratio <= self.most else "OVER"
        if self.most_seconds is not None:
            return "ok" if self.seconds <= self.most_seconds else "OVER"
        return "-"


# ------------------------------------------------------------------ timing


class Pair(NamedTuple):
    """An expression, the bare work beneath it, and the budget."""

    what: str
    ours: Callable[[], Any]
    bare: Callable[[], Any]
    most: float | None = None
    most_seconds: float | None = None


def calls_per_sample(function: Callable[[], Any]) -> int:
    """How often to call a function in one sample."""
    timer = timeit.Timer(function)
    number = 1
    while (took := timer.timeit(number)) < SAMPLE and number < 1_000_000:
        number = max(number * 2, int(number * SAMPLE / max(took, 1e-9)))
    return number


def measured(pairs: list[Pair], rounds: int) -> Iterator[Row]:
    """A row for each pair: medians over the rounds, and of the ratio round by round.

    Each round times every pair once, so that what else the machine does for a second or two falls on
    a few samples of each row and not on all samples of one.
    """
    timers = [[(timeit.Timer(f), calls_per_sample(f)) for f in (p.ours, p.bare)] for p in pairs]
    samples: list[list[list[float]]] = [[] for _ in pairs]
    for _ in range(rounds):
        for times, both in zip(samples, timers, strict=True):
            times.append([timer.timeit(n) / n for timer, n in both])
    for pair, times in zip(pairs, samples, strict=True):
        ours, bare = (statistics.median(t[i] for t in times) for i in (0, 1))
        ratio = statistics.median(a / b for a, b in times)
        yield Row(pair.what, ours, bare, ratio, pair.most, pair.most_seconds)


# ------------------------------------------------------------------ the rows

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
    return Row(f"import {module}, over NumPy's", ours, bare, ours / bare, most_seconds=0.15)


def small_pairs(tf: Any, np: Any) -> list[Pair]:
    """Operations on two numbers or little more: what a call costs."""
    x, y = np.array([1.5, 2.5], np.float32), np.array([0.5, 4.0], np.float32)
    out, one, pair = x.copy(), np.float32(1), [1.5, 2.5]
    a, b = tf.constant(x), tf.constant(y)
    v, w = tf.Variable(x), tf.Variable(y)
    m, n = np.ones((8, 8), np.float32), tf.constant(np.ones((8, 8), np.float32))
    return [
        Pair("a + b", lambda: a + b, lambda: x + y, most=4),
        Pair("tf.add(a, b)", lambda: tf.add(a, b), lambda: np.add(x, y), most=4),
        Pair("a + 1", lambda: a + 1, lambda: x + one, most=7),
        Pair("v + a", lambda: v + a, lambda: x + y, most=7),
        Pair("v + w", lambda: v + w, lambda: x + y, most=7),
        Pair("v.assign(a)", lambda: v.assign(a), lambda: np.copyto(out, x)),
        Pair("v.assign_add(a)", lambda: v.assign_add(a), lambda: np.add(out, x, out=out)),
        Pair("tf.Variable(a)", lambda: tf.Variable(a), lambda: x.copy(), most_seconds=12e-6),
        Pair("tf.constant(list)", lambda: tf.constant(pair), lambda: np.array(pair, "f4")),
        Pair("tf.matmul, 8 x 8", lambda: tf.matmul(n, n), lambda: np.matmul(m, m)),
        Pair("tf.reduce_sum, 8 x 8", lambda: tf.reduce_sum(n), lambda: np.sum(m)),
        Pair("a[0]", lambda: a[0], lambda: x[0]),
        Pair("a.numpy()", lambda: a.numpy(), lambda: x.copy()),
    ]


def large_pairs(tf: Any, np: Any) -> list[Pair]:
    """Operations on ten million float32: what the work costs."""
    x = np.linspace(0, 1, 10_000_000, dtype=np.float32)
    y = x[::-1].copy()
    a, b, v = tf.constant(x), tf.constant(y), tf.Variable(x)
    return [
        Pair("1e7: a + b", lambda: a + b, lambda: x + y),
        Pair("1e7: tf.exp(a)", lambda: tf.exp(a), lambda: np.exp(x)),
        Pair("1e7: tf.reduce_sum(a)", lambda: tf.reduce_sum(a), lambda: np.sum(x)),
        Pair("1e7: v.assign_add(a)", lambda: v.assign_add(a), lambda: np.add(y, x, out=y)),
    ]


def training_pairs(tf: Any, np: Any) -> list[Pair]:
    """Steps of training of a network of two layers: what all parts cost together."""
    return [
        Pair(
            f"training step, batch {batch}, {how}",
            training.step_of(tf, np, batch, how == "traced"),
            training.bare_step(np, batch),
        )
        for batch in (32, 4096)
        for how in ("eager", "traced")
    ]


def r_rows() -> Iterator[Row]:
    """The R side: a process of its own prints a line for each row."""
    command = ["Rscript", "--no-save", "--no-restore", str(FOLDER / "bench_border.R")]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    for line in done.stdout.splitlines():
        what, ours, bare, ratio, budget = line.split("\t")
        most = None if budget == "NA" else float(budget)
        yield Row(what, float(ours), float(bare), float(ratio), most)
    if done.returncode:
        print(f"R stopped with status {done.returncode}", file=sys.stderr)


# ------------------------------------------------------------------ the table


def in_units(seconds: float | None) -> str:
    """Seconds for people."""
    if seconds is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def line(row: Row) -> str:
    """A row of the table."""
    ratio = "-" if row.ratio is None else f"{row.ratio:.2f}x"
    budget = "-" if row.most is None else f"{row.most:g}x"
    if row.most_seconds is not None:
        budget = in_units(row.most_seconds)
    return (
        f"{row.what:38} {in_units(row.seconds):>9} {in_units(row.bare):>9} {ratio:>8} "
        f"{budget:>8}  {row.verdict}"
    )


def show(title: str, rows: Iterator[Row]) -> list[Row]:
    """Prints rows as they come."""
    print(f"\n{title:38} {'time':>9} {'bare':>9} {'ratio':>8} {'budget':>8}  verdict")
    shown = []
    for row in rows:
        print(line(row), flush=True)
        shown.append(row)
    return shown


def versions(module: str, tf: Any, np: Any) -> dict[str, str]:
    """What was measured, and on what."""
    return {
        module: str(tf.__version__),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "date": time.strftime("%Y-%m-%d"),
    }


def main() -> None:
    """Prints the table and writes it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--module", default="twinflow", help="the module to measure")
    parser.add_argument("--no-r", action="store_true", help="leave out the R side")
    options = parser.parse_args()
    module = options.module
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"  # the CPU is measured, on any machine
    import numpy as np

    rows = show("process", iter([import_row(module)]))
    tf = importlib.import_module(module)
    rows += show("call (bare: NumPy)", measured(small_pairs(tf, np), ROUNDS))
    rows += show("work (bare: NumPy)", measured(large_pairs(tf, np), LARGE_ROUNDS))
    rows += show("training (bare: NumPy)", measured(training_pairs(tf, np), LARGE_ROUNDS))
    if module == "twinflow" and not options.no_r and shutil.which("Rscript"):
        rows += show("R (bare: see bench_border.R)", r_rows())
    name = "bench.json" if module == "twinflow" else f"bench-{module}.json"
    found = {
        **versions(module, tf, np),
        "rows": [{**r._asdict(), "verdict": r.verdict} for r in rows],
    }
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build" / name).write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(f"\n{', '.join(f'{k} {v}' for k, v in versions(module, tf, np).items())}")
    print(f"written: build/{name}")


if __name__ == "__main__":
    main()
