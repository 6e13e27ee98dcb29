# Computed from the op table by tools/make_stubs.py.

from twinflow._src.autodiff.custom_gradient import ForwardAccumulator as ForwardAccumulator
from twinflow._src.autodiff.tape import GradientTape as GradientTape
