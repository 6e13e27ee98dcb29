"""Graphs of objects, saved and restored: to the byte as TensorFlow, and what becomes of what does not fit."""

import collections
import copy
import gc
import io
import json
import logging
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

import twinflow as tf
from tests.golden import random_objects
from twinflow._src.core.protos import message

GOLDENS = Path(__file__).parents[2] / "golden" / "tf_checkpoints"
Pair = collections.namedtuple("Pair", "a b")


def holding(**attributes):
    """A module with attributes."""
    module = tf.Module()
    for name, value in attributes.items():
        setattr(module, name, value)
    return module


def written(tmp_path, **named):
    """The path of a checkpoint of objects."""
    return tf.train.Checkpoint(**named).write(tmp_path / f"of {len(list(tmp_path.iterdir()))}")


def graph_of(path):
    """The nodes of a checkpoint: children, and keys of values."""
    proto = message("TrackableObjectGraph").FromString(
        tf.train.load_variable(path, "_CHECKPOINTABLE_OBJECT_GRAPH")
    )
    return [
        ({c.local_name: c.node_id for c in n.children}, [a.checkpoint_key for a in n.attributes])
        for n in proto.nodes
    ]


# ------------------------------------------------------------------ TensorFlow's own files


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([[1.0, 2.0]], name="w")
        self.l = [tf.Variable(1.0), tf.Variable(2.0)]
        self.d = {"k": tf.Variable(3.0), "a/b": tf.Variable(4.0)}
        self.t = (tf.Variable(5.0),)


def trained():
    v, optimizer = tf.Variable([1.0, 2.0]), tf.keras.optimizers.Adam(0.1, name="adam")
    optimizer.apply_gradients([(tf.constant([1.0, 1.0]), v)])
    return {"opt": optimizer, "v": v}


def stored(name):
    """The variables of a golden file, by the names of the root's children."""
    reader = tf.train.load_checkpoint(str(GOLDENS / name / "ckpt"))
    keys = [key for key in reader.get_variable_to_shape_map() if not key.startswith("_")]
    label = "{}" if name == "v2_dtypes" else "Variable"
    return {
        k.split("/")[0]: tf.Variable(reader.get_tensor(k), name=label.format(k.split("/")[0]))
        for k in keys
    }


def shared():
    v = tf.Variable([9.0])
    return {"a": v, "b": v}


WRITTEN = {
    "v2_module": lambda: tf.train.Checkpoint(Model()),
    "v2_shared": lambda: tf.train.Checkpoint(**shared()),
    "v2_rng": lambda: tf.train.Checkpoint(g=tf.random.Generator.from_seed(1)),
    "v2_adam": lambda: tf.train.Checkpoint(**trained()),
    "v2_dtypes": lambda: tf.train.Checkpoint(**stored("v2_dtypes")),
    "v2_strings": lambda: tf.train.Checkpoint(**stored("v2_strings")),
    "v2_shapes": lambda: tf.train.Checkpoint(**stored("v2_shapes")),
}


def assert_same_bytes(path, golden):
    for ending in (".index", ".data-00000-of-00001"):
        assert Path(f"{path}{ending}").read_bytes() == Path(f"{golden}{ending}").read_bytes()


@pytest.mark.parametrize("name", WRITTEN)
def test_files_are_those_of_tensorflow_to_the_byte(name, tmp_path):
    assert_same_bytes(WRITTEN[name]().write(tmp_path / "ckpt"), GOLDENS / name / "ckpt")


@pytest.mark.parametrize("name", WRITTEN)
def test_files_of_tensorflow_are_restored(name):
    checkpoint = WRITTEN[name]()
    before = {key: v.numpy() for key, v in vars(checkpoint).items() if isinstance(v, tf.Variable)}
    for variable in vars(checkpoint).values():
        if isinstance(variable, tf.Variable) and variable.dtype.is_floating:
            variable.assign(tf.zeros_like(variable))
    checkpoint.read(str(GOLDENS / name / "ckpt")).assert_consumed()
    for key, value in before.items():
        np.testing.assert_array_equal(getattr(checkpoint, key).numpy(), value)


RANDOM = json.loads(random_objects.FILE.read_text())["digests"]


@pytest.mark.parametrize("first", range(0, random_objects.COUNT, 20))
def test_random_objects_are_saved_as_tensorflow_saves_them(first, tmp_path):
    seeds = range(first, first + 20)
    assert [random_objects.digests(tf, seed, str(tmp_path)) for seed in seeds] == RANDOM[
        first : first + 20
    ]


@pytest.mark.parametrize("first", range(0, random_objects.COUNT, 20))
def test_random_objects_are_restored(first, tmp_path):
    for seed in range(first, first + 20):
        checkpoint, again = (random_objects.checkpoint(tf, seed) for _ in range(2))
        path = checkpoint.save(tmp_path / str(seed))
        variables = [
            found for found, _ in again._objects().objects() if found._saved_variable() is not None
        ]
        before = [v.numpy() for v in variables]
        for v in variables:
            v.assign(tf.zeros_like(v) - 1)
        again.restore(path).assert_consumed()
        for v, value in zip(variables, before):
            np.testing.assert_array_equal(v.numpy(), value)


