"""The whole table of operations with a stand-in for a GPU as the default device: CuPy has what they use, and only what is listed waits."""

import ast
from pathlib import Path

import pytest

import twinflow as tf
from tests import samples
from tests.standin import gpus, journal
from tests.standin.journal import waits
from tests.standin.record import NAMES
from tests.test_ops import has_variable, mapped, outputs
from twinflow._src.backends.gpu.cupy_compat import OWN
from twinflow._src.core.context import runtime
from twinflow._src.dispatch.op import OPS
from twinflow._src.dispatch.placement import able

EVERY = [type for type in samples.SAMPLES if type in OPS]
# Sizes of results, decisions and loops that depend on values: the host has to see them. What is not here only
# puts work into the device's queue.
WAITING = frozenset(Path(__file__).with_name("waiting.txt").read_text("utf-8").split())


def made(kind, value):
    """A tensor of an input: what the kernel reads on the host is there."""
    if kind.many:
        return [tf.constant(item) for item in value]
    if kind.host:
        with tf.device("CPU:0"):
            return tf.constant(value)
    return tf.constant(value)


def given_to(op, sample):
    """The arguments of a call."""
    found = [made(kind, value) for kind, value in zip(op.kinds, sample.inputs, strict=False)]
    if has_variable(op):
        found[0] = tf.Variable(sample.inputs[0])
    return found


def events_of(op, sample):
    """Returns the events of a call on the device; none where the host runs it."""
    given = given_to(op, sample)
    tf.random.set_seed(0)
    with journal.read() as events:
        try:
            outputs(op.public(*given, **sample.attrs))
        except tf.errors.OpError:
            return events
    return [] if on_host(op, given, sample) else events


def typed(value):
    """The types that an attribute names."""
    return (
        tuple(map(tf.as_dtype, value)) if isinstance(value, (list, tuple)) else tf.as_dtype(value)
    )


def on_host(op, given, sample):
    """True if a call runs on the host, for its types; then its inputs are copied there."""
    tensors = [
        None if p.kind.attr == "resource" else x for p, x in zip(op.tensors, given, strict=False)
    ]
    device = tf.config.list_logical_devices("GPU") and runtime.default
    attrs = {**op.defaults, **sample.attrs}
    types = {name: typed(value) if op.out == name else value for name, value in attrs.items()}
    if has_variable(op):
        return given[0].device.endswith("CPU:0")
    return not device or able(op, tensors, types, device) is not device


@pytest.mark.parametrize("type", EVERY)
def test_only_what_is_listed_waits(type):
    op = OPS[type]
    with gpus(1):
        events = [event for sample in samples.SAMPLES[type] for event in events_of(op, sample)]
    waiting = waits(events)
    assert bool(waiting) <= (type in WAITING), f"{type} waits for the device: {waiting[:3]}"


def test_who_is_listed_as_waiting_exists():
    assert set(OPS) >= WAITING


def test_inputs_stay_as_they_are_and_results_are_where_they_should_be():
    with gpus(1):
        x = tf.constant([[1.0, 2.0]])
        assert mapped(lambda a: a, [[1]]) == [[1]]
        for result in (
            x + 1.0,
            tf.matmul(x, x, transpose_b=True),
            tf.reshape(x, [2]),
            tf.cast(x, tf.int64),
        ):
            assert result.device.endswith("GPU:0")
        for result in (
            tf.shape(x),
            tf.cast(x, tf.dtypes.experimental.float8_e5m2),
            tf.strings.as_string(x),
            tf.range(3),
        ):
            assert result.device.endswith("CPU:0")


# ------------------------------------------------------------------ names


def chains(tree):
    """The names that kernels take of ``xp``, such as ``linalg.svd``."""
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            parts = []
            while isinstance(node, ast.Attribute):
                parts.append(node.attr)
                node = node.value
            if isinstance(node, ast.Name) and node.id == "xp":
                yield ".".join(reversed(parts))


def used():
    """The names that kernels take of ``xp``, with the modules that do."""
    found = {}
    root = Path(tf.__file__).parent
    for path in root.rglob("*.py"):
        for name in chains(ast.parse(path.read_text("utf-8"))):
            found.setdefault(name, str(path.relative_to(root)))
    return found


def is_there(name):
    """True if CuPy has a name, or we have put something in its place; kernels that are written out have rounds."""
    name = name.removesuffix(".at").removesuffix(".dtype")
    modules = {prefix for full in NAMES for prefix in (full.rpartition(".")[0],) if prefix} | {
        "lib"
    }
    return (
        name in NAMES
        or name in OWN
        or name in modules
        or name in ("__name__", "finfo", "iinfo", "rounds")
    )


def test_cupy_has_what_kernels_use():
    assert {name: module for name, module in used().items() if not is_there(name)} == {}
