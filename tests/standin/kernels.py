"""Our own kernels computed by NumPy: the stand-in has no compiler. Their sources are compiled and compared elsewhere."""

import functools
import math
import struct
import tempfile
from pathlib import Path

import numpy as np

from tests.compiling import HostGroups, HostKernel, HostLoop
from twinflow._src.backends.gpu.kernels.elementwise import FORMULAS, WRITTEN
from twinflow._src.core.dtypes import int64
from twinflow._src.dispatch.op import OPS
from twinflow._src.random import categorical, distributions
from twinflow._src.random.philox import Stream

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


def _corrected_rate(rate, made, beta_1, beta_2):
    power = lambda beta: rate.dtype.type(np.float64(beta) ** np.float64(made + 1))
    return np.asarray(rate * np.sqrt(1 - power(beta_2)) / (1 - power(beta_1))).astype(rate.dtype)


KERNELS["twinflow_corrected_rate"] = _corrected_rate


def _windows(sizes):
    """For each window of an image, and each place in it: the row and the column, and whether they are inside."""
    height, width, rows, columns, high, wide, step_y, step_x, apart_y, apart_x, above, left = map(
        int, sizes
    )
    y = np.arange(rows)[:, None] * step_y + np.arange(high) * apart_y - above
    x = np.arange(columns)[:, None] * step_x + np.arange(wide) * apart_x - left
    inside = ((y >= 0) & (y < height))[:, None, :, None] & ((x >= 0) & (x < width))[
        None, :, None, :
    ]
    at = y[:, None, :, None] * width + x[None, :, None, :]
    return np.where(inside, at, -1).reshape(rows * columns, high * wide)


def _gather_windows(patches, channels, *rest):
    *sizes, total = rest
    at = _windows(sizes)
    flat, given = (
        total.reshape(len(total), -1, int(channels)),
        patches.reshape(len(total), *at.shape, int(channels)),
    )
    flat[...] = 0
    for window, place in zip(*np.nonzero(at >= 0), strict=True):
        flat[:, at[window, place]] += given[:, window, place]


def _to_largest(images, change, channels, *rest):
    *sizes, total = rest
    at = _windows(sizes)
    source, flat = (
        images.reshape(len(images), -1, int(channels)),
        total.reshape(len(total), -1, int(channels)),
    )
    found = np.where((at >= 0)[None, :, :, None], source[:, at], -np.inf)
    first = np.argmax(np.where(np.isnan(found), -np.inf, found) + 0.0, axis=2)
    where = np.take_along_axis(
        np.broadcast_to(at[None, :, :, None], found.shape), first[:, :, None], 2
    )[:, :, 0]
    image, channel = np.indices(where.shape)[[0, 2]]
    np.add.at(flat, (image, where, channel), change.reshape(where.shape))


KERNELS |= {"twinflow_gather_windows": _gather_windows, "twinflow_to_largest": _to_largest}
KERNELS |= {f"twinflow_rows_{depth}": _rows for depth in range(1, 9)}
for _name in (
    "add",
    "subtract",
    "multiply",
    "true_divide",
    "floor_divide",
    "maximum",
    "minimum",
    "logical_xor",
):
    KERNELS[f"twinflow_{_name}_at"] = _combine(getattr(np, _name))


def _own(type):
    """Returns what the operation's own kernel computes on the host."""
    return lambda *given: OPS[type].kernel(np, *given)


_SAID = {
    "fmod": np.fmod, "lgamma": _own("Lgamma"), "j0": _own("BesselJ0"), "j1": _own("BesselJ1"), "y0": _own("BesselY0"),
    "where": np.where, "exp": np.exp, "log": np.log, "log1p": np.log1p, "sqrt": np.sqrt, "fabs": np.fabs,
    "erf": np.vectorize(math.erf, "d"), "erfc": np.vectorize(math.erfc, "d"),
}  # fmt: skip


def _formula(type):
    """A formula as Python reads it, in the type in which C++ computes it."""
    names, text = FORMULAS[type]
    code = compile(text, type, "eval")

    def run(*given):
        own = given[0].dtype
        wide = np.float64 if own == np.float64 else np.float32
        said = {
            name: np.asarray(value).astype(wide)
            for name, value in zip(names.split(), given, strict=True)
        }
        numbers = {
            "zero": wide(0),
            "half": wide(0.5),
            "one": wide(1),
            "six": wide(6),
            "number": wide,
        }
        with np.errstate(all="ignore"):
            return np.asarray(eval(code, {**_SAID, **numbers, **said})).astype(own)

    return run


KERNELS |= {f"twinflow_{type}": _formula(type) for type in FORMULAS} | {
    f"twinflow_{type}": _own(type) for type in WRITTEN
}


def _assert_types(inputs, args):
    """A letter stands for one type, and a type for itself; numbers take any."""
    letters = {}
    for parameter, value in zip(inputs.split(", "), args, strict=False):
        kind = parameter.split()[-2]
        if hasattr(value, "_host"):
            wanted = letters.setdefault(kind, value.dtype) if len(kind) == 1 else np.dtype(kind)
            if value.dtype != wanted:
                raise TypeError(f"Type is mismatched. {parameter} {value.dtype} {wanted}")


