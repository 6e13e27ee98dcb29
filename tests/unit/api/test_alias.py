"""``import tensorflow`` answered by twinflow: the finder, private names, ``__module__``, ``twinflow.run``."""

import importlib
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import twinflow
from tests.harness import in_new_python
from twinflow._src.api import alias, private_names


@pytest.fixture
def tensorflow():
    yield twinflow.as_tensorflow(force=True)
    alias.switch_off()


def test_names_are_twinflows(tensorflow):
    import tensorflow as tf
    import tensorflow.compat.v2 as tf2
    from tensorflow.math import reduce_sum
    from tensorflow.nn import relu

    assert tf is tensorflow and tf.add is twinflow.add is tf2.add
    assert reduce_sum is twinflow.reduce_sum and relu is twinflow.nn.relu
    assert tf.compat.v1.Session is twinflow.compat.v1.Session
    assert tf.__version__ == "2.21.0" and tf.__name__ == "tensorflow"
    assert importlib.util.find_spec("tensorflow") is tf.__spec__


def test_tensorflow_is_gone_after_the_alias(tensorflow):
    kept = twinflow.Tensor.__module__
    assert kept == "tensorflow.python.framework.tensor"
    alias.switch_off()
    assert twinflow.Tensor.__module__ == "twinflow"
    assert "tensorflow" not in sys.modules
    assert type(twinflow.constant(1)).__module__.startswith("twinflow")
    assert not alias.is_on()


def _rows(are_public):
    """Returns the rows of public objects in private modules, or all others."""
    rows = private_names.rows().values()
    return [row for row in rows if (row.clients == ("programs",)) is are_public]


@pytest.mark.parametrize("row", _rows(False), ids=lambda row: row.name)
def test_each_private_name_is_there(row, tensorflow):
    value = row.object()
    module, _, leaf = row.name.rpartition(".")
    if module.startswith("tf.__"):
        found = private_names.find(row.name)
    else:
        found = getattr(importlib.import_module(module), leaf)
    assert found is value and value is not None
    assert row.clients and all(client.isidentifier() for client in row.clients)


def test_public_objects_are_in_their_private_modules(tensorflow):
    rows = _rows(True)
    for row in rows:
        value = row.object()
        assert value is not None, row
        assert getattr(importlib.import_module(row.module), row.name.rpartition(".")[2]) is value
    assert len(rows) > 1900


def test_programs_import_from_private_modules(tensorflow):
    from tensorflow.core.framework import types_pb2
    from tensorflow.core.protobuf import rewriter_config_pb2, saved_model_pb2
    from tensorflow.python.client import device_lib
    from tensorflow.python.framework import ops
    from tensorflow.python.ops import array_ops, math_ops, nn
    from tensorflow.python.saved_model import signature_constants
    from tensorflow.python.training import training_util

    assert ops.convert_to_tensor is twinflow.compat.v1.convert_to_tensor
    assert math_ops.matmul is twinflow.matmul and nn.relu is twinflow.nn.relu
    assert array_ops.expand_dims is twinflow.compat.v1.expand_dims  # not the one of version 2
    assert training_util.get_global_step is twinflow.compat.v1.train.get_global_step
    assert signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY == "serving_default"
    assert (types_pb2.DT_FLOAT, types_pb2.DT_STRING_REF) == (1, 107)
    assert saved_model_pb2.SavedModel(saved_model_schema_version=1).ByteSize() == 2
    cpu = device_lib.list_local_devices()[0]
    assert (cpu.name, cpu.device_type, cpu.HasField("locality")) == ("/device:CPU:0", "CPU", True)
    config = twinflow.compat.v1.ConfigProto()
    config.graph_options.rewrite_options.remapping = rewriter_config_pb2.RewriterConfig.OFF
    assert "rewrite_options {\n    remapping: OFF" in str(config)


