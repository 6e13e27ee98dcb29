"""What the hot path reads: the process-wide ``runtime`` and the thread's ``Scope``.

``runtime.home`` is the device on which an op runs when nothing surrounds it. It is None while a
process-wide observer (placement logging) is on and before the devices have been looked for, so one
comparison sends an op to the general path.
"""

from __future__ import annotations

import contextlib
import contextvars
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.cpu import malloc, module
from twinflow._src.backends.gpu import device as gpu
from twinflow._src.backends.gpu.device import Forked
from twinflow._src.core import devices
from twinflow._src.core.context_managers import Block, altered, without
from twinflow._src.core.devices import (
    Device,
    LogicalDevice,
    LogicalDeviceConfiguration,
    PhysicalDevice,
)
from twinflow._src.core.fork import around_forks, brief_lock

# Kernels run in a copy of this context, where NumPy reports no floating point events: TensorFlow's
# kernels do not either, and the user's own np.seterr stays what it is. Copying a context and running
# in it costs 0.1 us; np.errstate costs 1 us.
_quiet = contextvars.Context()
_quiet.run(np.seterr, all="ignore")


# Called for each kernel, as ``quiet().run(kernel, ...)``: a context can be entered only once at a time.
quiet = _quiet.copy

# Another one, where a number that is too large for its type raises FloatingPointError.
_strict = _quiet.copy()
_strict.run(np.seterr, over="raise")
strict = _strict.copy


