"""Functions and options of ``tf.train`` for checkpoints, and progress bars."""

from __future__ import annotations

import inspect
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.checkpoint import state_file
from twinflow._src.checkpoint.bundle import index_name
from twinflow._src.checkpoint.reader import Reader
from twinflow._src.checkpoint.state_file import Paths, Times
from twinflow._src.checkpoint.writer import remove_data
from twinflow._src.core.dtypes import DType
from twinflow._src.io.local_files import explained, local, matching, path_text

# Functions that read checkpoints and manage those of a directory.


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


def _located(ckpt_dir_or_file: Any) -> str:
    """Returns the prefix of a checkpoint from the prefix itself or from its directory."""
    if not isinstance(ckpt_dir_or_file, os.PathLike):
        _text(ckpt_dir_or_file)
    path = path_text(ckpt_dir_or_file)
    if not os.path.isdir(local(path)):
        return path
    found = state_file.latest(path)
    if found is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
        )
    return found


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
    return CheckpointReader(_located(ckpt_dir_or_file))


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


def latest_checkpoint(checkpoint_dir: Any, latest_filename: Any = None) -> str | None:
    """Returns the latest checkpoint of a directory.

    Args:
        checkpoint_dir: The directory.
        latest_filename: The name of the state file, ``checkpoint`` where None.

    Returns:
        The prefix of the checkpoint's files; None where there is none.

    Raises:
        ValueError: The state file names no checkpoint, or one by a relative path outside of the
            directory.
    """
    return state_file.latest(checkpoint_dir, latest_filename)


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
    return state_file.read_state(checkpoint_dir, latest_filename)


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
    state_file.write_state(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        latest_filename,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )


def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """True if a checkpoint exists.

    Args:
        checkpoint_prefix: The prefix of its files, possibly a glob pattern.
    """
    return state_file.exists(_text(checkpoint_prefix))


def get_checkpoint_mtimes(checkpoint_prefixes: Any) -> list[float]:
    """Returns the modification times of existing checkpoints, in seconds.

    Args:
        checkpoint_prefixes: The prefixes of their files.
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
        with explained(path) as place:
            if os.path.exists(place):
                os.remove(place)
    if checkpoint_format_version == 2:
        remove_data(local(prefix))


# Options.


class CheckpointOptions:
    """Options for saving and restoring a checkpoint.

    Args:
        experimental_io_device: Accepted and without effect: files are local.
        experimental_enable_async_checkpoint: Accepted and without effect, like ``enable_async``.
        experimental_write_callbacks: Functions to call after a checkpoint was written, with its
            path if they have a parameter.
        enable_async: Accepted and without effect: a save is complete when the call returns.
        experimental_skip_slot_variables: Whether to omit the slot variables of TensorFlow 1
            optimizers.
        experimental_sharding_callback: Not supported.
        durable: Whether a save calls ``fsync``. Not in TensorFlow, which never does.
        progress: Called periodically with the bytes processed and the total; True for a progress
            bar in the terminal. Not in TensorFlow.

    Raises:
        ValueError: A callback has several parameters.
        NotImplementedError: ``experimental_sharding_callback`` is not None.
    """

    __module__ = "twinflow.train"

    def __init__(
        self,
        experimental_io_device: Any = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable[..., Any]] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
        *,
        durable: bool = True,
        progress: Callable[[int, int], Any] | bool | None = None,
    ) -> None:
        if experimental_sharding_callback is not None:
            raise NotImplementedError(
                "A checkpoint has one shard: there is nothing for `experimental_sharding_callback`."
            )
        self.experimental_io_device = experimental_io_device
        self.enable_async = experimental_enable_async_checkpoint or enable_async
        self.experimental_enable_async_checkpoint = self.enable_async
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback
        self.durable, self.progress = durable, progress
        for callback in experimental_write_callbacks or ():
            if _arity(callback) > 1:
                raise ValueError(
                    f"A write callback takes the path of the checkpoint, or nothing: {callback}"
                )

    def written(self, path: str) -> None:
        """Calls the write callbacks."""
        for callback in self.experimental_write_callbacks or ():
            callback(*[path][: _arity(callback)])


def _arity(callback: Callable[..., Any]) -> int:
    return len(inspect.signature(callback).parameters)


DEFAULT = CheckpointOptions()


# Progress bars.


_PATIENCE, _PAUSE = 2.0, 0.1  # seconds before the bar appears, and between updates
_WIDTH = 30


class Bar:
    """A progress callback that draws a bar in the terminal once the work takes long.

    Args:
        doing: The label of the bar.
        stream: The output, standard error where None. Nothing is written unless it is a terminal.
    """

    def __init__(self, doing: str, stream: Any = None) -> None:
        self._doing, self._stream = doing, stream or sys.stderr
        self._start, self._next = time.monotonic(), time.monotonic() + _PATIENCE
        self._shown = False

    def __call__(self, done: int, whole: int) -> None:
        now = time.monotonic()
        ends = self._shown and done >= whole
        if not ends and (now < self._next or not self._stream.isatty()):
            return
        self._next, self._shown = now + _PAUSE, not ends
        self._stream.write(
            "\r" + self._line(done, whole, now - self._start) + "\x1b[K" + "\n" * ends
        )
        self._stream.flush()

    def _line(self, done: int, whole: int, seconds: float) -> str:
        share = min(done / whole, 1.0) if whole else 1.0
        bar = ("=" * round(share * _WIDTH)).ljust(_WIDTH)
        left = seconds * (1.0 / share - 1.0) if share else 0.0
        time_ = f"{seconds:.0f} s" if share == 1.0 else f"{left:.0f} s left"
        return f"{self._doing} [{bar}] {share:4.0%} of {_size(whole)}, {time_}"


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


def make_progress_callback(
    progress: Callable[[int, int], Any] | bool | None, doing: str
) -> Callable[[int, int], Any] | None:
    """Returns a progress callback: a function, a bar where ``progress`` is True, or None."""
    if callable(progress):
        return progress
    return Bar(doing) if progress else None
