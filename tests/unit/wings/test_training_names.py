"""Private names that training in ``tf_keras`` uses."""

import pytest

import twinflow as tf
from twinflow._src.trackable.trackable import TrackableDataStructure, wrapped
from twinflow._src.wings.private_api import training


def test_conversion_follows_the_caller():
    def sign(x):
        if x > 0:
            return 1
        return -1

    assert training.tf_convert(sign, training.control_status_ctx()) is sign

    @tf.function
    def traced(x):
        return training.tf_convert(sign, training.control_status_ctx())(x)

    assert [traced(tf.constant(x)) for x in (2.0, -2.0)] == [1, -1]


def test_weights_have_the_shape_of_values():
    values = tf.ones([2, 3])
    for weights, expected in [(2.0, [[2] * 3] * 2), ([[1.0], [2.0]], [[1] * 3, [2] * 3])]:
        assert training.broadcast_weights(weights, values).numpy().tolist() == expected
    for weights, message in [([1.0, 2.0], "weights.rank=1"), ([[1.0, 2.0]], "Mismatch at dim 1")]:
        with pytest.raises(ValueError, match=message):
            training.broadcast_weights(weights, values)


def test_moving_averages():
    biased, debiased = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0])
    training.assign_moving_average(biased, [3.0, 4.0], 0.75, zero_debias=False)
    assert biased.numpy().tolist() == [1.5, 2.5]
    for _ in range(3):
        training.assign_moving_average(debiased, [3.0, 4.0], 0.75)
        assert debiased.numpy() == pytest.approx([3.0, 4.0])


def test_containers_have_the_weights_of_layers():
    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.kernel, self.count = tf.Variable(1.0), tf.Variable(2.0, trainable=False)

        trainable_weights = property(lambda self: [self.kernel])
        non_trainable_weights = property(lambda self: [self.count])

    layer, own = Layer(), tf.Variable(3.0)
    for container in ([layer, own], {"b": layer, "a": own}, (layer, own)):
        inside = wrapped([container])
        assert isinstance(inside, TrackableDataStructure)
        assert [w.ref() for w in inside.trainable_weights] == [layer.kernel.ref(), own.ref()]
        assert [w.ref() for w in inside.non_trainable_weights] == [layer.count.ref()]
        assert len(inside.weights) == 3


def test_ragged_splits_match():
    splits = [tf.constant([0, 1, 3])]
    assert len(training.assert_splits_match([splits, splits])) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="identical ragged splits"):
        training.assert_splits_match([splits, [tf.constant([0, 2, 3])]])
    with pytest.raises(ValueError, match="identical ragged splits"):
        training.assert_splits_match([splits, []])


def test_variables_of_the_default_strategy():
    strategy, variable = tf.distribute.get_strategy(), tf.Variable(1.0)
    assert strategy.extended.variable_created_in_scope(variable)
    assert not strategy._should_use_with_coordinator
    mirrored = tf.distribute.MirroredStrategy(["CPU:0"])
    with mirrored.scope():
        inside = tf.Variable(1.0)
    assert not strategy.extended.variable_created_in_scope(inside)
    assert mirrored.extended.variable_created_in_scope(inside)


def test_checkpoint_states_with_relative_paths(tmp_path):
    path = str(tmp_path / "weights")
    training.update_checkpoint_state(str(tmp_path), path, save_relative_paths=True)
    assert 'model_checkpoint_path: "weights"' in (tmp_path / "checkpoint").read_text()


def test_datasets_are_sharded():
    part = training.auto_shard_dataset(tf.data.Dataset.range(6), 3, 1)
    assert [int(x) for x in part] == [1, 4]
