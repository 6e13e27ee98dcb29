"""Gradients at zeros, ties, infinities and NaN are those that TensorFlow gave."""

import pytest

import twinflow as tf
from tests.golden import edge_gradients

KINDS = ("float32", "float64", "float16", "bfloat16", "complex64", "second", "forward")


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_at_edges_are_those_recorded(kind):
    found = list(edge_gradients.differences(tf, kind))
    assert len(found) > 30
    wrong = [f"{case.id} {said}" for case, traced, said in found if said and not edge_gradients.reasons(case, traced)]
    assert not wrong, "\n".join(line[:200] for line in wrong)


def test_every_case_is_recorded_and_of_a_kind():
    cases = {case.id for case in edge_gradients.cases()}
    assert cases == edge_gradients.recorded().keys()
    assert {name.split("/")[0] for name in cases} == set(KINDS)
