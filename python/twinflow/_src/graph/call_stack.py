"""Call stacks of operations: where in the user's program an operation was made.

A stack is recorded as code objects and instruction offsets; line numbers are computed when an error
message or ``Operation.traceback`` asks for them.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from types import CodeType, FrameType

CallStack = tuple[tuple[CodeType, int], ...]

# Files whose frames are not the user's: the package, programs that it compiles, the import system.
_INTERNAL = (
    os.path.dirname(os.path.dirname(os.path.dirname(__file__))) + os.sep,
    "<program>",
    "<frozen ",
)
# Names of functions that AutoGraph makes of branches and loop bodies.
_GENERATED = re.compile(r"_\d+__$")


class CallStacks:
    """The call stacks of a graph's operations, each kept once."""

    def __init__(self) -> None:
        self._stacks: dict[tuple[int, ...], CallStack] = {}

    def current(self) -> CallStack:
        """Returns the user's frames of this thread, outermost first."""
        frames: list[FrameType] = []
        key: list[int] = []
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            code = frame.f_code
            if not code.co_filename.startswith(_INTERNAL):
                frames.append(frame)
                key += id(code), frame.f_lasti
            frame = frame.f_back
        stack = self._stacks.get(tuple(key))
        if stack is None:  # the stack keeps its code objects alive, so that their ids stay theirs
            stack = tuple((frame.f_code, frame.f_lasti) for frame in reversed(frames))
            self._stacks[tuple(key)] = stack
        return stack


def summary(stack: CallStack) -> traceback.StackSummary:
    """Returns a call stack as ``traceback`` formats them."""
    names: dict[str, str] = {}  # of the last function in each file, for what AutoGraph made of it
    entries = []
    for code, offset in stack:
        file = code.co_filename
        if not _GENERATED.search(code.co_name):
            names[file] = code.co_name
        entries.append((file, _line(code, offset), names.get(file, code.co_name), None))
    return traceback.StackSummary.from_list(entries)


def _line(code: CodeType, offset: int) -> int:
    """Returns the line number of an instruction."""
    lines = (line for start, end, line in code.co_lines() if start <= offset < end and line)
    return next(lines, code.co_firstlineno)
