"""Resources of own classes and opaque calls in SavedModels; tables of raw ops and of v1 savers."""

from __future__ import annotations

import collections
import gc

import pytest

import twinflow as tf


class Table(tf.saved_model.experimental.TrackableResource):
    """A table that a file fills."""

    def __init__(self, path):
        super().__init__()
        self.file = self._track_trackable(tf.saved_model.Asset(path), "file")
        self._initialize()

    def _create_resource(self):
        return tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64)

    def _initialize(self):
        lines = tf.strings.split(tf.io.read_file(self.file.asset_path), "\n")[:-1]
        numbers = tf.range(tf.size(lines, tf.int64))
        handle = self.resource_handle
        tf.raw_ops.LookupTableImportV2(table_handle=handle, keys=lines, values=numbers)

    def find(self, keys):
        default, find = tf.constant(-1, tf.int64), tf.raw_ops.LookupTableFindV2
        return find(table_handle=self.resource_handle, keys=keys, default_value=default)


class Ones(tf.saved_model.experimental.TrackableResource):
    """A variable that is no ``tf.Variable``."""

    def __init__(self):
        super().__init__()
        self._initialize()

    def _create_resource(self):
        return tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2])

    def _initialize(self):
        tf.raw_ops.AssignVariableOp(resource=self.resource_handle, value=tf.ones([2]))

    def _destroy_resource(self):
        tf.raw_ops.DestroyResourceOp(resource=self.resource_handle)

    def read(self):
        return tf.raw_ops.ReadVariableOp(resource=self.resource_handle, dtype=tf.float32)


class TestResources:
    def test_table_comes_back_with_its_file(self, tmp_path):
        words, model = tmp_path / "words.txt", tf.Module()
        words.write_text("a\nb\n")
        model.table = Table(str(words))
        signature = [tf.TensorSpec([None], tf.string)]
        model.f = tf.function(lambda x: model.table.find(x), input_signature=signature)
        tf.saved_model.save(model, str(tmp_path / "model"))
        words.unlink()
        for again in (tmp_path / "model", tmp_path / "again"):
            loaded = tf.saved_model.load(str(again))
            assert loaded.f(tf.constant(["b", "c"])).numpy().tolist() == [1, -1]
            tf.saved_model.save(loaded, str(tmp_path / "again"))

    def test_variable_comes_back_and_survives_saving(self, tmp_path):
        model = tf.Module()
        model.ones = Ones()
        signature = [tf.TensorSpec([2])]
        model.f = tf.function(lambda x: x + model.ones.read(), input_signature=signature)
        tf.saved_model.save(model, str(tmp_path / "model"))
        assert model.f([1.0, 2.0]).numpy().tolist() == [2.0, 3.0]  # not destroyed by a trace
        loaded = tf.saved_model.load(str(tmp_path / "model"))
        assert loaded.f([1.0, 2.0]).numpy().tolist() == [2.0, 3.0]

    def test_deletion_while_a_function_is_traced_adds_nothing(self):
        held = [Ones()]

        @tf.function
        def f(x):
            held.clear()
            gc.collect()
            return x + 1.0

        types = [
            op.type for op in f.get_concrete_function(tf.TensorSpec([])).graph.get_operations()
        ]
        assert "DestroyResourceOp" not in types

    def test_other_resources_are_named_by_the_error(self, tmp_path):
        class Odd(tf.saved_model.experimental.TrackableResource):
            def _create_resource(self):
                return tf.constant(1)

        model = tf.Module()
        model.odd = Odd()
        with pytest.raises(NotImplementedError, match="neither a lookup table nor a variable"):
            tf.saved_model.save(model, str(tmp_path / "model"))


class TestRawTables:
    @pytest.mark.parametrize("is_traced", [False, True])
    def test_tables_are_created_and_changed(self, is_traced):
        raw = tf.raw_ops

        def run():
            table = raw.MutableHashTableV2(key_dtype=tf.int64, value_dtype=tf.float32)
            keys = tf.constant([1, 2], tf.int64)
            insert = raw.LookupTableInsertV2(table_handle=table, keys=keys, values=[3.0, 4.0])
            with tf.control_dependencies([] if insert is None else [insert]):
                found = raw.LookupTableFindV2(table_handle=table, keys=keys + 1, default_value=-1.0)
                return found, raw.LookupTableSizeV2(table_handle=table)

        values, size = (tf.function(run) if is_traced else run)()
        assert (values.numpy().tolist(), int(size)) == ([4.0, -1.0], 2)

    def test_dense_table(self):
        table = tf.raw_ops.MutableDenseHashTableV2(
            empty_key=tf.constant(0, tf.int64),
            deleted_key=tf.constant(-1, tf.int64),
            value_dtype=tf.int64,
            value_shape=[2],
        )
        tf.raw_ops.LookupTableInsertV2(
            table_handle=table,
            keys=tf.constant([5], tf.int64),
            values=tf.constant([[1, 2]], tf.int64),
        )
        keys, values = tf.raw_ops.LookupTableExportV2(
            table_handle=table, Tkeys=tf.int64, Tvalues=tf.int64
        )
        assert 5 in keys.numpy() and [1, 2] in values.numpy().tolist()


