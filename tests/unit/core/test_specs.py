"""Relations of ``tf.TensorSpec``s, against what TensorFlow 2.21 answered."""

import pytest

import twinflow as tf

PLAIN, NAMED, OTHER = (tf.TensorSpec([2], name=name) for name in (None, "q", "r"))


def test_a_spec_without_a_name_is_a_subtype_of_one_with_a_name():
    assert PLAIN.is_subtype_of(NAMED) and PLAIN.is_subtype_of(tf.TensorSpec([None], name="q"))
    assert not NAMED.is_subtype_of(PLAIN) and not NAMED.is_subtype_of(OTHER)
    assert not tf.TensorSpec([None]).is_subtype_of(NAMED)


@pytest.mark.parametrize("pair", [(NAMED, OTHER), (NAMED, PLAIN), (PLAIN, NAMED)])
def test_specs_with_other_names_have_no_common_supertype(pair):
    assert pair[0].most_specific_common_supertype([pair[1]]) is None
    with pytest.raises(ValueError, match="No TypeSpec is compatible with both"):
        pair[0].most_specific_compatible_type(pair[1])


def test_specs_with_the_same_name_have_a_common_supertype():
    wider = tf.TensorSpec([None], name="q")
    assert NAMED.most_specific_common_supertype([tf.TensorSpec([3], name="q")]) == wider
    assert NAMED.most_specific_compatible_type(wider) == wider


def test_specs_without_names_are_kept():
    assert PLAIN._without_tensor_names() is PLAIN and NAMED._without_tensor_names() == PLAIN
