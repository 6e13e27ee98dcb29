"""Messages of errors that operations raise while a graph runs: the node, and where it was made."""

from __future__ import annotations

import re

from twinflow._src.graph.symbolic import Operation

HEADING = "Graph execution error:"
_DETECTED = re.compile(
    rf"{HEADING}\n\nDetected at node [^\n]* defined at \(most recent call last\):\n"
    r"(?:  File [^\n]*\n\n|<stack traces unavailable>\n)*"
)


def in_function(node: Operation, reason: str) -> str:
    """Returns the message for an operation of a function that failed."""
    frames = "".join(f"  {line}\n\n" for line in _lines(node)) or "<stack traces unavailable>\n"
    return (
        f"{HEADING}\n\nDetected at node {node.name} defined at (most recent call last):\n"
        f"{frames}{reason}\n\t [[{{{{node {node.name}}}}}]]"
    )


def in_session(node: Operation, reason: str) -> str:
    """Returns the message for an operation of a session's graph that failed."""
    frames = "".join(f"    {line}\n" for line in _lines(node))
    return (
        f"{HEADING}\n\nDetected at node '{node.name}' defined at (most recent call last):\n"
        f"{frames}Node: '{node.name}'\n{reason}"
    )


def reason_of(message: str) -> str:
    """Returns the message of ``in_function`` without heading and call stack."""
    return _DETECTED.sub("", message, count=1)


def is_located(message: str) -> bool:
    """True if a message tells the operation that failed."""
    return message.startswith(HEADING)


def _lines(node: Operation) -> list[str]:
    return [f'File "{f.filename}", line {f.lineno}, in {f.name}' for f in node.traceback]
