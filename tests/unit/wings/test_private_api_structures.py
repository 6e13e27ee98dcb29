"""Private functions of nested structures, specs, signatures and deprecation, against what TensorFlow 2.21 answered."""

import collections
import functools
import importlib
import inspect
import logging

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.api.private_names import find

PYTHON = "tensorflow.python"
Pair = collections.namedtuple("Pair", "a b")


def of(module, *names):
    return [find(f"{PYTHON}.{module}.{name}") for name in names]


# ------------------------------------------------------------------ nest


UP_TO, WITH_PATHS = of("util.nest", "flatten_up_to", "flatten_with_tuple_paths")
LENGTHS = (
    "The two structures don't have the same sequence length. Input structure has length {}, while "
    "shallow structure has length {}."
)


@pytest.mark.parametrize(
    ("shallow", "tree", "expected"),
    [
        ([1, 2], [[3], {"a": 4}], [[3], {"a": 4}]),
        (0, [1, 2], [[1, 2]]),
        (Pair(1, 2), Pair([1], 2), [[1], 2]),
        ({"b": 1, "a": 2}, {"b": [1, 2], "a": (3,)}, [(3,), [1, 2]]),
    ],
)
def test_flatten_up_to(shallow, tree, expected):
    assert UP_TO(shallow, tree) == expected


@pytest.mark.parametrize(
    ("shallow", "tree", "error", "text"),
    [
        ([1], [1, 2], ValueError, LENGTHS.format(2, 1)),
        ([1, 2, 3], [1, 2], ValueError, LENGTHS.format(2, 3)),
        ({"a": 1}, {"a": 1, "b": 2}, ValueError, LENGTHS.format(2, 1)),
        ([1, [2]], [1, 2], TypeError, "must also be a sequence. Input has type: <class 'int'>."),
        ([1], (1,), TypeError, "structure has type <class 'tuple'>, while shallow structure has"),
        ({"a": 1}, {"b": 1}, ValueError, r"keys that are not in the input_tree: ['a']."),
        ([1, 2], "ab", TypeError, "If shallow structure is a sequence, input must also be"),
    ],
)
def test_structures_that_do_not_fit(shallow, tree, error, text):
    with pytest.raises(error) as caught:
        UP_TO(shallow, tree)
    assert text in str(caught.value)


def test_maps_up_to_a_structure():
    up_to, paths_up_to, paths = of(
        "util.nest",
        "map_structure_up_to",
        "map_structure_with_tuple_paths_up_to",
        "map_structure_with_tuple_paths",
    )
    pair = lambda *values: values
    assert UP_TO([1], (1,), check_types=False) == [1]
    assert up_to([1, 2], pair, [1, 2], [[3], 4]) == [(1, [3]), (2, 4)]
    tree = {"b": [1, 2], "a": Pair(3, 4)}
    assert paths_up_to({"b": 1, "a": 2}, pair, tree) == {
        "b": (("b",), [1, 2]),
        "a": (("a",), Pair(3, 4)),
    }
    assert paths(pair, [1, 2], [3, [4]]) == [((0,), 1, 3), ((1,), 2, [4])]
    with pytest.raises(ValueError, match="Cannot map over no sequences"):
        up_to([1], pair)
    expected = [(("a", "a"), 3), (("a", "b"), 4), (("b", 0), 1), (("b", 1), 2)]
    assert WITH_PATHS(tree) == expected and WITH_PATHS(3) == [((), 3)]
    (flat_paths,) = of("util.nest", "yield_flat_paths")
    assert list(flat_paths(tree)) == [path for path, _ in expected]


def test_shallow_structures_by_a_function():
    (shallow,) = of("util.nest", "get_traverse_shallow_structure")
    assert shallow(lambda s: not isinstance(s, tuple), [1, (2, 3), [4]]) == [True, False, [True]]
    assert shallow(lambda s: False, [1]) is False
    with pytest.raises(TypeError, match="returned a non-bool scalar: 3 for input"):
        shallow(lambda s: 3, [1])
    with pytest.raises(TypeError, match=r"depth=1 structure of bools.  saw: \[3\]"):
        shallow(lambda s: [3], [[1]])
    with pytest.raises(ValueError, match="Input structure has length 2"):
        shallow(lambda s: [True], [[1], 2])


