"""The command ``python -m twinflow.run``: a program with twinflow as its TensorFlow."""

from __future__ import annotations

import builtins
import io
import os
import runpy
import sys
from types import CodeType, ModuleType, TracebackType
from typing import Any

from twinflow._src.api.alias import as_tensorflow

_USAGE = (
    "usage: python -m twinflow.run (program.py | folder | -m module | -c command) [argument ...]"
)


def main(arguments: list[str]) -> None:
    """Runs a program, a module or a command, with the exit status that Python has for it.

    Args:
        arguments: The arguments of Python after its own options.
    """
    if not arguments or (arguments[0] in ("-m", "-c") and len(arguments) == 1):
        print(_USAGE, file=sys.stderr)
        sys.exit(2)
    if arguments[0] in ("-h", "--help"):
        print(_USAGE)
        return
    as_tensorflow(force=True)
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif arguments[0] == "-c":
        sys.argv, sys.path[0] = ["-c", *arguments[2:]], ""
        _execute(compile(arguments[1], "<string>", "exec"), {})
    else:
        sys.argv = arguments
        _run_path(arguments[0])


def _run_path(path: str) -> None:
    if os.path.isdir(path) or path.endswith((".zip", ".pyz")):
        del sys.path[0]
        runpy.run_path(path, run_name="__main__")
        return
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    path = os.path.abspath(path)
    try:
        with io.open_code(path) as file:
            source = file.read()
    except OSError as error:
        print(
            f"{sys.executable}: can't open file {path!r}: [Errno {error.errno}] {error.strerror}",
            file=sys.stderr,
        )
        sys.exit(2)
    try:
        code = compile(source, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        _print_exception(error, None)
    _execute(code, {"__file__": path, "__cached__": None})


def _execute(code: CodeType, names: dict[str, Any]) -> None:
    """Executes code as the main module, which remains that until the process ends."""
    module = ModuleType("__main__")
    vars(module).update(names, __builtins__=builtins)
    sys.modules["__main__"] = module
    try:
        exec(code, vars(module))
    except Exception as error:
        _print_exception(error, error.__traceback__ and error.__traceback__.tb_next)


def _print_exception(error: Exception, frames: TracebackType | None) -> None:
    """Prints an error without the frames of this module, and exits."""
    sys.excepthook(type(error), error.with_traceback(frames), frames)
    sys.exit(1)
