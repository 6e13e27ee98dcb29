"""Damage and disaster: what is read is right or refused, and what was saved is not lost."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from twinflow._src.checkpoint import entries, sstable
from twinflow._src.checkpoint.entries import Part
from twinflow._src.checkpoint.functions import get_checkpoint_state, write_state
from twinflow._src.checkpoint.reader import Reader, merge
from twinflow._src.checkpoint.writer import Item, write
from twinflow._src.core import dtypes, errors
from twinflow._src.core.protos import message
from twinflow._src.io import atomic_write

REFUSALS = (errors.DataLossError, errors.InvalidArgumentError, errors.NotFoundError)


def item(key, array, **more):
    array = np.asarray(array)
    dtype = dtypes.string if array.dtype == object else dtypes.as_dtype(array.dtype)
    return Item(key, lambda: array, dtype, array.shape, **more)


ARRAYS = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "b/long/name": np.array([b"one", b"", b"\xff" * 40], object),
    "b/longer/name": np.array(7, np.int64),
    "c": np.zeros((0, 3), np.int8),
}
PART = np.arange(8, dtype=np.int16)


def saved(prefix):
    """A small checkpoint with something of each kind."""
    parts = [item("p", PART[a : a + 4], part=Part((8,), (a,), (4,))) for a in (0, 4)]
    write(prefix, [*(item(key, array) for key, array in ARRAYS.items()), *parts], durable=False)
    return prefix


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.ravel().tolist() == b.ravel().tolist()


def outcome(prefix):
    """The tensors of a damaged checkpoint that can be read; they are right."""
    found = set()
    try:
        reader = Reader(prefix)
        keys = reader.keys()
    except REFUSALS:
        return found
    for key in keys:
        try:
            array = reader.read(key)
        except REFUSALS:
            continue
        expected = {**ARRAYS, "p": PART}.get(key)
        assert expected is not None and same(array, expected), key
        found.add(key)
    return found


# ------------------------------------------------------------------ damage


@pytest.mark.parametrize("end", [".index", ".data-00000-of-00001"])
def test_every_length(end, tmp_path):
    path = tmp_path / f"c{end}"
    saved(tmp_path / "c")
    data = path.read_bytes()
    for length in range(len(data)):
        path.write_bytes(data[:length])
        found = outcome(tmp_path / "c")
        assert len(found) < 5 and (end != ".index" or not found)
    path.write_bytes(data)
    assert len(outcome(tmp_path / "c")) == 5


def test_bytes_at_a_thousand_places(tmp_path):
    saved(tmp_path / "c")
    choose = random.Random(5)
    contents = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for _ in range(1000):
        path = choose.choice(sorted(contents))
        data = bytearray(contents[path])
        place = choose.randrange(len(data))
        data[place] ^= choose.randrange(1, 256)
        path.write_bytes(data)
        found = outcome(tmp_path / "c")
        in_footer = path.suffix == ".index" and place >= len(data) - 48
        assert len(found) < 5 or in_footer  # of the footer, some bytes mean nothing
        path.write_bytes(contents[path])


def test_longer_files_are_read_as_they_were(tmp_path):
    saved(tmp_path / "c")
    with (tmp_path / "c.data-00000-of-00001").open("ab") as file:
        file.write(b"more")
    assert len(outcome(tmp_path / "c")) == 5


def test_nothing_is_given_before_all_is_verified(tmp_path):
    saved(tmp_path / "c")
    path = tmp_path / "c.data-00000-of-00001"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    reader = Reader(tmp_path / "c")
    assert same(reader.read("a"), ARRAYS["a"])
    with pytest.raises(
        errors.DataLossError,
        match=r"Checksum does not match: stored \d+ vs\. .*key p in .*data-00000",
    ):
        reader.read_all(reader.keys())


def test_a_missing_file(tmp_path):
    saved(tmp_path / "c")
    (tmp_path / "c.data-00000-of-00001").unlink()
    with pytest.raises(
        errors.NotFoundError, match=r"c\.data-00000-of-00001; No such file or directory"
    ):
        Reader(tmp_path / "c").read("a")
    write(tmp_path / "d", [item("a", 1), item("b", 2, shard=1)], shards=2)
    (tmp_path / "d.data-00001-of-00002").unlink()
    reader = Reader(tmp_path / "d")
    assert reader.read("a") == 1
    with pytest.raises(errors.NotFoundError, match=r"d\.data-00001-of-00002"):
        reader.read("b")


# ------------------------------------------------------------------ entries that lie


def forged(prefix, **changes):
    """A checkpoint of one tensor with a changed entry."""
    write(prefix, [item("a", np.arange(100, dtype=np.float32))], durable=False)
    index = prefix.with_name(prefix.name + ".index")
    with index.open("rb") as file:
        table = dict(sstable.Table(file).items())
    raw = changes.pop("raw", None)
    header = changes.pop("header", {})
    entry = message("BundleEntryProto").FromString(table[b"a"])
    entry.MergeFrom(message("BundleEntryProto")(**changes))
    table[b"a"] = raw if raw is not None else entry.SerializeToString()
    head = message("BundleHeaderProto").FromString(table[b""])
    for name, value in header.items():
        setattr(head if hasattr(head, name) else head.version, name, value)
    table[b""] = head.SerializeToString()
    index.write_bytes(sstable.write_table(sorted(table.items())))
    return prefix


def shape(*sizes):
    return {"dim": [{"size": size} for size in sizes]}


@pytest.mark.parametrize(
    "changes, error, said",
    [
        (
            {"raw": b"\xff\xff"},
            errors.DataLossError,
            r"Entry for key a in .*c\.index not parseable",
        ),
        ({"shape": shape(-5)}, errors.DataLossError, "Invalid tensor shape: key a"),
        (
            {"shape": shape(2**40)},
            errors.DataLossError,
            "Invalid size in bundle entry: key a; stored size 400; expected",
        ),
        ({"shape": shape(2**40, 2**40)}, errors.DataLossError, "too many elements"),
        ({"shape": shape(*[1] * 300)}, errors.DataLossError, "Invalid tensor shape"),
        ({"shape": {"unknown_rank": True}}, errors.DataLossError, "Invalid tensor shape"),
        (
            {"shape": shape(2**40), "size": 2**42},
            errors.DataLossError,
            "Invalid size|Read less bytes",
        ),
        ({"dtype": 77}, errors.DataLossError, "77 is the number of no type"),
        ({"dtype": 101}, errors.DataLossError, "101 is the number of no type"),
        ({"dtype": 20}, errors.DataLossError, "type resource"),
        ({"dtype": 7}, errors.DataLossError, "length"),
        ({"dtype": 7, "shape": shape(2**50)}, errors.DataLossError, "expected size is at least"),
        ({"raw": b""}, errors.DataLossError, "0 is the number of no type"),
        ({"shard_id": 7}, errors.DataLossError, "shard 7 of 1"),
        ({"shard_id": -3}, errors.DataLossError, "shard -3 of 1"),
        ({"offset": -8}, ValueError, "Seeking to a negative position: -8"),
        ({"offset": -8}, errors.InvalidArgumentError, "Seeking to a negative position: -8"),
        (
            {"offset": 8},
            errors.DataLossError,
            r"Read less bytes than requested: .*c\.data-00000-of-00001 ends within key a",
        ),
        ({"offset": 2**62}, IndexError, "Read less bytes than requested"),
        ({"offset": 2**62}, errors.OutOfRangeError, "Read less bytes than requested"),
        ({"size": -4}, errors.DataLossError, "Invalid size"),
        (
            {"slices": [{"extent": [{"start": 50, "length": 60}]}]},
            errors.DataLossError,
            "Extent in dimension 0 out of bounds",
        ),
        (
            {"slices": [{"extent": [{"start": -1, "length": 1}]}]},
            errors.DataLossError,
            "Extent in dimension 0 out of bounds",
        ),
        (
            {"slices": [{"extent": [{"length": -2}]}]},
            errors.DataLossError,
            "Extent in dimension 0 out of bounds",
        ),
        ({"slices": [{"extent": []}]}, errors.DataLossError, "0 dimensions of a tensor of 1"),
        (
            {"slices": [{"extent": [{"length": 60}]}]},
            ValueError,
            "Does not have sufficient slices for partitioned tensor a",
        ),
        ({"slices": [{"extent": [{}]}, {"extent": [{}]}]}, errors.DataLossError, "Overlapping"),
        (
            {"slices": [{"extent": [{"length": 50}]}, {"extent": [{"start": 50, "length": 50}]}]},
            errors.NotFoundError,
            "has no slice",
        ),
        ({"header": {"num_shards": 0}}, errors.DataLossError, "0 files with data"),
        ({"header": {"num_shards": -1}}, errors.DataLossError, "-1 files with data"),
        (
            {"header": {"min_consumer": 99}},
            ValueError,
            "Checkpoint min consumer version 99 above current version 1",
        ),
    ],
)
def test_refuses(changes, error, said, tmp_path):
    prefix = forged(tmp_path / "c", **changes)
    with pytest.raises(error, match=said):
        reader = Reader(prefix)
        reader.read("a")
    with pytest.raises(error):
        Reader(prefix).read_all(["a"])


def test_one_part_that_is_all(tmp_path):
    prefix = forged(tmp_path / "c", slices=[{"extent": [{}]}])
    assert Reader(prefix).read("a").tolist() == list(range(100))


def test_entries_that_share_data_do_not_fill_the_memory(tmp_path):
    write(tmp_path / "c", [item(f"x{i}", np.zeros(1000)) for i in range(50)], durable=False)
    index = tmp_path / "c.index"
    with index.open("rb") as file:
        table = dict(sstable.Table(file).items())
    first = table[b"x0"]
    index.write_bytes(
        sstable.write_table(
            sorted({key: first if key else value for key, value in table.items()}.items())
        )
    )
    (tmp_path / "c.data-00000-of-00001").write_bytes(b"\0" * 8000)
    with pytest.raises(errors.DataLossError, match="share data"):
        Reader(tmp_path / "c").read_all(f"x{i}" for i in range(50))


def test_a_large_claim_takes_little_memory(tmp_path):
    """In a process whose memory is limited, files that claim tensors of terabytes are refused."""
    pytest.importorskip("resource")
    prefix = forged(tmp_path / "c", shape=shape(2**38), size=2**40)
    code = f"""
        import resource, sys
        from twinflow._src.checkpoint.reader import Reader
        from twinflow import errors
        resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
        try:
            Reader({str(prefix)!r}).read("a")
        except errors.DataLossError as error:
            print("refused")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True
    )
    assert (done.stdout.strip(), done.returncode) == ("refused", 0), done.stderr


