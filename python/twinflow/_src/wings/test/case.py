"""``tf.test.TestCase`` and ``tf.test.main``, queries of the machine, and stubs of attributes."""

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

from twinflow._src.config.devices import list_physical_devices
from twinflow._src.dispatch.op import API
from twinflow._src.graph.default_graph import reset_default_graph
from twinflow._src.wings.test.evaluation import EvaluationMixin, RaisingAssertions

SEED = 87654321  # seed of all random number generators before each test


@functools.cache
def get_temp_dir() -> str:
    """Returns the directory for temporary files of this process' tests; it is removed at exit."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class _TemporaryPath:
    """A temporary file or directory of a test.

    ``path`` is its path.
    """

    def __init__(self, path: str) -> None:
        self.full_path = path

    def __fspath__(self) -> str:
        return self.full_path


class TemporaryFile(_TemporaryPath):
    """A temporary file of a test."""

    def read_text(self) -> str:
        """Returns the content."""
        with open(self.full_path, encoding="utf-8") as file:
            return file.read()

    def write_text(self, text: str) -> None:
        """Replaces the content."""
        with open(self.full_path, "w", encoding="utf-8") as file:
            file.write(text)


class TemporaryFolder(_TemporaryPath):
    """A temporary directory of a test."""

    def create_file(self, file_path: str | None = None, content: str = "") -> TemporaryFile:
        """Creates a file in the directory.

        Args:
            file_path: The file name.
            content: The content.
        """
        file = TemporaryFile(os.path.join(self.full_path, file_path or "file"))
        os.makedirs(os.path.dirname(file.full_path), exist_ok=True)
        file.write_text(content)
        return file

    def mkdir(self, dir_path: str | None = None) -> TemporaryFolder:
        """Creates a subdirectory.

        Args:
            dir_path: The name.
        """
        path = (
            os.path.join(self.full_path, dir_path)
            if dir_path
            else tempfile.mkdtemp(dir=self.full_path)
        )
        os.makedirs(path, exist_ok=True)
        return TemporaryFolder(path)


class TensorFlowTestCase(EvaluationMixin, RaisingAssertions):
    """Base class of tests: assertions on tensors, fixed random seeds, sessions and temporary files.

    Args:
        methodName: The name of the test method.
    """

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._folder: str | None = None
        self._set_default_seed = True

    def setUp(self) -> None:
        """Resets the default graph and session, and sets all random seeds."""
        super().setUp()
        self._ClearCachedSession()
        random.seed(SEED)
        np.random.seed(SEED)
        reset_default_graph()
        if self._set_default_seed:
            API["random.set_seed"](SEED)

    def tearDown(self) -> None:
        """Closes the session."""
        self._ClearCachedSession()
        super().tearDown()

    # ---------------------------------------------------------------- files
    def get_temp_dir(self) -> str:
        """Returns a temporary directory of this test."""
        if self._folder is None:
            self._folder = tempfile.mkdtemp(dir=get_temp_dir())
        return self._folder

    def create_tempdir(self, name: str | None = None) -> TemporaryFolder:
        """Creates a temporary directory.

        Args:
            name: Its name.
        """
        return TemporaryFolder(self.get_temp_dir()).mkdir(name)

    def create_tempfile(self, file_path: str | None = None, content: str = "") -> TemporaryFile:
        """Creates a temporary file.

        Args:
            file_path: Its name.
            content: The content.
        """
        return self.create_tempdir().create_file(file_path, content)

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[Any]:
        """Context manager that captures the output to a stream.

        Args:
            stream: A file with a file descriptor, such as ``sys.stderr``.

        Yields:
            An object whose ``contents()`` returns the output.
        """
        number = stream.fileno()
        original = os.dup(number)
        target, path = tempfile.mkstemp(dir=self.get_temp_dir())
        stream.flush()
        os.dup2(target, number)
        try:
            yield _CapturedOutput(path, stream)
        finally:
            stream.flush()
            os.close(target)
            os.dup2(original, number)
            os.close(original)

    # ---------------------------------------------------------------- protocol buffers
    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Any,
        validate_message: Any,
        msg: Any = None,
        relative_tolerance: Any = None,
    ) -> None:
        """Asserts that two protocol buffers are equal.

        Args:
            expected_message_maybe_ascii: A message, or its text format.
            validate_message: The message to check.
            msg: An additional message.
            relative_tolerance: The tolerance for floating-point fields; exact if None.
        """
        from twinflow._src.wings.test.evaluation import differences, parse_text

        expected, other = expected_message_maybe_ascii, validate_message
        if isinstance(expected, (str, bytes)):
            expected = parse_text(expected, other)
        if type(expected) is not type(other):
            self.fail(f"Can't compare protos of type {type(expected)} and {type(other)}.")
        lines = differences(expected, other, relative_tolerance)
        if lines:
            self.fail(f"{msg or 'The messages differ'}:\n{lines}")

    def assertProtoEqualsVersion(
        self, expected: Any, actual: Any, producer: int = 0, min_consumer: int = 0, msg: Any = None
    ) -> None:
        """Asserts that a graph's message is equal to one whose text lacks the version."""
        self.assertProtoEquals(
            f"versions {{ producer: {producer} min_consumer: {min_consumer} }};\n{expected}",
            actual,
            msg,
        )


