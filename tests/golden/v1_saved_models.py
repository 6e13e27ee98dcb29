"""Writes the SavedModel of a TensorFlow 1 graph in ``saved_models/v1`` (needs TensorFlow).

python tests/golden/v1_saved_models.py
"""

from __future__ import annotations

import pathlib
import shutil
import tempfile

import tensorflow as tf

FOLDER = pathlib.Path(__file__).resolve().parent / "saved_models" / "v1"
v1 = tf.compat.v1


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    saved_model, index = v1.saved_model, tf.lookup.TextFileIndex
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default(), v1.Session() as session:
        words = pathlib.Path(folder) / "words.txt"
        words.write_text("a\nb\nc\n")
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        w = v1.get_variable("w", initializer=[[1.0, 2.0], [3.0, 4.0]], use_resource=False)
        b = v1.get_variable("b", initializer=[1.0, 1.0], use_resource=True)
        y = tf.identity(x @ w + b, name="y")
        lines = tf.lookup.TextFileInitializer(
            str(words), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
        )
        table = v1.lookup.StaticHashTable(lines, -1)
        keys = v1.placeholder(tf.string, [None], name="keys")
        rows = tf.identity(table.lookup(keys), name="rows")
        v1.assign_add(w, [[1.0, 1.0], [1.0, 1.0]], name="more")
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        signatures = {
            "serving_default": saved_model.predict_signature_def({"x": x}, {"y": y}),
            "look": saved_model.build_signature_def(
                {"keys": saved_model.build_tensor_info(keys)},
                {"rows": saved_model.build_tensor_info(rows)},
                "look",
            ),
        }
        builder = saved_model.Builder(str(FOLDER))
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            signatures,
            assets_collection=v1.get_collection("asset_filepaths"),
            main_op=v1.tables_initializer(),
            strip_default_attrs=True,
        )
        builder.save()


if __name__ == "__main__":
    main()
