# Computed from the op table by tools/make_stubs.py.

from twinflow.sysconfig import get_build_info as get_build_info
from twinflow.sysconfig import get_lib as get_lib
