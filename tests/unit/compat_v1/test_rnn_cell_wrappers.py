"""Wrappers of recurrent cells: TensorFlow's numbers for the same seeds, and errors."""

import collections

import numpy as np
import pytest

import twinflow as tf

State = collections.namedtuple("State", ["c", "h"])


class Cell(tf.Module):
    def __init__(self, units):
        super().__init__()
        self.units = units

    @property
    def state_size(self):
        return self.units

    output_size = state_size

    def zero_state(self, batch_size, dtype):
        return tf.zeros([batch_size, self.units], dtype)

    def __call__(self, inputs, state, scope=None):
        output = tf.tanh(inputs + state @ (tf.ones([self.units] * 2) * 0.1))
        return output, output

    def get_config(self):
        return {"units": self.units}


class Memory(Cell):
    def __call__(self, inputs, state, scope=None):
        return inputs, State(state.c + 1.0, state.h + 1.0)


INPUTS, STATE = tf.reshape(tf.range(6.0), [2, 3]), tf.ones([2, 3])
PLAIN = [[0.29131263, 0.8617231, 0.9800964], [0.99728304, 0.9996318, 0.9999502]]
DROPPED = {
    "output": ([[0.58262527, 0, 0], [1.9945661, 1.9992636, 1.9999003]], PLAIN),
    "input": ([[0.29131263, 0.9800964, 0.9996318], [0.29131263, 1, 1]],) * 2,
    "state": (PLAIN, [[0.58262527, 0, 1.9601928], [1.9945661, 0, 0]]),
}


@pytest.mark.parametrize("what", DROPPED)
def test_dropout_has_tensorflows_masks(what):
    tf.random.set_seed(1)
    cell = tf.nn.RNNCellDropoutWrapper(Cell(3), **{f"{what}_keep_prob": 0.5}, seed=7)
    np.testing.assert_allclose([x.numpy() for x in cell(INPUTS, STATE)], DROPPED[what], 1e-6)


def test_variational_dropout_drops_the_same_elements_in_each_step():
    cell = tf.nn.RNNCellDropoutWrapper(
        Cell(3), input_keep_prob=0.5, variational_recurrent=True, input_size=3, dtype=tf.float32
    )
    first, second = (cell(tf.ones([2, 3]), tf.zeros([2, 3]))[0].numpy() for _ in range(2))
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first[0], first[1])
    assert set(np.round(first.ravel(), 5)) <= {0.0, np.float32(0.96403)}


def test_memory_of_a_state_is_kept():
    cell = tf.nn.RNNCellDropoutWrapper(Memory(50), state_keep_prob=0.5, seed=3)
    _, state = cell(tf.ones([1, 50]), State(tf.ones([1, 50]), tf.ones([1, 50])))
    assert isinstance(state, State) and (state.c.numpy() == 2.0).all()
    assert set(state.h.numpy().ravel()) == {0.0, 4.0}
    every = tf.nn.RNNCellDropoutWrapper(
        Memory(50), state_keep_prob=0.5, seed=3, dropout_state_filter_visitor=lambda part: True
    )
    _, state = every(tf.ones([1, 50]), State(tf.ones([1, 50]), tf.ones([1, 50])))
    assert set(state.c.numpy().ravel()) == {0.0, 4.0}


def test_residual_and_device():
    output, state = tf.nn.RNNCellResidualWrapper(Cell(3))(INPUTS, STATE)
    np.testing.assert_allclose(output, INPUTS + PLAIN, 1e-6)
    np.testing.assert_allclose(state, PLAIN, 1e-6)
    product = tf.nn.RNNCellResidualWrapper(Cell(3), residual_fn=lambda x, y: x * y)
    np.testing.assert_allclose(product(INPUTS, STATE)[0], INPUTS * PLAIN, 1e-6)
    placed = tf.nn.RNNCellDeviceWrapper(Cell(3), "/cpu:0")
    assert placed(INPUTS, STATE)[0].device.endswith("CPU:0")
    assert placed.zero_state(2, tf.float32).shape == [2, 3]
    assert (placed.state_size, placed.output_size) == (3, 3)


def test_wrapped_cells_run_in_dynamic_rnn():
    cell = tf.nn.RNNCellResidualWrapper(Cell(3))
    final = tf.compat.v1.nn.dynamic_rnn(cell, tf.ones([2, 4, 3]), dtype=tf.float32)[1]
    np.testing.assert_allclose(final, np.full([2, 3], 0.8495982), 1e-6)


def test_errors():
    make = tf.nn.RNNCellDropoutWrapper
    with pytest.raises(ValueError, match="Parameter input_keep_prob must be between 0 and 1: 2"):
        make(Cell(3), 2.0)
    with pytest.raises(AttributeError, match="'int' object has no attribute 'call'"):
        make(3)
    with pytest.raises(ValueError, match="variational_recurrent=True, dtype must be provided"):
        make(Cell(3), variational_recurrent=True)
    with pytest.raises(ValueError, match="input_size must be provided"):
        make(Cell(3), 0.5, variational_recurrent=True, dtype=tf.float32)
    with pytest.raises(TypeError, match="dropout_state_filter_visitor must be callable"):
        make(Cell(3), dropout_state_filter_visitor=3)
    with pytest.raises(TypeError, match="Keyword argument not understood"):
        make(Cell(3), keras=1)
    assert make(Cell(3), 0.5, seed=7).get_config()["cell"]["config"] == {"units": 3}
