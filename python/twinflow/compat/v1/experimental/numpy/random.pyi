# Computed from the op table by tools/make_stubs.py.

from twinflow.experimental.numpy.random import poisson as poisson
from twinflow.experimental.numpy.random import rand as rand
from twinflow.experimental.numpy.random import randint as randint
from twinflow.experimental.numpy.random import randn as randn
from twinflow.experimental.numpy.random import random as random
from twinflow.experimental.numpy.random import seed as seed
from twinflow.experimental.numpy.random import standard_normal as standard_normal
from twinflow.experimental.numpy.random import uniform as uniform
