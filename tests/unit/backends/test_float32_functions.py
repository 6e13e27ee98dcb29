"""Functions of float32: TensorFlow's bits, by NumPy and by machine code, in every size and layout."""

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.backends.cpu import float32_functions, native, parallel

# Recorded from TensorFlow 2.21: bits of arguments and of results in whole vectors of eight.
BITS = {
    "x": """
        3ff13f7a 3f836801 401204be 40b11748 3e830f2f 40853432 3c670504 3fa53fb8 4143cb11
        40dc413e c09aa449 bc57ced5 3f075c05 400a7720 4001610f 4116c976 401d2d1c c06dd83c
        bf873f71 3fb8b1e8 40bcff11 41581414 c1e26ccb 417c7e36 40a3f1d4 40074acb 3dc3423e
        3f268923 7f800000 ff800000 42b170a4 c2ae999a""",
    "exp": """
        40d2b5e9 4032a96b 411caafa 437d2d83 3fa5571b 42807abb 3f81d150 4068bb8b 4849767c
        4473e0df 3c028471 3f7ca66e 3fd930f3 410b3a40 40f199b0 46418132 413a81b5 3cc7418a
        3eb1fc3e 4087755f 43b7a462 4932f48a 2b0fbb1f 4ad9ce61 4327e22a 41047e2c 3f8ccdeb
        3ff551b8 7f800000 00000000 7f7f4647 0084c38b""",
    "log": """
        3f224064 3cd7269a 3f532965 3fdaffac bfae6c20 3fb68bec c0885eaf 3e82c6bf 4020493e
        3ff6eb17 ffffffff ffffffff bf232266 3f45908d 3f34306f 400f91e3 3f660313 ffffffff
        ffffffff 3ebbbcdc 3fe353b3 4026986a ffffffff 40309018 3fd12020 3f3fa134 c0166b35
        bedc24bd 7f800000 ffffffff 408f8919 ffffffff""",
    "log1p": """
        3f879bab 3f34d459 3f981aa1 3ff042a1 3e6961d9 3fd21ada 3c6567ef 3f5438c9 4025503a
        4004241c ffffffff bc593dea 3ed95162 3f936a6f 3f8d89dc 40160634 3f9ebad5 ffffffff
        ffffffff 3f64a89d 3ff75938 402b2aca ffffffff 40347ec0 3fe7f2c6 3f9164ce 3dba80c3
        3f0047db 7f800000 ffffffff 408fe4ea ffffffff""",
    "expm1": """
        40b2b5e9 3fe552d6 410caafa 437c2d83 3e955c6b 427cf576 3c68a7f0 4028bb8b 4849763c
        4473a0df bf7df5ee bc566494 3f3261e6 40f67480 40d199b0 46417d32 412a81b5 bf79c5f4
        bf2701e2 404eeabe 43b72462 4932f47b bf800000 4ad9ce5f 4326e22a 40e8fc58 3dccdeb0
        3f6aa370 7f800000 bf800000 7f7f4647 bf800000""",
    "sigmoid": """
        3f5e3f74 3f3c7b6e 3f684735 3f7efe2a 3f104b25 3f7c1375 3f00e704 3f48c909 3f7fffaf
        3f7fbce3 3c017c61 3efe5064 3f2112ab 3f659ce9 3f620efc 3f7ffab5 3f6bc604 3cc28647
        3e8412b5 3f4f1496 3f7f4e0d 3f7fffe9 2b0fbb22 3f7ffffe 3f7e7bf2 3f646a8b 3f0618e4
        3f2839ab 3f800000 00000000 3f800000 0084c38c""",
    "softplus": """
        4001ac2d 3faa98b8 40183df4 40b13793 3f544d32 4085b2bc 3f3341c3 3fc4586a 4143cb16
        40dc49a3 3c02000e 3f2fc3e6 3f7df82f 40116d6b 400956f5 4116c9cb 4022719c 3cc4df10
        3e98c0c5 3fd3d706 40bd1557 41581416 2b0fbb1f 417c7e36 40a4227b 400e96b4 3f3df0ac
        3f8902fc 7f800000 00000000 42b170a4 0084c38b""",
    "tanh": """
        3f747528 3f45c58e 3f7ab709 3f7ffdf5 3e804519 3f7fe03e 3c670119 3f5c00fc 3f800000
        3f7fffdd bf7ff7ae bc57cba4 3ef80658 3f79538e 3f772c3c 3f800000 3f7c426b bf7fb27f
        bf48cc59 3f64efea 3f7fff07 3f800000 bf800000 3f800000 3f7ffb5c 3f78a405 3dc2ab55
        3f127057 3f800000 bf800000 3f800000 bf800000""",
    "erf": """
        3f7e081a 3f5a7c19 3f7fade7 3f800000 3e90b797 3f800000 3c825489 3f6e9eff 3f800000
        3f800000 bf800000 bc737fc4 3f0b9f1b 3f7f6ec9 3f7ee967 3f800000 3f7fde48 bf7ffffc
        bf5d6a1f 3f756e0c 3f800000 3f800000 bf800000 3f800000 3f800000 3f7f48e9 3ddba8fe
        3f2475b8 3f800000 bf800000 3f800000 bf800000""",
    "elu": """
        3ff13f7a 3f836801 401204be 40b11748 3e830f2f 40853432 3c670504 3fa53fb8 4143cb11
        40dc413e bf7df5ee bc566480 3f075c05 400a7720 4001610f 4116c976 401d2d1c bf79c5f4
        bf2701e1 3fb8b1e8 40bcff11 41581414 bf800000 417c7e36 40a3f1d4 40074acb 3dc3423e
        3f268923 7f800000 bf800000 42b170a4 bf800000""",
}
PUBLIC = {
    **{name: getattr(tf.math, name) for name in ("exp", "log", "log1p", "expm1", "softplus")},
    **{name: getattr(tf.math, name) for name in ("sigmoid", "tanh", "erf", "erfc")},
    "elu": tf.nn.elu,
}
NAMES = [name for name in PUBLIC if name != "elu"]
# erfc divides by an instruction's estimate there, which depends on the processor.
RECORDED = [name for name in PUBLIC if name != "erfc"]
ROUNDED_ONCE = {"exp": np.exp, "log": np.log, "log1p": np.log1p, "expm1": np.expm1}
EDGES = [
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    1e-45,
    -1e-40,
    88.72,
    88.73,
    -87.4,
    -103.9,
    -104.1,
    3e38,
]


