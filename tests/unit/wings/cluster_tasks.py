"""Tasks in processes of their own, for the tests of clusters."""

import contextlib
import subprocess
import sys

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


def end(process):
    """Kills a task."""
    process.kill()
    process.wait()
    process.stdout.close()


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
