"""Linear operators against dense algebra, and TensorFlow's classes, hints, errors and values."""

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.composite_tensors.component_specs import CompositeTensor

L = tf.linalg
_FULL = [[4.0, 1.0, 0.0], [1.0, 5.0, 2.0], [0.0, 2.0, 6.0]]
_TRIL = [[1.0, 0.0, 0.0], [2.0, 3.0, 0.0], [4.0, 5.0, 6.0]]
_SPD = {"is_self_adjoint": True, "is_positive_definite": True}


def _full(dtype):
    return L.LinearOperatorFullMatrix(tf.constant(_FULL, dtype))


def _diag(dtype):
    return L.LinearOperatorDiag(tf.constant([1.0, 2.0, 3.0], dtype))


def _tril(dtype):
    return L.LinearOperatorLowerTriangular(tf.constant(_TRIL, dtype))


def _batch(dtype):
    return L.LinearOperatorFullMatrix(tf.constant([_FULL, _TRIL], dtype))


OPERATORS = {
    "full": _full,
    "pd": lambda t: L.LinearOperatorFullMatrix(tf.constant(_FULL, t), **_SPD),
    "batch": _batch,
    "diag": _diag,
    "tril": _tril,
    "identity": lambda t: L.LinearOperatorIdentity(3, batch_shape=[2], dtype=t),
    "scaled": lambda t: L.LinearOperatorScaledIdentity(3, tf.constant([2.0, 3.0], t)),
    "composition": lambda t: L.LinearOperatorComposition([_batch(t), _tril(t)]),
    "adjoint": lambda t: L.LinearOperatorAdjoint(_tril(t)),
    "inversion": lambda t: L.LinearOperatorInversion(_full(t)),
    "kronecker": lambda t: L.LinearOperatorKronecker([_diag(t), _full(t), _batch(t)]),
    "low_rank": lambda t: L.LinearOperatorLowRankUpdate(
        _diag(t),
        tf.constant([[1.0, 1.0], [0.0, 1.0], [2.0, 0.0]], t),
        tf.constant([2.0, -0.5], t),
        tf.constant([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0]], t),
    ),
    "low_rank_pd": lambda t: L.LinearOperatorLowRankUpdate(
        L.LinearOperatorDiag(tf.constant([1.0, 2.0, 3.0], t), **_SPD),
        tf.constant([[1.0], [0.0], [2.0]], t),
    ),
    "block_diag": lambda t: L.LinearOperatorBlockDiag([_batch(t), _diag(t)]),
    "block_lower": lambda t: L.LinearOperatorBlockLowerTriangular(
        [[_batch(t)], [_full(t), _tril(t)], [_tril(t), _diag(t), _full(t)]]
    ),
    "toeplitz": lambda t: L.LinearOperatorToeplitz(
        tf.constant([5.0, 2.0, 3.0], t), tf.constant([5.0, 4.0, 1.0], t)
    ),
    "tridiagonal": lambda t: L.LinearOperatorTridiag(
        tf.constant([[1.0, 2.0, 0.0], [4.0, 5.0, 6.0], [0.0, 1.0, 3.0]], t)
    ),
    "permutation": lambda t: L.LinearOperatorPermutation([[2, 0, 1], [0, 2, 1]], dtype=t),
    "householder": lambda t: L.LinearOperatorHouseholder(tf.constant([1.0, 2.0, 3.0], t)),
    "circulant": lambda t: L.LinearOperatorCirculant(
        tf.constant([1.0, 2.0, 2.0], t), input_output_dtype=t
    ),
}
CIRCULANT = {
    "circulant": lambda: L.LinearOperatorCirculant(
        tf.constant([1 + 1j, 2.0, 3 - 2j], tf.complex128), input_output_dtype=tf.complex128
    ),
    "circulant_2d": lambda: L.LinearOperatorCirculant2D(
        tf.constant([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]], tf.float64),
        input_output_dtype=tf.complex128,
    ),
    "circulant_3d": lambda: L.LinearOperatorCirculant3D(
        tf.reshape(tf.range(1.0, 9.0, dtype=tf.float64), [2, 2, 2]),
        input_output_dtype=tf.complex128,
    ),
}


def _dense(operator):
    return operator.to_dense().numpy()


def _cases():
    for name, make in OPERATORS.items():
        for dtype in (tf.float64, tf.complex128):
            yield pytest.param(
                lambda make=make, dtype=dtype: make(dtype), id=f"{name}-{dtype.name}"
            )
    for name, make in CIRCULANT.items():
        yield pytest.param(make, id=name)


