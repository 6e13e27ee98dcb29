"""What our own kernels compute, by NumPy: the stand-in has no compiler. Their texts are compiled and compared elsewhere."""

import numpy as np

from . import cuda
from .journal import journal


def _rows(*given):
    where, sizes = np.broadcast_arrays(*given[: len(given) // 2]), given[len(given) // 2 :]
    inside = np.logical_and.reduce([(p >= 0) & (p < n) for p, n in zip(where, sizes, strict=True)])
    found = np.zeros(where[0].shape, np.int64)
    for places, size in zip(where, sizes, strict=True):
        found = found * size + places.astype(np.int64)
    return np.where(inside, found, -1)


def _take(source, places, count, rows, width, found):
    shaped, out = source.reshape(-1, rows, width), found.reshape(-1, count, width)
    inside = (places >= 0) & (places < rows)
    out[...] = 0
    out[:, inside] = shaped[:, places[inside]]


def _replace(places, update, rows, width, target):
    inside = (places >= 0) & (places < rows)
    target.reshape(rows, width)[places[inside]] = update[inside]


def _combine(ufunc):
    def at(places, update, rows, width, target):
        inside = (places >= 0) & (places < rows)
        ufunc.at(target.reshape(rows, width), places[inside], update[inside])

    return at


KERNELS = {"twinflow_take_inside": _take, "twinflow_replace_at": _replace, "twinflow_fmod": np.fmod}
KERNELS |= {f"twinflow_rows_{depth}": _rows for depth in range(1, 9)}
for _name in ("add", "subtract", "multiply", "true_divide", "floor_divide", "maximum", "minimum", "logical_xor"):
    KERNELS[f"twinflow_{_name}_at"] = _combine(getattr(np, _name))


def _assert_types(inputs, args):
    """A letter stands for one type, and a type for itself; numbers take any."""
    letters = {}
    for parameter, value in zip(inputs.split(", "), args, strict=False):
        kind = parameter.split()[-2]
        if hasattr(value, "_host"):
            wanted = letters.setdefault(kind, value.dtype) if len(kind) == 1 else np.dtype(kind)
            if value.dtype != wanted:
                raise TypeError(f"Type is mismatched. {parameter} {value.dtype} {wanted}")


def kernel(inputs, outputs, operation, name="kernel", **options):
    """A kernel of ours, by its name; what has no function here (the generator) goes the way without a kernel."""
    from .arrays import unwrapped, wrapped

    if name not in KERNELS:
        raise AttributeError(f"the stand-in has no kernel {name}")

    def run(*args):
        _assert_types(inputs, args)
        journal.note("kernel", name, cuda.current())
        return wrapped(KERNELS[name](*unwrapped(args)))

    return run
