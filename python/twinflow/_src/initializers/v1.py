"""The initializers of TensorFlow 1: they have a type of their own and use stateful random numbers.

``NAMES`` tells where ``tf.compat.v1`` has them.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.conversion.graph_constants import python_array
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype, float32
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API
from twinflow._src.initializers.plain import floating
from twinflow._src.initializers.v1_scaled import (
    GlorotNormal,
    GlorotUniform,
    Identity,
    Initializer,
    Orthogonal,
    UniformUnitScaling,
    VarianceScaling,
    he_normal,
    he_uniform,
    lecun_normal,
    lecun_uniform,
)


class Zeros(Initializer):
    """Makes tensors of zeros.

    Args:
        dtype: The type.
    """

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Makes a tensor; see ``Initializer``."""
        return API["zeros"](shape, self.dtype if dtype is None else dtype)


class Ones(Zeros):
    """Makes tensors of ones.

    Args:
        dtype: The type.
    """

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Makes a tensor; see ``Initializer``."""
        return API["ones"](shape, self.dtype if dtype is None else dtype)


def filling(value: Any, dtype: Any, shape: Any) -> Any:
    """A value with as many elements as a shape has, the last one again and again; zeros where there is none.

    Args:
        value: The value.
        dtype: The type of the elements, or None.
        shape: The shape.

    Raises:
        ValueError: There are too many elements.
    """
    array, _ = python_array(value, None if dtype is None else as_dtype(dtype))
    count = TensorShape(shape).num_elements()
    if array.ndim == 0 or count is None:
        return value
    dims = TensorShape(shape).as_list()
    if array.size == count:
        return array.reshape(dims)
    if not array.size or not (count or isinstance(value, np.ndarray)):
        return np.zeros(dims, array.dtype)
    if array.size > count:
        raise ValueError(f"Too many elements provided. Takes at most {count}, but got {array.size}.")
    return np.append(array, np.repeat(array.reshape(-1)[-1:], count - array.size)).reshape(dims)


class Constant(Initializer):
    """Makes tensors of given values.

    Args:
        value: A number, or as many as the tensor has elements.
        dtype: The type.
        verify_shape: Whether the values must have the shape already.

    Raises:
        TypeError: The value is no number, sequence or NumPy array.
    """

    _config = ("value", "dtype")

    def __init__(self, value: Any = 0, dtype: Any = float32, verify_shape: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value={value} of type: {type(value).__name__}. Expected "
                "Python scalar, list or tuple of values, or numpy.ndarray."
            )
        self.value, self.dtype, self._verify_shape = value, as_dtype(dtype), verify_shape

    def __call__(
        self,
        shape: Any,
        dtype: Any = None,
        partition_info: Any = None,
        verify_shape: bool | None = None,
    ) -> Any:
        """Makes a tensor; see ``Initializer``."""
        dtype = self.dtype if dtype is None else dtype
        if self._verify_shape if verify_shape is None else verify_shape:
            tensor = convert_to_tensor(self.value, dtype)
            wanted, found = tuple(TensorShape(shape).as_list()), tuple(tensor.shape.as_list())
            if wanted == found:
                return tensor
            raise TypeError(
                f"Expected Tensor {tensor.numpy()!s} (converted from {self.value!s}) "
                f"with shape {wanted}, but got shape {found}."
            )
        value = self.value if thread.scope.graph is None else filling(self.value, dtype, shape)
        return constant(value, dtype=dtype, shape=shape)


class RandomUniform(Initializer):
    """Makes tensors of random numbers between two bounds.

    Args:
        minval: The lower bound.
        maxval: The upper bound, excluded; 1 where None.
        seed: An integer; where None, one is derived from the global seed.
        dtype: The type.
    """

    _config = ("minval", "maxval", "seed", "dtype")

    def __init__(
        self, minval: Any = 0.0, maxval: Any = None, seed: Any = None, dtype: Any = float32
    ) -> None:
        self.minval, self.maxval, self.seed, self.dtype = minval, maxval, seed, as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Makes a tensor; see ``Initializer``."""
        dtype = self.dtype if dtype is None else dtype
        return API["random.uniform"](shape, self.minval, self.maxval, dtype, seed=self.seed)


class RandomNormal(Initializer):
    """Makes tensors of normal random numbers.

    Args:
        mean: The mean.
        stddev: The standard deviation.
        seed: An integer; where None, one is derived from the global seed.
        dtype: The type.
    """

    _config = ("mean", "stddev", "seed", "dtype")
    _draw: ClassVar[str] = "random.normal"

    def __init__(
        self, mean: Any = 0.0, stddev: Any = 1.0, seed: Any = None, dtype: Any = float32
    ) -> None:
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Makes a tensor; see ``Initializer``."""
        dtype = self.dtype if dtype is None else dtype
        return API[self._draw](shape, self.mean, self.stddev, dtype, seed=self.seed)


class TruncatedNormal(RandomNormal):
    """Makes tensors of normal random numbers, less than two standard deviations off.

    Args:
        mean: The mean.
        stddev: The standard deviation before numbers are left out.
        seed: An integer; where None, one is derived from the global seed.
        dtype: The type.
    """

    _draw: ClassVar[str] = "random.truncated_normal"


_BOTH: dict[str, Any] = {
    "zeros": Zeros,
    "ones": Ones,
    "constant": Constant,
    "random_uniform": RandomUniform,
    "random_normal": RandomNormal,
    "truncated_normal": TruncatedNormal,
    "uniform_unit_scaling": UniformUnitScaling,
    "variance_scaling": VarianceScaling,
    "glorot_uniform": GlorotUniform,
    "glorot_normal": GlorotNormal,
    "orthogonal": Orthogonal,
}
_SHORT: dict[str, Any] = {
    "identity": Identity,
    "he_normal": he_normal,
    "he_uniform": he_uniform,
    "lecun_normal": lecun_normal,
    "lecun_uniform": lecun_uniform,
}
# The names below ``tf.compat.v1``.
NAMES: dict[str, Any] = {
    **{f"{name}_initializer": cls for name, cls in _BOTH.items()},
    **{f"initializers.{name}": value for name, value in {**_BOTH, **_SHORT}.items()},
}
