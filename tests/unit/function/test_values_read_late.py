"""Calls in graphs read variables, and what converts to tensors, when the graph runs; static shapes hold."""

import numpy as np
import pytest

import twinflow as tf
from tests.test_graph_functions import CALLS, KNOWN, facts, program, spec_of
from twinflow._src.core import nest

MORE = """
tf.ragged.constant([[1., 2.], [3.]])[:, tf.constant(0):]
tf.ragged.range(tf.constant([0., 1.]), tf.constant([3., 2.]))
tf.ragged.cross([tf.ragged.constant([['a', 'b'], ['c']]), tf.constant([['x'], ['y']])])
tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1., 2., 3.], [2, 2]))
tf.RaggedTensor.from_tensor(tf.constant([[1., 2.], [3., 0.]]), padding=tf.constant(0.))
tf.RaggedTensor.from_uniform_row_length(tf.constant([1., 2., 3., 4.]), tf.constant(2))
tf.gather_nd(tf.ragged.constant([[1., 2.], [3.]]), tf.constant([[1, 0], [0, 0]]))
tf.image.random_crop(tf.constant([[1, 2, 3], [4, 5, 6]]), tf.constant([2, 3]), seed=1)
tf.nn.ctc_unique_labels(tf.constant([[1, 1, 2], [3, 3, 3]]))
tf.signal.frame(tf.constant([1., 2., 3., 4., 5.]), tf.constant(2), tf.constant(1))
tf.signal.linear_to_mel_weight_matrix(4, 5, tf.constant(8000))
tf.signal.stft(tf.constant([1., 2., 3., 4., 5., 6., 7., 8.]), tf.constant(4), tf.constant(2))
""".strip().splitlines()
# Where TensorFlow asks for tensors, for what has a shape, or for something that has operators.
PLAIN = "tf.case tf.eye tf.switch_case tf.einsum tf.linalg.eigvals tf.nn.batch_norm tf.nn.moments tf.nn.weighted_cross "
PLAIN += "tf.zeros([ tf.scalar_mul tf.while_loop tf.custom_gradient tf.recompute_grad tf.nn.conv2d tf.foldl tf.foldr "
PLAIN += "tf.constant( tf.convert_to_tensor tf.debugging tf.IndexedSlices tf.linalg.global tf.image tf.random tf.nn.dropout "
PLAIN += "tf.nn.avg_pool tf.nn.max_pool tf.nn.pool"
READ = [
    (code, shapes)
    for code, shapes in [*CALLS, *((code, "") for code in MORE)]
    if not code.startswith(tuple(PLAIN.split()))
]


class Holder:
    """An object that converts to a tensor."""

    def __init__(self, value):
        self.value = value

    def __tf_tensor__(self, dtype=None, name=None):
        return tf.convert_to_tensor(self.value, dtype)


def changed(array):
    """Another value of the same shape, that most functions take as well."""
    if array.dtype == object:
        return array[::-1].copy() if array.ndim else np.array(array[()] + b" q", object)
    if array.dtype == bool:
        return ~array
    return array[..., ::-1].copy() if array.ndim else array + np.ones((), array.dtype)


def result(function, arguments):
    tf.random.set_seed(0)
    return facts(function(*arguments))


@pytest.mark.parametrize(("code", "_"), READ)
def test_values_are_read_when_the_graph_runs(code, _):
    function, arguments = program(code)
    for i, argument in enumerate(arguments):
        if type(argument) is not type(tf.constant(0)):
            continue
        array = np.asarray(argument.numpy(), object if argument.dtype == tf.string else None)
        other = tf.constant(changed(array), argument.dtype)
        try:
            expected = result(function, [*arguments[:i], other, *arguments[i + 1 :]])
        except (tf.errors.OpError, ValueError, TypeError, IndexError):
            continue
        for wrap in (Holder, lambda variable: variable):
            variable = tf.Variable(argument)
            given = [*arguments[:i], wrap(variable), *arguments[i + 1 :]]
            if "[tf.constant" in code[code.find(")") :] or (
                ("][" in code or ")[" in code) and wrap is Holder
            ):
                continue  # what indexes has to be a tensor
            traced = tf.function(lambda given=given: function(*given), autograph=False)
            traced()
            variable.assign(other)
            results = result(traced, [])
            assert [x[:2] for x in results] == [x[:2] for x in expected]
            for found, wanted in zip(results, expected, strict=True):
                if not wanted[0].startswith(("float", "complex")):
                    assert found[2] == wanted[2]
                else:
                    a, b = (np.frombuffer(x[2], x[0]) for x in (found, wanted))
                    np.testing.assert_allclose(a, b, 1e-5, 1e-6)


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("code", MORE)
def test_static_shapes_hold(code, known):
    function, arguments = program(code)
    static = []

    def call(*given):
        found = function(*given)
        static.extend(
            getattr(x, "shape", None) for x in nest.flatten(found, expand_composites=True)
        )
        return found

    traced = tf.function(
        call, input_signature=[spec_of(x, KNOWN[known]) for x in arguments], autograph=False
    )
    try:
        found = traced(*arguments)
    except (tf.errors.OpError, ValueError, TypeError):
        return  # test_call_in_graph tells that it is right to
    for shape, x in zip(static, nest.flatten(found, expand_composites=True), strict=True):
        assert shape is None or tf.TensorShape(shape).is_compatible_with(x.shape)


def test_gradients():
    v = tf.Variable([1.0, 2.0, 3.0])
    lower, padding = tf.Variable([0.0, 1.0]), tf.Variable(0.0)

    @tf.function
    def gradients():
        with tf.GradientTape() as tape:
            rows = tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [1, 0]], v, [2, 2]))
            ranges = tf.ragged.range(lower, [3.0, 2.0]).flat_values
            filled = tf.RaggedTensor.from_tensor(
                [[1.0, 2.0], [3.0, 0.0]], padding=padding
            ).flat_values
        return tape.gradient([rows.flat_values, ranges, filled], [v, lower, padding])

    by_v, *others = gradients()
    assert by_v.numpy().tolist() == [1, 1, 1]
    assert others == [None, None]


@pytest.mark.parametrize(
    ("function", "value", "expected"),
    [
        (lambda v: tf.bitcast(v, tf.uint8), [1.0], [[0, 0, 128, 63]]),
        (lambda v: tf.complex(v, [1.0]), [1.0], [1 + 1j]),
        (lambda v: tf.linalg.lstsq(v, [[1.0], [2.0]]), [[2.0, 0.0], [0.0, 2.0]], [[0.5], [1.0]]),
        (lambda v: tf.math.accumulate_n([v, [2.0]]), [1.0], [3.0]),
        (tf.math.angle, [1j], [np.pi / 2]),
        (tf.math.conj, [1 + 1j], [1 - 1j]),
        (tf.math.imag, [1 + 1j], [1.0]),
    ],
)
def test_reference_variables(function, value, expected):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        y = function(tf.compat.v1.Variable(value, use_resource=False))
        session.run(tf.compat.v1.global_variables_initializer())
        np.testing.assert_allclose(session.run(y), expected)


def test_what_only_converts_is_no_tensor():
    assert not tf.is_tensor(Holder(1))
    assert tf.argmax(Holder([1, 3, 2])).numpy() == 1
    assert tf.strings.unicode_transcode(tf.Variable(["a"]), "UTF-8", "UTF-16-BE").numpy() == [
        b"\0a"
    ]


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_rows_have_the_type_of_the_array(dtype):
    assert (
        tf.RaggedTensor.from_row_lengths([1, 2, 3], np.array([2, 1], dtype)).row_splits.dtype
        == dtype
    )
