"""Programs for TensorFlow 1 as guides of that time write them: variables, savers, scopes."""

import os

import numpy as np
import pytest

import twinflow
from twinflow.compat import v1 as tf


@pytest.fixture(autouse=True, params=["resource", "reference"])
def graph(request):
    (
        tf.enable_resource_variables
        if request.param == "resource"
        else tf.disable_resource_variables
    )()
    with tf.Graph().as_default() as found:
        yield found
    tf.enable_resource_variables()


def test_variables_and_their_initialisation():
    weights = tf.Variable(tf.random_normal([784, 200], stddev=0.35), name="weights")
    biases = tf.Variable(tf.zeros([200]), name="biases")
    init_op = tf.global_variables_initializer()
    with tf.Session() as sess:
        with pytest.raises(tf.errors.FailedPreconditionError):
            sess.run(weights)
        sess.run(init_op)
        w, b = sess.run([weights, biases])
    assert abs(w.std() - 0.35) < 0.01 and not b.any()


def test_devices_of_variables():
    with tf.device("/gpu:1"):
        v = tf.Variable(1.0)
    with tf.device("/job:ps/task:7"):
        w = tf.Variable(1.0)
    assert (v.device, w.device) == ("/device:GPU:1", "/job:ps/task:7")


def test_variables_that_begin_like_others():
    weights = tf.Variable(tf.random_normal([784, 100], stddev=0.35), name="weights")
    w2 = tf.Variable(weights.initialized_value(), name="w2")
    w_twice = tf.Variable(weights.initialized_value() * 2.0, name="w_twice")
    with tf.Session() as sess:
        sess.run(weights.initializer)
        sess.run(tf.variables_initializer([w2, w_twice]))
        a, b, c = sess.run([weights, w2, w_twice])
    assert np.array_equal(a, b) and np.array_equal(a * 2, c)


def test_saving_and_restoring(tmp_path):
    path = str(tmp_path / "model.ckpt")
    v1 = tf.Variable([1.0, 2.0], name="v1")
    v2 = tf.Variable([[3.0]], name="v2")
    init_op = tf.global_variables_initializer()
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(init_op)
        assert saver.save(sess, path) == path
    with tf.Graph().as_default():
        v1 = tf.Variable([0.0, 0.0], name="v1")
        v2 = tf.Variable([[0.0]], name="v2")
        saver = tf.train.Saver()
        with tf.Session() as sess:
            saver.restore(sess, path)
            assert [x.tolist() for x in sess.run([v1, v2])] == [[1.0, 2.0], [[3.0]]]
            tf.train.Saver({"my_v2": v2}).save(sess, path)
    assert twinflow.train.list_variables(path) == [("my_v2", [1, 1])]
    assert sorted(os.listdir(tmp_path))[-1].startswith("model.ckpt")


def image_filter_of_its_own(images):
    conv1_weights = tf.Variable(tf.random_normal([5, 5, 32, 32]), name="conv1_weights")
    conv1_biases = tf.Variable(tf.zeros([32]), name="conv1_biases")
    conv1 = tf.nn.conv2d(images, conv1_weights, strides=[1, 1, 1, 1], padding="SAME")
    return tf.nn.relu(conv1 + conv1_biases)


def test_variables_that_are_not_shared():
    images = tf.placeholder(tf.float32, [1, 8, 8, 32])
    image_filter_of_its_own(images)
    image_filter_of_its_own(images)
    assert [v.op.name for v in tf.global_variables()] == [
        "conv1_weights",
        "conv1_biases",
        "conv1_weights_1",
        "conv1_biases_1",
    ]


def conv_relu(input, kernel_shape, bias_shape):
    weights = tf.get_variable("weights", kernel_shape, initializer=tf.random_normal_initializer())
    biases = tf.get_variable("biases", bias_shape, initializer=tf.constant_initializer(0.0))
    conv = tf.nn.conv2d(input, weights, strides=[1, 1, 1, 1], padding="SAME")
    return tf.nn.relu(conv + biases)


def my_image_filter(input_images):
    with tf.variable_scope("conv1"):
        relu1 = conv_relu(input_images, [5, 5, 32, 32], [32])
    with tf.variable_scope("conv2"):
        return conv_relu(relu1, [5, 5, 32, 32], [32])


def test_sharing_by_accident_is_an_error():
    image1 = image2 = tf.placeholder(tf.float32, [1, 8, 8, 32])
    my_image_filter(image1)
    with pytest.raises(ValueError, match="Variable conv1/weights already exists, disallowed"):
        my_image_filter(image2)


def test_two_images_one_filter():
    image1 = tf.placeholder(tf.float32, [1, 8, 8, 32])
    image2 = tf.placeholder(tf.float32, [1, 8, 8, 32])
    with tf.variable_scope("image_filters") as scope:
        result1 = my_image_filter(image1)
        scope.reuse_variables()
        result2 = my_image_filter(image2)
    assert len(tf.global_variables()) == 4
    images = np.random.RandomState(0).rand(1, 8, 8, 32)
    loss = tf.reduce_mean(tf.square(result1 - 1.0)) + tf.reduce_mean(tf.square(result2 - 1.0))
    train = tf.train.GradientDescentOptimizer(1e-7).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        first, second = sess.run([result1, result2], {image1: images, image2: images})
        losses = [sess.run([loss, train], {image1: images, image2: images})[0] for _ in range(3)]
    assert np.array_equal(first, second)
    assert losses[2] < losses[0]


def test_scopes_reuse():
    with tf.variable_scope("foo"):
        v = tf.get_variable("v", [1])
        tf.get_variable_scope().reuse_variables()
        v1 = tf.get_variable("v", [1])
    assert v1 is v
    with tf.variable_scope("root"):
        assert tf.get_variable_scope().reuse == False  # noqa: E712
        with tf.variable_scope("foo"):
            assert tf.get_variable_scope().reuse == False  # noqa: E712
        with tf.variable_scope("foo", reuse=True):
            assert tf.get_variable_scope().reuse == True  # noqa: E712
            with tf.variable_scope("bar"):
                assert tf.get_variable_scope().reuse == True  # noqa: E712
        assert tf.get_variable_scope().reuse == False  # noqa: E712


def test_names_in_scopes():
    with tf.variable_scope("foo"):
        x = 1.0 + tf.get_variable("v", [1])
    assert x.op.name == "foo/add"
    with tf.variable_scope("foo", reuse=True), tf.name_scope("bar"):
        v = tf.get_variable("v", [1])
        x = 1.0 + v
    assert v.name == "foo/v:0"
    assert x.op.name == "foo_1/bar/add"


def test_a_name_scope_within_a_variable_scope():
    with tf.variable_scope("foo"), tf.name_scope("bar"):
        v = tf.get_variable("v", [1])
        x = 1.0 + v
    assert v.name == "foo/v:0"
    assert x.op.name == "foo/bar/add"


def test_a_captured_scope_does_not_change_the_names_of_operations():
    with tf.variable_scope("foo") as foo_scope:
        tf.get_variable("v", [1])
    with (
        tf.name_scope("other"),
        tf.variable_scope(foo_scope, reuse=True, auxiliary_name_scope=False),
    ):
        v = tf.get_variable("v", [1])
        x = tf.identity(v, name="x")
    assert v.name == "foo/v:0" and x.op.name == "other/x"
