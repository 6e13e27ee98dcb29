"""Tasks in processes of their own: what runs there, and what happens when they are gone."""

import ast
import os
import random
import shutil
import signal
import stat
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import twinflow as tf
from tests.unit.wings import cluster_tasks

pytest.importorskip("zmq", reason="clusters need the package pyzmq")


@pytest.fixture(scope="module", autouse=True)
def keys(tmp_path_factory):
    """Keys of these tests, for the tasks as well."""
    directory = str(tmp_path_factory.mktemp("keys"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TWINFLOW_CLUSTER_KEYS", directory)
        patch.setitem(cluster_tasks.OUTSIDE, "TWINFLOW_CLUSTER_KEYS", directory)
        yield directory


@pytest.fixture(scope="module")
def task(keys):
    """A task that no test ends: its process and its address."""
    process, address = cluster_tasks.start()
    yield process, address
    cluster_tasks.end(process)


@pytest.fixture
def ps(task):
    """The same, connected as /job:ps/task:0 for one test."""
    from twinflow._src.wings.distribute import cluster

    tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec({"ps": [task[1]]}))
    yield task[0]
    cluster.disconnect()
    assert all("job:ps" not in d.name for d in tf.config.list_logical_devices())


def peer():
    from twinflow._src.wings.distribute import remote

    (found,) = remote.peers()
    return found


PS = "/job:ps/replica:0/task:0/device:CPU:0"


# ------------------------------------------------------------------ ops and variables


def test_operations_and_variables_are_where_they_are_put(ps):
    assert PS in [d.name for d in tf.config.list_logical_devices("CPU")]
    with tf.device("/job:ps/task:0"):
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="v")
        c = tf.matmul(v, tf.ones([2, 1])) + 1.0
        parts = tf.unstack(tf.concat([c, c], 0))
        words = tf.strings.join([["a", "b"], ["c", "d"]])
    assert {x.device for x in (v, c, words, *parts)} == {PS}
    assert c.numpy().tolist() == [[4.0], [8.0]] and words.numpy().tolist() == [b"ac", b"bd"]
    assert "job:localhost" in (v + 1.0).device and v.name == "v:0"
    v.assign_add(tf.ones([2, 2]))
    v[0].assign([9.0, 9.0])
    v.scatter_sub(tf.IndexedSlices(tf.constant([[1.0, 1.0]]), tf.constant([1])))
    assert v.numpy().tolist() == [[9.0, 9.0], [3.0, 4.0]]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v)
    assert tape.gradient(loss, v).numpy().tolist() == [[18.0, 18.0], [6.0, 8.0]]
    assert tf.function(lambda x: v * x)(2.0).numpy().tolist() == [[18.0, 18.0], [6.0, 8.0]]
    tf.function(lambda: v.assign(v * 2.0))()
    assert v.numpy().tolist() == [[18.0, 18.0], [6.0, 8.0]]
    tf.function(lambda: v.assign_add(tf.ones([2, 2])))()
    assert v.numpy().tolist() == [[19.0, 19.0], [7.0, 9.0]]


@pytest.mark.parametrize(
    "value",
    [
        np.arange(3.0),
        np.zeros((0, 4), np.float32),
        np.array(7, np.int64),
        np.array([True, False]),
        np.array([[1 + 2j]], np.complex64),
        np.array([b"", b"abc", "\u00fc".encode() * 100], object),
        np.zeros((2, 0), object),
        tf.constant([1.5, 2.5], tf.bfloat16).numpy(),
        np.arange(1 << 17, dtype=np.int32).reshape(2, -1),
        np.arange(100, dtype=np.uint8)[::3],
    ],
    ids=lambda x: f"{x.dtype}{list(x.shape)}",
)
def test_values_of_all_kinds_come_back_as_they_are(ps, value):
    with tf.device("/job:ps/task:0"):
        there = tf.identity(tf.constant(value))
        again = tf.concat([there, there], 0) if value.ndim else there
    assert there.device == PS
    assert there.numpy().dtype == value.dtype
    np.testing.assert_array_equal(there.numpy(), value)
    np.testing.assert_array_equal(
        again.numpy(), np.concatenate([value, value]) if value.ndim else value
    )


def test_shapes_that_only_the_task_knows(ps):
    with tf.device("/job:ps/task:0"):
        x = tf.constant([3, 1, 3, 3])
        values, indices = tf.unique(x)
        where = tf.where(x > 1)
        pieces = tf.split(tf.range(6), [1, 2, 3])
    assert values.shape == [2] and indices.shape == [4] and where.shape == [3, 1]
    assert values.device == where.device == PS
    assert [p.numpy().tolist() for p in pieces] == [[0], [1, 2], [3, 4, 5]]


