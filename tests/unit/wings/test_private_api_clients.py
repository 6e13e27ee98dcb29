"""Private names of TensorFlow that tf_agents, spektral and other libraries use, against TensorFlow 2.21's answers."""

import copy
import functools
import pickle
import sys
import types
from collections import namedtuple

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.api.private_names import find

PYTHON = "tensorflow.python"


def look_up(path):
    value = find(f"{PYTHON}.{path}")
    assert value is not None, path
    return value


BoundedTensorSpec = look_up("framework.tensor_spec.BoundedTensorSpec")


# ------------------------------------------------------------------ metrics of the process


def test_gauges_have_a_value_by_labels():
    gauge = look_up("eager.monitoring.BoolGauge")("/a", "Whether.", "method")
    assert gauge.get_cell("x").value() is False
    gauge.get_cell("x").set(3)
    assert gauge.get_cell("x").value() is True and gauge.get_cell("y").value() is False
    with pytest.raises(ValueError, match="The BoolGauge expects taking 1 labels"):
        gauge.get_cell()
    with pytest.raises(ValueError, match="Cannot create BoolGauge metric with label >= 3"):
        look_up("eager.monitoring.BoolGauge")("/a", "", *"abcd")
    assert look_up("eager.monitoring.IntGauge")("/b", "").get_cell().value() == 0
    assert look_up("eager.monitoring.StringGauge")("/c", "").get_cell().value() == ""


def test_counters_grow():
    counter = look_up("eager.monitoring.Counter")("/a", "Calls.", "name")
    for count in (3, 2):
        counter.get_cell("x").increase_by(count)
    assert counter.get_cell("x").value() == 5 and counter.get_cell("y").value() == 0


# ------------------------------------------------------------------ specs with bounds


def test_bounds_broadcast_to_the_shape():
    spec = BoundedTensorSpec([2, 3], tf.float32, 0, [1, 2, 3], name="n")
    assert repr(spec) == (
        "BoundedTensorSpec(shape=(2, 3), dtype=tf.float32, name='n', "
        "minimum=array(0., dtype=float32), maximum=array([1., 2., 3.], dtype=float32))"
    )
    assert not spec.minimum.flags.writeable and spec.maximum.dtype == np.float32
    for minimum, maximum, text in (
        (None, 1, "`minimum` can not be None"),
        (0, None, "`maximum` can not be None"),
        ([1, 2, 3], 1, r"`minimum` \[1, 2, 3\] is not compatible with shape \(None, 2\)"),
    ):
        with pytest.raises(ValueError, match=text):
            BoundedTensorSpec([None, 2], tf.float32, minimum, maximum)
    assert BoundedTensorSpec(None, tf.int32, [-1], 5).shape.rank is None


def test_bounded_specs_are_compared_with_their_bounds():
    a, b = (BoundedTensorSpec([2], tf.float32, 0, top) for top in (1, 2))
    wider = BoundedTensorSpec([None], tf.float32, 0, 1)
    assert a == copy.copy(a) and hash(a) == hash(copy.copy(a)) and a != b
    assert a != tf.TensorSpec([2]) and tf.TensorSpec([2]) != b
    assert a.is_subtype_of(b) and a.is_subtype_of(wider) and not wider.is_subtype_of(a)
    assert a.most_specific_common_supertype([b]) is None
    assert a.most_specific_common_supertype([wider]) == wider
    with pytest.raises(ValueError, match="No TypeSpec is compatible with both"):
        a.most_specific_compatible_type(b)
    assert pickle.loads(pickle.dumps(a)) == a


def test_bounds_of_other_specs():
    spec = BoundedTensorSpec.from_spec(tf.TensorSpec([2], tf.int32, name="q"))
    assert spec.minimum == -(2**31) and spec.maximum == 2**31 - 1 and spec.name == "q"
    assert BoundedTensorSpec.from_spec(spec) == spec
    array = types.SimpleNamespace(shape=(2,), dtype=np.dtype("int32"), name="q", minimum=-3)
    assert BoundedTensorSpec.from_spec(array).minimum == -3
    assert type(tf.TensorSpec.from_spec(spec)) is tf.TensorSpec
    assert BoundedTensorSpec.from_tensor(tf.ones(2)) == tf.TensorSpec([2])
    double = tf.function(lambda x: x * 2, input_signature=[BoundedTensorSpec([2], "float32", 0, 1)])
    assert double([9.0, 1.0]).numpy().tolist() == [18.0, 2.0]


