"""Functions of a few float32 numbers whose last bits are those that TensorFlow 2.21 gave on a processor, three numbers at a time.

``last_digits.json`` holds arguments and results, the bytes of float32 arrays.
"""

import base64
import json
from pathlib import Path

import numpy as np
import pytest

import twinflow as tf

RECORDED = json.loads(Path(__file__).with_name("last_digits.json").read_text("utf-8"))
FUNCTIONS = {
    "sigmoid": tf.sigmoid,
    "erf": tf.math.erf,
    "erfc": tf.math.erfc,  # of numbers up to 1
    "swish": tf.nn.swish,
    "rsqrt": tf.math.rsqrt,
}


def recorded(name, *shape):
    """The arguments and the results of a function."""
    given, found = (np.frombuffer(base64.b64decode(text), np.float32) for text in RECORDED[name])
    return given.reshape(*shape), found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_few_numbers(name):
    given, expected = recorded(name, -1, 3)
    found = np.concatenate([FUNCTIONS[name](row).numpy() for row in given])
    off = found.view(np.int32) - expected.view(np.int32)
    assert (
        np.count_nonzero(off) <= (2 if name in ("sigmoid", "swish") else 0)
        and np.abs(off).max() <= 1
    )  # the exponential is rounded once; there, seldom, not


@pytest.mark.parametrize("name", ["erf", "erfc"])
def test_functions_of_many_numbers(name):
    given, expected = recorded(name, -1)
    found = FUNCTIONS[name](np.tile(given, 2**18 // given.size)).numpy()
    assert (found.reshape(-1, given.size).view(np.int32) == expected.view(np.int32)).all()


def test_inverses_of_two_rows():
    given, expected = recorded("inv", -1, 2, 2)
    assert (
        np.stack([tf.linalg.inv(matrix).numpy() for matrix in given]).tobytes()
        == expected.tobytes()
    )
    turned = np.stack([tf.linalg.inv(matrix, adjoint=True).numpy().T for matrix in given])
    assert turned.tobytes() == expected.tobytes()
    for singular in ([[1.0, 2.0], [2.0, 4.0]], [[0.0, 0.0], [0.0, 0.0]]):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Input is not invertible\."):
            tf.linalg.inv(singular)
    assert (
        str(tf.linalg.inv([[0.0, 1.0], [1.0, 0.0]]).numpy().tolist()) == "[[0.0, 1.0], [1.0, 0.0]]"
    )


def dense(labels, logits):
    return tf.nn.softmax_cross_entropy_with_logits(labels, logits)


def sparse(labels, logits):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(np.argmax(labels, 1), logits)


@pytest.mark.parametrize("loss", [dense, sparse])
def test_gradients_of_cross_entropies(loss):
    (logits, labels), expected = recorded("cross_entropy", 2, -1, 3)
    for one, other, slope in zip(logits[:, None], labels[:, None], expected.reshape(-1, 3)):
        logit = tf.constant(one)
        with tf.GradientTape() as tape:
            tape.watch(logit)
            value = loss(other, logit)
        np.testing.assert_array_equal(tape.gradient(value, logit)[0].numpy(), slope)