def test_errors_come_back_as_they_are(ps):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable([1.0])
        with pytest.raises(tf.errors.InvalidArgumentError, match="Input to reshape"):
            tf.reshape(v, [3])
    with (
        pytest.raises(
            tf.errors.InvalidArgumentError,
            match="/job:ps/replica:0/task:7/device:CPU:0 unknown device",
        ),
        tf.device("/job:ps/task:7"),
    ):
        tf.constant(1.0) + 1.0


def test_an_error_is_raised_once_at_the_next_wait(ps):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable([1.0, 2.0])
        bad = tf.gather(tf.constant([1.0, 2.0]), tf.constant(7))
        worse = bad + 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="7 is not in"):
        v.numpy()
    assert v.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="7 is not in"):
        worse.numpy()
    v.assign_add([1.0, 1.0])
    assert v.numpy().tolist() == [2.0, 3.0]


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad", "Ftrl", "Nadam", "Lion"])
@pytest.mark.parametrize("traced", [False, True])
def test_optimizers_update_variables_of_a_task(ps, name, traced):
    def trained(device):
        with tf.device(device):
            v = tf.Variable([[1.0, -2.0], [0.5, 3.0]])
        optimizer = getattr(tf.keras.optimizers, name)(0.1)
        optimizer.build([v])

        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(v**2)
            optimizer.apply_gradients([(tape.gradient(loss, v), v)])

        step = tf.function(step) if traced else step
        for _ in range(3):
            step()
        slots = [s for s in optimizer.variables if s.shape == [2, 2]]
        assert all(s.value.device == v.device for s in slots)
        return v.numpy()

    np.testing.assert_array_equal(trained("/job:ps/task:0"), trained("/job:localhost"))


def test_optimizers_of_tensorflow_1(ps):
    from twinflow.compat.v1.train import AdamOptimizer, GradientDescentOptimizer

    for make in (lambda: GradientDescentOptimizer(0.1), lambda: AdamOptimizer(0.1)):
        results = []
        for device in ("/job:ps/task:0", "/job:localhost"):
            with tf.device(device):
                v = tf.Variable([1.0, 2.0])
            make().apply_gradients([(tf.constant([1.0, 3.0]), v)])
            results.append(v.numpy().tolist())
        assert results[0] == results[1]


def test_what_nobody_holds_is_forgotten(ps):
    with tf.device("/job:ps/task:0"):
        kept = [tf.ones([10]) * float(i) for i in range(5)]
        peer().wait()
        before = peer().health()["kept"]
        del kept
        (tf.zeros([1]) + 1.0).numpy()
    cluster_tasks.wait_until(lambda: peer().wait() or peer().health()["kept"] <= before - 4)


def test_large_buffers_go_through_shared_memory_that_is_used_again(ps):
    from twinflow._src.wings.distribute.arena import machine

    if not machine():
        pytest.skip("this system has no anonymous files in memory")
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(tf.zeros([1 << 20]))
    for i in range(40):  # 160 MiB, more than the first segment
        v.assign_add(tf.fill([1 << 20], 1.0))
        if i % 8 == 0:
            assert (v.numpy() == i + 1).all()
    cluster_tasks.wait_until(lambda: peer().wait() or not peer()._arena.in_use)
    assert len(peer()._arena._files) == 1
    names = (
        [p.name for p in Path("/dev/shm").glob("*twinflow*")] if os.path.isdir("/dev/shm") else []
    )
    assert names == []


def test_tensors_that_a_task_keeps_occupy_little_of_the_shared_memory(monkeypatch):
    """A task uses a tensor where it lies; beyond a limit it copies what comes."""
    from twinflow._src.wings.distribute import arena, remote, task

    if not arena.machine():
        pytest.skip("this system has no anonymous files in memory")
    monkeypatch.setattr(task, "_LENT_BYTES", 3 << 20)
    server = task.TaskServer("localhost:0", ("ps", 0))
    try:
        peer = remote.Peer(("ps", 0), f"localhost:{server.port}", {})
        device = remote.device_of(peer, "CPU", 0)
        kept = [device.backend.from_host(np.full(1 << 18, i, "f"), 0) for i in range(8)]
        cluster_tasks.wait_until(lambda: peer.wait() or peer._arena.in_use == 3 << 20)
        assert [float(x.fetched()[-1]) for x in kept] == [float(i) for i in range(8)]
        del kept
        cluster_tasks.wait_until(lambda: peer.wait() or not peer._arena.in_use)
        peer.close()
    finally:
        server.close()


def test_a_value_that_came_through_shared_memory_stays_as_it_is(ps):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(tf.zeros([1 << 15]))
    values = []
    for _ in range(5):
        v.assign_add(tf.ones([1 << 15]))
        values.append(v.numpy())
    values[0] += 100.0
    assert [x[0] for x in values] == [101.0, 2.0, 3.0, 4.0, 5.0]


