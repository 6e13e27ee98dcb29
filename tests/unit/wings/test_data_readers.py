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


@pytest.mark.parametrize(
    "bad", ["", "x,1.5,c\n", "3\n", '"7",2,d\n', "0x1,2,d\n", "4,,d\n", "9999999999,2,e\n"]
)
def test_batches_of_csv_rows_are_those_of_single_rows(bad, tmp_path):
    """Batches convert columns; a record that needs a closer look changes nothing."""
    path = tmp_path / "c.csv"
    path.write_text("1,0.5,a\n2,1e400,b\n" + bad + "5,-2,e\n6,nan,\n" * 3)
    dataset = tf.data.experimental.CsvDataset(str(path), [tf.int32, tf.constant([7.0]), ""])

    def answers(iterator):
        result = []
        while True:
            try:
                result.append([np.asarray(x).tolist() for x in next(iterator)])
            except StopIteration:
                return repr(result)
            except tf.errors.InvalidArgumentError as error:
                result.append(error.message)

    single = answers(iter(dataset))
    assert answers(iter(dataset.batch(1).unbatch())) == single
    iterator = iter(dataset.batch(4))
    first = [np.asarray(x).tolist() for x in next(iterator)] if not bad else None
    if first is not None:
        assert first[0] == [1, 2, 5, 6]
        saved = iterator._state.save()
        rest = answers(iterator)
        other = iter(dataset.batch(4))
        other._state.restore(saved)
        assert answers(other) == rest


def test_an_error_in_a_batch_of_csv_rows_leaves_the_following_rows(tmp_path):
    path = tmp_path / "c.csv"
    path.write_text("".join("x\n" if i in (2, 9) else f"{i}\n" for i in range(12)))
    dataset = tf.data.experimental.CsvDataset(str(path), [tf.int32]).batch(4).ignore_errors()
    assert [x[0].numpy().tolist() for x in dataset] == [[3, 4, 5, 6], [10, 11]]
