"""Samples of the ops in ``_src/ops/state/checkpoints.py``."""

import tempfile
from pathlib import Path

import numpy as np

from twinflow._src.checkpoint.writer import Item, write
from twinflow._src.core import dtypes

from .._sets import of
from .._values import array

# A folder for what the samples read and write; it goes when the tests end.
_FOLDER = tempfile.TemporaryDirectory(prefix="twinflow-samples-")
_HERE = Path(_FOLDER.name)
_A = np.arange(12, dtype=np.float32).reshape(4, 3)
_B = array([b"one", b"", b"\xff\0"], "string")


def _saved(name, **arrays):
    types = {
        key: dtypes.string if a.dtype == object else dtypes.as_dtype(a.dtype)
        for key, a in arrays.items()
    }
    write(
        str(_HERE / name),
        [Item(key, lambda a=a: a, types[key], a.shape) for key, a in arrays.items()],
        durable=False,
    )


try:
    _saved("there", a=_A, b=_B)
except ImportError:  # a machine with a GPU that has no package for checksums tests the rest
    _COMPLETE = False
else:
    _COMPLETE = True


def _path(name):
    return np.array(str(_HERE / name).encode(), object)


def _strings(*values):
    return array([value.encode() for value in values], "string")


_FLOAT, _STRING = dtypes.float32, dtypes.string
_ALL = {
    "SaveV2": of(
        None,
        (
            _path("new"),
            _strings("x", "y"),
            _strings("", "4 3 0,2:-"),
            [_B, _A[:2]],
            {"dtypes": (_STRING, _FLOAT)},
        ),
        (_path("new"), _strings("x"), _strings(""), [np.array(3)], {"dtypes": (dtypes.int64,)}),
    ),
    "RestoreV2": of(
        lambda prefix, names, specs, dtypes: [{b"a": _A, b"b": _B}[name] for name in names],
        (_path("there"), _strings("b", "a"), _strings("", "4 3 -"), {"dtypes": (_STRING, _FLOAT)}),
    )
    + of(
        lambda *_, **__: [_A[1:3]],
        (_path("there"), _strings("a"), _strings("4 3 1,2:-"), {"dtypes": (_FLOAT,)}),
    ),
    "ShardedFilename": of(
        lambda name, shard, count: np.array(b"%s-%05d-of-%05d" % (name[()], shard, count), object),
        (np.array(b"a/b", object), np.array(1, np.int32), np.array(12, np.int32)),
    ),
    "MergeV2Checkpoints": of(
        None,
        (
            _strings(str(_HERE / "there"), str(_HERE / "nowhere")),
            _path("there"),
            {"allow_missing_files": True, "delete_old_dirs": False},
        ),
    ),
}
SAMPLES = _ALL if _COMPLETE else {"ShardedFilename": _ALL["ShardedFilename"]}

# A folder for what the samples write; it goes when the tests end.
_files_FOLDER = tempfile.TemporaryDirectory(prefix="twinflow-samples-")
_files_HERE = Path(_files_FOLDER.name)
(_files_HERE / "there").write_bytes(b"a line\n\xff")
(_files_HERE / "empty").touch()


def _files_path(name):
    return np.array(str(_files_HERE / name).encode(), object)


def _files_strings(*names):
    return array([str(_files_HERE / name).encode() for name in names], "string")


SAMPLES |= {
    "ReadFile": of(
        lambda path: np.array(Path(path[()].decode()).read_bytes(), object),
        (_files_path("there"),),
        (_files_path("empty"),),
    ),
    "WriteFile": of(None, (_files_path("new/file"), np.array(b"text", object))),
    "MatchingFiles": of(
        None,
        (_files_path("*e*"),),
        (_files_strings("e*", "t?ere", "[x-z]*"),),
        (np.array([], object),),
    ),
}
