"""The host's memory is kept for the next arrays, within bounds. Each test is a process of its own."""

import os
import subprocess
import sys
import textwrap

import pytest

from twinflow._src.backends.cpu import malloc

pytestmark = pytest.mark.skipif(
    "used" not in malloc.info(), reason="the C library does not tell how its memory is used"
)

MEGABYTE = 1 << 20


def run(code: str, **environment: str) -> list[int]:
    """The numbers that a program prints."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True, text=True, env=os.environ | environment, check=True,
    )  # fmt: skip
    return [int(number) for number in done.stdout.split()]


FAULTS = """
    import resource
    import twinflow as tf

    a = tf.ones([10_000_000])
    for _ in range(3):
        b = tf.exp(a) + a
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        b = tf.exp(a) + a
    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def test_pages_of_large_results_are_used_again():
    kept, given_back = run(FAULTS)[0], run(FAULTS, TWINFLOW_KEEP_MEMORY="0")[0]
    assert kept * 5 < given_back


def test_pages_are_given_at_once():
    done, few, faults = run(
        """
        import resource
        import numpy as np
        from twinflow._src.backends.cpu import malloc as memory

        array = np.empty(3 << 20, np.uint8)  # of pages of the usual size
        print(int(memory.populate(array)), int(memory.populate(array[:100])))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        array[:] = 1
        print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
        """
    )
    assert not few and (faults < 100 or not done)


def test_no_more_is_kept_than_the_limit():
    kept, released = run(
        """
        import numpy as np
        import twinflow as tf
        from twinflow._src.backends.cpu import malloc as memory

        values = [tf.ones([5_000_000]) for _ in range(20)]
        del values
        print(memory.info()["kept"])
        memory.release()
        print(memory.info()["kept"])
        """,
        TWINFLOW_KEEP_MEMORY="64",
    )
    assert kept < 90 * MEGABYTE
    assert released <= kept


def test_threads_do_not_keep_memory_each():
    (kept,) = run(
        """
        import random
        import threading
        import twinflow as tf

        start, turn, small = threading.Barrier(24), threading.Lock(), []

        def work(seed):
            sizes = random.Random(seed)
            start.wait()
            for _ in range(8):
                with turn:  # so that at most 200 MB are in use
                    tensors = [tf.ones([sizes.randrange(1_000_000, 6_000_000)]) for _ in range(8)]
                    small.append(tf.ones([300]))
                    del tensors

        tf.ones([1])
        threads = [threading.Thread(target=work, args=(i,)) for i in range(24)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        status = open("/proc/self/status").read()
        print(int(status.split("VmRSS:")[1].split()[0]) * 1024)
        """
    )
    assert kept < 600 * MEGABYTE


def test_sizes_that_change_do_not_break_memory_into_pieces():
    used, peak = run(
        """
        import numpy as np
        import twinflow as tf

        rng = np.random.default_rng(1)
        live = []
        for size in rng.integers(100_000, 5_000_000, 400):
            live.append(tf.ones([int(size)]) + 1.0)
            del live[: len(live) - 8]
        print(8 * 20_000_000)
        # Not ru_maxrss, which begins with that of the process that started this one.
        status = open("/proc/self/status").read()
        print(int(status.split("VmHWM:")[1].split()[0]) * 1024)
        """
    )
    assert peak < 3 * used


def test_used_memory_is_counted():
    before, after = run(
        """
        import twinflow as tf
        from twinflow._src.backends.cpu import malloc as memory

        tf.ones([1])
        print(memory.info()["used"])
        a = tf.ones([2_000_000])
        print(memory.info()["used"])
        """
    )
    assert 8_000_000 <= after - before < 9_000_000


def test_a_limit_of_nothing_changes_nothing():
    assert not malloc.keep(0)


def test_what_the_process_uses_and_held():
    before, after, peak, later = run(
        """
        import twinflow as tf

        ask = tf.config.experimental.get_memory_info
        tf.ones([1])
        print(ask("CPU:0")["current"])
        a = tf.ones([2_000_000])
        found = ask("CPU:0")
        print(found["current"], found["peak"])
        del a
        tf.config.experimental.reset_memory_stats("CPU:0")
        print(ask("CPU:0")["peak"])
        """
    )
    assert 8_000_000 <= after - before < 9_000_000
    assert peak >= after and peak - later >= 7_000_000
