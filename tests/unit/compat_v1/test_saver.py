"""``tf.compat.v1.train.Saver``."""

import os
import threading

import numpy as np
import pytest

import twinflow as tf2
from twinflow._src.core.context import PLAIN, entered
from twinflow.compat import v1 as tf

errors = tf2.errors

pytestmark = pytest.mark.usefixtures("graph")


@pytest.fixture(params=[True, False], ids=["resource", "reference"])
def resource(request):
    return request.param


def variable(name="v", value=(1.0, 2.0), resource=True):
    return tf.get_variable(name, initializer=tf.constant(list(value)), use_resource=resource)


def initialised():
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


def saved(path, *values, resource=True):
    """Saves variables v0, v1, ... in a graph of their own; gives the path."""
    with tf.Graph().as_default():
        for i, value in enumerate(values):
            variable(f"v{i}", value, resource)
        with initialised() as session:
            return tf.train.Saver().save(session, str(path))


# ------------------------------------------------------------------ saving and restoring


def test_there_and_back(resource, tmp_path):
    path = saved(tmp_path / "m", [1.0, 2.0], [3.0], resource=resource)
    v0, v1 = (
        tf.get_variable("v0", [2], use_resource=resource),
        tf.get_variable("v1", [1], use_resource=resource),
    )
    with tf.Session() as session:
        tf.train.Saver().restore(session, path)
        assert [x.tolist() for x in session.run([v0, v1])] == [[1.0, 2.0], [3.0]]


def test_a_dictionary_renames(resource, tmp_path):
    v = variable(resource=resource)
    with initialised() as session:
        path = tf.train.Saver({"my_v": v}).save(session, str(tmp_path / "m"))
    assert tf2.train.list_variables(path) == [("my_v", [2])]


def test_part_of_the_variables(tmp_path):
    path = saved(tmp_path / "m", [1.0], [2.0])
    v0, v1 = variable("v0", [5.0]), variable("v1", [6.0])
    with initialised() as session:
        tf.train.Saver([v1]).restore(session, path)
        assert [x.tolist() for x in session.run([v0, v1])] == [[5.0], [2.0]]


def test_parts_of_a_variable(tmp_path):
    with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(3)):
        tf.get_variable(
            "v", dtype=tf.float64, initializer=tf.constant(np.arange(14.0).reshape(7, 2))
        )
    with initialised() as session:
        path = tf.train.Saver().save(session, str(tmp_path / "m"))
    assert tf2.train.load_variable(path, "p/v").tolist() == np.arange(14.0).reshape(7, 2).tolist()
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(2)):
            v = tf.get_variable("v", [7, 2], tf.float64)
        tf.train.Saver([v]).restore(session, path)
        assert (
            np.concatenate(session.run(list(v))).tolist() == np.arange(14.0).reshape(7, 2).tolist()
        )


def test_other_shapes_if_asked_for(resource, tmp_path):
    path = saved(tmp_path / "m", [1.0, 2.0, 3.0, 4.0])
    v = tf.get_variable("v0", [2, 2], use_resource=resource)
    with tf.Session() as session:
        tf.train.Saver(reshape=True).restore(session, path)
        assert session.run(v).tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_several_devices(tmp_path):
    tf2.config.set_soft_device_placement(True)
    with tf.device("/cpu:0"):
        v = variable()
    w = variable("w", [3.0])
    saver = tf.train.Saver(sharded=True)
    with initialised() as session:
        path = saver.save(session, str(tmp_path / "m"))
        session.run([v.assign([0.0, 0.0]), w.assign([0.0])])
        saver.restore(session, path)
        assert [x.tolist() for x in session.run([v, w])] == [[1.0, 2.0], [3.0]]
    data = [n for n in os.listdir(tmp_path) if ".data-" in n]
    assert sorted(data) == ["m.data-00000-of-00002", "m.data-00001-of-00002"]


# ------------------------------------------------------------------ all or nothing


