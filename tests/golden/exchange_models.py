"""SavedModels that one of twinflow and TensorFlow writes and the other loads.

python tests/golden/exchange_models.py write twinflow build/exchange/models
python tests/golden/exchange_models.py check tensorflow build/exchange/models

The writer records the results of its functions; who checks calls the loaded functions, saves the
loaded model again, loads it and calls them once more. The first argument is ``write`` or ``check``,
the second the package.
"""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import sys
from typing import Any

import numpy as np

tf: Any = None  # the package
MODELS: dict[str, Any] = {}


def model(function):
    MODELS[function.__name__] = function
    return function


def _traced(function, *specs):
    return tf.function(function, input_signature=list(specs))


def _floats(*shape):
    return tf.TensorSpec(list(shape), tf.float32)


def _strings(*shape):
    return tf.TensorSpec(list(shape), tf.string)


# Each model returns a module and calls: the name of a function, or "signature:" and its name, and
# the arguments.


@model
def dense(folder):
    of = tf.Module()
    of.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
    of.b = tf.Variable([0.5, -0.5], name="b")
    of.f = _traced(lambda x: tf.nn.relu(tf.matmul(x, of.w) + of.b), _floats(None, 2))
    return of, [("f", [[[1.0, -2.0]]])]


@model
def traces(folder):
    of = tf.Module()

    def f(x, training=False, *, scale=None):
        y = x * 2.0 if training else x
        return {"y": y if scale is None else y * scale, "z": [x, (x, x + 1.0)]}

    of.f = tf.function(f)
    x = tf.constant([1.0])
    of.f(x), of.f(x, True), of.f(x, True, scale=tf.constant(3.0))
    return of, [("f", [[1.0]]), ("f", [[2.0], True])]


@model
def defaults(folder):
    of = tf.Module()
    specs = [_floats(), _floats()]
    of.f = tf.function(lambda x, y=2.0: x + y, input_signature=specs)
    of.g = tf.function(lambda x, y=2: x * y)
    of.g(tf.constant(1.0)), of.g(tf.constant(1.0), 5)
    return of, [("f", [1.0, 3.0]), ("f", [1.0]), ("g", [3.0, 5]), ("g", [3.0])]


@model
def loops(folder):
    of = tf.Module()
    of.v = tf.Variable(2.0)

    def f(n):
        x = tf.constant(1.0)
        for i in tf.range(n):
            x = x * of.v + tf.cast(i, tf.float32)
            if x > 100.0:
                break
        return x

    of.f = _traced(f, tf.TensorSpec([], tf.int32))
    of.g = _traced(lambda x: tf.scan(lambda a, b: a * b, x), _floats(None))
    of.h = _traced(lambda x: tf.map_fn(lambda y: y * y, x), _floats(None))
    return of, [("f", [3]), ("f", [30]), ("g", [[1.0, 2.0, 3.0]]), ("h", [[1.0, 2.0]])]


@model
def branches(folder):
    of = tf.Module()
    of.v = tf.Variable(2.0)
    of.f = _traced(lambda x: tf.cond(x > 0.0, lambda: x * of.v, lambda: -x), _floats())
    cases = [lambda: tf.constant(1.0), lambda: of.v * 3.0, lambda: of.v - 5.0]
    of.g = _traced(lambda i: tf.switch_case(i, cases), tf.TensorSpec([], tf.int32))
    return of, [("f", [2.0]), ("f", [-2.0]), ("g", [0]), ("g", [1]), ("g", [7])]


@model
def static_tables(folder):
    of, words = tf.Module(), folder / "words.txt"
    words.write_text("a\nb\nc\n")
    index = tf.lookup.TextFileIndex
    lines = tf.lookup.TextFileInitializer(
        str(words), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
    )
    pairs = tf.lookup.KeyValueTensorInitializer(["x", "y"], [1.0, 2.0])
    of.lines = tf.lookup.StaticHashTable(lines, -1)
    of.pairs = tf.lookup.StaticHashTable(pairs, -1.0)
    of.words = tf.lookup.StaticVocabularyTable(lines, 2)
    look = lambda x: (of.lines.lookup(x), of.pairs.lookup(x), of.words.lookup(x), of.lines.size())
    of.f = _traced(look, _strings(None))
    return of, [("f", [["a", "c", "x", "other"]])]