def test_a_tensor_is_sent_once(ps):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(tf.zeros([5000]))
    delta = tf.ones([5000])
    ids = set()
    for i in range(3):
        v.assign_add(delta)
        ids.add(vars(delta)["_mirror"]._id)
        assert v.numpy()[7] == i + 1
    assert len(ids) == 1
    before = peer().health()["kept"]
    del delta
    v.assign_add(tf.ones([5000]))
    cluster_tasks.wait_until(lambda: v.numpy()[0] == 4.0 and peer().health()["kept"] < before + 1)


def test_several_threads_of_a_client(ps):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(tf.zeros([3]))
    failures = []

    def work():
        try:
            for i in range(50):
                v.assign_add(tf.ones([3]))
                if i % 10 == 0:
                    v.numpy()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == [] and v.numpy().tolist() == [200.0] * 3


# ------------------------------------------------------------------ functions


@pytest.fixture(scope="module")
def three(keys):
    """A cluster of two workers and a parameter server, connected."""
    from twinflow._src.wings.distribute import cluster

    with cluster_tasks.tasks(worker=2, ps=1) as (_, addresses):
        yield addresses
        cluster.disconnect()


@pytest.fixture
def cluster(three):
    tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec(three))


WORKER = "/job:worker/replica:0/task:{}/device:CPU:0"


def test_a_function_in_the_block_of_a_task_runs_there(cluster):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable([1.0, 2.0])
    offset = tf.constant([10.0, 20.0])

    @tf.function
    def f(x, scale):
        total = tf.constant(0.0)
        for i in tf.range(3):
            total += tf.reduce_sum(x) * tf.cast(i, tf.float32)
        if total > 5.0:
            total = -total
        v.assign_add(x)
        return {"total": total, "sum": v * scale + offset}

    expected = None
    for device in ("/job:localhost", "/job:worker/task:0", "/job:worker/task:1", "/job:ps/task:0"):
        v.assign([1.0, 2.0])
        with tf.device(device):
            result = f(tf.constant([1.0, 2.0]), 2.0)
        values = {key: x.numpy().tolist() for key, x in result.items()}
        expected = expected or values
        assert values == expected == {"total": -9.0, "sum": [14.0, 28.0]}
        assert v.numpy().tolist() == [2.0, 4.0]
        if "localhost" not in device:
            assert (
                f"{device.replace('/task', '/replica:0/task')}/device:CPU:0" == result["sum"].device
            )


def test_a_function_takes_variables_of_one_task_after_another(cluster):
    """The trace of a call is that of all variables of a dtype and shape, wherever they are."""

    @tf.function
    def f(x, v):
        if tf.reduce_sum(x) > 0.0:
            v.assign_sub(tf.ones_like(x))
        return v + x

    for device in ("/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"):
        with tf.device(device):
            v = tf.Variable([0.0, 0.0])
        with tf.device("/job:worker/task:1"):
            x = tf.constant([1.0, 2.0]) * 2.0
        for _ in range(3):
            v.assign(x)
            result = f(x, v)
            assert v.numpy().tolist() == [1.0, 3.0]
            assert result.numpy().tolist() == [3.0, 7.0]


def test_blocks_of_tasks_inside_a_function(cluster):
    @tf.function
    def f(x):
        with tf.device("/job:worker/task:0"):
            a = x @ x
        with tf.device("/job:worker/task:1"):
            b = a + 1.0
            inner = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + b), [0, b])[1]
        return a, b, inner

    a, b, inner = f(tf.eye(2) * 2.0)
    assert a.device == WORKER.format(0) and b.device == WORKER.format(1)
    assert inner.numpy().tolist() == [[20.0, 4.0], [4.0, 20.0]]


def test_a_function_over_several_tasks_is_sent_in_parts(cluster, monkeypatch):
    from twinflow._src.wings.distribute import remote

    with tf.device("/job:ps/task:0"):
        v = tf.Variable([1.0, 2.0])

    @tf.function
    def f(x):
        with tf.device("/job:worker/task:0"):
            a = x * v + 1.0
            for _ in range(20):
                a = a + 1.0
        with tf.device("/job:worker/task:1"):
            b = tf.reduce_sum(a * 2.0)
        v.assign_add(a)
        with tf.device("/job:ps/task:0"):
            return a, b, v.read_value() + b, x + a

    x = tf.constant([1.0, 2.0])
    for device in (None, "/job:worker/task:0", "/job:worker/task:1", "/job:ps/task:0"):
        v.assign([1.0, 2.0])
        with tf.device(device):
            results = f(x)
        values = [[22.0, 25.0], 94.0, [117.0, 121.0], [23.0, 27.0]]
        assert [r.numpy().tolist() for r in results] == values
        assert v.numpy().tolist() == [23.0, 27.0]
    sent = []
    send = remote.Peer.send
    monkeypatch.setattr(
        remote.Peer,
        "send",
        lambda self, item, *rest: sent.append(item) or send(self, item, *rest),
    )
    f(x)[0].numpy()
    assert 0 < len(sent) < 10  # of 30 operations
    monkeypatch.undo()
    v.assign([1.0, 2.0])
    with tf.GradientTape() as tape:
        a, b, *_ = f(x)
        loss = tf.reduce_sum(a) + b
    assert tape.gradient(loss, v).numpy().tolist() == [3.0, 6.0]


