"""Operations know where the user's program made them; errors tell."""

import inspect
import re
import traceback

import pytest

import twinflow as tf
from twinflow._src.graph.call_stack import CallStacks

ROWS = [1, 2]


def line_of(text):
    """The line of this file that ends in a comment."""
    return inspect.getsource(inspect.getmodule(line_of)).split(f"# {text}\n")[0].count("\n") + 1


def row(x, i):
    return tf.gather(x, i)  # gathers


@tf.function
def last_of(x, i):
    for k in tf.range(2):
        if k > 0:  # decides
            x = x + row(x, i)  # picks
        else:
            x = tf.identity(x)
    return x


def stack_of(message):
    return re.findall(r'File "[^"]*test_call_stacks.py", line (\d+), in (\w+)', message)


def test_an_error_in_a_function_tells_the_lines():
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        last_of(tf.constant(ROWS), tf.constant(7))
    message = str(raised.value)
    start = "Graph execution error:\n\nDetected at node while/cond/GatherV2 defined at (most recent call last):\n"
    assert message.startswith(start)
    assert stack_of(message)[-3:] == [
        (str(line_of("decides")), "last_of"),
        (str(line_of("picks")), "last_of"),
        (str(line_of("gathers")), "row"),
    ]
    assert "twinflow/_src" not in message
    end = "\n\nindices = 7 is not in [0, 2)\n\t [[{{node while/cond/GatherV2}}]] [Op:__inference_last_of_"
    assert end in message


def test_a_copy_keeps_the_place_of_its_original():
    @tf.function
    def inner(x, i):
        return row(x, i)

    @tf.function
    def outer(x, i):
        return inner(x, i) + inner(x, 0)

    for call in (outer, lambda x, i: gradient(outer, x, i)):
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            call(tf.constant([1.0, 2.0]), tf.constant(7))
        assert stack_of(str(raised.value))[-1] == (str(line_of("gathers")), "row")


def gradient(function, x, i):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x, i)
    return tape.gradient(y, x)


def test_a_session_tells_the_lines():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        i = tf.compat.v1.placeholder(tf.int32, [], name="i")  # feeds
        picked = row(ROWS, i)
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            session.run(picked, {i: 5})
        with pytest.raises(tf.errors.InvalidArgumentError) as unfed:
            session.run(picked)
    assert re.search(
        r"Detected at node 'GatherV2' defined at \(most recent call last\):\n(    File .*\n)+Node: 'GatherV2'\n",
        str(raised.value),
    )
    assert stack_of(str(raised.value))[-1] == (str(line_of("gathers")), "row")
    assert stack_of(str(unfed.value))[-1][0] == str(line_of("feeds"))


def test_an_operation_has_a_traceback():
    with tf.Graph().as_default():
        found = row(ROWS, 1).op.traceback
    assert isinstance(found, traceback.StackSummary)
    assert (found[-1].name, found[-1].line) == ("row", "return tf.gather(x, i)  # gathers")
    assert found[-2].name == "test_an_operation_has_a_traceback"


def test_a_tensor_out_of_scope_tells_where_it_was_made():
    left = []

    @tf.function
    def leaking(x):
        left.append(x + 1)  # leaks
        return x

    leaking(tf.constant(1))
    with pytest.raises(TypeError, match="was defined here:\n    File ") as raised:
        left[0] + 1
    assert stack_of(str(raised.value))[-1] == (str(line_of("leaks")), "leaking")


def test_a_python_function_that_fails_is_the_cause():
    @tf.function
    def calls(x):
        return tf.py_function(lambda a: 1 / 0, [x], tf.float32)

    with pytest.raises(
        tf.errors.UnknownError, match="ZeroDivisionError: division by zero"
    ) as raised:
        calls(tf.constant(1))
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    data = tf.data.Dataset.range(1).map(lambda x: tf.py_function(lambda a: 1 / 0, [x], tf.float32))
    with pytest.raises(tf.errors.UnknownError) as raised:
        list(data)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


def test_operations_of_one_line_share_a_stack():
    stacks = CallStacks()
    first, second = (stacks.current() for _ in range(2))
    assert first == second and first
    with tf.Graph().as_default() as graph:
        made = [row(ROWS, 1).op for _ in range(3)]
    assert made[0].call_stack is made[2].call_stack
    assert len(graph._call_stacks._stacks) < len(graph.get_operations())
