"""NVIDIA GPUs: CuPy, imported only where a driver can exist.

"No CuPy", "no driver" and "no device" all mean the same to a program: there is no GPU. ``why_none`` says which of
them it is. All work of a GPU goes into one stream, CUDA's default one, in the order in which it was asked for, by
whichever thread; so an update of a variable comes after the reads that were asked for before it, and nothing has to wait.
CuPy alone would use the thread's own stream where it has one: ours then takes its turn between the work of that stream.

What stands for CUDA in a process that was forked after CUDA had started: an error that says so.
"""

from __future__ import annotations

import functools
import gc
import importlib.util
import itertools
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

import ml_dtypes
import numpy as np

from twinflow._src.backends.gpu.streams import across, in_turn

# NVIDIA GPUs: CuPy, imported only where a driver can exist.


KIND = "GPU"
# What the CUDA driver creates; looking is cheaper than importing CuPy (0.3 s) to find nothing.
_DRIVER_FILES = (
    "/dev/nvidiactl",
    "/dev/nvidia0",
    "/dev/dxg",
    "/dev/nvhost-ctrl-gpu",
    "/proc/driver/nvidia/version",
)
# The first CuPy whose types are promoted as NumPy 2 promotes them.
_OLDEST = 14
_EXTRAS = "install twinflow[cuda12] or twinflow[cuda13], the one that goes with the driver"
# What CuPy's arrays hold; tensors of other types (strings, float8, int4) live on the host.
_HELD = frozenset("?bBhHiIlLqQefdFD")
_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
# CuPy's argmax gives C's long long, which NumPy prints with its type where that is not the usual one of 64 bits.
_PLAIN = {"q": np.dtype(np.int64), "Q": np.dtype(np.uint64)}
# What TensorFlow takes of the free memory where it is told to take it at once.
_SHARE = 0.9
# Arrays of so many bytes are copied in parts.
LEAST = 1 << 25


@functools.cache
def _cupy() -> ModuleType | None:
    return None if _missing() else importlib.import_module("cupy")


def is_likely() -> bool:
    """Whether there is a driver, which is a quick question."""
    return any(map(os.path.exists, _DRIVER_FILES))


def _missing() -> str | None:
    """What is missing before CuPy can be imported, or None."""
    if not is_likely():
        return "There is no NVIDIA driver."
    if importlib.util.find_spec("cupy") is None:
        return f"There is a driver, but no CuPy: {_EXTRAS}."
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None and (not visible.strip() or visible.strip().startswith("-")):
        return f"CUDA_VISIBLE_DEVICES is {visible!r}, which hides all devices."
    return None


_NO_DEVICE = 100  # the driver's status


@functools.cache
def _looked() -> tuple[int, str | None]:
    """The number of GPUs, and why it is 0 where it is."""
    missing = _missing()
    if missing:
        return 0, missing
    try:
        cupy = _cupy()
        assert cupy is not None
        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # whatever is wrong with CuPy, programs run on the host
        if getattr(error, "status", None) == _NO_DEVICE:
            return 0, "The driver knows no device."
        if type(error).__name__ == "CUDARuntimeError":  # CuPy's own class for what the driver says
            return 0, f"CuPy and the driver do not go together ({error}): {_EXTRAS}."
        return 0, f"CuPy does not load ({type(error).__name__}: {error}): {_EXTRAS}."
    if int(cupy.__version__.split(".")[0]) < _OLDEST:
        return 0, f"CuPy {cupy.__version__} is too old, {_OLDEST} is needed: {_EXTRAS}."
    if not count:
        return 0, "The driver knows no device."
    try:
        cupy.cuda.nvrtc.getVersion()  # loads CUDA's compiler, which CuPy else looks for where the first kernel runs
    except (ImportError, RuntimeError, OSError) as error:
        return 0, f"CUDA's compiler does not load ({error}): {_EXTRAS}."
    return count, None


def count() -> int:
    """The number of GPUs that CuPy can use; 0 where it, the driver or the device is missing."""
    return _looked()[0]


def why_none() -> str | None:
    """Why there is no GPU; None where there is one."""
    return _looked()[1]


def _module() -> Any:
    cupy = _cupy()
    if cupy is None:
        raise RuntimeError(f"There is no GPU. {why_none()}")
    return cupy


@functools.cache
def array_module(ordinal: int = 0) -> Any:
    """What kernels call: CuPy, with what it lacks; one for each GPU, as what is kept for it lies there."""
    from twinflow._src.backends.gpu.cupy_compat import Namespace

    return Namespace(_module())


