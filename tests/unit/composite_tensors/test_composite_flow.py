"""Ragged and sparse tensors, rows of tensors and a program's own types in branches and loops, eager and traced."""

import typing

import numpy as np
import pytest

import twinflow as tf


class Pair(tf.experimental.ExtensionType):
    """Two tensors; its description is made of one shape."""

    left: tf.Tensor
    right: tf.Tensor

    class Spec:
        def __init__(self, shape, dtype=tf.float32):
            self.left = self.right = tf.TensorSpec(shape, dtype)


class Tree(tf.experimental.ExtensionType):
    """A type that names itself."""

    value: tf.Tensor
    children: typing.Tuple["Tree", ...] = ()  # noqa: UP006
    other: typing.Optional["Tree"] = None


KINDS = {
    "ragged": lambda: tf.ragged.constant([[1.0, 2.0], [3.0]]),
    "sparse": lambda: tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]]),
    "pair": lambda: Pair([1.0, 2.0], [3.0, 4.0]),
}


def doubled(value):
    if isinstance(value, Pair):
        return Pair(value.left * 2.0, value.right)
    return value * 2.0


def numbers(value):
    return [part.numpy().tolist() for part in tf.nest.flatten(value, expand_composites=True)]


@pytest.fixture(params=KINDS)
def composite(request):
    return KINDS[request.param]()


def test_cond(composite):
    def choose(flag, value):
        return tf.cond(
            flag,
            lambda: (doubled(value), {"as it was": value}),
            lambda: (value, {"as it was": value}),
        )

    for flag in (tf.constant(True), tf.constant(False)):
        eager, traced = choose(flag, composite), tf.function(choose)(flag, composite)
        assert type(traced[0]) is type(composite)
        assert numbers(traced) == numbers(eager)


def test_if(composite):
    @tf.function
    def f(flag, value):
        if flag:
            value = doubled(value)
        return value

    assert numbers(f(tf.constant(True), composite)) == numbers(doubled(composite))
    assert numbers(f(tf.constant(False), composite)) == numbers(composite)


def test_while_loop(composite):
    def loop(value):
        return tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, doubled(v)), (0, value))

    eager, traced = loop(composite), tf.function(loop)(composite)
    assert type(eager[1]) is type(traced[1]) is type(composite)
    assert (
        numbers(traced)
        == numbers(eager)
        == numbers((tf.constant(3), doubled(doubled(doubled(composite)))))
    )


def test_switch_case(composite):
    f = tf.function(lambda i, v: tf.switch_case(i, [lambda: v, lambda: doubled(v)]))
    assert numbers(f(tf.constant(1), composite)) == numbers(doubled(composite))


@pytest.mark.parametrize("kind", ["ragged", "pair", "sparse"])
def test_identity_in_a_loop(kind):
    @tf.function
    def f(value, n):
        for _ in tf.range(n):
            value = value if kind == "pair" else tf.identity(value)
        return value

    value = KINDS[kind]()
    assert numbers(f(value, tf.constant(2))) == numbers(value)


@pytest.mark.parametrize("kind", ["ragged", "pair"])
def test_for(kind):
    @tf.function
    def f(value, n):
        for _ in tf.range(n):
            value = doubled(value)
        return value

    value = KINDS[kind]()
    assert numbers(f(value, tf.constant(2))) == numbers(doubled(doubled(value)))


def test_gradient_through_a_loop():
    @tf.function
    def f(values, n):
        rows = tf.RaggedTensor.from_row_lengths(values, [2, 1])
        for _ in tf.range(n):
            rows = rows * rows
        return tf.reduce_sum(rows)

    values = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        y = f(values, tf.constant(2))
    np.testing.assert_allclose(tape.gradient(y, values), 4 * values.numpy() ** 3)


def test_rows_stay_rows():
    rows = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    found = tf.function(lambda flag, v: tf.cond(flag, lambda: v, lambda: v))(
        tf.constant(True), rows
    )
    assert isinstance(found, tf.IndexedSlices)


def test_invariants_of_ragged_loop_variables():
    rows = tf.ragged.constant([[1], [2]])
    shapes = (tf.TensorShape([]), tf.RaggedTensorSpec([None, None], tf.int32))

    @tf.function
    def f(n):
        body = lambda i, r: (i + 1, tf.concat([r, r], 0))
        return tf.while_loop(lambda i, _: i < n, body, (0, rows), shape_invariants=shapes)[1]

    assert f(tf.constant(2)).to_list() == [[1], [2]] * 4


def test_structures_of_rounds_and_branches():
    @tf.function
    def longer(values, n):
        for _ in tf.range(n):
            values = values + values
        return values

    with pytest.raises(
        TypeError, match="'values' does not have the same nested structure after one iteration"
    ):
        longer([1, 2], tf.constant(2))

    @tf.function
    def perhaps(value, flag):
        if flag:
            result = value
        else:
            result = None
        return result

    with pytest.raises(TypeError, match="'result' must have the same nested structure"):
        perhaps(KINDS["ragged"](), tf.constant(True))
    with pytest.raises(ValueError, match="'result' is None at the end of the else branch"):
        perhaps(tf.constant(1), tf.constant(True))


def test_branches_of_other_kinds_are_told_by_their_structure():
    f = tf.function(lambda flag: tf.cond(flag, lambda: 1, KINDS["ragged"]))
    with pytest.raises(TypeError, match="must have the same number, type, and overall structure"):
        f(tf.constant(True))


