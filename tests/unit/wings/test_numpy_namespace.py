"""``tf.experimental.numpy``: its names, its types, and what switching NumPy's behaviour on does."""

import inspect
import json
import re

import numpy as np
import pytest

import twinflow as tf
from tests.harness import in_new_python
from twinflow._src.wings.numpy_ops import indexing, promotion, registry

tnp = tf.experimental.numpy

# TensorFlow 2.21's names with their signatures.
NAMES = """
abs(x); absolute(x); add(x1, x2); all(a, axis=None, keepdims=None)
allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False); amax(a, axis=None, out=None, keepdims=None)
amin(a, axis=None, out=None, keepdims=None); angle(z, deg=False); any(a, axis=None, keepdims=None)
append(arr, values, axis=None); arange(start, stop=None, step=1, dtype=None); arccos(x); arccosh(x)
arcsin(x); arcsinh(x); arctan(x); arctan2(x1, x2); arctanh(x); argmax(a, axis=None); argmin(a, axis=None)
argsort(a, axis=-1, kind='quicksort', order=None); around(a, decimals=0)
array(val, dtype=None, copy=True, ndmin=0); array_equal(a1, a2); asanyarray(a, dtype=None)
asarray(a, dtype=None); ascontiguousarray(a, dtype=None); atleast_1d(*arys); atleast_2d(*arys)
atleast_3d(*arys); average(a, axis=None, weights=None, returned=False); bitwise_and(x1, x2); bitwise_not(x)
bitwise_or(x1, x2); bitwise_xor(x1, x2); bool_; broadcast_arrays(*args, **kwargs)
broadcast_to(array, shape); cbrt(x); ceil(x); clip(a, a_min, a_max); complex128; complex64; complex_
compress(condition, a, axis=None); concatenate(arys, axis=0); conj(x); conjugate(x); copy(a); cos(x)
cosh(x); count_nonzero(a, axis=None); cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None)
cumprod(a, axis=None, dtype=None); cumsum(a, axis=None, dtype=None); deg2rad(x); diag(v, k=0)
diag_indices(n, ndim=2); diagflat(v, k=0); diagonal(a, offset=0, axis1=0, axis2=1); diff(a, n=1, axis=-1)
divide(x1, x2); divmod(x1, x2); dot(a, b); dsplit(ary, indices_or_sections); dstack(tup); e
einsum(subscripts, *operands, **kwargs); empty(shape, dtype=float); empty_like(a, dtype=None); equal(x1, x2)
exp(x); exp2(x); expand_dims(a, axis)
experimental_enable_numpy_behavior(prefer_float32=False, dtype_conversion_mode='legacy'); expm1(x)
eye(N, M=None, k=0, dtype=float); fabs(x); finfo(dtype); fix(x); flatten(a, order='C'); flip(m, axis=None)
fliplr(m); flipud(m); float16; float32; float64; float_; float_power(x1, x2); floor(x); floor_divide(x1, x2)
full(shape, fill_value, dtype=None); full_like(a, fill_value, dtype=None, order='K', subok=True, shape=None)
gcd(x1, x2); geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0); greater(x1, x2)
greater_equal(x1, x2); heaviside(x1, x2); hsplit(ary, indices_or_sections); hstack(tup); hypot(x1, x2)
identity(n, dtype=float); iinfo; imag(val); inexact; inf; inner(a, b); int16; int32; int64; int8; int_
isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False); iscomplex(x); iscomplexobj(x); isfinite(x); isinf(x)
isnan(x); isneginf(x); isposinf(x); isreal(x); isrealobj(x); isscalar(num); issubdtype(arg1, arg2)
ix_(*args); kron(a, b); lcm(x1, x2); less(x1, x2); less_equal(x1, x2)
linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=float, axis=0); log(x); log10(x); log1p(x)
log2(x); logaddexp(x1, x2); logaddexp2(x1, x2); logical_and(x1, x2); logical_not(x); logical_or(x1, x2)
logical_xor(x1, x2); logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0)
matmul(x1, x2); max(a, axis=None, keepdims=None); maximum(x1, x2)
mean(a, axis=None, dtype=None, out=None, keepdims=None); meshgrid(*xi, **kwargs)
min(a, axis=None, keepdims=None); minimum(x1, x2); mod(x1, x2); moveaxis(a, source, destination)
multiply(x1, x2); nanmean(a, axis=None, dtype=None, keepdims=None)
nanprod(a, axis=None, dtype=None, keepdims=False); nansum(a, axis=None, dtype=None, keepdims=False); ndarray
ndim(a); negative(x); newaxis; nextafter(x1, x2); nonzero(a); not_equal(x1, x2); object_
ones(shape, dtype=float); ones_like(a, dtype=None); outer(a, b); pad(array, pad_width, mode, **kwargs); pi
polyval(p, x); positive(x); power(x1, x2); prod(a, axis=None, dtype=None, keepdims=None)
promote_types(type1, type2); ptp(a, axis=None, keepdims=None); rad2deg(x); ravel(a); real(val)
reciprocal(x); remainder(x1, x2); repeat(a, repeats, axis=None); reshape(a, newshape, order='C')
result_type(*arrays_and_dtypes); roll(a, shift, axis=None); rot90(m, k=1, axes=(0, 1)); round(a, decimals=0)
select(condlist, choicelist, default=0); shape(a); sign(x, out=None, where=None, **kwargs); signbit(x)
sin(x); sinc(x); sinh(x); size(x, axis=None); sort(a, axis=-1, kind='quicksort', order=None)
split(ary, indices_or_sections, axis=0); sqrt(x); square(x); squeeze(a, axis=None); stack(arrays, axis=0)
std(a, axis=None, keepdims=None); string_; subtract(x1, x2); sum(a, axis=None, dtype=None, keepdims=None)
swapaxes(a, axis1, axis2); take(a, indices, axis=None, out=None, mode='clip')
take_along_axis(arr, indices, axis); tan(x); tanh(x); tensordot(a, b, axes=2); tile(a, reps)
trace(a, offset=0, axis1=0, axis2=1, dtype=None); transpose(a, axes=None); tri(N, M=None, k=0, dtype=None)
tril(m, k=0); triu(m, k=0); true_divide(x1, x2); uint16; uint32; uint64; uint8; unicode_
vander(x, N=None, increasing=False); var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=None)
vdot(a, b); vsplit(ary, indices_or_sections); vstack(tup); where(condition, x=None, y=None)
zeros(shape, dtype=float); zeros_like(a, dtype=None); random.poisson(lam=1.0, size=None); random.rand(*size)
random.randint(low, high=None, size=None, dtype=int64); random.randn(*args); random.random(size=None)
random.seed(s); random.standard_normal(size=None); random.uniform(low=0.0, high=1.0, size=None)
"""


