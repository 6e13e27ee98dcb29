"""SavedModels that are written here: loaded here again, and with the fields that TensorFlow reads."""

from __future__ import annotations

import pytest

import twinflow as tf
from twinflow._src.core.protos import message

X = [[1.0, 2.0]]


class Model(tf.Module):
    """A module with variables, a captured tensor, several traces and control flow."""

    def __init__(self):
        super().__init__()
        self.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
        self.b = tf.Variable(0.0, trainable=False, name="b")
        self.list = [tf.Variable(1.0), {"a": tf.Variable(2.0)}]
        self.offset = tf.constant([[1.0, 1.0]] * 100)

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def __call__(self, x):
        return tf.matmul(x, self.w) + self.b

    @tf.function
    def f(self, x, training=False, *, scale=None):
        if training:
            return {"y": x * self.w, "z": [x, x + self.offset[0, :1]]}
        return {"y": x * 2.0, "z": [x, x]}

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def loop(self, n):
        x = tf.constant(0.0)
        for i in tf.range(n):
            x += self.b + tf.cast(i, tf.float32)
        return x


@pytest.fixture
def path(tmp_path):
    model = Model()
    model.f(tf.constant(X), True)
    model.f(tf.constant(X), scale=tf.constant(1.0))
    tf.saved_model.save(model, str(tmp_path / "model"), signatures=model.__call__)
    return str(tmp_path / "model")


def _check(loaded):
    assert loaded(X).numpy().tolist() == [[7.0, 10.0]]
    assert loaded.f(X, True)["z"][1].numpy().tolist() == [[2.0, 3.0]]
    assert loaded.f(X, scale=2.0)["y"].numpy().tolist() == [[2.0, 4.0]]
    assert float(loaded.loop(4)) == 6.0
    assert [float(loaded.list[0]), float(loaded.list[1]["a"])] == [1.0, 2.0]
    serve = loaded.signatures["serving_default"]
    assert serve(x=tf.constant(X))["output_0"].numpy().tolist() == [[7.0, 10.0]]


def test_saved_and_loaded(path):
    _check(tf.saved_model.load(path))


def test_a_loaded_model_saved_again(path, tmp_path):
    loaded = tf.saved_model.load(path)
    loaded.w.assign(loaded.w * 2.0)
    tf.saved_model.save(loaded, str(tmp_path / "again"))
    again = tf.saved_model.load(str(tmp_path / "again"))
    assert again(X).numpy().tolist() == [[14.0, 20.0]]
    assert list(again.signatures) == ["serving_default"]


def test_the_fields_that_tensorflow_reads(path):
    with open(f"{path}/saved_model.pb", "rb") as file:
        (meta_graph,) = message("SavedModel").FromString(file.read()).meta_graphs
    assert list(meta_graph.meta_info_def.tags) == ["serve"]
    assert meta_graph.saver_def.filename_tensor_name == "saver_filename:0"
    assert set(meta_graph.signature_def) == {"serving_default", "__saved_model_init_op"}
    functions = {f.signature.name for f in meta_graph.graph_def.library.function}
    assert set(meta_graph.object_graph_def.concrete_functions) <= functions
    kinds = [node.WhichOneof("kind") for node in meta_graph.object_graph_def.nodes]
    assert kinds.count("variable") == 4
    assert (kinds.count("function"), kinds.count("constant")) == (3, 1)
    names = {node.name for node in meta_graph.graph_def.node}
    assert meta_graph.saver_def.restore_op_name in names


def test_untracked_variables(tmp_path):
    outside, model = tf.Variable(1.0), tf.Module()
    model.f = tf.function(lambda x: x * outside, input_signature=[tf.TensorSpec([])])
    with pytest.raises(AssertionError, match="references an 'untracked' resource"):
        tf.saved_model.save(model, str(tmp_path))


def test_values_that_cannot_be_saved(tmp_path):
    with pytest.raises(ValueError, match="Expected an object of type `Trackable`"):
        tf.saved_model.save(3, str(tmp_path))
    with pytest.raises(ValueError, match="Expected a TensorFlow function for which to generate"):
        tf.saved_model.save(tf.Module(), str(tmp_path), signatures={"a": 3})


