"""The functions of ``tf.train`` that read checkpoints and look after those of a directory.

``tf.train.CheckpointOptions``: how a checkpoint is written and read.

A line in the terminal that says how far a save or a restore has come.
"""

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

# The functions of ``tf.train`` that read checkpoints and look after those of a directory.


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
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
        )
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


# ``tf.train.CheckpointOptions``: how a checkpoint is written and read.


class CheckpointOptions:
    """How a checkpoint is written and read.

    Args:
        experimental_io_device: Accepted and without effect: files are those of this machine.
        experimental_enable_async_checkpoint: Accepted and without effect, like ``enable_async``.
        experimental_write_callbacks: Functions that are called after a checkpoint was written; with its path
            where they take an argument.
        enable_async: Accepted and without effect: a save is done when the call returns.
        experimental_skip_slot_variables: Whether what optimizers of TensorFlow 1 keep for variables is left out.
        experimental_sharding_callback: Refused.
        durable: Whether a save waits until the disk has the data. Not in TensorFlow, which never waits.
        progress: Called with the bytes done so far and those of all, now and then; True for a line in the terminal,
            where something takes long. Not in TensorFlow.

    Raises:
        ValueError: A callback takes several arguments.
        NotImplementedError: There is a ``experimental_sharding_callback``.
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
        """Calls what wants to know that a checkpoint was written."""
        for callback in self.experimental_write_callbacks or ():
            callback(*[path][: _arity(callback)])


def _arity(callback: Callable[..., Any]) -> int:
    return len(inspect.signature(callback).parameters)


DEFAULT = CheckpointOptions()


# A line in the terminal that says how far a save or a restore has come.


_PATIENCE, _PAUSE = 2.0, 0.1  # seconds before the line appears, and between two versions of it
_WIDTH = 30


class Bar:
    """What is called with the bytes done and those of all; it shows nothing where that is quick.

    Args:
        doing: What the line begins with.
        stream: Where it goes; standard error where None. Nothing is shown where nobody watches.
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


def told(
    progress: Callable[[int, int], Any] | bool | None, doing: str
) -> Callable[[int, int], Any] | None:
    """What is to be called with the bytes done and those of all.

    Args:
        progress: A function; True for a line in the terminal; None or False for nothing.
        doing: What the line begins with.
    """
    if callable(progress):
        return progress
    return Bar(doing) if progress else None