def test_other_files_are_no_checkpoints(tmp_path):
    for name, data in {
        "t.index": b"text " * 30,
        "e.index": b"",
        "v": b"text " * 30,
        "w": b"",
    }.items():
        (tmp_path / name).write_bytes(data)
    for name, said in {
        "t": "not an sstable .bad magic number.",
        "e": "file is too short to be an sstable",
        "v": "Unable to open table file .*not an sstable",
        "w": "Unable to open table file .*too short",
    }.items():
        with pytest.raises(errors.DataLossError, match=said):
            Reader(tmp_path / name)
    (tmp_path / "h.index").write_bytes(sstable.write_table([(b"a", b"")]))
    with pytest.raises(errors.DataLossError, match="there is no header"):
        Reader(tmp_path / "h")


def test_the_first_format_is_read_with_the_same_care(tmp_path):
    from tests.golden import exchange

    data = (exchange.FOLDER / "raw_v1" / "ckpt").read_bytes()
    expected = {saved.key: saved.array for saved in exchange.FIRST_FORMAT} | {
        "p": exchange.PARTITIONED
    }
    choose = random.Random(6)
    path = tmp_path / "c"
    for trial in range(150):
        changed = bytearray(data)
        if trial % 2:
            changed[choose.randrange(len(data) - 48)] ^= choose.randrange(1, 256)
        else:
            del changed[choose.randrange(len(data)) :]
        path.write_bytes(changed)
        with pytest.raises(REFUSALS):
            reader = Reader(path)
            found = reader.read_all(reader.keys())
            assert all(exchange.same(found[key], expected[key]) for key in found)


