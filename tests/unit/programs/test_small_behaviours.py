"""Small behaviours of many kinds: what is taken, what is refused and in which words."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

import numpy as np
import pytest

import twinflow as tf

v1 = tf.compat.v1


def in_graph(make: Any) -> Any:
    with tf.Graph().as_default(), v1.Session() as session:
        return session.run(make())


# ------------------------------------------------------------------ segments whose ranks are known late


@pytest.mark.parametrize("shape", [None, [None]])
@pytest.mark.parametrize("number", [None, []])
@pytest.mark.parametrize(
    "function, expected",
    [("mean", [[3.0, 4.0], [3.0, 4.0]]), ("sqrt_n", [[4.2426405, 5.6568542], [3.0, 4.0]])],
)
def test_unsorted_segments_of_unknown_ranks(
    function: str, expected: Any, shape: Any, number: Any
) -> None:
    reduce = getattr(tf.math, f"unsorted_segment_{function}")
    signature = [
        tf.TensorSpec(None),
        tf.TensorSpec(shape, tf.int32),
        tf.TensorSpec(number, tf.int32),
    ]
    call = tf.function(reduce, input_signature=signature)
    found = call([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 1, 0], 2)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize(
    "indices, ids, number, said",
    [
        ([0, 1], [0, 1], -1, "Cannot specify a negative value for num_segments"),
        ([0, 1], [0, 1], [3], "Shape must be rank 0 but is rank 1"),
        (
            [0, 1],
            [0],
            None,
            "Dimension 0 in both shapes must be equal, but are 2 and 1. Shapes are [2] and [1].",
        ),
        ([[0, 1]], [0, 1], None, "Shape must be rank 1 but is rank 2"),
    ],
)
def test_chosen_segments_are_refused_in_a_trace(
    indices: Any, ids: Any, number: Any, said: str
) -> None:
    call = tf.function(
        lambda: tf.sparse.segment_mean([1.0, 2.0, 3.0], indices, ids, num_segments=number)
    )
    with pytest.raises(ValueError) as caught:
        call()
    assert f"{said} for '{{{{node SparseSegmentMean" in str(caught.value)


# ------------------------------------------------------------------ where parts of a joined tensor begin

_SHORT = "Value for attr 'N' of 1 must be at least minimum 2"


@pytest.mark.parametrize(
    "axis, shapes, error, said",
    [
        (
            [0],
            [[2, 3], [2, 4]],
            tf.errors.InvalidArgumentError,
            "Concat dim tensor should be a scalar integer, but got shape [1]",
        ),
        (
            0,
            [[[2, 3]], [[2, 4]]],
            tf.errors.InvalidArgumentError,
            "input 1 should be a vector, but got shape [1,2]",
        ),
        (0, [2, 3], tf.errors.InvalidArgumentError, "input 1 should be a vector, but got shape []"),
        (1.5, [[2, 3], [2, 4]], TypeError, "Cannot convert 1.5 to EagerTensor of dtype int32"),
        (0, [[2]], tf.errors.InvalidArgumentError, _SHORT),
    ],
)
def test_concat_offset_refuses(axis: Any, shapes: Any, error: Any, said: str) -> None:
    with pytest.raises(error) as caught:
        tf.raw_ops.ConcatOffset(concat_dim=axis, shape=shapes)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    "op, given",
    [
        ("ConcatOffset", {"concat_dim": 0, "shape": [[2]]}),
        ("ConcatV2", {"axis": 0, "values": [[1]]}),
    ],
)
def test_too_short_lists_in_a_graph(op: str, given: dict[str, Any]) -> None:
    name = "shape" if op == "ConcatOffset" else "values"
    with tf.Graph().as_default(), pytest.raises(ValueError) as caught:
        getattr(tf.raw_ops, op)(**given)
    assert (
        str(caught.value)
        == f"List argument '{name}' to '{op}' Op with length 1 shorter than minimum length 2."
    )


# ------------------------------------------------------------------ structures


@dataclasses.dataclass
class Marked:
    kept: int
    part: Any

    def __tf_flatten__(self) -> Any:
        return (self.kept,), (self.part,)

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, parts: Any) -> Any:
        return cls(metadata[0], parts[0])


class Field:
    def __init__(self, name: str) -> None:
        self.name = name


class Pair:
    """A class as the package attrs makes them."""

    __attrs_attrs__ = (Field("x"), Field("y"))

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pair) and (self.x, self.y) == (other.x, other.y)

    __hash__ = None  # type: ignore[assignment]


_KINDS = {
    "marked": lambda p, q: Marked(1, p),
    "fields": Pair,
    "ordered": lambda p, q: collections.OrderedDict([("z", p), ("a", q)]),
    "deque": lambda p, q: collections.deque([p, q]),
    "default": lambda p, q: collections.defaultdict(list, {"k": p}),
}


@pytest.mark.parametrize(
    "kind, expected",
    [("marked", 12.0), ("fields", 15.0), ("ordered", 15.0), ("deque", 15.0), ("default", 12.0)],
)
def test_structures_are_differentiated(kind: str, expected: float) -> None:
    make, z, w = _KINDS[kind], tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        sources = make(z, w)
        tape.watch(sources)
        targets = make(z * z * w, w * z)
    assert float(tape.gradient(targets, z)) == expected
    found = tape.gradient(targets, sources)
    assert type(found) is type(sources) and max(map(float, tf.nest.flatten(found))) == expected


def test_objects_with_fields_are_structures() -> None:
    assert tf.nest.flatten([Pair(1, [2, 3])]) == [1, 2, 3]
    assert tf.nest.pack_sequence_as(Pair(1, 2), [5, 6]) == Pair(5, 6)
    assert tf.nest.is_nested(Pair(1, 2))
    traces = []

    @tf.function
    def double(pair: Any) -> Any:
        traces.append(1)
        return Pair(pair.x * 2, pair.y)

    for x, y in ((1.0, 3), (2.0, 3), (2.0, 4)):
        assert float(double(Pair(tf.constant(x), y)).x) == 2 * x
    assert len(traces) == 2
    concrete = double.get_concrete_function(Pair(tf.constant(1.0), tf.constant(2)))
    assert concrete.pretty_printed_signature().startswith(
        "Input Parameters:\n  pair (POSITIONAL_OR_KEYWORD): Pair[['x', TensorSpec(shape=(), dtype=tf.float32, name=None)], "
        "['y', TensorSpec(shape=(), dtype=tf.int32, name=None)]]"
    )


def test_a_deque_is_no_argument_of_a_function() -> None:
    with pytest.raises(TypeError, match=r"Could not generate a generic TraceType for deque"):
        tf.function(lambda x: x)(collections.deque([1.0]))


# ------------------------------------------------------------------ concrete functions


def test_tensors_and_variables_in_each_others_place() -> None:
    variable = tf.Variable(2.0)
    concrete = tf.function(lambda v, x: v * x).get_concrete_function(variable, tf.TensorSpec([]))
    two = tf.constant(2.0)
    assert float(concrete(tf.Variable(5.0), two)) == 10.0
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"input #0\(zero-based\) was expected to be a resource tensor but is a float tensor",
    ):
        concrete(tf.constant(1.0), two)
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"Trying to read variable with wrong dtype. Expected float got int32",
    ):
        concrete(tf.Variable(5), two)


def test_one_of_the_names_of_jit_compile() -> None:
    with pytest.raises(
        ValueError, match=r"Cannot specify both 'experimental_compile' and 'jit_compile'."
    ):
        tf.function(lambda: 1, jit_compile=False, experimental_compile=True)


# ------------------------------------------------------------------ constants and variables of TensorFlow 1


@pytest.mark.parametrize(
    "value, shape, expected",
    [
        ([1.0, 2.0], [2, 2], [[1, 2], [2, 2]]),
        ([[1.0, 2.0], [3.0, 4.0]], [4], [1, 2, 3, 4]),
        ([], [2], [0, 0]),
        ([1.0, 2.0], [0], []),
        (np.arange(3.0), [5], [0, 1, 2, 2, 2]),
    ],
)
def test_constant_initializers_of_graphs_repeat_the_last_value(
    value: Any, shape: Any, expected: Any
) -> None:
    make = v1.constant_initializer(value)
    np.testing.assert_array_equal(in_graph(lambda: make(shape)), np.array(expected, np.float32))
    np.testing.assert_array_equal(
        in_graph(lambda: v1.constant(value, shape=shape)), np.array(expected, np.float32)
    )
    np.testing.assert_array_equal(
        tf.function(lambda: make(shape))(), np.array(expected, np.float32)
    )
    if np.size(value) != np.prod(shape):
        with pytest.raises(
            TypeError, match=r"Eager execution of tf.constant with unsupported shape"
        ):
            make(shape)


def test_constant_initializers_with_too_many_values() -> None:
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match=r"Too many elements provided. Takes at most 2, but got 3."),
    ):
        v1.get_variable("v", [2], initializer=v1.constant_initializer([1.0, 2.0, 3.0]))


def test_strings_fill_a_shape() -> None:
    assert in_graph(lambda: v1.constant("a", shape=[2])).tolist() == [b"a", b"a"]


@pytest.mark.parametrize(
    "resource, both, neither",
    [
        (
            True,
            "The variable_def and initial_value args to `tf.Variable` are mutually exclusive, but got both: variable_def=",
            "The `initial_value` arg to",
        ),
        (
            False,
            "variable_def and initial_value are mutually exclusive.",
            "initial_value must be specified.",
        ),
    ],
)
def test_definitions_of_variables(resource: bool, both: str, neither: str) -> None:
    with tf.Graph().as_default():
        variable = v1.Variable(1.0, name="v", use_resource=resource)
        definition = variable.to_proto()
        again = v1.Variable(variable_def=definition, use_resource=resource)
        assert again.name == "v:0" and len(v1.global_variables()) == 1
        for said, options in (
            (both, {"initial_value": 1.0, "variable_def": definition}),
            (neither, {}),
            (
                "collections argument to Variable constructor must be a list, tuple, or set. Got 5 of type <class 'int'>",
                {"initial_value": 1.0, "collections": 5},
            ),
        ):
            with pytest.raises(ValueError) as caught:
                v1.Variable(use_resource=resource, **options)
            assert str(caught.value).startswith(said)


def test_operations_of_templates_of_one_name() -> None:
    with tf.Graph().as_default():
        add = lambda x: x + v1.get_variable("v", [1])
        first = v1.make_template("t", add)
        names = [first(1.0).name, first(2.0).name]
        second = v1.make_template("t", add)
        assert [*names, second(1.0).name] == ["t/add:0", "t_1/add:0", "t_2/add:0"]
        assert [v.name for v in second.variables] == ["t_1/v:0"]


# ------------------------------------------------------------------ optimizers of TensorFlow 1


def test_an_optimizer_of_several_graphs() -> None:
    optimizer = v1.train.AdamOptimizer(0.1)
    for resource in (True, False):
        with tf.Graph().as_default(), v1.Session() as session:
            variable = v1.Variable([1.0, 2.0], use_resource=resource)
            step = optimizer.minimize(tf.reduce_sum(variable * variable))
            session.run(v1.global_variables_initializer())
            session.run(step)
            session.run(step)
            np.testing.assert_allclose(session.run(variable), [0.8004126, 1.8001668], rtol=1e-6)
            assert [v.name for v in optimizer.variables()] == [
                "Variable/Adam:0",
                "Variable/Adam_1:0",
                "beta1_power:0",
                "beta2_power:0",
            ]
        assert optimizer._get_beta_accumulators() == (None, None)


@pytest.mark.parametrize(
    "make", [lambda: tf.constant(1), lambda: tf.constant("a"), lambda: tf.constant(1j)]
)
def test_optimizers_train_floating_losses(make: Any) -> None:
    with tf.Graph().as_default():
        variable, loss = v1.Variable(1.0), make()
        with pytest.raises(ValueError) as caught:
            v1.train.GradientDescentOptimizer(0.1).compute_gradients(loss, [variable])
    assert str(caught.value) == (
        f"Invalid type {loss.dtype!r} for Const:0, expected: [tf.float32, tf.float64, tf.float16, tf.bfloat16]."
    )


def test_gates_of_gradients() -> None:
    said = "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH.  Not 7"
    with tf.Graph().as_default(), pytest.raises(ValueError, match=said):
        variable = v1.Variable(1.0)
        v1.train.GradientDescentOptimizer(0.1).compute_gradients(
            variable * variable, [variable], gate_gradients=7
        )


@pytest.mark.parametrize(
    "optimizer, what",
    [
        ("GradientDescent", "delta"),
        ("ProximalGradientDescent", "delta"),
        ("Adam", "grad"),
        ("Adagrad", "grad"),
    ],
)
def test_gradients_of_another_shape(optimizer: str, what: str) -> None:
    variable = tf.Variable([1.0, 2.0])
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=rf"var and {what} do not have the same shape\[2\] \[1\]",
    ):
        getattr(v1.train, f"{optimizer}Optimizer")(0.1).apply_gradients([([1.0], variable)])
    assert variable.numpy().tolist() == [1.0, 2.0]


def test_text_of_a_variables_definition() -> None:
    modes = {
        "synchronization": tf.VariableSynchronization.ON_READ,
        "aggregation": tf.VariableAggregation.SUM,
    }
    with tf.Graph().as_default():
        definition = v1.Variable(1.0, name="v", use_resource=True, **modes).to_proto()
    assert str(definition).endswith(
        "synchronization: VARIABLE_SYNCHRONIZATION_ON_READ\naggregation: VARIABLE_AGGREGATION_SUM\n"
    )
