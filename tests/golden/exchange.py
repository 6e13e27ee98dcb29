"""Checkpoints that TensorFlow and twinflow write for each other, from one table of tensors.

    python tests/golden/exchange.py record           TensorFlow writes tests/golden/tf_checkpoints/raw_*
    python tests/golden/exchange.py write FOLDER     twinflow writes checkpoints into a folder
    python tests/golden/exchange.py verify FOLDER    TensorFlow reads them, and compares with the table

`make oracle-files` runs the last two. The unit tests read what ``record`` has written, and write it again,
byte by byte. Neither program needs the packages of the other.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "tf_checkpoints"

_PLAIN = [
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "bool",
    "complex64",
    "complex128",
]
_NARROW = [
    "bfloat16",
    "float8_e5m2",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e4m3b11fnuz",
    "float8_e5m2fnuz",
    "int4",
    "uint4",
    "int2",
    "uint2",
]
_QUANTIZED = {
    "qint8": "int8",
    "quint8": "uint8",
    "qint16": "int16",
    "quint16": "uint16",
    "qint32": "int32",
}
_STRINGS = [b"", b"a", b"\x00\xff\x00", "é€".encode(), b"x" * 127, b"y" * 128, b"z" * 20000, b"end"]


class Saved(NamedTuple):
    """A tensor of the table: of a tensor in parts, one of them."""

    key: str
    dtype: str
    array: np.ndarray[Any, Any]
    spec: str = ""
    shard: int = 0


def _values(dtype: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    count = int(np.prod(shape))
    numbers = np.arange(count) * 7 % 120
    if dtype == "bool":
        return (numbers % 3 == 0).reshape(shape)
    if dtype.startswith("complex"):
        return (numbers - 1j * numbers[::-1]).astype(dtype).reshape(shape)
    if dtype in ("int4", "uint4", "int2", "uint2"):
        info = ml_dtypes.iinfo(getattr(ml_dtypes, dtype))
        low, high = int(info.min), int(info.max)
        return (
            (numbers % (high - low + 1) + low)
            .astype(np.int8)
            .astype(getattr(ml_dtypes, dtype))
            .reshape(shape)
        )
    kind = np.dtype(getattr(ml_dtypes, dtype, None) or dtype)
    return (numbers - (0 if "uint" in dtype else 60)).astype(np.float32).astype(kind).reshape(shape)


def _strings(shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    array = np.empty(int(np.prod(shape)), object)
    array[:] = [_STRINGS[i % len(_STRINGS)] for i in range(array.size)]
    return array.reshape(shape)


_SHAPES = {"scalar": (), "none": (0,), "wide": (2, 0, 3), "vector": (5,), "cube": (2, 3, 4)}


def _all_types() -> Iterator[Saved]:
    for what, shape in _SHAPES.items():
        for dtype in (*_PLAIN, *_NARROW):
            yield Saved(f"{what}/{dtype}", dtype, _values(dtype, shape))
        for dtype, stored in _QUANTIZED.items():
            yield Saved(f"{what}/{dtype}", dtype, _values(stored, shape))
        yield Saved(f"{what}/string", "string", _strings(shape))
    yield Saved("many strings", "string", _strings((3, 7)))


def _names() -> Iterator[Saved]:
    """Names that sort in ways that are easy to get wrong."""
    names = (
        "b a a/b a.b A aa \x01x é\U0001f600 /lead trail/ sp ace a\x7f _CHECKPOINTABLE_OBJECT_GRAPH ÿ z"
        + "z" * 300
    )
    for i, name in enumerate(names.split(" ")):
        yield Saved(name, "int32", np.array(i, np.int32))


def _slices() -> Iterator[Saved]:
    whole = _values("float32", (6, 4))
    yield Saved("p", "float32", whole[:2], "6 4 0,2:-")
    yield Saved("plain", "float32", whole)
    yield Saved("p", "float32", whole[2:3], "6 4 2,1:-")
    yield Saved("p", "float32", whole[3:], "6 4 3,3:-")
    yield Saved("grid", "float32", whole[:3, :1], "6 4 0,3:0,1")
    yield Saved("grid", "float32", whole[3:, :1], "6 4 3,3:0,1")
    yield Saved("grid", "float32", whole[:, 1:], "6 4 -:1,3")
    yield Saved("all", "float32", whole, "6 4 0,6:0,4")
    long = _values("int16", (20000,))
    for start, size in ((0, 63), (63, 1), (64, 8128), (8192, 11808)):
        yield Saved("long", "int16", long[start : start + size], f"20000 {start},{size}")
    yield Saved("words", "string", _strings((4,))[:3], "4 0,3")
    yield Saved("words", "string", _strings((4,))[3:], "4 3,1")


def _shards() -> Iterator[Saved]:
    whole = _values("float64", (9, 2))
    for shard in range(3):
        yield Saved(f"s{shard}", "int64", _values("int64", (shard + 1,)), shard=shard)
        yield Saved("p", "float64", whole[3 * shard : 3 * shard + 3], f"9 2 {3 * shard},3:-", shard)


def _blocks() -> Iterator[Saved]:
    """So many names that the index has several blocks."""
    for i in range(5000):
        name = f"{i * 7919 % 5000:04d}/a/rather/long/name/of/a/variable/{'n' * (i % 90)}"
        yield Saved(name, "uint8", np.array(i % 256, np.uint8))


TABLE = {
    "raw_types": list(_all_types()),
    "raw_names": list(_names()),
    "raw_slices": list(_slices()),
    "raw_shards": list(_shards()),
    "raw_blocks": list(_blocks()),
}
# Too large to be kept: of these the digests of the files are.
DIGESTED = {"raw_blocks"}


def whole(case: str) -> dict[str, np.ndarray[Any, Any]]:
    """The tensors of a case, put together."""
    found: dict[str, np.ndarray[Any, Any]] = {}
    for saved in TABLE[case]:
        if not saved.spec:
            found[saved.key] = saved.array
            continue
        *sizes, extents = saved.spec.split(" ")
        full = found.setdefault(saved.key, np.empty(tuple(map(int, sizes)), saved.array.dtype))
        pairs = [
            (0, n) if each == "-" else tuple(map(int, each.split(",")))
            for each, n in zip(extents.split(":"), full.shape)
        ]
        full[tuple(slice(a, a + n) for a, n in pairs)] = saved.array
    return found


def same(a: Any, b: Any) -> bool:
    """True if two arrays hold the same bits."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype == object or b.dtype == object:
        return a.shape == b.shape and a.ravel().tolist() == b.ravel().tolist()
    return a.shape == b.shape and a.tobytes() == b.tobytes()


