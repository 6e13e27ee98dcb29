"""The public names of strategies and clusters, and the modules that they are in."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any

from ..messages import message

# By namespace: the module and its names; a name in the module that differs follows a colon.
_TABLE: dict[str, dict[str, str]] = {
    "distribute": {
        "strategy": "Strategy",
        "extended": "StrategyExtended",
        "mirrored": "MirroredStrategy",
        "one_device": "OneDeviceStrategy",
        "collective": "MultiWorkerMirroredStrategy:CollectiveAllReduceStrategy",
        "reduce_op": "ReduceOp",
        "replica_context": "ReplicaContext",
        "values": "DistributedValues",
        "cross_device": "CrossDeviceOps HierarchicalCopyAllReduce NcclAllReduce ReductionToOneDevice",
        "contexts": "experimental_set_strategy:set_everywhere get_replica_context get_strategy has_strategy "
        "in_cross_replica_context",
        "cluster": "Server",
        "input_options": "InputContext InputOptions InputReplicationMode RunOptions",
    },
    "distribute.experimental": {
        "central_storage": "CentralStorageStrategy",
        "collective": "MultiWorkerMirroredStrategy:CollectiveAllReduceStrategyOlder CommunicationImplementation "
        "CollectiveCommunication:CommunicationImplementation CommunicationOptions CollectiveHints:collective_hints",
        "replica_context": "ValueContext",
    },
    "distribute.cluster_resolver": {
        "cluster_resolvers": "ClusterResolver SimpleClusterResolver TFConfigClusterResolver UnionResolver",
    },
    "types.experimental.distributed": {"values": "Mirrored PerReplica"},
    "train": {"cluster_spec": "ClusterSpec"},
    "test": {"cluster": "create_local_cluster"},
    "config": {
        "cluster": "experimental_connect_to_cluster:connect_to_cluster experimental_connect_to_host:connect_to_host"
    },
}
# What ``tf.compat.v1`` has in other words; as above.
_V1: dict[str, dict[str, str]] = {
    "distribute": {
        "strategy": "Strategy:StrategyV1",
        "mirrored": "MirroredStrategy:MirroredStrategyV1",
        "one_device": "OneDeviceStrategy:OneDeviceStrategyV1",
    },
    "distribute.experimental": {
        "central_storage": "CentralStorageStrategy:CentralStorageStrategyV1",
        "collective": "MultiWorkerMirroredStrategy:CollectiveAllReduceStrategyV1",
    },
}


def _found(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"twinflow.distribution.{module}"), name)


def _entries() -> Iterator[tuple[str, Callable[[], Any]]]:
    for place, modules in _TABLE.items():
        for module, names in modules.items():
            for entry in names.split():
                name, _, own = entry.partition(":")
                yield f"{place}.{name}", functools.partial(_found, module, own or name)
    yield "train.ClusterDef", functools.partial(message, "ClusterDef")


NAMES = dict(_entries())
V1 = {
    place: {f"distribution.{module}": names for module, names in modules.items()}
    for place, modules in _V1.items()
}
