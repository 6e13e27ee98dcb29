"""Tasks in processes of their own, for the tests of clusters."""

import contextlib
import json
import socket
import subprocess
import sys
import time

from tests.harness import OUTSIDE


def start(job="ps", index=0, address="localhost:0", env=(), stderr=subprocess.DEVNULL):
    """Starts a task; returns its process and its address."""
    command = [sys.executable, "-m", "twinflow.task", "--job", job, "--index", str(index)]
    process = subprocess.Popen(
        [*command, "--address", address],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        env={**OUTSIDE, **dict(env)},
    )
    return process, process.stdout.readline().strip().removeprefix("grpc://")


def start_of(spec, job, index, env=()):
    """Starts a task of a cluster whose tasks know each other."""
    config = json.dumps({"cluster": spec, "task": {"type": job, "index": index}})
    process = subprocess.Popen(
        [sys.executable, "-m", "twinflow.task"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**OUTSIDE, **dict(env), "TF_CONFIG": config},
    )
    process.stdout.readline()
    return process


def addresses(**counts):
    """Returns a cluster at free ports."""
    from twinflow._src.wings.distribute.links import free_port

    return {job: [f"localhost:{free_port()}" for _ in range(n)] for job, n in counts.items()}


@contextlib.contextmanager
def cluster(env=(), **counts):
    """Context manager of a cluster whose tasks know each other; yields processes and addresses."""
    spec = addresses(**counts)
    processes = {}
    try:
        for job, listed in spec.items():
            for i in range(len(listed)):
                processes[job, i] = start_of(spec, job, i, env)
        yield processes, spec
    finally:
        for process in processes.values():
            end(process)


def end(process):
    """Kills a task."""
    process.kill()
    process.wait()
    process.stdout.close()


def wait_until(condition, seconds=90):
    """Waits for a condition; fails after a time limit that only a busy machine comes near."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@contextlib.contextmanager
def tasks(env=(), **counts):
    """Context manager that starts tasks; returns processes by place, and the cluster."""
    started = {
        (job, i): start(job, i, env=env) for job, count in counts.items() for i in range(count)
    }
    try:
        cluster = {job: [started[job, i][1] for i in range(count)] for job, count in counts.items()}
        yield {place: process for place, (process, _) in started.items()}, cluster
    finally:
        for process, _ in started.values():
            end(process)


def run(program, *arguments, env=(), timeout=120):
    """Runs a program in a new process; returns it with its output."""
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**OUTSIDE, **dict(env)},
    )


def sum_of_batches(strategy, dataset):
    """Returns the sum of a distributed dataset, by a loop that AutoGraph converts."""
    import twinflow as tf

    @tf.function
    def epoch(dataset):
        result = tf.constant(0, tf.int64)
        for batch in dataset:
            sums = strategy.run(tf.reduce_sum, args=(batch,))
            result += strategy.reduce("SUM", sums, axis=None)
        return result

    return int(epoch(dataset))


@contextlib.contextmanager
def workers(program, count, *arguments, env=(), setup=""):
    """Context manager that runs a program in several workers; returns their processes.

    Each has ``TF_CONFIG``, and the names ``rank`` and ``strategy``; ``print`` writes lines at once.
    """
    addresses = [f"localhost:{port}" for port in free_ports(count)]
    started = []
    for rank in range(count):
        task = {"type": "worker", "index": rank}
        config = json.dumps({"cluster": {"worker": addresses}, "task": task})
        started.append(start_worker(program, rank, config, *arguments, env=env, setup=setup))
    try:
        yield started
    finally:
        for process in started:
            end(process)


def start_worker(program, rank, config, *arguments, env=(), setup=""):
    """Starts a worker with a ``TF_CONFIG``."""
    return subprocess.Popen(
        [sys.executable, "-u", "-c", f"rank = {rank}\n{setup}{_HEAD}{program}", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**OUTSIDE, **dict(env), "TF_CONFIG": config},
    )


_HEAD = """
import json, os, signal, sys, time
import numpy as np
import twinflow as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
"""


def free_ports(count):
    """Returns free ports of this machine."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def outputs(processes, timeout=100):
    """Returns what the processes print, when they have ended."""
    return [process.communicate(timeout=timeout)[0].strip() for process in processes]
