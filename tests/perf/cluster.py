"""Measurements of tasks: small updates, pushes, pulls, closures, all-reduces; beside TensorFlow where it is given.

    python -m tests.perf.cluster            twinflow alone
    TF_PYTHON=... python -m tests.perf.cluster
    python -m tests.perf.cluster --workers  all-reduces alone

The same program runs in both, in rounds that take turns; medians of the rounds are printed: the rate per second, and
the processor time of one call in the client and the tasks together, which other programs on the machine change less. A
client and its tasks are processes of their own.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 3

TASK = """
import sys, {module} as tf
spec = tf.train.ClusterSpec({{job: addresses for job, addresses in __import__("json").loads(sys.argv[1]).items()}})
tf.distribute.Server(spec, job_name=sys.argv[2], task_index=int(sys.argv[3])).join()
"""

CLIENT = """
import json, os, sys, time, {module} as tf
import numpy as np
spec = json.loads(sys.argv[1])
resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec(spec), rpc_layer="grpc")
strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with tf.device("/job:ps/task:0"):
    small = tf.Variable(1.0)
    middle, large = tf.Variable(tf.zeros([1 << 20])), tf.Variable(tf.zeros([25 << 20]))

def processor():
    total = time.process_time()
    for pid in json.loads(sys.argv[2]):
        with open(f"/proc/{{pid}}/stat") as file:
            times = file.read().rpartition(")")[2].split()[11:13]
        total += sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
    return total

def rate(call, seconds=1.5, each=1):
    call(); small.numpy()
    count, start, used = 0, time.perf_counter(), processor()
    while time.perf_counter() - start < seconds:
        call()
        count += each
    small.numpy()
    return count / (time.perf_counter() - start), 1e6 * (processor() - used) / count

def updates():
    for _ in range(50):
        small.assign_add(1.0)
    small.numpy()

fresh = np.ones(25 << 20, np.float32)
def push(v, n):
    v.assign_add(tf.constant(fresh[:n]))
    if n > 1 << 20:
        small.numpy()

@tf.function
def null():
    return 1.0

def call():
    with tf.device("/job:ps/task:0"):
        null().numpy()

def closures():
    for _ in range(100):
        coordinator.schedule(null)
    coordinator.join()

print(json.dumps({{
    "call of an empty function": rate(call),
    "read of a scalar": rate(small.numpy),
    "assign_add(1.0), 50 and a read": rate(updates, each=50),
    "4 MiB pushes": rate(lambda: push(middle, 1 << 20)),
    "4 MiB pulls": rate(middle.numpy),
    "100 MiB pushes": rate(lambda: push(large, 25 << 20)),
    "100 MiB pulls": rate(large.numpy),
    "closures, 2 workers": rate(closures, each=100),
}}))
"""

# Two workers, who make the same number of calls.
WORKER = """
import json, os, sys, time, {module} as tf
import numpy as np
addresses, rank = json.loads(sys.argv[1]), int(sys.argv[2])
os.environ["TF_CONFIG"] = json.dumps({{"cluster": {{"worker": addresses}}, "task": {{"type": "worker", "index": rank}}}})
strategy = tf.distribute.MultiWorkerMirroredStrategy()

@tf.function
def total(*values):
    def replica(*xs):
        return tf.distribute.get_replica_context().all_reduce("sum", [tf.identity(x) for x in xs])
    return strategy.run(replica, values)

def rate(count, *values):
    total(*values)
    total(*values)[0].numpy()
    start, used = time.perf_counter(), time.process_time()
    for _ in range(count):
        result = total(*values)
    result[0].numpy() if result[0].shape.rank == 0 else result[0][0].numpy()
    return count / (time.perf_counter() - start), 1e6 * (time.process_time() - used) / count

large = np.ones(25 << 20, np.float32)
copies, target = [], large.copy()
for _ in range(5):
    strategy.reduce("SUM", 1.0, axis=None)  # both copy at the same time
    start, used = time.perf_counter(), time.process_time()
    np.copyto(target, large)
    copies.append((1 / (time.perf_counter() - start), 1e6 * (time.process_time() - used)))
result = {{
    "all-reduce of a scalar, 2 workers": rate(300, tf.constant(1.0)),
    "all-reduce of 20 tensors of 4 KiB": rate(100, *[tf.ones([1024])] * 20),
    "all-reduce of 4 MiB": rate(20, tf.ones([1 << 20])),
    "all-reduce of 100 MiB": rate(4, tf.ones([25 << 20])),
    "copies of 100 MiB (NumPy)": sorted(copies)[len(copies) // 2],
}}
print(json.dumps(result))
"""


def _measure_workers(python: str, module: str) -> dict[str, list[float]]:
    from twinflow._src.wings.distribute.links import free_port

    addresses = json.dumps([f"localhost:{free_port()}" for _ in range(2)])
    command = [python, "-c", WORKER.format(module=module), addresses]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    env = _environment(module)
    workers = [subprocess.Popen([*command, str(i)], env=env, **pipes) for i in range(2)]
    try:
        outs = [worker.communicate(timeout=300)[0] for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
    return dict(json.loads(outs[0].splitlines()[-1]))


def _environment(module: str) -> dict[str, str]:
    path = f"{ROOT / 'python'}:{os.environ.get('PYTHONPATH', '')}"
    if module == "tensorflow":
        quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
        return {**os.environ, **quiet, "PYTHONPATH": ""}
    return {**os.environ, "PYTHONPATH": path}


def _measure(python: str, module: str) -> dict[str, list[float]]:
    from twinflow._src.wings.distribute.links import free_port

    spec = {
        "worker": [f"localhost:{free_port()}" for _ in range(2)],
        "ps": [f"localhost:{free_port()}"],
    }
    env = _environment(module)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    tasks = [
        subprocess.Popen(
            [python, "-c", TASK.format(module=module), json.dumps(spec), job, str(i)],
            env=env,
            **quiet,
        )
        for job, addresses in spec.items()
        for i in range(len(addresses))
    ]
    arguments = json.dumps(spec), json.dumps([task.pid for task in tasks])
    try:
        done = subprocess.run(
            [python, "-c", CLIENT.format(module=module), *arguments],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=300,
        )
        return dict(json.loads(done.stdout.splitlines()[-1]))
    finally:
        for task in tasks:
            task.kill()
            task.wait()


def main() -> None:
    """Prints the rates per second."""
    pythons = {"twinflow": sys.executable}
    if os.environ.get("TF_PYTHON"):
        pythons["tensorflow"] = os.environ["TF_PYTHON"]
    rounds: dict[str, list[dict[str, list[float]]]] = {module: [] for module in pythons}
    for _ in range(int(os.environ.get("ROUNDS", ROUNDS))):
        for module, python in pythons.items():
            rates = {} if "--workers" in sys.argv else _measure(python, module)
            rounds[module].append(rates | _measure_workers(python, module))
    columns = [f"{module}{kind}" for kind in (", per second", ", us") for module in pythons]
    print("| | " + " | ".join(columns) + " |")
    print("| --- |" + " --- |" * len(columns))
    for row in rounds["twinflow"][0]:
        medians = [statistics.median(r[row][i] for r in rounds[m]) for i in (0, 1) for m in pythons]
        print(f"| {row} | " + " | ".join(f"{value:,.4g}" for value in medians) + " |")


if __name__ == "__main__":
    main()
