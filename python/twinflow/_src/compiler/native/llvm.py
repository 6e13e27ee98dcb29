"""Machine code by llvmlite: compilation, and calls with the memory of NumPy arrays.

A compiled function gets one tuple of arrays. It reads their addresses from CPython's and NumPy's
structures, whose layout ``_has_known_layout`` verifies once, and returns 1 where an array is not of
the type, dtype, shape and order that it was compiled for.
"""

from __future__ import annotations

import ctypes
import functools
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir

from twinflow._src.backends.cpu.llvm import machine_code
from twinflow._src.compiler.native.formulas import TYPES, key_of

_I8, _I32, _I64 = (ir.IntType(bits) for bits in (8, 32, 64))
_POINTER = _I8.as_pointer()
# Offsets behind the header of an object: PyArrayObject's fields, and a tuple's items.
_HEADER = object.__basicsize__
_DATA, _RANK, _DIMS, _DTYPE, _FLAGS = (_HEADER + 8 * i for i in (0, 1, 2, 5, 6))
_TYPE, _ITEMS = _HEADER - 8, tuple.__basicsize__
_REQUIRED = 0x1 | 0x100  # C-contiguous, aligned


class Signature(NamedTuple):
    """The array that a compiled function expects at one position."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)


@functools.cache
def is_available() -> bool:
    """True if machine code can be made and called."""
    if sys.implementation.name != "cpython":  # ``id`` is no address
        return False
    return ctypes.sizeof(ctypes.c_void_p) == 8 and _has_known_layout()


def _has_known_layout() -> bool:
    """True if NumPy's arrays and tuples are laid out in memory as expected."""
    array = np.zeros((2, 3), np.float32)
    pair = (array, array)

    def word(thing: Any, offset: int, kind: Any = ctypes.c_int64) -> int:
        return int(kind.from_address(id(thing) + offset).value)

    if (np.ndarray.__basicsize__ < _FLAGS + 4) or word(array, _TYPE) != id(np.ndarray):
        return False
    address = word(array, _DIMS)
    return (
        word(array, _DATA) == array.__array_interface__["data"][0]
        and word(array, _RANK, ctypes.c_int32) == 2
        and [ctypes.c_int64.from_address(address + 8 * i).value for i in (0, 1)] == [2, 3]
        and word(array, _DTYPE) == id(array.dtype)
        and word(array, _FLAGS, ctypes.c_int32) & _REQUIRED == _REQUIRED
        and [word(pair, _ITEMS + 8 * i) for i in (0, 1)] == [id(array)] * 2
    )


class Function:
    """A function in LLVM's form, that takes arrays and three integers and is being written.

    The last array of a call is memory to work in.

    Attributes:
        module: The module.
        builder: The builder, at the end of the function.
        pointers: The elements of each array.
        numbers: The integers.
        scratch_bytes: The size of the memory to work in.
    """

    def __init__(self, arrays: Sequence[Signature]) -> None:
        self._arrays = list(arrays)
        self.module = ir.Module("twinflow")
        pointers = [memory_of(key_of(a.dtype)).as_pointer() for a in arrays]
        self._inner = ir.Function(
            self.module, ir.FunctionType(ir.VoidType(), [*pointers, _POINTER, *[_I64] * 3]), "body"
        )
        self._inner.linkage = "internal"
        self._inner.attributes.add("nounwind")
        *self.pointers, self._scratch, start, stop, index = self._inner.args
        self.numbers, self.scratch_bytes = (start, stop, index), 0
        for pointer in (*self.pointers, self._scratch):
            pointer.add_attribute("noalias")
        self.builder = ir.IRBuilder(self._inner.append_basic_block())

    def scratch(self, bytes: int) -> Any:
        """Returns the address of new memory to work in, as an instruction of the entry block."""
        start, self.scratch_bytes = self.scratch_bytes, self.scratch_bytes + -(-bytes // 64) * 64
        return self.builder.gep(self._scratch, [ir.Constant(_I64, start)])

    def compile(self, keeps_lock: bool) -> Callable[..., int]:
        """Returns the compiled function of a tuple of arrays and three integers.

        ``keeps_lock`` is True if it is too short to be called without the global interpreter lock.
        """
        self.builder.ret_void()
        self._write_entry()
        engine, address = machine_code(self.module, "entry")
        kind = (ctypes.PYFUNCTYPE if keeps_lock else ctypes.CFUNCTYPE)(
            ctypes.c_int, ctypes.py_object, *[ctypes.c_int64] * 3
        )
        function: Any = kind(address)
        function.engine = engine  # the machine code lives as long as the engine
        return function

    def _write_entry(self) -> None:
        """Writes the function that checks the arrays and calls the body."""
        kind = ir.FunctionType(_I32, [_POINTER, *[_I64] * 3])
        entry = ir.Function(self.module, kind, "entry")
        b = ir.IRBuilder(entry.append_basic_block())
        arrays, *numbers = entry.args
        addresses: list[Any] = []
        fits: Any = ir.Constant(ir.IntType(1), 1)

        def load(thing: Any, offset: int, type: ir.Type) -> Any:
            at = b.gep(thing, [ir.Constant(_I64, offset)])
            return b.load(b.bitcast(at, type.as_pointer()))

        def require(value: Any, expected: int) -> None:
            nonlocal fits
            fits = b.and_(fits, b.icmp_signed("==", value, ir.Constant(value.type, expected)))

        refused = entry.append_basic_block()
        for i, signature in enumerate(self._arrays):
            array = load(arrays, _ITEMS + 8 * i, _POINTER)
            require(load(array, _TYPE, _I64), id(np.ndarray))
            self._branch(b, entry, fits, refused)
            require(load(array, _DTYPE, _I64), id(signature.dtype))
            flags = load(array, _FLAGS, _I32)
            require(b.and_(flags, ir.Constant(_I32, _REQUIRED)), _REQUIRED)
            require(load(array, _RANK, _I32), len(signature.shape))
            self._branch(b, entry, fits, refused)
            dims = load(array, _DIMS, _POINTER) if signature.shape else None
            for axis, size in enumerate(signature.shape):
                require(load(dims, 8 * axis, _I64), size)
            type = memory_of(key_of(signature.dtype)).as_pointer()
            addresses.append(b.bitcast(load(array, _DATA, _POINTER), type))
        self._branch(b, entry, fits, refused)
        scratch = load(load(arrays, _ITEMS + 8 * len(self._arrays), _POINTER), _DATA, _POINTER)
        b.call(self._inner, [*addresses, scratch, *numbers])
        b.ret(ir.Constant(_I32, 0))
        ir.IRBuilder(refused).ret(ir.Constant(_I32, 1))

    @staticmethod
    def _branch(b: ir.IRBuilder, entry: ir.Function, fits: Any, refused: Any) -> None:
        following = entry.append_basic_block()
        b.cbranch(fits, following, refused)
        b.position_at_end(following)


def memory_of(key: str) -> ir.Type:
    """Returns the type of an element in memory."""
    return _I8 if key == "b1" else TYPES[key]
