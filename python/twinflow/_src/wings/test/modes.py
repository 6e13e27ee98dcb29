"""Decorators of tests of libraries: in graphs and eagerly, on TensorFlow 1 or 2, on some devices only."""

from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
import unittest
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from twinflow._src.config.devices import list_physical_devices
from twinflow._src.dispatch.op import API
from twinflow._src.graph.default_graph import executing_eagerly_outside_functions
from twinflow._src.graph.graph import Graph
from twinflow._src.wings.private_api.eager_context import eager_mode, graph_mode

Test = Callable[..., Any]
_GRAPH_ONLY_NAMES = "testSkipEager", "test_skip_eager", "_test_skip_eager"


def for_all_test_methods(decorator: Callable[..., Test], *args: Any, **kwargs: Any) -> Any:
    """Returns a decorator of classes that decorates each test method.

    Args:
        decorator: A decorator of test methods.
        *args: Its further positional arguments.
        **kwargs: Its keyword arguments.
    """

    def decorate(cls: Any) -> Any:
        for name, value in _tests(cls):
            setattr(cls, name, decorator(value, *args, **kwargs))
        return cls

    return decorate


def _tests(cls: Any) -> list[tuple[str, Test]]:
    prefix = unittest.TestLoader.testMethodPrefix
    return [
        (name, value)
        for name, value in vars(cls).items()
        if callable(value) and name.startswith(prefix)
    ]


# ------------------------------------------------------------------ in graphs and eagerly


def run_in_graph_and_eager_modes(
    func: Test | None = None,
    config: Any = None,
    use_gpu: bool = True,
    assert_no_eager_garbage: bool = False,
) -> Any:
    """Decorator of tests that run twice: in a graph with a session, then eagerly.

    Args:
        func: The test method; if None, returns a decorator.
        config: The configuration of the session.
        use_gpu: Whether a GPU is used if there is one.
        assert_no_eager_garbage: Accepted and without effect.

    Raises:
        ValueError: ``func`` is a class.
    """

    def decorate(test: Test) -> Test:
        if inspect.isclass(test):
            raise ValueError(
                "`run_in_graph_and_eager_modes` only supports test methods. "
                "Did you mean to use `run_all_in_graph_and_eager_modes`?"
            )

        @functools.wraps(test)
        def run_twice(self: Any, *args: Any, **kwargs: Any) -> None:
            session = functools.partial(self.test_session, use_gpu=use_gpu, config=config)
            with self.subTest("graph_mode"), graph_mode(), session():
                test(self, *args, **kwargs)
            self.tearDown()
            self._folder = None
            with self.subTest("eager_mode"), Graph().as_default(), eager_mode():
                self.setUp()
                with API["device"](None if use_gpu else "/device:CPU:0"):
                    test(self, *args, **kwargs)

        return run_twice

    return decorate if func is None else decorate(func)


def run_all_in_graph_and_eager_modes(cls: Any) -> Any:
    """Decorator of classes all of whose tests run in a graph and eagerly.

    Args:
        cls: A class of tests; those whose names start with ``testSkipEager`` are left alone.
    """
    for name, value in _tests(cls):
        if not name.startswith(_GRAPH_ONLY_NAMES) and name != "test_session":
            setattr(cls, name, run_in_graph_and_eager_modes(value))
    return cls


