# Computed from the op table by tools/make_stubs.py.

from twinflow.nn.experimental import general_dropout as general_dropout
from twinflow.nn.experimental import stateless_dropout as stateless_dropout
