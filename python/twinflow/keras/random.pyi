# Computed from the op table by tools/make_stubs.py.

from twinflow._src.initializers.keras import SeedGenerator as SeedGenerator
