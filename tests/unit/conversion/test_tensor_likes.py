"""Objects with ``__tf_tensor__`` whose type is text, as Keras has them: in the place of each tensor of each operation."""

import numpy as np
import pytest

import twinflow as tf
from tests import samples
from tests.harness import facts
from twinflow._src.dispatch.op import OPS


class KerasLike:
    """A value that holds a variable: it says its type as text and its shape as a tuple."""

    def __init__(self, value):
        self.variable = tf.Variable(value)
        self.dtype, self.shape = self.variable.dtype.name, tuple(self.variable.shape)
        self.ndim, self.name, self.trainable = len(self.shape), "like", True

    def __tf_tensor__(self, dtype=None, name=None):
        return tf.convert_to_tensor(self.variable, dtype=dtype, name=name)


CALLS = [
    (type, found[0])
    for type, found in samples.SAMPLES.items()
    if type in OPS
    and type != "NonDeterministicInts"
    and OPS[type].tensors
    and OPS[type].tensors[0].kind.attr != "resource"
]


def called(type, given, attrs):
    tf.random.set_seed(0)
    return OPS[type].public(*given, **attrs)


@pytest.mark.parametrize(("type", "sample"), [pytest.param(*call, id=call[0]) for call in CALLS])
def test_each_argument_of_each_operation(type, sample):
    arrays = [
        list(map(tf.constant, x)) if isinstance(x, list) else tf.constant(x) for x in sample.inputs
    ]
    result = called(type, arrays, sample.attrs)
    expected = facts(result)
    for i, value in enumerate(arrays):
        liked = [KerasLike(x) for x in value] if isinstance(value, list) else KerasLike(value)
        given = [*arrays[:i], liked, *arrays[i + 1 :]]
        assert facts(called(type, given, sample.attrs)) == expected, f"eager, argument {i}"
        if result is not None:
            traced = tf.function(lambda: called(type, given, sample.attrs), autograph=False)  # noqa: B023
            assert facts(traced()) == expected, f"traced, argument {i}"


