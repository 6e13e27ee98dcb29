"""``get_variable`` by values of some type, and the penalties of its variables where operations run at once."""

import numpy as np
import pytest

import twinflow as tf

v1 = tf.compat.v1

MISMATCHES = [
    ([1, 2, 3], tf.float32, "int32", "<dtype: 'float32'>"),
    (np.array([1.0, 2.0]), tf.float32, "float64", "<dtype: 'float32'>"),
    (3, tf.float32, "int32", "<dtype: 'float32'>"),
    (3.5, tf.int32, "float32", "<dtype: 'int32'>"),
    ([1, 2], tf.int64, "int32", "<dtype: 'int64'>"),
    ([1, 2], "float32", "int32", "float32"),
]


@pytest.mark.parametrize(("value", "dtype", "own", "asked"), MISMATCHES)
@pytest.mark.parametrize("eager", [True, False])
def test_first_values_of_another_type(value, dtype, own, asked, eager):
    with tf.device(None) if eager else tf.Graph().as_default():
        with pytest.raises(ValueError) as error:
            v1.get_variable("mismatch", initializer=value, dtype=dtype)
        assert (
            str(error.value)
            == f"Initializer type '<dtype: '{own}'>' and explicit dtype '{asked}' don't match."
        )
        assert (
            v1.get_variable("match", initializer=[1.0, 2.0], dtype=tf.float32).dtype.base_dtype
            == tf.float32
        )


def test_penalties_where_operations_run_at_once():
    before = len(v1.losses.get_regularization_losses())
    with v1.variable_scope("penalised", regularizer=lambda w: 5.0 * tf.reduce_sum(w)):
        v = v1.get_variable("v", [2], initializer=v1.ones_initializer())
        v1.get_variable("free", [2], regularizer=v1.no_regularizer)
    found = v1.losses.get_regularization_losses()
    assert len(found) == before + 1
    assert float(tf.add_n(found[-1:])) == 10.0 and found[-1].shape == ()
    v.assign([1.0, 3.0])
    with tf.GradientTape() as tape:
        loss = tf.convert_to_tensor(found[-1])
    assert float(loss) == 20.0
    np.testing.assert_array_equal(tape.gradient(loss, v), [5.0, 5.0])
    found_in_all = v1.get_collection_ref(v1.GraphKeys.REGULARIZATION_LOSSES)
    found_in_all.clear()
