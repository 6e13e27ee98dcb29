"""Initializers of variables: ``tf.zeros_initializer`` and the like.

``keras.py`` has those of ``tf.initializers``, which differ in their arguments and in the use of
seeds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from twinflow._src.conversion.constant import constant
from twinflow._src.core.dtypes import DType, as_dtype, float32, string
from twinflow._src.core.shapes import static_size, static_sizes
from twinflow._src.dispatch.op import API, export
from twinflow._src.ops.array import fill
from twinflow._src.ops.array.shapes import reshape
from twinflow._src.ops.random import stateful as random
from twinflow._src.ops.random import stateless as random_stateless

# Standard deviation of a standard normal distribution truncated at two standard deviations.
TRUNCATED_DEVIATION = 0.87962566103423978
_PARTITION = ["partition_shape", "partition_offset"]


class Initializer:
    """Base class of initializers: callables of a shape and a dtype."""

    # Names of the attributes that make up the configuration, in order.
    _config: ClassVar[tuple[str, ...]] = ()

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        """Creates a tensor.

        Args:
            shape: The shape.
            dtype: The dtype.
            **kwargs: ``partition_shape`` and ``partition_offset`` of a partition of a variable.

        Returns:
            A tensor.
        """
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Returns the configuration, from which ``from_config`` creates the same initializer."""
        return {name: getattr(self, name) for name in self._config}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Creates an initializer from a configuration.

        Args:
            config: The result of ``get_config``.

        Returns:
            An initializer.
        """
        config.pop("dtype", None)
        return cls(**config)

    def _part(self, shape: Any, kwargs: dict[str, Any], supported: bool = True) -> Any:
        """Returns the shape to create: that of the partition, if given."""
        for name in kwargs:
            if name not in _PARTITION:
                raise TypeError(f"Keyword argument should be one of {_PARTITION}. Received: {name}")
            if not supported:
                raise ValueError(
                    f"{type(self).__name__} initializer doesn't support partition-related arguments"
                )
        return kwargs.get("partition_shape", shape)


def _numeric(dtype: Any) -> DType:
    dtype = as_dtype(dtype)
    if dtype is string or not dtype.is_numpy_compatible:
        raise _not_numeric(dtype)
    return dtype


def _not_numeric(dtype: DType) -> ValueError:
    return ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype}.")


def floating(dtype: Any) -> DType:
    """Returns a dtype that must be floating-point."""
    dtype = as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype}.")
    return dtype


@export("zeros_initializer")
class Zeros(Initializer):
    """Initializer that creates tensors of zeros."""

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Any:
        """Creates a tensor; see ``Initializer``."""
        shape = self._part(shape, kwargs)
        return fill.zeros(shape, _numeric(dtype))


@export("ones_initializer")
class Ones(Initializer):
    """Initializer that creates tensors of ones."""

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Any:
        """Creates a tensor; see ``Initializer``."""
        shape = self._part(shape, kwargs)
        return fill.ones(shape, _numeric(dtype))


@export("constant_initializer")
class Constant(Initializer):
    """Initializer that creates constant tensors.

    Args:
        value: A number, or as many as the tensor has elements.
        support_partition: True if partitions of a variable are supported.

    Raises:
        TypeError: The value is not a number, sequence or NumPy array.
    """

    _config = ("value",)

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value: {type(value).__name__}. Expected Python scalar, "
                "list or tuple of values, or numpy.ndarray."
            )
        self.value, self.support_partition = value, support_partition

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        """Creates a tensor; see ``Initializer``."""
        self._part(shape, kwargs, self.support_partition)
        return constant(self.value, dtype=None if dtype is None else as_dtype(dtype), shape=shape)


@export("random_uniform_initializer")
class RandomUniform(Initializer):
    """Initializer that draws from a uniform distribution.

    Args:
        minval: The lower bound.
        maxval: The upper bound, excluded.
        seed: An integer, for equal values at each call; if None, the global seed is used.
    """

    _config = ("minval", "maxval", "seed")

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: Any = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Any:
        """Creates a tensor; see ``Initializer``."""
        shape, dtype = self._part(shape, kwargs), as_dtype(dtype)
        if not dtype.is_floating and not dtype.is_integer:
            raise _not_numeric(dtype)
        if self.seed is None:
            return random.uniform(shape, self.minval, self.maxval, dtype)
        seed = [self.seed, 0]
        return random_stateless.stateless_uniform(shape, seed, self.minval, self.maxval, dtype)


@export("random_normal_initializer")
class RandomNormal(Initializer):
    """Initializer that draws from a normal distribution.

    Args:
        mean: The mean.
        stddev: The standard deviation.
        seed: An integer, for equal values at each call; if None, the global seed is used.
    """

    _config = ("mean", "stddev", "seed")

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Any:
        """Creates a tensor; see ``Initializer``."""
        shape, dtype = self._part(shape, kwargs), floating(dtype)
        if self.seed is None:
            return random.normal(shape, self.mean, self.stddev, dtype)
        seed = [self.seed, 0]
        return random_stateless.stateless_normal(shape, seed, self.mean, self.stddev, dtype)


class TruncatedNormal(RandomNormal):
    """Initializer that draws from a normal distribution truncated at two standard deviations."""

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Any:
        """Creates a tensor; see ``Initializer``."""
        shape, dtype = self._part(shape, kwargs), floating(dtype)
        if self.seed is None:
            return random.truncated_normal(shape, self.mean, self.stddev, dtype)
        seed = [self.seed, 0]
        return random_stateless.stateless_truncated_normal(
            shape, seed, self.mean, self.stddev, dtype
        )


# ------------------------------------------------------------------ shared functions


def fans(
    shape: Any, inputs: Sequence[int] | None = None, outputs: Sequence[int] | None = None
) -> tuple[int, int]:
    """Returns the fan-in and fan-out of a weight, by its input and output dimensions if known."""
    sizes = static_sizes(shape)
    if inputs is not None and outputs is not None:
        return int(math.prod(sizes[i] for i in inputs)), int(math.prod(sizes[i] for i in outputs))
    if len(sizes) < 2:
        only = int(sizes[0]) if sizes else 1
        return only, only
    window = math.prod(sizes[:-2])
    return int(sizes[-2] * window), int(sizes[-1] * window)


def per_unit(scale: float, mode: str, fan_in: int, fan_out: int) -> float:
    """Returns a variance divided by the number of units of a mode."""
    units = {"fan_in": fan_in, "fan_out": fan_out}.get(mode, (fan_in + fan_out) / 2.0)
    return scale / max(1.0, units)


def orthogonal(shape: Any, gain: Any, normal: Any, diagonal: Any) -> Any:
    """Returns an orthogonal matrix from the QR decomposition of a random one, reshaped."""
    # All dimensions but the last are rows; ``normal`` draws a matrix, ``diagonal`` returns its
    # diagonal.
    rows, columns = int(math.prod(static_sizes(shape[:-1]))), int(static_size(shape, -1))
    q, r = API["linalg.qr"](normal((max(columns, rows), min(columns, rows))))
    q = q * API["sign"](diagonal(r))
    if rows < columns:
        q = API["linalg.matrix_transpose"](q)
    return gain * reshape(q, shape)