def test_structures_are_coded():
    coder = functools.partial("saved_model.nested_structure_coder.{}".format)
    encode, decode = look_up(coder("encode_structure")), look_up(coder("decode_proto"))
    bounded = BoundedTensorSpec([2, 3], tf.float32, 0, [1, 2, 3], name="n")
    value = {"a": (1, bounded), "b": [tf.TensorSpec([None], tf.int32, name="q"), None, "x", True]}
    proto = encode(value)
    message = proto.dict_value.fields["a"].tuple_value.values[1].bounded_tensor_spec_value
    assert message.maximum.tensor_content == np.float32([1, 2, 3]).tobytes()
    assert decode(proto) == value
    with pytest.raises(look_up(coder("NotEncodableError")), match="No encoder for object"):
        encode(object())


# ------------------------------------------------------------------ functions and structures


class Caller:
    def __init__(self, x, y=1):
        """Has parameters."""

    def __call__(self, z):
        """Has another one."""


@pytest.mark.parametrize(
    "function, expected",
    [
        (lambda a, b=2, *c, **d: 0, (["a", "b"], "c", "d", (2,))),
        (lambda a, *, k=1: 0, (["a", "k"], None, None, (1,))),
        (lambda a, *, k: 0, (["a", "k"], None, None, None)),
        (Caller, (["self", "x", "y"], None, None, (1,))),
        (Caller(1), (["self", "z"], None, None, None)),
        (functools.partial(lambda a, b, c=3: 0, 1), (["b", "c"], None, None, (3,))),
    ],
)
def test_parameters_as_python_2_had_them(function, expected):
    spec = look_up("util.tf_inspect.getargspec")(function)
    assert spec == expected and spec._fields == ("args", "varargs", "keywords", "defaults")


def test_maps_with_paths():
    map_with_paths = look_up("util.nest.map_structure_with_paths")
    tree = {"a": [1, 2], "b": 3}
    doubled = map_with_paths(lambda path, x, y: (path, x + y), tree, tree)
    assert doubled == {"a": [("a/0", 2), ("a/1", 4)], "b": ("b", 6)}
    assert map_with_paths(lambda path, x: path, 3) == ""


def test_lists_are_leaves_of_datasets():
    flatten, pack = look_up("data.util.nest.flatten"), look_up("data.util.nest.pack_sequence_as")
    assert flatten({"b": 1, "a": [2, 3], "c": (4, {"z": None})}) == [[2, 3], 1, 4, None]
    assert flatten([1, 2]) == [[1, 2]] and pack((1, {"a": 2}), [5, 6]) == (5, {"a": 6})


def test_seeds_by_a_text():
    new_seed = look_up("ops.distributions.util.gen_new_seed")
    assert new_seed(7, "a") == 1605809426
    assert new_seed(123456789, salt="episodic") == 742715207 and new_seed(None, "a") is None


def test_attributes_that_are_not_tracked():
    module, v = tf.Module(), tf.Variable(1.0)
    with look_up("trackable.base.no_automatic_dependency_tracking_scope")(module):
        module.a = [v]
    module.b = [v]
    assert type(module.a) is list and set(module._trackable_children()) == {"b"}


def test_names_are_removed_from_a_module(monkeypatch):
    module = types.ModuleType("listed", "Text.\n\n@@a\n")
    vars(module).update(a=1, b=2, c=3, _d=4)
    monkeypatch.setitem(sys.modules, "listed", module)
    look_up("util.all_util.remove_undocumented")("listed", ["c"])
    assert [name for name in dir(module) if not name.startswith("__")] == ["_d", "a", "c"]


# ------------------------------------------------------------------ tensors


def test_active_tapes_are_asked():
    should_record = look_up("eager.record.should_record_backprop")
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        assert should_record([tf.constant(2.0), x]) and should_record([x * 2.0])
        assert not should_record([tf.constant(2.0)]) and not should_record([])
    assert not should_record([x])


def test_texts_of_elements():
    text = look_up("framework.ops.numpy_text")
    x = tf.constant([[1.0, 2.0]])
    assert (text(x), text(x, is_repr=True)) == ("[[1. 2.]]", "array([[1., 2.]], dtype=float32)")
    assert text(tf.constant("a"), True) == "b'a'"


