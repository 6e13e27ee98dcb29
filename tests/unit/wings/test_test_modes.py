"""Decorators of ``tensorflow.python.framework.test_util``: which tests run, how often and in which mode."""

import unittest

import pytest

import twinflow as tf
from twinflow._src.api.private_names import find


def look_up(name):
    return find(f"tensorflow.python.framework.test_util.{name}")


def mode():
    return "eager" if tf.executing_eagerly() else "graph"


def run_cases(cls):
    """Returns the failures and the reasons of skips of a class of tests."""
    result = unittest.TestResult()
    names = [name for name in dir(cls) if name.startswith("test_") and name != "test_session"]
    unittest.TestSuite(map(cls, names)).run(result)
    failures = [(str(case).split()[0], text) for case, text in result.failures + result.errors]
    return failures, [reason for _, reason in result.skipped]


def test_tests_run_in_a_graph_and_eagerly():
    events = []
    both = look_up("run_in_graph_and_eager_modes")

    class Cases(tf.test.TestCase):
        def setUp(self):
            super().setUp()
            events.append("setUp")
            self.count = 0

        def tearDown(self):
            super().tearDown()
            events.append("tearDown")

        @both
        def test_a(self):
            self.count += 1
            doubled = self.evaluate(tf.constant([1, 2]) * 2)
            events.append((mode(), self.count, doubled.tolist()))

        @both(use_gpu=False, assert_no_eager_garbage=True)
        def test_b_fails_in_the_graph(self):
            events.append(mode())
            assert tf.executing_eagerly(), "in the graph"

        @both
        def test_c_is_skipped_in_the_graph(self):
            events.append(mode())
            if not tf.executing_eagerly():
                self.skipTest("no graph")

    failures, skips = run_cases(Cases)
    first = [("graph", 1, [2, 4]), "tearDown", "setUp", ("eager", 1, [2, 4])]
    others = ["setUp", "graph", "tearDown", "setUp", "eager", "tearDown"] * 2
    assert events == ["setUp", *first, "tearDown", *others]
    assert [name for name, _ in failures] == ["test_b_fails_in_the_graph"]
    assert "in the graph" in failures[0][1] and skips == ["no graph"]
    with pytest.raises(ValueError, match="Did you mean to use `run_all_in_graph_and_eager_modes`"):
        both(Cases)


def test_all_tests_of_a_class_run_in_a_graph_and_eagerly():
    events = []

    @look_up("run_all_in_graph_and_eager_modes")
    class Cases(tf.test.TestCase):
        def test_a(self):
            events.append(("a", mode()))

        def test_skip_eager(self):
            events.append(("skip", mode()))

    assert run_cases(Cases) == ([], [])
    assert events == [("a", "graph"), ("a", "eager"), ("skip", "eager")]


def test_tests_run_in_a_graph_only():
    events = []

    @look_up("run_all_in_deprecated_graph_mode_only")
    class Cases(tf.test.TestCase):
        def setUp(self):
            super().setUp()
            events.append(mode())

        def test_a(self):
            variable = tf.compat.v1.get_variable("v", initializer=1.0)
            self.evaluate(tf.compat.v1.global_variables_initializer())
            events.append((mode(), float(self.evaluate(variable))))

    class Alone(tf.test.TestCase):
        @look_up("run_deprecated_v1")
        def test_a(self):
            events.append(mode())

    assert run_cases(Cases) == run_cases(Alone) == ([], [])
    assert events == ["eager", ("graph", 1.0), "graph"] and tf.executing_eagerly()


def test_tests_run_in_a_function_too():
    events = []

    class Cases(tf.test.TestCase):
        @look_up("also_run_as_tf_function")
        def test_a(self):
            events.append(mode())

        def test_b(self):
            with look_up("run_functions_eagerly")(True):
                call = tf.function(lambda: events.append(mode()))
                call()
            call()

    assert run_cases(Cases) == ([], [])
    assert events == ["eager", "graph", "eager", "graph"]
    assert not tf.config.functions_run_eagerly()


