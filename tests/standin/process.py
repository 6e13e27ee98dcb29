"""Stand-ins for GPUs among the devices of the process, for the length of a block."""

from __future__ import annotations

import contextlib
import importlib.machinery
import os
import sys
import types
from unittest import mock

import numpy as np

from twinflow._src.backends.gpu import device
from twinflow._src.conversion.constant import scalars
from twinflow._src.core.context import runtime
from twinflow._src.dispatch.inputs import _vector

from . import cuda
from .arrays import ndarray
from .functions import Module


def module():
    """A new module in CuPy's place."""
    cupy = Module("cupy")
    cupy.__version__ = "14.0.0"
    cupy.__spec__ = importlib.machinery.ModuleSpec("cupy", None)
    cupy.linalg, cupy.fft = Module("cupy.linalg", "linalg."), Module("cupy.fft", "fft.")
    cupy.lib = types.SimpleNamespace(
        stride_tricks=Module("cupy.lib.stride_tricks", "lib.stride_tricks.")
    )
    cupy.cuda, cupy.ndarray = cuda, ndarray
    cupy.get_default_memory_pool = _Pools
    return cupy


class _Pools:
    """CuPy's pool: that of the current device."""

    def __getattr__(self, name):
        return getattr(cuda.pool(), name)


@contextlib.contextmanager
def _cupyx():
    cupyx = types.ModuleType("cupyx")
    cupyx.errstate = lambda **options: contextlib.nullcontext()
    cupyx.empty_pinned = np.empty
    yield cupyx


@contextlib.contextmanager
def present(count=2, total=1 << 34, error=None):
    """A block in which CuPy is the stand-in, and a driver seems to exist.

    Args:
        count: How many devices there are.
        total: The bytes of memory of each.
        error: The status with which the driver answers instead.
    """
    cuda.begin(count, total, error)
    outer = {name: sys.modules.get(name) for name in ("cupy", "cupyx")}
    files = device._DRIVER_FILES
    with _cupyx() as cupyx, mock.patch.dict(os.environ):
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)
        sys.modules.update(cupy=module(), cupyx=cupyx)
        device._DRIVER_FILES = ("/",)
        _forget()
        try:
            yield sys.modules["cupy"]
        finally:
            device._DRIVER_FILES = files
            for name, value in outer.items():
                sys.modules.pop(name)
                if value is not None:
                    sys.modules[name] = value
            _forget()


def _forget():
    """Clears the caches of what was found of the machine."""
    for cached in (device._cupy, device._looked, device.load_stream_getters, device.array_module):
        cached.cache_clear()


@contextlib.contextmanager
def gpus(count=2, total=1 << 34):
    """A block in which the devices of the process are the host and some stand-ins for GPUs.

    Args:
        count: How many.
        total: The bytes of memory of each.
    """
    kept = dict(vars(runtime))
    with present(count, total):
        _emptied()
        runtime.__init__()
        runtime.devices  # they are looked for
        try:
            yield runtime.devices
        finally:
            vars(runtime).update(kept)
            _emptied()


def _emptied():
    """Constants that were kept are on devices that are there no more."""
    scalars.clear()
    _vector.cache_clear()
