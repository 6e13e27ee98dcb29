"""The stubs: all public names are in them, and type checkers understand programs by them."""

from __future__ import annotations

import ast
import os
import pathlib
import subprocess
import sys
import types

import pytest

import twinflow as tf
from tests.harness import in_new_python

PACKAGE = pathlib.Path(tf.__file__).parent
TOOLS = pathlib.Path(__file__).resolve().parents[3] / "tools"
NAMESPACES = """
autograph bitwise compat.v1 compat.v1.nn compat.v1.train config debugging distribute dtypes errors experimental.numpy
image io io.gfile keras keras.losses keras.metrics keras.optimizers keras.optimizers.schedules linalg lookup math
math.special nest nn queue ragged random raw_ops sets signal sparse strings test train types.experimental version
"""

GOOD = """
import twinflow as tf
import twinflow.compat.v1 as tf1
from twinflow import keras
from twinflow.math import reduce_sum

x = tf.constant([[1.0, 2.0]], dtype=tf.float32)
v = tf.Variable(1.0, name="v", trainable=True)
v.assign_add(2.0).assign_sub(1.0)
tf.Variable([1.0, 2.0])[0].assign(v)
y = tf.math.reduce_sum(x, axis=0) + reduce_sum(x, keepdims=True)
rows = [row.numpy() for row in 2.0 * (-y @ tf.transpose(x))[0:1] if row.shape.rank == 0]
with tf.GradientTape(persistent=True) as tape:
    loss = v * v + 1.0
gradient = tape.gradient(loss, v)

@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def f(a: tf.Tensor) -> tf.Tensor:
    return tf.nn.relu(a) * v

class Layer(tf.Module):
    def __init__(self, kernel: tf.Variable) -> None:
        super().__init__(name="layer")
        self.kernel = kernel

optimizer = tf.keras.optimizers.Adam(learning_rate=keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9))
optimizer.apply_gradients([(gradient, v)])
metric: tf.keras.metrics.Metric = tf.keras.metrics.Accuracy()
with tf1.Session() as session:
    session.run(tf1.global_variables_initializer())
kind: tf.DType = tf.as_dtype("int32")
flag: bool = tf.is_tensor(x)
"""

# Lines with an error, and what the error tells.
BAD = {
    "tf.math.reduce_sum(x, axes=0)": 'Unexpected keyword argument "axes" for "reduce_sum"',
    "tf.math.reduce_summ(x)": 'Module has no attribute "reduce_summ"',
    "tf.constant()": 'Missing positional argument "value"',
    "tf.concat([x], axis=0, name=1)": 'Argument "name" to "concat" has incompatible type "int"',
    "tf.no_such_name": 'Module has no attribute "no_such_name"',
    "x.no_such_method()": '"Tensor" has no attribute "no_such_method"',
    "tf.Variable(1.0).asign(2.0)": 'has no attribute "asign"',
}


def stub(path: str) -> pathlib.Path:
    """The stub of a namespace."""
    folder = PACKAGE.joinpath(*filter(None, path.split(".")))
    return folder / "__init__.pyi" if folder.is_dir() else folder.with_suffix(".pyi")


def exported(path: str) -> set[str]:
    """The names that a stub passes on to those who import it."""
    found = set()
    for node in ast.parse(stub(path).read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            found |= {alias.name for alias in node.names if alias.name == alias.asname}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            found.add(ast.unparse(node.target))
        elif isinstance(node, ast.Assign):
            found |= {ast.unparse(target) for target in node.targets}
    return found


@pytest.mark.skipif(not TOOLS.exists(), reason="a source distribution has no tools")
def test_stubs_are_up_to_date() -> None:
    command = [sys.executable, TOOLS / "make_stubs.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr


@pytest.mark.parametrize("path", ["", *NAMESPACES.split()])
def test_public_names_are_in_the_stub(path: str) -> None:
    module = tf
    for name in filter(None, path.split(".")):
        module = getattr(module, name)
    public = {
        name
        for name in dir(module)
        if not name.startswith("_")
        and not (path.startswith("compat") and isinstance(getattr(module, name), types.ModuleType))
    }
    assert public - exported(path) == set()
    assert [name for name in exported(path) if not hasattr(module, name)] == []


def test_type_checkers_are_told_of_the_types() -> None:
    assert (PACKAGE / "py.typed").exists()


def test_folders_of_stubs_are_no_modules() -> None:
    asked = """
        import twinflow.math, twinflow.keras.optimizers.schedules, twinflow.compat.v1.nn
        import twinflow.compat.v1 as tf1, twinflow as tf
        from twinflow import keras
        from twinflow.math import reduce_sum
        same = reduce_sum is tf.math.reduce_sum and keras is tf.keras and tf1 is tf.compat.v1
        print(same, twinflow.math.__spec__, keras.optimizers.Adam.__name__, tf1.nn.relu is tf.nn.relu)
    """
    assert in_new_python(asked) == "True None Adam True"


@pytest.fixture(scope="module")
def check(tmp_path_factory: pytest.TempPathFactory):
    """A function that gives what mypy says of a program."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("typed")

    def checked(program: str) -> str:
        file = folder / "program.py"
        file.write_text(program, "utf-8")
        options = ["--config-file=", "--follow-imports=silent", f"--cache-dir={folder}/cache"]
        done = subprocess.run(
            [sys.executable, "-m", "mypy", *options, str(file)],
            capture_output=True,
            text=True,
            cwd=folder,
            env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
        )
        return done.stdout + done.stderr

    return checked


def test_mypy_takes_a_right_program(check) -> None:
    assert check(GOOD) == "Success: no issues found in 1 source file\n"


def test_mypy_finds_what_is_wrong(check) -> None:
    told = check("import twinflow as tf\nx = tf.constant([1.0])\n" + "\n".join(BAD) + "\n")
    lines = [line for line in told.splitlines() if ": error: " in line]
    assert len(lines) == len(BAD), told
    for line, words in zip(lines, BAD.values()):
        assert words in line
