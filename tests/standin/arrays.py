"""Arrays of the stand-in: NumPy's, of a class of their own, on a numbered device."""

from __future__ import annotations

import ctypes

import ml_dtypes
import numpy as np

from . import cuda
from .journal import journal
from .record import NAMES, parameters

# What CuPy's arrays hold.
HELD = frozenset("?bBhHiIlLqQefdFD")
SHORT = np.dtype(ml_dtypes.bfloat16)
# NumPy's numbers, Python's, and nothing else, may stand beside arrays.
NUMBERS = (int, float, complex, bool, np.generic)


def assert_held(dtype):
    """Refuses types that CuPy does not hold."""
    if np.dtype(dtype) != SHORT and np.dtype(dtype).char not in HELD:
        raise ValueError(f"Unsupported dtype {dtype}")


class ndarray:
    """An array of a device.

    Args:
        host: The NumPy array underneath; or a shape, as programs make one.
        device: The number of the device; or a type, beside a shape.
        base: The array whose memory it shares.
    """

    __slots__ = ("__weakref__", "_base", "_device", "_host", "_pool", "_size")
    __array_priority__ = 100

    def __init__(self, host, device, base=None):
        self._size = 0
        if type(host) is tuple:
            host, device = np.empty(host, device), cuda.current()
        assert_held(host.dtype)
        self._host, self._device = host, device
        self._base = None if base is None else base if base._base is None else base._base
        if base is None:
            self._pool = cuda.machine.pools[device]
            self._size = self._pool.take(host.nbytes)

    def __del__(self):
        if self._size:
            self._pool.give(self._size)

    # ---------------------------------------------------------------- what needs no values
    dtype = property(lambda self: self._host.dtype)
    ndim = property(lambda self: self._host.ndim)
    size = property(lambda self: self._host.size)
    nbytes = property(lambda self: self._host.nbytes)
    itemsize = property(lambda self: self._host.itemsize)
    strides = property(lambda self: self._host.strides)
    flags = property(lambda self: self._host.flags)
    base = property(lambda self: self._base)
    device = property(lambda self: cuda.Device(self._device))
    data = property(lambda self: _Memory(self._host.ctypes.data, self._device))

    @property
    def shape(self):
        """The sizes."""
        return self._host.shape

    def __len__(self):
        return len(self._host)

    def __iter__(self):
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    @property
    def __cuda_array_interface__(self):
        # Where each thread has a default stream, CuPy names that one.
        own = {"data": (self.data.ptr, False), "version": 3, "strides": None, "stream": 2}
        return {"shape": self.shape, "typestr": self.dtype.str, **own}

    def __dlpack_device__(self):
        return 2, self._device

    def __dlpack__(self, **options):
        return self

    # ---------------------------------------------------------------- values, on the host
    def get(self, stream=None, order="C", out=None, blocking=True):
        """The values on the host: waits for what computes them."""
        journal.note("down", self.nbytes, self._device)
        if out is None:
            return self._host.copy(order)
        out[...] = self._host
        return out

    def set(self, array, stream=None):
        """Takes values from the host."""
        journal.note("up", array.nbytes, self._device)
        self._host[...] = array

    def item(self, *at):
        """One value."""
        return self.get().item(*at)

    def tolist(self):
        """All values as a list."""
        return self.get().tolist()

    def tobytes(self, order="C"):
        """The bytes."""
        return self.get().tobytes(order)

    def __array__(self, dtype=None, copy=None):
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array "
            "explicitly."
        )

    def __bool__(self):
        return bool(self.get())

    def __int__(self):
        return int(self.get())

    def __float__(self):
        return float(self.get())

    def __complex__(self):
        return complex(self.get())

    def __repr__(self):
        return repr(self.get())

    def __str__(self):
        return str(self.get())

    __hash__ = None

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        return _unpickled, (self.get(),)

    # ---------------------------------------------------------------- parts
    def __getitem__(self, key):
        here(self)
        found = self._host[_key(self, key)]
        return wrapped(found, self)

    def __setitem__(self, key, value):
        here(self)
        self._host[_key(self, key)] = unwrapped(value)

    def __getattr__(self, name):
        if f"ndarray.{name}" not in NAMES or name not in _VALUES | _METHODS:
            raise AttributeError(f"'cupy.ndarray' object has no attribute {name!r}")
        if name in _VALUES:
            return wrapped(getattr(self._host, name), self)
        return _method(self, name)

    def __setattr__(self, name, value):
        if name == "shape":
            self._host.shape = value
        elif name in ("real", "imag"):
            setattr(self._host, name, unwrapped(value))
        else:
            object.__setattr__(self, name, value)

    def copy(self, order="C"):
        """A copy on the current device."""
        device = cuda.current()
        if device != self._device:
            journal.note("across", self.nbytes, device)
        return ndarray(self._host.copy(order), device)

    # ---------------------------------------------------------------- NumPy's functions on it
    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        from .functions import called

        if method != "__call__":
            return NotImplemented
        return called(ufunc.__name__, inputs, options)

    def __array_function__(self, function, types, args, options):
        from .functions import called

        return called(function.__name__, args, options)


