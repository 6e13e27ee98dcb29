"""Checkpoints beside plain files of the same bytes: what saving and restoring a gigabyte costs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

from .timing import Pair

_SIZE = 1 << 28  # float32 numbers: a gibibyte
_MANY = 1024


def _plain_write(path: str, array: Any) -> Callable[[], None]:
    """Writes a file, waits until the disk has it, and puts it in the place of the one before."""

    def write() -> None:
        with open(f"{path}.new", "wb", buffering=0) as file:
            rest = memoryview(array).cast("B")
            while rest:
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        os.replace(f"{path}.new", path)

    return write


def _plain_read(path: str, np: Any) -> Callable[[], Any]:
    """Reads a file into new memory."""

    def read() -> Any:
        found = np.empty(_SIZE, np.float32)
        with open(path, "rb", buffering=0) as file:
            rest = memoryview(found).cast("B")
            while rest:
                rest = rest[file.readinto(rest) :]
        return found

    return read


def pairs(tf: Any, np: Any) -> list[Pair]:
    """Saving and restoring through ``tf.train.Checkpoint``; saving waits for the disk on both sides."""
    if not hasattr(tf, "train"):  # a library with other files
        return []
    folder = tempfile.TemporaryDirectory(prefix="twinflow-bench-")
    here = lambda name: os.path.join(folder.name, name)
    array = np.random.default_rng(0).integers(0, 1 << 30, _SIZE, np.int32).view(np.float32)
    plain = _plain_write(here("plain"), array)
    plain()
    found = []
    for what, size in (("1 GB", _SIZE), (f"{_MANY} times 1 MB", _SIZE // _MANY)):
        variables = [tf.Variable(array[at : at + size]) for at in range(0, _SIZE, size)]
        saved = tf.train.Checkpoint(v=variables)
        path = here(what.replace(" ", "-"))
        saved.write(path)
        found += [
            Pair(f"save {what}", lambda s=saved, p=path: (folder, s.write(p)), plain, most=1.5),
            Pair(
                f"restore {what}",
                lambda s=saved, p=path: s.read(p),
                _plain_read(here("plain"), np),
                most=1.5,
            ),
        ]
    return found
