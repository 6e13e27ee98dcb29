"""The functions that read checkpoints, look after those of a directory, and show what is in them."""

from __future__ import annotations

import os
import pathlib

import numpy as np
import pytest

import twinflow as tf
import twinflow.compat.v1 as v1
from tests.golden import exchange
from tests.harness import in_new_python
from twinflow._src.checkpoint import inspect
from twinflow._src.checkpoint.writer import Item, write
from twinflow._src.core import dtypes
from twinflow._src.ops.state import checkpoints as ops

TYPES = exchange.FOLDER / "raw_types" / "ckpt"


def item(key, array):
    array = np.asarray(array)
    dtype = dtypes.string if array.dtype == object else dtypes.as_dtype(array.dtype)
    return Item(key, lambda: array, dtype, array.shape)


@pytest.fixture
def saved(tmp_path):
    """A checkpoint as TensorFlow's inspector has been asked about it."""
    items = [
        item("w", np.array([[1.0, 2.0], [3.0, 4.5]], np.float32)),
        item("b/x", np.float64(2.5)),
        item("s", np.array([b"one", b"two"], object)),
        item("i", np.arange(3)),
        item("z", np.arange(3000, dtype=np.float32).reshape(30, 100)),
    ]
    write(tmp_path / "a", items)
    v1.train.update_checkpoint_state(str(tmp_path), str(tmp_path / "a"))
    return str(tmp_path / "a")


# ------------------------------------------------------------------ reading


def test_reader(saved):
    reader = tf.train.load_checkpoint(saved)
    assert reader.get_variable_to_shape_map() == {
        "w": [2, 2],
        "b/x": [],
        "s": [2],
        "i": [3],
        "z": [30, 100],
    }
    assert reader.get_variable_to_dtype_map()["s"] is tf.string
    assert reader.has_tensor("w") and reader.has_tensor(b"w") and not reader.has_tensor("v")
    assert isinstance(reader.get_tensor("b/x"), np.float64)
    assert reader.get_tensor("s").tolist() == [b"one", b"two"]
    assert reader.debug_string().startswith(b"b/x (DT_DOUBLE) []\ni (DT_INT64) [3]\n")
    with pytest.raises(tf.errors.NotFoundError, match="Key v not found in checkpoint"):
        reader.get_tensor("v")
    with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
        reader.get_tensor(3)


def test_a_directory_stands_for_its_latest(saved):
    folder = os.path.dirname(saved)
    assert tf.train.latest_checkpoint(folder) == saved
    assert tf.train.latest_checkpoint(pathlib.Path(folder)) == saved
    for place in (folder, pathlib.Path(folder), saved):
        assert [name for name, _ in tf.train.list_variables(place)] == ["b/x", "i", "s", "w", "z"]
    assert tf.train.load_variable(folder, "i:0").tolist() == [0, 1, 2]


def test_nothing_there(tmp_path):
    assert tf.train.latest_checkpoint(str(tmp_path)) is None
    assert tf.train.get_checkpoint_state(str(tmp_path / "nowhere")) is None
    with pytest.raises(
        ValueError, match="Couldn't find 'checkpoint' file or checkpoints in given directory"
    ):
        tf.train.load_checkpoint(str(tmp_path))
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files for"):
        tf.train.load_checkpoint(str(tmp_path / "x"))
    with pytest.raises(tf.errors.DataLossError, match=r"FAILED_PRECONDITION: .*; Is a directory"):
        v1.train.NewCheckpointReader(str(tmp_path))
    for value in (None, 3):
        with pytest.raises(TypeError, match="Expected binary or unicode string"):
            tf.train.load_checkpoint(value)


# ------------------------------------------------------------------ the state of a directory


@pytest.mark.parametrize(
    "arguments, paths",
    [
        (("/d", "/d/ck"), ["/d/ck", "/d/ck"]),
        (("/d", "rel/ck"), ["rel/ck", "rel/ck"]),
        (("rel", "rel/x", ["rel/y"]), ["x", "y", "x"]),
        (("rel", "/abs/x"), ["/abs/x", "/abs/x"]),
        (("", "/d/ck"), ["/d/ck", "/d/ck"]),
        (("/d", "/d/c", ["/d/a", "/d/c"], [1.0, 2.0], 5.0), ["/d/c", "/d/a", "/d/c"]),
    ],
)
def test_state_of_a_directory(arguments, paths):
    state = v1.train.generate_checkpoint_state_proto(*arguments)
    assert [state.model_checkpoint_path, *state.all_model_checkpoint_paths] == paths


