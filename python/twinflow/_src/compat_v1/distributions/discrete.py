"""Distributions of outcomes and counts, and Dirichlet's of their probabilities."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from twinflow._src.compat_v1.context_managers import name_scope
from twinflow._src.compat_v1.distributions.base import (
    _MODULE,
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
    RegisterKL,
    after,
    broadcast_shape,
    broadcast_shape_tensor,
    new_seed,
    not_a_number,
    parameters_of,
)
from twinflow._src.compat_v1.distributions.continuous import _digamma, _lgamma, _log
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import bool_, int32
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API, documented_like


def _logits_and_probs(logits: Any, probs: Any, is_vector: bool, validate: bool) -> tuple[Any, Any]:
    """Returns both forms of probabilities, of which one is known.

    Raises:
        ValueError: Both or none of them are known.
    """
    if (probs is None) == (logits is None):
        raise ValueError("Must pass probs or logits, but not both.")
    if probs is None:
        logits = convert_to_tensor(logits, name="logits")
        if not logits.dtype.is_floating:
            raise TypeError("logits must having floating type.")
        return logits, API["nn.softmax"](logits) if is_vector else API["sigmoid"](logits)
    probs = convert_to_tensor(probs, name="probs")
    if not probs.dtype.is_floating:
        raise TypeError("probs must having floating type.")
    if validate:
        probs = after(_probability_checks(probs, is_vector), probs)
    return (_log(probs) if is_vector else _log(probs) - API["math.log1p"](-probs)), probs


def _probability_checks(probs: Any, is_vector: bool) -> list[Any]:
    v1 = "debugging."
    checks = [API[f"{v1}assert_non_negative"](probs)]
    one = API["ones"]([], probs.dtype)
    if is_vector:
        total = API["reduce_sum"](probs, -1)
        near = API[f"{v1}assert_near"]
        return [*checks, near(total, one, message="probs does not sum to 1.")]
    less = API[f"{v1}assert_less_equal"]
    return [*checks, less(probs, one, message="probs has components greater than 1.")]


def _checked_whole(x: Any) -> Any:
    """Returns counts, after assertions that they are whole numbers and not negative."""
    equal = API["debugging.assert_equal"]
    checks = [
        API["debugging.assert_non_negative"](x, message=f"'{x}' must be non-negative."),
        equal(x, API["floor"](x), message=f"'{x}' cannot contain fractional components."),
    ]
    return after(checks, x)


def _checked_index(x: Any, kind: Any) -> Any:
    """Returns outcomes, after assertions that they are values of a bool or an integer dtype."""
    checks = [API["debugging.assert_non_negative"](x, message="Elements must be non-negative.")]
    if not x.dtype.is_integer:
        same = API["cast"](API["cast"](x, kind), x.dtype)
        message = f"Elements must be {kind.name}-equivalent."
        checks.append(API["debugging.assert_equal"](x, same, message=message))
    elif kind is bool_:
        less = API["debugging.assert_less_equal"]
        one = API["ones"]([], x.dtype)
        checks.append(less(x, one, message="Elements cannot exceed 1."))
    return after(checks, x)


def _log_combinations(total: Any, counts: Any) -> Any:
    """Returns the logarithm of the number of arrangements of counts."""
    return _lgamma(total + 1.0) - API["reduce_sum"](_lgamma(counts + 1.0), -1)


def _log_beta(x: Any) -> Any:
    return API["math.lbeta"](x)


class Bernoulli(Distribution):
    """The distribution of 0 and 1.

    Args:
        logits: The log odds of 1.
        probs: The probabilities of 1; either of both is given.
        dtype: The dtype of samples.
        validate_args: If True, parameters and values are checked.
        allow_nan_stats: If True, undefined statistics are NaN.
        name: The prefix of the names of operations.

    Raises:
        ValueError: Both or none of ``logits`` and ``probs`` are given.
    """

    __module__ = _MODULE

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        arguments = parameters_of(locals())
        with name_scope(name) as scope:
            self._logits, self._probs = _logits_and_probs(logits, probs, False, validate_args)
        super().__init__(
            dtype=dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=arguments,
            graph_parents=[self._logits, self._probs],
            name=scope,
        )

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> Any:
        return {"logits": convert_to_tensor(sample_shape, int32)}

    logits = property(attrgetter("_logits"), doc="The log odds of 1.")
    probs = property(attrgetter("_probs"), doc="The probabilities of 1.")

    def _batch_shape(self) -> Any:
        return self._logits.shape

    def _batch_shape_tensor(self) -> Any:
        return API["shape"](self._logits)

    def _event_shape(self) -> Any:
        return TensorShape([])

    def _event_shape_tensor(self) -> Any:
        return convert_to_tensor([], int32)

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        shape = API["concat"]([[n], self.batch_shape_tensor()], 0)
        drawn = API["random.uniform"](shape, dtype=self.probs.dtype, seed=seed)
        return API["cast"](API["less"](drawn, self.probs), self.dtype)

    def _log_prob(self, value: Any) -> Any:
        value = _checked_index(value, bool_) if self.validate_args else value
        event = API["cast"](value, self.logits.dtype)
        logits = self.logits + API["zeros_like"](event)
        event = event + API["zeros_like"](logits)
        return -API["nn.sigmoid_cross_entropy_with_logits"](labels=event, logits=logits)

    def _entropy(self) -> Any:
        logits = self.logits
        return -logits * (API["sigmoid"](logits) - 1.0) + API["nn.softplus"](-logits)

    def _mean(self) -> Any:
        return API["identity"](self.probs)

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self.probs)

    def _mode(self) -> Any:
        return API["cast"](API["greater"](self.probs, 0.5), self.dtype)


@documented_like(Bernoulli)
class Categorical(Distribution):
    """The distribution of the indices of outcomes.

    Args:
        logits: The unnormalized log probabilities along the last axis.
        probs: The probabilities along the last axis; either of both is given.

    Raises:
        ValueError: Both or none of ``logits`` and ``probs`` are given, or they are scalars.
    """

    __module__ = _MODULE

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
        arguments = parameters_of(locals())
        with name_scope(name) as scope:
            self._logits, self._probs = _logits_and_probs(logits, probs, True, validate_args)
            self._logits.shape.with_rank_at_least(1)
            size = self._logits.shape[-1]
            self._event_size = (
                API["shape"](self._logits)[-1] if size is None else convert_to_tensor(size, int32)
            )
        super().__init__(
            dtype=dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=arguments,
            graph_parents=[self._logits, self._probs],
            name=scope,
        )

    event_size = property(attrgetter("_event_size"), doc="The number of outcomes.")
    logits = property(attrgetter("_logits"), doc="The unnormalized log probabilities.")

    probs = property(attrgetter("_probs"), doc="The probabilities.")

    def _batch_shape(self) -> Any:
        return self.logits.shape[:-1]

    def _batch_shape_tensor(self) -> Any:
        return API["shape"](self.logits)[:-1]

    def _event_shape(self) -> Any:
        return TensorShape([])

    def _event_shape_tensor(self) -> Any:
        return convert_to_tensor([], int32)

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        flat = API["reshape"](self.logits, [-1, self.event_size])
        wide = self.dtype if self.dtype.size > 4 else int32
        drawn = API["random.categorical"](flat, n, dtype=wide, seed=seed)
        shape = API["concat"]([[n], self.batch_shape_tensor()], 0)
        return API["cast"](API["reshape"](API["transpose"](drawn), shape), self.dtype)

    def _broadcast(self, k: Any, params: Any) -> tuple[Any, Any]:
        """Returns indices as integers and parameters, each with the batch of both."""
        k = _checked_index(k, int32) if self.validate_args else k
        k = k if k.dtype.is_integer else API["cast"](k, int32)
        batch = API["broadcast_dynamic_shape"](API["shape"](k), API["shape"](params)[:-1])
        shape = API["concat"]([batch, [self.event_size]], 0)
        return API["broadcast_to"](k, batch), API["broadcast_to"](params, shape)

    def _log_prob(self, value: Any) -> Any:
        k, logits = self._broadcast(value, self.logits)
        return -API["nn.sparse_softmax_cross_entropy_with_logits"](labels=k, logits=logits)

    def _cdf(self, value: Any) -> Any:
        k, probs = self._broadcast(value, self.probs)
        is_before = API["sequence_mask"](k, self.event_size)
        return API["reduce_sum"](API["where"](is_before, probs, API["zeros_like"](probs)), -1)

    def _entropy(self) -> Any:
        return -API["reduce_sum"](API["nn.log_softmax"](self.logits) * self.probs, -1)

    def _mode(self) -> Any:
        return API["cast"](API["argmax"](self.logits, -1), self.dtype)


class _Concentrated(Distribution):
    """Base class of distributions whose parameters are concentrations along the last axis."""

    def _set_concentration(self, concentration: Any, validate_args: bool) -> None:
        x = convert_to_tensor(concentration, name="concentration")
        self._concentration = _checked_concentration(x) if validate_args else x
        self._total_concentration = API["reduce_sum"](self._concentration, -1)

    concentration = property(attrgetter("_concentration"), doc="The concentrations.")
    total_concentration = property(
        attrgetter("_total_concentration"), doc="The sums of concentrations along the last axis."
    )

    def _batch_shape(self) -> Any:
        return self.total_concentration.shape

    def _batch_shape_tensor(self) -> Any:
        return API["shape"](self.total_concentration)

    def _event_shape(self) -> Any:
        return self.concentration.shape.with_rank_at_least(1)[-1:]

    def _event_shape_tensor(self) -> Any:
        return API["shape"](self.concentration)[-1:]

    def _scale(self) -> Any:
        """Returns the factor of the means in the covariances."""
        raise NotImplementedError

    def _covariance(self) -> Any:
        x = self._scale() * self._mean()
        outer = -API["matmul"](x[..., None], x[..., None, :])
        return API["linalg.set_diag"](outer, self._variance())


class Dirichlet(_Concentrated):
    """The Dirichlet distribution of vectors of probabilities.

    Args:
        concentration: The concentrations along the last axis, positive.
        validate_args: If True, parameters and values are checked.
        allow_nan_stats: If True, undefined statistics are NaN.
        name: The prefix of the names of operations.
    """

    __module__ = _MODULE

    def __init__(
        self,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:
        arguments = parameters_of(locals())
        with name_scope(name) as scope:
            self._set_concentration(concentration, validate_args)
        super().__init__(
            dtype=self._concentration.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=arguments,
            graph_parents=[self._concentration, self._total_concentration],
            name=scope,
        )

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        drawn = API["random.gamma"]([n], self.concentration, dtype=self.dtype, seed=seed)
        return drawn / API["reduce_sum"](drawn, -1, True)

    def _log_prob(self, value: Any) -> Any:
        if self.validate_args:
            near = API["debugging.assert_near"]
            checks = [
                API["debugging.assert_positive"](value, message="samples must be positive"),
                near(
                    API["ones"]([], self.dtype),
                    API["reduce_sum"](value, -1),
                    message="sample last-dimension must sum to `1`",
                ),
            ]
            value = after(checks, value)
        terms = API["math.xlogy"](self.concentration - 1.0, value)
        return API["reduce_sum"](terms, -1) - _log_beta(self.concentration)

    def _size(self) -> Any:
        return API["cast"](self.event_shape_tensor()[0], self.dtype)

    def _entropy(self) -> Any:
        shape, total = self.concentration, self.total_concentration
        return (
            _log_beta(shape)
            + (total - self._size()) * _digamma(total)
            - API["reduce_sum"]((shape - 1.0) * _digamma(shape), -1)
        )

    def _mean(self) -> Any:
        return self.concentration / self.total_concentration[..., None]

    def _scale(self) -> Any:
        return API["math.rsqrt"](1.0 + self.total_concentration[..., None])

    def _variance(self) -> Any:
        scale = self._scale()
        x = scale * self._mean()
        return x * (scale - x)

    def _mode(self) -> Any:
        total = self.total_concentration[..., None]
        mode = (self.concentration - 1.0) / (total - self._size())
        ones = API["ones"]([], self.dtype)
        if not self.allow_nan_stats:
            check = API["debugging.assert_less"]
            message = "Mode undefined when any concentration <= 1"
            return after([check(ones, self.concentration, message=message)], mode)
        is_defined = API["reduce_all"](API["greater"](self.concentration, 1.0), -1, True)
        return API["where"](is_defined, mode, not_a_number(mode))


def _checked_concentration(x: Any) -> Any:
    v1 = "debugging."
    checks = [
        API[f"{v1}assert_positive"](x, message="Concentration parameter must be positive."),
        API[f"{v1}assert_rank_at_least"](
            x, 1, message="Concentration parameter must have >=1 dimensions."
        ),
        API[f"{v1}assert_less"](
            1, API["shape"](x)[-1], message="Concentration parameter must have event_size >= 2."
        ),
    ]
    return after(checks, x)


class _Counts(Distribution):
    """Base class of distributions of counts of outcomes."""

    _total_count: Any
    _sums = "counts"  # the subject of an error's message

    total_count = property(attrgetter("_total_count"), doc="The numbers of trials.")

    def _batch_shape(self) -> Any:
        return broadcast_shape(self._total_count, self._first())

    def _batch_shape_tensor(self) -> Any:
        return broadcast_shape_tensor(self._total_count, self._first())

    def _first(self) -> Any:
        """Returns a tensor of the batch shape of the parameters."""
        raise NotImplementedError

    def _checked(self, counts: Any) -> Any:
        if not self.validate_args:
            return counts
        counts = _checked_whole(counts)
        equal, total = API["debugging.assert_equal"], API["reduce_sum"](counts, -1)
        message = f"{self._sums} must sum to `self.total_count`"
        return after([equal(self.total_count, total, message=message)], counts)


@documented_like(Bernoulli)
class Multinomial(_Counts):
    """The distribution of the counts of outcomes in a number of trials.

    Args:
        total_count: The numbers of trials, floats.
        logits: The unnormalized log probabilities along the last axis.
        probs: The probabilities along the last axis; either of both is given.
    """

    __module__ = _MODULE

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:
        arguments = parameters_of(locals())
        with name_scope(name) as scope:
            total = convert_to_tensor(total_count, name="total_count")
            self._total_count = _checked_whole(total) if validate_args else total
            self._logits, self._probs = _logits_and_probs(logits, probs, True, validate_args)
            self._mean_val = self._total_count[..., None] * self._probs
        super().__init__(
            dtype=self._probs.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=arguments,
            graph_parents=[self._total_count, self._logits, self._probs],
            name=scope,
        )

    logits = property(attrgetter("_logits"), doc="The unnormalized log probabilities.")
    probs = property(attrgetter("_probs"), doc="The probabilities.")

    def _first(self) -> Any:
        return self._probs[..., 0]

    def _event_shape(self) -> Any:
        return self._mean_val.shape.with_rank_at_least(1)[-1:]

    def _event_shape_tensor(self) -> Any:
        return API["shape"](self._mean_val)[-1:]

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        trials = API["cast"](self.total_count, int32)
        size = self.event_shape_tensor()[0]
        mean = self._mean_val
        logits = API["zeros_like"](mean) + self.logits
        trials = API["zeros_like"](mean[..., 0], dtype=int32) + trials
        flat = API["reshape"](logits, [-1, size]), API["reshape"](trials, [-1])

        def draw(pair: Any) -> Any:
            logits, count = pair
            drawn = API["random.categorical"](logits[None, ...], n * count, seed=seed)
            hot = API["one_hot"](API["reshape"](drawn, [n, -1]), size)
            return API["cast"](API["reduce_sum"](hot, -2), self.dtype)

        samples = API["map_fn"](draw, flat, fn_output_signature=self.dtype)
        samples = API["transpose"](samples, [1, 0, 2])
        shape = API["concat"]([[n], self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        return API["reshape"](samples, shape)

    def _log_prob(self, value: Any) -> Any:
        counts = self._checked(value)
        terms = API["reduce_sum"](counts * API["nn.log_softmax"](self.logits), -1)
        return terms + _log_combinations(self.total_count, counts)

    def _mean(self) -> Any:
        return API["identity"](self._mean_val)

    def _variance(self) -> Any:
        p = self.probs * API["ones_like"](self.total_count)[..., None]
        return self._mean_val - self._mean_val * p

    def _covariance(self) -> Any:
        p = self.probs * API["ones_like"](self.total_count)[..., None]
        outer = -API["matmul"](self._mean_val[..., None], p[..., None, :])
        return API["linalg.set_diag"](outer, self._variance())


@documented_like(Dirichlet)
class DirichletMultinomial(_Concentrated, _Counts):
    """The distribution of counts whose probabilities have a Dirichlet distribution.

    Args:
        total_count: The numbers of trials, floats.
    """

    __module__ = _MODULE
    _sums = "counts last-dimension"

    def __init__(
        self,
        total_count: Any,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:
        arguments = parameters_of(locals())
        with name_scope(name) as scope:
            total = convert_to_tensor(total_count, name="total_count")
            self._total_count = _checked_whole(total) if validate_args else total
            self._set_concentration(concentration, validate_args)
        super().__init__(
            dtype=self._concentration.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=arguments,
            graph_parents=[self._total_count, self._concentration],
            name=scope,
        )

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        trials = API["cast"](self.total_count, int32)
        size = self.event_shape_tensor()[0]
        gammas = API["random.gamma"]([n], self.concentration, dtype=self.dtype, seed=seed)
        logits = API["reshape"](_log(gammas), [-1, size])
        drawn = API["random.categorical"](
            logits, trials, seed=new_seed(seed, "dirichlet_multinomial")
        )
        counts = API["reduce_sum"](API["one_hot"](drawn, size), -2)
        shape = API["concat"]([[n], self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        return API["cast"](API["reshape"](counts, shape), self.dtype)

    def _log_prob(self, value: Any) -> Any:
        counts = self._checked(value)
        ordered = _log_beta(self.concentration + counts) - _log_beta(self.concentration)
        return ordered + _log_combinations(self.total_count, counts)

    def _mean(self) -> Any:
        share = self.concentration / self.total_concentration[..., None]
        return self.total_count * share

    def _scale(self) -> Any:
        total = self.total_concentration[..., None]
        return API["sqrt"]((1.0 + total / self.total_count) / (1.0 + total))

    def _variance(self) -> Any:
        scale = self._scale()
        x = scale * self._mean()
        return x * (self.total_count * scale - x)


# Divergences.


@RegisterKL(Bernoulli, Bernoulli)
def _bernoullis(a: Any, b: Any, name: str | None = None) -> Any:
    softplus, sigmoid = API["nn.softplus"], API["sigmoid"]
    one = softplus(-b.logits) - softplus(-a.logits)
    zero = softplus(b.logits) - softplus(a.logits)
    return sigmoid(a.logits) * one + sigmoid(-a.logits) * zero


@RegisterKL(Categorical, Categorical)
def _categoricals(a: Any, b: Any, name: str | None = None) -> Any:
    difference = API["nn.log_softmax"](a.logits) - API["nn.log_softmax"](b.logits)
    return API["reduce_sum"](API["nn.softmax"](a.logits) * difference, -1)


@RegisterKL(Dirichlet, Dirichlet)
def _dirichlets(a: Any, b: Any, name: str | None = None) -> Any:
    total = API["reduce_sum"](a.concentration, -1, True)
    difference = a.concentration - b.concentration
    terms = difference * (_digamma(a.concentration) - _digamma(total))
    normalization = _log_beta(b.concentration) - _log_beta(a.concentration)
    return API["reduce_sum"](terms, -1) + normalization