def test_assets(tmp_path):
    file, model = tmp_path / "words.txt", tf.Module()
    file.write_text("a b")
    model.asset = tf.saved_model.Asset(str(file))
    model.read = tf.function(lambda: tf.io.read_file(model.asset.asset_path), input_signature=[])
    tf.saved_model.save(model, str(tmp_path / "model"))
    file.unlink()
    assert tf.saved_model.load(str(tmp_path / "model")).read().numpy() == b"a b"


def test_fingerprints(path, tmp_path):
    experimental = tf.saved_model.experimental
    fingerprint = experimental.read_fingerprint(path)
    assert fingerprint == experimental.read_fingerprint(path)
    assert fingerprint != 3
    values = [fingerprint.graph_def_program_hash, fingerprint.signature_def_hash]
    values += [fingerprint.saved_object_graph_hash, fingerprint.checkpoint_hash]
    assert all(values)
    assert fingerprint.singleprint() == "/".join(map(str, values))
    assert fingerprint.version.producer == 4
    assert str(fingerprint).startswith("SavedModel Fingerprint\n  saved_model_checksum: ")
    assert repr(experimental.Fingerprint(1, 2, 3, 4, 5)) == "Fingerprint(1, 2, 3, 4, 5)"
    with pytest.raises(ValueError, match="invalid fingerprint values when constructing"):
        experimental.Fingerprint(1, 2).singleprint()
    with pytest.raises(FileNotFoundError, match="Could not find fingerprint in directory"):
        experimental.read_fingerprint(str(tmp_path))
    (tmp_path / "fingerprint.pb").write_bytes(b"\xff")
    with pytest.raises(RuntimeError, match=r"Could not read fingerprint from fingerprint\.pb"):
        experimental.read_fingerprint(str(tmp_path))


def test_signatures_with_several_inputs(tmp_path):
    model = tf.Module()
    specs = [tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.string)]
    model.f = tf.function(lambda n, a: {"y": tf.repeat(a, n)}, input_signature=specs)
    tf.saved_model.save(model, str(tmp_path), signatures=model.f)
    serve = tf.saved_model.load(str(tmp_path)).signatures["serving_default"]
    assert serve(n=tf.constant(2), a=tf.constant(["x"]))["y"].numpy().tolist() == [b"x", b"x"]
    with open(f"{tmp_path}/saved_model.pb", "rb") as file:
        (meta_graph,) = message("SavedModel").FromString(file.read()).meta_graphs
    inputs = meta_graph.signature_def["serving_default"].inputs
    call = next(n for n in meta_graph.graph_def.node if n.op == "StatefulPartitionedCall")
    function = next(
        f
        for f in meta_graph.graph_def.library.function
        if f.signature.name == call.attr["f"].func.name
    )
    types = {f"{info.name}": info.dtype for info in inputs.values()}
    expected = [arg.type for arg in function.signature.input_arg]
    assert [types[f"{name}:0"] for name in call.input] == expected


def _nodes(path):
    with open(f"{path}/saved_model.pb", "rb") as file:
        (meta_graph,) = message("SavedModel").FromString(file.read()).meta_graphs
    functions = meta_graph.graph_def.library.function
    return meta_graph, [node for function in functions for node in function.node_def]


def test_checks_are_stripped(tmp_path, capfd):
    model = tf.Module()

    def check(x):
        tf.debugging.assert_positive(x)
        tf.print("x", x)
        return tf.debugging.check_numerics(x, "x")

    model.f = tf.function(check, input_signature=[tf.TensorSpec([])])
    options = tf.saved_model.SaveOptions(experimental_debug_stripper=True)
    tf.saved_model.save(model, str(tmp_path / "stripped"), options=options)
    tf.saved_model.save(model, str(tmp_path / "whole"))
    kept = {node.op for node in _nodes(tmp_path / "stripped")[1]}
    assert not kept & {"Assert", "PrintV2", "CheckNumerics"}
    assert float(tf.saved_model.load(str(tmp_path / "stripped")).f(-1.0)) == -1.0
    assert capfd.readouterr().err == ""
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.saved_model.load(str(tmp_path / "whole")).f(-1.0)


