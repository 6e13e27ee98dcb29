# Computed from the op table by tools/make_stubs.py.

from twinflow._src.initializers.keras_seeds import SeedGenerator as SeedGenerator
