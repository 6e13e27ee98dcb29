"""Rates of input pipelines beside TensorFlow's.

    TF_PYTHON=/path/to/python python -m tests.perf.data_rates [row ...]   # words of the rows to measure

Each library iterates in a process of its own, both in turns, several times over. A row has the least process
time and the least wall time of an element of each library; the ratio is TensorFlow's time over twinflow's.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

ROUNDS = 5
_ROWS, _IMAGES = 4096, 24

Row = tuple[int, Any]


def write_files(folder: str) -> None:
    """Writes records, lines, CSV rows and images, once for both libraries."""
    import numpy as np

    import twinflow as tf

    rng = np.random.default_rng(0)
    at = lambda name: os.path.join(folder, name)
    message = tf.train
    with tf.io.TFRecordWriter(at("records")) as writer:
        for i, row in enumerate(rng.random((_ROWS, 16), np.float32)):
            feature = {
                "x": message.Feature(float_list=message.FloatList(value=row)),
                "label": message.Feature(int64_list=message.Int64List(value=[i])),
                "name": message.Feature(bytes_list=message.BytesList(value=[b"row %d" % i])),
                "ids": message.Feature(int64_list=message.Int64List(value=range(i % 5))),
            }
            example = message.Example(features=message.Features(feature=feature))
            writer.write(example.SerializeToString())
    for name, compression in (("records.gz", "GZIP"),):
        with tf.io.TFRecordWriter(at(name), compression) as writer:
            for record in tf.data.TFRecordDataset(at("records")).as_numpy_iterator():
                writer.write(record)
    with open(at("lines"), "w", encoding="utf-8") as file:
        file.writelines(f"line {i} of the file, some words\n" for i in range(_ROWS))
    with open(at("csv"), "w", encoding="utf-8") as file:
        file.write("a,b,c,d\n")
        file.writelines(f"{i},{i * 0.5},{i % 7},word{i % 9}\n" for i in range(_ROWS))
    with open(at("fixed"), "wb") as binary:
        binary.write(rng.integers(0, 255, _ROWS * 64, np.uint8).tobytes())
    base = rng.integers(0, 255, (10, 13, 3)).astype(np.float32)
    image = tf.image.resize(base, [300, 400], "bicubic").numpy()
    for i in range(_IMAGES):
        pixels = np.clip(image + i, 0, 255).astype(np.uint8)
        for name, encode in (("jpg", tf.io.encode_jpeg), ("png", tf.io.encode_png)):
            with open(at(f"{i}.{name}"), "wb") as binary:
                binary.write(encode(pixels).numpy())


def _memory_rows(tf: Any, np: Any) -> dict[str, Row]:
    data, n = tf.data.Dataset, _ROWS
    x, y = np.random.default_rng(0).random((n, 16), np.float32), np.arange(n)
    rows, auto = data.from_tensor_slices((x, y)), tf.data.AUTOTUNE
    scaled = lambda a, b: (a * 2 + 1, b)
    ragged = data.range(n).map(lambda i: tf.range(i % 10))

    def generate() -> Any:
        for i in range(n):
            yield x[i], i

    signature = (tf.TensorSpec([16], tf.float32), tf.TensorSpec([], tf.int64))
    nested = data.range(64)
    cached = rows.map(scaled).cache()
    sum(1 for _ in cached)
    return {
        "range": (n, data.range(n)),
        "range, map": (n, data.range(n).map(lambda i: i * 2)),
        "range, map, batch 32": (n, data.range(n).map(lambda i: i * 2).batch(32)),
        "range, batch 32, map": (n, data.range(n).batch(32).map(lambda i: i * 2)),
        "range, filter": (n, data.range(n).filter(lambda i: i % 2 == 0)),
        "slices": (n, rows),
        "slices, batch 32": (n, rows.batch(32)),
        "slices, shuffle 1000": (n, rows.shuffle(1000)),
        "slices, shuffle 1000, batch 32": (n, rows.shuffle(1000).batch(32)),
        "slices, shuffle, repeat 4, batch 32, prefetch": (
            4 * n,
            rows.shuffle(1000).repeat(4).batch(32).prefetch(auto),
        ),
        "slices, map, batch 32": (n, rows.map(scaled).batch(32)),
        "slices, map auto, batch 32": (n, rows.map(scaled, auto).batch(32)),
        "slices, batch 32, map": (n, rows.batch(32).map(scaled)),
        "slices, batch 32, map auto, prefetch": (
            n,
            rows.batch(32).map(scaled, auto).prefetch(auto),
        ),
        "slices, map, shuffle, batch 32": (n, rows.map(scaled).shuffle(1000).batch(32)),
        "slices, filter, batch 32": (n, rows.filter(lambda a, b: b % 3 > 0).batch(32)),
        "cache": (n, cached),
        "cache, batch 32": (n, cached.batch(32)),
        "cache, shuffle, batch 32": (n, cached.shuffle(1000).batch(32)),
        "prefetch": (n, rows.prefetch(auto)),
        "generator, batch 32": (
            n,
            data.from_generator(generate, output_signature=signature).batch(32),
        ),
        "padded_batch 32": (n, ragged.padded_batch(32)),
        "ragged_batch 32": (n, ragged.ragged_batch(32)),
        "bucket_by_sequence_length": (
            n,
            ragged.bucket_by_sequence_length(tf.size, [3, 6], [32, 32, 32]),
        ),
        "window 32, flat_map batch": (n, data.range(n).window(32).flat_map(lambda w: w.batch(32))),
        "window 8 shift 1, flat_map batch": (
            512,
            data.range(512).window(8, 1, drop_remainder=True).flat_map(lambda w: w.batch(8)),
        ),
        "flat_map from_tensor_slices": (
            n,
            nested.flat_map(lambda i: data.from_tensor_slices(tf.range(64))),
        ),
        "interleave 4": (n, nested.interleave(lambda i: data.range(64), cycle_length=4)),
        "interleave 4, batch 32": (
            n,
            nested.interleave(lambda i: data.range(64), cycle_length=4).batch(32),
        ),
        "interleave 4 auto": (
            n,
            nested.interleave(lambda i: data.range(64), cycle_length=4, num_parallel_calls=auto),
        ),
        "zip, enumerate, batch 32": (n, data.zip(rows, data.range(n)).enumerate().batch(32)),
        "unbatch": (n, rows.batch(64).unbatch()),
        "rebatch": (n, rows.batch(64).rebatch(48)),
        "scan": (n, data.range(n).scan(np.int64(0), lambda s, i: (s + i, s + i))),
        "take, skip, repeat, batch 32": (n, rows.take(n // 2).skip(16).repeat(2).batch(32)),
        "sample_from_datasets": (
            n,
            data.sample_from_datasets([data.range(n // 2), data.range(n // 2)], seed=1),
        ),
        "shard 2, batch 32": (n // 2, rows.shard(2, 0).batch(32)),
        "dictionaries, batch 32": (n, data.from_tensor_slices({"x": x, "y": y}).batch(32)),
        "strings, map, batch 32": (
            n,
            data.from_tensor_slices([b"some words %d" % i for i in range(n)])
            .map(tf.strings.upper)
            .batch(32),
        ),
        "map of 6 operations, batch 32": (
            n,
            rows.map(
                lambda a, b: (tf.tanh(a @ a[:, None] if False else tf.reverse(a, [0])) + a[0], b)
            ).batch(32),
        ),
    }


def _file_rows(tf: Any, np: Any, folder: str) -> dict[str, Row]:
    at = lambda name: os.path.join(folder, name)
    n, fixed = _ROWS, tf.io.FixedLenFeature
    spec = {"x": fixed([16], tf.float32), "label": fixed([], tf.int64)}
    whole = {**spec, "name": fixed([], tf.string), "ids": tf.io.VarLenFeature(tf.int64)}
    ragged = {**spec, "ids": tf.io.RaggedFeature(tf.int64)}
    records = tf.data.TFRecordDataset(at("records"))
    single = lambda s: lambda r: tf.io.parse_single_example(r, s)
    batch = lambda s: lambda r: tf.io.parse_example(r, s)
    types = [tf.int32, tf.float32, tf.int32, tf.string]
    table = tf.data.experimental.CsvDataset(at("csv"), types, header=True)
    lines = tf.data.TextLineDataset(at("lines"))
    made = tf.data.experimental.make_csv_dataset(at("csv"), 32, num_epochs=1, shuffle=False)
    return {
        "TFRecord": (n, records),
        "TFRecord, batch 100": (n, records.batch(100)),
        "TFRecord GZIP, batch 100": (
            n,
            tf.data.TFRecordDataset(at("records.gz"), "GZIP").batch(100),
        ),
        "TFRecord, batch 100, parse 2": (n, records.batch(100).map(batch(spec))),
        "TFRecord, batch 100, parse 4": (n, records.batch(100).map(batch(whole))),
        "TFRecord, batch 100, parse ragged": (n, records.batch(100).map(batch(ragged))),
        "TFRecord, parse_single 2, batch 100": (n, records.map(single(spec)).batch(100)),
        "TFRecord, parse_single 2 auto, batch 100": (
            n,
            records.map(single(spec), tf.data.AUTOTUNE).batch(100),
        ),
        "TFRecord, parse_single 4, batch": (n, records.map(single(whole)).batch(100)),
        "lines": (n, lines),
        "lines, batch 100": (n, lines.batch(100)),
        "lines, map split, ragged_batch": (n, lines.map(tf.strings.split).ragged_batch(100)),
        "lines, shuffle, batch 100": (n, lines.shuffle(1000).batch(100)),
        "CSV": (n, table),
        "CSV, batch 100": (n, table.batch(100)),
        "make_csv_dataset 32": (n, made),
        "lines, decode_csv, batch 100": (
            n,
            lines.skip(0)
            .map(lambda r: tf.io.decode_csv(tf.constant("1,2.5,x"), [0, 0.0, ""]))
            .batch(100),
        ),
        "fixed length, decode_raw, batch 100": (
            n,
            tf.data.FixedLengthRecordDataset(at("fixed"), 64)
            .map(lambda r: tf.io.decode_raw(r, tf.uint8))
            .batch(100),
        ),
    }


def _image_rows(tf: Any, np: Any, folder: str) -> dict[str, Row]:
    names = {
        kind: [os.path.join(folder, f"{i}.{kind}") for i in range(_IMAGES)]
        for kind in ("jpg", "png")
    }
    files = lambda kind: tf.data.Dataset.from_tensor_slices(names[kind])
    read = lambda p: tf.io.decode_image(tf.io.read_file(p), channels=3, expand_animations=False)
    jpeg = lambda p: tf.io.decode_jpeg(tf.io.read_file(p), channels=3)
    png = lambda p: tf.io.decode_png(tf.io.read_file(p), channels=3)
    small = lambda decode: lambda p: tf.image.resize(decode(p), [224, 224])
    flip = lambda p: tf.image.random_flip_left_right(small(jpeg)(p) / 255.0)
    auto, n = tf.data.AUTOTUNE, _IMAGES
    pixels = np.random.default_rng(2).integers(0, 255, (64, 96, 96, 3)).astype(np.uint8)
    images = tf.data.Dataset.from_tensor_slices(pixels)
    augment = lambda i: tf.image.random_brightness(
        tf.image.random_crop(tf.image.convert_image_dtype(i, tf.float32), [80, 80, 3]), 0.2
    )
    return {
        "JPEG decode": (n, files("jpg").map(jpeg)),
        "JPEG decode, resize, batch 8": (n, files("jpg").map(small(jpeg)).batch(8)),
        "JPEG decode, resize auto, batch 8": (n, files("jpg").map(small(jpeg), auto).batch(8)),
        "JPEG decode ratio 2": (
            n,
            files("jpg").map(lambda p: tf.io.decode_jpeg(tf.io.read_file(p), 3, 2)),
        ),
        "JPEG fast": (
            n,
            files("jpg").map(
                lambda p: tf.io.decode_jpeg(tf.io.read_file(p), 3, dct_method="INTEGER_FAST")
            ),
        ),
        "JPEG, resize, flip, batch 8, prefetch": (
            n,
            files("jpg").map(flip, auto).batch(8).prefetch(auto),
        ),
        "PNG decode": (n, files("png").map(png)),
        "PNG decode, resize, batch 8": (n, files("png").map(small(png)).batch(8)),
        "decode_image, JPEG": (n, files("jpg").map(read)),
        "images, augment, batch 8": (64, images.map(augment).batch(8)),
        "images, batch 8, cast, resize": (
            64,
            images.batch(8).map(lambda i: tf.image.resize(tf.cast(i, tf.float32) / 255, [48, 48])),
        ),
        "images, shuffle, batch 8": (64, images.shuffle(64).batch(8)),
    }


def rows(tf: Any, folder: str) -> dict[str, Row]:
    """The number of elements that each pipeline reads, and the pipeline."""
    import numpy as np

    return {**_memory_rows(tf, np), **_file_rows(tf, np, folder), **_image_rows(tf, np, folder)}


def _answer(module: str, folder: str) -> None:
    """Measures the rows that are named on standard input; answers with times in seconds."""
    pipelines = rows(importlib.import_module(module), folder)
    print(json.dumps(list(pipelines)), flush=True)
    for line in sys.stdin:
        count, dataset = pipelines[line.rstrip("\n")]
        times = _times(dataset)
        print(json.dumps([time / count for time in times]), flush=True)


def _times(dataset: Any) -> tuple[float, float]:
    """Returns the process time and the wall time of an iteration."""
    process, wall = time.process_time(), time.perf_counter()
    for _ in dataset:
        pass
    return time.process_time() - process, time.perf_counter() - wall


class _Library:
    """A process that iterates with a library.

    Args:
        python: The Python.
        module: The library.
        folder: The folder of the files.
    """

    def __init__(self, python: str, module: str, folder: str) -> None:
        command = [python, "-m", "tests.perf.data_rates", "--answer", module, folder]
        quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | quiet,
        )
        self.names: list[str] = self._read()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def measure(self, name: str) -> tuple[float, float]:
        """Returns the process time and the wall time of an element, in seconds."""
        assert self._process.stdin is not None
        print(name, file=self._process.stdin, flush=True)
        first, second = self._read()
        return first, second

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()


def _least(measure: Callable[[], tuple[float, float]], past: list[tuple[float, float]]) -> None:
    past.append(measure())


def main() -> None:
    """Prints the table."""
    words = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="twinflow-rates-") as folder:
        write_files(folder)
        other = os.environ["TF_PYTHON"]
        pair = [_Library(sys.executable, "twinflow", folder), _Library(other, "tensorflow", folder)]
        names = [n for n in pair[0].names if not words or any(word in n for word in words)]
        print(f"{'microseconds an element':<48} {'CPU':>17} {'ratio':>6} {'wall':>17} {'ratio':>6}")
        for name in names:
            times: list[list[tuple[float, float]]] = [[], []]
            for _ in range(ROUNDS):
                for library, past in zip(pair, times, strict=True):
                    past.append(library.measure(name))
            (cpu, wall), (tf_cpu, tf_wall) = [[min(c) * 1e6 for c in zip(*t)] for t in times]
            print(
                f"{name:<48} {cpu:8.2f} {tf_cpu:8.2f} {tf_cpu / cpu:6.2f} "
                f"{wall:8.2f} {tf_wall:8.2f} {tf_wall / wall:6.2f}",
                flush=True,
            )
        for library in pair:
            library.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--answer"]:
        _answer(*sys.argv[2:])
    else:
        main()
