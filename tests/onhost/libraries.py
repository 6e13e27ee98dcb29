"""CUDA's libraries on the host: products by our definitions, decompositions, transforms and orders by NumPy's."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from . import host
from .kernels import HERE

_BY_NUMPY = {
    "linalg": ["cholesky", "qr", "svd", "eigh", "eigvalsh", "eig", "eigvals", "solve", "inv", "pinv", "lstsq", "det", "slogdet", "matrix_rank", "cond"],
    "fft": ["fft", "ifft", "fftn", "ifftn", "rfft", "irfft", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"],
}  # fmt: skip
_NOT_SUPPORTED = 15


def install(packages: Path, folder: Path, include: list[str]) -> None:
    """Loads libraries of the names that CuPy's modules ask for, before they do.

    What such a library has is what they ask for; all that ``cublas.cpp`` does not define answers that it is not supported.

    Args:
        packages: Where CuPy lies.
        folder: Where files may lie.
        include: Where the compiler finds CUDA's headers.
    """
    asked = defaultdict(set)
    for module in (
        *packages.glob("cupy_backends/cuda/libs/*.so"),
        *packages.glob("cupy/cuda/*.so"),
    ):
        names = subprocess.run(
            ["nm", "-D", "--undefined-only", module], capture_output=True, text=True, check=True
        ).stdout
        for name, library in re.findall(r" U (\w+)@+(lib(?:cu|nv)\w+\.so\.\d+)", names):
            asked[library].add(name)
    from cuda import pathfinder

    pathfinder.load_nvidia_dynamic_lib = lambda name: None  # those of these names are loaded
    own = (HERE / "cublas.cpp").read_text()
    for library, names in sorted(asked.items()):
        text = own if library.startswith("libcublas.") else "#include <cstdio>"
        made = text + "".join(
            f'\nextern "C" int {name}() {{ fputs("{name} is not there on the host\\n", stderr); return {_NOT_SUPPORTED}; }}'
            for name in sorted(names)
            if not _defined(name, own)
        )
        versions = folder / f"{library}.map"
        folder.mkdir(parents=True, exist_ok=True)
        versions.write_text(f"{library} {{ global: *; }};\n")
        flags = ["-std=c++17", "-O2", "-fPIC", "-w", *include]
        linked = [f"-Wl,-soname,{library}", f"-Wl,--version-script={versions}"]
        ctypes.CDLL(
            str(host.compiled(made, folder, flags, libraries=linked)), mode=ctypes.RTLD_GLOBAL
        )


def _defined(name: str, text: str) -> bool:
    """True if a text defines a function, by itself or for each of four types."""
    plain = re.sub(
        r"^cublas[SDCZ](?=gemm_|gemmStrided|gemmBatched|gemv|dot[uc])", "cublas##X##", name
    )
    return f"{name}(" in text or f"{plain}(" in text


def replace(cupy: Any) -> None:
    """Gives CuPy's functions that call libraries those of NumPy."""
    for group, names in _BY_NUMPY.items():
        for name in names:
            if hasattr(getattr(cupy, group), name):
                setattr(
                    getattr(cupy, group), name, _by_numpy(cupy, getattr(getattr(np, group), name))
                )
    thrust = cupy.cuda.thrust
    thrust.available = True
    thrust.sort, thrust.argsort, thrust.lexsort = _sort, _argsort, _lexsort


def _by_numpy(cupy: Any, function: Any) -> Any:
    def run(*given: Any, **named: Any) -> Any:
        host = lambda x: x.get() if isinstance(x, cupy.ndarray) else x
        found = function(*map(host, given), **{key: host(value) for key, value in named.items()})
        device = lambda x: cupy.asarray(x) if isinstance(x, (np.ndarray, np.generic)) else x
        return tuple(map(device, found)) if isinstance(found, tuple) else device(found)

    return run


def _at(pointer: int, dtype: Any, shape: Any) -> np.ndarray[Any, Any]:
    """The array at an address."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    return (
        np.frombuffer((ctypes.c_char * size).from_address(pointer), dtype).reshape(shape)
        if size
        else np.empty(shape, dtype)
    )


def _sort(dtype: Any, data: int, keys: int, shape: Any) -> None:
    _at(data, dtype, shape).sort(axis=-1, kind="stable")


def _argsort(dtype: Any, places: int, data: int, keys: int, shape: Any) -> None:
    _at(places, np.intp, shape)[...] = np.argsort(_at(data, dtype, shape), axis=-1, kind="stable")


def _lexsort(dtype: Any, places: int, keys: int, count: int, size: int) -> None:
    _at(places, np.intp, (size,))[...] = np.lexsort(_at(keys, dtype, (count, size)))
