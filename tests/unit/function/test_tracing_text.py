"""Texts of traces, the number of runs of a body while it is traced, and trace types of arguments."""

import pytest

import twinflow as tf


class Kind(tf.types.experimental.TraceType):
    """The trace type of a ``Unit``: its name, not its size."""

    def __init__(self, unit):
        self.unit = unit

    def is_subtype_of(self, other):
        return self == other

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context):
        return self.unit

    def __eq__(self, other):
        return isinstance(other, Kind) and self.unit.name == other.unit.name

    def __hash__(self):
        return hash(self.unit.name)

    def __repr__(self):
        return f"Kind<{self.unit.name}>"


class Unit:
    """An argument whose class says what traces know of it."""

    def __init__(self, name, size):
        self.name, self.size = name, size

    def __tf_tracing_type__(self, context):
        return Kind(self)


class Sized:
    """An argument of tensors of its own."""

    def __init__(self, size):
        self.size = tf.convert_to_tensor(size)

    def __tf_tracing_type__(self, context):
        return SizedKind()


class SizedKind(Kind):
    def __init__(self):
        self.unit = Unit("sized", 0)

    def flatten(self):
        return [tf.TensorSpec([], tf.int32)]

    def to_tensors(self, value):
        return [value.size]

    def from_tensors(self, tensors):
        return Sized(next(tensors))


def test_classes_say_what_traces_know_of_arguments():
    f = tf.function(lambda unit: tf.constant(unit.size))
    assert int(f(Unit("m", 1))) == int(f(Unit("m", 2))) == 1  # one trace serves both
    assert int(f(Unit("s", 3))) == 3
    assert f.experimental_get_tracing_count() == 2
    assert "unit (POSITIONAL_OR_KEYWORD): Kind<m>" in f.pretty_printed_concrete_signatures()


def test_arguments_with_tensors_of_their_own():
    f = tf.function(lambda x: x.size * 2)
    assert [int(f(Sized(n))) for n in (3, 4)] == [6, 8]
    assert f.experimental_get_tracing_count() == 1


def test_kinds_are_abstract():
    class Incomplete(tf.types.experimental.TraceType):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Incomplete()


def test_types_of_functions():
    kind = tf.function(lambda x: x).get_concrete_function(tf.TensorSpec([2])).function_type
    spec = "TensorSpec(shape=(2,), dtype=tf.float32, name=None)"
    assert str(kind) == f"(x: {spec}) -> {spec}"
    assert repr(kind).splitlines() == [
        "Input Parameters:",
        f"  x (POSITIONAL_OR_KEYWORD): {spec}",
        "Output Type:",
        f"  {spec}",
        "Captures:",
        "  None",
    ]


def test_objects_are_told_by_a_reference():
    unit = object.__new__(type("Plain", (), {}))
    trace = tf.function(lambda a, b: b).get_concrete_function(unit, 2)
    assert "a (POSITIONAL_OR_KEYWORD): Weakref[<weakref at " in str(trace)
    assert "b (POSITIONAL_OR_KEYWORD): Literal[2]" in str(trace)


# ------------------------------------------------------------------ how often bodies run


def count_in(body):
    counts = []
    tf.function(lambda n: body(n, counts), autograph=True)(tf.constant(3))
    return len(counts)


def of_for(n, counts):
    total = 0
    for i in tf.range(n):
        counts.append(1)
        if i > 1:
            total += i
    return total


def of_while(n, counts):
    while n > 0:
        counts.append(1)
        n -= 1
    return n


def of_block(n, counts):
    y = n
    with tf.name_scope("block"):
        for _ in tf.range(n):
            counts.append(1)
            y = y * n
    return y


def of_try(n, counts):
    try:
        y = n
        for _ in tf.range(n):
            counts.append(1)
            y = y * n
    finally:
        n = n + 1
    return y + n


@pytest.mark.parametrize("body", [of_for, of_while, of_block, of_try])
def test_bodies_of_loops_run_once(body):
    assert count_in(body) == 1


def of_new_variable(n, counts):
    for i in tf.range(n):
        counts.append(1)
        last = i * 2
    return last


def test_bodies_that_make_variables_run_twice():
    assert (
        count_in(of_new_variable) == 2
    )  # the first time to see of what type and shape the variable is


def test_invariants_in_bodies_are_seen():
    @tf.function
    def f(n):
        x = tf.ones([1])
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))]
            )
            x = tf.concat([x, x], 0)
        return x

    assert f(tf.constant(3)).shape == [8]


# ------------------------------------------------------------------ tensors that left their function


def test_tensors_of_other_functions_have_no_value():
    left = []

    @tf.function
    def leaving(x):
        left.append(x + 1)
        return x

    @tf.function
    def using(x):
        return x + left[0]

    leaving(tf.constant(1))
    for _ in range(2):
        with pytest.raises(TypeError, match="is out of scope and cannot be used here"):
            using(tf.constant(2))
    with tf.GradientTape(), pytest.raises(TypeError, match="is out of scope"):
        using(tf.constant(2))


def test_tensors_of_branches_do_not_leave_them():
    @tf.function
    def f(x):
        left = []
        tf.cond(x > 0, lambda: left.append(x + 1) or x, lambda: x)
        return left[0] + 1

    with pytest.raises(ValueError, match="is out of scope"):
        f(tf.constant(1))
