"""Collectives among processes: sums, lost ranks, mismatches and time limits."""

import json
import re
import time

import pytest

from tests.unit.wings import cluster_tasks
from tests.unit.wings.cluster_tasks import outputs, workers

pytest.importorskip("zmq", reason="clusters need the package pyzmq")


@pytest.fixture(scope="module", autouse=True)
def keys(tmp_path_factory):
    directory = str(tmp_path_factory.mktemp("keys"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TWINFLOW_CLUSTER_KEYS", directory)
        patch.setitem(cluster_tasks.OUTSIDE, "TWINFLOW_CLUSTER_KEYS", directory)
        yield


# Ranks of hosts of a certain size; within one, memory is shared.
HOSTS = """
import sys
from twinflow._src.wings.distribute import group_links
real, size = group_links.machine(), int(sys.argv[1])
group_links.machine = lambda: f"{real} {rank // size}" if size else ""
"""

SUMS = """
group, n = strategy.extended._group, int(sys.argv[2])
SHAPES = [(3,)], [(2, 2), ()], [(0,)], [(100, 1000)], [(3,), (70001,), (), (0,), (33, 5)]
def value(rank, shape, dtype):
    size = int(np.prod(shape))
    return ((np.arange(size).reshape(shape) * 7 + rank * 5) % 23 / (4 if dtype.kind in "fc" else 1)).astype(dtype)
for name in ("float32", "float64", "int8", "uint16", "int32", "int64", "float16", "bfloat16", "complex64"):
    dtype = tf.as_dtype(name)
    np_type = np.dtype(dtype.as_numpy_dtype)
    for shapes in SHAPES:
        arrays = [[value(r, shape, np.dtype("float32") if np_type.kind == "V" else np_type).astype(np_type) for shape in shapes]
                  for r in range(n)]
        wide = {"float16": "float32", "bfloat16": "float32"}.get(name, name)
        for mean in (0, n) if dtype.is_floating else (0,):
            found = group.all_reduce(arrays[rank], mean)
            for i, result in enumerate(found):
                total = arrays[0][i].astype(wide)
                for r in range(1, n):
                    total = total + arrays[r][i].astype(wide)
                expected = total.astype(np_type)
                if mean:
                    expected = (expected / np.asarray(mean, np_type)).astype(np_type)
                assert result.dtype == np_type and result.shape == expected.shape
                assert not result.flags.writeable
                assert result.tobytes() == expected.tobytes(), (name, shapes, mean)
for size in (3, 30000):
    for r, part in enumerate(group.all_gather(np.full((rank + 1, size), rank, np.int64))):
        assert part.shape == (r + 1, size) and (part == r).all()
for r, part in enumerate(group.all_gather(np.full(50000 if rank == 1 else 2, rank, np.int8))):
    assert part.shape == (50000 if r == 1 else 2,) and (part == r).all()
words = group.all_gather(np.array([b"a" * rank, b"xyz"], object))
assert [w.tolist() for w in words] == [[b"a" * r, b"xyz"] for r in range(n)]
for size in (5, 200000):
    assert (group.broadcast(np.full(size, rank + 7.0)) == 7.0).all()
kept = [group.all_reduce([np.full(50000, float(i), np.float32)])[0] for i in range(5)]
assert [float(x[-1]) for x in kept] == [float(i * n) for i in range(5)]
del kept
for _ in range(5):
    group.all_reduce([np.ones(50000, np.float32)])
if group._arena is not None:
    group.barrier()
    assert sum(f.size for f in group._arena._files.values()) == 64 << 20  # blocks are used again
def fails(call):
    try:
        return call()
    except tf.errors.InvalidArgumentError as error:
        return "Mismatch" in str(error)
for size in (3, 30000):
    assert fails(lambda: group.all_reduce([np.ones(size + (rank == 0), np.float32)]))
    assert fails(lambda: group.all_reduce([np.ones(size, np.float32 if rank else np.float64)]))
    assert fails(lambda: group.all_reduce([np.ones(size)]) if rank else group.barrier())
    assert fails(lambda: group.broadcast(np.ones((size, 1 + rank))))
assert group.all_reduce([np.ones(3, np.float32)])[0].tolist() == [n] * 3
print("same", group._hosts)
"""


@pytest.mark.parametrize(
    ("count", "size", "hosts"),
    [(2, 2, "[[0, 1]]"), (2, 0, "[[0], [1]]"), (4, 2, "[[0, 1], [2, 3]]")],
)
def test_sums_are_those_of_one_process(count, size, hosts):
    with workers(SUMS, count, str(size), str(count), setup=HOSTS) as processes:
        assert outputs(processes) == [f"same {hosts}"] * count


LOST = """
group = strategy.extended._group
group.all_reduce([np.ones(50000)])
print("ready")
try:
    for _ in range(100000):
        group.all_reduce([np.ones(3)])
        if len(sys.argv) > 2:
            group.all_reduce([np.ones(300000)])
except tf.errors.UnavailableError as error:
    print(time.time(), str(error).partition("\\n")[0])
try:
    strategy.reduce("SUM", 1.0, axis=None)
except tf.errors.UnavailableError as error:
    print("still")
"""


@pytest.mark.parametrize(
    ("count", "size", "victim", "large"), [(2, 2, 0, ""), (2, 2, 1, "large"), (3, 1, 1, "large")]
)
def test_the_loss_of_a_rank_ends_the_others(count, size, victim, large):
    with workers(LOST, count, str(size), *[large] * bool(large), setup=HOSTS) as processes:
        assert [p.stdout.readline() for p in processes] == ["ready\n"] * count
        killed = time.time()
        processes[victim].kill()
        rest = [p for i, p in enumerate(processes) if i != victim]
        for out in outputs(rest, 30):
            when, said, still = re.fullmatch(r"([\d.]+) (.*)\n(.*)", out).groups()
            assert f"worker {victim} at localhost:" in said and "has ended" in said
            assert float(when) - killed < 5 and still == "still"


def test_a_time_limit():
    program = """
strategy.extended._group.timeout = 0.5
if rank:
    time.sleep(60)
try:
    strategy.reduce("SUM", 1.0, axis=None)
except tf.errors.OpError as error:
    print(type(error).__name__, error.message)
"""
    with workers(program, 2) as processes:
        assert processes[0].stdout.readline() == (
            "DeadlineExceededError Collective ops timed out, waiting for the workers [1].\n"
        )


def test_a_program_that_ends_first():
    program = """
total = strategy.reduce("SUM", 1.0, axis=None)
if rank == 0:
    sys.exit()
time.sleep(0.3)
print(float(total))
try:
    strategy.reduce("SUM", 1.0, axis=None)
except tf.errors.UnavailableError as error:
    print("worker 0" in str(error))
"""
    with workers(program, 2) as processes:
        assert outputs(processes, 30) == ["", "2.0\nTrue"]


def test_a_group_is_formed_anew_after_a_loss():
    program = """
while True:
    try:
        while True:
            print("ready", float(strategy.reduce("SUM", 1.0 + rank, axis=None)))
    except tf.errors.UnavailableError:
        print("lost")
        strategy = tf.distribute.MultiWorkerMirroredStrategy()
"""
    addresses = [f"localhost:{port}" for port in cluster_tasks.free_ports(2)]
    configs = [
        json.dumps({"cluster": {"worker": addresses}, "task": {"type": "worker", "index": rank}})
        for rank in range(2)
    ]
    processes = [cluster_tasks.start_worker(program, rank, configs[rank]) for rank in range(2)]
    try:
        for victim in (1, 0):
            assert [p.stdout.readline() for p in processes] == ["ready 3.0\n"] * 2
            cluster_tasks.end(processes[victim])
            lines = iter(processes[1 - victim].stdout.readline, "lost\n")
            assert all(line == "ready 3.0\n" for line in lines)
            processes[victim] = cluster_tasks.start_worker(program, victim, configs[victim])
    finally:
        for process in processes:
            cluster_tasks.end(process)
