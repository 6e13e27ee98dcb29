"""Kinds of variables and keys of averages as programs of TensorFlow 1 ask for them, beside TensorFlow's answers."""

import pytest

import twinflow as tf

v1 = tf.compat.v1


def test_only_reference_variables_are_variables_of_version_one():
    assert not any(isinstance(v, v1.Variable) for v in (tf.Variable(1.0), v1.Variable(1.0), 1))
    with tf.Graph().as_default():
        made = (
            v1.Variable(1.0),
            v1.Variable(2.0, use_resource=False),
            tf.Variable(3.0),
            v1.get_variable("b", [], use_resource=False),
        )
        assert [isinstance(v, v1.Variable) for v in made] == [False, True, False, True]
        assert all(isinstance(v, tf.Variable) for v in made)


@pytest.mark.parametrize("name", ["average", "average_name"])
@pytest.mark.parametrize("value", [3, None])
def test_averages_of_what_is_no_tensor(name, value):
    with pytest.raises(
        AttributeError, match=f"'{type(value).__name__}' object has no attribute 'ref'"
    ):
        getattr(tf.train.ExponentialMovingAverage(0.9), name)(value)