# ------------------------------------------------------------------ a full disk


@pytest.mark.parametrize("room", [0, 10, 400, 4000, 20_000])
@pytest.mark.parametrize("before", [False, True])
def test_a_full_disk(room, before, tmp_path, monkeypatch):
    old, new = np.zeros(5000, np.float32), np.ones(6000, np.float32)
    if before:
        write(tmp_path / "c", [item("x", old)])
    there = sorted(path.name for path in tmp_path.iterdir())
    left = room

    def full(descriptor, data):
        nonlocal left
        count = real(descriptor, memoryview(data)[:left]) if left else 0
        left -= count
        if not count:
            raise OSError(28, "No space left on device")
        return count

    real = os.write
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(errors.ResourceExhaustedError, match="No space left on device"):
        write(tmp_path / "c", [item("x", new)])
    assert sorted(path.name for path in tmp_path.iterdir()) == there
    monkeypatch.undo()
    if before:
        assert same(Reader(tmp_path / "c").read("x"), old)


def test_a_limit_of_the_size_of_files(tmp_path):
    """A real failure of the system call, in a thread that writes behind the scenes too."""
    pytest.importorskip("resource")
    code = f"""
        import resource, signal
        import numpy as np
        from twinflow import dtypes, errors
        from twinflow._src.checkpoint.writer import Item, write
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20 << 20, 20 << 20))
        for size in (6 << 20, 20 << 20):
            array = np.zeros(size, np.float32)
            try:
                write({str(tmp_path / "c")!r}, [Item("x", lambda: array, dtypes.float32, array.shape)])
            except errors.OpError as error:
                print(type(error).__name__)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True
    )
    assert (done.stdout.split(), done.returncode) == (["OutOfRangeError"] * 2, 0), done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_each_call_that_may_fail(call, tmp_path, monkeypatch):
    """The disk fails at each place once; then the old checkpoint is whole, or the new one."""
    write(tmp_path / "c", [item("x", 1), item("y", 1, shard=1)], shards=2)
    real, count = getattr(os, call), 0
    for failing in range(1, 12):
        count = 0

        def broken(*arguments, failing=failing):
            nonlocal count
            count += 1
            if count == failing:
                raise OSError(5, "Input/output error")
            return real(*arguments)

        monkeypatch.setattr(os, call, broken)
        value = failing + 1
        with contextlib.suppress(errors.UnknownError):
            write(tmp_path / "c", [item("x", value), item("y", value, shard=1)], shards=2)
        monkeypatch.undo()
        found = Reader(tmp_path / "c").read_all(["x", "y"])
        assert found["x"] == found["y"]
        assert not list(tmp_path.glob("*.tmp"))
        if count < failing:
            break
    assert count < failing  # the last save did not fail, and has cleared what the others left
    assert len(list(tmp_path.glob("c.data-*"))) == Reader(tmp_path / "c")._source.count


def test_a_file_system_that_synchronises_no_folders(tmp_path, monkeypatch):
    import stat

    real = os.fsync

    def files_only(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(22, "Invalid argument")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", files_only)
    write(tmp_path / "new" / "c", [item("x", 1)])
    assert Reader(tmp_path / "new" / "c").read("x") == 1


# ------------------------------------------------------------------ the end of a process


def _saves(folder, value, told):
    """Saves again and again, and tells through a pipe of each save that is done."""
    try:
        while True:
            whole = np.full(20_000, value, np.int32)
            write(
                folder / "c",
                [item(key, whole, shard=i % 2) for i, key in enumerate("abc")],
                shards=2,
            )
            write_state(folder, "c", all_model_checkpoint_timestamps=[float(value)])
            os.write(told, b"%d\n" % value)
            value += 1
    finally:
        os._exit(1)


def _killed(folder, start, delay):
    """Ends a process that saves again and again after a while; gives the last save it told of."""
    hear, tell = os.pipe()
    pid = os.fork()
    if not pid:
        _saves(folder, start, tell)
    os.close(tell)
    with os.fdopen(hear) as file:
        told = [file.readline()]
        time.sleep(delay)
        os.kill(pid, signal.SIGKILL)
        told += file.read().splitlines()
    os.waitpid(pid, 0)
    return int(told[-1])


def _value(folder):
    """The one value that all of a checkpoint holds."""
    found = Reader(folder / "c").read_all("abc")
    (value,) = {int(v) for array in found.values() for v in (array.min(), array.max())}
    return value


forking = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no os.fork here"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]


def marked(test):
    for mark in forking:
        test = mark(test)
    return test


class _Interrupt(BaseException):
    """The exception of a simulated Ctrl-C, distinct from a real one."""


def _interrupted(action, moment):
    """True if an action was interrupted when it had come to so many lines of those modules that know what a save is."""
    count = 0

    def line(frame, event, argument):
        nonlocal count
        count += event == "line"
        if event == "line" and count == moment:
            raise _Interrupt
        return line

    before = sys.gettrace()
    sys.settrace(
        lambda frame, *_: (
            line if frame.f_code.co_filename.endswith(("writer.py", "merging.py")) else None
        )
    )
    try:
        action()
    except _Interrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.parametrize("before", [1, 2])
def test_interrupted_at_each_line(before, tmp_path):
    moment, prefix = 1, tmp_path / "c"
    while True:
        for _ in range(before):  # the names of the data take turns
            write(prefix, [item("a", 1)], durable=False)
        ended = not _interrupted(lambda: write(prefix, [item("a", 2)], durable=False), moment)
        assert Reader(prefix).read("a") == 2 if ended else Reader(prefix).read("a") in (1, 2)
        for path in tmp_path.iterdir():
            path.unlink()
        if ended:
            break
        moment += 1
    assert moment > 50


def test_a_merge_that_is_interrupted_loses_nothing(tmp_path):
    parts, moment = [str(tmp_path / f"{name}/x") for name in "ab"], 1
    while True:
        for part in parts:
            write(part, [item(part[-3], 1)], durable=False)
        ended = not _interrupted(lambda: merge(parts, str(tmp_path / "m"), durable=False), moment)
        merged = (tmp_path / "m.index").exists()
        for part in parts:
            assert Reader(str(tmp_path / "m") if merged else part).read(part[-3]) == 1
        for path in tmp_path.rglob("*.*"):
            path.unlink()
        if ended:
            break
        moment += 1
    assert merged and moment > 50


@marked
def test_killed_at_two_hundred_moments(tmp_path):
    choose, value = random.Random(7), 0
    for _ in range(200):
        told = _killed(tmp_path, value, choose.uniform(0, 0.02))
        value = _value(tmp_path)
        assert value in (told, told + 1)
        assert get_checkpoint_state(tmp_path).all_model_checkpoint_timestamps[0] in (told, told + 1)
    write(tmp_path / "c", [item("a", 1)])
    write_state(tmp_path, "c")
    assert {path.name for path in tmp_path.iterdir()} == {
        "checkpoint",
        "c.index",
        "c.data-00000-of-00001",
    }


def _forked(folder, value, moment):
    """Saves in a child that ends itself, without notice, before one of its calls of the system."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    count = 0

    def counted(real):
        def call(*arguments, **more):
            nonlocal count
            count += 1
            if count == moment:
                if real is os.write:  # a write that gets half of its way
                    real(arguments[0], memoryview(arguments[1])[: len(arguments[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **more)

        return call

    for name in ("open", "write", "fsync", "replace", "unlink", "close", "listdir"):
        setattr(os, name, counted(getattr(os, name)))
    try:
        write(
            folder / "c",
            [item("x", np.full(300, value)), item("y", np.full(9, value), shard=1)],
            shards=2,
        )
        write_state(folder, "c", all_model_checkpoint_timestamps=[float(value)])
        os._exit(0)
    finally:
        os._exit(1)


@marked
def test_killed_before_each_call_of_the_system(tmp_path):
    """Both ways of replacing a checkpoint, a kill before each call: the checkpoint is the old or the new one."""
    value, kills = 1, 0
    write(tmp_path / "c", [item("x", np.full(300, 1)), item("y", np.full(9, 1), shard=1)], shards=2)
    write_state(tmp_path, "c", all_model_checkpoint_timestamps=[1.0])
    for _ in range(4):
        for moment in range(1, 200):
            status = _forked(tmp_path, value + 1, moment)
            found = Reader(tmp_path / "c").read_all(["x", "y"])
            (now,) = {int(v) for array in found.values() for v in array}
            assert now in (value, value + 1)
            assert get_checkpoint_state(tmp_path).all_model_checkpoint_timestamps[0] <= now
            value = now
            if status == 0:
                break
            assert status == -signal.SIGKILL
            kills += 1
    assert kills >= 100
    assert now == value == get_checkpoint_state(tmp_path).all_model_checkpoint_timestamps[0]
    count = Reader(tmp_path / "c")._source.count
    assert {path.name for path in tmp_path.iterdir()} == {
        *("checkpoint", "c.index", *(f"c.data-{i:05d}-of-{count:05d}" for i in range(count)))
    }


# ------------------------------------------------------------------ what others have left


def test_files_of_live_processes_stay(tmp_path):
    mine = atomic_write.temporary_name(str(tmp_path / "c.data-00000-of-00001"))
    gone = re.sub(r"-\d+-\d+-(\d+)\.tmp", r"-999999999-5-\1.tmp", mine)
    elsewhere = re.sub(r"\.tf-\w{8}", ".tf-00000000", gone)
    for name in (mine, gone, elsewhere):
        open(name, "w").close()
    write(tmp_path / "d", [item("x", 1)])
    there = {str(path) for path in tmp_path.iterdir()}
    assert mine in there and elsewhere in there and gone not in there


def test_no_two_names_are_alike():
    assert len({atomic_write.temporary_name("x") for _ in range(100)}) == 100


def test_saves_of_several_threads_do_not_mix(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    def save(value):
        write(tmp_path / "c", [item(key, np.full(1000, value)) for key in "abc"], durable=False)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(save, range(60)))
    found = Reader(tmp_path / "c").read_all("abc")
    assert len({int(v) for array in found.values() for v in array}) == 1
    assert not list(tmp_path.glob("*.tmp"))


def test_a_reader_sees_one_checkpoint_while_others_replace_it(tmp_path):
    import threading

    stop = threading.Event()

    def save(value):
        write(tmp_path / "c", [item(key, np.full(50, value)) for key in "abc"], durable=False)

    def replace():
        value = 0
        while not stop.is_set():
            save(value := value + 1)

    save(0)
    thread = threading.Thread(target=replace)
    thread.start()
    try:
        for _ in range(300):
            found = Reader(tmp_path / "c").read_all("abc")
            assert len({int(v) for array in found.values() for v in array}) == 1
    finally:
        stop.set()
        thread.join()


def test_values_that_change_while_they_are_saved(tmp_path):
    """The checksum is of what is written, so the file is good whatever a thread does meanwhile."""
    import threading

    array, stop = np.zeros(3_000_000, np.int64), threading.Event()

    def change():
        while not stop.is_set():
            array[...] += 1

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(5):
            write(tmp_path / "c", [item("x", array)], durable=False)
            assert Reader(tmp_path / "c").read("x").shape == array.shape
    finally:
        stop.set()
        thread.join()


# ------------------------------------------------------------------ the state file


@pytest.mark.parametrize("path", ["../m", "a/../../m", ".."])
def test_paths_out_of_the_directory_are_refused(path, tmp_path):
    (tmp_path / "d").mkdir()
    write(tmp_path / "m", [item("x", 1)])
    (tmp_path / "d" / "checkpoint").write_text(f'model_checkpoint_path: "{path}"\n', "utf-8")
    with pytest.raises(ValueError, match="outside of the directory"):
        get_checkpoint_state(tmp_path / "d")
    with pytest.raises(errors.InvalidArgumentError, match="outside of the directory"):
        get_checkpoint_state(tmp_path / "d")


def test_absolute_paths_are_what_they_say(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "checkpoint").write_text(f'model_checkpoint_path: "{tmp_path}/m"\n', "utf-8")
    assert get_checkpoint_state(tmp_path / "d").model_checkpoint_path == f"{tmp_path}/m"


def test_entries_know_all_types():
    assert all(
        entries.dtype_of(dtype.as_datatype_enum, "") is dtype for dtype in dtypes.ALL.values()
    )
