# Computed from the op table by tools/make_stubs.py.

from twinflow.profiler import experimental as experimental
