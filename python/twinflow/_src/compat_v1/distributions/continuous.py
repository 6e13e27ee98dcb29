"""Distributions of numbers with a density, and of probabilities."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

import numpy as np

from twinflow._src.compat_v1.context_managers import name_scope
from twinflow._src.compat_v1.distributions.base import (
    _MODULE,
    FULLY_REPARAMETERIZED,
    Distribution,
    RegisterKL,
    after,
    broadcast_shape,
    broadcast_shape_tensor,
    check_floats,
    new_seed,
    parameter,
    parameters_of,
)
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int32
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API, documented_like

_HALF_LOG_2_PI = 0.5 * math.log(2.0 * math.pi)


def _lgamma(x: Any) -> Any:
    return API["math.lgamma"](x)


def _digamma(x: Any) -> Any:
    return API["math.digamma"](x)


def _log(x: Any) -> Any:
    return API["math.log"](x)


class _Scalar(Distribution):
    """Base class of distributions of scalars, whose parameters are broadcast to each other."""

    _names: tuple[str, ...]

    def _tensors(self) -> list[Any]:
        return [getattr(self, name) for name in self._names]

    def _batch_shape(self) -> Any:
        return broadcast_shape(*self._tensors())

    def _batch_shape_tensor(self) -> Any:
        return broadcast_shape_tensor(*self._tensors())

    def _event_shape(self) -> Any:
        return TensorShape([])

    def _event_shape_tensor(self) -> Any:
        return convert_to_tensor([], int32)

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> Any:
        return {name: convert_to_tensor(sample_shape, int32) for name in cls._names}

    def _shape_of(self, n: Any) -> Any:
        """Returns the shape of n samples as a tensor."""
        return API["concat"]([[n], self.batch_shape_tensor()], 0)

    def _ones(self) -> Any:
        return API["ones"](self.batch_shape_tensor(), self.dtype)

    def _set(
        self, scope: Any, arguments: dict[str, Any], reparameterization: Any, tensors: list[Any]
    ) -> None:
        super().__init__(
            dtype=tensors[0].dtype,
            reparameterization_type=reparameterization,
            validate_args=arguments["validate_args"],
            allow_nan_stats=arguments["allow_nan_stats"],
            parameters=arguments,
            graph_parents=tensors,
            name=scope,
        )


def _positive(validate: bool, *tensors: Any) -> list[Any]:
    check = API["debugging.assert_positive"]
    return [check(x) for x in tensors] if validate else []


# Location and scale.


class _LocationScale(_Scalar):
    """Base class of distributions with a location and a scale."""

    _names = ("loc", "scale")

    def _parameters_set(self, arguments: dict[str, Any]) -> None:
        validate = arguments["validate_args"]
        scale = convert_to_tensor(arguments["scale"])
        loc = convert_to_tensor(arguments["loc"])
        with API["control_dependencies"](_positive(validate, scale)):
            self._loc, self._scale = parameter(loc, "loc"), parameter(scale, "scale")
        check_floats(self._loc, self._scale)

    loc = property(attrgetter("_loc"), doc="The location.")
    scale = property(attrgetter("_scale"), doc="The scale.")

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale


class Normal(_LocationScale):
    """The normal distribution.

    Args:
        loc: The means.
        scale: The standard deviations, positive.
        validate_args: If True, parameters are checked.
        allow_nan_stats: If True, undefined statistics are NaN.
        name: The prefix of the names of operations.

    Raises:
        ValueError: The parameters are not of one floating type.
    """

    __module__ = _MODULE

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:
        arguments = parameters_of(locals())
        with name_scope(name) as scope:
            self._parameters_set(arguments)
        self._set(scope, arguments, FULLY_REPARAMETERIZED, [self._loc, self._scale])

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        drawn = API["random.normal"](self._shape_of(n), 0.0, 1.0, self.loc.dtype, seed)
        return drawn * self.scale + self.loc

    def _log_prob(self, value: Any) -> Any:
        return -0.5 * API["square"](self._z(value)) - (_HALF_LOG_2_PI + _log(self.scale))

    def _log_cdf(self, value: Any) -> Any:
        return _log_normal_cdf(self._z(value))

    def _cdf(self, value: Any) -> Any:
        return _normal_cdf(self._z(value))

    def _log_survival_function(self, value: Any) -> Any:
        return _log_normal_cdf(-self._z(value))

    def _survival_function(self, value: Any) -> Any:
        return _normal_cdf(-self._z(value))

    def _quantile(self, value: Any) -> Any:
        return API["math.ndtri"](value) * self.scale + self.loc

    def _entropy(self) -> Any:
        scale = self.scale * API["ones_like"](self.loc)
        return 0.5 + _HALF_LOG_2_PI + _log(scale)

    def _mean(self) -> Any:
        return self.loc * API["ones_like"](self.scale)

    _mode = _mean

    def _stddev(self) -> Any:
        return self.scale * API["ones_like"](self.loc)


def _normal_cdf(x: Any) -> Any:
    """Returns the distribution function, by erf near 0 and by erfc in the tails."""
    half = math.sqrt(0.5)
    w = x * half
    z = API["abs"](w)
    tail = API["math.erfc"](z)
    beyond = API["where"](API["greater"](w, 0.0), 2.0 - tail, tail)
    return 0.5 * API["where"](API["less"](z, half), 1.0 + API["math.erf"](w), beyond)


def _log_normal_cdf(x: Any) -> Any:
    """Returns its logarithm, by an asymptotic series of three terms far below 0."""
    lower, upper = (-20.0, 8.0) if x.dtype.size == 8 else (-10.0, 5.0)
    low = API["minimum"](x, lower)
    square = API["square"](low)
    series = 1.0 - 1.0 / square + 3.0 / square**2 - 15.0 / square**3
    tail = -0.5 * square - _log(-low) - _HALF_LOG_2_PI + _log(series)
    middle = _log(_normal_cdf(API["maximum"](x, lower)))
    below = API["where"](API["greater"](x, lower), middle, tail)
    return API["where"](API["greater"](x, upper), -_normal_cdf(-x), below)


@documented_like(Normal)
class Laplace(_LocationScale):
    """The Laplace distribution: two exponential tails.

    Args:
        scale: The scales, positive.
    """

    __module__ = _MODULE

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:
        arguments = parameters_of(locals())
        with name_scope(name) as scope:
            self._parameters_set(arguments)
        self._set(scope, arguments, FULLY_REPARAMETERIZED, [self._loc, self._scale])

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        dtype = self.dtype.np
        least = np.nextafter(dtype.type(-1.0), dtype.type(0.0))
        u = API["random.uniform"](self._shape_of(n), least, 1.0, self.dtype, seed)
        return self.loc - self.scale * API["sign"](u) * API["math.log1p"](-API["abs"](u))

    def _log_prob(self, value: Any) -> Any:
        return -API["abs"](self._z(value)) - math.log(2.0) - _log(self.scale)

    def _prob(self, value: Any) -> Any:
        return 0.5 * API["exp"](-API["abs"](self._z(value))) / self.scale

    def _cdf(self, value: Any) -> Any:
        z = self._z(value)
        return 0.5 + 0.5 * API["sign"](z) * (1.0 - API["exp"](-API["abs"](z)))

    def _log_cdf(self, value: Any) -> Any:
        return _log_laplace_cdf(self._z(value))

    def _log_survival_function(self, value: Any) -> Any:
        return _log_laplace_cdf(-self._z(value))

    def _entropy(self) -> Any:
        return math.log(2.0) + 1 + _log(self.scale + API["zeros_like"](self.loc))

    def _mean(self) -> Any:
        return self.loc + API["zeros_like"](self.scale)

    _mode = _mean

    def _stddev(self) -> Any:
        return math.sqrt(2.0) * self.scale + API["zeros_like"](self.loc)


def _log_laplace_cdf(z: Any) -> Any:
    above = API["math.log1p"](-0.5 * API["exp"](-API["abs"](z)))
    return API["where"](API["less"](z, 0.0), -math.log(2.0) + z, above)


@documented_like(Normal)
class StudentT(_Scalar):
    """Student's t distribution.

    Args:
        df: The degrees of freedom, positive.
        loc: The locations.
        scale: The scales, positive.
    """

    __module__ = _MODULE
    _names = ("df", "loc", "scale")

    def __init__(
        self,
        df: Any,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:
        arguments = parameters_of(locals())
        with name_scope(name) as scope:
            df, loc, scale = (convert_to_tensor(x) for x in (df, loc, scale))
            with API["control_dependencies"](_positive(validate_args, df, scale)):
                self._df, self._loc, self._scale = (
                    parameter(df, "df"),
                    parameter(loc, "loc"),
                    parameter(scale, "scale"),
                )
            check_floats(self._df, self._loc, self._scale)
        self._set(scope, arguments, FULLY_REPARAMETERIZED, [self._df, self._loc, self._scale])
        self._dtype = self._scale.dtype

    df = property(attrgetter("_df"), doc="The degrees of freedom.")
    loc = property(attrgetter("_loc"), doc="The locations.")

    scale = property(attrgetter("_scale"), doc="The scales.")

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        normal = API["random.normal"](self._shape_of(n), dtype=self.dtype, seed=seed)
        df = self.df * self._ones()
        gamma = API["random.gamma"](
            [n], 0.5 * df, beta=0.5, dtype=self.dtype, seed=new_seed(seed, "student_t")
        )
        return normal * API["math.rsqrt"](gamma / df) * self.scale + self.loc

    def _log_prob(self, value: Any) -> Any:
        y = (value - self.loc) / self.scale
        log_density = -0.5 * (self.df + 1.0) * API["math.log1p"](y**2.0 / self.df)
        return log_density - self._log_normalization()

    def _log_normalization(self) -> Any:
        return (
            _log(API["abs"](self.scale))
            + 0.5 * _log(self.df)
            + 0.5 * math.log(math.pi)
            + _lgamma(0.5 * self.df)
            - _lgamma(0.5 * (self.df + 1.0))
        )

    def _cdf(self, value: Any) -> Any:
        y = (value - self.loc) / API["abs"](self.scale)
        tail = 0.5 * API["math.betainc"](
            0.5 * self.df * API["ones_like"](y),
            API["fill"](API["shape"](y * self.df), y.dtype.np.type(0.5)),
            self.df / (y**2.0 + self.df),
        )
        return API["where"](API["less"](y, 0.0), tail, 1.0 - tail)

    def _entropy(self) -> Any:
        df = self.df * self._ones()
        half = 0.5 * (df + 1.0)
        log_beta = _lgamma(0.5 * df) + 0.5 * math.log(math.pi) - _lgamma(half)
        spread = half * (_digamma(half) - _digamma(0.5 * df))
        return _log(API["abs"](self.scale)) + 0.5 * _log(df) + log_beta + spread

    def _mean(self) -> Any:
        mean = self.loc * self._ones()
        is_defined = API["greater"](self.df, API["ones_like"](mean))
        return self._nan_unless(is_defined, mean, lambda: self._above_one("mean"))

    def _above_one(self, what: str) -> Any:
        return API["debugging.assert_less"](
            API["ones"]([], self.dtype),
            self.df,
            message=f"{what} not defined for components of df <= 1",
        )

    def _variance(self) -> Any:
        df = self.df * self._ones()
        is_finite = API["greater"](df, 2.0)
        below = API["where"](is_finite, df - 2.0, API["ones_like"](df))
        value = API["square"](self.scale) * df / below
        infinite = API["fill"](API["shape"](value), np.array(np.inf, self.dtype.np))
        value = API["where"](is_finite, value, infinite)
        is_defined = API["greater"](df, 1.0)
        return self._nan_unless(is_defined, value, lambda: self._above_one("variance"))

    def _mode(self) -> Any:
        return API["identity"](self.loc)


@documented_like(Normal)
class Uniform(_Scalar):
    """The uniform distribution of numbers from ``low`` to below ``high``.

    Args:
        low: The lower bounds.
        high: The upper bounds.

    Raises:
        InvalidArgumentError: ``low`` is not less than ``high`` and ``validate_args``.
    """

    __module__ = _MODULE
    _names = ("low", "high")

    def __init__(
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
        arguments = parameters_of(locals())
        with name_scope(name) as scope:
            low = convert_to_tensor(low)
            high = convert_to_tensor(high)
            less = API["debugging.assert_less"]
            checks = (
                [less(low, high, message="uniform not defined when low >= high.")]
                if validate_args
                else []
            )
            with API["control_dependencies"](checks):
                self._low, self._high = parameter(low, "low"), parameter(high, "high")
            check_floats(self._low, self._high)
        self._set(scope, arguments, FULLY_REPARAMETERIZED, [self._low, self._high])

    low = property(attrgetter("_low"), doc="The lower bounds.")
    high = property(attrgetter("_high"), doc="The upper bounds.")

    def range(self, name: str = "range") -> Any:
        """Returns ``high - low``.

        Args:
            name: The name of the operation.
        """
        with self._scope(name):
            return self.high - self.low

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        drawn = API["random.uniform"](self._shape_of(n), dtype=self.dtype, seed=seed)
        return self.low + self.range() * drawn

    def _prob(self, value: Any) -> Any:
        value = value * API["ones"](self.batch_shape_tensor(), value.dtype)
        is_outside = API["logical_or"](
            API["less"](value, self.low), API["greater_equal"](value, self.high)
        )
        density = API["ones_like"](value) / self.range()
        inside = API["where"](is_outside, API["zeros_like"](value), density)
        return API["where"](API["math.is_nan"](value), value, inside)

    def _cdf(self, value: Any) -> Any:
        share = (value - self.low) / self.range()
        below = API["where"](API["less"](value, self.low), API["zeros_like"](share), share)
        return API["where"](API["greater_equal"](value, self.high), API["ones_like"](share), below)

    def _entropy(self) -> Any:
        return _log(self.range())

    def _mean(self) -> Any:
        return (self.low + self.high) / 2.0

    def _variance(self) -> Any:
        return API["square"](self.range()) / 12.0

    def _stddev(self) -> Any:
        return self.range() / math.sqrt(12.0)


# Positive numbers and probabilities.


@documented_like(Normal)
class Gamma(_Scalar):
    """The gamma distribution.

    Args:
        concentration: The concentrations, positive.
        rate: The rates (inverse scales), positive.
        validate_args: If True, parameters and values are checked.
    """

    __module__ = _MODULE
    _names: tuple[str, ...] = ("concentration", "rate")

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:
        arguments = parameters_of(locals())
        with name_scope(name) as scope:
            concentration = convert_to_tensor(concentration)
            rate = convert_to_tensor(rate)
            with API["control_dependencies"](_positive(validate_args, concentration, rate)):
                self._concentration = parameter(concentration, "concentration")
                self._rate = parameter(rate, "rate")
            check_floats(self._concentration, self._rate)
        self._set(scope, arguments, FULLY_REPARAMETERIZED, [self._concentration, self._rate])

    concentration = property(attrgetter("_concentration"), doc="The concentrations.")
    rate = property(attrgetter("_rate"), doc="The rates.")

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        return API["random.gamma"]([n], self.concentration, self.rate, self.dtype, seed)

    def _checked(self, x: Any) -> Any:
        return after(_positive(True, x), x) if self.validate_args else x

    def _log_prob(self, value: Any) -> Any:
        x, shape = self._checked(value), self.concentration
        log_density = API["math.xlogy"](shape - 1.0, x) - self.rate * x
        return log_density - (_lgamma(shape) - shape * _log(self.rate))

    def _cdf(self, value: Any) -> Any:
        x = self.rate * self._checked(value)
        return API["math.igamma"](self.concentration * API["ones_like"](x), x)

    def _entropy(self) -> Any:
        shape = self.concentration
        return shape - _log(self.rate) + _lgamma(shape) + (1.0 - shape) * _digamma(shape)

    def _mean(self) -> Any:
        return self.concentration / self.rate

    def _variance(self) -> Any:
        return self.concentration / API["square"](self.rate)

    def _stddev(self) -> Any:
        return API["sqrt"](self.concentration) / self.rate

    def _mode(self) -> Any:
        ones = API["ones"]([], self.dtype)
        return self._nan_unless(
            API["greater"](self.concentration, ones),
            (self.concentration - 1.0) / self.rate,
            lambda: API["debugging.assert_less"](
                ones,
                self.concentration,
                message="mode not defined when any concentration <= 1",
            ),
        )


class Exponential(Gamma):
    """The exponential distribution.

    Args:
        rate: The rates, positive.
        validate_args: If True, parameters and values are checked.
        allow_nan_stats: If True, undefined statistics are NaN.
        name: The prefix of the names of operations.
    """

    __module__ = _MODULE
    _names = ("rate",)

    def __init__(
        self,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Exponential",
    ) -> None:
        arguments = parameters_of(locals())
        rate = parameter(rate, "rate")
        super().__init__(API["ones"]([], rate.dtype), rate, validate_args, allow_nan_stats, name)
        self._parameters = arguments

    def _log_survival_function(self, value: Any) -> Any:
        return -self.rate * self._checked(value)

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        least = np.finfo(self.dtype.np).tiny  # the logarithm of 0 is infinite
        drawn = API["random.uniform"](self._shape_of(n), least, 1.0, self.dtype, seed)
        return -_log(drawn) / self.rate


@documented_like(Normal)
class Beta(_Scalar):
    """The beta distribution of numbers between 0 and 1.

    Args:
        concentration1: The concentrations of 1, positive.
        concentration0: The concentrations of 0, positive.
        validate_args: If True, parameters and values are checked.
    """

    __module__ = _MODULE
    _names = ("concentration1", "concentration0")

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Beta",
    ) -> None:
        arguments = parameters_of(locals())
        with name_scope(name) as scope:
            one = convert_to_tensor(concentration1)
            zero = convert_to_tensor(concentration0)
            message = "Concentration parameter must be positive."
            check = API["debugging.assert_positive"]
            if validate_args:
                one, zero = (after([check(x, message=message)], x) for x in (one, zero))
            self._concentration1 = parameter(one, "concentration1")
            self._concentration0 = parameter(zero, "concentration0")
            check_floats(self._concentration1, self._concentration0)
            self._total_concentration = self._concentration1 + self._concentration0
        self._set(
            scope,
            arguments,
            FULLY_REPARAMETERIZED,
            [self._total_concentration, self._concentration1, self._concentration0],
        )

    concentration1 = property(attrgetter("_concentration1"), doc="The concentrations of 1.")
    concentration0 = property(attrgetter("_concentration0"), doc="The concentrations of 0.")

    total_concentration = property(
        attrgetter("_total_concentration"), doc="The sums of both concentrations."
    )

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        ones = API["ones_like"](self.total_concentration)
        gammas = [
            API["random.gamma"]([n], ones * shape, dtype=self.dtype, seed=s)
            for shape, s in (
                (self.concentration1, seed),
                (self.concentration0, new_seed(seed, "beta")),
            )
        ]
        return gammas[0] / (gammas[0] + gammas[1])

    def _checked(self, x: Any) -> Any:
        if not self.validate_args:
            return x
        positive = API["debugging.assert_positive"]
        less = API["debugging.assert_less"]
        checks = [
            positive(x, message="sample must be positive"),
            less(x, API["ones"]([], self.dtype), message="sample must be less than `1`."),
        ]
        return after(checks, x)

    def _log_prob(self, value: Any) -> Any:
        x = self._checked(value)
        one = API["math.xlogy"](self.concentration1 - 1.0, x)
        zero = (self.concentration0 - 1.0) * API["math.log1p"](-x)
        return one + zero - self._log_normalization()

    def _cdf(self, value: Any) -> Any:
        x = self._checked(value)
        ones = API["ones_like"](x * self.total_concentration)
        return API["math.betainc"](self.concentration1 * ones, self.concentration0 * ones, x * ones)

    def _log_normalization(self) -> Any:
        parts = _lgamma(self.concentration1) + _lgamma(self.concentration0)
        return parts - _lgamma(self.total_concentration)

    def _entropy(self) -> Any:
        one, zero, total = self.concentration1, self.concentration0, self.total_concentration
        return (
            self._log_normalization()
            - (one - 1.0) * _digamma(one)
            - (zero - 1.0) * _digamma(zero)
            + (total - 2.0) * _digamma(total)
        )

    def _mean(self) -> Any:
        return self.concentration1 / self.total_concentration

    def _variance(self) -> Any:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + self.total_concentration)

    def _mode(self) -> Any:
        one, zero = self.concentration1, self.concentration0
        is_defined = API["logical_and"](API["greater"](one, 1.0), API["greater"](zero, 1.0))
        mode = (one - 1.0) / (self.total_concentration - 2.0)
        return self._nan_unless(is_defined, mode, self._assert_mode)

    def _assert_mode(self) -> Any:
        check = API["debugging.assert_less"]
        ones = API["ones"]([], self.dtype)
        checks = [
            check(ones, x, message=f"Mode undefined for {name} <= 1.")
            for name, x in (
                ("concentration1", self.concentration1),
                ("concentration0", self.concentration0),
            )
        ]
        return API["group"](*[c for c in checks if c is not None])


# Divergences.


@RegisterKL(Normal, Normal)
def _normals(a: Any, b: Any, name: str | None = None) -> Any:
    ratio = API["square"](a.scale) / API["square"](b.scale)
    distance = API["math.squared_difference"](a.loc, b.loc) / (2.0 * API["square"](b.scale))
    return distance + 0.5 * (ratio - 1.0 - _log(ratio))


@RegisterKL(Gamma, Gamma)
def _gammas(a: Any, b: Any, name: str | None = None) -> Any:
    return (
        (a.concentration - b.concentration) * _digamma(a.concentration)
        + _lgamma(b.concentration)
        - _lgamma(a.concentration)
        + b.concentration * _log(a.rate)
        - b.concentration * _log(b.rate)
        + a.concentration * (b.rate / a.rate - 1.0)
    )


@RegisterKL(Beta, Beta)
def _betas(a: Any, b: Any, name: str | None = None) -> Any:
    def term(what: str) -> Any:
        of_a, of_b = getattr(a, what), getattr(b, what)
        return (of_b - of_a) * _digamma(of_a)

    normalization = b._log_normalization() - a._log_normalization()
    return (
        normalization
        - term("concentration1")
        - term("concentration0")
        + term("total_concentration")
    )