@functools.cache
def _folder():
    return tempfile.TemporaryDirectory(prefix="twinflow-kernels-")


def kernel(inputs, outputs, operation, name="kernel", **options):
    """A kernel of ours, by its name; what has no function here (the generator) goes the way without a kernel."""
    from .arrays import unwrapped, wrapped

    if name == "twinflow_blend":  # its text is all that there is of it
        own = HostKernel(Path(_folder().name), inputs, outputs, operation, name, **options)
    elif name in KERNELS:
        own = KERNELS[name]
    else:
        raise AttributeError(f"the stand-in has no kernel {name}")

    def run(*args):
        _assert_types(inputs, args)
        journal.note("kernel", name, cuda.current())
        found = own(*unwrapped(args))
        return list(map(wrapped, found)) if type(found) is list else wrapped(found)

    return run


def _logarithms(x, width):
    x = x.reshape(-1, width)
    shifted = x - x.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def _softmax(x, given, y, losses, width):
    y[...] = np.exp(_logarithms(x, width)).reshape(y.shape)


def _log_softmax(x, given, y, losses, width):
    y[...] = _logarithms(x, width).reshape(y.shape)


def _cross_entropy(x, labels, y, losses, width):
    logarithms = _logarithms(x, width)
    losses[...] = -(labels * logarithms).sum(-1)
    y[...] = np.exp(logarithms) - labels


def _sparse_cross_entropy(x, labels, y, losses, width):
    known = (labels >= 0) & (labels < width)
    _cross_entropy(
        x, np.where(known[:, None], np.arange(width) == labels[:, None], np.nan), y, losses, width
    )


def _drawn(kind, dtype):
    """The numbers of a stream, by the functions of the host."""

    def run(told, own, out):
        low, high, key, count, apart, lowest, scale, shift = struct.unpack(
            "=QQQqQQdd", told.tobytes()
        )
        assert out.dtype == dtype and out.size == count
        stream, flat = Stream(key, low | high << 64), out.reshape(-1)
        scale, shift = dtype.type(scale), dtype.type(shift)
        if kind == "kept":
            chosen = distributions.uniform(np, stream, count, dtype) >= shift
            flat[...] = np.where(chosen, own.reshape(-1) * scale, dtype.type(0))
        elif out.dtype.kind == "f":
            flat[...] = getattr(distributions, kind)(np, stream, count, dtype) * scale + shift
        elif kind == "integers":
            flat[...] = distributions.integers(np, stream, count, dtype)
        else:
            flat[...] = distributions.bounded(
                np, stream, count, dtype, (low := lowest - (lowest >> 63 << 64)), low + apart
            )

    return run


# Those that are written for groups of threads.
RAW = {
    f"twinflow_{kind}_{name}": _drawn(kind, np.dtype(name))
    for names, kinds in (
        (("float32", "float64"), ("uniform", "normal", "truncated", "kept")),
        (("int32", "int64"), ("integers", "bounded")),
    )
    for name in names
    for kind in kinds
}


def _categories(low, high, key, count, logits, classes, samples, out):
    stream = Stream(key % 2**64, low % 2**64 | high % 2**64 << 64)
    assert out.size == count and logits.shape[1] == classes
    out[...] = categorical.draw_categories(np, stream, logits, samples, out.dtype)


RAW["twinflow_categories"] = _categories
RAW |= {
    "twinflow_Softmax": _softmax, "twinflow_LogSoftmax": _log_softmax,
    "twinflow_SoftmaxCrossEntropyWithLogits": _cross_entropy,
    "twinflow_SparseSoftmaxCrossEntropyWithLogits": _sparse_cross_entropy,
}  # fmt: skip


def reduction_kernel(
    inputs, outputs, map_expr, reduce_expr, post_map_expr, identity, name, **options
):
    """A kernel of ours that goes along a dimension, by its name."""
    from .arrays import unwrapped, wrapped

    def run(x, axis):
        _assert_types(inputs, (x,))
        journal.note("kernel", name, cuda.current())
        return wrapped(np.asarray(KERNELS[name](*unwrapped((x,)), axis)).astype(outputs.split()[0]))

    return run


def _places(type):
    """Returns where extreme elements are; of no elements it is where the kernel begins."""

    def places(x, axis):
        if not x.size:
            return np.full(np.delete(x.shape, axis), -1)
        return OPS[type].kernel(np, x, np.asarray(axis), output_type=int64)

    return places


KERNELS |= {f"twinflow_{type}": _places(type) for type in ("ArgMax", "ArgMin")}


def raw_kernel(code, name, **options):
    """A kernel for groups of threads, by its name."""
    from .arrays import unwrapped

    folder, together = Path(_folder().name), "__syncthreads" in code
    own = RAW.get(name) or (HostGroups if together else HostLoop)(folder, code, name)

    def run(grid, block, args):
        assert all(0 < n < 1 << 31 for n in (*grid, *block)) and block[0] <= 1024
        journal.note("kernel", name, cuda.current())
        with np.errstate(all="ignore"):
            own(grid, block, unwrapped(args)) if isinstance(own, HostGroups) else own(
                *unwrapped(args)
            )

    return run
