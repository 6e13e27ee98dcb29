"""Texts of kernels of GPUs as functions of the host, where there is a compiler."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

COMPILER = shutil.which("c++") or shutil.which("g++")


def compiled(text: str, folder: Path, *options: str, header: str = "") -> ctypes.CDLL:
    """The functions of a text in C++; skips the test where nothing compiles it.

    Args:
        text: The text.
        folder: Where files may lie; what was compiled there once is not compiled again.
        options: What the compiler is told besides.
        header: What many texts begin with: it is read once.
    """
    if COMPILER is None:
        pytest.skip("there is no C++ compiler")
    made = folder / f"{abs(hash(text))}.so"
    if not made.exists():
        source = made.with_suffix(".cpp")
        source.write_text(text)
        before = ("-include", _read_once(header, folder, options)) if header else ()
        subprocess.run(
            [COMPILER, *options, *before, "-shared", "-fPIC", "-o", made, source], check=True
        )
    return ctypes.CDLL(str(made))


def _read_once(header: str, folder: Path, options: tuple[str, ...]) -> Path:
    """The file of a header, with what the compiler keeps of it beside: that is most of the work of a short text."""
    file = folder / f"{abs(hash(header))}.h"
    if not file.exists():
        file.write_text(header)
        subprocess.run(
            [COMPILER, *options, "-fPIC", "-x", "c++-header", file, "-o", f"{file}.gch"], check=True
        )
    return file


# What a GPU's compiler knows by itself.
HEADER = "#include <cmath>\n#include <cstring>\n"
KNOWN = """
using namespace std;
#define __device__
template<typename T> T atomicAdd(T *at, T own) { T old = *at; *at = T(old + own); return old; }
template<typename T> T atomicCAS(T *at, T known, T next) { T old = *at; if (old == known) *at = next; return old; }
"""
_C = {
    "?": "bool", "b": "signed char", "B": "unsigned char", "h": "short", "H": "unsigned short", "i": "int",
    "I": "unsigned int", "l": "long long", "L": "unsigned long long",
    "f": "float", "d": "double", "F": "std::complex<float>", "D": "std::complex<double>",
}  # fmt: skip


class HostKernel:
    """CuPy's ``ElementwiseKernel`` on the host, as far as ours ask for it.

    Args:
        folder: Where files may lie.
        inputs: The parameters that are read.
        outputs: Those that are written.
        text: What is done with each element.
        name: The name of the kernel.
        preamble: What stands before.
        options: What NVIDIA's compiler is told.
    """

    def __init__(self, folder, inputs, outputs, text, name, preamble="", options=()):
        self._all = [parameter.split() for parameter in f"{inputs}, {outputs}".split(", ")]
        self._text, self._preamble, self._folder = text, preamble, folder
        self._options = (
            "-std=c++17",
            "-O0",
            *(["-ffp-contract=off"] if "--fmad=false" in options else []),
        )
        self._count = len(inputs.split(", "))

    def __call__(self, *given):
        letters = {
            p[-2]: a.dtype
            for p, a in zip(self._all, given, strict=False)
            if len(p[-2]) == 1 and hasattr(a, "dtype")
        }
        types = [letters[p[-2]] if len(p[-2]) == 1 else np.dtype(p[-2]) for p in self._all]
        raw = ["raw" in p for p in self._all]
        plain = [
            a for a, is_raw in zip(given, raw, strict=False) if not is_raw and getattr(a, "ndim", 0)
        ]
        size = np.broadcast_shapes(*(a.shape for a in plain))
        if len(given) == self._count:
            given = (*given, *(np.empty(size, t) for t in types[self._count :]))
        arrays = [
            a if r or i >= self._count else np.array(np.broadcast_to(a, size), t, order="C")
            for i, (a, r, t) in enumerate(zip(given, raw, types, strict=True))
        ]
        library = self._library(types, raw)
        pointers = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
        library.run(ctypes.c_longlong(int(np.prod(size))), pointers)
        found = arrays[self._count :]
        return found[0] if len(found) == 1 else found

    def _library(self, types, raw):
        names = [p[-1] for p in self._all]
        letters = {
            p[-2]: _C[t.char] for p, t in zip(self._all, types, strict=True) if len(p[-2]) == 1
        }
        declared = "".join(f"typedef {c} {letter};\n" for letter, c in letters.items())
        before = [
            f"{_C[t.char]} *{n}{'' if r else '_'} = ({_C[t.char]}*)p[{i}];"
            for i, (n, t, r) in enumerate(zip(names, types, raw, strict=True))
        ]
        each = [
            f"{_C[t.char]} &{n} = {n}_[i];"
            for n, t, r in zip(names, types, raw, strict=True)
            if not r
        ]
        complex = "#include <complex>\n" if any(t.kind == "c" for t in types) else ""
        code = f"""{KNOWN}{declared}{self._preamble}
