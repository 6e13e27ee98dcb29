"""The functions of ``tf.train`` that read checkpoints and look after those of a directory."""

from __future__ import annotations

import os
import re
from typing import Any

from twinflow._src.checkpoint import state_file
from twinflow._src.checkpoint.bundle import index_name
from twinflow._src.checkpoint.reader import Reader
from twinflow._src.checkpoint.state_file import Paths, Times
from twinflow._src.checkpoint.writer import remove_data
from twinflow._src.core.dtypes import DType
from twinflow._src.io.local_files import explained, local, matching, path_text


class CheckpointReader:
    """A checkpoint that is open for reading.

    ``tf.train.load_checkpoint`` makes it.

    Args:
        filename: What the names of the checkpoint's files begin with.
    """

    def __init__(self, filename: Any) -> None:
        self._reader = Reader(filename)
        self._keys = self._reader.keys()

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shape of each tensor, as a list."""
        return {key: list(self._reader.shape(key)) for key in self._keys}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The type of each tensor's elements."""
        return {key: self._reader.dtype(key) for key in self._keys}

    def has_tensor(self, tensor_str: Any) -> bool:
        """Whether there is a tensor of a name.

        Args:
            tensor_str: The name.
        """
        return _text(tensor_str) in self._reader

    def get_tensor(self, tensor_str: Any) -> Any:
        """A tensor, as a NumPy array; of one without dimensions its element.

        Args:
            tensor_str: Its name.

        Raises:
            NotFoundError: There is none of that name, or no file with its data.
            DataLossError: The files are damaged.
        """
        return self._reader.read(_text(tensor_str))[()]

    def size(self, tensor_str: Any) -> int:
        """How many bytes a tensor takes in the files; not in TensorFlow.

        Args:
            tensor_str: Its name.
        """
        return self._reader.size(_text(tensor_str))

    def debug_string(self) -> bytes:
        """A line for each tensor: its name, the type of its elements, its shape."""
        return "".join(map(self._line, self._keys)).encode("utf-8", "surrogateescape")

    def _line(self, key: str) -> str:
        sizes = ",".join(map(str, self._reader.shape(key)))
        return f"{key} (DT_{self._reader.dtype(key).cname.upper()}) [{sizes}]\n"


def _text(value: Any) -> str:
    if not isinstance(value, (str, bytes)):
        raise TypeError(f"Expected binary or unicode string, got {value!r}")
    return path_text(value)


def new_checkpoint_reader(filepattern: Any) -> CheckpointReader:
    """Opens a checkpoint for reading.

    Args:
        filepattern: What the names of its files begin with; of one of the first format its files.

    Raises:
        NotFoundError: There is no such checkpoint.
        DataLossError: It is damaged.
    """
    return CheckpointReader(_text(filepattern))


def _located(ckpt_dir_or_file: Any) -> str:
    """The prefix of a checkpoint that is named by it or by its directory."""
    if not isinstance(ckpt_dir_or_file, os.PathLike):
        _text(ckpt_dir_or_file)
    path = path_text(ckpt_dir_or_file)
    if not os.path.isdir(local(path)):
        return path
    found = state_file.latest(path)
    if found is None:
        raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}")
    return found


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """Opens a checkpoint for reading.

    Args:
        ckpt_dir_or_file: A directory, whose latest checkpoint is meant, or what the names of the
            checkpoint's files begin with.

    Returns:
        A ``CheckpointReader``.

    Raises:
        ValueError: The directory has no checkpoint.
        NotFoundError: There is no such checkpoint.
        DataLossError: It is damaged.
        ImportError: The package protobuf or google-crc32c is not installed.
    """
    return CheckpointReader(_located(ckpt_dir_or_file))


