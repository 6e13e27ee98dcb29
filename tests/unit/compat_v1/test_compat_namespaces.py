"""``tf.compat.v1`` and ``tf.compat.v2`` as packages, and what programs ask of versions."""

import importlib
import operator
import subprocess
import sys

import pytest

import twinflow as tf


@pytest.mark.parametrize(
    "name", ["compat", "compat.v1", "compat.v1.nn", "compat.v1.train", "compat.v1.compat.v1", "compat.v2", "compat.v2.nn",
             "compat.v2.compat.v1", "io.gfile"]
)  # fmt: skip
def test_namespaces_can_be_imported(name):
    found = tf
    for part in name.split("."):
        found = getattr(found, part)
    assert importlib.import_module(f"twinflow.{name}") is found


@pytest.mark.parametrize(
    "name", ["nosuch", "nn.nosuch", "compat.v1.nosuch", "compat.v2.nosuch", "compat.v1.nn.relu"]
)
def test_other_names_are_no_modules(name):
    with pytest.raises(ModuleNotFoundError, match=f"No module named 'twinflow.{name}'"):
        importlib.import_module(f"twinflow.{name}")


def test_imports_before_anything_else():
    code = (
        "import twinflow.compat.v1.train as train, twinflow.compat.v2 as tf2\n"
        "from twinflow.compat.v1.nn import relu_layer\nfrom twinflow.compat.v2.math import reduce_sum\n"
        "print(train.AdamOptimizer.__name__, tf2.__version__, relu_layer.__name__, reduce_sum is tf2.reduce_sum)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["AdamOptimizer", "2.21.0", "relu_layer", "True"]


def test_the_second_generation_is_the_whole():
    second = tf.compat.v2
    assert (
        second.Variable is tf.Variable
        and second.nn.relu is tf.nn.relu
        and second.compat.v1 is tf.compat.v1
    )
    assert set(dir(second)) - set(dir(tf)) == {"enable_v2_behavior"}
    with pytest.raises(
        AttributeError, match=r"module 'twinflow.compat.v2' has no attribute 'nosuch'"
    ):
        second.nosuch


def test_versions_are_tensorflows():
    assert (
        tf.__version__
        == tf.version.VERSION
        == tf.compat.v1.VERSION
        == tf.compat.v1.__version__
        == "2.21.0"
    )
    assert tf.__git_version__ == tf.version.GIT_VERSION == tf.compat.v1.GIT_VERSION
    assert tf.compat.v1.GRAPH_DEF_VERSION == tf.version.GRAPH_DEF_VERSION == 2474
    assert tf.version.TWINFLOW_VERSION.count(".") == 2


@pytest.mark.parametrize(("module", "name"), [("layers", "dense"), ("nn.rnn_cell", "LSTMCell")])
def test_functions_of_keras_2_are_not_available(module, name):
    found = operator.attrgetter(module)(tf.compat.v1)
    with pytest.raises(AttributeError, match=f"^`{name}` is not available with Keras 3"):
        getattr(found, name)
