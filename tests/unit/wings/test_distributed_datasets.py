"""Datasets distributed over replicas, beside what TensorFlow 2.21 returns for two and three of them."""

import json

import pytest

import twinflow as tf
from tests.harness import in_new_python

BEGIN = """
import json
import twinflow as tf
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 3)
strategies = [tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(n)]) for n in (1, 2, 3)]
def parts(x):
    if isinstance(x, tf.distribute.DistributedValues):
        return [parts(v) for v in x.values]
    return x.to_list() if hasattr(x, "to_list") else x.numpy().tolist()
def elements(dataset):
    return [tf.nest.map_structure(parts, x, expand_composites=False) for x in dataset]
def of(make):
    return [elements(s.experimental_distribute_dataset(make())) for s in strategies]
range_ = tf.data.Dataset.range
"""


def run(code, path=None):
    """Returns what a program of three logical CPUs prints, as JSON.

    It is in a file, where AutoGraph finds the source, if there is a path.
    """
    if path is None:
        return json.loads(in_new_python(BEGIN + code))
    path.write_text(BEGIN + code)
    return json.loads(in_new_python(f"import runpy; runpy.run_path({str(path)!r})"))


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (
            "range_(10).batch(4)",
            [
                [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]],
                [[[0, 1], [2, 3]], [[4, 5], [6, 7]], [[8], [9]]],
                [[[0, 1], [2, 3], []], [[4, 5], [6, 7], []], [[8], [9], []]],
            ],
        ),
        (
            "range_(8).batch(5)",
            [
                [[0, 1, 2, 3, 4], [5, 6, 7]],
                [[[0, 1, 2], [3, 4]], [[5, 6], [7]]],
                [[[0, 1], [2, 3], [4]], [[5], [6], [7]]],
            ],
        ),
        (
            "range_(6).batch(4).map(lambda x: (x, {'a': x * 2})).skip(1)",
            [
                [[[4, 5], {"a": [8, 10]}]],
                [[[[4], [5]], {"a": [[8], [10]]}]],
                [[[[4], [5], []], {"a": [[8], [10], []]}]],
            ],
        ),
        (
            "tf.data.Dataset.from_tensors(tf.ragged.constant([[1], [2, 3], [4]]))",
            [
                [[[1], [2, 3], [4]]],
                [[[[1], [2, 3]], [[4]]]],
                [[[[1]], [[2, 3]], [[4]]]],
            ],
        ),
        ("range_(1).batch(4)", [[[0]], [[[0], []]], [[[0], [], []]]]),
    ],
)
def test_global_batches_are_cut_into_parts(make, expected):
    assert run(f"print(json.dumps(of(lambda: {make})))") == expected


def test_specs_know_the_size_of_even_parts():
    code = """
sizes = lambda spec: [s.shape.as_list() for s in spec._specs]
ragged = tf.data.Dataset.from_tensors(tf.ragged.constant([[1], [2, 3], [4]]))
datasets = [range_(8).batch(4, drop_remainder=True), range_(8).batch(4), ragged]
print(json.dumps([[sizes(s.experimental_distribute_dataset(d).element_spec) for d in datasets] for s in strategies[1:]]))
"""
    assert run(code) == [
        [[[2]] * 2, [[None]] * 2, [[None, None]] * 2],
        [[[None]] * 3, [[None]] * 3, [[1, None]] * 3],
    ]


def test_each_replica_takes_the_next_batch_of_a_function():
    code = """
seen = []
def make(context):
    seen.append([context.num_input_pipelines, context.input_pipeline_id, context.num_replicas_in_sync])
    return range_(7).batch(context.get_per_replica_batch_size(6))
own = tf.distribute.InputOptions(
    experimental_replication_mode=tf.distribute.InputReplicationMode.PER_REPLICA,
    experimental_fetch_to_device=False,
)
results = [[elements(s.distribute_datasets_from_function(make, o)) for o in (None, own)] for s in strategies]
fixed = lambda context: range_(3).batch(1, drop_remainder=True)
results.append(elements(strategies[1].distribute_datasets_from_function(fixed)))
print(json.dumps([results, seen]))
"""
    results, seen = run(code)
    assert results == [
        [[[0, 1, 2, 3, 4, 5], [6]]] * 2,
        [[[[0, 1, 2], [3, 4, 5]], [[6], []]], [[x, x] for x in ([0, 1, 2], [3, 4, 5], [6])]],
        [
            [[[0, 1], [2, 3], [4, 5]], [[6], [], []]],
            [[x, x, x] for x in ([0, 1], [2, 3], [4, 5], [6])],
        ],
        [[[0], [1]]],  # all batches have the same static shape: the odd one is dropped
    ]
    assert seen == [[1, 0, 1]] * 2 + [[1, 0, 2]] * 3 + [[1, 0, 3]] * 4


