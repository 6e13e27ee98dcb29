"""Cluster resolvers of Kubernetes and Dask, and those that are refused."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import types
from concurrent.futures import ThreadPoolExecutor

import pytest

import twinflow as tf
from tests.harness import OUTSIDE
from tests.unit.wings import cluster_tasks

resolvers = tf.distribute.cluster_resolver


class Pods:
    """Kubernetes' client, as far as the resolver uses it."""

    def __init__(self, **pods):
        self._pods = pods

    def list_pod_for_all_namespaces(self, label_selector):
        pods = [
            types.SimpleNamespace(
                metadata=types.SimpleNamespace(name=name),
                status=types.SimpleNamespace(phase=phase, host_ip=address),
            )
            for name, phase, address in self._pods[label_selector]
        ]
        return types.SimpleNamespace(items=pods)


PODS = Pods(
    **{
        "job-name=tensorflow": [("w1", "Running", "9.9"), ("w0", "Running", "8.8")],
        "app=ps": [("p0", "Running", "x")],
        "bad": [("b0", "Pending", "x")],
        "none": [],
    }
)


def test_kubernetes():
    r = resolvers.KubernetesClusterResolver(override_client=PODS)
    assert str(r.cluster_spec()) == "ClusterSpec({'worker': ['8.8:8470', '9.9:8470']})"
    assert r.master() == "" and r.master("worker", 1) == "grpc://9.9:8470"
    assert (r.task_type, r.task_id, r.rpc_layer, r.environment) == (None, None, "grpc", "")
    r.task_type, r.task_id = "worker", 0
    assert r.master() == "grpc://8.8:8470"
    r = resolvers.KubernetesClusterResolver(
        {"worker": ["job-name=tensorflow"], "ps": ["app=ps"]}, 1234, "x", PODS
    )
    expected = {"ps": ["x:1234"], "worker": ["8.8:1234", "9.9:1234"]}
    assert r.cluster_spec().as_dict() == expected
    assert r.master("ps", 0) == r.master("ps", 0, rpc_layer="") == "x://x:1234"


def test_kubernetes_with_other_pods():
    r = resolvers.KubernetesClusterResolver({"worker": ["bad"]}, override_client=PODS)
    with pytest.raises(RuntimeError, match='Pod "b0" is not running; phase: "Pending"'):
        r.cluster_spec()
    r = resolvers.KubernetesClusterResolver({"worker": ["none"]}, override_client=PODS)
    assert str(r.cluster_spec()) == "ClusterSpec({'worker': {}})"
    location = resolvers.KubernetesExecutableLocation
    assert [x.value for x in (location.WITHIN_CLUSTER, location.OFF_CLUSTER)] == [0, 1]


def test_kubernetes_without_its_package(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "kubernetes.config", None)
    with pytest.raises(ImportError, match="pip install kubernetes"):
        resolvers.KubernetesClusterResolver()


class Ranks:
    """A communicator of MPI among threads of this process."""

    def __init__(self, rank, values, barrier):
        self.rank, self.size = rank, barrier.parties
        self._values, self._barrier = values, barrier

    def allgather(self, value):
        self._values[self.rank] = value
        self._barrier.wait(30)
        values = list(self._values)
        self._barrier.wait(30)
        return values


def resolvers_of_ranks(monkeypatch, hosts, jobs):
    """Returns the resolvers of ranks on hosts."""
    barrier, values = threading.Barrier(len(hosts)), [None] * len(hosts)
    named = threading.local()
    module = types.SimpleNamespace(Get_processor_name=lambda: named.host)
    monkeypatch.setitem(sys.modules, "mpi4py", types.ModuleType("mpi4py"))
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", module)

    def make(rank):
        named.host = hosts[rank]
        return resolvers.MPIClusterResolver(jobs, Ranks(rank, values, barrier))

    with ThreadPoolExecutor(len(hosts)) as pool:
        return list(pool.map(make, range(len(hosts))))


