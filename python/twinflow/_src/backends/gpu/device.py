"""The interface of the GPU backend: CuPy on NVIDIA GPUs, imported only if there is a driver.

Without CuPy, driver or device there are no GPUs; ``why_none`` returns the reason. All work goes
into one stream, CUDA's default stream, in program order across threads; so an update of a variable
comes after earlier reads, without synchronization. If the thread has another current CuPy stream,
our work is ordered with that stream by events.

``Forked`` replaces the backend in a process that was forked after CUDA had started: every access
raises an error.
"""

from __future__ import annotations

import functools
import gc
import importlib.util
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

import ml_dtypes
import numpy as np

from twinflow._src.backends.gpu.streams import across, in_turn

# Devices, arrays and memory.


KIND = "GPU"
# Files that the CUDA driver creates; checking them is cheaper than importing CuPy in vain (0.3 s).
_DRIVER_FILES = (
    "/dev/nvidiactl",
    "/dev/nvidia0",
    "/dev/dxg",
    "/dev/nvhost-ctrl-gpu",
    "/proc/driver/nvidia/version",
)
# The first CuPy version with NumPy 2's type promotion.
_OLDEST = 14
_EXTRAS = "install twinflow[cuda12] or twinflow[cuda13], the one that goes with the driver"
# Dtypes that CuPy supports; tensors of others (strings, float8, int4) stay on the host.
_HELD = frozenset("?bBhHiIlLqQefdFD")
_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
# CuPy's argmax returns C's long long, which NumPy distinguishes from its int64 in the repr.
_PLAIN = {"q": np.dtype(np.int64), "Q": np.dtype(np.uint64)}
# The share of free memory that TensorFlow allocates if memory growth is off.
_SHARE = 0.9
# Larger arrays are copied in chunks.
LEAST = 1 << 25


@functools.cache
def _cupy() -> ModuleType | None:
    return None if _missing() else importlib.import_module("cupy")


def is_likely() -> bool:
    """True if there is an NVIDIA driver; a cheap check."""
    return any(map(os.path.exists, _DRIVER_FILES))


def _missing() -> str | None:
    """Returns the reason why CuPy cannot be imported, or None."""
    if not is_likely():
        return "There is no NVIDIA driver."
    if importlib.util.find_spec("cupy") is None:
        return f"There is a driver, but no CuPy: {_EXTRAS}."
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None and (not visible.strip() or visible.strip().startswith("-")):
        return f"CUDA_VISIBLE_DEVICES is {visible!r}, which hides all devices."
    return None


_NO_DEVICE = 100  # the driver's status code


@functools.cache
def _looked() -> tuple[int, str | None]:
    """Returns the number of GPUs, and the reason if it is 0."""
    missing = _missing()
    if missing:
        return 0, missing
    try:
        cupy = _cupy()
        assert cupy is not None
        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # for any error in CuPy, fall back to the host
        if getattr(error, "status", None) == _NO_DEVICE:
            return 0, "The driver knows no device."
        if type(error).__name__ == "CUDARuntimeError":  # CuPy's class of driver errors
            return 0, f"CuPy and the driver do not go together ({error}): {_EXTRAS}."
        return 0, f"CuPy does not load ({type(error).__name__}: {error}): {_EXTRAS}."
    if int(cupy.__version__.split(".")[0]) < _OLDEST:
        return 0, f"CuPy {cupy.__version__} is too old, {_OLDEST} is needed: {_EXTRAS}."
    if not count:
        return 0, "The driver knows no device."
    try:
        # loads NVRTC, which CuPy otherwise loads with the first kernel
        cupy.cuda.nvrtc.getVersion()
    except (ImportError, RuntimeError, OSError) as error:
        return 0, f"CUDA's compiler does not load ({error}): {_EXTRAS}."
    return count, None


def count() -> int:
    """Returns the number of usable GPUs; 0 without CuPy, driver or device."""
    return _looked()[0]


def why_none() -> str | None:
    """Returns the reason why there is no GPU, or None if there is one."""
    return _looked()[1]


def _module() -> Any:
    cupy = _cupy()
    if cupy is None:
        raise RuntimeError(f"There is no GPU. {why_none()}")
    return cupy