def test_a_save_is_that_of_tensorflow_to_the_byte(tmp_path):
    golden = GOLDENS / "v2_kwargs_save"
    path = tf.train.Checkpoint(step=tf.Variable(7), model=Model()).save(tmp_path / "ckpt")
    assert_same_bytes(path, golden / "ckpt-1")
    assert (tmp_path / "checkpoint").read_text() == (golden / "checkpoint").read_text()


def test_a_manager_writes_what_that_of_tensorflow_writes(tmp_path):
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(v=tf.Variable([1.0])), tmp_path, max_to_keep=2
    )
    for _ in range(3):
        manager.save()
    for number in (2, 3):
        assert_same_bytes(tmp_path / f"ckpt-{number}", GOLDENS / "v2_manager" / f"ckpt-{number}")
    ours, golden = (
        (p / "checkpoint").read_text().splitlines() for p in (tmp_path, GOLDENS / "v2_manager")
    )
    assert [line.split(":")[0] for line in ours] == [line.split(":")[0] for line in golden]
    assert ours[:3] == golden[:3]


def test_a_manager_goes_on_where_that_of_tensorflow_ended(tmp_path):
    shutil.copytree(GOLDENS / "v2_manager", tmp_path / "m", copy_function=shutil.copyfile)
    v = tf.Variable([0.0])
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path / "m", max_to_keep=2)
    assert manager.restore_or_initialize() == str(tmp_path / "m" / "ckpt-3")
    assert v.numpy() == [1.0]
    assert manager.save() == str(tmp_path / "m" / "ckpt-4")
    assert [Path(p).name for p in manager.checkpoints] == ["ckpt-3", "ckpt-4"]
    assert not (tmp_path / "m" / "ckpt-2.index").exists()


# ------------------------------------------------------------------ what is tracked


def test_containers_and_escaped_names(tmp_path):
    path = written(
        tmp_path,
        l=[tf.Variable(1.0), 3, [tf.Variable(2.0)], "x", (tf.Variable(3.0), 4)],
        d={"x.y/z": tf.Variable(4.0), "n": 3},
        t=Pair(tf.Variable(5.0), tf.Variable(6.0)),
        o=collections.OrderedDict(b=tf.Variable(7.0), a=tf.Variable(8.0)),
    )
    keys = [
        key.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE")
        for _, keys in graph_of(path)
        for key in keys
    ]
    assert keys == ["d/x..y.Sz", "l/0", "o/b", "o/a", "t/a", "t/b", "l/2/0", "l/4/0"]


def test_functions_and_other_objects(tmp_path):
    module = holding(
        v=tf.Variable(1.0), f=tf.function(lambda x: x), n=3, c=tf.constant(1.0), m=tf.metrics.Mean()
    )
    assert [set(children) for children, _ in graph_of(written(tmp_path, m=module))] == [
        {"m"},
        {"v", "f"},
        set(),
        set(),
    ]


def test_an_attribute_that_is_given_another_value_later(tmp_path):
    module = holding(v=tf.Variable(1.0), w=None, x=tf.Variable(2.0))
    module.w, module.v = tf.Variable(3.0), 4
    assert list(graph_of(written(tmp_path, m=module))[1][0]) == ["v", "x", "w"]  # as in TensorFlow
    del module.v
    assert list(graph_of(written(tmp_path, m=module))[1][0]) == ["x", "w"]


def test_a_list_and_the_original_are_one():
    original = []
    module = holding(layers=original)
    original.append(1)
    module.layers.append(2)
    assert module.layers == original == [1, 2]
    assert [*module.layers, 3] == module.layers + [3] == [1, 2, 3]
    assert [0] + module.layers == [0, 1, 2]
    assert repr(module.layers) == "ListWrapper([1, 2])"
    given = {"a": 1}
    module.d = given
    given["b"] = [2]
    module.d["c"] = [3]
    assert dict(module.d) == {**module.d} == given
    assert (str(module.d), repr(module.d)) == (str(given), f"DictWrapper({given})")


@pytest.mark.parametrize(
    "change",
    [
        lambda of: of.l.__setitem__(0, tf.Variable(3.0)),
        lambda of: of.l.pop(),
        lambda of: of.l.insert(0, tf.Variable(3.0)),
        lambda of: of.l.reverse(),
        lambda of: of.d.pop("a"),
        lambda of: of.given.append(tf.Variable(1.0)),
        lambda of: of.d.update(z=tf.Variable(1.0)),
        lambda of: of.d.__setitem__(1, tf.Variable(1.0)),
    ],
)
def test_containers_that_cannot_be_saved_any_more(change, tmp_path):
    module = holding(l=[tf.Variable(1.0), tf.Variable(2.0)], d={"a": tf.Variable(1.0)})
    vars(module)["given"] = module.l._storage
    change(module)
    with pytest.raises(ValueError, match=r"^Unable to save the object"):
        written(tmp_path, m=module)


def test_containers_that_can_be_saved_still(tmp_path):
    module = holding(l=[4, tf.Variable(1.0)], n=[2, 1], d={"a": tf.Variable(1.0), "b": 2})
    module.l[0] = 5
    module.l += [tf.Variable(2.0)]
    module.n.sort()
    module.d["a"] = tf.Variable(3.0)
    del module.d["b"]
    assert graph_of(written(tmp_path, m=module))[2][0] == {"1": 5, "2": 6}
    assert module.n == [1, 2]


