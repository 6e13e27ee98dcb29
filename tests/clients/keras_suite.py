"""Keras' own tests on twinflow: ``make test-keras KERAS=checkout``, and the table of their results.

The checkout is one of the Keras that ``CLIENTS_PYTHON`` has installed. With ``TF_PYTHON`` the tests run
on TensorFlow instead; what fails there is recorded, and does not count. ``FOLDERS`` limits the tests.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import twinflow

HERE = Path(__file__).parent
BASELINE, PAGE = HERE / "keras_baseline.json", HERE.parents[1] / "docs" / "clients.md"
BEGIN, END = "<!-- keras: computed by make test-keras -->", "<!-- end of keras -->"
FOLDERS = (
    "activations initializers regularizers constraints losses metrics optimizers random "
    "dtype_policies quantizers tree layers/core layers/activations layers/convolutional "
    "layers/normalization layers/pooling layers/rnn layers/attention layers/regularization "
    "layers/reshaping layers/merging layers/preprocessing models trainers saving callbacks "
    "layers/layer_test.py ops ops/numpy_test.py utils backend/common backend/tensorflow "
    "backend/tests export applications/imagenet_utils_test.py datasets distillation distribution "
    "legacy testing wrappers"
)
# Folders whose largest file has its own row.
EXCEPT = {"ops": ["numpy_test.py"]}


def outcomes(python, checkout, folder, on_twinflow):
    """Returns the names of the tests of a folder that passed, and of those that failed."""
    environment = {**os.environ, "KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment |= {"TF_ENABLE_ONEDNN_OPTS": "0", "CUDA_VISIBLE_DEVICES": ""}
    if on_twinflow:
        environment["PYTHONPATH"] = str(Path(twinflow.__file__).parents[1])
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.xml"
        options = [
            "-q",
            "-p",
            "no:cacheprovider",
            "--continue-on-collection-errors",
            f"--junitxml={report}",
            f"keras/src/{folder}",
            *(f"--ignore=keras/src/{folder}/{name}" for name in EXCEPT.get(folder, ())),
        ]
        command = [python, "-m", *(["twinflow.run", "-m"] if on_twinflow else []), "pytest"]
        log = Path(scratch) / "log"
        with log.open("w") as output:
            subprocess.run(
                [*command, *options], cwd=checkout, env=environment, check=False,
                stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip
        if not report.exists():
            sys.exit(f"{folder}: pytest did not finish\n{log.read_text()[-3000:]}")
        return results(report)


def results(report):
    """Returns the names of the tests in a report of pytest that passed, and of those that failed."""
    passed, failed = set(), set()
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname', '').removeprefix('keras.src.')}.{case.get('name')}"
        kinds = {child.tag for child in case}
        if kinds & {"failure", "error"}:
            failed.add(name)
        elif "skipped" not in kinds:
            passed.add(name)
    return passed, failed - passed


def record(checkout, folders):
    """Records the tests that fail on TensorFlow."""
    baseline = json.loads(BASELINE.read_text("utf-8")) if BASELINE.exists() else {}
    for folder in folders:
        passed, failed = outcomes(os.environ["TF_PYTHON"], checkout, folder, on_twinflow=False)
        baseline[folder] = {"passed": len(passed), "failed": sorted(failed)}
        print(f"{folder}: {len(passed)} passed, {len(failed)} failed on TensorFlow", flush=True)
        BASELINE.write_text(json.dumps(baseline, indent=1, sort_keys=True) + "\n")


def compare(checkout, folders):
    """Runs tests on twinflow; returns the number of those that fail, but pass on TensorFlow."""
    baseline = json.loads(BASELINE.read_text("utf-8"))
    python, table, worse = os.environ.get("CLIENTS_PYTHON", sys.executable), rows(), 0
    for folder in folders:
        passed, failed = outcomes(python, checkout, folder, on_twinflow=True)
        known = baseline.get(folder)
        gap = sorted(failed - set(known["failed"])) if known else sorted(failed)
        total = known["passed"] if known else len(passed) + len(gap)
        table[folder] = (str(total if known else "-"), str(total - len(gap)))
        worse += len(gap)
        print(f"{folder}: {total - len(gap)} of {total}", *gap, sep="\n  ", flush=True)
        write(table)
    return worse


def rows():
    """Returns the rows of the table by folder: the numbers on TensorFlow and here."""
    text = PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]
    found = re.findall(r"^\| `([a-z_/.]+)` \| ([-\d]+) \| (\d+) \|", text, re.M)
    return {folder: (theirs, ours) for folder, theirs, ours in found}


def write(table):
    """Writes the table into the page."""
    lines = [
        "| folder of `keras/src` | TensorFlow | of these here | % |",
        "| --- | ---: | ---: | ---: |",
    ]
    for folder in sorted(table):
        theirs, ours = table[folder]
        share = "-" if theirs == "-" else f"{100 * int(ours) / max(int(theirs), 1):.1f}"
        lines.append(f"| `{folder}` | {theirs} | {ours} | {share} |")
    known = [(int(a), int(b)) for a, b in table.values() if a != "-"]
    theirs, ours = (sum(column) for column in zip(*known)) if known else (0, 0)
    if theirs:
        lines.append(f"| all of these | {theirs} | {ours} | {100 * ours / theirs:.1f} |")
    text = PAGE.read_text("utf-8")
    head, _, rest = text.partition(BEGIN)
    PAGE.write_text("\n".join([head + BEGIN, *lines, END]) + rest.partition(END)[2])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--record", action="store_true", help="run on TensorFlow (TF_PYTHON)")
    arguments = parser.parse_intermixed_args()
    folders = arguments.folders or FOLDERS.split()
    if not (arguments.checkout / "keras" / "src").is_dir():
        parser.error(f"{arguments.checkout} has no keras/src")
    if arguments.record:
        record(arguments.checkout, folders)
    else:
        sys.exit(compare(arguments.checkout, folders) > 0)


if __name__ == "__main__":
    main()
