"""Compilation and launch of GPU kernels: compiler options, grid sizes, arguments, size checks."""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# Compilation. No multiplication and addition are contracted to one rounding, so that an operation
# has the same bits alone, fused with others and on the host.

_OPTIONS = ("--fmad=false",)


def compile_elementwise(
    cupy: Any, inputs: str, outputs: str, text: str, name: str, preamble: str = ""
) -> Callable[..., Any]:
    """Returns a kernel that runs a source for each element; CuPy compiles it per array layout."""
    kernel: Callable[..., Any] = cupy.ElementwiseKernel(
        inputs, outputs, text, name, preamble=preamble, options=_OPTIONS
    )
    return kernel


def compile_raw(cupy: Any, text: str, name: str) -> Callable[..., Any]:
    """Returns a kernel of a whole source, called with grid, block and arguments."""
    kernel: Callable[..., Any] = cupy.RawKernel(text, name, options=_OPTIONS)
    return kernel


# Arguments and grid.


_MASK64, _SIGN = 2**64 - 1, 2**63
# Threads per block, and the maximum number of blocks; beyond it, a thread computes several
# elements.
_THREADS, _MAX_BLOCKS = 128, 1 << 16


@functools.lru_cache(1 << 12)
def pack_integers(*values: int) -> Any:
    """Packs 64-bit integers into one struct argument of a kernel, cached."""
    # CuPy passes it on as it is, and takes half a microsecond for each separate number.
    return np.void(struct.pack(f"={len(values)}q", *values))


def declare_integers(names: Sequence[str]) -> tuple[str, str]:
    """Returns the source of the struct ``twinflow_integers``, and of unpacking it from ``packed``."""
    return f"struct twinflow_integers {{ long long {', '.join(names)}; }};", " ".join(
        f"const long long {name} = packed.{name};" for name in names
    )


def signed(value: int) -> int:
    """Reinterprets a 64-bit number as a signed integer."""
    return (value & _MASK64) - ((value & _SIGN) << 1)


@functools.lru_cache(1 << 12)
def grid_of(count: int) -> tuple[tuple[int], tuple[int]]:
    """Returns the grid and block size for a number of elements."""
    return (min(-(-count // _THREADS), _MAX_BLOCKS),), (_THREADS,)


# Size checks of new arrays. CuPy multiplies sizes in 64 bits without an overflow check: an array of
# 2^62 elements gets no memory at all, and a kernel that writes to it corrupts the CUDA context of
# the whole process.


# Number of elements that exceeds any device; the byte count must fit into 64 bits.
_MAX_ELEMENTS = 1 << 56


def check_size(count: float) -> None:
    """Raises MemoryError for a number of elements that exceeds any memory."""
    if count > _MAX_ELEMENTS:
        raise MemoryError(f"There is no memory for {count} elements.")


def checked(name: str) -> Callable[[Any], Callable[..., Any]]:
    """Returns a factory that adds the size check to a CuPy function of a shape."""

    def bind_allocator(cupy: Any) -> Callable[..., Any]:
        plain = getattr(cupy, name)

        def allocate(shape: Any, *args: Any, **options: Any) -> Any:
            check_size(math.prod(shape) if isinstance(shape, (tuple, list)) else shape)
            return plain(shape, *args, **options)

        return allocate

    return bind_allocator


# ``cupy.empty`` without the checks of CuPy's function.
allocator = checked("ndarray")
ALLOCATORS = {name: checked(name) for name in ("empty", "zeros", "ones", "full")}
