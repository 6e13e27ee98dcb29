"""The parameters of public functions and classes, as ``inspect.getfullargspec`` tells them of TensorFlow's."""

from __future__ import annotations

import functools
import inspect
import json
import pathlib
import pickle
import types

import pytest

import twinflow as tf

RECORDED = json.loads(
    (pathlib.Path(__file__).parents[2] / "golden" / "signatures.json").read_text("utf-8")
)

# What takes other arguments, has another default, or is made otherwise.
_OTHERWISE = """
    DType() Variable() IndexedSlicesSpec() Operation() SparseTensorSpec() autograph.experimental.set_loop_options
    compat.forward_compatibility_horizon compat.v1.ConfigProto() compat.v1.GPUOptions() compat.v1.GraphOptions()
    compat.v1.OptimizerOptions() compat.v1.QueueBase() compat.v1.RunMetadata() compat.v1.RunOptions() compat.v1.Variable()
    compat.v1.create_partitioned_variables compat.v1.fake_quant_with_min_max_args
    compat.v1.fake_quant_with_min_max_args_gradient compat.v1.get_local_variable compat.v1.io.QueueBase()
    compat.v1.py_func compat.v1.quantize_v2 compat.v1.scatter_nd_update
    compat.v1.scatter_update compat.v1.shape compat.v1.size compat.v1.sparse_split compat.v1.train.AdamOptimizer()
    compat.v1.train.Optimizer() compat.v1.variable_op_scope distribute.CrossDeviceOps()
    distribute.DistributedValues() distribute.StrategyExtended() dtypes.DType() experimental.RowPartition()
    fftnd graph_util.import_graph_def ifftnd import_graph_def irfftnd meshgrid nn.local_response_normalization nn.lrn
    quantization.fake_quant_with_min_max_args quantization.fake_quant_with_min_max_args_gradient queue.QueueBase()
    rfftnd sparse.sampled_addmm test.Benchmark() train.CheckpointOptions()
"""
OTHERWISE = _OTHERWISE.split()


def parameters(function):
    """The parameters as text; defaults that are not plain values as dots."""
    spec = inspect.getfullargspec(function)
    defaults = spec.defaults or ()
    plain = len(spec.args) - len(defaults)
    shown = [
        repr(d) if isinstance(d, (int, float, str, bool, type(None))) else "..." for d in defaults
    ]
    found = [
        name if i < plain else f"{name}={shown[i - plain]}" for i, name in enumerate(spec.args)
    ]
    if spec.varargs or spec.kwonlyargs:
        found.append(f"*{spec.varargs or ''}")
    found += [*spec.kwonlyargs, *([f"**{spec.varkw}"] if spec.varkw else [])]
    return ", ".join(found)


def found_at(name):
    entity = functools.reduce(getattr, name.removesuffix("()").split("."), tf)
    return entity.__init__ if name.endswith("()") else entity


def is_numpy(name):
    """True if the parent is a class of NumPy's, whose methods differ between its versions."""
    return getattr(found_at(name), "__module__", "").partition(".")[0] == "numpy"


SPACES = sorted({name.rpartition(".")[0] for name in RECORDED})
SPACES = [space for space in SPACES if not space or not is_numpy(space)]


@pytest.mark.parametrize("space", SPACES)
def test_parameters_are_those_of_tensorflow(space):
    names = [n for n in RECORDED if n.rpartition(".")[0] == space]
    wrong = {n: parameters(found_at(n)) for n in names if parameters(found_at(n)) != RECORDED[n]}
    assert {n: s for n, s in wrong.items() if n not in OTHERWISE} == {}
    assert [n for n in OTHERWISE if n in names and n not in wrong] == []


def test_signatures_follow_what_is_put_around_functions():
    assert str(inspect.signature(tf.rank)) == str(inspect.signature(tf.rank.__wrapped__))
    assert inspect.signature(tf.rank).bind(1).arguments == {"input": 1}
    assert pickle.loads(pickle.dumps(inspect.signature(tf.rank))) == inspect.signature(tf.rank)
    assert inspect.getfullargspec(tf.Variable.assign).args == [
        "self",
        "value",
        "use_locking",
        "name",
        "read_value",
    ]
    assert inspect.getfullargspec(tf.TensorArray.write).args == ["self", "index", "value", "name"]


def test_categorical_of_tensorflow_1():
    assert tf.compat.v1.random.categorical([[0.0, 1.0]], 2, tf.int32).dtype is tf.int32
    assert inspect.getfullargspec(tf.compat.v1.random.categorical).args == [
        "logits",
        "num_samples",
        "dtype",
        "seed",
        "name",
    ]


def test_signatures_are_those_of_inspect():
    signature = inspect.signature(tf.while_loop)
    first = next(iter(signature.parameters.values()))
    assert str(signature.replace(parameters=[first])) == "(cond)"
    assert str(signature.replace(parameters=[first], return_annotation=int)) == "(cond) -> int"
    assert signature.replace() == signature == pickle.loads(pickle.dumps(signature))


@pytest.mark.parametrize("space", [tf, tf.math, tf.nn, tf.linalg, tf.compat.v1, tf.compat.v1.train])
def test_public_functions_have_no_annotations(space):
    """Clients compare ``inspect.getfullargspec`` of TensorFlow's functions with that of their own."""
    functions = [
        f
        for n in dir(space)
        if n[0] != "_" and isinstance(f := getattr(space, n), types.FunctionType)
    ]
    assert functions
    assert [f.__name__ for f in functions if inspect.getfullargspec(f).annotations] == []
