"""The short ways of inputs give what the general way gives, or leave the call to it."""

import numpy as np
import pytest

import twinflow as tf
from tests import samples
from tests.harness import facts
from twinflow._src.dispatch.op import OPS

# Random ones give other numbers each time, and some read or write files.
OTHER = {"NonDeterministicInts", "RestoreV2", "WriteFile", "ReadFile", "MergeV2Checkpoints"}
EVERY = [
    pytest.param(type, number, id=f"{type}-{number}")
    for type, found in samples.SAMPLES.items()
    if type in OPS and OPS[type].direct and type not in OTHER
    for number in range(len(found))
]

FORMS = {
    "lists": lambda x: np.asarray(x).tolist(),
    "tuples": lambda x: tuple(x.tolist()) if np.ndim(x) else x.tolist(),
    "arrays": lambda x: x,
    "other numbers": lambda x: (x + 0.5).tolist() if x.dtype.kind in "iuf" else x.tolist(),
    "wide arrays": lambda x: (
        x.astype(np.int64 if x.dtype.kind in "iu" else np.float64) if x.dtype.kind in "iuf" else x
    ),
}


def outcome(op, inputs, attrs):
    """Returns what a call gives: the results, the value of its variable, or the error."""
    tf.random.set_seed(0)
    given = [
        tf.Variable(x) if i == 0 and op.kinds[0].attr == "resource" else x
        for i, x in enumerate(inputs)
    ]
    try:
        result = op.public(*given, **attrs)
    except Exception as error:
        return type(error), str(error)
    return facts(result), facts(given[0].numpy()) if isinstance(given[0], tf.Variable) else None


@pytest.mark.parametrize(("type", "number"), EVERY)
def test_values_that_are_no_tensors(type, number, monkeypatch):
    op, sample = OPS[type], samples.SAMPLES[type][number]
    variable = op.kinds[:1] and op.kinds[0].attr == "resource"
    for form in FORMS.values():
        for chosen in range(
            variable, len(sample.inputs)
        ):  # one input of the form, the others are tensors
            inputs = [
                x
                if isinstance(x, list) or x is None or (variable and not i)
                else form(np.asarray(x))
                if i == chosen or form is FORMS["lists"]
                else tf.constant(x)
                for i, x in enumerate(sample.inputs)
            ]
            quick = [
                outcome(op, inputs, sample.attrs) for _ in range(3)
            ]  # the third time the call is known
            with monkeypatch.context() as without:
                without.setattr("twinflow._src.dispatch.execute.ready", lambda *_: None)
                without.setattr("twinflow._src.dispatch.call_cache.ready", lambda *_: None)
                op.repeats.clear()
                general = outcome(op, inputs, sample.attrs)
            assert quick == [general] * 3
