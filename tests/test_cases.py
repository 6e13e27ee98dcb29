"""Every case prints the same from Python and from R."""

import numpy as np
import pytest

from tests import harness

CASES = harness.cases()
# NumPy up to 2.2 shows large float32 numbers with all their digits.
OTHERWISE = {"printing: digits"} if np.lib.NumpyVersion(np.__version__) < "2.3.0" else set()


@pytest.fixture(autouse=True)
def _shown_alike(request):
    if (
        getattr(request.node, "callspec", None)
        and request.node.callspec.params["case"].id in OTHERWISE
    ):
        pytest.skip("this NumPy shows numbers otherwise")


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
