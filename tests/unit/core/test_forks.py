"""Processes that are forked while other threads write, trace, save and import."""

import os

import pytest

from tests.harness import in_new_python

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are of POSIX")

# ``forked(times, check)`` forks while a thread runs, and counts the children that did not end well within some seconds.
START = """
import os, signal, sys, tempfile, threading, time, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.12, which warns of forks with threads

def forked(times, work, check, seconds=20):
    "Forks often while a thread works; prints how many children failed."
    stop = threading.Event()
    def loop():
        while not stop.is_set():
            work()
    thread = threading.Thread(target=loop)
    thread.start()
    failed = 0
    for _ in range(times):
        pid = os.fork()
        if pid == 0:
            signal.alarm(seconds)
            try:
                check()
                code = 0
            except BaseException as error:
                print("child:", type(error).__name__, str(error)[:200], flush=True)
                code = 1
            os._exit(code)
        failed += os.waitpid(pid, 0)[1] != 0
    stop.set()
    thread.join()
    print(failed)
"""
PROGRAMS = {
    "a variable in its memory": """
v = tf.Variable(tf.zeros([400_000]))
one = tf.ones([400_000])
def check():
    value = v.numpy()
    assert value.min() == value.max(), (value.min(), value.max())
    v.assign_add(one)
    assert v.numpy()[0] == value[0] + 1
forked(25, lambda: v.assign_add(one), check)
""",
    "a variable that is replaced": """
v = tf.Variable(tf.zeros([200_000]))
values = [tf.fill([200_000], float(i)) for i in range(4)]
def work():
    for value in values: v.assign(value)
def check():
    value = v.numpy()
    assert value.min() == value.max() and v.shape == [200_000]
forked(25, work, check)
""",
    "steps of an optimizer": """
variables = [tf.Variable(tf.ones([50_000])) for _ in range(4)]
optimizer = tf.keras.optimizers.Adam(0.1)
def work():
    with tf.GradientTape() as tape:
        loss = tf.add_n([tf.reduce_sum(v * v) for v in variables])
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
def check():
    for v in variables:
        value = v.numpy()
        assert value.min() == value.max()
    work()
work()
forked(20, work, check)
""",
    "tracing": """
def body(x):
    for _ in range(20):
        x = tf.tanh(x) + 1.0
    return x
f = tf.function(body)
sizes = iter(range(1, 1_000_000))
forked(12, lambda: f(tf.zeros([next(sizes)])), lambda: f(tf.zeros([next(sizes) + 1_000_000])))
""",
    "random numbers": """
tf.random.set_seed(1)
forked(40, lambda: tf.random.normal([3]), lambda: tf.random.normal([3]))
""",
    "products on several threads": """
x = tf.ones([64, 300, 300])
forked(8, lambda: tf.matmul(x, x), lambda: tf.matmul(x, x))
""",
    "queues": """
q = tf.queue.FIFOQueue(100, tf.float32)
def work():
    q.enqueue(1.0); q.dequeue()
forked(25, work, lambda: (q.enqueue(1.0), q.dequeue()))
""",
    "a save": """
v = tf.Variable(tf.ones([300_000]))
folder = tempfile.mkdtemp()
def check():
    path = tf.train.Checkpoint(v=v).write(os.path.join(folder, f"child-{os.getpid()}"))
    w = tf.Variable(tf.zeros([300_000]))
    tf.train.Checkpoint(v=w).read(path).assert_consumed()
    assert w.numpy().min() == 1
forked(15, lambda: tf.train.Checkpoint(v=v).write(os.path.join(folder, "parent")), check)
assert not [name for name in os.listdir(folder) if name.endswith(".tmp")], os.listdir(folder)
""",
}


def test_another_thread_computes_a_cached_property():
    program = """
import threading
from twinflow._src.core.fork import cached_property
entered, leave = threading.Event(), threading.Event()
class Slow:
    @cached_property
    def value(self):
        if threading.current_thread() is not threading.main_thread():
            entered.set()
            leave.wait()
        return object()
one = Slow()
thread = threading.Thread(target=lambda: one.value)
thread.start()
entered.wait()
pid = os.fork()
if pid == 0:
    signal.alarm(20)
    assert Slow().value is not one.value and one.value is one.value
    os._exit(0)
status = os.waitpid(pid, 0)[1]
first = one.value
leave.set()
thread.join()
assert one.value is first
print(status)
"""
    assert in_new_python(START + program) == "0"


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_other_threads_are_amid_something(program):
    assert in_new_python(START + program) == "0"


