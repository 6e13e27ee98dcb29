"""``tf.initializers``: Keras's initializers, their registry, serialization and seeds."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.dtypes import DType, as_dtype, int32, int64
from twinflow._src.core.shapes import static_sizes
from twinflow._src.dispatch.op import API, documented_like, export
from twinflow._src.initializers.plain import TRUNCATED_DEVIATION, fans, orthogonal, per_unit
from twinflow._src.ops.array.fill import ones, zeros
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.division import floormod
from twinflow._src.ops.random.stateless import (
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
)
from twinflow._src.random.seeds import set_seed
from twinflow._src.variables.variable import Variable

C = TypeVar("C", bound=type)
_CLASSES: dict[str, type] = {}
_NAMESPACES = ("initializers", "keras.initializers")
# Aliases accepted only by ``get``.
_SHORT = {"zeros": "zero", "ones": "one", "random_normal": "normal", "random_uniform": "uniform"}


def named(*more: str) -> Callable[[C], C]:
    """Registers an initializer under its class name, the snake case name, and more names."""

    def register(cls: C) -> C:
        name = cls.__name__
        lower = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        names = (name, *more) if name == "Initializer" else (name, lower, *more)
        _CLASSES.update(dict.fromkeys((*names, _SHORT.get(lower, name)), cls))
        export(*(f"{namespace}.{n}" for namespace in _NAMESPACES for n in names))(cls)
        return cls

    return register


def type_of(dtype: Any) -> DType:
    """Returns the dtype of any name that Keras accepts; float32 if None."""
    plain: dict[Any, str] = {bool: "bool", int: "int64", float: "float32", str: "string"}
    result: Any = "float32" if dtype is None else dtype
    result = plain.get(result, result) if isinstance(result, type) else result
    name = getattr(result, "name", None) or getattr(result, "__name__", result)
    try:
        return as_dtype("int64" if name == "int" else name)
    except TypeError:
        raise ValueError(f"Invalid dtype: {name}") from None


@export("keras.Initializer")
@named()
class Initializer:
    """Base class of Keras initializers."""

    __module__ = "twinflow.keras"

    # Names of the attributes that make up the configuration, in order.
    _config: ClassVar[tuple[str, ...]] = ()

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """Creates a tensor.

        Args:
            shape: The shape.
            dtype: The dtype; float32 if None.

        Returns:
            A tensor.
        """
        raise NotImplementedError("Initializer subclasses must implement the `__call__()` method.")

    def get_config(self) -> dict[str, Any]:
        """Returns the configuration, from which ``from_config`` creates the same initializer."""
        return {name: getattr(self, name) for name in self._config}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Creates the initializer of a configuration; see ``get_config``."""
        return cls(**config)

    def clone(self) -> Any:
        """Creates a copy of the initializer from its configuration."""
        return self.from_config(self.get_config())


# ------------------------------------------------------------------ serialization and lookup


@export(*(f"{namespace}.serialize" for namespace in _NAMESPACES))
def serialize(initializer: Any) -> Any:
    """Serializes an initializer.

    Args:
        initializer: An initializer; plain values are returned unchanged.

    Returns:
        A dictionary with the class and its configuration.
    """
    if not hasattr(initializer, "get_config"):
        return initializer
    namespace = "keras.random" if isinstance(initializer, SeedGenerator) else "keras.initializers"
    return {
        "module": namespace,
        "class_name": type(initializer).__name__,
        "config": initializer.get_config(),
        "registered_name": None,
    }


@export(*(f"{namespace}.deserialize" for namespace in _NAMESPACES))
def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """Creates an initializer from its serialized form.

    Args:
        config: The result of ``serialize``, or the name of a class.
        custom_objects: Additional classes by name.

    Returns:
        An initializer.

    Raises:
        ValueError: There is no such class.
    """
    if isinstance(config, str):
        config = {"class_name": config}
    name = config["class_name"]
    cls: Any = {**_CLASSES, **(custom_objects or {})}.get(name)
    if cls is None:
        raise ValueError(f"Could not interpret initializer identifier: {name}")
    return cls.from_config(dict(config.get("config", {})))


@export(*(f"{namespace}.get" for namespace in _NAMESPACES))
def get(identifier: Any) -> Any:
    """Returns an initializer by name, serialized form, class, function or value.

    Args:
        identifier: A name, a serialized form, a class, a function, an initializer, or a tensor,
            whose value is used; None is returned unchanged.

    Returns:
        An initializer or a function.

    Raises:
        ValueError: The identifier is not an initializer.
    """
    if identifier is None:
        return None
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if is_tensor(identifier) or isinstance(identifier, (np.generic, np.ndarray)):
        return _value(identifier)
    if not callable(identifier):
        raise ValueError(f"Could not interpret initializer identifier: {identifier}")
    return identifier() if inspect.isclass(identifier) else identifier


def _value(value: Any) -> Callable[..., Any]:
    """Returns an initializer function of a constant value, whose shape must be the requested one."""

    def initialize(shape: Any, dtype: Any = None) -> Any:
        result_dtype = type_of(dtype)
        if static_sizes(shape) != static_sizes(value.shape):
            raise ValueError(
                f"Expected `shape` to be {value.shape} for direct tensor as initializer. "
                f"Received shape={shape}"
            )
        return cast(convert_to_tensor(value), result_dtype)

    return initialize


# Seeds.


@export("keras.random.SeedGenerator")
class SeedGenerator:
    """Generator of seeds for stateless random ops.

    Args:
        seed: An integer; random if None.
        name: A name.

    Raises:
        ValueError: The seed is not an integer.
    """

    __module__ = "twinflow.keras.random"

    def __init__(self, seed: int | None = None, name: str | None = None) -> None:
        self.name = name or "seed_generator"
        self._initial_seed = seed
        seed = any_seed() if seed is None else seed
        if not isinstance(seed, int):
            raise ValueError(f"Argument `seed` must be an integer. Received: seed={seed}")
        self.state: Any = Variable(
            [seed, 0], dtype=int64, trainable=False, name="seed_generator_state"
        )

    def next(self, ordered: bool = True) -> Any:
        """Returns a seed and advances the state.

        Args:
            ordered: If True, seeds count up; otherwise they are scattered.

        Returns:
            Two integers.
        """
        seed = self.state.value() * 1
        following = seed + [0, 1] if ordered else (seed + 1) * 5387 % 933199
        self.state.assign(following)
        return seed

    def get_config(self) -> dict[str, Any]:
        """Returns the configuration, from which ``from_config`` creates the same object."""
        return {"seed": self._initial_seed, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> SeedGenerator:
        """Creates a SeedGenerator from the result of ``get_config``."""
        return cls(**config)


def any_seed() -> int:
    """Returns a seed from Python's global random generator."""
    import random

    return random.randint(1, int(1e9))


@export("keras.utils.set_random_seed")
@documented_like(SeedGenerator)
def set_random_seed(seed: int) -> None:
    """Sets the seeds of Python, NumPy and TensorFlow.

    Args:
        seed: An integer.
    """
    if not isinstance(seed, int):
        raise ValueError(
            f"Expected `seed` argument to be an integer. Received: seed={seed} (of type {type(seed)})"
        )
    import random

    random.seed(seed)
    np.random.seed(seed)  # user code relies on NumPy's global generator
    set_seed(seed)


# Initializers.


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
        result_dtype = type_of(dtype)
        return cast(self.value, result_dtype) * ones(shape, result_dtype)


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
        return self.gain * API["eye"](*static_sizes(shape), dtype=type_of(dtype))


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