def test_children_of_structures():
    named, like, items, values = of(
        "util.nest", "_is_namedtuple", "_sequence_like", "_yield_sorted_items", "_yield_value"
    )
    assert named(Pair(1, 2)) and not named((1,))
    assert like(Pair(1, 2), [3, 4]) == Pair(3, 4)
    assert like({"b": 1, "a": 2}, [3, 4]) == {"b": 4, "a": 3}
    assert list(items({"b": 1, "a": 2})) == [("a", 2), ("b", 1)]
    assert list(items(Pair(1, 2))) == [("a", 1), ("b", 2)] and list(values([5, 6])) == [5, 6]
    assert tf.__internal__.nest.list_to_tuple([[1], {"a": [2]}]) == ((1,), {"a": (2,)})


# ------------------------------------------------------------------ specs


def test_specs_of_variables():
    VariableSpec, from_value = of("ops.resource_variable_ops", "VariableSpec")[0], None
    (from_value,) = of("framework.type_spec", "type_spec_from_value")
    (dense,) = of("framework.tensor_spec", "DenseSpec")
    spec, v = VariableSpec([2]), tf.Variable([1.0, 2.0])
    assert repr(spec) == "VariableSpec(shape=(2,), dtype=tf.float32, trainable=True, alias_id=None)"
    assert spec == VariableSpec([2]) and hash(spec) == hash(VariableSpec([2]))
    assert spec.is_compatible_with(v) and not spec.is_compatible_with(VariableSpec([3]))
    assert spec.is_subtype_of(VariableSpec([None])) and not VariableSpec([None]).is_subtype_of(spec)
    assert spec.most_specific_common_supertype([VariableSpec([3])]) == VariableSpec([None])
    assert from_value(v) == VariableSpec.from_value(v) == spec and isinstance(spec, dense)
    assert spec._from_components(spec._to_components(v))._handle is v._handle
    convert = of("util.variable_utils", "convert_variables_to_tensors")[0]
    converted = convert([v, {"a": v}, 3])
    assert tf.is_tensor(converted[0]) and not isinstance(converted[1]["a"], tf.Variable)
    assert converted[2] == 3


def test_specs_of_batches():
    (batchable,) = of("framework.type_spec", "BatchableTypeSpec")
    for spec in (
        tf.TensorSpec([2], tf.int32),
        tf.RaggedTensorSpec([2, None], tf.int32),
        tf.SparseTensorSpec([2], tf.int32),
    ):
        assert isinstance(spec, batchable)
        assert spec._batch(3).shape.as_list()[0] == 3 and spec._batch(3)._unbatch() == spec
        assert spec._with_tensor_ranks_only().shape.as_list() == [None] * spec.shape.rank
    named = tf.TensorSpec([2], tf.int32, name="x")
    assert named._without_tensor_names() == tf.TensorSpec([2], tf.int32)


def test_static_values_as_shapes():
    as_shape, value = of(
        "framework.tensor_util", "constant_value_as_shape", "try_evaluate_constant"
    )
    assert as_shape(tf.constant([1, -1, 2])).as_list() == [1, None, 2]
    assert as_shape(tf.constant([], tf.int32)).as_list() == []
    with pytest.raises(AttributeError):
        as_shape([1, 2])

    @tf.function
    def traced(x):
        assert as_shape(tf.shape(x)).as_list() == [None, 2]
        assert as_shape(tf.concat([tf.shape(x), [3]], 0)).as_list() == [None, 2, 3]
        assert value(tf.constant([1, 2]) + 1).tolist() == [2, 3]
        assert value(tf.shape(x)) is None and value(x + 1) is None
        assert value(tf.reduce_prod(tf.shape(tf.zeros([2, 3])))) == 6

    traced.get_concrete_function(tf.TensorSpec([None, 2]))


