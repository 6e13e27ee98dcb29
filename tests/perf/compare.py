"""Measures twinflow beside TensorFlow, PyTorch and JAX, and writes docs/performance.json, .md and .svg.

    python -m tests.perf.compare tensorflow=/path/to/python torch=/path/to/python   # `make oracle-bench`

Each library is measured by the Python that has it, twinflow by this one, in turn and several times
over (``turns=3``); a row has the least of the medians of each library, and how many times longer the others take.
"""

from __future__ import annotations

import json
import os
import pathlib
import platform
import subprocess
import sys
from typing import Any

from . import memory, page
from .bench import ROOT

TURNS = 3


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


def rows(runs: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The rows of all libraries beside each other, and the least seconds that the machine needs."""
    ours = {row["what"]: row for row in runs["twinflow"][0]["rows"]}
    times = {"twinflow": fastest(runs["twinflow"], "seconds")}
    times["NumPy"] = fastest(runs["twinflow"], "bare")
    times |= {name: fastest(runs[name], "seconds") for name in runs if name != "twinflow"}
    return [
        {
            "what": what,
            "seconds": {name: found[what] for name, found in times.items() if what in found},
        }
        | ({"limit": row["limit"]} if row["limit"] else {})
        for what, row in ours.items()
    ]


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
    first = runs["twinflow"][0]
    data = {
        "turns": turns,
        "machine": f"{os.cpu_count()} cores of {processor()}",
        "date": first["date"],
        "libraries": ["twinflow", "NumPy", *given],
        "versions": {module: found[0][module] for module, found in runs.items()}
        | {"NumPy": first["numpy"], "Python": platform.python_version()},
        "rows": rows(runs),
        "memory": {
            module: memory.of_module(module, pythons[module])
            for module in ("twinflow", "tensorflow")
            if "tensorflow" in given  # programs are written in TensorFlow's words
        },
    }
    page.DATA.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    page.main()


if __name__ == "__main__":
    main()
