"""Functions of ``tf.__internal__`` and ``tensorflow.python`` that libraries use, against what TensorFlow 2.21 answered."""

import gc
import inspect

import numpy as np
import pytest

import twinflow as tf
from tests.harness import in_new_python
from twinflow._src.api.private_names import find
from twinflow._src.wings.data.batching import compute_batch_size

XLA = "tensorflow.compiler.tf2xla.python.xla"
CSR = "tensorflow.python.ops.linalg.sparse.sparse_csr_matrix_ops"
internal = tf.__internal__


# ------------------------------------------------------------------ tracking


def test_track_trackable():
    parent, v = internal.tracking.Trackable(), tf.Variable(1.0)
    assert parent._track_trackable(v, "x") is v
    assert parent._lookup_dependency("x") is v and parent._lookup_dependency("y") is None
    assert parent._unconditional_dependency_names == {"x": v}
    assert [child.name for child in parent._unconditional_checkpoint_dependencies] == ["x"]
    with pytest.raises(TypeError, match=r"objects of type Trackable. Got type <class 'int'>"):
        parent._track_trackable(3, "x")
    with pytest.raises(ValueError, match="name='x', but a Trackable with this name is already"):
        parent._track_trackable(tf.Variable(1.0), "x")
    other = parent._track_trackable(tf.Variable(1.0), "x", overwrite=True)
    assert parent._trackable_children(save_type="savedmodel") == {"x": other}
    assert parent._object_identifier == "_generic_user_object" and parent._setattr_tracking


def test_no_dependency():
    module, v = tf.Module(), tf.Variable(1.0)
    module.a, module.b = module._no_dependency(v), [1]
    assert module.a is v and module._trackable_children() == {"b": [1]}
    assert module.variables == (v,)
    module.b = module._no_dependency([2])
    assert type(module.b) is list and module._trackable_children() == {"b": [1]}


def test_no_automatic_dependency_tracking():
    class Holder(internal.tracking.AutoTrackable):
        @internal.tracking.no_automatic_dependency_tracking
        def fill(self, values):
            self.values, self.v = values, tf.Variable(1.0)
            return self

    holder = Holder().fill([1])
    assert type(holder.values) is list and holder._trackable_children() == {}
    holder.after = tf.Variable(1.0)
    assert set(holder._trackable_children()) == {"after"}


def test_objects_save_tensors_of_their_own(tmp_path):
    class Pair(internal.tracking.Trackable):
        def __init__(self, left, right):
            self.left, self.right, self.restored = left, right, 0

        def _serialize_to_tensors(self):
            return {"left": tf.constant(self.left), "right": tf.constant(self.right)}

        def _restore_from_tensors(self, restored_tensors):
            self.left = restored_tensors["left"].numpy().tolist()
            self.right = restored_tensors["right"].numpy()
            self.restored += 1

    root = tf.Module()
    root.pair = Pair([1.0, 2.0], "text")
    path = tf.train.Checkpoint(root=root).write(tmp_path / "c")
    names = [name for name, _ in tf.train.list_variables(path)]
    assert "pair/.ATTRIBUTES/left" in names and "pair/.ATTRIBUTES/right" in names
    root.pair.left, root.pair.right = [0.0], ""
    tf.train.Checkpoint(root=root).read(path).assert_consumed()
    assert (root.pair.left, root.pair.right, root.pair.restored) == ([1.0, 2.0], b"text", 1)
    later = tf.Module()
    status = tf.train.Checkpoint(root=later).read(path)
    later.pair = Pair([0.0], "")
    status.assert_consumed()
    assert later.pair.left == [1.0, 2.0]


# ------------------------------------------------------------------ conditionals, decorators, context


