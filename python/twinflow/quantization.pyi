# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsFloat, SupportsIndex

from twinflow._src.core.tensor import Tensor
from twinflow.quantization import quantize_and_dequantize as _quantize_and_dequantize_v2

quantize_and_dequantize_v2 = _quantize_and_dequantize_v2

def dequantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: SupportsIndex | None = None,
    narrow_range: bool = False,
    dtype: Any = ...,
) -> Any:
    """Returns the numbers that small integers stand for."""

def fake_quant_with_min_max_args(
    inputs: Any,
    min: SupportsFloat = -6.0,
    max: SupportsFloat = 6.0,
    num_bits: SupportsIndex = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns numbers limited and rounded to as many values as some bits can tell apart."""

def fake_quant_with_min_max_args_gradient(
    gradients: Any,
    inputs: Any,
    min: SupportsFloat = -6.0,
    max: SupportsFloat = 6.0,
    num_bits: SupportsIndex = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns gradients where numbers lie within the limits, and 0 elsewhere."""

def fake_quant_with_min_max_vars(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: SupportsIndex = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns numbers limited and rounded to as many values as some bits can tell apart."""

def fake_quant_with_min_max_vars_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: SupportsIndex = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the gradients of the numbers and of both limits."""

def fake_quant_with_min_max_vars_per_channel(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: SupportsIndex = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns numbers limited and rounded, each channel (the last dimension) within its own limits."""

def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: SupportsIndex = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the gradients of the numbers and of the limits of each channel."""

def quantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: SupportsIndex | None = None,
    ensure_minimum_range: SupportsFloat = 0.01,
) -> Any:
    """Returns numbers as small integers, and the limits that these stand for."""

def quantize_and_dequantize(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: SupportsIndex = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: SupportsIndex | None = None,
) -> Any:
    """Returns numbers rounded as if they had been integers of some bits in between."""
