"""tf_keras: models as directories (``model.save``, ``load_model``), lookup layers in them, mixed precision."""

# needs: tf_keras h5py six

import json
import tempfile

import numpy as np
import tensorflow as tf
import tf_keras
from tf_keras import layers

random = np.random.RandomState(0)
sequences, rows = random.randn(16, 5, 3).astype("float32"), random.rand(16, 3).astype("float32")
sequences[::2, 3:] = 0.0
targets = random.randn(16, 1).astype("float32")


def glorot(seed):
    return tf_keras.initializers.GlorotUniform(seed)


def dense(units, seed, **options):
    return layers.Dense(units, kernel_initializer=glorot(seed), **options)


class Doubled(tf_keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.last = dense(4, 1, activation="tanh"), dense(1, 2)

    def call(self, inputs, training=False):
        hidden = self.first(inputs)
        return self.last(2.0 * hidden if training else hidden)


def functional():
    given = tf_keras.Input((3,))
    hidden = dense(4, 1, activation="tanh", kernel_regularizer="l2")(given)
    hidden = layers.Concatenate()([layers.BatchNormalization()(hidden), given])
    return tf_keras.Model(given, dense(1, 2)(hidden))


def recurrent():
    gru = layers.GRU(4, kernel_initializer=glorot(1), recurrent_initializer=glorot(2))
    parts = [layers.Masking(), layers.Bidirectional(gru), dense(1, 3)]
    return tf_keras.Sequential([layers.Input((5, 3)), *parts])


def sizes(history):
    return [float(x) for values in history.history.values() for x in values]


results = {}
for name, build, inputs, optimizer in (
    ("functional", functional, rows, "adam"),
    ("subclass", Doubled, rows, tf_keras.optimizers.legacy.RMSprop(0.01)),
    ("recurrent", recurrent, sequences, "sgd"),
):
    model = build()
    model.compile(optimizer, "mse", metrics=["mae"])
    model.fit(inputs, targets, batch_size=4, epochs=2, shuffle=False, verbose=0)
    folder = tempfile.mkdtemp()
    model.save(folder, save_format="tf")
    loaded = tf_keras.models.load_model(folder)
    served = tf.saved_model.load(folder)(tf.constant(inputs), training=False)
    results[name] = {
        "served": float(tf.reduce_mean(served)),
        "predictions": float(loaded.predict(inputs, verbose=0).mean()),
        "metrics": loaded.evaluate(inputs, targets, verbose=0),
        "names": [w.name for w in loaded.weights] == [w.name for w in model.weights],
        "variables": len(tf.train.list_variables(f"{folder}/variables/variables")),
        "trained on": sizes(loaded.fit(inputs, targets, shuffle=False, verbose=0)),
    }

texts = tf.constant([["a b"], ["d e"]])
vectorize = layers.TextVectorization(max_tokens=10, output_sequence_length=4)
vectorize.adapt(["a b c a", "b b d"])
model = tf_keras.Sequential([tf_keras.Input((1,), dtype="string"), vectorize])
model.save(folder := tempfile.mkdtemp(), save_format="tf")
results["vocabulary"] = tf_keras.models.load_model(folder).predict(texts, verbose=0).tolist()

tf_keras.mixed_precision.set_global_policy("mixed_float16")
model = tf_keras.Sequential(
    [layers.Input((3,)), dense(4, 1, activation="relu"), dense(1, 2, dtype="float32")]
)
model.compile("adam", "mse")
losses = sizes(model.fit(rows, targets, shuffle=False, verbose=0, epochs=4))
model.save_weights(f"{folder}/weights")
before = model.predict(rows, verbose=0)
model.set_weights([np.zeros_like(weight) for weight in model.get_weights()])
model.load_weights(f"{folder}/weights").assert_existing_objects_matched()
results["mixed precision"] = {
    "losses": np.round(losses, 3).tolist(),
    "scale": float(model.optimizer.loss_scale),
    "restored": bool(np.array_equal(model.predict(rows, verbose=0), before)),
}

print(json.dumps(results))
