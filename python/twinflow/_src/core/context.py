"""Execution context: the process-wide ``runtime``, the thread-local ``Scope``, and context managers.

The fast paths read both. ``runtime.home`` is the device on which ops run by default. It is None
while placement logging (a process-wide observer) is on and before the devices are initialized, so
that a single comparison selects the slow path.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import sys
import threading
import weakref
from collections.abc import Callable
from threading import get_ident
from typing import TYPE_CHECKING, Any

import numpy as np

from twinflow._src.backends.cpu import malloc, module
from twinflow._src.backends.gpu import device as gpu
from twinflow._src.backends.gpu.device import Forked
from twinflow._src.core import devices
from twinflow._src.core.devices import (
    Device,
    LogicalDevice,
    LogicalDeviceConfiguration,
    PhysicalDevice,
)
from twinflow._src.core.fork import around_forks, brief_lock


class _Exit:
    """Descriptor for ``__exit__`` that restores state even if an interrupt hits the entry.

    A with statement looks ``__exit__`` up before it enters and drops it at the end in any case; the
    drop triggers the restore if ``__exit__`` did not run.
    """

    def __get__(self, block: Any, owner: Any = None) -> Any:
        if block is None:
            return _leave
        alive: list[Any] = []
        leave = functools.partial(_leave_alive, block, alive)
        alive.append(weakref.ref(leave, functools.partial(_abandon, block, len(block._changes))))
        return leave


def _leave(block: Block, *exc: Any) -> None:
    block._restore()


def _leave_alive(block: Block, alive: list[Any], *exc: Any) -> None:
    block._restore()
    alive.clear()  # nothing left to restore when the with statement drops it


def _abandon(block: Block, depth: int, _: Any) -> None:
    while len(block._changes) > depth:
        block._restore()


class Block:
    """Base class of context managers that replace attributes, such as the scope of a thread.

    On exit the changes are reverted where they were made, also from another thread and for context
    managers that do not exit in order. It is not a generator: one left unfinished by an interrupt
    would revert its changes at an arbitrary time.
    """

    __slots__ = ("_changes",)

    def __init__(self) -> None:
        self._changes: list[
            tuple[Any, ...]
        ] = []  # (thread id, attributes of the owner, name, outer value, inner value)

    def _replace(self, owner: Any, name: str, inner: Any) -> None:
        self._changes.append((get_ident(), vars(owner), name, getattr(owner, name), inner))
        setattr(owner, name, inner)

    def _restore(self) -> None:
        changes, here = self._changes, get_ident()
        if not changes:
            return
        i = len(changes) - 1
        if changes[i][0] != here:  # other threads may have entered the same object
            i = next((k for k in range(i, -1, -1) if changes[k][0] == here), i)
        _, owner, name, outer, inner = changes[i]
        value = owner.get(name, outer)
        owner[name] = outer if value is inner else without(value, outer, inner)
        del changes[i]

    if TYPE_CHECKING:

        def __exit__(self, *exc: Any) -> None: ...

    else:
        __exit__ = _Exit()


def without(value: Any, outer: Any, inner: Any) -> Any:
    """Returns a value with the difference between ``outer`` and ``inner`` reverted."""
    if value is outer or value is inner:
        return outer
    if hasattr(value, "without"):
        return value.without(outer, inner)
    if isinstance(value, tuple) and isinstance(outer, tuple):
        kept = [x for x in outer if x in value or x not in inner]
        return (*kept, *(x for x in value if x not in inner and x not in kept))
    return value


class altered(Block, contextlib.ContextDecorator):
    """A context manager that replaces an attribute of an object.

    Args:
        owner: The object.
        name: The attribute.
        change: Returns the new value from the outer one.
        value: The value of the ``as`` clause.
    """

    def __init__(
        self, owner: Any, name: str, change: Callable[[Any], Any], value: Any = None
    ) -> None:
        super().__init__()
        self._owner, self._name, self._change, self._value = owner, name, change, value

    def __enter__(self) -> Any:
        self._replace(self._owner, self._name, self._change(getattr(self._owner, self._name)))
        return self._value


# The repr of TensorFlow's context managers of this kind, which are generators.
altered.__module__, altered.__name__, altered.__qualname__ = (
    "contextlib",
    *("_GeneratorContextManager",) * 2,
)


# Kernels run in a copy of this context, in which NumPy ignores floating-point events, as
# TensorFlow's kernels do; the user's own np.seterr is unaffected. Copying a context and running in
# it costs 0.1 us; np.errstate costs 1 us.
_quiet = contextvars.Context()
_quiet.run(np.seterr, all="ignore")


# Called for each kernel, as ``quiet().run(kernel, ...)``: a context cannot be entered recursively.
quiet = _quiet.copy

# A context in which floating-point overflow raises FloatingPointError.
_strict = _quiet.copy()
_strict.run(np.seterr, over="raise")
strict = _strict.copy


def quietly(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a function with NumPy's floating-point warnings off."""
    return quiet().run(function, *args, **kwargs)


