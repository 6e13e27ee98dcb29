"""Convolutions whose parameters are fixed before their operands are known."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API


class Convolution:
    """A convolution with fixed parameters.

    Args:
        input_shape: The static shape of the inputs.
        filter_shape: The static shape of the filters.
        padding: ``"VALID"`` or ``"SAME"``.
        strides: The strides of the spatial dimensions; 1 where None.
        dilation_rate: The dilations of the spatial dimensions; 1 where None.
        name: The name of the operation.
        data_format: The layout, such as ``"NHWC"``.

    Raises:
        ValueError: The numbers of dimensions or of channels do not match.
    """

    def __init__(
        self,
        input_shape: Any,
        filter_shape: Any,
        padding: str,
        strides: Any = None,
        dilation_rate: Any = None,
        name: str | None = None,
        data_format: str | None = None,
    ) -> None:
        self.input_shape, self.filter_shape = TensorShape(input_shape), TensorShape(filter_shape)
        self.padding, self.strides, self.dilation_rate = padding, strides, dilation_rate
        self.name, self.data_format = name, data_format
        self._check()

    def _check(self) -> None:
        channels_first = self.data_format is not None and self.data_format.startswith("NC")
        if self.input_shape.rank is None or self.filter_shape.rank is None:
            return
        depth = self.input_shape[1 if channels_first else -1]
        taken = self.filter_shape[-2]
        if depth is not None and taken is not None and depth % taken:
            raise ValueError(
                "The number of input channels is not divisible by the corresponding number of "
                f"output filters. Received: input channels={depth}, output filters={taken}"
            )

    def __call__(self, inp: Any, filter: Any) -> Any:
        return API["nn.convolution"](
            inp,
            filter,
            self.strides or 1,
            self.padding,
            self.data_format,
            self.dilation_rate,
            name=self.name,
        )