class Scaled(tf.__internal__.CompositeTensor):
    """A value and a factor, which may be a variable, in a dictionary of components."""

    def __init__(self, value, factor):
        self.value, self.factor = value, factor

    @property
    def _type_spec(self):
        (variable_spec,) = of("ops.resource_variable_ops", "VariableSpec")
        is_variable = isinstance(self.factor, tf.Variable)
        factor = (variable_spec if is_variable else tf.TensorSpec)(self.factor.shape, tf.float32)
        return ScaledSpec(tf.TensorSpec(self.value.shape, self.value.dtype), factor)

    def _convert_variables_to_tensors(self):
        return Scaled(tf.convert_to_tensor(self.value), tf.convert_to_tensor(self.factor))


class ScaledSpec(tf.TypeSpec):
    __slots__ = ("_specs",)

    def __init__(self, value, factor):
        self._specs = {"value": value, "factor": factor}

    value_type = Scaled
    _component_specs = property(lambda self: self._specs)

    def _serialize(self):
        return self._specs["value"], self._specs["factor"]

    def _to_components(self, value):
        return {"value": value.value, "factor": value.factor}

    def _from_components(self, components):
        return Scaled(**components)


def test_composite_arguments_with_variables():
    traces = []

    @tf.function
    def total(x, v):
        traces.append(1)
        return x.value * x.factor + v

    v, w = tf.Variable(3.0), tf.Variable(5.0)
    assert float(total(Scaled(tf.constant(2.0), v), w)) == 11.0
    v.assign(4.0)
    assert float(total(Scaled(tf.constant(2.0), v), w)) == 13.0
    assert float(total(Scaled(tf.constant(2.0), w), v)) == 14.0
    assert len(traces) == 1
    assert float(total(Scaled(tf.constant(2.0), w), w)) == 15.0  # an alias
    assert len(traces) == 2
    with tf.GradientTape() as tape:
        y = total(Scaled(tf.constant(2.0), v), w)
    assert [float(g) for g in tape.gradient(y, [v, w])] == [2.0, 1.0]


def test_functions_assign_variables_of_composite_arguments():
    @tf.function
    def double(x):
        x.factor.assign(x.factor * 2.0)
        return Scaled(x.value + 1.0, x.factor)

    v = tf.Variable(3.0)
    result = double(Scaled(tf.constant(2.0), v))
    assert float(v) == 6.0 and float(result.value) == 3.0 and float(result.factor) == 6.0
    assert not isinstance(result.factor, tf.Variable)


@pytest.mark.parametrize("is_traced", [False, True])
def test_loops_over_composites_with_variables(is_traced):
    def loop(x):
        body = lambda i, s: (i + 1, Scaled(s.value * s.factor, s.factor))
        return tf.while_loop(lambda i, s: i < 3, body, [0, x])[1].value

    call = tf.function(loop) if is_traced else loop
    assert float(call(Scaled(tf.constant(1.0), tf.Variable(2.0)))) == 8.0
    assert float(call(Scaled(tf.constant(1.0), tf.constant(3.0)))) == 27.0


def test_conditionals_that_return_composites():
    @tf.function
    def choose(x, p):
        return tf.cond(p, lambda: x, lambda: Scaled(-x.value, x.factor)).value

    x = Scaled(tf.constant(2.0), tf.constant(3.0))
    assert [float(choose(x, tf.constant(p))) for p in (True, False)] == [2.0, -2.0]


# ------------------------------------------------------------------ signatures, deprecation


def test_signatures():
    (spec,) = of("util.tf_inspect", "getfullargspec")
    assert spec(tf.rank)[:4] == (["input", "name"], None, None, (None,))
    assert spec(tf.reduce_sum).args == ["input_tensor", "axis", "keepdims", "name"]
    assert spec(functools.partial(lambda a, b, c=3: 0, 1)).args == ["b", "c"]
    keywords = spec(functools.partial(lambda a, b, c=3: 0, b=2))
    assert keywords.args == ["a"] and keywords.kwonlydefaults == {"b": 2, "c": 3}

    class Callable:
        def __call__(self, a):
            pass

    assert spec(Callable()).args == ["self", "a"] == spec(Callable().__call__).args
    assert spec(tf.function(lambda a, b=1: 0))[:4] == (["a", "b"], None, None, (1,))
    with pytest.raises(TypeError, match="unsupported callable"):
        spec(3)

    @functools.wraps(lambda self, a: 0)
    def wrapper(self):
        """A test whose argument ``functools.partial`` or another decorator passes."""

    assert spec(wrapper).args == ["self"]