@pytest.mark.parametrize("value", [3, None, "x", tf.constant(1.0), (), object(), [1].append])
def test_what_checkpoints_cannot_save(value):
    with pytest.raises(ValueError, match=r"^`Checkpoint` was expecting x to be a trackable object"):
        tf.train.Checkpoint(x=value)
    if value is not None:
        with pytest.raises(ValueError, match="was expecting root to be"):
            tf.train.Checkpoint(value)


def test_a_root_has_no_other_child_of_the_name():
    with pytest.raises(ValueError, match=r"keyword argument v if root\.v already exists"):
        tf.train.Checkpoint(holding(v=tf.Variable(1.0)), v=tf.Variable(2.0))


def test_modules_are_copied_with_what_they_hold(tmp_path):
    module = holding(
        v=tf.Variable(1.0), l=[tf.Variable(2.0)], d={"a": tf.Variable(3.0)}, t=(tf.Variable(4.0),)
    )
    for twin in (copy.deepcopy(module), copy.copy(module), pickle.loads(pickle.dumps(module))):
        twin.w = tf.Variable(5.0)
        assert list(graph_of(written(tmp_path, m=twin))[1][0]) == ["v", "l", "d", "t", "w"]
        assert list(graph_of(written(tmp_path, m=module))[1][0]) == ["v", "l", "d", "t"]
        assert [v.numpy() for v in twin.variables] == [3.0, 2.0, 4.0, 1.0, 5.0]


def test_a_module_with_slots_is_copied(tmp_path):
    class Slotted(tf.Module):
        __slots__ = ("kept",)

    module = Slotted()
    module.kept = 3
    module.v = tf.Variable(1.0)
    assert (copy.copy(module).kept, copy.deepcopy(module).v.numpy()) == (3, 1.0)


class Notes(tf.train.experimental.PythonState):
    """Words that a checkpoint keeps."""

    def __init__(self, *words):
        self.words = list(words)

    def serialize(self):
        return " ".join(self.words)

    def deserialize(self, string_value):
        self.words = string_value.decode().split()


def test_the_state_of_a_python_object(tmp_path):
    path = written(tmp_path, notes=Notes("a", "\u00e9"), v=tf.Variable(1.0))
    assert graph_of(path)[1] == ({}, ["notes/.ATTRIBUTES/py_state"])
    notes, checkpoint = Notes(), tf.train.Checkpoint(v=tf.Variable(0.0))
    status = checkpoint.read(path)
    checkpoint.notes = notes
    status.assert_consumed()
    assert notes.words == ["a", "\u00e9"]
    with pytest.raises(AssertionError, match=r"^Found 1 Python objects"):
        tf.train.Checkpoint(notes=notes, more=Notes()).read(
            path
        ).expect_partial().assert_existing_objects_matched()
    with pytest.raises(TypeError, match="abstract"):
        tf.train.experimental.PythonState()
    module = tf.train.Checkpoint(notes=tf.Module(), v=tf.Variable(0.0)).read(path).expect_partial()
    with pytest.raises(AssertionError, match=r"\['py_state'\]$"):
        module.assert_consumed()


def test_views(tmp_path):
    saved = tf.train.Checkpoint(
        m=holding(v=tf.Variable(1.0), l=[tf.Variable(2.0), tf.Variable(3.0)]), w=tf.Variable(4.0)
    )
    view = tf.train.CheckpointView(saved.save(tmp_path / "x"))
    assert [view.children(i) for i in (0, 1, 2, 5)] == [
        {"m": 1, "w": 2, "save_counter": 3}, {"v": 4, "l": 5}, {}, {"0": 6, "1": 7}
    ]  # fmt: skip
    assert view.descendants() == list(range(8))
    module = holding(v=tf.Variable(0.0), l=[tf.Variable(0.0)], z=tf.Variable(1.0))
    program = tf.train.Checkpoint(m=module, w=tf.Variable(0.0), q=tf.Variable(2.0))
    found, nodes, objects = view.diff(program)
    assert found == view.match(program)
    assert [found[i] for i in (0, 1, 5)] == [program, module, module.l]
    assert (sorted(found), nodes, [v.numpy() for v in objects]) == (
        [0, 1, 2, 4, 5, 6],
        [3, 7],
        [2.0, 1.0],
    )
    tree = tf.train.TrackableView(program)
    assert tree.root is program
    assert list(tree.children(module)) == ["v", "l", "z"]
    assert tree.descendants()[:2] == [program, module]
    assert len(tree.descendants()) == 8
    assert len(view.match(holding(m=module))) == 5
    with pytest.raises(ValueError, match=r"^Expected a Trackable, got 3"):
        view.match(3)
    with pytest.raises(ValueError, match="does not appear to be object-based"):
        tf.train.CheckpointView(str(GOLDENS / "v1_simple" / "model.ckpt"))
    with pytest.raises(TypeError):
        tf.train.TrackableView(3)


# ------------------------------------------------------------------ restoring


def test_values_wait_for_their_objects(tmp_path):
    made = holding(
        q=tf.Variable([1.0, 2.0]), l=[tf.Variable(3.0), tf.Variable(4.0)], d={"x": tf.Variable(5.0)}
    )
    status = tf.train.Checkpoint(m=(module := tf.Module())).read(written(tmp_path, m=made))
    module.q = tf.Variable([0.0, 0.0])
    module.l = [tf.Variable(0.0)]
    assert (module.q.numpy().tolist(), module.l[0].numpy()) == ([1.0, 2.0], 3.0)
    with pytest.raises(
        AssertionError, match=r"^Unresolved object in checkpoint \(root\)\.m\.l\.1: attributes"
    ):
        status.assert_consumed()
    module.l.append(tf.Variable(0.0))
    module.d = {}
    module.d["x"] = tf.Variable(0.0)
    assert (module.l[1].numpy(), module.d["x"].numpy()) == (4.0, 5.0)
    status.assert_consumed()


