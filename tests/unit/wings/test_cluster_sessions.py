"""Sessions of TensorFlow 1 on clusters: one parameter server, two workers."""

import contextlib
import json
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import twinflow.compat.v1 as tf
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
def tasks(keys):
    with cluster_tasks.cluster(ps=1, worker=2) as (_, spec):
        yield spec


@pytest.fixture
def spec(tasks):
    """The cluster, without variables, and a new graph."""
    tf.Session.reset(f"grpc://{tasks['worker'][0]}")
    with tf.Graph().as_default():
        yield tasks


def target(spec, job="worker", index=0):
    return f"grpc://{spec[job][index]}"


def on_worker(spec, index=0):
    return tf.device(
        tf.train.replica_device_setter(worker_device=f"/job:worker/task:{index}", cluster=spec)
    )


@pytest.mark.parametrize("use_resource", [False, True])
def test_sessions_share_variables(spec, use_resource):
    with on_worker(spec):
        v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=use_resource)
        x = tf.placeholder(tf.float32, [2])
        add, total = tf.assign_add(v, x), tf.reduce_sum(v * x)
    with tf.Session(target(spec)) as first, tf.Session(target(spec, index=1)) as second:
        with pytest.raises(tf.errors.FailedPreconditionError, match="v"):
            second.run(v)
        first.run(tf.global_variables_initializer())
        assert second.run(total, {x: [1.0, 1.0]}) == 3.0
        for session in (first, second):
            session.run(add, {x: [10.0, 20.0]})
        assert first.run(v).tolist() == second.run(v).tolist() == [21.0, 42.0]
        assert type(first.run(total, {x: [1.0, 0.0]})) is np.float32
    with tf.Session(target(spec, "ps")) as third:
        assert third.run(v).tolist() == [21.0, 42.0]
        assert {d.name for d in third.list_devices()} == {
            f"/job:{job}/replica:0/task:{i}/device:CPU:0"
            for job, i in (("ps", 0), ("worker", 0), ("worker", 1))
        }


@pytest.mark.parametrize("name", ["Adam", "Momentum", "RMSProp", "Ftrl"])
@pytest.mark.parametrize("use_resource", [False, True])
def test_training_has_the_numbers_of_one_process(spec, name, use_resource):
    def trained(address, setter):
        with tf.Graph().as_default(), setter:
            w = tf.get_variable("w", initializer=[[0.5], [-0.5]], use_resource=use_resource)
            step = tf.train.get_or_create_global_step()
            x = tf.placeholder(tf.float32, [None, 2])
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
            options = {"momentum": 0.9} if name == "Momentum" else {}
            optimizer = getattr(tf.train, f"{name}Optimizer")(0.1, **options)
            train = optimizer.minimize(loss, global_step=step)
            with tf.Session(address) as session:
                session.run(tf.global_variables_initializer())
                data = np.arange(8, dtype="f").reshape(4, 2)
                losses = [session.run([loss, train], {x: data})[0] for _ in range(5)]
                return losses, session.run(w).tolist(), session.run(step)

    assert trained(target(spec), on_worker(spec)) == trained("", tf.device("/cpu:0"))


def test_control_dependencies_between_tasks(spec):
    with tf.device("/job:ps/task:0"):
        v = tf.get_variable("v", initializer=0.0)
    with tf.device("/job:worker/task:0"):
        product = tf.constant(3.0) * 2.0
    with tf.device("/job:ps/task:0"), tf.control_dependencies([product]):
        first = tf.assign(v, 5.0)
    with tf.device("/job:worker/task:1"), tf.control_dependencies([first]):
        marker = tf.no_op()
    with tf.device("/job:ps/task:0"), tf.control_dependencies([marker]):
        second = tf.assign_add(v, product)
    with tf.control_dependencies([second]):
        seen = v.read_value()
    with tf.Session(target(spec)) as session:
        session.run(v.initializer)
        assert session.run(seen) == 11.0


def test_loops_branches_strings_and_random_numbers(spec):
    with on_worker(spec):
        n = tf.placeholder(tf.int32, [])
        total = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), [0, 0])[1]
        choice = tf.cond(n > 3, lambda: tf.constant("large"), lambda: tf.constant("small"))
        noise = tf.random_uniform([4], seed=3)
    with tf.Session(target(spec)) as session:
        assert session.run([total, choice], {n: 5}) == [10, b"large"]
        assert session.run([total, choice], {n: 2}) == [1, b"small"]
        first, second = session.run(noise), session.run(noise)
    with tf.Session() as session:
        pass
    assert first.tolist() != second.tolist() and (first >= 0).all()


