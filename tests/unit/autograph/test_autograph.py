"""AutoGraph on functions of all kinds: as TensorFlow and as Python itself."""

from __future__ import annotations

import io
import json
import linecache
import logging
import pathlib
import sys
import types

import pytest

import twinflow as tf
from tests.golden import autograph_programs as programs
from twinflow._src.autograph import autograph
from twinflow._src.autograph.source import in_file

RECORDED = json.loads(pathlib.Path(programs.__file__).with_suffix(".json").read_text())

# Where TensorFlow's answer is not Python's, or an error for what runs here; and what is the answer here.
OTHERWISE = {
    "return_in_else(1,) tensors": {"error": "ValueError"},
    "return_in_else(-1,) tensors": {"error": "ValueError"},
    "else_is_left_out_after_return(1,)": [1, ["finally"]],
    "else_is_left_out_after_return(1,) tensors": [1, ["finally"]],
    "else_is_left_out_after_return_under_if(1,)": [1, []],
    "else_is_left_out_after_return_under_if(1,) tensors": [1, []],
    "return_in_finally_swallows(1,)": 2,
    "return_in_finally_swallows(1,) tensors": 2,
    "return_discarded_by_error_in_finally(1,)": 8,
    "return_discarded_by_error_in_finally(1,) tensors": 8,
    "break_discarded_by_error_in_finally(1,)": 203,
    "break_discarded_by_error_in_finally(1,) tensors": 203,
    "swallowed(1,)": 6,
    "swallowed(1,) tensors": 6,
    "while_walrus(3,)": 9,
    "while_walrus(3,) tensors": 9,
    "chained_evaluates_once(2,)": [True, 1],
    "chained_evaluates_once(2,) tensors": [True, 1],
    "chained_evaluates_once(0,) tensors": [False, 1],
    "ternary_nested(3,) tensors": 2,
    "ternary_nested(-3,) tensors": 4,
    "walrus_in_if(3,) tensors": 6,
    "annotated_in_branch(3,) tensors": 6,
    "annotated_in_branch(-3,) tensors": -9,
    "nonlocal_tensor(3,) tensors": 6,
    "nonlocal_tensor(-3,) tensors": -15,
    "return_without_value(3,) tensors": None,
    "return_without_value(-3,) tensors": None,
    "match_under_if(1,) tensors": 4,
    "match_under_if(-1,) tensors": -2,
}


@pytest.fixture(autouse=True)
def _on_twinflow(monkeypatch):
    monkeypatch.setattr(programs, "tf", tf)


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_programs(name):
    function, cases = programs.PROGRAMS[name]
    for case in cases:
        for key, arguments in (
            (f"{name}{case}", case),
            (f"{name}{case} tensors", [tf.constant(c) for c in case]),
        ):
            found = json.loads(json.dumps(programs.outcome(function, arguments)))
            expected = OTHERWISE.get(key, RECORDED[key])
            assert found == expected, key
            assert key not in OTHERWISE or found != RECORDED[key], "no difference"


# ------------------------------------------------------------------ functions of libraries and without source


def module_with(text, name, monkeypatch):
    """A module with functions whose source is known."""
    module = types.ModuleType(name)
    file = f"<{name} of the test>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    exec(compile(text, file, "exec", dont_inherit=True), vars(module))
    monkeypatch.setitem(sys.modules, name, module)
    return module


@pytest.mark.parametrize(
    ("name", "converts"),
    [
        ("tensorflow_probability.substrates", False),
        ("keras.layers", False),
        ("tf_keras", False),
        ("pandas.core", False),
        ("PIL", False),
        ("matplotlib.pyplot", False),
        ("absl.logging", False),
        ("absl.flags", True),
        ("tensorflow_datasets.core.x", False),
        ("tensorflow_datasets", True),
        ("collections.abc", False),
        ("keras_of_mine", True),
    ],
)
def test_functions_of_libraries_run_as_they_are(name, converts, monkeypatch):
    library = module_with(
        "def f(x):\n    if x > 0:\n        return x\n    return -x\n", name, monkeypatch
    )

    @tf.function
    def call(x):
        return library.f(x)

    if converts:
        assert call(tf.constant(-2)).numpy() == 2
        return
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        call(tf.constant(-2))


class _Handler(logging.Handler):
    def __init__(self):
        super().__init__()
        self.texts = []

    def emit(self, record):
        self.texts.append(record.getMessage())


@pytest.fixture
def said():
    handler, logger = _Handler(), tf.get_logger()
    level = logger.level
    logger.setLevel("WARNING")  # whatever programs that ran before have set
    logger.addHandler(handler)
    yield handler.texts
    logger.removeHandler(handler)
    logger.setLevel(level)


def loop_with_else(x):
    for _ in range(2):
        x = x + 1
    else:
        x = x + 10
    return x


def jump_in_finally(x):
    try:
        return x
    finally:
        return x + 5  # noqa: B012, SIM107


@pytest.mark.parametrize(
    ("function", "cause", "value"),
    [
        (loop_with_else, "for/else statement not yet supported", 13),
        (jump_in_finally, "jumps out of a finally block are not yet supported", 6),
        (programs.Derived(1).mangled, "mangled names are not yet supported", 2),
    ],
)
def test_what_cannot_be_rewritten_runs_as_it_is(function, cause, value, said):
    autograph._codes.pop(in_file(function.__code__), None)  # it is said once
    assert tf.function(lambda x: function(x))(tf.constant(1)).numpy() == value
    assert said[0].startswith("AutoGraph could not transform <")
    assert f" and will run it as-is.\nCause: {cause}\nTo silence this warning, decorate" in said[0]


