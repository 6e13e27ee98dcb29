"""The stand-in's devices: which one is current, what their memory holds, streams that do all at once."""

from __future__ import annotations

import contextlib
import ctypes
import threading
import types

from .journal import journal


class CUDARuntimeError(RuntimeError):
    """As the driver's: with a status."""

    def __init__(self, status):
        self.status = status
        super().__init__(f"cudaError {status}")


class OutOfMemoryError(MemoryError):
    """As CuPy's."""

    def __init__(self, size, total, limit=0):
        super().__init__(
            f"Out of memory allocating {size:,} bytes (allocated so far: {total:,} bytes)."
        )


class _Current(threading.local):
    device = 0

    def __init__(self):
        self.streams = []  # those of the blocks around, the innermost last


_current = _Current()
_entered = threading.local()


def current():
    """The number of the thread's current device."""
    return _current.device


class Machine:
    """The state of the simulated driver: the number of devices, or the error of the driver; and their memory."""

    def __init__(self, count=2, total=1 << 34, error=None):
        self.count, self.total, self.error = count, total, error
        self.pools = [Pool(self, i) for i in range(count)]


class Pool:
    """The memory of a device: what is used, and what is held for later."""

    def __init__(self, machine, device):
        self._machine, self.device = machine, device
        self.used = self.held = self.limit = 0
        self.freed = 0  # how often what nobody uses was given back

    def take(self, size):
        """Memory for an array."""
        size = -(-size // 512) * 512
        held = max(self.held, self.used + size)
        if held > min(self.limit or self._machine.total, self._machine.total):
            raise OutOfMemoryError(size, self.held)
        self.used, self.held = self.used + size, held
        return size

    def give(self, size):
        """Memory that an array leaves."""
        self.used -= size

    def set_limit(self, size=None, fraction=None):
        """Returns how much is held at most."""
        self.limit = size if size is not None else int(self._machine.total * fraction)

    def get_limit(self):
        """Returns how much is held at most; 0 for all."""
        return self.limit

    def used_bytes(self):
        """Returns what arrays use."""
        return self.used

    def free_bytes(self):
        """Returns what is held and not used."""
        return self.held - self.used

    def total_bytes(self):
        """Returns what is held."""
        return self.held

    def free_all_blocks(self, stream=None):
        """Gives back what nobody uses."""
        self.held = self.used
        self.freed += 1


machine = Machine()


def begin(count=2, total=1 << 34, error=None):
    """A new machine."""
    global machine
    machine = Machine(count, total, error)
    _current.device = 0


def pool(device=None):
    """The memory of a device; of the current one where None."""
    return machine.pools[current() if device is None else device]


class Device:
    """A device; as a context manager it is the current one."""

    def __init__(self, device=None):
        self.id = current() if device is None else int(device)
        if not 0 <= self.id < machine.count:
            raise CUDARuntimeError(101)

    def __int__(self):
        return self.id

    def __eq__(self, other):
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self):
        return self.id

    def __repr__(self):
        return f"<CUDA Device {self.id}>"

    def __enter__(self):
        if not hasattr(_entered, "stack"):
            _entered.stack = []
        _entered.stack.append(_current.device)
        _current.device = self.id
        return self

    def __exit__(self, *args):
        _current.device = _entered.stack.pop()

    def use(self):
        """Makes it the current one."""
        _current.device = self.id

    def synchronize(self):
        """Waits for all of its work."""
        journal.note("wait", "synchronize", self.id)

    @property
    def mem_info(self):
        """Free and all memory, in bytes."""
        return machine.total - machine.pools[self.id].held, machine.total

    @property
    def compute_capability(self):
        """Two digits."""
        return "90"


class Event:
    """A place in a queue, which is passed already."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self.stream = None

    def record(self, stream=None):
        """Marks the place."""
        self.stream = stream or get_current_stream()

    def synchronize(self):
        """Waits for the place to be passed."""


class Stream:
    """A queue of work, which is done already."""

    null = None

    def __init__(self, null=False, non_blocking=False, ptds=False):
        self.ptr = 0 if null else id(self)

    def __enter__(self):
        _current.streams.append(self)
        return self

    def __exit__(self, *args):
        _current.streams.pop()

    def record(self, event=None):
        """Marks a place in it."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        """Returns what is asked of it from now on comes after a place."""
        journal.note("after", (self.ptr, event.stream.ptr), current())

    def synchronize(self):
        """Waits for its work."""
        journal.note("wait", "stream", current())


Stream.null = Stream(null=True)


def get_current_stream():
    """The thread's queue."""
    return _current.streams[-1] if _current.streams else Stream.null


journal.stream = lambda: get_current_stream().ptr


def _copied(to, source, size, kind, stream):
    """Copies bytes, and knows of which device they are where a GPU has a part in it."""
    journal.note({1: "up", 2: "down", 3: "kernel"}[kind], size, current())
    ctypes.memmove(to, source, size)


def _count():
    if machine.error is not None:
        raise CUDARuntimeError(machine.error)
    return machine.count


def _memory_info():
    return machine.total - pool().held, machine.total


# CUDA's compiler, which is asked for its version only.
nvrtc = types.SimpleNamespace(getVersion=lambda: (12, 9))
runtime = types.SimpleNamespace(
    CUDARuntimeError=CUDARuntimeError,
    getDeviceCount=_count,
    getDevice=current,
    setDevice=lambda device: Device(device).use(),
    deviceSynchronize=lambda: Device().synchronize(),
    getDeviceProperties=lambda i: {
        "name": b"stand-in",
        "major": 9,
        "minor": 0,
        "totalGlobalMem": machine.total,
    },
    memGetInfo=_memory_info,
    memcpyAsync=_copied,
    memcpyHostToDevice=1,
    memcpyDeviceToHost=2,
    driverGetVersion=lambda: 12080,
    runtimeGetVersion=lambda: 12080,
)
memory = types.SimpleNamespace(OutOfMemoryError=OutOfMemoryError)


@contextlib.contextmanager
def using_allocator(allocator=None):
    """A block with another allocator; this one's memory stays as it is."""
    yield