def holds(dtype: np.dtype[Any]) -> bool:
    """Whether arrays of a type can be on a GPU."""
    return dtype is _BFLOAT16 or (dtype.isbuiltin == 1 and dtype.char in _HELD)


# ------------------------------------------------------------------ arrays


def from_host(array: np.ndarray[Any, Any], ordinal: int) -> Any:
    """Copies a host array to a GPU; it may be changed at once, the copy goes through pinned memory."""
    return run(_from_host, ordinal, array, ordinal)


def _from_host(array: np.ndarray[Any, Any], ordinal: int) -> Any:
    """See ``from_host``: on the current GPU."""
    cupy = _module()
    if not array.ndim and not array:  # CuPy would forget the sign of a single zero
        return cupy.array(array.reshape(1)).reshape(())
    if array.nbytes < LEAST:
        return cupy.array(array, order="C")
    from twinflow._src.backends.gpu.transfers import up

    if (
        array.flags.f_contiguous and not array.flags.c_contiguous
    ):  # R's arrays: the GPU turns them round faster
        return cupy.ascontiguousarray(up(cupy, array.T, ordinal).T)
    return up(cupy, np.ascontiguousarray(array), ordinal)


# The next number whenever an array is copied to the host: who asks twice knows whether one was.
copies = itertools.count()


def to_host(array: Any, out: np.ndarray[Any, Any] | None = None) -> np.ndarray[Any, Any]:
    """Copies a GPU array to the host; waits for the work that computes it.

    Args:
        array: The array.
        out: A host array of its type and shape, in C order or the other way round; a new one where None.
    """
    next(copies)
    return run(_to_host, array.device.id, array, out)


def _to_host(array: Any, out: np.ndarray[Any, Any] | None) -> np.ndarray[Any, Any]:
    """See ``to_host``: from the current GPU."""
    if array.nbytes < LEAST and out is None:
        found = array.get()
        return found.view(_PLAIN[found.dtype.char]) if found.dtype.char in _PLAIN else found
    from twinflow._src.backends.gpu.transfers import down

    out = np.empty(array.shape, _PLAIN.get(array.dtype.char, array.dtype)) if out is None else out
    turned = not out.flags.c_contiguous
    source = _module().ascontiguousarray(array.T if turned else array)
    down(_module(), source, array.device.id, out.T if turned else out)
    return out


def copied(array: Any, ordinal: int) -> Any:
    """A copy of an array of any GPU on a certain one."""
    if array.device.id == ordinal:
        return run(array.copy, ordinal)
    return run(across, ordinal, _module().cuda, array)


def ordinal_of(array: Any) -> int:
    """The number of the GPU that holds an array."""
    return array.device.id


def runner(function: Callable[..., Any], ordinal: int) -> Callable[..., Any]:
    """A function that runs another one with a certain GPU as the current one.

    It refuses bfloat16 where the other one is not CuPy's own for it: ``rounding.py`` knows what to do then.
    """
    takes_all = any(
        "E->E" in loop for loop in getattr(getattr(function, "func", function), "types", ())
    )
    on_its_device = placed(function, ordinal)
    if takes_all:
        return on_its_device

    def run(first: Any, *others: Any) -> Any:
        if first.dtype is _BFLOAT16:
            raise TypeError("the general path rounds bfloat16")
        return on_its_device(first, *others)

    return run


def placed(function: Callable[..., Any], ordinal: int) -> Callable[..., Any]:
    """A function that runs another one with a certain GPU as the current one, in the stream of all work."""
    (current, stream, ours), alone, cuda = asked(), count() == 1, _module().cuda
    device = cuda.Device(ordinal)

    def run(*args: Any, **options: Any) -> Any:
        # Asking costs a tenth of entering a block; the only GPU is always the current one.
        if (alone or current() == ordinal) and stream() is ours:
            return function(*args, **options)
        with device:
            return in_turn(cuda, function, *args, **options)

    return run


@functools.cache
def asked() -> tuple[Callable[[], int], Callable[[], Any], Any]:
    """What gives the current GPU, what gives the thread's stream there, and the stream of all work."""
    cuda = _module().cuda
    return cuda.runtime.getDevice, cuda.get_current_stream, cuda.Stream.null


def in_line() -> bool:
    """Whether what is called now runs on the only GPU, in the stream of all work."""
    _, stream, ours = asked()
    return count() == 1 and stream() is ours