def test_a_damaged_file_changes_nothing(tmp_path):
    path = saved(tmp_path / "m", [1.0, 2.0], [3.0])
    v0, v1 = variable("v0", [5.0, 6.0]), variable("v1", [7.0])
    data = tmp_path / "m.data-00000-of-00001"
    raw = bytearray(data.read_bytes())
    raw[-1] ^= 1
    data.write_bytes(raw)
    with initialised() as session:
        with pytest.raises(errors.DataLossError, match="v1"):
            tf.train.Saver().restore(session, path)
        assert [x.tolist() for x in session.run([v0, v1])] == [[5.0, 6.0], [7.0]]


def test_a_wrong_shape_changes_nothing(resource, tmp_path):
    path = saved(tmp_path / "m", [1.0, 2.0], [3.0])
    v0, v1 = variable("v0", [5.0, 6.0], resource), variable("v1", [7.0, 8.0], resource)
    with initialised() as session:
        with pytest.raises(
            errors.InvalidArgumentError, match=r"lhs shape= \[2\] rhs shape= \[1\]: key v1 of .*m"
        ):
            tf.train.Saver().restore(session, path)
        assert [x.tolist() for x in session.run([v0, v1])] == [[5.0, 6.0], [7.0, 8.0]]


def test_a_wrong_type(tmp_path):
    path = saved(tmp_path / "m", [1.0])
    tf.get_variable("v0", initializer=tf.constant([1]))
    with initialised() as session, pytest.raises(errors.InvalidArgumentError) as caught:
        tf.train.Saver().restore(session, path)
    assert (
        "mismatch between the current graph and the graph from the checkpoint"
        in caught.value.message
    )
    assert (
        "tensor_name = v0; expected dtype int32 does not equal original dtype float"
        in caught.value.message
    )


def test_a_missing_value(tmp_path):
    path = saved(tmp_path / "m", [1.0])
    variable("w")
    with (
        initialised() as session,
        pytest.raises(errors.NotFoundError, match="Key w not found in checkpoint"),
    ):
        tf.train.Saver().restore(session, path)


def test_checkpoints_of_objects_by_names(tmp_path):
    with entered(PLAIN):
        path = tf2.train.Checkpoint(inner=tf2.Variable([1.0, 2.0], name="v")).write(
            str(tmp_path / "objects")
        )
    v = tf.get_variable("v", [2])
    with tf.Session() as session:
        tf.train.Saver().restore(session, path)
        assert session.run(v).tolist() == [1.0, 2.0]


def test_variables_without_a_value_are_not_saved(resource, tmp_path):
    variable(resource=resource)
    said = "Could not find variable v" if resource else "uninitialized value v"
    with tf.Session() as session, pytest.raises(errors.FailedPreconditionError, match=said):
        tf.train.Saver().save(session, str(tmp_path / "m"))
    assert os.listdir(tmp_path) == []


# ------------------------------------------------------------------ files


def names(folder):
    return sorted(os.listdir(folder))


def four(folder, **options):
    variable()
    saver = tf.train.Saver(max_to_keep=2, **options)
    with initialised() as session:
        paths = [saver.save(session, str(folder / "m"), global_step=i) for i in range(4)]
    return saver, paths


def test_old_checkpoints_go(tmp_path):
    saver, paths = four(tmp_path)
    kept = [f"m-{i}.{end}" for i in (2, 3) for end in ("data-00000-of-00001", "index", "meta")]
    assert names(tmp_path) == ["checkpoint", *kept]
    assert saver.last_checkpoints == paths[2:]
    assert tf.train.latest_checkpoint(str(tmp_path)) == paths[3]
    assert (
        list(tf.train.get_checkpoint_state(str(tmp_path)).all_model_checkpoint_paths) == paths[2:]
    )


def test_some_are_kept_for_good(tmp_path):
    four(tmp_path, keep_checkpoint_every_n_hours=0.0)
    assert "m-0.index" in names(tmp_path)


def test_relative_paths(tmp_path):
    four(tmp_path, save_relative_paths=True)
    assert (tmp_path / "checkpoint").read_text().splitlines()[0] == 'model_checkpoint_path: "m-3"'


