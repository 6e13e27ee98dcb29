"""Every op in a graph: the same bits as outside, and static shapes that hold, whatever is known of them."""

import os

import numpy as np
import pytest

import twinflow as tf
from tests.harness import facts
from tests.test_ops import DEFAULTED, EVERY, STATEFUL, has_variable, outputs, ran
from twinflow._src.dispatch.op import OPS

# How many results there are follows from the shape, which must be known then.
COUNTED = {"Unpack"}
# How much is known of the shape of an argument while the function is traced.
KNOWN = {
    "all": lambda shape: shape,
    "rank": lambda shape: [None] * len(shape),
    "nothing": lambda shape: None,
}


def is_fed(op, position, value):
    """True if an input of a sample is an argument of the function; what is read on the host is constant."""
    kind = op.tensors[position].kind
    return not (kind.host or kind.attr == "resource" or value is None)


def in_graph(op, sample, known):
    """Returns what a call gives inside a function, and the static shapes of the results."""
    values = [v for i, v in enumerate(sample.inputs) if is_fed(op, i, v)]
    flat = [
        tf.constant(v) for value in values for v in (value if isinstance(value, list) else [value])
    ]
    variable = tf.Variable(sample.inputs[0]) if has_variable(op) else None
    static = []

    def call(*tensors):
        left = iter(tensors)
        given = []
        for i, value in enumerate(sample.inputs):
            if not is_fed(op, i, value):
                given.append(variable if i == 0 and variable is not None else value)
            else:
                given.append([next(left) for _ in value] if isinstance(value, list) else next(left))
        result = op.public(*given, **sample.attrs)
        static.extend(tensor.shape for tensor in outputs(result) if isinstance(tensor, tf.Tensor))
        return result if isinstance(result, (tf.Tensor, list)) else None

    specs = [tf.TensorSpec(known(t.shape), t.dtype) for t in flat]
    traced = tf.function(call, input_signature=specs, autograph=False)
    tf.random.set_seed(0)
    return traced(*flat), None if variable is None else variable.numpy(), static


def comparable(op, value):
    """Returns what must be the same in a graph: random numbers have seeds of their own there."""
    if op.type in STATEFUL or (op.impure and not has_variable(op)):
        return [(t.dtype, t.shape) for t in outputs(value)]
    return facts(value)


def cases():
    """Yields each sample with known shapes; with less, one of an op for each combination of dtypes.

    ``make test-all`` runs the full product.
    """
    seen = set()
    for case in EVERY:
        type, sample = case.values
        if type in DEFAULTED:
            continue
        dtypes = [
            [str(getattr(y, "dtype", y)) for y in (x if isinstance(x, list) else [x])]
            for x in sample.inputs
        ]
        key = type, str(dtypes)
        for known in KNOWN:
            if known == "all" or key not in seen or os.environ.get("TWINFLOW_TEST_ALL"):
                yield pytest.param(type, sample, known, id=f"{case.id}-{known}")
        seen.add(key)


@pytest.mark.parametrize(("type", "sample", "known"), list(cases()))
def test_op_in_graph(type, sample, known):
    op = OPS[type]
    if type in COUNTED and known != "all":
        with pytest.raises(ValueError, match="Cannot infer argument `num` from shape"):
            in_graph(op, sample, KNOWN[known])
        return
    expected, after = ran(op, sample)
    found, changed, static = in_graph(op, sample, KNOWN[known])
    assert (comparable(op, found), facts(changed)) == (comparable(op, expected), facts(after))
    for tensor, shape in zip(outputs(expected), static, strict=True):
        assert shape.is_compatible_with(tensor.shape), f"{shape} does not match {tensor.shape}"
        assert np.asarray(tensor).shape == tuple(tensor.shape)
