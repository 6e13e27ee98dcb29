"""Attributes, clones, captures and argument names of functions."""

import functools
import inspect

import pytest

import twinflow as tf


@pytest.mark.parametrize(
    "name", ["foo", "implements", "_XlaMustCompile", "forward_function_name", "shared_rendezvous"]
)
def test_attributes_have_names_that_functions_know(name):
    with pytest.raises(
        ValueError, match=f"^`{name} is not supported by tf.function as an attribute.$"
    ):
        tf.function(lambda x: x, experimental_attributes={name: True})


@pytest.mark.parametrize("value", [None, {}, (1,), 1j])
def test_attributes_have_values_that_files_hold(value):
    body = tf.function(lambda x: x, experimental_attributes={"_noinline": value})
    said = f"^Attribute _noinline must be bool, int, float, string, list, or AttrValue. Got {type(value)}.$"
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        body(1)


def test_attributes_are_kept():
    body = tf.function(
        lambda x: x + 1,
        experimental_implements="embed",
        experimental_attributes={"_noinline": True},
    )
    assert body._attributes == {"_implements": "embed", "_noinline": True}
    assert body._clone(None)._attributes == body._attributes
    assert body(1) == 2


def test_a_clone_has_the_options_and_no_traces():
    body = tf.function(lambda x: x + 1, input_signature=[tf.TensorSpec([])])
    body(1.0)
    clone = body._clone(lambda x: x * 3)
    assert clone.input_signature == body.input_signature
    assert clone.experimental_get_tracing_count() == 0
    assert (clone(2.0), body(2.0), body._clone(None)(2.0)) == (6.0, 3.0, 3.0)


def test_signatures_that_inspect_finds():
    class Model:
        @tf.function(input_signature=[tf.TensorSpec([None, 1])])
        def call(self, inputs, mode="a"):
            return inputs

    assert str(inspect.signature(Model().call)) == "(inputs, mode='a')"
    assert str(inspect.signature(Model.call)) == "(self, inputs, mode='a')"
    assert inspect.getfullargspec(Model().call).args == ["inputs", "mode"]
    assert inspect.getfullargspec(Model.call).args == ["self", "inputs", "mode"]


def test_keyword_only_parameters_of_an_input_signature():
    with pytest.raises(TypeError, match="keyword-only parameter `b` must have a default value"):
        tf.function(lambda a, *, b: a, input_signature=[tf.TensorSpec([])])
    assert tf.function(lambda a, *, b=2: a + b, input_signature=[tf.TensorSpec([])])(1.0) == 3.0


def test_captures_are_replaced():
    three = tf.constant([3.0, 4.0])
    body = tf.function(lambda x: tf.reduce_sum(x * three))
    concrete = body.get_concrete_function(tf.TensorSpec([]))
    assert concrete(tf.constant(2.0)) == 14.0
    concrete.set_external_captures([tf.constant([10.0, 20.0])])
    assert concrete(tf.constant(2.0)) == body(tf.constant(2.0)) == 60.0
    assert concrete.captured_inputs[0].numpy().tolist() == [10.0, 20.0]
    assert tf.function(concrete)(tf.constant(2.0)) == 60.0
    with tf.GradientTape() as tape:
        tape.watch(x := tf.constant(2.0))
        result = concrete(x)
    assert tape.gradient(result, x) == 30.0
    with pytest.raises(ValueError, match="Signature specifies 1 captures, got: 0"):
        concrete.set_external_captures([])
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="was expected to be a float tensor but is a int32 tensor",
    ):
        concrete.set_external_captures([tf.constant(1)])
    assert concrete(tf.constant(2.0)) == 60.0


def test_names_of_arguments():
    @tf.function
    def body(a, *b, c=2.0, **d):
        return a

    spec = tf.TensorSpec([])
    concrete = body.get_concrete_function(spec, spec, spec, c=spec, z=spec)
    assert concrete._arg_keywords == ["a", "b_0", "b_1", "c", "z"]
    assert concrete._num_positional_args == 5


def test_names_of_arguments_that_collide():
    body = tf.function(lambda **named: 1)
    said = r"rename tf.function input parameters. Original: \['a-b', 'a.b'\], Sanitized: \['a_b'\]$"
    with pytest.raises(ValueError, match=said):
        body(**{"a-b": 1, "a.b": 2})
    assert body(**{"a-b": 1}) == 1


def test_the_components_of_indexed_slices():
    float32, int64 = tf.float32, tf.int64
    assert tf.IndexedSlicesSpec([3, 2])._component_specs == (
        tf.TensorSpec([None, 2], float32),
        tf.TensorSpec([None], int64),
    )
    assert tf.IndexedSlicesSpec([3, 2], float32, int64, tf.int32, [4])._component_specs == (
        tf.TensorSpec([4, 2], float32),
        tf.TensorSpec([4], int64),
        tf.TensorSpec([2], tf.int32),
    )


def test_tensors_tell_that_they_are_compared_by_identity():
    tf.compat.v1.disable_tensor_equality()
    try:
        assert tf.Tensor._USE_EQUALITY is False
    finally:
        tf.compat.v1.enable_tensor_equality()
    assert tf.Tensor._USE_EQUALITY is True


def test_specs_of_tensors_of_graphs_have_their_names():
    with tf.Graph().as_default():
        fed = tf.compat.v1.placeholder(tf.float32, [None, 2], name="foo")
        specs = [tf.TensorSpec.from_tensor(x) for x in (fed, fed + 1.0)]
        assert [spec.name for spec in specs] == ["foo", "add"]
        assert tf.TensorSpec.from_tensor(fed, "z").name == "z"
    assert tf.TensorSpec.from_tensor(tf.constant(1)).name is None


def test_placeholders_of_arguments_tell_the_names_that_programs_gave():
    spec = tf.TensorSpec([])
    body = tf.function(lambda a, b: a + b["k"]).get_concrete_function(
        spec, {"k": tf.TensorSpec([], name="kk")}
    )
    nodes = [n for n in body.graph.as_graph_def().node if n.op == "Placeholder"]
    assert [(n.name, n.attr["_user_specified_name"].s) for n in nodes] == [
        ("a", b"a"),
        ("kk", b"kk"),
    ]
    assert "_user_specified_name" not in body.graph.get_operations()[2].node_def.attr


def test_names_of_tensors_make_no_traces():
    inner = tf.function(lambda x: x + 1)
    assert tf.function(lambda x: inner(x) + inner(x * 2) + inner(x * 3))(tf.constant(1)) == 9
    assert inner.experimental_get_tracing_count() == 1


def _tenfold(function):
    @functools.wraps(function)
    def call(*args):
        return function(*args) * 10

    return call


def test_libraries_decorate_functions_of_classes():
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None])])
        def grow(self, x):
            return x + 1

    Model.grow._decorate(_tenfold)
    assert Model().grow([1.0]).numpy().tolist() == [20.0]
    assert Model.grow.input_signature == (tf.TensorSpec([None]),)


def test_traced_functions_are_not_decorated():
    body = tf.function(lambda x: x + 1)
    body(1)
    with pytest.raises(ValueError, match="decorated after they have been traced"):
        body._decorate(_tenfold)
