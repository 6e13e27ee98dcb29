"""``experimental_enable_numpy_behavior``: NumPy's promotion, methods and indexing for tensors."""

from __future__ import annotations

import functools
import logging

from twinflow._src.core.tensor import Tensor
from twinflow._src.wings.numpy_ops import arrays, indexing, operators, promotion_modes
from twinflow._src.wings.numpy_ops import operators as methods
from twinflow._src.wings.numpy_ops.promotion import settings
from twinflow._src.wings.numpy_ops.registry import constant
from twinflow._src.wings.numpy_ops.weak import WeakTensor


def enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Enables NumPy's dtype promotion, methods and indexing on tensors, for the whole process.

    Args:
        prefer_float32: If True, Python floats have dtype float32 instead of float64.
        dtype_conversion_mode: The promotion mode of operators: "legacy" for NumPy's rules, "all"
            and "safe" for a table with weak types of Python numbers ("safe" rejects promotions that
            may lose precision), "off" for no promotion.

    Raises:
        ValueError: The mode is unknown.
    """
    mode = dtype_conversion_mode
    if mode in ("safe", "all"):
        logging.getLogger("twinflow").warning(
            "The promotion modes 'safe' and 'all' are for the beginning of a program: what it has "
            "computed so far followed other rules."
        )
    if mode not in ("off", "legacy", "safe", "all"):
        raise ValueError(
            f"The provided promotion mode {mode} does not exist. Make sure the provided dtype conversion "
            "mode is one of the followings: 'off', 'legacy', 'safe' or 'all'."
        )
    settings.mode = mode
    if settings.automatic:
        promotion_modes.install()
    methods.add_methods(Tensor)
    Tensor.__getitem__ = indexing.getitem  # type: ignore[method-assign]
    _complete_weak_tensors()
    settings.prefer_float32 = prefer_float32
    arrays.install()
    operators.put_operators()


@functools.cache
def _complete_weak_tensors() -> None:
    """Adds the attributes of tensors to weak tensors."""
    methods.add_methods(WeakTensor)
    operators.add_unary(WeakTensor)
    WeakTensor.__getitem__ = indexing.getitem  # type: ignore[method-assign]


constant("experimental_enable_numpy_behavior", enable_numpy_behavior)
