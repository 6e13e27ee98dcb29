"""The data service: datasets that travel, sharding, jobs, and workers that end and come back."""

import contextlib
import subprocess
import sys
import threading
import time
from collections import Counter

import numpy as np
import pytest

import twinflow as tf
from tests.harness import OUTSIDE

pytest.importorskip("zmq", reason="the data service needs the package pyzmq")

Dataset, service = tf.data.Dataset, tf.data.experimental.service
POLICY = service.ShardingPolicy


@pytest.fixture(scope="module", autouse=True)
def keys(tmp_path_factory):
    """Keys of these tests, for other processes as well."""
    directory = str(tmp_path_factory.mktemp("keys"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TWINFLOW_CLUSTER_KEYS", directory)
        patch.setitem(OUTSIDE, "TWINFLOW_CLUSTER_KEYS", directory)
        yield directory


def address(server):
    return server.target.removeprefix("grpc://")


def free_port():
    from twinflow._src.wings.distribute.links import free_port

    return free_port()


@contextlib.contextmanager
def servers(workers=2, **config):
    """Context manager of a dispatcher and workers of this process."""
    dispatcher = service.DispatchServer(service.DispatcherConfig(**config))
    started = [
        service.WorkerServer(service.WorkerConfig(address(dispatcher), heartbeat_interval_ms=50))
        for _ in range(workers)
    ]
    try:
        yield dispatcher
    finally:
        for each in [*started, dispatcher]:
            each._stop()


@pytest.fixture(scope="module")
def target():
    with servers() as dispatcher:
        yield dispatcher.target


def plain(element):
    if isinstance(element, tf.RaggedTensor):
        return str(element.to_list())
    if isinstance(element, tf.SparseTensor):
        return plain(tf.sparse.to_dense(element))
    if isinstance(element, (tuple, dict)):
        return str([plain(x) for x in tf.nest.flatten(element)])
    return str(None if element is None else np.asarray(element).tolist())


def elements(dataset):
    return [plain(element) for element in dataset]


# ------------------------------------------------------------------ datasets that travel


def examples():
    feature = lambda i: {"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[i]))}
    return [
        tf.train.Example(features=tf.train.Features(feature=feature(i))).SerializeToString()
        for i in range(3)
    ]


def files(folder):
    names = []
    for i in range(3):
        names.append(str(folder / f"{i}.txt"))
        (folder / f"{i}.txt").write_text("".join(f"{i}{j}\n" for j in range(3)))
    return names


def lengths(x):
    return tf.size(x)


def total(x):
    zero = tf.constant(0, tf.int64)
    loop = tf.while_loop(lambda i, a: i < x, lambda i, a: (i + 1, a + i), (zero, zero))
    return loop[1]


INNER = Dataset.range(2)
OFFSET = tf.constant([1, 2, 3], tf.int64)
PIPELINES = {
    "slices": lambda: Dataset.from_tensor_slices({"a": [1, 2], "b": ["x", "y"]}),
    "map": lambda: Dataset.range(5).map(lambda x: (x, tf.cast(x, tf.float32) * 0.5)),
    "captures": lambda: Dataset.range(5).map(lambda x: x + OFFSET[0], num_parallel_calls=2),
    "flat_map": lambda: Dataset.range(4).flat_map(lambda x: Dataset.range(x).map(lambda y: y * x)),
    "captured dataset": lambda: Dataset.range(3).flat_map(lambda x: INNER.map(lambda y: y + x)),
    "interleave": lambda: Dataset.range(4).interleave(lambda x: Dataset.range(x), 2, 2, 2),
    "shuffle": lambda: Dataset.range(20).shuffle(7, seed=1).repeat(2),
    "ragged": lambda: Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3]])),
    "sparse": lambda: Dataset.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 2]])),
    "windows": lambda: Dataset.range(6).window(2).flat_map(lambda w: w.batch(2)),
    "groups": lambda: Dataset.range(9).group_by_window(lambda x: x % 2, lambda k, d: d.batch(3), 3),
    "buckets": lambda: (
        Dataset.range(1, 8).map(tf.range).bucket_by_sequence_length(lengths, [3, 5], [2, 2, 2])
    ),
    "padded": lambda: Dataset.range(1, 5).map(tf.range).padded_batch(2),
    "ragged_batch": lambda: Dataset.range(1, 4).map(tf.range).ragged_batch(2),
    "rebatch": lambda: Dataset.range(8).batch(4).rebatch(3).unbatch(),
    "scan": lambda: Dataset.range(5).scan(np.int64(0), lambda s, x: (s + x, s)),
    "filter": lambda: Dataset.range(9).filter(lambda x: x % 3 == 0).take_while(lambda x: x < 6),
    "sample": lambda: Dataset.sample_from_datasets(
        [Dataset.range(5), Dataset.range(10, 15)], seed=4
    ),
    "choose": lambda: Dataset.choose_from_datasets(
        [Dataset.range(3), Dataset.range(5, 9)], Dataset.range(4).map(lambda i: i % 2)
    ),
    "random": lambda: Dataset.random(seed=3).take(3),
    "stateless": lambda: Dataset.range(4).map(lambda x: tf.random.stateless_uniform([2], [x, 1])),
    "cond": lambda: Dataset.range(5).map(lambda x: tf.cond(x > 2, lambda: x * 2, lambda: x)),
    "loop": lambda: Dataset.range(5).map(total),
    "strings": lambda: Dataset.from_tensor_slices(["a b", "c"]).map(tf.strings.split),
    "none": lambda: Dataset.range(2).map(lambda x: (x, None)),
    "examples": lambda: Dataset.from_tensor_slices(examples()).map(
        lambda s: tf.io.parse_single_example(s, {"a": tf.io.FixedLenFeature([], tf.int64)})
    ),
    "resample": lambda: Dataset.range(20).rejection_resample(
        lambda x: tf.cast(x % 2, tf.int32), [0.5, 0.5], seed=1
    ),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_pipeline_travels(name):
    from twinflow._src.core.context import runtime
    from twinflow._src.core.dtypes import variant
    from twinflow._src.core.tensor import EagerTensor
    from twinflow._src.numerics.object_arrays import box
    from twinflow._src.wings.distribute.dataset_graphs import export_stage, import_stage

    tf.random.set_seed(3)
    dataset = PIPELINES[name]()
    graph = export_stage(dataset._stage)
    tensor = EagerTensor(box(import_stage(graph)), runtime.host, variant)
    received = tf.data.experimental.from_variant(tensor, dataset.element_spec)
    assert elements(received) == elements(dataset)
    assert received.cardinality().numpy() == dataset.cardinality().numpy()


