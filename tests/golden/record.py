"""Records anew what TensorFlow answers to the probes; for a Python that has TensorFlow.

    python tests/golden/record.py              writes the probes and placement_log.json
    python tests/golden/record.py --check      writes nothing, and says what has changed
    python tests/golden/record.py --cases      runs the Python blocks of tests/cases against TensorFlow

Every probe runs twice, the second time in another order: what then differs is marked ``volatile``,
and only its type and shape are compared from then on; where even the error differs, ``flaky``.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # the names of ops as the guides show them
os.environ["CUDA_VISIBLE_DEVICES"] = ""

from tests.golden import probes, replay  # noqa: E402
from tests.golden.probes import Outcome  # noqa: E402

Probe = dict[str, Any]


def main(arguments: list[str]) -> int:
    """Does what the arguments say; gives the exit status."""
    if "--cases" in arguments:
        return check_cases()
    checking, any_change = "--check" in arguments, False
    for name in probes.PYTHON_FILES:
        old = probes.load(name)
        new = recorded(old)
        changed = [_changed(a, b) for a, b in zip(old, new, strict=True)]
        print(f"{name}: {sum(changed)} of {len(old)} probes have changed")
        any_change = any_change or any(changed)
        if not checking:
            save(
                name,
                _versions(),
                [b if c else a for a, b, c in zip(old, new, changed, strict=True)],
            )
    if checking:
        return int(any_change)
    log = replay.placement_log()
    save("placement_log.json", {k: v for k, v in log.items() if k != "probes"}, recorded_log(log))
    return 0


def _versions() -> dict[str, str]:
    import numpy
    import tensorflow

    return {"tensorflow": tensorflow.__version__, "numpy": numpy.__version__}


def _changed(old: Probe, new: Probe) -> bool:
    """True if a probe's answer is another one than before; says what it was."""
    volatile = bool(old.get("volatile") or new.get("volatile"))
    found = probes.differences(Outcome.recorded(old), Outcome.recorded(new), volatile)
    for aspect, before, now in found:
        print(
            f"{old['id']}: {old['code']}\n    {aspect}\n      before: {before}\n      now:    {now}"
        )
    return bool(found)


def save(name: str, head: dict[str, Any], found: list[Probe]) -> None:
    """Writes probes, one a line, so that a change of one is a change of a line."""
    lines = ",\n".join(json.dumps(p, ensure_ascii=False, separators=(",", ":")) for p in found)
    text = f'{json.dumps(head, ensure_ascii=False)[:-1]},"probes":[\n{lines}\n]}}\n'
    (probes.HERE / name).write_text(text, "utf-8")


def recorded(old: list[Probe]) -> list[Probe]:
    """The probes with TensorFlow's present answers."""
    order = list(range(len(old)))
    first = answers([old[i] for i in order])
    random.Random(1).shuffle(order)
    second = dict(zip(order, answers([old[i] for i in order]), strict=True))
    return [_marked(old[i], first[i], second[i]) for i in range(len(old))]


def _marked(probe: Probe, first: Outcome, second: Outcome) -> Probe:
    new: Probe = {k: probe[k] for k in ("id", "code", "isolated") if k in probe}
    found = probes.differences(first, second)
    if found:
        new["volatile"] = True
    if any(aspect == "error" for aspect, _, _ in found):
        new["flaky"] = True
    new |= {name: value for name, value in first._asdict().items() if value}
    return json.loads(_FOLDER.sub('File \\"', json.dumps(new)))


_FOLDER = re.compile(r'File \\"[^"]*/')  # in a traceback within a message, as JSON


def answers(wanted: list[Probe]) -> list[Outcome]:
    """TensorFlow's answers, in the order of the probes; isolated ones each from a new process."""
    together = in_new_process([p for p in wanted if not p.get("isolated")])
    rest = iter(together)
    return [in_new_process([p])[0] if p.get("isolated") else next(rest) for p in wanted]


def in_new_process(wanted: list[Probe]) -> list[Outcome]:
    """Runs probes in a process of their own."""
    command = [sys.executable, __file__, "--worker"]
    with tempfile.NamedTemporaryFile("w+") as answer:
        subprocess.run([*command, answer.name], input=json.dumps(wanted), text=True, check=True)
        return [Outcome(*line) for line in map(json.loads, answer)]


def worker(path: str) -> None:
    """Writes an outcome a line for the probes on standard input."""
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")
    with open(path, "w") as answer:
        for probe in json.load(sys.stdin):
            if not probe.get("isolated"):
                tf.random.set_seed(probes.SEED)
            answer.write(json.dumps(probes.run(probe["code"], tf)) + "\n")
            tf.compat.v1.reset_default_graph()


# ------------------------------------------------------------------ the placement log


@contextlib.contextmanager
def caught_errors() -> Iterator[Callable[[], str]]:
    """Catches what the whole process writes to its standard error, where TensorFlow logs."""
    with tempfile.TemporaryFile("w+b") as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield lambda: (file.seek(0), file.read().decode())[1]
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def recorded_log(log: dict[str, Any]) -> list[Probe]:
    """The snippets of the placement log with the ops that TensorFlow executes now."""
    import numpy as np
    import tensorflow as tf

    names = {"tf": tf, "np": np}
    tf.debugging.set_log_device_placement(True)  # before the first op: later it has no effect
    exec(log["prelude"], names)
    found = []
    for probe in log["probes"]:
        now = replay.executed(probe["code"], names, caught_errors)
        found.append({"code": probe["code"], **{k: v for k, v in now.items() if v is not None}})
    return found


# ------------------------------------------------------------------ the cases


def check_cases() -> int:
    """Says which Python blocks of the cases print something else under TensorFlow."""
    import tensorflow as tf

    from tests import harness

    wrong = 0
    for case in harness.cases():
        try:
            printed = harness.run_python(case.blocks["python"], tf)
        except Exception as error:
            printed = f"{type(error).__name__}: {error}"
        if probes.plain(printed) != probes.plain(case.output("python")):
            wrong += 1
            print(f"{case.id}\n--- TensorFlow\n{printed}\n--- expected\n{case.output('python')}\n")
    print(f"{wrong} of {len(harness.cases())} cases differ")
    return int(bool(wrong))


if __name__ == "__main__":
    if "--worker" in sys.argv:
        worker(sys.argv[-1])
    else:
        sys.exit(main(sys.argv[1:]))