def quietly(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a function with NumPy's floating point warnings off."""
    return quiet().run(function, *args, **kwargs)


class Scope:
    """What surrounds a call: immutable; entering a block replaces the thread's scope.

    Attributes:
        device: The merged device name, or None.
        name: The prefix of names: ``""`` or a path that ends in ``/``.
        observers: Objects whose ``record(op, inputs, attrs, outputs)`` is told of every op that ran, innermost last.
        graph: The graph that ops are added to instead of running, or None.
        controls: The operations of the graph that those to come wait for.
        eager: Whether ops run, and where they would without the scope.
    """

    __slots__ = ("controls", "device", "eager", "graph", "name", "observers")

    def __init__(
        self,
        device: str | None = None,
        name: str = "",
        observers: tuple[Any, ...] = (),
        graph: Any = None,
        controls: tuple[Any, ...] = (),
    ) -> None:
        self.device, self.name, self.observers = device, name, observers
        self.graph, self.controls = graph, controls
        self.eager = graph is None and device is None

    @property
    def around(self) -> str | None:
        """The device name of the blocks around, those around a function that is traced included."""
        return self.device if self.device is not None else getattr(self.graph, "around", None)

    def but(self, **changes: Any) -> Scope:
        """A scope like this one but for the given attributes."""
        new: Scope = object.__new__(Scope)
        new.device, new.name, new.observers = self.device, self.name, self.observers
        new.graph, new.controls = self.graph, self.controls
        for part, value in changes.items():
            setattr(new, part, value)
        new.eager = new.graph is None and (new.device is None or runtime.is_home(new.device))
        return new

    def watched(self, *observers: Any) -> Scope:
        """A scope like this one but for the observers, which do not change what ops do."""
        new: Scope = object.__new__(Scope)
        new.device, new.name, new.observers = self.device, self.name, observers
        new.graph, new.controls, new.eager = self.graph, self.controls, self.eager
        return new

    def without(self, outer: Scope, inner: Scope) -> Scope:
        """A scope like this one but for what one has changed of another."""
        parts = {
            part: without(*(getattr(scope, part) for scope in (self, outer, inner)))
            for part in _PARTS
        }
        same = (
            known
            for known in (outer, PLAIN)
            if all(parts[part] == getattr(known, part) for part in _PARTS)
        )
        return next(same, None) or self.but(**parts)


_PARTS = "device", "name", "observers", "graph", "controls"
PLAIN = Scope()


class _Thread(threading.local):
    first: Callable[[], Scope] | None = (
        None  # makes the scope of a thread that begins, where it is not the plain one
    )
    scope = PLAIN
    own: Any = None  # the default graph where nothing surrounds, once it was asked for
    node: Any = None  # the operation of a graph that runs: random kernels keep a state for each
    session: Any = None  # the session that runs: each has states of its own
    deadline: float | None = (
        None  # when the run of the session stops to wait, on the clock of time.monotonic
    )
    sessions: tuple[Any, ...] = ()  # those that are the default of a block, the innermost last
    substitutes: dict[int, Any] | None = None  # what stands for tensors of a graph, by identity
    replica: Any = None  # which replica of a strategy runs: functions are traced for each

    def __init__(self) -> None:
        first = type(self).first
        if first is not None:
            self.scope = first()


thread = _Thread()


class entered(Block):
    """A block for the length of which a scope is the thread's.

    Args:
        scope: The scope.
        value: What the with statement gives; the scope where None.
    """

    __slots__ = ("_scope", "_value")

    def __init__(self, scope: Scope, value: Any = None) -> None:
        self._changes = []
        self._scope, self._value = scope, value

    def __enter__(self) -> Any:
        self._put(thread, "scope", self._scope)
        return self._scope if self._value is None else self._value


def substituted(env: dict[int, Any]) -> Any:
    """A block in which other tensors stand for those of a graph.

    Args:
        env: What stands for a tensor, by its identity.
    """
    return altered(thread, "substitutes", lambda _: env)


def hosted(scope: Scope) -> contextlib.AbstractContextManager[Any]:
    """A block with a scope in which tensors are made on the host, so that nothing goes to a device and back.

    Args:
        scope: What else surrounds the block.
    """
    return entered(scope if runtime.default.kind == "CPU" else scope.but(device=runtime.host.name))


class Runtime:
    """The settings of the process, and its devices once they are needed."""

    def __init__(self) -> None:
        self.home: Device | None = None
        self.soft_placement = True
        self.soft_sessions = False  # whether programs said so, which sessions without settings heed
        self.log_placement = False
        self.replicated = False  # whether a strategy has made variables with copies
        self._default: Device | None = None
        self._devices: list[Device] = []
        self._visible: list[PhysicalDevice] | None = None
        self._splits: dict[PhysicalDevice, list[LogicalDeviceConfiguration]] = {}
        self.growth: dict[PhysicalDevice, bool | None] = {}
        self._resolved: dict[str, Device] = {}
        self._lock = brief_lock()

    @property
    def initialized(self) -> bool:
        """Whether the devices are fixed: they are from the first op on."""
        return bool(self._devices)

    @property
    def devices(self) -> list[Device]:
        """The logical devices, the fastest kind last."""
        if not self._devices:
            self._initialize()
        return self._devices

    @property
    def default(self) -> Device:
        """Where ops run when no scope says otherwise: the fastest device."""
        if self._default is None:
            self._initialize()
            assert self._default is not None
        return self._default

    @property
    def host(self) -> Device:
        """The first CPU."""
        return self.devices[0]

    def physical(self) -> list[PhysicalDevice]:
        """The devices of the machine."""
        return [
            PhysicalDevice(f"/physical_device:{backend.KIND}:{i}", backend.KIND)
            for backend in (module, gpu)
            for i in range(backend.count())
        ]

    def visible(self) -> list[PhysicalDevice]:
        """The devices of the machine that the program uses."""
        return self.physical() if self._visible is None else self._visible

    def set_visible(self, chosen: list[PhysicalDevice]) -> None:
        """Chooses the devices to use; possible until the first op runs."""
        if chosen == self.visible():
            return
        self._assert_open("Visible devices")
        self._visible = chosen

    def splits(self, device: PhysicalDevice) -> list[LogicalDeviceConfiguration] | None:
        """How a physical device is split into logical ones, or None."""
        return self._splits.get(device)

    def set_splits(self, device: PhysicalDevice, parts: list[LogicalDeviceConfiguration]) -> None:
        """Splits a physical device into several logical ones; possible until the first op runs."""
        if parts == self._splits.get(device):
            return
        self._assert_open("Virtual devices")
        self._splits[device] = parts

    def set_growth(self, device: PhysicalDevice, enabled: bool | None) -> None:
        """Whether the memory of a device is taken as needed; possible until the first op runs."""
        if self.growth.get(device) != enabled:
            self._assert_open("Physical devices")
            self.growth[device] = enabled

    def logical(self) -> list[LogicalDevice]:
        """The devices that programs place tensors on."""
        return [
            LogicalDevice(d.name, d.device_type)
            if d.remote
            else LogicalDevice(f"/device:{d.kind}:{d.index}", d.kind)
            for d in self.devices
        ]

    def add_devices(self, others: list[Any]) -> None:
        """Makes the devices of other tasks known, in the place of those before."""
        self._devices = [*(d for d in self.devices if not d.remote), *others]
        self._resolved.clear()

    def place(self, name: str | None) -> Device:
        """The device that a merged device name means; None means the default one."""
        if name is None:
            return self.default
        device = self._resolved.get(name)
        if device is None:
            device = devices.resolve(name, self.devices, self.soft_placement)
            self._resolved[name] = device
        return device

    def place_softly(self, name: str | None) -> Device:
        """The same where another device may stand in for one that does not exist."""
        return self.default if name is None else devices.resolve(name, self.devices, True)

    def is_home(self, name: str) -> bool:
        """Whether a merged device name, which was looked up before, means where ops run anyway."""
        return self.home is not None and self._resolved.get(name) is self.home

    def set_soft_placement(self, enabled: bool) -> None:
        """Whether a device that does not exist falls back to one that does."""
        self.soft_placement = self.soft_sessions = enabled
        self._resolved.clear()

    def forked(self) -> None:
        """Gives the GPUs up in a process that was forked, where CUDA does not work: ops run on the CPU."""
        gone = [device for device in self._devices if device.kind == "GPU" and not device.remote]
        for device in gone:
            device.backend = Forked()
        if gone:
            self._devices = [device for device in self._devices if device not in gone]
            self._default = self.host
            self.home = None if self.log_placement else self.host
            self._resolved.clear()

    def set_log_placement(self, enabled: bool) -> None:
        """Whether every op that runs is written to standard output with its device."""
        self.log_placement = enabled
        self.home = None if enabled else self._default

    def log(self, op: str, device: Device) -> None:
        """Writes that an op runs, where placement is logged."""
        if self.log_placement:
            sys.stdout.write(f"Executing op {op} in device {device.name}\n")

    def _assert_open(self, what: str) -> None:
        if self.initialized:
            raise RuntimeError(f"{what} cannot be modified after being initialized")

    def _initialize(self) -> None:
        with self._lock:
            if self._devices:
                return
            malloc.keep()
            found: list[Device] = []
            for backend in (module, gpu):
                parts = [
                    ordinal
                    for ordinal, device in enumerate(self.physical_of(backend.KIND))
                    if device in self.visible()
                    for _ in self._splits.get(device) or (None,)
                ]
                found += [Device(backend.KIND, i, backend, o) for i, o in enumerate(parts)]
            self._limit_memory({device.ordinal for device in found if device.kind == "GPU"})
            if not any(d.kind == "CPU" for d in found):
                found.insert(0, Device("CPU", 0, module))
            self._default = next((d for d in found if d.kind == "GPU"), found[0])
            self._devices = found
            self.home = None if self.log_placement else self._default

    def _limit_memory(self, ordinals: set[int]) -> None:
        """Lets GPUs take as much memory as their logical devices may have together."""
        for ordinal, device in enumerate(self.physical_of(gpu.KIND) if ordinals else ()):
            parts, grows = self._splits.get(device), self.growth.get(device) in (None, True)
            if ordinal in ordinals and (parts or not grows):
                gpu.limit(
                    ordinal,
                    sum(part.memory_limit or 0 for part in parts) << 20 if parts else None,
                    grows,
                )

    def physical_of(self, kind: str) -> list[PhysicalDevice]:
        """The machine's devices of one kind."""
        return [d for d in self.physical() if d.device_type == kind]


runtime = Runtime()


around_forks(child=runtime.forked)


def alone() -> Device | None:
    """The device other than the host on which operations run while nobody is told of them; None where that is not so."""
    home, scope = runtime.home, thread.scope
    unseen = scope.eager and not scope.observers
    return home if unseen and home is not None and home.kind != "CPU" else None
