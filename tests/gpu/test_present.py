"""A GPU to test on is present, or the reason is told."""

import pytest

from twinflow._src.backends.gpu import device


def test_there_is_a_gpu():
    if not device.count():
        pytest.skip(f"nothing in tests/gpu runs here: {device.why_none()}")