def test_the_old_one_goes_last(tmp_path, monkeypatch):
    from twinflow._src.compat_v1.saver import saver as module

    variable()
    saver = tf.train.Saver(max_to_keep=1)
    seen = []
    remove = module.checkpoints.remove_checkpoint

    def removing(path, **options):
        seen.append(
            (
                [n for n in names(tmp_path) if n.startswith("m-1")],
                tf.train.latest_checkpoint(str(tmp_path)),
            )
        )
        remove(path, **options)

    monkeypatch.setattr(module.checkpoints, "remove_checkpoint", removing)
    with initialised() as session:
        for i in range(2):
            path = saver.save(session, str(tmp_path / "m"), global_step=i)
    assert seen == [(["m-1.data-00000-of-00001", "m-1.index", "m-1.meta"], path)]


def test_names_of_files(tmp_path):
    variable()
    with initialised() as session:
        saver = tf.train.Saver(pad_step_number=True)
        assert saver.save(session, str(tmp_path / "a"), tf.constant(7), write_state=False) == str(
            tmp_path / "a-00000007"
        )
        saver.save(session, str(tmp_path / "b"), latest_filename="last", meta_graph_suffix="mg")
        saver.save(session, str(tmp_path / "c"), write_meta_graph=False, latest_filename="last")
    stems = ["a-00000007", "b", "c"]
    files = [f"{stem}.{end}" for stem in stems for end in ("data-00000-of-00001", "index")]
    assert names(tmp_path) == sorted([*files, "a-00000007.meta", "b.mg", "last"])


def test_graphs_that_cannot_be_written_are_left_out(tmp_path, caplog):
    v = variable()
    tf.py_func(lambda x: x, [v], tf.float32)
    with initialised() as session, caplog.at_level("WARNING", "tensorflow"):
        path = tf.train.Saver().save(session, str(tmp_path / "m"))
    if not os.path.exists(path + ".meta"):
        assert "is not written; the values are saved" in caplog.text
    assert tf2.train.load_variable(path, "v").tolist() == [1.0, 2.0]


def test_what_has_been_saved_before(tmp_path):
    _, paths = four(tmp_path)
    saver = tf.train.Saver(max_to_keep=2)
    saver.recover_last_checkpoints([*paths, str(tmp_path / "nope")])
    assert saver.last_checkpoints == paths[2:]
    saver.set_last_checkpoints(["a"])
    assert saver.last_checkpoints == ["a"]
    saver.set_last_checkpoints_with_time([("c", 1.0)])
    assert saver.last_checkpoints == ["c"]
    with pytest.raises(AssertionError):
        saver.set_last_checkpoints("abc")


# ------------------------------------------------------------------ refusals

REFUSED = {
    "Variables to save should be passed in a dict or a list": (
        TypeError,
        lambda v: tf.train.Saver("abc"),
    ),
    "Variable to save is not a Variable": (TypeError, lambda v: tf.train.Saver([tf.constant(1.0)])),
    "Not a variable: Tensor": (TypeError, lambda v: tf.train.Saver({"a": tf.constant(1.0)})),
    "Name is not a string: 1": (TypeError, lambda v: tf.train.Saver({1: v})),
    "At least two variables have the same name: v": (ValueError, lambda v: tf.train.Saver([v, v])),
    "restored with two names: b": (ValueError, lambda v: tf.train.Saver({"a": v, "b": v})),
    "No variables to save": (ValueError, lambda v: tf.train.Saver([])),
    "build cannot be deferred": (ValueError, lambda v: tf.train.Saver([v], defer_build=True)),
    "there are no builders": (NotImplementedError, lambda v: tf.train.Saver(builder=3)),
    "in their second format": (NotImplementedError, lambda v: tf.train.Saver(write_version=1)),
    "must specify the save_tensor_name": (
        ValueError,
        lambda v: tf.train.Saver(saver_def=tf.train.SaverDef()),
    ),
    "must not contain path components": (ValueError, lambda v: _save("x", latest_filename="a/b")),
    "'latest_filename' collides with 'save_path'": (ValueError, lambda v: _save("checkpoint")),
    "Parent directory of a/b/c/x doesn't exist": (ValueError, lambda v: _save("a/b/c/x")),
    "'sess' must be a Session; 3": (TypeError, lambda v: tf.train.Saver().save(3, "x")),
    "`build\\(\\)` should be called before save": (RuntimeError, lambda v: _deferred()),
    "Can't load save_path when it is None": (
        ValueError,
        lambda v: tf.train.Saver().restore(None, None),
    ),
    "not a valid checkpoint: nope": (ValueError, lambda v: tf.train.Saver().restore(None, "nope")),
}


