"""``tf.compat.v1.saved_model``, and SavedModels of TensorFlow 1 that ``tf.saved_model.load`` loads."""

from __future__ import annotations

import os
import pathlib

import pytest

import twinflow as tf

v1 = tf.compat.v1
GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden" / "saved_models"
X = [[1.0, 2.0]]
INDEX = tf.lookup.TextFileIndex


def _build(folder, reference=True):
    """Adds the graph of ``tests/golden/v1_saved_models.py`` to the default graph."""
    words = folder / "words.txt"
    words.write_text("a\nb\nc\n")
    x = v1.placeholder(tf.float32, [None, 2], name="x")
    w = v1.get_variable("w", initializer=[[1.0, 2.0], [3.0, 4.0]], use_resource=not reference)
    b = v1.get_variable("b", initializer=[1.0, 1.0], use_resource=True)
    y = tf.identity(x @ w + b, name="y")
    lines = tf.lookup.TextFileInitializer(
        str(words), tf.string, INDEX.WHOLE_LINE, tf.int64, INDEX.LINE_NUMBER
    )
    table = v1.lookup.StaticHashTable(lines, -1)
    keys = v1.placeholder(tf.string, [None], name="keys")
    rows = tf.identity(table.lookup(keys), name="rows")
    v1.assign_add(w, [[1.0, 1.0], [1.0, 1.0]], name="more")
    return x, y, keys, rows


def _signatures(x, y, keys, rows):
    of = v1.saved_model
    infos = [{"keys": of.build_tensor_info(keys)}, {"rows": of.build_tensor_info(rows)}]
    return {
        "serving_default": of.predict_signature_def({"x": x}, {"y": y}),
        "look": of.build_signature_def(*infos, "look"),
    }


@pytest.fixture
def path(tmp_path):
    folder = str(tmp_path / "model")
    with tf.Graph().as_default(), v1.Session() as session:
        signatures = _signatures(*_build(tmp_path))
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        builder = v1.saved_model.Builder(folder)
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            signatures,
            assets_collection=v1.get_collection("asset_filepaths"),
            main_op=v1.tables_initializer(),
        )
        builder.add_meta_graph(["train"], signatures)
        assert builder.save() == f"{folder}/saved_model.pb".encode()
    (tmp_path / "words.txt").unlink()
    return folder


@pytest.fixture(params=["written here", "written by TensorFlow"])
def model(request, path):
    return path if request.param == "written here" else str(GOLDEN / "v1")


# ------------------------------------------------------------------ sessions


def test_loaded_in_a_session(model):
    with tf.Graph().as_default(), v1.Session() as session:
        proto = v1.saved_model.load(session, ["serve"], model)
        assert session.run("y:0", {"x:0": X}).tolist() == [[8.0, 11.0]]
        assert session.run("rows:0", {"keys:0": ["b", "z"]}).tolist() == [1, -1]
        assert sorted(proto.signature_def) == ["look", "serving_default"]
        info = proto.signature_def["serving_default"].inputs["x"]
        assert v1.saved_model.get_tensor_from_tensor_info(info).name == "x:0"
        session.run("more")
        assert session.run("y:0", {"x:0": X}).tolist() == [[11.0, 14.0]]


def test_loaded_under_a_scope(model):
    with tf.Graph().as_default(), v1.Session() as session:
        proto = v1.saved_model.loader.load(session, {"serve"}, model, import_scope="scope")
        assert session.run("scope/y:0", {"scope/x:0": X}).tolist() == [[8.0, 11.0]]
        assert session.run("scope/rows:0", {"scope/keys:0": ["c"]}).tolist() == [2]
        info = proto.signature_def["serving_default"].inputs["x"]
        tensor = v1.saved_model.get_tensor_from_tensor_info(info, import_scope="scope")
        assert tensor.name == "scope/x:0"
        with pytest.raises(KeyError, match="'other/x:0' refers to a Tensor which does not exist"):
            v1.saved_model.get_tensor_from_tensor_info(info, import_scope="other")