def test_lists_of_tensors():
    lists = functools.partial("ops.list_ops.{}".format)
    values = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    handle = look_up(lists("tensor_list_from_tensor"))(values, [2])
    assert int(look_up(lists("tensor_list_length"))(handle)) == 2
    gathered = look_up(lists("tensor_list_gather"))(handle, [1, 0], tf.float32)
    assert gathered.numpy().tolist() == [[3.0, 4.0], [1.0, 2.0]]
    stack = look_up(lists("tensor_list_stack"))
    stacked = stack(handle, tf.float32, num_elements=2, element_shape=tf.TensorShape([None]))
    assert stacked.numpy().tolist() == values.numpy().tolist()
    empty = look_up(lists("empty_tensor_list"))([2], tf.float32)
    assert stack(empty, tf.float32, element_shape=[2]).shape == (0, 2)
    assert empty.dtype is tf.variant
    pushed = tf.raw_ops.TensorListPushBack(input_handle=empty, tensor=[1.0, 2.0])
    assert pushed.dtype is tf.variant and stack(pushed, tf.float32).numpy().tolist() == [[1.0, 2.0]]
    bounded = look_up(lists("empty_tensor_list"))(None, tf.int32, 3)
    assert int(look_up(lists("tensor_list_length"))(bounded)) == 0


def test_generated_functions_take_arguments_by_position():
    reorder = look_up("ops.gen_sparse_ops.sparse_reorder")
    for result in (
        reorder([[1, 0], [0, 1]], [1.0, 2.0], [2, 2]),
        reorder(input_indices=[[1, 0], [0, 1]], input_values=[1.0, 2.0], input_shape=[2, 2]),
    ):
        assert result.output_values.numpy().tolist() == [2.0, 1.0]
        assert result.output_indices.numpy().tolist() == [[0, 1], [1, 0]]
    product = look_up("ops.gen_sparse_ops.sparse_tensor_dense_mat_mul")
    assert product([[1, 0]], [3.0], [2, 2], tf.ones([2, 1])).numpy().tolist() == [[0.0], [3.0]]
    with pytest.raises(TypeError, match="input_indices"):
        reorder()
    with pytest.raises(TypeError, match="too many positional arguments"):
        reorder([[1]], [1.0], [2], "name", 3)


def test_slices_of_variables_are_assigned():
    v = tf.Variable([1.0, 2.0, 3.0])
    look_up("ops.tensor_getitem_override._slice_helper_var")(v, slice(1, None)).assign([7.0, 8.0])
    assert v.numpy().tolist() == [1.0, 7.0, 8.0]


# ------------------------------------------------------------------ sparse matrices


CSRSparseMatrix = look_up("ops.linalg.sparse.sparse.CSRSparseMatrix")
sparse_matmul = look_up("ops.linalg.sparse.sparse.matmul")
DENSE = np.float32([[0, 2, 0], [3, 0, 0]])


def sparse(array):
    return CSRSparseMatrix(tf.sparse.from_dense(array))


def test_sparse_matrices():
    matrix = sparse(DENSE)
    assert matrix.dtype is tf.float32 and matrix.shape == (2, 3) and int(matrix.nnz()) == 2
    assert matrix.to_dense().numpy().tolist() == DENSE.tolist()
    assert matrix.to_sparse_tensor().values.numpy().tolist() == [2.0, 3.0]
    assert matrix.transpose().to_dense().numpy().tolist() == DENSE.T.tolist()
    assert CSRSparseMatrix(DENSE).to_sparse_tensor().indices.numpy().tolist() == [[0, 1], [1, 0]]
    some = CSRSparseMatrix(DENSE, indices=[[1, 0]]).to_dense()
    assert some.numpy().tolist() == [[0, 0, 0], [3, 0, 0]]
    batch = sparse(np.stack([DENSE, DENSE * 0]))
    assert batch.nnz().numpy().tolist() == [2, 0]
    complex_one = sparse(np.complex64([[1j, 2]]))
    assert complex_one.hermitian_transpose().to_dense().numpy().tolist() == [[-1j], [2]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="params must have rank == 2 or 3"):
        CSRSparseMatrix([1.0, 2.0])


