"""``tf.saved_model.experimental.TrackableResource``: the base class of objects with a resource."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.scopes import device, init_scope
from twinflow._src.trackable.trackable import Trackable


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