def test_objects_in_a_session(tmp_path):
    model = tf.Module()
    model.v = tf.Variable([1.0, 2.0])
    model.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, -1.0)
    model.table.insert(["k"], [5.0])
    model.f = tf.function(
        lambda x, k: {"y": model.v * x, "z": model.table.lookup(k)},
        input_signature=[tf.TensorSpec([]), tf.TensorSpec([None], tf.string)],
    )
    tf.saved_model.save(model, str(tmp_path), signatures=model.f)
    with tf.Graph().as_default(), v1.Session() as session:
        signature = v1.saved_model.load(session, ["serve"], str(tmp_path)).signature_def
        serve = signature["serving_default"]
        feeds = {serve.inputs["x"].name: 3.0, serve.inputs["k"].name: ["k", "other"]}
        y, z = session.run([serve.outputs[key].name for key in ("y", "z")], feeds)
        assert (y.tolist(), z.tolist()) == ([3.0, 6.0], [5.0, -1.0])


def test_tags_and_files_that_do_not_exist(path, tmp_path):
    with tf.Graph().as_default() as graph, v1.Session() as session:
        with pytest.raises(RuntimeError, match="MetaGraphDef associated with tags 'other' could"):
            v1.saved_model.load(session, ["other"], path)
        with pytest.raises(OSError, match="SavedModel file does not exist at"):
            v1.saved_model.load(session, ["serve"], str(tmp_path / "none"))
        assert graph.get_operations() == []
    assert v1.saved_model.maybe_saved_model_directory(path)
    assert v1.saved_model.contains_saved_model(path)
    assert not v1.saved_model.loader.maybe_saved_model_directory(str(tmp_path))


# ------------------------------------------------------------------ functions


def test_loaded_as_functions(model):
    loaded = tf.saved_model.load(model, tags=["serve"])
    serve, look = loaded.signatures["serving_default"], loaded.signatures["look"]
    assert serve(x=tf.constant(X))["y"].numpy().tolist() == [[8.0, 11.0]]
    assert serve(tf.constant(X))["y"].numpy().tolist() == [[8.0, 11.0]]
    assert look(keys=tf.constant(["b", "z"]))["rows"].numpy().tolist() == [1, -1]
    assert serve.structured_input_signature == (
        (),
        {"x": tf.TensorSpec([None, 2], tf.float32, "x")},
    )
    assert [v.name for v in loaded.variables] == ["b:0"]  # TensorFlow lists no references
    assert [os.path.basename(os.fspath(asset)) for asset in loaded.asset_paths] == ["words.txt"]
    with tf.GradientTape() as tape:
        y = serve(x=tf.constant(X))["y"]
    assert tape.gradient(y, loaded.variables)[0].numpy().tolist() == [1.0, 1.0]
    loaded.variables[0].assign([0.0, 0.0])
    assert serve(x=tf.constant(X))["y"].numpy().tolist() == [[7.0, 10.0]]


def test_parts_of_the_graph(model):
    loaded = tf.saved_model.load(model, tags=["serve"])
    part = loaded.prune("x:0", {"y": "y:0", "b": "b/Read/ReadVariableOp:0"})
    assert part(tf.constant(X))["y"].numpy().tolist() == [[8.0, 11.0]]
    assert part(x=tf.constant(X))["b"].numpy().tolist() == [1.0, 1.0]
    loaded.prune([], "more")()
    assert part(tf.constant(X))["y"].numpy().tolist() == [[11.0, 14.0]]
    with pytest.raises(KeyError, match="The operation, 'none', does not exist in the graph"):
        loaded.prune([], "none:0")


def test_functions_saved_again(model, tmp_path):
    loaded = tf.saved_model.load(model, tags=["serve"])
    loaded.prune([], "more")()
    tf.saved_model.save(loaded, str(tmp_path / "again"))
    signatures = tf.saved_model.load(str(tmp_path / "again")).signatures
    assert signatures["serving_default"](x=tf.constant(X))["y"].numpy().tolist() == [[11.0, 14.0]]
    assert signatures["look"](keys=tf.constant(["b", "z"]))["rows"].numpy().tolist() == [1, -1]