X, Y = [[4.0, 1.0, 2.0], [3.0, 5.0, 6.0]], [[0.5, 2.0, 1.5], [1.0, 2.5, 0.25]]
NUMBERS, CHOSEN = [[1, 0, 2], [2, 1, 0]], [True, False]
SQUARE, IMAGE = (
    [[4.0, 1.0], [1.0, 3.0]],
    np.arange(16, dtype="float32").reshape(1, 4, 4, 1).tolist(),
)
P = [[0.2, 0.5, 0.3], [0.1, 0.8, 0.1]]
# Functions of several operations, with their arguments; what is in a list of one is no tensor.
FUNCTIONS = {
    "divide": [X, Y],
    "math.truediv": [X, Y],
    "math.floordiv": [X, Y],
    "math.divide_no_nan": [X, Y],
    "math.multiply_no_nan": [X, Y],
    "math.reduce_mean": [X],
    "math.reduce_std": [X],
    "math.reduce_variance": [X],
    "math.reduce_logsumexp": [X],
    "math.reduce_euclidean_norm": [X],
    "math.count_nonzero": [X],
    "math.l2_normalize": [X],
    "math.log_softmax": [X],
    "math.log_sigmoid": [X],
    "math.softplus": [X],
    "math.scalar_mul": [2, X],
    "math.accumulate_n": [[X, Y]],
    "math.add_n": [[X, Y]],
    "math.cumulative_logsumexp": [X],
    "math.polyval": [[X, Y], 2.0],
    "math.in_top_k": [[1, 0], X, 2],
    "math.top_k": [X],
    "math.confusion_matrix": [[0, 1], [1, 1]],
    "math.lbeta": [X],
    "math.xlogy": [X, Y],
    "math.squared_difference": [X, Y],
    "math.bincount": [NUMBERS],
    "math.segment_sum": [X, [0, 0]],
    "math.unsorted_segment_mean": [X, [0, 0], 1],
    "math.zero_fraction": [X],
    "math.abs": [X],
    "math.pow": [X, Y],
    "math.round": [X],
    "math.sigmoid": [X],
    "math.sign": [X],
    "math.reciprocal_no_nan": [X],
    "math.minimum": [X, Y],
    "clip_by_value": [X, 1.0, 3.0],
    "clip_by_norm": [X, 2.0],
    "linalg.global_norm": [[X, Y]],
    "clip_by_global_norm": [[X, Y], 2.0],
    "cast": [X, tf.int32],
    "saturate_cast": [X, tf.uint8],
    "bitcast": [X, tf.int32],
    "where": [[[True], [False]], X, Y],
    "boolean_mask": [X, CHOSEN],
    "concat": [[X, Y], 0],
    "stack": [[X, Y]],
    "unstack": [X],
    "split": [X, 3, 1],
    "tile": [X, [1, 2]],
    "repeat": [X, 2],
    "transpose": [X],
    "gather": [X, [1, 0]],
    "gather_nd": [X, [[1, 0]]],
    "one_hot": [NUMBERS, 3],
    "expand_dims": [X, 0],
    "squeeze": [[X]],
    "reshape": [X, [3, 2]],
    "pad": [X, [[1, 1], [0, 0]]],
    "reverse": [X, [0]],
    "roll": [X, 1, 0],
    "sort": [X],
    "argsort": [X],
    "searchsorted": [X, Y],
    "shape": [X],
    "size": [X],
    "rank": [X],
    "identity": [X],
    "stop_gradient": [X],
    "zeros_like": [X],
    "ones_like": [X],
    "fill": [[2, 2], 3.0],
    "range": [0.0, 3.0, 0.5],
    "linspace": [0.0, 1.0, 5],
    "meshgrid": [[1.0, 2.0], [3.0, 4.0]],
    "slice": [X, [0, 1], [2, 2]],
    "strided_slice": [X, [0, 1], [2, 2]],
    "sequence_mask": [[1, 3], 4],
    "reverse_sequence": [X, [2, 1], 1, 0],
    "tensor_scatter_nd_update": [X, [[0, 1]], [9.0]],
    "scatter_nd": [[[1]], [9.0], [4]],
    "broadcast_to": [X, [2, 2, 3]],
    "tensordot": [X, Y, [[1], [1]]],
    "norm": [X],
    "eye": [2],
    "unique": [[1, 2, 1]],
    "histogram_fixed_width": [X, [0.0, 6.0], 3],
    "linalg.matmul": [X, np.transpose(Y).tolist()],
    "linalg.matvec": [SQUARE, [1.0, 2.0]],
    "linalg.trace": [SQUARE],
    "linalg.det": [SQUARE],
    "linalg.logdet": [SQUARE],
    "linalg.inv": [SQUARE],
    "linalg.cholesky": [SQUARE],
    "linalg.cholesky_solve": [SQUARE, SQUARE],
    "linalg.solve": [SQUARE, SQUARE],
    "linalg.lstsq": [SQUARE, SQUARE],
    "linalg.expm": [SQUARE],
    "linalg.pinv": [SQUARE],
    "linalg.matrix_rank": [SQUARE],
    "linalg.diag": [[1.0, 2.0]],
    "linalg.diag_part": [SQUARE],
    "linalg.set_diag": [SQUARE, [7.0, 8.0]],
    "linalg.band_part": [SQUARE, 0, -1],
    "linalg.normalize": [X],
    "linalg.cross": [X, Y],
    "linalg.adjoint": [X],
    "nn.relu": [X],
    "nn.gelu": [X],
    "nn.leaky_relu": [X],
    "nn.swish": [X],
    "nn.softmax": [X],
    "nn.moments": [X, (0,)],
    "nn.weighted_moments": [X, (0,), Y],
    "nn.l2_loss": [X],
    "nn.bias_add": [X, [1.0, 2.0, 3.0]],
    "nn.softmax_cross_entropy_with_logits": [P, X],
    "nn.sparse_softmax_cross_entropy_with_logits": [[0, 2], X],
    "nn.sigmoid_cross_entropy_with_logits": [P, X],
    "nn.weighted_cross_entropy_with_logits": [P, X, 2],
    "nn.log_poisson_loss": [P, X],
    "nn.embedding_lookup": [X, [1, 0]],
    "nn.dropout": [X, 0],
    "nn.conv2d": [IMAGE, np.ones([2, 2, 1, 1]).tolist(), 1, "SAME"],
    "nn.convolution": [IMAGE, np.ones([2, 2, 1, 1]).tolist()],
    "nn.conv1d": [[X], np.ones([2, 3, 1]).tolist(), 1, "SAME"],
    "nn.conv2d_transpose": [IMAGE, np.ones([2, 2, 1, 1]).tolist(), [1, 8, 8, 1], 2],
    "nn.depthwise_conv2d": [IMAGE, np.ones([2, 2, 1, 1]).tolist(), (1, 1, 1, 1), "SAME"],
    "nn.separable_conv2d": [
        IMAGE,
        np.ones([2, 2, 1, 2]).tolist(),
        np.ones([1, 1, 2, 1]).tolist(),
        (1, 1, 1, 1),
        "SAME",
    ],
    "nn.avg_pool": [IMAGE, 2, 2, "SAME"],
    "nn.max_pool": [IMAGE, 2, 2, "SAME"],
    "nn.pool": [IMAGE, (2, 2), "MAX"],
    "nn.local_response_normalization": [IMAGE],
    "nn.space_to_depth": [IMAGE, 2],
    "nn.crelu": [X],
    "nn.scale_regularization_loss": [1.0],
    "nn.compute_average_loss": [[1.0, 2.0]],
    "signal.stft": [np.arange(16.0).tolist(), 4, 2],
    "signal.frame": [np.arange(16.0).tolist(), 4, 2],
    "signal.rfft": [np.arange(8.0).tolist()],
    "signal.dct": [np.arange(8.0).tolist()],
    "signal.idct": [np.arange(8.0).tolist()],
    "signal.overlap_and_add": [[[1.0, 2.0], [3.0, 4.0]], 1],
    "signal.fftshift": [X],
    "dynamic_partition": [[1.0, 2.0], [0, 1], 2],
    "dynamic_stitch": [[[0], [1]], [[1.0], [2.0]]],
    "foldl": [tf.add, X],
    "scan": [tf.add, X],
    "map_fn": [tf.square, X],
    "vectorized_map": [tf.square, X],
    "ensure_shape": [X, (2, 3)],
    "truncatediv": [NUMBERS, 2],
    "truncatemod": [NUMBERS, 2],
    "complex": [X, Y],
    "random.stateless_uniform": [[2], [1, 2]],
    "random.stateless_normal": [[2], [1, 2], 1.0, 2.0],
    "random.stateless_categorical": [P, 3, [1, 2]],
    "strings.as_string": [X],
    "debugging.assert_equal": [X, X],
    "debugging.check_numerics": [X, "no"],
    "quantization.fake_quant_with_min_max_vars": [X, 0.0, 6.0],
    "random.stateless_gamma": [[2, 3], [1, 2], [1.0, 2.0, 3.0]],
}


