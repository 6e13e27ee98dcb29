"""Updates keep a variable's shape and type, whatever is known of the value when they are traced; updates of updates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import twinflow as tf

tf1 = tf.compat.v1
BOTH = pytest.mark.parametrize("use_resource", [True, False])
WRONG = [([1.0, 2.0], "[2]"), ([[1.0, 2.0, 3.0]], "[1,3]"), (1.0, "[]")]


def _said(error: Any) -> str:
    """Returns what the operation itself says."""
    return str(error.value)


# ------------------------------------------------------------------ values of other shapes


@pytest.mark.parametrize(("value", "shape"), WRONG)
@pytest.mark.parametrize("method", ["assign", "assign_add", "assign_sub"])
def test_functions_refuse_values_of_other_shapes(method: str, value: Any, shape: str) -> None:
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def update(x: Any) -> None:
        getattr(v, method)(x)

    said = (
        f"Trying to assign to variable with tensor with wrong shape. Expected [3] got {shape}"
        if method == "assign"
        else f"Cannot update variable with shape [3] using a Tensor with shape {shape}, shapes must be equal."
    )
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        update(value)
    assert said in _said(error)
    with (
        tf.GradientTape(),
        pytest.raises(tf.errors.InvalidArgumentError),
    ):  # where the operations run one by one
        update(value)
    np.testing.assert_array_equal(v, [1.0, 2.0, 3.0])
    update([1.0, 1.0, 1.0])
    assert v.numpy().shape == (3,)


def test_functions_assign_any_shape_to_variables_of_unknown_shape() -> None:
    v = tf.Variable([1.0, 2.0, 3.0], shape=tf.TensorShape([None]))

    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def update(x: Any) -> None:
        v.assign(x)

    update([1.0, 2.0])
    np.testing.assert_array_equal(v, [1.0, 2.0])


# What is said of a value of another shape, by whether variables are resources.
SAID = {
    (
        "assign",
        True,
    ): "Trying to assign to variable with tensor with wrong shape. Expected [3] got {}",
    (
        "assign",
        False,
    ): "Assign requires shapes of both tensors to match. lhs shape= [3] rhs shape= {}",
    (
        "assign_add",
        True,
    ): "Cannot update variable with shape [3] using a Tensor with shape {}, shapes must be equal.",
    ("assign_add", False): "Parameters and update must be the same size",
    (
        "assign_sub",
        True,
    ): "Cannot update variable with shape [3] using a Tensor with shape {}, shapes must be equal.",
    ("assign_sub", False): "Parameters and update must be the same size",
}


@pytest.mark.parametrize(("value", "shape"), WRONG)
@pytest.mark.parametrize(("method", "use_resource"), SAID)
def test_sessions_refuse_values_of_other_shapes(
    method: str, use_resource: bool, value: Any, shape: str
) -> None:
    with tf.Graph().as_default(), tf1.Session() as session:
        v = tf1.Variable([1.0, 2.0, 3.0], use_resource=use_resource)
        x = tf1.placeholder(tf.float32)
        updates = [getattr(v, method)(x), getattr(tf1, method)(v, x)]
        session.run(v.initializer)
        for update in updates:
            with pytest.raises(tf.errors.InvalidArgumentError) as error:
                session.run(update, {x: value})
            assert SAID[method, use_resource].format(shape) in _said(error)
            np.testing.assert_array_equal(session.run(v), [1.0, 2.0, 3.0])


@pytest.mark.usefixtures("graph")
def test_references_take_other_shapes_where_that_is_asked_for() -> None:
    v = tf1.Variable([1.0, 2.0, 3.0], use_resource=False)
    x = tf1.placeholder(tf.float32)
    update = tf1.assign(v, x, validate_shape=False)
    with tf1.Session() as session:
        session.run(v.initializer)
        np.testing.assert_array_equal(session.run(update, {x: [1.0]}), [1.0])


@pytest.mark.usefixtures("graph")
def test_resources_take_other_shapes_where_they_were_made_so() -> None:
    v = tf1.Variable([1.0, 2.0], use_resource=True, validate_shape=False)
    x = tf1.placeholder(tf.float32)
    update = v.assign(x)
    with tf1.Session() as session:
        session.run(v.initializer)
        np.testing.assert_array_equal(
            session.run(update, {x: [1.0, 2.0, 3.0, 4.0]}), [1.0, 2.0, 3.0, 4.0]
        )
        session.run(v.initializer)
        np.testing.assert_array_equal(session.run(v), [1.0, 2.0])


@BOTH
def test_files_keep_whether_shapes_are_checked(use_resource: bool) -> None:
    with tf.Graph().as_default() as graph:
        v = tf1.Variable([1.0, 2.0], use_resource=use_resource, name="v")
        x = tf1.placeholder(tf.float32, name="x")
        v.assign(x, name="checked", read_value=False)
        tf1.assign(v, x, name="other", validate_shape=False)
    message = graph.as_graph_def()
    flags = {
        node.name: node.attr["validate_shape"].b
        for node in message.node
        if "validate_shape" in node.attr
    }
    assert flags == {"v/Assign": not use_resource, "checked": True, "other": use_resource}
    with tf.Graph().as_default() as again, tf1.Session() as session:
        tf.import_graph_def(message, name="")
        assert {
            n.name: n.attr["validate_shape"].b for n in again.as_graph_def().node if n.name in flags
        } == flags
        session.run("v/Assign")
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run("checked", {"x:0": [1.0]})


@BOTH
def test_updates_of_rows(use_resource: bool) -> None:
    prefix = "The shape of indices ([1]) must be a prefix of the shape of updates ([2])"
    fit = (
        "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], "
        "got updates.shape [2], indices.shape [1], params.shape [2]"
    )
    with tf.Graph().as_default(), tf1.Session() as session:
        v = tf1.Variable([1.0, 3.0], use_resource=use_resource)
        x, i = tf1.placeholder(tf.float32), tf1.placeholder(tf.int32)
        update = tf1.scatter_update(v, i, x)
        session.run(v.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            session.run(update, {x: [1.0, 2.0], i: [0]})
        assert (prefix if use_resource else fit) in _said(error)
        np.testing.assert_array_equal(session.run(update, {x: [], i: []}), [1.0, 3.0])


@pytest.mark.usefixtures("graph")
def test_updates_of_references_are_checked_when_they_are_made() -> None:
    v = tf1.Variable([1.0, 2.0], use_resource=False, name="v")
    with pytest.raises(
        ValueError,
        match=r"must be equal, but are 2 and 3. Shapes are \[2\] and \[3\]. for '{{node AssignAdd}}",
    ):
        v.assign_add([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="Shapes must be equal rank, but are 1 and 0"):
        v.assign_sub(1.0)
    with pytest.raises(ValueError, match="Shapes must be equal rank, but are 2 and 1"):
        tf1.scatter_update(v, [0, 1], [[1.0]])


# ------------------------------------------------------------------ values of other types

RAW = [
    (
        "AssignVariableOp",
        {"value": [1, 2]},
        "Trying to assign variable with wrong dtype. Expected float got int32",
    ),
    (
        "AssignAddVariableOp",
        {"value": [1, 2]},
        "DType of variable handle and value does not match.",
    ),
    (
        "AssignSubVariableOp",
        {"value": [1, 2]},
        "DType of variable handle and value does not match.",
    ),
    (
        "ResourceScatterAdd",
        {"indices": [0], "updates": [1]},
        "DType of scatter resource and updates does not match.",
    ),
    (
        "ResourceScatterUpdate",
        {"indices": [0], "updates": [1]},
        "DType of scatter resource and updates does not match.",
    ),
]


@pytest.mark.parametrize(("type", "given", "said"), RAW)
def test_raw_updates_by_another_type(type: str, given: dict[str, Any], said: str) -> None:
    v = tf.Variable([1.0, 2.0])
    update = getattr(tf.raw_ops, type)
    given = {name: tf.constant(value) for name, value in given.items()}
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        update(resource=v.handle, **given)
    assert said in _said(error)

    @tf.function
    def traced() -> None:
        update(resource=v.handle, **given)

    with pytest.raises(ValueError, match=r"with wrong dtype. Expected float got int32 for '{{node"):
        traced()
    assert v.dtype == tf.float32 and v.numpy().dtype == np.float32


def test_raw_updates_check_shapes_where_asked_to() -> None:
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"wrong shape. Expected \[2\] got \[1\]"
    ):
        tf.raw_ops.AssignVariableOp(
            resource=v.handle, value=tf.constant([5.0]), validate_shape=True
        )
    tf.raw_ops.AssignVariableOp(resource=v.handle, value=tf.constant([5.0]))
    np.testing.assert_array_equal(v, [5.0])


# ------------------------------------------------------------------ updates of updates

CHAINS = {
    "add": (lambda v: tf1.assign_add(tf1.assign(v, [3.0, 3.0]), [2.0, 2.0]), [5.0, 5.0]),
    "assign": (lambda v: tf1.assign(tf1.assign_add(v, [1.0, 1.0]), [7.0, 7.0]), [7.0, 7.0]),
    "three": (
        lambda v: tf1.assign_sub(tf1.assign_add(tf1.assign(v, [1.0, 1.0]), [7.0, 7.0]), [1.0, 2.0]),
        [7.0, 6.0],
    ),
}


@BOTH
@pytest.mark.parametrize("name", CHAINS)
def test_updates_of_updates(name: str, use_resource: bool) -> None:
    chain, expected = CHAINS[name]
    with tf.Graph().as_default(), tf1.Session() as session:
        v = tf1.Variable([1.0, 2.0], use_resource=use_resource)
        update = chain(v)
        session.run(v.initializer)
        np.testing.assert_array_equal(session.run(update), expected)
        np.testing.assert_array_equal(session.run(v), expected)


@pytest.mark.usefixtures("graph")
def test_methods_of_updates_run_after_them() -> None:
    v = tf1.Variable([1.0, 2.0], use_resource=True)
    chains = [
        (v.assign([3.0, 3.0]).assign_add([2.0, 2.0]), [5.0, 5.0]),
        (v.assign([4.0, 6.0]).scatter_add(tf.IndexedSlices([1.0], [0])), [5.0, 6.0]),
        (v.assign([4.0, 6.0]).scatter_nd_update([[1]], [9.0]), [4.0, 9.0]),
    ]
    with tf1.Session() as session:
        session.run(v.initializer)
        for update, expected in chains:
            np.testing.assert_array_equal(session.run(update), expected)
            np.testing.assert_array_equal(session.run(v), expected)


@pytest.mark.usefixtures("graph")
def test_rows_of_references_are_updated_after_an_update() -> None:
    v = tf1.Variable([1.0, 2.0], use_resource=False)
    rows = tf1.scatter_add(tf1.assign(v, [1.0, 1.0]), [0], [7.0])
    elements = tf1.scatter_nd_add(tf1.assign(v, [1.0, 1.0]), [[1]], [7.0])
    with tf1.Session() as session:
        session.run(v.initializer)
        np.testing.assert_array_equal(session.run(rows), [8.0, 1.0])
        np.testing.assert_array_equal(session.run(elements), [1.0, 8.0])


@BOTH
def test_updates_have_the_names_that_programs_give(use_resource: bool) -> None:
    with tf.Graph().as_default() as graph:
        v = tf1.Variable([1.0, 2.0], use_resource=use_resource)
        tf1.assign_add(v, [1.0, 1.0], name="more")
        tf1.assign_sub(v, [1.0, 1.0], name="less")
        tf1.scatter_update(v, [0], [1.0], name="rows")
        tf1.scatter_nd_update(v, [[0]], [1.0], name="elements")
        assert {"more", "less", "rows", "elements"} <= {
            node.name for node in graph.get_operations()
        }