ONCE = {
    "amid a tape": (
        """
v = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = v * v
    pid = os.fork()
    z = y * v
assert tape.gradient(z, v).numpy().tolist() == [3.0, 12.0]
"""
    ),
    "amid a trace": (
        """
pids = []
@tf.function
def f(x):
    pids.append(os.fork())
    return x + 1.0
assert f(1.0).numpy() == 2.0 and f(2.0).numpy() == 3.0
pid = pids[0]
"""
    ),
    "amid a late import": (
        """
import threading, time
def late():
    tf.linalg.svd; tf.keras.optimizers.Adam; tf.sparse.SparseTensor; tf.lookup.StaticHashTable
thread = threading.Thread(target=late)
thread.start()
time.sleep(0.005)
pid = os.fork()
late()
assert tf.linalg.svd(tf.eye(2))[0].numpy().tolist() == [1.0, 1.0]
"""
    ),
    "amid a critical section of another thread": (
        """
import threading, time
section, inside = tf.CriticalSection(), threading.Event()
def work():
    inside.set()
    time.sleep(0.3)
    return tf.constant(1.0)
thread = threading.Thread(target=lambda: section.execute(work))
thread.start()
inside.wait()
pid = os.fork()
assert section.execute(lambda: tf.constant(2.0)).numpy() == 2.0
"""
    ),
    "amid a write of its own thread": (
        """
v = tf.Variable([1.0, 2.0])
pids = []
def write(array, out):
    pids.append(os.fork())
    return array + 1
v._handle.update(write)
assert v.numpy().tolist() == [2.0, 3.0]
assert v.assign_add([1.0, 1.0]).numpy().tolist() == [3.0, 4.0]
pid = pids[0]
"""
    ),
}


@pytest.mark.parametrize("program", ONCE.values(), ids=ONCE)
def test_both_processes_go_on(program):
    end = """
if pid == 0:
    os._exit(0)
print(os.waitpid(pid, 0)[1])
"""
    begin = "import os, signal, warnings\nwarnings.simplefilter('ignore', DeprecationWarning)\nos.register_at_fork(after_in_child=lambda: signal.alarm(20))\n"
    assert in_new_python(begin + program + end) == "0"


def test_multiprocessing_with_fork():
    assert (
        in_new_python("""
import multiprocessing, threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)
v, stop = tf.Variable(tf.zeros([300_000])), threading.Event()
def train():
    while not stop.is_set(): v.assign_add(tf.ones([300_000]))
thread = threading.Thread(target=train)
thread.start()
def job(i):
    value = v.numpy()
    return bool(value.min() == value.max()) and float(tf.reduce_sum(tf.range(float(i))))
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map_async(job, range(1, 5)).get(60))
stop.set(); thread.join()
""")
        == "[0.0, 1.0, 3.0, 6.0]"
    )


def test_a_child_does_not_keep_the_lock_of_a_directory(tmp_path):
    out = in_new_python(f"""
import os, signal, time
from twinflow._src.io.atomic_write import locked
folder = {str(tmp_path)!r}
with locked(folder):
    pid = os.fork()
    if pid == 0:
        time.sleep(30); os._exit(0)
signal.alarm(10)
with locked(folder):
    print("entered")
os.kill(pid, signal.SIGKILL); os.waitpid(pid, 0)
""")
    assert out == "entered"


def test_a_write_that_does_not_end_leaves_no_half_written_value():
    assert (
        in_new_python("""
import os, threading, warnings
from twinflow._src.core import fork as forks
warnings.simplefilter("ignore", DeprecationWarning)
forks.SECONDS = 0.2
v, started, go = tf.Variable([1.0, 2.0]), threading.Event(), threading.Event()
def write(array, out):
    out[0] = 7.0
    started.set(); go.wait()
    out[1] = 7.0
    return out
thread = threading.Thread(target=lambda: v._handle.update(write))
thread.start(); started.wait()
pid = os.fork()
if pid == 0:
    try:
        v.numpy()
    except tf.errors.FailedPreconditionError:
        v.assign([3.0, 4.0])
        os._exit(int(v.numpy().tolist() != [3.0, 4.0]))
    os._exit(2)
go.set(); thread.join()
print(os.waitpid(pid, 0)[1], v.numpy().tolist())
""")
        == "0 [7.0, 7.0]"
    )
