"""Initializers of TensorFlow 1: with a dtype attribute and stateful random numbers.

``NAMES`` maps names of ``tf.compat.v1`` to the classes.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.conversion.graph_constants import python_array
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype, float32
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.initializers.plain import (
    TRUNCATED_DEVIATION,
    fans,
    floating,
    orthogonal,
    per_unit,
)

# Base class, and initializers that depend on the shape.


class Initializer:
    """Base class of TensorFlow 1 initializers.

    Attributes:
        dtype: The default dtype of the tensors.
    """

    # Names of the attributes that make up the configuration, in order.
    _config: ClassVar[tuple[str, ...]] = ("dtype",)
    dtype: Any = None

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Creates a tensor.

        Args:
            shape: The shape.
            dtype: The dtype; the initializer's own if None.
            partition_info: Holds ``full_shape`` of a partitioned variable.

        Returns:
            A tensor.
        """
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Returns the configuration, from which ``from_config`` creates the same initializer."""
        return {n: self.dtype.name if n == "dtype" else getattr(self, n) for n in self._config}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Creates the initializer of a configuration; see ``get_config``."""
        return cls(**config)


def _get_full_shape(shape: Any, partition_info: Any) -> Any:
    return shape if partition_info is None else partition_info.full_shape


class UniformUnitScaling(Initializer):
    """Initializer that draws from a uniform distribution scaled to preserve the variance of inputs.

    Args:
        factor: A multiplicative factor.
        seed: An integer; if None, derived from the global seed.
        dtype: The dtype.
    """

    _config = ("factor", "seed", "dtype")

    def __init__(self, factor: Any = 1.0, seed: Any = None, dtype: Any = float32) -> None:
        self.factor, self.seed, self.dtype = factor, seed, floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Creates a tensor; see ``Initializer``."""
        inputs = math.prod(float(size) for size in _get_full_shape(shape, partition_info)[:-1])
        limit = math.sqrt(3 / max(inputs, 1.0)) * self.factor
        return API["random.uniform"](
            shape, -limit, limit, self.dtype if dtype is None else dtype, seed=self.seed
        )


class VarianceScaling(Initializer):
    """Initializer that adapts the variance of random values to the shape.

    Args:
        scale: The scaling factor of the variance.
        mode: ``"fan_in"``, ``"fan_out"`` or ``"fan_avg"``.
        distribution: ``"truncated_normal"`` (or ``"normal"``), ``"untruncated_normal"`` or ``"uniform"``.
        seed: An integer; if None, derived from the global seed.
        dtype: The dtype.

    Raises:
        ValueError: The scale is not positive, or there is no such mode or distribution.
    """

    _config: ClassVar[tuple[str, ...]] = ("scale", "mode", "distribution", "seed", "dtype")

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: Any = None,
        dtype: Any = float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(
                "Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). "
                f"Received: {mode}"
            )
        distribution = distribution.lower()
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(
                "Argument `distribution` should be one of ('normal', uniform', 'truncated_normal', "
                f"'untruncated_normal'). Received: {distribution}"
            )
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.seed, self.dtype = seed, floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Creates a tensor; see ``Initializer``."""
        dtype = self.dtype if dtype is None else dtype
        scale = per_unit(self.scale, self.mode, *fans(_get_full_shape(shape, partition_info)))
        if self.distribution in ("normal", "truncated_normal"):
            stddev = math.sqrt(scale) / TRUNCATED_DEVIATION
            return API["random.truncated_normal"](shape, 0.0, stddev, dtype, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return API["random.normal"](shape, 0.0, math.sqrt(scale), dtype, seed=self.seed)
        limit = math.sqrt(3.0 * scale)
        return API["random.uniform"](shape, -limit, limit, dtype, seed=self.seed)


class GlorotUniform(VarianceScaling):
    """Glorot's uniform initializer.

    Args:
        seed: An integer; if None, derived from the global seed.
        dtype: The dtype; without effect, as in TensorFlow.
    """

    _config = ("seed", "dtype")

    def __init__(self, seed: Any = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed)


@documented_like(GlorotUniform)
class GlorotNormal(VarianceScaling):
    """Glorot's normal initializer."""

    _config = ("seed", "dtype")

    def __init__(self, seed: Any = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed)


_TOO_FLAT = (
    "The tensor to initialize, specified by argument `shape` must be at least two-dimensional. "
    "Received shape={}"
)


class Orthogonal(Initializer):
    """Initializer that creates orthogonal matrices.

    Args:
        gain: A multiplicative factor.
        seed: An integer; if None, derived from the global seed.
        dtype: The dtype.
    """

    _config = ("gain", "seed", "dtype")

    def __init__(self, gain: Any = 1.0, seed: Any = None, dtype: Any = float32) -> None:
        self.gain, self.seed, self.dtype = gain, seed, floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Creates a tensor; see ``Initializer``."""
        if len(shape) < 2:
            raise ValueError(_TOO_FLAT.format(shape))
        dtype = self.dtype if dtype is None else dtype

        def normal(flat: Any) -> Any:
            return API["random.normal"](flat, dtype=dtype, seed=self.seed)

        return orthogonal(shape, self.gain, normal, API["linalg.tensor_diag_part"])


class Identity(Initializer):
    """Initializer that creates identity matrices.

    Args:
        gain: The value on the diagonal.
        dtype: The dtype.
    """

    _config = ("gain", "dtype")

    def __init__(self, gain: Any = 1.0, dtype: Any = float32) -> None:
        self.gain, self.dtype = gain, floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Creates a tensor; see ``Initializer``."""
        full = list(_get_full_shape(shape, partition_info))
        if len(full) != 2:
            raise ValueError(_TOO_FLAT.format(shape))
        matrix = API["eye"](*full, dtype=self.dtype if dtype is None else dtype)
        if partition_info is not None:
            matrix = API["slice"](matrix, partition_info.var_offset, shape)
        return self.gain * matrix


def he_normal(seed: Any = None) -> VarianceScaling:
    """Creates He's normal initializer."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: Any = None) -> VarianceScaling:
    """Creates He's uniform initializer."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed: Any = None) -> VarianceScaling:
    """Creates LeCun's normal initializer."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: Any = None) -> VarianceScaling:
    """Creates LeCun's uniform initializer."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


# Constants and simple distributions.


@documented_like(UniformUnitScaling)
class Zeros(Initializer):
    """Initializer that creates tensors of zeros."""

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Creates a tensor; see ``Initializer``."""
        return API["zeros"](shape, self.dtype if dtype is None else dtype)


class Ones(Zeros):
    """Initializer that creates tensors of ones.

    Args:
        dtype: The dtype.
    """

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Creates a tensor; see ``Initializer``."""
        return API["ones"](shape, self.dtype if dtype is None else dtype)


def filling(value: Any, dtype: Any, shape: Any) -> Any:
    """Returns a value extended to a shape by repeating its last element; an empty one to zeros."""
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
        raise ValueError(
            f"Too many elements provided. Takes at most {count}, but got {array.size}."
        )
    return np.append(array, np.repeat(array.reshape(-1)[-1:], count - array.size)).reshape(dims)


class Constant(Initializer):
    """Initializer that creates constant tensors.

    Args:
        value: A number, or as many as the tensor has elements.
        dtype: The dtype.
        verify_shape: If True, the value must have the requested shape.

    Raises:
        TypeError: The value is not a number, sequence or NumPy array.
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
        """Creates a tensor; see ``Initializer``."""
        dtype = self.dtype if dtype is None else dtype
        if self._verify_shape if verify_shape is None else verify_shape:
            tensor = convert_to_tensor(self.value, dtype)
            expected, actual = tuple(TensorShape(shape).as_list()), tuple(tensor.shape.as_list())
            if expected == actual:
                return tensor
            if thread.scope.graph is not None:
                raise TypeError(f"Expected Tensor's shape: {expected}, but got {actual}.")
            raise TypeError(
                f"Expected Tensor {tensor.numpy()!s} (converted from {self.value!s}) "
                f"with shape {expected}, but got shape {actual}."
            )
        value = self.value if thread.scope.graph is None else filling(self.value, dtype, shape)
        return constant(value, dtype=dtype, shape=shape)


class RandomUniform(Initializer):
    """Initializer that draws from a uniform distribution.

    Args:
        minval: The lower bound.
        maxval: The upper bound, excluded; 1 if None.
        seed: An integer; if None, derived from the global seed.
        dtype: The dtype.
    """

    _config = ("minval", "maxval", "seed", "dtype")

    def __init__(
        self, minval: Any = 0.0, maxval: Any = None, seed: Any = None, dtype: Any = float32
    ) -> None:
        self.minval, self.maxval, self.seed, self.dtype = minval, maxval, seed, as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Creates a tensor; see ``Initializer``."""
        dtype = self.dtype if dtype is None else dtype
        return API["random.uniform"](shape, self.minval, self.maxval, dtype, seed=self.seed)


class RandomNormal(Initializer):
    """Initializer that draws from a normal distribution.

    Args:
        mean: The mean.
        stddev: The standard deviation.
        seed: An integer; if None, derived from the global seed.
        dtype: The dtype.
    """

    _config = ("mean", "stddev", "seed", "dtype")
    _draw: ClassVar[str] = "random.normal"

    def __init__(
        self, mean: Any = 0.0, stddev: Any = 1.0, seed: Any = None, dtype: Any = float32
    ) -> None:
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Creates a tensor; see ``Initializer``."""
        dtype = self.dtype if dtype is None else dtype
        return API[self._draw](shape, self.mean, self.stddev, dtype, seed=self.seed)


class TruncatedNormal(RandomNormal):
    """Initializer that draws from a truncated normal distribution, within two standard deviations.

    Args:
        mean: The mean.
        stddev: The standard deviation before truncation.
        seed: An integer; if None, derived from the global seed.
        dtype: The dtype.
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
# Names in ``tf.compat.v1``.
NAMES: dict[str, Any] = {
    **{f"{name}_initializer": cls for name, cls in _BOTH.items()},
    **{f"initializers.{name}": value for name, value in {**_BOTH, **_SHORT}.items()},
}
