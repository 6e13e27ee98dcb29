"""Answers of two workers with ``MultiWorkerMirroredStrategy``.

    python tests/golden/multi_worker.py --record    records TensorFlow's, for a Python that has it

Each worker is a process, ``python multi_worker.py MODULE RANK PORTS FOLDER``, that evaluates the same
statements with its ``rank`` and prints the results.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_suffix(".json")

# Definitions, after which each question is an expression.
SETUP = """
import os
import numpy as np
P = tf.data.experimental.AutoShardPolicy
D = tf.data.Dataset
S = tf.VariableSynchronization
A = tf.VariableAggregation
E = strategy.extended
here = tf.distribute.get_replica_context
names = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".txt"))
run = strategy.run

with strategy.scope():
    v = tf.Variable(10.0 + rank, name="v")
    w = tf.Variable([1.0 + rank, 2.0], name="w", aggregation=A.MEAN)
    s = tf.Variable(0.0, synchronization=S.ON_READ, aggregation=A.SUM, name="s")
    m = tf.Variable(0.0, synchronization=S.ON_READ, aggregation=A.MEAN, name="m")
    f = tf.Variable(0.0, synchronization=S.ON_READ, aggregation=A.ONLY_FIRST_REPLICA, name="f")
    st = tf.Variable(0.0, aggregation=A.SUM, name="st")
    ff = tf.Variable(0.0, aggregation=A.ONLY_FIRST_REPLICA, name="ff")
    i = tf.Variable(3 + rank, name="i")
    b = tf.Variable(rank == 1, name="b")
    x = tf.Variable([[1.0, 2.0]], name="x")

def grad():
    x = tf.constant([1.0 + rank, 2.0])
    with tf.GradientTape() as t:
        t.watch(x)
        z = tf.reduce_sum(here().all_reduce("sum", x * x) * [1.0, 3.0])
    return t.gradient(z, x)

def gather_grad():
    x = tf.ones([2, 1 + rank])
    with tf.GradientTape() as t:
        t.watch(x)
        z = tf.reduce_sum(here().all_gather(x, 1) * [1.0, 3.0, 5.0])
    return t.gradient(z, x)

@tf.function
def traced(function):
    return run(function)

@tf.function
def loop():
    total = tf.constant(0.0)
    for k in tf.range(3):
        total += strategy.reduce("SUM", run(lambda: tf.constant(1.0 + rank)), axis=None) * tf.cast(k, tf.float32)
    return total

@tf.function
def reduced(op, shape):
    return strategy.reduce(op, run(lambda: tf.ones(shape) * (rank + 1)), axis=None)

@tf.function
def gathered(axis):
    return strategy.gather(run(lambda: tf.ones([1 + rank, 2]) * rank), axis=axis)

def merge():
    def merged(strategy, value):
        return type(value).__name__ + repr(strategy.extended.reduce_to("SUM", value, "/cpu:0"))
    return here().merge_call(merged, args=(tf.constant(1.0 + rank),))

def assigned(variable, method, value):
    def update():
        getattr(variable, method)(value)
    run(update)
    return variable.numpy()

def first_in_function():
    made = []
    @tf.function
    def f(x):
        if not made:
            made.append(tf.Variable(5.0 + rank))
        return made[0] + x
    with strategy.scope():
        return f(1.0)

def first_in_replica():
    made = []
    @tf.function
    def f():
        def g():
            if not made:
                made.append(tf.Variable(5.0 + rank))
            return made[0] * 2.0
        return run(g)
    return f()

def with_policy(dataset, policy):
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = policy
    return dataset.with_options(options)

def parts(value):
    return [x.numpy().tolist() for x in strategy.experimental_local_results(value)]

def elements(dataset, policy=None):
    if policy is not None:
        dataset = with_policy(dataset, policy)
    return [
        [parts(y) for y in x] if isinstance(x, tuple) else parts(x)
        for x in strategy.experimental_distribute_dataset(dataset)
    ]

