"""What the whole run does after its start, and what it prints at its end."""

import gc
from pathlib import Path

import twinflow
from tests.golden import replay

LONG = 300  # lines; tests/unit/test_imports.py has the limit


def pytest_collection_finish():
    """Keeps the collector from what stays until the end: each of its searches would go through all tests, for a second."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter):
    if replay.score:
        terminalreporter.section("goldens: TensorFlow's recorded answers")
        for line in replay.summary():
            terminalreporter.line(line)
    lengths = {p: len(p.read_text("utf-8").splitlines()) for p in Path(twinflow.__file__).parent.rglob("*.py")}
    long = [f"{p.stem} ({n})" for p, n in sorted(lengths.items()) if n > LONG]
    if long and terminalreporter.config.option.verbose >= 0:
        terminalreporter.line(f"modules that grow long: {', '.join(long)}")
