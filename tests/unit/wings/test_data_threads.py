"""Work of datasets in threads, ahead of the consumer."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import twinflow as tf

Dataset = tf.data.Dataset


def wait_for(condition):
    """Waits until a condition holds; fails after 20 seconds."""
    limit = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.005)


def threads():
    return [t for t in threading.enumerate() if t.name.startswith("tf_data")]


@pytest.fixture(autouse=True)
def no_threads_are_left():
    yield
    limit = time.monotonic() + 0.2
    while threads() and time.monotonic() < limit:
        time.sleep(0.005)
    if threads():  # of iterators in circles of references
        gc.collect()
    wait_for(lambda: not threads())


def python_map(function, count, **kwargs):
    """A dataset of the results of a Python function of the first numbers."""
    call = lambda x: tf.ensure_shape(tf.numpy_function(function, [x], tf.int64), [])
    return Dataset.range(count).map(call, **kwargs)


def counting(count, counts):
    """A dataset of numbers that counts those that were read."""

    def generate():
        for i in range(count):
            counts.append(i)
            yield i

    return Dataset.from_generator(generate, output_signature=tf.TensorSpec([], tf.int64))


def slow(x):
    time.sleep(0.01)
    return x * 2


# ---------------------------------------------------------------- prefetch


def test_prefetch_reads_ahead_as_many_as_it_should():
    counts = []
    iterator = iter(counting(100, counts).prefetch(5))
    assert counts == []
    assert int(next(iterator)) == 0
    wait_for(lambda: len(counts) == 6)
    time.sleep(0.05)
    assert len(counts) == 6
    assert [int(x) for x in iterator] == list(range(1, 100))


def test_prefetch_of_nothing_reads_nothing_ahead():
    counts = []
    iterator = iter(counting(10, counts).prefetch(0))
    next(iterator)
    time.sleep(0.02)
    assert len(counts) == 1
    assert not threads()


@pytest.mark.parametrize("size", [1, 2, tf.data.AUTOTUNE])
def test_the_source_and_the_consumer_overlap(size):
    """Both sleep; together they take little longer than one of them."""
    seconds = {}
    for ahead in (0, size):
        dataset = python_map(slow, 30).prefetch(ahead)
        start = time.monotonic()
        assert [slow(int(x)) for x in dataset] == list(range(0, 120, 4))
        seconds[ahead] = time.monotonic() - start
    assert seconds[size] < 0.8 * seconds[0]


def test_errors_keep_their_order_and_class():
    dataset = Dataset.from_tensor_slices([4, 0, 2, 0, 0, 1]).map(lambda x: 8 // x).prefetch(4)
    assert [int(x) for x in dataset.ignore_errors()] == [2, 4, 8]
    iterator = iter(dataset)
    assert int(next(iterator)) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        next(iterator)
    assert int(next(iterator)) == 4


def test_errors_of_generators_come_once():
    def generate():
        yield 1
        raise KeyError("there is none")

    dataset = Dataset.from_generator(generate, output_signature=tf.TensorSpec([], tf.int32))
    iterator = iter(dataset.prefetch(3))
    assert int(next(iterator)) == 1
    with pytest.raises(tf.errors.UnknownError, match="KeyError: 'there is none'"):
        next(iterator)
    for _ in range(3):
        with pytest.raises(StopIteration):
            next(iterator)


def test_an_exhausted_iterator_stays_exhausted():
    iterator = iter(Dataset.range(3).prefetch(10))
    assert [int(x) for x in iterator] == [0, 1, 2]
    for _ in range(3):
        assert next(iterator, None) is None
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        iterator.get_next()


def test_the_memory_of_elements_ahead_is_bounded():
    """AUTOTUNE keeps to the budget of the options, whatever the consumer waits for."""
    counts = []
    dataset = counting(10_000, counts).map(lambda x: tf.fill([1 << 17], x)).prefetch(-1)
    options = tf.data.Options()
    options.autotune.ram_budget = 4 << 20
    for taken, _ in enumerate(dataset.with_options(options).take(100), 1):
        time.sleep(0.001)
        assert len(counts) - taken <= 5


SCRIPT = """
import resource, sys
import numpy as np
import twinflow as tf
make = lambda i: tf.fill([1 << 18], i)
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
dataset = tf.data.Dataset.range(1000).map(make, tf.data.AUTOTUNE).shuffle(4)
dataset = dataset.interleave(tf.data.Dataset.from_tensors, 4, num_parallel_calls=2)
dataset = dataset.batch(2, num_parallel_calls=2).prefetch(4)
list(dataset.take(3))
before, total = peak(), 0
for batch in dataset:
    total += int(batch[0, 0] + batch[-1, 5])
print(total, peak() - before)
"""


def test_a_large_pipeline_takes_little_memory():
    """2 GB go through 4 + 4 + 8 + 8 + 8 elements of 2 MB."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    total, megabytes = map(int, done.stdout.split())
    assert total == 999 * 500
    assert megabytes < 150


# ---------------------------------------------------------------- ends