def public(name):
    found = tf
    for part in name.split("."):
        found = getattr(found, part)
    return found


def plain(result):
    return facts([x for x in tf.nest.flatten(result) if x is not None])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_argument_of_functions(name):
    given = [made(name, i, x, tf.constant) for i, x in enumerate(FUNCTIONS[name])]
    expected = plain(public(name)(*given))
    for i, value in enumerate(FUNCTIONS[name]):
        liked = [*given[:i], made(name, i, value, KerasLike), *given[i + 1 :]]
        assert plain(public(name)(*liked)) == expected, f"eager, argument {i}"
        traced = tf.function(lambda: [public(name)(*liked)][: len(expected)], autograph=False)  # noqa: B023
        assert plain(traced()) == expected, f"traced, argument {i}"


def made(name, i, value, make):
    """An argument, its tensors made by a function; what is no float and no list is no tensor."""
    if (name, i) in SEVERAL:
        return list(map(make, value))
    return make(value) if isinstance(value, (float, list)) else value


# Arguments that are lists of tensors.
SEVERAL = {
    ("math.accumulate_n", 0),
    ("math.add_n", 0),
    ("math.polyval", 0),
    ("linalg.global_norm", 0),
    ("clip_by_global_norm", 0),
    ("concat", 0),
    ("stack", 0),
    ("dynamic_stitch", 0),
    ("dynamic_stitch", 1),
}