def from_function(make):
    return [parts(x) for x in strategy.distribute_datasets_from_function(make)]

@tf.function
def total_of(iterator):
    total = tf.constant(0, tf.int64)
    for x in iterator:
        total += strategy.reduce("SUM", run(tf.reduce_sum, args=(x,)), axis=None)
    return total

@tf.function
def steps(iterator, count):
    total = tf.constant(0, tf.int64)
    for _ in tf.range(count):
        total += strategy.reduce("SUM", run(tf.reduce_sum, args=(next(iterator),)), axis=None)
    return total

def train(optimizer):
    with strategy.scope():
        weights = tf.Variable([[0.5], [-0.25]])
        count = tf.Variable(0.0, synchronization=S.ON_READ, aggregation=A.SUM)
    rate = 0.1
    dataset = D.from_tensor_slices((tf.reshape(tf.range(16.0), [8, 2]), tf.range(8.0))).batch(4)
    @tf.function
    def step(features, labels):
        with tf.GradientTape() as tape:
            error = tf.reduce_sum(features @ weights, 1) - labels
            loss = tf.reduce_sum(error ** 2) / 4
        gradient = here().all_reduce("sum", tape.gradient(loss, weights))
        weights.assign_sub(rate * 0.01 * gradient)
        count.assign_add(tf.cast(tf.shape(labels)[0], tf.float32))
        return loss
    losses = [
        float(strategy.reduce("SUM", run(step, args=batch), axis=None))
        for batch in strategy.experimental_distribute_dataset(dataset.repeat(2))
    ]
    return losses, weights.numpy().tolist(), float(count.numpy())

def checkpoint():
    place = os.path.join(folder, "c" if rank == 0 else "c%d" % rank)
    path = tf.train.Checkpoint(x=x, s=s).save(os.path.join(place, "a"))
    x.assign([[5.0, 6.0]])
    tf.train.Checkpoint(x=x, s=s).restore(path)
    return sorted(os.listdir(place)), tf.train.list_variables(path), x.numpy().tolist(), s.numpy()
