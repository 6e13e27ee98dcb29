# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.ops.random.arguments import Algorithm as Algorithm
from twinflow._src.ops.random.generator import Generator as Generator
from twinflow.random import create_rng_state as create_rng_state
from twinflow.random import fold_in as _stateless_fold_in
from twinflow.random import get_global_generator as get_global_generator
from twinflow.random import set_global_generator as set_global_generator
from twinflow.random import split as _stateless_split

stateless_fold_in = _stateless_fold_in
stateless_split = _stateless_split

def index_shuffle(index: Any, seed: Any, max_index: Any) -> Any:
    """Returns the positions of indices in a pseudorandom permutation determined by the seed."""

def stateless_shuffle(
    value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None
) -> Any:
    """Deterministically shuffles a tensor along its first dimension, determined by the seed."""
