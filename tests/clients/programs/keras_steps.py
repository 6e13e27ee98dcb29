"""Keras 3: training steps batch by batch, custom training with a tape, and checkpoints of TensorFlow."""

# needs: keras

import json
import os
import tempfile

import keras
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
x, y = rng.normal(size=(256, 20)).astype("float32"), rng.integers(0, 5, 256)
results = {}


def build():
    keras.utils.set_random_seed(1)
    stack = [
        keras.layers.Dense(32, activation="relu"),
        keras.layers.BatchNormalization(),
        keras.layers.Dropout(0.3),
        keras.layers.Dense(5),
    ]
    return keras.Sequential([keras.Input((20,)), *stack])


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model = build()
model.compile("adam", loss, metrics=["accuracy"])
batches = [(x[i : i + 32], y[i : i + 32]) for i in range(0, 256, 32)]
results["train_on_batch"] = [float(model.train_on_batch(*batch)[0]) for batch in batches]
results["test_on_batch"] = [float(value) for value in model.test_on_batch(x, y)]
results["predict_on_batch"] = model.predict_on_batch(x[:2]).ravel().tolist()

model, optimizer = build(), keras.optimizers.SGD(0.1, momentum=0.9)


@tf.function
def step(images, labels):
    with tf.GradientTape() as tape:
        value = loss(labels, model(images, training=True))
    gradients = tape.gradient(value, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return value


results["tape"] = [float(step(*batch)) for batch in batches]
with tempfile.TemporaryDirectory() as folder:
    before = model(x[:2]).numpy()
    path = tf.train.Checkpoint(model=model, optimizer=optimizer).save(os.path.join(folder, "c"))
    step(*batches[0])
    tf.train.Checkpoint(model=model, optimizer=optimizer).restore(path).assert_consumed()
    assert np.array_equal(model(x[:2]).numpy(), before)
    results["checkpoint"] = sorted(np.prod(shape) for _, shape in tf.train.list_variables(path))
results["checkpoint"] = [float(size) for size in results["checkpoint"]]

variable = keras.Variable(np.float32([1, 2]))
with tf.GradientTape() as tape:
    value = tf.reduce_sum(variable**2) + tf.reduce_max(tf.concat([variable, [3.0]], 0))
results["gradient of keras.Variable"] = tape.gradient(value, variable).numpy().tolist()
print(json.dumps(results))
