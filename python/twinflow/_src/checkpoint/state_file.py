"""The state file ``checkpoint`` of a directory: its checkpoints, and the latest one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from twinflow._src.checkpoint.atomic_write import replace
from twinflow._src.checkpoint.bundle import index_name
from twinflow._src.checkpoint.damage_errors import refused
from twinflow._src.core.errors import OpError
from twinflow._src.core.protos import message, needed
from twinflow._src.core.scopes import get_logger
from twinflow._src.io.local_files import explained, local, matching, path_text, read

Paths = Sequence[Any] | None
Times = Sequence[float] | None


def state_path(directory: Any, latest_filename: Any = None) -> str:
    """Returns the path of the state file in a directory."""
    name = "checkpoint" if latest_filename is None else path_text(latest_filename)
    return os.path.join(os.fsdecode(directory), name)


def _is_absolute(path: str) -> bool:
    """True if a path is absolute, or has a scheme."""
    return os.path.isabs(path) or "://" in path


# ------------------------------------------------------------------ reading


def _within(directory: str, path: str) -> str:
    """Resolves a path of the state file.

    Raises:
        InvalidArgumentError: It is relative and outside of the directory.
    """
    if _is_absolute(path):
        return path
    if os.path.normpath(path).split(os.sep)[0] == os.pardir:
        raise refused(
            f"Invalid checkpoint state loaded from {directory}: {path} is outside of the directory; only "
            "an absolute path may be"
        )
    return os.path.join(directory, path)


def read_state(directory: Any, latest_filename: Any = None) -> Any:
    """Returns the state of a directory: a ``CheckpointState`` with resolved paths.

    Args:
        directory: The directory.
        latest_filename: The name of the state file, ``checkpoint`` where None.

    Returns:
        The message; None where the file does not exist or cannot be parsed.

    Raises:
        ValueError: The file names no checkpoint, or one by a relative path outside of the
            directory.
        ImportError: The package protobuf is not installed.
    """
    directory = os.fsdecode(directory)
    path = state_path(directory, latest_filename)
    if not os.path.exists(local(path)):
        return None
    state = _parsed(path)
    if state is None:
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {directory}")
    state.model_checkpoint_path = _within(directory, state.model_checkpoint_path)
    for i, each in enumerate(state.all_model_checkpoint_paths):
        state.all_model_checkpoint_paths[i] = _within(directory, each)
    return state


def _parsed(path: str) -> Any:
    text_format = needed("google.protobuf.text_format", "protobuf")
    try:
        return text_format.Merge(read(path).decode(), message("CheckpointState")())
    except (OpError, UnicodeDecodeError, text_format.ParseError) as error:
        get_logger().warning("%s: %s: the checkpoint is ignored", path, error)
        return None


def exists(prefix: str) -> bool:
    """True if there is a checkpoint for a prefix or glob pattern."""
    return bool(matching(index_name(prefix)) or matching(prefix))


def latest(directory: Any, latest_filename: Any = None) -> str | None:
    """Returns the prefix of the latest checkpoint of a directory; None where there is none.

    Args:
        directory: The directory.
        latest_filename: The name of the state file, ``checkpoint`` where None.

    Raises:
        ValueError: The file names no checkpoint, or one by a relative path outside of the
            directory.
    """
    state = read_state(directory, latest_filename)
    if state is None:
        return None
    if exists(state.model_checkpoint_path):
        return state.model_checkpoint_path
    get_logger().error("Couldn't match files for checkpoint %s", state.model_checkpoint_path)
    return None


# ------------------------------------------------------------------ writing


def state_of(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Paths = None,
    all_model_checkpoint_timestamps: Times = None,
    last_preserved_timestamp: float | None = None,
) -> Any:
    """Returns the ``CheckpointState`` of a directory.

    Args:
        save_dir: The directory; if it is relative, the paths in the message are relative to it.
        model_checkpoint_path: The latest checkpoint.
        all_model_checkpoint_paths: All checkpoints, oldest first; the latest is appended if
            missing.
        all_model_checkpoint_timestamps: The times of the saves, in seconds.
        last_preserved_timestamp: The time of the last save that is kept permanently.

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
    """Writes the state of a directory, atomically.

    Args:
        directory: The directory.
        model_checkpoint_path: The latest checkpoint.
        all_model_checkpoint_paths: All checkpoints, oldest first.
        latest_filename: The name of the state file, ``checkpoint`` where None.
        all_model_checkpoint_timestamps: The times of the saves, in seconds.
        last_preserved_timestamp: The time of the last save that is kept permanently.
        relative: Whether to write absolute paths relative to the directory.
        durable: Whether to call ``fsync``.

    Raises:
        RuntimeError: A checkpoint has the name of the state file.
        NotFoundError: The directory does not exist.
        ImportError: The package protobuf is not installed.
    """
    folder, latest = os.fsdecode(directory), path_text(model_checkpoint_path)
    paths = [path_text(path) for path in all_model_checkpoint_paths or ()]
    if relative:
        latest, *paths = (_relative(p, folder, not _is_absolute(p)) for p in (latest, *paths))
    state = state_of(
        folder, latest, paths, all_model_checkpoint_timestamps, last_preserved_timestamp
    )
    path = state_path(folder, latest_filename)
    if path == state.model_checkpoint_path:
        raise RuntimeError(
            f"Save path '{path_text(model_checkpoint_path)}' conflicts with path used for checkpoint "
            "state.  Please use a different save path."
        )
    text = needed("google.protobuf.text_format", "protobuf").MessageToString(state)
    with explained(path) as place:
        replace(place, text.encode(), durable)