def words(text):
    return text.split()


SIGNATURES = [
    re.fullmatch(r"([^(]+)(.*)", entry).groups() for entry in re.split(r"; |\n", NAMES.strip())
]


def ours(name):
    value = registry.public()[name]
    if not callable(value) or isinstance(value, type):
        return ""
    bare = [
        p.replace(annotation=inspect.Parameter.empty)
        for p in inspect.signature(value).parameters.values()
    ]
    text = str(inspect.Signature(bare))
    return text.replace("<class 'float'>", "float").replace("<class 'numpy.int64'>", "int64")


FUNCTIONS = {
    n: f for n, f in registry.public().items() if inspect.isfunction(f) and n != "issubdtype"
}


class TestNames:
    def test_are_tensorflows(self):
        assert {name for name in registry.public() if name != "random"} == dict(SIGNATURES).keys()

    @pytest.mark.parametrize(("name", "signature"), SIGNATURES)
    def test_signature(self, name, signature):
        assert ours(name) == signature

    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_is_documented(self, name):
        doc, parameters = (
            inspect.getdoc(FUNCTIONS[name]),
            inspect.signature(FUNCTIONS[name]).parameters,
        )
        summary, _, rest = doc.partition("\n\n")
        assert "\n" not in summary and summary.endswith(".")
        before = re.split(r"Returns:|Raises:", rest)[0]
        assert re.findall(r"^    \**(\w+):", before, re.M) == list(parameters)

    def test_are_there_when_asked_for(self):
        assert (
            in_new_python("""
            import sys
            print("twinflow._src.wings.numpy_ops" in sys.modules, "sqrt" in vars(tf.experimental.numpy))
            print(tf.experimental.numpy.sqrt(4.0).numpy(), "__getattr__" in vars(tf.experimental.numpy))
        """)
            == "False False\n2.0 False"
        )

    @pytest.mark.parametrize(
        "line",
        [
            "import twinflow.experimental.numpy as tnp; print(tnp.pi > 3)",
            "from twinflow.experimental.numpy import sqrt; print(bool(sqrt(4.0) == 2))",
            "from twinflow.experimental.numpy.random import rand; print(rand(2).shape == (2,))",
            "from twinflow.experimental.numpy import *; print(int(array(3)) == 3)",
            "print('ones' in dir(tf.experimental.numpy) and 'rand' in dir(tf.experimental.numpy.random))",
            "print(not hasattr(tf.experimental.numpy, 'nothing') and hasattr(tf.experimental.numpy, '__path__'))",
        ],
    )
    def test_can_be_imported(self, line):
        assert in_new_python(line) == "True"

    def test_an_unknown_name_is_an_error(self):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            tnp.nothing


