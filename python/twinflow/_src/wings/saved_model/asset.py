"""``tf.saved_model.Asset``: files that SavedModels contain copies of."""

from __future__ import annotations

import os
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import string
from twinflow._src.core.scopes import init_scope
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.io.local_files import path_text
from twinflow._src.trackable.trackable import Trackable


class Asset(Trackable):
    """A file that a SavedModel contains a copy of.

    Args:
        path: The path of the file: a string or a scalar tensor.
    """

    __module__ = "twinflow.saved_model"

    def __init__(self, path: Any) -> None:
        self._path = path if isinstance(path, EagerTensor) else path_text(path)
        with init_scope():
            self._tensor = convert_to_tensor(self._path, dtype=string, name="asset_path")

    @property
    def asset_path(self) -> Any:
        """The path of the file, a string scalar."""
        return self._tensor

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return convert_to_tensor(self._tensor, dtype=dtype, name=name)

    def __fspath__(self) -> str:
        path = self._path
        return path if isinstance(path, str) else os.fsdecode(path._host().item())
