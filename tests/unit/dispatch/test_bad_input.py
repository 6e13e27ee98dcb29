"""Bad input is refused: with TensorFlow's classes of errors, at once, and never by a crash of what is below.

What TensorFlow itself answers to some two thousand such calls is recorded in ``tests/golden/bad_input_probes.json``.
"""

import contextlib
import warnings

import numpy as np
import pytest

import twinflow as tf
from tests import samples
from tests.test_ops import arguments, has_variable
from twinflow._src.dispatch.op import OPS
from twinflow._src.dispatch.registry import REQUIRED

BAD = {
    "None": None,
    "text": "a",
    "an object": object(),
    "a type": tf.float32,
    "seven dimensions": np.zeros((1,) * 7, np.float32),
    "a scalar": np.float32(1),
    "nothing": np.zeros((0,), np.float32),
    "less than nothing": [-1],
    "far away": [10**6],
    "rows of two lengths": [[1], [2, 3]],
    "a complex number": 1j,
    "a truth value": True,
    "integers": tf.constant([[7, -7]]),
    "strings": tf.constant(["x"]),
}
PUBLIC = [
    type
    for type in samples.SAMPLES
    if type in OPS and OPS[type].api and not has_variable(OPS[type])
]


@pytest.mark.parametrize("type", PUBLIC)
def test_is_refused_or_taken(type, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some of it is a good name of a file to write
    op, sample = OPS[type], samples.SAMPLES[type][0]
    given = arguments(op, sample, tf.constant)
    for position in range(len(given)):
        for bad in BAD.values():
            with (
                warnings.catch_warnings(),
                contextlib.suppress(tf.errors.OpError, TypeError, ValueError),
            ):
                warnings.simplefilter("error")
                op.public(*given[:position], bad, *given[position + 1 :], **sample.attrs)


@pytest.mark.parametrize("type", PUBLIC)
def test_misses_an_argument_or_has_one_too_many(type):
    op, sample = OPS[type], samples.SAMPLES[type][0]
    given = arguments(op, sample, tf.constant)
    if given and op.tensors[len(given) - 1].default is REQUIRED:
        with pytest.raises(TypeError):
            op.public(*given[:-1])
    with pytest.raises(TypeError):
        op.public(*given, no_such_argument=1, **sample.attrs)


# Sizes that TensorFlow keeps in 32 bits wrap around there; those are given as tensors of int64 here.
HUGE = [
    "tf.zeros([2**40])",
    "tf.ones([2**40], tf.int8)",
    "tf.fill([2**40], 'a')",
    "tf.zeros([2**20, 2**20], tf.complex128)",
    "tf.tile([1, 2], [2**40])",
    "tf.repeat([1, 2], tf.constant(2**40))",
    "tf.range(2**45)",
    "tf.eye(2**20)",
    "tf.eye(2, 2**40)",
    "tf.sequence_mask([2**40])",
    "tf.pad([1, 2], [[2**40, 2**40]])",
    "tf.broadcast_to(1, [2**20, 2**20])",
    "tf.meshgrid(tf.range(2**21), tf.range(2**21))",
    "tf.scatter_nd([[0]], [1.0], tf.constant([2**40]))",
    "tf.linalg.diag(tf.zeros([2**21]))",
    "tf.matmul(tf.zeros([2**22, 1]), tf.zeros([1, 2**22]))",
    "tf.zeros([2**21, 1]) + tf.zeros([2**21])",
    "tf.Variable(tf.zeros([2**40]))",
    "tf.random.normal([2**40])",
    "tf.random.uniform([2**40], maxval=5, dtype=tf.int32)",
    "tf.random.stateless_truncated_normal([2**40], [1, 2])",
    "tf.zeros_initializer()([2**40])",
    "tf.keras.initializers.GlorotUniform()([2**20, 2**20])",
    "tf.math.bincount(tf.constant([1], tf.int64), minlength=2**40)",
    "tf.math.unsorted_segment_sum([1.0], [0], tf.constant(2**40))",
    "tf.strings.unsorted_segment_join(['a'], [0], tf.constant(2**40))",
    "tf.sparse.to_dense(tf.SparseTensor([[0]], [1], [2**40]))",
    "tf.RaggedTensor.from_row_splits([1], [0, 1]).to_tensor(shape=[1, 2**40])",
    "tf.RaggedTensor.from_value_rowids([1], [0], tf.constant(2**40))",
    "tf.TensorArray(tf.float32, 2**40)",
    "tf.experimental.numpy.zeros([2**40])",
    "tf.experimental.numpy.arange(2**45)",
]


@pytest.mark.parametrize("code", HUGE)
def test_memory_is_exhausted(code):
    with pytest.raises(
        tf.errors.ResourceExhaustedError, match="OOM when allocating tensor with shape"
    ):
        eval(code)


TOO_MANY = [
    "tf.zeros([2**32, 2**32])",
    "tf.random.uniform([2**32, 2**32])",
    "tf.broadcast_to(1, [2**40, 2**40])",
    "tf.reshape(tf.zeros([2]), [2**62, 2**62])",
    "tf.math.confusion_matrix([0], [0], 2**40)",
]


@pytest.mark.parametrize("code", TOO_MANY)
def test_elements_are_counted_in_63_bits(code):
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"2\*\*63 - 1 elements|too many elements"
    ):
        eval(code)


