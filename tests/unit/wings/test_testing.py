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