def test_ranks_of_mpi(monkeypatch, tmp_path):
    monkeypatch.setenv("TWINFLOW_CLUSTER_KEYS", str(tmp_path))
    first, *_, last = found = resolvers_of_ranks(monkeypatch, ["node0"] * 3, {"worker": 2, "ps": 1})
    assert (tmp_path / "cluster.key").exists()
    specs = [resolver.cluster_spec().as_dict() for resolver in found]
    assert specs[1:] == specs[:-1] and {job: len(x) for job, x in specs[0].items()} == {
        "worker": 2,
        "ps": 1,
    }
    assert len({address for job in specs[0].values() for address in job}) == 3
    assert all(address.startswith("localhost:") for address in specs[0]["worker"])
    assert [(r.task_type, r.task_id) for r in found] == [("worker", 0), ("worker", 1), ("ps", 0)]
    assert last.master() == f"grpc://{specs[0]['ps'][0]}" and first.environment == "mpi"


def test_ranks_of_mpi_on_two_hosts(monkeypatch, tmp_path):
    monkeypatch.setenv("TWINFLOW_CLUSTER_KEYS", str(tmp_path))
    hosts = ["127.0.0.1", "127.0.0.2"]
    spec = resolvers_of_ranks(monkeypatch, hosts, None)[0].cluster_spec().as_dict()
    assert [address.partition(":")[0] for address in spec["worker"]] == hosts


def test_other_numbers_of_ranks(monkeypatch):
    with pytest.raises(RuntimeError, match="Requested 2 tasks but the MPI job has 1 ranks"):
        resolvers_of_ranks(monkeypatch, ["node0"], {"worker": 2})
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", None)
    with pytest.raises(ImportError, match=r"pip install twinflow\[mpi\]"):
        resolvers.MPIClusterResolver()


MPI_PROGRAM = """
import twinflow as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy(tf.distribute.cluster_resolver.MPIClusterResolver())
rank = strategy.cluster_resolver.task_id
print("sum", float(strategy.reduce("SUM", 1.0 + rank, axis=None)), flush=True)
"""


def test_a_program_that_mpiexec_starts(tmp_path):
    pytest.importorskip("mpi4py", reason="needs mpi4py and an MPI library")
    if shutil.which("mpiexec") is None:
        pytest.skip("there is no mpiexec")
    done = subprocess.run(
        ["mpiexec", "-n", "2", sys.executable, "-c", MPI_PROGRAM],
        env={
            **OUTSIDE,
            "TWINFLOW_CLUSTER_KEYS": str(tmp_path),
            **{f"OMPI_ALLOW_RUN_AS_ROOT{suffix}": "1" for suffix in ("", "_CONFIRM")},
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.split() == ["sum", "3.0"] * 2, done.stderr


def test_resolvers_that_are_refused():
    with pytest.raises(NotImplementedError, match=r"the group 'g'.*SimpleClusterResolver"):
        resolvers.GCEClusterResolver("p", "z", "g", 8888)
    for make in (resolvers.TPUClusterResolver, resolvers.TPUClusterResolver.connect):
        with pytest.raises(NotImplementedError, match=r"no TPUs: 'mine' cannot be used"):
            make("mine")


# ------------------------------------------------------------------ Dask


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    pytest.importorskip("zmq", reason="clusters need the package pyzmq")
    distributed = pytest.importorskip("distributed", reason="this needs the package distributed")
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ.keys() - OUTSIDE.keys():  # R's, which Dask's processes would inherit
            patch.delenv(name)
        patch.setenv("LD_LIBRARY_PATH", OUTSIDE.get("LD_LIBRARY_PATH", ""))
        patch.setenv("TWINFLOW_CLUSTER_KEYS", str(tmp_path_factory.mktemp("keys")))
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, dashboard_address=None
            ) as local,
            distributed.Client(local) as client,
        ):
            yield client


@pytest.fixture
def resolver(client):
    from twinflow._src.wings.distribute import cluster

    resolver = resolvers.DaskClusterResolver(client, {"worker": 2, "ps": 1})
    yield resolver
    cluster.disconnect()
    resolver.close()
    assert sum(client.run(count_tasks).values()) == 0


