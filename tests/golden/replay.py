"""Runs the recorded probes against twinflow and keeps the score."""

from __future__ import annotations

import ast
import atexit
import contextlib
import functools
import inspect
import io
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import google.protobuf
import numpy as np

from tests.golden import probes
from tests.golden.probes import HERE, Outcome

ROOT = HERE.parent.parent

# How a probe can end.
PASSED, DEVIATES, NOT_YET, LATER, FAILED = "passed", "deviates", "not yet", "later", "FAILED"
score: dict[str, Counter[str]] = defaultdict(Counter)


def group_of(probe: dict[str, Any]) -> str:
    """The group of a probe: what stands before the slash of its id."""
    return probe["id"].split("/")[0]


def _scope_lines() -> list[str]:
    lines = (HERE / "scope.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def scope() -> re.Pattern[str]:
    """Returns what the names of the groups that apply now match."""
    return re.compile("|".join(line for line in _scope_lines() if not line.startswith("- ")))


def waiting() -> re.Pattern[str]:
    """Returns what the snippets of the placement log that do not apply yet match."""
    return re.compile("|".join(line[2:] for line in _scope_lines() if line.startswith("- ")))


def deviations() -> dict[str, str]:
    """The probes that differ on purpose, each with the heading of its reason."""
    found, heading = {}, ""
    for line in (HERE / "deviations.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("- "):
            assert heading, "a deviation needs a reason: a heading above it"
            found[line[2:]] = heading
    return found


def reset(tf: Any) -> None:
    """Undoes what a probe may have set for the whole process."""
    from twinflow._src.core.context import runtime  # not where TensorFlow is asked

    tf.debugging.set_log_device_placement(False)
    tf.config.set_soft_device_placement(True)
    runtime.soft_sessions = False  # as where nobody has said so
    if hasattr(getattr(tf, "random", None), "set_seed"):
        tf.random.set_seed(probes.SEED)


def outcome_of(probe: dict[str, Any], tf: Any) -> Outcome:
    """Runs a probe, in a process of its own where it must find an untouched runtime."""
    if probe.get("isolated"):
        return _isolated(probe["code"])
    reset(tf)
    try:
        return probes.run(probe["code"], tf)
    finally:
        reset(tf)


def _isolated(code: str) -> Outcome:
    if not hasattr(os, "fork"):
        return Outcome(*json.loads(in_new_process("probe", code)))
    process = _untouched()
    print(json.dumps(code), file=process.stdin, flush=True)
    answer = process.stdout.readline().strip()
    assert answer, f"the process that ran the probe ended without an answer: {code}"
    return Outcome(*json.loads(answer))


@functools.cache
def _untouched() -> Any:
    """A process that has imported the package and runs each probe in a copy of itself: that saves the import."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.golden.replay", "probes"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # what has threads is not copied whole
    )  # fmt: skip
    atexit.register(process.communicate)
    return process


def _run_copies(tf: Any) -> None:
    """Answers each line of standard input from a copy of the process, with an empty line where that one fails."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a probe prints past Python is no answer
    for line in sys.stdin:
        child = os.fork()
        if not child:
            signal.alarm(120)
            print(json.dumps(probes.run(json.loads(line), tf)), file=answers, flush=True)
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            print(file=answers, flush=True)


def in_new_process(what: str, text: str = "") -> str:
    """Returns what ``main`` prints last, in a process of its own."""
    command = [sys.executable, "-m", "tests.golden.replay", what]
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, cwd=ROOT, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


# What Python itself does otherwise: no context is another error until 3.10, and since 3.14 the imaginary part of -1-0j is -0.
_OTHERS = ["more_tried_random/159"] if sys.version_info < (3, 11) else []
_OTHERS += ["more_values/326", "more_values/333"] if sys.version_info >= (3, 14) else []
# NumPy until 2.2 shows some numbers otherwise, and that of 2.4 tells the parameters of its functions.
if np.lib.NumpyVersion(np.__version__) < "2.4.0":
    _OTHERS += [
        "constant_dtype/288",
        "op_float16/028",
        "more_ragged/249",
        "more_tried_function/189",
        "program_calls/288",
    ]
# Messages of protobuf itself, as it has them since 7.36.
if tuple(map(int, google.protobuf.__version__.split(".")[:2])) < (7, 36):
    _OTHERS += [f"more_messages/{n}" for n in ("016", "018", "019", "026", "031", "037", "178")]


def judge(probe: dict[str, Any], tf: Any, listed: dict[str, str]) -> str | None:
    """Runs a probe, enters it into the score, and tells what is wrong with the answer."""
    count = score[group_of(probe)]
    ours, recorded = outcome_of(probe, tf), Outcome.recorded(probe)
    found = probes.differences(recorded, ours, bool(probe.get("volatile") or probe.get("flaky")))
    name = probes.missing(probe["code"], tf) if found else None
    if name is not None or probe["id"] in _OTHERS:
        count[NOT_YET] += 1
        return None
    if probe["id"] in listed:
        count[DEVIATES if found else FAILED] += 1
        return None if found else f"{probe['id']} is in deviations.md but passes"
    count[FAILED if found else PASSED] += 1
    return _report(probe, found) if found else None


def _report(probe: dict[str, Any], found: list[probes.Difference]) -> str:
    lines = [f"{probe['id']}: {probe['code']}"]
    for aspect, recorded, ours in found[:3]:
        lines += [
            f"    {aspect}",
            f"      TensorFlow: {cut(recorded)}",
            f"      twinflow:   {cut(ours)}",
        ]
    return "\n".join(lines)


def cut(value: Any) -> str:
    """A value as text that is not too long for a report."""
    text = str(value)
    return text if len(text) < 500 else f"{text[:500]}..."


def summary() -> list[str]:
    """The score, a line a group."""
    columns = (PASSED, DEVIATES, NOT_YET, FAILED, LATER)
    lines = [f"{'group':<26}" + "".join(f"{c:>10}" for c in columns)]
    for name, count in [*sorted(score.items()), ("all", sum(score.values(), Counter()))]:
        lines.append(f"{name:<26}" + "".join(f"{count[c] or '':>10}" for c in columns))
    return lines


# ------------------------------------------------------------------ the placement log


def placement_log() -> dict[str, Any]:
    """The recorded log: a prelude, and probes with the ops that each of them executed, in order."""
    return json.loads((HERE / "placement_log.json").read_text("utf-8"))


Catcher = Callable[[], contextlib.AbstractContextManager[Callable[[], str]]]


@contextlib.contextmanager
def caught_output() -> Iterator[Callable[[], str]]:
    """Catches what is printed; gives a function that tells it."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        yield out.getvalue


def executed(code: str, names: dict[str, Any], caught: Catcher = caught_output) -> dict[str, Any]:
    """The ops that a snippet logs, with their devices, and the class of its error."""
    error = None
    with caught() as text:
        try:
            exec(compile(code, "<log>", "exec"), names)
        except Exception as raised:
            error = type(raised).__name__
        ops = re.findall(r"Executing op (\S+) in device (\S+)$", text(), re.M)
    return {"ops": list(map(list, ops)), "error": error}


def replayed_log(tf: Any) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """Each snippet of the recorded log: the code, how it ended, what it gave then, what it gives now."""
    log, names = placement_log(), {"tf": tf, "np": np}
    tf.debugging.set_log_device_placement(True)
    executed(log["prelude"], names)
    listed = deviations()
    unset: set[str] = (
        set()
    )  # names that a snippet could not bind, as it uses what does not exist yet
    uncached = False  # whether such a snippet may have made a scalar that a later one needs again
    for probe in log["probes"]:
        code, then = probe["code"], {"ops": probe["ops"], "error": probe.get("error")}
        now = executed(code, names)
        then["ops"], now["ops"] = _unnumbered(then["ops"]), _unnumbered(now["ops"])
        now["ops"] = [op for op in now["ops"] if f"`{op[0]}`" not in listed]
        bound, used = _names(code, ast.Store), _names(code, ast.Load)
        lacking = bool(probes.missing(code, tf) or used & unset)
        unset = unset | bound if lacking else unset - bound
        uncached = uncached or (lacking and any(op[0] == _CONSTANT for op in then["ops"]))
        if waiting().fullmatch(code):
            verdict = LATER
        elif then == now:
            verdict = PASSED
        elif lacking or (uncached and _less_constants(then, now)):
            verdict = NOT_YET
        else:
            verdict = DEVIATES if f"`{code}`" in listed or _is_composed(code, tf) else FAILED
        yield code, verdict, then, now


def _unnumbered(ops: list[Any]) -> list[Any]:
    """A log without the numbers that the names of traced functions end in."""
    return [[re.sub(r"^(__inference_.*)_\d+$", r"\1", name), device] for name, device in ops]


def _is_composed(code: str, tf: Any) -> bool:
    """True if a snippet calls a public function that is made of several ops: see deviations.md."""
    functions = [probes.named(chain, tf) for chain in probes.chains(code)]
    return any(
        inspect.unwrap(f).__module__.startswith("twinflow._src.ops") and not hasattr(f, "op")
        for f in functions
        if callable(f)
    )


_CONSTANT = "_EagerConst"


def _less_constants(then: dict[str, Any], now: dict[str, Any]) -> bool:
    """True if a snippet logged the same as now, but for scalars that TensorFlow had cached."""
    rest = iter(then["ops"])
    missed = next(rest, None)
    for op in now["ops"]:
        if op == missed:
            missed = next(rest, None)
        elif op[0] != _CONSTANT:
            return False
    return missed is None and then["error"] == now["error"]


def _names(code: str, context: type) -> set[str]:
    nodes = ast.walk(ast.parse(code))
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, context)}


def main(what: str) -> None:
    """Prints as JSON: the outcomes of the probe or the probes on standard input, or the replayed placement log."""
    import twinflow as tf

    if what == "probes":
        _run_copies(tf)
    elif what == "probe":
        print(json.dumps(probes.run(sys.stdin.read(), tf)))
    else:
        answer = list(replayed_log(tf))
        tf.debugging.set_log_device_placement(False)
        print(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1])
