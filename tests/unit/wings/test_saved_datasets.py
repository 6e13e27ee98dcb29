"""Saved datasets, snapshots and file caches, in TensorFlow's files."""

import gc
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import twinflow as tf

Dataset = tf.data.Dataset
WRITTEN = Path(__file__).resolve().parents[2] / "golden" / "tf_datasets"


def values(dataset):
    return [tf.nest.map_structure(lambda x: x.numpy().tolist(), x) for x in dataset]


def files(folder):
    return sorted(str(p.relative_to(folder)) for p in Path(folder).rglob("*") if p.is_file())


def datasets():
    """Datasets by name; TensorFlow has saved those of the same names."""
    ragged = tf.ragged.constant([[1, 2], [3]])
    return {
        "pairs": Dataset.range(5).map(lambda x: (x, tf.cast(x, tf.float32) * 2)),
        "names": Dataset.from_tensor_slices({"s": ["x", "yy"], "v": [[1.0, 2.0], [3.0, 4.0]]}),
        "batches": Dataset.range(4).batch(3),
        "ragged": Dataset.from_tensors(ragged),
        "rows": Dataset.from_tensor_slices(ragged).batch(2),
        "sparse": Dataset.from_tensors((tf.sparse.from_dense([[1, 0], [0, 2]]), 5)),
    }


def comparable(dataset):
    dense = lambda x: tf.sparse.to_dense(x) if isinstance(x, tf.SparseTensor) else x
    listed = lambda x: x.to_list() if isinstance(x, tf.RaggedTensor) else np.array(x).tolist()
    flat = lambda x: [listed(dense(y)) for y in tf.nest.flatten(x)]
    return [flat(x) for x in dataset]


@pytest.mark.parametrize("compression", [None, "GZIP", "SNAPPY"])
@pytest.mark.parametrize("name", datasets())
def test_saved_datasets_are_loaded(name, compression, tmp_path):
    dataset = datasets()[name]
    dataset.save(str(tmp_path), compression)
    loaded = Dataset.load(str(tmp_path), compression=compression)
    assert comparable(loaded) == comparable(dataset)
    assert loaded.element_spec == dataset.element_spec
    assert loaded.cardinality().numpy() == len(list(dataset))


@pytest.mark.parametrize("name", datasets())
def test_tensorflows_files_are_loaded(name):
    dataset = datasets()[name]
    compression = "SNAPPY" if name == "names" else None
    loaded = Dataset.load(str(WRITTEN / name), compression=compression)
    assert comparable(loaded) == comparable(dataset)
    assert loaded.element_spec == dataset.element_spec


def test_files_have_tensorflows_layout(tmp_path):
    Dataset.range(10).save(str(tmp_path), shard_func=lambda x: x % 3)
    names = files(tmp_path)
    run = names[0].split("/")[0]
    assert names == [
        *(f"{run}/0000000{i}.shard/00000000.snapshot" for i in range(3)),
        "dataset_spec.pb",
        "snapshot.metadata",
    ]
    records = tf.data.TFRecordDataset(str(tmp_path / names[1])).map(
        lambda x: tf.io.parse_tensor(x, tf.int64)
    )
    assert values(records) == [1, 4, 7]