def test_state_with_times_that_do_not_fit():
    with pytest.raises(
        ValueError, match="Checkpoint timestamps, if provided, must match checkpoint paths"
    ):
        v1.train.generate_checkpoint_state_proto("/d", "/d/c", ["/d/a"], [1.0])


def test_state_file(tmp_path):
    folder = str(tmp_path)
    v1.train.update_checkpoint_state(folder, "c", ["a", "c"], None, [1.0, 2.5], 0.5)
    assert (tmp_path / "checkpoint").read_text("utf-8") == (
        'model_checkpoint_path: "c"\nall_model_checkpoint_paths: "a"\nall_model_checkpoint_paths: "c"\n'
        "all_model_checkpoint_timestamps: 1.0\nall_model_checkpoint_timestamps: 2.5\n"
        "last_preserved_timestamp: 0.5\n"
    )
    state = tf.train.get_checkpoint_state(folder)
    assert list(state.all_model_checkpoint_paths) == [f"{folder}/a", f"{folder}/c"]
    v1.train.update_checkpoint_state(folder, f"{folder}/x", latest_filename="other")
    assert tf.train.get_checkpoint_state(folder, "other").model_checkpoint_path == f"{folder}/x"
    assert sorted(os.listdir(folder)) == ["checkpoint", "other"]
    with pytest.raises(RuntimeError, match="conflicts with path used for checkpoint state"):
        v1.train.update_checkpoint_state(folder, f"{folder}/checkpoint")
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        v1.train.update_checkpoint_state(f"{folder}/nowhere", "x")


@pytest.mark.parametrize(
    "text", ["garbage", "unknown: 3", 'model_checkpoint_path: "x\\377"', "\xff"]
)
def test_state_files_that_cannot_be_read_are_none(text, tmp_path):
    (tmp_path / "checkpoint").write_text(text, "latin-1")
    assert tf.train.get_checkpoint_state(str(tmp_path)) is None
    assert tf.train.latest_checkpoint(str(tmp_path)) is None


@pytest.mark.parametrize("text", ["", 'all_model_checkpoint_paths: "b"'])
def test_state_files_that_name_nothing(text, tmp_path):
    (tmp_path / "checkpoint").write_text(text, "utf-8")
    with pytest.raises(ValueError, match="Invalid checkpoint state loaded from"):
        tf.train.latest_checkpoint(str(tmp_path))


def test_a_state_file_whose_checkpoint_is_gone(saved):
    os.remove(f"{saved}.index")
    assert tf.train.latest_checkpoint(os.path.dirname(saved)) is None


def test_existence_and_removal(saved):
    train = v1.train
    assert train.checkpoint_exists(saved) and train.checkpoint_exists(f"{os.path.dirname(saved)}/?")
    assert not train.checkpoint_exists(f"{saved}x")
    assert train.get_checkpoint_mtimes([saved, f"{saved}x"]) == [
        float(int(os.stat(f"{saved}.index").st_mtime))
    ]
    pathlib.Path(f"{saved}.meta").touch()
    train.remove_checkpoint(saved)
    train.remove_checkpoint(saved)
    assert os.listdir(os.path.dirname(saved)) == ["checkpoint"]


# ------------------------------------------------------------------ operations


def test_parts_saved_one_by_one_are_merged(tmp_path):
    parts = [f"{tmp_path}/m_temp/part-{i}" for i in range(3)]
    for i, part in enumerate(parts):
        ops.save_v2(part, ["x", f"y{i}"], [f"6 {2 * i},2", ""], [[i, i + 1], f"{i}"])
    ops.merge_v2_checkpoints(parts, f"{tmp_path}/m")
    assert sorted(os.listdir(tmp_path)) == [
        *(f"m.data-{i:05d}-of-00003" for i in range(3)),
        "m.index",
    ]
    found = ops.restore_v2(
        f"{tmp_path}/m", ["x", "y2", "x"], ["", "", "6 1,3"], dtypes=[tf.int32, tf.string, tf.int32]
    )
    assert [np.asarray(t.numpy()).tolist() for t in found] == [[0, 1, 1, 2, 2, 3], b"2", [1, 1, 2]]