def test_the_latest_restore_counts_for_objects_that_come_later(tmp_path):
    checkpoint = tf.train.Checkpoint()
    for value in (1.0, 2.0):
        checkpoint.read(written(tmp_path, v=tf.Variable(value), w=tf.Variable(value)))
    checkpoint.v = tf.Variable(0.0)
    assert checkpoint.v.numpy() == 2.0
    checkpoint.w = checkpoint.v
    assert checkpoint.v.numpy() == 2.0


def test_slots_of_an_optimizer_wait_for_its_first_step(tmp_path):
    objects = trained()
    path = written(tmp_path, **objects)
    v, optimizer = tf.Variable([0.0, 0.0]), tf.keras.optimizers.Adam(0.5)
    status = tf.train.Checkpoint(opt=optimizer, v=v).read(path)
    assert (int(optimizer.iterations), float(optimizer.learning_rate)) == (1, np.float32(0.1))
    optimizer.build([v])
    status.assert_consumed()
    for ours, theirs in zip(optimizer.variables, objects["opt"].variables):
        np.testing.assert_array_equal(ours.numpy(), theirs.numpy())
    for each, variable in ((optimizer, v), (objects["opt"], objects["v"])):
        each.apply_gradients([(tf.constant([0.5, 1.0]), variable)])
    np.testing.assert_array_equal(v.numpy(), objects["v"].numpy())


def test_slots_of_an_optimizer_of_tensorflow_1(tmp_path):
    def made(values):
        optimizer, v = tf.compat.v1.train.AdamOptimizer(0.1), tf.Variable(values, name="w")
        return {"opt": optimizer, "v": v}

    objects = made([1.0, 2.0])
    objects["opt"].apply_gradients([(tf.constant([1.0, 1.0]), objects["v"])])
    path = written(tmp_path, **objects)
    assert sorted(key for _, keys in graph_of(path) for key in keys)[2:4] == [
        "v/.ATTRIBUTES/VARIABLE_VALUE",
        "v/.OPTIMIZER_SLOT/opt/m/.ATTRIBUTES/VARIABLE_VALUE",
    ]
    fresh = made([0.0, 0.0])
    status = tf.train.Checkpoint(**fresh).read(path)
    slots = [each["opt"].get_slot(each["v"], "m").numpy() for each in (fresh, objects)]
    np.testing.assert_array_equal(*slots)
    for each in (objects, fresh):
        each["opt"].apply_gradients([(tf.constant([0.5, 0.0]), each["v"])])
    status.assert_consumed()
    np.testing.assert_array_equal(fresh["v"].numpy(), objects["v"].numpy())


def test_all_or_nothing(tmp_path):
    path = written(tmp_path, a=tf.Variable([1.0] * 50), z=tf.Variable([2.0] * 50))
    data = Path(f"{path}.data-00000-of-00001")
    contents = bytearray(data.read_bytes())
    contents[399] ^= 1  # in the last of the two
    data.write_bytes(contents)
    a, z = tf.Variable([0.0] * 50), tf.Variable([0.0] * 50)
    with pytest.raises(tf.errors.DataLossError, match=r"z/.ATTRIBUTES"):
        tf.train.Checkpoint(a=a, z=z).read(path).expect_partial()
    assert (a.numpy().any(), z.numpy().any()) == (False, False)


