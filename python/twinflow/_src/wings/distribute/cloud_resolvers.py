"""Cluster resolvers of Kubernetes, Google Compute Engine and Cloud TPUs."""

from __future__ import annotations

import enum
import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from twinflow._src.dispatch.docstrings import documented_like
from twinflow._src.wings.distribute.cluster_spec import ClusterResolver, ClusterSpec, _url


class ExecutableLocation(enum.Enum):
    """The place of a program that asks Kubernetes for its cluster."""

    WITHIN_CLUSTER = 0
    OFF_CLUSTER = 1


class KubernetesClusterResolver(ClusterResolver):
    """A cluster resolver for the pods of Kubernetes with certain labels.

    Needs the package ``kubernetes``, unless a client is passed. Every pod is a task that listens at
    the same port; the tasks of a job are in the order of the names of their pods.

    Args:
        job_to_label_mapping: The label selectors of each job; by default the job ``worker`` has the
            pods of the job "tensorflow".
        tf_server_port: The port of the tasks.
        rpc_layer: The protocol, as a prefix of addresses.
        override_client: An API client with ``list_pod_for_all_namespaces``; Kubernetes' own if None.
        executable_location: ``WITHIN_CLUSTER`` to read the configuration of a pod, ``OFF_CLUSTER``
            that of the user.

    Raises:
        ImportError: The package ``kubernetes`` is not installed.
        ValueError: The location is unknown.
    """

    __module__ = "twinflow.distribute.cluster_resolver"

    def __init__(
        self,
        job_to_label_mapping: Mapping[str, Sequence[str]] | None = None,
        tf_server_port: int = 8470,
        rpc_layer: str = "grpc",
        override_client: Any = None,
        executable_location: Any = ExecutableLocation.WITHIN_CLUSTER,
    ) -> None:
        self._labels = job_to_label_mapping or {"worker": ["job-name=tensorflow"]}
        self._port = tf_server_port
        self._client = override_client or _client(executable_location)
        self.task_type = self.task_id = None
        self.rpc_layer = rpc_layer

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """Returns the address of a task; ``""`` without a task.

        Args:
            task_type: The job; that of the attribute ``task_type`` if None.
            task_id: The task index; that of the attribute ``task_id`` if None.
            rpc_layer: The protocol, as a prefix of the address.
        """
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        if task_type is None or task_id is None:
            return ""
        address = self.cluster_spec().task_address(task_type, task_id)
        return _url(address, rpc_layer or self.rpc_layer)

    def cluster_spec(self) -> ClusterSpec:
        """Returns the ``ClusterSpec`` of the pods as they are now.

        Raises:
            RuntimeError: A pod is not running.
        """
        jobs: dict[str, list[str]] = {}
        for job, selectors in self._labels.items():
            jobs[job] = []
            for selector in selectors:
                listed = self._client.list_pod_for_all_namespaces(label_selector=selector)
                for pod in sorted(listed.items, key=lambda x: x.metadata.name):
                    if pod.status.phase != "Running":
                        raise RuntimeError(
                            f'Pod "{pod.metadata.name}" is not running; phase: "{pod.status.phase}"'
                        )
                    jobs[job].append(f"{pod.status.host_ip}:{self._port}")
        return ClusterSpec(jobs)


def _client(location: Any) -> Any:
    try:
        config = importlib.import_module("kubernetes.config")
        client = importlib.import_module("kubernetes.client")
    except ImportError as error:
        raise ImportError(
            "The Kubernetes Python client must be installed before using the Kubernetes Cluster Resolver. To install "
            "the Kubernetes Python client, run `pip install kubernetes` on your command line."
        ) from error
    if location == ExecutableLocation.OFF_CLUSTER:
        config.load_kube_config()
    elif location == ExecutableLocation.WITHIN_CLUSTER:
        config.load_incluster_config()
    else:
        raise ValueError("The executable location provided is invalid.")
    return client.CoreV1Api()


class GCEClusterResolver:
    """Refused: use ``KubernetesClusterResolver``, ``SlurmClusterResolver`` or ``TF_CONFIG``.

    Args:
        project: The project.
        zone: The zone.
        instance_group: The group of instances.
        port: The port of the tasks.
        task_type: The job of the instances.
        task_id: The index of this task.
        rpc_layer: The protocol.
        credentials: The credentials.
        service: A client of the service.

    Raises:
        NotImplementedError: Always.
    """

    __module__ = "twinflow.distribute.cluster_resolver"

    def __init__(
        self,
        project: Any,
        zone: Any,
        instance_group: Any,
        port: Any,
        task_type: str = "worker",
        task_id: int = 0,
        rpc_layer: str = "grpc",
        credentials: Any = "default",
        service: Any = None,
    ) -> None:
        raise NotImplementedError(
            f"GCEClusterResolver is not part of twinflow: the instances of the group {instance_group!r} cannot be "
            "listed. Pass their addresses to SimpleClusterResolver, or set TF_CONFIG on each."
        )


@documented_like(GCEClusterResolver)
class TPUClusterResolver:
    """Refused: twinflow computes on CPUs and GPUs.

    Args:
        tpu: The name of the TPU.
        job_name: The job of the TPU's hosts.
        coordinator_name: The job of the coordinator.
        coordinator_address: Its address.
        discovery_url: The address of the service.
    """

    __module__ = "twinflow.distribute.cluster_resolver"

    def __init__(
        self,
        tpu: Any = None,
        zone: Any = None,
        project: Any = None,
        job_name: str = "worker",
        coordinator_name: Any = None,
        coordinator_address: Any = None,
        credentials: Any = "default",
        service: Any = None,
        discovery_url: Any = None,
    ) -> None:
        raise NotImplementedError(
            f"TPUClusterResolver is not part of twinflow, which has no TPUs: {tpu!r} cannot be used. Use "
            "tf.distribute.MirroredStrategy or MultiWorkerMirroredStrategy on CPUs and GPUs."
        )

    @staticmethod
    def connect(tpu: Any = None, zone: Any = None, project: Any = None) -> Any:
        """Raises NotImplementedError; see the class.

        Args:
            tpu: The name of the TPU.
            zone: The zone.
            project: The project.
        """
        return TPUClusterResolver(tpu, zone, project)
