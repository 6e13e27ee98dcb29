"""The cost of an op among many: a long tape, graph or trace beside as many ops in short ones.

python -m tests.perf.growth                          # `make bench-growth`
python -m tests.perf.growth --what "operations in one graph" --sizes 1e6
"""

from __future__ import annotations

import argparse
import importlib
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from .timing import Pair, in_units

LONG, SHORT = 50_000, 500


def taped(tf: Any, count: int) -> None:
    """Records a chain of operations and walks it back."""
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(count):
            y = y * 1.0
    tape.gradient(y, x)


def graphed(tf: Any, count: int) -> None:
    """Builds a chain of operations in a graph and runs it."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [])
        y = x
        for _ in range(count):
            y = y + 1.0
    with tf.compat.v1.Session(graph=graph) as session:
        session.run(y, {x: 1.0})


def traced(tf: Any, count: int) -> None:
    """Traces a chain of operations and runs it."""

    def chain(x: Any) -> Any:
        for _ in range(count):
            x = x + 1.0
        return x

    tf.function(chain, autograph=False)(tf.constant(0.0))


def saved(tf: Any, count: int) -> None:
    """Writes a checkpoint of many small variables and reads it back."""
    variables = [tf.Variable([1.0, 2.0]) for _ in range(count)]
    with tempfile.TemporaryDirectory(prefix="twinflow-bench-") as folder:
        checkpoint = tf.train.Checkpoint(v=variables)
        checkpoint.read(checkpoint.write(f"{folder}/many")).assert_consumed()


def saved_large(tf: Any, count: int) -> None:
    """Writes gigabytes of one tensor with memory for 2.5, and reads and compares one by one."""
    gigabyte = 1 << 30
    limit = _memory("VmData") + 5 * gigabyte // 2
    resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.RLIM_INFINITY))
    tensor = tf.range(gigabyte // 4)
    names = [f"v{i}" for i in range(count)]
    with tempfile.TemporaryDirectory(prefix="twinflow-bench-") as folder:
        path = f"{folder}/large"
        tf.raw_ops.SaveV2(
            prefix=path, tensor_names=names, shape_and_slices=[""] * count, tensors=[tensor] * count
        )
        for name in names:
            (found,) = tf.raw_ops.RestoreV2(
                prefix=path, tensor_names=[name], shape_and_slices=[""], dtypes=[tf.int32]
            )
            assert tf.reduce_all(found == tensor)
            del found


def held(tf: Any, count: int) -> Callable[[], None]:
    """Adds to one variable among many that are alive."""
    variables = [tf.Variable(1.0) for _ in range(count)]
    return lambda: [variables[0].assign_add(1.0) for _ in range(1000)] and None


def pairs(tf: Any, np: Any) -> list[Pair]:
    """One long piece of work beside as much work in pieces of a hundredth."""

    def times(work: Callable[[Any, int], None]) -> Callable[[], None]:
        return lambda: [work(tf, SHORT) for _ in range(LONG // SHORT)] and None

    return [
        *(
            Pair(f"5e4 operations in one {name}", lambda w=work: w(tf, LONG), times(work), most=2)
            for name, work in (("tape", taped), ("graph", graphed), ("trace", traced))
        ),
        Pair("assign_add beside 5e4 variables", held(tf, LONG), held(tf, 1), most=1.5),
    ]


# ------------------------------------------------------------------ scale

# A program's sizes; a graph or a trace of 1e6 operations takes 4 GB and minutes, on request.
PROGRAMS: dict[str, Callable[[Any, int], Any]] = {
    "variables": lambda tf, count: [tf.Variable(1.0) for _ in range(count)],
    "operations in one tape": taped,
    "operations in one graph": graphed,
    "operations in one trace": traced,
    "tensors in a checkpoint": saved,
    "gigabytes in a checkpoint": saved_large,
}
SIZES = dict.fromkeys(PROGRAMS, (10000, 100000)) | {"gigabytes in a checkpoint": (1, 4)}


def _memory(field: str) -> int:
    lines = pathlib.Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) * 1024


def scaled(module: str, what: str, count: int) -> tuple[float, float]:
    """Returns processor seconds and bytes of memory for each item, in this process."""
    tf = importlib.import_module(module)
    PROGRAMS[what](tf, 1)
    before, start = _memory("VmRSS"), time.process_time()
    kept = PROGRAMS[what](tf, count)
    taken = time.process_time() - start, _memory("VmHWM") - before
    del kept
    return taken[0] / count, taken[1] / count


def main() -> None:
    """Prints processor time and memory for each item of ever more, in processes of their own."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--module", default="twinflow")
    parser.add_argument("--what", choices=PROGRAMS, help="one program instead of all")
    parser.add_argument("--sizes", type=lambda text: [int(float(n)) for n in text.split(",")])
    options = parser.parse_args()
    programs, sizes = [options.what] if options.what else list(PROGRAMS), options.sizes
    if options.what and sizes and len(sizes) == 1:
        seconds, size = scaled(options.module, options.what, sizes[0])
        print(f"{sizes[0]:>9} {options.what:25} {in_units(seconds):>9} {size / 1024:>6.2f} KB each")
        return
    for what in programs:
        for count in sizes or SIZES[what]:
            command = [sys.executable, "-m", "tests.perf.growth", f"--module={options.module}"]
            subprocess.run([*command, f"--what={what}", f"--sizes={count}"], check=True)


if __name__ == "__main__":
    main()
