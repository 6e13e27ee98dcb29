# Computed from the op table by tools/make_stubs.py.

from twinflow.image import random_crop as random_crop
from twinflow.image import stateless_random_crop as stateless_random_crop
