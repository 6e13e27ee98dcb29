"""The derivatives of ``SparseSegmentSum`` and relatives as operations, beside TensorFlow's answers."""

import pytest

import twinflow as tf

GRAD = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def whole(type="SparseSegmentSumGrad", grad=GRAD, indices=(0, 2, 2, 5), ids=(0, 0, 1, 2), size=7):
    return getattr(tf.raw_ops, type)(
        grad=grad, indices=list(indices), segment_ids=list(ids), output_dim0=size
    )


@pytest.mark.parametrize(
    ("type", "third"),
    [("Sum", [4.0, 6.0]), ("Mean", [3.5, 5.0]), ("SqrtN", [3.70710683, 5.41421366])],
)
def test_rows_that_were_taken_twice(type, third):
    found = whole(f"SparseSegment{type}Grad").numpy()
    assert found[2] == pytest.approx(third)
    assert found[[1, 3, 4, 6]].tolist() == [[0.0, 0.0]] * 4
    rows, taken = getattr(tf.raw_ops, f"SparseSegment{type}GradV2")(
        grad=GRAD,
        indices=tf.constant([5, 2, 2, 0], tf.int64),
        segment_ids=[2, 0, 1, 0],
        dense_output_dim0=7,
    )
    assert taken.dtype is tf.int64 and taken.numpy().tolist() == [0, 2, 5]
    assert rows.numpy().tolist() == found[[0, 2, 5]].tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ids": (-1, 0, 1, 2)}, r"Segment id -1 out of range \[0, 3\)"),
        ({"ids": (0, 0, 1, 3)}, "Invalid number of segments"),
        ({"indices": (0, 2, 2, 9)}, r"Index 9 out of range \[0, 7\)"),
        ({"indices": (0, 2)}, "segment_ids and indices should have same size"),
        ({"indices": ((0, 2, 2, 5),)}, "indices should be a vector"),
        ({"size": [7]}, "output_dim0 should be a scalar"),
        ({"size": -1}, "Expected a non-negative size, got -1"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        whole(**options)
