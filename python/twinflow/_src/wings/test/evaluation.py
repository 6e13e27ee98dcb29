"""How test cases compute: values of tensors, sessions, threads.

Assertions on exceptions.

Messages of protocol buffers as tests compare them.
"""

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
from twinflow._src.wings.test.arrays import RangeAssertions

# How test cases compute: values of tensors, sessions, threads.


class ErrorLoggingSession(Session):
    """The session of a test case."""


class EagerSessionWarner:
    """Stands where a test asks for a session although operations run at once."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            "Trying to access properties or call methods on the result of self.session(), self.cached_session(), etc "
            "while eager execution is enabled. If you're porting this test case to TF 2.0, either adapt the test to work "
            "with eager execution or insert a call to tf.disable_eager_execution() in the main() function of this test "
            "file."
        )


class FakeEagerSession:
    """What runs tensors of a test case where operations run at once.

    Args:
        test_case: The test case.
    """

    def __init__(self, test_case: Any) -> None:
        self._test_case = test_case

    def run(self, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        """The values of tensors.

        Args:
            fetches: Tensors.
            *args: Nothing: there is nothing to feed.
            **kwargs: Nothing.

        Raises:
            RuntimeError: Something is fed.
        """
        if args or kwargs.get("feed_dict"):
            raise RuntimeError(
                "feed_dict is not supported when eager execution is enabled (in this case, sess.run(t) is shorthand for "
                "t.numpy()"
            )
        return self._test_case.evaluate(fetches)


def value_of(tensor: Any) -> Any:
    """The value of a tensor outside a graph.

    Args:
        tensor: A tensor, a variable, a composite, or None.

    Raises:
        ValueError: It is something else.
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
    if not is_tensor(tensor):
        raise ValueError(f"Unsupported type '{type(tensor).__name__}'.")
    return tensor.numpy()


class CheckedThread:
    """A thread whose exceptions fail the test that joins it.

    Args:
        testcase: The test case.
        target: The function that runs.
        args: Its arguments.
        kwargs: More of them.
    """

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
        """Begins."""
        self._thread.start()

    def join(self) -> None:
        """Waits for the end; fails where the function failed."""
        self._thread.join()
        if self._error is not None:
            self._testcase.fail(f"Error in checkedThread: {self._error}")

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._thread.is_alive()


class Running:
    """What a test case computes with."""

    _cached: Any = None

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors, as NumPy has them.

        Args:
            tensors: A structure of tensors, or a function that gives one.

        Returns:
            The same structure with values; outside of graphs these are there already, within one a session runs.
        """
        if thread.scope.graph is None:
            return nest.map_structure(value_of, tensors)
        session = get_default_session()
        if session is not None:
            return session.run(tensors)
        with self.test_session() as own:
            return own.run(tensors)

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> Any:
        """The values of two tensors of a graph; two values as they are.

        Args:
            a: A value.
            b: Another one.
        """
        symbolic = all(is_tensor(x) and not hasattr(x, "_array") for x in (a, b))
        return (self.evaluate(a), self.evaluate(b)) if symbolic else (a, b)

    def checkedThread(self, target: Any, args: Any = None, kwargs: Any = None) -> CheckedThread:
        """A thread whose failures are failures of the test; see ``CheckedThread``."""
        return CheckedThread(self, target, args, kwargs)

    # ---------------------------------------------------------------- sessions
    @contextlib.contextmanager
    def session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator[Any]:
        """A block with a session of its own.

        Args:
            graph: The graph; the default one if None.
            config: A ``ConfigProto``, or None.
            use_gpu: Accepted; operations run where the graph says.
            force_gpu: Accepted as well.

        Yields:
            The session; outside of graphs something that refuses to be used.
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
        """A block with the one session of the test; see ``session``.

        Raises:
            ValueError: The session of the test is for another graph or has other settings.
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
        session, known, settings = self._cached
        for what, own, given in (("graph", known, graph), ("config", settings, config)):
            if own is not given:
                raise ValueError(
                    f"The {what} used to get the cached session is different than the one that was used to create the "
                    "session. Maybe create a new session with self.session()"
                )
        return session

    def _forget_session(self) -> None:
        if self._cached is not None:
            self._cached[0].close()
            self._cached = None

    def test_session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Any:
        """The older form: a block with the test's own session where no graph is named, else with a new one."""
        if self.id().endswith(".test_session"):  # type: ignore[attr-defined]
            self.skipTest("Not a test.")  # type: ignore[attr-defined]
        which = self.cached_session if graph is None else self.session
        return which(graph, config, use_gpu, force_gpu)


# Assertions on exceptions.


def _predicate(expected: Any) -> Callable[[Any], bool]:
    """What tells whether an exception is the one: a function, or a pattern of its message."""
    if callable(expected):
        return expected
    return lambda error: (
        re.search(expected, getattr(error, "message", None) or str(error)) is not None
    )


class RaisingAssertions(RangeAssertions):
    """Assertions on what a block raises."""

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[Any]:
        """A block that must raise an exception.

        Args:
            exception_type: Its type, or several.
            expected_err_re_or_predicate: A pattern that its message must have, or a function that takes it and tells
                whether it is the one.

        Raises:
            AssertionError: Another exception was raised, or none.
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
        """A block that must raise an error of an operation; see ``assertRaisesWithPredicateMatch``."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: Any = InvalidArgumentError
    ) -> Any:
        """A block that must raise an error about shapes that do not go together.

        Args:
            exception_type: The type of the error.
        """
        words = r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes"
        return self.assertRaisesWithPredicateMatch(exception_type, words)

    def assertRaisesRegexp(
        self, expected_exception: Any, expected_regex: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """The older name of ``assertRaisesRegex``."""
        return self.assertRaisesRegex(expected_exception, expected_regex, *args, **kwargs)


# Messages of protocol buffers as tests compare them.


def parsed(text: Any, like: Any) -> Any:
    """A message of its text.

    Args:
        text: The text.
        like: A message of the same kind.
    """
    return _text_format().Parse(text, type(like)())


def _text_format() -> Any:
    return needed("google.protobuf.text_format", "protobuf")


def differences(a: Any, b: Any, relative_tolerance: float | None) -> str:
    """The lines in which the texts of two messages differ.

    Args:
        a: A message.
        b: Another one.
        relative_tolerance: How much numbers may differ by, or None.
    """
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
    """Fails where two graphs, as messages, differ in a node.

    Args:
        expected: A ``GraphDef``.
        actual: Another one.

    Raises:
        TypeError: One is something else.
        AssertionError: They differ.
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
    found = differences(expected, actual, None)
    if found:
        raise AssertionError(f"The node '{expected.name}' is not as expected:\n{found}")


def _summary(value: Any) -> str:
    """An attribute's value in a line."""
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
    """As ``assert_equal_graph_def``, with the graphs in the other order.

    Args:
        actual: A ``GraphDef``.
        expected: Another one.
        checkpoint_v2: Accepted and without effect.
        hash_table_shared_name: Accepted and without effect.
    """
    assert_equal_graph_def(expected, actual)
