"""init_scope, stop_recording, and the functions that tell the current context."""

import logging
import threading

import pytest

import twinflow as tf


def test_init_scope_leads_out_of_functions():
    inside = []

    @tf.function
    def f(x):
        with tf.init_scope():
            inside.append((tf.executing_eagerly(), tf.inside_function()))
            made = tf.constant(3)
        inside.append((tf.executing_eagerly(), tf.inside_function()))
        return x + made

    assert int(f(tf.constant(1))) == int(f(tf.constant(1))) == 4
    assert inside == [(True, False), (False, True)]


def test_init_scope_pauses_tapes_and_keeps_names():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape, tf.name_scope("a"), tf.init_scope():
        y = v * v
        assert tf.get_current_name_scope() == "a"
    assert tape.gradient(y, v) is None


def test_symbolic_tensors_are_those_of_graphs():
    assert not tf.is_symbolic_tensor(tf.constant(1))
    assert tf.function(lambda x: tf.constant(tf.is_symbolic_tensor(x)))(tf.constant(1))


def test_types_tell_what_a_value_is():
    types = tf.types.experimental
    for value in (1, "a", [1], tf.constant(1), tf.Variable(1)):
        assert isinstance(value, types.TensorLike)
    for value in (None, {}, tf.ragged.constant([[1]]), tf.sparse.from_dense([1])):
        assert not isinstance(value, types.TensorLike)
    assert isinstance(tf.TensorSpec([1]), types.TraceType)
    function = tf.function(lambda: tf.constant(1))
    assert isinstance(function, types.GenericFunction)
    assert isinstance(function.get_concrete_function(), types.ConcreteFunction)
    with pytest.raises(TypeError, match="abstract"):
        types.TraceType()


def test_the_logger_is_tensorflows():
    logger = tf.get_logger()
    assert logger is logging.getLogger("tensorflow") is tf.get_logger()


def test_a_gradient_is_told_once():
    with pytest.raises(KeyError, match="Sin"):
        tf.no_gradient("Sin")
    with pytest.raises(TypeError, match="string"):
        tf.no_gradient(3)


def test_creators_make_the_variables_of_a_block():
    asked = []

    def second(next_creator, **options):
        asked.append(options["name"])
        return next_creator(**{**options, "name": f"{options['name']}2"})

    def first(next_creator, **options):
        return next_creator(**{**options, "name": "first"})

    with tf.variable_creator_scope(second):
        with tf.variable_creator_scope(first):
            inner = tf.Variable(1.0)
        outer = tf.Variable(2.0, name="outer")
    assert (inner.name, outer.name, tf.Variable(3.0).name) == ("first2:0", "outer2:0", "Variable:0")
    assert asked == ["first", "outer"]
    assert isinstance(inner, tf.Variable)


def test_creators_are_the_threads_own():
    seen = []
    with tf.variable_creator_scope(lambda next_creator, **options: seen.append(1)):
        thread = threading.Thread(target=lambda: seen.append(tf.Variable(4).numpy()))
        thread.start()
        thread.join()
        with pytest.raises(NotImplementedError):
            tf.Variable(5)
    assert seen == [4, 1]
