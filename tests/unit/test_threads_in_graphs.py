"""Default graphs of threads in programs of TensorFlow 1: each thread has its own."""

import subprocess
import sys

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
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
