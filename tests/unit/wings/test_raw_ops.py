"""``tf.raw_ops``: every function gives what the public function of its op gives, alone and in a traced function."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

import twinflow as tf
from tests import samples
from tests.harness import facts
from tests.test_ops import STATEFUL, has_variable, ran
from twinflow._src.dispatch.op import OPS
from twinflow._src.graph_serialization.messages import RENAMED
from twinflow._src.wings.raw_ops import functions
from twinflow._src.wings.raw_ops.parameters import parameters

# What needs attributes that public functions work out, or refuses what they do for several types at once.
TOLD = {"ParseExampleV2", "ParseSequenceExampleV2"}
# Their samples name no axes, no number of results or no type of the variable.
UNTRIED = {
    "ReadVariableOp",
    "ResourceCountUpTo",
    "ResourceGather",
    "ResourceGatherNd",
    "SplitV",
    "Transpose",
    "Unpack",
}
EVERY = sorted({type for type in samples.SAMPLES if type in OPS} - STATEFUL - TOLD)


def call_of(type, sample):
    """The keyword arguments of a sample; None where the public function leaves one out that is needed here."""
    op, known = OPS[type], parameters(type)
    inputs = dict(zip([p.source for p in known if p.attr is None], sample.inputs))
    given = dict(zip([p.name for p in op.attrs], sample.inputs[len(op.tensors) :])) | sample.attrs
    ours = {p.source: RENAMED.get(p.source, p.source) for p in known if p.attr is not None}
    found = {}
    for p in known:
        names = (p.source, ours.get(p.source))
        value = (
            inputs.get(p.source)
            if p.attr is None
            else next((given[n] for n in names if n in given), None)
        )
        default = next((q.default for q in op.attrs if q.name in names), None)
        if value is None and p.default is inspect.Parameter.empty:
            value = None if default is inspect.Parameter.empty else default
            if value is None:
                return None
        if value is not None:
            found[p.name] = value
    return found


def tensors(op, call):
    """The call with tensors in the place of arrays, and a handle for a variable."""
    made = {}
    for p, kind in zip(parameters(op.type), op.kinds):
        value = call[p.name]
        if kind.many:
            made[p.name] = [tf.constant(v) for v in value]
        elif kind.attr == "resource":
            made[p.name] = tf.Variable(value).handle
        else:
            made[p.name] = tf.constant(
                value, kind.default if isinstance(value, (int, list)) else None
            )
    return {**call, **made}


def flat(value):
    return tf.nest.flatten(value)


@pytest.mark.parametrize("type", EVERY)
def test_gives_what_the_public_function_gives(type):
    op, tried = OPS[type], 0
    for sample in samples.SAMPLES[type][:: max(1, len(samples.SAMPLES[type]) // 3)]:
        call = call_of(type, sample)
        if call is None:
            continue
        expected, _ = ran(op, sample)
        given = tensors(op, call)
        tf.random.set_seed(0)
        try:
            found = functions.function(type)(**given)
        except (tf.errors.NotFoundError, tf.errors.InvalidArgumentError) as error:
            assert "Tout" in str(error) or "minimum" in str(error)
            continue
        tried += 1
        assert facts(flat(found)) == facts(flat(expected))
    assert tried or type in UNTRIED


@pytest.mark.parametrize(
    "type", [t for t in EVERY if not has_variable(OPS[t]) and not OPS[t].impure][::7]
)
def test_in_functions(type):
    op = OPS[type]
    call = call_of(type, samples.SAMPLES[type][0])
    if call is None:
        return
    given = tensors(op, call)
    names = [p.name for p, _ in zip(parameters(type), op.kinds)]
    rest = {n: v for n, v in given.items() if n not in names}
    run = functions.function(type)

    @tf.function(autograph=False)
    def traced(values):
        return run(**values, **rest)

    tf.random.set_seed(0)
    expected = run(**given)
    tf.random.set_seed(0)
    found = traced({n: given[n] for n in names})
    assert facts(flat(found)) == facts(flat(expected))
    assert builtin_type(found) is builtin_type(expected)


def builtin_type(value):
    return type(value) if not isinstance(value, list) else list


def test_functions_are_made_late():
    code = "import twinflow, sys; assert not [m for m in sys.modules if m.startswith('twinflow._src.wings.raw_ops.')]; twinflow.raw_ops.Abs"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_names():
    assert {"AddV2", "MatMul", "UniqueV2", "VarHandleOp", "NoOp"} <= set(dir(tf.raw_ops))
    assert tf.raw_ops.AddV2 is tf.raw_ops.AddV2 is tf.compat.v1.raw_ops.AddV2
    assert not hasattr(tf.raw_ops, "NoSuchOperation")
    with pytest.raises(AttributeError, match="no attribute 'NoSuchOperation'"):
        _ = tf.raw_ops.NoSuchOperation
    for type in functions.names():
        documented = functions.function(type).__doc__
        assert all(f"    {p.name}: " in documented for p in parameters(type)), type


def test_handles_stand_for_their_variables():
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def step():
        tf.raw_ops.AssignAddVariableOp(resource=v.handle, value=tf.constant([1.0, 1.0]))
        return tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32)

    assert step().numpy().tolist() == [2.0, 3.0] == v.numpy().tolist()
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = tf.raw_ops.Square(x=tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32))
    assert tape.gradient(y, v).numpy().tolist() == [4.0, 6.0]


def test_what_an_op_does_not_know_is_refused():
    with pytest.raises(tf.errors.UnimplementedError, match="Truncate"):
        tf.raw_ops.Cast(x=1.5, DstT=tf.int32, Truncate=True)
    np.testing.assert_array_equal(tf.raw_ops.Cast(x=1.5, DstT=tf.int32, Truncate=False), 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"x": [1, 2, 3]}, r"1D input must be of size 2 or 4, but got shape \[3\]"),
        (
            {"x": [[1, 2, 3]]},
            r"First dimension of 2D input must be of size 2 or 4, but got shape \[1,3\]",
        ),
        (
            {"x": [[1, 2, 3]] * 4},
            r"Second dimension of 2D input must be of size 2, but got shape \[4,3\]",
        ),
        ({"x": 1}, r"input must be a vector or 2D tensor, but got shape \[\]"),
        (
            {"x": [1, 2, 3, 4], "src_format": "NHC"},
            "Source format must be of length 4 or 5, received src_format = NHC",
        ),
        (
            {"x": [1, 2, 3, 4], "dst_format": "NHWX"},
            "must determine a permutation, got NHWC and NHWX",
        ),
        (
            {"x": [1, 2, 3, 4], "src_format": "NHHC", "dst_format": "NCHH"},
            "must determine a permutation, got NHHC and NCHH",
        ),
    ],
)
def test_layouts_that_cannot_be(given, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.raw_ops.DataFormatVecPermute(**given)


def test_slices_that_cannot_be_replaced():
    update = lambda value, **bounds: tf.raw_ops.TensorStridedSliceUpdate(
        input=[1, 2, 3, 4], value=value, **{"begin": [1], "end": [3], "strides": [1], **bounds}
    )
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"Cannot broadcast input shape \[3\] into final shape \[2\]",
    ):
        update([7, 8, 9])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"strides\[0\] must be non-zero"):
        update([7, 8], strides=[0])
