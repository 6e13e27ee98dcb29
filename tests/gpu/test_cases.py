"""The cases that Python and R share print the same with the GPU as the default device, but for its name."""

import re

import pytest

from tests import harness

# Cases about the CPU's own devices; what they say of a machine with a GPU is another thing.
ABOUT_DEVICES = [case for case in harness.cases() if case.file == "devices"]
CASES = [case for case in harness.cases() if case.file != "devices"]
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")


def apart(text):
    """A text without its numbers, and the numbers; the GPU's device counts as the CPU's."""
    text = text.replace("GPU:0", "CPU:0")
    return _NUMBER.sub("#", re.sub(r" +", " ", text)), [float(x) for x in _NUMBER.findall(text)]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_python(case):
    words, numbers = apart(harness.run_python(case.blocks["python"]))
    expected_words, expected = apart(case.output("python"))
    assert words == expected_words
    assert numbers == pytest.approx(expected, rel=1e-5, abs=1e-6)
