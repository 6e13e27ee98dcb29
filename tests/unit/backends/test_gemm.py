"""Products of two matrices on the threads of BLAS or on ours: the same bits, whichever computes."""

import threading

import numpy as np
import pytest

from tests import harness
from twinflow._src.backends.cpu import blas, gemm, parallel
from twinflow._src.ops.linalg.matmul import _on_our_threads, multiplied

needs_threads = pytest.mark.skipif(blas.threads() < 2, reason="BLAS has no threads of its own")


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """An empty cache, a back-off that is due, and threads of ours that are not in use."""
    monkeypatch.setattr(gemm, "_shapes", {})
    monkeypatch.setattr(gemm, "idle_seconds", lambda: 1.0)
    monkeypatch.setattr(gemm, "spinning", gemm.Backoff(lambda: 0.0))


def matrix(rng, rows, columns, dtype, order):
    x = rng.normal(size=(rows, columns))
    return np.array(x + 1j * x[::-1] if np.dtype(dtype).kind == "c" else x, dtype, order=order)


def sizes(rng, count):
    """Yields sizes of products, every second one of multiples of 32."""
    while count:
        m, k, n = (int(2 ** rng.uniform(2, 10)) for _ in range(3))
        m, k, n = (-(-x // 32) * 32 if count % 2 else x for x in (m, k, n))
        if 1 << 18 < m * k * n < 1 << 26:
            count -= 1
            yield m, k, n


@needs_threads
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("orders", ["CC", "CF", "FC", "FF"])
def test_the_bits_do_not_depend_on_the_threads(dtype, orders, monkeypatch):
    monkeypatch.setattr(gemm, "_OCCURRENCES", 0)
    rng = np.random.default_rng(sum(map(ord, dtype + orders)))
    for m, k, n in sizes(rng, 8):
        a, b = (matrix(rng, *s, dtype, o) for s, o in zip(((m, k), (k, n)), orders))
        ours = _on_our_threads(a, b).tobytes()
        for _ in range(3):
            assert multiplied(np, a, b).tobytes() == ours
    assert set(map(type, gemm._shapes.values())) == {bool}


class Products:
    """Products on our threads that are counted, and may have other bits than the library's."""

    def __init__(self, error=0.0):
        self.error, self.count = error, 0

    def __call__(self, a, b):
        self.count += 1
        return np.matmul(a, b) * (1 + self.error)


EYE = np.eye(8)


@pytest.fixture
def two_threads(monkeypatch):
    monkeypatch.setattr(gemm.blas, "threads", lambda: 2)


@pytest.mark.usefixtures("two_threads")
def test_a_shape_is_compared_once_and_then_left_to_blas():
    ours = Products()
    for _ in range(gemm._OCCURRENCES):
        gemm.multiply(EYE, EYE, ours)
    assert ours.count == gemm._OCCURRENCES
    for _ in range(3):  # the first one compares
        assert np.array_equal(gemm.multiply(EYE, EYE, ours), EYE)
    assert ours.count == gemm._OCCURRENCES + 1


@pytest.mark.usefixtures("two_threads")
def test_our_threads_keep_a_shape_whose_bits_differ():
    ours = Products(error=1e-15)
    for _ in range(gemm._OCCURRENCES + 3):
        assert gemm.multiply(EYE, EYE, ours)[0, 0] == 1 + 1e-15
    assert ours.count == gemm._OCCURRENCES + 4  # the comparison is one more
    assert list(gemm._shapes.values()) == [False]


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize(
    "a, b",
    [(EYE.astype("f4"), EYE.astype("f4")), (np.asfortranarray(np.ones((8, 8))), EYE),
     (EYE, np.asfortranarray(np.ones((8, 8)))), (np.eye(9, 8), EYE), (EYE, np.eye(8, 9))],
)  # fmt: skip
def test_each_kind_of_product_is_compared(a, b, monkeypatch):
    monkeypatch.setattr(gemm, "_OCCURRENCES", 0)
    gemm.multiply(EYE, EYE, Products())
    ours = Products(error=1e-3)
    assert np.array_equal(gemm.multiply(a, b, ours), (a @ b) * (1 + 1e-3))
    assert list(gemm._shapes.values()) == [True, False]
    monkeypatch.setattr(gemm.blas, "threads", lambda: 3)
    gemm.multiply(EYE, EYE, Products())
    assert len(gemm._shapes) == 3


@pytest.mark.usefixtures("two_threads")
def test_other_matrices_stay_with_our_threads(monkeypatch):
    monkeypatch.setattr(gemm, "_OCCURRENCES", 0)
    x = np.ones((9, 9))
    for a, b in ((EYE, EYE.T), (x.T[1:], x[:, 1:]), (np.ones((16, 16))[::2, ::2], EYE)):
        ours = Products()
        gemm.multiply(a, b, ours)
        gemm.multiply(a, b, ours)
        assert (ours.count, gemm._shapes) == (2, {})


@pytest.mark.usefixtures("two_threads")
def test_nothing_is_compared_while_another_thread_limits_those_of_blas(monkeypatch):
    monkeypatch.setattr(gemm, "_OCCURRENCES", 0)
    monkeypatch.setattr(gemm.blas, "on_all_threads", lambda work: None)
    gemm.multiply(EYE, EYE, Products())
    assert list(gemm._shapes.values()) == [1]


@needs_threads
def test_products_on_all_threads_wait_for_no_limit():
    assert blas.on_all_threads(blas.threads) > 1
    with blas.alone():
        assert blas.on_all_threads(blas.threads) is None


@pytest.mark.usefixtures("two_threads")
def test_large_matrices_are_not_compared(monkeypatch):
    monkeypatch.setattr(gemm, "_ELEMENTS", 63)
    gemm.multiply(EYE, EYE, Products())
    assert gemm._shapes == {}


@pytest.mark.usefixtures("two_threads")
def test_the_number_of_shapes_is_bounded(monkeypatch):
    monkeypatch.setattr(gemm, "_CAPACITY", 5)
    for n in range(1, 20):
        gemm.multiply(np.ones((n, 2)), np.ones((2, 2)), Products())
        assert len(gemm._shapes) <= 5


@pytest.mark.usefixtures("two_threads")
def test_our_threads_multiply_where_they_are_in_use(monkeypatch):
    monkeypatch.setattr(gemm, "_OCCURRENCES", 0)
    monkeypatch.setattr(gemm, "idle_seconds", lambda: 0.01)
    ours = Products()
    gemm.multiply(EYE, EYE, ours)
    assert (ours.count, gemm._shapes) == (1, {})


def test_work_of_our_threads_is_noticed_and_products_on_them_are_not():
    parallel.shared(lambda i: None, range(4), 2)
    last = parallel._last_use
    parallel.shared(lambda i: None, range(4), 2, is_product=True)
    assert parallel._last_use == last
    parallel.shared(lambda i: None, range(4), 2)
    assert parallel._last_use > last


# ------------------------------------------------------------------ the back-off


class Clock:
    """A clock that moves when work takes time."""

    def __init__(self):
        self.now, self.step = 100.0, 0.0

    def __call__(self):
        self.now += self.step
        return self.now

    def work(self, seconds):
        def work():
            self.now += seconds

        return work


def pause_after(backoff, clock, seconds):
    """Returns how long no work is due after some that may take a second."""
    backoff.run(clock.work(seconds), 1)
    start = clock.now
    while not backoff.is_due():
        clock.now += 0.05
    return clock.now - start


def test_pauses_double_up_to_a_limit():
    clock = Clock()
    backoff = gemm.Backoff(clock)
    assert pause_after(backoff, clock, 0.9) == 0
    pauses = [pause_after(backoff, clock, 1.1) for _ in range(9)]
    assert np.allclose(pauses[:3], [0.2, 0.4, 0.8], atol=0.06)
    assert np.allclose(pauses[-2:], gemm._LONGEST, atol=0.06)


def test_pauses_are_short_again_after_as_long_without_trouble():
    clock = Clock()
    backoff = gemm.Backoff(clock)
    for _ in range(3):
        pause_after(backoff, clock, 2)
    backoff.run(clock.work(0.1), 1)  # the next pause would take 1.6 seconds
    assert pause_after(backoff, clock, 2) > 1.5
    clock.now += 4
    backoff.run(clock.work(0.1), 1)
    assert pause_after(backoff, clock, 2) < 0.3


@pytest.mark.usefixtures("two_threads")
def test_our_threads_take_over_while_those_of_blas_are_slow(monkeypatch):
    clock, ours = Clock(), Products()
    monkeypatch.setattr(gemm, "_OCCURRENCES", 0)
    monkeypatch.setattr(gemm, "spinning", gemm.Backoff(clock))
    gemm.multiply(EYE, EYE, ours)  # compares
    counts = []
    for step in (0.07, 0, 0, 0.3, 0):  # seconds between any two looks at the clock
        clock.step = step
        gemm.multiply(EYE, EYE, ours)
        counts.append(ours.count)
    assert counts == [1, 2, 3, 3, 4]


# ------------------------------------------------------------------ threads and processes


@needs_threads
def test_several_threads_multiply_at_once(monkeypatch):
    monkeypatch.setattr(gemm, "_OCCURRENCES", 2)
    rng = np.random.default_rng(5)
    pairs = [(rng.normal(size=(192, 256)), rng.normal(size=(256, 128))) for _ in range(4)]
    want = [_on_our_threads(a, b).tobytes() for a, b in pairs]
    wrong = []

    def repeat(i):
        wrong.extend(i for _ in range(20) if multiplied(np, *pairs[i]).tobytes() != want[i])

    threads = [threading.Thread(target=repeat, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@needs_threads
def test_a_forked_process_multiplies_with_threads_of_its_own():
    code = """
    import os
    import warnings
    from twinflow._src.backends.cpu import gemm
    warnings.simplefilter("ignore")
    gemm._OCCURRENCES = 0
    a = tf.constant(np.random.default_rng(0).normal(size=(256, 256)))
    product = tf.matmul(a, a).numpy()
    child = os.fork()
    same = np.array_equal(tf.matmul(a, a), product)
    if not child:
        os._exit(same)
    print(same, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert harness.in_new_python(code).split() == ["True", "1"]