def test_errors_name_the_node(spec):
    with on_worker(spec):
        index = tf.placeholder(tf.int32, [], name="index")
        picked = tf.gather([1.0, 2.0], index, name="picked")
    with tf.Session(target(spec)) as session:
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"(?s)Detected at node 'picked'.*9 is not in \[0, 2\)",
        ) as caught:
            session.run(picked, {index: 9})
        assert caught.value.op is picked.op
        assert session.run(picked, {index: 1}) == 2.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="feed a value for placeholder"):
            session.run(picked)
        with tf.device("/job:ps/task:7"):
            lost = tf.constant(1.0, name="lost")
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"Cannot assign a device for operation lost.*available devices are \[ /job:ps/replica:0/task:0",
        ):
            session.run(lost)
        with pytest.raises(RuntimeError, match="closed"):
            session.close()
            session.run(picked, {index: 1})


def test_addresses_of_other_kinds():
    for address in ("http://localhost:1", "localhost:1", "local"):
        with pytest.raises(tf.errors.NotFoundError, match="No session factory registered"):
            tf.Session(address)


def test_device_filters(spec):
    config = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:0"])
    with tf.device("/job:worker/task:1"):
        there = tf.constant(1.0)
    with tf.Session(target(spec), config=config) as session:
        names = [d.name for d in session.list_devices()]
        assert names == [f"/job:{job}/replica:0/task:0/device:CPU:0" for job in ("ps", "worker")]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device"):
            session.run(there)


# ------------------------------------------------------------------ queues and accumulators


def test_queues_are_shared_by_name(spec):
    with tf.device("/job:ps/task:0"):
        queue = tf.FIFOQueue(10, [tf.int32, tf.string], shapes=[[], []], shared_name="work")
    number, word = tf.placeholder(tf.int32, []), tf.placeholder(tf.string, [])
    put, take, size = queue.enqueue([number, word]), queue.dequeue(), queue.size()
    many = queue.dequeue_many(2)
    with tf.Session(target(spec)) as first, tf.Session(target(spec, index=1)) as second:
        results = []
        thread = threading.Thread(target=lambda: results.append(second.run(take)))
        thread.start()
        first.run(put, {number: 1, word: "a"})
        thread.join(20)
        assert results == [[1, b"a"]]
        for i in range(3):
            first.run(put, {number: i, word: "b"})
        assert second.run(size) == 3
        numbers, words = second.run(many)
        assert numbers.tolist() == [0, 1] and words.tolist() == [b"b", b"b"]
        first.run(queue.close())
        second.run(take)
        with pytest.raises(tf.errors.OutOfRangeError, match="closed and has insufficient elements"):
            second.run(take)


def test_queues_and_variables_of_a_container_are_its_own(spec):
    """Recorded from TensorFlow: names are those of a container in a task."""

    def made(container, capacity=10):
        with tf.container(container) if container else contextlib.nullcontext():
            v = tf.get_variable(f"v{container}", initializer=float(len(container)))
            return v, tf.FIFOQueue(capacity, tf.int32, shared_name="shared", shapes=[[]])

    def sizes(session, queues):
        return [int(size) for size in session.run([queue.size() for queue in queues])]

    with tf.device("/job:ps/task:0"):
        variables, queues = zip(*map(made, ("one", "three", "")))
    with tf.device("/job:worker/task:0"):
        queues += (tf.FIFOQueue(10, tf.int32, shared_name="shared", shapes=[[]]),)
    with tf.Session(target(spec)) as session:
        session.run([v.initializer for v in variables])
        for queue, count in zip(queues, (2, 1, 0, 3)):
            for _ in range(count):
                session.run(queue.enqueue(7))
        assert sizes(session, queues) == [2, 1, 0, 3]
    with tf.Session(target(spec, index=1)) as session:
        assert sizes(session, queues) == [2, 1, 0, 3]
    tf.Session.reset(target(spec), containers=["one"])
    with tf.Session(target(spec)) as session:
        assert sizes(session, queues) == [0, 1, 0, 3]
        assert session.run(list(variables[1:])) == [5.0, 0.0]
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(variables[0])
    with tf.Graph().as_default(), tf.device("/job:ps/task:0"):
        size = made("three", 11)[1].size()
        with (
            tf.Session(target(spec)) as session,
            pytest.raises(
                tf.errors.InvalidArgumentError,
                match="Shared queue 'shared' has capacity 10 but requested capacity was 11",
            ),
        ):
            session.run(size)