@model
def mutable_tables(folder):
    of = tf.Module()
    of.t = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    of.d = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, -1.0, 0, -1, 8)
    of.t.insert(["q"], [7])
    of.d.insert([5], [6.0])
    of.f = _traced(lambda x: of.t.lookup(x), _strings(None))
    of.g = _traced(lambda x: of.d.lookup(x), tf.TensorSpec([None], tf.int64))

    def insert(keys, values):
        of.t.insert(keys, values)
        return of.t.size()

    of.h = _traced(insert, _strings(None), tf.TensorSpec([None], tf.int64))
    look = ("f", [["q", "n"]])
    return of, [look, ("g", [np.array([5, 6])]), ("h", [["n"], np.array([3])]), look]


@model
def tables_in_loops(folder):
    of = tf.Module()
    pairs = tf.lookup.KeyValueTensorInitializer(["x", "y"], [1.0, 2.0])
    of.t = tf.lookup.StaticHashTable(pairs, -1.0)

    def f(words):
        total = tf.constant(0.0)
        for word in words:
            if tf.strings.length(word) > 0:
                total += of.t.lookup(word)
        return total

    of.f = _traced(f, _strings(None))
    return of, [("f", [["x", "y", "", "z"]])]


@model
def assets(folder):
    of, file = tf.Module(), folder / "text.txt"
    file.write_text("some text")
    of.asset = tf.saved_model.Asset(str(file))
    of.f = _traced(lambda: tf.io.read_file(of.asset.asset_path))
    return of, [("f", [])]


@model
def constants(folder):
    of = tf.Module()
    of.k = tf.constant(np.arange(400, dtype=np.float32).reshape(20, 20))
    of.f = _traced(lambda i: of.k[i] * 2.0, tf.TensorSpec([], tf.int32))
    return of, [("f", [3])]


@model
def dtypes(folder):
    of = tf.Module()
    names = ["float64", "float16", "bfloat16", "int8", "int64", "uint8", "bool", "complex64"]
    of.all = [tf.Variable(tf.cast([1, 0], name)) for name in names]
    of.text = tf.Variable(["a", "b"])
    of.f = _traced(lambda: [tf.cast(v, tf.float32) for v in of.all[:-1]])
    of.g = _traced(lambda: (of.all[-1] * 2.0, of.text + "!"))
    return of, [("f", []), ("g", [])]


@model
def containers(folder):
    of = tf.Module()
    of.list = [tf.Variable(1.0), {"a": tf.Variable(2.0), "b": [tf.Variable(3.0)]}]
    of.pair = (tf.Variable(4.0), tf.Variable(5.0))
    of.inner = tf.Module()
    of.inner.v = tf.Variable(6.0)
    of.f = _traced(
        lambda: of.list[0] + of.list[1]["a"] * of.list[1]["b"][0] + of.pair[1] * of.inner.v
    )
    return of, [("f", [])]


@model
def state(folder):
    of = tf.Module()
    of.count = tf.Variable(0, trainable=False)

    def f(by):
        of.count.assign_add(by)
        return of.count.read_value()

    of.f = _traced(f, tf.TensorSpec([], tf.int32))
    return of, [("f", [2]), ("f", [3])]


@model
def gradients(folder):
    of = tf.Module()
    of.w = tf.Variable([2.0, 3.0])

    def f(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(of.w * x))
        return loss, tape.gradient(loss, of.w)

    of.f = _traced(f, _floats(2))
    return of, [("f", [[1.0, 2.0]])]


@model
def custom_gradients(folder):
    @tf.custom_gradient
    def product(x, y):
        z = x * y
        return z, lambda dz: (dz * 100.0 * y + z, dz * 7.0)

    of = tf.Module()
    of.f = _traced(lambda x, y: product(x, y), _floats(), _floats())
    return of, [("gradient:f", [2.0, 5.0])]


@model
def ragged(folder):
    of = tf.Module()
    spec = tf.RaggedTensorSpec([None, None], tf.float32)
    of.f = _traced(lambda x: tf.reduce_sum(x.values), spec)
    of.g = _traced(lambda x: x.with_values(x.values * 2.0), spec)
    return of, [
        ("f", [tf.ragged.constant([[1.0, 2.0], [3.0]])]),
        ("g", [tf.ragged.constant([[1.0], []])]),
    ]


