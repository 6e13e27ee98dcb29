# Computed from the op table by tools/make_stubs.py.

from twinflow.bitwise import bitwise_and as bitwise_and
from twinflow.bitwise import bitwise_or as bitwise_or
from twinflow.bitwise import bitwise_xor as bitwise_xor
from twinflow.bitwise import invert as invert
from twinflow.bitwise import left_shift as left_shift
from twinflow.bitwise import right_shift as right_shift