def test_code_that_does_not_compile_after_rewriting(monkeypatch, said):
    def function(x):
        return x + 1

    def fail(*_):
        raise SyntaxError("no")

    monkeypatch.setattr(autograph, "rewritten", fail)
    assert tf.function(function)(tf.constant(1)).numpy() == 2
    assert "Cause: SyntaxError: no" in said[0]


# ------------------------------------------------------------------ what rewritten functions look like


def test_inner_functions_keep_their_text_and_annotations(monkeypatch):
    library = module_with(
        """
def outer(x):
    def inner(v: int, k=[i for i in range(2)]) -> "text":
        '''Says something.'''
        if v > 0:
            return v
        return -v
    inner.mark = 5
    text = '''
several lines'''
    return inner(x), inner.__doc__, inner.__annotations__["v"] is int, inner.__name__, text
""",
        "functions_of_mine",
        monkeypatch,
    )
    value, doc, annotated, name, text = tf.function(library.outer)(tf.constant(-3))
    assert (value.numpy(), doc.numpy(), annotated.numpy(), name.numpy()) == (
        3,
        b"Says something.",
        True,
        b"inner",
    )
    assert text.numpy() == b"\nseveral lines"


class Texts:
    """A class whose methods hold texts."""

    def method(self, x):
        text = """
at the margin
"""
        if x > 0:
            return x + len(text)
        return x


def test_texts_at_the_margin():
    assert tf.function(Texts().method)(tf.constant(1)).numpy() == 16


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code does not tell columns")
def test_lambdas_alike_on_a_line():
    f, g = lambda v: v if v > 0 else -v, lambda v: v * 2 if v > 0 else v * 3
    assert (
        tf.function(f)(tf.constant(-2)).numpy() == 2
        and tf.function(g)(tf.constant(-2)).numpy() == -6
    )


def test_conditions_of_loops_are_evaluated_once():
    calls = []

    def more():
        calls.append(1)
        return len(calls) < 3

    @tf.function
    def run():
        n = 0
        while more():
            n += 1
        return n

    assert run().numpy() == 2 and len(calls) == 3


def test_inherited_calls_are_rewritten():
    assert tf.function(lambda x: programs.Derived(5)(x))(tf.constant(3)).numpy() == 114


# ------------------------------------------------------------------ builtins


def of_tensor(function, *values):
    found = tf.function(function)(*map(tf.constant, values))
    return found.numpy().tolist()


VARIABLE = tf.Variable(-3)
BUILTINS = [
    (lambda x: range(x, 1), (3,), []),
    (lambda x: range(x), (-3,), []),
    (lambda x: range(0, x, 2), (3,), [0, 2]),
    (lambda x: len(tf.ragged.constant([[1], [2, 3]])), (1,), 2),
    (lambda x: len(tf.TensorArray(tf.int32, 3)), (1,), 3),
    (lambda x: len(tf.sparse.from_dense([[1], [2]])), (1,), 2),
    (lambda x: int(VARIABLE) + abs(VARIABLE), (1,), 0),
    (lambda x: float(x), (3,), 3.0),
    (lambda x: int(x, base=10), ("12",), 12),
    (lambda x: int("z", base=36) + int(b"11", 2), (1,), 38),
    (lambda x: tf.sparse.to_dense(abs(tf.sparse.from_dense([[-1], [2]]))), (1,), [[1], [2]]),
    (lambda x: sorted(x, key=lambda v: -v, reverse=True), ([2, 1],), [1, 2]),
]


@pytest.mark.parametrize("number", range(len(BUILTINS)))
def test_builtins(number):
    function, values, expected = BUILTINS[number]
    assert of_tensor(function, *values) == expected


def test_builtins_that_refuse():
    unknown = tf.function(lambda x: len(x), input_signature=[tf.TensorSpec(None, tf.int32)])
    assert unknown(tf.constant([1, 2])).numpy() == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="len requires non-zero rank, got 0"):
        unknown(tf.constant(1))
    with pytest.raises(NotImplementedError, match="base 16 not supported for int"):
        tf.function(lambda x: int(x, 16))(tf.constant("ff"))


def test_prints_and_evaluates():
    @tf.function
    def run(x):
        text = io.StringIO()
        y = x + 1
        if x is not None:
            print("a", 2, sep="-", file=text)
            z = eval("y * 2")
        return z, text.getvalue(), sorted(k for k in locals() if k in "xyz")

    value, text, names = run(tf.constant(3))
    assert (
        value.numpy() == 8
        and text.numpy() == b"a-2\n"
        and [n.numpy() for n in names] == [b"x", b"y", b"z"]
    )


def test_functions_without_a_source_are_not_convertible():
    names = {}
    exec("def without_source(x):\n  return x + 1", names)
    for convert in (tf.autograph.to_code, tf.autograph.to_graph):
        for entity, said in (
            (names["without_source"], "Unable to locate the source code"),
            (len, "doesn't expose a __code__ object"),
            (3, "converting 3: ValueError: Cannot apply autograph"),
        ):
            with pytest.raises(Exception, match=said) as caught:
                convert(entity)
            assert type(caught.value).__name__ == "ConversionError"
