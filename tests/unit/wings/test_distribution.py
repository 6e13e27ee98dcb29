"""Strategies over several devices, and clusters: what TensorFlow answered, and what only a program can see."""

import json
import subprocess
import sys

import pytest

import twinflow as tf
from tests.golden import probes, several_devices
from tests.harness import in_new_python

PROBES = probes.load(several_devices.FILE)


@pytest.fixture(scope="module")
def answers():
    """Returns what twinflow answers to the probes, in a process with several CPUs."""
    command = [sys.executable, "-W", "error", several_devices.__file__]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    lines = json.loads(done.stdout.splitlines()[-1])
    return {probe["id"]: probes.Outcome(*line) for probe, line in zip(PROBES, lines, strict=True)}


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe["id"])
def test_answers(probe, answers):
    found = probes.differences(probes.Outcome.recorded(probe), answers[probe["id"]])
    if found and probe["id"] not in several_devices.DIFFERENT:
        pytest.fail(
            "\n".join(f"{what}\n  TensorFlow: {a}\n  twinflow:   {b}" for what, a, b in found),
            pytrace=False,
        )
    assert found or probe["id"] not in several_devices.DIFFERENT, "this is no difference any more"


SEVERAL = """
tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 4)
S = tf.distribute.MirroredStrategy()
"""


def test_sums_are_the_same_every_time():
    out = in_new_python(
        SEVERAL
        + """
def draw():
    return tf.random.stateless_normal([1000], [1, 0]) * tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group + 1, tf.float32)
found = {S.reduce("SUM", S.run(draw), None).numpy().tobytes() for _ in range(20)}
values = S.run(draw).values
print(len(found), found == {(((values[0] + values[1]) + values[2]) + values[3]).numpy().tobytes()})
"""
    )
    assert out == "1 True"


def test_an_error_ends_all_replicas():
    out = in_new_python(
        SEVERAL
        + """
import threading
def fail():
    context = tf.distribute.get_replica_context()
    context.merge_call(lambda strategy: None)
    if int(context.replica_id_in_sync_group) == 2:
        raise ZeroDivisionError("here")
    context.merge_call(lambda strategy: None)
for _ in range(3):
    try:
        S.run(fail)
    except ZeroDivisionError as error:
        print(error)
print(threading.active_count(), tf.distribute.has_strategy())
"""
    )
    assert out.split("\n") == ["here"] * 3 + ["1 False"]


def test_training_is_that_of_one_device_with_all_the_data():
    out = in_new_python(
        SEVERAL
        + """
def trained(strategy):
    with strategy.scope():
        w = tf.Variable([1.0, -2.0], name="w")
        o = tf.keras.optimizers.Adam(0.1)
    n = strategy.num_replicas_in_sync
    data = tf.reshape(tf.range(16, dtype=tf.float32), [8, 2]) / 8
    shares = strategy.experimental_distribute_values_from_function(
        lambda c: tf.split(data, n)[c.replica_id_in_sync_group])
    @tf.function
    def step(x):
        def one(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((x * w - 1.0) ** 2) / 16
            o.apply_gradients([(tape.gradient(loss, w), w)])
            return loss
        return strategy.reduce("SUM", strategy.run(one, (x,)), axis=None)
    losses = [float(step(shares)) for _ in range(10)]
    return losses, w.numpy()
(a, u), (b, v) = trained(S), trained(tf.distribute.OneDeviceStrategy("CPU:0"))
print(np.allclose(a, b, rtol=1e-5), np.allclose(u, v, rtol=1e-5), a[-1] < a[0])
"""
    )
    assert out == "True True True"


