# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.distribute.cloud_resolvers import (
    ExecutableLocation as _KubernetesExecutableLocation,
)
from twinflow._src.wings.distribute.cloud_resolvers import GCEClusterResolver as GCEClusterResolver
from twinflow._src.wings.distribute.cloud_resolvers import (
    KubernetesClusterResolver as KubernetesClusterResolver,
)
from twinflow._src.wings.distribute.cloud_resolvers import TPUClusterResolver as TPUClusterResolver
from twinflow._src.wings.distribute.cluster_spec import ClusterResolver as ClusterResolver
from twinflow._src.wings.distribute.cluster_spec import (
    SimpleClusterResolver as SimpleClusterResolver,
)
from twinflow._src.wings.distribute.cluster_spec import SlurmClusterResolver as SlurmClusterResolver
from twinflow._src.wings.distribute.cluster_spec import (
    TFConfigClusterResolver as TFConfigClusterResolver,
)
from twinflow._src.wings.distribute.cluster_spec import UnionResolver as UnionResolver
from twinflow._src.wings.distribute.dask_resolver import DaskClusterResolver as DaskClusterResolver
from twinflow._src.wings.distribute.mpi_resolver import MPIClusterResolver as MPIClusterResolver

KubernetesExecutableLocation = _KubernetesExecutableLocation
