"""``tf.lookup``: tables in programs, functions, modules, checkpoints and sessions; recorded answers are in ``golden``."""

import numpy as np
import pytest

import twinflow as tf


@pytest.fixture
def words():
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)


def test_tables_made_in_functions_are_made_once():
    made = []

    @tf.function
    def find(x):
        if not made:
            made.append(tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1))
        made[0].insert(x, tf.constant([5], tf.int64))
        return made[0].lookup(x)

    assert find(tf.constant(["k"])).numpy().tolist() == [5]
    assert made[0].size().numpy() == 1


def test_a_static_table_in_a_module_with_a_function(words):
    class Model(tf.Module):
        def __init__(self):
            self.words, self.scale = words, tf.Variable(2)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def __call__(self, x):
            return self.words.lookup(x) * self.scale

    assert Model()(tf.constant(["b", "z"])).numpy().tolist() == [4, -2]


@pytest.mark.parametrize("kind", ["MutableHashTable", "DenseHashTable"])
def test_checkpoints_keep_what_tables_hold(kind, tmp_path):
    def made():
        more = (
            {"empty_key": "", "deleted_key": "$", "initial_num_buckets": 8}
            if kind == "DenseHashTable"
            else {}
        )
        return getattr(tf.lookup.experimental, kind)(tf.string, tf.float32, [0.0, 0.0], **more)

    table, other = made(), made()
    keys, values = [f"k{i}" for i in range(20)], np.arange(40, dtype=np.float32).reshape(20, 2)
    table.insert(keys, values)
    path = tf.train.Checkpoint(table=table).save(tmp_path / "ck")
    other.insert(["old"], [[9.0, 9.0]])
    tf.train.Checkpoint(table=other).restore(path).assert_consumed()
    np.testing.assert_array_equal(other.lookup(keys), values)
    assert other.size().numpy() == 20
    assert other.lookup(["old"]).numpy().tolist() == [[0.0, 0.0]]


def test_sessions_fill_tables():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        table = tf.compat.v1.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1
        )
        found = table.lookup(tf.constant(["a", "b"]))
        with pytest.raises(tf.errors.FailedPreconditionError, match="Table not initialized"):
            session.run(found)
        session.run(tf.compat.v1.tables_initializer())
        assert session.run(found).tolist() == [1, -1]
        names = {op.name for op in tf.compat.v1.get_default_graph().get_operations()}
        assert "hash_table_Lookup/LookupTableFindV2" in names


def test_a_dense_table_grows_and_forgets():
    table = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.int64, -1, empty_key=0, deleted_key=-5, initial_num_buckets=4
    )
    keys = tf.range(1, 14, dtype=tf.int64)
    table.insert(keys, keys * 10)
    assert table.export()[0].shape == [32, 1]
    table.erase(keys[:3])
    assert table.size().numpy() == 10
    assert table.lookup(keys).numpy().tolist() == [-1] * 3 + [10 * k for k in range(4, 14)]


def test_a_table_of_an_initializer_that_leaves_out_its_base():
    class Own(tf.lookup.KeyValueTensorInitializer):
        def __init__(self):
            self._key_dtype, self._value_dtype = tf.string, tf.int64

        def initialize(self, table):
            keys, values = tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64)
            return tf.lookup.KeyValueTensorInitializer(keys, values).initialize(table)

    table = tf.lookup.StaticHashTable(Own(), -1)
    assert table.lookup(tf.constant(["b", "c"])).numpy().tolist() == [2, -1]