@pytest.mark.parametrize("is_traced", [False, True])
@pytest.mark.parametrize(
    "kinds, flips, expected",
    [
        ("sd", {}, DENSE @ np.ones((3, 2))),
        ("ds", {}, np.ones((2, 2)) @ DENSE),
        ("ds", {"transpose_b": True}, np.ones((2, 3)) @ DENSE.T),
        ("ss", {"transpose_b": True}, DENSE @ DENSE.T),
        ("ss", {"adjoint_a": True}, DENSE.T @ DENSE),
    ],
)
def test_products_with_sparse_matrices(kinds, flips, expected, is_traced):
    shape = {"sd": (3, 2), "ds": (2, 3 if flips else 2)}.get(kinds)

    def product():
        a, b = (sparse(DENSE) if kind == "s" else tf.ones(shape) for kind in kinds)
        result = sparse_matmul(a, b, **flips)
        if kinds == "ss":
            assert result.shape == expected.shape
            result = result.to_dense()
        return result

    result = (tf.function(product) if is_traced else product)()
    assert result.numpy().tolist() == expected.tolist()


def test_products_that_do_not_fit():
    error = tf.errors.InvalidArgumentError
    with pytest.raises(error, match=r"Inner product dimensions of A and B do not agree.*\[2,3\]"):
        sparse_matmul(sparse(DENSE), tf.ones([2, 2]))
    with pytest.raises(error, match="Only one of adjoint_a and transpose_a may be true"):
        sparse_matmul(sparse(DENSE), tf.ones([3, 2]), transpose_a=True, adjoint_a=True)


# ------------------------------------------------------------------ trackable named tuples


def test_named_tuples_of_modules_are_rebuilt_plain():
    Pair = namedtuple("Pair", "a b")
    module = tf.Module()
    module.pair = Pair(tf.Variable(1.0), tf.Variable(2.0))
    assert type(module.pair).__name__ == "_TupleWrapper" and module.pair.a is module.variables[0]
    for rebuilt in (
        tf.nest.map_structure(lambda v: v * 2, module.pair),
        tf.nest.pack_sequence_as(module.pair, [1, 2]),
        module.pair._replace(a=3),
        type(module.pair)(1, 2),
    ):
        assert type(rebuilt) is Pair
    assert type(copy.deepcopy(module.pair)).__name__ == "_TupleWrapper"


# ------------------------------------------------------------------ variables that wrap others


class Doubled(tf.Variable):
    """A variable whose value is twice that of another one."""

    def __init__(self, variable):
        self.variable = variable

    def value(self):
        return self.variable.value() * 2.0

    def _dense_var_to_tensor(self, dtype=None, name=None, as_ref=False):
        return self.variable._dense_var_to_tensor(dtype, name, as_ref) * 2.0


def test_classes_of_variables_get_the_operators_of_tensors():
    class Tripled(Doubled):
        def value(self):
            return self.variable.value() * 3.0

    Tripled._OverloadAllOperators()
    v = Tripled(tf.Variable([1.0, -2.0]))
    operators = set(vars(Tripled)) & tf.Tensor.OVERLOADABLE_OPERATORS
    assert operators == tf.Tensor.OVERLOADABLE_OPERATORS - {"__eq__", "__ne__"}
    results = (v + 1.0, 1.0 - v, v * v, -v)
    assert [result.numpy().tolist() for result in results] == [
        [4.0, -5.0], [-2.0, 7.0], [9.0, 36.0], [-3.0, 6.0],
    ]  # fmt: skip


def test_variables_of_other_classes_are_converted():
    v = Doubled(tf.Variable([1.0, -2.0]))
    assert tf.convert_to_tensor(v).numpy().tolist() == [2.0, -4.0]
    assert tf.add([1.0, 1.0], v).numpy().tolist() == [3.0, -3.0]
    with pytest.raises(ValueError, match="requested to type 'int32' for variable of type 'float3"):
        tf.convert_to_tensor(v, tf.int32)


def test_values_of_wrapped_variables():
    variable = tf.Variable([1.0, -2.0])
    assert variable._dense_var_to_tensor("float32").numpy().tolist() == [1.0, -2.0]
    assert variable._as_graph_element() is None
    assert Doubled(variable)._dense_var_to_tensor().numpy().tolist() == [2.0, -4.0]
    with pytest.raises(ValueError, match="Incompatible type conversion requested to type int32"):
        variable._dense_var_to_tensor(tf.int32)