def deprecated_graph_mode_only(func: Any) -> Any:
    """Decorator of a test, or of a class of tests, that run in a graph.

    Args:
        func: A test method or a class.
    """
    if inspect.isclass(func):
        return for_all_test_methods(deprecated_graph_mode_only)(func)

    @functools.wraps(func)
    def run_in_graph(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not API["executing_eagerly"]():
            return func(self, *args, **kwargs)
        with graph_mode():
            return func(self, *args, **kwargs)

    return run_in_graph


run_deprecated_v1 = deprecated_graph_mode_only


def run_all_in_deprecated_graph_mode_only(cls: Any) -> Any:
    """Decorator of classes all of whose tests run in a graph.

    Args:
        cls: A class of tests.
    """
    return deprecated_graph_mode_only(cls)


def also_run_as_tf_function(f: Test) -> Test:
    """Decorator of tests that run twice: eagerly, then in a ``tf.function``.

    Args:
        f: The test method.
    """

    @functools.wraps(f)
    def run_twice(*args: Any, **kwargs: Any) -> None:
        with eager_mode():
            f(*args, **kwargs)
            API["function"](lambda: f(*args, **kwargs), autograph=False)()

    return run_twice


@contextlib.contextmanager
def run_functions_eagerly(run_eagerly: bool) -> Iterator[None]:
    """Context in which functions run eagerly, or not.

    Args:
        run_eagerly: Whether they run eagerly.
    """
    before = API["config.functions_run_eagerly"]()
    API["config.run_functions_eagerly"](run_eagerly)
    try:
        yield
    finally:
        API["config.run_functions_eagerly"](before)


# ------------------------------------------------------------------ conditions


def _skipping(func: Any, is_needed: Callable[[], bool], reason: str) -> Any:
    """Returns a test that is skipped where a condition is false; a class whose tests are."""
    if inspect.isclass(func):
        setattr(func, "setUp", _skipping(getattr(func, "setUp"), is_needed, reason))  # noqa: B009, B010
        return func

    @functools.wraps(func)
    def run_or_skip(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_needed():
            self.skipTest(reason)
        return func(self, *args, **kwargs)

    return run_or_skip


def run_v1_only(reason: Any = None, func: Any = None) -> Any:
    """Decorator of a test, or of a class of tests, that are skipped unless TensorFlow 1 behavior is on.

    Args:
        reason: The reason.
        func: A test method or a class; if None, returns a decorator.
    """
    text = reason or "Test is only compatible with v1"
    decorate = functools.partial(
        _skipping, is_needed=lambda: not executing_eagerly_outside_functions(), reason=text
    )
    return decorate if func is None else decorate(func)


def run_v2_only(func: Any = None, reason: str | None = None) -> Any:
    """Decorator of a test that is skipped if TensorFlow 1 behavior is on.

    Args:
        func: A test method; if None, returns a decorator.
        reason: The reason.
    """
    text = reason or "Test is only compatible with v2"
    decorate = functools.partial(
        _skipping, is_needed=executing_eagerly_outside_functions, reason=text
    )
    return decorate if func is None else decorate(func)


def _has_gpu() -> bool:
    return bool(list_physical_devices("GPU"))


run_gpu_only = functools.partial(_skipping, is_needed=_has_gpu, reason="Test requires GPU")
run_cuda_only = functools.partial(_skipping, is_needed=_has_gpu, reason="Test requires CUDA GPU")
run_gpu_or_tpu = functools.partial(_skipping, is_needed=_has_gpu, reason="Test requires GPU or TPU")


def skip_if(condition: Any) -> Callable[[Test], Test]:
    """Decorator of tests that do nothing if a condition is true.

    Args:
        condition: A bool, or a function that returns one.
    """

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run_or_not(self: Any, *args: Any, **kwargs: Any) -> None:
            if not (condition() if callable(condition) else condition):
                test(self, *args, **kwargs)

        return run_or_not

    return decorate


@contextlib.contextmanager
def skip_if_error(test_obj: Any, error_type: Any, messages: Any = None) -> Iterator[None]:
    """Context in which errors skip the test.

    Args:
        test_obj: The test.
        error_type: The class of the errors, or a tuple of classes.
        messages: A text, or texts, one of which is in the message of the error; any message if None.
    """
    texts = [messages] if isinstance(messages, str) else messages
    try:
        yield
    except error_type as error:
        if texts and not any(text in str(error) for text in texts):
            raise
        test_obj.skipTest(f"Skipping error: {type(error)}: {error}")


def run_without_tensor_float_32(description: str) -> Callable[[Test], Test]:
    """Decorator of tests that run without TensorFloat-32.

    Args:
        description: The reason.
    """

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run_exactly(self: Any, *args: Any, **kwargs: Any) -> None:
            before = API["config.experimental.tensor_float_32_execution_enabled"]()
            API["config.experimental.enable_tensor_float_32_execution"](False)
            try:
                test(self, *args, **kwargs)
            finally:
                API["config.experimental.enable_tensor_float_32_execution"](before)

        return run_exactly

    return decorate


def run_all_without_tensor_float_32(description: str) -> Any:
    """Decorator of classes all of whose tests run without TensorFloat-32.

    Args:
        description: The reason.
    """
    return for_all_test_methods(run_without_tensor_float_32(description))


def null_decorator(description: str = "") -> Callable[[Any], Any]:
    """Returns a decorator of tests that need nothing, such as those that do not work with XLA.

    Args:
        description: The reason.
    """
    return lambda test: test


def identity(test: Any) -> Any:
    """Returns a test for a feature that is always on.

    Args:
        test: A test method or a class.
    """
    return test


# ------------------------------------------------------------------ devices, shapes, parameters


@contextlib.contextmanager
def device(use_gpu: bool) -> Iterator[None]:
    """Context in which operations run on the first GPU if there is one, or on the CPU.

    Args:
        use_gpu: Whether a GPU is used.
    """
    with API["device"]("/device:GPU:0" if use_gpu and _has_gpu() else "/device:CPU:0"):
        yield


use_gpu = functools.partial(device, True)
force_gpu = functools.partial(device, True)
force_cpu = functools.partial(device, False)


def _with_axes(shape_or_tensor: Any, order: Callable[[int], list[int]]) -> Any:
    if isinstance(shape_or_tensor, (list, tuple)):
        return [shape_or_tensor[axis] for axis in order(len(shape_or_tensor))]
    return API["transpose"](shape_or_tensor, order(shape_or_tensor.shape.rank))


def NHWCToNCHW(input_tensor: Any) -> Any:
    """Returns a tensor or a shape with the last axis after the first one.

    Args:
        input_tensor: A tensor or a list of sizes.
    """
    return _with_axes(input_tensor, lambda rank: [0, rank - 1, *range(1, rank - 1)])


def NCHWToNHWC(input_tensor: Any) -> Any:
    """Returns a tensor or a shape with the second axis at the end.

    Args:
        input_tensor: A tensor or a list of sizes.
    """
    return _with_axes(input_tensor, lambda rank: [0, *range(2, rank), 1])


def generate_combinations_with_testcase_name(**kwargs: Any) -> list[Any]:
    """Returns the product of parameters, each with a name of the test case.

    Args:
        **kwargs: The values of each parameter.
    """
    names = sorted(kwargs)
    combinations = []
    for values in itertools.product(*(kwargs[name] for name in names)):
        pairs = list(zip(names, values))
        texts = (
            "".join(filter(str.isalnum, str(part)))
            for name, value in pairs
            for part in (name, value)
        )
        name = "_".join(["", "test", *texts])
        combinations.append(OrderedDict([*pairs, ("testcase_name", name)]))
    return combinations


def assert_ops_in_graph(expected_ops: dict[str, str], graph: Any) -> dict[str, Any]:
    """Returns the nodes of operations that a graph must have, by name.

    Args:
        expected_ops: The types of the operations by name.
        graph: A graph.

    Raises:
        ValueError: An operation is missing, or has another type.
    """
    nodes = {node.name: node for node in graph.as_graph_def().node if node.name in expected_ops}
    for name, node in nodes.items():
        if node.op != expected_ops[name]:
            raise ValueError(
                f"Expected op for node {name} is different. {expected_ops[name]} vs {node.op}"
            )
    if set(nodes) != set(expected_ops):
        raise ValueError(
            f"Not all expected ops are present. Expected {expected_ops.keys()}, found {nodes.keys()}"
        )
    return nodes


def get_node_def_from_graph(node_name: str, graph_def: Any) -> Any:
    """Returns the node of a name in the message of a graph, or None.

    Args:
        node_name: The name.
        graph_def: The message.
    """
    return next((node for node in graph_def.node if node.name == node_name), None)
