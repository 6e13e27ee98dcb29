"""Failures of tasks and clients: what is lost, how fast it is noticed, and that nothing is left."""

import contextlib
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import twinflow as tf
from tests import cluster_schedules
from tests.unit.wings import cluster_tasks

pytest.importorskip("zmq", reason="clusters need the package pyzmq")
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module", autouse=True)
def keys(tmp_path_factory):
    """Keys of these tests, for the tasks as well."""
    directory = str(tmp_path_factory.mktemp("keys"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TWINFLOW_CLUSTER_KEYS", directory)
        patch.setitem(cluster_tasks.OUTSIDE, "TWINFLOW_CLUSTER_KEYS", directory)
        yield directory


@contextlib.contextmanager
def connected(env=(), **counts):
    from twinflow._src.wings.distribute import cluster

    with cluster_tasks.cluster(env, **counts) as (processes, spec):
        tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec(spec))
        try:
            yield processes, spec
        finally:
            cluster.disconnect()


@tf.function
def slow(x):
    for _ in tf.range(200_000):
        x = tf.sin(x)
    return x


MOMENTS = {
    "idle": lambda v: None,
    "in an operation": lambda v: tf.linalg.matmul(*[tf.ones([700, 700])] * 2),
    "in a function": lambda v: slow(tf.ones([100])),
    "in a large send": lambda v: [v.assign(np.ones(1 << 21, "f")) for _ in range(20)],
}


@pytest.mark.parametrize("job", ["ps", "worker"])
def test_a_task_that_is_killed_at_any_moment(job):
    """The error names the task; a task of its next life works, and does not know what was before."""
    with connected(ps=1, worker=1) as (processes, spec):
        for moment, begin in MOMENTS.items():
            with tf.device(f"/job:{job}/task:0"):
                v = tf.Variable(np.zeros(1 << 21, "f"))
                kept = tf.constant([1.0, 2.0]) * 2.0
                v.numpy()
                kept.numpy()
                begin(v)
            cluster_tasks.end(processes[job, 0])
            start = time.monotonic()
            with pytest.raises(tf.errors.UnavailableError, match=f"/job:{job}/replica:0/task:0"):
                for _ in range(10_000):
                    v.assign_add(np.ones(1 << 21, "f")).numpy()
            assert time.monotonic() - start < 5, moment
            with tf.device("/job:ps/task:0" if job == "worker" else "/job:worker/task:0"):
                assert (tf.constant(1.0) + 1.0).numpy() == 2.0  # the other task goes on
            processes[job, 0] = cluster_tasks.start_of(spec, job, 0)

            def new():
                with (
                    contextlib.suppress(tf.errors.UnavailableError),
                    tf.device(f"/job:{job}/task:0"),
                ):
                    return tf.Variable([1.0, 2.0]).numpy().tolist() == [1.0, 2.0]
                return False

            cluster_tasks.wait_until(new)
            for value in (v, kept):
                with pytest.raises(tf.errors.AbortedError, match="was started anew"):
                    value.numpy()
            del v, kept


def test_a_task_that_is_killed_while_it_is_greeted():
    """The connection is made by its system alone; its end is seen at once."""
    from twinflow._src.wings.distribute import remote

    process, address = cluster_tasks.start()
    os.kill(process.pid, signal.SIGSTOP)
    errors = []

    def connect():
        try:
            remote.Peer(("ps", 0), address, {})
        except tf.errors.UnavailableError as error:
            errors.append(error)

    connecting = threading.Thread(target=connect)
    connecting.start()
    established = f":{int(address.rpartition(':')[2]):04X} 01 "
    tables = [Path("/proc/net", name) for name in ("tcp", "tcp6")]
    cluster_tasks.wait_until(
        lambda: any(established in path.read_text() for path in tables if path.exists())
    )
    start = time.monotonic()
    cluster_tasks.end(process)
    connecting.join()
    assert errors and time.monotonic() - start < 5


@pytest.mark.parametrize("job", ["ps", "worker"])
def test_a_task_that_is_stopped_and_continued(job, monkeypatch):
    with connected(ps=1, worker=1) as (processes, _):
        with tf.device(f"/job:{job}/task:0"):
            v = tf.Variable([1.0])
        v.numpy()
        os.kill(processes[job, 0].pid, signal.SIGSTOP)
        os.waitpid(processes[job, 0].pid, os.WUNTRACED)  # until it has stopped
        monkeypatch.setenv("TWINFLOW_CLUSTER_TIMEOUT", "0.5")
        v.assign_add([1.0])
        with pytest.raises(tf.errors.DeadlineExceededError, match="has not answered"):
            v.numpy()
        os.kill(processes[job, 0].pid, signal.SIGCONT)
        monkeypatch.delenv("TWINFLOW_CLUSTER_TIMEOUT")
        assert v.numpy().tolist() == [2.0]
        os.kill(processes[job, 0].pid, signal.SIGSTOP)
        os.waitpid(processes[job, 0].pid, os.WUNTRACED)
        timer = threading.Timer(0.3, os.kill, (processes[job, 0].pid, signal.SIGCONT))
        timer.start()
        assert v.assign_add([1.0]).numpy().tolist() == [3.0]
        timer.join()


def test_a_host_that_is_gone_is_noticed_by_missing_heartbeats(monkeypatch):
    """A task that was stopped is silent, as one whose host or network is gone."""
    from twinflow._src.wings.distribute import links

    monkeypatch.setattr(links, "HEARTBEAT_SECONDS", 0.5)
    with connected(ps=1) as (processes, _):
        with tf.device("/job:ps/task:0"):
            v = tf.Variable([1.0])
        v.numpy()
        os.kill(processes["ps", 0].pid, signal.SIGSTOP)
        os.waitpid(processes["ps", 0].pid, os.WUNTRACED)
        start = time.monotonic()
        with pytest.raises(tf.errors.UnavailableError, match=r"/job:ps/replica:0/task:0 at .*lost"):
            v.numpy()
        assert 0.5 < time.monotonic() - start < 20
        os.kill(processes["ps", 0].pid, signal.SIGCONT)


def test_a_task_without_memory_for_an_operation_goes_on():
    with connected(ps=1) as (_processes, _spec):
        with tf.device("/job:ps/task:0"):
            v = tf.Variable(1.0)
            huge = tf.fill([1 << 25, 1 << 25], v)
        with pytest.raises(tf.errors.ResourceExhaustedError):
            huge.numpy()
        with pytest.raises(tf.errors.ResourceExhaustedError):
            (huge + 1.0).numpy()
        assert v.assign_add(1.0).numpy() == 2.0


CLIENT = """
import sys, time, numpy as np, twinflow as tf
tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec(eval(sys.argv[1])))
with tf.device("/job:ps/task:0"):
    v = tf.Variable(np.zeros(1 << 22, "f"))
v.numpy()
@tf.function
def slow(x):
    return tf.while_loop(lambda i, x: i < 100_000_000, lambda i, x: (i + 1, tf.sin(x)), [0, x])[1]
with tf.device("/job:worker/task:0"):
    y = slow(tf.ones([10]))
print("ready", flush=True)
time.sleep(1000)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_client_that_dies_leaves_nothing(how):
    """Its variables are dropped after the lease, and what still runs for it is cancelled."""
    from twinflow._src.wings.distribute import remote

    with cluster_tasks.cluster({"TWINFLOW_CLUSTER_LEASE": "0.2"}, ps=1, worker=1) as (_, spec):
        process = subprocess.Popen(
            [sys.executable, "-c", CLIENT, repr(spec)],
            env=cluster_tasks.OUTSIDE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout.readline() == "ready\n"
        peers = [remote.Peer((job, 0), spec[job][0], {}) for job in ("ps", "worker")]
        assert peers[0].health()["kept"] >= 1 and peers[1].health()["sessions"] == 2
        process.send_signal(how)
        process.wait()
        process.stdout.close()
        cluster_tasks.wait_until(lambda: all(peer.health()["sessions"] == 1 for peer in peers))
        assert all(peer.health()["kept"] == 0 for peer in peers)
        cluster_tasks.wait_until(lambda: peers[1].health()["threads"] == 1)  # the loop has ended
        for peer in peers:
            peer.close()


COORDINATOR = """
import sys, twinflow as tf
resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec(eval(sys.argv[1])), rpc_layer="grpc")
strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    v, w = tf.Variable(0.0), tf.Variable(tf.zeros([1 << 20]))
@tf.function
def step():
    v.assign_add(1.0)
    w.assign_add(tf.ones([1 << 20]))