# ------------------------------------------------------------------ like NumPy

REALS = np.array([[0.5, -1.25, 2.0], [3.5, 0.0, -0.75]])
POSITIVE = np.abs(REALS) + 0.25
WHOLE = np.array([[3, -4, 7], [12, 5, -9]])
UNARY = {
    **dict.fromkeys(
        words(
            "exp floor ceil sin cos tan sinh cosh tanh arctan arcsinh expm1 abs square negative conj"
        ),
        REALS,
    ),
    **dict.fromkeys(
        words("isnan isfinite deg2rad cbrt exp2 fix sinc signbit positive real imag sign"), REALS
    ),
    **dict.fromkeys(words("log sqrt log1p log2 log10 reciprocal"), POSITIVE),
    **dict.fromkeys(words("arcsin arccos arctanh"), REALS / 4),
    "arccosh": POSITIVE + 1,
    "bitwise_not": WHOLE,
}
BINARY = words(
    "add subtract multiply true_divide floor_divide mod maximum minimum arctan2 hypot logaddexp logaddexp2 "
    "heaviside equal not_equal greater greater_equal less less_equal logical_and logical_or logical_xor isclose "
    "inner outer kron"
)
WHOLE_BINARY = words("gcd lcm bitwise_and bitwise_or bitwise_xor power")
REDUCTIONS = words(
    "sum prod mean amax amin var std all any ptp cumsum cumprod argmax argmin sort argsort"
)
SHAPING = [
    lambda m, x: m.reshape(x, (3, 2), order="F"),
    lambda m, x: m.transpose(x),
    lambda m, x: m.swapaxes(x, 0, 1),
    lambda m, x: m.moveaxis(x, 0, -1),
    lambda m, x: m.flip(x, 1),
    lambda m, x: m.roll(x, 2),
    lambda m, x: m.rot90(x, 3),
    lambda m, x: m.atleast_3d(x),
    lambda m, x: m.tile(x, (2, 1, 2)),
    lambda m, x: m.repeat(x, [1, 0, 2], axis=1),
    lambda m, x: m.concatenate([x, x], 1),
    lambda m, x: m.stack([x, x], -1),
    lambda m, x: m.vstack([x, x[0]]),
    lambda m, x: m.dstack([x, x]),
    lambda m, x: m.append(x, 9.0),
    lambda m, x: m.pad(x, [[1, 0], [0, 2]], "constant"),
    lambda m, x: m.diagonal(x, 1),
    lambda m, x: m.tril(x, -1),
    lambda m, x: m.triu(x, 1),
    lambda m, x: m.diff(x, 2),
    lambda m, x: m.take(x, [1, 0], axis=1),
    lambda m, x: m.compress([False, True, True], x, 1),
    lambda m, x: m.cross(x, x[::-1]),
    lambda m, x: m.vander(x[0], 4),
    lambda m, x: m.where(x > 0.25, x, 1.5),
    lambda m, x: m.average(x, 1, weights=[1.0, 2.0, 3.0]),
    lambda m, x: m.einsum("ij,kj->ik", x, x),
    lambda m, x: m.tensordot(x, x, [[0], [0]]),
    lambda m, x: m.linspace(x[0], x[1], 4),
    lambda m, x: m.geomspace(x[0] + 5, x[1] + 9, 3),
    lambda m, x: m.eye(3, 4, 1) @ m.ones((4, 2)),
    lambda m, x: m.select([x > 1, x < 0], [x, -x], 0.5),
    lambda m, x: m.nansum(m.where(x > 0, x, np.nan), axis=0),
    lambda m, x: m.polyval(x[0], x),
]


