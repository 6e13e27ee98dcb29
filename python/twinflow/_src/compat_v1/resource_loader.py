"""``tf.compat.v1.resource_loader``: paths and contents of files beside a program."""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import Any


def load_resource(path: str) -> bytes:
    """Returns the content of a file.

    Args:
        path: The path, from ``get_root_dir_with_all_resources()`` unless it is absolute.
    """
    with open(os.path.join(get_root_dir_with_all_resources(), path), "rb") as file:
        return file.read()


def get_data_files_path() -> str:
    """Returns the folder of the module that calls this function."""
    return _folder_of(inspect.currentframe())


def _folder_of(frame: Any) -> str:
    """Returns the folder of the module that called the function of a frame."""
    return os.path.dirname(os.path.abspath(inspect.getfile(frame.f_back)))


def get_root_dir_with_all_resources() -> str:
    """Returns the folder of the package, from which relative paths of resources lead."""
    return str(Path(__file__).resolve().parents[2])


def get_path_to_datafile(path: str) -> str:
    """Returns the path of a file beside the module that calls this function.

    Args:
        path: The path, from the folder of that module.
    """
    return os.path.join(_folder_of(inspect.currentframe()), path)


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """Returns the path: files are read without a request to read ahead.

    Args:
        path: The path.
        readahead: The amount to read ahead.
    """
    return path
