"""The base class of distributions, and Kullback-Leibler divergences by pairs of classes."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from twinflow._src.compat_v1.context_managers import name_scope
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.dtypes import as_dtype, int32
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.graph.default_graph import executing_eagerly
from twinflow._src.graph.static_values import array_of

_MODULE = "twinflow.compat.v1.distributions"


class ReparameterizationType:
    """The way in which samples depend on the parameters of a distribution.

    Args:
        rep_type: ``"FULLY_REPARAMETERIZED"`` or ``"NOT_REPARAMETERIZED"``.
    """

    __module__ = _MODULE

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._rep_type}>"

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


# Helpers of the distributions.


def parameters_of(values: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a constructor from its ``locals()``."""
    return {k: v for k, v in values.items() if k not in ("self", "__class__")}


def new_seed(seed: int | None, salt: str) -> int | None:
    """Returns the seed of a further random operation of a sample."""
    if seed is None:
        return None
    return int(hashlib.md5(f"{seed}{salt}".encode()).hexdigest()[:8], 16) & 0x7FFFFFFF


def after(assertions: Sequence[Any], x: Any) -> Any:
    """Returns a tensor that is computed after assertions."""
    controls = [assertion for assertion in assertions if assertion is not None]
    with API["control_dependencies"](controls):
        return API["identity"](x)


def parameter(value: Any, name: str) -> Any:
    """Returns a parameter as a tensor."""
    return API["identity"](convert_to_tensor(value), name=name)


def check_floats(*tensors: Any) -> None:
    """Raises ValueError where tensors are not of one floating type."""
    API["debugging.assert_same_float_dtype"](list(tensors))


def static_shape(vector: Any) -> TensorShape:
    """Returns the shape that a vector of sizes describes, as far as it is known."""
    value = vector.numpy() if hasattr(vector, "numpy") else array_of(vector)
    if value is None:
        return TensorShape([None] * vector.shape[0] if vector.shape[0] is not None else None)
    return TensorShape(list(value))


def broadcast_shape(*tensors: Any) -> TensorShape:
    """Returns the static shape of tensors that are broadcast to each other."""
    shape = tensors[0].shape
    for tensor in tensors[1:]:
        shape = API["broadcast_static_shape"](shape, tensor.shape)
    return shape


def broadcast_shape_tensor(*tensors: Any) -> Any:
    """Returns the shape of tensors that are broadcast to each other, as a tensor."""
    shape = API["shape"](tensors[0])
    for tensor in tensors[1:]:
        shape = API["broadcast_dynamic_shape"](shape, API["shape"](tensor))
    return shape


def not_a_number(x: Any) -> Any:
    """Returns NaNs in the shape and of the dtype of a tensor."""
    return API["fill"](API["shape"](x), np.array(np.nan, x.dtype.np))


