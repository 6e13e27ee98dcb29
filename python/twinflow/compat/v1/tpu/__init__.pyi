# Computed from the op table by tools/make_stubs.py.

from twinflow.compat.v1.tpu import experimental as experimental