class _CapturedOutput:
    """The captured output of a stream, in a file; it can be read after the capture has ended."""

    def __init__(self, path: str, stream: Any) -> None:
        self._path, self._stream = path, stream

    def contents(self) -> str:
        """Returns the whole output."""
        self._stream.flush()
        with open(self._path, encoding="utf-8", errors="replace") as file:
            return file.read()


def main(argv: Any = None) -> None:
    """Runs the tests of the program, or its benchmarks for ``--benchmarks=PATTERN``.

    Args:
        argv: The command line; that of the process if None.
    """
    import sys

    from twinflow._src.wings.test.benchmarks import run_benchmarks

    arguments = list(sys.argv if argv is None else argv)
    patterns = [
        item.partition("=")[2] or ".*" for item in arguments[1:] if item.startswith("--benchmarks")
    ]
    if patterns:
        run_benchmarks(patterns[0])
        return
    unittest.main(module="__main__", argv=arguments)


def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Callable[..., Any]:
    """Decorator that skips a test if a predicate returns True.

    Args:
        pred: The predicate.
        skip_message: The reason.
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
    """Returns a test class unchanged: ops are executed in one way only.

    Args:
        cls: The class; if None, returns a decorator.
        only_as_function: Accepted and without effect.
    """
    return (lambda test_class: test_class) if cls is None else cls


# ------------------------------------------------------------------ stubs of attributes

# For the duration of a test, as in TensorFlow 1's tests.


__all__ = ["StubOutForTesting", "mock"]


def _get_static_attribute(parent: Any, name: str) -> Any:
    """Returns an attribute without invoking descriptors; lazy names are resolved first."""
    getattr(parent, name)
    return inspect.getattr_static(parent, name)


class StubOutForTesting:
    """Replaces attributes during a test, and restores them."""

    def __init__(self) -> None:
        self._originals: list[tuple[Any, str, Any]] = []
        self._smart: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *_: Any) -> None:
        self.CleanUp()

    def CleanUp(self) -> None:
        """Restores all attributes."""
        self.SmartUnsetAll()
        self.UnsetAll()

    def SmartSet(self, obj: Any, attr_name: str, new_attr: Any) -> None:
        """Replaces an attribute that an object or one of its classes has.

        Raises:
            AttributeError: The attribute does not exist.
        """
        self._smart.append((obj, attr_name, _get_static_attribute(obj, attr_name)))
        setattr(obj, attr_name, new_attr)

    def SmartUnsetAll(self) -> None:
        """Restores the attributes replaced by ``SmartSet``."""
        _restore(self._smart)

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:
        """Replaces an attribute of an object."""
        self._originals.append((parent, child_name, _get_static_attribute(parent, child_name)))
        setattr(parent, child_name, new_child)

    def UnsetAll(self) -> None:
        """Restores the attributes replaced by ``Set``."""
        _restore(self._originals)


def _restore(originals: list[tuple[Any, str, Any]]) -> None:
    while originals:
        setattr(*originals.pop())


# ------------------------------------------------------------------ queries of the machine


_TARGETS = frozenset(
    ["aarch64", "arm", "arm64", "powerpc", "ppc", "ppc64le", "s390x", "x86", "x86-64", "x86_64"]
)


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """Returns True if a GPU is available.

    Args:
        cuda_only: Accepted; all GPUs are CUDA devices.
        min_cuda_compute_capability: The minimum compute capability as (major, minor), or None.
    """
    gpus = list_physical_devices("GPU")
    if not gpus or min_cuda_compute_capability is None:
        return bool(gpus)
    from twinflow._src.dispatch.op import API

    details = [API["config.experimental.get_device_details"](device) for device in gpus]
    return any(
        d.get("compute_capability", (0, 0)) >= tuple(min_cuda_compute_capability) for d in details
    )


def is_cpu_target_available(target: str) -> bool:
    """Returns True for a CPU target that TensorFlow knows.

    Args:
        target: The name, such as ``"x86"``.

    Raises:
        AssertionError: The target is unknown.
    """
    if target not in _TARGETS:
        raise AssertionError(f"Unknown CPU target: {target}")
    return True


def test_src_dir_path(relative_path: str) -> str:
    """Returns the path of a file relative to the package."""
    return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), relative_path)
