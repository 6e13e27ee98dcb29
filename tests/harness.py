"""The test harness: the cases in ``cases/*.md``, their two runners, and equality of values.

A case is a heading ``## name`` followed by fenced blocks: ``python``, ``r`` and ``output``. The
Python block is a script that finds ``tf`` and ``np`` and prints; the R block is what a user types
after ``library(twinflow)``: what R's prompt would show counts. Both must print the output block.
Blocks ``output-python`` and ``output-r`` are for cases that must differ, and say why in their text.

    python -m tests.harness            prints what Python gives where an output block does not fit
    python -m tests.harness --write    puts it into the files instead
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

HERE = Path(__file__).parent
CASES = HERE / "cases"
R_RUNNER = HERE.parent / "rpkg" / "tests" / "testthat" / "helper-cases.R"  # testthat runs the same
# For programs of their own: R, once it is in the process, has them look for libraries elsewhere.
OUTSIDE = dict(os.environ)


class Case(NamedTuple):
    """One case of a file: its name and its blocks, by language."""

    file: str
    name: str
    blocks: dict[str, str]

    @property
    def id(self) -> str:
        return f"{self.file}: {self.name}"

    def output(self, language: str) -> str:
        """Returns what the block of a language must print."""
        expected = self.blocks.get(f"output-{language}", self.blocks.get("output"))
        assert expected is not None, f"{self.id} has no output block"
        return normalised(expected)


# ------------------------------------------------------------------ reading

_HEADING = re.compile(r"^## +(.+?) *$", re.M)
_BLOCK = re.compile(r"^```([a-z-]+)\n(.*?)^```$", re.M | re.S)


def parse(text: str, file: str) -> Iterator[Case]:
    """The cases of a file."""
    parts = _HEADING.split(text)
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        blocks = dict(_BLOCK.findall(body))
        assert len(blocks) == len(_BLOCK.findall(body)), f"{file}: {name} has a block twice"
        yield Case(file, name, blocks)


def cases() -> list[Case]:
    """All cases, in the order of files and headings."""
    found = [c for f in sorted(CASES.glob("*.md")) for c in parse(f.read_text("utf-8"), f.stem)]
    assert len({c.id for c in found}) == len(found), "two cases of one file have the same name"
    return found


# ------------------------------------------------------------------ running


def normalised(text: str) -> str:
    """Text without blank ends of lines, and with the one known difference between the frontends.

    R writes the shape of a tensor of rank 1 as ``shape=(3)`` where Python writes ``shape=(3,)``.
    """
    text = re.sub(r"shape=\((\d+),\), dtype=", r"shape=(\1), dtype=", text)
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n")).strip("\n")


def run_python(code: str, tf: Any = None) -> str:
    """Returns what a Python block prints."""
    if tf is None:
        import twinflow as tf
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "<case>", "exec"), {"tf": tf, "np": np, "__name__": "__case__"})
    return normalised(out.getvalue())


@functools.cache
def _r() -> Any:
    """The function of R that runs a block in an environment of its own; starts R."""
    import twinflow  # noqa: F401  (before R looks for it: both frontends must use this very module)

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        import rpy2.robjects as robjects

        _leave_events_alone()
        # rpy2 has a warning printed where reticulate is loaded, which twinflow does at first use.
        robjects.r(
            "suppressPackageStartupMessages(library(twinflow)); loadNamespace('reticulate'); options(warn = 2L)"
        )
        robjects.r.source(str(R_RUNNER))
    return robjects.r["prompt_output"]


def _leave_events_alone() -> None:
    """Lets R handle its events without Python.

    reticulate asks R to do so between Python's instructions, and rpy2 passes that on to a function in Python. Where
    Python 3.11 counts lines and the next request comes before this one is through, it never gets on.
    """
    from rpy2.rinterface_lib import openrlib

    openrlib.rlib.ptr_R_ProcessEvents = openrlib.ffi.NULL


def run_r(code: str) -> str:
    """Returns what R's prompt shows for an R block."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        lines = list(_r()(code))
    assert not out.getvalue(), f"Python printed past R: {out.getvalue()!r}"
    return normalised("\n".join(lines))


def why_no_r() -> str | None:
    """Why R blocks cannot run here, or None where they can."""
    if shutil.which("R") is None:
        return "R is not installed"
    try:
        _r()
    except ImportError as error:
        return f"rpy2 is not installed: {error}"
    except Exception as error:
        if "there is no package called" in str(error):
            return "the R package is not installed"
        raise
    return None


def need_r() -> None:
    """Skips a test where R cannot run; where R has to be there (``make test``), that is a failure."""
    reason = why_no_r()
    if reason and os.environ.get("TWINFLOW_NEEDS_R"):
        pytest.fail(reason, pytrace=False)
    if reason:
        pytest.skip(reason)


def in_new_python(code: str) -> str:
    """Returns what a program prints that finds ``tf`` and ``np`` and an untouched process."""
    program = f"import numpy as np\nimport twinflow as tf\n{textwrap.dedent(code)}"
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=OUTSIDE)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# ------------------------------------------------------------------ equality


def id_of(value: Any) -> str:
    """A test's id that is the same in each process: the beginning of a value's representation, without addresses."""
    return re.sub(" at 0x[0-9a-f]+", "", repr(value))[:60]


def facts(x: Any) -> tuple[Any, ...]:
    """Returns what must agree for two values to be the same: type, shape and bytes."""
    if x is None:
        return (None,)
    if isinstance(x, (list, tuple)):
        return tuple(map(facts, x))
    array = np.asarray(x.numpy() if hasattr(x, "numpy") else x)
    dtype = x.dtype.name if hasattr(x, "numpy") else array.dtype.name
    data = array.ravel().tolist() if array.dtype.kind == "O" else array.tobytes()
    return dtype, array.shape, data


def same_value(a: Any, b: Any) -> bool:
    """True if two values agree in type, shape and every bit."""
    return facts(a) == facts(b)


# ------------------------------------------------------------------ filling in output blocks


def _with_output(text: str, case: Case, printed: str) -> str:
    start = text.index(f"## {case.name}\n")
    end = text.find("\n## ", start + 1)
    body = text[start:] if end < 0 else text[start:end]
    block = f"```output\n{printed}\n```"
    if "```output\n" in body:
        body = re.sub(r"```output\n.*?^```$", lambda _: block, body, flags=re.M | re.S)
    else:
        body = f"{body.rstrip()}\n\n{block}\n"
    return text[:start] + body + (text[end:] if end >= 0 else "")


def main(write: bool) -> None:
    for path in sorted(CASES.glob("*.md")):
        text = path.read_text("utf-8")
        for case in parse(text, path.stem):
            printed = run_python(case.blocks["python"])
            if (
                "output-python" in case.blocks
                or normalised(case.blocks.get("output", "")) == printed
            ):
                continue
            print(f"{case.id}\n{printed}\n")
            text = _with_output(text, case, printed)
        if write:
            path.write_text(text, "utf-8")


if __name__ == "__main__":
    main("--write" in sys.argv)
