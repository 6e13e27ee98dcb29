"""``tf.test``: a program's test cases run, and what they say where they fail; recorded answers are in ``golden``."""

import io
import subprocess
import sys
import textwrap
import unittest

import numpy as np
import pytest

import twinflow as tf


def sums():
    """A class of tests; within a function so that pytest does not collect its ``test_session``."""

    class Sums(tf.test.TestCase):
        def test_sum(self):
            self.assertAllEqual(tf.constant([1, 2]) + 1, [2, 3])
            self.assertAllClose({"a": tf.ones([2])}, {"a": np.ones(2)})

        def test_error(self):
            with self.assertRaisesOpError("Incompatible shapes"):
                tf.constant([1, 2]) + tf.constant([1, 2, 3])

        def test_draws(self):
            first = tf.random.uniform([3])
            self.setUp()
            self.assertAllEqual(first, tf.random.uniform([3]))

        def test_graph(self):
            with tf.Graph().as_default(), self.cached_session():
                v = tf.compat.v1.get_variable("v", initializer=2.0)
                self.evaluate(tf.compat.v1.global_variables_initializer())
                self.assertAllClose(v * 3, 6.0)

        def test_files(self):
            path = self.create_tempfile(content="text")
            self.assertEqual(path.read_text(), "text")
            self.assertStartsWith(path.full_path, self.get_temp_dir())

        def test_gradients(self):
            for theory, numeric in zip(
                *tf.test.compute_gradient(tf.linalg.matmul, [tf.ones([2, 3]), tf.ones([3, 1])])
            ):
                self.assertAllClose(theory, numeric, atol=1e-3)

    return Sums


def run(case):
    return unittest.TextTestRunner(stream=io.StringIO()).run(
        unittest.defaultTestLoader.loadTestsFromTestCase(case)
    )


def test_cases_run():
    result = run(sums())
    assert (result.testsRun, result.failures, result.errors, len(result.skipped)) == (7, [], [], 1)


def test_a_program_of_tests(tmp_path):
    program = tmp_path / "program.py"
    text = """
        import twinflow as tf

        class Wrong(tf.test.TestCase):
            def test_wrong(self):
                self.assertAllEqual([1], [2])

        class Measured(tf.test.Benchmark):
            def benchmark_sum(self):
                self.report_benchmark(iters=1, wall_time=0.5)

        if __name__ == "__main__":
            tf.test.main()
        """
    program.write_text(textwrap.dedent(text), "utf-8")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert (
        done.returncode == 1
        and "Arrays are not equal" in done.stderr
        and "Ran 2 tests" in done.stderr
    )
    done = subprocess.run(
        [sys.executable, program, "--benchmarks=sum"], capture_output=True, text=True
    )
    assert done.returncode == 0 and 'name: "Measured.benchmark_sum"' in done.stdout


def test_streams_are_captured(capfd):
    case = tf.test.TestCase()
    with case.captureWritesToStream(sys.__stderr__) as written:
        print("kept", file=sys.__stderr__)
        assert written.contents() == "kept\n"
    assert written.contents() == "kept\n"  # after the capture as well


def test_attributes_are_put_back():
    stubs = tf.compat.v1.test.StubOutForTesting()
    stubs.Set(tf.test, "gpu_device_name", lambda: "none")
    assert tf.test.gpu_device_name() == "none"
    stubs.CleanUp()
    assert tf.test.gpu_device_name() != "none"


def test_messages_compare():
    case = tf.test.TestCase()
    one, other = tf.make_tensor_proto(1.0), tf.make_tensor_proto(1.00001)
    case.assertProtoEquals(one, other, relative_tolerance=1e-3)
    with pytest.raises(AssertionError, match="float_val"):
        case.assertProtoEquals(one, other)


def test_assertions_use_methods_of_subclasses():
    class Traced(tf.test.TestCase):
        """A case that counts conversions, as the base class of TensorFlow Probability's tests does."""

        count = 0

        def _GetNdArray(self, a):
            self.count += 1
            return super()._GetNdArray(a)

    case = Traced()
    for check in (case.assertAllClose, case.assertAllEqual, case.assertAllGreaterEqual):
        case.count = 0
        check(tf.constant([1.0]), [1.0])
        assert case.count >= 1
    with pytest.raises(AssertionError):
        case.assertAllClose(tf.constant([1.0]), [2.0])


def test_values_of_libraries_are_evaluated():
    class Value:
        def numpy(self):
            return np.float32(2)

    class TensorLike(Value):
        is_tensor_like = True

    case = tf.test.TestCase()
    assert case.evaluate([Value(), None]) == [2, None]
    assert tf.is_tensor(TensorLike()) and not tf.is_tensor(Value())
    case.assertAllClose(TensorLike(), 2.0)
    with pytest.raises(ValueError, match=r"Unsupported type 'str'\."):
        case.evaluate("text")


def test_errors_name_the_operation():
    case = tf.test.TestCase()
    with tf.Graph().as_default(), case.session() as session:
        x = tf.compat.v1.placeholder(tf.float32)
        y = tf.debugging.check_numerics(x, "bad number", name="check")
        assert y.op._original_op is None
        for pattern in ("bad number", "Caused by: check"):
            with case.assertRaisesOpError(pattern):
                session.run(y, {x: np.nan})
        with pytest.raises(AssertionError), case.assertRaisesOpError("Caused by: other"):
            session.run(y, {x: np.nan})