def test_a_loop_over_several_tasks(cluster):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable([0.0, 0.0])

    @tf.function
    def f(n):
        total = tf.constant(0.0)
        for _ in tf.range(n):
            with tf.device("/job:worker/task:0"):
                total = total + 1.0
            with tf.device("/job:worker/task:1"):
                total = total * 2.0
            v.assign_add([1.0, 1.0])
        return total

    assert f(tf.constant(5)).numpy() == 62.0 and v.numpy().tolist() == [5.0, 5.0]
    with tf.device("/job:worker/task:0"):
        assert f(tf.constant(5)).numpy() == 62.0 and v.numpy().tolist() == [10.0, 10.0]


def test_a_function_names_a_task_that_does_not_exist(cluster):
    @tf.function
    def f(x):
        with tf.device("/job:worker/task:7"):
            return x + 1.0

    for device in (None, "/job:worker/task:0"):
        with (
            tf.device(device),
            pytest.raises(
                tf.errors.InvalidArgumentError,
                match=r"Cannot assign a device for operation add.*explicitly assigned to /job:worker/task:7",
            ),
        ):
            f(tf.constant(1.0))


@pytest.mark.parametrize("nested", [False, True])
def test_python_in_a_block_of_another_task_is_refused_by_name(cluster, nested):
    @tf.function
    def f(x):
        with tf.device("/job:worker/task:0"):
            call = lambda: tf.py_function(lambda y: y, [x], tf.float32, name="mine")
            return tf.cond(x > 0.0, call, call) if nested else call()

    with pytest.raises(tf.errors.UnimplementedError, match="mine' of the type EagerPyFunc calls"):
        f(tf.constant(1.0))


def test_a_training_step_in_a_worker_with_variables_of_a_server(cluster):
    def trained(worker, ps):
        with tf.device(ps):
            w, b = tf.Variable(tf.ones([3, 2]) * 0.5), tf.Variable(tf.zeros([2]))
            optimizer = tf.keras.optimizers.Adam(0.1)
            optimizer.build([w, b])

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((tf.tanh(x @ w) + b) ** 2)
            grads = tape.gradient(loss, [w, b])
            optimizer.apply_gradients(zip(grads, [w, b]))
            return loss

        x = tf.reshape(tf.range(12.0), [4, 3]) / 10
        with tf.device(worker):
            losses = [float(step(x)) for _ in range(4)]
        return losses, w.numpy(), b.numpy(), int(optimizer.iterations)

    there = trained("/job:worker/task:0", "/job:ps/task:0")
    here = trained("/job:localhost", "/job:localhost")
    assert there[0] == here[0] and there[3] == here[3] == 4
    np.testing.assert_array_equal(there[1], here[1])
    np.testing.assert_array_equal(there[2], here[2])


def test_tensors_go_from_task_to_task(cluster):
    with tf.device("/job:worker/task:0"):
        x = tf.reshape(tf.range(20_000.0), [100, 200])
    with tf.device("/job:worker/task:1"):
        y = x * 2.0
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(y)
    assert y.device == WORKER.format(1)
    np.testing.assert_array_equal(v.numpy(), np.arange(20_000.0, dtype="f4").reshape(100, 200) * 2)


def test_errors_of_functions_name_the_node(cluster):
    @tf.function
    def f(i):
        return tf.gather(tf.constant([1.0, 2.0]), i, name="picked")

    with tf.device("/job:worker/task:0"):
        result = f(tf.constant(9))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)9 is not in.*picked"):
        result.numpy()
    with tf.device("/job:worker/task:0"):
        assert f(tf.constant(1)).numpy() == 2.0


def test_python_does_not_travel(cluster):
    @tf.function
    def f(x):
        return tf.py_function(lambda y: y + 1.0, [x], tf.float32)

    assert f(1.0).numpy() == 2.0
    with tf.device("/job:worker/task:0"), pytest.raises(tf.errors.UnimplementedError, match="f"):
        f(1.0)


# ------------------------------------------------------------------ several clients


CLIENT = """
import sys, twinflow as tf
tf.config.experimental_connect_to_host(sys.argv[1], job_name="ps")
"""


def test_a_task_forgets_a_client_that_ends_at_once(task):
    from twinflow._src.wings.distribute import remote

    watcher = remote.Peer(("ps", 0), task[1], {})
    before = watcher.health()["kept"]
    make = 'with tf.device("/job:ps/task:0"):\n    kept = [tf.Variable(tf.zeros([9])) for _ in "12345"]\n'
    done = cluster_tasks.run(CLIENT + make + "print(kept[4].numpy()[0])", task[1])
    assert done.stdout == "0.0\n", done.stderr
    cluster_tasks.wait_until(lambda: watcher.health()["kept"] <= before)
    watcher.close()


