"""``tf.queue`` and ``tf.CriticalSection`` among threads, in functions and sessions; recorded answers are in ``golden``."""

import threading

import pytest

import twinflow as tf


def test_threads_wait_for_room_and_for_elements():
    queue, taken = tf.queue.FIFOQueue(2, tf.int32), []

    def produce():
        for i in range(20):
            queue.enqueue(i)
        queue.close()

    def consume():
        with pytest.raises(
            tf.errors.OutOfRangeError, match="is closed and has insufficient elements"
        ):
            while True:
                taken.append(int(queue.dequeue()))

    threads = [threading.Thread(target=each) for each in (produce, consume)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(timeout=60)
    assert taken == list(range(20))


def test_a_closed_queue_refuses_who_waits_for_room():
    queue, said = tf.queue.FIFOQueue(1, tf.int32), []
    queue.enqueue(1)

    def wait():
        try:
            queue.enqueue(2)
        except tf.errors.CancelledError as error:
            said.append(error.message)

    thread = threading.Thread(target=wait)
    thread.start()
    queue.close()
    thread.join(timeout=60)
    assert len(said) == 1 and "is closed" in said[0]


def test_elements_of_several_sizes_are_filled_up():
    queue = tf.queue.PaddingFIFOQueue(5, [tf.int32, tf.string], shapes=[[None], []])
    queue.enqueue(([1], "a"))
    queue.enqueue(([1, 2, 3], "b"))
    numbers, texts = queue.dequeue_many(2)
    assert numbers.numpy().tolist() == [[1, 0, 0], [1, 2, 3]]
    assert texts.numpy().tolist() == [b"a", b"b"]


def test_random_order_is_that_of_the_seed():
    def drawn():
        queue = tf.queue.RandomShuffleQueue(20, 0, tf.int32, shapes=[()], seed=3)
        queue.enqueue_many([list(range(20))])
        return queue.dequeue_many(20).numpy().tolist()

    first = drawn()
    assert first == drawn() and sorted(first) == list(range(20)) and first != list(range(20))


def test_sessions_run_queues():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        queue = tf.queue.PriorityQueue(5, tf.string, shapes=[()])
        fill = queue.enqueue_many((tf.constant([3, 1], tf.int64), ["c", "a"]))
        first = queue.dequeue()
        session.run(fill)
        assert session.run(first) == [1, b"a"]
        session.run(queue.close())
        assert session.run(queue.is_closed())


@pytest.mark.parametrize("of_run", [True, False])
def test_runs_wait_for_queues_no_longer_than_they_may(of_run):
    v1 = tf.compat.v1
    config = v1.ConfigProto(operation_timeout_in_ms=0 if of_run else 50)
    options = v1.RunOptions(timeout_in_ms=50) if of_run else None
    with tf.Graph().as_default(), v1.Session(config=config) as session:
        queue = tf.queue.FIFOQueue(1, tf.float32, shapes=[()])
        put, taken, many = queue.enqueue(1.0), queue.dequeue(), queue.dequeue_many(2)
        for waiting in (taken, many):
            with pytest.raises(tf.errors.DeadlineExceededError) as caught:
                session.run(waiting, options=options)
            assert (
                caught.value.message
                == "Graph execution error:\n\nTimed out waiting for notification"
            )
        session.run(put, options=options)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(put, options=options)
        assert session.run(taken, options=options) == 1.0


def test_one_thread_at_a_time_is_in_a_critical_section():
    section, v = tf.CriticalSection(), tf.Variable(0)

    def add():
        for _ in range(50):
            section.execute(lambda: v.assign(v.read_value() + 1))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(timeout=60)
    assert v.numpy() == 200


def test_names_of_pipelines():
    train = tf.compat.v1.train
    with tf.Graph().as_default() as graph:
        producer = train.string_input_producer(["a"])
        assert (producer.name, producer.dequeue().name) == (
            "input_producer",
            "input_producer_Dequeue:0",
        )
        assert train.input_producer([1, 2]).name == "input_producer_1/FIFOQueueV2"
        pair = train.batch([tf.constant(1), tf.constant(2)], 2, name="pair")
        assert [tensor.name for tensor in pair] == ["pair:0", "pair:1"]
        assert train.shuffle_batch([tf.constant(1)], 2, 10, 3).name == "shuffle_batch:0"
        queues = graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS)
        assert [queue.name for queue in queues[2:]] == [
            "pair/fifo_queue",
            "shuffle_batch/random_shuffle_queue",
        ]
        with tf.name_scope("scope"):
            queue = tf.queue.FIFOQueue(1, tf.int32, name="q")
            assert (queue.name, queue.size().name) == ("scope/q", "scope/q_Size:0")
