"""``MPIClusterResolver``: the ranks of an MPI job as the tasks of a cluster."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Mapping
from typing import Any

from twinflow._src.wings.distribute.cluster_spec import ClusterSpec, SimpleClusterResolver
from twinflow._src.wings.distribute.dask_resolver import free_address
from twinflow._src.wings.distribute.links import is_plain, keys


class MPIClusterResolver(SimpleClusterResolver):
    """A cluster resolver for the ranks of an MPI job, which ``mpiexec`` or ``srun`` starts.

    All ranks construct it at the same time: they tell each other their addresses by MPI, which is
    not used afterwards. Hosts reach each other by the names that MPI has for them, and share the
    directory of the user's key. Needs the package ``mpi4py``.

    Args:
        jobs: The number of tasks by job, in the order of the ranks; all are workers if None.
        communicator: A communicator of ``mpi4py`` with the ranks; that of all ranks if None.
        rpc_layer: The protocol, as a prefix of addresses.

    Raises:
        ImportError: ``mpi4py`` is not installed.
        RuntimeError: The communicator has another number of ranks than ``jobs`` has tasks.
    """

    __module__ = "twinflow.distribute.cluster_resolver"

    def __init__(
        self,
        jobs: Mapping[str, int] | None = None,
        communicator: Any = None,
        rpc_layer: str = "grpc",
    ) -> None:
        mpi = _mpi()
        ranks = mpi.COMM_WORLD if communicator is None else communicator
        counts = {"worker": ranks.size} if jobs is None else dict(jobs)
        if sum(counts.values()) != ranks.size:
            raise RuntimeError(
                f"Requested {sum(counts.values())} tasks but the MPI job has {ranks.size} ranks."
            )
        if ranks.rank == 0 and not is_plain():
            keys()  # the other ranks find them
        hosts = ranks.allgather(mpi.Get_processor_name())
        host = "localhost" if len(set(hosts)) == 1 else hosts[ranks.rank]
        addresses = ranks.allgather(free_address(host))
        places = [(job, i) for job, count in counts.items() for i in range(count)]
        following = iter(addresses)
        spec = {
            job: list(itertools.islice(following, count)) for job, count in counts.items() if count
        }
        task_type, task_id = places[ranks.rank]
        super().__init__(
            ClusterSpec(spec),
            addresses[ranks.rank],
            task_type,
            task_id,
            environment="mpi",
            rpc_layer=rpc_layer,
        )


def _mpi() -> Any:
    try:
        return importlib.import_module("mpi4py.MPI")
    except ImportError as error:
        raise ImportError(
            "MPIClusterResolver needs the Python package mpi4py, which is not installed: "
            "pip install twinflow[mpi]"
        ) from error