@pytest.mark.parametrize("after", [tf.zeros([2]), None], ids=["dense", "none"])
def test_other_kinds_are_refused(after):
    @tf.function
    def f(value, n):
        for _ in tf.range(n):
            value = after
        return value

    with pytest.raises(
        (TypeError, ValueError), match=r"same nested structure after one iteration|None at the end"
    ):
        f(KINDS["ragged"](), tf.constant(2))


def test_other_shapes_are_refused():
    @tf.function
    def f(value, n):
        for _ in tf.range(n):
            value = tf.concat([value, value], 0)
        return value

    with pytest.raises(
        ValueError, match=r"shape \(2, None\) before the loop, but shape \(4, None\) after"
    ):
        f(KINDS["ragged"](), tf.constant(2))


def test_symbolic_ragged_tensors_have_a_text():
    texts = []

    @tf.function
    def f(value):
        texts.append(str(value))
        return value

    f(tf.ragged.constant([[1], [2, 3]]))
    first = 'Tensor("value:0", shape=(None,), dtype=int32)'
    assert texts == [
        f'tf.RaggedTensor(values={first}, row_splits=Tensor("value_1:0", shape=(3,), dtype=int64))'
    ]


def test_structures_with_composites_differ_by_kind():
    with pytest.raises(ValueError, match="is a sequence, while substructure"):
        tf.nest.assert_same_structure(KINDS["ragged"](), tf.constant(1), expand_composites=True)
    with pytest.raises(ValueError, match="Incompatible CompositeTensor TypeSpecs"):
        tf.nest.assert_same_structure(KINDS["ragged"](), KINDS["sparse"](), expand_composites=True)


# ------------------------------------------------------------------ a program's own types


def test_own_constructors_of_descriptions():
    spec = Pair.Spec([None])
    assert (spec.left, spec.right) == (tf.TensorSpec([None]), tf.TensorSpec([None]))
    assert tf.type_spec_from_value(Pair([1.0], [2.0])) == Pair.Spec([1])
    with pytest.raises(AttributeError, match="Cannot mutate attribute `left`"):
        spec.left = tf.TensorSpec([])
    f = tf.function(lambda p: p.left + p.right, input_signature=[spec])
    assert f(Pair([1.0, 2.0], [3.0, 4.0])).numpy().tolist() == [4.0, 6.0]
    with pytest.raises(TypeError, match=r"Can not cast TensorSpec\(shape=\(1,\), dtype=tf.int32"):
        f(Pair([1], [2]))


def test_constructors_of_descriptions_must_set_all():
    class Half(tf.experimental.ExtensionType):
        a: tf.Tensor

        class Spec:
            def __init__(self):
                pass

    with pytest.raises(ValueError, match="Missing required fields"):
        Half.Spec()


def test_types_that_name_themselves():
    tree = Tree(1, [Tree(2), Tree(3)], Tree(4))
    assert [int(child.value) for child in tree.children] == [2, 3]
    assert int(tree.other.value) == 4
    with pytest.raises(TypeError, match="other: expected"):
        Tree(1, other=3)


def test_types_that_are_named_before_they_are_there():
    class Outer(tf.experimental.ExtensionType):
        inner: "_Later"  # noqa: F821 (it comes later)

    with pytest.raises(TypeError, match="Unsupported type annotation"):
        Outer(1)
    globals()["_Later"] = type(tf.experimental.ExtensionType)(
        "_Later",
        (tf.experimental.ExtensionType,),
        {"__annotations__": {"x": tf.Tensor}, "__module__": __name__},
    )
    try:
        assert int(Outer(globals()["_Later"](5)).inner.x) == 5
    finally:
        del globals()["_Later"]


@pytest.mark.parametrize("name", ["is_compatible_with", "_type_spec", "value_type"])
def test_reserved_names(name):
    names = {"__annotations__": {name: tf.Tensor}, "__module__": __name__}
    with pytest.raises(ValueError, match=f"Field '{name}' is reserved"):
        type(tf.experimental.ExtensionType)("Bad", (tf.experimental.ExtensionType,), names)


def test_signatures_are_told_with_their_defaults():
    with pytest.raises(
        ValueError, match=r"signature \(values, axis=1, more=2, name=None\) does not match API's"
    ):

        @tf.experimental.dispatch_for_api(tf.stack, {"values": Pair})
        def stack(values, axis=1, more=2):
            return values


def test_both_operands_are_one_tensor():
    values = tf.constant([1.0, 2.0, 3.0])

    @tf.function
    def f(x):
        rows = tf.RaggedTensor.from_row_lengths(x, [2, 1])
        return tf.reduce_sum(rows * rows)

    with tf.GradientTape() as outer:
        outer.watch(values)
        with tf.GradientTape() as tape:
            tape.watch(values)
            y = f(values)
        first = tape.gradient(y, values)
    assert first.numpy().tolist() == [2.0, 4.0, 6.0]
    assert outer.gradient(first, values).numpy().tolist() == [2.0, 2.0, 2.0]


def test_uniform_rows_are_told_first():
    rows, dense = tf.ragged.constant([[1, 2], [3]]), tf.constant([[1, 2], [3, 4]])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"elements of x:\n\[0 2 4\]"):
        rows + dense
