"""Public classes: methods taken from them, subclasses, and objects beside tensors."""

from __future__ import annotations

import dataclasses
import operator
from typing import Any

import numpy as np
import pytest

import twinflow as tf


def traced(function):
    return tf.function(function)()


RUNS = [pytest.param(lambda function: function(), id="eager"), pytest.param(traced, id="function")]

# ------------------------------------------------------------------ operators that the operand on the right answers

NAMES = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor")


class Right:
    """Answers every operator from the right."""


for _name in NAMES:
    setattr(Right, f"__r{_name}__", lambda self, other, name=_name: (name, type(other).__name__))


class Refuses:
    """Answers addition by an error."""

    def __radd__(self, other):
        raise TypeError("not this")

    def __rsub__(self, other):
        return NotImplemented


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("run", RUNS)
def test_the_operand_on_the_right_answers(name, run):
    function = getattr(operator, f"{name}_" if name in ("and", "or") else name)
    logical = name in ("and", "or", "xor")
    x = tf.constant([True] if logical else [1.0])
    kind = "EagerTensor" if run is not traced else "SymbolicTensor"
    seen = []
    run(lambda: seen.append(function(tf.identity(x), Right())))
    assert seen == [(name, kind)]
    assert function(tf.Variable(x), Right()) == (name, "EagerTensor")


def test_errors_are_those_of_the_tensor():
    for function in (operator.add, operator.sub):
        with pytest.raises(
            ValueError, match=r"Attempt to convert a value .* with an unsupported type"
        ):
            function(tf.constant([1.0]), Refuses())
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        tf.constant([1.0]) + object()


# ------------------------------------------------------------------ classes


def test_tensor_class():
    assert {
        "__add__",
        "__rmatmul__",
        "__getitem__",
        "__div__",
        "__eq__",
    } <= tf.Tensor.OVERLOADABLE_OPERATORS
    assert len(tf.Tensor.OVERLOADABLE_OPERATORS) == 34 and tf.Tensor._USE_EQUALITY is True
    assert all(
        callable(getattr(tf.Tensor, name))
        for name in (*tf.Tensor.OVERLOADABLE_OPERATORS, "__bool__", "__nonzero__")
    )
    assert tf.Tensor.__bool__(tf.constant(True)) and tf.constant(True).__nonzero__()
    assert tf.Tensor.__len__(tf.constant([1])) == 1 and tf.Tensor.get_shape(
        tf.constant([1])
    ).as_list() == [1]
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        traced(lambda: tf.Tensor.__bool__(tf.zeros([])))


def test_variable_class():
    v = tf.Variable([1.0, 2.0])
    assert (
        tf.Variable.__add__(v, 1.0).numpy().tolist() == [2.0, 3.0]
        and tf.Variable.__getitem__(v, 0).numpy() == 1.0
    )
    tf.Variable.assign_add(v, [1.0, 1.0])
    assert tf.Variable.value(v).numpy().tolist() == [2.0, 3.0] and tf.Variable.shape.fget(
        v
    ).as_list() == [2]
    assert tf.Variable.assign.__doc__ == type(v).assign.__doc__
    with tf.distribute.MirroredStrategy(["CPU:0"]).scope():
        copies = tf.Variable(1.0)
    assert copies.assign(3.0) is not None and tf.Variable.read_value(copies).numpy() == 3.0


class Own(tf.Variable):
    """A variable that a program makes of a tensor."""

    def __init__(self):
        self.held = tf.constant([1.0, 2.0])

    def value(self):
        return self.held

    def assign(self, value, **_):
        return super().assign(value)

    @property
    def shape(self):
        return self.held.shape


def test_classes_derived_from_variables():
    v = Own()
    assert (v + 1.0).numpy().tolist() == (1.0 + v).numpy().tolist() == [2.0, 3.0]
    assert (-v).numpy().tolist() == [-1.0, -2.0] and v[1].numpy() == 2.0
    assert v.get_shape().as_list() == [2] and v.ref().deref() is v and not tf.is_tensor(v)
    for call in (
        lambda: v.assign(1.0),
        lambda: v.name,
        lambda: v.trainable,
        v.read_value,
        lambda: v.scatter_add(1),
    ):
        with pytest.raises(NotImplementedError):
            call()

    class Plain(tf.Variable):
        """Has nothing of its own."""

    with pytest.raises(NotImplementedError):
        Plain(1)


def of_class():
    array = tf.TensorArray(tf.float32, 2)
    array = tf.TensorArray.write(tf.TensorArray.write(array, 0, 1.0), 1, 2.0)
    stacked, size = tf.TensorArray.stack(array), tf.TensorArray.size(array)
    return (
        stacked,
        tf.TensorArray.read(array, 0),
        size,
        tf.TensorArray.stack(tf.TensorArray.unstack(array, [3.0, 4.0])),
    )


@pytest.mark.parametrize("run", RUNS)
def test_methods_of_the_class_of_tensor_arrays(run):
    assert [x.numpy().tolist() for x in run(of_class)] == [[1.0, 2.0], 1.0, 2, [3.0, 4.0]]


def test_classes_are_no_parts_of_modules():
    class Holder(tf.Module):
        """Holds classes."""

        def __init__(self):
            super().__init__()
            self.kind, self.other, self.v = tf.RaggedTensor, tf.SparseTensor, tf.Variable(1.0)

    assert len(Holder().trainable_variables) == 1
    assert tf.nest.flatten([tf.RaggedTensor, 1], expand_composites=True) == [tf.RaggedTensor, 1]


