# Computed from the op table by tools/make_stubs.py.

from twinflow.config.optimizer import get_experimental_options as get_experimental_options
from twinflow.config.optimizer import get_jit as get_jit
from twinflow.config.optimizer import set_experimental_options as set_experimental_options
from twinflow.config.optimizer import set_jit as set_jit