def _adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


@pytest.mark.parametrize("make", list(_cases()))
def test_methods_are_those_of_the_dense_matrix(make):
    operator = make()
    dense, dtype = _dense(operator), operator.dtype
    assert operator.shape == dense.shape
    assert list(operator.shape_tensor().numpy()) == list(dense.shape)
    size = dense.shape[-1]
    x = np.random.default_rng(1).normal(size=(size, 2)).astype(dtype.as_numpy_dtype)
    for adjoint in (False, True):
        matrix = _adjoint(dense) if adjoint else dense
        np.testing.assert_allclose(operator.matmul(x, adjoint=adjoint), matrix @ x, atol=1e-9)
        np.testing.assert_allclose(
            operator.matmul(_adjoint(x), adjoint=adjoint, adjoint_arg=True), matrix @ x, atol=1e-9
        )
        np.testing.assert_allclose(
            operator.matvec(x[:, 0], adjoint=adjoint), matrix @ x[:, 0], atol=1e-9
        )
        solution = np.linalg.inv(matrix) @ x
        np.testing.assert_allclose(operator.solve(x, adjoint=adjoint), solution, atol=1e-8)
        np.testing.assert_allclose(
            operator.solvevec(x[:, 0], adjoint=adjoint), solution[..., 0], atol=1e-8
        )
    np.testing.assert_allclose(operator.determinant(), np.linalg.det(dense), rtol=1e-8)
    logarithm = np.linalg.slogdet(dense)[1]
    np.testing.assert_allclose(operator.log_abs_determinant(), logarithm, atol=1e-8)
    np.testing.assert_allclose(operator.trace(), np.trace(dense, axis1=-2, axis2=-1), atol=1e-9)
    diagonal = np.diagonal(dense, axis1=-2, axis2=-1)
    np.testing.assert_allclose(operator.diag_part(), diagonal, atol=1e-9)
    np.testing.assert_allclose(operator.add_to_tensor(np.ones_like(dense)), dense + 1, atol=1e-9)
    np.testing.assert_allclose(_dense(operator.inverse()), np.linalg.inv(dense), atol=1e-8)
    np.testing.assert_allclose(_dense(operator.H), _adjoint(dense), atol=1e-9)
    np.testing.assert_allclose(operator.cond(), np.linalg.cond(dense), rtol=1e-7)
    operator.assert_non_singular()


@pytest.mark.parametrize("make", list(_cases()))
def test_operators_are_composite_tensors(make):
    operator = make()
    dense = _dense(operator)
    parts = tf.nest.flatten(operator, expand_composites=True)
    again = tf.nest.pack_sequence_as(operator, parts, expand_composites=True)
    assert type(again) is type(operator) and again._type_spec == operator._type_spec
    np.testing.assert_array_equal(_dense(again), dense)
    traced = tf.function(lambda o: (o, o.to_dense()))
    result, inside = traced(operator)
    assert type(result) is type(operator)
    np.testing.assert_allclose(inside, dense, atol=1e-9)
    np.testing.assert_allclose(_dense(result), dense, atol=1e-9)


@pytest.mark.parametrize("name", ["pd", "low_rank_pd"])
def test_cholesky_factor(name):
    operator = OPERATORS[name](tf.float64)
    factor = operator.cholesky()
    np.testing.assert_allclose(_dense(factor @ factor.H), _dense(operator), atol=1e-9)
    np.testing.assert_allclose(operator.eigvals(), np.linalg.eigvalsh(_dense(operator)), atol=1e-9)


def _hints(operator):
    shown = {True: "T", False: "F", None: "-"}
    hints = operator.is_non_singular, operator.is_self_adjoint, operator.is_positive_definite
    return "".join(shown[hint] for hint in (*hints, operator.is_square))


# The product, its hints and its name as TensorFlow 2.21 returns them.
PRODUCTS = [
    ("diag", "diag", "Diag", "-T-T"),
    ("diag", "tril", "LowerTriangular", "---T"),
    ("tril", "diag", "LowerTriangular", "---T"),
    ("diag", "full", "Composition", "---T"),
    ("full", "eye", "FullMatrix", "---T"),
    ("eye", "pd", "FullMatrix", "TTTT"),
    ("seye", "seye", "ScaledIdentity", "-T-T"),
    ("seye", "diag", "Diag", "-T-T"),
    ("full", "zeros", "Zeros", "FTFT"),
    ("pd", "pd", "Composition", "TTTT"),
    ("low", "low", "Composition", "-T-T"),
    ("circulant", "circulant", "Circulant", "-T-T"),
]


