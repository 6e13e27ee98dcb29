"""Evaluation of tensors in test cases, and assertions on exceptions and protocol buffers."""

from __future__ import annotations

import contextlib
import difflib
import math
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

from twinflow._src.compat_v1.session.feeds_and_fetches import (
    IndexedSlicesValue,
    RaggedTensorValue,
    SparseTensorValue,
)
from twinflow._src.compat_v1.session.session import Session, get_default_session
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import is_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import thread
from twinflow._src.core.errors import InvalidArgumentError, OpError
from twinflow._src.core.protos import needed
from twinflow._src.graph_serialization.tensor_proto import values_of
from twinflow._src.wings.test.assertions import RangeAssertions


class ErrorLoggingSession(Session):
    """The session of a test case."""


class EagerSessionWarner:
    """A placeholder for a session in eager mode, which warns on use."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            "Trying to access properties or call methods on the result of self.session(), self.cached_session(), etc "
            "while eager execution is enabled. If you're porting this test case to TF 2.0, either adapt the test to work "
            "with eager execution or insert a call to tf.disable_eager_execution() in the main() function of this test "
            "file."
        )


class FakeEagerSession:
    """A session substitute in eager mode.

    ``test_case`` evaluates the fetches.
    """

    def __init__(self, test_case: Any) -> None:
        self._test_case = test_case

    def run(self, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        """Returns the values of tensors."""
        if args or kwargs.get("feed_dict"):
            raise RuntimeError(
                "feed_dict is not supported when eager execution is enabled (in this case, sess.run(t) is shorthand for "
                "t.numpy()"
            )
        return self._test_case.evaluate(fetches)


def value_of(tensor: Any) -> Any:
    """Returns the value of an eager tensor, a variable, None, or what has a method ``numpy``.

    A composite tensor without one is mapped to one of arrays. Other values raise ValueError.
    """
    if tensor is None:
        return None
    if isinstance(tensor, RaggedTensor):
        return RaggedTensorValue(value_of(tensor.values), tensor.row_splits.numpy())
    if isinstance(tensor, SparseTensor):
        return SparseTensorValue(
            *(x.numpy() for x in (tensor.indices, tensor.values, tensor.dense_shape))
        )
    if isinstance(tensor, IndexedSlices):
        dense = tensor.dense_shape
        return IndexedSlicesValue(
            tensor.values.numpy(), tensor.indices.numpy(), None if dense is None else dense.numpy()
        )
    if callable(tensor) and not is_tensor(tensor):
        return nest.map_structure(value_of, tensor())
    try:
        if callable(getattr(tensor, "numpy", None)):
            return tensor.numpy()
        return nest.map_structure(lambda part: part.numpy(), tensor, expand_composites=True)
    except AttributeError as error:
        raise ValueError(f"Unsupported type {type(tensor).__name__!r}.") from error


class CheckedThread:
    """A thread whose exceptions fail the test when it is joined."""

    def __init__(self, testcase: Any, target: Any, args: Any = None, kwargs: Any = None) -> None:
        self._testcase, self._call = testcase, (target, args or (), kwargs or {})
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        target, args, kwargs = self._call
        try:
            target(*args, **kwargs)
        except Exception as error:
            self._error = error

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def join(self) -> None:
        """Waits for the thread, and fails the test if the function raised an exception."""
        self._thread.join()
        if self._error is not None:
            self._testcase.fail(f"Error in checkedThread: {self._error}")

    def is_alive(self) -> bool:
        """Returns True if the thread is running."""
        return self._thread.is_alive()


class EvaluationMixin:
    """Mixin of test cases for evaluation, sessions and threads."""

    _cached: Any = None

    def evaluate(self, tensors: Any) -> Any:
        """Evaluates tensors to NumPy values.

        Args:
            tensors: A structure of tensors, or a function that returns one.

        Returns:
            The same structure with values; in a graph they are computed by a session.
        """
        if thread.scope.graph is None:
            return self._eval_helper(tensors)
        flat, session = nest.flatten(tensors), get_default_session()
        if session is not None:
            return nest.pack_sequence_as(tensors, session.run(flat))
        with self.test_session() as session:
            return nest.pack_sequence_as(tensors, session.run(flat))

    def _eval_helper(self, tensors: Any) -> Any:
        return None if tensors is None else nest.map_structure(self._eval_tensor, tensors)

    def _eval_tensor(self, tensor: Any) -> Any:
        return value_of(tensor)

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> Any:
        """Evaluates two graph tensors; returns other values unchanged.

        Args:
            a: A value.
            b: A value.
        """
        symbolic = all(is_tensor(x) and not hasattr(x, "_array") for x in (a, b))
        return (self.evaluate(a), self.evaluate(b)) if symbolic else (a, b)

    def checkedThread(self, target: Any, args: Any = None, kwargs: Any = None) -> CheckedThread:
        """Returns a thread whose exceptions fail the test; see ``CheckedThread``."""
        return CheckedThread(self, target, args, kwargs)

    # ---------------------------------------------------------------- sessions
    @contextlib.contextmanager
    def session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator[Any]:
        """Context manager with a new session.

        Args:
            graph: The graph; the default graph if None.
            config: A ``ConfigProto``, or None.
            use_gpu: Accepted and without effect.
            force_gpu: Accepted and without effect.

        Yields:
            The session; in eager mode a placeholder that cannot be used.
        """
        if thread.scope.graph is None and graph is None:
            yield EagerSessionWarner()
            return
        with ErrorLoggingSession(graph=graph, config=config) as session:
            yield session

    @contextlib.contextmanager
    def cached_session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator[Any]:
        """Context manager with the cached session of the test; see ``session``.

        Raises:
            ValueError: The cached session has another graph or configuration.
        """
        if thread.scope.graph is None and graph is None:
            yield FakeEagerSession(self)
            return
        session = self._session_for(graph, config)
        with session.graph.as_default(), session.as_default():
            yield session

    def _session_for(self, graph: Any, config: Any) -> Any:
        if self._cached is None:
            self._cached = ErrorLoggingSession(graph=graph, config=config), graph, config
        session, cached_graph, cached_config = self._cached
        for what, cached, argument in (
            ("graph", cached_graph, graph),
            ("config", cached_config, config),
        ):
            if cached is not argument:
                raise ValueError(
                    f"The {what} used to get the cached session is different than the one that was used to create the "
                    "session. Maybe create a new session with self.session()"
                )
        return session

    def _ClearCachedSession(self) -> None:
        if self._cached is not None:
            self._cached[0].close()
            self._cached = None

    def test_session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Any:
        """Deprecated: ``cached_session`` if ``graph`` is None, else ``session``."""
        if self.id().endswith(".test_session"):  # type: ignore[attr-defined]
            self.skipTest("Not a test.")  # type: ignore[attr-defined]
        which = self.cached_session if graph is None else self.session
        return which(graph, config, use_gpu, force_gpu)


# ------------------------------------------------------------------ assertions on exceptions


def _predicate(expected: Any) -> Callable[[Any], bool]:
    """Returns a predicate of exceptions from a function or a regular expression."""
    return expected if callable(expected) else lambda e: re.search(expected, _text(e)) is not None


def _text(error: Any) -> str:
    """Returns the message of an error, with the name of the operation that it came from."""
    if not isinstance(error, OpError):
        return str(error)
    op = error.op
    return error.message + (f"\nCaused by: {op.name}" if op is not None else "")


class RaisingAssertions(RangeAssertions):
    """Assertions on exceptions."""

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[Any]:
        """Context manager that expects an exception.

        Args:
            exception_type: Its type, or several.
            expected_err_re_or_predicate: A regular expression for the message, or a predicate of
                the exception.

        Raises:
            AssertionError: No exception or another one was raised.
        """
        fits = _predicate(expected_err_re_or_predicate)
        try:
            yield
            names = exception_type if isinstance(exception_type, tuple) else (exception_type,)
            self.fail(f"{', '.join(kind.__name__ for kind in names)} not raised")
        except Exception as error:
            if not isinstance(error, exception_type) or not fits(error):
                raise AssertionError(f"Exception of type {type(error)}: {error}") from error

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """Context manager that expects an ``OpError``; see ``assertRaisesWithPredicateMatch``."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: Any = InvalidArgumentError
    ) -> Any:
        """Context manager that expects an error about incompatible shapes.

        Args:
            exception_type: The type of the error.
        """
        words = r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes"
        return self.assertRaisesWithPredicateMatch(exception_type, words)

    def assertRaisesRegexp(
        self, expected_exception: Any, expected_regex: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Deprecated alias of ``assertRaisesRegex``."""
        return self.assertRaisesRegex(expected_exception, expected_regex, *args, **kwargs)


# ------------------------------------------------------------------ comparison of protocol buffers


def parse_text(text: Any, like: Any) -> Any:
    """Parses a message of the type of ``like`` from its text format."""
    return _text_format().Parse(text, type(like)())


def _text_format() -> Any:
    return needed("google.protobuf.text_format", "protobuf")


def differences(a: Any, b: Any, relative_tolerance: float | None) -> str:
    """Returns the differing lines of the text formats of two messages."""
    texts = [_text_format().MessageToString(x).splitlines(keepends=True) for x in (a, b)]
    if relative_tolerance is not None and len(texts[0]) == len(texts[1]):
        pairs = zip(*texts)
        texts[1] = [x if _close(x, y, relative_tolerance) else y for x, y in pairs]
    if texts[0] == texts[1]:
        return ""
    return "".join(line for line in difflib.ndiff(*texts) if not line.startswith(" "))


_NUMBER = re.compile(r"(.*: )(-?[\d.]+(?:e[-+]?\d+)?)\s*", re.I | re.S)


def _close(a: str, b: str, tolerance: float) -> bool:
    x, y = _NUMBER.fullmatch(a), _NUMBER.fullmatch(b)
    if x is None or y is None or x[1] != y[1]:
        return a == b
    return math.isclose(float(x[2]), float(y[2]), rel_tol=tolerance)


def assert_equal_graph_def(expected: Any, actual: Any) -> None:
    """Asserts that two graph definitions have equal nodes.

    Args:
        expected: A ``GraphDef``.
        actual: A ``GraphDef``.

    Raises:
        TypeError: An argument is not a ``GraphDef``.
        AssertionError: The graphs differ.
    """
    for name, value in (("actual", actual), ("expected", expected)):
        if type(value).__name__ != "GraphDef":
            raise TypeError(f"Expected tf.GraphDef for {name}, got {type(value).__name__}")
    nodes = [{node.name: node for node in graph.node} for graph in (expected, actual)]
    missing, other = (sorted(a.keys() - b.keys()) for a, b in (nodes, nodes[::-1]))
    if missing or other:
        raise AssertionError(
            f"The graphs have other nodes: expected but missing {missing}, not expected {other}"
        )
    for name, node in nodes[0].items():
        _assert_equal_nodes(node, nodes[1][name])


def _assert_equal_nodes(expected: Any, actual: Any) -> None:
    for key in sorted({*expected.attr, *actual.attr}):
        values = [node.attr.get(key) for node in (actual, expected)]
        if values[0] != values[1]:
            ours, theirs = map(_summary, values)
            raise AssertionError(
                f"Node named '{expected.name}' has attr '{key}' with value: {ours} that does not match expected: {theirs}"
            )
    lines = differences(expected, actual, None)
    if lines:
        raise AssertionError(f"The node '{expected.name}' is not as expected:\n{lines}")


def _summary(value: Any) -> str:
    """Returns an attribute's value on one line."""
    if value is None:
        return "none"
    if value.WhichOneof("value") != "tensor":
        text: str = _text_format().MessageToString(value, as_one_line=True)
        return text
    array, dtype = values_of(value.tensor)
    numbers = " ".join(map(str, array.reshape(-1).tolist()))
    return f"Tensor<type: {dtype.cname} shape: {list(array.shape)} values: {numbers}>"


def assert_equal_graph_def_v1(
    actual: Any, expected: Any, checkpoint_v2: bool = False, hash_table_shared_name: bool = False
) -> None:
    """Asserts that two graph definitions have equal nodes; ``actual`` comes first.

    Args:
        actual: A ``GraphDef``.
        expected: A ``GraphDef``.
        checkpoint_v2: Accepted and without effect.
        hash_table_shared_name: Accepted and without effect.
    """
    assert_equal_graph_def(expected, actual)
