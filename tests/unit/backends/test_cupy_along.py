"""The texts of the GPU's kernels that go along dimensions, run by threads of the host where there is a compiler: as NumPy computes."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

import twinflow as tf
from tests.compiling import HostGroups
from twinflow._src.backends.gpu.kernels import reductions
from twinflow._src.backends.gpu.kernels.reductions import (
    FUNCTIONS,
    SOFTMAX,
    Kernel,
    Reduction,
    arg_kernel,
    layout,
    reduction_kernel,
    softmax_kernel,
)
from twinflow._src.dispatch.op import OPS

LETTERS = {"Any": "?", "All": "?", "Mean": "fd", "Sum": "fdbBhHiIlL", "Prod": "flL"}
CASES = [
    (type, char) for type in FUNCTIONS for char in LETTERS.get(type, "fdbBlL") if type != "L2Loss"
]
SHAPES = [(), (1,), (5,), (300,), (3, 8), (8, 1, 3), (2, 3, 4, 5), (70, 33), (2, 1100)]


class _Host:
    """NumPy in CuPy's place, with kernels."""

    ndarray, ascontiguousarray = np.ndarray, staticmethod(np.ascontiguousarray)

    def __init__(self, folder):
        self.folder, self.launched = folder, 0

    def RawKernel(self, code, name, options=()):
        made = HostGroups(self.folder, code, name)

        def run(*args):
            self.launched += 1
            made(*args)

        return run


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    return _Host(tmp_path_factory.mktemp("along"))


def refused(*args, **options):
    raise AssertionError("no kernel of ours")


def alone(type, kernel=refused):
    """An op of which only the generated kernel is to run."""
    return SimpleNamespace(type=type, kernel=kernel)


def values(type, char, shape):
    rng = np.random.default_rng(4)
    if char in "fd":
        return rng.normal(size=shape).astype(char)
    return rng.integers(0, 2 if char == "?" else 100, shape).astype(char)


@pytest.mark.parametrize(("type", "char"), CASES, ids=map("-".join, CASES))
def test_as_the_operation(host, type, char):
    kernel = reduction_kernel(host, alone(type))
    for shape in SHAPES:
        x = values(type, char, shape)
        for first, last in itertools.combinations(range(x.ndim + 1), 2):
            axis = np.arange(first, last) - x.ndim
            for keepdims in (False, True):
                found = kernel(np, x, axis, keepdims=keepdims)
                expected = OPS[type].kernel(np, x, axis, keepdims=keepdims)
                assert found.dtype == expected.dtype and found.shape == expected.shape
                np.testing.assert_allclose(
                    found,
                    expected,
                    rtol={"f": 2e-6, "d": 1e-14}.get(char, 0),
                    atol={"f": 1e-5, "d": 1e-13}.get(char, 0),
                )
        np.testing.assert_array_equal(kernel(np, x, keepdims=True).shape, (1,) * x.ndim)


@pytest.mark.parametrize("char", "fd")
def test_half_of_sums_of_squares(host, char):
    for shape in SHAPES:
        x = values("L2Loss", char, shape)
        found, expected = (
            kernel(np, x)
            for kernel in (reduction_kernel(host, alone("L2Loss")), OPS["L2Loss"].kernel)
        )
        assert found.dtype == expected.dtype and found.shape == ()
        np.testing.assert_allclose(found, expected, rtol=1e-6 if char == "f" else 1e-14)


@pytest.mark.parametrize("char", "fd")
def test_numbers_that_are_none_and_infinite_ones(host, char):
    rows = [
        [1, np.nan, 2],
        [np.nan, 1, 3],
        [np.inf, 1, 2],
        [-np.inf, -np.inf, -np.inf],
        [np.inf, -np.inf, 0],
        [-0.0, -0.0, -0.0],
    ]
    x, axis = np.array(rows, char), np.array(1)
    for type in ("Sum", "Mean", "Prod", "Max", "Min"):
        with np.errstate(all="ignore"):
            expected = OPS[type].kernel(np, x, axis)
        found = reduction_kernel(host, alone(type))(np, x, axis)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(np.signbit(found[5]), np.signbit(expected[5]))


@pytest.mark.parametrize("result", [tf.int32, tf.int64])
@pytest.mark.parametrize("type", ["ArgMax", "ArgMin"])
def test_places_of_extreme_elements(host, type, result):
    x = np.random.default_rng(2).integers(0, 4, (5, 40, 3)).astype("f")
    x[0, 7, 0], x[1, :, 1], x[2, 3:, 2], x[3, 9, 0] = np.nan, np.nan, -np.inf, np.inf
    for char, shape in itertools.product("fd", (x.shape, (600,), (20, 30))):
        y = x.astype(char).reshape(shape)
        for axis in map(np.array, range(-1, y.ndim)):
            found = arg_kernel(host, alone(type))(np, y, axis, output_type=result)
            expected = OPS[type].kernel(np, y, axis, output_type=result)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)


