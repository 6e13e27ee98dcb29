# Computed from the op table by tools/make_stubs.py.

from twinflow.quantization import dequantize as dequantize
from twinflow.quantization import fake_quant_with_min_max_args as fake_quant_with_min_max_args
from twinflow.quantization import (
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
)
from twinflow.quantization import fake_quant_with_min_max_vars as fake_quant_with_min_max_vars
from twinflow.quantization import (
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
)
from twinflow.quantization import (
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
)
from twinflow.quantization import (
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
)
from twinflow.quantization import quantize as quantize
from twinflow.quantization import quantize_and_dequantize as _quantize_and_dequantize_v2
from twinflow.quantization import quantize_and_dequantize as quantize_and_dequantize

quantize_and_dequantize_v2 = _quantize_and_dequantize_v2
