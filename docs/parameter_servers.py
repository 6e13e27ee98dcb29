"""Training on two workers and two parameter servers, any one of which may be killed.

    python docs/parameter_servers.py FOLDER --steps 600          # a cluster of processes of this machine
    python docs/parameter_servers.py FOLDER --kill ps:1          # kills one of them meanwhile

A worker that is lost is replaced: its step runs on another, and it is used again when it is back. When
a parameter server is lost, its variables are: the program restores the last checkpoint. A program that
is killed itself goes on from its checkpoint when it is started again.

On a real cluster, SLURM, Kubernetes or Dask start the tasks and restart those that end; here a thread does.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import threading
import time

import twinflow as tf


def free_port():
    """Returns a free port of this machine."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


class LocalCluster:
    """Tasks in processes of this machine, which are started again when they end."""

    def __init__(self, **counts):
        self.spec = {
            job: [f"localhost:{free_port()}" for _ in range(count)] for job, count in counts.items()
        }
        self.processes = {}
        self.restarts = 0
        self._ended = threading.Event()
        for job, addresses in self.spec.items():
            for index in range(len(addresses)):
                self._start(job, index)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _start(self, job, index):
        config = json.dumps({"cluster": self.spec, "task": {"type": job, "index": index}})
        self.processes[job, index] = subprocess.Popen(
            [sys.executable, "-m", "twinflow.task"],
            env={**os.environ, "TF_CONFIG": config},
            stdout=subprocess.DEVNULL,
        )

    def _watch(self):
        while not self._ended.wait(0.1):
            for (job, index), process in list(self.processes.items()):
                if process.poll() is not None:
                    self.restarts += 1
                    self._start(job, index)

    def kill(self, job, index):
        """Kills a task."""
        self.processes[job, index].kill()

    def close(self):
        """Ends all tasks."""
        self._ended.set()
        self._thread.join()
        for process in self.processes.values():
            process.kill()
            process.wait()


WEIGHTS = [[1.0], [-2.0], [3.0]]


def make_dataset():
    """Returns the data of a worker: a linear model without noise."""
    x = tf.random.stateless_uniform([4096, 3], seed=[1, 2])
    return tf.data.Dataset.from_tensor_slices((x, x @ WEIGHTS + 0.5)).repeat().batch(32)


def train(spec, folder, steps, report):
    """Trains to a number of steps, from the last checkpoint on; returns the weights."""
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec(spec), rpc_layer="grpc"
    )
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        w, b = tf.Variable(tf.zeros([3, 1])), tf.Variable(tf.zeros([1]))
        count = tf.Variable(0, dtype=tf.int64)
        optimizer = tf.keras.optimizers.SGD(0.2)
        optimizer.build([w, b])
    checkpoint = tf.train.Checkpoint(w=w, b=b, count=count, optimizer=optimizer)
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    checkpoint.restore(manager.latest_checkpoint)

    @tf.function
    def step(iterator):
        x, y = next(iterator)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w + b - y) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b]))
        count.assign_add(1)
        return loss

    iterator = iter(coordinator.create_per_worker_dataset(make_dataset))
    while count.numpy() < steps:
        for _ in range(20):
            loss = coordinator.schedule(step, args=(iterator,))
        coordinator.join()
        manager.save()
        report(int(count), float(loss.fetch()))
    return w.numpy(), b.numpy()


def main():
    """Runs the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="the folder of the checkpoints")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--kill", help="a task that is killed after 100 steps, such as ps:1")
    options = parser.parse_args()
    cluster = LocalCluster(worker=2, ps=2)
    waits = [options.kill] if options.kill else []

    def report(step, loss):
        print(f"step {step}: loss {loss:.2e}", flush=True)
        if waits and step >= 100:
            job, index = waits.pop().split(":")
            print(f"killing {job} {index}", flush=True)
            cluster.kill(job, int(index))

    try:
        while True:
            try:
                w, b = train(cluster.spec, options.folder, options.steps, report)
                break
            except (tf.errors.UnavailableError, tf.errors.AbortedError) as error:
                print(f"restoring the last checkpoint: {error.message}", flush=True)
                time.sleep(0.5)
        print("weights", w.ravel().round(3).tolist(), b.round(3).tolist())
        print("restarts", cluster.restarts)
    finally:
        cluster.close()


if __name__ == "__main__":
    main()