# ------------------------------------------------------------------ classes as types of elements


@pytest.mark.parametrize(
    "kind", [np.float64, np.int32, np.float16, np.bool_, float, bool, np.dtype("f8"), "float64"]
)
@pytest.mark.parametrize("run", RUNS)
def test_types_of_numpy_and_python(kind, run):
    x, dtype = tf.constant([[1.0, 0.0], [1.0, 1.0]]), tf.as_dtype(kind)
    change = lambda v: tf.cast(v, dtype)
    found = run(
        lambda: [
            tf.map_fn(change, x, fn_output_signature=kind),
            tf.map_fn(change, x, dtype=kind),
            tf.map_fn(lambda v: (v, change(v)), x, fn_output_signature=(tf.float32, kind))[1],
            tf.py_function(change, [x], kind),
            tf.py_function(lambda v: [change(v)], [x], [kind])[0],
            tf.numpy_function(lambda v: v.astype(dtype.as_numpy_dtype), [x], kind),
            tf.TensorArray(kind, 2).unstack(change(x)).stack(),
        ]
    )
    assert [t.dtype for t in found] == [dtype] * 7
    assert all(t.numpy().tolist() == [[1, 0], [1, 1]] for t in found)


# ------------------------------------------------------------------ values of a program's own classes


class Doubled(tf.experimental.ExtensionType):
    """A value with traced methods."""

    x: tf.Tensor
    k: int = 3

    @tf.function
    def twice(self):
        return self.x * 2.0 + self.k

    @tf.function
    def times(self, y):
        if y > 0:
            return self.x * y
        return self.x


def test_traced_methods_of_extension_types():
    assert Doubled([1.0, 2.0]).twice().numpy().tolist() == [5.0, 7.0]
    assert Doubled([3.0, 2.0], 4).twice().numpy().tolist() == [10.0, 8.0]
    assert Doubled([1.0, 2.0]).times(tf.constant(2.0)).numpy().tolist() == [2.0, 4.0]
    assert tf.function(lambda e: e.twice())(Doubled([1.0, 2.0])).numpy().tolist() == [5.0, 7.0]
    assert Doubled.twice(Doubled([1.0, 2.0])).numpy().tolist() == [5.0, 7.0]


@dataclasses.dataclass
class Masked:
    """A data class of a mask, which is known, and a tensor."""

    mask: Any
    value: Any

    def __tf_flatten__(self):
        return (self.mask,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(metadata[0], components[0])


def masked_in_loops(d):
    for _ in tf.range(3):
        d = Masked(d.mask, d.value + 1.0)
    if d.value[0] > 0.0:
        d = Masked(d.mask, d.value * 10.0)
    else:
        d = Masked(d.mask, d.value)
    return d


def test_data_classes_are_arguments():
    d = Masked("m", tf.constant([1.0, 2.0]))
    assert tf.function(masked_in_loops)(d).value.numpy().tolist() == [40.0, 50.0]
    assert tf.function(lambda parts: parts[0]["a"].value + 1.0)([{"a": d}]).numpy().tolist() == [
        2.0,
        3.0,
    ]
    assert tf.function(lambda d: Masked("k", d.value))(d).mask == "k"
    choose = lambda: tf.cond(
        tf.constant(True),
        lambda: Masked("m", tf.constant(1.0)),
        lambda: Masked("m", tf.constant(2.0)),
    )
    assert choose().value.numpy() == traced(lambda: choose().value).numpy() == 1.0
    grow = lambda i, d: (i + 1, Masked(d.mask, d.value * 2.0))
    loop = lambda: tf.while_loop(lambda i, d: i < 3, grow, (tf.constant(0), d))[1].value
    assert loop().numpy().tolist() == traced(loop).numpy().tolist() == [8.0, 16.0]


def test_what_data_classes_say_belongs_to_the_trace():
    function = tf.function(lambda d: tf.constant(d.mask))
    values = [
        (mask, tf.constant(x)) for mask, x in (("a", 1.0), ("a", 2.0), ("b", 1.0), ("a", [1.0]))
    ]
    assert [function(Masked(*v)).numpy() for v in values] == [b"a", b"a", b"b", b"a"]
    assert function.experimental_get_tracing_count() == 3
    fixed = tf.function(lambda d: d.value, input_signature=[Masked("m", tf.TensorSpec([None]))])
    assert fixed(Masked("m", tf.constant([1.0]))).numpy().tolist() == [1.0]
    with pytest.raises(
        TypeError,
        match=r"CustomNestTraceType \[metadata=\('m',\), components=\(TensorSpec\(shape=\(None,\)",
    ):
        fixed(Masked("z", tf.constant([1.0])))


def test_views_of_dictionaries_are_structures():
    d = {"b": 1, "a": 2}
    assert tf.nest.flatten(d.values()) == [1, 2] and tf.nest.flatten(d.items()) == ["b", 1, "a", 2]
    assert tf.nest.map_structure(lambda x: x + 1, d.values()) == [2, 3] and tf.nest.is_nested(
        d.keys()
    )
    assert tf.nest.pack_sequence_as(d.values(), [3, 4]) == [3, 4]
    assert [x.numpy() for x in tf.function(lambda v: v)(d.values())] == [1, 2]
    with pytest.raises(TypeError, match="First structure: type=dict_values"):
        tf.nest.assert_same_structure(d.values(), [1, 2])
