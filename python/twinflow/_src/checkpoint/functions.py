"""Functions of ``tf.train`` for checkpoints, and the state file ``checkpoint`` of a directory.

The state file names the checkpoints of a directory, and the latest one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from twinflow._src.checkpoint.bundle import index_name
from twinflow._src.checkpoint.reader import Reader
from twinflow._src.checkpoint.writer import remove_data
from twinflow._src.core.dtypes import DType
from twinflow._src.core.errors import OpError
from twinflow._src.core.protos import message, needed
from twinflow._src.core.scopes import get_logger
from twinflow._src.dispatch.docstrings import documented_like
from twinflow._src.io.atomic_write import replace
from twinflow._src.io.local_files import explained, local, matching, path_text, read, refused

# ------------------------------------------------------------------ the state file

Paths = Sequence[Any] | None
Times = Sequence[float] | None


def state_path(directory: Any, latest_filename: Any = None) -> str:
    """Returns the path of the state file in a directory."""
    name = "checkpoint" if latest_filename is None else path_text(latest_filename)
    return os.path.join(os.fsdecode(directory), name)


def _is_absolute(path: str) -> bool:
    """True if a path is absolute, or has a scheme."""
    return os.path.isabs(path) or "://" in path


def _within(directory: str, path: str) -> str:
    """Resolves a path of the state file, which is not relative and outside of the directory."""
    if _is_absolute(path):
        return path
    if os.path.normpath(path).split(os.sep)[0] == os.pardir:
        raise refused(
            f"Invalid checkpoint state loaded from {directory}: {path} is outside of the directory; only "
            "an absolute path may be"
        )
    return os.path.join(directory, path)


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: Any = None) -> Any:
    """Returns the checkpoint state of a directory.

    Args:
        checkpoint_dir: The directory.
        latest_filename: The name of the state file, ``checkpoint`` where None.

    Returns:
        A ``CheckpointState``; None where the file does not exist or cannot be parsed.

    Raises:
        ValueError: The state file names no checkpoint, or one by a relative path outside of the
            directory.
    """
    checkpoint_dir = os.fsdecode(checkpoint_dir)
    path = state_path(checkpoint_dir, latest_filename)
    if not os.path.exists(local(path)):
        return None
    state = _parsed(path)
    if state is None:
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {checkpoint_dir}")
    state.model_checkpoint_path = _within(checkpoint_dir, state.model_checkpoint_path)
    for i, each in enumerate(state.all_model_checkpoint_paths):
        state.all_model_checkpoint_paths[i] = _within(checkpoint_dir, each)
    return state


def _parsed(path: str) -> Any:
    text_format = needed("google.protobuf.text_format", "protobuf")
    try:
        return text_format.Merge(read(path).decode(), message("CheckpointState")())
    except (OpError, UnicodeDecodeError, text_format.ParseError) as error:
        get_logger().warning("%s: %s: the checkpoint is ignored", path, error)
        return None


def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """True if a checkpoint exists.

    Args:
        checkpoint_prefix: The prefix of its files, possibly a glob pattern.
    """
    prefix = _text(checkpoint_prefix)
    return bool(matching(index_name(prefix)) or matching(prefix))


@documented_like(get_checkpoint_state)
def latest_checkpoint(checkpoint_dir: Any, latest_filename: Any = None) -> str | None:
    """Returns the latest checkpoint of a directory.

    Returns:
        The prefix of the checkpoint's files; None where there is none.
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if checkpoint_exists(state.model_checkpoint_path):
        return state.model_checkpoint_path
    get_logger().error("Couldn't match files for checkpoint %s", state.model_checkpoint_path)
    return None


