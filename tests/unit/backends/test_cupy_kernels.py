"""The texts of the GPU's kernels for places, compiled for the host where there is a compiler: as NumPy computes."""

import numpy as np
import pytest

import twinflow as tf
from tests.compiling import HostKernel
from twinflow._src.backends.gpu import cupy_compat
from twinflow._src.backends.gpu.kernels import conv, elementwise, gather_scatter
from twinflow._src.backends.gpu.kernels.elementwise import elementwise_kernel
from twinflow._src.backends.gpu.kernels.gather_scatter import Ufunc
from twinflow._src.dispatch.op import OPS
from twinflow._src.ops.conv.geometry import Geometry, convolve_backprop_input
from twinflow._src.ops.conv.max_pool import _to_largest


class _Host:
    """NumPy in CuPy's place, with kernels."""

    def ElementwiseKernel(self, *given, **options):
        return HostKernel(FOLDER, *given, **options)

    def __getattr__(self, name):
        return getattr(np, name)


FOLDER, HOST = None, _Host()


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    global FOLDER
    FOLDER = tmp_path_factory.mktemp("kernels")


def combined():
    """The functions and types of which the hardware combines elements."""
    for name in gather_scatter.COMBINED:
        for char in "?bHilLfdFD":
            dtype = np.dtype(char)
            odd = (name == "true_divide" and dtype.kind in "iub") or (
                dtype.kind == "b" and name in ("subtract", "floor_divide")
            )
            odd = (
                odd
                or (dtype.kind == "c" and name not in ("add", "subtract"))
                or (dtype.kind == "f" and name == "floor_divide")
            )
            if not odd:
                yield pytest.param(name, dtype, id=f"{name}-{dtype.name}-{char}")


@pytest.mark.parametrize(("name", "dtype"), list(combined()))
def test_updates_of_places(name, dtype):
    rng = np.random.default_rng(3)
    signs = 1 if dtype.kind in "bu" else rng.choice([-1, 1], 60)
    values = (rng.integers(1, 6, 60) * signs).astype(dtype)
    if dtype.kind == "f":
        values[[3, 40]] = np.nan
    target, updates = values[:24].reshape(2, 4, 3), values[24:].reshape(12, 3)
    where = rng.integers(0, 2, 12), rng.integers(-2, 6, 12)
    kept = (where[1] >= 0) & (where[1] < 4)
    expected, got = target.copy(), target.copy()
    with np.errstate(all="ignore"):
        getattr(np, name).at(expected, (where[0][kept], where[1][kept]), updates[kept])
    function = Ufunc(HOST, getattr(np, name))
    function.__name__ = name  # NumPy's true_divide calls itself otherwise
    function.at(got, where, updates)
    np.testing.assert_array_equal(got, expected)


def test_places_outside():
    x = np.arange(24.0).reshape(2, 3, 4)
    places = np.array([[2, -1], [3, 0]], np.int32)
    found = gather_scatter.take_inside(HOST)(x, places, 1)
    np.testing.assert_array_equal(found[:, 0, 0], x[:, 2])
    np.testing.assert_array_equal(found[:, 1, 1], x[:, 0])
    assert not found[:, 0, 1].any() and not found[:, 1, 0].any()
    where = np.array([0, 1, 2]), np.array([1, 3, 0], np.int32)
    picked = gather_scatter.pick_inside(HOST)(x, where)
    np.testing.assert_array_equal(picked, [x[0, 1], np.zeros(4), np.zeros(4)])
    gather_scatter.replace_inside(HOST)(x, where, np.full((3, 4), -1.0))
    assert (x == -1).sum() == 4 and (x[0, 1] == -1).all()


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64"])
def test_remainders_of_integers(dtype):
    info = np.iinfo(dtype)
    x = np.array([info.max, info.min, info.max - 1, 7, 0], dtype)
    y = np.array([2, 3, 5, 4, 9], dtype)
    np.testing.assert_array_equal(cupy_compat._fmod(HOST)(x, y), np.fmod(x, y))


FORMULAS = [type for type, op in sorted(OPS.items()) if op.cuda]
TRACED = [type for type, op in sorted(OPS.items()) if op.cuda == ""]


@pytest.mark.parametrize("char", "fd")
def test_formulas(char):
    """All formulas as one kernel: as the operations' own kernels."""
    rng, special = np.random.default_rng(7), [0, -0.0, np.inf, -np.inf, np.nan, 88, -88, 6, 1]
    floats = [
        np.concatenate([3 * rng.normal(size=50), np.roll(special, 2 * i)]).astype(char)
        for i in range(2)
    ]
    flags = [rng.random(59) < 0.5 for _ in range(2)]
    lines, expected = [], []
    for i, type in enumerate(FORMULAS):
        op, given, operands = OPS[type], [], []
        for kind in op.kinds:
            source = flags if kind.only is not None else floats
            at = sum(source is other for other, _ in given)
            given.append((source, source[at]))
            operands.append(("?", f"x{2 + at}_") if source is flags else (char, f"x{at}_"))
        operands += [(char, elementwise.literal(x, char)) for x in op.defaults.values()]
        with np.errstate(all="ignore"):
            expected.append(op.kernel(np, *(array for _, array in given), **op.defaults))
        lines.append(elementwise.statement(op, f"v{i}_", operands, expected[-1].dtype.char))
        lines.append(f"result{i}_ = v{i}_;")
    results = "".join(x.dtype.char for x in expected)
    kernel = elementwise.compiled(HOST, f"{char}{char}??", results, "\n".join(lines), f"all_{char}")
    for type, found, known in zip(FORMULAS, kernel(*floats, *flags), expected, strict=True):
        np.testing.assert_allclose(found, known, rtol=2e-5, atol=1e-7, err_msg=type)


