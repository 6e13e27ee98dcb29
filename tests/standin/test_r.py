"""R on a stand-in for a GPU, in the process of Python. Logic only: what is copied when, and where things are."""

import re

import pytest

from tests import harness
from tests.standin import gpus, journal
from tests.standin.journal import kinds


@pytest.fixture(scope="module")
def r():
    """Runs R; where it cannot run, the tests are passed over."""
    harness.need_r()
    harness.run_r("tf$constant(1)$numpy()")  # what is said once is said
    return harness.run_r


def moves(r, code):
    """Returns what R code prints, and what is copied meanwhile."""
    with journal.read() as events:
        printed = r(code)
    return printed.splitlines(), [
        (e.kind, e.what, e.device) for e in kinds(events, "up", "down", "across")
    ]


def test_arrays_go_to_the_gpu_that_a_block_names_and_back(r):
    with gpus(2):
        r("m <<- matrix(as.double(1:6), 2); x <<- NULL")
        printed, copied = moves(
            r, 'with(tf$device("GPU:1"), x <<- as_tensor(m)); cat(x$device, "\\n"); dim(x)'
        )
        assert printed == ["/job:localhost/replica:0/task:0/device:GPU:1", "[1] 2 3"]
        assert copied == [("up", 48, 1)]
        printed, copied = moves(r, "identical(as.array(x), m)")
        assert printed == ["[1] TRUE"] and copied == [("down", 48, 1)]
        printed, copied = moves(r, 'with(tf$device("CPU:0"), y <<- x + 1); cat(y$device, "\\n")')
        assert printed == ["/job:localhost/replica:0/task:0/device:CPU:0"] and copied == [
            ("down", 48, 1)
        ]
        printed, copied = moves(
            r, 'v <<- tf$Variable(x); cat(v$device, "\\n"); v$assign_add(x); sum(as.array(v))'
        )
        assert (
            printed[0] == "/job:localhost/replica:0/task:0/device:GPU:0" and printed[-1] == "[1] 42"
        )
        assert [kind for kind, *_ in copied].count("across") == 2
        printed, _ = moves(
            r, 'sapply(list(1L, TRUE, "a", 1.5, 1i), function(a) basename(as_tensor(a)$device))'
        )
        assert printed == [
            '[1] "device:CPU:0" "device:GPU:0" "device:CPU:0" "device:GPU:0" "device:GPU:0"'
        ]


def test_questions_about_gpus(r):
    with gpus(2):
        printed, _ = moves(
            r,
            """
            length(tf$config$list_physical_devices("GPU"))
            sapply(tf$config$list_logical_devices(), function(d) d$name)
            tf_gpu_configured(verbose = FALSE)
            tf$config$experimental$get_memory_info("GPU:0")$current
            """,
        )
        assert printed[:3] == [
            "[1] 2",
            '[1] "/device:CPU:0" "/device:GPU:0" "/device:GPU:1"',
            "[1] TRUE",
        ]
        assert re.fullmatch(r"\[1\] \d+", printed[3])


def test_functions_and_tapes(r):
    with gpus(1):
        printed, copied = moves(
            r,
            """
            w <- tf$Variable(matrix(c(1, 2, 3, 4), 2))
            x <- as_tensor(matrix(c(1, 0, 0, 1), 2))
            step <- tf_function(function(x) {
              with(tf$GradientTape() %as% tape, loss <- tf$reduce_sum((tf$matmul(x, w))^2))
              g <- tape$gradient(loss, w)
              w$assign_sub(0.1 * g)
              loss
            })
            for (i in 1:2) as.numeric(step(x))
            as.array(w)
            """,
        )
        assert [line.split() for line in printed[-2:]] == [
            ["[1,]", "0.64", "1.92"],
            ["[2,]", "1.28", "2.56"],
        ]
        assert [kind for kind, *_ in copied].count("down") == 3