def test_a_task_forgets_a_client_that_is_killed_after_the_lease():
    from twinflow._src.wings.distribute import remote

    process, address = cluster_tasks.start(env={"TWINFLOW_CLUSTER_LEASE": "0.5"})
    try:
        watcher = remote.Peer(("ps", 0), address, {})
        make = (
            'with tf.device("/job:ps/task:0"):\n    v = tf.Variable(tf.zeros([1 << 24]))\n'
            "v.numpy()\nimport os; print(1, flush=True); os.kill(os.getpid(), 9)"
        )
        before = watcher.health()
        done = cluster_tasks.run(CLIENT + make, address)
        assert done.stdout == "1\n", done.stderr
        cluster_tasks.wait_until(
            lambda: watcher.health()["kept"] == 0 and watcher.health()["sessions"] == 1
        )
        cluster_tasks.wait_until(lambda: watcher.health()["memory"] < before["memory"] + (40 << 20))
        watcher.close()
    finally:
        cluster_tasks.end(process)


def test_a_long_operation_of_one_client_does_not_hold_up_another(ps):
    program = (
        CLIENT
        + """
with tf.device("/job:ps/task:0"):
    x = tf.ones([1500, 1500])
    for _ in range(12):
        x = x @ x / 1500.0
print("sent", flush=True)
x.numpy()
print("done", flush=True)
"""
    )
    import subprocess
    import sys

    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0)
    v.numpy()
    other = subprocess.Popen(
        [sys.executable, "-c", program, peer().address],
        stdout=subprocess.PIPE,
        text=True,
        env=cluster_tasks.OUTSIDE,
    )
    assert other.stdout.readline() == "sent\n"
    for _ in range(5):
        v.assign_add(1.0)
        v.numpy()
    assert other.poll() is None  # it still computes
    assert other.communicate(timeout=120)[0] == "done\n"


# ------------------------------------------------------------------ failures


def test_a_task_that_is_killed_is_noticed_at_once():
    from twinflow._src.wings.distribute import cluster

    process, address = cluster_tasks.start()
    try:
        tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec({"ps": [address]}))
        with tf.device("/job:ps/task:0"):
            v = tf.Variable([1.0, 1.0, 1.0])
            x = v + 1.0
        assert v.numpy().tolist() == [1.0, 1.0, 1.0]
        process.kill()
        process.wait()
        times = []
        for call in (v.numpy, x.numpy, v.numpy, lambda: v.assign_add([1.0] * 3) and v.numpy()):
            start = time.perf_counter()
            with pytest.raises(
                tf.errors.UnavailableError, match=r"/job:ps/replica:0/task:0 at .*lost"
            ):
                call()
            times.append(time.perf_counter() - start)
        assert sorted(times)[2] < 0.1  # one may be late on a busy machine
        cluster_tasks.end(process)
        process, _ = cluster_tasks.start(address=address)
        cluster_tasks.wait_until(peer().reconnect)
        for call in (v.numpy, x.numpy, lambda: v.assign_add([1.0] * 3)):
            with pytest.raises(tf.errors.AbortedError, match="started anew"):
                call()
        with tf.device("/job:ps/task:0"):
            assert tf.Variable([2.0]).assign_add([1.0]).numpy() == [3.0]
    finally:
        cluster_tasks.end(process)
        cluster.disconnect()


def test_a_task_that_is_killed_while_a_client_waits():
    from twinflow._src.wings.distribute import cluster

    process, address = cluster_tasks.start()
    try:
        tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec({"ps": [address]}))
        with tf.device("/job:ps/task:0"):
            v = tf.Variable([1.0])
        v.numpy()
        os.kill(process.pid, signal.SIGSTOP)
        os.waitpid(process.pid, os.WUNTRACED)
        killer = threading.Timer(0.2, process.kill)
        killer.start()
        with pytest.raises(tf.errors.UnavailableError):
            v.numpy()
        killer.join()
    finally:
        cluster_tasks.end(process)
        cluster.disconnect()


