"""Errors where memory runs out, and what is whole then."""

import sys

import pytest

from tests.harness import in_new_python

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is Linux's")

PROGRAM = """
import gc, resource
v1, n = tf.compat.v1, 1_000_000
v = tf.Variable(tf.ones([4, n]))
one, row = tf.ones([4, n]), tf.ones([1, n])
rows = tf.IndexedSlices(row, tf.constant([1]))
optimizers = [tf.keras.optimizers.SGD(0.1), tf.keras.optimizers.SGD(0.1, momentum=0.9), tf.keras.optimizers.Adam(0.1)]
optimizers += [v1.train.GradientDescentOptimizer(0.1), v1.train.AdamOptimizer(0.1)]
steps = {f"step {i}": lambda o=o: o.apply_gradients([(one, v)]) for i, o in enumerate(optimizers)}
add, exp = tf.function(lambda: v.assign_add(one)), tf.function(lambda: tf.exp(one) * 2.0)
calls = {
    "assign": lambda: v.assign(one), "assign_add": lambda: v.assign_add(one), "assign_sub": lambda: v.assign_sub(one),
    "scatter_add": lambda: v.scatter_add(rows), "scatter_max": lambda: v.scatter_max(rows),
    "scatter_update": lambda: v.scatter_update(rows), "scatter_nd_add": lambda: v.scatter_nd_add([[1]], row),
    "slice": lambda: v[1].assign(row[0]), "element": lambda: v[0, 0].assign(5.0), **steps,
    "function": lambda: add(), "program": lambda: exp(), "add": lambda: one + one, "getitem": lambda: one[::-1], "exp": lambda: tf.exp(one),
    "cast": lambda: tf.cast(one, tf.float64), "concat": lambda: tf.concat([one, one], 0), "where": lambda: tf.where(one > 0, one, 0.0),
    "constant": lambda: tf.constant(np.broadcast_to(np.float32(1), (4, n))),
    "variable": lambda: tf.Variable(np.broadcast_to(np.float32(1), (4, n))),
}
for call in calls.values():
    call()
v.assign(tf.ones([4, n]))
held = v.value()
gc.collect()
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + 6_000_000, resource.RLIM_INFINITY))
hog, spare = [], [np.ones(1 << 11) for _ in range(40)]
for size in (4 * n, 2 * n, 1 << 20, 1 << 17, 1 << 13, 1 << 11):  # freed arrays are kept by size
    try:
        while True:
            hog.append(np.ones(size))
    except MemoryError:
        pass
del spare
found = {}
for name, call in calls.items():
    try:
        call()
        found[name] = "no error"
    except tf.errors.ResourceExhaustedError as error:
        found[name] = " ".join(error.message.split())
    except BaseException as error:
        found[name] = repr(error)
    if v._handle.array is not held._array:
        found[name] = "the value is another array"
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
for name, text in found.items():
    if "OOM when allocating tensor with shape[4,1000000] and type float on /job:localhost/replica:0/task:0/device:CPU:0" not in text:
        print(name, text)
print(v.numpy().min(), v.numpy().max())
"""
# Those whose result has another shape or type.
OTHERS = {
    "cast": "shape[4,1000000] and type double",
    "concat": "shape[8,1000000] and type float",
}


def test_resource_exhausted_and_the_value_is_whole():
    *lines, value = in_new_python(PROGRAM).split("\n")
    assert value == "1.0 1.0"
    texts = dict(line.split(" ", 1) for line in lines)
    assert set(texts) == set(OTHERS), lines
    for name, words in OTHERS.items():
        assert f"OOM when allocating tensor with {words} on /job:localhost" in texts[name]