def test_they_are_no_tensors_themselves():
    like = KerasLike([1.0])
    assert not tf.is_tensor(like) and all(
        map(tf.is_tensor, (like.variable, tf.ragged.constant([[1]]), tf.constant(1)))
    )
    for given in ([like, like], [like, [1.0]]):
        with pytest.raises(ValueError, match="with an unsupported type"):
            tf.convert_to_tensor(given)


@pytest.mark.parametrize("around", [lambda f: f, lambda f: tf.function(f, autograph=False)])
def test_gradients_flow_to_the_variable_within(around):
    a, b = KerasLike([1.0, 2.0]), KerasLike([4.0, 5.0])

    def gradients():
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(
                tf.stack([a, b]) * tf.divide(a, b) + tf.minimum(tf.cast(a, tf.float32), b)
            )
        return tape.gradient(y, [a.variable, b.variable])

    da, db = around(gradients)()
    assert np.allclose(da, [3.5, 3.8]) and np.allclose(db, [-0.0625, -0.16])


@pytest.mark.parametrize("indices", [np.array([0, 1]), (0, 1), [0, 1]])
def test_slices_of_any_indices_are_cast(indices):
    found = tf.cast(tf.IndexedSlices(tf.constant([1.0, 2.0]), indices), tf.int32)
    assert found.indices is indices and found.values.numpy().tolist() == [1, 2]
    reduced = tf.distribute.get_replica_context().all_reduce("SUM", found)
    assert reduced.values.numpy().tolist() == [1, 2]


class VariableLike(tf.__internal__.types.Tensor):
    """A class of a library that counts as a tensor and acts as a variable, as keras.Variable does."""

    _should_act_as_resource_variable = True

    def __init__(self, value):
        self.variable = tf.Variable(value)
        self.dtype, self.shape = self.variable.dtype.name, self.variable.shape

    @property
    def handle(self):
        return self.variable.handle

    def __tf_tensor__(self, dtype=None, name=None):
        return tf.convert_to_tensor(self.variable, dtype=dtype, name=name)


USES = {
    "multiply": lambda v, w: tf.multiply(v, w) * 2.0,
    "concat": lambda v, w: tf.concat([v, w], 0) ** 3,
    "transpose": lambda v, w: tf.transpose(v) * w,
    "where": lambda v, w: tf.where([True, False], v, w),
    "list": lambda v, w: tf.convert_to_tensor([v, w]) ** 2,
    "stack": lambda v, w: tf.stack([v, w]) ** 2,
    "loop": lambda v, w: tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, tf.multiply(a, v)), (0, w)
    )[1],
    "branch": lambda v, w: tf.cond(tf.reduce_sum(v) > 0, lambda: tf.multiply(v, w), lambda: w),
    "gather": lambda v, w: tf.gather(v, [0, 0]) * tf.nn.embedding_lookup(w, [1, 0]),
    "map": lambda v, w: tf.map_fn(lambda x: x * 2.0, v) * w,
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("is_traced", [False, True])
def test_gradients_of_objects_that_act_as_variables(use, is_traced):
    v, w = VariableLike([2.0, 3.0]), VariableLike([1.0, 4.0])
    assert tf.is_tensor(v) and not tf.is_tensor(KerasLike([1.0]))

    def gradients(v, w):
        def run():
            with tf.GradientTape() as tape:
                y = USES[use](v, w)
            return [tf.convert_to_tensor(dy) for dy in tape.gradient(y, [v, w])]

        return facts((tf.function(run) if is_traced else run)())

    assert gradients(v, w) == gradients(v.variable, w.variable)


def test_jacobian_of_an_object_that_acts_as_a_variable():
    v = VariableLike([2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.multiply(v, 2.0)
    assert tape.jacobian(y, v).numpy().tolist() == [[2.0, 0.0], [0.0, 2.0]]