def test_an_enqueue_and_a_dequeue_of_one_run(spec):
    with tf.device("/job:ps/task:0"):
        queue = tf.FIFOQueue(1, tf.float32, shapes=[[]])
    with tf.device("/job:worker/task:0"):
        value = tf.constant(3.0) * 2.0
    put, take = queue.enqueue(value), queue.dequeue()
    with tf.Session(target(spec)) as session:
        assert session.run([put, take])[1] == 6.0


def test_a_run_that_waits_ends_with_its_time_or_its_session(spec):
    with tf.device("/job:ps/task:0"):
        queue = tf.FIFOQueue(1, tf.float32, shapes=[[]])
    take = queue.dequeue()
    session = tf.Session(target(spec))
    begin = time.monotonic()
    with pytest.raises(tf.errors.DeadlineExceededError):
        session.run(take, options=tf.RunOptions(timeout_in_ms=300))
    assert time.monotonic() - begin < 10
    errors = []

    def wait():
        try:
            session.run(take)
        except tf.errors.OpError as error:
            errors.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.3)
    session.close()
    thread.join(20)
    assert [type(e) for e in errors] == [tf.errors.CancelledError]


@pytest.mark.parametrize("sparse", [False, True])
def test_accumulators_are_shared_by_name(spec, sparse):
    with tf.device("/job:ps/task:0"):
        if sparse:
            sums = tf.SparseConditionalAccumulator(tf.float32, shape=[3, 1], shared_name="sums")
        else:
            sums = tf.ConditionalAccumulator(tf.float32, shape=[2], shared_name="sums")
    x = tf.placeholder(tf.float32, [1, 1] if sparse else [2])
    add = sums.apply_grad([1], x) if sparse else sums.apply_grad(x)
    mean, count = sums.take_grad(2), sums.num_accumulated()
    values = [[[1.0]], [[3.0]]] if sparse else [[1.0, 2.0], [3.0, 4.0]]
    with tf.Session(target(spec)) as first, tf.Session(target(spec, index=1)) as second:
        first.run(add, {x: values[0]})
        assert second.run(count) == 1
        second.run(add, {x: values[1]})
        result = first.run(mean)
        assert result[1].tolist() == [[2.0]] if sparse else result.tolist() == [2.0, 3.0]


# ------------------------------------------------------------------ what stays in the client


def test_python_functions_are_refused_by_name(spec):
    with tf.device("/job:worker/task:0"):
        y = tf.py_func(lambda x: x + 1, [tf.constant(1.0)], tf.float32, name="mine")
    with (
        tf.Session(target(spec)) as session,
        pytest.raises(tf.errors.UnimplementedError, match="'mine' of the type PyFunc calls Python"),
    ):
        session.run(y)


def test_a_server_in_the_process_of_the_session(keys):
    server = tf.train.Server.create_local_server()
    assert server.target.startswith("grpc://localhost:")
    with tf.Graph().as_default():
        v = tf.get_variable("v", initializer=[1.0, 2.0])
        y = tf.py_func(lambda x: x + 1.0, [v * 2.0], tf.float32)
        z = tf.reshape(y, [2]) * 10.0
        dataset = tf.data.Dataset.from_tensor_slices([5.0, 6.0])
        element = tf.data.make_one_shot_iterator(dataset).get_next() + v
        with tf.Session(server.target) as session:
            session.run(tf.global_variables_initializer())
            assert session.run(z).tolist() == [30.0, 50.0]
            assert [session.run(element).tolist() for _ in range(2)] == [[6.0, 7.0], [7.0, 8.0]]
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(element)
            assert session.partial_run_setup([z], []) is not None
        with tf.Session(server.target) as session:
            assert session.run(v).tolist() == [1.0, 2.0]
        tf.Session.reset(server.target)
        with (
            tf.Session(server.target) as session,
            pytest.raises(tf.errors.FailedPreconditionError),
        ):
            session.run(v)
    server._stop()


def test_checkpoints_of_variables_on_servers(spec, tmp_path):
    with on_worker(spec):
        v = tf.get_variable("v", initializer=[1.0, 2.0])
        saver = tf.train.Saver(sharded=True)
    with tf.Session(target(spec)) as session:
        session.run(tf.global_variables_initializer())
        path = saver.save(session, str(tmp_path / "model"))
        session.run(tf.assign(v, [0.0, 0.0]))
        saver.restore(session, path)
        assert session.run(v).tolist() == [1.0, 2.0]
    assert tf.train.load_checkpoint(path).get_tensor("v").tolist() == [1.0, 2.0]


# ------------------------------------------------------------------ between-graph replication

