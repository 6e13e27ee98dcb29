"""The initializers of TensorFlow 1 whose values depend on the shape, and what all of them share."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from twinflow._src.core.dtypes import float32
from twinflow._src.dispatch.op import API
from twinflow._src.initializers.plain import (
    TRUNCATED_DEVIATION,
    fans,
    floating,
    orthogonal,
    per_unit,
)


class Initializer:
    """What the initializers of TensorFlow 1 have in common.

    Attributes:
        dtype: The type of the tensors, where a call does not name one.
    """

    # The parameters that make up the configuration, in its order.
    _config: ClassVar[tuple[str, ...]] = ("dtype",)
    dtype: Any = None

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Makes a tensor.

        Args:
            shape: The shape.
            dtype: The type; the initializer's own where None.
            partition_info: Tells ``full_shape`` of a variable of which this is a part.

        Returns:
            A tensor.
        """
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """What ``from_config`` needs to make the same initializer again."""
        return {n: self.dtype.name if n == "dtype" else getattr(self, n) for n in self._config}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Makes an initializer of what ``get_config`` gave."""
        return cls(**config)


def _whole(shape: Any, partition_info: Any) -> Any:
    return shape if partition_info is None else partition_info.full_shape


class UniformUnitScaling(Initializer):
    """Makes uniform random numbers that keep the scale of the inputs.

    Args:
        factor: A factor.
        seed: An integer; where None, one is derived from the global seed.
        dtype: The type.
    """

    _config = ("factor", "seed", "dtype")

    def __init__(self, factor: Any = 1.0, seed: Any = None, dtype: Any = float32) -> None:
        self.factor, self.seed, self.dtype = factor, seed, floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Makes a tensor; see ``Initializer``."""
        inputs = math.prod(float(size) for size in _whole(shape, partition_info)[:-1])
        limit = math.sqrt(3 / max(inputs, 1.0)) * self.factor
        return API["random.uniform"](
            shape, -limit, limit, self.dtype if dtype is None else dtype, seed=self.seed
        )


class VarianceScaling(Initializer):
    """Makes random numbers whose variance is adapted to the shape.

    Args:
        scale: The variance for one unit.
        mode: Which units to count: ``"fan_in"``, ``"fan_out"`` or ``"fan_avg"``.
        distribution: ``"truncated_normal"`` (or ``"normal"``), ``"untruncated_normal"`` or ``"uniform"``.
        seed: An integer; where None, one is derived from the global seed.
        dtype: The type.

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
        """Makes a tensor; see ``Initializer``."""
        dtype = self.dtype if dtype is None else dtype
        scale = per_unit(self.scale, self.mode, *fans(_whole(shape, partition_info)))
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
        seed: An integer; where None, one is derived from the global seed.
        dtype: The type; without effect, as in TensorFlow.
    """

    _config = ("seed", "dtype")

    def __init__(self, seed: Any = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed)


class GlorotNormal(VarianceScaling):
    """Glorot's normal initializer.

    Args:
        seed: An integer; where None, one is derived from the global seed.
        dtype: The type; without effect, as in TensorFlow.
    """

    _config = ("seed", "dtype")

    def __init__(self, seed: Any = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed)


_TOO_FLAT = (
    "The tensor to initialize, specified by argument `shape` must be at least two-dimensional. "
    "Received shape={}"
)


class Orthogonal(Initializer):
    """Makes orthogonal matrices.

    Args:
        gain: A factor.
        seed: An integer; where None, one is derived from the global seed.
        dtype: The type.
    """

    _config = ("gain", "seed", "dtype")

    def __init__(self, gain: Any = 1.0, seed: Any = None, dtype: Any = float32) -> None:
        self.gain, self.seed, self.dtype = gain, seed, floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Makes a tensor; see ``Initializer``."""
        if len(shape) < 2:
            raise ValueError(_TOO_FLAT.format(shape))
        dtype = self.dtype if dtype is None else dtype

        def normal(flat: Any) -> Any:
            return API["random.normal"](flat, dtype=dtype, seed=self.seed)

        return orthogonal(shape, self.gain, normal, API["linalg.tensor_diag_part"])


class Identity(Initializer):
    """Makes identity matrices.

    Args:
        gain: The number on the diagonal.
        dtype: The type.
    """

    _config = ("gain", "dtype")

    def __init__(self, gain: Any = 1.0, dtype: Any = float32) -> None:
        self.gain, self.dtype = gain, floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Makes a tensor; see ``Initializer``."""
        full = list(_whole(shape, partition_info))
        if len(full) != 2:
            raise ValueError(_TOO_FLAT.format(shape))
        matrix = API["eye"](*full, dtype=self.dtype if dtype is None else dtype)
        if partition_info is not None:
            matrix = API["slice"](matrix, partition_info.var_offset, shape)
        return self.gain * matrix


def he_normal(seed: Any = None) -> VarianceScaling:
    """He's normal initializer, with a seed."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: Any = None) -> VarianceScaling:
    """He's uniform initializer, with a seed."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed: Any = None) -> VarianceScaling:
    """LeCun's normal initializer, with a seed."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: Any = None) -> VarianceScaling:
    """LeCun's uniform initializer, with a seed."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)
