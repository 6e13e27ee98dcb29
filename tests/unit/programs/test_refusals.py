"""Errors for programs that would get wrong values or leave context managers in disorder."""

from __future__ import annotations

from typing import Any

import pytest

import twinflow as tf

v1 = tf.compat.v1


@pytest.mark.usefixtures("graph")
def test_sessions_are_entered_once_at_a_time() -> None:
    tf.constant(1)
    session = v1.Session()
    with (
        session,
        pytest.raises(RuntimeError, match="Session context managers are not re-entrant"),
        session,
    ):
        pass


def test_one_primal_twice() -> None:
    x, one = tf.constant(1.0), tf.constant(1.0)
    with pytest.raises(ValueError, match="was specified as a primal multiple times"):
        tf.autodiff.ForwardAccumulator([x, x], [one, one])


@pytest.mark.usefixtures("graph")
def test_numbers_of_steps_are_integer_scalars() -> None:
    v1.get_variable("global_step", [], tf.float32, collections=[v1.GraphKeys.GLOBAL_STEP])
    with pytest.raises(TypeError, match="does not have integer type"):
        v1.train.get_global_step()
    with tf.Graph().as_default():
        v1.get_variable("global_step", [2], tf.int64, collections=[v1.GraphKeys.GLOBAL_STEP])
        with pytest.raises(TypeError, match="is not scalar"):
            v1.train.get_or_create_global_step()


OFFSETS = [
    (
        0,
        [[1, 2], [1, 3]],
        "All dimensions except 0 must match. Input 1 has shape [1 3] and doesn't match input 0 with shape [1 2].",
    ),
    (0, [[1, 2], [1, 2, 3]], "input 1 should contain 2 elements, but got 3"),
    (2, [[1, 2], [1, 2]], "Concat dim is out of range: 2 vs. 2"),
]


@pytest.mark.parametrize(("axis", "shapes", "said"), OFFSETS)
def test_offsets_of_shapes_that_do_not_fit(axis: int, shapes: Any, said: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        tf.raw_ops.ConcatOffset(concat_dim=axis, shape=shapes)
    assert said in str(error.value)


@pytest.mark.parametrize("sizes", [[2**31 - 1] * 2, [2**40] * 2])
def test_shapes_of_too_many_elements(sizes: Any) -> None:
    dims = tf.constant(sizes, tf.int32 if sizes[0] < 2**31 else tf.int64)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Input dims product is causing integer overflow"
    ):
        tf.unravel_index(tf.cast([5], dims.dtype), dims)


@pytest.mark.usefixtures("graph")
def test_choices_between_other_shapes_in_sessions() -> None:
    y = v1.placeholder(tf.float32)
    chosen = v1.where([True, False], tf.constant([1.0, 2.0]), y)
    with v1.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as error:
        session.run(chosen, {y: [[1.0, 2.0], [3.0, 4.0]]})
    assert (
        "Inputs to operation Select of type Select must have the same size and shape.  Input 0: [2] != input 2: [2,2]"
        in str(error.value)
    )


@pytest.mark.parametrize(
    ("call", "name", "given", "allowed"),
    [
        (
            lambda x: tf.argmax(x, output_type=tf.float64),
            "output_type",
            "float64",
            "int16, uint16, int32, int64",
        ),
        (lambda x: tf.argmin(x, output_type=tf.string), "output_type", "string", "int32, int64"),
        (
            lambda x: tf.bitcast(x, tf.bool),
            "type",
            "bool",
            "bfloat16, float16, float32, .*, qint32",
        ),
        (
            lambda x: tf.strings.to_number("1", tf.int8),
            "out_type",
            "int8",
            "float32, float64, int32, int64, uint32, uint64",
        ),
        (lambda x: tf.unique(x, out_idx=tf.float32), "out_idx", "float32", "int32, int64"),
        (
            lambda x: tf.searchsorted(x, x, out_type=tf.float32),
            "out_type",
            "float32",
            "int32, int64",
        ),
        (
            lambda x: tf.quantization.quantize(x, 0.0, 1.0, tf.float32),
            "T",
            "float32",
            "qint8, quint8, qint32, qint16, quint16",
        ),
        (
            lambda x: tf.random.poisson([2], [1.0], tf.string),
            "dtype",
            "string",
            "float16, float32, float64, int32, int64",
        ),
    ],
)
def test_types_of_attributes(call: Any, name: str, given: str, allowed: str) -> None:
    said = f"Value passed to parameter '{name}' has DataType {given} not in list of allowed values: {allowed}$"
    with pytest.raises(TypeError, match=said):
        tf.function(call)(tf.constant([1.0, 2.0]))
    with tf.Graph().as_default(), pytest.raises(TypeError, match=said):
        call(tf.constant([1.0, 2.0]))
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=f"Value for attr '{name}' of .* is not in the list of allowed",
    ):
        call(tf.constant([1.0, 2.0]))


def test_rows_that_do_not_fit_are_not_equal() -> None:
    rows = tf.ragged.constant([[1, 2], [3]])
    for other in ([1, 2, 3], [[1, 2], [3, 4]], [[1, 2, 3]]):
        tensor = tf.constant(other)
        assert (tensor == rows) is False and (rows == tensor) is False
        assert (tensor != rows) is True and (rows != tensor) is True
    assert (tf.constant([[1], [2]]) == rows).to_list() == [[True, False], [False]]
