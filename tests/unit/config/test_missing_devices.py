"""Devices that do not exist, with soft placement and without, in sessions, functions and at once; TensorFlow's words."""

import pytest

import twinflow as tf

v1 = tf.compat.v1
MISSING = pytest.mark.skipif(bool(tf.config.list_physical_devices("GPU")), reason="there is a GPU")
SAID = "Could not satisfy device specification '/job:localhost/replica:0/task:0/device:GPU:0'. enable_soft_placement=0. "


@pytest.fixture
def placement():
    """Sets soft placement; afterwards all is as before."""
    from twinflow._src.core.context import runtime

    yield tf.config.set_soft_device_placement
    tf.config.set_soft_device_placement(True)
    runtime.soft_sessions = False


def in_a_session(config):
    with v1.Graph().as_default(), v1.device("/GPU:0"):
        v = v1.get_variable("v", initializer=1.0)
        y = v + 2.0
        with v1.Session(config=config) as session:
            session.run(v.initializer)
            return float(session.run(y))


@MISSING
@pytest.mark.parametrize("process", [True, False])
def test_a_session_places_as_it_was_told(placement, process):
    placement(process)
    assert in_a_session(v1.ConfigProto(allow_soft_placement=True)) == 3
    for config in (v1.ConfigProto(), v1.ConfigProto(allow_soft_placement=False)):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="Cannot assign a device for operation"
        ):
            in_a_session(config)


@MISSING
def test_a_session_that_was_told_nothing_places_as_the_process_was_told(placement):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device"):
        in_a_session(None)
    placement(True)
    assert in_a_session(None) == 3
    placement(False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device"):
        in_a_session(None)


def placed(name):
    @tf.function
    def f(x):
        with tf.device(name):
            return x + 1.0

    return f


@MISSING
def test_functions_without_soft_placement(placement):
    placement(False)
    x, plain = tf.constant(1.0), tf.function(lambda x: x + 1.0)
    for name, spec in (
        ("/GPU:0", "/device:GPU:0"),
        ("CPU:9", "/device:CPU:9"),
        ("/job:worker/CPU:0", "/job:worker/device:CPU:0"),
    ):
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=rf"^Unable to find any devices for spec {spec} \[Op:__inference_f_\d+\]$",
        ):
            placed(name)(x)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught, tf.device("/GPU:0"):
        plain(x)
    assert (
        caught.value.message.startswith(SAID)
        and "]. [Op:__inference_<lambda>_" in caught.value.message
    )
    with pytest.raises(tf.errors.InvalidArgumentError) as caught, tf.device("/GPU:0"):
        x + x
    assert caught.value.message.startswith(SAID) and caught.value.message.endswith(
        "]. [Op:AddV2] name: "
    )
    placement(True)
    assert float(placed("/GPU:0")(x)) == 2


def test_functions_with_a_device_of_another_process():
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        placed("/job:worker/CPU:0")(tf.constant(1.0))
    assert caught.value.message.startswith(
        "Cannot assign a device for operation add: {{node add}} was explicitly assigned to /job:worker/device:CPU:0 but available devices are [ "
    )
    assert (
        "Make sure the device specification refers to a valid device.\n\t [[add]] [Op:__inference_f_"
        in caught.value.message
    )
