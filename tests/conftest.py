"""What the whole run does after its start, and what it prints at its end."""

import gc

from tests.golden import replay


def pytest_collection_finish():
    """Keeps the collector from what stays until the end: each of its searches would go through all tests, for a second."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter):
    if replay.score:
        terminalreporter.section("goldens: TensorFlow's recorded answers")
        for line in replay.summary():
            terminalreporter.line(line)
