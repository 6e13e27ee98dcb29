"""Gradients at zeros, ties, infinities and NaN are those that TensorFlow gave."""

import pytest

import twinflow as tf
from tests.golden import edge_gradients


@pytest.fixture(scope="module")
def found():
    """Returns what differs, for each case, eager and traced."""
    return [
        (case, edge_gradients.reasons(case, traced), said)
        for case, traced, said in edge_gradients.differences(tf)
    ]


def test_gradients_at_edges_are_those_recorded(found):
    wrong = [f"{case.id} {said}"[:200] for case, reasons, said in found if said and not reasons]
    assert not wrong, "\n".join(wrong)


def test_every_reason_to_differ_has_a_case_that_differs(found):
    used = {reason for _, reasons, said in found if said for reason in reasons}
    assert used == edge_gradients.DIFFERENT.keys()


def test_every_case_is_recorded(found):
    assert {case.id for case, _, _ in found} == edge_gradients.recorded().keys()
