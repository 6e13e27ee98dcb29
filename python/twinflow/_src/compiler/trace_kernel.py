"""Tracing of kernels: records the array-module calls of a kernel for arrays of certain shapes.

The kernel runs on proxy arrays with a proxy array module. The Python code between the calls depends
on shapes and dtypes alone, so that replaying the calls is equivalent for arrays of the same shapes.
A kernel that reads values cannot be traced.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

# Calls that may return their input or a view of all of it, and are then elided.
_VIEWS = frozenset(
    (
        "reshape",
        "transpose",
        "squeeze",
        "ascontiguousarray",
        "asarray",
        "astype",
        "broadcast_to",
        "T",
        "real",
    )
)
_PROPERTIES = frozenset(("T", "real", "imag"))
_HOLE: Any = object()
_LOOKS = frozenset(
    (
        "get",
        "item",
        "tolist",
        "tobytes",
        "dump",
        "dumps",
        "toDlpack",
        "__array__",
        "__cuda_array_interface__",
    )
)


class UntraceableError(Exception):
    """The kernel does more than array-module calls, such as reading values."""


class Noted(NamedTuple):
    """A recorded call.

    Attributes:
        run: A function of arrays.
        reads: The slots of the arrays: the kernel's inputs come first, then all results, even None.
        gives: The number of slots that it writes.
        many: True if it returns a list of arrays.
    """

    run: Callable[..., Any]
    reads: tuple[int, ...]
    gives: int
    many: bool


def traced(
    kernel: Callable[..., Any], xp: Any, arrays: list[Any], attrs: dict[str, Any]
) -> tuple[list[Noted], list[int], bool]:
    """Traces a kernel.

    Args:
        kernel: A function of an array module, the inputs and attributes.
        xp: The array module of a device.
        arrays: The inputs: arrays of that module, lists of them, and host inputs.
        attrs: The attributes.

    Returns:
        The calls, the slots of the results, and True if the result is a list.

    Raises:
        UntraceableError: The kernel cannot be traced.
    """
    notes = _Notes(xp.ndarray)
    given = [
        [notes.given(x) for x in value] if type(value) is list else notes.given(value)
        for value in arrays
    ]
    result = kernel(_Module(notes, xp), *given, **attrs)
    many = type(result) in (list, tuple)
    found = list(result) if many else [result]
    if not found or any(type(x) is not _Array for x in found):
        raise UntraceableError
    return notes.calls, [x._slot for x in found], many


class _Notes:
    """The recorded calls."""

    def __init__(self, type: Any) -> None:
        self.type, self.calls, self.slots = type, list[Noted](), 0

    def given(self, value: Any) -> Any:
        """Returns a proxy of an input array; other inputs are returned as they are."""
        return self._new(value) if isinstance(value, self.type) else value

    def _new(self, array: Any) -> _Array:
        self.slots += 1
        return _Array(self, self.slots - 1, array)

    def call(
        self, name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Calls a function and records the call.

        Args:
            name: Its name.
            function: The function.
            args: Its arguments, proxies among them.
            kwargs: Its keyword arguments.
        """
        read: list[_Array] = []
        plain, named = _plain(args, read), _plain(kwargs, read)
        result = function(*plain, **named)
        if name in _VIEWS and read and _same(result, read[0]._array):
            return read[0]
        if len(args) == 2 == len(read) and name == "matmul" and not kwargs:
            function = operator.matmul  # without the checks of CuPy's function
        if len(read) == 1 and _is_whole(result, read[0]._array, self.type):
            function, args, kwargs = self.type.reshape, (read[0], result.shape), {}
        many = type(result) in (list, tuple)
        found = list(result) if many else [result]
        if read and any(x is not None and not isinstance(x, self.type) for x in found):
            raise UntraceableError  # it reads values
        if not any(isinstance(x, self.type) for x in found) and not read:
            return result
        self.calls.append(
            Noted(_bound(function, args, kwargs), tuple(x._slot for x in read), len(found), many)
        )
        new = [self._new(x) for x in found]
        return new if many else new[0] if result is not None else None


def _same(result: Any, array: Any) -> bool:
    """True if a result is the array itself, or a view with the same layout."""
    return result is array or (
        result.dtype is array.dtype
        and result.shape == array.shape
        and result.strides == array.strides
        and result.base is not None
    )


def _is_whole(result: Any, array: Any, type: Any) -> bool:
    """True if a result is the array with another shape."""
    if (
        not isinstance(result, type)
        or result.base is None
        or result.dtype is not array.dtype
        or result.size != array.size
    ):
        return False
    laid = result.flags.c_contiguous and array.flags.c_contiguous
    return laid and result.size > 0 and result.data.ptr == array.data.ptr


