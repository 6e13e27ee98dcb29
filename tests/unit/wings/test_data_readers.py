"""Datasets that read files, beside the recorded answers of TensorFlow."""

import numpy as np
import pytest

import twinflow as tf
from tests.golden import data_readers

RECORDED = data_readers.recorded()


@pytest.fixture(scope="module")
def scope(tmp_path_factory):
    return data_readers.names(tf, str(tmp_path_factory.mktemp("files")))


@pytest.mark.parametrize("expression", data_readers.EXPRESSIONS)
def test_elements_and_errors_are_tensorflows(expression, scope):
    assert data_readers.answer(expression, scope, tf.data.Dataset) == RECORDED[expression]


def test_every_expression_is_recorded():
    assert list(RECORDED) == data_readers.EXPRESSIONS


def positions(dataset, steps):
    """The elements that follow a saved position after each number of steps, restored elsewhere."""
    stage = dataset._stage
    from twinflow._src.wings.data.stages import Run

    for count in steps:
        first = stage.iterate(Run(stage))
        for _ in range(count):
            next(first)
        second = stage.iterate(Run(stage))
        second.restore(first.save())
        yield list(second), list(first)


@pytest.mark.parametrize(
    "expression",
    [
        "T(P)",
        "T(P,num_parallel_reads=2)",
        "R([F+'r',F+'r'])",
        "C('1,2\\n3,4\\n5,6\\n',[i,i])",
        "Q('select i from t',(i,))",
    ],
)
def test_iterators_go_on_from_saved_positions(expression, scope):
    for after, rest in positions(eval(expression, scope), range(4)):
        assert [shown.tolist() for e in after for shown in e] == [
            x.tolist() for e in rest for x in e
        ]


def test_after_an_error_the_next_file_or_record_follows(scope):
    lines = iter(tf.data.TextLineDataset([scope["F"] + name for name in ("nope", "b.txt")]))
    with pytest.raises(tf.errors.NotFoundError):
        next(lines)
    assert [x.numpy() for x in lines] == [b"x", b"y"]
    rows = iter(scope["C"]("1,2\nx,4\n5\n7,8\n", [tf.int32, tf.int32]))
    assert next(rows)[1].numpy() == 2
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError):
            next(rows)
    assert [x.numpy() for x in next(rows)] == [7, 8]


def test_file_names_may_be_symbolic(scope):
    @tf.function
    def first_line(name):
        for line in tf.data.TextLineDataset(name):
            return line
        return tf.constant("")

    assert first_line(tf.constant(scope["F"] + "b.txt")).numpy() == b"x"


def test_large_files_are_read_in_batches(tmp_path):
    path = str(tmp_path / "lines")
    tf.io.write_file(path, "\n".join(map(str, range(10_000))))
    batches = list(tf.data.TextLineDataset([path, path]).batch(3000))
    assert [len(b) for b in batches] == [3000] * 6 + [2000]
    expected = np.array([str(i % 10_000).encode() for i in range(20_000)], object)
    assert (np.concatenate([b.numpy() for b in batches]) == expected).all()