_VALUES = {"T", "real", "imag", "flat"}
_METHODS = {
    "all", "any", "argmax", "argmin", "argpartition", "argsort", "astype", "clip", "compress", "conj", "conjugate",
    "cumprod", "cumsum", "diagonal", "dot", "fill", "flatten", "max", "mean", "min", "nonzero", "partition",
    "prod", "ptp", "put", "ravel", "repeat", "reshape", "round", "searchsorted", "sort", "squeeze", "std", "sum",
    "swapaxes", "take", "trace", "transpose", "var", "view",
}  # fmt: skip


class _Memory:
    """A pointer."""

    def __init__(self, ptr, device):
        self.ptr, self.device_id = ptr, device

    def copy_from_device_async(self, source, size, stream=None):
        """Copies bytes within a device."""
        assert source.device_id == self.device_id == cuda.current()
        ctypes.memmove(self.ptr, source.ptr, size)


def _unpickled(host):
    return ndarray(host, cuda.current())


def _method(array, name):
    def method(*args, **options):
        from .functions import assert_known, waits_for

        here(array)
        assert_known(parameters(f"ndarray.{name}"), f"ndarray.{name}", options)
        if name == "astype":
            assert_held(args[0] if args else options["dtype"])
        waits_for(name, array, args)
        if name == "take":
            options = {**options, "mode": "wrap"}
        return wrapped(getattr(array._host, name)(*unwrapped(args), **unwrapped(options)), array)

    return method


def here(*arrays):
    """Refuses arrays of another device than the current one."""
    for array in arrays:
        if array._device != cuda.current():
            raise ValueError(
                "Array device must be same as the current device: array device = "
                f"{array._device} while current = {cuda.current()}"
            )


def _key(array, key):
    """An index; CuPy takes any place for one inside, counted round and round, and asks nothing back."""
    keys = key if isinstance(key, tuple) else (key,)
    found, axis = [], 0
    for part in keys:
        if part is Ellipsis:
            axis += array.ndim - sum(_width(k) for k in keys)
        found.append(_part(array, part, axis))
        axis += _width(part)
    return tuple(found) if isinstance(key, tuple) else found[0]


def _width(part):
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if getattr(getattr(part, "dtype", None), "kind", "") == "b" else 1


def _part(array, part, axis):
    if isinstance(part, (np.ndarray, list)) and np.ndim(part):
        journal.note("up", np.asarray(part).nbytes, array._device)
        part = wrapped(np.asarray(part), array)
    if not isinstance(part, ndarray):
        if isinstance(part, slice):
            return slice(*(_int(x) for x in (part.start, part.stop, part.step)))
        return part
    here(part)
    if part.dtype == bool:
        journal.note("wait", "boolean index", array._device)
        return part._host
    return part._host % max(array.shape[axis], 1)


def _int(value):
    if isinstance(value, ndarray):  # CuPy's arrays have no __index__
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    return value


def wrapped(value, like=None):
    """A result: NumPy's arrays and scalars become arrays of the device."""
    if isinstance(value, (np.ndarray, np.generic)):
        device = cuda.current() if like is None else like._device
        host = np.asarray(value)
        shared = (
            like is not None and np.may_share_memory(host, like._host) and host.base is not None
        )
        return ndarray(host, device, like if shared else None)
    if isinstance(value, (tuple, list)):
        items = [wrapped(item, like) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def unwrapped(value):
    """An argument: arrays of the device become NumPy's, and NumPy's are refused."""
    if isinstance(value, ndarray):
        here(value)
        return value._host
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}")
    if isinstance(value, (tuple, list)):
        return type(value)(map(unwrapped, value))
    if isinstance(value, dict):
        return {name: unwrapped(item) for name, item in value.items()}
    return value


def _binary(name, ufunc):
    def forward(self, other):
        from .functions import called

        return called(ufunc, (self, other), {}) if operand(other) else NotImplemented

    def backward(self, other):
        from .functions import called

        return called(ufunc, (other, self), {}) if operand(other) else NotImplemented

    def in_place(self, other):
        from .functions import called

        return called(ufunc, (self, other), {"out": self})

    for prefix, method in (("", forward), ("r", backward), ("i", in_place)):
        if (prefix, name) != ("i", "matmul"):
            setattr(ndarray, f"__{prefix}{name}__", method)


def operand(value):
    """True if a value may stand beside an array."""
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}")
    return isinstance(value, (ndarray, *NUMBERS))


for _name, _ufunc in {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "left_shift", "rshift": "right_shift", "matmul": "matmul", "divmod": "divmod",
}.items():  # fmt: skip
    _binary(_name, _ufunc)


def _unary(ufunc):
    def method(self):
        from .functions import called

        return called(ufunc, (self,), {})

    return method


for _name, _ufunc in {
    "neg": "negative",
    "pos": "positive",
    "invert": "invert",
    "abs": "absolute",
}.items():
    setattr(ndarray, f"__{_name}__", _unary(_ufunc))


def _comparison(ufunc):
    def method(self, other):
        from .functions import called

        return called(ufunc, (self, other), {}) if operand(other) else NotImplemented

    return method


for _name in ("lt", "le", "eq", "ne", "gt", "ge"):
    _ufunc = {
        "lt": "less",
        "le": "less_equal",
        "eq": "equal",
        "ne": "not_equal",
        "gt": "greater",
        "ge": "greater_equal",
    }
    setattr(ndarray, f"__{_name}__", _comparison(_ufunc[_name]))