def test_checkpoints_have_one_value_and_restore_all_copies(tmp_path):
    out = in_new_python(
        SEVERAL
        + f"""
with S.scope():
    w = tf.Variable([1.0, 2.0]); s = tf.Variable(8, synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.SUM, dtype=tf.int64)
path = tf.train.Checkpoint(w=w, s=s).save({str(tmp_path / "c")!r})
print([name for name, _ in tf.train.list_variables(path)][1:], tf.train.load_variable(path, "s/.ATTRIBUTES/VARIABLE_VALUE"))
plain = tf.Variable([0.0, 0.0])
tf.train.Checkpoint(w=plain).restore(path)
w.assign([0.0, 0.0]); s.assign(0)
tf.train.Checkpoint(w=w, s=s).restore(path).assert_consumed()
print(plain.numpy(), [c.numpy().tolist() for c in w.values], [int(c) for c in s.values])
"""
    )
    names, values = out.split("\n")
    assert (
        names
        == "['s/.ATTRIBUTES/VARIABLE_VALUE', 'save_counter/.ATTRIBUTES/VARIABLE_VALUE', 'w/.ATTRIBUTES/VARIABLE_VALUE'] 32"
    )
    assert values == "[1. 2.] [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0]] [8, 8, 8, 8]"


def test_datasets_are_not_distributed_over_replicas():
    dataset = tf.data.Dataset.range(3)
    default = tf.distribute.get_strategy()
    assert default.experimental_distribute_dataset(dataset) is dataset
    assert default.distribute_datasets_from_function(lambda context: dataset) is dataset
    assert not isinstance(dataset, tf.distribute.DistributedDataset)
    with pytest.raises(NotImplementedError, match="experimental_distribute_values_from_function"):
        tf.distribute.MirroredStrategy(["CPU:0"]).experimental_distribute_dataset(dataset)


def test_there_are_no_tpus():
    for strategy in (tf.distribute.TPUStrategy, tf.distribute.experimental.TPUStrategy):
        with pytest.raises(ValueError, match="Please provide a TPU Name to connect to"):
            strategy()


def test_optimizers_of_tensorflow_1_say_where_they_cannot(tmp_path):
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        w = tf.Variable(1.0)
    optimizer = tf.compat.v1.train.MomentumOptimizer(0.5, 0.9)
    strategy.run(lambda: optimizer.apply_gradients([(tf.constant(1.0), w)]))
    assert w.numpy() == 0.5
    with pytest.raises(NotImplementedError, match=r"tf\.keras\.optimizers"):
        tf.function(
            lambda: strategy.run(lambda: optimizer.apply_gradients([(tf.constant(1.0), w)]))
        )()


def test_the_namespaces_load_late():
    assert (
        in_new_python("import sys; print(any('distribution.' in name for name in sys.modules))")
        == "False"
    )


def test_functions_that_stay_in_the_thread_take_turns():
    """As functions of R do: they meet the others once."""
    out = in_new_python(
        SEVERAL
        + """
def foreign(function):
    function.__module__ = "rpytools.call"
    return function
with S.scope():
    w = tf.Variable([1.0, 2.0])
    o = tf.keras.optimizers.Adam(0.5)
def number():
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
@foreign
def step():
    o.apply_gradients([(tf.ones([2]) * number(), w)])
    return number()
print(S.reduce("SUM", S.run(step), None).numpy(), len({tuple(c.numpy().tolist()) for c in w.values}), int(o.iterations.numpy()))
@foreign
def twice():
    c = tf.distribute.get_replica_context()
    return c.all_reduce("SUM", c.all_reduce("SUM", number()))
@foreign
def unequal():
    if int(number()) < 2:
        tf.distribute.get_replica_context().all_reduce("SUM", number())
for wrong in (twice, unequal):
    try:
        S.run(wrong)
    except (NotImplementedError, RuntimeError) as error:
        print(type(error).__name__, tf.distribute.has_strategy())
alone = tf.distribute.MirroredStrategy(["CPU:1"])
print(alone.run(twice).numpy(), alone.run(foreign(lambda: tf.zeros([1]).device)))
"""
    )
    assert out.split("\n") == [
        "6.0 1 1",
        "NotImplementedError False",
        "RuntimeError False",
        "0.0 /job:localhost/replica:0/task:0/device:CPU:1",
    ]


