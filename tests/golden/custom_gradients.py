"""Writes the SavedModel ``saved_models/custom_gradients`` (needs TensorFlow).

python tests/golden/custom_gradients.py
"""

from __future__ import annotations

import pathlib
import shutil

import tensorflow as tf

FOLDER = pathlib.Path(__file__).resolve().parent / "saved_models" / "custom_gradients"


@tf.custom_gradient
def square(x):
    return x * x, lambda dz: dz * 50.0


@tf.custom_gradient
def product(x, y):
    z = x * y
    return (z, y * 2.0), lambda dz, dw: (dz * 100.0 * y + z, dw * 7.0)


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    model, scalar = tf.Module(), tf.TensorSpec([])
    model.v = tf.Variable(3.0)
    model.f = tf.function(lambda x: square(x) * model.v, input_signature=[scalar])
    model.g = tf.function(lambda x, y: product(x, y), input_signature=[scalar, scalar])
    tf.saved_model.save(model, str(FOLDER))


if __name__ == "__main__":
    main()
