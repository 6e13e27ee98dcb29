# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.ops.random.arguments import Algorithm as Algorithm
from twinflow._src.ops.random.generator import Generator as Generator
from twinflow.compat.v1 import get_seed as get_seed
from twinflow.compat.v1 import random_poisson as _poisson
from twinflow.compat.v1.random import experimental as experimental
from twinflow.compat.v1.random import stateless_categorical as _stateless_multinomial
from twinflow.nn import all_candidate_sampler as all_candidate_sampler
from twinflow.nn import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from twinflow.nn import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from twinflow.random import create_rng_state as create_rng_state
from twinflow.random import fold_in as fold_in
from twinflow.random import gamma as gamma
from twinflow.random import get_global_generator as get_global_generator
from twinflow.random import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from twinflow.random import normal as normal
from twinflow.random import set_global_generator as set_global_generator
from twinflow.random import set_seed as _set_random_seed
from twinflow.random import set_seed as set_seed
from twinflow.random import shuffle as shuffle
from twinflow.random import split as split
from twinflow.random import stateless_binomial as stateless_binomial
from twinflow.random import stateless_gamma as stateless_gamma
from twinflow.random import stateless_normal as stateless_normal
from twinflow.random import (
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
)
from twinflow.random import stateless_poisson as stateless_poisson
from twinflow.random import stateless_truncated_normal as stateless_truncated_normal
from twinflow.random import stateless_uniform as stateless_uniform
from twinflow.random import truncated_normal as truncated_normal
from twinflow.random import uniform as uniform
from twinflow.random import uniform_candidate_sampler as uniform_candidate_sampler

poisson = _poisson
set_random_seed = _set_random_seed
stateless_multinomial = _stateless_multinomial

def categorical(
    logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: Any = None
) -> Any:
    """``tf.random.categorical`` with the order and the older names of its arguments."""

def multinomial(
    logits: Any, num_samples: Any, seed: Any = None, name: Any = None, output_dtype: Any = None
) -> Any:
    """``tf.random.multinomial`` with the order and the older names of its arguments."""

def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, output_dtype: Any = ..., name: Any = None
) -> Any:
    """``tf.random.stateless_multinomial`` with the order and the older names of its arguments."""
