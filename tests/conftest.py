"""What the whole run prints at its end."""

from tests.golden import replay


def pytest_terminal_summary(terminalreporter):
    if replay.score:
        terminalreporter.section("goldens: TensorFlow's recorded answers")
        for line in replay.summary():
            terminalreporter.line(line)
