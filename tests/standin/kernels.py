"""Our own kernels: a launch is written down, and its results are any numbers. Values are compared in ``tests/gpu``.

Floats are drawn from [0, 1) and unsigned integers are random bits, so that loops that reject numbers end; others are zero.
"""

import re

import numpy as np

from . import cuda
from .journal import journal

_numbers = np.random.default_rng(1)


def fill(out):
    """Writes a kernel's results."""
    if out.dtype.kind == "u":
        out[...] = np.frombuffer(_numbers.bytes(out.nbytes), out.dtype).reshape(out.shape)
    else:
        out[...] = _numbers.random(out.shape) if out.dtype.kind == "f" else 0


def assert_types(inputs, args):
    """A letter stands for one type, and a type for itself; numbers take any. Returns the types of the letters."""
    letters = {}
    for parameter, value in zip(inputs.split(", "), args, strict=False):
        kind = parameter.split()[-2]
        if hasattr(value, "_host"):
            expected = letters.setdefault(kind, value.dtype) if len(kind) == 1 else np.dtype(kind)
            if value.dtype != expected:
                raise TypeError(f"Type is mismatched. {parameter} {value.dtype} {expected}")
    return letters


def kernel(inputs, outputs, operation, name="kernel", **options):
    """CuPy's ``ElementwiseKernel``."""
    from .arrays import unwrapped, wrapped

    is_raw = [parameter.startswith("raw ") for parameter in inputs.split(", ")]
    results = [parameter.split()[-2] for parameter in outputs.split(", ")]

    def run(*args):
        letters = assert_types(inputs, args)
        journal.note("kernel", name, cuda.current())
        given = unwrapped(args)
        if len(given) > len(is_raw):
            for out in () if "raw" in outputs else given[len(is_raw) :]:
                fill(out)
            return None
        shape = np.broadcast_shapes(
            *(np.shape(x) for x, raw in zip(given, is_raw, strict=True) if not raw)
        )
        found = [np.empty(shape, letters.get(kind, kind)) for kind in results]
        for out in found:
            fill(out)
        return tuple(map(wrapped, found)) if len(found) > 1 else wrapped(found[0])

    return run


def raw_kernel(code, name, **options):
    """CuPy's ``RawKernel``; what it writes to are the pointers that are not to constants."""
    from .arrays import unwrapped

    parameters = re.search(rf"{name}\(([^)]*)\)", code).group(1).split(",")
    written = ["*" in parameter and "const" not in parameter for parameter in parameters]

    def run(grid, block, args):
        assert all(0 < n < 1 << 31 for n in (*grid, *block)) and block[0] <= 1024
        journal.note("kernel", name, cuda.current())
        for value, is_written in zip(unwrapped(args), written, strict=True):
            if is_written:
                fill(value)

    return run
