# Computed from the op table by tools/make_stubs.py.

from twinflow._src.ops.random.arguments import Algorithm as Algorithm
from twinflow._src.ops.random.generator import Generator as Generator
from twinflow.random import create_rng_state as create_rng_state
from twinflow.random import fold_in as _stateless_fold_in
from twinflow.random import get_global_generator as get_global_generator
from twinflow.random import set_global_generator as set_global_generator
from twinflow.random import split as _stateless_split
from twinflow.random.experimental import index_shuffle as index_shuffle
from twinflow.random.experimental import stateless_shuffle as stateless_shuffle

stateless_fold_in = _stateless_fold_in
stateless_split = _stateless_split
