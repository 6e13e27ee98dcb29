"""Transformations of datasets, beside the recorded answers of TensorFlow."""

import pytest

import twinflow as tf
from tests.golden import data_orders, data_readers, data_verbs

RECORDED = data_verbs.recorded()


@pytest.fixture(scope="module")
def scope():
    return data_verbs.names(tf, "/nowhere")


@pytest.mark.parametrize("expression", data_verbs.EXPRESSIONS)
def test_elements_and_errors_are_tensorflows(expression, scope):
    assert data_readers.answer(expression, scope, tf.data.Dataset) == RECORDED[expression]


def test_every_expression_is_recorded():
    assert list(RECORDED) == data_verbs.EXPRESSIONS


@pytest.mark.parametrize("name", data_orders.PROGRAMS)
def test_random_orders_are_tensorflows(name):
    tf.random.set_seed(None)
    assert data_orders.PROGRAMS[name](tf) == data_orders.recorded()[name]
