"""Input pipelines beside plain loops over the same arrays and files."""

from __future__ import annotations

import csv
import io
import itertools
import os
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

from .timing import Pair

_ROWS, _IMAGES = 4096, 16


def drained(dataset: Any) -> Callable[[], int]:
    """Returns a function that iterates over a dataset; its result is the number of elements."""
    return lambda: sum(1 for _ in dataset)


def _batches(np: Any, arrays: tuple[Any, ...], size: int, order: Any = None) -> int:
    """Returns the number of batches of rows of arrays, which a plain loop makes."""
    count = 0
    for start in range(0, len(arrays[0]), size):
        at = slice(start, start + size) if order is None else order[start : start + size]
        count += len([array[at] for array in arrays]) > 0
    return count


def _write_files(tf: Any, np: Any, folder: str, x: Any) -> dict[str, str]:
    """Writes records of examples, lines, CSV rows and images; returns the paths."""
    paths = {name: os.path.join(folder, name) for name in ("records", "lines", "csv")}
    feature = lambda row: tf.train.Feature(float_list=tf.train.FloatList(value=row))
    with tf.io.TFRecordWriter(paths["records"]) as writer:
        for row in x:
            features = tf.train.Features(feature={"x": feature(row)})
            writer.write(tf.train.Example(features=features).SerializeToString())
    with open(paths["lines"], "w", encoding="utf-8") as file:
        file.writelines(f"line {i} of the file\n" for i in range(_ROWS))
    with open(paths["csv"], "w", encoding="utf-8") as file:
        file.writelines(f"{i},{i * 0.5},{i % 7},word{i % 9}\n" for i in range(_ROWS))
    pixels = np.linspace(0, 255, 300 * 400 * 3).reshape(300, 400, 3).astype(np.uint8)
    for i in range(_IMAGES):
        paths[f"{i}"] = os.path.join(folder, f"{i}.jpg")
        with open(paths[f"{i}"], "wb") as file:
            file.write(tf.io.encode_jpeg(pixels + np.uint8(i)).numpy())
    return paths


def pairs(tf: Any, np: Any) -> list[Pair]:
    """Pipelines from arrays and files, and a prefetch beside a consumer that computes."""
    if not hasattr(tf, "data"):  # a library without datasets
        return []
    folder = tempfile.TemporaryDirectory(prefix="twinflow-bench-")
    rng = np.random.default_rng(0)
    x, y = rng.random((_ROWS, 16), np.float32), np.arange(_ROWS)
    paths = _write_files(tf, np, folder.name, x)
    rows = tf.data.Dataset.from_tensor_slices((x, y))
    rate = f"{_ROWS} rows: "
    return [
        Pair(rate + "batches of 32", drained(rows.batch(32)), lambda: _batches(np, (x, y), 32)),
        Pair(
            rate + "shuffle, batches of 32",
            drained(rows.shuffle(1000).batch(32)),
            lambda: _batches(np, (x, y), 32, rng.permutation(_ROWS)),
        ),
        Pair(
            rate + "map, batches of 128",
            drained(rows.map(lambda a, b: (a * 2 + 1, b)).batch(128)),
            lambda: np.stack([row * 2 + 1 for row in x]),
        ),
        *_file_pairs(tf, np, paths, folder),
        *_image_pairs(tf, np, paths),
    ]


def _file_pairs(tf: Any, np: Any, paths: dict[str, str], folder: Any) -> list[Pair]:
    spec = {"x": tf.io.FixedLenFeature([16], tf.float32)}
    records = tf.data.TFRecordDataset(paths["records"]).batch(100)
    types = [tf.int32, tf.float32, tf.int32, tf.string]
    table = tf.data.experimental.CsvDataset(paths["csv"], types).batch(100)

    def read_lines() -> list[Any]:
        assert folder.name
        with open(paths["lines"], "rb") as file:
            return list(_chunks(np, (line.rstrip(b"\n") for line in file), 100))

    def read_table() -> list[Any]:
        with open(paths["csv"], encoding="utf-8", newline="") as file:
            columns = zip(*csv.reader(file))
            return [np.array(c, t) for c, t in zip(columns, ("i4", "f4", "i4", "O"))]

    def read_bytes() -> bytes:
        with open(paths["records"], "rb") as file:
            return file.read()

    rate = f"{_ROWS} rows: "
    parse = drained(records.map(lambda r: tf.io.parse_example(r, spec)))
    return [
        Pair(rate + "TFRecords, parse_example", parse, read_bytes),
        Pair(
            rate + "lines", drained(tf.data.TextLineDataset(paths["lines"]).batch(100)), read_lines
        ),
        Pair(rate + "CSV", drained(table), read_table),
    ]


def _chunks(np: Any, values: Iterator[Any], size: int) -> Iterator[Any]:
    while chunk := list(itertools.islice(values, size)):
        yield np.array(chunk, object)


def _image_pairs(tf: Any, np: Any, paths: dict[str, str]) -> list[Pair]:
    """Decoding and resizing of JPEG files, and work ahead of a consumer that multiplies."""
    names = [paths[f"{i}"] for i in range(_IMAGES)]
    matrix = np.random.default_rng(1).random((700, 700), np.float32)

    def load(path: Any) -> Any:
        return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path), channels=3), [224, 224])

    def read(name: str) -> Any:
        from PIL import Image

        with open(name, "rb") as file:
            image = Image.open(io.BytesIO(file.read()))
            return np.asarray(image.resize((224, 224)), np.float32)

    bare = lambda: np.stack([read(name) for name in names])
    files = tf.data.Dataset.from_tensor_slices(names)
    plain = files.map(load).batch(4)
    ahead = files.map(load, tf.data.AUTOTUNE).batch(4).prefetch(tf.data.AUTOTUNE)

    def consumed(batches: Any) -> Callable[[], int]:
        return lambda: sum((matrix @ matrix).shape[0] > 0 for _ in batches)

    what = f"{_IMAGES} JPEG files, resized"
    return [
        Pair(what, drained(plain), bare if find_spec("PIL") else drained(plain)),
        Pair(f"{what} ahead", drained(ahead), drained(plain)),
        Pair(f"{what} ahead of products", consumed(ahead), consumed(plain)),
    ]
