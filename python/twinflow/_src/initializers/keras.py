"""``tf.initializers``: Keras initializers.

They draw stateless random numbers from their seed: repeated calls return the same values unless the
seed is a ``SeedGenerator``.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from twinflow._src.core.dtypes import int32, int64
from twinflow._src.dispatch.op import API
from twinflow._src.initializers.keras_registry import Initializer, named, serialize, type_of
from twinflow._src.initializers.keras_seeds import SeedGenerator, any_seed
from twinflow._src.initializers.plain import TRUNCATED_DEVIATION, fans, orthogonal, per_unit
from twinflow._src.ops.array.fill import ones, zeros
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.division import floormod
from twinflow._src.ops.random.stateless import (
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
)

# Constants and simple distributions.


_SEED_MODULUS = 2**31 - 2


# ------------------------------------------------------------------ constants


@named()
class Zeros(Initializer):
    """Initializer that creates tensors of zeros."""

    __module__ = "twinflow.keras.initializers"

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """Creates a tensor; see ``Initializer``."""
        return zeros(shape, type_of(dtype))


@named()
class Ones(Initializer):
    """Initializer that creates tensors of ones."""

    __module__ = "twinflow.keras.initializers"

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """Creates a tensor; see ``Initializer``."""
        return ones(shape, type_of(dtype))


@named()
class Constant(Initializer):
    """Initializer that creates constant tensors.

    Args:
        value: A number.
    """

    __module__ = "twinflow.keras.initializers"

    _config = ("value",)

    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """Creates a tensor; see ``Initializer``."""
        found = type_of(dtype)
        return cast(self.value, found) * ones(shape, found)


@named("IdentityInitializer")
class Identity(Initializer):
    """Initializer that creates identity matrices.

    Args:
        gain: The value on the diagonal.
    """

    __module__ = "twinflow.keras.initializers"

    # The gain is not part of the configuration, as in Keras.

    def __init__(self, gain: Any = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """Creates a tensor; see ``Initializer``."""
        if len(shape) != 2:
            raise ValueError(
                "Identity matrix initializer can only be used for 2D matrices. "
                f"Received: shape={shape} of rank {len(shape)}."
            )
        return self.gain * API["eye"](*shape, dtype=type_of(dtype))


# ------------------------------------------------------------------ random values


class RandomInitializer(Initializer):
    """Base class of initializers with a seed.

    Args:
        seed: An integer or a ``SeedGenerator``; random if None.

    Raises:
        ValueError: The seed has another type.
    """

    def __init__(self, seed: Any = None) -> None:
        self._init_seed = seed
        if isinstance(seed, dict):
            seed = SeedGenerator.from_config(seed["config"])
        if seed is not None and not isinstance(seed, (int, SeedGenerator)):
            raise ValueError(
                "`seed` argument should be an instance of `keras.random.SeedGenerator()` or an "
                f"integer. Received: seed={seed}"
            )
        self.seed = any_seed() if seed is None else seed

    def get_config(self) -> dict[str, Any]:
        """Returns the configuration, from which ``from_config`` creates the same initializer."""
        return {"seed": serialize(self._init_seed), **super().get_config()}

    def _next_seed(self) -> Any:
        """Returns the seed of stateless ops: two int32 numbers."""
        seed: Any = self.seed
        wide = seed.next() if isinstance(seed, SeedGenerator) else cast([seed, 0], int64)
        return cast(floormod(wide, _SEED_MODULUS), int32)

    def _normal(self, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Any:
        seed = self._next_seed()
        return stateless_normal(shape, seed, mean, stddev, dtype or "float32")

    def _truncated_normal(self, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Any:
        seed = self._next_seed()
        return stateless_truncated_normal(shape, seed, mean, stddev, dtype or "float32")

    def _uniform(self, shape: Any, minval: Any, maxval: Any, dtype: Any) -> Any:
        seed, dtype = self._next_seed(), dtype or "float32"
        low, high = cast(minval, dtype), cast(maxval, dtype)
        return stateless_uniform(shape, seed, low, high, dtype)


@named()
class RandomNormal(RandomInitializer):
    """Initializer that draws from a normal distribution.

    Args:
        mean: The mean.
        stddev: The standard deviation.
        seed: An integer or a ``SeedGenerator``.
    """

    __module__ = "twinflow.keras.initializers"

    _config = ("mean", "stddev")

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None) -> None:
        self.mean, self.stddev = mean, stddev
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """Creates a tensor; see ``Initializer``."""
        return self._normal(shape, self.mean, self.stddev, dtype)


@named()
class TruncatedNormal(RandomInitializer):
    """Initializer that draws from a truncated normal distribution, within two standard deviations.

    Args:
        mean: The mean.
        stddev: The standard deviation before truncation.
        seed: An integer or a ``SeedGenerator``.
    """

    __module__ = "twinflow.keras.initializers"

    _config = ("mean", "stddev")

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None) -> None:
        self.mean, self.stddev = mean, stddev
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """Creates a tensor; see ``Initializer``."""
        return self._truncated_normal(shape, self.mean, self.stddev, dtype)


@named()
class RandomUniform(RandomInitializer):
    """Initializer that draws from a uniform distribution.

    Args:
        minval: The lower bound.
        maxval: The upper bound, excluded.
        seed: An integer or a ``SeedGenerator``.
    """

    __module__ = "twinflow.keras.initializers"

    _config = ("minval", "maxval")

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: Any = None) -> None:
        self.minval, self.maxval = minval, maxval
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """Creates a tensor; see ``Initializer``."""
        return self._uniform(shape, self.minval, self.maxval, dtype)


# Initializers that depend on the shape.


@named("OrthogonalInitializer")
class Orthogonal(RandomInitializer):
    """Initializer that creates orthogonal matrices; leading dimensions are flattened to rows.

    Args:
        gain: A multiplicative factor.
        seed: An integer or a ``SeedGenerator``.
    """

    __module__ = "twinflow.keras.initializers"

    _config = ("gain",)

    def __init__(self, gain: Any = 1.0, seed: Any = None) -> None:
        self.gain = gain
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """Creates a tensor; see ``Initializer``."""
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize must be at least two-dimensional. Received: "
                f"shape={shape} of rank {len(shape)}."
            )

        def normal(flat: Any) -> Any:
            return self._normal(flat, 0.0, 1.0, dtype)

        return orthogonal(shape, self.gain, normal, API["linalg.diag_part"])


_MODES = ("fan_in", "fan_avg", "fan_out")
_DISTRIBUTIONS = ("truncated_normal", "uniform", "untruncated_normal")


@named()
class VarianceScaling(RandomInitializer):
    """Initializer that adapts the variance of random values to the shape.

    Args:
        scale: The scaling factor of the variance.
        mode: ``"fan_in"``, ``"fan_out"`` or ``"fan_avg"``.
        distribution: ``"truncated_normal"``, ``"untruncated_normal"`` or ``"uniform"``.
        seed: An integer or a ``SeedGenerator``.
        input_axes: The input dimensions, if they are not the second to last one and the window.
        output_axes: The output dimensions, if they are not the last one and the window.

    Raises:
        ValueError: The scale is not positive, or there is no such mode or distribution.
    """

    __module__ = "twinflow.keras.initializers"

    _config: ClassVar[tuple[str, ...]] = (
        "scale",
        "mode",
        "distribution",
        "input_axes",
        "output_axes",
    )

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: Any = None,
        input_axes: Any = None,
        output_axes: Any = None,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be positive float. Received: scale={scale}")
        if mode not in _MODES:
            raise ValueError(f"Invalid `mode` argument: {mode}. Please use one of {set(_MODES)}")
        distribution = distribution.lower()
        distribution = "truncated_normal" if distribution == "normal" else distribution
        if distribution not in _DISTRIBUTIONS:
            raise ValueError(
                f"Invalid `distribution` argument: {distribution}."
                f"Please use one of {set(_DISTRIBUTIONS)}"
            )
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.input_axes, self.output_axes = input_axes, output_axes
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """Creates a tensor; see ``Initializer``."""
        counted = fans(shape, self.input_axes, self.output_axes)
        scale = per_unit(self.scale, self.mode, *counted)
        if self.distribution == "truncated_normal":
            stddev = math.sqrt(scale) / TRUNCATED_DEVIATION
            return self._truncated_normal(shape, 0.0, stddev, dtype)
        if self.distribution == "untruncated_normal":
            return self._normal(shape, 0.0, math.sqrt(scale), dtype)
        limit = math.sqrt(3.0 * scale)
        return self._uniform(shape, -limit, limit, dtype)


def _fixed(name: str, what: str, scale: float, mode: str, distribution: str) -> type:
    """Creates a subclass of VarianceScaling with fixed scale, mode and distribution."""

    def __init__(
        self: Any, seed: Any = None, input_axes: Any = None, output_axes: Any = None
    ) -> None:
        VarianceScaling.__init__(self, scale, mode, distribution, seed, input_axes, output_axes)

    __init__.__qualname__ = f"{name}.__init__"
    doc = f"""{what}

    Args:
        seed: An integer or a ``SeedGenerator``.
        input_axes: The dimensions of the inputs; see ``VarianceScaling``.
        output_axes: The dimensions of the outputs; see ``VarianceScaling``.
    """
    members = {
        "__init__": __init__,
        "__doc__": doc,
        "__module__": "twinflow.keras.initializers",
        "_config": ("input_axes", "output_axes"),
    }
    return named()(type(name, (VarianceScaling,), members))


_CUT, _FLAT = "truncated_normal", "uniform"
GlorotUniform = _fixed("GlorotUniform", "Glorot's uniform initializer.", 1.0, "fan_avg", _FLAT)
GlorotNormal = _fixed("GlorotNormal", "Glorot's normal initializer.", 1.0, "fan_avg", _CUT)
HeNormal = _fixed("HeNormal", "He's normal initializer.", 2.0, "fan_in", _CUT)
HeUniform = _fixed("HeUniform", "He's uniform initializer.", 2.0, "fan_in", _FLAT)
LecunNormal = _fixed("LecunNormal", "LeCun's normal initializer.", 1.0, "fan_in", _CUT)
LecunUniform = _fixed("LecunUniform", "LeCun's uniform initializer.", 1.0, "fan_in", _FLAT)