def test_iterators_go_into_functions_without_retracing(tmp_path):
    code = """
s = strategies[1]
dataset = s.experimental_distribute_dataset(range_(7).batch(4))
traces = []
@tf.function
def step(iterator):
    traces.append(1)
    return s.run(lambda x: x * 2, args=(next(iterator),))
@tf.function
def epoch(dataset):
    total = tf.constant(0, tf.int64)
    for x in dataset:
        sums = s.run(lambda x: tf.reduce_sum(x), args=(x,))
        total += s.reduce(tf.distribute.ReduceOp.SUM, sums, axis=None)
    return total
@tf.function
def steps(iterator, count):
    total = tf.constant(0, tf.int64)
    for _ in tf.range(count):
        total += s.reduce("SUM", s.run(tf.reduce_sum, args=(next(iterator),)), axis=None)
    return total
iterator = iter(dataset)
results = [parts(step(iterator)), parts(step(iterator)), parts(step(iter(dataset))), len(traces)]
results += [int(epoch(dataset)), int(steps(iter(dataset), 2)), int(dataset.cardinality)]
add = lambda total, x: total + sum(tf.reduce_sum(v) for v in s.experimental_local_results(x))
results.append(int(dataset.reduce(tf.constant(0, tf.int64), add)))
optional = iter(dataset).get_next_as_optional()
results += [bool(optional.has_value()), parts(optional.get_value())]
try:
    iterator.get_next()
except tf.errors.OutOfRangeError:
    results.append("end")
print(json.dumps(results))
"""
    first, last = [[0, 2], [4, 6]], [[8, 10], [12]]
    assert run(code, tmp_path / "program.py") == [
        *(first, last, first, 1, 21, 21, 2, 21),
        *(True, [[0, 1], [2, 3]], "end"),
    ]


def test_values_are_copied_to_the_devices_of_replicas():
    code = """
two, one = strategies[1], tf.distribute.OneDeviceStrategy("CPU:1")
batches = range_(4).batch(2)
stay = tf.distribute.InputOptions(experimental_fetch_to_device=False)
first = [next(iter(two.experimental_distribute_dataset(batches, o))) for o in (None, stay)]
devices = [[v.device[-5:] for v in x.values] for x in first]
print(json.dumps([devices, next(iter(one.experimental_distribute_dataset(batches))).device[-5:]]))
"""
    assert run(code) == [[["CPU:0", "CPU:1"], ["CPU:0", "CPU:0"]], "CPU:1"]


def test_what_cannot_be_distributed():
    code = """
failures = []
for value in (range_(3), [1, 2]):
    try:
        strategies[1].experimental_distribute_dataset(value)
    except Exception as error:
        failures.append([type(error).__name__, str(error)[:80]])
try:
    strategies[1].distribute_datasets_from_function(lambda context: 3)
except Exception as error:
    failures.append([type(error).__name__, str(error)])
print(json.dumps(failures))
"""
    scalars, other, number = run(code)
    assert scalars[0] == "IndexError"
    assert scalars[1].startswith("Only batches are distributed among replicas")
    assert other == ["AttributeError", "'list' object has no attribute '_variant_tensor'"]
    assert number == ["AttributeError", "'int' object has no attribute 'element_spec'"]


def test_results_of_structures_and_of_the_same_tensor():
    """``all_reduce`` leaves a tensor that is the same object in all replicas, as TensorFlow does."""
    code = """
s, g = strategies[1], tf.constant([1.0, 1.0])
def reduced():
    context = tf.distribute.get_replica_context()
    return context.all_reduce("SUM", g), context.all_reduce("SUM", [tf.constant(1.0)])
local = s.experimental_local_results
result = s.run(lambda: (tf.constant(1.0), {"a": [tf.constant(2.0), g]}))
values = [local(s.run(reduced)), local(result), local([3]), local(())]
print(json.dumps(tf.nest.map_structure(lambda x: x.numpy().tolist() if tf.is_tensor(x) else x, values)))
"""
    assert run(code) == [
        [[[1, 1], [2]]] * 2,
        [[1, {"a": [2, [1, 1]]}]] * 2,
        [[3], [3]],
        [[], []],
    ]


def test_the_end_of_one_replica_ends_all_in_a_strategy_of_one():
    strategy = tf.distribute.OneDeviceStrategy("CPU:0")
    dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.range(3).batch(2))
    assert isinstance(dataset, tf.distribute.DistributedDataset)
    iterator = iter(dataset)
    assert isinstance(iterator, tf.distribute.DistributedIterator)
    assert [x.numpy().tolist() for x in iterator] == [[0, 1], [2]]
    assert repr(iterator._type_spec).startswith("DistributedIteratorSpec(TensorSpec(shape=(None,)")
