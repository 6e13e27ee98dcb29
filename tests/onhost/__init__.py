"""CuPy on machines without a GPU: its own code, its own kernels and ours, compiled for the host.

``start()`` gives CuPy a runtime and a driver of the host (``driver.py``), has the text of each kernel compiled by the host's
compiler (``kernels.py``), runs its threads one after the other (``threads.cpp``), and puts definitions and NumPy in the place of
CUDA's libraries (``libraries.py``). Then ``tests/gpu`` can be run: ``make test-gpu-on-host``.

What this shows: that CuPy takes what we ask of it, and that kernels give the right values, write nowhere else and read nothing
that was never written. What it can not show: times, the order of work that runs at the same time, and the last bits of
NVIDIA's own functions (exp, erfinv, cuBLAS, cuFFT, cuSOLVER, CUB).

It hangs on the inside of CuPy: versions 14.
"""

from __future__ import annotations

import ctypes
import functools
import os
from pathlib import Path
from typing import Any


def start(folder: Path, devices: int = 1, memory: int = 1 << 32) -> Any:
    """CuPy over the host, in this process, before anything imports it.

    Args:
        folder: Where files may lie; what was compiled is kept there.
        devices: How many GPUs there are.
        memory: How many bytes each of them has.

    Returns:
        The module.
    """
    os.environ["CUPY_ACCELERATORS"] = ""  # CUB's kernels are compiled already, for GPUs
    import cupy_backends.cuda.api.driver as api_driver
    import cupy_backends.cuda.api.runtime as api_runtime

    from . import driver, host, kernels, libraries

    packages = Path(api_runtime.__file__).parents[3]
    headers = [
        *packages.glob("nvidia/*/include"),
        packages / "cupy/_core/include/cupy/_cccl/libcudacxx",
    ]
    include = [f"-I{path}" for path in (kernels.HERE, *headers)]
    threads = host.compiled(
        (kernels.HERE / "threads.cpp").read_text(), folder, ["-std=c++17", "-O2", "-fPIC", *include]
    )
    ctypes.CDLL(str(threads), mode=ctypes.RTLD_GLOBAL)
    own = kernels.Kernels(folder)
    properties = functools.partial(_properties, memory)
    driver.install(
        {"runtime": api_runtime, "driver": api_driver},
        folder,
        devices,
        memory,
        own.load,
        own.find,
        properties,
    )
    libraries.install(packages, folder, include)

    import cupy
    from cupy.cuda import compiler

    def compiled(
        source: str, options: tuple[str, ...], arch: Any, file: str, expressions: Any, *given: Any
    ) -> tuple[bytes, dict[str, str]]:
        return own.compile(source, options, list(expressions or ()))

    compiler._compile_using_nvrtc_no_warning = compiled
    compiler._preprocess = lambda *given, **named: ""
    compiler._kernel_cache_backend = _NoCache()
    cupy.cuda.nvrtc.getVersion = lambda: (12, 9)
    libraries.replace(cupy)
    return cupy


class _NoCache:
    """CuPy keeps nothing of what was compiled: ``host.py`` does."""

    def load(self, name: str) -> None:
        return None

    def save(self, *given: Any) -> None:
        return None


def _properties(memory: int, ordinal: int) -> dict[str, Any]:
    """The driver and the libraries that CuPy calls, compiled for the host."""
    return {
        "name": b"The host", "major": 9, "minor": 0, "multiProcessorCount": 4, "sharedMemPerBlock": 49152, "totalGlobalMem": memory,
        "maxThreadsPerBlock": 1024, "maxThreadsDim": (1024, 1024, 64), "maxGridSize": (2**31 - 1, 65535, 65535), "warpSize": 32,
        "maxThreadsPerMultiProcessor": 2048, "l2CacheSize": 1 << 20, "clockRate": 10**6,
        "pciBusID": ordinal, "pciDeviceID": 0, "pciDomainID": 0,
    }  # fmt: skip
