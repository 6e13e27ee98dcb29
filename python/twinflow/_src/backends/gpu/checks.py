"""Size checks of new GPU arrays.

CuPy multiplies sizes in 64 bits without an overflow check: an array of 2^62 elements gets no memory
at all, and a kernel that writes to it corrupts the CUDA context of the whole process.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

# Number of elements that exceeds any device; the byte count must fit into 64 bits.
_MOST = 1 << 56


def assert_some(count: float) -> None:
    """Raises MemoryError for a number of elements that exceeds any memory.

    Raises:
        MemoryError: It is too large.
    """
    if count > _MOST:
        raise MemoryError(f"There is no memory for {count} elements.")


def sized(name: str) -> Callable[[Any], Callable[..., Any]]:
    """Returns a factory that adds the size check to a CuPy function of a shape.

    Args:
        name: The name of the function.
    """

    def bind_allocator(cupy: Any) -> Callable[..., Any]:
        plain = getattr(cupy, name)

        def make(shape: Any, *args: Any, **options: Any) -> Any:
            assert_some(math.prod(shape) if isinstance(shape, (tuple, list)) else shape)
            return plain(shape, *args, **options)

        return make

    return bind_allocator


# ``empty`` without the checks of CuPy's function.
array = sized("ndarray")
SIZED = {
    "empty": sized("empty"),
    "zeros": sized("zeros"),
    "ones": sized("ones"),
    "full": sized("full"),
}