def _operands():
    return {
        "diag": _diag(tf.float32),
        "tril": _tril(tf.float32),
        "full": _full(tf.float32),
        "pd": OPERATORS["pd"](tf.float32),
        "eye": L.LinearOperatorIdentity(3),
        "seye": L.LinearOperatorScaledIdentity(3, 2.0),
        "zeros": L.LinearOperatorZeros(3),
        "low": L.LinearOperatorLowRankUpdate(_diag(tf.float32), [[1.0], [0.0], [2.0]], [1.5]),
        "circulant": OPERATORS["circulant"](tf.float32),
    }


@pytest.mark.parametrize(("left", "right", "name", "hints"), PRODUCTS)
def test_class_and_hints_of_products(left, right, name, hints):
    operands = _operands()
    product = operands[left] @ operands[right]
    assert type(product).__name__ == f"LinearOperator{name}"
    assert _hints(product) == hints
    dense = _dense(operands[left]) @ _dense(operands[right])
    np.testing.assert_allclose(_dense(product), dense, rtol=1e-5, atol=1e-5)


def test_names():
    full, diag = _full(tf.float32), _diag(tf.float32)
    assert (full @ diag).name == "LinearOperatorFullMatrix_o_LinearOperatorDiag"
    assert full.H.name == "LinearOperatorFullMatrix_adjoint"
    assert full.inverse().name == "LinearOperatorFullMatrix_inv"
    assert L.LinearOperatorKronecker([full, diag]).name.count("_x_") == 1
    assert L.LinearOperatorBlockDiag([full, diag]).name.count("_ds_") == 1


_ERRORS = [
    (
        lambda: L.LinearOperatorDiag([1.0], is_self_adjoint=False),
        ValueError,
        "A real diagonal operator is always self adjoint.",
    ),
    (
        lambda: L.LinearOperatorFullMatrix(_FULL, is_non_singular=False, is_positive_definite=True),
        ValueError,
        "A positive definite matrix is always non-singular.",
    ),
    (
        lambda: L.LinearOperatorFullMatrix([[1, 2], [3, 4]]),
        TypeError,
        "Argument `matrix` must have dtype in [tf.float16, tf.float32, tf.float64, tf.complex64, "
        "tf.complex128]. Received: <dtype: 'int32'>.",
    ),
    (
        lambda: L.LinearOperatorFullMatrix([[1.0, 2.0]]).determinant(),
        NotImplementedError,
        "Determinant not implemented for an operator that is expected to not be square.",
    ),
    (
        lambda: L.LinearOperatorZeros(2).solve([[1.0], [2.0]]),
        NotImplementedError,
        "Exact solve not implemented for an operator that is expected to be singular.",
    ),
    (
        lambda: _full(tf.float32).matmul([[1.0], [2.0]]),
        ValueError,
        "Dimensions 3 and 2 are not compatible",
    ),
    (
        lambda: _diag(tf.float32) @ L.LinearOperatorDiag([1.0, 2.0]),
        ValueError,
        "Operators are incompatible. Expected `x` to have dimension 3 but got 2.",
    ),
    (
        lambda: _full(tf.float32).matvec(tf.constant([1.0, 2.0, 3.0], tf.float64)),
        TypeError,
        "Expected argument to have dtype <dtype: 'float32'>.  Found: <dtype: 'float64'> in tensor "
        "tf.Tensor([1. 2. 3.], shape=(3,), dtype=float64)",
    ),
    (
        lambda: _full(tf.float32).cholesky(),
        ValueError,
        "Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix.",
    ),
    (
        lambda: L.LinearOperatorPermutation([0, 0, 1]),
        ValueError,
        "Argument `perm` must be a vector of unique integers from 0 to 2.",
    ),
    (
        lambda: L.LinearOperatorBlockLowerTriangular([[_diag(tf.float32)], [_diag(tf.float32)]]),
        ValueError,
        "Argument `operators[1]` must contain `2` blocks. Received: 1 blocks.",
    ),
    (
        lambda: tf.matmul(_full(tf.float32), _FULL, transpose_a=True),
        ValueError,
        "Transposing not supported at this time.",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), _ERRORS)
