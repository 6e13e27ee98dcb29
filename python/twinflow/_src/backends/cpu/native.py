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

from twinflow._src.core.fork import brief_lock

# Minimum number of elements of a call; and number of elements after which a loop is compiled, where
# a call counts as so many more.
_LEAST, _MANY, _CALL = 8, 1 << 23, 1 << 12
# Bytes of address space that compilation may take.
_MEMORY = 1 << 28
_lock = brief_lock()


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
