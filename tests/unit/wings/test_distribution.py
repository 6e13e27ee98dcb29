"""Strategies over several devices, and clusters: what TensorFlow answered, and what only a program can see."""

import json
import os
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


def test_the_default_strategy_returns_datasets_unchanged():
    dataset = tf.data.Dataset.range(3)
    default = tf.distribute.get_strategy()
    assert default.experimental_distribute_dataset(dataset) is dataset
    assert default.distribute_datasets_from_function(lambda context: dataset) is dataset
    assert not isinstance(dataset, tf.distribute.DistributedDataset)


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


DATASETS = (
    SEVERAL
    + """
def show(v):
    if isinstance(v, dict):
        return {k: show(x) for k, x in v.items()}
    return [x.numpy().tolist() for x in v.values]
"""
)


def test_batches_are_split_between_replicas():
    """TensorFlow's answers for 2 and 3 replicas: numbers of elements, batch, drop_remainder."""
    out = in_new_python(
        DATASETS
        + """
for n in (2, 3):
    s = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(n)])
    for count, batch, drop in ((11, 4, False), (9, 4, False), (10, 4, True), (7, 5, False), (3, 1, False), (2, 6, False)):
        ds = tf.data.Dataset.range(count).batch(batch, drop_remainder=drop)
        print([show(x) for x in s.experimental_distribute_dataset(ds)])
    pairs = tf.data.Dataset.from_tensor_slices({"a": [1., 2., 3.], "b": [[1], [2], [3]]}).batch(4)
    print(show(next(iter(s.experimental_distribute_dataset(pairs)))))
    def make(c):
        assert (c.num_input_pipelines, c.input_pipeline_id, c.num_replicas_in_sync) == (1, 0, n)
        return tf.data.Dataset.range(7).batch(2)
    print([show(x) for x in s.distribute_datasets_from_function(make)])
"""
    )
    assert out.splitlines() == [
        "[[[0, 1], [2, 3]], [[4, 5], [6, 7]], [[8, 9], [10]]]",
        "[[[0, 1], [2, 3]], [[4, 5], [6, 7]], [[8], []]]",
        "[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]",
        "[[[0, 1, 2], [3, 4]], [[5], [6]]]",
        "[[[0], []], [[1], []], [[2], []]]",
        "[[[0], [1]]]",
        "{'a': [[1.0, 2.0], [3.0]], 'b': [[[1], [2]], [[3]]]}",
        "[[[0, 1], [2, 3]], [[4, 5], [6]]]",
        "[[[0, 1], [2, 3], []], [[4, 5], [6, 7], []], [[8], [9], [10]]]",
        "[[[0, 1], [2, 3], []], [[4, 5], [6, 7], []], [[8], [], []]]",
        "[[[0, 1], [2, 3], []], [[4, 5], [6, 7], []]]",
        "[[[0, 1], [2, 3], [4]], [[5], [6], []]]",
        "[[[0], [], []], [[1], [], []], [[2], [], []]]",
        "[[[0], [1], []]]",
        "{'a': [[1.0], [2.0], [3.0]], 'b': [[[1]], [[2]], [[3]]]}",
        "[[[0, 1], [2, 3], [4, 5]], [[6], [], []]]",
    ]


def test_distributed_datasets_in_loops_and_functions():
    out = in_new_python(
        DATASETS
        + """
from tests.unit.wings.cluster_tasks import sum_of_batches
D, I = tf.distribute.DistributedDataset, tf.distribute.DistributedIterator
for n in (1, 2):
    s = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(n)])
    dd = s.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(4))
    total = lambda x: s.reduce("SUM", s.run(tf.reduce_sum, args=(x,)), axis=None)
    step = tf.function(lambda iterator: total(next(iterator)))
    it = iter(dd)
    print(isinstance(dd, D), isinstance(it, I), dd.cardinality, dd.element_spec == it.element_spec)
    print(sum_of_batches(s, dd), [int(step(it)), int(step(it))], [int(total(x)) for x in dd])
    print(bool(it.get_next_as_optional().has_value()))
    for end in (it.get_next, lambda: step(it), lambda: next(it)):
        try:
            end()
        except (tf.errors.OutOfRangeError, StopIteration) as error:
            print(type(error).__name__)
    print(int(dd.reduce(tf.constant(0, tf.int64), lambda a, b: a + s.reduce("SUM", b, axis=0))))
    mode = tf.distribute.InputOptions(experimental_replication_mode=tf.distribute.InputReplicationMode.PER_REPLICA)
    try:
        s.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2), mode)
    except NotImplementedError as error:
        print(error)
"""
    )
    lines = ["True True 2 True", "28 [6, 22] [6, 22]", "False"]
    lines += ["OutOfRangeError", "OutOfRangeError", "StopIteration", "28"]
    lines += [
        "InputReplicationMode.PER_REPLICA is only supported in `distribute_datasets_from_function`."
    ]
    assert out.splitlines() == lines * 2