def test_smart_cond():
    smart_cond = internal.smart_cond.smart_cond
    both = lambda: 1, lambda: 2
    assert [smart_cond(p, *both) for p in (True, False, 1, 0, tf.constant(True))] == [1, 2, 1, 2, 1]
    for wrong in ("a", None, 2):
        with pytest.raises(TypeError, match="`pred` must be a Tensor, or a Python bool, or 1 or 0"):
            smart_cond(wrong, *both)
    with pytest.raises(TypeError, match="`true_fn` must be callable"):
        smart_cond(True, 1, 2)
    traced = tf.function(lambda x: smart_cond(x > 0, lambda: x * 2, lambda: -x))
    assert [int(traced(tf.constant(x))) for x in (3, -3)] == [6, 3]


def test_decorators_are_unwrapped():
    def decorate(function):
        wrapper = lambda *args: function(*args) + 1
        return internal.decorator.make_decorator(function, wrapper, "plus_one")

    def original(x):
        """Returns x."""
        return x

    twice = decorate(decorate(original))
    decorators, target = internal.decorator.unwrap(twice)
    assert [d.decorator_name for d in decorators] == ["plus_one", "plus_one"]
    assert target is original and twice(1) == 3 and twice.__doc__ == "Returns x."
    assert internal.decorator.unwrap(original) == ([], original)


def test_eager_mode_inside_a_function():
    @tf.function
    def traced(x):
        assert not tf.executing_eagerly()
        with internal.eager_context.eager_mode():
            assert tf.executing_eagerly()
            inner = tf.constant(2.0) * 3.0
        return x * float(inner)

    assert float(traced(1.0)) == 6.0
    assert internal.tf2.enabled() and internal.get_name_scope() == ""
    with tf.name_scope("a"):
        assert internal.get_name_scope() == "a"


def test_devices_can_be_configured_again():
    assert in_new_python("""
        from twinflow._src.api.private_names import find
        reset = find("tensorflow.python.eager.context._reset_context")
        tf.constant(1) + 1
        cpu = tf.config.list_physical_devices("CPU")[0]
        for count in (2, 3):
            reset()
            parts = [tf.config.LogicalDeviceConfiguration()] * count
            tf.config.set_logical_device_configuration(cpu, parts)
            print(len(tf.config.list_logical_devices("CPU")), int(tf.constant(1) + 1))
    """).split() == ["2", "2", "3", "2"]


def test_merge_calls():
    seen = lambda strategy, *args: args
    strategy = tf.distribute.get_strategy()
    assert internal.distribute.strategy_supports_no_merge_call()
    assert internal.distribute.interim.maybe_merge_call(seen, strategy, 1, 2) == (1, 2)
    mirrored = tf.distribute.MirroredStrategy(["CPU:0"])
    with mirrored.scope():
        assert not internal.distribute.strategy_supports_no_merge_call()
    run = lambda: internal.distribute.interim.maybe_merge_call(lambda s, x: x, mirrored, 5)
    assert mirrored.run(run) == 5


# ------------------------------------------------------------------ types


def test_types():
    ragged, sparse = tf.ragged.constant([[1]]), tf.sparse.from_dense([1])
    for value in (ragged, sparse, tf.IndexedSlices([1.0], [0])):
        assert isinstance(value, internal.CompositeTensor)
        assert not isinstance(value, internal.types.Tensor)
    for value in (tf.constant(1), tf.Variable(1)):
        assert isinstance(value, internal.types.Tensor)
    assert isinstance(tf.constant(1), internal.EagerTensor)
    assert tf.function(lambda x: isinstance(x, internal.SymbolicTensor))(tf.constant(1))
    with pytest.raises(TypeError, match="_type_spec"):
        type("Incomplete", (internal.CompositeTensor,), {})()


def test_registry_of_type_specs():
    module = "tensorflow.python.framework.type_spec_registry"
    get_name, lookup, register = (find(f"{module}.{n}") for n in ("get_name", "lookup", "register"))
    assert get_name(tf.RaggedTensorSpec) == "tf.RaggedTensorSpec"
    assert lookup("tf.TensorSpec") is tf.TensorSpec
    with pytest.raises(ValueError, match="No TypeSpec has been registered with name 'zz'"):
        lookup("zz")
    with pytest.raises(TypeError, match="Expected `name` to be a string; got 3"):
        lookup(3)
    with pytest.raises(ValueError, match="IndexedSlicesSpec has not been registered"):
        get_name(tf.IndexedSlicesSpec)
    with pytest.raises(ValueError, match=r"must have the form '{project_name}\.{type_name}'"):
        register("zz")


