# Computed from the op table by tools/make_stubs.py.

from twinflow.summary.experimental import get_step as get_step
from twinflow.summary.experimental import set_step as set_step
from twinflow.summary.experimental import summary_scope as summary_scope
from twinflow.summary.experimental import write_raw_pb as write_raw_pb
