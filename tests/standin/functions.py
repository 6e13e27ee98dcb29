"""Functions of the stand-in: NumPy's, where CuPy has one of the name, with what CuPy refuses refused."""

from __future__ import annotations

import functools
import types

import numpy as np

from . import arrays, cuda
from .arrays import here, ndarray, unwrapped, wrapped
from .journal import journal
from .kernels import kernel, raw_kernel
from .record import NAMES, loops, parameters

# What waits for the device inside CuPy, because sizes of results or of loops depend on values.
_WAITING = {"nonzero", "argwhere", "flatnonzero", "unique", "bincount", "array_equal", "isin"}
_MULTIPLIED = frozenset("?bBhHiIlLqQefdFDE")
_SOLVED = frozenset("fdFD")


def assert_known(known, name, options):
    """Refuses options that CuPy's function does not have."""
    if known is None or any(p.startswith("****") for p in known):
        return
    for option in options:
        if option not in known:
            raise TypeError(f"{name}() got an unexpected keyword argument '{option}'")


def waits_for(name, subject, args=()):
    """Notes that a function waits for the device."""
    if name in _WAITING or (name == "where" and len(args) == 1):
        journal.note("wait", name, cuda.current())


def called(name, args, options):
    """Returns what a function gives, on the current device."""
    if name not in NAMES:
        raise AttributeError(f"module 'cupy' has no attribute {name!r}")
    assert_known(parameters(name), name, options)
    for array in _arrays((args, options)):
        here(array)
    if name == "repeat" and isinstance((*args, options.get("repeats"))[1], ndarray):
        raise ValueError("cupy.ndaray cannot be specified as `repeats` argument.")
    journal.note("kernel", name, cuda.current())
    waits_for(name, None, args)
    function = functools.reduce(getattr, name.split("."), np)
    if loops(name) is not None:
        return _computed(name, function, args, dict(options))
    if name.startswith("linalg."):
        _assert_solved(name, args)
    like = next(_arrays((args, options)), None)
    if name == "arange":
        _assert_steps(*args, **options)
    if name in _SIZED:
        assert np.prod(np.array(args[0], object)) < 2**56, (
            "CuPy gives it no memory, and a kernel breaks the device"
        )
    if (
        name == "where" and len(args) == 3 and like.dtype == bool
    ):  # CuPy has no such loop of bfloat16
        args = tuple(
            a.astype(np.float32) if getattr(a, "dtype", None) == arrays.SHORT else a for a in args
        )
    if name == "take":  # places outside are counted round and round
        options = {**options, "mode": "wrap"}
    found = function(*unwrapped(args), **unwrapped(options))
    return wrapped(found.astype(np.longlong) if name in ("argmax", "argmin") else found, like)


_SIZED = {"empty", "zeros", "ones", "full"}


def _assert_steps(start, stop=None, step=1, dtype=None):
    """The step is a number of the type."""
    if dtype is not None and np.dtype(dtype).kind == "u" and step < 0:
        raise OverflowError(f"Python integer {step} out of bounds for {np.dtype(dtype)}")


def _arrays(value):
    if isinstance(value, ndarray):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _arrays(item)
    elif isinstance(value, dict):
        yield from _arrays(list(value.values()))


def _assert_solved(name, args):
    for array in _arrays(args):
        if array.dtype.char not in _SOLVED:
            raise TypeError(f"array type {array.dtype} is unsupported in {name}")


def _computed(name, function, args, options):
    """A ufunc's results; it must have a loop for the types that NumPy chooses."""
    for value in args:
        if isinstance(value, np.ndarray) or not isinstance(value, (ndarray, *arrays.NUMBERS)):
            raise TypeError(f"Unsupported type {type(value)}")
    out = options.pop("out", None)
    outs = out if isinstance(out, tuple) else (out,)
    host = _as_computed(name, unwrapped(args), options)
    _assert_loop(name, function, host, options)
    targets = [None if target is None else target._host for target in outs]
    chosen = targets[0] if len(targets) == 1 else tuple(targets)
    if any(target is not None for target in targets):
        function(*host, out=chosen, **unwrapped(options))
        return out
    return wrapped(function(*host, **unwrapped(options)))


def _as_computed(name, args, options):
    """The arguments of a ufunc in the types in which CuPy computes, where those are not NumPy's."""
    kinds = [getattr(a, "dtype", None) for a in args]
    if arrays.SHORT in kinds and name != "matmul":
        loop = "E" * len(args)
        whole = all(
            k == arrays.SHORT or type(a) in (int, bool) or getattr(k, "kind", "") == "b"
            for k, a in zip(kinds, args, strict=True)
        )
        if not whole or not any(known.startswith(loop + "->") for known in loops(name)):
            return tuple(
                a.astype(np.float32) if k == arrays.SHORT else a
                for k, a in zip(kinds, args, strict=True)
            )
    if name == "fmod" and all(k is None or k.kind in "iu" for k in kinds):
        raise TypeError(
            "CuPy computes remainders of integers in float64, which does not hold all of them"
        )
    return args


