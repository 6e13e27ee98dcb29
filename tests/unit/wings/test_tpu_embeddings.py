"""``tf.tpu.experimental.embedding`` on CPUs: configurations, lookups and their gradients, files; TensorFlow 2.21's answers."""

import inspect
import types

import numpy as np
import pytest

import twinflow as tf

embedding = tf.tpu.experimental.embedding
ROWS = np.arange(18, dtype=np.float32).reshape(6, 3)


def table(name="t", **kwargs):
    start = tf.constant_initializer(ROWS)
    return embedding.TableConfig(6, 3, initializer=start, name=name, **kwargs)


def serving(feature, optimizer=None):
    return embedding.TPUEmbeddingForServing(feature, optimizer)


@pytest.fixture
def sparse():
    return tf.sparse.from_dense([[1, 2, 0], [3, 0, 0], [0, 0, 0], [4, 5, 1]])


@pytest.fixture
def ragged():
    return tf.ragged.constant([[1, 2], [3], [], [4, 5, 1]])


def combined(combiner, weights=None):
    """The embeddings of the rows of ``sparse`` by NumPy."""
    ids = [[1, 2], [3], [], [4, 5, 1]]
    weights = weights or [[1.0] * len(row) for row in ids]
    scale = {
        "sum": lambda w: 1.0,
        "mean": lambda w: w.sum(),
        "sqrtn": lambda w: np.sqrt((w * w).sum()),
    }[combiner]
    rows = []
    for row, w in zip(ids, weights):
        w = np.array(w, np.float32)
        rows.append((ROWS[row] * w[:, None]).sum(0) / scale(w) if row else np.zeros(3))
    return np.array(rows, np.float32)


# ------------------------------------------------------------------ configurations


@pytest.mark.parametrize(
    ("create", "text"),
    [
        (lambda: embedding.TableConfig(0, 2), "`vocabulary_size` must be an int and must be >= 1"),
        (lambda: embedding.TableConfig(3, 2.0), r"`dim` \(embedding dimension\) must be an int"),
        (lambda: table(combiner="max"), "must be in .'mean', 'sum', 'sqrtn'.. Received: max"),
        (lambda: table(combiner=3), "should either be a str or a CustomCombiner"),
        (lambda: table(dtype=tf.float16), "`dtype` must be either float32 or int32"),
        (lambda: embedding.TableConfig(3, 2, initializer=3), "must be a callable .or None."),
        (lambda: embedding.FeatureConfig(3), "Argument `table` has invalid type <class 'int'>"),
        (lambda: embedding.FeatureConfig(table(), -1), "`max_sequence_length` must be an int"),
        (
            lambda: embedding.FeatureConfig(table(), validate_weights_and_indices=1),
            "`validate_weights_and_indices` must be a boolean",
        ),
        (lambda: embedding.QuantizationConfig(1, 0.0, 1.0), "num_buckets is 1, must be at least 2"),
        (
            lambda: embedding.SGD(use_gradient_accumulation=False, clipvalue=1.0),
            "gradient clipping cannot be used",
        ),
        (lambda: embedding.Adagrad(initial_accumulator_value=0.0), "must be a positive float"),
        (lambda: embedding.FTRL(initial_accumulator_value=-1.0), "must be a positive float"),
        (lambda: embedding.Adagrad(slot_variable_creation_fn=3), "either None or a callable"),
        (lambda: embedding.AdagradMomentum(epsilon=0.0), "epsilon must be positive"),
        (lambda: embedding.AdagradMomentum(exponent=0.0), "Precondition exponent must >0"),
        (lambda: embedding.Adam(beta_1=1.0), "`beta_1` must be >= 0 and < 1. Received: 1.0"),
        (lambda: embedding.Adam(beta_2=-1.0), "`beta_2` must be >= 0 and < 1. Received: 0.9"),
        (lambda: embedding.Adam(epsilon=0.0), "epsilon must be positive; got 0.0"),
        (
            lambda: embedding.Adam(lazy_adam=False, use_gradient_accumulation=False),
            "When disabling lazy Adam",
        ),
    ],
)
def test_arguments_are_checked(create, text):
    with pytest.raises(ValueError, match=text):
        create()


def test_optimizers_are_equal_by_hyperparameters():
    assert embedding.Adam(0.1) == embedding.Adam(0.1)
    assert hash(embedding.FTRL()) == hash(embedding.FTRL())
    assert embedding.Adam() != embedding.Adam(beta_1=0.5)
    assert embedding.SGD(0.1) != embedding.Adagrad(0.1)
    assert embedding.SGD(clipvalue=1.0) != embedding.SGD()


def test_hyperparameters_by_position_and_limits_of_gradients():
    optimizer = embedding.Adagrad(0.1, 0.2, True, -1.0, 1.0, 0.3, True, None, 2.0)
    assert (optimizer.clip_gradient_min, optimizer.clip_gradient_max) == (-2.0, 2.0)
    assert (optimizer.clip_weight_min, optimizer.weight_decay_factor) == (-1.0, 0.3)
    assert embedding.SGD(clipvalue=(0.0, 3.0)).clip_gradient_max == 3.0
    assert not hasattr(optimizer, "clipvalue")
    assert "slot_variable_creation_fn" not in inspect.signature(embedding.SGD).parameters