def bits(name):
    return np.array([int(word, 16) for word in BITS[name].split()], np.uint32)


@pytest.fixture
def compiled(monkeypatch):
    pytest.importorskip("llvmlite")
    monkeypatch.setattr(native, "_MANY", 0)


@pytest.fixture
def by_numpy(monkeypatch):
    monkeypatch.setattr(native, "_LEAST", 1 << 62)


def every_number(size):
    random = np.random.default_rng(1).integers(0, 2**32, size, dtype=np.uint32).view(np.float32)
    near = np.random.default_rng(2).normal(size=size).astype(np.float32) * 8
    return np.concatenate([np.array(EDGES, np.float32), random, near])


@pytest.mark.parametrize("mode", ["compiled", "by_numpy"])
@pytest.mark.parametrize("name", RECORDED)
def test_tensorflows_bits(name, mode, request):
    pytest.importorskip("llvmlite")
    request.getfixturevalue(mode)
    x, want = bits("x").view(np.float32), bits(name)
    for times in (1, 400):
        got = PUBLIC[name](tf.constant(np.tile(x, times))).numpy()
        want_all = np.tile(want, times).view(np.float32)
        assert np.array_equal(got, want_all, equal_nan=True)


@pytest.mark.parametrize("name", NAMES)
def test_machine_code_has_the_bits_of_the_formula(name, compiled, monkeypatch):
    x, function = every_number(40_000), float32_functions._FUNCTIONS[name]
    with np.errstate(all="ignore"):
        fast = function(x)
        monkeypatch.setattr(native, "_LEAST", 1 << 62)
        assert fast.tobytes() == function(x).tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_layouts(name, compiled):
    function = float32_functions._FUNCTIONS[name]
    x = np.random.default_rng(3).uniform(0.1, 3, (24, 40)).astype(np.float32)
    want = function(x)
    assert np.array_equal(function(np.asfortranarray(x)), want)
    assert np.array_equal(function(np.repeat(x, 2, 1)[:, ::2]), want)
    into = np.empty_like(x)
    assert function(x, into) is into and np.array_equal(into, want)
    assert function._native(x[:, ::5]).tobytes() == function._native(x[:, ::5].copy()).tobytes()
    assert function(x[:0]).shape == (0, 40)
    one = function(x[0, 0:1].reshape(()))
    assert one.shape == () and one.dtype == np.float32