extern "C" void run(long long n, void **p) {{
    {" ".join(before)}
    for (long long i = 0; i < n; ++i) {{ {" ".join(each)} {self._text}; }}
}}"""
        return compiled(code, self._folder, *self._options, header=complex + HEADER)


_ALONE = """
struct double2 { double x, y; };
struct Place { long long x; };
static const Place blockIdx = {0}, threadIdx = {0}, blockDim = {1}, gridDim = {1};
#define __global__
#define __shared__
inline void __syncthreads() {}
"""


class HostLoop:
    """CuPy's ``RawKernel`` on the host, for kernels whose threads have nothing to do with each other: one thread does all.

    Args:
        folder: Where files may lie.
        text: The text.
        name: The name of the kernel.
    """

    _before, _after, _options = _ALONE, 'extern "C" void run(void **p) {{ {name}({given}); }}', ()

    def __init__(self, folder, text, name):
        parameters = re.search(rf"{name}\(([^)]*)\)", text).group(1)
        parameters = re.split(r",\s*", parameters)
        pointers = ["*" in parameter for parameter in parameters]
        types = [parameter.rpartition(" ")[0] for parameter in parameters]
        given = [
            f"({t}*)p[{i}]" if pointer else f"*({t}*)p[{i}]"
            for i, (t, pointer) in enumerate(zip(types, pointers, strict=True))
        ]
        run = self._after.format(name=name, given=", ".join(given))
        self._library = compiled(
            f"{self._before}{text}\n{run}", folder, "-std=c++17", "-O0", *self._options
        )

    def __call__(self, *args):
        at, _kept = _addresses(args)
        self._library.run(at)


def _addresses(args):
    """Addresses of a kernel's arguments: arrays, integers and structures of these, kept alive during the launch."""
    kept = list(map(np.asarray, args))
    return (ctypes.c_void_p * len(kept))(*(x.ctypes.data for x in kept)), kept


_TOGETHER = f"""
#include "{Path(__file__).parent / "onhost" / "threads.cpp"}"
#include <math.h>
#include <cmath>
using namespace std;
struct double2 {{ double x, y; }};
#define threadIdx emu_threadIdx
#define blockIdx emu_blockIdx
#define blockDim emu_blockDim
#define gridDim emu_gridDim
#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(count)
inline void __syncthreads() {{ emu_wait_block(); }}
"""
_GROUPS = """
static void one(void **p) {{ {name}({given}); }}
extern "C" void run(void **p, unsigned groups, unsigned size) {{ emu_launch(one, 1, {{groups, 1, 1}}, {{size, 1, 1}}, 0, p); }}
"""


class HostGroups(HostLoop):
    """CuPy's ``RawKernel`` on the host, for kernels whose threads work together: one group after the other."""

    _before, _after, _options = _TOGETHER, _GROUPS, ("-ffp-contract=off",)

    def __call__(self, groups, threads, args):
        at, _kept = _addresses(args)
        self._library.run(at, ctypes.c_uint(groups[0]), ctypes.c_uint(threads[0]))
