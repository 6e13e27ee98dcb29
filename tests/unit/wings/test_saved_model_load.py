"""SavedModels that TensorFlow 2.21 wrote (``tests/golden/saved_models.py``), loaded here."""

from __future__ import annotations

import pathlib
import shutil

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.core.protos import message

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "golden" / "saved_models"
X = [[1.0, 2.0]]


@pytest.fixture
def module():
    return tf.saved_model.load(str(FOLDER / "module"))


def test_functions_and_variables(module):
    assert module(X).numpy().tolist() == [[7.0, 10.0]]
    assert (module.w.name, module.w.trainable, module.b.trainable) == ("w:0", True, False)
    assert [float(module.list[0]), float(module.list[1]["a"])] == [1.0, 2.0]
    assert float(module.inc(tf.constant(2.0))) == 2.0
    assert float(module.inc(tf.constant(-5.0))) == 3.0
    assert float(module.loop(4)) == -6.0
    assert module.tensorflow_version == "2.21.0"


@pytest.mark.parametrize("x", [X, tf.constant(X)])
def test_the_trace_for_python_arguments(module, x):
    trained = module.f(x, True)
    assert trained["y"].numpy().tolist() == [[1.0, 4.0], [3.0, 8.0]]
    assert trained["z"][1].numpy().tolist() == [[2.0, 3.0]]
    assert module.f(x, scale=3.0)["y"].numpy().tolist() == [[2.0, 4.0]]


def test_gradients(module):
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(module(tf.constant(X)) ** 2)
    (gradient,) = tape.gradient(y, [module.w])
    assert gradient.numpy().tolist() == [[14.0, 20.0], [28.0, 40.0]]


def test_within_a_function(module):
    double = tf.function(lambda x: module(x) * 2.0)
    assert double(tf.constant(X)).numpy().tolist() == [[14.0, 20.0]]


def test_arguments_that_no_trace_takes(module):
    with pytest.raises(ValueError, match="Could not find matching concrete function") as caught:
        module.f(tf.constant([1, 2]), 3)
    assert str(caught.value).endswith(
        "    * False\n  Keyword arguments: {'scale': TensorSpec(shape=(), dtype=tf.float32, name='scale')}"
    )
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'zzz'"):
        module.f(X, zzz=1)
    with pytest.raises(TypeError, match="Can not cast TensorSpec"):
        module(tf.constant([1, 2]))


def test_concrete_functions(module):
    first = module.f.concrete_functions[0]
    specs, named = first.structured_input_signature
    assert specs == (tf.TensorSpec([1, 2], tf.float32, "x"), True)
    assert named == {"scale": None}
    assert first.structured_outputs["y"] == tf.TensorSpec([2, 2], tf.float32, "y")


def test_tables_and_assets():
    loaded = tf.saved_model.load(str(FOLDER / "tables"))
    keys = tf.constant(["a", "zz", "x", "q"])
    ids, values, counts = loaded.look(keys)
    assert ids.numpy().tolist() == [0, 3, 3, 4]
    assert values.numpy().tolist() == [-1.0, -1.0, 1.0, -1.0]
    assert counts.numpy().tolist() == [-1, -1, -1, 7]
    assert loaded.asset.asset_path.numpy().endswith(b"tables/assets/vocab.txt")
    serve = loaded.signatures["serving_default"]
    assert serve(s=keys)["output_0"].numpy().tolist() == [0, 3, 3, 4]
    assert serve.structured_input_signature == ((), {"s": tf.TensorSpec([None], tf.string, "s")})


def test_missing_files_and_tags(tmp_path):
    with pytest.raises(OSError, match="SavedModel file does not exist at: "):
        tf.saved_model.load(str(tmp_path))
    assert not tf.saved_model.contains_saved_model(str(tmp_path))
    assert tf.saved_model.contains_saved_model(str(FOLDER / "module"))
    with pytest.raises(ValueError, match="Got an incompatible argument to `tags`: \\['train'\\]"):
        tf.saved_model.load(str(FOLDER / "module"), tags=["train"])


def _changed(tmp_path, change):
    path = tmp_path / "model"
    shutil.copytree(FOLDER / "module", path)
    file = path / "saved_model.pb"
    proto = message("SavedModel").FromString(file.read_bytes())
    change(proto.meta_graphs[0])
    file.write_bytes(proto.SerializeToString())
    return str(path)


def test_operations_that_do_not_exist_are_named_by_the_first_call(tmp_path):
    def change(meta_graph):
        for function in meta_graph.graph_def.library.function:
            for node in function.node_def:
                if node.op == "MatMul":
                    node.op = "MatMulOfTheFuture"

    loaded = tf.saved_model.load(_changed(tmp_path, change))
    assert float(loaded.loop(2)) == 1.0
    with pytest.raises(tf.errors.NotFoundError, match="'MatMulOfTheFuture'"):
        loaded(X)


@pytest.mark.parametrize("seed", range(40))
def test_damaged_files(tmp_path, seed):
    """Loads a file with changed bytes: a clean error, or a model."""
    rng = np.random.default_rng(seed)
    path = tmp_path / "model"
    shutil.copytree(FOLDER / "module", path)
    file = path / "saved_model.pb"
    data = bytearray(file.read_bytes())
    if seed % 4 == 0:
        data = data[: int(rng.integers(len(data)))]
    else:
        for position in rng.integers(len(data), size=seed):
            data[position] = int(rng.integers(256))
    file.write_bytes(bytes(data))
    allowed = (OSError, ValueError, TypeError, LookupError, NotImplementedError, AssertionError)
    try:
        loaded = tf.saved_model.load(str(path))
    except (*allowed, tf.errors.OpError) as error:
        assert str(error)
    else:
        assert loaded is not None