def test_paths_with_the_name_of_the_file_system(tmp_path):
    ops.save_v2(f"file://{tmp_path}/x", ["a"], [""], [[1.0]])
    v1.train.update_checkpoint_state(f"file://{tmp_path}", "x")
    assert tf.train.latest_checkpoint(f"file://{tmp_path}") == f"file://{tmp_path}/x"
    for place in (f"file://{tmp_path}", f"file://{tmp_path}/x", str(tmp_path)):
        assert tf.train.load_variable(place, "a").tolist() == [1.0]
    with pytest.raises(
        tf.errors.UnimplementedError, match="File system scheme 'gs' not implemented"
    ):
        ops.save_v2("gs://bucket/x", ["a"], [""], [[1.0]])


def test_merging_says_what_is_wrong(tmp_path):
    for name in "ab":
        ops.save_v2(f"{tmp_path}/{name}", ["x"], [""], [[1.0]])
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="Duplicate tensor keyed by x encountered, when merging",
    ):
        ops.merge_v2_checkpoints([f"{tmp_path}/a", f"{tmp_path}/b"], f"{tmp_path}/m")
    with pytest.raises(tf.errors.InvalidArgumentError, match="did not exist"):
        ops.merge_v2_checkpoints([f"{tmp_path}/c"], f"{tmp_path}/m")
    with pytest.raises(tf.errors.InvalidArgumentError, match="none existed"):
        ops.merge_v2_checkpoints([f"{tmp_path}/c"], f"{tmp_path}/m", allow_missing_files=True)
    assert tf.train.load_variable(f"{tmp_path}/b", "x").tolist() == [1.0]


@pytest.mark.parametrize(
    "names, specs, types, error, said",
    [
        (
            ["w"],
            [""],
            [tf.float64],
            "InvalidArgument",
            "tensor_name = w; expected dtype double does not equal original dtype float",
        ),
        (["v"], [""], [tf.float64], "NotFound", "Key v not found in checkpoint"),
        (
            ["w"],
            ["2 3 -:-"],
            [tf.float32],
            "InvalidArgument",
            r"shape in shape_and_slice spec \[2,3\] does not match",
        ),
        (
            ["i"],
            ["3 2,2"],
            [tf.int64],
            "Internal",
            r"Extent in dimension 0 out of bounds: shape = \[3\], slice = 2,2",
        ),
        (
            ["w", "i"],
            [""],
            [tf.float32] * 2,
            "InvalidArgument",
            "different number of elements: 2 vs. 1",
        ),
        (
            ["w"],
            [""],
            [tf.float32] * 2,
            "InvalidArgument",
            "Got 1 tensor names, but 2 expected dtypes",
        ),
    ],
)
def test_restoring_says_what_is_wrong(saved, names, specs, types, error, said):
    with pytest.raises(getattr(tf.errors, f"{error}Error"), match=said):
        ops.restore_v2(saved, names, specs, dtypes=types)


def test_quantised_types_stay(tmp_path):
    numbers = tf.quantization.quantize([1.0, 2.0], 0.0, 3.0, tf.quint8)[0]
    ops.save_v2(f"{tmp_path}/q", ["x", "y"], ["", ""], [numbers, [1.0]])
    restore = lambda: ops.restore_v2(
        f"{tmp_path}/q", ["x", "y"], ["", ""], dtypes=[tf.quint8, tf.float32]
    )
    for found in (restore(), tf.function(restore)()):
        assert [t.dtype for t in found] == [tf.quint8, tf.float32]
        assert found[0].numpy().tolist() == [85, 170]