def _assert_loop(name, function, args, options):
    kinds = [type(a) if type(a) in (int, float, complex) else np.asarray(a).dtype for a in args]
    if name == "matmul":
        if not {k.char for k in kinds} <= _MULTIPLIED:
            raise TypeError(f"matmul of {kinds} is not supported")
        return
    if options.get("dtype") is not None or arrays.SHORT in kinds:
        return
    found = function.resolve_dtypes((*kinds, *[None] * function.nout))
    own, results = found[: function.nin], found[function.nin :]
    for loop in (
        loop for loop in loops(name) if "E" not in loop
    ):  # bfloat16, which NumPy does not know
        takes, gives = loop.split("->")
        if all(map(np.can_cast, own, takes)):
            if [np.dtype(char) for char in gives] != list(results):
                raise TypeError(f"cupy_{name} gives {gives} where NumPy gives {results}")
            return
    raise TypeError(f"cupy_{name} has no loop of the types {own}")


class Ufunc:
    """A ufunc of the stand-in."""

    def __init__(self, name):
        self.name, self.__name__ = f"cupy_{name}", name
        self.types, function = loops(name), getattr(np, name)
        self.nin, self.nout, self.nargs = function.nin, function.nout, function.nargs

    def __call__(self, *args, **options):
        return called(self.__name__, args, options)

    def at(self, a, indices, b=None):
        """CuPy's own loses numbers that are none, counts places outside round and round and knows few types."""
        raise NotImplementedError("_src/backends/gpu/kernels/gather_scatter.py has its own")

    def _reduced(self, how, allowed, args, options):
        if self.__name__ not in allowed:
            raise NotImplementedError(f"`{self.name}.{how}` is not supported yet")
        return wrapped(
            getattr(getattr(np, self.__name__), how)(*unwrapped(args), **unwrapped(options))
        )

    def reduce(self, *args, **options):
        """Applies the function over an axis; CuPy has it for two functions."""
        return self._reduced("reduce", ("add", "multiply"), args, options)

    def accumulate(self, *args, **options):
        """Gives what lies between too."""
        return self._reduced("accumulate", ("add", "multiply"), args, options)

    def reduceat(self, *args, **options):
        """Applies the function over parts."""
        return self._reduced("reduceat", ("add",), args, options)


# ------------------------------------------------------------------ what begins with values of the host


def _taken(value, dtype=None, copy=True, order="C", **options):
    """An array of a value: NumPy's arrays and sequences go to the device."""
    if isinstance(value, ndarray):
        if value._device != cuda.current():
            journal.note("across", value.nbytes, cuda.current())
        fits = (dtype is None or np.dtype(dtype) == value.dtype) and value._device == cuda.current()
        if fits and not copy and (order != "C" or value.flags.c_contiguous):
            return value
        return ndarray(np.array(value._host, dtype, order=order), cuda.current())
    if isinstance(value, (list, tuple)) and any(True for _ in _arrays(value)):
        host = np.array(
            [item._host if isinstance(item, ndarray) else item for item in value], dtype
        )
    else:
        host = np.array(value, dtype, order="C" if order is None else order)
    arrays.assert_held(host.dtype)
    if not host.ndim and not host:  # memory is set to zeros, whatever the sign
        host = np.zeros_like(host)
    if host.size:
        journal.note("up", host.nbytes, cuda.current())
    return ndarray(host, cuda.current())


def array(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0, *, blocking=False):
    """An array of a value; a copy."""
    return _taken(obj, dtype, bool(copy), order)


def asarray(a, dtype=None, order=None, *, copy=None, blocking=False):
    """An array of a value: itself where it is one of the type."""
    return _taken(a, dtype, bool(copy), order or "K")


def ascontiguousarray(a, dtype=None):
    """An array in C order."""
    found = _taken(a, dtype, False)
    return found if found.flags.c_contiguous else found.copy()


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """The values on the host."""
    return a.get(order=order, out=out) if isinstance(a, ndarray) else np.asarray(a)


def made(name):
    """A function that makes an array of sizes: those are a sequence or an integer of the host."""
    function = getattr(np, name)
    position = 1 if name == "full" else 0  # of the dtype, after the shape

    def make(shape, *args, **options):
        assert_known(parameters(name), name, options)
        if isinstance(shape, (np.ndarray, ndarray)):
            raise ValueError("size should be a collections.abc.Sequence or int")
        dtype = options.get("dtype", args[position] if len(args) > position else None)
        if dtype is not None:
            arrays.assert_held(dtype)
        journal.note("kernel", name, cuda.current())
        return wrapped(function(shape, *unwrapped(args), **unwrapped(options)))

    return make


BY_HAND = {
    "array": array, "asarray": asarray, "ascontiguousarray": ascontiguousarray, "asnumpy": asnumpy,
    "ndarray": ndarray, "zeros": made("zeros"), "ones": made("ones"), "empty": made("empty"), "full": made("full"),
    "ufunc": Ufunc, "ElementwiseKernel": kernel, "RawKernel": raw_kernel,
}  # fmt: skip


class Module(types.ModuleType):
    """A module whose names are those of the record."""

    def __init__(self, name, prefix=""):
        super().__init__(name)
        self._prefix = prefix

    def __getattr__(self, name):
        full = self._prefix + name
        if name.startswith("__") or full not in NAMES:
            raise AttributeError(f"module '{self.__name__}' has no attribute {name!r}")
        value = BY_HAND.get(full) or _of_record(full)
        setattr(self, name, value)
        return value


def _of_record(name):
    described = NAMES[name]
    if described in ("class", "value"):
        return functools.reduce(getattr, name.split("."), np)
    if loops(name) is not None:
        return Ufunc(name)
    return functools.partial(_call, name)


def _call(name, *args, **options):
    return called(name, args, options)
