"""The class of test cases, and how a program of tests runs.

Replacing attributes for the time of a test, as TensorFlow 1's tests do.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import inspect
import os
import random
import shutil
import tempfile
import unittest
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np

from twinflow._src.dispatch.op import API
from twinflow._src.graph.default_graph import reset_default_graph
from twinflow._src.wings.test.evaluation import RaisingAssertions, Running

# The class of test cases, and how a program of tests runs.


SEED = 87654321  # of all random numbers, before each test


@functools.cache
def get_temp_dir() -> str:
    """The folder for the files of this process' tests; it is removed when the process ends."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class _Place:
    """Something of a test on the disk.

    Args:
        path: Where it is.
    """

    def __init__(self, path: str) -> None:
        self.full_path = path

    def __fspath__(self) -> str:
        return self.full_path


class TemporaryFile(_Place):
    """A file of a test."""

    def read_text(self) -> str:
        """What it holds."""
        with open(self.full_path, encoding="utf-8") as file:
            return file.read()

    def write_text(self, text: str) -> None:
        """Replaces what it holds."""
        with open(self.full_path, "w", encoding="utf-8") as file:
            file.write(text)


class TemporaryFolder(_Place):
    """A folder of a test."""

    def create_file(self, file_path: str | None = None, content: str = "") -> TemporaryFile:
        """Makes a file in it.

        Args:
            file_path: Its name.
            content: What it holds.
        """
        found = TemporaryFile(os.path.join(self.full_path, file_path or "file"))
        os.makedirs(os.path.dirname(found.full_path), exist_ok=True)
        found.write_text(content)
        return found

    def mkdir(self, dir_path: str | None = None) -> TemporaryFolder:
        """Makes a folder in it.

        Args:
            dir_path: Its name.
        """
        path = (
            os.path.join(self.full_path, dir_path)
            if dir_path
            else tempfile.mkdtemp(dir=self.full_path)
        )
        os.makedirs(path, exist_ok=True)
        return TemporaryFolder(path)


class TensorFlowTestCase(Running, RaisingAssertions):
    """A test case: assertions on tensors, the same random numbers for each test, sessions, files.

    Args:
        methodName: The name of the method that is the test.
    """

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._folder: str | None = None

    def setUp(self) -> None:
        """Forgets the default graph and the session, and sets all seeds."""
        super().setUp()
        self._forget_session()
        random.seed(SEED)
        np.random.seed(SEED)
        reset_default_graph()
        API["random.set_seed"](SEED)

    def tearDown(self) -> None:
        """Closes the session."""
        self._forget_session()
        super().tearDown()

    # ---------------------------------------------------------------- files
    def get_temp_dir(self) -> str:
        """A folder of this test."""
        if self._folder is None:
            self._folder = tempfile.mkdtemp(dir=get_temp_dir())
        return self._folder

    def create_tempdir(self, name: str | None = None) -> TemporaryFolder:
        """Makes a folder.

        Args:
            name: Its name.
        """
        return TemporaryFolder(self.get_temp_dir()).mkdir(name)

    def create_tempfile(self, file_path: str | None = None, content: str = "") -> TemporaryFile:
        """Makes a file.

        Args:
            file_path: Its name.
            content: What it holds.
        """
        return self.create_tempdir().create_file(file_path, content)

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[Any]:
        """A block whose output is kept.

        Args:
            stream: A file with a number, such as ``sys.stderr``.

        Yields:
            An object whose ``contents()`` tell what was written.
        """
        number = stream.fileno()
        kept = os.dup(number)
        with tempfile.TemporaryFile(mode="w+b", dir=get_temp_dir()) as target:
            stream.flush()
            os.dup2(target.fileno(), number)
            try:
                yield _Written(target, stream)
            finally:
                stream.flush()
                os.dup2(kept, number)
                os.close(kept)

    # ---------------------------------------------------------------- messages
    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Any,
        validate_message: Any,
        msg: Any = None,
        relative_tolerance: Any = None,
    ) -> None:
        """Fails where two messages differ.

        Args:
            expected_message_maybe_ascii: A message, or its text.
            validate_message: Another one.
            msg: An additional message.
            relative_tolerance: How much numbers in the texts may differ by; not at all if None.
        """
        from twinflow._src.wings.test.evaluation import differences, parsed

        expected, other = expected_message_maybe_ascii, validate_message
        if isinstance(expected, (str, bytes)):
            expected = parsed(expected, other)
        if type(expected) is not type(other):
            self.fail(f"Can't compare protos of type {type(expected)} and {type(other)}.")
        found = differences(expected, other, relative_tolerance)
        if found:
            self.fail(f"{msg or 'The messages differ'}:\n{found}")

    def assertProtoEqualsVersion(
        self, expected: Any, actual: Any, producer: int = 0, min_consumer: int = 0, msg: Any = None
    ) -> None:
        """As ``assertProtoEquals`` for a graph's message, whose text lacks the version."""
        self.assertProtoEquals(
            f"versions {{ producer: {producer} min_consumer: {min_consumer} }};\n{expected}",
            actual,
            msg,
        )


