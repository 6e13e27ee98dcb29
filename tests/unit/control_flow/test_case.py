"""``tf.case``: which branch runs, and what is checked, at once, in functions and in sessions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import twinflow as tf

v1 = tf.compat.v1
NONE = "Input error: None of conditions evaluated as True:"
SEVERAL = "Input error: exclusive=True: more than 1 conditions ({}) evaluated as True:"


def _at_once(body: Callable[..., Any], values: tuple[bool, ...]) -> int:
    return int(body(*map(tf.constant, values)))


def _in_a_function(body: Callable[..., Any], values: tuple[bool, ...]) -> int:
    return int(tf.function(lambda a, b: body(a, b))(*map(tf.constant, values)))


def _in_a_session(body: Callable[..., Any], values: tuple[bool, ...]) -> int:
    with tf.Graph().as_default(), v1.Session() as session:
        given = [v1.placeholder(tf.bool, [], name) for name in "ab"]
        return int(session.run(body(*given), dict(zip(given, values))))


RUNS = {
    "at once": (_at_once, "?, ?"),
    "function": (_in_a_function, "a:0, b:0"),
    "session": (_in_a_session, "a:0, b:0"),
}


@pytest.mark.parametrize("case", [tf.case, v1.case])
@pytest.mark.parametrize("surrounding", RUNS)
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("default", [None, lambda: tf.constant(9)])
def test_case(case: Any, surrounding: str, exclusive: bool, default: Any) -> None:
    run, names = RUNS[surrounding]

    def body(a: Any, b: Any) -> Any:
        branches = [(a, lambda: tf.constant(1)), (b, lambda: tf.constant(2))]
        return case(branches, default=default, exclusive=exclusive)

    assert run(body, (True, False)) == 1
    assert run(body, (False, True)) == 2
    if (
        exclusive and default is not None
    ):  # without a default the last condition is not among those that are compared
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            run(body, (True, True))
        assert SEVERAL.format(names) in str(error.value)
    else:
        assert run(body, (True, True)) == 1
    if default is None:
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            run(body, (False, False))
        assert NONE in str(error.value)
    else:
        assert run(body, (False, False)) == 9