class Scope:
    """The state of the context managers around a call; immutable, one per thread.

    Attributes:
        device: The merged device name, or None.
        name: The name scope: ``""`` or a path that ends in ``/``.
        observers: Objects whose ``record(op, inputs, attrs, outputs)`` is called for every op that
            ran, innermost last.
        graph: The graph that ops are added to instead of running, or None.
        controls: The control dependencies of new graph operations.
        eager: True if ops run eagerly, on the device where they would run without the scope.
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
        """The device name of the enclosing scopes, also around a function being traced."""
        return self.device if self.device is not None else getattr(self.graph, "around", None)

    def but(self, **changes: Any) -> Scope:
        """Returns a copy of the scope with some attributes replaced."""
        new: Scope = object.__new__(Scope)
        new.device, new.name, new.observers = self.device, self.name, self.observers
        new.graph, new.controls = self.graph, self.controls
        for part, value in changes.items():
            setattr(new, part, value)
        device, home = new.device, runtime.home
        new.eager = new.graph is None and (
            device is None or (home is not None and runtime.resolved.get(device) is home)
        )
        return new

    def watched(self, *observers: Any) -> Scope:
        """Returns a copy of the scope with other observers, which do not affect how ops run."""
        new: Scope = object.__new__(Scope)
        new.device, new.name, new.observers = self.device, self.name, observers
        new.graph, new.controls, new.eager = self.graph, self.controls, self.eager
        return new

    def without(self, outer: Scope, inner: Scope) -> Scope:
        """Returns a copy of the scope with the difference of two scopes reverted."""
        parts = {
            part: without(*(getattr(scope, part) for scope in (self, outer, inner)))
            for part in _PARTS
        }
        same = (
            candidate
            for candidate in (outer, PLAIN)
            if all(parts[part] == getattr(candidate, part) for part in _PARTS)
        )
        return next(same, None) or self.but(**parts)


_PARTS = "device", "name", "observers", "graph", "controls"
PLAIN = Scope()


class _Thread(threading.local):
    first: Callable[[], Scope] | None = (
        None  # returns the initial scope of a new thread, if it is not the plain one
    )
    scope = PLAIN
    default_graph: Any = None  # the default graph outside all scopes, created on first use
    node: Any = None  # the graph operation that runs: random kernels keep a state per operation
    session: Any = None  # the session that runs: each has its own states
    deadline: float | None = None  # when the session run times out, on the clock of time.monotonic
    cancelled: threading.Event | None = None  # is set to end the wait of a queue
    sessions: tuple[Any, ...] = ()  # the stack of default sessions, innermost last
    substitutes: tuple[dict[int, Any], ...] = ()  # replacements of graph tensors, by identity
    replica: Any = None  # the strategy's replica that runs: functions are traced for each
    saves = False  # functions are traced for a SavedModel: of a distributed variable one component
    summary_writer: Any = None  # the default writer of tf.summary
    summary_step: Any = None  # the default step of tf.summary
    summary_condition: Any = True  # whether tf.summary records: a bool, a tensor or a function

    def __init__(self) -> None:
        first = type(self).first
        if first is not None:
            self.scope = first()


thread = _Thread()


class entered(Block):
    """A context manager that replaces the scope of the thread.

    Args:
        scope: The scope.
        value: The value of the ``as`` clause; the scope if None.
    """

    __slots__ = ("_scope", "_value")

    def __init__(self, scope: Scope, value: Any = None) -> None:
        self._changes = []
        self._scope, self._value = scope, value

    def __enter__(self) -> Any:
        self._replace(thread, "scope", self._scope)
        return self._scope if self._value is None else self._value


def substituted(env: dict[int, Any]) -> Any:
    """Returns a context manager that replaces graph tensors, by identity, by other tensors.

    Within others, it comes first: an operation that was copied twice has tensors of the first copy.
    """
    return altered(thread, "substitutes", lambda outer: (env, *outer))


def substitute(tensor: Any) -> Any:
    """Returns the tensor that stands for a graph tensor here; see ``substituted``."""
    for env in thread.substitutes:
        tensor = env.get(id(tensor), tensor)
    return tensor


def hosted(scope: Scope) -> contextlib.AbstractContextManager[Any]:
    """Returns a context manager in which tensors are created on the host, without transfers."""
    return entered(scope if runtime.default.kind == "CPU" else scope.but(device=runtime.host.name))


class Runtime:
    """Process-wide settings, and the devices, which are initialized on first use."""

    def __init__(self) -> None:
        self.home: Device | None = None
        self.soft_placement = True
        # True if set by the user; sessions without own settings follow it
        self.soft_sessions = False
        self.log_placement = False
        # graphs of functions that ran since tf.summary.trace_on, or None
        self.traced_graphs: list[Any] | None = None
        self.replicated = False  # True if a strategy has created replicated variables
        self._default: Device | None = None
        self._devices: list[Device] = []
        self._visible: list[PhysicalDevice] | None = None
        self._splits: dict[PhysicalDevice, list[LogicalDeviceConfiguration]] = {}
        self.growth: dict[PhysicalDevice, bool | None] = {}
        self.resolved: dict[str, Device] = {}  # cache of merged device names
        # returns the parts of a function over several tasks; None if there are no other tasks
        self.partition: Callable[..., Any] | None = None
        self._lock = brief_lock()

    @property
    def initialized(self) -> bool:
        """True if the devices are initialized, which the first op does."""
        return bool(self._devices)

    @property
    def devices(self) -> list[Device]:
        """The logical devices, the fastest kind last."""
        if not self._devices:
            self._initialize()
        return self._devices

    @property
    def default(self) -> Device:
        """The default device of ops: the first GPU, else the first CPU."""
        if self._default is None:
            self._initialize()
            assert self._default is not None
        return self._default

    @property
    def host(self) -> Device:
        """The first CPU device."""
        return self.devices[0]

    def physical(self) -> list[PhysicalDevice]:
        """Returns the physical devices of the machine."""
        return [
            PhysicalDevice(f"/physical_device:{backend.KIND}:{i}", backend.KIND)
            for backend in (module, gpu)
            for i in range(backend.count())
        ]

    def visible(self) -> list[PhysicalDevice]:
        """Returns the physical devices that are visible to the process."""
        return self.physical() if self._visible is None else self._visible

    def set_visible(self, chosen: list[PhysicalDevice]) -> None:
        """Sets the visible physical devices; allowed until the first op runs."""
        if chosen == self.visible():
            return
        self._assert_open("Visible devices")
        self._visible = chosen

    def splits(self, device: PhysicalDevice) -> list[LogicalDeviceConfiguration] | None:
        """Returns the logical device configurations of a physical device, or None."""
        return self._splits.get(device)

    def set_splits(self, device: PhysicalDevice, parts: list[LogicalDeviceConfiguration]) -> None:
        """Splits a physical device into several logical ones; allowed until the first op runs."""
        if parts == self._splits.get(device):
            return
        self._assert_open("Virtual devices")
        self._splits[device] = parts

    def set_growth(self, device: PhysicalDevice, enabled: bool | None) -> None:
        """Sets memory growth of a device; allowed until the first op runs."""
        if self.growth.get(device) != enabled:
            self._assert_open("Physical devices")
            self.growth[device] = enabled

    def logical(self) -> list[LogicalDevice]:
        """Returns the logical devices."""
        return [
            LogicalDevice(d.name, d.device_type)
            if d.remote
            else LogicalDevice(f"/device:{d.kind}:{d.index}", d.kind)
            for d in self.devices
        ]

    def add_devices(self, others: list[Any]) -> None:
        """Registers the devices of other tasks; they replace earlier ones."""
        self._devices = [*(d for d in self.devices if not d.remote), *others]
        self.resolved.clear()

    def place(self, name: str | None) -> Device:
        """Returns the device of a merged device name; None is the default device."""
        if name is None:
            return self._default or self.default
        device = self.resolved.get(name)
        if device is None:
            device = devices.resolve(name, self.devices, self.soft_placement)
            self.resolved[name] = device
        return device

    def place_softly(self, name: str | None) -> Device:
        """Returns the device of a merged device name, with soft placement."""
        return self.default if name is None else devices.resolve(name, self.devices, True)

    def set_soft_placement(self, enabled: bool) -> None:
        """Enables or disables the fallback from missing devices to existing ones."""
        self.soft_placement = self.soft_sessions = enabled
        self.resolved.clear()

    def forked(self) -> None:
        """Drops the GPUs in a forked child process, in which CUDA does not work."""
        gone = [device for device in self._devices if device.kind == "GPU" and not device.remote]
        for device in gone:
            device.backend = Forked()
        if gone:
            self._devices = [device for device in self._devices if device not in gone]
            self._default = self.host
            self.home = None if self.log_placement else self.host
            self.resolved.clear()

    def reset(self) -> None:
        """Drops the devices and their configuration; the next op initializes them anew."""
        with self._lock:
            self._devices, self._default, self.home = [], None, None
            self._visible, self._splits, self.growth = None, {}, {}
            self.resolved.clear()

    def set_log_placement(self, enabled: bool) -> None:
        """Enables or disables the log of each op and its device on standard output."""
        self.log_placement = enabled
        self.home = None if enabled else self._default

    def log(self, op: str, device: Device) -> None:
        """Logs the device of an op if placement logging is on."""
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
            devices: list[Device] = []
            for backend in (module, gpu):
                parts = [
                    ordinal
                    for ordinal, device in enumerate(self.physical_of(backend.KIND))
                    if device in self.visible()
                    for _ in self._splits.get(device) or (None,)
                ]
                devices += [Device(backend.KIND, i, backend, o) for i, o in enumerate(parts)]
            self._limit_memory({device.ordinal for device in devices if device.kind == "GPU"})
            if not any(d.kind == "CPU" for d in devices):
                devices.insert(0, Device("CPU", 0, module))
            self._default = next((d for d in devices if d.kind == "GPU"), devices[0])
            self._devices = devices
            self.home = None if self.log_placement else self._default

    def _limit_memory(self, ordinals: set[int]) -> None:
        """Limits the memory pool of each GPU to the sum of its logical devices' limits."""
        for ordinal, device in enumerate(self.physical_of(gpu.KIND) if ordinals else ()):
            parts, grows = self._splits.get(device), self.growth.get(device) in (None, True)
            if ordinal in ordinals and (parts or not grows):
                gpu.limit(
                    ordinal,
                    sum(part.memory_limit or 0 for part in parts) << 20 if parts else None,
                    grows,
                )

    def physical_of(self, kind: str) -> list[PhysicalDevice]:
        """Returns the physical devices of one kind."""
        return [d for d in self.physical() if d.device_type == kind]


runtime = Runtime()


around_forks(child=runtime.forked)