def test_errors_have_tensorflows_words(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == text


def test_functions_of_linalg_take_operators():
    full, pd = _full(tf.float64), OPERATORS["pd"](tf.float64)
    dense, x = _dense(full), np.ones((3, 2))
    np.testing.assert_allclose(tf.matmul(full, x), dense @ x)
    np.testing.assert_allclose(x.T @ dense, tf.matmul(tf.constant(x.T), full))
    np.testing.assert_allclose(tf.constant(x.T) @ full, x.T @ dense)
    np.testing.assert_allclose(tf.linalg.solve(full, x), np.linalg.solve(dense, x))
    np.testing.assert_allclose(tf.linalg.det(full), np.linalg.det(dense))
    np.testing.assert_allclose(tf.linalg.logdet(pd), np.linalg.slogdet(dense)[1])
    np.testing.assert_allclose(tf.linalg.trace(full), 15)
    np.testing.assert_allclose(tf.linalg.diag_part(full), [4, 5, 6])
    assert isinstance(tf.linalg.inv(full), L.LinearOperatorInversion)
    assert isinstance(tf.linalg.adjoint(full), L.LinearOperatorAdjoint)
    assert isinstance(tf.linalg.cholesky(pd), L.LinearOperatorLowerTriangular)


def test_blocks_are_taken_and_returned_as_lists():
    full, tril = _full(tf.float64), _tril(tf.float64)
    operator = L.LinearOperatorBlockLowerTriangular([[full], [tril, tril], [full, full, full]])
    blocks = [tf.ones([3, 2], tf.float64) * i for i in (1, 2, 3)]
    whole = tf.concat(blocks, 0)
    product = operator.matmul(blocks)
    assert isinstance(product, list) and len(product) == 3
    np.testing.assert_allclose(tf.concat(product, -2), operator.matmul(whole))
    np.testing.assert_allclose(
        tf.concat(operator.solve(blocks, adjoint=True), -2), operator.solve(whole, adjoint=True)
    )
    np.testing.assert_allclose(
        tf.concat(operator.matvec([b[:, 0] for b in blocks]), -1), operator.matvec(whole[:, 0])
    )


def test_slices_of_the_batch():
    operator = L.LinearOperatorToeplitz(tf.ones([4, 3, 2]), tf.reshape(tf.range(6.0), [3, 2]))
    dense = _dense(operator)
    np.testing.assert_array_equal(_dense(operator[1]), dense[1])
    np.testing.assert_array_equal(_dense(operator[..., 2]), dense[:, 2])
    np.testing.assert_array_equal(_dense(operator[:, tf.newaxis, ::2]), dense[:, None, ::2])
    assert L.LinearOperatorIdentity(2, [3, 4])[1:, 0].shape == [2, 2, 2]


def test_gradients_of_operators_and_variables():
    variable = tf.Variable([1.0, 2.0, 4.0])
    operator = L.LinearOperatorDiag(variable)
    assert operator.trainable_variables == (variable,)
    with tf.GradientTape() as tape:
        result = operator.log_abs_determinant()
    np.testing.assert_allclose(tape.gradient(result, variable), [1.0, 0.5, 0.25])
    compute = tf.function(lambda o: o.log_abs_determinant())
    with tf.GradientTape() as tape:
        result = compute(operator)
    np.testing.assert_allclose(tape.gradient(result, variable), [1.0, 0.5, 0.25])
    full = _full(tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(full)
        result = full.log_abs_determinant()
    gradient = tape.gradient(result, full)
    assert isinstance(gradient, L.LinearOperatorFullMatrix)
    np.testing.assert_allclose(_dense(gradient), np.linalg.inv(_dense(full)).T)


def test_unknown_sizes_in_functions():
    spec = tf.TensorSpec([None, None], tf.float64)

    @tf.function(input_signature=[spec, spec])
    def compute(matrix, x):
        full = L.LinearOperatorFullMatrix(matrix)
        both = L.LinearOperatorKronecker(
            [full, L.LinearOperatorIdentity(tf.shape(x)[0], dtype=x.dtype)]
        )
        blocks = L.LinearOperatorBlockDiag([full, full])
        return full.solve(x), both.to_dense(), blocks.matmul(tf.concat([x, x], 0)), both.trace()

    matrix, x = np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([[1.0], [2.0]])
    solution, kronecker, product, trace = compute(matrix, x)
    np.testing.assert_allclose(solution, np.linalg.solve(matrix, x))
    np.testing.assert_allclose(kronecker, np.kron(matrix, np.eye(2)))
    np.testing.assert_allclose(product, np.concatenate([matrix @ x] * 2))
    np.testing.assert_allclose(trace, 14)


def test_loops_and_conditions_carry_operators():
    start = L.LinearOperatorDiag([2.0, 3.0])
    _, end = tf.while_loop(lambda i, o: i < 3, lambda i, o: (i + 1, o @ o), (0, start))
    np.testing.assert_array_equal(end.diag, [256.0, 6561.0])

    @tf.function
    def choose(condition):
        return tf.cond(condition, lambda: start, lambda: L.LinearOperatorDiag([2.0, 4.0]))

    np.testing.assert_array_equal(choose(tf.constant(False)).diag, [2.0, 4.0])


def test_subclasses_need_two_methods():
    class Twice(L.LinearOperator):
        def __init__(self):
            super().__init__(tf.float32, is_square=True)

        def _shape(self):
            return tf.TensorShape([2, 2])

        def _matmul(self, x, adjoint=False, adjoint_arg=False):
            return 2 * (tf.linalg.adjoint(x) if adjoint_arg else x)

    operator = Twice()
    np.testing.assert_array_equal(operator.to_dense(), 2 * np.eye(2))
    np.testing.assert_array_equal(operator.solve([[2.0], [4.0]]), [[1.0], [2.0]])
    assert (operator @ operator).name == "Twice_o_Twice"
    with pytest.raises(TypeError, match="abstract"):
        L.LinearOperator(tf.float32)


def test_assertions():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Diagonal contained zero values"):
        L.LinearOperatorDiag([0.0, 1.0]).assert_non_singular()
    with pytest.raises(tf.errors.InvalidArgumentError, match="not equal to its adjoint"):
        _tril(tf.float32).assert_self_adjoint()
    with pytest.raises(NotImplementedError, match="assert_positive_definite is not implemented"):
        _full(tf.float32).assert_positive_definite()
    OPERATORS["pd"](tf.float32).assert_positive_definite()


def test_conjugate_gradient():
    operator = OPERATORS["pd"](tf.float64)
    rhs = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 1.0]])
    state = L.experimental.conjugate_gradient(operator, rhs, tol=1e-12)
    assert state.i == 3
    np.testing.assert_allclose(state.x, np.linalg.solve(np.array(_FULL), rhs.T).T)
    jacobi = L.LinearOperatorDiag(tf.constant([1 / 4, 1 / 5, 1 / 6], tf.float64))
    state = L.experimental.conjugate_gradient(
        operator, rhs[0], preconditioner=jacobi, x=tf.zeros([3], tf.float64), max_iter=2
    )
    np.testing.assert_allclose(state.x, [0.1826842, 0.19092369, 0.44045794], rtol=1e-6)
    with pytest.raises(ValueError, match="Expected a self-adjoint, positive definite operator"):
        L.experimental.conjugate_gradient(_full(tf.float64), rhs)