def assert_same(found, expected):
    expected = np.asarray(expected)
    assert isinstance(found, tf.Tensor)
    assert (found.dtype, found.shape) == (tf.as_dtype(expected.dtype), expected.shape)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12, atol=1e-12)


class TestLikeNumPy:
    @pytest.mark.parametrize("name", UNARY)
    def test_unary(self, name):
        in_numpy = {"fix": "trunc"}.get(name, name)  # NumPy 2.5 has no other name of it
        assert_same(getattr(tnp, name)(UNARY[name]), getattr(np, in_numpy)(UNARY[name]))

    @pytest.mark.parametrize("name", BINARY)
    def test_binary(self, name):
        assert_same(getattr(tnp, name)(REALS, POSITIVE), getattr(np, name)(REALS, POSITIVE))

    @pytest.mark.parametrize("name", WHOLE_BINARY)
    def test_whole_numbers(self, name):
        y = np.array([4, 6, 3])
        assert_same(getattr(tnp, name)(WHOLE, y), getattr(np, name)(WHOLE, y))

    @pytest.mark.parametrize("axis", [None, 0, -1])
    @pytest.mark.parametrize("name", REDUCTIONS)
    def test_reduction(self, name, axis):
        assert_same(getattr(tnp, name)(REALS, axis=axis), getattr(np, name)(REALS, axis=axis))

    @pytest.mark.parametrize(
        "dtype", ["bool", "int8", "uint16", "int32", "int64", "float16", "float32"]
    )
    @pytest.mark.parametrize("name", ["sum", "prod"])
    def test_small_integers_add_up_in_long_ones(self, name, dtype):
        x = np.array([1, 0, 1], dtype)
        assert getattr(tnp, name)(x).dtype == getattr(np, name)(x).dtype

    @pytest.mark.parametrize("function", SHAPING)
    def test_shaping(self, function):
        assert_same(function(tnp, tf.constant(REALS)), function(np, REALS))


class TestTypes:
    @pytest.mark.parametrize(
        "values",
        [
            (1, 2.5),
            ([1, 2], 2.5),
            (np.int8(1), np.uint8(1)),
            (np.float16, 1.5),
            (np.int32, np.float32),
            (True, 2),
            (1j, np.float32),
        ],
    )
    def test_are_numpys(self, values):
        flat = [v for value in values for v in (value if isinstance(value, list) else [value])]
        assert tnp.result_type(*values) == np.result_type(*flat)

    def test_of_tensors_and_variables(self):
        assert tnp.result_type(tf.constant(1), tf.Variable(1.5)) is tf.float64
        assert tnp.result_type(tf.constant(1, tf.int8), 5) is tf.int8

    def test_without_float64(self, monkeypatch):
        monkeypatch.setattr(promotion.settings, "allow_float64", False)
        assert tnp.result_type(1.5) is tf.float32
        assert tnp.result_type(1j) is tf.complex64
        assert tnp.zeros(2, None).dtype is tf.float32
        assert tnp.true_divide(tf.constant(1), tf.constant(2)).dtype is tf.float32
        assert tnp.promote_types(tf.int32, tf.float32) == np.float32

    def test_floats_that_are_float32(self):
        assert (
            in_new_python("""
            tnp = tf.experimental.numpy
            tnp.experimental_enable_numpy_behavior(prefer_float32=True)
            print(tnp.array(1.5).dtype.name, tnp.zeros(1, None).dtype.name, (tf.constant(1.5) * 2.5).dtype.name)
        """)
            == "float32 float32 float32"
        )

    def test_random_numbers_are_tensorflows(self):
        tnp.random.seed(7)
        ours = (
            tnp.random.rand(3),
            tnp.random.randn(2),
            tnp.random.randint(5, 50, 4),
            tnp.random.poisson(3.0, 2),
        )
        tf.random.set_seed(7)
        theirs = (
            tf.random.uniform([3], dtype=tf.float64),
            tf.random.normal([2], dtype=tf.float64),
            tf.random.uniform([4], 5, 50, tf.int64),
            tf.random.poisson([2], 3.0, tf.int64),
        )
        for a, b in zip(ours, theirs, strict=True):
            assert a.dtype is b.dtype and (a.numpy() == b.numpy()).all()