@pytest.mark.parametrize("size", [1, 7, 13, 4_097, 100_003])
@pytest.mark.parametrize("name", ROUNDED_ONCE)
def test_elements_after_the_last_vector_are_rounded_once(name, size, compiled):
    x = np.random.default_rng(4).uniform(0.1, 3, size).astype(np.float32)
    rest = x[size - size % 8 :]
    want = ROUNDED_ONCE[name](rest.astype(np.float64)).astype(np.float32)
    assert np.array_equal(PUBLIC[name](x).numpy()[size - size % 8 :], want)


@pytest.mark.parametrize("shape", [(3, 7), (5_001,), (1_801, 101), (700_003,)])
@pytest.mark.parametrize("name", PUBLIC)
def test_traced_functions_have_the_same_bits(name, shape, monkeypatch, compiled):
    x = np.random.default_rng(5).uniform(0.1, 3, shape).astype(np.float32)
    row = tf.constant(x.reshape(-1)[: shape[-1]])
    body = lambda x: PUBLIC[name](x * 0.5 + row) * x
    want = body(tf.constant(x)).numpy()
    for threads in (1, 3):
        monkeypatch.setattr(parallel, "_allowed", threads)
        assert np.array_equal(tf.function(body)(tf.constant(x)).numpy(), want)


def test_calls_before_make_no_difference(monkeypatch):
    pytest.importorskip("llvmlite")
    function = float32_functions.Float32Function("exp", float32_functions.formulas.exp)
    monkeypatch.setattr(native, "_MANY", 3 * (native._CALL + 5_000))
    x = np.random.default_rng(6).normal(size=5_000).astype(np.float32)
    results = [function(x) for _ in range(6)]
    assert function._native._function is not None
    assert len({result.tobytes() for result in results}) == 1


def test_without_llvmlite(monkeypatch):
    monkeypatch.setattr(float32_functions, "is_installed", lambda: False)
    x = np.random.default_rng(7).normal(size=5_000).astype(np.float32)
    few = x[:100]
    for name, function in (("exp", np.exp), ("tanh", np.tanh), ("expm1", np.expm1)):
        assert float32_functions.host_function(name, x.dtype) is function
        assert np.array_equal(PUBLIC[name](x).numpy(), function(x))
        once = function(few.astype(np.float64)).astype(np.float32)
        assert np.array_equal(PUBLIC[name](few).numpy(), once)


def test_error_functions_have_the_formula_without_llvmlite(monkeypatch):
    x, want = bits("x").view(np.float32), bits("erf").view(np.float32)
    monkeypatch.setattr(float32_functions, "is_installed", lambda: False)
    assert np.array_equal(tf.math.erf(x).numpy(), want, equal_nan=True)
    got = tf.math.erfc(np.tile(x, 200)).numpy()  # NumPy's exponential is off by a few units
    np.testing.assert_allclose(got[:32], tf.math.erfc(x.astype("f8")), rtol=1e-6, atol=1e-38)