def test_a_task_that_does_not_answer(ps, monkeypatch):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable([1.0])
    v.numpy()
    monkeypatch.setenv("TWINFLOW_CLUSTER_TIMEOUT", "0.3")
    os.kill(ps.pid, signal.SIGSTOP)
    os.waitpid(ps.pid, os.WUNTRACED)  # all of its threads have stopped
    try:
        with pytest.raises(tf.errors.DeadlineExceededError):
            v.numpy()
    finally:
        os.kill(ps.pid, signal.SIGCONT)
    monkeypatch.delenv("TWINFLOW_CLUSTER_TIMEOUT")
    assert v.numpy().tolist() == [1.0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are of POSIX")
def test_a_child_has_no_connection(task):
    program = (
        CLIENT
        + """
import os, signal, warnings
warnings.simplefilter("ignore")
with tf.device("/job:ps/task:0"):
    v = tf.Variable([1.0])
v.numpy()
pid = os.fork()
if pid == 0:
    signal.alarm(20)
    try:
        v.numpy()
    except tf.errors.UnavailableError as error:
        os._exit(0 if "was forked" in error.message else 2)
    os._exit(1)
print(os.waitpid(pid, 0)[1], v.numpy().tolist())
"""
    )
    done = cluster_tasks.run(program, task[1])
    assert done.stdout == "0 [1.0]\n", done.stderr


def test_a_port_that_is_taken(task):
    with pytest.raises(tf.errors.UnavailableError, match="Could not start"):
        tf.distribute.Server({"ps": [task[1]]})


def test_no_task_at_the_address():
    start = time.perf_counter()
    with pytest.raises(tf.errors.UnavailableError, match="refused"):
        tf.config.experimental_connect_to_host("localhost:1", job_name="ps")
    assert time.perf_counter() - start < 4


# ------------------------------------------------------------------ security


def test_the_key_file_is_private(keys, task):
    path = Path(keys) / "cluster.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_readable_keys_are_refused(tmp_path, monkeypatch, keys):
    shutil.copy(Path(keys) / "cluster.key", tmp_path / "cluster.key")
    os.chmod(tmp_path / "cluster.key", 0o644)
    monkeypatch.setenv("TWINFLOW_CLUSTER_KEYS", str(tmp_path))
    with pytest.raises(tf.errors.PermissionDeniedError, match="chmod 600"):
        tf.distribute.Server({"ps": ["localhost:0"]})


def test_another_key_is_refused(task, tmp_path):
    program = """
import sys, twinflow as tf
try:
    tf.config.experimental_connect_to_host(sys.argv[1], job_name="ps")
except tf.errors.UnavailableError as error:
    print("refused")
"""
    done = cluster_tasks.run(program, task[1], env={"TWINFLOW_CLUSTER_KEYS": str(tmp_path)})
    assert done.stdout == "refused\n", done.stderr
    plain = {"TWINFLOW_CLUSTER_PLAIN": "trusted-network"}
    assert cluster_tasks.run(program, task[1], env=plain).stdout == "refused\n"


def test_a_client_that_knows_the_server_but_is_not_the_user(task, keys):
    """The server's public key alone is not enough: its authenticator refuses other clients."""
    import zmq

    from twinflow._src.wings.distribute import links

    client = zmq.Context.instance().socket(zmq.DEALER)
    client.linger = 0
    client.curve_publickey, client.curve_secretkey = zmq.curve_keypair()
    client.curve_serverkey = links.keys().public
    monitor = client.get_monitor_socket(
        zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_HANDSHAKE_FAILED_AUTH | zmq.EVENT_DISCONNECTED
    )
    client.connect(f"tcp://{task[1].replace('localhost', '127.0.0.1')}")
    assert monitor.poll(10_000)
    event, _ = links.next_event(monitor)
    client.disable_monitor()
    monitor.close()
    client.close()
    assert event != zmq.EVENT_HANDSHAKE_SUCCEEDED


def test_files_of_a_task_are_out_of_reach(ps, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")

    @tf.function
    def read(name):
        return tf.io.read_file(name)

    with tf.device("/job:ps/task:0"):
        eager, traced = tf.io.read_file(str(secret)), read(str(secret))
        tf.io.write_file(str(tmp_path / "written"), "x")
    for value in (eager, traced):
        with pytest.raises(tf.errors.PermissionDeniedError, match=r"uses? files"):
            value.numpy()
    assert not (tmp_path / "written").exists()


def test_nothing_that_arrives_is_executed():
    """The modules that read messages have no function that makes code of data."""
    from twinflow._src.wings import distribute

    forbidden = {"pickle", "marshal", "eval", "exec", "compile", "__import__", "shelve", "dill"}
    paths = list(Path(distribute.__path__[0]).glob("*.py"))
    assert {"messages.py", "links.py", "task.py", "remote.py"} <= {path.name for path in paths}
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node) == "re.compile":
                continue
            names = {getattr(node, "id", None), getattr(node, "attr", None)}
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names |= {alias.name for alias in node.names} | {getattr(node, "module", None)}
            assert not names & forbidden, (path.name, names & forbidden)


def session_head():
    """A message with one item of each kind."""
    from twinflow._src.wings.distribute import messages

    head = messages.head_class()(kind=messages.ENQUEUE, seq=1)
    writer = messages.Writer()
    item = head.items.add(kind=messages.RUN, name="AddV2", results=[7])
    for value in (np.arange(600.0), np.array([b"ab", b"c"], object), np.arange(6.0)):
        spec = item.inputs.add(kind=messages.TENSOR).tensor
        writer.write(spec, value, tf.as_dtype(value.dtype))
    writer.value(
        item.attrs["a"], [1, 2.5, "x", b"y", None, True, (tf.float32, tf.TensorShape([1, None]))]
    )
    writer.value(item.attrs["b"], np.arange(3))
    return head, writer.parts


def test_malformed_messages_are_errors_and_no_more():
    """Mutated messages: the reader raises BadMessage or reads another value, never anything else."""
    from twinflow._src.wings.distribute import messages

    head, parts = session_head()
    data = head.SerializeToString()
    seed = random.randrange(1 << 30)
    print("seed", seed)
    generator = random.Random(seed)
    outcomes = {"read": 0, "refused": 0}
    for _ in range(3000):
        mutated, buffers = bytearray(data), [bytes(memoryview(p)) for p in parts]
        for _ in range(generator.randint(1, 4)):
            mutated[generator.randrange(len(mutated))] = generator.randrange(256)
        if generator.random() < 0.3:
            i = generator.randrange(len(buffers))
            buffers[i] = buffers[i][: generator.randrange(len(buffers[i]) + 1)]
        try:
            read = messages.parse([mutated, *buffers])
            reader = messages.Reader([mutated, *buffers])
            for item in read.items:
                for x in item.inputs:
                    reader.tensor(x.tensor)
                for value in item.attrs.values():
                    reader.value(value)
            outcomes["read"] += 1
        except messages.BadMessage:
            outcomes["refused"] += 1
    assert outcomes["refused"] > 100 and outcomes["read"] > 100


@pytest.mark.parametrize(
    "change",
    [
        {"dims": [2**40]},
        {"dims": [-1]},
        {"dims": [2**62, 2**62]},
        {"dims": [3]},
        {"length": 1 << 50},
        {"part": 99},
        {"part": 0},
        {"place": 2},
        {"dtype": 20},
        {"dtype": 101},
        {"dtype": 9999},
        {"dims": [1] * 300},
    ],
    ids=str,
)
@pytest.mark.parametrize("number", [0, 2])  # elements in a part, and in the head
def test_lies_about_shapes_and_buffers(change, number):
    from twinflow._src.wings.distribute import messages

    head, parts = session_head()
    spec = head.items[0].inputs[number].tensor
    if number == 2 and "part" in change:
        change = {"raw": b"short"}
    for name, value in change.items():
        if name == "dims":
            del spec.dims[:]
            spec.dims.extend(value)
        else:
            setattr(spec, name, value)
    with pytest.raises(messages.BadMessage):
        messages.Reader([b"", *map(memoryview, parts)]).tensor(spec)


def test_a_task_survives_what_a_client_with_the_key_sends(ps):
    """Heads that are too large, or random, are answered by an error; other clients go on."""
    from twinflow._src.wings.distribute import messages, remote

    with tf.device("/job:ps/task:0"):
        v = tf.Variable([1.0])
    other = remote.Peer(("ps", 0), peer().address, {})
    generator = random.Random(5)
    head, parts = session_head()
    link = other._link
    for _ in range(300):
        data = bytearray(head.SerializeToString())
        for _ in range(3):
            data[generator.randrange(len(data))] = generator.randrange(256)
        link._acquire()
        link._socket.send_multipart([bytes(data), *parts[: generator.randrange(len(parts) + 1)]])
        link._lock.release()
    link._acquire()
    link._socket.send(b"\0" * (messages.MAX_HEAD + 1))
    link._socket.send_multipart([b"x"] * 70_000)
    link._lock.release()
    assert v.assign_add([1.0]).numpy().tolist() == [2.0]
    assert other.health()["sessions"] >= 2
    other.close()


def test_a_message_beyond_the_memory_of_a_task_ends_the_connection_only():
    process, address = cluster_tasks.start(env={"TWINFLOW_TASK_MEMORY": str(1 << 20)})
    try:
        from twinflow._src.wings.distribute import remote

        peer, other = (remote.Peer(("ps", 0), address, {}) for _ in range(2))
        peer._arena = None  # inline
        device = remote.device_of(peer, "CPU", 0)
        with pytest.raises(tf.errors.UnavailableError):
            for _ in range(100):
                device.backend.from_host(np.zeros(1 << 20), 0)
                peer.wait()
        assert other.health()["sessions"] >= 1
        other.close()
    finally:
        cluster_tasks.end(process)


def test_a_cluster_in_one_process():
    from twinflow._src.wings.distribute import cluster

    workers, (ps,) = tf.test.create_local_cluster(2, 1)
    assert len({server.target for server in (*workers, ps)}) == 3
    tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec(ps.server_def.cluster))
    try:
        with tf.device("/job:worker/task:1"):
            x = tf.range(3) * 2
        with tf.device("/job:ps/task:0"):
            y = tf.Variable(x)
        assert x.device == WORKER.format(1) and y.numpy().tolist() == [0, 2, 4]
    finally:
        cluster.disconnect()
        for server in (*workers, ps):
            server._stop()