class _Written:
    """What was written to a stream.

    Args:
        file: Where it is kept.
        stream: The stream.
    """

    def __init__(self, file: Any, stream: Any) -> None:
        self._file, self._stream = file, stream

    def contents(self) -> str:
        """All of it."""
        self._stream.flush()
        self._file.flush()
        self._file.seek(0)
        text: str = self._file.read().decode("utf-8", "replace")
        return text


def main(argv: Any = None) -> None:
    """Runs the tests of the program, or its benchmarks where ``--benchmarks=PATTERN`` is given.

    Args:
        argv: The arguments; those of the process if None.
    """
    import sys

    from twinflow._src.wings.test.benchmarks import run_benchmarks

    given = list(sys.argv if argv is None else argv)
    wanted = [
        item.partition("=")[2] or ".*" for item in given[1:] if item.startswith("--benchmarks")
    ]
    if wanted:
        run_benchmarks(wanted[0])
        return
    unittest.main(module="__main__", argv=given)


def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Callable[..., Any]:
    """A decorator of tests that are left out where a function says so.

    Args:
        pred: The function.
        skip_message: Why they are.
    """

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def decorated(self: Any, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return test(self, *args, **kwargs)

        return decorated

    return decorate


def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """Gives a class of tests as it is: operations run in one way only.

    Args:
        cls: The class; a decorator is given if None.
        only_as_function: Accepted and without effect.
    """
    return (lambda found: found) if cls is None else cls


# Replacing attributes for the time of a test, as TensorFlow 1's tests do.


__all__ = ["StubOutForTesting", "mock"]


def _held(parent: Any, name: str) -> Any:
    """What stands under a name, a descriptor as it is; the namespaces of the package get what is asked for."""
    getattr(parent, name)
    return inspect.getattr_static(parent, name)


class StubOutForTesting:
    """Replaces attributes, and puts back what was there."""

    def __init__(self) -> None:
        self._kept: list[tuple[Any, str, Any]] = []
        self._smart: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *_: Any) -> None:
        self.CleanUp()

    def CleanUp(self) -> None:
        """Puts everything back."""
        self.SmartUnsetAll()
        self.UnsetAll()

    def SmartSet(self, obj: Any, attr_name: str, new_attr: Any) -> None:
        """Replaces an attribute that an object or one of its classes has.

        Raises:
            AttributeError: None has it.
        """
        self._smart.append((obj, attr_name, _held(obj, attr_name)))
        setattr(obj, attr_name, new_attr)

    def SmartUnsetAll(self) -> None:
        """Puts back what ``SmartSet`` replaced."""
        _put_back(self._smart)

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:
        """Replaces an attribute of an object."""
        self._kept.append((parent, child_name, _held(parent, child_name)))
        setattr(parent, child_name, new_child)

    def UnsetAll(self) -> None:
        """Puts back what ``Set`` replaced."""
        _put_back(self._kept)


def _put_back(kept: list[tuple[Any, str, Any]]) -> None:
    while kept:
        setattr(*kept.pop())
