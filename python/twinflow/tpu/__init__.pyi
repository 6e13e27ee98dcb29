# Computed from the op table by tools/make_stubs.py.

from twinflow.tpu import experimental as experimental