def test_deprecation(caplog):
    deprecated, alias, args, values, silence = of(
        "util.deprecation",
        "deprecated",
        "deprecated_alias",
        "deprecated_args",
        "deprecated_arg_values",
        "silence",
    )

    @deprecated("2030-01-02", "Use g.")
    def old(x):
        """Returns x.

        Args:
          x: A value.
        """
        return x

    assert old.__doc__ == (
        "Returns x. (deprecated)\n\nDeprecated: THIS FUNCTION IS DEPRECATED. It will be removed after "
        "2030-01-02.\nInstructions for updating:\nUse g.\n\nArgs:\n  x: A value."
    )
    with caplog.at_level(logging.WARNING, "tensorflow"):
        with silence():
            assert old(1) == 1
        assert not caplog.records
        assert old(1) == old(1) == 1
    assert len(caplog.records) == 1
    assert "is deprecated and will be removed after 2030-01-02" in caplog.text
    assert inspect.signature(old).parameters.keys() == {"x"}

    @args(None, "Use b.", "a", ("b", None))
    def f(x, a=1, b=None):
        return x

    @values(None, "Use g.", a=True)
    def g(x, a=1):
        return x

    caplog.clear()
    with caplog.at_level(logging.WARNING, "tensorflow"):
        assert f(1) == f(1, b=None) == g(1) == g(1, a=2) == 1 and not caplog.records
        assert f(1, b=3) == g(1, a=True) == 1 and len(caplog.records) == 2
        assert alias("old", "new", lambda x: x + 1)(1) == 2
    assert "The name old is deprecated. Please use new instead." in caplog.text
    for call, text in (
        (lambda: deprecated("x", "y"), "Date must be in format YYYY-MM-DD. Received: x"),
        (lambda: deprecated(None, ""), "Don't deprecate things without conversion instructions!"),
        (lambda: args(None, "x"), "Specify which argument is deprecated."),
        (lambda: args(None, "x", "zz")(lambda a: a), r"not present in the function signature: \["),
        (lambda: deprecated(None, "x")(3), "3 is not a function. If this is a property"),
    ):
        with pytest.raises(ValueError, match=text):
            call()


# ------------------------------------------------------------------ operations


def test_case_helper():
    (case,) = of("ops.control_flow_case", "_case_helper")
    pairs = lambda x: [(x < 0, lambda: -1), (x > 5, lambda: 1)]
    for call in (
        lambda x: case(tf.cond, pairs(x), lambda: 0, False, None),
        tf.function(lambda x: case(tf.cond, pairs(x), lambda: 0, True, None)),
    ):
        assert [int(call(tf.constant(x))) for x in (-1, 3, 9)] == [-1, 0, 1]
    with pytest.raises(TypeError, match="pred must be Tensor, got True"):
        case(tf.cond, [(True, lambda: 1)], None, False, None)


def test_pfor():
    (pfor,) = of("ops.parallel_for.control_flow_ops", "pfor")
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    body = lambda i: tf.reduce_sum(tf.gather(x, i))
    np.testing.assert_array_equal(pfor(body, 3), [3.0, 7.0, 11.0])
    np.testing.assert_array_equal(tf.function(lambda n: pfor(body, n))(tf.constant(2)), [3.0, 7.0])


def test_sums_of_linear_operators():
    (add,) = of("ops.linalg.linear_operator_addition", "add_operators")
    identity = tf.linalg.LinearOperatorIdentity(2)
    diagonal = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    triangular = tf.linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [2.0, 3.0]])
    full = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    for operators, kind in (
        ([identity, identity], tf.linalg.LinearOperatorScaledIdentity),
        ([identity, diagonal], tf.linalg.LinearOperatorDiag),
        ([triangular, diagonal], tf.linalg.LinearOperatorLowerTriangular),
        ([triangular, diagonal, full], tf.linalg.LinearOperatorFullMatrix),
    ):
        (total,) = add(operators)
        assert type(total) is kind
        expected = sum(operator.to_dense().numpy() for operator in operators)
        np.testing.assert_array_equal(total.to_dense(), expected)