def test_rules_are_traced():
    """A function of arrays becomes one kernel, rounded at each step like the functions of NumPy."""

    def rule(xp, x, y, rate):
        z = xp.add(xp.multiply(x, 0.9), xp.square(y))
        step = xp.where(xp.greater(x, y), xp.sign(z), z)
        return xp.subtract(x, rate * step / xp.sqrt(xp.absolute(z) + 1e-7)), xp.maximum(z, y)

    x, y = np.random.default_rng(2).normal(size=(2, 70)).astype("f")
    x[3], rate = np.nan, np.float32(0.3)
    found = elementwise.fused(HOST)(rule, "twinflow_rule")(x, y, rate)
    for one, other in zip(found, rule(np, x, y, rate), strict=True):
        assert one.dtype == other.dtype == np.float32
        np.testing.assert_array_equal(one, other)
    whole = elementwise.fused(HOST)(lambda xp, x: xp.square(x), "twinflow_rule")
    assert whole(np.arange(3)).tolist() == [0, 1, 4]


@pytest.mark.parametrize("type", TRACED)
def test_traced_kernels(type):
    op, rng = OPS[type], np.random.default_rng(8)
    special = [0, -0.0, np.inf, -np.inf, np.nan, 1, 2, -1, 1e-9, 1e9, 9.5, 40]
    for char in "fd":
        numbers = np.concatenate(
            [rng.gamma(2, 5, 60), rng.uniform(size=60), -5 * rng.uniform(size=20), special]
        )
        given = [rng.choice(numbers, 300).astype(char) for _ in op.kinds]
        with np.errstate(all="ignore"):
            expected = op.kernel(np, *given)
        found = elementwise_kernel(HOST, op)(HOST, *given)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6 if char == "f" else 1e-12, atol=1e-13)


def test_formulas_leave_other_types_and_shapes_to_the_operation():
    inputs = np.ones(3, "f"), np.ones(2, "f")
    with pytest.raises(tf.errors.InvalidArgumentError, match="same size and shape"):
        elementwise_kernel(HOST, OPS["EluGrad"])(np, *inputs)
    whole = elementwise_kernel(HOST, OPS["SquaredDifference"])
    assert whole(np, np.arange(3), np.int64(1) + np.zeros(3, int)).tolist() == [1, 0, 1]


GEOMETRIES = [
    ((7, 6), (3, 2), (2, 1), (1, 1), ((1, 1), (0, 1))), ((5, 5), (2, 2), (2, 2), (1, 1), ((0, 0), (0, 0))),
    ((9, 8), (3, 3), (1, 2), (2, 1), ((2, 2), (1, 0))),
]  # fmt: skip


@pytest.mark.parametrize("sizes", GEOMETRIES, ids=str)
def test_windows(sizes):
    size, kernel, strides, dilations, pads = sizes
    outputs = tuple(
        (n + sum(p) - (k - 1) * d - 1) // s + 1
        for n, k, s, d, p in zip(size, kernel, strides, dilations, pads, strict=True)
    )
    g, rng = Geometry(size, kernel, strides, dilations, outputs, pads), np.random.default_rng(5)
    filters, dy = rng.normal(size=(*kernel, 3, 4)), rng.normal(size=(2, *outputs, 4))
    columns = dy.reshape(-1, 4) @ filters.reshape(-1, 4).T
    np.testing.assert_allclose(
        conv.gather_windows(HOST)(columns, 2, 3, g), convolve_backprop_input(np, dy, filters, g)
    )
    x, changes = rng.integers(0, 4, (2, *size, 3)).astype(float), rng.normal(size=(2, *outputs, 3))
    np.testing.assert_allclose(conv.to_largest(HOST)(x, changes, g), _to_largest(np, x, changes, g))


def test_products_and_sums_of_one_kernel_are_rounded_each():
    x, y, z = (np.random.default_rng(i).normal(size=500).astype("f") for i in range(3))
    lines = (
        elementwise.statement(OPS["Mul"], "v0_", [("f", "x0_"), ("f", "x1_")], "f"),
        elementwise.statement(OPS["AddV2"], "v1_", [("f", "v0_"), ("f", "x2_")], "f"),
        "result0_ = v1_;",
    )
    found = elementwise.compiled(HOST, "fff", "f", "\n".join(lines), "twinflow_chain")(x, y, z)
    np.testing.assert_array_equal(found, x * y + z)