def run(function: Callable[..., Any], ordinal: int, /, *args: Any, **options: Any) -> Any:
    """Calls a function on a GPU; where memory runs out, a second time after what nobody uses was given back.

    Args:
        function: The function.
        ordinal: The number of the GPU.
        *args: What the function is given.
        **options: The same, by name.

    Raises:
        MemoryError: There is no room even then.
    """
    current, stream, ours = asked()
    if current() != ordinal:
        with _module().cuda.Device(ordinal):
            return run(function, ordinal, *args, **options)
    if stream() is not ours:
        return in_turn(_module().cuda, run, function, ordinal, *args, **options)
    try:
        return function(*args, **options)
    except MemoryError:
        pass  # outside the handler the failed call's arrays are gone
    gc.collect()
    release(ordinal)
    return function(*args, **options)


def synchronize(ordinal: int) -> None:
    """Waits until a GPU has done all that was asked of it."""
    _module().cuda.Device(ordinal).synchronize()


# ------------------------------------------------------------------ what it is, and its memory


def details(ordinal: int) -> dict[str, Any]:
    """The name and the compute capability of a GPU."""
    found = _module().cuda.runtime.getDeviceProperties(ordinal)
    name = found["name"].decode() if isinstance(found["name"], bytes) else found["name"]
    return {"device_name": name, "compute_capability": (found["major"], found["minor"])}


_peaks: dict[int, int] = {}


def memory(ordinal: int) -> tuple[int, int]:
    """The bytes of a GPU's memory that arrays use, and the most that was held for them when somebody asked."""
    cupy = _module()
    with cupy.cuda.Device(ordinal):
        pool = cupy.get_default_memory_pool()
        used, held = pool.used_bytes(), pool.total_bytes()
    _peaks[ordinal] = max(_peaks.get(ordinal, 0), held)
    return used, _peaks[ordinal]


def forget_peak(ordinal: int) -> None:
    """Counts the most that was held from now on."""
    release(ordinal)
    _peaks.pop(ordinal, None)


def release(ordinal: int) -> None:
    """Gives back the memory of a GPU that is held and not in use."""
    with _module().cuda.Device(ordinal):
        _module().get_default_memory_pool().free_all_blocks()


def shorten_products(enabled: bool) -> None:
    """Whether the hardware may round float32 numbers to 10 bits (TF32) where it multiplies matrices."""
    from cupy._core import _routines_linalg as linalg

    kind = linalg.COMPUTE_TYPE_TF32 if enabled else linalg.COMPUTE_TYPE_DEFAULT
    linalg.set_compute_type(np.float32, kind)


def adopted(value: Any) -> Any:
    """An array of another library on a GPU, in C order; its memory is shared where it has that already."""
    cupy = _module()
    return run(
        lambda: cupy.ascontiguousarray(cupy.asarray(value)).reshape(value.shape), _owner(value)
    )


def _owner(value: Any) -> int:
    """The number of the GPU that holds an array of another library; on any other one CuPy would copy it."""
    if isinstance(value, _module().ndarray):
        return value.device.id
    address = value.__cuda_array_interface__["data"][0]
    return max(
        _module().cuda.runtime.pointerGetAttributes(address).device, 0
    )  # less where there are no elements


def limit(ordinal: int, size: int | None = None, grows: bool = True) -> None:
    """How much of a GPU's memory is used.

    Args:
        ordinal: The number of the GPU.
        size: The bytes that are taken at most; all where None.
        grows: Whether memory is taken when it is needed; otherwise what may be used is taken now.
    """
    cupy = _module()
    with cupy.cuda.Device(ordinal):
        pool = cupy.get_default_memory_pool()
        if size is not None:
            pool.set_limit(size=size)
        if not grows:
            free = cupy.cuda.runtime.memGetInfo()[0]
            cupy.empty(min(size or free, int(free * _SHARE)), np.uint8)  # the pool keeps it


# What stands for CUDA in a process that was forked after CUDA had started: an error that says so.


class Forked:
    """In the place of a device's backend: whatever is asked of it is refused."""

    def __getattr__(self, name: str) -> NoReturn:
        raise RuntimeError(
            "CUDA had started when this process was forked, and does not work in it: what is on a GPU is out of reach. "
            "Start the process anew instead (multiprocessing.get_context('spawn')), or fork before anything is asked of a GPU."
        )