def test_a_process_with_tf_config(task, tmp_path):
    import json

    config = {"cluster": {"ps": [task[1]]}, "task": {"type": "chief", "index": 0}}
    program = """
import twinflow as tf
resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
tf.config.experimental_connect_to_cluster(resolver)
with tf.device("/job:ps/task:0"):
    print(tf.constant([1.0]) + 1.0)
"""
    done = cluster_tasks.run(program, env={"TF_CONFIG": json.dumps(config)})
    assert done.stdout == "tf.Tensor([2.], shape=(1,), dtype=float32)\n", done.stderr


def test_gradients_of_a_function_that_runs_in_a_task(cluster):
    """Under a tape the forward and the backward function travel."""
    with tf.device("/job:ps/task:0"):
        v = tf.Variable([2.0, 3.0])

    @tf.function
    def f(x):
        return tf.reduce_sum(tf.sin(x * v) ** 2)

    x = tf.constant([0.5, -1.0])
    results = []
    for device in ("/job:worker/task:1", "/job:localhost"):
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.device(device):
                y = f(x)
        results.append([g.numpy().tolist() for g in tape.gradient(y, [x, v])])
    assert results[0] == results[1]


@pytest.mark.parametrize("kind", [tf.errors.NotFoundError, ValueError, ArithmeticError])
def test_errors_that_quote_bytes_are_sent(kind):
    from twinflow._src.wings.distribute import messages

    text = "a queue \udcf3, \u00e9"
    error = kind(None, None, text) if issubclass(kind, tf.errors.OpError) else kind(text)
    status = messages.head_class()().status
    messages.write_error(status, error)
    assert str(messages.read_error(status)).endswith("a queue \\udcf3, \u00e9")