def test_conditions_of_tests():
    events = []

    class Cases(tf.test.TestCase):
        @look_up("run_v1_only")("old")
        def test_a(self):
            events.append("a")

        @look_up("run_v1_only")()
        def test_b(self):
            events.append("b")

        @look_up("run_v2_only")
        def test_c(self):
            events.append("c")

        @look_up("run_v2_only")(reason="new")
        def test_d(self):
            events.append("d")

        @look_up("skip_if")(True)
        def test_e(self):
            events.append("e")

        @look_up("skip_if")(lambda: False)
        def test_f(self):
            events.append("f")

        @look_up("disable_xla")("Not compiled.")
        def test_g(self):
            events.append("g")

        @look_up("enable_control_flow_v2")
        def test_h(self):
            events.append("h")

    @look_up("run_v1_only")("class")
    class Old(Cases):
        pass

    assert run_cases(Cases) == ([], ["old", "Test is only compatible with v1"])
    assert events == ["c", "d", "f", "g", "h"]
    assert run_cases(Old) == ([], ["class"] * 8) and len(events) == 5


def test_tests_of_gpus_are_skipped_without_one(monkeypatch):
    class Cases(tf.test.TestCase):
        @look_up("run_gpu_only")
        def test_a(self):
            raise AssertionError

        @look_up("run_cuda_only")
        def test_b(self):
            raise AssertionError

        @look_up("run_gpu_or_tpu")
        def test_c(self):
            raise AssertionError

    monkeypatch.setattr("twinflow._src.wings.test.modes.list_physical_devices", lambda kind: [])
    reasons = ["Test requires GPU", "Test requires CUDA GPU", "Test requires GPU or TPU"]
    assert run_cases(Cases) == ([], reasons)
    for scope in (look_up("use_gpu"), look_up("force_cpu"), lambda: look_up("device")(False)):
        with scope():
            assert tf.constant(1.0).device.endswith("CPU:0")


def test_errors_that_skip():
    skip_if_error = look_up("skip_if_error")

    class Cases(tf.test.TestCase):
        def test_a(self):
            with skip_if_error(self, ValueError, "bad"):
                raise ValueError("is bad")

        def test_b(self):
            with skip_if_error(self, ValueError, ["nice"]):
                raise ValueError("is bad")

        def test_c(self):
            with skip_if_error(self, (ValueError, TypeError)):
                raise TypeError("x")

    failures, skips = run_cases(Cases)
    assert [name for name, _ in failures] == ["test_b"]
    assert skips == [
        "Skipping error: <class 'ValueError'>: is bad",
        "Skipping error: <class 'TypeError'>: x",
    ]


def test_tests_without_tensor_float_32():
    events = []
    is_on = tf.config.experimental.tensor_float_32_execution_enabled

    @look_up("run_all_without_tensor_float_32")("Exact.")
    class Cases(tf.test.TestCase):
        def test_a(self):
            events.append(is_on())

    before = is_on()
    assert run_cases(Cases) == ([], []) and events == [False] and is_on() is before


def test_decorators_of_all_tests():
    @look_up("for_all_test_methods")(look_up("run_v2_only"), reason="new")
    class Cases(tf.test.TestCase):
        def test_a(self):
            self.helper()

        def helper(self):
            self.skipTest("reached")

    assert run_cases(Cases) == ([], ["reached"])


def test_axes_and_parameters():
    to_last, to_second = look_up("NCHWToNHWC"), look_up("NHWCToNCHW")
    assert to_second([1, 2, 3, 4]) == [1, 4, 2, 3] and to_last([1, 4, 2, 3]) == [1, 2, 3, 4]
    assert to_second([1, 2, 3, 4, 5]) == [1, 5, 2, 3, 4]
    assert to_last(tf.ones([1, 2, 3, 4, 5])).shape == (1, 3, 4, 5, 2)
    combined = look_up("generate_combinations_with_testcase_name")(a=[1, 2], b=["x"])
    assert [dict(each) for each in combined] == [
        {"a": 1, "b": "x", "testcase_name": "_test_a_1_b_x"},
        {"a": 2, "b": "x", "testcase_name": "_test_a_2_b_x"},
    ]


def test_nodes_of_graphs():
    graph = tf.Graph()
    with graph.as_default():
        tf.identity(tf.compat.v1.placeholder(tf.float32, name="p"), name="i")
    assert list(look_up("assert_ops_in_graph")({"p": "Placeholder"}, graph)) == ["p"]
    with pytest.raises(ValueError, match="Expected op for node p is different"):
        look_up("assert_ops_in_graph")({"p": "Const"}, graph)
    with pytest.raises(ValueError, match="Not all expected ops are present"):
        look_up("assert_ops_in_graph")({"z": "Const"}, graph)
    find_node = look_up("get_node_def_from_graph")
    assert find_node("i", graph.as_graph_def()).op == "Identity"
    assert find_node("z", graph.as_graph_def()) is None
