"""Every case prints the same from Python and from R."""

import pytest

from tests import harness

CASES = harness.cases()


@pytest.fixture(scope="module")
def r():
    harness.need_r()
    return harness.run_r


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_python(case):
    assert harness.run_python(case.blocks["python"]) == case.output("python")


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_r(case, r):
    assert r(case.blocks["r"]) == case.output("r")


def test_there_are_enough():
    assert len(CASES) >= 60


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_both_languages_are_there(case):
    assert {"python", "r"} <= set(case.blocks)
