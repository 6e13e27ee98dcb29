"""Keras's initializers whose values depend on the shape."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from twinflow._src.dispatch.op import API
from twinflow._src.initializers.keras import RandomInitializer
from twinflow._src.initializers.keras_registry import named
from twinflow._src.initializers.plain import TRUNCATED_DEVIATION, fans, orthogonal, per_unit


@named("OrthogonalInitializer")
class Orthogonal(RandomInitializer):
    """Makes orthogonal matrices; of more dimensions, matrices whose rows are all but the last one.

    Args:
        gain: A factor.
        seed: An integer or a ``SeedGenerator``.
    """

    __module__ = "twinflow.keras.initializers"

    _config = ("gain",)

    def __init__(self, gain: Any = 1.0, seed: Any = None) -> None:
        self.gain = gain
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """Makes a tensor; see ``Initializer``."""
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
    """Makes random numbers whose variance is adapted to the shape.

    Args:
        scale: The variance for one unit.
        mode: Which units to count: ``"fan_in"``, ``"fan_out"`` or ``"fan_avg"``.
        distribution: ``"truncated_normal"``, ``"untruncated_normal"`` or ``"uniform"``.
        seed: An integer or a ``SeedGenerator``.
        input_axes: The dimensions of the inputs, where they are not the last but one and the window.
        output_axes: The dimensions of the outputs, where they are not the last one and the window.

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
        """Makes a tensor; see ``Initializer``."""
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
    """A class of initializers of which only the seed and the axes are free."""

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