def _plain(value: Any, read: list[_Array]) -> Any:
    """Replaces the proxies in an argument by their arrays and collects the proxies."""

    def plain(x: Any) -> Any:
        if type(x) is not _Array:
            return x
        read.append(x)
        return x._array

    return _mapped(value, plain)


def _bound(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Callable[..., Any]:
    """Returns a function of the array arguments alone."""
    plain, named = list(_emptied(args)), _emptied(kwargs)
    places = [i for i, value in enumerate(plain) if value is _HOLE]
    rest = plain[len(places) :]
    if not _holds((rest, named)) and places == list(range(len(places))):
        return (lambda *given: function(*given, *rest, **named)) if rest or named else function
    if not _holds([value for value in plain if value is not _HOLE]) and not _holds(named):
        return lambda *given: function(*_insert_arrays(plain.copy(), places, given), **named)

    def run(*given: Any) -> Any:
        values = iter(given)
        return function(*_filled(plain, values), **_filled(named, values))

    return run


def _insert_arrays(values: list[Any], places: list[int], given: tuple[Any, ...]) -> list[Any]:
    """Inserts arrays into a list of arguments."""
    for i, x in zip(places, given):
        values[i] = x
    return values


def _emptied(value: Any) -> Any:
    """Replaces the proxies in an argument by holes, so that no arrays are kept alive."""
    return _mapped(value, lambda x: _HOLE if type(x) is _Array else x)


def _filled(value: Any, given: Any) -> Any:
    """Replaces the holes in an argument by arrays."""
    return _mapped(value, lambda x: next(given) if x is _HOLE else x)


def _holds(value: Any) -> bool:
    """True if an argument contains holes."""
    found = []
    _mapped(value, lambda x: found.append(x is _HOLE))
    return any(found)


def _mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    """Applies a function to a value, or to the items of its lists and dictionaries."""
    if type(value) in (list, tuple):
        return type(value)([_mapped(item, function) for item in value])
    if type(value) is dict:
        return {name: _mapped(item, function) for name, item in value.items()}
    return function(value)


class _Module:
    """A proxy of an array module that records calls."""

    def __init__(self, notes: _Notes, module: Any) -> None:
        self._notes, self._module = notes, module

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        if isinstance(value, type) or not callable(value):
            return (
                _Module(self._notes, value)
                if hasattr(value, "__dict__") and not isinstance(value, type)
                else value
            )
        return _Function(self._notes, name, value)


class _Function:
    """A proxy of a function that records calls."""

    def __init__(self, notes: _Notes, name: str, function: Callable[..., Any]) -> None:
        self._notes, self._name, self._function = notes, name, function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._notes.call(self._name, self._function, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._function, name)  # such as ufunc.reduce
        return _Function(self._notes, name, value) if callable(value) else value


class _Array:
    """A proxy of an array that records operations."""

    __slots__ = ("_array", "_notes", "_slot")
    __array_ufunc__ = None  # NumPy scalars defer to its operators

    def __init__(self, notes: _Notes, slot: int, array: Any) -> None:
        self._notes, self._slot, self._array = notes, slot, array

    def __getattr__(self, name: str) -> Any:
        if name in _LOOKS:
            raise UntraceableError
        if name in _PROPERTIES:
            return self._notes.call(name, operator.attrgetter(name), (self,), {})
        value = getattr(self._array, name)
        if not callable(value):
            return value
        method = getattr(type(self._array), name)
        return lambda *args, **kwargs: self._notes.call(name, method, (self, *args), kwargs)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._notes.call("setitem", operator.setitem, (self, key, value), {})

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Any:
        return (operator.getitem(self, i) for i in range(len(self)))

    def _look(self, *args: Any) -> Any:
        raise UntraceableError

    __bool__ = __int__ = __float__ = __complex__ = __index__ = __array__ = __hash__ = _look


def _operator(name: str, reflected: bool = False) -> Callable[..., Any]:
    """Returns an operator method."""
    function = getattr(operator, name)
    if reflected:
        return lambda self, other: self._notes.call(name, function, (other, self), {})
    return lambda self, *others: self._notes.call(name, function, (self, *others), {})


for _name in (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
):
    setattr(_Array, f"__{_name}__", _operator(f"__{_name}__"))
    setattr(_Array, f"__r{_name}__", _operator(f"__{_name}__", reflected=True))
    setattr(_Array, f"__i{_name}__", _operator(f"__i{_name}__"))
for _name in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "abs", "invert", "getitem"):
    setattr(_Array, f"__{_name}__", _operator(f"__{_name}__"))
