"""Samples of the ops in ``_src/ops/state/files.py``."""

import tempfile
from pathlib import Path

import numpy as np

from .._sets import of
from .._values import array

# A folder for what the samples write; it goes when the tests end.
_FOLDER = tempfile.TemporaryDirectory(prefix="twinflow-samples-")
_HERE = Path(_FOLDER.name)
(_HERE / "there").write_bytes(b"a line\n\xff")
(_HERE / "empty").touch()


def _path(name):
    return np.array(str(_HERE / name).encode(), object)


def _strings(*names):
    return array([str(_HERE / name).encode() for name in names], "string")


SAMPLES = {
    "ReadFile": of(lambda path: np.array(Path(path[()].decode()).read_bytes(), object), (_path("there"),), (_path("empty"),)),
    "WriteFile": of(None, (_path("new/file"), np.array(b"text", object))),
    "MatchingFiles": of(
        None, (_path("*e*"),), (_strings("e*", "t?ere", "[x-z]*"),), (np.array([], object),)
    ),
}
