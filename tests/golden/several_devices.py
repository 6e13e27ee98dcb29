"""Probes that need several devices: CPUs that are split, which has to happen before anything runs.

    python -m tests.golden.several_devices            prints twinflow's outcomes as JSON
    python -m tests.golden.several_devices --record   records TensorFlow's, for a Python that has it;
                                                      with --missing only of those that have no answer yet

They run in a process of their own. TensorFlow's collective operations stay broken after an error, so while
recording every probe has a process to itself.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from tests.golden import probes  # noqa: E402

FILE = "distribution_probes.json"
CPUS = 3
# Where we differ on purpose, with the reason.
DIFFERENT: dict[str, str] = {
    "replicas/018": "scalars cannot be joined: TensorFlow says so of the graph that it makes of its own",
    "replicas/025": "a tape names the copies that it watches, not the variable that they are copies of",
    "replicas/029": "TensorFlow's collective operations fail between CPUs within a branch; ours add in order",
    "replicas/030": "the error says which variable was made outside the scope; TensorFlow's says nothing",
    "replicas/031": "an optimizer that was made outside the scope can be used with a variable of the strategy",
    "training/013": "what a variable with copies does not have in TensorFlow, it has from the ordinary one",
    "training/018": "the same",
    "training/026": "an optimizer makes steps outside replicas, too: all copies get the same value",
    "wrapped/003": "variables of a graph are a list",
    "wrapped/004": "variables are no inputs of a function's graph",
    "wrapped/014": "the same",
    "wrapped/030": "initializers of variables that have a value are an operation that does nothing",
}


def prepare(tf: Any) -> None:
    """Splits the CPU."""
    parts = [tf.config.LogicalDeviceConfiguration()] * CPUS
    tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], parts)


def outcome(code: str, tf: Any) -> probes.Outcome:
    """Returns what a probe gives, with the seed as it is at the start."""
    tf.random.set_seed(probes.SEED)
    return probes.run(code, tf)


def outcomes(tf: Any) -> list[probes.Outcome]:
    """Returns what all probes give twinflow; names are counted anew for each."""
    from twinflow._src.train import descriptions

    prepare(tf)
    found = []
    for probe in probes.load(FILE):
        descriptions._counts.clear()
        found.append(outcome(probe["code"], tf))
    return found


def record() -> None:
    """Writes TensorFlow's answers."""
    from tests.golden.record import _FOLDER, _versions, save

    found = []
    for probe in probes.load(FILE):
        if "--missing" in sys.argv and probe.keys() - {"id", "code"}:
            found.append(probe)
            continue
        command = [sys.executable, __file__, "--one"]
        done = subprocess.run(
            command, input=probe["code"], text=True, check=True, capture_output=True
        )
        now = probes.Outcome(*json.loads(done.stdout.splitlines()[-1]))
        new = {k: probe[k] for k in ("id", "code")} | {k: v for k, v in now._asdict().items() if v}
        found.append(json.loads(_FOLDER.sub('File \\"', json.dumps(new))))
    save(FILE, _versions(), found)


def one() -> None:
    """Prints TensorFlow's answer to the probe on standard input."""
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    import tensorflow as tf

    logging.disable(logging.WARNING)
    prepare(tf)
    print("\n" + json.dumps(outcome(sys.stdin.read(), tf)))


if __name__ == "__main__":
    if "--record" in sys.argv:
        record()
    elif "--one" in sys.argv:
        one()
    else:
        import twinflow

        print(json.dumps(outcomes(twinflow)))