def test_saves_in_the_scope_of_a_strategy(tmp_path):
    """The counter of saves is a variable with copies there."""
    lines = """
import sys, twinflow as tf
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
    checkpoint = tf.train.Checkpoint(v=tf.Variable(2.0))
    paths = [checkpoint.save(sys.argv[1] + "/c") for _ in range(2)]
print(paths[1][len(sys.argv[1]):], tf.train.load_variable(paths[1], "v/.ATTRIBUTES/VARIABLE_VALUE"))
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", lines, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout == "/c-2 2.0\n"


def test_what_an_update_of_all_copies_gives_is_used_as_one_tensor():
    out = in_new_python(
        SEVERAL
        + """
with S.scope():
    v = tf.Variable([1.0, 2.0])
y = v.assign([3.0, 4.0])
print(repr(y).startswith("Mirrored:{"), y.shape, y.dtype.name, y.numpy(), y == 3.0, hasattr(y, "nope"))
found = [y + 1.0, 1.0 - y, 2.0 ** y, y * y, v * y, -y, y < 3.5, y[1], tf.stack([y, y])[1], tf.cast(y, tf.int32), tf.add(y, 1.0)]
print(*[np.array(x).tolist() for x in (*found, y)])
"""
    )
    assert out.split("\n") == [
        "True (2,) float32 [3. 4.] False False",
        "[4.0, 5.0] [-2.0, -3.0] [8.0, 16.0] [9.0, 16.0] [9.0, 16.0] [-3.0, -4.0] [True, False] 4.0 [3.0, 4.0] [3, 4] "
        "[4.0, 5.0] [3.0, 4.0]",
    ]


def test_functions_give_what_an_update_of_all_copies_gives():
    out = in_new_python(
        SEVERAL
        + """
with S.scope():
    v = tf.Variable([1.0, 2.0])
def chosen():
    return tf.cond(v[0] > 0.0, lambda: v.assign([9.0, 9.0]), lambda: v.read_value())
def doubled():
    return tf.add(v.assign_add([1.0, 1.0]), 1.0), v
def scattered():
    return v.scatter_update(tf.IndexedSlices([5.0], [0]))
for function in (lambda: v.assign([3.0, 4.0]), doubled, chosen, scattered):
    print(*tf.nest.map_structure(lambda x: x.numpy(), tf.nest.flatten(tf.function(function)())))
print({str(copy.numpy()) for copy in S.experimental_local_results(v)})
"""
    )
    assert out.split("\n") == ["[3. 4.]", "[5. 6.] [4. 5.]", "[9. 9.]", "[5. 9.]", "{'[5. 9.]'}"]


def test_a_tensor_that_all_replicas_share_is_not_added_up():
    """TensorFlow's answers: one tensor of all replicas is taken for a reduced value."""
    out = in_new_python(
        SEVERAL
        + """
shared = tf.constant([1.0, 2.0])
def reduced(op, own):
    context = tf.distribute.get_replica_context()
    return context.all_reduce(op, tf.constant([1.0, 2.0]) if own else shared)
for op in ("SUM", "MEAN"):
    for own in (False, True):
        for run in (S.run, tf.function(S.run)):
            print(op, own, run(reduced, args=(op, own)).values[1].numpy().tolist())
    print(S.extended.batch_reduce_to(tf.distribute.ReduceOp[op], [(shared, shared)])[0].numpy().tolist())
"""
    )
    kept, added = "[1.0, 2.0]", "[4.0, 8.0]"
    lines = [f"SUM False {kept}"] * 2 + [f"SUM True {added}"] * 2 + [kept]
    lines += [f"MEAN False {kept}"] * 2 + [f"MEAN True {kept}"] * 2 + [kept]
    assert out.splitlines() == lines
