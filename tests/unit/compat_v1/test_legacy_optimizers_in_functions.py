"""Optimizers of TensorFlow 1 in traced functions, for variables that were made outside; TensorFlow's own results."""

import numpy as np
import pytest

import twinflow as tf

v1 = tf.compat.v1.train

# The values of a variable that began as [1, 2] after two steps down the slope of the sum of its squares.
MADE = {
    "GradientDescent": (
        lambda: v1.GradientDescentOptimizer(0.1),
        [0.6399999856948853, 1.2799999713897705],
    ),
    "Momentum": (lambda: v1.MomentumOptimizer(0.1, 0.9), [0.46000000834465027, 0.9200000166893005]),
    "Adam": (lambda: v1.AdamOptimizer(0.1), [0.8004125952720642, 1.8001668453216553]),
    "Adagrad": (lambda: v1.AdagradOptimizer(0.1), [0.8347373008728027, 1.83154296875]),
    "RMSProp": (lambda: v1.RMSPropOptimizer(0.1), [0.6872513294219971, 1.5594706535339355]),
    "Ftrl": (lambda: v1.FtrlOptimizer(0.1), [0.6857819557189941, 1.6771111488342285]),
    "Adadelta": (lambda: v1.AdadeltaOptimizer(0.1), [0.9999099969863892, 1.9999099969863892]),
    "ProximalAdagrad": (
        lambda: v1.ProximalAdagradOptimizer(0.1),
        [0.8347373008728027, 1.83154296875],
    ),
}


def of_a_function(optimizer, v, count):
    optimizer.minimize(lambda: tf.reduce_sum(v * v), global_step=count)


def of_a_tensor(optimizer, v, count):
    optimizer.minimize(tf.reduce_sum(v * v), global_step=count, var_list=[v])


def by_tape(optimizer, v, count):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v)
    optimizer.apply_gradients([(tape.gradient(loss, v), v)], global_step=count)


@pytest.mark.parametrize("step", [of_a_function, of_a_tensor, by_tape])
@pytest.mark.parametrize("name", MADE)
def test_steps(name, step):
    make, expected = MADE[name]
    v, count, optimizer = tf.Variable([1.0, 2.0], name="w"), tf.Variable(0, dtype=tf.int64), make()

    @tf.function
    def traced():
        step(optimizer, v, count)
        return tf.reduce_sum(v)

    found = [float(traced()) for _ in range(2)]
    assert v.numpy().tolist() == expected and int(count) == 2
    assert found[1] == pytest.approx(sum(expected))


def test_slots_are_those_of_steps_outside():
    v, optimizer = tf.Variable([1.0, 2.0], name="w"), v1.AdamOptimizer(0.1)
    step = lambda x: optimizer.minimize(lambda: tf.reduce_sum(v * v * x))
    traced = tf.function(lambda x: (step(x), tf.identity(v))[1])
    traced(1.0)
    traced(2.0)  # traced again
    step(1.0)
    assert [x.name for x in optimizer.variables()] == [
        "beta1_power:0",
        "beta2_power:0",
        "w/Adam:0",
        "w/Adam_1:0",
    ]
    assert v.numpy().tolist() == [0.7089284062385559, 1.709039568901062]
    assert optimizer.get_slot(v, "m").numpy().tolist() == [0.6464831233024597, 1.3685898780822754]


def test_rows_and_names_of_operations():
    v, optimizer = tf.Variable([[1.0], [2.0], [3.0]]), v1.AdamOptimizer(0.1)

    @tf.function
    def step():
        made = optimizer.minimize(lambda: tf.reduce_sum(tf.gather(v, [0, 2, 0])))
        assert made.name == "Adam"
        with tf.control_dependencies([made]):
            return tf.identity(v)

    first = step().numpy().tolist()
    assert (
        first == v.numpy().tolist() and v.numpy()[1] == 2.0 and v.numpy()[0] == pytest.approx(0.9)
    )
    dense = tf.Variable([1.0])
    graph = (
        tf.function(lambda: (optimizer.minimize(lambda: dense * dense), None)[1])
        .get_concrete_function()
        .graph
    )
    assert "Adam/update_/ResourceApplyAdam" in [node.name for node in graph.get_operations()]


class _Mine(tf.compat.v1.train.Optimizer):
    """An optimizer as programs write them: with slots, and with methods for each kind of gradient and variable."""

    def __init__(self):
        super().__init__(False, "Mine")

    def _prepare(self):
        self._rate = tf.convert_to_tensor(0.1)

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, "m", self._name)
            self._get_or_make_slot(v, tf.ones_like(v), "n", "N")

    def _moved(self, grad, v):
        m = self.get_slot(v, "m")
        return v.assign_sub(self._rate * m.assign(m * 0.9 + grad))

    _apply_dense = _resource_apply_dense = _moved

    def _resource_apply_sparse(self, grad, v, indices):
        return v.scatter_sub(tf.IndexedSlices(self._rate * grad, indices))

    def _apply_sparse(self, grad, v):
        return tf.compat.v1.scatter_sub(v, grad.indices, self._rate * grad.values)


@pytest.mark.parametrize("resource", [False, True])
def test_optimizers_of_programs_have_slots(resource):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=[1.0, 2.0], use_resource=resource)
        w = v1.get_variable("w", initializer=[1.0, 2.0, 4.0], use_resource=resource)
        optimizer = _Mine()
        step = optimizer.minimize(tf.reduce_sum(v * v) + tf.reduce_sum(tf.gather(w, [2, 0, 2])))
        assert [x.name for x in optimizer.variables()] == ["v/Mine:0", "v/N:0", "w/Mine:0", "w/N:0"]
        session.run(v1.global_variables_initializer())
        session.run(step)
        session.run(step)
        found = session.run([v, w, optimizer.get_slot(v, "m"), optimizer.get_slot(v, "n")])
    expected = [[0.46, 0.92], [0.8, 2.0, 3.6], [3.4, 6.8], [1.0, 1.0]]
    assert [np.round(x, 4).tolist() for x in found] == [
        np.float32(x).round(4).tolist() for x in expected
    ]
    assert optimizer.get_slot_names() == ["m", "n"]


def test_optimizers_of_programs_step_at_once():
    v, optimizer = tf.Variable([1.0, 2.0]), _Mine()
    optimizer.apply_gradients([(tf.constant([2.0, 4.0]), v)])
    assert np.round(v.numpy(), 4).tolist() == np.float32([0.8, 1.6]).tolist()
    assert optimizer.get_slot(v, "m").numpy().tolist() == [2.0, 4.0]
    optimizer.apply_gradients([(tf.IndexedSlices(tf.constant([1.0, 2.0]), tf.constant([1, 1])), v)])
    assert np.round(v.numpy(), 4).tolist() == np.float32([0.8, 1.3]).tolist()
    with pytest.raises(NotImplementedError):
        tf.compat.v1.train.Optimizer(False, "None").apply_gradients([(tf.constant([1.0, 1.0]), v)])
