"""Tasks in processes of their own: what runs there, and what happens when they are gone."""

import gc
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest

import twinflow as tf
from tests.harness import OUTSIDE, in_new_python

TASK = """
import sys, twinflow as tf
server = tf.distribute.Server({"ps": ["localhost:0"]})
print(server.target, flush=True)
server.join()
"""


@pytest.fixture(scope="module")
def engine():
    pytest.importorskip("distributed", reason="clusters need the package distributed")


@pytest.fixture(scope="module")
def task(engine):
    """A task that no test ends: its process and its address."""
    process = subprocess.Popen(
        [sys.executable, "-c", TASK], stdout=subprocess.PIPE, text=True, env=OUTSIDE
    )
    yield process, process.stdout.readline().strip().removeprefix("grpc://")
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.fixture
def ps(task):
    """The same, connected as /job:ps/task:0 for one test."""
    from twinflow._src.wings.distribute import cluster

    tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec({"ps": [task[1]]}))
    yield task[0]
    cluster.disconnect()
    assert all("job:ps" not in d.name for d in tf.config.list_logical_devices())


PS = "/job:ps/replica:0/task:0/device:CPU:0"


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
    with pytest.raises(NotImplementedError, match="in functions"):
        tf.function(lambda: v.assign_add(tf.ones([2, 2])))()


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
    with pytest.raises(NotImplementedError, match="cannot run on /job:ps"):
        tf.keras.optimizers.SGD().apply_gradients([(tf.constant([1.0]), v)])


def test_what_nobody_holds_is_forgotten(ps):
    from twinflow._src.wings.distribute import cluster

    (task,) = cluster._tasks.values()
    with tf.device("/job:ps/task:0"):
        kept = [tf.ones([10]) * float(i) for i in range(5)]
        before = task.ask("count")
        del kept
        tf.zeros([1]) + 1.0
    assert task.ask("count") <= before - 4


def test_no_update_is_lost(task):
    program = """
import sys, threading, twinflow as tf
tf.config.experimental_connect_to_host(sys.argv[1], job_name="ps")
with tf.device("/job:ps/task:0"):
    v = tf.Variable(tf.zeros([3]))
def add():
    for _ in range(50):
        v.assign_add(tf.ones([3]))
threads = [threading.Thread(target=add) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print(v.numpy().tolist())
"""
    done = subprocess.run(
        [sys.executable, "-c", program, task[1]],
        capture_output=True,
        text=True,
        timeout=120,
        env=OUTSIDE,
    )
    assert done.stdout.strip() == "[200.0, 200.0, 200.0]", done.stderr


def test_a_task_that_does_not_answer(ps, monkeypatch):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable([1.0])
    monkeypatch.setenv("TWINFLOW_CLUSTER_TIMEOUT", "0.3")
    os.kill(ps.pid, signal.SIGSTOP)
    os.waitpid(ps.pid, os.WUNTRACED)  # all of its threads have stopped
    try:
        with pytest.raises(tf.errors.DeadlineExceededError):
            v.numpy()
    finally:
        os.kill(ps.pid, signal.SIGCONT)


def test_only_this_machine_without_certificates(engine):
    for address in ("0.0.0.0:0", "192.0.2.1:7"):
        with pytest.raises(tf.errors.PermissionDeniedError, match="certificates"):
            tf.distribute.Server({"ps": [address]})
    with pytest.raises(tf.errors.UnavailableError):
        tf.config.experimental_connect_to_host("localhost:1", job_name="ps")


CONNECT = """
import sys, twinflow as tf
try:
    tf.config.experimental_connect_to_host(sys.argv[1], job_name="ps")
    with tf.device("/job:ps/task:0"):
        print(tf.Variable([1.0, 2.0]).assign_add([1.0, 1.0]).numpy())
except tf.errors.UnavailableError:
    print("refused")
"""