@functools.cache
def array_module(ordinal: int = 0) -> Any:
    """Returns the array module of a GPU: CuPy with replacements, whose caches are per device."""
    from twinflow._src.backends.gpu.cupy_compat import Namespace

    return Namespace(_module())


def holds(dtype: np.dtype[Any]) -> bool:
    """True if a GPU supports a dtype."""
    return dtype is _BFLOAT16 or (dtype.isbuiltin == 1 and dtype.char in _HELD)


# ------------------------------------------------------------------ arrays


def from_host(array: np.ndarray[Any, Any], ordinal: int) -> Any:
    """Copies a host array to a GPU; it may be modified immediately, as pinned memory is used."""
    return run(_from_host, ordinal, array, ordinal)


def _from_host(array: np.ndarray[Any, Any], ordinal: int) -> Any:
    """Copies a host array to the current GPU; see ``from_host``."""
    cupy = _module()
    if not array.ndim and not array:  # CuPy would lose the sign of a single zero
        return cupy.array(array.reshape(1)).reshape(())
    if array.nbytes < LEAST:
        return cupy.array(array, order="C")
    from twinflow._src.backends.gpu.transfers import up

    if (
        array.flags.f_contiguous and not array.flags.c_contiguous
    ):  # R's arrays: transposing on the GPU is faster
        return cupy.ascontiguousarray(up(cupy, array.T, ordinal).T)
    return up(cupy, np.ascontiguousarray(array), ordinal)


def to_host(array: Any, out: np.ndarray[Any, Any] | None = None) -> np.ndarray[Any, Any]:
    """Copies a GPU array to the host, synchronizing with the work that computes it."""
    # ``out`` is a C- or Fortran-contiguous host array of its dtype and shape; a new one if None.
    return run(_to_host, array.device.id, array, out)


def _to_host(array: Any, out: np.ndarray[Any, Any] | None) -> np.ndarray[Any, Any]:
    """Copies an array of the current GPU; see ``to_host``."""
    if array.nbytes < LEAST and out is None:
        host = array.get()
        return host.view(_PLAIN[host.dtype.char]) if host.dtype.char in _PLAIN else host
    from twinflow._src.backends.gpu.transfers import down

    out = np.empty(array.shape, _PLAIN.get(array.dtype.char, array.dtype)) if out is None else out
    turned = not out.flags.c_contiguous
    source = _module().ascontiguousarray(array.T if turned else array)
    down(_module(), source, array.device.id, out.T if turned else out)
    return out


def copied(array: Any, ordinal: int) -> Any:
    """Copies an array of any GPU to a certain one."""
    if array.device.id == ordinal:
        return run(array.copy, ordinal)
    return run(across, ordinal, _module().cuda, array)


def ordinal_of(array: Any) -> int:
    """Returns the ordinal of the GPU that holds an array."""
    return array.device.id


def runner(function: Callable[..., Any], ordinal: int) -> Callable[..., Any]:
    """Returns a function that runs another one on a GPU."""
    # It raises TypeError for bfloat16 unless the function is a CuPy ufunc with a bfloat16 loop;
    # ``dispatch/bfloat16.py`` is the fallback.
    takes_all = any(
        "E->E" in loop for loop in getattr(getattr(function, "func", function), "types", ())
    )
    on_its_device = bind_device(function, ordinal)
    if takes_all:
        return on_its_device

    def run(first: Any, *others: Any) -> Any:
        if first.dtype is _BFLOAT16:
            raise TypeError("the general path rounds bfloat16")
        return on_its_device(first, *others)

    return run


def bind_device(function: Callable[..., Any], ordinal: int) -> Callable[..., Any]:
    """Returns a function that runs another one on a GPU, in the default stream."""
    (current, stream, ours), alone, cuda = load_stream_getters(), count() == 1, _module().cuda
    device = cuda.Device(ordinal)

    def run(*args: Any, **options: Any) -> Any:
        # The check costs a tenth of entering the context; a single GPU is always the current one.
        if (alone or current() == ordinal) and stream() is ours:
            return function(*args, **options)
        with device:
            return in_turn(cuda, function, *args, **options)

    return run


@functools.cache
def load_stream_getters() -> tuple[Callable[[], int], Callable[[], Any], Any]:
    """Returns functions for the current device and stream, and the default stream."""
    cuda = _module().cuda
    return cuda.runtime.getDevice, cuda.get_current_stream, cuda.Stream.null


