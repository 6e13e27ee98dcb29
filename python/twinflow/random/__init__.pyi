# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

from twinflow._src.ops.random.algorithms import Algorithm as Algorithm
from twinflow._src.ops.random.generator import Generator as Generator
from twinflow.nn import all_candidate_sampler as all_candidate_sampler
from twinflow.nn import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from twinflow.nn import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from twinflow.random import experimental as experimental

def categorical(
    logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: str | None = None
) -> Any:
    """Returns random categories."""

def create_rng_state(seed: Any, alg: Any) -> Any:
    """Makes the state of a generator."""

def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Any:
    """Returns a seed that is made of a seed and a number."""

def gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = ...,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Returns random numbers from gamma distributions."""

def get_global_generator() -> Any:
    """The generator of the process; made at the first call, so that nobody can predict it."""

def log_uniform_candidate_sampler(
    true_classes: Any,
    num_true: SupportsIndex,
    num_sampled: SupportsIndex,
    unique: bool,
    range_max: SupportsIndex,
    seed: SupportsIndex | None = None,
    name: str | None = None,
) -> Any:
    """Returns classes to compare true ones with, the first ones more often, about as words."""

def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = ...,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Returns random numbers from a normal distribution."""

def poisson(
    shape: Any, lam: Any, dtype: Any = ..., seed: Any = None, name: str | None = None
) -> Any:
    """Returns random numbers from Poisson distributions."""

def set_global_generator(generator: Any) -> None:
    """Replaces the generator of the process."""

def set_seed(seed: Any) -> None:
    """Sets the global seed, from which operations without a seed of their own derive one."""

def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Any:
    """Returns the rows of a tensor in a random order."""

def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Any:
    """Returns several seeds that are made of one."""

def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = ..., name: str | None = None
) -> Any:
    """Returns random numbers from binomial distributions that depend on the seed only."""

def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = ..., name: str | None = None
) -> Any:
    """Returns random categories that depend on the seed only."""

def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = ..., name: str | None = None
) -> Any:
    """Returns random numbers from gamma distributions that depend on the seed only."""

def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = ...,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Returns random numbers from a normal distribution that depend on the seed only."""

def stateless_parameterized_truncated_normal(
    shape: Any,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Any:
    """Returns random normal numbers between bounds, which depend on the seed only."""

def stateless_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = ..., name: str | None = None
) -> Any:
    """Returns random numbers from Poisson distributions that depend on the seed only."""

def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = ...,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Returns truncated normal random numbers that depend on the seed only."""

def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = ...,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Returns random numbers between two bounds that depend on the seed only."""

def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = ...,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Returns random numbers from a normal distribution, less than two standard deviations off."""

def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = ...,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Returns random numbers between two bounds, the upper one excluded."""

def uniform_candidate_sampler(
    true_classes: Any,
    num_true: SupportsIndex,
    num_sampled: SupportsIndex,
    unique: bool,
    range_max: SupportsIndex,
    seed: SupportsIndex | None = None,
    name: str | None = None,
) -> Any:
    """Returns classes to compare true ones with, of which all are alike."""
