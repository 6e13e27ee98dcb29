# Computed from the op table by tools/make_stubs.py.

from twinflow.experimental.dlpack import from_dlpack as from_dlpack
from twinflow.experimental.dlpack import to_dlpack as to_dlpack
