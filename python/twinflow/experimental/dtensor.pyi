# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.private_api.training import DTensorDataset as DTensorDataset
from twinflow._src.wings.private_api.training import DVariable as DVariable

UNSHARDED: str
