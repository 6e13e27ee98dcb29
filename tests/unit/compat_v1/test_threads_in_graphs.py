"""Default graphs of threads in programs of TensorFlow 1: each thread has its own."""

import subprocess
import sys
import threading

import twinflow as tf

_PROGRAM = """
import threading
import twinflow as tf2
from twinflow.compat import v1 as tf

def there(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]

tf.disable_eager_execution()
main = tf.get_default_graph()
assert there(lambda: (tf.get_default_graph() is tf.get_default_graph(), tf.executing_eagerly())) == (True, False)
assert there(tf.get_default_graph) is not main
with tf.Graph().as_default() as other:
    assert there(lambda: tf.get_default_graph() in (main, other)) is False

def counted():
    tf.Variable(1.0)
    return len(tf.global_variables())

assert [there(counted), there(counted), len(tf.global_variables())] == [1, 1, 0]

def reset():
    before = tf.get_default_graph()
    tf.reset_default_graph()
    return before is tf.get_default_graph()

assert there(reset) is False and tf.get_default_graph() is main
tf.reset_default_graph()
assert tf.get_default_graph() is not main
with tf.name_scope("n"), tf.variable_scope("v"):
    assert there(lambda: (tf.constant(1.0).name, tf.get_variable("z", [1]).name)) == ("Const:0", "z:0")
c = tf.constant(3.0)
session = tf.Session()
assert there(lambda: session.run(c)) == 3.0
assert there(lambda: (c + 1.0).graph) is c.graph
v = tf.get_default_graph()

def inside():
    with v.as_default():
        return tf.get_variable_scope().name

with tf.variable_scope("outer"):
    assert there(inside) == ""
"""


def test_each_thread_has_a_default_graph():
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_devices_of_a_thread_stay_with_it():
    graph, other = tf.Graph(), []

    def add():
        with graph.as_default():
            made = tf.constant(1.0)
            other.append((made.device, made.op.colocation_groups()))
            with tf.device("/cpu:2"):
                inside.set()
                assert done.wait(60)

    inside, done = threading.Event(), threading.Event()
    with graph.as_default():
        beside = tf.constant(0.0, name="beside")
        with tf.device("/cpu:1"), graph.colocate_with(beside), tf.device("/cpu:1"):
            thread = threading.Thread(target=add)
            thread.start()
            assert inside.wait(60)
            assert tf.constant(1.0).op.colocation_groups() == [b"loc:@beside"]
        assert tf.constant(1.0).device == ""
        with tf.device("/cpu:1"):
            assert tf.constant(1.0).device == "/device:CPU:1"
        done.set()
        thread.join(60)
        assert tf.constant(1.0).device == ""
    assert other == [("", [b"loc:@Const"])]
