"""The machinery of operations: one definition, public pieces that programs can build on."""

import inspect
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import twinflow as tf
from tests.harness import in_new_python, same_value
from twinflow._src.core.context import PLAIN, entered, quietly, runtime, thread
from twinflow._src.dispatch.op import OPS
from twinflow._src.dispatch.registry import T


class OpLogger:
    """A mode in few lines, on public pieces alone: it knows what ran, with which inputs and outputs."""

    def __init__(self):
        self.lines = []
        self._block = None

    def record(self, op, inputs, attrs, outputs):
        shapes = ", ".join(str(getattr(x, "shape", x)) for x in inputs)
        given = "".join(f", {k}={v}" for k, v in attrs.items() if v)
        self.lines.append(f"{op.type}({shapes}{given}) -> {getattr(outputs, 'shape', None)}")

    def __enter__(self):
        scope = thread.scope
        self._block = entered(scope.but(observers=(*scope.observers, self)))
        self._block.__enter__()
        return self

    def __exit__(self, *exc):
        self._block.__exit__(*exc)


def test_a_mode_is_written_on_public_pieces():
    assert len(inspect.getsource(OpLogger).strip().splitlines()) <= 24
    v = tf.Variable([[1.0, 2.0]])
    with OpLogger() as log:
        y = tf.matmul(v, tf.constant([[1.0, 2.0]]), transpose_b=True)
        v.assign_add(y * [[1.0, 1.0]])
    assert log.lines == [
        "ReadVariableOp((1, 2)) -> (1, 2)",
        "MatMul((1, 2), (1, 2), transpose_b=True) -> (1, 1)",
        "Mul((1, 1), (1, 2)) -> (1, 2)",
        "AssignAddVariableOp((1, 2), (1, 2)) -> None",
    ]
    assert thread.scope is PLAIN


def test_observers_nest():
    with OpLogger() as outer:
        tf.constant([1.0]) + 1.0
        with OpLogger() as inner:
            tf.constant([1.0]) * 2.0
    assert len(outer.lines) == 2 and len(inner.lines) == 1


def test_scopes_are_immutable_and_per_thread():
    with entered(PLAIN.but(name="a/")) as scope:
        assert thread.scope is scope and PLAIN.name == ""
        program = []
        import threading

        other = threading.Thread(target=lambda: program.append(thread.scope))
        other.start()
        other.join()
        assert program == [PLAIN]
    assert thread.scope is PLAIN


class TestSignatures:
    def test_by_position_and_by_name(self):
        x, y = tf.constant([1.0]), tf.constant([2.0])
        assert same_value(tf.add(x, y), tf.add(y=y, x=x))
        assert same_value(tf.add(x, y), tf.add(x, y, "name")) and same_value(
            tf.add(x, y), tf.add(x, y, name="n")
        )
        m = tf.ones([2, 3])
        assert same_value(tf.reduce_sum(m, 1, True), tf.reduce_sum(m, axis=1, keepdims=True))

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: tf.subtract(1), "^Missing required positional argument$"),
            (
                lambda: tf.subtract(1, 2, 3, 4),
                "^Too many arguments were given. Expected 3 but got 4.$",
            ),
            (lambda: tf.subtract(1, 2, z=3), "^Got an unexpected keyword argument 'z'$"),
            (lambda: tf.subtract(1, 2, x=3), "^Got multiple values for argument 'x'$"),
            (
                lambda: tf.scatter_nd([1]),
                r"^scatter_nd\(\) missing 2 required positional arguments: 'updates' and 's",
            ),
            (
                lambda: tf.nn.relu(1, 2, 3),
                r"^relu\(\) takes from 1 to 2 positional arguments but 3 were given$",
            ),
            (lambda: tf.negative(y=1), r"^neg\(\) got an unexpected keyword argument 'y'$"),
            (
                lambda: tf.reverse([1], [0], axis=0),
                r"^reverse_v2\(\) got multiple values for argument 'axis'$",
            ),
            (lambda: tf.nn.softmax(), "^Missing required positional argument$"),
            (lambda: tf.nn.softmax([1.0], logit=2), "^Got an unexpected keyword argument 'logit'$"),
            (
                lambda: tf.nest.flatten(),
                r"^flatten\(\) missing 1 required positional argument: 'structure'$",
            ),
        ],
    )
    def test_wrong_calls(self, call, message):
        with pytest.raises(TypeError, match=message):
            call()

    def test_they_can_be_inspected(self):
        assert str(inspect.signature(tf.subtract)) == "(x, y, name=None)"
        assert tf.subtract.__name__ == "subtract" and tf.subtract.op is OPS["Sub"]
        assert tf.subtract.__module__.startswith("twinflow._src.ops")
        assert inspect.getdoc(tf.subtract).startswith("Returns")