def test_a_default_signature_that_cannot_be_computed(tmp_path):
    class Model(tf.Module):
        @property
        def _default_save_signature(self):
            raise TypeError("input_signature missing type constraint for inputs")

        @tf.function(input_signature=[tf.TensorSpec([])])
        def call(self, x):
            return x + 1.0

    tf.saved_model.save(Model(), str(tmp_path))
    assert tf.saved_model.load(str(tmp_path)).call(2.0) == 3.0


def test_without_a_saver(tmp_path):
    model = tf.Module()
    model.v = tf.Variable(2.0)
    options = tf.saved_model.SaveOptions(experimental_skip_saver=True)
    tf.saved_model.save(model, str(tmp_path), options=options)
    meta_graph, nodes = _nodes(tmp_path)
    assert not meta_graph.saver_def.restore_op_name
    assert nodes == []
    assert float(tf.saved_model.load(str(tmp_path)).v) == 2.0


def test_aliases_of_functions(tmp_path):
    model = tf.Module()
    model.f = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([])])
    model.g = tf.function(lambda x: x * 3.0, input_signature=[tf.TensorSpec([])])
    options = tf.saved_model.SaveOptions(function_aliases={"double": model.f})
    tf.saved_model.save(model, str(tmp_path), options=options)
    options = tf.saved_model.LoadOptions(experimental_load_function_aliases=True)
    aliases = tf.saved_model.load(str(tmp_path), options=options).function_aliases
    assert list(aliases) == ["double"]
    assert float(aliases["double"](4.0)) == 8.0
    assert not hasattr(tf.saved_model.load(str(tmp_path)), "function_aliases")


def test_assertions_and_prints(tmp_path, capfd):
    model = tf.Module()

    def check(x, text):
        tf.debugging.assert_positive(x, message="sign")
        tf.print("x", x, {"b": [x, 1], "a": x}, sep="|", summarize=2)
        tf.print(text)
        tf.debugging.Assert(x < 10.0, ["large", x])
        return x * 2.0

    specs = [tf.TensorSpec([]), tf.TensorSpec([], tf.string)]
    model.f = tf.function(check, input_signature=specs)
    for folder in ("first", "again"):
        tf.saved_model.save(model, str(tmp_path / folder))
        model = tf.saved_model.load(str(tmp_path / folder))
        assert float(model.f(1.5, "text")) == 3.0
        assert capfd.readouterr().err == "x|1.5|{'a': 1.5, 'b': [1.5, 1]}\ntext\n"
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[.*sign.*\] \[-1"):
            model.f(-1.0, "")
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[large.*\] \[11"):
            model.f(11.0, "")
        capfd.readouterr()


def test_children_of_functions_and_tables():
    model = tf.Module()
    model.f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([])])
    assert model.f._trackable_children() == {}
    (trace,) = model.f._trackable_children("savedmodel").values()
    assert trace is model.f.get_concrete_function()
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    assert isinstance(table, tf.saved_model.experimental.TrackableResource)

    class View(tf.train.TrackableView):
        @classmethod
        def children(cls, obj, save_type="savedmodel", **kwargs):
            return super().children(obj, save_type, **kwargs)

    model.tables = [table]
    assert trace in View(model).descendants()
    assert table in View(model).descendants()


def test_ragged_strings(tmp_path):
    model = tf.Module()
    words = tf.TensorSpec([None], tf.string)
    rows = tf.RaggedTensorSpec([None, None], tf.float32)
    model.split = tf.function(tf.strings.split, input_signature=[words])
    padded = lambda x: tf.strings.split(x, "-", 1).to_tensor("?", shape=[None, 3])
    model.padded = tf.function(padded, input_signature=[words])
    model.dense = tf.function(lambda x: x.to_tensor(), input_signature=[rows])
    for folder in ("first", "again"):
        tf.saved_model.save(model, str(tmp_path / folder))
        model = tf.saved_model.load(str(tmp_path / folder))
        texts = tf.constant(["a b", "", "c"])
        assert model.split(texts).to_list() == [[b"a", b"b"], [], [b"c"]]
        expected = [[b"a", b"b-c", b"?"], [b"d", b"?", b"?"]]
        assert model.padded(tf.constant(["a-b-c", "d"])).numpy().tolist() == expected
        dense = model.dense(tf.ragged.constant([[1.0, 2.0], [3.0]]))
        assert dense.numpy().tolist() == [[1.0, 2.0], [3.0, 0.0]]