for i in range(100_000):
    coordinator.schedule(step)
    if i == 50:
        coordinator.join()
        print("ready", flush=True)
coordinator.join()
"""


def test_a_coordinator_that_is_killed_leaves_nothing():
    """Its sessions end, and those of its workers in the parameter servers."""
    from twinflow._src.wings.distribute import remote

    with cluster_tasks.cluster({"TWINFLOW_CLUSTER_LEASE": "0.2"}, ps=1, worker=2) as (_, spec):
        process = subprocess.Popen(
            [sys.executable, "-c", COORDINATOR, repr(spec)],
            env=cluster_tasks.OUTSIDE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout.readline() == "ready\n"
        peers = [
            remote.Peer((job, i), address, {})
            for job, addresses in spec.items()
            for i, address in enumerate(addresses)
        ]
        assert sum(peer.health()["sessions"] for peer in peers) > 6
        cluster_tasks.end(process)
        cluster_tasks.wait_until(lambda: all(peer.health()["sessions"] == 1 for peer in peers))
        assert all(peer.health()["kept"] == 0 for peer in peers)
        for peer in peers:
            peer.close()


def test_what_runs_can_be_cancelled():
    with connected(worker=1) as (_, _spec):
        from twinflow._src.wings.distribute import remote

        (peer,) = remote.peers()
        with tf.device("/job:worker/task:0"):
            v = tf.Variable(1.0)
            endless = slow(tf.ones([1 << 16]))
        timer = threading.Timer(0.3, peer.cancel)
        timer.start()
        start = time.monotonic()
        with pytest.raises(tf.errors.CancelledError):
            endless.numpy()
        assert time.monotonic() - start < 20
        assert v.assign_add(1.0).numpy() == 2.0  # what comes next runs


def test_nothing_is_left_open_in_this_process():
    def open_files():
        gc.collect()
        return (
            len(os.listdir("/proc/self/fd")),
            len(os.listdir("/dev/shm")),
            threading.active_count(),
        )

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("the system does not list the descriptors of a process")
    with cluster_tasks.cluster(ps=1, worker=1) as (_, spec):
        counts = []
        for _ in range(4):
            tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec(spec))
            with tf.device("/job:ps/task:0"):
                v = tf.Variable(np.ones(1 << 20, "f"))
            assert v.assign_add(np.ones(1 << 20, "f")).numpy()[0] == 2.0
            with tf.Graph().as_default(), tf.device("/job:ps/task:0"):
                w = tf.compat.v1.get_variable("w", initializer=np.ones(1 << 20, "f"))
                with tf.compat.v1.Session(f"grpc://{spec['worker'][0]}") as session:
                    session.run(w.initializer)
                    assert session.run(w)[0] == 1.0
            del v
            from twinflow._src.wings.distribute import cluster

            cluster.disconnect()
            time.sleep(0.3)
            counts.append(open_files())
        files, shared, threads = zip(*counts)
        assert files[-1] <= files[1] and shared[-1] <= shared[1] and threads[-1] <= threads[1], (
            counts
        )


@pytest.mark.parametrize("victim", ["worker:0", "worker:1", "ps:0", "ps:1"])
def test_training_survives_the_loss_of_any_task(victim, tmp_path):
    done = subprocess.run(
        [
            sys.executable,
            str(ROOT / "docs" / "parameter_servers.py"),
            *(str(tmp_path), "--steps", "160", "--kill", victim),
        ],
        env=cluster_tasks.OUTSIDE,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "restarts 1" and lines[-2].startswith("weights ")
    weights = np.array(eval(lines[-2].removeprefix("weights ").partition("]")[0] + "]"))
    np.testing.assert_allclose(weights, [1.0, -2.0, 3.0], atol=0.1)
    assert any("restoring" in line for line in lines) == victim.startswith("ps")


def test_random_schedules_have_the_values_of_a_serial_run():
    """Some of the 1000 of ``make cluster-schedules``."""
    cluster_schedules.main(["--count", "6", "--seed", "1"])