def load_variable(ckpt_dir_or_file: Any, name: Any) -> Any:
    """A tensor of a checkpoint.

    Args:
        ckpt_dir_or_file: A directory or a checkpoint, as for ``tf.train.load_checkpoint``.
        name: The tensor's name. An ending such as ``:0`` is left out.

    Returns:
        A NumPy array; of a tensor without dimensions its element.

    Raises:
        NotFoundError: The checkpoint has no such tensor.
    """
    key = name[:-2] if name.endswith(":0") else name
    return load_checkpoint(ckpt_dir_or_file).get_tensor(key)


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """The tensors of a checkpoint.

    Args:
        ckpt_dir_or_file: A directory or a checkpoint, as for ``tf.train.load_checkpoint``.

    Returns:
        A list of names and shapes, sorted by name.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def latest_checkpoint(checkpoint_dir: Any, latest_filename: Any = None) -> str | None:
    """The latest checkpoint of a directory.

    Args:
        checkpoint_dir: The directory.
        latest_filename: The name of the file that tells, where it is not ``checkpoint``.

    Returns:
        What the names of the checkpoint's files begin with; None where there is none.

    Raises:
        ValueError: The file names no checkpoint, or one by a relative path that leads out of the
            directory.
    """
    return state_file.latest(checkpoint_dir, latest_filename)


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: Any = None) -> Any:
    """Which checkpoints a directory has.

    Args:
        checkpoint_dir: The directory.
        latest_filename: The name of the file that tells, where it is not ``checkpoint``.

    Returns:
        A message ``CheckpointState``; None where there is no such file, or none that can be read.

    Raises:
        ValueError: The file names no checkpoint, or one by a relative path that leads out of the
            directory.
    """
    return state_file.read_state(checkpoint_dir, latest_filename)


def generate_checkpoint_state_proto(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Paths = None,
    all_model_checkpoint_timestamps: Times = None,
    last_preserved_timestamp: float | None = None,
) -> Any:
    """The message that tells which checkpoints a directory has.

    Args:
        save_dir: The directory.
        model_checkpoint_path: The latest checkpoint.
        all_model_checkpoint_paths: All of them, from old to new.
        all_model_checkpoint_timestamps: When each was saved, in seconds.
        last_preserved_timestamp: When the last one was saved that is kept for good.

    Returns:
        A message ``CheckpointState``.

    Raises:
        ValueError: There are not as many times as paths.
    """
    return state_file.state_of(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )


def update_checkpoint_state(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Paths = None,
    latest_filename: Any = None,
    all_model_checkpoint_timestamps: Times = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes which checkpoints a directory has.

    Args:
        save_dir: The directory.
        model_checkpoint_path: The latest checkpoint.
        all_model_checkpoint_paths: All of them, from old to new.
        latest_filename: The name of the file where it is not ``checkpoint``.
        all_model_checkpoint_timestamps: When each was saved, in seconds.
        last_preserved_timestamp: When the last one was saved that is kept for good.

    Raises:
        RuntimeError: A checkpoint has the name of the file.
    """
    state_file.write_state(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        latest_filename,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )


def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """Whether there is a checkpoint.

    Args:
        checkpoint_prefix: What the names of its files begin with; it may be a pattern.
    """
    return state_file.exists(_text(checkpoint_prefix))


def get_checkpoint_mtimes(checkpoint_prefixes: Any) -> list[float]:
    """When checkpoints were saved, in seconds; those that are not there are left out.

    Args:
        checkpoint_prefixes: What the names of their files begin with.
    """
    found = []
    for prefix in checkpoint_prefixes:
        paths = matching(index_name(prefix)) or matching(prefix)
        if paths:
            found.append(float(int(os.stat(local(paths[0])).st_mtime)))
    return found


def remove_checkpoint(
    checkpoint_prefix: Any, checkpoint_format_version: int = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Removes a checkpoint; nothing happens where there is none.

    Args:
        checkpoint_prefix: What the names of its files begin with.
        checkpoint_format_version: 2, or 1 for one in a single file.
        meta_graph_suffix: The ending of the file with its graph, which goes too.
    """
    prefix = path_text(checkpoint_prefix)
    stem = re.sub(r"-[\d?]+-of-\d+$", "", prefix)
    first = index_name(prefix) if checkpoint_format_version == 2 else prefix
    for path in (first, f"{stem}.{meta_graph_suffix}"):
        with explained(path) as place:
            if os.path.exists(place):
                os.remove(place)
    if checkpoint_format_version == 2:
        remove_data(local(prefix))