def test_reductions_of_ragged_rows(tmp_path):
    model = tf.Module()
    rows = tf.RaggedTensorSpec([None, None], tf.float32)
    pairs = tf.RaggedTensorSpec([None, None, 2], tf.int32, 1, tf.int32)
    model.rows = tf.function(
        lambda x: {
            "sum": tf.reduce_sum(x, 1),
            "mean": tf.reduce_mean(x, axis=-1),
            "max": tf.reduce_max(x, 1, keepdims=True),
            "min": tf.reduce_min(x, [1]),
            "prod": tf.reduce_prod(x, 1),
            "any": tf.reduce_any(x > 1, 1),
            "all": tf.reduce_all(x > 1, 1),
            "total": tf.reduce_sum(x),
            "highest": tf.reduce_max(x),
            "any of all": tf.reduce_any(x > 3),
        },
        input_signature=[rows],
    )
    model.pairs = tf.function(lambda x: tf.reduce_sum(x, 1), input_signature=[pairs])
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    results = loaded.rows(tf.ragged.constant([[1.0, 2.0], [4.0], [3.0, -5.0, 0.5]]))
    assert {name: x.numpy().tolist() for name, x in results.items()} == {
        "sum": [3.0, 4.0, -1.5],
        "mean": [1.5, 4.0, -0.5],
        "max": [[2.0], [4.0], [3.0]],
        "min": [1.0, 4.0, -5.0],
        "prod": [2.0, 4.0, -7.5],
        "any": [True, True, True],
        "all": [False, True, False],
        "total": 5.5,
        "highest": 4.0,
        "any of all": True,
    }
    values = tf.RaggedTensor.from_row_lengths([[1, 2], [3, 4], [5, 6]], tf.constant([2, 0, 1]))
    assert loaded.pairs(values).numpy().tolist() == [[4, 6], [0, 0], [5, 6]]


def test_ragged_strings_of_functions_in_signatures(tmp_path):
    model = tf.Module()
    words = tf.TensorSpec([None], tf.string)
    lengths = lambda x: tf.strings.length(tf.strings.split(tf.strings.lower(x)).to_tensor("?"))
    model.lengths = tf.function(lengths, input_signature=[words])
    tf.saved_model.save(model, str(tmp_path), signatures=model.lengths)
    serve = tf.saved_model.load(str(tmp_path)).signatures["serving_default"]
    (result,) = serve(tf.constant(["some words", "word"])).values()
    assert result.numpy().tolist() == [[4, 5], [4, 1]]


def test_specs_of_results_are_named_by_their_paths(tmp_path):
    module = tf.Module()
    module.f = tf.function(
        lambda x: (x, (x, {"k": x}), {"a": [x]}),
        input_signature=[tf.TensorSpec([None], tf.float32)],
    )
    tf.saved_model.save(module, tmp_path)  # without a default signature: its results are nested
    loaded = tf.saved_model.load(tmp_path)
    assert list(loaded.signatures) == []
    (function,) = loaded.f.concrete_functions
    names = [spec.name for spec in tf.nest.flatten(function.structured_outputs)]
    assert names == ["tensor_0", "tensor_1_0", "tensor_1_1_k", "tensor_2_a_0"]


def test_specs_of_signatures_have_their_keys(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([None], tf.float32)])
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    (spec,) = loaded.signatures["serving_default"].structured_outputs.values()
    assert spec.name == "output_0"
    assert loaded.f.concrete_functions[0].structured_outputs.name == "unknown"


def test_assets_that_are_not_there_are_left_out(tmp_path):
    model = tf.train.Checkpoint()
    model.asset = tf.saved_model.Asset(str(tmp_path / "absent.txt"))
    tf.saved_model.save(model, str(tmp_path / "saved"))
    assert list((tmp_path / "saved" / "assets").iterdir()) == []


