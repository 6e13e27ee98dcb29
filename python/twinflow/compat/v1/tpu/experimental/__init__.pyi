# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.tpu.configs import HardwareFeature as HardwareFeature
from twinflow.compat.v1.tpu.experimental import embedding as embedding
