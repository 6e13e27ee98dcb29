"""Whether there is a GPU to test on."""

import pytest

from twinflow.backends import gpu


def test_there_is_a_gpu():
    if not gpu.count():
        pytest.skip(f"nothing in tests/gpu runs here: {gpu.why_none()}")
