"""Random programs on a cluster, compared with a serial run: ``python -m tests.cluster_schedules``.

Three clients in processes of their own share two parameter servers and two workers. Each runs random
operations, assignments, functions over several tasks, and forgets tensors; the values are small
integers, so that every result equals that of the same program in one process. Sums of updates that all
clients make to shared variables have to be exact. In the end the tasks have to keep nothing.
"""

import argparse
import gc
import json
import random
import subprocess
import sys

import numpy as np

from tests.unit.wings import cluster_tasks

_CLIENT = """
import sys
from tests.cluster_schedules import client
client(*sys.argv[1:])
"""
DEVICES = ["/job:ps/task:0", "/job:ps/task:1", "/job:worker/task:0", "/job:worker/task:1", None]


def functions(tf, is_remote):
    """Returns functions of two tensors and a variable; those of a cluster have blocks of tasks."""

    def on(device):
        return tf.device(device if is_remote else None)

    @tf.function
    def mixed(x, y, v):
        with on(DEVICES[2]):
            a = x * 2.0 + y
        with on(DEVICES[3]):
            b = a - y
        v.assign_add(b)
        return a + b + v

    @tf.function
    def loop(x, y, v):
        for i in tf.range(3):
            x = x + y * tf.cast(i, tf.float32)
        v.assign(x)
        return x - v + y

    @tf.function
    def branch(x, y, v):
        if tf.reduce_sum(x) > tf.reduce_sum(y):
            v.assign_sub(y)
            return x
        return y + v

    return [mixed, loop, branch]


def run_program(tf, seed, is_remote, length=25):
    """Runs a random program; returns the values that it has read."""
    choose = random.Random(seed)
    values, calls = [], functions(tf, is_remote)

    def on(number):
        return tf.device(DEVICES[number] if is_remote else None)

    def small(x):
        return tf.math.floormod(x, 17.0)

    with on(4):
        tensors = [tf.constant([1.0, 2.0, 3.0])]
    with on(choose.randrange(2)):
        variables = [tf.Variable([5.0, 6.0, 7.0])]
    for _ in range(length):
        kind, place = choose.randrange(8), choose.randrange(5)
        x, y, v = choose.choice(tensors), choose.choice(tensors), choose.choice(variables)
        with on(place):
            if kind == 0:
                tensors.append(small(x * y + 1.0))
            elif kind == 1:
                tensors.append(small(tf.reverse(x, [0]) - y + v))
            elif kind == 2:
                v.assign(small(x + y))
            elif kind == 3:
                v.assign_add(x)
            elif kind == 4:
                tensors.append(small(choose.choice(calls)(x, y, v)))
                v.assign(small(v))
            elif kind == 5 and len(tensors) > 1:
                tensors.pop(choose.randrange(len(tensors)))
            elif kind == 6 and len(variables) < 4 and place < 2:
                variables.append(tf.Variable(small(x)))
            else:
                values.append(choose.choice([*tensors, *variables]).numpy().tolist())
        del x, y, v
    return [*values, *(t.numpy().tolist() for t in (*tensors, *variables))]


def client(spec, number, first, count):
    """Runs programs against a cluster, and compares each with a run in this process."""
    import twinflow as tf

    cluster, number, first, count = json.loads(spec), int(number), int(first), int(count)
    v1 = tf.compat.v1
    with v1.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            total = v1.get_variable("total", initializer=np.zeros(3, "f"), use_resource=True)
            add = total.assign_add([1.0, 2.0, 3.0])
        session = v1.Session(f"grpc://{cluster['worker'][number % 2]}")
    tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec(cluster))
    failures = []
    for seed in range(first, first + count):
        there = run_program(tf, 10 * seed + number, True)
        session.run(add.op)
        if there != run_program(tf, 10 * seed + number, False):
            failures.append(10 * seed + number)
        gc.collect()
    session.close()
    print(json.dumps(failures))


def main(arguments=None):
    """Runs the schedules; raises AssertionError with the seeds of those that differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args(arguments)
    print(f"{options.count} schedules from seed {options.seed}", flush=True)
    import twinflow as tf
    from twinflow._src.wings.distribute import remote

    v1, share = tf.compat.v1, [options.count // 3 + (i < options.count % 3) for i in range(3)]
    with cluster_tasks.cluster(ps=2, worker=2) as (_, spec):
        with v1.Graph().as_default(), tf.device("/job:ps/task:0"):
            total = v1.get_variable("total", initializer=np.zeros(3, "f"), use_resource=True)
            with v1.Session(f"grpc://{spec['worker'][0]}") as session:
                session.run(total.initializer)
            firsts = [options.seed + sum(share[:i]) for i in range(3)]
            clients = [
                subprocess.Popen(
                    [sys.executable, "-c", _CLIENT, json.dumps(spec), str(i), str(first), str(n)],
                    env=cluster_tasks.OUTSIDE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
                for i, (first, n) in enumerate(zip(firsts, share))
            ]
            outputs = [process.communicate()[0] for process in clients]
            assert [process.returncode for process in clients] == [0, 0, 0]
            failures = [seed for text in outputs for seed in json.loads(text.splitlines()[-1])]
            assert failures == [], f"programs with other values: {failures}"
            with v1.Session(f"grpc://{spec['worker'][0]}") as session:
                assert session.run(total).tolist() == [options.count * i for i in (1.0, 2.0, 3.0)]
        addresses = {(job, i): a for job, listed in spec.items() for i, a in enumerate(listed)}
        for place, address in addresses.items():
            peer = remote.Peer(place, address, {})
            health = peer.health()
            assert health["sessions"] == 1 and health["kept"] == 0, (place, health)
            peer.close()
    print("all equal", flush=True)


if __name__ == "__main__":
    main()
