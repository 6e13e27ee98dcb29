# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

from twinflow._src.ops.random.arguments import Algorithm as Algorithm
from twinflow._src.ops.random.generator import Generator as Generator
from twinflow.nn import all_candidate_sampler as all_candidate_sampler
from twinflow.nn import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from twinflow.nn import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from twinflow.random import experimental as experimental

def categorical(
    logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: str | None = None
) -> Any:
    """Draws samples from categorical distributions."""

def create_rng_state(seed: Any, alg: Any) -> Any:
    """Creates an RNG state from a seed."""

def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Any:
    """Folds an integer into a seed to form a new seed."""

def gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = ...,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Draws random numbers from gamma distributions."""

def get_global_generator() -> Any:
    """Returns the global generator, created from a non-deterministic state at the first call."""

def log_uniform_candidate_sampler(
    true_classes: Any,
    num_true: SupportsIndex,
    num_sampled: SupportsIndex,
    unique: bool,
    range_max: SupportsIndex,
    seed: SupportsIndex | None = None,
    name: str | None = None,
) -> Any:
    """Samples candidate classes from a log-uniform (Zipfian) distribution."""

def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = ...,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Draws random numbers from a normal distribution."""

def poisson(
    shape: Any, lam: Any, dtype: Any = ..., seed: Any = None, name: str | None = None
) -> Any:
    """Draws random numbers from Poisson distributions."""

def set_global_generator(generator: Any) -> None:
    """Replaces the global generator."""

def set_seed(seed: Any) -> None:
    """Sets the global seed, from which ops without an op seed derive one."""

def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Any:
    """Randomly shuffles a tensor along its first dimension."""

def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Any:
    """Splits a seed into several new seeds."""

def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = ..., name: str | None = None
) -> Any:
    """Draws deterministic random numbers from binomial distributions, determined by the seed."""

def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = ..., name: str | None = None
) -> Any:
    """Draws deterministic samples from categorical distributions, determined by the seed."""

def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = ..., name: str | None = None
) -> Any:
    """Draws deterministic random numbers from gamma distributions, determined by the seed."""

def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = ...,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Draws deterministic random numbers from a normal distribution, determined by the seed."""

def stateless_parameterized_truncated_normal(
    shape: Any,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Any:
    """Draws deterministic random numbers from truncated normal distributions, by seed."""

def stateless_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = ..., name: str | None = None
) -> Any:
    """Draws deterministic random numbers from Poisson distributions, determined by the seed."""

def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = ...,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Draws deterministic random numbers from a truncated normal distribution, by seed."""

def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = ...,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Draws deterministic random numbers from a uniform distribution over [minval, maxval)."""

def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = ...,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Draws random numbers from a normal distribution truncated to two standard deviations."""

def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = ...,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Draws random numbers from a uniform distribution over [minval, maxval)."""

def uniform_candidate_sampler(
    true_classes: Any,
    num_true: SupportsIndex,
    num_sampled: SupportsIndex,
    unique: bool,
    range_max: SupportsIndex,
    seed: SupportsIndex | None = None,
    name: str | None = None,
) -> Any:
    """Samples candidate classes from a uniform distribution."""