class TestGradients:
    @pytest.mark.parametrize("function", SHAPING[:28])
    def test_flow(self, function):
        x = tf.constant(REALS)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(function(tnp, x) * 1.5)
        found, step = tape.gradient(y, x), 1e-6
        change = np.array([[1.0, -2.0, 0.5], [0.25, 1.5, -1.0]])
        low, high = (
            tf.reduce_sum(function(tnp, tf.constant(REALS + s * step * change)) * 1.5)
            for s in (-1, 1)
        )
        slope = 0.0 if found is None else float(tf.reduce_sum(found * change))
        assert slope == pytest.approx(float(high - low) / (2 * step), rel=1e-5, abs=1e-5)


# ------------------------------------------------------------------ indices

CUBE = np.arange(24).reshape(2, 3, 4)
KEYS = [
    0,
    -1,
    slice(1, None),
    (0, 1),
    ...,
    None,
    (..., None),
    [0, 1],
    (slice(None), [0, 2]),
    ([0, 1], [1, 2]),
    (slice(None), [0, 2], [1, 3]),
    ([1, 0], slice(None), [1, 3]),
    (..., [0, 3]),
    ([1, 0], ..., [0, 3]),
    (None, [0, 1]),
    ([[0], [1]], [0, 2]),
    ([[0], [1]], [0, 2], [1, 3]),
    ([-1], slice(None), slice(None, None, 2)),
    (1, [0, 2], slice(1, 3)),
    np.array([True, False]),
    (slice(None), np.array([True, False, True])),
    CUBE > 10,
    (slice(None, None, -1), [0, 1]),
]


class TestIndexing:
    @pytest.mark.parametrize("key", KEYS, ids=str)
    def test_is_numpys(self, key):
        assert_same(
            indexing.getitem(tf.constant(CUBE), key),
            CUBE[tuple(key) if type(key) is tuple else key],
        )

    @pytest.mark.parametrize(
        ("key", "error"),
        [
            ("a", IndexError),
            (1.5, IndexError),
            ([1.5], IndexError),
            (slice([0], 1), IndexError),
            ((slice(None), np.eye(3, 4) > 0), NotImplementedError),
            ([7], tf.errors.InvalidArgumentError),
            (np.array([1], np.uint64), IndexError),
        ],
    )
    def test_refuses(self, key, error):
        with pytest.raises(error):
            indexing.getitem(tf.constant(CUBE), key)

    def test_gradient(self):
        x = tf.constant(CUBE, tf.float64)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            beside, apart = (
                indexing.getitem(x, (slice(None), [0, 0])),
                indexing.getitem(x, ([1], slice(None), [2])),
            )
        assert tape.gradient(beside, x).numpy()[:, 0].tolist() == [[2.0] * 4] * 2
        assert tape.gradient(apart, x).numpy().sum() == 3.0


# ------------------------------------------------------------------ the modes


def enabled(code, mode="legacy"):
    switch = (
        f"tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode={mode!r})"
    )
    return in_new_python(f"import logging; logging.disable()\n{switch}\n{inspect.cleandoc(code)}")