class TestSessions:
    def test_saver_keeps_mutable_tables(self, tmp_path):
        v1, key = tf.compat.v1, tf.constant
        with tf.Graph().as_default(), v1.Session() as session:
            table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="words")
            left = tf.lookup.experimental.MutableHashTable(
                tf.string, tf.int64, -1, name="left", checkpoint=False
            )
            session.run(table.insert(tf.constant(["q"]), tf.constant([9], tf.int64)))
            saver = v1.train.Saver()
            path = saver.save(session, str(tmp_path / "model"))
            assert tf.train.list_variables(path) == [("words-keys", [1]), ("words-values", [1])]
            change = tf.constant(["q", "z"]), tf.constant([1, 1], tf.int64)
            session.run([table.insert(*change), left.insert(*change)])
            saver.restore(session, path)
            numbers = session.run([table.lookup(key(["q", "z"])), left.lookup(key(["q"]))])
        assert [x.tolist() for x in numbers] == [[9, -1], [1]]


class TestOpaqueCalls:
    def test_gather_of_a_file_is_one_operation_with_a_gradient(self, tmp_path):
        model = tf.Module()
        spec = tf.RaggedTensorSpec([None, None], tf.float32)
        model.f = tf.function(lambda x: tf.concat([x, x * 2.0], 1), input_signature=[spec])
        rows = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
        path = str(tmp_path / "model")
        for _ in range(2):
            tf.saved_model.save(model, path)
            model = tf.saved_model.load(path)
            assert model.f(rows).to_list() == [[1.0, 2.0, 2.0, 4.0], [], [3.0, 6.0]]
            with tf.GradientTape() as tape:
                tape.watch(rows.values)
                loss = tf.reduce_sum(tf.square(model.f(rows).values))
            assert tape.gradient(loss, rows.values).numpy().tolist() == [10.0, 20.0, 30.0]
        types = [op.type for op in model.f.concrete_functions[0].graph.get_operations()]
        assert types.count("RaggedGather") == 1

    @pytest.mark.parametrize("axis", [0, -1])
    @pytest.mark.parametrize("dtype", ["float32", "int32", "uint8", "int64"])
    def test_order(self, tmp_path, axis, dtype):
        model, spec = tf.Module(), [tf.TensorSpec([None, 3], dtype)]
        both = ("ASCENDING", "DESCENDING")
        order = lambda x: [g(x, axis, d) for g in (tf.sort, tf.argsort) for d in both]
        model.f = tf.function(order, input_signature=spec)
        tf.saved_model.save(model, str(tmp_path / "model"))
        x = tf.constant([[3, 0, 200], [0, 0, 7]], dtype)
        actual = tf.saved_model.load(str(tmp_path / "model")).f(x)
        for a, b in zip(actual, order(x), strict=True):
            assert a.numpy().tolist() == b.numpy().tolist()

    def test_call_that_cannot_be_composed_is_named(self, tmp_path):
        model = tf.Module()
        spec = tf.RaggedTensorSpec([None, None], tf.float32)
        model.f = tf.function(lambda x: x[:, ::-1], input_signature=[spec])
        with pytest.raises(NotImplementedError, match="RaggedGetitem"):
            tf.saved_model.save(model, str(tmp_path / "model"))


def test_padding_takes_row_numbers():
    values = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        dense = tf.raw_ops.RaggedTensorToTensor(
            shape=tf.constant(-1),
            values=values,
            default_value=0.0,
            row_partition_tensors=[tf.constant(3), tf.constant([0, 0, 2])],
            row_partition_types=["FIRST_DIM_SIZE", "VALUE_ROWIDS"],
        )
        loss = tf.reduce_sum(dense * [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert dense.numpy().tolist() == [[1.0, 2.0], [0.0, 0.0], [3.0, 0.0]]
    gradient = tf.convert_to_tensor(tape.gradient(loss, values))
    assert gradient.numpy().tolist() == [1.0, 2.0, 5.0]


def test_specs_of_named_tuples_have_names():
    pair = collections.namedtuple("Pair", "left right")
    spec = tf.TensorSpec([])
    f = tf.function(lambda p: p.left).get_concrete_function(pair(spec, (spec,)))
    ((value,), _) = f.structured_input_signature
    assert (value.left.name, value.right[0].name) == ("p_left", "p_right_0")


def test_another_file_format_is_refused():
    with pytest.raises(ValueError, match="experimental_image_format"):
        tf.saved_model.SaveOptions(experimental_image_format=True)