@model
def sparse(folder):
    of = tf.Module()
    spec = tf.SparseTensorSpec([None, 3], tf.float32)
    of.f = _traced(lambda x: x * 2.0, spec)
    of.g = _traced(lambda x: tf.sparse.to_dense(x), spec)
    x = tf.sparse.from_dense([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    return of, [("f", [x]), ("g", [x])]


@model
def images(folder):
    of = tf.Module()
    of.k = tf.Variable(np.linspace(-1.0, 1.0, 18).reshape(3, 3, 1, 2).astype(np.float32))

    def f(x):
        y = tf.nn.conv2d(x, of.k, strides=2, padding="SAME")
        return tf.nn.max_pool2d(tf.nn.tanh(y), 2, 1, "VALID")

    of.f = _traced(f, _floats(None, 6, 6, 1))
    return of, [("f", [np.arange(36, dtype=np.float32).reshape(1, 6, 6, 1) / 36.0])]


@model
def signatures(folder):
    of = tf.Module()
    of.v = tf.Variable(2.0)
    of.f = _traced(lambda n, a: {"sum": n + a * of.v, "n": n}, _floats(), _floats(None))
    of.g = _traced(lambda text: tf.strings.upper(text), _strings(None))
    named = {"serving_default": of.f, "upper": of.g}
    return of, [("signature:serving_default", {"n": 1.0, "a": [1.0, 2.0]}),
                ("signature:upper", {"text": ["a"]})], named  # fmt: skip


@model
def resources(folder):
    class Table(tf.saved_model.experimental.TrackableResource):
        """A table that a file fills."""

        def __init__(self, path):
            super().__init__()
            self.file = self._track_trackable(tf.saved_model.Asset(path), "file")
            self._initialize()

        def _create_resource(self):
            return tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64)

        def _initialize(self):
            lines = tf.strings.split(tf.io.read_file(self.file.asset_path), "\n")[:-1]
            numbers = tf.cast(tf.range(tf.size(lines)), tf.int64)
            handle = self.resource_handle
            tf.raw_ops.LookupTableImportV2(table_handle=handle, keys=lines, values=numbers)

        def lookup(self, keys):
            default, find = tf.constant(-1, tf.int64), tf.raw_ops.LookupTableFindV2
            return find(table_handle=self.resource_handle, keys=keys, default_value=default)

    class Ones(tf.saved_model.experimental.TrackableResource):
        """A variable that is no ``tf.Variable``."""

        def __init__(self):
            super().__init__()
            self._initialize()

        def _create_resource(self):
            return tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2])

        def _initialize(self):
            tf.raw_ops.AssignVariableOp(resource=self.resource_handle, value=tf.ones([2]))

        def _destroy_resource(self):
            tf.raw_ops.DestroyResourceOp(resource=self.resource_handle)

    of, words = tf.Module(), folder / "lines.txt"
    words.write_text("a\nb\n")
    of.table, of.ones = Table(str(words)), Ones()
    of.f = _traced(lambda x: of.table.lookup(x), _strings(None))
    read = lambda: tf.raw_ops.ReadVariableOp(resource=of.ones.resource_handle, dtype=tf.float32)
    of.g = _traced(lambda x: x + read(), _floats(2))
    return of, [("f", [["b", "c"]]), ("g", [[1.0, 2.0]])]


@model
def order(folder):
    of = tf.Module()

    def f(x):
        numbers = tf.cast(x * x, tf.uint8)
        indices = tf.argsort(x), tf.argsort(x, axis=0, direction="DESCENDING")
        whole = tf.sort(tf.cast(x, tf.int32)), tf.sort(numbers, axis=0)
        return tf.sort(x), tf.sort(x, direction="DESCENDING"), indices, whole

    of.f = _traced(f, _floats(None, 3))
    return of, [("f", [[[3.0, -1.0, 2.0], [0.0, 0.0, -5.0]]])]


