"""Texts of kernels, compiled by the host's compiler instead of NVIDIA's."""

from __future__ import annotations

import ctypes
import functools
import re
from pathlib import Path
from typing import Any

from . import host

HERE = Path(__file__).parent
# -O1 compiles quickest; products and sums are not contracted, as some texts ask for it and others do not care.
_OPTIONS = [
    "-std=c++17",
    "-O1",
    "-fPIC",
    "-w",
    "-ffp-contract=off",
    "-fno-strict-aliasing",
    "-fwrapv",
]
_KERNEL = re.compile(
    r"__global__\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\("
)
# Where threads have to do with each other: they run together.
_TOGETHER = re.compile(r"__syncthreads|__syncwarp|__shfl|__ballot|__any_sync|__all_sync")
_DYNAMIC = re.compile(
    r"extern\s+__shared__\s+(?:__align__\(\w+\)\s*)?([\w:<> ]+?)\s+(\w+)\s*\[\s*\]"
)
_HEADERS = """#include "cuda_on_host.h"
#include <cupy/complex.cuh>
#include <cupy/carray.cuh>
#include <cupy/atomics.cuh>
#include <cupy/math_constants.h>
#include <cupy/float16.cuh>
#include <cupy/bfloat16.cuh>
"""


class Kernel(ctypes.Structure):
    """A function that runs one thread of a kernel, and whether its threads wait for each other."""

    _fields_ = [("run", ctypes.c_void_p), ("together", ctypes.c_int)]


class Kernels:
    """Compiled modules and functions by the handles that CuPy holds.

    Args:
        folder: Where files may lie.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._libraries: list[tuple[ctypes.CDLL, str]] = []
        self._found: dict[tuple[int, str], Kernel] = {}

    @functools.cache  # noqa: B019  # there is one
    def _headers(self, include: tuple[str, ...]) -> Path:
        """The headers that most texts begin with; the compiler reads them once."""
        known = (HERE / "cuda_on_host.h").read_text()
        return host.header(_HEADERS, self._folder, [*_OPTIONS, *include], known)

    def compile(
        self, source: str, options: tuple[str, ...], expressions: list[str]
    ) -> tuple[bytes, dict[str, str]]:
        """A compiled source: the name of its file, whether its threads run together, and the names of its expressions.

        Args:
            source: The text.
            options: What NVIDIA's compiler would be told.
            expressions: The kernels of templates that are asked for; without any, all kernels of the text are.
        """
        include = (f"-I{HERE}", *(option for option in options if option.startswith("-I")))
        defined = [option for option in options if option.startswith("-D")]
        names = {expression: f"{i}" for i, expression in enumerate(expressions)} or {
            name: name for name in _KERNEL.findall(source)
        }
        text = _DYNAMIC.sub(r"\1 *\2 = (\1 *)emu_dynamic", source)
        ends = "".join(
            f'\nextern "C" void emu_run_{name}(void **given) {{ emu_call({kernel}, given); }}'
            for kernel, name in names.items()
        )
        flags = [*_OPTIONS, *include, *defined, "-include", str(self._headers(include))]
        file = host.compiled(text + ends, self._folder, flags)
        return f"{int(bool(_TOGETHER.search(source)))}{file}".encode(), names if expressions else {}

    def load(self, compiled: bytes) -> int:
        text = bytes(compiled).decode()
        self._libraries.append((ctypes.CDLL(text[1:]), text[0]))
        return len(self._libraries)

    def find(self, number: int, name: Any) -> int:
        name = name if isinstance(name, str) else name.decode()
        key = number, name
        if key not in self._found:
            library, together = self._libraries[number - 1]
            run = ctypes.cast(getattr(library, f"emu_run_{name}"), ctypes.c_void_p).value
            self._found[key] = Kernel(run, int(together))
        return ctypes.addressof(self._found[key])
