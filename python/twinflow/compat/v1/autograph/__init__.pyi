# Computed from the op table by tools/make_stubs.py.

from twinflow.autograph import set_verbosity as set_verbosity
from twinflow.autograph import to_code as to_code
from twinflow.autograph import to_graph as to_graph
from twinflow.autograph import trace as trace
from twinflow.compat.v1.autograph import experimental as experimental
