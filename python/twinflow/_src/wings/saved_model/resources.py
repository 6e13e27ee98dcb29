"""Assets, resources, and the lookup tables of files."""

from __future__ import annotations

import os
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import PLAIN, entered
from twinflow._src.core.dtypes import string
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.io.local_files import path_text
from twinflow._src.trackable.trackable import AutoTrackable, Trackable
from twinflow._src.wings.lookup.base import Part
from twinflow._src.wings.lookup.mutable_tables import MutableHashTable


class Asset(Trackable):
    """A file that a SavedModel contains a copy of.

    Args:
        path: The path of the file: a string or a scalar tensor.
    """

    __module__ = "twinflow.saved_model"

    def __init__(self, path: Any) -> None:
        self._path = path if isinstance(path, EagerTensor) else path_text(path)
        with entered(PLAIN):
            self._tensor = convert_to_tensor(self._path, dtype=string)

    @property
    def asset_path(self) -> Any:
        """The path of the file, a string scalar."""
        return self._tensor

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return convert_to_tensor(self._tensor, dtype=dtype, name=name)

    def __fspath__(self) -> str:
        return os.fsdecode(self._tensor._host()[()])


class RestoredResource(AutoTrackable):
    """A resource of a file: a lookup table.

    Args:
        device: The device name in the file.
        has_values: Whether the checkpoint of the file has its contents.
    """

    def __init__(self, device: str, has_values: bool) -> None:
        self._resource_device, self._has_values = device, has_values
        self.__dict__["_table"] = None

    @property
    def table(self) -> Any:
        """The table."""
        if self.__dict__["_table"] is None:
            self.__dict__["_table"] = self._create()
        return self.__dict__["_table"]

    def _create(self) -> Any:
        create = vars(self).get("_create_resource")
        functions = getattr(create, "concrete_functions", None)
        if not functions:
            raise ValueError("A resource of the SavedModel has no function that creates it.")
        return functions[0].resource()

    def initialize(self) -> None:
        """Fills the table, as the file says."""
        initialize = vars(self).get("_initialize")
        if initialize is not None:
            initialize()

    @property
    def resource_handle(self) -> Any:
        """The resource handle of the table."""
        return self.table.resource_handle

    def _saved_parts(self) -> Any:
        if not self._has_values or not isinstance(self.table, MutableHashTable):
            return ()
        return Part.of(self.table)