def test_gradients_that_are_prevented():
    (prevent,) = of("ops.array_ops", "prevent_gradient")
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = prevent(x, message="no")
    assert float(y) == 1.0
    with pytest.raises(LookupError, match=r"Gradient explicitly disabled\. Reason: b'no'"):
        tape.gradient(y, x)


def test_exported_names():
    export, name_of, by_name = of(
        "util.tf_export", "keras_export", "get_canonical_name_for_symbol", "get_symbol_from_name"
    )

    @export("keras.Foo", "keras.bar.Foo")
    class Foo:
        pass

    assert name_of(Foo, api_name="keras") == "keras.Foo" and by_name("keras.Foo") is Foo
    assert name_of(tf.nn.relu) == "nn.relu" and name_of(tf.reduce_sum) == "math.reduce_sum"
    assert name_of(print) is None and by_name("zzz") is None
    assert by_name("nn.relu") is tf.nn.relu


def test_dispatch():
    dispatch = tf.__internal__.dispatch

    class Mine:
        pass

    @dispatch.add_dispatch_support
    def f(x):
        return tf.abs(x)

    class Handler(dispatch.OpDispatcher):
        def handle(self, args, kwargs):
            return "mine" if isinstance(args[0], Mine) else self.NOT_SUPPORTED

    assert int(f(-1)) == 1
    with pytest.raises((TypeError, ValueError)):
        f(Mine())
    Handler().register(f)
    assert f(Mine()) == "mine" and int(f(-2)) == 2


def test_functions_that_are_compiled_know_it():
    (is_compiled,) = of("ops.control_flow_util", "GraphOrParentsInXlaContext")
    seen = []

    def body(x):
        seen.append(is_compiled(tf.compat.v1.get_default_graph()))
        return tf.cond(x > 0, lambda: inner(x), lambda: x)

    def inner(x):
        seen.append(is_compiled(tf.compat.v1.get_default_graph()))
        return x

    tf.function(body)(tf.constant(1))
    tf.function(body, jit_compile=True)(tf.constant(1))
    assert seen == [False, False, True, True]


def test_public_functions_ask_dispatchers_where_they_fail(monkeypatch, request):
    dispatchers = importlib.import_module("twinflow._src.wings.private_api.dispatchers")
    signature_errors = importlib.import_module("twinflow._src.dispatch.signature_errors")
    monkeypatch.setattr(dispatchers, "_GLOBAL", [])
    signature_errors.FALLBACKS.clear()
    request.addfinalizer(signature_errors.FALLBACKS.clear)
    dispatch, (name_of,) = (
        tf.__internal__.dispatch,
        of("util.tf_export", "get_canonical_name_for_symbol"),
    )

    class Symbol:
        shape, dtype = tf.TensorShape([2, 2]), tf.float32

    for operator in ("__add__", "__rtruediv__", "__matmul__", "__getitem__", "__neg__"):
        setattr(Symbol, operator, getattr(tf.Tensor, operator))
    calls = (
        (lambda x: tf.nn.relu(x), "nn.relu"),
        (lambda x: tf.reduce_mean(x, 1), "math.reduce_mean"),
        (lambda x: tf.concat([x, x], 0), "concat"),
        (lambda x: tf.einsum("ij->ji", x), "linalg.einsum"),
        (lambda x: tf.clip_by_value(x, 0.0, 1.0), "clip_by_value"),
        (lambda x: x + 1.0, "math.add"),
        (lambda x: 1.0 / x, "math.divide"),
        (lambda x: x @ tf.ones([2, 2]), "linalg.matmul"),
        (lambda x: x[:, 0], "__operators__.getitem"),
    )
    for call, _ in calls:
        with pytest.raises((TypeError, ValueError)):
            call(Symbol())

    class Recorder(dispatch.GlobalOpDispatcher):
        def handle(self, op, args, kwargs):
            flat = tf.nest.flatten([args, kwargs])
            is_symbol = any(isinstance(value, Symbol) for value in flat)
            return name_of(op) if is_symbol else self.NOT_SUPPORTED

    Recorder().register()
    for call, name in calls:
        assert call(Symbol()) == name
    with pytest.raises(ValueError):
        tf.nn.relu(object())
    assert tf.nn.relu(-1.0) == 0.0
