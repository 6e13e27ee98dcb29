"""Functions of tensors that are not public: operators, updates of slices, convolutions."""

from __future__ import annotations

import operator
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import OPS
from twinflow._src.variables.variable import BaseResourceVariable
from twinflow._src.wings.private_api.exports import tf_export


def add(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns ``x + y``.

    Args:
        x: A tensor.
        y: A tensor.
        name: The name of the operation.
    """
    return API["add"](x, y, name=name)


def eq(self: Any, other: Any) -> Any:
    """Returns ``self == other``, element-wise.

    Args:
        self: A tensor.
        other: A value; None is unequal to any tensor.
    """
    return _tensor(self) == other


def ne(self: Any, other: Any) -> Any:
    """Returns ``self != other``, element-wise.

    Args:
        self: A tensor.
        other: A value; None is unequal to any tensor.
    """
    return _tensor(self) != other


@tf_export("__operators__.getitem", v1=[])
def getitem(tensor: Any, slice_spec: Any, var: Any = None) -> Any:
    """Returns ``tensor[slice_spec]``.

    Args:
        tensor: A tensor.
        slice_spec: An index, a slice, or a tuple of them.
        var: A variable whose slice it is, or None.
    """
    return operator.getitem(_tensor(tensor) if var is None else var, slice_spec)


def getitem_of_variable(var: Any, slice_spec: Any) -> Any:
    """Returns ``var[slice_spec]``, which has a method ``assign``.

    Args:
        var: A variable.
        slice_spec: An index, a slice, or a tuple of them.
    """
    return BaseResourceVariable.__getitem__(var, slice_spec)


def ragged_getitem(rt_input: Any, key: Any) -> Any:
    """Returns ``rt_input[key]``.

    Args:
        rt_input: A ragged tensor.
        key: An index, a slice, or a tuple of them.
    """
    return rt_input[key]


def _tensor(value: Any) -> Any:
    return value if is_tensor(value) else convert_to_tensor(value)


# ------------------------------------------------------------------ updates of slices, with the bounds of XLA


def dynamic_update_slice(input: Any, update: Any, indices: Any, name: str | None = None) -> Any:
    """Returns a tensor with a slice replaced; the slice is moved inside where it is out of bounds.

    Args:
        input: A tensor of rank r.
        update: A tensor of the same dtype and rank, in no dimension larger.
        indices: The r offsets of the slice.
        name: The name of the operation.

    Raises:
        InvalidArgumentError: ``update`` is larger than ``input``.
    """
    with API["name_scope"](name or "XlaDynamicUpdateSlice"):
        input = convert_to_tensor(input)
        update = convert_to_tensor(update, input.dtype)
        indices = API["cast"](indices, "int32")
        if not input.shape.rank:
            return API["identity"](update)
        for size, full in zip(update.shape.as_list(), input.shape.as_list()):
            if size is not None and full is not None and size > full:
                raise invalid(
                    f"Update dim size {size} greater than dynamic slice dimension: {full}. "
                    "[Op:XlaDynamicUpdateSlice]"
                )
        sizes = API["shape"](update)
        begin = API["clip_by_value"](indices, 0, API["shape"](input) - sizes)
        ones = API["ones_like"](begin)
        return OPS["TensorStridedSliceUpdate"].public(input, begin, begin + sizes, ones, update)


# ------------------------------------------------------------------ convolutions with parameters first


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
