"""Keras 3: an MLP, a CNN, an LSTM and a Transformer are trained, evaluated, saved, loaded and trained on."""

# needs: keras

import json
import os
import tempfile

import keras
import numpy as np
from keras import layers

rng = np.random.default_rng(0)


def mlp():
    inputs, labels = rng.normal(size=(512, 20)), rng.integers(0, 5, 512)
    stack = [
        layers.Dense(32, activation="relu"),
        layers.BatchNormalization(),
        layers.Dropout(0.3),
        layers.Dense(5),
    ]
    return keras.Sequential([keras.Input((20,)), *stack]), inputs.astype("float32"), labels


def cnn():
    inputs, labels = rng.normal(size=(128, 14, 14, 1)), rng.integers(0, 5, 128)
    stack = [
        layers.Conv2D(8, 3, activation="relu"),
        layers.MaxPooling2D(2),
        layers.Flatten(),
        layers.Dense(5),
    ]
    return keras.Sequential([keras.Input((14, 14, 1)), *stack]), inputs.astype("float32"), labels


def lstm():
    tokens, labels = rng.integers(0, 50, (128, 12)), rng.integers(0, 5, 128)
    stack = [layers.Embedding(50, 16), layers.LSTM(16), layers.Dense(5)]
    return keras.Sequential([keras.Input((12,), dtype="int32"), *stack]), tokens, labels


def transformer():
    tokens, labels = rng.integers(0, 50, (128, 12)), rng.integers(0, 5, 128)
    inputs = keras.Input((12,), dtype="int32")
    x = layers.Embedding(50, 16)(inputs)
    attended = layers.MultiHeadAttention(2, 8, dropout=0.1)(x, x, use_causal_mask=True)
    x = layers.LayerNormalization()(x + attended)
    hidden = layers.Dense(16)(layers.Dense(32, activation="gelu")(x))
    x = layers.GlobalAveragePooling1D()(layers.LayerNormalization()(x + hidden))
    return keras.Model(inputs, layers.Dense(5)(x)), tokens, labels


def run(build):
    keras.utils.set_random_seed(1)
    model, inputs, labels = build()
    weights = sum(float(np.abs(w).sum()) for w in model.get_weights())
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    fit = lambda model, **options: model.fit(
        inputs, labels, batch_size=32, verbose=0, **options
    ).history["loss"]
    results = {"weights": [weights], "losses": fit(model, epochs=3, shuffle=False)}
    results["shuffled"] = fit(model, epochs=2)
    results["evaluation"] = model.evaluate(inputs, labels, verbose=0)
    predictions = model.predict(inputs[:4], verbose=0)
    results["predictions"] = predictions.ravel().tolist()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.keras")
        model.save(path)
        loaded = keras.models.load_model(path)
    assert np.array_equal(loaded.predict(inputs[:4], verbose=0), predictions)
    results["after loading"] = fit(loaded, epochs=1, shuffle=False)
    return results


print(json.dumps({build.__name__: run(build) for build in (mlp, cnn, lstm, transformer)}))