def test_shapes_that_do_not_match_in_a_function():
    enabled("""
    import pytest
    @tf.function
    def add(x, y):
        return x + y
    with pytest.raises(ValueError, match="Dimensions must be equal"):
        add(tf.ones([2, 2]), tf.ones([3, 3]))
    """)


class TestWithoutBeingAskedFor:
    def test_types_do_not_mix(self):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.constant([1]) + tf.constant([1.5])

    @pytest.mark.parametrize("name", ["T", "astype", "reshape", "tolist", "size"])
    def test_tensors_have_no_such_attributes(self, name):
        with pytest.raises(AttributeError, match="experimental_enable_numpy_behavior"):
            getattr(tf.constant([1]), name)

    def test_operators_are_the_functions(self):
        assert tf.Tensor.__lt__ is tf.less

    def test_unknown_mode(self):
        with pytest.raises(ValueError, match="does not exist"):
            tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="maybe")
        assert promotion.settings.mode == "off"


class TestLegacy:
    def test_operators_promote(self):
        assert (
            enabled("""
            i, f, v = tf.constant([1, 2]), tf.constant([1.5, 2.5]), tf.Variable([1, 2])
            for x in (i + f, f - i, i * 2.5, 1.5 / i, v + f, f + v, 2 ** i, i @ f, i < f, [1.5, 2] + i):
                print(x.dtype.name, end=" ")
        """)
            == "float64 float64 float64 float64 float64 float64 int32 float64 bool float64"
        )

    def test_functions_do_not(self):
        assert (
            enabled("""
            try:
                tf.add(tf.constant(1), tf.constant(1.5))
            except tf.errors.InvalidArgumentError:
                print("refused")
        """)
            == "refused"
        )

    def test_methods(self):
        assert enabled("""
            x = tf.constant([[1, 2], [3, 4]])
            print(x.T.tolist(), x.reshape(4).tolist(), x.reshape((4, 1), order="F").ravel().tolist(), x.size)
            print(x.astype(float).dtype.name, x.clip(2, 3).tolist(), x.max(), x.mean(0), x.data is x, round(tf.constant(2.5)))
        """) == (
            "[[1, 3], [2, 4]] [1, 2, 3, 4] [1, 3, 2, 4] 4\n"
            "float32 [[2, 2], [3, 3]] tf.Tensor(4, shape=(), dtype=int32) tf.Tensor([2. 3.], shape=(2,), dtype=float64) "
            "True tf.Tensor(2.0, shape=(), dtype=float32)"
        )

    def test_indexing(self):
        assert (
            enabled("""
            x = tf.constant([[1, 2], [3, 4]])
            print(x[[1, 0]].tolist(), x[[0, 1], [1, 0]].tolist(), x[x > 1].tolist(), x[:, [True, False]].tolist(), x[0, 1])
            print(tf.Variable([1, 2, 3])[1:].shape)
        """)
            == "[[3, 4], [1, 2]] [2, 3] [2, 3, 4] [[1], [3]] tf.Tensor(2, shape=(), dtype=int32)\n(2,)"
        )

    def test_gradients(self):
        assert (
            enabled("""
            x = tf.constant([1.0, 2.0])
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x[[1, 1]].reshape(2, 1).T.astype(tf.float64) * np.array([2.0, 3.0]) + 1
            print(tape.gradient(y, x).tolist())
        """)
            == "[0.0, 5.0]"
        )

    def test_can_be_switched_off(self):
        assert (
            enabled("""
            tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="off")
            print(tf.Tensor.__lt__ is tf.less, tf.constant([1, 2]).T.tolist(), tf.constant([1, 2])[[1]].tolist())
        """)
            == "True [1, 2] [2]"
        )

    def test_in_a_graph(self):
        assert (
            enabled("""
            f = tf.function(lambda x: x[[1, 0]].T + tf.experimental.numpy.mean(x) * 2)
            print(f(tf.constant([[1, 2], [3, 4]])).tolist())
        """)
            == "[[8.0, 6.0], [9.0, 7.0]]"
        )


