"""Texts: nested lists of strings as tensors, and numbers as text in C's formats."""

import io
import sys
from contextlib import redirect_stdout

import numpy as np
import pytest

import twinflow as tf

MIXED = "mixed types"
UNEVEN = "inhomogeneous shape|non-rectangular"


@pytest.mark.parametrize(
    "value",
    [
        ["a", ["b"]],
        [["a"], [["b"]]],
        [["a", "b"], [["b"], ["c"]]],
        [["a", "b"], ["c", ["d"]]],
        [["a", ["b"]], ["c", "d"]],
        ["a", np.array(["b"])],
    ],
)
def test_strings_at_different_depths_are_no_tensor(value):
    with pytest.raises(ValueError, match=MIXED):
        tf.constant(value)
    with tf.Graph().as_default(), pytest.raises(ValueError, match=UNEVEN):
        tf.constant(value)


@pytest.mark.parametrize("value", [[["a"], ["b", "c"]], [[["a"]], [["b", "c"]]], [["a"], []]])
def test_rows_of_strings_of_different_lengths_are_no_tensor(value):
    with pytest.raises(ValueError, match=UNEVEN):
        tf.constant(value)
    with tf.Graph().as_default(), pytest.raises(ValueError, match=UNEVEN):
        tf.constant(value)


@pytest.mark.parametrize("item", [None, 1, ["b"]])
def test_objects_that_are_no_strings_are_not_written_as_text(item):
    values = np.empty(2, object)
    values[0], values[1] = "a", item
    with (
        tf.Graph().as_default(),
        pytest.raises(TypeError, match="Expected binary or unicode string, got"),
    ):
        tf.constant(values)


def printed(value, summarize):
    out = io.StringIO()
    with redirect_stdout(out):
        tf.print(value, summarize=summarize, output_stream=sys.stdout)
    return out.getvalue()


@pytest.mark.parametrize(
    ("value", "summarize", "text"),
    [
        (tf.constant([[1, 2], [3, 4]], tf.complex64), 3, "[? ? ?...]"),
        (tf.constant([[1, 2], [3, 4]], tf.complex64), -1, "[? ? ? ?]"),
        (tf.constant(1j), 3, "?"),
        (tf.zeros([2, 0], tf.complex128), 3, "[]"),
        (tf.zeros([0, 3], tf.bool), 3, ""),
        (tf.zeros([3, 0], tf.int32), 3, "[\n ...]"),
        (tf.bitcast(tf.constant([1, 2, 3]), tf.qint32), 2, "[? ?...]"),
        (tf.constant(1j), 0, "..."),
    ],
)
def test_tf_print_of_types_without_text(value, summarize, text):
    assert printed(value, summarize) == text + "\n"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (tf.constant(5), "..."),
        (tf.constant(1.5, tf.bfloat16), "..."),
        (tf.constant(True), ""),
        (tf.constant([1, 2, 3]), "[ ...]"),
        (tf.constant([True, False]), ""),
        (tf.zeros([0]), "[]"),
        (tf.ones([2, 3]), "[\n ...]"),
    ],
)
def test_tf_print_of_no_elements(value, text):
    assert printed(value, 0) == text + "\n"


def test_tf_print_takes_the_least_numbers_for_zeros():
    assert printed(tf.constant([1e-40, 1.2e-38, -1e-40]), 3) == "[0 1.2e-38 -0]\n"
    assert printed(tf.constant(1e-39, tf.bfloat16), 3) == "0\n"
    assert printed(tf.constant([1e-310, 1e-307], tf.float64), 3) == "[0 1e-307]\n"


def test_tf_print_escapes_what_is_no_text():
    assert printed(tf.constant([b"a\x7fb\x1f\n"]), 3) == '["a\\177b\\037\\n"]\n'


@pytest.mark.parametrize(
    ("dtype", "fill", "width", "text"),
    [
        (tf.uint8, " ", -1, b"5"),
        (tf.int8, " ", -1, b" 5"),
        (tf.uint32, "+", 4, b"   5"),
        (tf.int32, "+", 4, b"  +5"),
        (tf.uint64, "0", 4, b"0005"),
        (tf.float32, "0", 10, b"005.000000"),
    ],
)
def test_what_fills_numbers_up(dtype, fill, width, text):
    assert tf.strings.as_string(tf.constant(5, dtype), fill=fill, width=width).numpy() == text


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64])
def test_zeros_do_not_fill_up_what_is_no_finite_number(dtype):
    values = tf.constant([np.inf, -np.inf, np.nan], dtype)
    assert tf.strings.as_string(values, width=8, fill="0").numpy().tolist() == [
        b"     inf",
        b"    -inf",
        b"     nan",
    ]


@pytest.mark.parametrize(
    ("words", "most", "pieces"),
    [
        (
            ["a b c", "a b", "a", "", " a b "],
            2,
            [["a", "b", "c"], ["a", "b", ""], ["a"], [], ["a", "b", ""]],
        ),
        (["a b c", "a", "", " a b "], 1, [["a", "b c"], ["a", ""], [], ["a", "b "]]),
        (["a b", "a "], 0, [["a b"], ["a "]]),
    ],
)
def test_what_is_left_after_the_last_cut(words, most, pieces):
    found = tf.strings.split(words, maxsplit=most).to_list()
    assert [[piece.decode() for piece in row] for row in found] == pieces


def test_parts_that_begin_before_the_end():
    assert tf.strings.substr(["hello", "world"], [-3, -3], [3, 2]).numpy().tolist() == [
        b"llo",
        b"rl",
    ]
    assert [
        tf.strings.substr("hello", *at).numpy() for at in ((-3, 10), (5, 1), (-2, 2), (-2, -1))
    ] == [b"llo", b"", b"lo", b"lo"]
