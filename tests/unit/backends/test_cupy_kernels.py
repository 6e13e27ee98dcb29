"""The texts of the GPU's kernels for places, compiled for the host where there is a compiler: as NumPy computes."""

import ctypes

import numpy as np
import pytest

import twinflow as tf
from tests.compiling import HEADER, KNOWN, HostKernel, compiled
from twinflow._src.backends.gpu import cupy_compat
from twinflow._src.backends.gpu.kernels import conv, elementwise, gather_scatter
from twinflow._src.backends.gpu.kernels.elementwise import (
    FORMULAS,
    WRITTEN,
    formula_kernel,
    written_kernel,
)
from twinflow._src.backends.gpu.kernels.gather_scatter import Ufunc
from twinflow._src.backends.gpu.kernels.reductions import extreme_kernel
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


@pytest.mark.parametrize("type", FORMULAS)
def test_formulas(type):
    op, rng, char = OPS[type], np.random.default_rng(7), "f"
    special = [0, -0.0, np.inf, -np.inf, np.nan, 88, -88, 6, 1]
    given = [
        np.concatenate([3 * rng.normal(size=50), np.roll(special, 2 * i)]).astype(char)
        for i in range(len(op.kinds))
    ]
    with np.errstate(all="ignore"):
        expected = op.kernel(np, *given, **op.defaults)
    found = formula_kernel(HOST, type, op.kernel)(HOST, *given, **op.defaults)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-7)


@pytest.mark.parametrize("type", sorted(WRITTEN))
def test_written_kernels(type):
    op, rng = OPS[type], np.random.default_rng(8)
    special = [0, -0.0, np.inf, -np.inf, np.nan, 1, 2, -1, 1e-9, 1e9, 9.5, 40]
    for char in "fd":
        numbers = np.concatenate(
            [rng.gamma(2, 5, 60), rng.uniform(size=60), -5 * rng.uniform(size=20), special]
        )
        given = [rng.choice(numbers, 300).astype(char) for _ in op.kinds]
        with np.errstate(all="ignore"):
            expected = op.kernel(np, *given)
        found = written_kernel(HOST, type, op.kernel)(HOST, *given)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6 if char == "f" else 1e-12, atol=1e-13)


@pytest.mark.parametrize("type", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize(
    "row", [[1, 3, np.nan, 3], [np.nan, np.nan], [np.nan, -np.inf, np.inf], [-2, -2, -5, -5], [7]]
)
def test_places_of_extreme_elements(type, row):
    given = {}

    class Taken:
        ndarray = None

        def ReductionKernel(self, inputs, outputs, mapped, reduced, *rest, **options):
            given.update(mapped=mapped, reduced=reduced, **options)
            return min

    extreme_kernel(Taken(), type, None).settled(
        None, np.dtype("d"), np.asarray(0), output_type=tf.int64
    )
    code = f"""{KNOWN}{given["preamble"]}
extern "C" long long run(long long n, double *values) {{
    twinflow_place a = twinflow_place();
    for (long long i = n; i-- > -1;) {{ double element_ = i < 0 ? 0 : values[i]; long long _J = i; twinflow_place b = twinflow_place();
        if (i >= 0) b = {given["mapped"]}; a = {given["reduced"]}; }}
    return a.next - 1;
}}"""
    x = np.array(row, float)
    found = compiled(code, FOLDER, "-std=c++17", "-O0", header=HEADER).run(
        ctypes.c_longlong(len(x)), x.ctypes.data_as(ctypes.c_void_p)
    )
    assert found == OPS[type].kernel(np, x, np.asarray(0), output_type=tf.int64)


def test_formulas_leave_other_types_and_shapes_to_the_operation():
    grad, inputs = OPS["EluGrad"], (np.ones(3, "f"), np.ones(2, "f"))
    with pytest.raises(Exception, match="same size and shape"):
        formula_kernel(HOST, "EluGrad", grad.kernel)(np, *inputs)
    whole = formula_kernel(HOST, "SquaredDifference", OPS["SquaredDifference"].kernel)
    assert whole(np, np.arange(3), np.int64(1) + np.zeros(3, int)).tolist() == [1, 0, 1]


def test_the_rate_of_adam():
    rate, made = np.array([0.5], np.float32), np.array([6])
    found = cupy_compat._corrected_rate(HOST)(rate, made, np.float32(0.9), np.float32(0.999))
    np.testing.assert_allclose(found, 0.5 * np.sqrt(1 - 0.999**7) / (1 - 0.9**7), rtol=1e-4)


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


@pytest.mark.parametrize("type", sorted({*elementwise._PLAIN} - {"Cast"}) + ["SelectV2"])
def test_operations_within_blends(type):
    op, rng = OPS[type], np.random.default_rng(9)
    special = [0, -0.0, np.inf, -np.inf, np.nan, 1, 2, -1]
    for char in "fd":
        given = [
            np.concatenate([rng.normal(size=50), np.roll(special, 3 * i)]).astype(char)
            for i in range(len(op.kinds))
        ]
        chars = [char] * len(given)
        for i in range(len(given) if type.startswith("Logical") else type == "SelectV2"):
            given[i], chars[i] = given[i] > 0, "?"
        with np.errstate(all="ignore"):
            expected = op.kernel(np, *given)
        names = [(kind, f"x{i}_") for i, kind in enumerate(chars)]
        text = elementwise.line("t_", type, names, {}, expected.dtype.char)
        found = elementwise.kernel(
            HOST, "".join(chars), expected.dtype.char, f"{text} result0_ = t_;"
        )(*given)
        np.testing.assert_allclose(found, expected, rtol=2e-6 if char == "f" else 1e-14)


def test_products_and_sums_within_blends_are_rounded_each():
    x, y, z = (np.random.default_rng(i).normal(size=500).astype("f") for i in range(3))
    lines = (
        elementwise.line("a_", "Mul", [("f", "x0_"), ("f", "x1_")], {}, "f"),
        elementwise.line("b_", "AddV2", [("f", "a_"), ("f", "x2_")], {}, "f"),
    )
    found = elementwise.kernel(HOST, "fff", "f", "\n".join([*lines, "result0_ = b_;"]))(x, y, z)
    np.testing.assert_array_equal(found, x * y + z)


def test_types_within_blends():
    x = np.array([0, -0.0, 1e-40, 1.5, -3e38, 1e300, np.nan, np.inf])
    with np.errstate(all="ignore"):
        for source in ("f", "d", "?"):
            for wanted in ("f", "d", "?"):
                line = elementwise.line("t_", "Cast", [(source, "x0_")], {"dtype": wanted}, wanted)
                given = x.astype(source)
                found = elementwise.kernel(HOST, source, wanted, f"{line} result0_ = t_;")(given)
                np.testing.assert_array_equal(found, given.astype(wanted))