class TestLattice:
    KINDS = sorted({a for a, _ in promotion._RESULTS}, key=lambda kind: (kind[0].name, kind[1]))

    def test_order_does_not_matter(self):
        for (a, b), result in promotion._RESULTS.items():
            assert promotion._RESULTS[b, a] == result

    def test_a_type_with_itself(self):
        for kind in self.KINDS:
            assert promotion._RESULTS[kind, kind] == (kind, True)

    def test_weak_types_give_way(self):
        for kind in self.KINDS:
            if not kind[1] and kind[0].is_integer:
                assert promotion._RESULTS[kind, (tf.int32, True)] == (kind, True)
            if kind[0].is_floating and not kind[1]:
                assert promotion._RESULTS[kind, (tf.float64, True)] == (kind, True)

    def test_safe_promotions_keep_the_larger_type(self):
        for (a, b), (result, safe) in promotion._RESULTS.items():
            if safe and not a[1] and not b[1]:
                assert result in (a, b)

    def test_mode_safe_refuses(self):
        assert promotion.lattice_result("all", tf.int32, tf.float32) == (tf.float32, False)
        with pytest.raises(TypeError, match="mode PromoMode"):
            promotion.lattice_result("safe", tf.int32, tf.float32)

    def test_large_integers_have_no_type(self):
        with pytest.raises(OverflowError):
            promotion.lattice_result("all", 2**40)


class TestAutomatic:
    def test_values_are_weak(self):
        assert enabled(
            """
            x = tf.constant([1, 2])
            print(repr(x), x, type(x).__name__, isinstance(x, tf.Tensor), tf.is_tensor(x))
            print(tf.abs(-2), (x + 1.5).dtype.name, (x + tf.constant([1, 1], tf.int8)).dtype.name, len(x), int(x[0]))
        """,
            "all",
        ) == (
            "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32), weak=True> "
            "tf.Tensor([1 2], shape=(2,), dtype=int32, weak=True) EagerWeakTensor False True\n"
            "tf.Tensor(2, shape=(), dtype=int32, weak=True) float32 int8 2 1"
        )

    def test_functions_and_operators_promote(self):
        assert (
            enabled(
                """
            a, b = tf.constant([1, 2], tf.int8), tf.constant([1.5, 2], tf.float16)
            for x in (a + b, tf.multiply(a, b), tf.maximum(a, 2.5), a - 2.5, 2 * b, tf.math.divide(a, a), a == b):
                print(x.dtype.name, end=" ")
        """,
                "all",
            )
            == "float16 float16 float64 float64 float16 float32 bool"
        )

    def test_mode_safe(self):
        assert (
            enabled(
                """
            try:
                tf.constant([1], tf.int32) + tf.constant([1.5])
            except TypeError as error:
                print("PromoMode.SAFE" in str(error))
            print((tf.constant([1], tf.int32) + tf.constant([1])).dtype.name, (tf.constant([1], tf.int64) + 2).dtype.name)
        """,
                "safe",
            )
            == "True\nint32 int64"
        )

    def test_variables_keep_their_type(self):
        assert (
            enabled(
                """
            v = tf.Variable(2.0)
            v.assign_add(1)
            print(v.numpy())
            try:
                tf.Variable(2).assign(2.5)
            except TypeError as error:
                print(str(error)[:27])
        """,
                "all",
            )
            == "3.0\nVariable dtype is immutable"
        )

    def test_tapes_take_weak_tensors(self):
        assert (
            enabled(
                """
            x = tf.constant([1.0, 2.0])
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x
            print(tape.gradient(y, x))
        """,
                "all",
            )
            == "tf.Tensor([2. 4.], shape=(2,), dtype=float32, weak=True)"
        )

    def test_can_be_switched_back(self):
        assert json.loads(
            enabled(
                """
            import json
            tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="off")
            found = [type(tf.constant(1)).__name__, type(tf.abs(2)).__name__]
            try:
                tf.constant(1) + tf.constant(1.5)
            except tf.errors.InvalidArgumentError:
                found.append("refused")
            print(json.dumps(found))
        """,
                "all",
            )
        ) == ["EagerTensor", "EagerTensor", "refused"]
