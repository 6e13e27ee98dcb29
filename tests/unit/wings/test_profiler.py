"""Profiles: sessions, annotations, the events in the files, and the graphs of functions with iterators."""

import sys
import threading

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.core.protos import message

profiler = tf.profiler.experimental


@pytest.fixture(autouse=True)
def untraced():
    """Sets the trace function of a measurement of coverage aside."""
    former = sys.gettrace()
    sys.settrace(None)
    yield
    sys.settrace(former)


def profile_of(folder):
    (path,) = folder.glob("plugins/profile/*/*.xplane.pb")
    space = message("XSpace").FromString(path.read_bytes())
    host, session = space.planes
    assert (host.name, session.name) == ("/host:CPU", "Task Environment")
    return host


def events_of(host):
    """Returns the events as (name, begin, end, metadata), for each thread."""
    kinds, keys = host.event_metadata, host.stat_metadata
    return [
        [
            (
                kinds[event.metadata_id].name,
                event.offset_ps,
                event.offset_ps + event.duration_ps,
                {keys[s.metadata_id].name: getattr(s, s.WhichOneof("value")) for s in event.stats},
            )
            for event in line.events
        ]
        for line in host.lines
    ]


def test_events(tmp_path):
    function = tf.function(lambda x: tf.matmul(x, x) + tf.sqrt(x))
    x = tf.ones([30, 30])
    function(x)
    profiler.start(str(tmp_path))
    with profiler.Trace("train", step_num=7, rate=0.5, mode="a") as trace:
        tf.add(x, 1.0)
        trace.set_metadata(_r=1)
        result = function(x)
    profiler.stop()
    (events,) = events_of(profile_of(tmp_path))
    names = [name for name, *_ in events]
    assert names[:2] == ["train", "EagerLocalExecute: AddV2"]
    assert names[2].startswith("EagerLocalExecute: __inference_")
    assert "MatMul:MatMul" in names[3:]
    _, begin, end, metadata = events[0]
    assert metadata == {"step_num": 7, "rate": 0.5, "mode": "a", "_r": 1}
    assert all(begin <= a <= b <= end for _, a, b, _ in events[1:])
    assert all(events[2][1] <= a <= b <= events[2][2] for _, a, b, _ in events[3:])
    np.testing.assert_array_equal(result, np.full([30, 30], 31, np.float32))


def test_after_a_session_nothing_is_recorded(tmp_path):
    with profiler.Profile(tmp_path):
        pass
    assert sys.gettrace() is None
    with profiler.Trace("later"):
        tf.ones(3) + 1
    assert [list(line) for line in events_of(profile_of(tmp_path))] == []


def test_instructions_of_loops_and_of_other_threads(tmp_path):
    @tf.function
    def loop(x):
        for _ in tf.range(3):
            x = tf.linalg.matmul(x, x) / 2.0
        return x

    loop(tf.eye(4))
    with profiler.Profile(str(tmp_path)):
        thread = threading.Thread(target=lambda: loop(tf.eye(4)), name="worker")
        thread.start()
        thread.join()
    host = profile_of(tmp_path)
    assert [line.name for line in host.lines] == ["worker"]
    (events,) = events_of(host)
    assert sum(name.endswith(":MatMul") for name, *_ in events) == 3


@pytest.mark.parametrize(
    ("options", "has_trace", "has_ops", "has_calls"),
    [((0, 0), False, False, False), ((1, 0), True, False, False), ((2, 1), True, True, True)],
)
def test_levels(tmp_path, options, has_trace, has_ops, has_calls):
    def doubled(x):
        return x * 2

    session = profiler.Profile(str(tmp_path), profiler.ProfilerOptions(*options))
    with session, profiler.Trace("a"):
        doubled(tf.ones(3))
    names = {name for events in events_of(profile_of(tmp_path)) for name, *_ in events}
    assert ("a" in names) is has_trace
    assert ("EagerLocalExecute: Mul" in names) is has_ops
    assert (
        any(n.startswith("$test_profiler.py:") and n.endswith("doubled") for n in names)
        is has_calls
    )


def test_one_session_at_a_time(tmp_path):
    with pytest.raises(tf.errors.UnavailableError, match="No profiler is running"):
        profiler.stop()
    profiler.start(str(tmp_path))
    with pytest.raises(tf.errors.AlreadyExistsError, match="Another profiler is running"):
        profiler.start(str(tmp_path))
    profiler.stop(save=False)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(KeyError), profiler.Profile(str(tmp_path)):
        raise KeyError
    profile_of(tmp_path)


def test_profiles_of_summaries(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    tf.summary.trace_on(graph=True, profiler=True, profiler_outdir=str(tmp_path))
    tf.function(lambda x: tf.exp(x))(tf.ones(3))
    with writer.as_default(step=1):
        tf.summary.trace_export("a")
    writer.close()
    (events,) = events_of(profile_of(tmp_path))
    assert any(name.endswith(":Exp") for name, *_ in events)


def test_graphs_of_functions_of_iterators():
    dataset = tf.data.Dataset.range(4).map(lambda x: (x, tf.cast([x], tf.float32)))

    @tf.function
    def following(iterator):
        optional = iterator.get_next_as_optional()
        if optional.has_value():
            return optional.get_value()
        return tf.constant(0, tf.int64), tf.constant([1.0])

    step = tf.function(lambda iterator: next(iterator))
    for function, name in ((step, "IteratorGetNext"), (following, "IteratorGetNextAsOptional")):
        graph = function.get_concrete_function(iter(dataset)).graph.as_graph_def()
        (node,) = (n for n in graph.node if n.op == name)
        assert list(node.attr["output_types"].list.type) == [9, 1]
        sizes = [[d.size for d in s.dim] for s in node.attr["output_shapes"].list.shape]
        assert sizes == [[], [1]]
