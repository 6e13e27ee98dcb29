"""Functions that are one call here are saved as TensorFlow's operations, and loaded again."""

import numpy as np
import pytest

import twinflow as tf

ROWS = tf.ragged.constant([[1.0, 2.0, 3.0], [], [4.0, 5.0]])
WORDS = tf.ragged.constant([["aa", "b", "c"], [], ["dd", "e"]])
RAGGED = tf.RaggedTensorSpec([None, None], tf.float32)
RAGGED_WORDS = tf.RaggedTensorSpec([None, None], tf.string)
VECTOR, STRINGS = tf.TensorSpec([None]), tf.TensorSpec([None], tf.string)
INTEGERS, NUMBER = tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)

# A function, its signature, and arguments.
FUNCTIONS = {
    "linspace": (lambda a: tf.linspace(a, 10.0, 5), [tf.TensorSpec([])], [1.0]),
    "linspace of n": (lambda a, n: tf.linspace(a, 10.0, n), [tf.TensorSpec([]), NUMBER], [1.0, 7]),
    "linspace of one": (lambda a, n: tf.linspace(a, 2.0, n), [tf.TensorSpec([]), NUMBER], [1.0, 1]),
    "linspace of vectors": (lambda a: tf.linspace(a, a * 2, 4, axis=-1), [VECTOR], [[1.0, 2.0]]),
    "linspace of integers": (lambda a: tf.linspace(a, 10, 4), [NUMBER], [1]),
    "bins": (
        lambda a: tf.histogram_fixed_width_bins(a, [0.0, 5.0], 5),
        [VECTOR],
        [[-1.0, 0.0, 1.5, 2.0, 5.0, 15.0]],
    ),
    "ragged mask": (lambda x: tf.ragged.boolean_mask(x, x > 1.0), [RAGGED], [ROWS]),
    "dense mask": (
        lambda x: tf.ragged.boolean_mask(x, x > 1.0),
        [tf.TensorSpec([None, None])],
        [[[1.0, 2.0], [3.0, 0.0]]],
    ),
    "ragged range": (lambda a: tf.ragged.range(a), [INTEGERS], [[2, 0, 3]]),
    "ragged range of steps": (
        lambda a, b: tf.ragged.range(a, b, 2),
        [INTEGERS] * 2,
        [[2, 0, 3], [7, 1, 3]],
    ),
    "stack of vectors": (lambda a, b: tf.ragged.stack([a, b]), [VECTOR] * 2, [[1.0], [2.0, 3.0]]),
    "stack of ragged": (lambda a: tf.ragged.stack([a, a]), [RAGGED], [ROWS]),
    "a row": (lambda x: x[-1], [RAGGED], [ROWS]),
    "a row by index": (lambda x, i: x[i], [RAGGED, NUMBER], [ROWS, 2]),
    "rows": (lambda x: x[1:], [RAGGED], [ROWS]),
    "ends of rows": (lambda x: x[:, -2:], [RAGGED], [ROWS]),
    "parts of rows": (lambda x: x[:-1, :2], [RAGGED], [ROWS]),
    "steps in rows": (lambda x: x[:, ::2], [RAGGED], [ROWS]),
    "ngrams": (lambda x: tf.strings.ngrams(x, 2), [RAGGED_WORDS], [WORDS]),
    "ngrams of rows": (
        lambda x: tf.strings.ngrams(x, [1, 2], "-", ("<", ">")),
        [tf.TensorSpec([None, None], tf.string)],
        [[["a", "b"], ["c", "d"]]],
    ),
    "padded ngrams": (
        lambda x: tf.strings.ngrams(x, 3, pad_values="P", padding_width=1),
        [STRINGS],
        [["a", "b", "c"]],
    ),
    "bytes": (tf.strings.bytes_split, [STRINGS], [["abc", "", "de"]]),
    "bytes of one": (tf.strings.bytes_split, [tf.TensorSpec([], tf.string)], ["abc"]),
    "bytes of ragged": (tf.strings.bytes_split, [RAGGED_WORDS], [WORDS]),
    "bytes of rows": (
        tf.strings.bytes_split,
        [tf.TensorSpec([None, None], tf.string)],
        [[["ab", "c"], ["", "def"]]],
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_is_saved_as_operations(name, tmp_path):
    function, signature, values = FUNCTIONS[name]
    arguments = [
        x if isinstance(x, tf.RaggedTensor) else tf.constant(x, spec.dtype)
        for x, spec in zip(values, signature)
    ]
    model = tf.Module()
    model.f = tf.function(lambda *args: function(*args), input_signature=signature)
    tf.saved_model.save(model, str(tmp_path))
    actual, expected = tf.saved_model.load(str(tmp_path)).f(*arguments), function(*arguments)
    assert type(actual) is type(expected) and actual.dtype is expected.dtype
    parts = [tf.nest.flatten(x, expand_composites=True) for x in (actual, expected)]
    for a, b in zip(*parts, strict=True):
        assert a.dtype is b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[:, ::-1],
        lambda x: tf.ragged.stack([x, x], axis=1),
        lambda x: tf.ragged.boolean_mask(x, [True, False, True]),
    ],
)
def test_other_forms_are_refused_by_name(function, tmp_path):
    model = tf.Module()
    model.f = tf.function(function, input_signature=[tf.RaggedTensorSpec([3, None], tf.float32)])
    with pytest.raises(NotImplementedError, match="Ragged"):
        tf.saved_model.save(model, str(tmp_path))
