"""Composite tensors of other libraries in structures."""

import numpy as np
import pytest

import twinflow as tf


class PairSpec(tf.TypeSpec):
    value_type = property(lambda self: Pair)
    _component_specs = property(lambda self: {"b": tf.TensorSpec([]), "a": (tf.TensorSpec([]),)})

    def _serialize(self):
        return ()

    def _to_components(self, value):
        return {"b": value.b, "a": (value.a,)}

    def _from_components(self, components):
        return Pair(components["a"][0], components["b"])


class Pair:
    _type_spec = PairSpec()

    def __init__(self, a, b):
        self.a, self.b = a, b


def test_components_of_a_composite_tensor_may_be_any_structure():
    inner = tf.RaggedTensor.from_row_splits([1.0, 2.0], [0, 2])
    pair = Pair(tf.Variable(1.0), inner)
    flat = tf.nest.flatten([pair], expand_composites=True)
    assert flat[0] is pair.a
    assert [x.numpy().tolist() for x in flat[1:]] == [[1.0, 2.0], [0, 2]]
    (again,) = tf.nest.pack_sequence_as([pair], [5.0, tf.constant([3.0, 4.0]), flat[2]], True)
    assert again.a == 5.0
    assert again.b.to_list() == [[3.0, 4.0]]
    module = tf.Module()
    module.pair = Pair(tf.Variable(1.0), tf.Variable(2.0))
    assert module.trainable_variables == (module.pair.a, module.pair.b)


class Described(tf.TypeSpec):
    """A spec of any fields."""

    value_type = property(lambda self: object)
    _component_specs = property(lambda self: [])

    def __init__(self, *fields):
        self.fields = fields

    def _serialize(self):
        return self.fields


FIELDS = [
    ({"a": 1, "b": [1, 2]},),
    ([1, [2]],),
    ((1, [2]),),
    (np.array([1, 2]),),
    (np.array([1, 3]),),
    ({"a": tf.TensorShape([2])},),
    (tf.TensorSpec([2]),),
]


@pytest.mark.parametrize(
    "spec",
    [
        tf.TensorSpec([1], tf.float32, name="a"),
        tf.SparseTensorSpec([2, None], tf.int32),
        tf.RaggedTensorSpec([2, None], tf.int32, row_splits_dtype=tf.int32),
        tf.RaggedTensorSpec([None, None, 1], ragged_rank=1, flat_values_spec=tf.TensorSpec([None])),
        tf.IndexedSlicesSpec([3, 2]),
        tf.TensorArraySpec([2], tf.float32),
    ],
    ids=lambda spec: type(spec).__name__,
)
def test_specs_of_their_own_fields(spec):
    assert type(spec)._deserialize(spec._serialize()) == spec


def test_specs_with_fields_of_any_structure_are_equal_and_hashable():
    for i, one in enumerate(FIELDS):
        for j, other in enumerate(FIELDS):
            assert (Described(*one) == Described(*other)) is (i == j)
            assert Described(*one).is_compatible_with(Described(*other)) is (i == j)
        assert hash(Described(*one)) == hash(Described(*one))
    assert Described({"b": [1, 2], "a": 1}) == Described(*FIELDS[0])


def test_shapes_within_fields_are_compared_as_shapes():
    one = Described({"a": [tf.TensorShape([1, 2])]})
    other = Described({"a": [tf.TensorShape([1, 3])]})
    both = one.most_specific_common_supertype([other])
    assert both == Described({"a": [tf.TensorShape([1, None])]})
    assert one.is_subtype_of(both) and not both.is_subtype_of(one)
    assert one.is_compatible_with(both) and not one.is_compatible_with(other)
    assert one.most_specific_common_supertype([Described({"b": [1]})]) is None


def test_objects_with_the_spec_of_one_tensor_are_leaves():
    class Input:  # as the symbolic inputs of older Kerases
        _type_spec = tf.TensorSpec([2])

    model = tf.Module()
    model.inputs = symbolic = Input()
    assert tf.nest.flatten([symbolic], expand_composites=True) == [symbolic]
    assert tf.nest.map_structure(type, {"a": symbolic}, expand_composites=True) == {"a": Input}
    assert model.variables == ()