@pytest.mark.parametrize(
    "value, error, said",
    [
        ([[2.0]], ValueError, r"^Received incompatible tensor with shape \(2,\) when attempting to restore variable with "
         r"shape \(1, 1\) and name Variable:0\.$"),
        ([1, 2], tf.errors.InvalidArgumentError, "^tensor_name = b/.ATTRIBUTES/VARIABLE_VALUE; expected dtype int32 does "
         "not equal original dtype float$"),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_changes_nothing(value, error, said, tmp_path):
    path = written(tmp_path, a=tf.Variable(1.0), b=tf.Variable([1.0, 2.0]))
    a = tf.Variable(0.0)
    with pytest.raises(error, match=said):
        tf.train.Checkpoint(a=a, b=tf.Variable(value)).read(path)
    assert a.numpy() == 0.0


def test_all_wrong_types_are_told(tmp_path):
    path = written(tmp_path, a=tf.Variable(1.0), b=tf.Variable(2.0), c=tf.Variable([3.0]))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.train.Checkpoint(a=tf.Variable(1), b=tf.Variable(2), c=tf.Variable(3.0)).read(path)
    said = "tensor_name = {}/.ATTRIBUTES/VARIABLE_VALUE; expected dtype int32 does not equal original dtype float"
    assert str(caught.value) == f"{said.format('a')}\n{said.format('b')}"


def test_a_restore_that_failed_gives_nothing_later(tmp_path):
    path = written(tmp_path, a=tf.Variable(1.0), m=holding(v=tf.Variable(2.0)))
    module = tf.Module()
    with pytest.raises(ValueError, match="incompatible tensor"):
        tf.train.Checkpoint(a=tf.Variable([0.0]), m=module).read(path)
    module.v = tf.Variable(0.0)
    assert module.v.numpy() == 0.0


def test_restoring_leaves_no_attributes_that_modules_give(tmp_path):
    module = holding(v=tf.Variable(1.0))
    tf.train.Checkpoint(m=module).read(
        written(tmp_path, m=module, w=tf.Variable(2.0))
    ).expect_partial()
    assert [value for value in module._flatten() if not isinstance(value, str)][1:] == [module.v]


def test_what_a_module_holds_is_taken_apart_where_asked_for():
    module = tf.Module()
    module.held = {"k": tf.sparse.from_dense([1, 0, 2])}
    whole = [path for path, value in module._flatten(with_path=True) if tf.is_tensor(value)]
    parts = [
        path
        for path, value in module._flatten(with_path=True, expand_composites=True)
        if tf.is_tensor(value)
    ]
    assert (whole, parts) == ([("held", "k")], [("held", "k", "SparseTensor", i) for i in range(3)])


def test_a_value_is_restored_into_an_unknown_shape(tmp_path):
    v = tf.Variable([0.0], shape=[None])
    tf.train.Checkpoint(v=v).read(written(tmp_path, v=tf.Variable([1.0, 2.0]))).assert_consumed()
    assert v.numpy().tolist() == [1.0, 2.0]


def test_a_restored_value_is_nobody_elses(tmp_path):
    path = written(tmp_path, v=tf.Variable([1.0, 2.0]))
    first, second = tf.Variable([0.0, 0.0]), tf.Variable([0.0, 0.0])
    for v in (first, second):
        tf.train.Checkpoint(v=v).read(path)
    before = first.read_value()
    first.assign_add([1.0, 1.0])
    assert (before.numpy().tolist(), second.numpy().tolist()) == ([1.0, 2.0], [1.0, 2.0])


def test_one_variable_for_two_values_takes_the_first(tmp_path):
    v = tf.Variable(0.0)
    tf.train.Checkpoint(a=v, b=v).read(
        written(tmp_path, a=tf.Variable(3.0), b=tf.Variable(4.0))
    ).assert_consumed()
    assert v.numpy() == 3.0


def test_one_variable_that_gets_a_second_name_later_keeps_its_value(tmp_path):
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).write(tmp_path / "c")
    v = tf.Variable(0.0)
    checkpoint = tf.train.Checkpoint(a=v)
    checkpoint.restore(path).expect_partial()
    checkpoint.b = v
    assert v.numpy() == 1.0


def test_missing_files():
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    said = (
        "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for /none/x"
    )
    with pytest.raises(tf.errors.NotFoundError, match=f"^{said}$"):
        checkpoint.read("/none/x")
    with pytest.raises(
        tf.errors.NotFoundError,
        match=f"^Error when restoring from checkpoint or SavedModel at /none/x: {said}\n",
    ):
        checkpoint.restore("/none/x")


def test_no_file_at_all():
    status = tf.train.Checkpoint(v=tf.Variable(1.0)).restore(None)
    assert type(status).__name__ == "InitializationOnlyStatus"
    assert status.expect_partial() is status
    status.initialize_or_restore()
    for check in (
        status.assert_consumed,
        status.assert_existing_objects_matched,
        status.assert_nontrivial_match,
    ):
        with pytest.raises(AssertionError, match=r"^No checkpoint specified"):
            check()
    with pytest.raises(AssertionError, match="no restore ops are available"):
        status.run_restore_ops()


def test_what_the_program_has_more(tmp_path):
    path = written(tmp_path, a=tf.Variable(1.0))
    status = tf.train.Checkpoint(
        a=tf.Variable(0.0), l=[tf.Variable(0.0)] * 2 + [tf.Variable(float(i)) for i in range(11)]
    ).read(path)
    with pytest.raises(
        AssertionError,
        match=r"^Found 12 Python objects that were not bound .* Showing 10 of 12 unmatched",
    ):
        status.assert_existing_objects_matched()
    assert status.assert_nontrivial_match() is status
    tf.train.Checkpoint(a=tf.Variable(0.0), m=tf.Module(), l=[1]).read(path).assert_consumed()
    other = tf.train.Checkpoint(z=tf.Variable(0.0)).read(path).expect_partial()
    with pytest.raises(AssertionError, match=r"^Nothing except the root object matched"):
        other.assert_nontrivial_match()


def test_the_log_tells_of_values_without_an_object(tmp_path, caplog):
    path = written(
        tmp_path, a=tf.Variable(1.0), m=holding(x=tf.Variable(1.0), l=[tf.Variable(2.0)])
    )

    def told(restore):
        caplog.clear()
        with caplog.at_level(logging.WARNING, "tensorflow"):
            status = restore(tf.train.Checkpoint(a=tf.Variable(0.0)))
            assert not caplog.messages
            del status
            gc.collect()
        return caplog.messages

    first, *rest = told(lambda checkpoint: checkpoint.read(path))
    assert first.startswith(
        "Detecting that an object or model or tf.train.Checkpoint is being deleted with unrestored"
    )
    lost = "Value in checkpoint could not be found in the restored object: (root)"
    assert rest == [f"{lost}.m.x", f"{lost}.m.l.0"]
    module = tf.train.Checkpoint(a=tf.Module(), m=holding(x=tf.Variable(1.0), l=[tf.Variable(2.0)]))
    assert told(lambda _: module.read(path))[1:] == [
        "An attribute in the restored object could not be found in the checkpoint. Object: (root).a, attribute: "
        "['VARIABLE_VALUE']"
    ]
    assert told(lambda checkpoint: checkpoint.read(path).expect_partial()) == []


def test_a_damaged_graph_is_data_lost(tmp_path):
    from twinflow._src.checkpoint.values import bytes_item
    from twinflow._src.checkpoint.writer import write

    for contents in (
        b"\xff\xff",
        b"",
        message("TrackableObjectGraph")(nodes=[{"children": [{"node_id": 7}]}]).SerializeToString(),
    ):
        path = str(tmp_path / "damaged")
        write(path, [bytes_item("_CHECKPOINTABLE_OBJECT_GRAPH", contents)])
        with pytest.raises(tf.errors.DataLossError, match="_CHECKPOINTABLE_OBJECT_GRAPH"):
            tf.train.Checkpoint(v=tf.Variable(1.0)).read(path)


# ------------------------------------------------------------------ names instead of objects


def test_checkpoints_of_names_are_restored_by_names():
    prefix = str(GOLDENS / "v1_simple" / "model.ckpt")
    v1, other = tf.Variable([0.0, 0.0], name="v1"), tf.Variable(3.0, name="other")
    status = tf.train.Checkpoint(m=holding(v=v1)).restore(prefix)
    status.assert_consumed().assert_existing_objects_matched().assert_nontrivial_match().expect_partial()
    assert v1.numpy().tolist() == [1.5, 1.5]
    late = tf.Module()
    status = tf.train.Checkpoint(m=late, o=other).restore(prefix)
    late.v = tf.Variable([[0.0], [0.0]], name="v2")
    assert late.v.numpy().tolist() == [[3.0], [3.0]]
    with pytest.raises(
        AssertionError, match=r"not restored: \n    <tf.Variable 'other:0'.*\['other'\]$"
    ):
        status.assert_consumed()
    with pytest.raises(ValueError, match=r"shape \(2,\) when .* shape \(\) and name v1\.$"):
        tf.train.Checkpoint(v=tf.Variable(0.0, name="v1")).restore(prefix)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"wrong dtype. Expected int32 got float"
    ):
        tf.train.Checkpoint(v=tf.Variable([0, 0], name="v1")).restore(prefix)