def test_several_graphs_need_tags(path):
    with pytest.raises(ValueError, match=r"requires a `tags=` argument .* there are 2 MetaGraphs"):
        tf.saved_model.load(path)
    with pytest.raises(RuntimeError, match="MetaGraphDef associated with tags 'a' could not be"):
        tf.saved_model.load(path, tags=["a"])
    loaded = v1.saved_model.load_v2(path, tags="train")
    y = loaded.signatures["serving_default"](x=tf.constant(X))["y"]
    assert y.numpy().tolist() == [[8.0, 11.0]]


def test_updates_of_references(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=[1.0, 2.0, 3.0], use_resource=False)
        x = v1.placeholder(tf.float32, [], name="x")
        assigned = v1.assign(v, [x, x, x])
        y = v1.scatter_add(assigned, [0, 2], [10.0, 20.0]) * 2.0
        optimizer = v1.train.GradientDescentOptimizer(0.5)
        optimizer.minimize(tf.reduce_sum(v * x), name="train")
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, str(tmp_path), {"x": x}, {"y": y, "v": v.read_value()})
    loaded = tf.saved_model.load(str(tmp_path))
    result = loaded.signatures["serving_default"](x=tf.constant(4.0))
    assert result["y"].numpy().tolist() == [28.0, 8.0, 48.0]
    loaded.prune("x:0", "train")(tf.constant(2.0))
    assert loaded.prune([], "v/read:0")().numpy().tolist() == [13.0, 3.0, 23.0]


# ------------------------------------------------------------------ the builder