# ------------------------------------------------------------------ TensorFlow's side


def _tensor(tf: Any, saved: Saved) -> Any:
    if saved.dtype in _QUANTIZED:
        return (
            tf.bitcast(saved.array, getattr(tf, saved.dtype))
            if saved.array.size
            else tf.cast(tf.zeros(saved.array.shape), getattr(tf, saved.dtype))
        )
    return tf.constant(saved.array, shape=saved.array.shape, dtype=tf.as_dtype(saved.dtype))


def _save(tf: Any, prefix: str, saved: list[Saved]) -> None:
    tf.raw_ops.SaveV2(
        prefix=prefix,
        tensor_names=[each.key for each in saved],
        shape_and_slices=[each.spec for each in saved],
        tensors=[_tensor(tf, each) for each in saved],
    )


def _save_case(tf: Any, folder: Path, case: str) -> None:
    (folder / case).mkdir(parents=True, exist_ok=True)
    table, prefix = TABLE[case], str(folder / case / "ckpt")
    shards = sorted({each.shard for each in table})
    if len(shards) == 1:
        return _save(tf, prefix, table)
    parts = [f"{prefix}_temp/part-{shard:05d}" for shard in shards]
    for shard, part in zip(shards, parts):
        _save(tf, part, [each for each in table if each.shard == shard])
    tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=prefix)
    return None


def _save_first_format(tf: Any, folder: Path) -> None:
    """A checkpoint of the first format, which one file holds."""
    v1 = tf.compat.v1
    (folder / "raw_v1").mkdir(parents=True, exist_ok=True)
    with tf.Graph().as_default(), v1.Session() as session:
        for saved in FIRST_FORMAT:
            v1.get_variable(saved.key, initializer=saved.array, use_resource=False)
        v1.get_variable(
            "p",
            PARTITIONED.shape,
            initializer=lambda shape, partition_info=None, **_: tf.constant(
                PARTITIONED[partition_info.var_offset[0] :][: shape[0]]
            ),
            partitioner=v1.fixed_size_partitioner(2),
            use_resource=False,
        )
        session.run(v1.global_variables_initializer())
        saver = v1.train.Saver(write_version=v1.train.SaverDef.V1)
        saver.save(
            session, str(folder / "raw_v1" / "ckpt"), write_meta_graph=False, write_state=False
        )


