"""Lookup tables in SavedModels that are written here: functions, contents, files and the saver."""

from __future__ import annotations

import os

import pytest

import twinflow as tf
from twinflow._src.core.protos import message

KEYS = ["a", "x", "q", "zz"]
WHOLE, NUMBER = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER


class Tables(tf.Module):
    """A module with tables of every kind, used in functions, branches and loops."""

    def __init__(self, vocabulary):
        super().__init__()
        lines = tf.lookup.TextFileInitializer(vocabulary, tf.string, WHOLE, tf.int64, NUMBER)
        pairs = tf.lookup.KeyValueTensorInitializer(["x", "y"], [1.0, 2.0])
        experimental = tf.lookup.experimental
        self.lines = tf.lookup.StaticHashTable(lines, -1)
        self.pairs = tf.lookup.StaticHashTable(pairs, -1.0)
        self.words = tf.lookup.StaticVocabularyTable(lines, 2)
        self.counts = experimental.MutableHashTable(tf.string, tf.int64, -1)
        self.rows = experimental.MutableHashTable(tf.string, tf.float32, [0.0, 0.0])
        self.dense = experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, -1, 8)
        self.counts.insert(["q"], [7])
        self.rows.insert(["q"], [[7.0, 8.0]])
        self.dense.insert([5], [6])

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def look(self, x):
        numbers = tf.constant([5, 6], tf.int64)
        tables = (self.lines, self.pairs, self.words, self.counts, self.rows)
        return [table.lookup(x) for table in tables] + [
            self.dense.lookup(numbers),
            self.pairs.size(),
        ]

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string), tf.TensorSpec([], tf.int32)])
    def loop(self, x, n):
        total = tf.zeros([], tf.int64)
        for i in tf.range(n):
            if i > 1:
                total += tf.reduce_sum(self.lines.lookup(x))
            else:
                total += tf.reduce_sum(self.counts.lookup(x))
        return total

    @tf.function(
        input_signature=[tf.TensorSpec([None], tf.string), tf.TensorSpec([None], tf.int64)]
    )
    def change(self, keys, values):
        self.counts.insert(keys, values)
        self.counts.remove(tf.constant(["q"]))
        return self.counts.export()


EXPECTED = [
    [0, -1, -1, -1],
    [-1.0, 1.0, -1.0, -1.0],
    [0, 3, 4, 3],
    [-1, -1, 7, -1],
    [[0.0, 0.0], [0.0, 0.0], [7.0, 8.0], [0.0, 0.0]],
    [6, -1],
    2,
]


@pytest.fixture
def path(tmp_path):
    vocabulary = tmp_path / "words.txt"
    vocabulary.write_text("a\nb\nc\n")
    model = Tables(str(vocabulary))
    tf.saved_model.save(model, str(tmp_path / "model"), signatures=model.look)
    vocabulary.unlink()
    return str(tmp_path / "model")


def _values(loaded):
    return [tensor.numpy().tolist() for tensor in loaded.look(tf.constant(KEYS))]


def test_saved_and_loaded(path):
    loaded = tf.saved_model.load(path)
    assert _values(loaded) == EXPECTED
    assert int(loaded.loop(tf.constant(KEYS), 4)) == 2
    keys, values = loaded.change(tf.constant(["n"]), tf.constant([3], tf.int64))
    assert (keys.numpy().tolist(), values.numpy().tolist()) == ([b"n"], [3])
    assert int(loaded.loop(tf.constant(KEYS), 4)) == -14


def test_a_signature(path):
    serve = tf.saved_model.load(path).signatures["serving_default"]
    results = serve(x=tf.constant(KEYS))
    assert [results[f"output_{i}"].numpy().tolist() for i in range(7)] == EXPECTED


def test_loaded_tables_saved_again(path, tmp_path):
    loaded = tf.saved_model.load(path)
    loaded.change(tf.constant(["n"]), tf.constant([3], tf.int64))
    again = str(tmp_path / "again")
    tf.saved_model.save(loaded, again)
    values = _values(tf.saved_model.load(again))
    assert values[3] == [-1, -1, -1, -1]
    assert values[:3] + values[4:] == EXPECTED[:3] + EXPECTED[4:]
    assert _values(tf.saved_model.load(path)) == EXPECTED


def test_the_fields_that_tensorflow_reads(path):
    with open(os.path.join(path, "saved_model.pb"), "rb") as file:
        (meta_graph,) = message("SavedModel").FromString(file.read()).meta_graphs
    nodes = meta_graph.object_graph_def.nodes
    tables = [node for node in nodes if node.WhichOneof("kind") == "resource"]
    names = [sorted(child.local_name for child in node.children) for node in tables]
    functions = ["_create_resource", "_destroy_resource", "_initialize"]
    assert (
        names.count(["_create_resource", "_destroy_resource", "_initialize", "_initializer"]) == 3
    )
    assert names.count(functions) == 3
    saved = [node.saveable_objects["table"] for node in tables if node.saveable_objects]
    kinds = {
        nodes[number].WhichOneof("kind")
        for each in saved
        for number in (each.save_function, each.restore_function)
    }
    assert (len(saved), kinds) == (3, {"bare_concrete_function"})
    assert [file.filename for file in meta_graph.asset_file_def] == ["words.txt"]
    by_name = {node.name: node for node in meta_graph.graph_def.node}
    assert len(by_name["NoOp"].input) == 6  # one initialization of each table
    keys = [key for key, _ in tf.train.list_variables(os.path.join(path, "variables/variables"))]
    assert "counts/.ATTRIBUTES/table-keys" in keys


def test_an_untracked_table(tmp_path):
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["x"], [1]), -1)
    model = tf.Module()
    model.f = tf.function(lambda x: table.lookup(x), input_signature=[tf.TensorSpec([], tf.string)])
    with pytest.raises(AssertionError, match="references an 'untracked' resource"):
        tf.saved_model.save(model, str(tmp_path))


def test_a_table_without_saved_contents(tmp_path):
    model = tf.Module()
    model.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, checkpoint=False)
    model.table.insert(["q"], [7])
    model.f = tf.function(
        lambda x: model.table.lookup(x), input_signature=[tf.TensorSpec([], tf.string)]
    )
    tf.saved_model.save(model, str(tmp_path))
    assert int(tf.saved_model.load(str(tmp_path)).f("q")) == -1


def test_tables_of_a_graph_in_its_message():
    with tf.Graph().as_default() as graph:
        init = tf.lookup.KeyValueTensorInitializer(["x", "y"], [1, 2])
        table = tf.compat.v1.lookup.StaticHashTable(init, -1)
        keys = tf.compat.v1.placeholder(tf.string, [None], name="query")
        tf.identity(table.lookup(keys), name="answer")
        initializer = table.initializer.name
        proto = graph.as_graph_def()
    types = {node.op for node in proto.node}
    assert {"HashTableV2", "LookupTableImportV2", "LookupTableFindV2"} <= types
    for _ in range(2):
        with tf.Graph().as_default() as graph:
            tf.graph_util.import_graph_def(proto, name="")
            with tf.compat.v1.Session() as session:
                session.run(initializer)
                assert session.run("answer:0", {"query:0": ["y", "z"]}).tolist() == [2, -1]
            proto = graph.as_graph_def()
