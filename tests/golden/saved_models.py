"""Writes the SavedModels in ``saved_models/`` (needs TensorFlow).

python tests/golden/saved_models.py
"""

from __future__ import annotations

import pathlib
import tempfile

import tensorflow as tf

FOLDER = pathlib.Path(__file__).resolve().parent / "saved_models"


class Plain(tf.Module):
    """A module with functions of several traces, and containers of variables."""

    def __init__(self):
        super().__init__()
        self.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
        self.b = tf.Variable(0.0, trainable=False, name="b")
        self.list = [tf.Variable(1.0), {"a": tf.Variable(2.0)}]
        self.offset = tf.constant([[1.0, 1.0]] * 100)

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def __call__(self, x):
        return tf.matmul(x, self.w) + self.b

    @tf.function
    def f(self, x, training=False, *, scale=None):
        if training:
            return {"y": x * self.w, "z": [x, x + self.offset[0, :1]]}
        return {"y": x * 2.0, "z": [x, x]}

    @tf.function
    def inc(self, by):
        self.b.assign_add(by)
        if by > 0.0:
            return self.b * 1.0
        return -self.b

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def loop(self, n):
        x = tf.constant(0.0)
        for i in tf.range(n):
            x += self.b + tf.cast(i, tf.float32)
        return x


class Tables(tf.Module):
    """A module with lookup tables, one of which reads an asset."""

    def __init__(self, vocabulary):
        super().__init__()
        self.asset = tf.saved_model.Asset(vocabulary)
        index = tf.lookup.TextFileIndex
        lines = tf.lookup.TextFileInitializer(
            self.asset, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
        )
        pairs = tf.lookup.KeyValueTensorInitializer(["x", "y"], [1.0, 2.0])
        self.t = tf.lookup.StaticVocabularyTable(lines, 2)
        self.h = tf.lookup.StaticHashTable(pairs, -1.0)
        self.mt = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        self.mt.insert(["q"], [7])

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def look(self, s):
        return self.t.lookup(s), self.h.lookup(s), self.mt.lookup(s)


def main():
    plain = Plain()
    x = tf.constant([[1.0, 2.0]])
    plain.f(x, True)
    plain.f(x, scale=tf.constant(1.0))
    plain.inc(tf.constant(1.0))
    plain.b.assign(0.0)
    tf.saved_model.save(plain, str(FOLDER / "module"))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "vocab.txt"
        path.write_text("a\nb\nc\n")
        tf.saved_model.save(Tables(str(path)), str(FOLDER / "tables"))


if __name__ == "__main__":
    main()