def feature(value):
    kind = tf.train.Int64List if isinstance(value[0], int) else tf.train.FloatList
    field = "int64_list" if kind is tf.train.Int64List else "float_list"
    return tf.train.Feature(**{field: kind(value=value)})


class Parsers(tf.Module):
    """Parsers of examples, whose results are several lists of tensors."""

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def examples(self, serialized):
        features = {
            "a": tf.io.FixedLenFeature([], tf.int64),
            "b": tf.io.VarLenFeature(tf.float32),
            "c": tf.io.RaggedFeature(tf.int64),
            "d": tf.io.FixedLenFeature([2], tf.float32),
        }
        return tf.io.parse_example(serialized, features)

    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def single(self, serialized):
        return tf.io.parse_single_example(serialized, {"a": tf.io.FixedLenFeature([], tf.int64)})

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def sequences(self, serialized):
        lists = {
            "x": tf.io.FixedLenSequenceFeature([], tf.int64),
            "y": tf.io.VarLenFeature(tf.float32),
        }
        context = {"a": tf.io.FixedLenFeature([], tf.int64)}
        return tf.io.parse_sequence_example(serialized, context, lists)


def parsed(model):
    values = {"a": [3], "b": [1.0, 2.0], "c": [4, 5], "d": [1.0, 9.0]}
    features = tf.train.Features(feature={key: feature(v) for key, v in values.items()})
    example = tf.train.Example(features=features).SerializeToString()
    lists = {
        "x": tf.train.FeatureList(feature=[feature([1]), feature([2])]),
        "y": tf.train.FeatureList(feature=[feature([1.0, 2.0])]),
    }
    sequence = tf.train.SequenceExample(
        context=features, feature_lists=tf.train.FeatureLists(feature_list=lists)
    ).SerializeToString()
    results = [
        model.examples([example] * 2),
        model.single(example),
        model.sequences([sequence] * 2),
    ]
    return [x.numpy().tolist() for x in tf.nest.flatten(results, expand_composites=True)]


def test_parsers_of_examples(tmp_path):
    """Their nodes have the numbers of features; files may leave out attributes with default values."""
    model = Parsers()
    tf.saved_model.save(model, tmp_path)
    assert parsed(tf.saved_model.load(tmp_path)) == parsed(model)
    path = tmp_path / "saved_model.pb"
    proto = message("SavedModel").FromString(path.read_bytes())
    nodes = [n for f in proto.meta_graphs[0].graph_def.library.function for n in f.node_def]
    (examples,) = (n for n in nodes if n.op == "ParseExampleV2" and n.attr["num_sparse"].i)
    assert examples.attr["num_sparse"].i == 1
    (sequences,) = (n for n in nodes if n.op == "ParseSequenceExampleV2")
    assert sequences.attr["Nfeature_list_sparse"].i == sequences.attr["Nfeature_list_dense"].i == 1
    for name in [n for n, v in sequences.attr.items() if not v.i and not v.list.ByteSize()]:
        del sequences.attr[name]
    assert "context_sparse_types" not in sequences.attr
    path.write_bytes(proto.SerializeToString())
    (tmp_path / "fingerprint.pb").unlink()
    assert parsed(tf.saved_model.load(tmp_path)) == parsed(model)


class Replicated(tf.Module):
    """A module with a mirrored variable, one that is summed when read, and a generator."""

    def __init__(self):
        super().__init__()
        self.v = tf.Variable([1.0, 2.0], name="v")
        on_read, summed = tf.VariableSynchronization.ON_READ, tf.VariableAggregation.SUM
        self.count = tf.Variable(
            0.0, trainable=False, synchronization=on_read, aggregation=summed, name="count"
        )
        self.generator = tf.random.Generator.from_seed(0)

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def step(self, x):
        self.count.assign_add(1.0)
        return self.v * x

    @tf.function
    def draw(self):
        return self.generator.normal([])


