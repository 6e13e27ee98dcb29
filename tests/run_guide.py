"""Runs the variables guide in Python and in R and compares what the two print, step by step.

    python -m tests.run_guide    # `make guide`; exit status 1 if any output differs

The guide is data: ``tests/guide/variables.md`` has a heading and the blocks ``python``, ``r`` and
``output`` for each step. Python runs in this process and R in a process of its own; what a step
leaves behind is there for the next one. Every statement is run as at a prompt: the value of an
expression is printed.

Two outputs are the same when their lines are, but for spaces at the end of a line and for one
documented difference: R prints the shape of a tensor of rank 1 as ``shape=(3)``, as R users of
TensorFlow know it, and Python as ``shape=(3,)``. Of an error both show class and message (see
``try`` in ``steps.R``). The Python output is also compared with the ``output`` block, which was
recorded from TensorFlow itself on a machine without a GPU (see ``tests/guide/record.py``).
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

    def display(value: Any) -> None:
        if value is not None:
            print(repr(value))

    before, sys.displayhook = sys.displayhook, display
    try:
        for statement in ast.parse(code).body:
            exec(compile(ast.Interactive([statement]), "<guide>", "single"), names)
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
    finally:
        sys.displayhook = before


def python_outputs(guide: list[Step], tf: Any) -> list[str]:
    """Returns what each step prints in Python."""
    names: dict[str, Any] = {"tf": tf}
    outputs = []
    for step in guide:
        with contextlib.redirect_stdout(io.StringIO()) as text:
            run_statements(step.blocks["python"], names)
        outputs.append(text.getvalue())
    return outputs


def marked_outputs(command: list[str], count: int) -> list[str | None]:
    """Returns what a process printed after each of the lines that start with MARK."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    parts = re.split(rf"^{MARK}\d+\n", done.stdout, flags=re.M)[1:]
    if done.returncode or len(parts) < count:
        print(f"{command[0]} stopped, status {done.returncode}:\n{done.stderr}", file=sys.stderr)
    return [*parts, *[None] * (count - len(parts))][:count]


def r_outputs(guide: list[Step]) -> list[str | None]:
    """Returns what each step prints in R; None where R did not get so far."""
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

    rows = zip_longest(folded(["Python", *left]), folded(["R", *right]), fillvalue="")
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
            print(textwrap.indent("\n".join(["recorded:", *expected]), "    "), end="\n\n")
        same, recorded = same + equal, recorded + known
    if recorded_here:
        print(f"{recorded} of {len(guide)} outputs as recorded, from TensorFlow 2.21")
    else:
        print("not compared with the recorded outputs, which are those of a machine without a GPU")
    print(f"{same} of {len(guide)} outputs identical in Python and R")
    return same == len(guide) and (recorded == len(guide) or not recorded_here)


if __name__ == "__main__":
    sys.exit(0 if compare(steps(GUIDE.read_text("utf-8"))) else 1)
