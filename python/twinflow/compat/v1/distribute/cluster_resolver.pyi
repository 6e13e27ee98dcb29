# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.distribute.cluster_spec import ClusterResolver as ClusterResolver
from twinflow._src.wings.distribute.cluster_spec import (
    SimpleClusterResolver as SimpleClusterResolver,
)
from twinflow._src.wings.distribute.cluster_spec import SlurmClusterResolver as SlurmClusterResolver
from twinflow._src.wings.distribute.cluster_spec import (
    TFConfigClusterResolver as TFConfigClusterResolver,
)
from twinflow._src.wings.distribute.cluster_spec import UnionResolver as UnionResolver