def test_configurations_are_printed():
    feature = embedding.FeatureConfig(
        embedding.TableConfig(3, 2, name="k"), 2, output_shape=[2, 3], name="q"
    )
    assert repr(feature) == (
        "FeatureConfig(table=TableConfig(vocabulary_size=3, dim=2, initializer=None, optimizer=None, "
        "combiner='mean', name='k', quantization_config=None), max_sequence_length=2, "
        "validate_weights_and_indices=True, output_shape=TensorShape([2, 3]), name='q')"
    )
    assert repr(embedding.QuantizationConfig(3, 0.0, 1.0)) == (
        "QuantizationConfig(num_buckets=3, lower=0.0, upper=1.0)"
    )


def test_tables_start_with_a_truncated_normal_distribution():
    tf.random.set_seed(3)
    initializer = embedding.TableConfig(8, 4, name="a").initializer
    drawn = initializer([3], dtype=tf.float32).numpy()
    np.testing.assert_allclose(drawn, [-0.4148186, -0.91331357, 0.0625968], rtol=1e-6)
    assert initializer.get_config() == {"mean": 0.0, "stddev": 0.5, "seed": None}
    with pytest.raises(ValueError, match="expected to be floating point"):
        initializer([2], dtype=tf.int32)


def test_rows_of_their_numbers():
    rows = embedding.RowIdInitializer(2)((3, 2), tf.float32)
    assert rows.numpy().tolist() == [[2, 2], [3, 3], [4, 4]]


@pytest.mark.parametrize(
    ("number", "name"), [(0, "UNSUPPORTED"), (1, "V1"), (2, "V2"), (9, "UNSUPPORTED")]
)
def test_hardware_features(number, name):
    proto = types.SimpleNamespace(embedding_feature=number, num_embedding_devices_per_chip=4)
    feature = tf.tpu.experimental.HardwareFeature(proto)
    assert feature.embedding_feature.value == name
    assert feature.num_embedding_devices_per_chip == 4


# ------------------------------------------------------------------ lookups


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("kind", ["sparse", "ragged"])
@pytest.mark.parametrize("combiner", ["mean", "sum", "sqrtn"])
def test_ids_are_combined(combiner, kind, traced, request):
    ids = request.getfixturevalue(kind)
    layer = serving(embedding.FeatureConfig(table(combiner=combiner)))
    layer.build()
    call = tf.function(layer) if traced else layer
    np.testing.assert_allclose(call(ids), combined(combiner), rtol=1e-6)
    numbers = [0.5, 1.0, 2.0, 0.1, 0.3, 0.7]
    weights = ids.with_values(tf.constant(numbers))
    expected = combined(combiner, [numbers[:2], numbers[2:3], [], numbers[3:]])
    np.testing.assert_allclose(call(ids, weights), expected, rtol=1e-6)


@pytest.mark.parametrize("kind", ["sparse", "ragged"])
def test_sequences_are_padded_and_cut(kind, request):
    layer = serving(embedding.FeatureConfig(table(), max_sequence_length=2))
    zero = np.zeros(3, np.float32)
    expected = [[ROWS[1], ROWS[2]], [ROWS[3], zero], [zero, zero], [ROWS[4], ROWS[5]]]
    np.testing.assert_array_equal(layer(request.getfixturevalue(kind)), expected)


def test_results_have_the_output_shape(ragged):
    layer = serving(embedding.FeatureConfig(table(), output_shape=[2, 2]))
    np.testing.assert_allclose(layer(ragged), combined("mean").reshape(2, 2, 3), rtol=1e-6)
    layer = serving(embedding.FeatureConfig(table(), output_shape=[8]))
    np.testing.assert_array_equal(layer(ragged)[:3], ROWS[[1, 2, 3]])
    with pytest.raises(ValueError, match=r"got output shape \(3,\), input data batch size 4"):
        serving(embedding.FeatureConfig(table(), output_shape=[3]))(ragged)


def test_features_share_a_table_and_its_gradient(sparse, ragged):
    shared = table()
    features = {"a": embedding.FeatureConfig(shared), "b": [embedding.FeatureConfig(shared)]}
    layer = serving(features)
    assert list(layer.embedding_tables) == [shared]
    with tf.GradientTape() as tape:
        result = layer({"a": sparse, "b": [tf.constant([0, 3])]})
        total = tf.reduce_sum(result["a"]) + tf.reduce_sum(result["b"][0])
    gradient = tape.gradient(total, layer.embedding_tables[shared])
    expected = np.array([1, 5 / 6, 1 / 2, 2, 1 / 3, 1 / 3])
    np.testing.assert_allclose(tf.convert_to_tensor(gradient)[:, 1], expected, rtol=1e-6)
    some = embedding.serving_embedding_lookup({"a": ragged}, None, layer.embedding_tables, features)
    np.testing.assert_allclose(some["a"], result["a"], rtol=1e-6)