@model
def code_points(folder):
    of, of_text = tf.Module(), tf.strings

    def f(text):
        points = of_text.unicode_decode(text, "UTF-8")
        whole = points, of_text.unicode_encode(points, "UTF-8"), points.to_tensor()
        parts = of_text.unicode_split_with_offsets(text, "UTF-8")
        return whole, parts, of_text.unicode_transcode(text, "UTF-8", "UTF-16-BE")

    of.f = _traced(f, _strings(None))
    of.g = _traced(lambda text: of_text.unicode_split(text, "UTF-8"), _strings())
    of.h = _traced(lambda x: of_text.format("a {} b {}", (x, x + 1.0)), _floats(None))
    of.i = _traced(lambda text: of_text.split(text).to_tensor(), _strings(None))
    words = ["héllo", "", "ab c"]
    return of, [("f", [words]), ("g", [tf.constant("hé")]), ("h", [[1.0, 2.0]]), ("i", [words])]


@model
def ragged_rows(folder):
    of = tf.Module()
    spec = tf.RaggedTensorSpec([None, None], tf.float32)

    def f(x):
        joined = tf.concat([x, x * 2.0], 1), tf.concat([x, x, x], 0)
        return joined, tf.gather(x, [1, 0, 1]), x.to_sparse()

    of.f = _traced(f, spec)
    of.g = _traced(lambda x: tf.reduce_sum(tf.square(tf.concat([x, x * 2.0], 1).values)), spec)
    of.h = _traced(lambda x: tf.RaggedTensor.from_tensor(x), _floats(None, 2))
    rows = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    return of, [("f", [rows]), ("g", [rows]), ("h", [[[1.0, 2.0]]])]


@model
def spaced(folder):
    of = tf.Module()

    def f(x, n):
        return tf.linspace(x, x * 2.0, 4, axis=-1), tf.linspace(x[0], 10.0, n)

    of.f = _traced(f, _floats(None), tf.TensorSpec([], tf.int32))
    of.g = _traced(lambda x: tf.histogram_fixed_width_bins(x, [0.0, 5.0], 5), _floats(None))
    calls = [("f", [[1.0, 2.0], tf.constant(5)]), ("f", [[1.0], tf.constant(1)])]
    return of, [*calls, ("g", [[-1.0, 0.0, 1.5, 15.0]])]


@model
def ragged_parts(folder):
    of, spec = tf.Module(), tf.RaggedTensorSpec([None, None], tf.float32)

    def f(x, i):
        parts = x[i], x[1:], x[:, 1:], x[:-1, -2:], x[:, ::2]
        return parts, tf.ragged.boolean_mask(x, x > 1.0), tf.ragged.stack([x, x])

    of.f = _traced(f, spec, tf.TensorSpec([], tf.int32))
    of.g = _traced(lambda a: tf.ragged.range(a, a * 3, 2), tf.TensorSpec([None], tf.int32))
    of.h = _traced(lambda x: tf.ragged.boolean_mask(x, x > 1.0), _floats(None, None))
    rows = tf.ragged.constant([[1.0, 2.0, 3.0], [], [4.0, 5.0]])
    calls = [("f", [rows, tf.constant(2)]), ("g", [tf.constant([2, 0, 3])])]
    return of, [*calls, ("h", [[[1.0, 2.0], [3.0, 0.0]]])]


@model
def words(folder):
    of, spec = tf.Module(), tf.RaggedTensorSpec([None, None], tf.string)

    def f(x):
        return tf.strings.ngrams(x, 2), tf.strings.bytes_split(x)

    of.f = _traced(f, spec)
    of.g = _traced(lambda x: tf.strings.ngrams(x, [1, 2], "-", ("<", ">")), _strings(None, None))
    of.h = _traced(lambda x: tf.strings.bytes_split(x), _strings(None))
    rows = tf.ragged.constant([["aa", "b", "c"], [], ["dd", "e"]])
    return of, [("f", [rows]), ("g", [[["a", "b"], ["c", "d"]]]), ("h", [["ab", "", "c"]])]


@model
def recomputed(folder):
    of = tf.Module()
    of.f = _traced(tf.recompute_grad(lambda x: tf.sin(x) * tf.cos(x)), _floats(None))
    return of, [("f", [[1.0]]), ("gradient:f", [[1.0]])]


@model
def checks(folder):
    of = tf.Module()

    def f(x):
        tf.debugging.assert_positive(x)
        tf.print("x", x, output_stream=sys.stdout)
        return tf.debugging.check_numerics(tf.math.log(x), "log")

    of.f = _traced(f, _floats())
    return of, [("f", [1.0])]


@model
def random(folder):
    of = tf.Module()
    of.f = _traced(lambda seed: tf.random.stateless_normal([3], seed), tf.TensorSpec([2], tf.int32))
    return of, [("f", [[1, 2]])]