# ------------------------------------------------------------------ operations


@pytest.mark.parametrize(
    ("start", "rows", "columns"), [([2, 2], (1, 3), (1, 3)), ([5, -3], (1, 3), (0, 2))]
)
@pytest.mark.parametrize("is_traced", [False, True])
def test_dynamic_update_slice_stays_inside(start, rows, columns, is_traced):
    update_slice = find(f"{XLA}.dynamic_update_slice")
    expected = np.zeros((3, 3), np.float32)
    expected[slice(*rows), slice(*columns)] = 1
    x, update = tf.zeros([3, 3]), tf.ones([2, 2])
    call = tf.function(update_slice) if is_traced else update_slice
    np.testing.assert_array_equal(call(x, update, tf.constant(start)), expected)
    with tf.GradientTape() as tape:
        tape.watch([x, update])
        y = tf.reduce_sum(call(x, update, tf.constant(start)) * 2.0)
    dx, dupdate = tape.gradient(y, [x, update])
    np.testing.assert_array_equal(dx, 2 * (1 - expected))
    np.testing.assert_array_equal(dupdate, np.full((2, 2), 2))


def test_dynamic_update_slice_refuses_large_updates():
    update_slice = find(f"{XLA}.dynamic_update_slice")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Update dim size 4 greater than"):
        update_slice(tf.zeros([3, 3]), tf.ones([4, 2]), [0, 0])


def test_products_of_sparse_matrices():
    to_csr, multiply, to_sparse = (
        find(f"{CSR}.{name}")
        for name in (
            "sparse_tensor_to_csr_sparse_matrix",
            "sparse_matrix_sparse_mat_mul",
            "csr_sparse_matrix_to_sparse_tensor",
        )
    )
    a = to_csr([[0, 1], [1, 0]], tf.constant([2.0, 3.0]), [2, 3])
    b = to_csr([[0, 0], [1, 0], [2, 1]], tf.constant([1.0, -1.0, 5.0]), [3, 2])
    product = to_sparse(multiply(a=a, b=b, type=tf.float32), type=tf.float32)
    assert product.indices.numpy().tolist() == [[0, 0], [1, 0]]
    assert product.values.numpy().tolist() == [-2.0, 3.0]
    assert product.dense_shape.numpy().tolist() == [2, 2]
    flipped = to_sparse(multiply(b, a, tf.float32, transpose_a=True, transpose_b=True), tf.float32)
    assert flipped.values.numpy().tolist() == [-2.0, 3.0]
    assert flipped.indices.numpy().tolist() == [[0, 0], [0, 1]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected a matrix of dtype float64"):
        multiply(a, b, tf.float64)


def handles_in_a_function(holder):
    handles = []
    tf.function(lambda: handles.append(holder.resource_handle))()
    return handles


def test_a_trackable_resource_is_created_once():
    calls = []

    class Holder(tf.saved_model.experimental.TrackableResource):
        def _create_resource(self):
            calls.append(tf.executing_eagerly())
            return tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, 0).resource_handle

        def _destroy_resource(self):
            calls.append("destroyed")

    holder, module = Holder(), tf.Module()
    module.holder = holder
    assert handles_in_a_function(holder) == [holder.resource_handle] and calls == [True]
    assert module._trackable_children() == {"holder": holder}
    del module, holder
    gc.collect()
    assert calls == [True, "destroyed"]
    with pytest.raises(NotImplementedError, match="_create_resource not implemented"):
        tf.saved_model.experimental.TrackableResource().resource_handle


# ------------------------------------------------------------------ saved models


class VariableLike(internal.tracking.Trackable):
    """An object of a library that acts as a variable."""

    _should_act_as_resource_variable = True

    def __init__(self, initial):
        self.value = tf.Variable(initial)
        self.handle = self.value.handle

    def _serialize_to_tensors(self):
        return self.value._serialize_to_tensors()

    def _restore_from_tensors(self, restored_tensors):
        return self.value._restore_from_tensors(restored_tensors)