def test_sums_are_as_exact_as_sums_of_pairs(host):
    x = np.random.default_rng(1).random((4, 8000)).astype("f")
    found, exact = reduction_kernel(host, alone("Sum"))(np, x, np.array(1)), x.sum(1, dtype="d")
    assert np.abs(found - exact).max() <= 2 * np.spacing(exact.astype("f")).max()


def test_groups_take_several_parts(host, monkeypatch):
    monkeypatch.setattr(reductions, "_MAX_BLOCKS", 3)
    layout.cache_clear()
    for shape, axis in (((1000, 5), 1), ((5, 1000), 0), ((4, 700, 3), 1)):
        x = values("Sum", "d", shape)
        np.testing.assert_allclose(
            reduction_kernel(host, alone("Sum"))(np, x, np.array(axis)), x.sum(axis), rtol=1e-13
        )
    layout.cache_clear()


def test_what_is_left_to_others():
    assert (
        layout((1 << 20,), (0,)) is None
        and layout((2, 3, 4), (0, 2)) is None
        and layout((1 << 11, 1 << 10), (1,)) is None
    )
    assert layout((2, 1, 4), (0, 2)) is not None and layout((0, 3), (1,)) is None
    seen = []
    kernel = lambda xp, x, axis, keepdims: seen.append(x.shape)
    run = reduction_kernel(type("NumPy", (), {"ndarray": np.ndarray}), alone("Sum", kernel))
    run(np, np.ones((0, 3), "f"), np.array(1))
    run(np, np.ones((2, 3), "f"), np.array([0, 0]))
    run(np, np.ones((2, 3), "f"), np.array(2))
    run(np, np.ones((2, 3), "F"), np.array(1))
    run(np, np.ones((4, 6), "i")[:, ::2], np.array(1))  # CuPy has other ways to it
    assert seen == [(0, 3), (2, 3), (2, 3), (2, 3), (4, 3)]
    np.testing.assert_array_equal(run(np, np.ones((4, 6), "f")[:, ::2], np.array(1)), [3] * 4)


def test_a_kernel_of_several_steps(host):
    kernel = Kernel(
        "twinflow_try",
        (("f", True), ("f", False)),
        (("f", True), ("f", False)),
        (
            Reduction("Max", "f", "most", "x0_"),
            Reduction(
                "Sum",
                "f",
                "whole",
                "exp(x0_ - most) * x1_",
                "const float result1_ = log(whole) + x1_;",
            ),
        ),
        "const float result0_ = x0_ - whole;",
    )
    for shape, axis in (((3, 70), 1), ((70, 3), 0)):
        x, y = values("Sum", "f", shape), np.arange(1.0, 4.0, dtype="f")
        found, rows = np.empty(shape, "f"), np.empty(3, "f")
        layout(shape, (axis,)).launch(host, kernel, x, y, found, rows)
        whole = np.exp(x - x.max(axis)[:, None] if axis else x - x.max(0)).sum(axis) * y
        np.testing.assert_allclose(rows, np.log(whole) + y, rtol=1e-5)
        np.testing.assert_allclose(
            found, x - (whole[:, None] if axis else whole), rtol=1e-4, atol=1e-5
        )


@pytest.mark.parametrize("width", [1, 17, 9000])
@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("type", sorted(SOFTMAX))
def test_softmax_and_cross_entropies(host, type, char, width):
    rng = np.random.default_rng(2)
    x = 4 * rng.normal(size=(6, width)).astype(char)
    if width == 17:
        x[1, 3], x[2, 0], x[3] = np.nan, np.inf, -np.inf
    labels = rng.random(x.shape).astype(char)
    if type.startswith("Sparse"):
        labels = np.array([0, 5, 16, 3, 2, 9]) % width
    given = (x, labels) if "Entropy" in type else (x,)
    with np.errstate(all="ignore"):
        expected = OPS[type].kernel(np, *given)
    found = softmax_kernel(host, alone(type))(np, *given)
    assert isinstance(found, list) == ("Entropy" in type)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_allclose(
            one, other, rtol=1e-4 if char == "f" else 1e-11, atol=1e-5 if char == "f" else 1e-12
        )


def test_labels_outside_have_no_loss(host):
    kernel = softmax_kernel(host, alone("SparseSoftmaxCrossEntropyWithLogits"))
    losses, slopes = kernel(np, np.ones((3, 2), "f"), np.array([-1, 2, 1]))
    assert np.isnan(losses).tolist() == [True, True, False] == np.isnan(slopes[:, 0]).tolist()
