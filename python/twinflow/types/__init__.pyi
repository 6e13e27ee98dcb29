# Computed from the op table by tools/make_stubs.py.

from twinflow.types import experimental as experimental