class Distribution:
    """The base class of distributions: random variables of a batch of independent distributions.

    Subclasses define ``_sample_n``, ``_log_prob`` or ``_prob``, ``_mean`` and so on, and
    ``_batch_shape``, ``_batch_shape_tensor``, ``_event_shape`` and ``_event_shape_tensor``.

    Args:
        dtype: The dtype of samples.
        reparameterization_type: The way in which samples depend on the parameters.
        validate_args: If True, parameters and values are checked.
        allow_nan_stats: If True, statistics that are undefined are NaN; else an error.
        parameters: The arguments of the constructor by name.
        graph_parents: The tensors that the distribution depends on.
        name: The prefix of the names of operations; by default that of the class.
    """

    __module__ = _MODULE

    def __init__(
        self,
        dtype: Any,
        reparameterization_type: Any,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: dict[str, Any] | None = None,
        graph_parents: Any = None,
        name: str | None = None,
    ) -> None:
        self._graph_parents = list(graph_parents or [])
        for i, parent in enumerate(self._graph_parents):
            if parent is None or not is_tensor(parent):
                raise ValueError(f"Graph parent item {i} is not a Tensor; {parent}.")
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._reparameterization_type = reparameterization_type
        self._validate_args, self._allow_nan_stats = validate_args, allow_nan_stats
        self._parameters = dict(parameters or {})
        if not name or name[-1] != "/":
            with name_scope(name or type(self).__name__) as scope:
                name = scope
        self._name = None if executing_eagerly() else name

    # What it is.

    @property
    def name(self) -> Any:
        """The prefix of the names of operations."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The dtype of samples."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of the constructor by name."""
        return {k: v for k, v in self._parameters.items() if k not in ("self", "__class__")}

    @property
    def reparameterization_type(self) -> Any:
        """The way in which samples depend on the parameters."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self) -> bool:
        """True if undefined statistics are NaN."""
        return self._allow_nan_stats

    @property
    def validate_args(self) -> bool:
        """True if parameters and values are checked."""
        return self._validate_args

    def copy(self, **override_parameters_kwargs: Any) -> Any:
        """Returns a copy with other parameters.

        Args:
            **override_parameters_kwargs: Arguments of the constructor.
        """
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    def __str__(self) -> str:
        shapes = [
            f", {name}={shape!s}"
            for name, shape in (
                ("batch_shape", self.batch_shape),
                ("event_shape", self.event_shape),
            )
            if shape.rank is not None
        ]
        return (
            f'tfp.distributions.{type(self).__name__}("{self.name}"'
            f"{''.join(shapes)}, dtype={self.dtype.name})"
        )

    def __repr__(self) -> str:
        return (
            f"<tfp.distributions.{type(self).__name__} '{self.name}' batch_shape={self.batch_shape} "
            f"event_shape={self.event_shape} dtype={self.dtype.name}>"
        )

    @contextmanager
    def _scope(self, name: str) -> Any:
        with name_scope(self.name or type(self).__name__), name_scope(name):
            yield

    # Shapes.

    @property
    def batch_shape(self) -> TensorShape:
        """The static shape of the batch of distributions."""
        return TensorShape(self._batch_shape())

    @property
    def event_shape(self) -> TensorShape:
        """The static shape of one sample of one distribution."""
        return TensorShape(self._event_shape())

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """Returns the shape of the batch as a vector of int32.

        Args:
            name: The name of the operation.
        """
        with self._scope(name):
            return self._shape_vector(self.batch_shape, self._batch_shape_tensor)

    @documented_like(batch_shape_tensor)
    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Any:
        """Returns the shape of one sample as a vector of int32."""
        with self._scope(name):
            return self._shape_vector(self.event_shape, self._event_shape_tensor)

    @staticmethod
    def _shape_vector(shape: TensorShape, dynamic: Callable[[], Any]) -> Any:
        if shape.is_fully_defined():
            return convert_to_tensor(shape.as_list(), int32)
        return dynamic()

    def _batch_shape(self) -> Any:
        return TensorShape(None)

    def _event_shape(self) -> Any:
        return TensorShape(None)

    def _missing(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{what} is not implemented: {type(self).__name__}")

    def _batch_shape_tensor(self) -> Any:
        raise self._missing("batch_shape_tensor")

    def _event_shape_tensor(self) -> Any:
        raise self._missing("event_shape_tensor")

    @documented_like(batch_shape_tensor)
    def is_scalar_event(self, name: str = "is_scalar_event") -> Any:
        """Returns a bool tensor: whether samples are scalars."""
        with self._scope(name):
            return _is_scalar(self.event_shape, self.event_shape_tensor)

    @documented_like(batch_shape_tensor)
    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Any:
        """Returns a bool tensor: whether there is one distribution."""
        with self._scope(name):
            return _is_scalar(self.batch_shape, self.batch_shape_tensor)

    @classmethod
    def param_shapes(cls, sample_shape: Any, name: str = "DistributionParamShapes") -> Any:
        """Returns the shapes of parameters for samples of a shape, by name, as tensors.

        Args:
            sample_shape: The shape of a sample.
            name: The name of the operation.
        """
        with name_scope(name):
            return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape: Any) -> dict[str, TensorShape]:
        """Returns the shapes of parameters for samples of a known shape, by name.

        Args:
            sample_shape: The shape of a sample, a ``TensorShape`` or sizes.

        Raises:
            ValueError: The shape is not known.
        """
        if isinstance(sample_shape, TensorShape):
            if not sample_shape.is_fully_defined():
                raise ValueError("TensorShape sample_shape must be fully defined")
            sample_shape = sample_shape.as_list()
        shapes = {}
        for name, vector in cls.param_shapes(sample_shape).items():
            value = API["get_static_value"](vector)
            if value is None:
                raise ValueError("sample_shape must be a fully-defined TensorShape or list/tuple")
            shapes[name] = TensorShape(list(value))
        return shapes

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> Any:
        raise NotImplementedError("_param_shapes not implemented")

    # Samples.

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        raise self._missing("sample_n")

    def sample(self, sample_shape: Any = (), seed: Any = None, name: str = "sample") -> Any:
        """Returns samples of shape ``sample_shape + batch_shape + event_shape``.

        Args:
            sample_shape: The shape of the set of samples.
            seed: The seed of the operation.
            name: The name of the operation.
        """
        with self._scope(name):
            shape = API["cast"](convert_to_tensor(sample_shape, int32, name="sample_shape"), int32)
            vector = API["reshape"](shape, [-1]) if shape.shape.rank != 1 else shape
            drawn = self._sample_n(API["reduce_prod"](vector), seed)
            rest = API["shape"](drawn)[1:]
            samples = API["reshape"](drawn, API["concat"]([vector, rest], 0))
            if not executing_eagerly():
                samples.set_shape(
                    static_shape(vector).concatenate(self.batch_shape).concatenate(self.event_shape)
                )
            return samples

    # Densities. Each has a method that subclasses define, and others that it follows from.

    def _evaluated(self, value: Any, name: str, *ways: tuple[str, Callable[[Any], Any]]) -> Any:
        """Returns the result of the first method that a subclass defines, transformed.

        Raises:
            NotImplementedError: None is defined; it names the first.
        """
        with self._scope(name):
            value = convert_to_tensor(value, dtype_hint=self._hint(value), name="value")
            error: NotImplementedError | None = None
            for method, transform in ways:
                try:
                    return transform(getattr(self, method)(value))
                except NotImplementedError as exception:
                    error = error or exception
            assert error is not None
            raise error

    def _hint(self, value: Any) -> Any:
        """Returns the dtype of samples, None for floats where samples are integers."""
        is_float = not is_tensor(value) and np.issubdtype(np.asarray(value).dtype, np.floating)
        return None if is_float and not self.dtype.is_floating else self.dtype

    def _log_prob(self, value: Any) -> Any:
        raise self._missing("log_prob")

    def _prob(self, value: Any) -> Any:
        raise self._missing("prob")

    def _log_cdf(self, value: Any) -> Any:
        raise self._missing("log_cdf")

    def _cdf(self, value: Any) -> Any:
        raise self._missing("cdf")

    def _log_survival_function(self, value: Any) -> Any:
        raise self._missing("log_survival_function")

    def _survival_function(self, value: Any) -> Any:
        raise self._missing("survival_function")

    def _quantile(self, value: Any) -> Any:
        raise self._missing("quantile")

    def log_prob(self, value: Any, name: str = "log_prob") -> Any:
        """Returns the logarithm of the density, or of the probability mass.

        Args:
            value: Samples.
            name: The name of the operation.
        """
        return self._evaluated(value, name, ("_log_prob", _itself), ("_prob", API["math.log"]))

    @documented_like(log_prob)
    def prob(self, value: Any, name: str = "prob") -> Any:
        """Returns the density, or the probability mass."""
        return self._evaluated(value, name, ("_prob", _itself), ("_log_prob", API["exp"]))

    @documented_like(log_prob)
    def log_cdf(self, value: Any, name: str = "log_cdf") -> Any:
        """Returns the logarithm of the cumulative distribution function."""
        return self._evaluated(value, name, ("_log_cdf", _itself), ("_cdf", API["math.log"]))

    @documented_like(log_prob)
    def cdf(self, value: Any, name: str = "cdf") -> Any:
        """Returns the cumulative distribution function: the probability of values up to this one."""
        return self._evaluated(value, name, ("_cdf", _itself), ("_log_cdf", API["exp"]))

    @documented_like(log_prob)
    def log_survival_function(self, value: Any, name: str = "log_survival_function") -> Any:
        """Returns the logarithm of the probability of values beyond this one."""
        rest = lambda _: API["math.log1p"](-self.cdf(value))
        return self._evaluated(value, name, ("_log_survival_function", _itself), ("_same", rest))

    @documented_like(log_prob)
    def survival_function(self, value: Any, name: str = "survival_function") -> Any:
        """Returns the probability of values beyond this one."""
        rest = lambda _: 1.0 - self.cdf(value)
        return self._evaluated(value, name, ("_survival_function", _itself), ("_same", rest))

    def _same(self, value: Any) -> Any:
        return value

    def quantile(self, value: Any, name: str = "quantile") -> Any:
        """Returns the value up to which the probability is ``value``.

        Args:
            value: Probabilities.
            name: The name of the operation.
        """
        return self._evaluated(value, name, ("_quantile", _itself))

    # Statistics.

    def _statistic(self, name: str, what: str) -> Any:
        with self._scope(name):
            return getattr(self, what)()

    def _either(self, name: str, what: str, other: str, transform: Callable[[Any], Any]) -> Any:
        """Returns a statistic, or another one, transformed, where the subclass defines that."""
        try:
            return self._statistic(name, what)
        except NotImplementedError as error:
            try:
                return transform(self._statistic(name, other))
            except NotImplementedError:
                raise error from None

    def _mean(self) -> Any:
        raise self._missing("mean")

    def _mode(self) -> Any:
        raise self._missing("mode")

    def _entropy(self) -> Any:
        raise self._missing("entropy")

    def _covariance(self) -> Any:
        raise self._missing("covariance")

    def _variance(self) -> Any:
        raise self._missing("variance")

    def _stddev(self) -> Any:
        raise self._missing("stddev")

    @documented_like(batch_shape_tensor)
    def mean(self, name: str = "mean") -> Any:
        """Returns the mean."""
        return self._statistic(name, "_mean")

    @documented_like(batch_shape_tensor)
    def mode(self, name: str = "mode") -> Any:
        """Returns the mode."""
        return self._statistic(name, "_mode")

    @documented_like(batch_shape_tensor)
    def entropy(self, name: str = "entropy") -> Any:
        """Returns Shannon's entropy in nats."""
        return self._statistic(name, "_entropy")

    @documented_like(batch_shape_tensor)
    def covariance(self, name: str = "covariance") -> Any:
        """Returns the covariance matrix, for distributions of vectors."""
        return self._statistic(name, "_covariance")

    @documented_like(batch_shape_tensor)
    def variance(self, name: str = "variance") -> Any:
        """Returns the variance."""
        return self._either(name, "_variance", "_stddev", API["square"])

    @documented_like(batch_shape_tensor)
    def stddev(self, name: str = "stddev") -> Any:
        """Returns the standard deviation."""
        return self._either(name, "_stddev", "_variance", API["sqrt"])

    def cross_entropy(self, other: Any, name: str = "cross_entropy") -> Any:
        """Returns the cross entropy with another distribution in nats.

        Args:
            other: A distribution.
            name: The name of the operation.
        """
        with self._scope(name):
            entropy = self.entropy()
            return self.kl_divergence(other) + entropy

    @documented_like(cross_entropy)
    def kl_divergence(self, other: Any, name: str = "kl_divergence") -> Any:
        """Returns the Kullback-Leibler divergence from another distribution in nats.

        Raises:
            NotImplementedError: There is none for the two classes.
        """
        with self._scope(name):
            return kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def _nan_unless(self, is_defined: Any, value: Any, assertion: Callable[[], Any]) -> Any:
        """Returns a statistic, NaN or an error where it is not defined."""
        if not self.allow_nan_stats:
            return after([assertion()], value)
        return API["where"](is_defined, value, not_a_number(value))


