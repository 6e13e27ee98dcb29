"""Variables that functions make: their first values are computed outside of the bodies."""

import pytest

import twinflow as tf

v1 = tf.compat.v1


def maker(first, made):
    """A function that makes a variable in its first call, adds to it, and gives it."""

    @tf.function
    def body(x):
        if not made:
            made.append(tf.Variable(first(x)))
        made[0].assign_add(1.0)
        return made[0] + x

    return body


def test_a_first_value_depends_on_the_arguments_of_the_function_around():
    made = []
    inner = maker(lambda x: x * 2, made)
    middle = tf.function(lambda x: inner(x * 2) * 2)
    outer = tf.function(lambda x: middle(x + 1))
    assert outer(tf.constant(3.0)) == 50.0  # 16 + 1 + 8, twice
    assert outer(tf.constant(4.0)) == 56.0
    assert made[0].numpy() == 18.0


def test_a_first_value_depends_on_what_was_captured():
    made = []

    @tf.function
    def outer(x):
        tensor = x * 5
        return maker(lambda _: tensor + 1, made)(x)

    assert outer(tf.constant(3.0)) == 20.0


def test_a_first_value_in_a_branch_depends_on_the_argument():
    made = []

    @tf.function
    def body(x):
        if x > 0:
            if not made:
                made.append(tf.Variable(x * 2))
            x = made[0] + 1
        return x

    assert body(tf.constant(3.0)) == 7.0


def test_a_first_value_of_an_argument_without_a_value_is_refused():
    body = maker(lambda x: x * 2, [])
    with pytest.raises(
        Exception, match=r"^Unable to lift tensor <tf.Tensor 'mul:0' .* e.g.: mul \(Mul\) <- x \(Pl"
    ):
        body.get_concrete_function(tf.TensorSpec([]))


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        (lambda x: 2.0, [6.0, 7.0]),
        (lambda x: tf.ones([]) + 1, [6.0, 7.0]),
        (lambda x: lambda: tf.ones([]) * 4, [8.0, 9.0]),
    ],
)
def test_a_variable_of_a_function_in_a_graph_waits_for_its_initializer(first, expected):
    with tf.Graph().as_default() as graph:
        made = []
        result = maker(first, made)(tf.constant(3.0))
        assert v1.global_variables() == made
        assert v1.trainable_variables() == []
        assert (made[0].graph, made[0].initializer.name) == (graph, "Variable/Assign")
        with v1.Session() as session:
            with pytest.raises(
                tf.errors.NotFoundError, match="Could not find resource: localhost/Variable"
            ):
                session.run(result)
            session.run(v1.global_variables_initializer())
            assert [session.run(result), session.run(result)] == expected
            assert session.run(made[0]) == expected[1] - 3


def test_variables_of_functions_in_a_graph_have_names_of_their_own_and_gradients():
    with tf.Graph().as_default():
        made = []

        @tf.function
        def body(x):
            if not made:
                made.extend(tf.Variable([2.0, 2.0], name="a") for _ in range(2))
            return made[0] * x * made[1]

        result = tf.function(lambda x: body(x))(tf.constant([3.0, 4.0]))
        gradient = tf.gradients(result, made[0])[0]
        assert [v.name for v in made] == ["a:0", "a_1:0"]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            assert session.run(gradient).tolist() == [6.0, 8.0]


def test_a_first_value_in_a_graph_depends_on_no_argument():
    with (
        tf.Graph().as_default(),
        pytest.raises(Exception, match=r"^Unable to lift tensor .*: add \(AddV2\) <- x \(P"),
    ):
        maker(lambda x: x + 1.0, [])(tf.constant(3.0))


def test_a_function_in_a_graph_makes_variables_in_its_first_trace_only():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="only supports singleton"):
        tf.function(lambda x: tf.Variable(2.0) * x)(tf.constant(3.0))


def test_a_variable_of_a_loop_in_a_graph_is_of_the_graph():
    with tf.Graph().as_default(), v1.Session() as session:
        result = tf.while_loop(lambda i: i < 5, lambda i: i + tf.Variable(3), [tf.constant(0)])
        session.run(v1.global_variables_initializer())
        assert session.run(result) == 6 or session.run(result) == [6]
