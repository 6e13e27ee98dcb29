"""tf_keras: recurrent layers, optimizers old and new, operations on symbols, files of weights and models."""

# needs: tf_keras h5py six

import json
import tempfile

import numpy as np
import tensorflow as tf
import tf_keras
from tf_keras import layers

random = np.random.RandomState(0)
sequences, rows = random.randn(40, 6, 3).astype("float32"), random.rand(40, 3).astype("float32")
targets = random.randn(40, 1).astype("float32")
results = {}


def glorot(seed):
    return tf_keras.initializers.GlorotUniform(seed)


def fit(model, inputs, optimizer="adam", epochs=2):
    model.compile(optimizer, "mse")
    history = model.fit(inputs, targets, batch_size=8, epochs=epochs, shuffle=False, verbose=0)
    predictions = model.predict(inputs, verbose=0)
    return [*history.history["loss"], float(predictions.mean())]


def recurrent(layer, **options):
    options |= {"kernel_initializer": glorot(1), "recurrent_initializer": glorot(2)}
    return layer(4, **options)


for name, layer, masked in (
    ("lstm", recurrent(layers.LSTM), False),
    ("gru", recurrent(layers.GRU), False),
    ("simple", recurrent(layers.SimpleRNN), False),
    ("both ways", layers.Bidirectional(recurrent(layers.LSTM)), False),
    ("masked lstm", recurrent(layers.LSTM), True),
    ("masked gru, backwards", recurrent(layers.GRU, go_backwards=True), True),
):
    inputs = sequences.copy()
    inputs[::2, 4:] = 0.0 if masked else inputs[::2, 4:]
    mask = [layers.Masking()] if masked else []
    dense = layers.Dense(1, kernel_initializer=glorot(3))
    model = tf_keras.Sequential([layers.Input((6, 3)), *mask, layer, dense])
    results[name] = fit(model, inputs)

legacy = tf_keras.optimizers.legacy
for name, options in (
    ("Adadelta", {}),
    ("Adagrad", {}),
    ("Adam", {"amsgrad": True}),
    ("Adamax", {}),
    ("Ftrl", {"l2_shrinkage_regularization_strength": 0.01, "beta": 0.1}),
    ("Nadam", {}),
    ("RMSprop", {"centered": True, "momentum": 0.3}),
    ("SGD", {"momentum": 0.9, "nesterov": True}),
):
    model = tf_keras.Sequential(
        [
            layers.Dense(4, "tanh", kernel_initializer=glorot(1)),
            layers.Dense(1, kernel_initializer=glorot(2)),
        ]
    )
    optimizer = getattr(legacy, name)(learning_rate=0.05, **options)
    results[f"legacy {name}"] = fit(model, rows, optimizer)

given = tf_keras.Input((3,))
hidden = layers.Dense(4, kernel_initializer=glorot(1))(given)
hidden = tf.nn.relu(hidden) * 2.0 + tf.reduce_mean(hidden, -1, keepdims=True)
hidden = tf.concat([hidden[:, :2], 1.0 / (1.0 + tf.exp(-hidden))], 1) @ tf.ones([6, 4])
hidden = layers.BatchNormalization()(tf.transpose(tf.transpose(hidden) * hidden[:, 0]))
symbolic = tf_keras.Model(given, layers.Dense(1, kernel_initializer=glorot(2))(hidden))
results["operations on symbols"] = fit(symbolic, rows)
again = tf_keras.Model.from_config(symbolic.get_config())
again.set_weights(symbolic.get_weights())
results["its configuration"] = float(again.predict(rows, verbose=0).mean())

folder = tempfile.mkdtemp()
files = {}
for suffix in ("", ".h5"):
    symbolic.save_weights(f"{folder}/weights{suffix}")
    again.set_weights([np.zeros_like(w) for w in symbolic.get_weights()])
    again.load_weights(f"{folder}/weights{suffix}")
    files[f"weights{suffix}"] = float(again.predict(rows, verbose=0).mean())
path = tf.train.Checkpoint(model=symbolic, optimizer=symbolic.optimizer).save(f"{folder}/ck")
again.set_weights([np.zeros_like(w) for w in symbolic.get_weights()])
tf.train.Checkpoint(model=again).restore(path).assert_existing_objects_matched()
files["checkpoint"] = float(again.predict(rows, verbose=0).mean())
for suffix in (".h5", ".keras"):
    symbolic.save(f"{folder}/model{suffix}")
    model = tf_keras.models.load_model(f"{folder}/model{suffix}")
    files[f"model{suffix}"] = fit(model, rows, epochs=1)
tf.saved_model.save(symbolic, f"{folder}/saved")
loaded = tf.saved_model.load(f"{folder}/saved")
(served,) = loaded.signatures["serving_default"](tf.constant(rows)).values()
files["saved model"] = [float(tf.reduce_mean(y)) for y in (loaded(tf.constant(rows)), served)]
results["files"] = files

print(json.dumps(results))
