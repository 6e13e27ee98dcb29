"""The rows and reports of ``make bench-gpu``, as far as they can be tested without a GPU."""

import numpy as np
import pytest

import twinflow as tf
from tests.perf import gpu, gpu_steps
from tests.perf.gpu_timing import Row, row


@pytest.mark.parametrize("name", gpu_steps.NETWORKS)
def test_the_step_by_hand_is_the_step_of_the_network(name):
    ours, bare = gpu_steps.ours(tf, name, 8, True), gpu_steps.bare(np, name, 8)
    for _ in range(4):
        np.testing.assert_allclose(float(bare()), float(ours()), rtol=2e-4)


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (Row("", (1.06e-3, 1e-3, None), above=6e-5), "OVER: at most 1.05 of CuPy's time"),
        (Row("", (1.04e-3, 1e-3, None), above=4e-5), "ok: at most 1.05 of CuPy's time"),
        (Row("", (8e-6, 5e-6, None), above=3e-6), "OVER: at most 2 us over CuPy"),
        (Row("", (6e-6, 5e-6, None), above=1e-6), "ok: at most 2 us over CuPy"),
        (
            Row("", (3e-3, 1e-3, 2e-3), above=1e-3, against="PyTorch"),
            "OVER: at most PyTorch's time",
        ),
        (Row("", (1e-3, 1e-3, None), against="PyTorch"), "-"),
    ],
)
def test_budgets(found, verdict):
    assert found.verdict == verdict


def test_what_fails_is_told_and_leaves_the_others_their_figures():
    def fails():
        raise MemoryError("no | room")

    nothing = lambda: None
    found = row(nothing, "theirs", nothing, nothing, fails)
    assert found.kept is not None and found.seconds[2] is None
    assert found.verdict.endswith("; PyTorch FAILED: MemoryError: no / room")
    found = row(nothing, "ours", fails, nothing, nothing)
    assert found.kept is None and found.verdict == "twinflow FAILED: MemoryError: no / room"
    assert list(gpu._summary([found])) == ["FAILED: ours"]
