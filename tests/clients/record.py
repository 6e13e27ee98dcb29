"""Records what TensorFlow's programs print: ``TF_PYTHON -m tests.clients.record`` from the project's root."""

import importlib.util
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE / "programs").glob("*.py"))
RESULTS = HERE / "results.json"


def requirement(program):
    """Returns the package that a program needs."""
    lines = program.read_text("utf-8").splitlines()
    return next(line for line in lines if line.startswith("# needs: ")).removeprefix("# needs: ")


def record():
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
    for program in PROGRAMS:
        if importlib.util.find_spec(requirement(program)) is None:
            print(f"{program.stem}: {requirement(program)} is not installed, its results stay")
            continue
        done = subprocess.run(
            [sys.executable, program], capture_output=True, text=True, env=environment, check=True
        )
        results[program.stem] = json.loads(done.stdout.splitlines()[-1])
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    print(f"{RESULTS}: {len(results)} programs, Python {platform.python_version()}")


if __name__ == "__main__":
    record()
