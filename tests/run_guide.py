"""Runs the variables guide in Python and in R and compares what the two print, step by step.

    python -m tests.run_guide              # `make guide`: exit status 1 if any output differs
    TF_PYTHON -m tests.run_guide --record  # write TensorFlow's output into tests/guide/variables.md

The guide is data: ``tests/guide/variables.md`` has a heading and the blocks ``python``, ``r`` and
``output`` for each step. Python runs in this process and R in a process of its own; what a step
leaves behind is there for the next one. Every statement is run as at a prompt: the value of an
expression is printed.

Two outputs are the same when their lines are, but for spaces at the end of a line and for one
documented difference: R prints the shape of a tensor of rank 1 as ``shape=(3)``, as R users of
TensorFlow know it, and Python as ``shape=(3,)``. Of an error both show class and message (see
``try`` in ``steps.R``). The Python output is also compared with the ``output`` block, which was
recorded from TensorFlow itself on a machine without a GPU.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterable
from itertools import zip_longest
from typing import Any, NamedTuple

FOLDER = pathlib.Path(__file__).parent / "guide"
GUIDE = FOLDER / "variables.md"
MARK = "#> step "


class Step(NamedTuple):
    """A heading of the guide and its blocks, by the word after the fence."""

    title: str
    blocks: dict[str, str]


def steps(text: str) -> list[Step]:
    """The steps of a guide.

    Args:
        text: Markdown. A step starts at a line ``## title``.

    Returns:
        The steps that have code in them.
    """
    found = []
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        blocks = re.findall(r"^```(\w+)[^\n]*\n(.*?)^```$", part, flags=re.M | re.S)
        if blocks:
            found.append(Step(part.splitlines()[0].strip(), dict(blocks)))
    return found


def plain(text: str) -> list[str]:
    """The lines of an output without spaces at their ends and blank lines around them."""
    return [line.rstrip() for line in text.strip("\n").splitlines()] if text.strip() else []


def as_r_prints(lines: Iterable[str]) -> list[str]:
    """Python's output with the shapes of tensors of rank 1 as R prints them."""
    return [re.sub(r"shape=\((\d+),\)(?=, dtype=)", r"shape=(\1)", line) for line in lines]


# ------------------------------------------------------------------ running


def run_statements(code: str, names: dict[str, Any]) -> None:
    """Runs Python code as at a prompt; an error is printed and ends it."""

    def show(value: Any) -> None:
        if value is not None:
            print(repr(value))

    before, sys.displayhook = sys.displayhook, show
    try:
        for statement in ast.parse(code).body:
            exec(compile(ast.Interactive([statement]), "<guide>", "single"), names)
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
    finally:
        sys.displayhook = before


def python_outputs(guide: list[Step], tf: Any) -> list[str]:
    """What each step prints in Python."""
    names: dict[str, Any] = {"tf": tf}
    outputs = []
    for step in guide:
        with contextlib.redirect_stdout(io.StringIO()) as text:
            run_statements(step.blocks["python"], names)
        outputs.append(text.getvalue())
    return outputs


def marked_outputs(command: list[str], count: int) -> list[str | None]:
    """What a process printed after each of the lines that start with MARK."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    parts = re.split(rf"^{MARK}\d+\n", done.stdout, flags=re.M)[1:]
    if done.returncode or len(parts) < count:
        print(f"{command[0]} stopped, status {done.returncode}:\n{done.stderr}", file=sys.stderr)
    return [*parts, *[None] * (count - len(parts))][:count]


def r_outputs(guide: list[Step]) -> list[str | None]:
    """What each step prints in R; None where R did not get so far."""
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "steps.txt")
        code = [f"{MARK}{i}\n{step.blocks['r']}" for i, step in enumerate(guide)]
        script.write_text("".join(code), "utf-8")
        rscript = ["Rscript", "--no-save", "--no-restore", str(FOLDER / "steps.R")]
        return marked_outputs([*rscript, str(script), MARK], len(guide))


# ------------------------------------------------------------------ showing


def side_by_side(left: list[str], right: list[str], width: int) -> str:
    """Two texts in two columns; a line that is too long goes on in the next one."""
    column = (width - 7) // 2

    def folded(lines: list[str]) -> list[str]:
        return [piece for line in lines for piece in textwrap.wrap(line, column) or [""]]

    def kept(lines: list[str]) -> list[str]:
        return lines if max(map(len, lines), default=0) <= column else folded(lines)

    rows = zip_longest(kept(["Python", *left]), kept(["R", *right]), fillvalue="")
    return "\n".join(f"    {a:{column}} | {b}".rstrip() for a, b in rows)


def show(number: int, title: str, left: list[str], right: list[str], verdict: str) -> None:
    """Prints one step."""
    width = min(shutil.get_terminal_size((120, 24)).columns, 180)
    print(f"{number:2d}. {title}: {verdict}")
    print(side_by_side(left, right, width), end="\n\n")


def compare(guide: list[Step]) -> bool:
    """Runs the guide in both languages and prints it; tells whether every output is right."""
    tf = importlib.import_module("twinflow")
    in_python, in_r = python_outputs(guide, tf), r_outputs(guide)
    recorded_here = not tf.config.list_physical_devices("GPU")
    same = recorded = 0
    for number, (step, left, right) in enumerate(zip(guide, in_python, in_r, strict=True), 1):
        ours, theirs = plain(left), plain("(R stopped before this)" if right is None else right)
        expected = plain(step.blocks["output"])
        equal, known = as_r_prints(ours) == theirs, ours == expected
        verdict = "identical" if equal else "DIFFERENT"
        if recorded_here and not known:
            verdict += ", NOT as recorded"
        show(number, step.title, ours, theirs, verdict)
        if recorded_here and not known:
            print(side_by_side(["(recorded)", *expected], [], 2 * 120), end="\n\n")
        same, recorded = same + equal, recorded + known
    if recorded_here:
        print(f"{recorded} of {len(guide)} outputs as recorded from TensorFlow 2.21")
    else:
        print("not compared with the recorded outputs, which are those of a machine without a GPU")
    print(f"{same} of {len(guide)} outputs identical in Python and R")
    return same == len(guide) and (recorded == len(guide) or not recorded_here)


# ------------------------------------------------------------------ recording

# What TensorFlow writes about itself: the placer's lines on standard output, and its log.
_NOISE = re.compile(r"^([\w/]+: \(\w+\): /job:.*|[IWEF]\d{4} .*|WARNING: .*|To enable .*)\n", re.M)
_PREFIX = re.compile(r"[IWEF]\d{4} [^\]\n]*\] (?=Executing op )")
_EXECUTING = re.compile(r"Executing op .*\n")
_SWITCH = "#> log "


def record(path: pathlib.Path) -> None:
    """Replaces the ``output`` blocks of a guide by what TensorFlow prints.

    Blocks marked ``output kept`` stay as they are: see what the text around them says.
    """
    guide = steps(path.read_text("utf-8"))
    command = [sys.executable, "-m", "tests.run_guide", "--run-with-tensorflow", str(path)]
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


def run_with_tensorflow(path: pathlib.Path) -> None:
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


def main() -> int:
    """Does what the command line says."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["--record"]:
        record(GUIDE)
    elif arguments[:1] == ["--run-with-tensorflow"]:
        run_with_tensorflow(pathlib.Path(arguments[1]))
    else:
        return 0 if compare(steps(GUIDE.read_text("utf-8"))) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