def test_operations_in_a_graph(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        prefix = v1.placeholder(tf.string, [])
        saving = ops.save_v2(prefix, ["x", "y"], ["", "4 0,2"], [tf.constant([1.0, 2.0]), [3, 4]])
        x, y = ops.restore_v2(prefix, ["x", "y"], ["", "4 0,2"], dtypes=[tf.float32, tf.int32])
        assert (x.shape.rank, y.shape.as_list(), x.dtype, y.dtype) == (
            None,
            [2],
            tf.float32,
            tf.int32,
        )
        session.run(saving, {prefix: f"{tmp_path}/g"})
        assert [v.tolist() for v in session.run([x, y], {prefix: f"{tmp_path}/g"})] == [
            [1.0, 2.0],
            [3, 4],
        ]
        with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files"):
            session.run(x, {prefix: f"{tmp_path}/h"})


# ------------------------------------------------------------------ the inspector

NAMES = "b/x (DT_DOUBLE) []\ni (DT_INT64) [3]\ns (DT_STRING) [2]\nw (DT_FLOAT) [2,2]\nz (DT_FLOAT) [30,100]\n\n"


@pytest.mark.parametrize(
    "arguments, text",
    [
        (("", False), f"{NAMES}# Total number of params: 3010\n"),
        ((None, False), f"{NAMES}# Total number of params: 3010\n"),
        (
            ("w", False),
            "tensor: w (float32) [2, 2]\n[[1.  2. ]\n [3.  4.5]]\n# Total number of params: 3010\n",
        ),
        (("v", False), "Tensor v not found in checkpoint\n"),
        (
            ("", False, True, "w|z"),
            "tensor: b/x (float64) []\ntensor: i (int64) [3]\ntensor: s (string) [2]\ntensor: w (float32) [2, 2]\n"
            "tensor: z (float32) [30, 100]\n# Excluding 2 tensors (3004 params) that match w|z when counting.\n"
            "# Total number of params: 6\n",
        ),
    ],
)
def test_prints_tensors(saved, arguments, text, capsys):
    inspect.print_tensors_in_checkpoint_file(saved, *arguments)
    assert capsys.readouterr().out == text


def test_prints_values_of_all(saved, capsys):
    inspect.print_tensors_in_checkpoint_file(saved, "", True)
    printed = capsys.readouterr().out
    assert (
        "tensor: s (string) [2]\n[b'one' b'two']\ntensor: w (float32) [2, 2]\n[[1.  2. ]\n"
        in printed
    )


def test_prints_why_it_cannot_read(saved, capsys):
    inspect.print_tensors_in_checkpoint_file(f"{saved}.data-00000-of-00001", "", True)
    printed = capsys.readouterr().out
    assert "Unable to open table file" in printed
    assert printed.endswith(f"A checkpoint is named by what its files begin with: {saved}\n")


def test_lists_a_checkpoint(saved, capsys):
    for name in (saved, f"{saved}.index", f"{saved}.data-00000-of-00001", os.path.dirname(saved)):
        assert inspect.main([name]) == 0
        assert capsys.readouterr().out == (
            "tensor  dtype    shape      bytes  min   max\n"
            "b/x     float64  []             8  2.5   2.5\n"
            "i       int64    [3]           24    0     2\n"
            "s       string   [2]           12    -     -\n"
            "w       float32  [2, 2]        16    1   4.5\n"
            "z       float32  [30, 100]  12000    0  2999\n"
            "5 tensors, 12,060 bytes\n"
        )


def test_lists_every_type():
    found = {row[0]: row[1:] for row in inspect.rows(TYPES)}
    assert found["cube/int4"] == ("int4", "[2, 3, 4]", "24", "-8", "7")
    assert found["cube/bfloat16"] == ("bfloat16", "[2, 3, 4]", "48", "-60", "59")
    assert found["cube/quint8"] == ("quint8", "[2, 3, 4]", "24", "0", "119")
    assert found["scalar/bool"] == ("bool", "[]", "1", "True", "True")
    assert found["none/float32"] == ("float32", "[0]", "0", "-", "-")


def test_the_command(saved, capsys):
    assert inspect.main([f"{saved}-x"]) == 1
    assert "Failed to find any matching files" in capsys.readouterr().err
    assert (
        inspect.main(["--file_name", saved, "--tensor_name", "w", "--printoptions", "precision=1"])
        == 0
    )
    assert "tensor: w" in capsys.readouterr().out
    np.set_printoptions(precision=8)
    with pytest.raises(SystemExit):
        inspect.main([])
    capsys.readouterr()


def test_names_come_late():
    printed = in_new_python("""
        import sys
        import twinflow as tf
        before = "twinflow.checkpoint" in sys.modules
        tf.train.load_checkpoint
        print(before, "twinflow._src.checkpoint.reader" in sys.modules, "google.protobuf" in sys.modules)
    """)
    assert printed == "False True False"
