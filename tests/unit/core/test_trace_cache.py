"""The trace cache compiles at its threshold, evicts the oldest and remembers what cannot be compiled."""

import itertools
import threading

import pytest

import twinflow as tf
from twinflow._src.compat_v1.session import session as sessions
from twinflow._src.core.trace_cache import TraceCache


def test_a_value_is_compiled_once_from_the_threshold_on():
    cache, compiled = TraceCache(4, threshold=3), itertools.count()
    answers = [cache.get("key", lambda: f"program {next(compiled)}") for _ in range(5)]
    assert answers == [None, None, *["program 0"] * 3]
    assert cache.values() == ["program 0"] and cache.peek("key") == "program 0"


def test_the_oldest_is_evicted():
    cache = TraceCache(3)
    for key in range(5):
        cache.get(key, lambda key=key: f"program {key}")
    assert len(cache) == 3
    assert [cache.peek(key) for key in range(5)] == [
        None,
        None,
        "program 2",
        "program 3",
        "program 4",
    ]


def test_what_cannot_be_compiled_is_not_tried_again():
    cache, tries = TraceCache(3), []
    for _ in range(3):
        assert cache.get("key", lambda: tries.append(1)) is None
    assert tries == [1]


def test_keys_have_to_be_hashable():
    with pytest.raises(TypeError):
        TraceCache(3).get([], lambda: 1)


def test_threads_share_it():
    cache, wrong = TraceCache(2), []

    def work():
        for i in range(2000):
            if cache.get(i % 5, lambda i=i: ("program", i % 5)) != ("program", i % 5):
                wrong.append(i)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(cache) <= 2


def test_sessions_keep_a_bounded_number_of_programs(monkeypatch):
    monkeypatch.setattr(sessions, "_CAPACITY", 3)
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32)
        sums = [x + float(i) for i in range(6)]
        with tf.compat.v1.Session() as session:
            for _ in range(2):
                assert [session.run(y, {x: 1.0}) for y in sums] == [1.0 + i for i in range(6)]
            assert len(session._programs) == 3