def generate_checkpoint_state_proto(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Paths = None,
    all_model_checkpoint_timestamps: Times = None,
    last_preserved_timestamp: float | None = None,
) -> Any:
    """Returns the ``CheckpointState`` for the checkpoints of a directory.

    Args:
        save_dir: The directory.
        model_checkpoint_path: The latest checkpoint.
        all_model_checkpoint_paths: All checkpoints, oldest first.
        all_model_checkpoint_timestamps: The times of the saves, in seconds.
        last_preserved_timestamp: The time of the last save that is kept permanently.

    Returns:
        A ``CheckpointState``.

    Raises:
        ValueError: The numbers of times and paths differ.
    """
    folder, latest = os.fsdecode(save_dir), path_text(model_checkpoint_path)
    paths = [path_text(path) for path in all_model_checkpoint_paths or ()]
    if paths[-1:] != [latest]:
        paths.append(latest)
    times = list(all_model_checkpoint_timestamps or ())
    if times and len(times) != len(paths):
        raise ValueError(
            "Checkpoint timestamps, if provided, must match checkpoint paths (got paths "
            f"{paths} and timestamps {times})"
        )
    if not _is_absolute(folder):
        latest, *paths = (_relative(path, folder, _is_absolute(path)) for path in (latest, *paths))
    return message("CheckpointState")(
        model_checkpoint_path=latest,
        all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=times,
        last_preserved_timestamp=last_preserved_timestamp,
    )


def _relative(path: str, folder: str, stays: bool) -> str:
    return path if stays else os.path.relpath(path, folder or ".")


def write_state(
    directory: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Paths = None,
    latest_filename: Any = None,
    all_model_checkpoint_timestamps: Times = None,
    last_preserved_timestamp: float | None = None,
    *,
    relative: bool = False,
    durable: bool = True,
) -> None:
    """Writes the state of a directory, atomically; with ``relative``, all paths relative to it."""
    folder, latest = os.fsdecode(directory), path_text(model_checkpoint_path)
    paths = [path_text(path) for path in all_model_checkpoint_paths or ()]
    if relative:
        latest, *paths = (_relative(p, folder, not _is_absolute(p)) for p in (latest, *paths))
    state = generate_checkpoint_state_proto(
        folder, latest, paths, all_model_checkpoint_timestamps, last_preserved_timestamp
    )
    path = state_path(folder, latest_filename)
    if path == state.model_checkpoint_path:
        raise RuntimeError(
            f"Save path '{path_text(model_checkpoint_path)}' conflicts with path used for checkpoint "
            "state.  Please use a different save path."
        )
    text = needed("google.protobuf.text_format", "protobuf").MessageToString(state)
    with explained(path) as local_path:
        replace(local_path, text.encode(), durable)


# ------------------------------------------------------------------ reading of checkpoints


class CheckpointReader:
    """A checkpoint opened for reading, as returned by ``tf.train.load_checkpoint``.

    Args:
        filename: The prefix of the checkpoint's files.
    """

    def __init__(self, filename: Any) -> None:
        self._reader = Reader(filename)
        self._keys = self._reader.keys()

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Returns the shape of each tensor, as a list."""
        return {key: list(self._reader.shape(key)) for key in self._keys}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """Returns the dtype of each tensor."""
        return {key: self._reader.dtype(key) for key in self._keys}

    def has_tensor(self, tensor_str: Any) -> bool:
        """True if there is a tensor of a name.

        Args:
            tensor_str: The name.
        """
        return _text(tensor_str) in self._reader

    def get_tensor(self, tensor_str: Any) -> Any:
        """Returns a tensor as a NumPy array; a scalar as its element.

        Args:
            tensor_str: Its name.

        Raises:
            NotFoundError: The tensor or its data file does not exist.
            DataLossError: The files are damaged.
        """
        return self._reader.read(_text(tensor_str))[()]

    def size(self, tensor_str: Any) -> int:
        """Returns the size of a tensor in the files, in bytes; not in TensorFlow.

        Args:
            tensor_str: Its name.
        """
        return self._reader.size(_text(tensor_str))

    def debug_string(self) -> bytes:
        """Returns a line for each tensor with name, dtype and shape."""
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
        filepattern: The prefix of its files; for format V1, the pattern of its files.

    Raises:
        NotFoundError: The checkpoint does not exist.
        DataLossError: It is damaged.
    """
    return CheckpointReader(_text(filepattern))