def count_tasks():
    from twinflow._src.wings.distribute import dask_resolver

    return len(dask_resolver._children)


def numbers():
    """The process numbers of the tasks of a worker, by job and index."""
    from twinflow._src.wings.distribute import dask_resolver

    return {key[1:]: child.pid for key, child in dask_resolver._children.items()}


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_tasks_on_a_dask_cluster(client, resolver):
    """Steps run on them; one that is killed is started again, and used again."""
    assert {job: len(x) for job, x in resolver.cluster_spec().as_dict().items()} == {
        "worker": 2,
        "ps": 1,
    }
    assert resolver.master("ps", 0).startswith("grpc://127.0.0.1:") and resolver.master() == ""
    assert sorted(client.run(count_tasks).values()) == [1, 2]
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        v = tf.Variable(0.0)

    @tf.function
    def step():
        v.assign_add(1.0)
        return tf.distribute.coordinator.experimental_get_current_worker_index()

    for _ in range(10):
        coordinator.schedule(step)
    coordinator.join()
    assert v.numpy() == 10.0
    pids = {key: pid for found in client.run(numbers).values() for key, pid in found.items()}
    os.kill(pids["worker", 1], signal.SIGKILL)
    cluster_tasks.wait_until(lambda: resolver.restarts == 1)
    seen = set()

    def has_both():
        seen.update(
            int(x) for x in coordinator.fetch([coordinator.schedule(step) for _ in range(10)])
        )
        return seen == {0, 1}

    cluster_tasks.wait_until(has_both)
    assert v.numpy() >= 20.0


def test_scaling(client, resolver):
    first = resolver.cluster_spec().as_dict()
    resolver.scale("worker", 3)
    larger = resolver.cluster_spec().as_dict()
    assert larger["worker"][:2] == first["worker"] and len(larger["worker"]) == 3
    tf.config.experimental_connect_to_cluster(resolver.cluster_spec())
    with tf.device("/job:worker/task:2"):
        assert (tf.constant(1.0) + 1.0).numpy() == 2.0
    resolver.scale("worker", 1)
    assert resolver.cluster_spec().as_dict() == {
        "ps": first["ps"],
        "worker": first["worker"][:1],
    }
    assert sum(client.run(count_tasks).values()) == 2


def test_the_loss_of_a_worker_of_dask(client, resolver):
    """Its tasks end with it, and are started on another."""
    pids = client.run(numbers)
    worker = next(name for name, found in pids.items() if ("worker", 1) in found)
    os.kill(client.run(os.getpid, workers=[worker])[worker], signal.SIGKILL)
    cluster_tasks.wait_until(lambda: not any(is_alive(pid) for pid in pids[worker].values()))
    cluster_tasks.wait_until(lambda: resolver.restarts >= len(pids[worker]))
    tf.config.experimental_connect_to_cluster(resolver.cluster_spec())
    for device in ("/job:worker/task:0", "/job:worker/task:1", "/job:ps/task:0"):
        with tf.device(device):
            assert (tf.constant(1.0) + 1.0).numpy() == 2.0


def test_device_filters():
    filters = tf.config.experimental.ClusterDeviceFilters()
    for index in range(2):
        filters.set_device_filters("worker", index, ["/job:ps"])
    filters.set_device_filters("ps", 0, ("/job:worker", "/job:ps"))
    jobs = filters._as_cluster_device_filters().jobs
    assert [job.name for job in jobs] == ["ps", "worker"]
    assert list(jobs[0].tasks[0].device_filters) == ["/job:worker", "/job:ps"]
    assert sorted(jobs[1].tasks) == [0, 1]
    with pytest.raises(AssertionError):
        filters.set_device_filters("worker", 0, [3])
    filters.set_device_filters("worker", "x", ["/job:ps"])
    with pytest.raises(TypeError):
        filters._as_cluster_device_filters()


def test_types_without_gradient_have_one_mark():
    for name in ("Size", "Rank", "Shape"):
        with pytest.raises(KeyError, match="Registering two gradient"):
            tf.no_gradient(name)