"""

# A line each; "policy" stands for all policies that are meant.
QUESTIONS = """
strategy.num_replicas_in_sync
[E.experimental_between_graph, E.experimental_should_init, E.should_checkpoint, E.should_save_summary]
[strategy.cluster_resolver.task_type, strategy.cluster_resolver.task_id]
type(strategy).__name__, type(E).__name__
v, w.numpy(), i.numpy(), b.numpy()
type(v).__name__, type(s).__name__, len(v.values)
v.assign(5.0 + rank), v.numpy()
run(lambda: here().replica_id_in_sync_group), run(lambda: here().num_replicas_in_sync)
strategy.reduce("SUM", run(lambda: tf.constant(1.0 + rank)), axis=None)
strategy.reduce("mean", run(lambda: tf.constant(1.0 + rank)), axis=None)
strategy.reduce("MEAN", run(lambda: tf.constant([1.0 + rank] * (rank + 1))), axis=0)
strategy.reduce("SUM", run(lambda: tf.constant([1.0 + rank] * (rank + 1))), axis=0)
strategy.reduce("SUM", 1.0 + rank, axis=None), strategy.reduce("MEAN", 1.0 + rank, axis=None)
strategy.reduce("MEAN", tf.constant(1 + 2 * rank), axis=None)
[strategy.reduce("SUM", tf.constant([1], t), axis=None) for t in (tf.float16, tf.bfloat16, tf.float64, tf.int32, tf.int64)]
strategy.reduce("SUM", tf.IndexedSlices(tf.constant([[1.0 + rank]] * (rank + 1)), tf.range(rank + 1), [5, 1]), axis=None).values
strategy.gather(tf.constant([[1.0 + rank]] * (rank + 1)), axis=0), strategy.gather(tf.constant([[1.0 + rank]]), axis=1)
run(lambda: here().all_gather(tf.constant([1.0 + rank]), axis=0))
run(lambda: here().all_reduce("sum", tf.constant([1.0 + rank])))
run(lambda: here().all_reduce(tf.distribute.ReduceOp.MEAN, {"a": tf.constant([1.0 + rank]), "b": [tf.constant(2.0)]}))
run(grad), traced(grad)
run(gather_grad), traced(gather_grad)
loop(), reduced("SUM", [2]), reduced("MEAN", [2, 1]), gathered(0)
run(merge)
assigned(v, "assign", 1.0 + rank), assigned(v, "assign_add", 1.0)
assigned(st, "assign", 1.0 + rank), assigned(st, "assign_add", 1.0 + rank), assigned(st, "assign_sub", 1.0)
assigned(w, "assign", [1.0 + rank, 0.0]), assigned(ff, "assign_add", 1.0 + rank)
[assigned(each, "assign_add", 1.0 + rank) for each in (s, m, f)]
s.assign(10.0), s.read_value(), strategy.experimental_local_results(s)
s.assign_add(10.0)
m.assign(10.0), m.read_value()
strategy.experimental_local_results(run(lambda: tf.constant(1.0 + rank)))
strategy.experimental_distribute_values_from_function(lambda c: tf.constant(c.replica_id_in_sync_group * 10 + c.num_replicas_in_sync))
E.update(v, lambda x, y: x.assign_add(y), args=(1.0 + rank,))
E.broadcast_to(tf.constant(1.0 + rank), v)
E.batch_reduce_to("SUM", [(tf.constant(1.0 + rank), v), (tf.constant([2.0]), v)])
first_in_function(), first_in_replica()
elements(D.range(8).batch(4), policy)
elements(D.range(10).batch(4), policy)
elements(D.range(10).batch(3), policy)
elements(D.range(10).batch(4, drop_remainder=True), policy)
elements(D.range(10).batch(4).map(lambda x: x * 2), policy)
elements(D.range(6).batch(4).repeat(2), policy)
elements(D.range(6).repeat(2).batch(4), policy)
elements(D.from_tensor_slices((tf.range(6), tf.range(6) * 10)).batch(2), policy)
elements(D.range(8).shuffle(8, seed=1).batch(4).prefetch(1), policy)
elements(D.range(3).batch(1), policy)
strategy.experimental_distribute_dataset(D.range(8).batch(4, drop_remainder=True)).element_spec
strategy.experimental_distribute_dataset(D.range(8).batch(4)).cardinality
elements(tf.data.TextLineDataset(names).batch(4), files)
elements(tf.data.TextLineDataset(names).batch(3), files)
elements(tf.data.TextLineDataset(names).repeat(2).batch(4), files)
elements(tf.data.TextLineDataset(names).shard(2, 1).batch(4), files)
elements(D.list_files(folder + "/*.txt", shuffle=False).interleave(tf.data.TextLineDataset, cycle_length=1).batch(4), files)
elements(D.from_tensor_slices(names).flat_map(tf.data.TextLineDataset).map(tf.strings.length).batch(4), files)
elements(D.from_tensor_slices(names).interleave(lambda n: tf.data.TextLineDataset(n).skip(1), num_parallel_calls=2).batch(4), files)
elements(D.zip((tf.data.TextLineDataset(names), tf.data.TextLineDataset(names))).batch(4), files)
elements(tf.data.TextLineDataset(names).concatenate(tf.data.TextLineDataset(names)).batch(4), files)
elements(D.range(8).shard(tf.data.experimental.SHARD_HINT, tf.data.experimental.SHARD_HINT).batch(2), P.HINT)
from_function(lambda c: D.range(10).shard(c.num_input_pipelines, c.input_pipeline_id).batch(2))
from_function(lambda c: D.range(2 + 2 * rank).batch(2))
from_function(lambda c: D.from_tensors([c.num_input_pipelines, c.input_pipeline_id, c.num_replicas_in_sync, c.get_per_replica_batch_size(8)]))
total_of(strategy.experimental_distribute_dataset(D.range(10).batch(4)))
total_of(iter(strategy.experimental_distribute_dataset(D.range(10).batch(4))))
steps(iter(strategy.experimental_distribute_dataset(D.range(10).batch(4).repeat())), 5)
strategy.experimental_distribute_dataset(D.range(10).batch(4)).reduce(0, lambda s, x: s + 1)
train("sgd")
checkpoint()
strategy.reduce("SUM", tf.constant([1.0]), axis=None)
"""

# Where we differ on purpose, with the reason.
DIFFERENT: dict[str, str] = {}


def questions() -> list[str]:
    """Returns the expressions, one for each policy."""
    lines: list[str] = []
    for line in QUESTIONS.strip().splitlines():
        names = (
            ("AUTO", "DATA", "OFF", "HINT")
            if "policy)" in line
            else ("AUTO", "DATA", "OFF", "FILE")
        )
        if re.search(r", (policy|files)\)$", line):
            lines += [re.sub(r"(policy|files)\)$", f"P.{name})", line) for name in names]
        else:
            lines.append(line)
    return lines


def clean(value: Any) -> str:
    """Returns the text of an answer without the names of devices, packages and folders."""
    text = re.sub(r"0x[0-9a-f]+", "0x", repr(value))
    return re.sub(r"/job:\w+/replica:0/task:\d", "", text).replace("twinflow", "tensorflow")


def worker(module: str, rank: int, ports: str, folder: str) -> None:
    """Prints the answers of one worker."""
    cluster = {"worker": [f"localhost:{port}" for port in ports.split(",")]}
    os.environ["TF_CONFIG"] = json.dumps(
        {"cluster": cluster, "task": {"type": "worker", "index": rank}}
    )
    tf = __import__(module)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    values: dict[str, Any] = {"tf": tf, "strategy": strategy, "rank": rank, "folder": folder}
    setup = Path(folder, "setup.py")  # AutoGraph reads the source
    exec(compile(setup.read_text(), str(setup), "exec"), values)
    answers = {}
    for line in questions():
        try:
            answers[line] = clean(eval(line, values)).replace(folder, "")
        except Exception as error:
            answers[line] = f"{type(error).__name__}: {error}".partition("\n")[0]
    print("\n" + json.dumps(answers))


def answers_of(python: str, module: str, env: dict[str, str]) -> list[dict[str, str]]:
    """Returns the answers of two workers."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        sockets = [stack.enter_context(socket.socket()) for _ in range(2)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        ports = ",".join(str(each.getsockname()[1]) for each in sockets)
        for number in range(3):
            lines = [f"f{number}l{i}\n" for i in range(1, 6)]
            Path(folder, f"{number}.txt").write_text("".join(lines))
        Path(folder, "setup.py").write_text(SETUP)
        for each in sockets:
            each.close()
        commands = [[python, __file__, module, str(rank), ports, folder] for rank in range(2)]
        pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        workers = [subprocess.Popen(command, env=env, **pipes) for command in commands]
        try:
            outs = [each.communicate(timeout=300) for each in workers]
        finally:
            for each in workers:
                each.kill()
    for each, (_, errors) in zip(workers, outs, strict=True):
        if each.returncode:
            raise RuntimeError(errors[-4000:])
    return [json.loads(out.splitlines()[-1]) for out, _ in outs]


def record() -> None:
    """Writes TensorFlow's answers."""
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_ENABLE_ONEDNN_OPTS": "0"}
    found = answers_of(sys.executable, "tensorflow", {**os.environ, **quiet})
    both = {line: [answers[line] for answers in found] for line in questions()}
    FILE.write_text(json.dumps(both, indent=1) + "\n")


if __name__ == "__main__":
    if "--record" in sys.argv:
        record()
    else:
        worker(sys.argv[1], int(sys.argv[2]), *sys.argv[3:5])