def in_line() -> bool:
    """True if there is one GPU and the current stream is the default stream."""
    _, stream, ours = load_stream_getters()
    return count() == 1 and stream() is ours


def run(function: Callable[..., Any], ordinal: int, /, *args: Any, **options: Any) -> Any:
    """Calls a function on a GPU; if out of memory, frees cached memory and retries once."""
    current, stream, ours = load_stream_getters()
    if current() != ordinal:
        with _module().cuda.Device(ordinal):
            return run(function, ordinal, *args, **options)
    if stream() is not ours:
        return in_turn(_module().cuda, run, function, ordinal, *args, **options)
    try:
        return function(*args, **options)
    except MemoryError:
        pass  # the arrays of the failed call are released outside the handler
    gc.collect()
    release(ordinal)
    return function(*args, **options)


def synchronize(ordinal: int) -> None:
    """Waits until a GPU has completed all pending work."""
    _module().cuda.Device(ordinal).synchronize()


# ------------------------------------------------------------------ properties and memory


def details(ordinal: int) -> dict[str, Any]:
    """Returns the name and the compute capability of a GPU."""
    properties = _module().cuda.runtime.getDeviceProperties(ordinal)
    name = (
        properties["name"].decode() if isinstance(properties["name"], bytes) else properties["name"]
    )
    return {"device_name": name, "compute_capability": (properties["major"], properties["minor"])}


_peaks: dict[int, int] = {}


def memory(ordinal: int) -> tuple[int, int]:
    """Returns the bytes in use by arrays on a GPU, and the sampled peak of the memory pool."""
    cupy = _module()
    with cupy.cuda.Device(ordinal):
        pool = cupy.get_default_memory_pool()
        used, reserved = pool.used_bytes(), pool.total_bytes()
    _peaks[ordinal] = max(_peaks.get(ordinal, 0), reserved)
    return used, _peaks[ordinal]


def forget_peak(ordinal: int) -> None:
    """Frees the cached memory and resets the peak."""
    release(ordinal)
    _peaks.pop(ordinal, None)


def release(ordinal: int) -> None:
    """Frees the cached memory of a GPU's memory pool."""
    with _module().cuda.Device(ordinal):
        _module().get_default_memory_pool().free_all_blocks()


def shorten_products(enabled: bool) -> None:
    """Enables or disables TF32 (10-bit mantissas) in float32 matrix products."""
    from cupy._core import _routines_linalg as linalg

    kind = linalg.COMPUTE_TYPE_TF32 if enabled else linalg.COMPUTE_TYPE_DEFAULT
    linalg.set_compute_type(np.float32, kind)


def adopted(value: Any) -> Any:
    """Wraps another library's GPU array without a copy, unless it is not C-contiguous."""
    cupy = _module()
    return run(
        lambda: cupy.ascontiguousarray(cupy.asarray(value)).reshape(value.shape), _owner(value)
    )


def _owner(value: Any) -> int:
    """Returns the ordinal of the GPU that holds another library's array."""
    # On another current device CuPy would copy it.
    if isinstance(value, _module().ndarray):
        return value.device.id
    address = value.__cuda_array_interface__["data"][0]
    return max(
        _module().cuda.runtime.pointerGetAttributes(address).device, 0
    )  # negative if there are no elements


def limit(ordinal: int, size: int | None = None, grows: bool = True) -> None:
    """Limits the memory pool of a GPU to a size in bytes; allocates it now if it does not grow."""
    cupy = _module()
    with cupy.cuda.Device(ordinal):
        pool = cupy.get_default_memory_pool()
        if size is not None:
            pool.set_limit(size=size)
        if not grows:
            free = cupy.cuda.runtime.memGetInfo()[0]
            cupy.empty(min(size or free, int(free * _SHARE)), np.uint8)  # the pool keeps it


# Backend of forked processes.


class Forked:
    """The backend of GPU devices in a forked process: every access raises RuntimeError."""

    def __getattr__(self, name: str) -> NoReturn:
        raise RuntimeError(
            "CUDA had started when this process was forked, and does not work in it: what is on a GPU is out of reach. "
            "Start the process anew instead (multiprocessing.get_context('spawn')), or fork before anything is asked of a GPU."
        )