def _prefix_of(ckpt_dir_or_file: Any) -> str:
    """Returns the prefix of a checkpoint from the prefix itself or from its directory."""
    if not isinstance(ckpt_dir_or_file, os.PathLike):
        _text(ckpt_dir_or_file)
    path = path_text(ckpt_dir_or_file)
    if not os.path.isdir(local(path)):
        return path
    latest = latest_checkpoint(path)
    if latest is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
        )
    return latest


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """Opens a checkpoint for reading.

    Args:
        ckpt_dir_or_file: A directory, for its latest checkpoint, or the prefix of the checkpoint's
            files.

    Returns:
        A ``CheckpointReader``.

    Raises:
        ValueError: The directory has no checkpoint.
        NotFoundError: The checkpoint does not exist.
        DataLossError: It is damaged.
        ImportError: The package protobuf or google-crc32c is not installed.
    """
    return CheckpointReader(_prefix_of(ckpt_dir_or_file))


def load_variable(ckpt_dir_or_file: Any, name: Any) -> Any:
    """Returns a tensor of a checkpoint.

    Args:
        ckpt_dir_or_file: A directory or a checkpoint, as for ``tf.train.load_checkpoint``.
        name: The tensor's name. A suffix ``:0`` is removed.

    Returns:
        A NumPy array; for a scalar its element.

    Raises:
        NotFoundError: The checkpoint has no such tensor.
    """
    key = name[:-2] if name.endswith(":0") else name
    return load_checkpoint(ckpt_dir_or_file).get_tensor(key)


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Returns names and shapes of the tensors of a checkpoint.

    Args:
        ckpt_dir_or_file: A directory or a checkpoint, as for ``tf.train.load_checkpoint``.

    Returns:
        A list of names and shapes, sorted by name.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def update_checkpoint_state(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Paths = None,
    latest_filename: Any = None,
    all_model_checkpoint_timestamps: Times = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes the checkpoint state of a directory.

    Args:
        save_dir: The directory.
        model_checkpoint_path: The latest checkpoint.
        all_model_checkpoint_paths: All checkpoints, oldest first.
        latest_filename: The name of the state file, ``checkpoint`` where None.
        all_model_checkpoint_timestamps: The times of the saves, in seconds.
        last_preserved_timestamp: The time of the last save that is kept permanently.

    Raises:
        RuntimeError: A checkpoint has the name of the state file.
    """
    write_state(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        latest_filename,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )


def get_checkpoint_mtimes(checkpoint_prefixes: Any) -> list[float]:
    """Returns the modification times of existing checkpoints, in seconds.

    Args:
        checkpoint_prefixes: The prefixes of their files.
    """
    times = []
    for prefix in checkpoint_prefixes:
        paths = matching(index_name(prefix)) or matching(prefix)
        if paths:
            times.append(float(int(os.stat(local(paths[0])).st_mtime)))
    return times


def remove_checkpoint(
    checkpoint_prefix: Any, checkpoint_format_version: int = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Removes a checkpoint if it exists.

    Args:
        checkpoint_prefix: The prefix of its files.
        checkpoint_format_version: 2, or 1 for a single file.
        meta_graph_suffix: The suffix of its meta graph file, which is removed, too.
    """
    prefix = path_text(checkpoint_prefix)
    stem = re.sub(r"-[\d?]+-of-\d+$", "", prefix)
    first = index_name(prefix) if checkpoint_format_version == 2 else prefix
    for path in (first, f"{stem}.{meta_graph_suffix}"):
        with explained(path) as local_path:
            if os.path.exists(local_path):
                os.remove(local_path)
    if checkpoint_format_version == 2:
        remove_data(local(prefix))