def test_thousands_of_corrupted_messages(keys):
    """Every kind of message, mutated at random: the task answers errors, and goes on for others."""
    from twinflow._src.wings.distribute import messages, remote

    def heads():
        head, parts = session_head()
        yield head, parts
        for kind in (messages.PUT, messages.VARIABLE, messages.CALL, messages.STEP):
            other = messages.head_class()(kind=messages.ENQUEUE, seq=2)
            other.items.add().CopyFrom(head.items[0])
            other.items[0].kind, other.items[0].graph, other.items[0].key = (
                kind,
                b"x" * 40,
                b"k" * 32,
            )
            yield other, parts
        for kind in (messages.STORE, messages.RESET):
            other = messages.head_class()(kind=messages.ENQUEUE, seq=3)
            item, writer = other.items.add(kind=kind, name="QueueSizeV2"), messages.Writer()
            recipe = [["kind", "FIFOQueue"], ["capacity", 3], ["dtypes", [tf.int32]]]
            writer.value(item.attrs["recipe"], [*recipe, ["shapes", [tf.TensorShape([])]]])
            for name, value in (("name", "q"), ("count", 0), ("containers", ["x"])):
                writer.value(item.attrs[name], value)
            yield other, []
        for question in (messages.SHAPES, messages.VALUES, messages.WAIT, messages.HEALTH):
            ask = messages.head_class()(kind=messages.ASK, question=question, ticket=7)
            ask.ids.extend([1, 2])
            yield ask, []
        for kind in (messages.STOP, messages.ACK, messages.REPLY):
            yield messages.head_class()(kind=kind, seq=5, ticket=3), []

    process, address = cluster_tasks.start()
    seed = random.randrange(1 << 30)
    print("seed", seed)
    generator = random.Random(seed)
    try:
        healthy = remote.Peer(("ps", 0), address, {})
        before = healthy.health()["memory"]
        templates = [
            (h.SerializeToString(), [bytes(memoryview(p)) for p in ps]) for h, ps in heads()
        ]
        other = remote.Peer(("ps", 0), address, {})
        for number in range(6000):
            data, parts = generator.choice(templates)
            data, parts = bytearray(data), list(parts)
            for _ in range(generator.randint(1, 3)):
                how, i = generator.random(), generator.randrange(len(data))
                if how < 0.6:
                    data[i] = generator.randrange(256)
                elif how < 0.8:
                    del data[i:]
                    data = data or bytearray(b"\x08")
                else:
                    data[i:i] = generator.randbytes(generator.randrange(8))
            if parts and generator.random() < 0.2:
                parts[generator.randrange(len(parts))] = generator.randbytes(5)
            link = other._link
            link._acquire()
            try:
                link._socket.send_multipart([bytes(data), *parts])
                while link._socket.poll(0):
                    link._socket.recv_multipart()
            finally:
                link._lock.release()
            if number % 1000 == 999:
                assert healthy.health()["sessions"] >= 1
                other.close()
                other = remote.Peer(("ps", 0), address, {})
        device = remote.device_of(healthy, "CPU", 0)
        there = device.backend.from_host(np.arange(4096.0), 0)
        assert there.fetched().sum() == np.arange(4096.0).sum()
        assert healthy.health()["memory"] < before + (256 << 20)
        assert process.poll() is None
        other.close()
        healthy.close()
    finally:
        cluster_tasks.end(process)
