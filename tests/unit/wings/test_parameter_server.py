"""Parameter servers: placement and parts of variables, and closures that workers run."""

import logging
import os
import re
import signal
import threading
import time

import numpy as np
import pytest

import twinflow as tf
from tests.unit.wings import cluster_tasks

pytest.importorskip("zmq", reason="clusters need the package pyzmq")

Fixed, Least, Most = (
    getattr(tf.distribute.experimental.partitioners, f"{name}Partitioner")
    for name in ("FixedShards", "MinSize", "MaxSize")
)


@pytest.fixture(scope="module", autouse=True)
def keys(tmp_path_factory):
    directory = str(tmp_path_factory.mktemp("keys"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TWINFLOW_CLUSTER_KEYS", directory)
        patch.setitem(cluster_tasks.OUTSIDE, "TWINFLOW_CLUSTER_KEYS", directory)
        yield


def strategy_of(cluster, partitioner=None):
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec(cluster), rpc_layer="grpc"
    )
    return tf.distribute.ParameterServerStrategy(resolver, variable_partitioner=partitioner)


@pytest.fixture(scope="module")
def cluster(keys):
    """Two workers and two parameter servers in this process."""
    from twinflow._src.wings.distribute import cluster

    workers, ps = tf.test.create_local_cluster(2, 2)
    yield tf.train.ClusterSpec(ps[0].server_def.cluster).as_dict()
    cluster.disconnect()
    for server in (*workers, *ps):
        server._stop()


@pytest.fixture(scope="module")
def strategy(cluster):
    return strategy_of(cluster)


@pytest.fixture(scope="module")
def coordinator(strategy):
    return tf.distribute.coordinator.ClusterCoordinator(strategy)


@pytest.fixture(scope="module")
def sharding(cluster):
    return strategy_of(cluster, Fixed(2))


# ------------------------------------------------------------------ variables


@pytest.mark.parametrize(
    ("partitioner", "shape", "dtype", "axis", "counts"),
    [
        (Fixed(2), [7, 16], tf.float32, 0, [2, 1]),
        (Fixed(2), [7, 16], tf.float32, 1, [1, 2]),
        (Fixed(10), [7, 16], tf.float32, 0, [7, 1]),
        (Least(256, 1), [7, 16], tf.float32, 0, [1, 1]),
        (Least(256, 3), [7, 16], tf.float32, 0, [2, 1]),
        (Least(256, 3), [7, 16], tf.float64, 1, [1, 3]),
        (Least(64, 100), [7, 16], tf.float32, 0, [7, 1]),
        (Least(64, 100), [7, 16], tf.float64, 1, [1, 14]),
        (Least(), [7, 16], tf.float32, 0, [1, 1]),
        (Least(100, 5), [70], tf.string, 0, [5]),
        (Most(256), [7, 16], tf.float32, 0, [2, 1]),
        (Most(100), [7, 16], tf.float32, 0, [7, 1]),
        (Most(64, 3), [7, 16], tf.float32, 0, [3, 1]),
        (Most(448), [7, 16], tf.float32, 0, [1, 1]),
        (Most(100), [70], tf.string, 0, [12]),
    ],
)
def test_partitioners(partitioner, shape, dtype, axis, counts):
    """The numbers are TensorFlow's."""
    assert partitioner(tf.TensorShape(shape), dtype, axis=axis) == counts


def test_partitioners_refuse_what_is_not_positive():
    for make in (lambda: Least(0), lambda: Least(5, 0), lambda: Least(5, 1, 0), lambda: Most(0)):
        with pytest.raises(ValueError, match="must be positive"):
            make()


def test_clusters_that_are_refused():
    for jobs, said in (
        ({"worker": ["a:1"]}, "There must be at least one ps."),
        ({"ps": ["a:1"]}, "There must be at least one worker."),
        ({"ps": ["a:1"], "worker": ["b:1"], "boo": ["c:1"]}, "Disallowed task type found"),
        ({"ps": ["a:1"], "worker": ["b:1"], "chief": ["c:1", "d:1"]}, "at most one 'chief' job"),
    ):
        with pytest.raises(ValueError, match=said):
            strategy_of(jobs)


def test_variables_are_on_the_servers_in_turns(strategy):
    with strategy.scope():
        variables = [tf.Variable(float(i)) for i in range(3)]
    first = variables[0].device
    assert "/job:ps/" in first and variables[1].device != first == variables[2].device
    assert strategy.num_replicas_in_sync == 1
    optimizer = tf.keras.optimizers.Adam(0.1)
    optimizer.build(variables)
    slots = [
        v.value.device for v in optimizer.variables if v.name.endswith(("momentum", "velocity"))
    ]
    assert slots == [v.device for v in variables for _ in range(2)]


def test_a_variable_in_parts(sharding):
    with sharding.scope():
        big = tf.Variable(tf.reshape(tf.range(112.0), [7, 16]), name="big")
        one = tf.Variable(1.0)
        three = tf.Variable([1.0, 2.0, 3.0], name="b")
    assert [v.name for v in big.variables] == ["big/part_0:0", "big/part_1:0"]
    assert [v.shape.as_list() for v in big.variables] == [[4, 16], [3, 16]]
    assert len({v.device for v in big.variables}) == 2 and not hasattr(one, "variables")
    assert big.shape == [7, 16] and big.dtype is tf.float32 and big.is_sharded_variable
    assert (three + 1.0).numpy().tolist() == [2.0, 3.0, 4.0]
    assert three[1].numpy() == 2.0 and three[::-1].numpy().tolist() == [3.0, 2.0, 1.0]
    assert big[-1, 0].numpy() == 96.0 and big[3:5, 2:4].numpy().tolist() == [[50, 51], [66, 67]]
    assert big[..., 3].numpy().tolist() == [3.0, 19.0, 35.0, 51.0, 67.0, 83.0, 99.0]
    with pytest.raises(IndexError, match="slice index 5 of dimension 0 out of bounds"):
        three[5]
    with pytest.raises(TypeError, match="has no len"):
        len(three)
    three.assign([4.0, 5.0, 6.0])
    three.assign_add([1.0, 1.0, 1.0])
    assert three.assign_sub([1.0, 0.0, 0.0]) is three
    assert three.numpy().tolist() == [4.0, 6.0, 7.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        three.assign([4.0, 5.0])  # the first part is assigned, as in TensorFlow
    rows = tf.IndexedSlices(tf.constant([10.0, 20.0]), tf.constant([2, 0]))
    expected = {
        "add": [24.0, 5.0, 17.0],
        "sub": [4.0, 5.0, 7.0],
        "mul": [80.0, 5.0, 70.0],
        "div": [4.0, 5.0, 7.0],
        "min": [4.0, 5.0, 7.0],
        "max": [20.0, 5.0, 10.0],
        "update": [20.0, 5.0, 10.0],
    }
    for name, value in expected.items():
        getattr(three, f"scatter_{name}")(rows)
        assert three.numpy().tolist() == value, name
    ids = tf.constant([[0, 6], [3, 4]])
    traced = tf.function(lambda _, ids: tf.nn.embedding_lookup(big, ids))
    for f in (tf.nn.embedding_lookup, tf.gather, lambda _, ids: traced(None, ids)):
        assert f(big, ids)[..., 0].numpy().tolist() == [[0.0, 96.0], [48.0, 64.0]]
    assert list(tf.nest.flatten(big, expand_composites=True)) == big.variables

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.table, self.bias = big, one

    assert len(Model().trainable_variables) == 3
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.embedding_lookup(big, ids) * 2.0)
    grads = tape.gradient(loss, big.variables)
    dense = [tf.convert_to_tensor(g).numpy()[:, 0].tolist() for g in grads]
    assert dense == [[2.0, 0.0, 0.0, 2.0], [2.0, 0.0, 2.0]]


@pytest.mark.parametrize("shares_files", [False, True])
def test_a_checkpoint_has_one_key_whatever_the_parts(
    sharding, cluster, tmp_path, monkeypatch, shares_files
):
    """Tasks that may use the directory write a shard each."""
    if shares_files:
        monkeypatch.setenv("TWINFLOW_TASK_FILES", str(tmp_path))
    with sharding.scope():
        big = tf.Variable(tf.reshape(tf.range(35.0), [7, 5]), name="big")
    path = tf.train.Checkpoint(big=big).save(str(tmp_path / "ckpt"))
    assert len(list(tmp_path.glob("ckpt-1.data-*"))) == (3 if shares_files else 1)
    assert not list(tmp_path.glob("*_temp"))
    assert ("big/.ATTRIBUTES/VARIABLE_VALUE", [7, 5]) in tf.train.list_variables(path)
    big.assign(tf.zeros([7, 5]))
    tf.train.Checkpoint(big=big).restore(path).assert_consumed()
    plain = tf.Variable(tf.zeros([7, 5]))
    tf.train.Checkpoint(big=plain).restore(path)
    with strategy_of(cluster, Fixed(3)).scope():
        other = tf.Variable(tf.zeros([7, 5]))
    tf.train.Checkpoint(big=other).restore(path)
    for value in (big, plain, other):
        np.testing.assert_array_equal(value.numpy(), np.arange(35.0).reshape(7, 5))
    assert [v.shape[0] for v in other.variables] == [3, 2, 2]


# ------------------------------------------------------------------ closures


def test_closures_run_on_workers(coordinator, strategy):
    with strategy.scope():
        v = tf.Variable(0.0)

    @tf.function
    def add(x):
        v.assign_add(x)
        return {"x": x, "index": tf.distribute.coordinator.experimental_get_current_worker_index()}

    values = [coordinator.schedule(add, args=(float(i),)) for i in range(30)]
    coordinator.join()
    assert coordinator.done() and v.numpy() == sum(range(30))
    fetched = coordinator.fetch(values)
    assert [float(x["x"]) for x in fetched] == list(range(30))
    assert {int(x["index"]) for x in fetched} <= {0, 1}
    assert float(values[3]["x"].fetch()) == 3.0 and values[3]["x"].get().dtype is tf.float32
    assert tf.distribute.coordinator.ClusterCoordinator(strategy) is coordinator


def test_updates_are_seen_once_closures_have_run(coordinator, strategy):
    """A worker answers when the parameter server has processed the updates of the closure."""
    with strategy.scope():
        v = tf.Variable(0)
    add = tf.function(lambda x: {"x": x, "v": v.assign_add(x)})
    for i in range(1, 41):
        for _ in range(4):
            coordinator.schedule(add, args=(1,))
        coordinator.join()
        assert v.numpy() == 4 * i


def test_results_that_stay_in_the_worker(coordinator):
    @tf.function
    def large():
        return tf.ones([300, 300]) * 3.0

    value = coordinator.schedule(large)
    assert value.fetch().sum() == 270_000.0


def test_only_functions_that_are_traced(coordinator):
    with pytest.raises(TypeError, match=r"only accepts a `tf.function` or"):
        coordinator.schedule(lambda: 1)
    with pytest.raises(
        ValueError, match=r"Only `tf.distribute.experimental.ParameterServerStrategy`"
    ):
        tf.distribute.coordinator.ClusterCoordinator(tf.distribute.OneDeviceStrategy("CPU:0"))
    with pytest.raises(RuntimeError, match="Cannot retrieve the worker index"):
        tf.distribute.coordinator.experimental_get_current_worker_index()


def test_an_error_of_a_closure_is_raised_once(coordinator, strategy):
    with strategy.scope():
        v = tf.Variable(0.0)

    @tf.function
    def fail(i):
        return tf.gather([1.0, 2.0], i)

    @tf.function
    def add():
        v.assign_add(1.0)

    bad = coordinator.schedule(fail, args=(tf.constant(9),))
    with pytest.raises(tf.errors.InvalidArgumentError, match="9 is not in"):
        coordinator.join()
    coordinator.join()
    with pytest.raises(tf.errors.InvalidArgumentError):
        bad.fetch()
    coordinator.schedule(add)
    coordinator.join()
    assert v.numpy() == 1.0


def test_an_error_among_closures_that_are_sent_together(coordinator):
    """It is that of its own closure; the others have their results, or are cancelled."""

    @tf.function
    def checked(x):
        tf.debugging.assert_non_negative(x)
        return 2 * x

    for i in range(50):  # brief ones
        coordinator.schedule(checked, args=(tf.constant(i),))
    coordinator.join()
    results = []
    with pytest.raises(tf.errors.InvalidArgumentError):
        for i in range(100):
            results.append(coordinator.schedule(checked, args=(tf.constant(i if i != 60 else -1),)))
        coordinator.join()
    outcomes = []
    for result in results:
        try:
            outcomes.append(result.fetch())
        except tf.errors.OpError as error:
            outcomes.append(type(error).__name__)
    assert outcomes[60] == "InvalidArgumentError"
    for i, outcome in enumerate(outcomes):
        assert i == 60 or outcome in (2 * i, "CancelledError")
    assert outcomes[:40] == [2 * i for i in range(40)]


def test_each_worker_has_its_own_dataset(coordinator, strategy):
    def dataset_fn():
        return tf.data.Dataset.range(40).map(lambda x: x * 2).batch(2)

    iterator = iter(coordinator.create_per_worker_dataset(dataset_fn))

    @tf.function
    def step(iterator):
        return tf.distribute.coordinator.experimental_get_current_worker_index(), next(iterator)

    fetched = coordinator.fetch([coordinator.schedule(step, args=(iterator,)) for _ in range(16)])
    by_worker = {0: [], 1: []}
    for index, batch in fetched:
        by_worker[int(index)] += batch.tolist()
    for values in by_worker.values():
        assert values == list(range(0, 2 * len(values), 2))
    with pytest.raises(NotImplementedError, match="not supported right now"):
        next(iterator)
    for _ in range(40):
        coordinator.schedule(step, args=(iterator,))
    with pytest.raises(tf.errors.OutOfRangeError):
        coordinator.join()

    @tf.function
    def loop(iterator):
        total = tf.constant(0, tf.int64)
        for _ in tf.range(3):
            total += tf.reduce_sum(next(iterator))
        return total

    with pytest.raises(tf.errors.UnimplementedError, match="before a branch or a loop"):
        coordinator.schedule(loop, args=(iterator,))


def test_a_training_step_with_strategy_run(coordinator, strategy):
    with strategy.scope():
        w = tf.Variable(tf.zeros([3]))
        optimizer = tf.keras.optimizers.SGD(0.1)
        optimizer.build([w])

    @tf.function
    def step(x, y):
        def replica(x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.linalg.matvec(x, w) - y) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
            return loss

        return strategy.run(replica, args=(x, y))

    x = np.random.default_rng(0).normal(size=(8, 3)).astype("f4")
    y = x @ np.array([1.0, -2.0, 0.5], "f4")
    for _ in range(150):
        coordinator.schedule(step, args=(x, y))
    coordinator.join()
    np.testing.assert_allclose(w.numpy(), [1.0, -2.0, 0.5], atol=0.05)


# ------------------------------------------------------------------ failures


@pytest.fixture
def processes(keys, tmp_path, monkeypatch):
    """Two workers and two parameter servers in processes of their own."""
    from twinflow._src.wings.distribute import cluster

    monkeypatch.setitem(cluster_tasks.OUTSIDE, "TWINFLOW_TASK_FILES", str(tmp_path))
    with cluster_tasks.tasks(worker=2, ps=2) as (processes, addresses):
        yield processes, addresses
        for peer in list(strategy_of_test.extended.peers.values()):
            peer.close()
        cluster.remote.disconnect()


strategy_of_test = None


def connect(addresses):
    global strategy_of_test
    strategy_of_test = strategy_of(addresses)
    return strategy_of_test, tf.distribute.coordinator.ClusterCoordinator(strategy_of_test)


def test_closures_of_a_worker_that_is_killed_run_on_another(processes):
    """At least once: N increments with one kill are between N and N + 1; the worker comes back."""
    processes, addresses = processes
    strategy, coordinator = connect(addresses)
    with strategy.scope():
        v, w = tf.Variable(0.0), tf.Variable(tf.zeros([3]))

    @tf.function
    def step():
        v.assign_add(1.0)
        w.assign_add([1.0, 1.0, 1.0])
        return tf.distribute.coordinator.experimental_get_current_worker_index()

    count = 400
    results = [coordinator.schedule(step) for _ in range(count)]
    while v.numpy() < 50:
        time.sleep(0.001)
    processes["worker", 1].kill()
    coordinator.join()
    assert count <= v.numpy() <= count + 1 and count <= w.numpy()[0] <= count + 1
    assert all(int(r.fetch()) in (0, 1) for r in results)
    after = [int(coordinator.schedule(step).fetch()) for _ in range(20)]
    assert set(after) == {0}
    processes["worker", 1].wait()
    again, _ = cluster_tasks.start("worker", 1, addresses["worker"][1])
    try:
        seen = set()
        end = time.monotonic() + 60
        while 1 not in seen and time.monotonic() < end:
            seen |= {
                int(r) for r in coordinator.fetch([coordinator.schedule(step) for _ in range(20)])
            }
        assert seen == {0, 1}
    finally:
        cluster_tasks.end(again)


def test_the_log_names_the_closures_that_ran_twice(processes, caplog):
    """N increments with k kills are between N and N + k, and the log explains the difference."""
    processes, addresses = processes
    strategy, coordinator = connect(addresses)
    index = tf.function(tf.distribute.coordinator.experimental_get_current_worker_index)
    kills, each = 3, 200
    with strategy.scope():
        runs, total = tf.Variable(tf.zeros([kills * each])), tf.Variable(0)

    @tf.function
    def step(i):
        runs.assign_add(tf.one_hot(i, kills * each))
        total.assign_add(1)

    def where():
        numbers.append(None)
        return coordinator.schedule(index)

    worker, numbers = processes["worker", 1], []
    caplog.set_level(logging.WARNING, tf.get_logger().name)  # whatever earlier tests have set
    try:
        for k in range(kills):
            for i in range(k * each, (k + 1) * each):
                numbers.append(i)
                coordinator.schedule(step, args=(tf.constant(i),))
            while total.numpy() < k * each + 50:
                time.sleep(0.001)
            worker.kill()
            coordinator.join()
            if k:
                cluster_tasks.end(worker)
            worker, _ = cluster_tasks.start("worker", 1, addresses["worker"][1])
            cluster_tasks.wait_until(lambda: 1 in coordinator.fetch([where() for _ in range(8)]))
    finally:
        cluster_tasks.end(worker)
    counts = runs.numpy()
    assert (counts >= 1).all() and counts.sum() <= len(counts) + kills
    logged = [line for line in caplog.messages if "may have run these closures" in line]
    named = {
        numbers[int(number)]
        for line in logged
        for number in re.findall(r"\d+", line.partition(":")[2])
    }
    assert set(np.flatnonzero(counts > 1)) <= named and len(named) <= 8 * kills


def test_the_loss_of_a_parameter_server_ends_the_program(processes, tmp_path):
    """Every closure that needs it fails; a new strategy restores from the checkpoint."""
    processes, addresses = processes
    strategy, coordinator = connect(addresses)
    with strategy.scope():
        v, w = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function
    def step():
        w.assign_add(v)

    for _ in range(3):
        coordinator.schedule(step)
    coordinator.join()
    checkpoint = tf.train.Checkpoint(v=v, w=w)
    path = checkpoint.save(str(tmp_path / "ckpt"))
    files = sorted(tmp_path.iterdir())
    os.kill(processes["ps", 1].pid, signal.SIGSTOP)
    errors = []

    def save():
        try:
            checkpoint.save(str(tmp_path / "ckpt"))
        except tf.errors.UnavailableError as error:
            errors.append(error)

    saving = threading.Thread(target=save)
    saving.start()
    while not list(tmp_path.glob("*_temp/*")):  # the other server has begun
        time.sleep(0.01)
    processes["ps", 1].kill()
    processes["ps", 1].wait()
    saving.join()
    assert errors and sorted(tmp_path.iterdir()) == files  # those of the former checkpoint
    coordinator.schedule(step)
    start = time.perf_counter()
    with pytest.raises(tf.errors.UnavailableError, match="/job:ps/replica:0/task:1"):
        coordinator.join()
    assert time.perf_counter() - start < 20
    again, _ = cluster_tasks.start("ps", 1, addresses["ps"][1])
    try:
        for peer in strategy.extended.peers.values():
            peer.close()
        strategy, coordinator = connect(addresses)
        with strategy.scope():
            v, w = tf.Variable(0.0), tf.Variable(0.0)
        tf.train.Checkpoint(v=v, w=w).restore(path)

        @tf.function
        def next_step():
            w.assign_add(v)

        coordinator.schedule(next_step)
        coordinator.join()
        assert w.numpy() == 6.0
    finally:
        cluster_tasks.end(again)


def test_threads_end_with_the_coordinator(cluster):
    import gc

    strategy = strategy_of(cluster)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    threads = [t for t in threading.enumerate() if t.name.startswith("twinflow-worker")]
    coordinator._queue.stop()
    del coordinator, strategy
    gc.collect()
    end = time.monotonic() + 10
    while any(t.is_alive() for t in threads[-2:]) and time.monotonic() < end:
        time.sleep(0.01)
    assert not any(t.is_alive() for t in threads[-2:])
