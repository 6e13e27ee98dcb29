"""Static shapes, and the rules that operations share."""

import copy
import pickle

import pytest

import twinflow as tf
from twinflow._src.core import shapes
from twinflow._src.core.shapes import Dimension

S = tf.TensorShape


@pytest.mark.parametrize(
    ("value", "dims"),
    [
        ([2, 3], (2, 3)),
        ((2, None), (2, None)),
        (5, (5,)),
        ([], ()),
        (S([1]), (1,)),
        ([Dimension(2), None], (2, None)),
        (tf.constant([2, 3]), (2, 3)),
    ],
)
def test_made_of(value, dims):
    assert S(value).as_list() == list(dims)


def test_unknown_rank():
    shape = S(None)
    assert shape.rank is None and shape.dims is None and not shape
    assert (repr(shape), str(shape)) == ("TensorShape(None)", "<unknown>")
    assert shape[0] is None and shape[1:3].as_list() == [None, None] and shape[1:].rank is None
    assert shape[3:1] == [] and shape[-1:3].rank is None and shape[:-1].rank is None
    for ask in (len, list, lambda s: s.as_list()):
        with pytest.raises(ValueError, match="unknown"):
            ask(shape)
    with pytest.raises(ValueError, match="Steps are not yet handled"):
        shape[1:3:1]


@pytest.mark.parametrize("value", [[-1], "ab", [1.5], [[1]], object()])
def test_refused(value):
    with pytest.raises((TypeError, ValueError)):
        S(value)


def test_text_and_size():
    assert (repr(S([2, None])), str(S([2, None]))) == ("TensorShape([2, None])", "(2, None)")
    assert str(S([3])) == "(3,)"
    assert S([2, 3]).num_elements() == 6 and S([2, None]).num_elements() is None
    assert S([]).num_elements() == 1


def test_is_a_sequence():
    shape = S([2, None, 4])
    assert len(shape) == 3 and list(shape) == [2, None, 4]
    assert shape[0] == 2 and shape[-1] == 4 and shape[1:] == [None, 4]
    assert shape + [5] == [2, None, 4, 5] and [1] + shape == [1, 2, None, 4]
    assert hash(S([1, 2])) == hash(S([1, 2]))
    assert shape == [2, None, 4] and shape == (2, None, 4) and shape != [2] and shape != "x"


def test_copies():
    shape = S([2, None])
    assert pickle.loads(pickle.dumps(shape)) == shape
    assert copy.deepcopy(shape) == shape


def test_compatible():
    assert S([2, None]).is_compatible_with([2, 3])
    assert not S([2, None]).is_compatible_with([3, 3])
    assert not S([2]).is_compatible_with([2, 2])
    assert S(None).is_compatible_with([7])
    assert S([2, 3]).is_subtype_of(S([None, 3])) and not S([None, 3]).is_subtype_of(S([2, 3]))
    assert S([2]).is_subtype_of(S(None)) and not S(None).is_subtype_of(S([2]))


def test_merged():
    assert S([2, None]).merge_with([None, 3]) == [2, 3]
    assert S(None).merge_with([1]) == [1] and S([1]).merge_with(None) == [1]
    with pytest.raises(ValueError, match="are not compatible"):
        S([2]).merge_with([3])
    assert S([2, 3]).most_specific_compatible_shape([2, 4]) == [2, None]
    assert S([2]).most_specific_compatible_shape([2, 4]).rank is None
    assert S([2, 3]).most_specific_common_supertype([S([2, 4])]) == [2, None]
    assert S([2, 3]).most_specific_common_supertype([S([2, 4]), S([2])]).rank is None


def test_ranks():
    assert S([1, 2]).with_rank(2) == [1, 2] and S(None).with_rank(2) == [None, None]
    assert S([1, 2]).with_rank_at_least(1) == [1, 2] == S([1, 2]).with_rank_at_most(3)
    for wrong in (
        lambda: S([1]).with_rank(2),
        lambda: S([1]).with_rank_at_least(2),
        lambda: S([1, 2, 3]).with_rank_at_most(2),
        lambda: S([1]).assert_same_rank([1, 2]),
        lambda: S([None]).assert_is_fully_defined(),
        lambda: S([1]).assert_is_compatible_with([2]),
    ):
        with pytest.raises(ValueError):
            wrong()
    S([1]).assert_same_rank([2])
    S([1]).assert_is_fully_defined()


def test_dimensions():
    two, unknown = Dimension(2), Dimension(None)
    assert (two + 3).value == 5 and (3 + two).value == 5 and (two * two).value == 4
    assert (two - 1).value == 1 and (two // 2).value == 1 and (Dimension(5) % 3).value == 2
    assert (two + unknown).value is None and (two == unknown) is None
    assert two == 2 and int(two) == 2 and [10, 20, 30][two] == 30
    assert (repr(two), str(unknown)) == ("Dimension(2)", "?")
    assert S([2, None]).dims[0] == 2


def test_broadcast_rule():
    assert shapes.broadcast((2, 1), (3,)) == (2, 3)
    assert shapes.broadcast((None, 3), (2, 1)) == (2, 3)
    assert shapes.broadcast((1,), (None,)) == (None,)
    assert shapes.broadcast((None,), (0,)) == (None,)  # which may be 1 or 0
    assert shapes.broadcast(None, (2,)) is None
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs. \[3\]"
    ):
        shapes.broadcast((2,), (3,))


def test_text_of_kernels():
    assert (
        shapes.text((2, None)) == "[2,?]"
        and shapes.text(()) == "[]"
        and shapes.text(None) == "<unknown>"
    )


def test_rules_of_one_shape():
    assert shapes.same((2, 3), ()) == (2, 3)
    assert shapes.scalar((2, 3)) == ()
    assert shapes.unknown((2, 3)) is None
