"""The cases of both languages with a stand-in for a GPU as the default device. Logic only."""

import pytest

from tests.gpu import test_cases as cases
from tests.standin import gpus


@pytest.mark.parametrize("case", cases.CASES, ids=lambda c: c.id)
def test_case(case):
    with gpus(1):
        cases.test_python(case)