FIRST_FORMAT = [
    *(
        Saved(f"{what}_{dtype}", dtype, _values(dtype, shape))
        for what, shape in (("scalar", ()), ("cube", (2, 3, 4)))
        for dtype in (
            "float32",
            "float64",
            "int32",
            "int64",
            "int16",
            "int8",
            "uint8",
            "bool",
            "complex64",
        )
    ),
    Saved("half", "float16", _values("float16", (5,))),
    Saved("words", "string", np.array([b"one", b"", b"\xff\x00x"], object)),
    Saved("long", "float32", np.repeat(_values("float32", (50,)), 20)),
]
PARTITIONED = _values("float32", (6, 2))


def record(folder: Path = FOLDER) -> None:
    """TensorFlow writes the table."""
    import hashlib
    import json
    import shutil

    import tensorflow as tf

    digests = {}
    for case in TABLE:
        shutil.rmtree(folder / case, ignore_errors=True)
        _save_case(tf, folder, case)
        if case in DIGESTED:
            paths = sorted((folder / case).iterdir())
            digests[case] = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in paths}
            shutil.rmtree(folder / case)
    _save_first_format(tf, folder)
    (folder / "digests.json").write_text(json.dumps(digests, indent=1) + "\n", "utf-8")


def verify(folder: Path) -> None:
    """TensorFlow reads what twinflow has written."""
    import tensorflow as tf

    for case, table in TABLE.items():
        prefix, expected = str(folder / case / "ckpt"), whole(case)
        reader = tf.train.load_checkpoint(prefix)
        types = {each.key: tf.as_dtype(each.dtype) for each in table}
        assert reader.get_variable_to_dtype_map() == types, case
        keys = sorted(
            k for k in expected if case != "raw_slices" or types[k] != tf.string
        )  # TensorFlow joins none
        restored = tf.raw_ops.RestoreV2(
            prefix=prefix,
            tensor_names=keys,
            shape_and_slices=[""] * len(keys),
            dtypes=[types[k] for k in keys],
        )
        for key, tensor in zip(keys, restored):
            found = (
                tf.bitcast(tensor, _QUANTIZED[types[key].name])
                if types[key].name in _QUANTIZED and tensor.shape.num_elements()
                else tensor
            )
            assert tensor.shape == expected[key].shape, (case, key)
            assert not expected[key].size or same(found.numpy(), expected[key]), (case, key)
        for each in table:
            if each.spec and each.dtype != "string":
                (part,) = tf.raw_ops.RestoreV2(
                    prefix=prefix,
                    tensor_names=[each.key],
                    shape_and_slices=[each.spec],
                    dtypes=[types[each.key]],
                )
                assert same(part.numpy(), each.array), (case, each)
        print(f"{case}: TensorFlow {tf.__version__} restores all of {len(keys)} tensors")


# ------------------------------------------------------------------ twinflow's side


def write(folder: Path, **options: Any) -> None:
    """twinflow writes the table; twice the second time, as a checkpoint is replaced in another way than made."""
    for case in TABLE:
        (folder / case).mkdir(parents=True, exist_ok=True)
        write_case(folder / case / "ckpt", case, **options)
        if case == "raw_types":
            write_case(folder / case / "ckpt", case, **options)


def write_case(prefix: Path, case: str, **options: Any) -> None:
    """twinflow writes one case of the table."""
    from twinflow._src.checkpoint import values, writer
    from twinflow._src.core import dtypes

    items = [
        writer.Item(
            saved.key,
            lambda saved=saved: saved.array,  # type: ignore[misc]
            dtypes.as_dtype(saved.dtype),
            saved.array.shape,
            values.parse_slice_spec(saved.spec),
            saved.shard,
        )
        for saved in TABLE[case]
    ]
    shards = 1 + max(saved.shard for saved in TABLE[case])
    writer.write(str(prefix), items, shards=shards, **options)


if __name__ == "__main__":
    {"record": record, "write": write, "verify": verify}[sys.argv[1]](*map(Path, sys.argv[2:]))