def test_clusters_of_slurm(monkeypatch):
    """The answers are TensorFlow's."""
    Resolver = tf.distribute.cluster_resolver.SlurmClusterResolver
    with pytest.raises(RuntimeError, match="SLURM_PROCID not found in environment"):
        Resolver(jobs={"worker": 4})

    def step(count, counts, hosts):
        for name, value in (("NUM_TASKS", count), ("TASKS_PER_NODE", counts), ("NODELIST", hosts)):
            monkeypatch.setenv(f"SLURM_STEP_{name}", str(value))

    monkeypatch.setenv("SLURM_PROCID", "1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    step(3, "2,1", "t02n13,t02n41")
    gpus = {"gpus_per_node": 2, "gpus_per_task": 1, "auto_set_gpu": False}
    r = Resolver(jobs={"ps": 1, "worker": 2}, **gpus)
    assert r.cluster_spec().as_dict() == {
        "ps": ["t02n13:8888"],
        "worker": ["t02n13:8889", "t02n41:8888"],
    }
    assert r.get_task_info() == ("worker", 0) == (r.task_type, r.task_id)
    assert r.master() == "grpc://t02n13:8889" and r.master("worker", 1) == "grpc://t02n41:8888"
    assert r.num_accelerators() == {"GPU": 1} and r.environment == "" and r.rpc_layer == "grpc"
    step(4, "2(x2)", "n[08-09]")
    hosts = {"worker": ["n08:8888", "n08:8889", "n09:8888", "n09:8889"]}
    assert Resolver(**gpus).cluster_spec().as_dict() == hosts
    for count in (3, 5):
        with pytest.raises(RuntimeError, match=f"Requested {count} tasks but only 4 were assigned"):
            Resolver(jobs={"worker": count}, **gpus)
    r = Resolver(gpus_per_node=4, gpus_per_task=2, rpc_layer="grpc+x")
    assert r.cluster_spec().as_dict() == hosts and r.master() == "grpc+x://n08:8889"
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "2,3"
    step(5, "5", "n[01-03,7]b,login1")
    with pytest.raises(
        ValueError, match=r"Invalid hostlist format .*: Invalid part: n\[01-03,7\]b"
    ):
        Resolver(**gpus)


def test_the_server_of_tensorflow_1_is_the_same():
    assert tf.compat.v1.train.Server is tf.distribute.Server


def test_saved_models_are_loaded_in_the_scope_of_a_strategy(tmp_path):
    """Their variables have a component for each replica, which functions use; as in TensorFlow."""
    out = in_new_python(
        SEVERAL
        + f"""
S = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
model, on_read = tf.Module(), tf.VariableSynchronization.ON_READ
model.w = tf.Variable([1.0, 2.0], name="w")
model.total = tf.Variable(2.0, False, synchronization=on_read, aggregation=tf.VariableAggregation.SUM)
model.count = tf.Variable(0, False, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)
model.f = tf.function(lambda x: x * model.w, input_signature=[tf.TensorSpec([])])

def update(x):
    model.count.assign_add(1)
    model.total.assign_add(x)
    return model.w + tf.cast(model.count, tf.float32)

model.g = tf.function(update, input_signature=[tf.TensorSpec([])])
tf.saved_model.save(model, {str(tmp_path)!r})
with S.scope():
    loaded = tf.saved_model.load({str(tmp_path)!r})
show = lambda value: [x.numpy().tolist() for x in S.experimental_local_results(value)]
print([type(v).__name__ for v in (loaded.w, loaded.total, loaded.count)])
print([(v.name, v.device[-5:]) for v in loaded.w.values], show(loaded.total), loaded.total.numpy())
loaded.f(2.0)
loaded.w.assign([5.0, 6.0])
loaded.w.values[1].assign([7.0, 8.0])

def step():
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(loaded.f(tf.constant(2.0)) ** 2)
    return tape.gradient(y, loaded.w)

print(loaded.f(2.0).numpy(), show(S.run(loaded.f, (tf.constant(3.0),))))
print(show(S.run(step)), show(S.run(tf.function(step))))
print(show(S.run(loaded.g, (tf.constant(1.0),))), show(loaded.count), show(loaded.total))
"""
    )
    assert out.splitlines() == [
        "['MirroredVariable', 'SyncOnReadVariable', 'MirroredVariable']",
        "[('w:0', 'CPU:0'), ('w/replica_1:0', 'CPU:1')] [1.0, 1.0] 2.0",
        "[10. 12.] [[15.0, 18.0], [21.0, 24.0]]",
        "[[40.0, 48.0], [56.0, 64.0]] [[40.0, 48.0], [56.0, 64.0]]",
        "[[6.0, 7.0], [8.0, 9.0]] [1, 1] [2.0, 2.0]",
    ]
