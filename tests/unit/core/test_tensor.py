"""Tensors as Python objects: immutable values that other libraries understand."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import twinflow as tf

X = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
SCALAR = tf.constant(7)


def test_what_it_is():
    assert X.shape == (2, 3) == X.get_shape() and X.ndim == 2 and X.dtype is tf.float32
    assert X.device == X.backing_device == "/job:localhost/replica:0/task:0/device:CPU:0"
    assert tf.is_tensor(X) and tf.is_tensor(tf.Variable(1)) and not tf.is_tensor(np.zeros(1))
    assert isinstance(X, tf.Tensor) and not X.is_packed
    X.set_shape([None, 3])
    with pytest.raises(ValueError, match="not compatible"):
        X.set_shape([3, 3])


def test_it_cannot_be_changed():
    with pytest.raises(TypeError, match="does not support item assignment"):
        X[0] = 1
    view = np.asarray(X)
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0] = 9
    with pytest.raises(AttributeError):
        X.shape = (3, 2)


def test_numpy_is_a_copy():
    array = X.numpy()
    array[0, 0] = 9
    assert X.numpy()[0, 0] == 1
    assert isinstance(SCALAR.numpy(), np.int32)


def test_array_protocol():
    view = np.asarray(X)
    assert np.shares_memory(view, X._array) and not view.flags.writeable
    copied = np.array(X)
    copied[0, 0] = 9
    assert X.numpy()[0, 0] == 1
    assert np.asarray(X, np.float64).dtype == np.float64
    assert np.add(X, 1).tolist() == [[2, 3, 4], [5, 6, 7]]
    assert (np.ones((2, 3), np.float32) + X).dtype is tf.float32


def test_strings_and_narrow_types_as_arrays():
    assert np.asarray(tf.constant(["a"])).tolist() == [b"a"]
    assert np.asarray(tf.cast([1.5], tf.bfloat16)).astype(float).tolist() == [1.5]


def test_dlpack_both_ways():
    array = np.from_dlpack(X)
    assert np.shares_memory(array, X._array)
    tensor = tf.experimental.dlpack.from_dlpack(np.arange(3.0))
    assert tensor.dtype is tf.float64 and tensor.numpy().tolist() == [0, 1, 2]
    again = tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(X))
    assert again.numpy().tolist() == X.numpy().tolist()
    with pytest.raises((tf.errors.InvalidArgumentError, BufferError, TypeError)):
        tf.experimental.dlpack.to_dlpack(tf.constant(["a"]))


def test_python_numbers():
    assert int(SCALAR) == 7 and float(SCALAR) == 7.0 and complex(SCALAR) == 7 and bool(SCALAR)
    assert [10, 20][tf.constant(1)] == 20 and list(range(tf.constant(2))) == [0, 1]
    assert int(tf.constant(2.9)) == 2 and float(tf.constant([2.5])[0]) == 2.5
    assert f"{SCALAR:03d}" == "007" and f"{SCALAR}" == "7"
    assert (
        f"{tf.constant(0.1)} {tf.constant([0.1])} {tf.constant('a')}"
        == "0.10000000149011612 [0.1] b'a'"
    )
    assert f"{tf.constant(0.1):.2f}" == "0.10"
    with pytest.raises(TypeError, match="unsupported format string"):
        f"{tf.constant([0.1]):.2f}"
    with pytest.raises(AttributeError, match="__index__"):
        [10, 20][tf.constant(1.0)]


def test_numbers_are_shown_short_in_texts_and_whole_in_representations():
    x = tf.constant(0.1)
    assert str(x) == "tf.Tensor(0.1, shape=(), dtype=float32)"
    assert repr(x) == "<tf.Tensor: shape=(), dtype=float32, numpy=0.10000000149011612>"


def test_types_that_numpy_cannot_name_have_no_array_interface():
    tiny = tf.cast([1.0, 2.0], tf.dtypes.experimental.float8_e5m2)
    assert hasattr(X, "__array_interface__") and not hasattr(tiny, "__array_interface__")
    assert np.asarray(tiny).dtype == tiny.dtype.np


def test_truth():
    assert bool(tf.constant([True])) and not bool(tf.constant([[0]]))
    with pytest.raises(
        ValueError, match="truth value of an array with more than one element is ambiguous"
    ):
        bool(X)
    assert tf.constant(1) in [tf.constant(1)]


def test_iteration_and_length():
    assert len(X) == 2 and [row.numpy().tolist() for row in X] == [[1, 2, 3], [4, 5, 6]]
    _, second = X
    assert second.numpy().tolist() == [4, 5, 6]
    for wrong, message in (
        (len, "Scalar tensor has no `len()`"),
        (iter, "Cannot iterate over a scalar tensor."),
    ):
        with pytest.raises(TypeError) as caught:
            wrong(SCALAR)
        assert str(caught.value) == message


def test_hashing_by_reference():
    with pytest.raises(
        TypeError, match=r"Tensor is unhashable. Instead, use tensor.ref\(\) as the key."
    ):
        hash(X)
    assert X.ref() == X.ref() and X.ref() != tf.identity(X).ref() and hash(X.ref()) == hash(X.ref())
    assert {X.ref(): 1}[X.ref()] == 1 and X.ref().deref() is X
    assert repr(X.ref()).startswith("<Reference wrapping <tf.Tensor")


def test_equality_is_element_by_element():
    assert (tf.constant([1, 2]) == [1, 3]).numpy().tolist() == [True, False]
    assert (tf.constant([1, 2]) != tf.constant([1, 3])).numpy().tolist() == [False, True]
    assert (tf.constant([1, 2]) == None) is False  # noqa: E711
    assert (tf.constant([1, 2]) == tf.constant([1, 2, 3])).numpy() == np.False_
    assert (tf.constant([1, 2]) != tf.constant([1, 2, 3])).numpy() == np.True_


@pytest.mark.parametrize(
    "tensor",
    [
        X,
        SCALAR,
        tf.constant(["a", "b"]),
        tf.cast([1.5], tf.bfloat16),
        tf.zeros([0, 2]),
        tf.constant([1j]),
    ],
    ids=repr,
)
def test_copies(tensor):
    assert copy.deepcopy(tensor) is copy.copy(tensor) is tensor  # nothing writes to a tensor
    for copied in (pickle.loads(pickle.dumps(tensor)), copy.deepcopy([tensor])[0]):
        assert copied.dtype is tensor.dtype
        assert copied.numpy().tolist() == tensor.numpy().tolist()


def test_what_only_graphs_have():
    for name in ("op", "graph", "name", "value_index"):
        with pytest.raises(
            AttributeError, match=f"Tensor.{name} is undefined when eager execution is enabled."
        ):
            getattr(X, name)
    with pytest.raises(NotImplementedError):
        X.eval()
    with pytest.raises(NotImplementedError):
        X.consumers()


def test_what_only_numpy_has():
    with pytest.raises(AttributeError, match="has no attribute 'astype'"):
        X.astype
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        X.nonsense


def test_moving_to_a_device():
    assert X.cpu() is X
    assert X.gpu().numpy().tolist() == X.numpy().tolist()  # soft placement where there is no GPU


def test_it_goes_when_the_last_reference_goes():
    tensor = tf.constant([1.0, 2.0])
    ghost = weakref.ref(tensor)
    del tensor
    gc.collect()
    assert ghost() is None


def test_a_variable_in_an_expression_with_numpy():
    v = tf.Variable([1.0, 2.0])
    assert (np.array([1.0, 1.0], np.float32) + v).numpy().tolist() == [2, 3]
    assert np.asarray(v).tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(v)[0] = 5


def test_references_have_an_order():
    first, second = tf.Variable(1.0).ref(), tf.Variable(2.0).ref()
    assert (first < second) is not (first > second)
    assert not first < first
    values = tf.nest.map_structure(lambda x: x + 1, {first: 1, second: 2})
    assert values == {first: 2, second: 3}
    with pytest.raises(TypeError, match="Cannot compare wrapped object with unwrapped object"):
        assert first < 3