def test_text_format(path, tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        signatures = _signatures(*_build(tmp_path))
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        builder = v1.saved_model.builder.SavedModelBuilder(str(tmp_path / "text"))
        files = v1.get_collection("asset_filepaths")
        builder.add_meta_graph_and_variables(
            session, ["serve"], signatures, files, main_op=v1.tables_initializer()
        )
        builder.save(as_text=True)
    assert sorted(os.listdir(tmp_path / "text")) == ["assets", "saved_model.pbtxt", "variables"]
    look = tf.saved_model.load(str(tmp_path / "text")).signatures["look"]
    assert look(keys=tf.constant(["b"]))["rows"].numpy().tolist() == [1]


def test_what_the_builder_refuses(path, tmp_path):
    with pytest.raises(AssertionError, match="already exists, and isn't empty"):
        v1.saved_model.Builder(path)
    with tf.Graph().as_default(), v1.Session() as session:
        x, y, keys, rows = _build(tmp_path)
        signatures = _signatures(x, y, keys, rows)
        session.run(v1.global_variables_initializer())
        builder = v1.saved_model.Builder(str(tmp_path / "other"))
        add = builder.add_meta_graph_and_variables
        with pytest.raises(AssertionError, match="has not been saved yet"):
            builder.add_meta_graph(["serve"])
        with pytest.raises(
            KeyError, match='"__saved_model_init_op" is reserved for initialization'
        ):
            add(session, ["serve"], {"__saved_model_init_op": signatures["look"]})
        with pytest.raises(TypeError, match="Expected 3 to be an Operation but got type"):
            add(session, ["serve"], main_op=3)
        signatures["look"].inputs["keys"].dtype = 0
        with pytest.raises(AssertionError, match="must have the dtype field set"):
            add(session, ["serve"], signatures)
        add(session, ["serve"], main_op=tf.no_op())
        with pytest.raises(AssertionError, match="has already been saved"):
            add(session, ["serve"])
        with pytest.raises(ValueError, match="already contains one or more main ops"):
            builder.add_meta_graph(["train"], main_op=tf.no_op())


# ------------------------------------------------------------------ messages


def test_signatures():
    of = v1.saved_model
    with tf.Graph().as_default():
        text = v1.placeholder(tf.string, [None], name="text")
        number = v1.placeholder(tf.float32, [None], name="number")
        classes = of.classification_signature_def(text, text, number)
        assert sorted(classes.outputs) == ["classes", "scores"]
        assert classes.method_name == "tensorflow/serving/classify"
        regression = of.regression_signature_def(text, number)
        predict = of.predict_signature_def({"a": number}, {"b": text})
        other = of.build_signature_def(None, None, "other", {"a": 3.0})
        assert other.defaults["a"].float_val[:] == [3.0]
        valid = map(of.is_valid_signature, (classes, regression, predict, other, None))
        assert list(valid) == [True, True, True, False, False]
        for function, args, said in [
            (of.classification_signature_def, (None, None, None), "`examples` cannot be None"),
            (of.classification_signature_def, (text, None, None), "cannot both be None"),
            (of.classification_signature_def, (number, text, None), "of type 1"),
            (of.regression_signature_def, (None, number), "Regression `examples` cannot be None"),
            (of.regression_signature_def, (text, text), "Found tensors with type 7"),
            (of.predict_signature_def, ({}, {"b": text}), "Prediction `inputs` cannot be None"),
            (of.predict_signature_def, ({"a": text}, None), "Prediction `outputs` cannot be None"),
        ]:
            with pytest.raises(ValueError, match=said):
                function(*args)


def test_tensors():
    of = v1.saved_model.utils
    with tf.Graph().as_default():
        sparse = v1.sparse_placeholder(tf.int32, [2, 3], name="sparse")
        info = of.build_tensor_info(sparse)
        assert info.coo_sparse.values_tensor_name == sparse.values.name
        assert of.get_tensor_from_tensor_info(info).indices is sparse.indices
        ragged = v1.ragged.placeholder(tf.float32, 1, name="ragged")
        info = of.build_tensor_info(ragged)
        assert info.composite_tensor.type_spec.type_spec_class_name == "RaggedTensorSpec"
        again = of.get_tensor_from_tensor_info(info)
        assert again.values is ragged.values
        assert again.row_splits is ragged.row_splits
        with pytest.raises(ValueError, match=r"Invalid TensorInfo\.encoding: None"):
            of.get_tensor_from_tensor_info(v1.TensorInfo())
    with pytest.raises(RuntimeError, match="`build_tensor_info` is not supported in eager"):
        of.build_tensor_info(tf.constant(1))


def test_method_names(path, tmp_path):
    updater = v1.saved_model.signature_def_utils.MethodNameUpdater(path)
    updater.replace_method_name("look", "find", tags="serve")
    with pytest.raises(ValueError, match=r"tags \['no'\] could not be found in SavedModel"):
        updater.replace_method_name("look", "find", tags="no")
    with pytest.raises(ValueError, match="does not have a signature_def with key: 'no'"):
        updater.replace_method_name("no", "find")
    with pytest.raises(ValueError, match="`signature_key` must be defined"):
        updater.replace_method_name("", "find")
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        updater.save(str(tmp_path / "none"))
    updater.save()
    with tf.Graph().as_default(), v1.Session() as session:
        proto = v1.saved_model.load(session, ["serve"], path)
        assert proto.signature_def["look"].method_name == "find"
    with tf.Graph().as_default(), v1.Session() as session:
        proto = v1.saved_model.load(session, ["train"], path)
        assert proto.signature_def["look"].method_name == "look"


def test_main_operations():
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=2.0)
        more = v1.assign_add(v, 1.0)
        session.run(v1.saved_model.main_op.main_op())
        assert session.run(v) == 2.0
        session.run(v1.saved_model.main_op_with_restore(more))
        assert session.run(v) == 3.0
        assert v1.saved_model.constants.MAIN_OP_KEY == "saved_model_main_op"
        assert v1.saved_model.tag_constants.SERVING == "serve"
        assert v1.saved_model.signature_constants.PREDICT_OUTPUTS == "outputs"
