# Computed from the op table by tools/make_stubs.py.

from twinflow.linalg.experimental import conjugate_gradient as conjugate_gradient