def _itself(value: Any) -> Any:
    return value


def _is_scalar(shape: TensorShape, vector: Callable[[], Any]) -> Any:
    if shape.rank is not None:
        return convert_to_tensor(shape.rank == 0, name="is_scalar")
    return API["equal"](API["shape"](vector())[0], 0, name="is_scalar")


# Kullback-Leibler divergences.

# Functions by pairs of classes: one entry for each that a program registers.
_DIVERGENCES: dict[tuple[type, type], Callable[..., Any]] = {}


def _divergence(a: type, b: type) -> Callable[..., Any] | None:
    """Returns the function of the nearest pair of base classes."""
    pairs = [
        (i + j, (x, y))
        for i, x in enumerate(inspect.getmro(a))
        for j, y in enumerate(inspect.getmro(b))
        if (x, y) in _DIVERGENCES
    ]
    return _DIVERGENCES[min(pairs, key=lambda pair: pair[0])[1]] if pairs else None


def kl_divergence(
    distribution_a: Any, distribution_b: Any, allow_nan_stats: bool = True, name: str | None = None
) -> Any:
    """Returns the Kullback-Leibler divergence ``KL(distribution_a || distribution_b)`` in nats.

    Args:
        distribution_a: A distribution.
        distribution_b: A distribution.
        allow_nan_stats: If False, a NaN is an error.
        name: The name of the operation.

    Returns:
        A tensor of the broadcast batch shape.

    Raises:
        NotImplementedError: No function is registered for the two classes.
    """
    function = _divergence(type(distribution_a), type(distribution_b))
    if function is None:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{type(distribution_a).__name__} and distribution_b type {type(distribution_b).__name__}"
        )
    with name_scope("KullbackLeibler"):
        divergence = function(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return divergence
        check = API["debugging.Assert"](
            API["logical_not"](API["reduce_any"](API["math.is_nan"](divergence))),
            [
                f"KL calculation between {distribution_a.name} and {distribution_b.name} returned NaN "
                "values (and was called with allow_nan_stats=False). Values:",
                divergence,
            ],
        )
        return after([check], divergence)


class RegisterKL:
    """Decorator of a function that computes the divergence of a pair of classes.

    Args:
        dist_cls_a: The class of the first distribution.
        dist_cls_b: The class of the second one.
    """

    __module__ = _MODULE

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        """Registers the function, which is called with two distributions and ``name``.

        Args:
            kl_fn: The function.

        Raises:
            TypeError: It is not callable.
            ValueError: There is a function for the pair.
        """
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _DIVERGENCES:
            a, b = self._key
            raise ValueError(
                f"KL({a.__name__} || {b.__name__}) has already been registered to: "
                f"{_DIVERGENCES[self._key]}"
            )
        _DIVERGENCES[self._key] = kl_fn
        return kl_fn
