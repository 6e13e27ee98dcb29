"""Composite tensors of other libraries in structures."""

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
