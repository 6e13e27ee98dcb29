"""Classes of libraries whose objects are saved and loaded under identifiers of theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.core.protos import message

Setter = Callable[[Any, str, Any], None]


class VersionedTypeRegistration:
    """One version of a class whose objects are saved under an identifier.

    Args:
        object_factory: A function that returns an object for a saved message.
        version: The version that is written.
        min_producer_version: The oldest version that is read.
        min_consumer_version: The oldest reader.
        bad_consumers: Readers that cannot read it.
        setter: A function that sets an attribute of an object.
    """

    def __init__(
        self,
        object_factory: Callable[[Any], Any],
        version: int,
        min_producer_version: int,
        min_consumer_version: int,
        bad_consumers: Sequence[int] | None = None,
        setter: Setter = setattr,
    ) -> None:
        self.identifier: str | None = None
        self._object_factory, self.setter, self.version = object_factory, setter, version
        self._min_consumer_version = min_consumer_version
        self._min_producer_version = min_producer_version
        self._bad_consumers = list(bad_consumers or ())

    def should_load(self, proto: Any) -> bool:
        """Returns True if this version reads a saved object.

        Args:
            proto: The ``SavedUserObject`` message.
        """
        return (
            proto.identifier == self.identifier
            and self.version >= proto.version.min_consumer
            and proto.version.producer >= self._min_producer_version
            and self.version not in proto.version.bad_consumers
        )

    def to_proto(self) -> Any:
        """Returns the ``SavedUserObject`` message of an object of this version."""
        proto = message("SavedUserObject")(identifier=self.identifier)
        proto.version.producer = self.version
        proto.version.min_consumer = self._min_consumer_version
        proto.version.bad_consumers.extend(self._bad_consumers)
        return proto

    def from_proto(self, proto: Any) -> Any:
        """Returns an object for a saved message.

        Args:
            proto: The ``SavedUserObject`` message.
        """
        return self._object_factory(proto)


# Predicates and versions by identifier; bounded by the number of registrations.
_REVIVED: dict[str, tuple[Callable[[Any], bool], list[VersionedTypeRegistration]]] = {}


def register_revived_type(
    identifier: str,
    predicate: Callable[[Any], bool],
    versions: Sequence[VersionedTypeRegistration],
) -> None:
    """Registers a class of objects that are saved under an identifier.

    Args:
        identifier: The identifier.
        predicate: A function that is true for its objects.
        versions: The versions of the class.

    Raises:
        AssertionError: The identifier is registered already, or a version occurs twice.
    """
    ordered = sorted(versions, key=lambda registration: registration.version, reverse=True)
    if len({registration.version for registration in ordered}) != len(ordered):
        raise AssertionError(f"Got multiple registrations with version {ordered[0].version}.")
    if identifier in _REVIVED:
        raise AssertionError(f"Duplicate registrations for type '{identifier}'")
    for registration in ordered:
        registration.identifier = identifier
    _REVIVED[identifier] = predicate, ordered


def registered_identifiers() -> Any:
    """Returns the identifiers of the registered classes."""
    return _REVIVED.keys()


def get_setter(proto: Any) -> Setter | None:
    """Returns the function that sets attributes of a saved object, or None.

    Args:
        proto: The ``SavedUserObject`` message.
    """
    registration = _registration(proto)
    return None if registration is None else registration.setter


def _registration(proto: Any) -> VersionedTypeRegistration | None:
    _, versions = _REVIVED.get(proto.identifier, (None, []))
    return next((version for version in versions if version.should_load(proto)), None)


def user_object_proto(value: Any, identifier: str) -> Any:
    """Returns the ``SavedUserObject`` message of an object; the identifier is that of other classes."""
    for is_instance, versions in _REVIVED.values():
        if is_instance(value):
            return versions[0].to_proto()
    proto = message("SavedUserObject")(identifier=identifier)
    proto.version.producer = proto.version.min_consumer = 1
    return proto


def revived(proto: Any) -> tuple[Any, Setter] | None:
    """Returns an object of a registered class and the function that sets its attributes, or None."""
    registration = _registration(proto)
    if registration is None:
        return None
    return registration.from_proto(proto), registration.setter
