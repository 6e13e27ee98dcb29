# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.distribute.parameter_server import (
    FixedShardsPartitioner as FixedShardsPartitioner,
)
from twinflow._src.wings.distribute.parameter_server import MaxSizePartitioner as MaxSizePartitioner
from twinflow._src.wings.distribute.parameter_server import MinSizePartitioner as MinSizePartitioner
from twinflow._src.wings.distribute.parameter_server import Partitioner as Partitioner
