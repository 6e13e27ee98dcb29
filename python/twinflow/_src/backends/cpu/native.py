"""Loops and ufuncs that become machine code where llvmlite is installed (extra ``jit``).

Such a loop has the bits of the NumPy kernel that it stands for, in one pass, without the global
interpreter lock. It is compiled (a tenth of a second) when the kernel has seen many elements or calls,
so that programs which seldom need it do not pay for it.
"""

from __future__ import annotations

import functools
import importlib.util
import mmap
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.core.fork import brief_lock

# Minimum number of elements of a call; and number of elements after which a loop is compiled, where
# a call counts as so many more.
_LEAST, _MANY, _CALL = 8, 1 << 23, 1 << 12
# Bytes of address space that compilation may take.
_MEMORY = 1 << 28
_lock = brief_lock()
# NumPy's maximum and minimum of two zeros is the second one, as on x86; loops of extremes rely on it.
TAKES_SECOND_ZERO = bool(np.signbit(np.maximum(np.float32(0), np.float32(-0.0))))


@functools.cache
def is_installed() -> bool:
    """True if loops can become machine code."""
    is_supported = sys.implementation.name == "cpython" and sys.maxsize > 2**32
    return is_supported and importlib.util.find_spec("llvmlite") is not None


class _Native:
    """A function that becomes machine code when it is due.

    Args:
        compile: Returns the function of machine code, or None if it is unsupported; takes the module ``llvm``.
    """

    def __init__(self, compile: Callable[[Any], Callable[..., Any] | None]) -> None:
        self._compile = compile
        self._function: Callable[..., Any] | None = None
        self._seen, self._is_unsupported = 0, False

    def is_ready(self, count: int) -> bool:
        """True if it is to be used for so many elements; compiles it when it is due."""
        if count < _LEAST or self._is_unsupported:
            return False
        if self._function is None:
            self._seen += count + _CALL
            if self._seen > _MANY:
                with _lock:
                    self._function = self._function or self._compiled()
        return self._function is not None

    def _compiled(self) -> Callable[..., Any] | None:
        try:
            mmap.mmap(-1, _MEMORY).close()  # LLVM ends the process where memory runs out
            import twinflow._src.backends.cpu.llvm as llvm

            function = self._compile(llvm)
        except ImportError:
            function = None
        except (OSError, MemoryError, SystemError):  # by mmap, Python, and Python's own compiler
            self._seen = 0
            return None
        self._is_unsupported = function is None
        return function


class NativeLoop(_Native):
    """A loop over C-contiguous arrays.

    Args:
        keys: The dtypes of the arrays, such as "f4".
        body: Writes one iteration; see ``llvm.compile_loop``.
    """

    def __init__(self, keys: Sequence[str], body: Callable[..., None]) -> None:
        super().__init__(lambda llvm: llvm.compile_loop(keys, body))
        self._body = body

    def __call__(self, arrays: Sequence[Any], start: int, stop: int) -> None:
        """Runs the iterations from ``start`` to ``stop``."""
        assert self._function is not None
        self._function(*[array.ctypes.data for array in arrays], start, stop)


class NativeUfunc(_Native):
    """A NumPy ufunc of one float32.

    Args:
        name: Its name.
        body: Returns the result for the module ``llvm``, the builder and the value of x.
    """

    def __init__(self, name: str, body: Callable[..., Any]) -> None:
        super().__init__(lambda llvm: llvm.compile_ufunc(name, functools.partial(body, llvm)))

    def __call__(self, x: Any, out: Any = None) -> Any:
        """Computes the function of an array."""
        assert self._function is not None
        return self._function(x, out=out)


def for_range(
    ir: Any, b: Any, start: Any, stop: Any, body: Callable[..., Any], carry: Any = None
) -> Any:
    """Emits a loop; the body gets the index and, if there is one, a value that it returns anew.

    Returns the last value.
    """
    before, head, after = b.block, b.append_basic_block(), b.append_basic_block()
    b.cbranch(b.icmp_signed("<", start, stop), head, after)
    b.position_at_end(head)
    index = b.phi(start.type)
    index.add_incoming(start, before)
    if carry is None:
        following = body(index)
    else:
        value = b.phi(carry.type)
        value.add_incoming(carry, before)
        following = body(index, value)
        value.add_incoming(following, b.block)
    latch, incremented = b.block, b.add(index, ir.Constant(index.type, 1))
    index.add_incoming(incremented, latch)
    b.cbranch(b.icmp_signed("<", incremented, stop), head, after)
    b.position_at_end(after)
    if carry is None:
        return None
    result = b.phi(carry.type)
    result.add_incoming(carry, before)
    result.add_incoming(following, latch)
    return result


def for_vectors(
    ir: Any, b: Any, size: Any, lanes: Sequence[int], body: Callable[[Any, int], None]
) -> None:
    """Emits a loop in vectors, the longest ones first; the body gets the first index and the lanes."""
    done = ir.Constant(size.type, 0)
    for count in lanes:
        length = ir.Constant(size.type, count)
        vectors = b.udiv(b.sub(size, done), length)

        def work(k: Any, done: Any = done, length: Any = length, count: int = count) -> None:
            body(b.add(done, b.mul(k, length)), count)

        for_range(ir, b, ir.Constant(size.type, 0), vectors, work)
        done = b.add(done, b.mul(vectors, length))


def splat(ir: Any, b: Any, value: Any, lanes: int) -> Any:
    """Emits a vector of equal elements."""
    kind, word = ir.VectorType(value.type, lanes), ir.IntType(32)
    one = b.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(word, 0))
    return b.shuffle_vector(one, one, ir.Constant(ir.VectorType(word, lanes), [0] * lanes))


def load_vector(ir: Any, b: Any, array: Any, at: Any, lanes: int) -> Any:
    """Emits some elements of an array from an index on."""
    pointer = b.bitcast(b.gep(array, [at]), ir.VectorType(array.type.pointee, lanes).as_pointer())
    return b.load(pointer, align=_bytes(ir, array.type.pointee))


def store_vector(ir: Any, b: Any, value: Any, array: Any, at: Any) -> None:
    """Emits the elements of an array from an index on."""
    pointer = b.bitcast(b.gep(array, [at]), value.type.as_pointer())
    b.store(value, pointer, align=_bytes(ir, array.type.pointee))


def _bytes(ir: Any, type: Any) -> int:
    sizes = {ir.FloatType(): 4, ir.DoubleType(): 8}
    return sizes.get(type) or type.width // 8