@pytest.mark.skipif(not shutil.which("openssl"), reason="certificates are made by openssl")
def test_with_certificates_others_are_refused(engine, tmp_path):
    key, own = str(tmp_path / "key.pem"), str(tmp_path / "own.pem")
    make = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        key,
        "-out",
        own,
        "-subj",
        "/CN=localhost",
    ]
    subprocess.run(make, check=True, capture_output=True)
    tls = {
        f"DASK_DISTRIBUTED__COMM__TLS__{name}": path
        for name, path in (("CA_FILE", own), ("SCHEDULER__CERT", own), ("SCHEDULER__KEY", key))
    }
    secured = {**OUTSIDE, **tls}
    process = subprocess.Popen(
        [sys.executable, "-c", TASK],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=secured,
    )
    try:
        command = [
            sys.executable,
            "-c",
            CONNECT,
            process.stdout.readline().strip().removeprefix("grpc://"),
        ]
        said = [
            subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
            for env in (secured, OUTSIDE, secured)
        ]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    answers = [done.stdout.strip() for done in said]
    assert answers[1] == "refused"
    assert "[2. 3.]" in answers[::2], [
        done.stderr for done in said
    ]  # on a busy machine the first may come too late


def test_a_task_that_ends_and_is_started_anew(engine, monkeypatch):
    from twinflow._src.wings.distribute import cluster
    from twinflow._src.wings.distribute import engine as messages

    port = messages.free_port()
    own = TASK.replace("localhost:0", f"localhost:{port}")

    def started():
        process = subprocess.Popen(
            [sys.executable, "-c", own],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=OUTSIDE,
        )
        process.stdout.readline()
        return process

    def ended(process):
        process.kill()
        process.wait()
        process.stdout.close()

    process = started()
    try:
        tf.config.experimental_connect_to_cluster(
            tf.train.ClusterSpec({"ps": [f"localhost:{port}"]})
        )
        with tf.device("/job:ps/task:0"):
            v = tf.Variable([1.0, 1.0, 1.0])
            x = v + 1.0
            w = tf.Variable([1.0])
        ended(process)
        with pytest.raises(tf.errors.UnavailableError):
            w.numpy()
        asked = []
        monkeypatch.setattr(messages.Connection, "_ask", lambda self, *args: asked.append(args))
        for _ in range(20):  # nobody is asked in vain again
            with pytest.raises(
                tf.errors.UnavailableError, match=r"is lost.*Connect to the cluster again"
            ):
                w.numpy()
        monkeypatch.undo()
        assert not asked
        process = started()
        program = """
import sys, twinflow as tf
tf.config.experimental_connect_to_host(sys.argv[1], job_name="ps")
with tf.device("/job:ps/task:0"):
    v = tf.Variable([7.0, 7.0, 7.0])
    y = v + 1.0
print("made", flush=True)
sys.stdin.readline()
print(v.numpy().tolist())
"""
        other = subprocess.Popen(
            [sys.executable, "-c", program, f"localhost:{port}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=OUTSIDE,
        )
        assert other.stdout.readline() == "made\n"
        for call in (
            v.numpy,
            x.numpy,
            lambda: v.assign_add([100.0] * 3),
            lambda: v.assign([100.0] * 3),
        ):
            with pytest.raises(
                (tf.errors.UnavailableError, tf.errors.AbortedError), match="onnect"
            ):
                call()
        assert other.communicate("\n", timeout=60)[0] == "[7.0, 7.0, 7.0]\n"
        tf.config.experimental_connect_to_cluster(
            tf.train.ClusterSpec({"ps": [f"localhost:{port}"]})
        )
        with tf.device("/job:ps/task:0"):
            assert tf.Variable([2.0]).assign_add([1.0]).numpy() == [3.0]
        with pytest.raises((tf.errors.UnavailableError, tf.errors.AbortedError)):
            v.numpy()
    finally:
        ended(process)
        cluster.disconnect()


@pytest.mark.parametrize("end", ["", "os.kill(os.getpid(), 9)"], ids=["ends", "is killed"])
def test_a_task_forgets_clients_that_end(task, end):
    from twinflow._src.wings.distribute.cluster import RemoteTask

    watcher = RemoteTask(task[1])
    before = watcher.ask("count")
    program = f"""
import os, sys, twinflow as tf
tf.config.experimental_connect_to_host(sys.argv[1], job_name="ps")
with tf.device("/job:ps/task:0"):
    held = [tf.Variable(tf.zeros([1000])) for _ in range(10)]
print(len(held), flush=True)
{end}
"""
    try:
        done = subprocess.run(
            [sys.executable, "-c", program, task[1]],
            capture_output=True,
            text=True,
            timeout=120,
            env=OUTSIDE,
        )
        assert done.stdout == "10\n", done.stderr
        for _ in range(400):
            if watcher.ask("count") <= before:
                break
            time.sleep(0.05)
        assert watcher.ask("count") <= before
    finally:
        watcher.close()


def test_functions_do_not_run_here_in_the_block_of_another_task(ps):
    double = tf.function(lambda x: x * 2.0)
    assert double(2.0).numpy() == 4.0
    for _ in range(2):
        with (
            tf.device("/job:ps/task:0"),
            pytest.raises(NotImplementedError, match="cannot run on /job:ps"),
        ):
            double(2.0)
    assert double(2.0).numpy() == 4.0


def test_a_warning_without_certificates(engine):
    program = (
        "import twinflow as tf\nfor _ in range(2): tf.distribute.Server({'ps': ['localhost:0']})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=OUTSIDE
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("twinflow:")]
    assert len(lines) == 1 and "without TLS: any process of this machine can run code" in lines[0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are of POSIX")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_has_no_connection(task):
    program = """
import os, signal, sys, warnings, twinflow as tf
warnings.simplefilter("ignore")
tf.config.experimental_connect_to_host(sys.argv[1], job_name="ps")
with tf.device("/job:ps/task:0"):
    v = tf.Variable([1.0])
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
    done = subprocess.run(
        [sys.executable, "-c", program, task[1]],
        capture_output=True,
        text=True,
        timeout=120,
        env=OUTSIDE,
    )
    assert done.stdout == "0 [1.0]\n", done.stderr


def test_a_port_that_is_taken(task):
    with pytest.raises(tf.errors.UnavailableError, match="Could not start"):
        tf.distribute.Server({"ps": [task[1]]})


def test_the_address_that_is_tried_is_the_one_that_is_listened_at(engine, monkeypatch):
    """A name may stand for addresses of both kinds; where the other one was tried, the engine left a socket open."""
    found = socket.getaddrinfo

    def sixth_first(host, port, family=0, *more, **kinds):
        first = [(socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", port or 0, 0, 0))]
        return [
            *(first if host == "localhost" and not family else []),
            *found(host, port, family, *more, **kinds),
        ]

    monkeypatch.setattr(socket, "getaddrinfo", sixth_first)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(tf.errors.UnavailableError, match="Could not start"):
            tf.distribute.Server({"ps": [f"localhost:{taken.getsockname()[1]}"]})
    gc.collect()  # a socket that was left open is an error now


def test_a_cluster_in_one_process(engine):
    from twinflow._src.wings.distribute import cluster

    workers, (ps,) = tf.test.create_local_cluster(2, 1)
    assert len({server.target for server in (*workers, ps)}) == 3
    tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec(ps.server_def.cluster))
    try:
        with tf.device("/job:worker/task:1"):
            x = tf.range(3) * 2
        with tf.device("/job:ps/task:0"):
            y = tf.reduce_sum(x)
        assert (x.device, y.device) == ("/job:worker/replica:0/task:1/device:CPU:0", PS) and int(
            y
        ) == 6
    finally:
        cluster.disconnect()
        for server in (*workers, ps):
            server._stop()


def test_without_the_engine():
    out = in_new_python("""
import sys
sys.modules["distributed.core"] = None
for call in (lambda: tf.distribute.Server.create_local_server(), lambda: tf.config.experimental_connect_to_host("localhost:1")):
    try:
        call()
    except ImportError as error:
        print(error)
""")
    assert (
        out.split("\n")
        == [
            "Clusters need the Python package distributed, which is not installed: pip install twinflow[cluster]"
        ]
        * 2
    )


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: tf.config.experimental_connect_to_cluster(3),
            ValueError,
            "must be a `ClusterSpec` or a `ClusterResolver`",
        ),
        (
            lambda: tf.config.experimental_connect_to_host(None),
            ValueError,
            "Must provide at least one remote_host",
        ),
        (lambda: tf.distribute.Server(3), TypeError, "Could not convert"),
        (
            lambda: tf.distribute.Server({"a": ["localhost:0"]}, job_name="x"),
            ValueError,
            "No such job in cluster: 'x'",
        ),
        (
            lambda: tf.distribute.Server({"a": ["localhost:0"] * 2}),
            ValueError,
            "explicit `task_index`",
        ),
        (
            lambda: tf.distribute.Server({"a": ["localhost:0"], "b": ["localhost:0"]}),
            ValueError,
            "explicit `job_name`",
        ),
    ],
)
def test_what_is_no_cluster(call, error, text):
    with pytest.raises(error, match=text):
        call()