@model
def v1_graph(folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        w = v1.get_variable("w", initializer=[[1.0], [2.0]], use_resource=False)
        b = v1.get_variable("b", initializer=[0.5], use_resource=True)
        pairs = tf.lookup.KeyValueTensorInitializer(["x", "y"], [1.0, 2.0])
        table = v1.lookup.StaticHashTable(pairs, -1.0)
        words = v1.placeholder(tf.string, [None], name="words")
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        inputs, outputs = {"x": x, "words": words}, {"y": x @ w + b, "z": table.lookup(words)}
        initialize = v1.tables_initializer()
        v1.saved_model.simple_save(session, str(folder / "model"), inputs, outputs, initialize)
    return None, [("signature:serving_default", {"x": [[1.0, 2.0]], "words": ["y", "q"]})]


# ------------------------------------------------------------------ runs


def _plain(value):
    """Returns a result as lists of numbers and texts."""
    flat = [
        x.numpy() if hasattr(x, "numpy") else x
        for x in tf.nest.flatten(value, expand_composites=True)
    ]
    return [_listed(np.asarray(x)) for x in flat]


def _listed(array):
    if array.dtype.kind in "OSU":
        items = array.reshape(-1)
        return [x.decode("utf-8", "replace") if isinstance(x, bytes) else str(x) for x in items]
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag])
    return np.asarray(array, np.float64).reshape(-1).tolist()


def _call(loaded, name, arguments):
    kind, _, function = name.rpartition(":")
    if kind == "signature":
        signature = loaded.signatures[function]
        specs = signature.structured_input_signature[1]
        inputs = {k: tf.constant(v, specs[k].dtype) for k, v in arguments.items()}
        results = signature(**inputs)
        return _plain([results[key] for key in sorted(results)])
    values = [tf.constant(x) if isinstance(x, (float, list)) else x for x in arguments]
    if kind == "gradient":
        with tf.GradientTape() as tape:
            tape.watch(values)
            result = getattr(loaded, function)(*values)
        return _plain(tape.gradient(result, values))
    return _plain(getattr(loaded, function)(*values))


def _made(name, folder):
    folder.mkdir(parents=True, exist_ok=True)
    built = MODELS[name](folder)
    return (*built, None) if len(built) == 2 else built


def write(root):
    for name in MODELS:
        folder = root / name
        of, calls, named = _made(name, folder)
        if of is not None:
            tf.saved_model.save(of, str(folder / "model"), signatures=named)
        loaded = tf.saved_model.load(str(folder / "model"))
        results = [_call(loaded, *call) for call in calls]
        (folder / "results.json").write_text(json.dumps(results))
        for file in folder.glob("*.txt"):
            file.unlink()  # the model has its own copy
    print(f"{len(MODELS)} models written by {tf.__name__}")


def check(root):
    failed = []
    for name in MODELS:
        folder = root / name
        try:
            _, calls, _ = _made(name, folder / "again")
            expected = json.loads((folder / "results.json").read_text())
            loaded = tf.saved_model.load(str(folder / "model"))
            _compare(loaded, calls, expected)
            if name != "v1_graph":  # TensorFlow loses its reference variables
                loaded = tf.saved_model.load(str(folder / "model"))
                named = dict(loaded.signatures) or None
                tf.saved_model.save(loaded, str(folder / "saved_again"), signatures=named)
                _compare(tf.saved_model.load(str(folder / "saved_again")), calls, expected)
        except Exception as error:  # what one model raises is reported with the others
            failed.append(f"{name}: {type(error).__name__}: {str(error)[:600]}")
    print("\n".join(failed))
    print(f"{len(MODELS) - len(failed)} of {len(MODELS)} models loaded by {tf.__name__}")
    sys.exit(bool(failed))


def _compare(loaded, calls, expected):
    for call, wanted in zip(calls, expected):
        actual = _call(loaded, *call)
        assert len(actual) == len(wanted), (call, actual, wanted)
        for a, b in zip(actual, wanted):
            if b and isinstance(b[0], str):
                assert a == b, (call, actual, wanted)
            else:
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6, err_msg=str(call))


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    action, package, path = sys.argv[1:]
    tf = importlib.import_module(package)
    {"write": write, "check": check}[action](pathlib.Path(path).resolve())
