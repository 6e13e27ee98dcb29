"""Assets and resources: objects of SavedModels that files or functions create anew."""

from __future__ import annotations

import os
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import PLAIN, entered
from twinflow._src.core.dtypes import string
from twinflow._src.core.scopes import device, init_scope
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.io.local_files import path_text
from twinflow._src.trackable.trackable import Trackable

# ------------------------------------------------------------------ ``tf.saved_model.Asset``


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


# ------------------------------------------------------------------ ``tf.saved_model.experimental.TrackableResource``


class CapturableResource(Trackable):
    """An object with a resource that functions capture, created when it is first needed.

    Args:
        device: The device on which the resource is created.
    """

    def __init__(self, device: str = "") -> None:
        self._resource_handle_value: Any = None
        self._resource_device = device

    def _create_resource(self) -> Any:
        """Returns a new resource."""
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self) -> None:
        """Initializes the resource."""

    def _destroy_resource(self) -> None:
        """Releases the resource; called when the object is deleted."""

    @property
    def resource_handle(self) -> Any:
        """The resource, created on first access."""
        if self._resource_handle_value is None:
            with init_scope(), device(self._resource_device or None):
                self._resource_handle_value = self._create_resource()
        return self._resource_handle_value

    def __del__(self) -> None:
        if vars(self).get("_resource_handle_value") is not None:
            with entered(PLAIN):  # a function may be traced now
                self._destroy_resource()


class TrackableResource(CapturableResource):
    """Base class of objects with a resource, which saved models create anew.

    Subclasses define ``_create_resource`` and ``_initialize``; ``_destroy_resource`` is called when
    the object is deleted.

    Args:
        device: The device on which the resource is created.
    """

    __module__ = "twinflow.saved_model.experimental"

    def __init__(self, device: str = "") -> None:
        super().__init__(device=device)