def test_saved_models_of_objects_that_act_as_variables(tmp_path):
    class Layer(internal.tracking.AutoTrackable):
        def __init__(self):
            self.kernel = VariableLike([[2.0], [3.0]])
            self._others = internal.tracking.AutoTrackable()
            self._others.bias = VariableLike([0.5])

        def _trackable_children(self, save_type="checkpoint", **kwargs):
            children = super()._trackable_children(save_type, **kwargs)
            children.pop("_others", None)
            if save_type == "savedmodel":
                children["parts"] = [self._others.bias]
            return children

        @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        def __call__(self, x):
            return double(tf.matmul(x, self.kernel.value)) + self._others.bias.value

    @tf.custom_gradient
    def double(x):
        return x * 2.0, lambda dy: dy * 2.0

    layer = Layer()
    tf.saved_model.save(layer, str(tmp_path))
    layer.kernel.value.assign([[0.0], [0.0]])
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded(tf.constant([[1.0, 1.0]])).numpy().tolist() == [[10.5]]
    assert loaded.kernel.numpy().tolist() == [[2.0], [3.0]]
    assert loaded.parts[0].numpy().tolist() == [0.5]


def test_functions_list_their_traces():
    f = tf.function(lambda x: x)
    f(1.0), f(tf.constant(2))
    texts = [trace.pretty_printed_signature() for trace in f._list_all_concrete_functions()]
    assert len(texts) == 2 and "Literal[1.0]" in texts[0] and "dtype=tf.int32" in texts[1]


# What TensorFlow 2.21 answers; a dataset without a known batch size has -1.
BATCH_SIZES = [
    (lambda r, D: r.batch(4), 4),
    (lambda r, D: r.batch(4, drop_remainder=True), 4),
    (lambda r, D: r.batch(4).take(2).skip(1).repeat(2).cache().shuffle(3).shard(2, 0), 4),
    (lambda r, D: r.batch(4).filter(lambda x: True).prefetch(2), 4),
    (lambda r, D: r.batch(4).with_options(tf.data.Options()), 4),
    (lambda r, D: r.batch(4).batch(3), 3),
    (lambda r, D: r.batch(4).unbatch().batch(5), 5),
    (lambda r, D: r.padded_batch(6), 6),
    (lambda r, D: D.zip((r.batch(4), r.batch(4))), 4),
    (lambda r, D: D.zip((r.batch(4), r.batch(5))), -1),
    (lambda r, D: r.batch(4).concatenate(r.batch(5)), -1),
    (lambda r, D: r.batch(4).map(lambda x: x + 1), -1),
    (lambda r, D: r.batch(4, num_parallel_calls=2), -1),
    (lambda r, D: r.batch(4).rebatch(2), -1),
    (lambda r, D: r.batch(4).window(2), -1),
    (lambda r, D: D.from_tensors([1, 2, 3]), 3),
    (lambda r, D: D.from_tensors(([1, 2, 3], [1, 2])), -1),
]


@pytest.mark.parametrize(("dataset", "size"), BATCH_SIZES)
def test_batch_sizes_of_datasets(dataset, size):
    found = compute_batch_size(dataset(tf.data.Dataset.range(100), tf.data.Dataset))
    assert (found.dtype, int(found)) == (tf.int64, size)
    with pytest.raises(IndexError):
        compute_batch_size(tf.data.Dataset.range(3))


def test_signatures_of_methods_that_are_decorated_twice():
    class Layer:
        def call(self, x):
            return x

    decorate = internal.decorator.make_decorator
    spec = inspect.getfullargspec(lambda self, x, training=False: None)
    once = decorate(Layer().call, lambda x: x)
    twice = decorate(once, lambda x, training=False: x, decorator_argspec=spec)
    assert str(inspect.signature(twice)) == "(x, training=False)"
    assert tf.function(twice)(1.0).numpy() == 1.0
