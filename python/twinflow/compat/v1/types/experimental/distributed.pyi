# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.distribute.values import Mirrored as Mirrored
from twinflow._src.wings.distribute.values import PerReplica as PerReplica