TRAINING = """
import json, sys
import numpy as np
import twinflow.compat.v1 as tf
tf.disable_v2_behavior()
cluster = tf.train.ClusterSpec(json.loads(sys.argv[1]))
index, is_sync, folder = int(sys.argv[2]), sys.argv[3] == "sync", sys.argv[4]
server = tf.train.Server(cluster, job_name="worker", task_index=index)
setter = tf.train.replica_device_setter(worker_device=f"/job:worker/task:{index}", cluster=cluster)
with tf.device(setter):
    w = tf.get_variable("w", initializer=[0.0, 0.0])
    x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None])
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - y))
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    hooks = [tf.train.StopAtStepHook(last_step=60)]
    if is_sync:
        optimizer = tf.train.SyncReplicasOptimizer(
            optimizer, replicas_to_aggregate=2, total_num_replicas=2)
        hooks.append(optimizer.make_session_run_hook(index == 0))
    train = optimizer.minimize(loss, global_step=step)
random = np.random.RandomState(index)
config = tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{index}"])
with tf.train.MonitoredTrainingSession(
    server.target, index == 0, folder, hooks=hooks, config=config, stop_grace_period_secs=5,
    save_checkpoint_steps=20) as session:
    while not session.should_stop():
        data = random.rand(8, 2).astype("f")
        weights, _ = session.run([w, train], {x: data, y: data @ [1.0, 2.0]})
print(json.dumps(weights.tolist()))
"""


def workers_of(spec, mode, folder):
    return [
        subprocess.Popen(
            [sys.executable, "-c", TRAINING, json.dumps(spec), str(i), mode, str(folder)],
            env=cluster_tasks.OUTSIDE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for i in range(2)
    ]


@pytest.mark.parametrize("mode", ["async", "sync"])
def test_two_workers_train_with_a_monitored_session(keys, tmp_path, mode):
    spec = cluster_tasks.addresses(ps=1, worker=2)
    ps = cluster_tasks.start_of(spec, "ps", 0)
    workers = workers_of(spec, mode, tmp_path)
    try:
        output, errors = workers[0].communicate(timeout=150)
        assert workers[0].returncode == 0, errors
        weights = json.loads(output.splitlines()[-1])
        np.testing.assert_allclose(weights, [1.17, 1.82], atol=0.1)
        reader = tf.train.load_checkpoint(str(tmp_path))
        assert reader.get_tensor("global_step") >= 60
        np.testing.assert_allclose(reader.get_tensor("w"), [1.17, 1.82], atol=0.1)
        assert "sync_rep_local_step" not in reader.get_variable_to_shape_map()
    finally:
        for process in workers:
            process.kill()
            process.communicate()
        cluster_tasks.end(ps)


def test_a_monitored_session_survives_the_loss_of_its_parameter_server(keys, tmp_path):
    spec = cluster_tasks.addresses(ps=1, worker=1)
    processes = [cluster_tasks.start_of(spec, job, 0) for job in ("ps", "worker")]
    try:
        with tf.Graph().as_default():
            with on_worker(spec):
                v = tf.get_variable("v", initializer=0.0)
                step = tf.train.get_or_create_global_step()
                train = tf.group(tf.assign_add(v, 1.0), tf.assign_add(step, 1))
            with tf.train.MonitoredTrainingSession(
                target(spec), checkpoint_dir=str(tmp_path), save_checkpoint_steps=5
            ) as session:
                for _ in range(12):
                    session.run(train)
                cluster_tasks.end(processes[0])
                processes[0] = cluster_tasks.start_of(spec, "ps", 0)
                session.run(train)
                values = session.run([v, step])
                assert values[0] == values[1] and 10 <= values[1] <= 13
    finally:
        for process in processes:
            cluster_tasks.end(process)


def test_a_plain_session_ends_with_the_life_of_a_task(keys):
    spec = cluster_tasks.addresses(ps=1, worker=1)
    processes = [cluster_tasks.start_of(spec, job, 0) for job in ("ps", "worker")]
    try:
        with tf.Graph().as_default():
            with on_worker(spec):
                v = tf.get_variable("v", initializer=1.0)
            session = tf.Session(target(spec))
            session.run(v.initializer)
            cluster_tasks.end(processes[0])
            begin = time.monotonic()
            with pytest.raises(tf.errors.UnavailableError, match="/job:ps/replica:0/task:0"):
                session.run(v)
            assert time.monotonic() - begin < 5
            processes[0] = cluster_tasks.start_of(spec, "ps", 0)
            with pytest.raises(tf.errors.AbortedError, match="started anew"):
                session.run(v)
            with (
                tf.Session(target(spec)) as other,
                pytest.raises(tf.errors.FailedPreconditionError),
            ):
                other.run(v)
    finally:
        for process in processes:
            cluster_tasks.end(process)
