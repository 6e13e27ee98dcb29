"""``make_template``: variables are made by the first call and found by later ones, eager and in graphs."""

from __future__ import annotations

from typing import Any

import pytest

import twinflow as tf

v1 = tf.compat.v1


@pytest.fixture(params=[True, False], ids=["eager", "graph"])
def eager(request: Any) -> Any:
    """True if operations run at once; else a graph surrounds the test."""
    with tf.Graph().as_default() if not request.param else tf.device(None):
        yield request.param


def _line(name: str = "line") -> Any:
    def function(x: Any) -> Any:
        w = v1.get_variable("w", [], initializer=v1.ones_initializer())
        return x * w + v1.get_variable("n", [], initializer=v1.ones_initializer(), trainable=False)

    return v1.make_template(name, function)


def _nested(name: str) -> Any:
    inner = v1.make_template("inner", lambda x: x * v1.get_variable("w", []))
    return v1.make_template(name, lambda x: inner(x) + v1.get_variable("b", [])), inner


def _names(variables: Any) -> list[str]:
    return sorted(v.name for v in variables)


def _keys(path: str) -> list[str]:
    return [
        name.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE")
        for name, _ in tf.train.list_variables(path)
    ]


def test_variables_are_made_once(eager: bool) -> None:
    line = _line("once")
    assert line.variables == [] == line.trainable_variables and line.variable_scope_name is None
    line(2.0), line(3.0)
    assert _names(line.variables) == ["once/n:0", "once/w:0"] == _names(line.global_variables)
    assert _names(line.trainable_variables) == ["once/w:0"] == _names(line.trainable_weights)
    assert (
        _names(line.non_trainable_variables) == ["once/n:0"] == _names(line.non_trainable_weights)
    )
    assert line.local_variables == [] and _names(line.weights) == _names(line.variables)
    assert (line.name, line.variable_scope_name, line.var_scope) == (
        "once",
        "once/",
        line.variable_scope,
    )


def test_templates_of_one_name_do_not_share(eager: bool) -> None:
    one, other = _line("apart"), _line("apart")
    one(1.0), other(1.0)
    assert _names(other.variables) == ["apart_1/n:0", "apart_1/w:0"]


def test_variables_that_are_made_later_are_refused(eager: bool) -> None:
    count = iter(range(9))
    make = (lambda: v1.get_variable(f"w{next(count)}", [])) if eager else (lambda: tf.Variable(1.0))
    template = v1.make_template("later", make)
    template()
    with pytest.raises(
        ValueError, match="Trainable variable created when calling a template after the first time"
    ):
        template()


def test_templates_within_templates(eager: bool) -> None:
    outer, inner = _nested("around")
    outer(1.0), outer(2.0)
    assert _names(outer.variables) == ["around/b:0", "around/inner/w:0"]
    assert _names(inner.variables) == ["around/inner/w:0"]


def test_templates_that_each_call_makes() -> None:
    def function(x: Any) -> Any:
        inner = v1.make_template("inner", lambda x: x * v1.get_variable("w", []))
        return inner(x) + inner(x)

    outer = v1.make_template("making", function)
    assert float(outer(1.0)) == float(outer(1.0))
    assert _names(outer.variables) == ["making/inner/w:0"]


def test_a_call_that_failed_is_not_the_first() -> None:
    calls = iter([True, False, False])

    def function() -> Any:
        if next(calls):
            raise RuntimeError("not yet")
        return v1.get_variable("w", [])

    template = v1.make_template("failing", function)
    with pytest.raises(RuntimeError):
        template()
    assert template() is template()
    assert _names(template.variables) == ["failing/w:0"]


def test_values_follow_assignments_also_in_functions() -> None:
    line = _line("traced")
    traced = tf.function(lambda x: line(x))
    assert float(traced(2.0)) == 3.0
    line.trainable_variables[0].assign(5.0)
    assert (float(traced(2.0)), float(line(2.0)), len(line.variables)) == (11.0, 11.0, 2)


def test_checkpoints_hold_templates(eager: bool, tmp_path: Any) -> None:
    outer, _ = _nested("saved")
    scoped = v1.make_template("scoped", _scoped)
    outer(1.0), scoped()
    held = tf.train.Checkpoint(t=outer, s=scoped)
    if eager:
        path = held.write(tmp_path / "c")
    else:
        with v1.Session().as_default() as session:
            session.run(v1.global_variables_initializer())
            path = held.write(tmp_path / "c")
    assert _keys(path)[1:] == ["s/s.Sw", "t/b", "t/inner/w"]


def _scoped() -> Any:
    with v1.variable_scope("s"):
        return v1.get_variable("w", [])


def test_new_variables_are_restored(tmp_path: Any) -> None:
    line = _line()
    line(1.0)
    line.trainable_variables[0].assign(7.0)
    path = tf.train.Checkpoint(line=line).write(tmp_path / "c")
    again = _line()
    status = tf.train.Checkpoint(line=again).read(path)
    assert float(again(2.0)) == 15.0
    status.assert_consumed()


def test_arguments_of_templates() -> None:
    with pytest.raises(ValueError, match="name cannot be None"):
        v1.make_template(None, lambda: 1)
    with pytest.raises(
        ValueError, match="unique_name_ cannot be used when eager execution is enabled"
    ):
        v1.make_template("t", lambda: 1, unique_name_="t")
    now = v1.make_template("now", lambda: 1, create_scope_now_=True)
    assert now.variable_scope_name == "now/"
    with tf.Graph().as_default():
        exact = v1.make_template("t", lambda: v1.get_variable("w", []), unique_name_="exact")
        exact()
        assert _names(exact.variables) == ["exact/w:0"]
        local = v1.make_template("l", lambda: v1.get_local_variable("w", []))
        local()
        assert (_names(local.variables), local.global_variables) == (["l/w:0"], [])
