"""``tf.function``: when it traces, what it keeps, and that it gives what Python gives."""

import copy
import inspect
import threading
import tracemalloc
import types

import numpy as np
import pytest

import twinflow as tf
from tests.compiling import HostKernel
from twinflow._src.backends.cpu import parallel
from twinflow._src.compiler import fuse_elementwise
from twinflow._src.compiler.lower import Step
from twinflow._src.compiler.program import Program, needed


@pytest.fixture(autouse=True)
def usual():
    yield
    tf.config.run_functions_eagerly(False)


def counting(**options):
    """A function that says how often it was traced."""
    seen = []

    @tf.function(**options)
    def traced(x, *rest, **more):
        seen.append(x)
        return x

    traced.seen = seen
    return traced


@pytest.mark.parametrize(
    ("calls", "count"),
    [
        ([1, 1, 2], 2),
        ([1, 1.0, True], 1),
        ([tf.constant(1), tf.constant(2)], 1),
        ([tf.constant(1), tf.constant(1.0)], 2),
        ([tf.constant([1]), tf.constant([1, 2])], 2),
        ([[tf.constant(1)], (tf.constant(1),)], 2),
        ([{"a": tf.constant(1)}, {"a": tf.constant(5)}, {"b": tf.constant(5)}], 2),
        ([np.float32(1), tf.constant(2.0)], 1),
        ([tf.Variable(1.0), tf.Variable(2.0)], 1),
        (["a", "a", "b", None], 3),
    ],
    ids=str,
)
def test_traces(calls, count):
    traced = counting()
    for argument in calls:
        traced(argument)
    assert len(traced.seen) == count == traced.experimental_get_tracing_count()


def test_reduced_retracing():
    traced = counting(reduce_retracing=True)
    for n in range(1, 6):
        assert traced(tf.ones([n])).shape == [n]
    assert len(traced.seen) == 2
    assert traced.seen[1].shape == [None]


def test_side_effects_happen_once():
    log, total = [], tf.Variable(0)

    @tf.function
    def add(x):
        log.append("traced")
        total.assign_add(x)
        return total.read_value()

    assert [int(add(tf.constant(v))) for v in (1, 2, 3)] == [1, 3, 6]
    assert log == ["traced"]


def test_variables_are_made_once():
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = None

        @tf.function
        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(tf.ones_like(x) * 2.0)
            return x * self.w

    first, second = Model(), Model()
    assert first(tf.constant([1.0, 3.0])).numpy().tolist() == [2.0, 6.0]
    assert second(tf.constant([5.0])).numpy().tolist() == [10.0]
    assert first.w.shape == [2]
    with pytest.raises(
        ValueError, match=r"only supports singleton tf\.Variables created on the first call"
    ):
        tf.function(lambda: tf.Variable(1.0))()


def test_other_variables_can_be_passed():
    double = tf.function(lambda v: v.assign(v * 2.0))
    a, b = tf.Variable(1.0), tf.Variable(10.0)
    for v in (a, b, a):
        double(v)
    assert (float(a), float(b)) == (4.0, 20.0)
    assert double.experimental_get_tracing_count() == 1


def test_an_error_names_the_line_and_leaves_the_variable():
    v = tf.Variable(1.0)

    @tf.function
    def step(x):
        v.assign_add(x)
        return tf.gather([1, 2], 5)

    with pytest.raises(tf.errors.InvalidArgumentError, match="Detected at node GatherV2"):
        step(tf.constant(1.0))

    @tf.function
    def refused(x):
        return x + "a"

    with pytest.raises(
        TypeError, match=r"in user code:\n\n    File .*test_function.py.*in refused  \*"
    ):
        refused(tf.constant(1))


def test_a_tensor_does_not_leave_its_graph():
    kept = []

    @tf.function
    def leak(x):
        kept.append(x + 1)
        return x

    leak(tf.constant(1))
    with pytest.raises(TypeError, match="is out of scope and cannot be used here"):
        kept[0] + 1


