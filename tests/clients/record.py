"""Records what programs print on TensorFlow: ``TF_PYTHON -m tests.clients.record [program ...]`` from the project's root."""

import importlib.util
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE / "programs").glob("*.py"))
RESULTS = HERE / "results.json"


def requirements(program):
    """Returns the packages that a program needs."""
    lines = program.read_text("utf-8").splitlines()
    line = next(line for line in lines if line.startswith("# needs: "))
    return line.removeprefix("# needs: ").split()


def record(names):
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
    for program in PROGRAMS:
        if names and program.stem not in names:
            continue
        missing = [x for x in requirements(program) if importlib.util.find_spec(x) is None]
        if missing:
            print(f"{program.stem}: {', '.join(missing)} is not installed, its results stay")
            continue
        done = subprocess.run(
            [sys.executable, program], capture_output=True, text=True, env=environment, check=True
        )
        results[program.stem] = json.loads(done.stdout.splitlines()[-1])
    text = json.dumps(results, indent=1, sort_keys=True)
    on_one_line = lambda match: " ".join(match[0].split())
    RESULTS.write_text(re.sub(r"\[[^\[\]{}]*\]", on_one_line, text) + "\n")
    print(f"{RESULTS}: {len(results)} programs, Python {platform.python_version()}")


if __name__ == "__main__":
    record(sys.argv[1:])