def _save(path, **options):
    with initialised() as session:
        tf.train.Saver().save(session, path, **options)


def _deferred():
    with initialised() as session:
        tf.train.Saver(defer_build=True).save(session, "x")


@pytest.mark.parametrize("said", REFUSED)
def test_refused(said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kind, call = REFUSED[said]
    with pytest.raises(kind, match=said):
        call(variable())


# ------------------------------------------------------------------ messages, and without a graph


def test_as_messages():
    variable()
    saver = tf.train.Saver(name="foo", sharded=True)
    proto = saver.as_saver_def()
    assert (proto.save_tensor_name, proto.restore_op_name) == ("foo/Identity:0", "foo/restore_all")
    assert proto.sharded and proto.max_to_keep == 5 and proto.version == 2
    assert (
        tf.train.Saver.from_proto(proto, "abc").to_proto().save_tensor_name == "abc/foo/Identity:0"
    )
    assert saver.to_proto("foo").restore_op_name == "restore_all"
    assert saver.to_proto("other") is None


def test_nothing_to_save_if_allowed(tmp_path):
    saver = tf.train.Saver(allow_empty=True)
    with tf.Session() as session:
        assert saver.save(session, str(tmp_path / "m"), write_meta_graph=False) is None
        saver.restore(session, "nope")


def test_building_later(tmp_path):
    saver = tf.train.Saver(defer_build=True)
    variable()
    saver.build()
    with initialised() as session:
        assert saver.save(session, str(tmp_path / "m")) == str(tmp_path / "m")


def test_without_a_graph(tmp_path):
    with entered(PLAIN):
        v = tf2.Variable([1.0, 2.0], name="v")
        saver = tf.train.Saver([v])
        path = saver.save(None, str(tmp_path / "m"), global_step=3)
        v.assign([0.0, 0.0])
        saver.restore(None, path)
        assert v.numpy().tolist() == [1.0, 2.0]
        assert names(tmp_path) == ["checkpoint", "m-3.data-00000-of-00001", "m-3.index"]
        with pytest.raises(RuntimeError, match="`var_list` must specify"):
            tf.train.Saver()
        with pytest.raises(ValueError, match="same shared_name 'v'"):
            tf.train.Saver([v, tf2.Variable(1.0, name="v")]).save(None, path)
        with pytest.raises(errors.InvalidArgumentError, match="lhs shape= "):
            tf.train.Saver({"v": tf2.Variable([1.0, 2.0, 3.0])}).restore(None, path)


def test_a_finished_graph_can_be_saved(graph, tmp_path):
    v = variable()
    zero = v.assign([0.0, 0.0])
    saver, init = tf.train.Saver(), tf.global_variables_initializer()
    graph.finalize()
    with tf.Session() as session:
        session.run(init)
        path = saver.save(session, str(tmp_path / "m"))
        session.run(zero)
        session.run("save/restore_all", {"save/Const:0": path})
        assert session.run(v).tolist() == [1.0, 2.0]


def test_all_types(tmp_path):
    values = [
        np.array([b"a", b"bc"], object),
        [1 + 2j],
        [True],
        np.array([1.5], tf.bfloat16.as_numpy_dtype),
        [[7]],
    ]
    for i, value in enumerate(values):
        tf.get_variable(f"v{i}", initializer=tf.constant(value))
    with initialised() as session:
        before = session.run(tf.global_variables())
        saver = tf.train.Saver()
        path = saver.save(session, str(tmp_path / "m"))
    with tf.Session() as session:
        saver.restore(session, path)
        after = session.run(tf.global_variables())
    assert [x.tolist() for x in after] == [x.tolist() for x in before]


def test_several_threads(tmp_path):
    v = variable()
    saver = tf.train.Saver()
    failures = []

    def work(session, i):
        try:
            for k in range(5):
                path = saver.save(
                    session, str(tmp_path / f"t{i}"), global_step=k, write_state=False
                )
                saver.restore(session, path)
        except Exception as error:
            failures.append(error)

    with initialised() as session:
        threads = [threading.Thread(target=work, args=(session, i)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures and session.run(v).tolist() == [1.0, 2.0]
