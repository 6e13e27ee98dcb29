# Computed from the op table by tools/make_stubs.py.

from twinflow._src.autograph.calls import Feature as Feature
from twinflow.autograph.experimental import do_not_convert as do_not_convert
from twinflow.autograph.experimental import set_loop_options as set_loop_options