def test_rows_have_one_name_each():
    folder, names = Path(private_names.__file__).parent, []
    for file in ("private_names.txt", "private_modules.txt"):
        for line in (folder / file).read_text("utf-8").splitlines():
            first, *rest = line.partition("#")[0].split() or [""]
            if file == "private_names.txt":
                names += [first] if first else []
            else:
                names += [f"{first}.{name.partition('=')[0]}" for name in rest]
    assert len(names) == len(set(names)) == len(private_names.rows())


@pytest.mark.parametrize(
    "name", ["python.nonsense", "python.framework.nonsense", "compiler.nonsense", "core.nonsense"]
)
def test_other_private_modules_do_not_exist(name, tensorflow):
    with pytest.raises(ImportError, match="private names of TensorFlow that known"):
        importlib.import_module(f"tensorflow.{name}")


def test_other_private_names_do_not_exist(tensorflow):
    with pytest.raises(ImportError):
        from tensorflow.python.framework import nonsense  # noqa: F401
    with pytest.raises(AttributeError, match=r"private_names\.txt"):
        twinflow.__internal__.nonsense
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'tensorflow\.nonsense'"):
        importlib.import_module("tensorflow.nonsense")


def test_modules_of_an_installed_keras(tmp_path):
    package = tmp_path / "keras" / "_tf_keras" / "keras"
    package.mkdir(parents=True)
    names = ("initializers", "losses", "metrics", "optimizers")
    for folder in (tmp_path / "keras", package.parent):
        (folder / "__init__.py").write_text("")
    (package / "__init__.py").write_text(f"from keras._tf_keras.keras import {', '.join(names)}")
    for name in names:
        (package / f"{name}.py").write_text("from_keras = True")
    program = tmp_path / "program.py"
    program.write_text(
        "import tensorflow as tf\n"
        f"for name in {names}:\n"
        "    assert getattr(tf, name).from_keras and getattr(tf.compat.v2, name).from_keras\n"
        "    assert getattr(tf, name) is getattr(tf.keras, name)\n"
        "assert not hasattr(tf.compat.v1.losses, 'from_keras')\n"
        "import tensorflow.compat.v1 as v1\n"
        "assert v1.keras is tf.keras and v1 is tf.compat.v1\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    subprocess.run([sys.executable, "-m", "twinflow.run", str(program)], check=True, env=env)


def test_internal_names_need_no_alias():
    assert (
        in_new_python("""
        import twinflow as tf
        print(tf.__internal__.tracking.Trackable.__name__, sorted(dir(tf.__internal__))[:3])
    """)
        == "Trackable ['CompositeTensor', 'EagerTensor', 'FuncGraph']"
    )


def test_values_are_pickled_under_tensorflows_names(tensorflow):
    values = [tensorflow.TensorShape([1, None]), tensorflow.float32, tensorflow.TensorSpec([2])]
    stored = pickle.dumps(values)
    assert b"tensorflow.python.framework.tensor_shape" in stored
    assert pickle.loads(stored) == values


def test_a_class_is_pickled_under_tensorflows_name(tensorflow):
    kind = tensorflow.name_scope
    assert kind.__name__ == kind.__qualname__ == "name_scope_v2"
    assert pickle.loads(pickle.dumps(kind)) is kind
    alias.switch_off()
    assert kind.__name__ == kind.__qualname__ == "name_scope"


def test_late_classes_are_renamed(tensorflow):
    assert twinflow.lookup.StaticHashTable.__module__ == "tensorflow.python.ops.lookup_ops"
    assert twinflow.errors.NotFoundError.__module__ == "tensorflow.python.framework.errors_impl"


def test_an_imported_tensorflow_is_not_replaced():
    assert "TensorFlow is imported already" in in_new_python("""
        import sys, types
        sys.modules["tensorflow"] = types.ModuleType("tensorflow")
        import twinflow
        try:
            twinflow.as_tensorflow()
        except ImportError as error:
            print(error)
        assert twinflow.as_tensorflow(force=True).add is twinflow.add
    """)


def test_an_installed_tensorflow_is_not_replaced(tmp_path):
    (tmp_path / "tensorflow").mkdir()
    (tmp_path / "tensorflow" / "__init__.py").write_text("name = 'theirs'")
    assert in_new_python(f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        import twinflow
        try:
            twinflow.as_tensorflow()
        except ImportError as error:
            print("TensorFlow is installed" in str(error), "force=True" in str(error))
        import tensorflow
        print(tensorflow.name)
        twinflow.as_tensorflow(force=True)
        import tensorflow
        print(tensorflow.add is twinflow.add)
    """).split() == ["True", "True", "theirs", "True"]


def test_losses_metrics_optimizers_and_initializers_are_those_of_keras(tmp_path):
    """A package that stands for Keras: TensorFlow has four of its modules as names of its own."""
    parts = ("initializers", "losses", "metrics", "optimizers")
    package = tmp_path / "keras" / "_tf_keras" / "keras"
    package.mkdir(parents=True)
    for folder in (package, *list(package.parents)[:2]):
        (folder / "__init__.py").touch()
    for part in parts:
        (package / f"{part}.py").write_text(f"name = {part!r}")
    (package / "__init__.py").write_text(f"from . import {', '.join(parts)}")
    assert in_new_python(f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        import twinflow
        tensorflow = twinflow.as_tensorflow()
        for tf in (tensorflow, tensorflow.compat.v2):
            print(*(getattr(tf, part).name for part in {parts}))
    """).split() == [*parts, *parts]


def test_the_environment_chooses_keras_2(tmp_path):
    """A package that stands for ``tf_keras``, with modules for TensorFlow 2 and 1."""
    parts = ("initializers", "losses", "metrics", "optimizers")
    for version in ("v1", "v2"):
        package = tmp_path / "tf_keras" / "api" / f"_{version}" / "keras"
        legacy = package / "__internal__" / "legacy"
        legacy.mkdir(parents=True)
        for folder in (legacy, *list(legacy.parents)[1:5]):
            (folder / "__init__.py").touch()
        for part in (*parts, "layers"):
            (package / f"{part}.py").write_text(f"name = '{version} {part}'")
        for part in ("layers", "rnn_cell"):
            (legacy / f"{part}.py").write_text(f"name = '{version} {part} legacy'")
        (legacy / "__init__.py").write_text("from . import layers, rnn_cell")
        (legacy.parent / "__init__.py").write_text("from . import legacy")
        (package / "__init__.py").write_text(f"from . import {', '.join(parts)}, __internal__")
    program = tmp_path / "program.py"
    program.write_text(
        "import tensorflow as tf\n"
        "import tensorflow.compat.v1 as v1\n"
        "import tensorflow.keras.layers as layers\n"
        "import tensorflow.compat.v1.keras.layers as layers_v1\n"
        "import tensorflow.compat.v1.layers as legacy_v1\n"
        f"for part in {parts}:\n"
        "    assert getattr(tf, part).name == getattr(tf.compat.v2, part).name == f'v2 {part}'\n"
        "    assert getattr(tf.keras, part).name == f'v2 {part}'\n"
        "    assert getattr(v1.keras, part).name == f'v1 {part}'\n"
        "    assert not hasattr(getattr(v1, part), 'name')\n"
        "print(layers.name, layers_v1.name, legacy_v1.name, v1.layers.name, v1.nn.rnn_cell.name, sep=', ')\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    for choice in ("1", "true", "True"):
        env = {**os.environ, "PYTHONPATH": path, "TF_USE_LEGACY_KERAS": choice}
        command = [sys.executable, "-m", "twinflow.run", str(program)]
        result = subprocess.run(command, check=True, env=env, capture_output=True, text=True)
        assert result.stdout.split(", ") == [
            "v2 layers", "v1 layers", "v1 layers legacy", "v1 layers legacy", "v1 rnn_cell legacy\n",
        ]  # fmt: skip


def test_a_chosen_keras_2_must_be_installed():
    text = in_new_python("""
        import os
        os.environ["TF_USE_LEGACY_KERAS"] = "1"
        import twinflow
        tf = twinflow.as_tensorflow()
        for use in ("tf.keras", "tf.losses", "tf.compat.v1.layers.dense"):
            try:
                eval(use)
            except ImportError as error:
                print(error)
        os.environ["TF_USE_LEGACY_KERAS"] = "0"
        try:
            tf.compat.v1.layers.dense
        except AttributeError as error:
            print(error)
    """)
    assert text.splitlines() == [
        *["Keras cannot be imported. Check that it is installed."] * 3,
        "`dense` is not available with Keras 3.",
    ]


# ------------------------------------------------------------------ python -m twinflow.run


def run(*arguments, cwd=None, **options):
    env = {**os.environ, "PYTHONPATH": str(Path(twinflow.__file__).parents[1])}
    command = [sys.executable, "-m", "twinflow.run", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env, **options)


def test_runs_a_program_as_python_does(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, beside\n"
        "import tensorflow as tf\n"
        "print(__name__, sys.argv[1:], sys.path[0] == beside.where, float(tf.add(1., 2.)))\n"
        "print(sys.modules['__main__'].__file__ == sys.argv[0] == __file__)\n"
        "sys.exit(3)\n"
    )
    (tmp_path / "beside.py").write_text("import os\nwhere = os.path.dirname(__file__)\n")
    done = run(str(program), "a", "-b")
    assert done.stdout.splitlines() == ["__main__ ['a', '-b'] True 3.0", "True"], done.stderr
    assert done.returncode == 3


def test_errors_are_shown_as_python_shows_them(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("def f():\n    raise ValueError('here')\nf()\n")
    plain = [sys.executable, "program.py"]
    done, plain = (
        run("program.py", cwd=tmp_path),
        subprocess.run(plain, capture_output=True, text=True, cwd=tmp_path),
    )
    assert (done.returncode, done.stderr) == (plain.returncode, plain.stderr)
    program.write_text("x = (\n")
    done, plain = (
        run(str(program)),
        subprocess.run([sys.executable, program], capture_output=True, text=True),
    )
    assert done.returncode == plain.returncode == 1
    assert done.stderr.splitlines()[-1] == plain.stderr.splitlines()[-1]
    done, plain = (
        run("absent.py"),
        subprocess.run([sys.executable, "absent.py"], capture_output=True, text=True),
    )
    assert (done.returncode, done.stderr) == (plain.returncode, plain.stderr)


def test_runs_modules_and_commands(tmp_path):
    (tmp_path / "part.py").write_text(
        "import sys, tensorflow as tf\nprint(__name__, sys.argv[1:], tf.__version__)\n"
    )
    done = run("-m", "part", "x", cwd=tmp_path)
    assert done.stdout.strip() == "__main__ ['x'] 2.21.0", done.stderr
    done = run("-c", "import sys, tensorflow as tf; print(sys.argv, tf.math.__name__)", "y")
    assert done.stdout.strip() == "['-c', 'y'] twinflow.math", done.stderr
    assert run().returncode == run("-m").returncode == 2
    assert run("--help").returncode == 0


def test_runs_pytest(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import tensorflow as tf\ndef test_sum():\n    assert tf.reduce_sum([1, 2]) == 3\n"
        "def test_wrong():\n    assert tf.constant(1) == 2\n"
    )
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py", cwd=tmp_path)
    assert done.returncode == 1 and "1 failed, 1 passed" in done.stdout, done.stdout


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_child_processes_have_the_alias(tmp_path, method):
    program = tmp_path / "program.py"
    program.write_text(
        "import multiprocessing, sys\n"
        "import tensorflow as tf\n"
        "def double(x):\n    return x * 2\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:\n"
        "        print(pool.map(double, [tf.constant([1, 2])])[0].numpy().tolist())\n"
    )
    done = run(str(program), method, timeout=300)
    assert done.stdout.strip() == "[2, 4]", done.stderr


def test_errors_of_converted_functions_keep_their_class(tensorflow):
    @tensorflow.function
    def elements(x):
        return [2 * y for y in x]

    with pytest.raises(TypeError) as caught:
        elements(tensorflow.constant([1, 2, 3]))
    assert type(caught.value) is tensorflow.errors.OperatorNotAllowedInGraphError
