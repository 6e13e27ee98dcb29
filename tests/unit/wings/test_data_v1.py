"""Iterators of TensorFlow 1 in graphs: names, positions in sessions, errors."""

import pytest

import twinflow as tf

data = tf.compat.v1.data
Session = tf.compat.v1.Session


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def values(session, tensor):
    """The values of a tensor up to the end of the sequence."""
    result = []
    while True:
        try:
            result.append(session.run(tensor))
        except tf.errors.OutOfRangeError as error:
            assert "End of sequence" in error.message
            return [x.tolist() if hasattr(x, "tolist") else x for x in result]


def operations(graph):
    return [(op.name, op.type) for op in graph.get_operations()]


def test_a_one_shot_iterator_starts_anew_in_each_session(graph):
    iterator = data.make_one_shot_iterator(data.Dataset.range(3))
    first, second = iterator.get_next(), iterator.get_next()
    assert operations(graph) == [
        *((name, "Const") for name in ("start", "stop", "step")),
        ("RangeDataset", "RangeDataset"),
        ("OneShotIterator", "OneShotIterator"),
        ("IteratorToStringHandle", "IteratorToStringHandle"),
        ("IteratorGetNext", "IteratorGetNext"),
        ("IteratorGetNext_1", "IteratorGetNext"),
    ]
    assert str(first) == 'Tensor("IteratorGetNext:0", shape=(), dtype=int64)'
    with Session() as session:
        assert values(session, first) == [0, 1, 2]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(second)
    with Session() as session:
        assert session.run(first) == 0
        assert sorted(session.run([first, second])) == [1, 2]
    with pytest.raises(ValueError, match="The iterator does not have an initializer"):
        _ = iterator.initializer


def test_an_initializable_iterator_takes_what_is_fed_to_its_initializer(graph):
    count = tf.compat.v1.placeholder(tf.int64, [])
    iterator = data.make_initializable_iterator(data.Dataset.range(count).map(lambda x: x * 2))
    element = iterator.get_next(name="hey")
    assert operations(graph)[4:] == [
        ("MapDataset", "MapDataset"),
        ("IteratorV2", "IteratorV2"),
        ("MakeIterator", "MakeIterator"),
        ("IteratorToStringHandle", "IteratorToStringHandle"),
        ("hey", "IteratorGetNext"),
    ]
    with Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"):
            session.run(element)
        for n in (2, 1, 3):
            assert session.run(iterator.initializer, {count: n}) is None
            assert values(session, element) == [2 * i for i in range(n)]
    with pytest.raises(ValueError, match=r"Cannot capture a placeholder \(name:Placeholder, type"):
        data.make_one_shot_iterator(data.Dataset.range(count))


def test_sessions_have_positions_of_their_own(graph):
    iterator = data.make_initializable_iterator(data.Dataset.range(3))
    element = iterator.get_next()
    with Session() as one, Session() as other:
        one.run(iterator.initializer)
        other.run(iterator.initializer)
        assert [one.run(element), one.run(element), other.run(element)] == [0, 1, 0]


def test_a_reinitializable_iterator_changes_its_dataset(graph):
    a, b = data.Dataset.range(3), data.Dataset.range(10, 12)
    iterator = data.Iterator.from_structure(data.get_output_types(a), data.get_output_shapes(a))
    element = iterator.get_next()
    to_a, to_b = iterator.make_initializer(a, name="to_a"), iterator.make_initializer(b)
    assert (to_a.name, to_b.name, to_b.type) == ("to_a", "make_initializer", "MakeIterator")
    with Session() as session:
        session.run(to_a)
        assert session.run(element) == 0
        session.run(to_b)
        assert values(session, element) == [10, 11]
        session.run(to_a)
        assert values(session, element) == [0, 1, 2]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (
            lambda d: d.from_tensors(1.0),
            TypeError,
            "Expected output types tf.int64 but got dataset",
        ),
        (lambda d: d.from_tensors((1, 2)), ValueError, "don't have the same nested structure"),
        (
            lambda d: d.from_tensors([tf.constant(1, tf.int64)]),
            TypeError,
            r"Expected output shapes compatible with TensorShape\(\[\]\) but got dataset with",
        ),
    ],
)
def test_other_elements_are_refused(graph, make, error, text):
    iterator = data.Iterator.from_structure(tf.int64, tf.TensorShape([]))
    with pytest.raises(error, match=text):
        iterator.make_initializer(make(data.Dataset))