def test_variables_of_one_name_have_values_of_their_own():
    variables = [tf.Variable([0.0, 0.0], name="v1") for _ in range(2)]
    tf.train.Checkpoint(l=variables).restore(
        str(GOLDENS / "v1_simple" / "model.ckpt")
    ).assert_consumed()
    variables[0].assign_add([1.0, 1.0])
    assert variables[1].numpy().tolist() == [1.5, 1.5]


# ------------------------------------------------------------------ saving


def test_saves_are_counted(tmp_path):
    first = tf.train.Checkpoint(v=tf.Variable(1.0))
    assert [Path(first.save(tmp_path / "ck")).name for _ in range(2)] == ["ck-1", "ck-2"]
    second = tf.train.Checkpoint(v=tf.Variable(0.0))
    second.restore(tmp_path / "ck-2").assert_consumed()
    assert second.save_counter.numpy() == 2
    assert Path(second.save(tmp_path / "ck")).name == "ck-3"
    rooted = tf.train.Checkpoint(holding(v=tf.Variable(0.0)))
    rooted.restore(tf.train.latest_checkpoint(tmp_path)).assert_existing_objects_matched()
    assert Path(rooted.save(tmp_path / "ck")).name == "ck-4"


def test_paths_from_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    assert checkpoint.save("ck") == "ck-1"
    assert tf.train.latest_checkpoint(".") == "./ck-1"
    assert checkpoint.save("of/ck") == tf.train.latest_checkpoint("of") == "of/ck-2"
    checkpoint.restore(b"of/ck-2").assert_consumed()
    manager = tf.train.CheckpointManager(checkpoint, "of", 1)
    assert manager.save() == "of/ckpt-3"
    assert sorted(p.name for p in (tmp_path / "of").glob("*.index")) == ["ckpt-3.index"]


def test_options(tmp_path):
    told, steps = [], []
    options = tf.train.CheckpointOptions(
        experimental_io_device="/job:localhost",
        experimental_write_callbacks=[told.append, lambda: told.append("done")],
        durable=False,
        progress=lambda done, whole: steps.append((done, whole)),
    )
    v = tf.Variable([1.0] * 1000)
    path = tf.train.Checkpoint(v=v).write(tmp_path / "o", options)
    assert told == [path, "done"]
    assert steps[-1][0] == steps[-1][1] >= 4000
    steps.clear()
    tf.train.Checkpoint(v=v).read(path, options).assert_consumed()
    assert steps[-1] == (4000, 4000)
    with pytest.raises(ValueError, match=r"^A write callback"):
        tf.train.CheckpointOptions(experimental_write_callbacks=[lambda a, b: 1])


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_line_in_the_terminal_says_how_far_a_long_save_is(tmp_path, monkeypatch):
    from twinflow._src.checkpoint import options as module

    v, options = tf.Variable([1.0] * 1000), tf.train.CheckpointOptions(progress=True)
    for patience, shown in ((2.0, False), (0.0, True)):
        monkeypatch.setattr(module, "_PATIENCE", patience)
        monkeypatch.setattr("sys.stderr", terminal := Terminal())
        path = tf.train.Checkpoint(v=v, w=v).write(tmp_path / "o", options)
        tf.train.Checkpoint(v=v).read(path, options).expect_partial()
        assert bool(terminal.getvalue()) is shown
    clock = iter([0.0, 0.0, 1.0, 3.0, 3.05, 4.0])
    monkeypatch.setattr(module, "_PATIENCE", 2.0)
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    bar = module.Bar("Saving", terminal := Terminal())
    for done in (1, 25, 50, 100):
        bar(done * 10**7, 10**9)
    lines = [line.removesuffix("\x1b[K") for line in terminal.getvalue().splitlines() if line]
    assert lines == [
        "Saving [========                      ]  25% of 1 GB, 9 s left",
        "Saving [==============================] 100% of 1 GB, 4 s",
    ]


