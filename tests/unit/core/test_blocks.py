"""Blocks that change something for a while, as they print."""

import pytest

import twinflow as tf

v1 = tf.compat.v1


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.variable_creator_scope(lambda make, **options: make(**options)),
        lambda: tf.Graph().as_default(),
        lambda: tf.Graph().device("CPU:0"),
        lambda: tf.Graph().gradient_override_map({}),
        lambda: v1.Session().as_default(),
    ],
)
def test_type_of_blocks(make):
    assert repr(make()).startswith("<contextlib._GeneratorContextManager object at ")