def test_variables_of_replicas_are_saved_as_one(tmp_path):
    strategy = tf.distribute.MirroredStrategy(["cpu:0"])
    with strategy.scope():
        module = Replicated()
    strategy.run(lambda: module.step(tf.constant(2.0)))
    strategy.run(module.draw)
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.v.name == "v:0"
    assert loaded.v.synchronization is tf.VariableSynchronization.ON_WRITE
    assert loaded.step(tf.constant(3.0)).numpy().tolist() == [3.0, 6.0]
    assert (loaded.count.numpy(), module.count.numpy()) == (2.0, 1.0)
    # Outside replicas a generator has the numbers of its own key.
    plain = tf.random.Generator.from_seed(0)
    plain.normal([])
    assert loaded.draw().numpy() == plain.normal([]).numpy()
    assert strategy.run(module.draw).numpy() != loaded.draw().numpy()


def test_saving_leaves_the_traces_of_calls(tmp_path):
    calls = []

    class Counting(tf.Module):
        @tf.function
        def __call__(self, x):
            calls.append(1)
            return x + 1.0

    module = Counting()
    module(tf.constant(1.0))
    tf.saved_model.save(module, str(tmp_path))
    traced = len(calls)
    module(tf.constant(2.0))
    assert len(calls) == traced
    assert tf.saved_model.load(str(tmp_path))(tf.constant(1.0)).numpy() == 2.0


SPECTRA = {
    "dct": (lambda x: tf.signal.dct(x, n=20), [None, None]),
    "idct": (lambda x: tf.signal.idct(x, 3, norm="ortho"), [None, None]),
    "irfft": (lambda x: tf.signal.irfft(tf.cast(x, tf.complex64)), [None, None]),
    "mdct": (lambda x: tf.signal.inverse_mdct(tf.signal.mdct(x, 4)), [None, None]),
    "mfcc": (tf.signal.mfccs_from_log_mel_spectrograms, [None, 16]),
}


@pytest.mark.parametrize("name", SPECTRA)
def test_transforms_of_signals_of_unknown_sizes_are_saved(name, tmp_path):
    function, shape = SPECTRA[name]
    module = tf.Module()
    module.f = tf.function(function, input_signature=[tf.TensorSpec(shape)])
    tf.saved_model.save(module, str(tmp_path))
    x = tf.sin(tf.reshape(tf.range(32.0), [2, 16]))
    loaded = tf.saved_model.load(str(tmp_path)).f
    assert loaded(x).numpy().tolist() == function(x).numpy().tolist()


COUNTS = {
    "meshgrid": lambda a: tf.meshgrid(a, a[1:], indexing="ij"),
    "bincount": lambda a: [tf.math.bincount(a), tf.math.bincount(a, minlength=6, maxlength=7)],
    "confusion_matrix": lambda a: [tf.math.confusion_matrix(a, a[::-1])],
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_and_grids_of_unknown_sizes_are_saved(name, tmp_path):
    module = tf.Module()
    module.f = tf.function(COUNTS[name], input_signature=[tf.TensorSpec([None], tf.int32)])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path)).f
    for values in ([1, 0, 2, 2], [3, 1]):
        expected = [x.numpy().tolist() for x in COUNTS[name](tf.constant(values))]
        assert [x.numpy().tolist() for x in loaded(tf.constant(values))] == expected


def test_empty_values_of_unknown_number_have_no_bins():
    count = tf.function(tf.math.bincount, input_signature=[tf.TensorSpec([None], tf.int32)])
    assert count(tf.zeros([0], tf.int32)).numpy().tolist() == []
    negative = tf.function(lambda a: tf.math.confusion_matrix(a, a))
    with pytest.raises(tf.errors.InvalidArgumentError, match="contains negative values"):
        negative.get_concrete_function(tf.TensorSpec([None], tf.int32))(tf.constant([1, -1]))


def test_counts_of_ragged_rows_are_saved(tmp_path):
    count = lambda r: tf.math.bincount(r, minlength=5, maxlength=5, axis=-1, binary_output=True)
    module = tf.Module()
    module.f = tf.function(count, input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
    tf.saved_model.save(module, str(tmp_path))
    rows = tf.ragged.constant([[1, 1, 3], [], [4, 7]])
    assert tf.saved_model.load(str(tmp_path)).f(rows).numpy().tolist() == [
        [0, 1, 0, 1, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 1],
    ]