def test_slots_can_be_left_out(tmp_path):
    optimizer, v = tf.compat.v1.train.MomentumOptimizer(0.1, 0.9), tf.Variable([1.0])
    optimizer.apply_gradients([(tf.constant([1.0]), v)])
    options = tf.train.CheckpointOptions(experimental_skip_slot_variables=True)
    path = tf.train.Checkpoint(o=optimizer, v=v).write(tmp_path / "o", options)
    assert [keys for _, keys in graph_of(path) if keys] == [["v/.ATTRIBUTES/VARIABLE_VALUE"]]


def test_a_save_keeps_the_values_of_its_beginning(tmp_path):
    v = tf.Variable([1.0] * 10)
    options = tf.train.CheckpointOptions(progress=lambda done, whole: w.assign([7.0] * 10))
    w = tf.Variable([2.0] * 10)
    path = tf.train.Checkpoint(a=v, w=w).write(tmp_path / "o", options)
    assert tf.train.load_variable(path, "w/.ATTRIBUTES/VARIABLE_VALUE").tolist() == [2.0] * 10


def test_in_functions(tmp_path):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)

    @tf.function
    def step():
        v.assign_add(1.0)
        return checkpoint.write(str(tmp_path / "f"))

    for value in (2.0, 3.0):
        assert step().numpy() == str(tmp_path / "f").encode()
        assert tf.train.load_variable(str(tmp_path / "f"), "v/.ATTRIBUTES/VARIABLE_VALUE") == value
    for method in (checkpoint.save, checkpoint.read, checkpoint.restore):
        with pytest.raises(NotImplementedError):
            tf.function(lambda method=method: method(str(tmp_path / "f")))()


# ------------------------------------------------------------------ sessions


def test_values_of_sessions(tmp_path):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("w", initializer=[5.0, 6.0])
        checkpoint = v1.train.Checkpoint(v=v)
        session.run(v1.global_variables_initializer())
        paths = [checkpoint.save(tmp_path / "s"), checkpoint.save(tmp_path / "s", session=session)]
    assert [Path(path).name for path in paths] == ["s-1", "s-2"]
    with tf.Graph().as_default():
        v, x = v1.get_variable("w", initializer=[0.0, 0.0]), v1.get_variable("x", initializer=7.0)
        status = tf.train.Checkpoint(v=v, x=x).restore(paths[1])
        with v1.Session() as session:
            status.initialize_or_restore(session)
            assert session.run([v, x])[0].tolist() == [5.0, 6.0]
            assert session.run(x) == 7.0
        with v1.Session() as session:
            status.run_restore_ops()
            assert session.run(v).tolist() == [5.0, 6.0]
        with pytest.raises(ValueError, match="session"):
            tf.train.Checkpoint(v=v).write(tmp_path / "none")
    w = tf.Variable([0.0, 0.0])
    tf.train.Checkpoint(v=w).restore(paths[0]).assert_consumed()
    assert w.numpy().tolist() == [5.0, 6.0]


def test_a_session_without_a_checkpoint_gets_first_values():
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v, w = v1.get_variable("v", initializer=1.0), v1.get_variable("w", initializer=2.0)
        session.run(v.assign(5.0))
        tf.train.Checkpoint(v=v, w=w).restore(None).initialize_or_restore(session)
        assert session.run([v, w]) == [5.0, 2.0]


@pytest.mark.parametrize(
    ("value", "dtype"),
    [([1, 2], tf.int32), ([1.5], tf.float32), (["a", "b"], tf.string), ([True, False], tf.bool)],
)
def test_variables_that_are_references(value, dtype, tmp_path):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session().as_default() as session:
        v = v1.Variable(value, use_resource=False)
        session.run(v.initializer)
        path = tf.train.Checkpoint(v=v).write(tmp_path / "c")
        key = "v/.ATTRIBUTES/VARIABLE_VALUE"
        assert tf.train.load_checkpoint(path).get_variable_to_dtype_map()[key] is dtype
        before = session.run(v)
        session.run(v1.assign(v, v[::-1]))
        status = tf.train.Checkpoint(v=v).read(path)
        status.assert_consumed().run_restore_ops()
        np.testing.assert_array_equal(session.run(v), before)


# ------------------------------------------------------------------ what objects keep for themselves


