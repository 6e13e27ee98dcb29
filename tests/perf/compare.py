"""Measures twinflow beside TensorFlow, PyTorch and JAX, and writes docs/performance.md.

    python -m tests.perf.compare tensorflow=/path/to/python torch=/path/to/python   # `make oracle-bench`

Each library is measured by the Python that has it, twinflow by this one, in turn and several times
over (``turns=2``); a row has the least of the medians of each library, and how many times longer the others take.
"""

from __future__ import annotations

import json
import os
import pathlib
import platform
import subprocess
import sys
from typing import Any

from . import memory
from .bench import ROOT
from .timing import in_units

TURNS = 2
PAGE = ROOT / "docs" / "performance.md"
HEAD = """# Performance

Medians of alternating calls, each library in a process of its own, one after the other; turns, of which the least median
counts: {turns}. Written by `make oracle-bench` on {machine}. NumPy is the bare work, in twinflow's process; the figures
in brackets are how many times longer a library takes than twinflow. TensorFlow's smallest rows differ much from run to run
(a + b: 12 to 150 us); training steps contain what they add up to.

`pip install 'twinflow[jit]'` adds llvmlite, with which `tf.function(jit_compile=True)` compiles chains, reductions and loops over tensors of
known shapes to native code ([ADR 0029](adr/0029-native-code.md)); without it such functions run as others do, which is what the rows
"jit_compile" then show.

{versions}.

"""

# Programs are written in TensorFlow's words.
MEMORY = """
## Memory

What a program takes at its peak over what its process had before, in a process of its own: `tests/perf/memory.py`. Tensors
on tapes have 64 MB each.

"""


def measure(module: str, python: str) -> dict[str, Any]:
    """One process: the rows of a library."""
    command = [python, "-m", "tests.perf.bench", "--module", module, "--no-r"]
    environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"}
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    name = "bench.json" if module == "twinflow" else f"bench-{module}.json"
    found: dict[str, Any] = json.loads((ROOT / "build" / name).read_text("utf-8"))
    return found


def fastest(runs: list[dict[str, Any]], column: str) -> dict[str, float]:
    """The least time of each row over several runs."""
    times: dict[str, float] = {}
    for run in runs:
        for row in run["rows"]:
            if row[column] is not None:
                times[row["what"]] = min(row[column], times.get(row["what"], float("inf")))
    return times


def table(runs: dict[str, list[dict[str, Any]]]) -> str:
    """The rows of all libraries beside each other, in Markdown."""
    ours = fastest(runs["twinflow"], "seconds")
    others = {"NumPy": fastest(runs["twinflow"], "bare")}
    others |= {
        module: fastest(found, "seconds") for module, found in runs.items() if module != "twinflow"
    }
    lines = [f"| | twinflow | {' | '.join(others)} |", "| --- |" + " ---: |" * (len(others) + 1)]
    for what, seconds in ours.items():
        cells = [beside(times.get(what), seconds) for times in others.values()]
        lines.append(f"| {what} | {in_units(seconds)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def beside(other: float | None, ours: float) -> str:
    """A cell: a time, and how many times ours it is."""
    return "" if other is None else f"{in_units(other)} ({other / ours:.2g}x)"


def processor() -> str:
    """The name of the processor."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:  # another system than Linux
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def main() -> None:
    """Measures, and writes the page."""
    given = {"turns": str(TURNS)} | dict(pair.split("=", 1) for pair in sys.argv[1:])
    turns = int(given.pop("turns"))
    pythons = {"twinflow": sys.executable} | given
    runs: dict[str, list[dict[str, Any]]] = {module: [] for module in pythons}
    for _ in range(turns):
        for module, python in pythons.items():
            runs[module].append(measure(module, python))
    versions = ", ".join(f"{m} {found[0][m]}" for m, found in runs.items())
    head = HEAD.format(
        turns=turns,
        machine=f"{os.cpu_count()} cores of {processor()}, {runs['twinflow'][0]['date']}",
        versions=f"{versions}, NumPy {runs['twinflow'][0]['numpy']}, Python {platform.python_version()}",
    )
    text = head + table(runs)
    if "tensorflow" in given:
        text += MEMORY + memory.table(
            {
                module: memory.of_module(module, pythons[module])
                for module in ("twinflow", "tensorflow")
            }
        )
    PAGE.write_text(text, "utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
