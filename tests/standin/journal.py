"""The journal of the stand-in's devices."""

from __future__ import annotations

import contextlib
from typing import NamedTuple


class Event(NamedTuple):
    """Something that a GPU's user wants to know of.

    Attributes:
        kind: ``"up"`` (from the host to a device), ``"down"``, ``"across"`` (between devices), ``"wait"`` (the
            host waits without asking for values), ``"kernel"``, ``"after"`` (a stream waits for another one).
        what: The function, the number of bytes, or the two streams.
        device: The device.
        stream: The thread's stream: 0 for the one of all work.
    """

    kind: str
    what: object
    device: int
    stream: int


class Journal:
    """The events, in their order."""

    def __init__(self):
        self.events = []
        self.stream = lambda: 0  # the thread's

    def note(self, kind, what, device):
        """Adds an event."""
        self.events.append(Event(kind, what, device, self.stream()))

    @contextlib.contextmanager
    def read(self):
        """A block; gives the list that its events are added to."""
        outer, self.events = self.events, []
        try:
            yield self.events
        finally:
            outer.extend(self.events)
            self.events = outer


journal = Journal()


def kinds(events, *wanted):
    """The events of some kinds."""
    return [event for event in events if event.kind in wanted]


def waits(events):
    """The events at which the host waits for a device."""
    return kinds(events, "down", "wait")