def test_a_program_may_have_attributes_of_any_name(tmp_path):
    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self._tracked, self._deferred, self._late_by_name = [], {}, "mine"
            self._restored_by = None

        def build(self):
            self._tracked.append(tf.Variable(1.0))
            self.w = tf.Variable(2.0)

    saved, restored = Layer(), Layer()
    saved.build()
    path = tf.train.Checkpoint(m=saved).save(str(tmp_path / "c"))
    status = tf.train.Checkpoint(m=restored).restore(path)
    restored.build()
    restored.w.assign_add(1.0)
    status.assert_existing_objects_matched()
    assert (
        restored.w.numpy() == 3
        and restored._late_by_name == "mine"
        and len(restored.variables) == 2
    )


def test_what_modules_keep_has_the_names_that_programs_leave_out():
    class Module(tf.Module):
        pass

    module = Module()
    module.w = tf.Variable(1.0)
    kept = [name for name in vars(module) if name not in tf.Module._TF_MODULE_IGNORED_PROPERTIES]
    assert kept == ["_name", "_name_scope", "w"]
    assert vars(module)["_self_unconditional_dependency_names"] == {"w": module.w}
    before = set(vars(module))
    tf.train.Checkpoint(m=module).restore(None)
    module.v = tf.Variable(2.0)
    assert set(vars(module)) == before | {"v"}


def test_tracking_of_attributes_can_be_switched_off():
    module = tf.Module()
    module._self_setattr_tracking = False
    module.items = [tf.Variable(1.0)]
    assert type(module.items) is list and not tf.train.Checkpoint(m=module).m._trackable_children()


class _Items(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.items: list = []
        self.named: dict = {}


def test_items_whose_saved_values_do_not_fit_keep_theirs(tmp_path):
    saved, late = _Items(), _Items()
    for value in ([1.0, 2.0], [[5.0, 6.0]]):
        saved.items.append(tf.Variable(value))
    saved.named["a"], saved.one = tf.Variable([3.0]), tf.Variable([4.0])
    path = tf.train.Checkpoint(root=saved).save(tmp_path / "c")
    tf.train.Checkpoint(root=late).restore(path)
    for _ in range(2):
        late.items.append(tf.Variable([[0.0, 0.0]]))
    late.named["a"] = tf.Variable([0.0, 0.0])
    assert [v.numpy().tolist() for v in late.items] == [[[0, 0]], [[5, 6]]]
    assert late.named["a"].numpy().tolist() == [0, 0]
    with pytest.raises(ValueError, match=r"incompatible tensor with shape \(1,\) .* shape \(2,\)"):
        late.one = tf.Variable([0.0, 0.0])  # an attribute, other than an item, is refused


def test_owners_of_variables_name_the_shapes_that_do_not_fit(tmp_path):
    """As ``keras.Variable`` does, which saves through a variable of its own."""

    class Owner(tf.__internal__.tracking.Trackable):
        def __init__(self, value):
            self.value = tf.Variable(value)

        def _serialize_to_tensors(self):
            return self.value._serialize_to_tensors()

        def _restore_from_tensors(self, restored):
            return self.value._restore_from_tensors(restored)

    path = tf.train.Checkpoint(v=Owner([1.0, 2.0])).save(tmp_path / "c")
    text = (
        r"Received incompatible tensor with shape \(2,\) when attempting to restore variable with "
        r"shape \(1, 2\) and name Variable:0\."
    )
    with pytest.raises(ValueError, match=text):
        tf.train.Checkpoint(v=Owner([[0.0, 0.0]])).restore(path)


def test_restores_into_children_that_a_class_looks_up(tmp_path):
    class Box(tf.Module):
        def __init__(self, value):
            super().__init__()
            self._parts = [tf.Variable(value)]

        def _trackable_children(self, save_type="checkpoint", **kwargs):
            return {"part": self._parts[0]}

        def _lookup_dependency(self, name, cached_dependencies=None):
            return self._trackable_children().get(name)

    path = tf.train.Checkpoint(box=Box(3.0)).save(str(tmp_path / "ck"))
    box = Box(1.0)
    tf.train.Checkpoint(box=box).restore(path).assert_consumed()
    assert box._parts[0].numpy() == 3.0


class Wrapped(tf.__internal__.tracking.Trackable):
    """A value that saves itself as tensors, as the variables of libraries do."""

    def __init__(self):
        super().__init__()
        self._value = tf.Variable(lambda: tf.zeros([2]))

    def _serialize_to_tensors(self):
        return {"VARIABLE_VALUE": self._value}

    def _restore_from_tensors(self, restored_tensors):
        return self._value.assign(restored_tensors["VARIABLE_VALUE"])


def test_objects_that_a_traced_function_creates_are_restored(tmp_path):
    class Lazy(tf.Module):
        weight = None

        def __call__(self):
            if self.weight is None:
                self.weight = Wrapped()
            return self.weight._value * 2.0

    saved, fresh = Lazy(), Lazy()
    saved()
    saved.weight._value.assign([1.0, 2.0])
    path = tf.train.Checkpoint(model=saved).write(str(tmp_path / "lazy"))
    tf.train.Checkpoint(model=fresh).restore(path)
    call = tf.function(fresh)
    call.get_concrete_function()  # restores, and runs nothing
    assert fresh.weight._value.numpy().tolist() == [1.0, 2.0]
    fresh.weight._value.assign([3.0, 4.0])
    assert call().numpy().tolist() == [6.0, 8.0]