class TestFloatingPoint:
    def test_no_warning_and_no_change_of_settings(self):
        with np.errstate(all="raise"):
            assert np.isinf((tf.constant([1.0]) / 0.0).numpy()).all()
            assert np.isnan(tf.math.log(tf.constant([-1.0])).numpy()).all()
            with tf.device("CPU:0"):
                assert np.isinf(tf.exp(tf.constant([1e4])).numpy()).all()
            assert np.geterr()["divide"] == "raise"

    def test_quietly(self):
        assert np.isinf(quietly(np.divide, np.float32(1), np.float32(0)))


class TestTypes:
    def test_a_python_value_takes_the_type_of_the_tensor(self):
        for dtype in ("float16", "float64", "int8", "int64", "complex64"):
            x = tf.cast([1, 2], dtype)
            assert (x + 1).dtype == (1 + x).dtype == (x * [3, 4]).dtype == dtype

    def test_numpy_values_do_too(self):
        assert (tf.constant([1.0]) + np.float64(2)).dtype is tf.float32
        assert (np.array([2.0]) + tf.constant([1.0])).dtype is tf.float32

    def test_types_do_not_mix(self):
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match="was expected to be a float tensor but is a int32 tensor",
        ):
            tf.subtract(tf.constant([1.0]), tf.constant([1]))
        with pytest.raises(TypeError, match="must have the same dtype"):
            tf.constant([1.0]) / tf.constant([1])

    def test_types_that_an_op_does_not_take(self):
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match="Value for attr 'T' of bool is not in the list of allowed values",
        ):
            tf.constant([True]) - tf.constant([True])
        with pytest.raises(tf.errors.NotFoundError, match="Could not find device for node"):
            tf.constant([1j]) // tf.constant([1j])


def test_shapes_that_do_not_fit():
    for call in (lambda: tf.ones([2]) + tf.ones([3]), lambda: tf.ones([2, 2]) @ tf.ones([3, 2])):
        for around in (lambda: tf.device("CPU:0"), lambda: entered(PLAIN)):
            with pytest.raises(tf.errors.InvalidArgumentError), around():
                call()


@pytest.mark.parametrize("shape", [[2**30, 2**30], [2**31, 2**31], [2**40, 2**20]])
def test_too_much_memory_is_an_error_of_resources(shape):
    with pytest.raises(tf.errors.ResourceExhaustedError, match="OOM when allocating tensor"):
        tf.zeros(shape)


def test_logging_leaves_the_fast_path_and_comes_back():
    assert runtime.home is not None
    tf.debugging.set_log_device_placement(True)
    assert runtime.home is None
    tf.debugging.set_log_device_placement(False)
    assert runtime.home is runtime.default


def test_scalars_are_logged_once():
    printed = in_new_python("""
        x = tf.constant([1., 2.])
        tf.debugging.set_log_device_placement(True)
        for number in (3, 3, 3., True):
            tf.constant(number)
        y = x * 3
        y = x * 3
        y = x + [1., 1.]
        tf.debugging.set_log_device_placement(False)
    """)
    ops = [line.split()[2] for line in printed.splitlines()]
    assert ops == ["_EagerConst"] * 3 + ["_EagerConst", "Mul", "Mul", "_EagerConst", "AddV2"]


def test_it_works_without_the_rest_of_the_repository(tmp_path):
    program = textwrap.dedent("""
        import twinflow as tf
        v = tf.Variable([1., 2.])
        v.assign_add(tf.square(v))
        print(v.numpy().tolist())
    """)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.stdout.strip() == "[2.0, 6.0]", done.stderr


@pytest.mark.parametrize("type", sorted(OPS))
def test_the_parameters_of_a_kernel_are_those_that_python_says(type):
    kernel = OPS[type].kernel
    _, *said = inspect.signature(kernel, eval_str=True).parameters.values()
    params = OPS[type].params
    assert [p.name for p in params] == [p.name for p in said]
    assert all(p.default is s.default for p, s in zip(params, said, strict=True))
    for param, parameter in zip(params, said, strict=True):
        mark = getattr(parameter.annotation, "__metadata__", (None,))[0]
        attribute = parameter.kind is parameter.KEYWORD_ONLY
        assert (param.kind, param.parse) == ((None, mark) if attribute else (mark or T, None))


def test_arguments_by_position_and_name_are_the_same():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    expected = tf.reduce_sum(x, 1, True).numpy().tolist()
    for _ in range(2):  # the second time it is known where they are
        for args, kwargs in (
            ((x, 1), {"keepdims": True}),
            ((x,), {"keepdims": True, "axis": 1}),
            ((), {"axis": 1, "keepdims": True, "input_tensor": x}),
            ((x, 1, True, "name"), {}),
            ((x, 1), {"name": "name", "keepdims": True}),
        ):
            assert tf.reduce_sum(*args, **kwargs).numpy().tolist() == expected
        for args, kwargs in (
            ((), {}),
            ((x, 1), {"axis": 1}),
            ((x,), {"axes": 1}),
            ((x, 1, True, "name", 1), {}),
        ):
            with pytest.raises(TypeError):
                tf.reduce_sum(*args, **kwargs)