def test_lookups_are_traced_with_unknown_sizes(sparse, ragged):
    names = {"a": 0, "b": 2, "c": 0}
    layer = serving({n: embedding.FeatureConfig(table(n), k) for n, k in names.items()})
    layer.build()
    spec = tf.SparseTensorSpec([None, None], tf.int32)
    specs = {"a": spec, "b": spec, "c": tf.RaggedTensorSpec([None, None], tf.int32)}
    function = tf.function(lambda x: layer(x), input_signature=[specs])
    result = function({"a": sparse, "b": sparse, "c": ragged})
    np.testing.assert_allclose(result["a"], combined("mean"), rtol=1e-6)
    np.testing.assert_allclose(result["c"], combined("mean"), rtol=1e-6)
    assert result["b"].shape == (4, 2, 3)


def test_ids_that_do_not_fit_are_refused(sparse, ragged):
    layer = serving({"a": embedding.FeatureConfig(table())})
    long = serving({"a": embedding.FeatureConfig(table("u"), max_sequence_length=2)})
    ones = sparse.with_values(tf.ones(6))
    for call, text in [
        (lambda: layer({"z": sparse}), "Inputs are not a subset of feature_config"),
        (lambda: layer({"a": np.array([1])}), "Input a is type <class 'numpy.ndarray'>"),
        (lambda: layer({"a": tf.constant([1])}, {"a": tf.ones(1)}), "but input is dense"),
        (lambda: layer({"a": ragged}, {"a": ones}), "does not match type of the input"),
        (lambda: layer({"a": tf.ragged.constant([[[1]]])}), "but got rank 3"),
        (lambda: long({"a": sparse}, {"a": ones}), "but this is a sequence feature"),
        (lambda: long({"a": tf.constant([1])}), "is a sequence feature but a dense tensor"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()


# ------------------------------------------------------------------ variables and files


def test_tables_have_names_slots_and_checkpoints(tmp_path):
    features = {
        "q": embedding.FeatureConfig(table("tt")),
        "p": embedding.FeatureConfig(table(None)),
    }
    layer = serving(features, embedding.Adam())
    tables = {config.name: x for config, x in layer.embedding_tables.items()}
    assert {name: x.name for name, x in tables.items()} == {"table_0": "table_0:0", "tt": "tt:0"}
    slots = layer.variables["tt"]
    assert {name: (x.name, x.trainable) for name, x in slots.items()} == {
        "momenta": ("tt/momenta:0", False),
        "velocities": ("tt/velocities:0", False),
        "parameters": ("tt:0", True),
    }
    path = tf.train.Checkpoint(e=layer).write(str(tmp_path / "ck"))
    keys = [key.partition("/.ATTRIBUTES")[0] for key, _ in tf.train.list_variables(path)]
    assert keys[1:4] == ["e/table_0.Smomenta", "e/table_0.Svelocities", "e/table_0"]
    plain = {n: embedding.FeatureConfig(embedding.TableConfig(6, 3, name=t)) for n, t in (("q", "tt"), ("p", "table_0"))}  # fmt: skip
    other = embedding.TPUEmbedding(plain, embedding.Adam())
    status = tf.train.Checkpoint(e=other).read(path)
    np.testing.assert_array_equal(next(iter(other.embedding_tables.values())), ROWS)
    status.assert_consumed()


def test_functions_create_slots():
    def create(variable, names, initializers):
        return {n: tf.Variable(x(variable.shape, tf.float32)) for n, x in zip(names, initializers)}

    optimizer = embedding.Adagrad(0.1, 0.5, slot_variable_creation_fn=create)
    layer = serving(embedding.FeatureConfig(table()), optimizer)
    assert layer.variables["t"]["accumulators"].numpy().max() == 0.5


def test_tables_of_one_name_and_other_optimizers_are_refused():
    pair = [embedding.FeatureConfig(table()), embedding.FeatureConfig(table())]
    with pytest.raises(ValueError, match="Multiple tables with name t found"):
        serving(pair)
    with pytest.raises(ValueError, match="<class 'str'> is an unsupported optimizer class"):
        embedding.TPUEmbedding(embedding.FeatureConfig(table()), "sgd")


def test_a_tpu_is_needed_for_its_queues():
    feature = embedding.FeatureConfig(table())
    tpu = embedding.TPUEmbedding(feature, embedding.SGD())
    for name, args in {"enqueue": [1], "dequeue": [], "apply_gradients": [1]}.items():
        with pytest.raises(RuntimeError, match=f"{name} is not valid when TPUEmbedding object is"):
            getattr(tpu, name)(*args)
    for kind in (embedding.TPUEmbeddingV0, embedding.TPUEmbeddingV2):
        with pytest.raises(
            RuntimeError, match=f"{kind.__name__} should be created under TPUStrategy"
        ):
            kind(feature, embedding.SGD())