X, M = "tf.constant([1.0, 2.0, 3.0])", "tf.constant([[1.0, 2.0], [3.0, 4.0]])"
INVALID = tf.errors.InvalidArgumentError
REFUSED = [
    (f"tf.gather({X}, [3])", INVALID, r"indices\[0\] = 3 is not in \[0, 3\)"),
    (f"tf.gather_nd({M}, [[0, 2]])", INVALID, "does not index into param shape"),
    (f"tf.tensor_scatter_nd_add({X}, [[5]], [1.0])", INVALID, "does not index into shape"),
    (
        f"tf.tensor_scatter_nd_add({X}, [[0]], tf.constant([1]))",
        INVALID,
        "was expected to be a float tensor but is a int32",
    ),
    (f"{X}[5]", INVALID, "slice index 5 of dimension 0 out of bounds"),
    (f"tf.slice({X}, [2], [2])", INVALID, "Expected size"),
    ("tf.zeros([-1])", INVALID, "Dimension -1 must be >= 0"),
    ("tf.eye(-1)", INVALID, "Dimension -1 must be >= 0"),
    ("tf.eye(2.0)", TypeError, "must be positive integer values"),
    ("tf.one_hot([1], -1)", INVALID, "depth must be non-negative"),
    ("tf.range(5, 3)", INVALID, "Requires start <= limit"),
    (f"tf.reshape({X}, [2])", INVALID, "the requested shape has 2"),
    (f"tf.transpose({M}, [0, 0])", INVALID, "0 is missing|is missing from"),
    (f"tf.concat([{X}, {M}], 0)", INVALID, "Ranks of all input"),
    (f"tf.split({X}, 2)", INVALID, "evenly divide"),
    (f"tf.squeeze({X}, [0])", INVALID, "Can not squeeze dim"),
    (
        f"tf.squeeze({X}, 2**40)",
        INVALID,
        "Attr squeeze_dims has value 1099511627776 out of range for an int32",
    ),
    (f"tf.unstack({X}, 2**40)", ValueError, "Number of outputs is too big"),
    (
        f"tf.dynamic_partition({X}, [0, 1, 0])",
        TypeError,
        "missing 1 required positional argument: 'num_partitions'",
    ),
    (f"tf.reverse_sequence({M}, [1, 1], -1, 0)", INVALID, "Invalid seq_dim -1"),
    (f"tf.reduce_sum({X}, 1)", INVALID, "Invalid reduction dimension"),
    (f"tf.argmax({X}, 1)", INVALID, "Expected dimension in the range"),
    (f"tf.math.top_k({X}, 4)", INVALID, "at least k columns"),
    (f"tf.nn.in_top_k([0], {M}, [1])", INVALID, "k must be 0-D"),
    (f"tf.linalg.band_part({M}, [0], 0)", INVALID, "num_lower must be scalar"),
    (f"tf.linalg.inv({X})", INVALID, "must be at least rank 2|at least 2-dim|rank"),
    (f"tf.matmul({M}, {X})", INVALID, "different ndims"),
    (
        f"tf.matmul({M}, tf.cast({M}, tf.float64))",
        INVALID,
        "was expected to be a float tensor but is a double",
    ),
    (
        "tf.nn.conv2d(tf.zeros([1, 4, 4, 1]), tf.zeros([2, 2, 1, 1]), 2**40, 'SAME')",
        INVALID,
        "Attr strides has value",
    ),
    ("tf.nn.conv2d(tf.zeros([1, 4, 4, 1]), tf.zeros([2, 2, 2, 1]), 1, 'SAME')", INVALID, "depth"),
    (
        "tf.nn.dilation2d([1.0], [1.0], [1] * 4, 'SAME', 'NHWC', [1] * 4)",
        INVALID,
        "input must be 4-dimensional",
    ),
    ("tf.random_index_shuffle(-1, [1, 2, 3], 4)", INVALID, "index must be >= 0"),
    ("tf.strings.substr('abc', 4, 1)", INVALID, "pos 4 out of range"),
    ("tf.strings.to_number('x')", INVALID, "could not correctly convert string"),
    ("tf.strings.regex_replace('a', '(', 'b')", INVALID, r"missing \): \("),
    (
        "tf.strings.unicode_decode('a', 5)",
        TypeError,
        "Expected string for argument 'input_encoding' not 5",
    ),
    ("tf.strings.split('a', [' '])", INVALID, "sep must be a scalar"),
    ("tf.strings.join({})", TypeError, "Expected list for 'inputs'"),
    ("tf.SparseTensor([[0]], [1, 2], [2])", ValueError, "not compatible"),
    ("tf.sparse.eye('a')", TypeError, "num_rows must be an integer value"),
    ("tf.RaggedTensor.from_row_splits([1], [1, 1])", INVALID, "do not form a valid RaggedTensor"),
    ("tf.RaggedTensor.from_row_lengths([1])", TypeError, "Missing required positional argument"),
    ("tf.Variable([1.0]).assign([1.0, 2.0])", ValueError, "incompatible"),
    ("tf.constant([1, 'a'])", ValueError, "mixed types"),
    ("tf.constant([[1], [2, 3]])", ValueError, "non-rectangular"),
    ("tf.TensorShape([1.5])", TypeError, "Dimension value must be integer"),
    ("tf.TensorShape(np.array([1.5]))", TypeError, "could not be converted to a dimension"),
    (
        "tf.TensorArray(tf.float32, 1).read(1)",
        tf.errors.OutOfRangeError,
        "Tried to read from index 1",
    ),
    ("tf.debugging.check_numerics([np.nan], 'm')", INVALID, "m : Tensor had NaN values"),
    ("tf.io.parse_tensor(b'x', tf.float32)", INVALID, "Could not parse"),
    ("tf.io.decode_raw(['abc'], tf.int16)", INVALID, "not a multiple of 2"),
    ("tf.signal.stft(tf.zeros([8]), 'a', 2)", TypeError, "ufunc 'log' not supported"),
    ("tf.compat.v1.nn.dropout([1.0])", ValueError, "`rate` must be provided"),
    (
        "tf.pad([1.0, 2.0], [[2, 0]], 'REFLECT')",
        INVALID,
        "must be less than the dimension size: 2, 0 not less than 2",
    ),
    (
        "tf.pad([1.0, 2.0], [[3, 0]], 'SYMMETRIC')",
        INVALID,
        "must be no greater than the dimension size: 3, 0 greater than 2",
    ),
    (
        "tf.pad(tf.zeros([1] * 6), [[0, 0]] * 6, 'REFLECT')",
        tf.errors.UnimplementedError,
        r"inputs rank not in \[0,5\]: 6",
    ),
    (
        "tf.raw_ops.MirrorPadGrad(input=[1.0] * 4, paddings=[[2, 2]], mode='SYMMETRIC')",
        INVALID,
        "4 was not less than 4",
    ),
    (
        "tf.raw_ops.MirrorPadGrad(input=[1.0] * 4, paddings=[[1, 2]], mode='SYMMETRIC')",
        INVALID,
        "1, 2 greater than 1",
    ),
    (
        f"tf.strided_slice({M}, [0, 0], [1, 1], ellipsis_mask=3)",
        INVALID,
        "Multiple ellipses in slice spec not allowed",
    ),
    (
        f"tf.concat([{X}, {X}], [0, 0])",
        INVALID,
        r"axis tensor should be a scalar integer, but got shape \[2\]",
    ),
    ("tf.math.segment_sum([1, 2, 3], [0, 2, 1])", INVALID, "segment ids are not increasing"),
    (
        "tf.Variable(tf.zeros([0, 3])).scatter_nd_add([[0]], [[1.0, 2.0, 3.0]])",
        INVALID,
        r"for empty output.  indices shape: \[1,1\]",
    ),
    ("tf.Variable([3]).count_up_to(5)", INVALID, r"input is not a scalar: \[1\]"),
    ("tf.strings.to_number('1_000')", INVALID, "could not correctly convert string: 1_000"),
    (
        "tf.strings.to_number('1_000', tf.int32)",
        INVALID,
        "could not correctly convert string: 1_000",
    ),
    ("tf.strings.to_number('0x1_0')", INVALID, "could not correctly convert string: 0x1_0"),
    ("tf.strings.substr('hello', -6, 1)", INVALID, "pos -6 out of range"),
    (
        "tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [2, 2, 2])",
        ValueError,
        "Dimensions 2 and 3 are not compatible",
    ),
    (
        "tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 0], [-1, 1]], [1, 2], [2, 2]), 9)",
        INVALID,
        "is invalid: -1 >= 2",
    ),
    (
        "tf.SparseTensor([[0, 0], [0, 5]], [1.0, 2.0], [1, 2]) * tf.constant([[1.0, 2.0]])",
        INVALID,
        "indices are out-of-bounds",
    ),
]


@pytest.mark.parametrize(("code", "error", "says"), REFUSED)
def test_is_refused(code, error, says):
    with pytest.raises(error, match=says):
        eval(code)


@pytest.mark.parametrize(
    ("call", "attr", "got", "least"),
    [
        (lambda: tf.strings.to_hash_bucket_fast(["a"], 0), "num_buckets", "0", 1),
        (lambda: tf.nn.space_to_depth(tf.ones([1, 2, 2, 1]), 1), "block_size", "1", 2),
        (
            lambda: tf.image.extract_patches(
                tf.ones([1, 2, 2, 1]), [1, 2, 2], [1] * 4, [1] * 4, "SAME"
            ),
            "ksizes",
            "list of length 3",
            4,
        ),
    ],
)
def test_attributes_below_their_minimum_are_value_errors_in_graphs(call, attr, got, least):
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"must be at least minimum {least}"):
        call()
    with pytest.raises(ValueError, match=f"'{attr}' of .* passed {got} less than minimum {least}"):
        tf.function(call)()
