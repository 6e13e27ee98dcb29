"""Writes what TensorFlow prints into the ``output`` blocks of the guide.

    PYTHON_WITH_TENSORFLOW -m tests.guide.record

Blocks marked ``output kept`` stay as they are: the text above each of them says why.
"""

from __future__ import annotations

import importlib
import os
import pathlib
import re
import sys

from tests.run_guide import GUIDE, MARK, marked_outputs, plain, run_statements, steps

# What TensorFlow writes about itself: the placer's lines on standard output, and its log.
_NOISE = re.compile(r"^([\w/]+: \(\w+\): /job:.*|[IWEF]\d{4} .*|WARNING: .*|To enable .*)\n", re.M)
_PREFIX = re.compile(r"[IWEF]\d{4} [^\]\n]*\] (?=Executing op )")
_EXECUTING = re.compile(r"Executing op .*\n")
_SWITCH = "#> log "


def record(path: pathlib.Path) -> None:
    """Replaces the ``output`` blocks of a guide by what TensorFlow prints."""
    guide = steps(path.read_text("utf-8"))
    command = [sys.executable, "-m", "tests.guide.record", str(path)]
    outputs = marked_outputs(command, len(guide))
    parts = re.split(r"^(?=## )", path.read_text("utf-8"), flags=re.M)
    logging = False
    for step, output in zip(guide, outputs, strict=True):
        shown, logging = _as_shown(output or "", logging)
        block = "".join(f"{line}\n" for line in plain(shown))
        i = next(i for i, part in enumerate(parts) if part.startswith(f"## {step.title}\n"))
        before, fence, after = parts[i].partition("```output\n")
        if fence:
            parts[i] = before + fence + block + "```" + after.partition("```")[2]
    path.write_text("".join(parts), "utf-8")


def _as_shown(output: str, logging: bool) -> tuple[str, bool]:
    """TensorFlow's output as a notebook shows it, and whether placement is logged after it."""
    text = _NOISE.sub("", _PREFIX.sub("", output))
    pieces = re.split(rf"^{_SWITCH}(True|False)\n", text, flags=re.M)
    shown = ""
    for i, piece in enumerate(pieces):
        if i % 2:
            logging = piece == "True"
        else:
            shown += piece if logging else _EXECUTING.sub("", piece)
    return shown, logging


def run(path: pathlib.Path) -> None:
    """Runs a guide's Python code with TensorFlow, its log on standard output.

    TensorFlow logs placement only if that is switched on before the first operation, and then
    always: so it is on, and the guide's own switch prints a line. Without oneDNN its kernels have
    the names of the ops.
    """
    os.environ.update(CUDA_VISIBLE_DEVICES="-1", TF_ENABLE_ONEDNN_OPTS="0")
    os.dup2(1, 2)
    tf = importlib.import_module("tensorflow")
    tf.debugging.set_log_device_placement(True)
    tf.debugging.set_log_device_placement = lambda enabled: print(f"{_SWITCH}{enabled}")
    names = {"tf": tf}
    for i, step in enumerate(steps(path.read_text("utf-8"))):
        print(f"{MARK}{i}")
        run_statements(step.blocks["python"], names)


if __name__ == "__main__":
    if sys.argv[1:]:
        run(pathlib.Path(sys.argv[1]))
    else:
        record(GUIDE)