def test_threads_end_with_their_iterator():
    dataset = python_map(slow, 1000, num_parallel_calls=3).prefetch(2)
    iterator = iter(dataset)
    assert int(next(iterator)) == 0
    assert threads()
    del iterator
    wait_for(lambda: not threads())


def test_an_abandoned_loop_ends_the_threads():
    for x in python_map(slow, 1000).prefetch(2):
        if x > 4:
            break
    del x
    wait_for(lambda: not threads())


def test_a_generator_is_closed_when_its_iterator_is_dropped():
    closed = []

    def generate():
        try:
            while True:
                yield 1
        finally:
            closed.append(True)

    dataset = Dataset.from_generator(generate, output_signature=tf.TensorSpec([], tf.int32))
    iterator = iter(dataset.prefetch(2))
    next(iterator)
    del iterator
    wait_for(lambda: closed)


def test_a_process_ends_while_a_generator_waits():
    script = """
import threading, twinflow as tf
def generate():
    yield 1
    threading.Event().wait()
signature = tf.TensorSpec([], tf.int32)
iterator = iter(tf.data.Dataset.from_generator(generate, output_signature=signature).prefetch(2))
print(int(next(iterator)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"1\n", b"")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals of Unix")
def test_an_interrupted_consumer_can_go_on():
    release = threading.Event()

    def wait(x):
        if x == 2:
            release.wait(20)
        return x

    def interrupt(*_):
        release.set()
        raise KeyboardInterrupt

    iterator = iter(python_map(wait, 5).prefetch(4))
    assert [int(next(iterator)) for _ in range(2)] == [0, 1]
    time.sleep(0.05)  # the thread is inside the function
    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            next(iterator)
    finally:
        signal.signal(signal.SIGALRM, old)
    assert [int(x) for x in iterator] == [2, 3, 4]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes of Unix")
def test_a_forked_child_goes_on():
    script = """
import os, time
import twinflow as tf
def slow(x):
    time.sleep(0.002)
    return x
