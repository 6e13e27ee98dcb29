"""``MultiWorkerMirroredStrategy``: two workers answer as TensorFlow's do."""

import json
import re
import sys

import pytest

from tests.golden import multi_worker
from tests.unit.wings import cluster_tasks
from tests.unit.wings.cluster_tasks import outputs, workers

pytest.importorskip("zmq", reason="clusters need the package pyzmq")

RECORDED = json.loads(multi_worker.FILE.read_text())


@pytest.fixture(scope="module", autouse=True)
def keys(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        directory = str(tmp_path_factory.mktemp("keys"))
        patch.setitem(cluster_tasks.OUTSIDE, "TWINFLOW_CLUSTER_KEYS", directory)
        yield


@pytest.fixture(scope="module")
def answers(keys):
    """Returns the answers of both workers."""
    return multi_worker.answers_of(sys.executable, "twinflow", cluster_tasks.OUTSIDE)


@pytest.mark.parametrize("line", multi_worker.questions())
def test_answers(line, answers):
    found = [answers[rank][line] for rank in range(2)]
    if line in multi_worker.DIFFERENT:
        assert found != RECORDED[line], "this is no difference any more"
    else:
        assert found == RECORDED[line]


# A dense layer, an embedding and statistics, in all replicas.
TRAINING = """
import hashlib
rng = np.random.default_rng(7)
X, Y = rng.normal(size=(40, 5)).astype("float32"), rng.normal(size=(40, 1)).astype("float32")
I = rng.integers(0, 9, 40)
with strategy.scope():
    w, b = tf.Variable(tf.ones([5, 3]) * 0.1), tf.Variable(tf.ones([3, 1]) * 0.3)
    table = tf.Variable(tf.reshape(tf.range(27.0), [9, 3]) / 27)
    mean = tf.Variable(tf.zeros([3]), trainable=False, synchronization=tf.VariableSynchronization.ON_READ,
                       aggregation=tf.VariableAggregation.MEAN)
    optimizer = tf.keras.optimizers.Adam(0.05)
    optimizer.build([w, b, table])
@tf.function
def step(x, y, i):
    def replica(x, y, i):
        with tf.GradientTape() as tape:
            h = tf.tanh(x @ w + tf.gather(table, i))
            mean.assign(0.5 * mean + 0.5 * tf.reduce_mean(h, 0))
            loss = tf.reduce_sum((h @ b - y) ** 2) / 8
        variables = [w, b, table]
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss
    return strategy.reduce("SUM", strategy.run(replica, (x, y, i)), axis=None)
dataset = tf.data.Dataset.from_tensor_slices((X, Y, I)).batch(8)
losses = [step(*batch).numpy() for batch in strategy.experimental_distribute_dataset(dataset)]
digest = hashlib.sha256()
for value in (*losses, w.numpy(), b.numpy(), table.numpy(), mean.numpy()):
    digest.update(np.asarray(value).tobytes())
print(digest.hexdigest())
"""
ONE_PROCESS = """
import numpy as np
import twinflow as tf
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * {})
strategy = tf.distribute.MirroredStrategy()
"""


@pytest.mark.parametrize("count", [2, 4])
def test_training_has_the_bits_of_replicas_in_one_process(count):
    done = cluster_tasks.run(ONE_PROCESS.format(count) + TRAINING)
    assert done.returncode == 0, done.stderr
    with workers(TRAINING, count) as processes:
        assert outputs(processes) == [done.stdout.strip()] * count


PREEMPTED = """
with strategy.scope():
    x = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)
config = tf.distribute.experimental.TerminationConfig(exit_fn=lambda: sys.exit(7)) if len(sys.argv) > 2 else None
handler = tf.distribute.experimental.PreemptionCheckpointHandler(
    strategy.cluster_resolver, tf.train.Checkpoint(x=x), sys.argv[1], config)
print("start", float(x.numpy()), handler.total_run_calls)
@tf.function
def step():
    strategy.run(lambda: x.assign_add(1.0))
while handler.total_run_calls < 9:
    if rank == 1 and handler.total_run_calls == 5 and float(x.numpy()) == 10.0 and not os.path.exists(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGTERM)
    handler.run(step)
print("end", float(x.numpy()))
"""


@pytest.mark.parametrize("status", [42, 7])
def test_sigterm_saves_a_checkpoint_in_all_workers(tmp_path, status):
    arguments = [str(tmp_path / "c"), *["own"] * (status == 7)]
    with workers(PREEMPTED, 2, *arguments) as processes:
        assert outputs(processes) == ["start 0.0 0"] * 2
        assert [p.returncode for p in processes] == [status] * 2
    assert sorted(p.name for p in tmp_path.rglob("*")) == [
        "c",
        "checkpoint",
        "ckpt-1.data-00000-of-00001",
        "ckpt-1.index",
    ]
    with workers(PREEMPTED, 2, *arguments) as processes:
        assert outputs(processes) == ["start 10.0 5\nend 18.0"] * 2


def test_the_error_of_a_step_reaches_all_workers(tmp_path):
    program = """
handler = tf.distribute.experimental.PreemptionCheckpointHandler(
    strategy.cluster_resolver, tf.train.Checkpoint(), sys.argv[1])
def step():
    if rank:
        raise ValueError("what went wrong")
    strategy.reduce("SUM", 1.0, axis=None)
try:
    handler.run(step)
except Exception as error:
    print(type(error).__name__, error)
"""
    with workers(program, 2, str(tmp_path)) as processes:
        first, second = outputs(processes)
    assert (
        first.startswith("UnknownError") and "worker 1 has failed: ValueError: what went" in first
    )
    assert second == "ValueError what went wrong"


@pytest.mark.parametrize(
    ("cluster", "task", "message"),
    [
        ({"worker": ["a:1", "b:2"]}, None, "you must also specify `task_type` and `task_id`."),
        ({"worker": ["a:1"], "x": ["b:2"]}, ("worker", 0), "Disallowed task type found"),
        ({"ps": ["a:1"]}, ("ps", 0), "There is no id for task_type 'ps'"),
        ({"worker": ["a:1", "b:2"]}, ("worker", 2), "The `task_id` 2 exceeds the maximum id"),
        ({"worker": ["a:1", "b:2"]}, ("chief", 0), "`task_type` 'chief' not found in"),
        ({"worker": ["a:1"], "chief": ["b:2", "c:3"]}, ("worker", 0), "at most one 'chief' job."),
    ],
)
def test_wrong_clusters(monkeypatch, cluster, task, message):
    import twinflow as tf

    config = {"cluster": cluster}
    if task is not None:
        config["task"] = {"type": task[0], "index": task[1]}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    with pytest.raises(ValueError, match=re.escape(message)):
        tf.distribute.MultiWorkerMirroredStrategy()


def test_a_cluster_of_one_worker_and_an_evaluator(monkeypatch):
    import twinflow as tf

    cluster = {"worker": ["a:1", "b:2"], "evaluator": ["c:3"]}
    for config in ({"worker": ["a:1"]}, ("worker", 0)), (cluster, ("evaluator", 0)):
        task = {"type": config[1][0], "index": config[1][1]}
        monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": config[0], "task": task}))
        strategy = tf.distribute.MultiWorkerMirroredStrategy()
        assert strategy.num_replicas_in_sync == 1
        assert float(strategy.reduce("SUM", strategy.run(lambda: tf.constant(2.0)), None)) == 2.0