class Softened(tf.Module):
    """A module that acts as a tensor: a function of a variable."""

    def __init__(self, value):
        super().__init__()
        self.variable = tf.Variable(value)

    @property
    def dtype(self):
        return self.variable.dtype

    @property
    def shape(self):
        return self.variable.shape


tf.register_tensor_conversion_function(
    Softened, lambda value, dtype=None, name=None, as_ref=False: tf.exp(value.variable)
)


def test_modules_that_act_as_tensors_are_read_late():
    diag = Softened([0.0, 1.0])
    operator = tf.linalg.LinearOperatorDiag(diag)
    assert operator.diag is diag and operator.variables == (diag.variable,)
    diag.variable.assign([0.0, 2.0])
    with tf.GradientTape() as tape:
        y = operator.matvec([1.0, 3.0])
    np.testing.assert_allclose(y, [1.0, 3 * np.exp(2.0)], rtol=1e-6)
    expected = [1.0, 3 * np.exp(2.0)]
    np.testing.assert_allclose(tape.gradient(y, diag.variable), expected, rtol=1e-6)


def test_functions_pass_variables_of_operators_on():
    traces = []

    @tf.function
    def trace(operator):
        traces.append(1)
        return operator.trace()

    v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
    assert float(trace(tf.linalg.LinearOperatorDiag(v))) == 3.0
    v.assign([5.0, 6.0])
    assert float(trace(tf.linalg.LinearOperatorDiag(v))) == 11.0
    assert float(trace(tf.linalg.LinearOperatorDiag(w))) == 7.0 and len(traces) == 1


def test_the_class_of_operators_is_composite_tensor():
    assert isinstance(tf.linalg.LinearOperatorIdentity(2), CompositeTensor)
    assert issubclass(tf.linalg.LinearOperator, CompositeTensor)