def test_run_eagerly():
    seen = []
    f = tf.function(lambda x: seen.append(x.numpy()) or x)
    tf.config.run_functions_eagerly(True)
    f(tf.constant(3))
    assert tf.config.functions_run_eagerly()
    assert seen == [3]


def test_random_numbers_of_a_function_have_a_stream_of_their_own():
    @tf.function
    def draw():
        return tf.random.uniform([2]), tf.random.normal([2])

    tf.random.set_seed(7)
    first = [[t.numpy().tolist() for t in draw()] for _ in range(2)]
    tf.random.set_seed(7)
    assert [[t.numpy().tolist() for t in draw()] for _ in range(2)] == first
    assert first[0] != first[1]


def test_custom_gradients_inside_and_around():
    @tf.custom_gradient
    def clipped(x):
        return x * x, lambda dy: dy * tf.clip_by_value(x, -1.0, 1.0)

    f = tf.function(lambda x: clipped(x) * 3.0)
    x = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert float(tape.gradient(y, x)) == 3.0

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = clipped(x)
        return tape.gradient(y, x)

    assert float(inside(x)) == 1.0
    assert float(tf.function(lambda x: inside(x) + inside(-x * 0.1))(x)) == 0.5


def test_threads_share_a_function():
    v, f = tf.Variable(0), tf.function(lambda v, x: v.assign_add(x))
    threads = [
        threading.Thread(target=lambda: [f(v, tf.constant(1)) for _ in range(50)]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert int(v) == 400
    assert f.experimental_get_tracing_count() == 1


# ------------------------------------------------------------------ programs


def chain(a, b, c, d):
    return tf.tanh(a * b + c) * d, tf.sigmoid(a) - tf.nn.relu(b)


@pytest.mark.parametrize(
    "size", [1, fuse_elementwise.LEAST - 1, fuse_elementwise.LEAST, fuse_elementwise.LEAST + 12345]
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_fused_bits_are_those_of_single_operations(size, dtype):
    numbers = np.random.default_rng(0)
    given = [tf.constant(numbers.standard_normal(size).astype(dtype)) for _ in range(4)]
    for one, other in zip(chain(*given), tf.function(chain)(*given), strict=True):
        assert one.numpy().tobytes() == other.numpy().tobytes()


def test_every_fused_operation_is_elementwise():
    """Parts of samples give the parts of the result, for each op that chains may hold."""
    from tests import samples
    from twinflow._src.backends.cpu.float32_functions import VECTOR
    from twinflow._src.dispatch.op import OPS

    checked = set()
    for type in {op.type for op in OPS.values() if op.each} & set(samples.SAMPLES):
        for sample in samples.SAMPLES[type]:
            arrays = [np.asarray(x) for x in sample.inputs if not isinstance(x, list)]
            same = len(arrays) == len(sample.inputs) and len({a.shape for a in arrays}) == 1
            if not same or arrays[0].ndim != 1 or arrays[0].size < 2:
                continue
            # blocks of chains are multiples of vectors
            arrays = [np.resize(a, 3 * VECTOR + 5) for a in arrays]
            half = 2 * VECTOR
            kernel, attrs = OPS[type].kernel, dict(sample.attrs)
            if type == "Cast":
                attrs = {"dtype": tf.as_dtype(attrs["dtype"])}
            with np.errstate(all="ignore"):
                whole = kernel(np, *arrays, **attrs)
                halves = [[a[s] for a in arrays] for s in (slice(half), slice(half, None))]
                parts = [kernel(np, *part, **attrs) for part in halves]
            joined = np.concatenate(parts)
            if whole.dtype.kind == "V":  # NumPy does not know that NaN of these types are such
                joined, whole = joined.astype("float64"), whole.astype("float64")
            np.testing.assert_array_equal(joined, whole, err_msg=type)
            checked.add(type)
    assert len(checked) > 30


class _Module:
    """CuPy's compiler, which is that of the host."""

    def __init__(self, folder):
        self.folder, self.compiled = folder, []

    def ElementwiseKernel(self, *args, **options):
        self.compiled.append(HostKernel(self.folder, *args, **options))
        return self.compiled[-1]


@pytest.mark.parametrize(
    "shape, row",
    [
        ((4099, 64), (64,)),
        ((9, 7, 5, 900), (5, 900)),
        ((300, 500), (1, 1, 500)),
        ((2, 70_000), (70_000,)),
    ],
)
def test_rows_go_along_with_chains(shape, row, monkeypatch):
    x, r, s = (
        np.random.default_rng(n).normal(size=size).astype("f4")
        for n, size in enumerate((shape, row, shape[-1:]))
    )
    function = tf.function(lambda x, r, s: (tf.nn.relu(x + r), (x * 2.0 - r) * x + s))
    expected = [np.maximum(x + r, 0), (x * np.float32(2) - r) * x + s]
    for threads in (1, 3):
        monkeypatch.setattr(parallel, "_allowed", threads)
        for one, other in zip(function(x, r, s), expected, strict=True):
            assert np.array_equal(one, other)


def _steps_elsewhere(function, size, folder):
    """The steps of a function as if a GPU were to run them: what a program would chain there."""
    concrete = tf.function(function).get_concrete_function(*[tf.TensorSpec([size], tf.float32)] * 4)
    gpu = types.SimpleNamespace(kind="GPU", remote=False, xp=_Module(folder))
    program = Program(concrete.graph.get_operations(), concrete.inputs, concrete.outputs)
    steps = [
        Step(node.definition.kernel, tuple(map(program._slot, node.inputs)), node.attrs,
             program._slot(node.outputs[0]), (), node, gpu)
        for node in concrete.graph.get_operations()
        if node.inputs and node.type != "Identity"
    ]  # fmt: skip
    return program, steps, gpu.xp


def test_chains_on_another_device_are_one_kernel(tmp_path):
    program, steps, module = _steps_elsewhere(chain, 10_000, tmp_path)
    kept = {
        program._slot(step.node.outputs[0]) for step in steps if step.node.type in ("Mul", "Sub")
    }
    (step,) = fuse_elementwise.fused(steps, kept)
    assert type(step.kernel) is fuse_elementwise.Generated
    rng = np.random.default_rng(1)
    arrays = [rng.random(10_000).astype(np.float32) for _ in step.reads]
    for _ in range(2):
        product, *_, last, difference = step.kernel(module, *arrays)
    a, b, c, d = arrays
    assert len(module.compiled) == 1
    np.testing.assert_array_equal(product, a * b)
    np.testing.assert_allclose(last, np.tanh(a * b + c) * d, rtol=1e-6)
    np.testing.assert_allclose(difference, 1 / (1 + np.exp(-a)) - b, rtol=1e-5, atol=1e-6)


def test_small_chains_on_another_device_stay_apart(tmp_path):
    _, steps, _ = _steps_elsewhere(chain, 100, tmp_path)
    assert fuse_elementwise.fused(steps, set()) == steps


def test_a_plan_holds_no_memory_that_nobody_reads():
    x = tf.ones([1 << 18])

    @tf.function
    def f(x):
        for _ in range(10):
            x = tf.cumsum(tf.nn.relu(x) * 0.5)
        return tf.reduce_sum(x)

    f(x)
    tracemalloc.start()
    f(x)
    left, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5 * x.numpy().nbytes
    assert left < x.numpy().nbytes


def test_wrapped_functions_have_parts(tmp_path):
    v1 = tf.compat.v1

    def build(x, y):
        v = v1.get_variable("v", initializer=2.0)
        total = tf.add(v * x, y, name="total")
        v1.assign_add(v, 1.0, name="count")
        return {"total": total, "twice": tf.multiply(total, 2.0, name="twice")}

    scalar = [tf.TensorSpec([], tf.float32, name="x"), tf.TensorSpec([], tf.float32, name="y")]
    whole = v1.wrap_function(build, scalar)
    found = whole(3.0, 1.0)
    assert (float(found["total"]), float(found["twice"]), float(whole.variables[0])) == (
        7.0,
        14.0,
        2.0,
    )
    part = whole.prune(feeds="total:0", fetches=["twice:0"])
    assert float(part(total=5.0)[0]) == 10.0 and part.variables == ()
    again = whole.prune(["x:0", "y:0"], {"t": "total:0"}).prune("y:0", [])
    assert again(1.0) == []
    with pytest.raises(Exception, match="depends transitively on placeholder") as caught:
        whole.prune("x:0", "twice:0")
    assert type(caught.value).__name__ == "UnliftableError"
    counting = v1.wrap_function(lambda: v1.assign_add(v1.get_variable("n", initializer=0), 1), [])
    assert [int(counting()) for _ in range(3)] == [1, 2, 3]


def test_imported_variables_of_a_wrapped_function_have_values(tmp_path):
    v1, prefix, path = tf.compat.v1, str(tmp_path / "values"), str(tmp_path / "graph.pb")
    with v1.Graph().as_default() as graph, v1.Session() as session:
        w = v1.get_variable("w", initializer=3.0, use_resource=True)
        v1.identity(v1.placeholder(tf.float32, [], name="x") * w, name="y")
        session.run(w.initializer)
        v1.train.Saver().save(session, prefix)
        v1.train.export_meta_graph(path, graph=graph)

    wrapped = v1.wrap_function(lambda: v1.train.import_meta_graph(path) and None, [])
    (variable,) = wrapped.variables
    element = wrapped.graph.get_tensor_by_name
    multiply = wrapped.prune(element("x:0"), element("y:0"))
    v1.train.Saver(wrapped.variables).restore(None, prefix)
    assert (variable.name, variable.numpy()) == ("w:0", 3.0)
    assert multiply(tf.constant(5.0)).numpy() == 15.0
    assert variable.assign_add(1.0).numpy() == 4.0
    assert multiply(tf.constant(5.0)).numpy() == 20.0
    assert tf.train.load_checkpoint(tf.train.Checkpoint(w=variable).write(prefix)) is not None


def test_first_values_do_not_need_arguments_that_are_only_specs():
    made = []

    @tf.function
    def f(x):
        if not made:
            made.append(tf.Variable(lambda: tf.ones([2]) * 3.0))
        return made[0] * x

    concrete = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    assert concrete(tf.constant(2.0)).numpy().tolist() == [6.0, 6.0]


def test_functions_defined_within_loops():
    @tf.function
    def f(n):
        total = 0.0
        for i in tf.range(n):

            def square(x, by=2):
                y = x * by
                return y * y

            total += square(tf.cast(i, tf.float32))
        return total

    assert float(f(tf.constant(4))) == 56.0


def test_variables_of_every_kind_are_arguments():
    times = tf.function(lambda v, x: v * x)
    rate = tf.keras.optimizers.SGD(0.25).learning_rate
    assert times(rate, 2.0).numpy() == 0.5
    rate.assign(0.5)
    assert times(rate, 2.0).numpy() == 1.0
    assert times.experimental_get_tracing_count() == 1
    assert times(tf.Variable(3.0), 2.0).numpy() == 6.0
    with pytest.raises(TypeError, match="generic TraceType"):
        times({1}, 2.0)


def test_sessions_run_the_effects_of_functions():
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v = tf.Variable(1.0)

        @tf.function
        def grown(x):
            v.assign_add(x)
            return v * 2, {"x": x + 1}

        first, second = grown(2.0), grown(3.0)
        session.run(v1.global_variables_initializer())
        assert session.run(first) == (6.0, {"x": 3.0})
        assert session.run(second)[0] == 12.0
        assert session.run(v) == 6.0


def test_copies_of_objects_have_functions_of_their_own():
    class Scaled(tf.Module):
        def __init__(self):
            super().__init__()
            self.by = tf.Variable(1.0)
            self.scaled = tf.function(self.scale)

        def scale(self, x):
            return x * self.by

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def shifted(self, x):
            return x + self.by

    one = Scaled()
    assert [float(one.scaled(2.0)), *one.shifted(tf.ones([1])).numpy()] == [2.0, 2.0]
    other = copy.deepcopy(one)
    other.by.assign(5.0)
    assert [float(other.scaled(2.0)), *other.shifted(tf.ones([1])).numpy()] == [10.0, 6.0]
    assert [float(one.scaled(2.0)), *one.shifted(tf.ones([1])).numpy()] == [2.0, 2.0]
    assert copy.copy(one.scaled).input_signature is None


def test_what_takes_lists_of_constants_is_computed_once():
    @tf.function
    def joined(x):
        return tf.reshape(x, tf.concat([[-1], tf.slice([2, 3], [1], [1])], 0))

    graph = joined.get_concrete_function(tf.TensorSpec([2, None])).graph
    program = Program(needed(graph.outputs, graph.inputs), graph.inputs, graph.outputs)
    assert len(program.instructions) == 1  # the reshape alone
    assert joined(tf.ones([2, 6])).shape == [4, 3]


def shapes_traced(*calls):
    """The shapes of the first argument at each trace of a function that leaves sizes open."""
    seen = []

    @tf.function(reduce_retracing=True)
    def f(x, more=None):
        seen.append(
            [t.shape.as_list() if t.shape.rank is not None else None for t in tf.nest.flatten(x)]
        )
        return 1

    for call in calls:
        f(*call)
    return seen


def test_sizes_are_left_open_where_nothing_else_differs():
    ones = lambda *shape: tf.ones(shape)
    assert shapes_traced(*[(ones(k), n) for k, n in ((1, 1), (2, 2), (3, 2), (4, 1), (5, 1))]) == [
        [[1]],
        [[2]],
        [[None]],
        [[None]],
    ]
    types = (tf.int32, tf.float32, tf.float32, tf.int32, tf.int32)
    assert shapes_traced(*[(ones(k), tf.zeros([], t)) for k, t in enumerate(types)]) == [
        [[0]],
        [[1]],
        [[None]],
        [[None]],
    ]
    lists = [[ones(1)], [ones(2), ones()], [ones(3)], [ones(5)], [ones(7), ones(1)], (ones(2),)]
    assert shapes_traced(*[(each,) for each in lists]) == [
        [[1]],
        [[2], []],
        [[None]],
        [[None], None],
        [[2]],
    ]
    assert shapes_traced((ones(1),), (ones(2, 2),), (ones(3),)) == [[[1]], [None]]
    assert shapes_traced((ones(1, 1),), (ones(1, 2),), (ones(2, 2),), (ones(3, 2),)) == [
        [[1, 1]],
        [[1, None]],
        [[None, None]],
    ]


def test_a_signature_tells_a_graph_what_it_did_not_know():
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([2, 3])])
    def inner(x):
        return x * 2.0

    def outer(y):
        z = inner(y)
        seen.append(y.shape)
        return z

    for known in ([None, 3], [None, None], None):
        found = tf.function(outer, input_signature=[tf.TensorSpec(known)])(tf.ones([2, 3]))
        assert found.shape == [2, 3]
    assert seen == [[2, 3]] * 3
    with pytest.raises(TypeError, match="Can not cast"):
        inner.get_concrete_function(tf.TensorSpec([None, 3]))
    half = tf.function(input_signature=[tf.TensorSpec([2, None])])(lambda x: x)
    with pytest.raises(TypeError, match="Can not cast"):
        tf.function(lambda y: half(y), input_signature=[tf.TensorSpec([None, 3])])(tf.ones([2, 3]))


def test_variables_are_told_apart_by_their_kind():
    seen = []

    @tf.function
    def f(v):
        seen.append((v.trainable, v.shape.rank))
        return v * 1.0

    for v in (
        tf.Variable(1.0),
        tf.Variable(1.0, trainable=False),
        tf.Variable(3.0),
        tf.Variable([1.0]),
    ):
        f(v)
    assert seen == [(True, 0), (False, 0), (True, 1)]


@pytest.mark.parametrize("given", [{"n": 1}, {"n": [1, 2]}])
def test_arguments_are_not_modified(given):
    @tf.function
    def f(d):
        d["n"] = tf.constant(5)
        return d["n"]

    with pytest.raises(
        ValueError, match=r"f\(d\) should not modify its Python input arguments.*modified: d"
    ):
        f(tf.nest.map_structure(tf.constant, given))


def test_of_several_traces_the_most_special_one_serves():
    seen = []

    @tf.function
    def f(x):
        seen.append(x.shape.rank)
        return tf.constant(-1 if x.shape.rank is None else x.shape.rank)

    f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    f.get_concrete_function(tf.TensorSpec(None, tf.float32))
    assert f(tf.constant([1.0, 2.0])).numpy() == 1 and f(tf.constant([[1.0]])).numpy() == -1
    assert seen == [1, None]


def test_specs_are_no_values_to_call_with():
    spec = tf.TensorSpec([3], tf.float32)
    constant, same = tf.function(lambda x, y=None: 1), tf.function(lambda x: x)
    signed = tf.function(lambda x: x, input_signature=[spec])
    message = r"Attempt to convert a value \(TensorSpec\(shape=\(3,\), dtype=tf.float32, name=None\)\) with an unsupported type"
    calls = [
        lambda: constant(spec),
        lambda: constant(1, y=spec),
        lambda: constant({"a": [spec, tf.constant(1.0)]}),
        lambda: same(spec),
        lambda: signed(spec),
        lambda: same.get_concrete_function(spec)(spec),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call()
        with tf.GradientTape(), pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        constant(tf.RaggedTensorSpec([None, None], tf.int32))
    with pytest.raises(
        TypeError, match=r"Expected float32, but got TensorSpec.*of type 'TensorSpec'"
    ):
        tf.function(lambda: constant(spec))()


def test_there_is_no_intermediate_representation_of_xla():
    with pytest.raises(
        ValueError, match="can only be returned for functions marked with 'jit_compile=True'"
    ):
        tf.function(lambda x: x + 1).experimental_get_compiler_ir(tf.constant(1.0))
    function = tf.function(lambda x: x + 1, jit_compile=True)
    stages = function.experimental_get_compiler_ir(tf.constant(1.0))
    with pytest.raises(
        ValueError,
        match=r"Invalid stage selected: 'llvm'. Valid values are: 'hlo', 'hlo_serialized'",
    ):
        stages("llvm")
    with pytest.raises(ValueError, match="Failed getting HLO text"):
        stages(stage="optimized_hlo")


def test_wrapped_functions_keep_python_values_of_the_signature():
    def step(x, adds):
        v = tf.compat.v1.get_variable("v", initializer=5.0)
        update = v.assign_add(1.0) if adds else v.assign_sub(1.0)
        with tf.control_dependencies([update]):
            return v.read_value() + x

    spec = tf.TensorSpec([], tf.float32)
    added = tf.compat.v1.wrap_function(step, [spec, True])
    assert [added(1.0).numpy(), added(1.0).numpy()] == [7.0, 8.0]
    assert added.structured_input_signature == (
        (tf.TensorSpec([], tf.float32, "tensor_0"), True),
        {},
    )
    assert tf.compat.v1.wrap_function(step, [spec, False])(1.0).numpy() == 5.0
    scaled = tf.compat.v1.wrap_function(lambda a, b: a * b, [tf.TensorSpec([2]), tf.constant(2.0)])
    assert scaled([1.0, 2.0], 3.0).numpy().tolist() == [3.0, 6.0]


def test_the_python_function_of_a_method_is_bound():
    class Model:
        def __init__(self):
            self.b = tf.Variable(1.0)

        @tf.function
        def call(self, x, k=None):
            return x + self.b

    model = Model()
    bound = model.call.python_function
    assert str(inspect.signature(bound)) == "(x, k=None)" and bound(2.0).numpy() == 3.0
    model.call = tf.function(bound)
    assert model.call(3.0, k=2).numpy() == 4.0
