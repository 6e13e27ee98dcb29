"""The files of a SavedModel: paths, and reading and writing of the message ``SavedModel``."""

from __future__ import annotations

import os
from typing import Any

from twinflow._src.core.protos import message, needed
from twinflow._src.io.local_files import local, path_text
from twinflow._src.io.local_files import read as read_file
from twinflow._src.wings.saved_model import constants


def model_files(path: str) -> tuple[str, str]:
    """Returns the paths of the binary file and of the text file."""
    return (
        os.path.join(path, constants.SAVED_MODEL_FILENAME_PB),
        os.path.join(path, constants.SAVED_MODEL_FILENAME_PBTXT),
    )


def contains_saved_model(export_dir: Any) -> bool:
    """Returns True if a directory has the files of a SavedModel.

    Args:
        export_dir: The directory.
    """
    return any(os.path.isfile(local(file)) for file in model_files(path_text(export_dir)))


def variables_prefix(path: str) -> str:
    """Returns the prefix of the checkpoint of a SavedModel."""
    return os.path.join(path, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME)


def asset_path(path: str, name: str) -> str:
    """Returns the path of an asset; raises ValueError where it is outside of the directory."""
    inner = os.path.normpath(name)
    if not name or os.path.isabs(inner) or inner.split(os.sep)[0] == os.pardir:
        raise ValueError(f"The SavedModel at {path} has an asset outside of it: {name!r}")
    return os.path.join(path, constants.ASSETS_DIRECTORY, inner)


def read_saved_model(path: str) -> Any:
    """Returns the message ``SavedModel`` of a directory.

    Raises:
        OSError: There is no such file, or it cannot be parsed.
    """
    binary, text = model_files(path)
    decode_error = needed("google.protobuf.message", "protobuf").DecodeError
    text_format = needed("google.protobuf.text_format", "protobuf")
    if os.path.isfile(local(binary)):
        try:
            return message("SavedModel").FromString(read_file(binary))
        except decode_error as error:
            raise OSError(f"Cannot parse file {binary}: {error}.") from error
    if os.path.isfile(local(text)):
        try:
            return text_format.Parse(read_file(text).decode("utf-8"), message("SavedModel")())
        except (text_format.ParseError, UnicodeDecodeError) as error:
            raise OSError(f"Cannot parse file {text}: {error}.") from error
    names = f"{constants.SAVED_MODEL_FILENAME_PBTXT}|{constants.SAVED_MODEL_FILENAME_PB}"
    raise OSError(f"SavedModel file does not exist at: {path}{os.path.sep}{{{names}}}")
