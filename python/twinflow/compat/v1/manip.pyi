# Computed from the op table by tools/make_stubs.py.

from twinflow import reshape as reshape
from twinflow import reverse as reverse
from twinflow import roll as roll
from twinflow import scatter_nd as scatter_nd
from twinflow import space_to_batch_nd as space_to_batch_nd
from twinflow import tile as tile
from twinflow.compat.v1 import batch_to_space_nd as batch_to_space_nd
from twinflow.compat.v1 import gather_nd as gather_nd
