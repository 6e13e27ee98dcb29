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
    """Dequantizes a tensor of a quantized dtype to a float tensor."""

def fake_quant_with_min_max_args(
    inputs: Any,
    min: SupportsFloat = -6.0,
    max: SupportsFloat = 6.0,
    num_bits: SupportsIndex = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Fake-quantizes a tensor: clips it to a range and rounds it to ``2**num_bits`` levels."""

def fake_quant_with_min_max_args_gradient(
    gradients: Any,
    inputs: Any,
    min: SupportsFloat = -6.0,
    max: SupportsFloat = 6.0,
    num_bits: SupportsIndex = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of fake quantization: passed within the limits, 0 elsewhere."""

def fake_quant_with_min_max_vars(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: SupportsIndex = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Fake-quantizes a tensor: clips it to a range and rounds it to ``2**num_bits`` levels."""

def fake_quant_with_min_max_vars_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: SupportsIndex = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the gradients of fake quantization for the input and both limits."""

def fake_quant_with_min_max_vars_per_channel(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: SupportsIndex = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Fake-quantizes a tensor with separate limits per channel (the last axis)."""

def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: SupportsIndex = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the gradients of per-channel fake quantization for the input and the limits."""

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
    """Quantizes a float tensor to a quantized dtype; returns the integers and the range."""

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
    """Quantizes and then dequantizes a tensor, which simulates the loss of precision."""
