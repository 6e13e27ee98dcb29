"""Fixtures that several modules of tests share."""

import pytest

import twinflow as tf


@pytest.fixture
def graph():
    """A graph around the test, as TensorFlow 1 has it."""
    with tf.Graph().as_default() as found:
        yield found
