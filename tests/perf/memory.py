"""Measures how much memory programs take at their peak, beside TensorFlow's.

    python -m tests.perf.memory tensorflow=/path/to/python   # a part of `make oracle-bench`

Each program runs in a process of its own: once with little data, so that what is loaded and compiled is there,
then with all of it. Its peak is told over what the process had in between. Linux tells that peak, and forgets it.
"""

from __future__ import annotations

import importlib
import json
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

ROOT = pathlib.Path(__file__).parent.parent.parent
MB = 1 << 20
SIDE = 2048  # of the layers' weights, of float32: 16 MB


def layers(tf: Any, np: Any, traced: bool) -> Callable[[int], Any]:
    """Gradients of four layers; each makes three results of 64 MB."""
    rng = np.random.default_rng(1)
    weights = [tf.Variable(rng.normal(0, 0.03, (SIDE, SIDE)).astype(np.float32)) for _ in range(4)]
    biases = [tf.Variable(np.zeros(SIDE, np.float32)) for _ in range(4)]

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            for w, b in zip(weights, biases, strict=True):
                x = tf.nn.relu(x @ w + b)
            loss = tf.reduce_mean(tf.square(x))
        return tape.gradient(loss, weights + biases)

    run = tf.function(step) if traced else step
    return lambda rows: run(tf.ones([rows, SIDE]))


def chain(tf: Any, one: Callable[[Any], Any], taped: bool) -> Callable[[int], Any]:
    """Twelve times an operation, one result of 64 MB after the other."""

    def run(rows: int) -> Any:
        x = tf.ones([rows, SIDE])
        with tf.GradientTape() as tape:
            if taped:
                tape.watch(x)
            y = x
            for _ in range(12):
                y = one(y)
        return tape.gradient(y, x) if taped else y

    return run


def normalized(tf: Any) -> Callable[[Any], Any]:
    """An operation of several: rows with mean 0 and variance 1."""

    def one(x: Any) -> Any:
        centered = x - tf.reduce_mean(x, 1, keepdims=True)
        return centered * tf.math.rsqrt(
            tf.reduce_mean(tf.square(centered), 1, keepdims=True) + 1e-3
        )

    return one


def steps(tf: Any, np: Any) -> Callable[[int], Any]:
    """Steps of Adam on four variables, which have 64 MB each."""
    optimizer = tf.keras.optimizers.Adam

    def run(rows: int) -> Any:
        variables = [tf.Variable(tf.zeros([rows, SIDE])) for _ in range(4)]
        own = optimizer()
        for _ in range(3):
            own.apply_gradients([(tf.ones([rows, SIDE]), v) for v in variables])

    return run


def convolved(tf: Any, np: Any) -> Callable[[int], Any]:
    """A convolution and its gradients, of images with 64 MB in all."""
    filters = tf.Variable(np.ones((3, 3, 64, 64), np.float32))

    def run(rows: int) -> Any:
        x = tf.ones([max(rows // 512, 1), 64, 64, 64])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.conv2d(x, filters, 1, "SAME")
        return tape.gradient(y, [x, filters])

    return run


def saved(tf: Any, np: Any) -> Callable[[int], Any]:
    """A checkpoint of four variables of 64 MB, written and read."""

    def run(rows: int) -> Any:
        variables = [tf.Variable(tf.ones([rows, SIDE])) for _ in range(4)]
        with tempfile.TemporaryDirectory() as folder:
            path = tf.train.Checkpoint(v=variables).write(f"{folder}/x")
            tf.train.Checkpoint(v=variables).read(path)

    return run


PROGRAMS: dict[str, Callable[[Any, Any], Callable[[int], Any]]] = {
    "12 sums, no tape": lambda tf, np: chain(tf, lambda y: y + 1.0, False),
    "12 sums on a tape": lambda tf, np: chain(tf, lambda y: y + 1.0, True),
    "12 tanh on a tape": lambda tf, np: chain(tf, tf.tanh, True),
    "12 normalizations on a tape": lambda tf, np: chain(tf, normalized(tf), True),
    "4 layers and their gradients": lambda tf, np: layers(tf, np, False),
    "4 layers and their gradients, traced": lambda tf, np: layers(tf, np, True),
    "steps of Adam, 256 MB of variables": steps,
    "conv2d and its gradients": convolved,
    "a checkpoint of 256 MB, out and in": saved,
}
ROWS, FEW = 4 * SIDE, 64
IMPORT = "import"


def of_process(field: str) -> int:
    """The bytes that Linux tells of this process: ``VmRSS`` now, ``VmHWM`` at its peak."""
    lines = pathlib.Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) * 1024


def measured(module: str, what: str) -> int:
    """In a process of its own: the bytes that a program takes at its peak."""
    import numpy as np

    before = of_process("VmRSS")
    tf = importlib.import_module(module)
    if what == IMPORT:
        tf.add(1.0, 1.0)
        return of_process("VmRSS") - before
    run = PROGRAMS[what](tf, np)
    run(FEW)
    before = of_process("VmRSS")
    pathlib.Path("/proc/self/clear_refs").write_text("5", "utf-8")  # forgets the peak
    for _ in range(2):
        run(ROWS)
    return of_process("VmHWM") - before


def of_module(module: str, python: str) -> dict[str, int]:
    """The peaks of all programs."""
    found = {}
    for what in (IMPORT, *PROGRAMS):
        command = [python, "-m", "tests.perf.memory", f"--module={module}", f"--what={what}"]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        found[what] = int(json.loads(done.stdout.splitlines()[-1]))
    return found


def table(peaks: dict[str, dict[str, int]]) -> str:
    """The peaks of libraries beside each other, in Markdown."""
    ours, *others = peaks.values()
    lines = [f"| megabytes at the peak | {' | '.join(peaks)} |", "| --- |" + " ---: |" * len(peaks)]
    for what, peak in ours.items():
        cells = [f"{other[what] / MB:.0f} ({other[what] / max(peak, 1):.2g}x)" for other in others]
        lines.append(f"| {what} | {' | '.join([f'{peak / MB:.0f}', *cells])} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Prints the peak of one program, or the table."""
    given = dict(pair.split("=", 1) for pair in sys.argv[1:])
    if "--what" in given:
        print(measured(given["--module"], given["--what"]))
    else:
        pythons = {"twinflow": sys.executable} | given
        print(table({module: of_module(module, python) for module, python in pythons.items()}))


if __name__ == "__main__":
    main()