call = lambda x: tf.ensure_shape(tf.numpy_function(slow, [x], tf.int64), [])
for i in range(5):
    dataset = tf.data.Dataset.range(20).map(call, num_parallel_calls=2).prefetch(3)
    iterator = iter(dataset)
    next(iterator)
    time.sleep(0.001 * i)
    child = os.fork()
    if not child:
        os._exit(0 if [int(x) for x in iterator] == list(range(1, 20)) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert [int(x) for x in iterator] == list(range(1, 20))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr


# ---------------------------------------------------------------- parallel maps


def test_parallel_calls_overlap_and_keep_their_order():
    barrier = threading.Barrier(2)

    def meet(x):
        barrier.wait(20)
        return x * 2

    assert [int(x) for x in python_map(meet, 6, num_parallel_calls=2)] == [0, 2, 4, 6, 8, 10]


def test_no_more_calls_run_than_were_asked_for():
    running, most = [], []

    def call(x):
        running.append(x)
        most.append(len(running))
        time.sleep(0.003)
        running.remove(x)
        return x

    assert [int(x) for x in python_map(call, 40, num_parallel_calls=3)] == list(range(40))
    assert max(most) <= 3


def test_maps_compute_ahead_of_the_consumer():
    calls = []

    def call(x):
        calls.append(x)
        return x

    iterator = iter(python_map(call, 100, num_parallel_calls=4))
    next(iterator)
    wait_for(lambda: len(calls) == 5)
    time.sleep(0.02)
    assert sorted(map(int, calls)) == [0, 1, 2, 3, 4]


def reorders(dataset):
    """True if the first element, which takes long, does not come first."""
    numbers = [int(x) for x in dataset]
    assert sorted(numbers) == list(range(8))
    return numbers != list(range(8))


def first_late(x):
    time.sleep(0.2 if x == 0 else 0.001)
    return x


def test_only_maps_that_may_reorder_do():
    options = tf.data.Options()
    options.deterministic = False
    make = lambda **kwargs: python_map(first_late, 8, num_parallel_calls=3, **kwargs)
    assert not reorders(make())
    assert reorders(make(deterministic=False))
    assert reorders(make().with_options(options))
    assert not reorders(make(deterministic=True).with_options(options))


def test_errors_come_at_their_element():
    dataset = Dataset.range(5).map(lambda x: 10 // (x - 2), num_parallel_calls=2)
    assert [int(x) for x in dataset.ignore_errors()] == [-5, -10, 10, 5]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        list(dataset)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be greater than zero"):
        Dataset.range(3).map(lambda x: x, num_parallel_calls=0)


def test_large_elements_are_computed_in_threads():
    dataset = Dataset.range(8).map(
        lambda x: tf.reduce_sum(tf.sin(tf.fill([400, 400], tf.cast(x, tf.float32)))),
        num_parallel_calls=tf.data.AUTOTUNE,
    )
    expected = [160000 * np.sin(np.float32(i)) for i in range(8)]
    np.testing.assert_allclose([float(x) for x in dataset], expected, rtol=1e-4, atol=1e-3)


def test_random_numbers_come_in_the_order_of_the_elements():
    draw = lambda x: tf.random.uniform([], seed=5)
    dataset = Dataset.range(20).map(draw, num_parallel_calls=4).prefetch(4)
    expected = [float(x) for x in Dataset.range(20).map(draw)]
    assert [float(x) for x in dataset] == expected


def test_options_set_the_number_of_threads():
    options = tf.data.Options()
    options.threading.private_threadpool_size = 1
    most = []

    def call(x):
        most.append(len(threads()))
        time.sleep(0.001)
        return x

    dataset = python_map(call, 30, num_parallel_calls=8).prefetch(2).with_options(options)
    assert [int(x) for x in dataset] == list(range(30))
    assert max(most) == 1


def test_a_warm_start_needs_no_consumer():
    counts = []
    options = tf.data.Options()
    options.experimental_warm_start = True
    iterator = iter(counting(10, counts).prefetch(3).with_options(options))
    wait_for(lambda: len(counts) == 3)
    assert [int(x) for x in iterator] == list(range(10))


# ---------------------------------------------------------------- parallel interleaves and batches


@pytest.mark.parametrize(("cycle", "block"), [(1, 1), (2, 1), (3, 2), (5, 4), (20, 1)])
@pytest.mark.parametrize("width", [1, 2, -1])
def test_parallel_interleaves_keep_the_order(cycle, block, width):
    make = lambda i: Dataset.range(i * 100, i * 100 + i % 4)
    dataset = Dataset.range(1, 13)
    plain = dataset.interleave(make, cycle, block)
    if width > cycle:
        with pytest.raises(tf.errors.InvalidArgumentError, match="less than or equal to `cycle_le"):
            dataset.interleave(make, cycle, block, num_parallel_calls=width)
        return
    parallel = dataset.interleave(make, cycle, block, num_parallel_calls=width)
    assert [int(x) for x in parallel] == [int(x) for x in plain]


def sleeping(i):
    return Dataset.range(5).map(
        lambda j: tf.ensure_shape(tf.numpy_function(slow, [10 * i + j], tf.int64), [])
    )


@pytest.mark.parametrize(("calls", "cycle"), [(None, 8), (tf.data.AUTOTUNE, 3), (5, 5), (1, 1)])
def test_the_chosen_cycle_length_follows_the_cores(calls, cycle, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    twice = lambda x: Dataset.from_tensors(x).repeat(2)
    dataset = Dataset.range(20).interleave(twice, num_parallel_calls=calls)
    assert list(dataset.as_numpy_iterator())[: 2 * cycle] == [*range(cycle)] * 2


def test_interleaved_datasets_are_read_at_the_same_time():
    seconds = []
    for width in (None, 4):
        start = time.monotonic()
        list(Dataset.range(4).interleave(sleeping, 4, num_parallel_calls=width))
        seconds.append(time.monotonic() - start)
    assert seconds[1] < 0.7 * seconds[0]


def test_interleaves_that_may_reorder_take_what_is_ready():
    def make(i):
        call = lambda x: tf.ensure_shape(tf.numpy_function(first_late, [x], tf.int64), [])
        return Dataset.range(4 * i, 4 * i + 4).map(call)

    kwargs = {"cycle_length": 2, "num_parallel_calls": 2}
    dataset = Dataset.range(2).interleave(make, deterministic=False, **kwargs)
    numbers = [int(x) for x in dataset]
    assert sorted(numbers) == list(range(8))
    assert numbers[1:4] != [4, 1, 5]
    assert [int(x) for x in Dataset.range(2).interleave(make, **kwargs)] == [0, 4, 1, 5, 2, 6, 3, 7]


def test_batches_ahead():
    counts = []
    iterator = iter(counting(100, counts).batch(4, num_parallel_calls=2))
    assert next(iterator).numpy().tolist() == [0, 1, 2, 3]
    wait_for(lambda: len(counts) == 12)


# ---------------------------------------------------------------- positions


@pytest.mark.parametrize(
    "make",
    [
        lambda d: d.prefetch(4),
        lambda d: d.map(lambda x: x * x, num_parallel_calls=3),
        lambda d: d.interleave(lambda x: Dataset.range(x), 3, num_parallel_calls=2),
        lambda d: d.batch(3, num_parallel_calls=2).prefetch(1),
        lambda d: d.window(3).prefetch(2).flat_map(lambda w: w.batch(2)),
        lambda d: d.map(lambda x: 12 // (x - 3)).prefetch(4).ignore_errors(),
    ],
)
def test_checkpoints_hold_the_elements_ahead(make, tmp_path):
    dataset = make(Dataset.range(12))
    expected = [x.tolist() for x in dataset.as_numpy_iterator()]
    iterator = iter(dataset)
    taken = [next(iterator).numpy().tolist() for _ in range(3)]
    time.sleep(0.02)
    path = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "c"))
    rest = [x.numpy().tolist() for x in iterator]
    other = iter(dataset)
    tf.train.Checkpoint(iterator=other).restore(path)
    assert taken + rest == expected
    assert [x.numpy().tolist() for x in other] == rest