def test_files_travel(tmp_path, target):
    names = files(tmp_path)
    dataset = Dataset.from_tensor_slices(names).interleave(tf.data.TextLineDataset, cycle_length=2)
    received = dataset.apply(service.distribute("distributed_epoch", target))
    assert Counter(elements(received)) == Counter(elements(dataset))


VARIABLE = tf.Variable(1, dtype=tf.int64)
REFUSED = {
    "GeneratorDataset": lambda: Dataset.from_generator(lambda: iter([1]), tf.int32),
    "EagerPyFunc": lambda: Dataset.range(2).map(
        lambda x: tf.py_function(lambda y: y, [x], tf.int64)
    ),
    "uses the variable": lambda: Dataset.range(2).map(lambda x: x + VARIABLE),
    "Elements with datasets": lambda: Dataset.range(4).window(2),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_refused_dataset(reason, target):
    with pytest.raises(tf.errors.UnimplementedError, match=reason):
        service.register_dataset(target, REFUSED[reason]())


# ------------------------------------------------------------------ sharding (results are TensorFlow's)


def test_processing_modes(target):
    dataset = Dataset.range(6)
    for mode, times in (
        ("parallel_epochs", 2),
        (POLICY.OFF, 2),
        ("distributed_epoch", 1),
        (POLICY.DYNAMIC, 1),
    ):
        received = dataset.apply(service.distribute(mode, target))
        assert received.cardinality().numpy() == tf.data.UNKNOWN_CARDINALITY
        assert Counter(int(x) for x in received) == dict.fromkeys(range(6), times)


@pytest.mark.parametrize(
    "dataset, expected",
    [
        (Dataset.range(4).repeat(3), Counter(dict.fromkeys(range(4), 3))),
        (Dataset.range(3).concatenate(Dataset.range(5)), Counter([0, 0, 1, 1, 2, 2, 3, 4])),
        (Dataset.range(4).flat_map(Dataset.range), Counter([0, 0, 0, 1, 1, 2])),
        (Dataset.counter().take(3), Counter([0, 0, 1, 1, 2, 2])),  # its numbers are not divided
    ],
)
def test_dynamic_sharding(dataset, expected, target):
    received = dataset.apply(service.distribute(POLICY.DYNAMIC, target))
    assert Counter(int(x) for x in received) == expected


def test_dynamic_sharding_of_two_sources(target):
    dataset = Dataset.range(6)
    received = Dataset.zip((dataset, dataset)).apply(service.distribute(POLICY.DYNAMIC, target))
    pairs = [(int(a), int(b)) for a, b in received]
    assert sorted(a for a, _ in pairs) == sorted(b for _, b in pairs) == list(range(6))


def test_static_sharding(tmp_path):
    ports = [free_port() for _ in range(2)]
    listed = [f"localhost:{port}" for port in ports]
    hint = tf.data.experimental.SHARD_HINT
    names = files(tmp_path)
    lines = Counter([f"{i}{j}".encode() for i in range(3) for j in range(3)])
    with servers(0, worker_addresses=listed) as dispatcher:
        workers = [
            service.WorkerServer(
                service.WorkerConfig(address(dispatcher), port=port, worker_address=name)
            )
            for port, name in zip(ports, listed)
        ]

        def counted(dataset, policy):
            received = dataset.apply(service.distribute(policy, dispatcher.target))
            return Counter(np.asarray(x).item() for x in received.as_numpy_iterator())

        text = tf.data.TextLineDataset(names)
        assert counted(text, POLICY.FILE) == lines
        assert counted(text.repeat(2), POLICY.FILE_OR_DATA) == lines + lines
        assert counted(text, POLICY.DATA) == lines
        assert counted(text, POLICY.HINT) == lines + lines
        assert counted(Dataset.range(7), POLICY.FILE_OR_DATA) == Counter(range(7))
        assert counted(Dataset.range(7).shard(hint, hint), POLICY.HINT) == Counter(range(7))
        with pytest.raises(tf.errors.NotFoundError, match="unshardable source dataset"):
            counted(Dataset.range(7), POLICY.FILE)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"only has 1 file\(s\)"):
            counted(tf.data.TextLineDataset(names[:1]), POLICY.FILE_OR_DATA)
        with pytest.raises(tf.errors.FailedPreconditionError, match="SHARD_HINT"):
            counted(Dataset.range(7).shard(hint, hint), POLICY.DATA)
        for worker in workers:
            worker._stop()


