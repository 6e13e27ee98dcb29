"""Programs of libraries on ``python -m twinflow.run``, beside the results that TensorFlow printed.

``make test-clients`` runs them in the Python that ``CLIENTS_PYTHON`` names, by default the project's.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import twinflow
from tests.clients.record import PROGRAMS, RESULTS, requirements

PYTHON = os.environ.get("CLIENTS_PYTHON", sys.executable)
EXPECTED = json.loads(RESULTS.read_text("utf-8"))
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(twinflow.__file__).parents[1])}
# The largest relative difference: training amplifies that of one sum in another order.
TOLERANCE = 2e-5


def is_installed(package):
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({package!r}) is None)"
    return not subprocess.run([PYTHON, "-c", code], env=ENVIRONMENT, check=False).returncode


def assert_close(value, expected, where):
    if isinstance(expected, dict):
        assert value.keys() == expected.keys(), where
        for name, item in expected.items():
            assert_close(value[name], item, f"{where}, {name}")
    else:
        np.testing.assert_allclose(value, expected, TOLERANCE, TOLERANCE, err_msg=where)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_program_prints_tensorflows_numbers(program):
    missing = [package for package in requirements(program) if not is_installed(package)]
    if missing:
        pytest.skip(f"{', '.join(missing)} is not installed in {PYTHON}")
    command = [PYTHON, "-m", "twinflow.run", program]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert_close(json.loads(done.stdout.splitlines()[-1]), EXPECTED[program.stem], program.stem)


def test_each_program_is_recorded():
    assert {program.stem for program in PROGRAMS} == set(EXPECTED)
