"""Datasets that TensorFlow has saved, for the tests that load them.

python -m tests.golden.saved_datasets    saves them into tf_datasets, with a Python that has TensorFlow
"""

from __future__ import annotations

import shutil
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "tf_datasets"


def save() -> None:
    import tensorflow as tf

    Dataset = tf.data.Dataset
    ragged = tf.ragged.constant([[1, 2], [3]])
    datasets = {
        "pairs": Dataset.range(5).map(lambda x: (x, tf.cast(x, tf.float32) * 2)),
        "names": Dataset.from_tensor_slices({"s": ["x", "yy"], "v": [[1.0, 2.0], [3.0, 4.0]]}),
        "batches": Dataset.range(4).batch(3),
        "ragged": Dataset.from_tensors(ragged),
        "rows": Dataset.from_tensor_slices(ragged).batch(2),
        "sparse": Dataset.from_tensors((tf.sparse.from_dense([[1, 0], [0, 2]]), 5)),
    }
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name, dataset in datasets.items():
        dataset.save(str(FOLDER / name), compression="SNAPPY" if name == "names" else None)


if __name__ == "__main__":
    save()