def test_static_sharding_of_an_unlisted_worker(target):
    dataset = Dataset.range(3).apply(service.distribute(POLICY.DATA, target))
    with pytest.raises(tf.errors.NotFoundError, match="is not in the workers list"):
        iter(dataset)


# ------------------------------------------------------------------ jobs


def test_jobs_share_elements(target):
    apply = service.distribute(POLICY.OFF, target, job_name="shared")
    first, second = (iter(Dataset.range(100).apply(apply)) for _ in range(2))
    taken = ([], [])
    ends = [False, False]
    while not all(ends):
        for i, iterator in enumerate((first, second)):
            try:
                taken[i].append(int(next(iterator)))
            except StopIteration:
                ends[i] = True
    assert all(taken)
    assert Counter(taken[0] + taken[1]) == dict.fromkeys(range(100), 2)


def test_iterators_of_a_dataset_are_iterations(target):
    dataset = Dataset.range(4).apply(service.distribute(POLICY.OFF, target, job_name="again"))
    assert Counter(int(x) for x in dataset.repeat(3)) == dict.fromkeys(range(4), 6)
    other = Dataset.range(4).apply(service.distribute(POLICY.OFF, target, job_name="again"))
    assert list(other) == []  # that iteration is finished


def test_job_with_other_parameters(target):
    list(Dataset.range(2).apply(service.distribute(POLICY.OFF, target, job_name="fixed")))
    other = Dataset.range(2).apply(service.distribute(POLICY.DYNAMIC, target, job_name="fixed"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="existing job with different"):
        iter(other)


def test_consumers_in_turn(target):
    results = {}

    def consume(i):
        apply = service.distribute(
            POLICY.OFF, target, job_name="turns", consumer_index=i, num_consumers=2
        )
        results[i] = [int(x) for x in Dataset.range(20).repeat().apply(apply).take(8)]

    threads = [threading.Thread(target=consume, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == {0: [0, 0, 2, 2, 4, 4, 6, 6], 1: [1, 1, 3, 3, 5, 5, 7, 7]}


def test_cross_trainer_cache():
    with servers(1) as dispatcher:

        def read(trainer, count):
            cache = service.CrossTrainerCache(trainer)
            apply = service.distribute(
                POLICY.OFF, dispatcher.target, job_name="cache", cross_trainer_cache=cache
            )
            return [int(x) for x in Dataset.counter().apply(apply).take(count)]

        assert read("first", 5) == read("second", 5) == list(range(5))
        finite = Dataset.range(3).apply(
            service.distribute(
                POLICY.OFF,
                dispatcher.target,
                job_name="finite",
                cross_trainer_cache=service.CrossTrainerCache("first"),
            )
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match="to be infinite"):
            iter(finite)


def test_cache_evicts_and_skips(monkeypatch):
    from twinflow._src.wings.distribute import data_worker

    monkeypatch.setattr(data_worker, "_CACHE_BYTES", 3 * 8)
    cache, numbers = data_worker._Cache(), iter(np.arange(100))
    advance = lambda: [np.asarray(next(numbers))]
    assert [int(cache.next("fast", advance)[0]) for _ in range(6)] == list(range(6))
    assert [int(cache.next("slow", advance)[0]) for _ in range(4)] == [3, 4, 5, 6]
    assert len(cache._elements) == 3


# ------------------------------------------------------------------ registered datasets


def test_registered_datasets(target):
    first = service.register_dataset(target, Dataset.range(3))
    assert first != service.register_dataset(target, Dataset.range(3))
    named = service.register_dataset(target, Dataset.range(3), dataset_id="mine")
    assert named.numpy() == b"mine"
    with pytest.raises(tf.errors.InvalidArgumentError, match="same structure"):
        service.register_dataset(target, Dataset.from_tensors(1.0), dataset_id="mine")
    for spec in (None, tf.TensorSpec([], tf.int64)):
        received = service.from_dataset_id("distributed_epoch", target, first, spec)
        assert received.element_spec == tf.TensorSpec([], tf.int64)
        assert sorted(int(x) for x in received) == [0, 1, 2]
    with pytest.raises(ValueError, match="Failed to fetch element spec for dataset id 7"):
        service.from_dataset_id("parallel_epochs", target, "7")


def test_errors_of_arguments(target):
    for mode in ("other", 3, None):
        with pytest.raises(ValueError, match="processing mode should be"):
            service.distribute(mode, target)
    for arguments, message in (
        ({"job_name": 3}, "`job_name` must be a string"),
        ({"job_name": ""}, "`job_name` must not be empty"),
        ({"num_consumers": 1}, "`job_name` must be set"),
        ({"compression": "other"}, "Invalid `compression` argument"),
    ):
        with pytest.raises(ValueError, match=message):
            service.distribute(POLICY.OFF, target, **arguments)
    with pytest.raises(ValueError, match="non-empty trainer ID"):
        service.CrossTrainerCache("")
    with pytest.raises(ValueError, match="without configuring a work dir"):
        service.DispatchServer(service.DispatcherConfig(fault_tolerant_mode=True))
    with pytest.raises(tf.errors.UnavailableError):
        service.register_dataset(f"grpc://localhost:{free_port()}", Dataset.range(1))


def test_errors_of_elements(target):
    def check(x):
        with tf.control_dependencies([tf.debugging.assert_less(x, tf.constant(1, tf.int64))]):
            return tf.identity(x)

    received = Dataset.range(3).map(check).apply(service.distribute(POLICY.OFF, target))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Failed to get element from worker"):
        list(received)


def test_saved_position_is_refused(target):
    iterator = iter(Dataset.range(3).apply(service.distribute(POLICY.OFF, target)))
    with pytest.raises(tf.errors.UnimplementedError, match="not yet supported"):
        iterator.serialize()


# ------------------------------------------------------------------ processes

WORKER = """
import sys
import twinflow as tf
service = tf.data.experimental.service
config = service.WorkerConfig(sys.argv[1], port=int(sys.argv[2]), heartbeat_interval_ms=50)
server = service.WorkerServer(config)
print(server._address, flush=True)
server.join()
"""


@contextlib.contextmanager
def process(dispatcher, port=0):
    """Context manager of a worker in a process of its own."""
    command = [sys.executable, "-c", WORKER, address(dispatcher), str(port)]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=OUTSIDE)
    try:
        yield started, started.stdout.readline().strip()
    finally:
        started.kill()
        started.wait()
        started.stdout.close()


def wait_until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def slowed(x):
    return tf.reduce_sum(tf.ones([200, 200])) * 0 + tf.cast(x, tf.float32)


def test_worker_process_ends_and_another_comes():
    with servers(0, worker_timeout_ms=500) as dispatcher, process(dispatcher) as (first, _):
        dataset = Dataset.range(3000).map(slowed)
        iterator = iter(dataset.apply(service.distribute(POLICY.DYNAMIC, dispatcher.target)))
        taken = [int(next(iterator)) for _ in range(50)]
        first.kill()
        wait_until(lambda: dispatcher._num_workers() == 0)  # the iteration waits for a worker
        with process(dispatcher):
            taken += [int(x) for x in iterator]
    assert max(Counter(taken).values()) == 1  # DYNAMIC: each element at most once
    assert len(taken) > 2900  # lost are those that the first worker had computed ahead


def test_worker_process_ends_for_good():
    with servers(1, worker_timeout_ms=500) as dispatcher, process(dispatcher) as (other, _):
        dataset = Dataset.range(2000).map(slowed)
        iterator = iter(dataset.apply(service.distribute(POLICY.OFF, dispatcher.target)))
        taken = []
        while len(taken) == len(set(taken)):  # until both have sent an element
            taken.append(int(next(iterator)))
        other.kill()
        taken += [int(x) for x in iterator]
    assert set(taken) == set(range(2000))
    assert 2000 < len(taken) < 4000


def test_workers_that_come_later():
    with servers(0) as dispatcher:
        dataset = Dataset.range(10).apply(service.distribute(POLICY.OFF, dispatcher.target))
        results = []
        thread = threading.Thread(target=lambda: results.extend(int(x) for x in dataset))
        thread.start()
        time.sleep(0.3)
        assert not results
        with process(dispatcher):
            thread.join(60)
    assert sorted(results) == list(range(10))


def restarted(config):
    """A dispatcher on a port that ZeroMQ releases some time after the former one was closed."""
    end = time.monotonic() + 30
    while True:
        try:
            return service.DispatchServer(config)
        except tf.errors.UnavailableError:
            assert time.monotonic() < end
            time.sleep(0.05)


def test_dispatcher_is_restored(tmp_path):
    port = free_port()
    config = service.DispatcherConfig(port=port, work_dir=str(tmp_path), fault_tolerant_mode=True)
    dispatcher = service.DispatchServer(config)
    with process(dispatcher):
        wait_until(lambda: dispatcher._num_workers() == 1)
        identity = service.register_dataset(dispatcher.target, Dataset.range(4))
        dataset = Dataset.range(3000).map(slowed)
        iterator = iter(dataset.apply(service.distribute(POLICY.DYNAMIC, dispatcher.target)))
        taken = [int(next(iterator)) for _ in range(20)]
        dispatcher._stop()
        dispatcher = restarted(config)
        taken += [int(x) for x in iterator]
        assert sorted(taken) == list(range(3000))
        received = service.from_dataset_id(POLICY.OFF, dispatcher.target, identity)
        assert sorted(int(x) for x in received) == list(range(4))
    dispatcher._stop()


def fetchers():
    return {t for t in threading.enumerate() if t.name == "twinflow-fetch"}


def test_tasks_of_dropped_iterators_end():
    before = fetchers()
    dispatcher = service.DispatchServer()
    worker = service.WorkerServer(
        service.WorkerConfig(address(dispatcher), heartbeat_interval_ms=50)
    )
    iterator = iter(Dataset.counter().apply(service.distribute(POLICY.OFF, dispatcher.target)))
    next(iterator)
    assert worker._num_tasks() == 1 and fetchers() > before
    del iterator
    wait_until(lambda: worker._num_tasks() == 0)
    wait_until(lambda: fetchers() <= before)
    worker._stop()
    dispatcher._stop()


def test_local_workers(target):
    with servers(1) as dispatcher, process(dispatcher):
        wait_until(lambda: dispatcher._num_workers() == 2)
        apply = service.distribute(POLICY.OFF, dispatcher.target, target_workers="LOCAL")
        iterator = iter(Dataset.counter().apply(apply))
        assert [int(next(iterator)) for _ in range(5)] == list(range(5))