def test_structures_of_types():
    with tf.Graph().as_default():
        unknown = data.Iterator.from_structure((tf.int32, tf.string))
        assert unknown.output_shapes == (tf.TensorShape(None), tf.TensorShape(None))
        named = data.Iterator.from_structure({"a": tf.int32}, {"a": [3]})
        assert named.element_spec == {"a": tf.TensorSpec([3], tf.int32)}
        with pytest.raises(TypeError, match="If shallow structure is a sequence, input must also"):
            data.Iterator.from_structure((tf.int32, tf.string), tf.TensorShape([]))
    sparse = tf.data.Dataset.from_tensors({"a": 1.0, "b": tf.sparse.from_dense([1])})
    assert data.get_output_types(sparse) == {"a": tf.float32, "b": tf.int32}
    assert data.get_output_classes(sparse) == {"a": tf.Tensor, "b": tf.SparseTensor}
    assert data.get_output_shapes(sparse) == {"a": tf.TensorShape([]), "b": tf.TensorShape([1])}
    with pytest.raises(TypeError, match="Invalid `dataset_or_iterator`"):
        data.get_output_types(3)


def test_a_fed_handle_selects_the_iterator(graph):
    one = data.make_one_shot_iterator(data.Dataset.range(3))
    other = data.make_initializable_iterator(data.Dataset.range(10, 12))
    handle = tf.compat.v1.placeholder(tf.string, [])
    element = data.Iterator.from_string_handle(handle, tf.int64, tf.TensorShape([])).get_next()
    wrong = data.Iterator.from_string_handle(handle, tf.float32).get_next()
    assert str(element) == 'Tensor("IteratorGetNext:0", shape=(), dtype=int64)'
    with Session() as session:
        a, b = session.run([one.string_handle(), other.string_handle()])
        assert isinstance(a, bytes)
        assert session.run(element, {handle: a}) == 0
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(element, {handle: b})
        session.run(other.initializer)
        assert [session.run(element, {handle: h}) for h in (b, a, a)] == [10, 1, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse string_handle"):
            session.run(element, {handle: b"bad"})
        with pytest.raises(tf.errors.InvalidArgumentError, match="expected float but got int64"):
            session.run(wrong, {handle: a})


def test_variables_need_an_initializable_iterator(graph):
    variable = tf.compat.v1.get_variable("v", [], initializer=tf.compat.v1.ones_initializer())
    dataset = data.Dataset.range(3).map(lambda x: tf.cast(x, tf.float32) + variable)
    with pytest.raises(ValueError, match=r"Cannot capture a stateful node \(name:v, type:VarHand"):
        dataset.make_one_shot_iterator()
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with Session() as session:
        session.run(tf.compat.v1.global_variables_initializer())
        session.run(iterator.initializer)
        assert values(session, element) == [1.0, 2.0, 3.0]


def test_datasets_of_version_1_keep_their_kind(tmp_path, graph):
    path = str(tmp_path / "lines")
    tf.io.gfile.GFile(path, "w").write("x\ny\n")
    lines = data.TextLineDataset(path)
    assert repr(lines).startswith("<TextLineDatasetV2 element_spec=")
    assert type(lines.batch(2)).__name__ == "DatasetV1Adapter"
    assert isinstance(lines, (data.Dataset, tf.data.Dataset))
    element = lines.batch(2).make_one_shot_iterator().get_next()
    with Session() as session:
        assert values(session, element) == [[b"x", b"y"]]


def test_rows_of_sparse_tensors():
    sparse = tf.sparse.from_dense([[1, 0], [0, 0], [3, 4]])
    rows = data.Dataset.from_sparse_tensor_slices(sparse)
    assert rows.output_shapes[0].as_list() == [None, 1]
    found = [tuple(x.numpy().tolist() for x in row) for row in rows]
    assert found == [([[0]], [1], [2]), ([], [], [2]), ([[0], [1]], [3, 4], [2])]
    with pytest.raises(TypeError, match="Invalid `sparse_tensor`"):
        data.Dataset.from_sparse_tensor_slices(5)


def test_eager_execution_has_one_shot_iterators_only():
    iterator = data.make_one_shot_iterator(data.Dataset.range(3))
    assert [iterator.get_next().numpy(), next(iterator).numpy()] == [0, 1]
    assert iterator.output_types == tf.int64
    assert iterator.output_shapes == tf.TensorShape([])
    assert iterator.output_classes is tf.Tensor
    with pytest.raises(RuntimeError, match="is not supported in eager mode"):
        data.make_initializable_iterator(data.Dataset.range(3))
