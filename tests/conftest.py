"""Hooks of pytest: the collector of garbage, and the score of the goldens at the end."""

import gc

import pytest

from tests.golden import replay


def pytest_collection_finish():
    """Keeps the collector from what stays until the end: each of its searches would go through all tests, for a second."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session):
    """Returns a worker's score to the process that prints it, where tests run in parallel."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["goldens"] = {name: dict(count) for name, count in replay.score.items()}


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Adds a worker's score to that of the others."""
    for name, count in getattr(node, "workeroutput", {}).get("goldens", {}).items():
        replay.score[name].update(count)


def pytest_terminal_summary(terminalreporter):
    if replay.score:
        terminalreporter.section("goldens: TensorFlow's recorded answers")
        for line in replay.summary():
            terminalreporter.line(line)
