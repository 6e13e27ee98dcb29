# Computed from the op table by tools/make_stubs.py.

from twinflow.keras.utils import set_random_seed as set_random_seed