def test_readers_and_shards_are_functions_of_users(tmp_path):
    path = str(tmp_path)
    Dataset.range(5).save(path, shard_func=lambda x: x % 2)
    in_order = Dataset.load(path, reader_func=lambda shards: shards.flat_map(lambda x: x))
    assert values(in_order) == [0, 2, 4, 1, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="`shard_func` must return a scalar"):
        Dataset.range(5).save(path, shard_func=lambda x: tf.cast(x, tf.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar of dtype DT_VARIA"):
        Dataset.load(path, reader_func=lambda shards: 3)


@pytest.mark.parametrize(
    ("damage", "error", "text"),
    [
        (lambda data: data[:-4], tf.errors.DataLossError, "truncated record at 120"),
        (lambda data: data[:20] + b"Q" + data[21:], tf.errors.DataLossError, "corrupted record"),
        (lambda data: None, tf.errors.NotFoundError, "No such file or directory"),
    ],
)
def test_damaged_files_are_errors(damage, error, text, tmp_path):
    Dataset.range(5).save(str(tmp_path))
    path = tmp_path / files(tmp_path)[0]
    data = damage(path.read_bytes())
    path.unlink() if data is None else path.write_bytes(data)
    with pytest.raises(error, match=text):
        list(Dataset.load(str(tmp_path)))


def test_missing_and_wrong_metadata_are_errors(tmp_path):
    path = str(tmp_path)
    with pytest.raises(tf.errors.NotFoundError, match="element_spec file not found"):
        Dataset.load(path)
    with pytest.raises(tf.errors.NotFoundError, match="Could not find metadata file"):
        Dataset.load(path, tf.TensorSpec([], tf.int64))
    Dataset.range(3).save(path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected float but got int64"):
        list(Dataset.load(path, tf.TensorSpec([], tf.float32)))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"expected \[3\] but got \[\]"):
        list(Dataset.load(path, tf.TensorSpec([3], tf.int64)))
    (tmp_path / "snapshot.metadata").write_bytes(b"\xff\xff")
    with pytest.raises(tf.errors.OutOfRangeError):
        Dataset.load(path)


def test_snapshots_are_written_once(tmp_path):
    calls = []
    source = Dataset.range(5).map(
        lambda x: tf.py_function(lambda y: calls.append(1) or y, [x], tf.int64)
    )
    dataset = source.snapshot(str(tmp_path))
    assert values(dataset) == values(dataset) == list(range(5))
    assert len(calls) == 5
    assert len(os.listdir(tmp_path)) == 1


def test_a_changed_pipeline_has_a_snapshot_of_its_own(tmp_path):
    path = str(tmp_path)
    add = lambda n, k: Dataset.range(n).map(lambda x: x + k)
    for n, k in ((5, 1), (5, 1), (6, 1), (5, 2)):
        assert values(add(n, k).snapshot(path)) == [x + k for x in range(n)]
    assert len(os.listdir(path)) == 3


def test_an_unfinished_snapshot_is_not_read(tmp_path):
    dataset = Dataset.range(5).snapshot(str(tmp_path), compression=None)
    next(iter(dataset))
    gc.collect()
    assert values(dataset) == list(range(5))
    assert values(Dataset.range(5).snapshot(str(tmp_path), compression=None)) == list(range(5))


def test_a_file_cache_is_a_checkpoint(tmp_path):
    prefix = str(tmp_path / "cache")
    dataset = Dataset.range(3).map(lambda x: (x, [tf.strings.as_string(x)])).cache(prefix)
    first = values(dataset)
    assert files(tmp_path) == ["cache.data-00000-of-00001", "cache.index"]
    reader = tf.train.load_checkpoint(prefix)
    assert reader.get_tensor("      1_1").tolist() == [b"1"]
    assert values(dataset) == first
    assert values(Dataset.range(9).map(lambda x: (x, ["y"])).cache(prefix)) == first
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected float but got int64"):
        list(Dataset.from_tensors((1.0, "x")).cache(prefix))


def test_a_cache_that_is_being_written_is_locked(tmp_path):
    prefix = str(tmp_path / "cache")
    dataset = Dataset.range(3).cache(prefix)
    iterator = iter(dataset)
    next(iterator)
    with pytest.raises(tf.errors.AlreadyExistsError, match="concurrent caching iterator running"):
        list(dataset)
    del iterator
    gc.collect()
    assert files(tmp_path) == []
    assert values(dataset) == [0, 1, 2]


def test_batches_come_from_memory_caches(tmp_path):
    dataset = Dataset.range(7).map(lambda x: x * 2).cache().batch(3)
    assert values(dataset) == values(dataset) == [[0, 2, 4], [6, 8, 10], [12]]
    assert np.array_equal(next(iter(dataset.unbatch().shuffle(7, seed=1).batch(7))) % 2, [0] * 7)


def test_names_outside_of_the_folder_are_refused(tmp_path):
    path = tmp_path / "a"
    Dataset.range(3).save(str(path))
    run = files(path)[0].split("/")[0]
    shutil.copytree(path / run, tmp_path / "run")
    metadata = (path / "snapshot.metadata").read_bytes()
    name = b"../run"
    changed = metadata.replace(bytes([len(run)]) + run.encode(), bytes([len(name)]) + name)
    (path / "snapshot.metadata").write_bytes(changed)
    with pytest.raises(tf.errors.DataLossError, match="names the run"):
        list(Dataset.load(str(path)))


def test_a_save_goes_on_from_its_last_checkpoint(tmp_path):
    path, directory = str(tmp_path / "data"), str(tmp_path / "checkpoints")
    failing = [True]

    def fail_once(x):
        if failing[0] and x == 7:
            raise ValueError("not now")
        return x

    source = Dataset.range(10).map(lambda x: tf.py_function(fail_once, [x], tf.int64))
    dataset = source.map(lambda x: tf.ensure_shape(x, []))
    arguments = lambda: {
        "directory": directory,
        "max_to_keep": 2,
        "step_counter": tf.Variable(0),
        "checkpoint_interval": 3,
    }
    with pytest.raises(tf.errors.OpError, match="not now"):
        dataset.save(path, shard_func=lambda x: x % 2, checkpoint_args=arguments())
    failing[0] = False
    dataset.save(path, shard_func=lambda x: x % 2, checkpoint_args=arguments())
    loaded = Dataset.load(path, reader_func=lambda shards: shards.flat_map(lambda x: x))
    assert values(loaded) == [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]
    assert loaded.cardinality().numpy() == 10
    dataset.save(path, shard_func=lambda x: x % 2, checkpoint_args=arguments())
    assert sorted(values(Dataset.load(path))) == list(range(10))
    with pytest.raises(TypeError, match="must be a dictionary"):
        dataset.save(path, checkpoint_args=3)


def test_positions_are_kept_as_text():
    from twinflow._src.wings.data import positions

    strings = np.empty((1, 2), object)
    strings[0] = [b"a", b"\xff"]
    position = {"a": [1, None, True, "x"], "b": np.float32([[1.5]]), "c": strings, "d": b"\x00"}
    decoded = positions.decode(positions.encode(position))
    assert decoded["a"] == position["a"]
    assert decoded["b"].dtype == np.float32 and decoded["b"].tolist() == [[1.5]]
    assert decoded["c"].tolist() == strings.tolist()
    assert decoded["d"] == b"\x00"
    with pytest.raises(tf.errors.FailedPreconditionError, match="cannot be saved"):
        boxed = np.empty((), object)
        boxed[()] = object()
        positions.encode({"stage": boxed})
