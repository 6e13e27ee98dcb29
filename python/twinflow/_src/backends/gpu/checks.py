"""New arrays of a GPU. CuPy multiplies sizes in 64 bits and does not look: one of 2^62 numbers gets no memory at all, and a
kernel that writes to it breaks the device for the whole process."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

# Elements: no device holds so many of any type, and their bytes are counted in 64 bits.
_MOST = 1 << 56


def assert_some(count: float) -> None:
    """Refuses a number of elements that no memory can hold.

    Args:
        count: The number.

    Raises:
        MemoryError: It is too large.
    """
    if count > _MOST:
        raise MemoryError(f"There is no memory for {count} elements.")


def sized(name: str) -> Callable[[Any], Callable[..., Any]]:
    """What makes one of CuPy's functions, the shape of whose result comes first, refuse what no memory can hold.

    Args:
        name: The name of the function.
    """

    def made(cupy: Any) -> Callable[..., Any]:
        plain = getattr(cupy, name)

        def make(shape: Any, *args: Any, **options: Any) -> Any:
            assert_some(math.prod(shape) if isinstance(shape, (tuple, list)) else shape)
            return plain(shape, *args, **options)

        return make

    return made


# ``empty`` without what CuPy asks before.
array = sized("ndarray")
SIZED = {
    "empty": sized("empty"),
    "zeros": sized("zeros"),
    "ones": sized("ones"),
    "full": sized("full"),
}
