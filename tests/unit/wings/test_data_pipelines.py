"""Random pipelines, beside the recorded answers of TensorFlow."""

import pytest

import twinflow as tf
from tests.golden import data_pipelines

RECORDED = data_pipelines.recorded()


@pytest.mark.parametrize("seed", RECORDED)
def test_random_pipelines_yield_what_tensorflow_yields(seed):
    assert data_pipelines.answer(tf, int(seed)) == RECORDED[seed], data_pipelines.program(int(seed))
