"""Keras 3: keras.applications in float64: predictions, training steps, and files of three formats."""

# needs: keras h5py

import json
import os
import tempfile

import keras
import numpy as np
import tensorflow as tf

keras.config.set_floatx("float64")
rng = np.random.default_rng(0)
results = {}

MODELS = {
    "MobileNetV2": {"alpha": 0.35},
    "MobileNetV3Small": {"alpha": 0.75},
    "EfficientNetB0": {},
    "ResNet50": {},
    "DenseNet121": {},
}

for name, options in MODELS.items():
    keras.backend.clear_session()
    keras.utils.set_random_seed(3)
    x, y = rng.uniform(0, 2, (4, 32, 32, 3)), np.array([1, 2, 3, 4])
    build = getattr(keras.applications, name)
    model = build(weights=None, input_shape=(32, 32, 3), classes=5, **options)
    results[f"{name} parameters"] = float(model.count_params())
    results[f"{name} prediction"] = model.predict(x, verbose=0).ravel().tolist()
    model.compile(keras.optimizers.SGD(0.01), "sparse_categorical_crossentropy")
    results[f"{name} losses"] = [float(model.train_on_batch(x, y)) for _ in range(2)]
    if name != "MobileNetV2":
        continue
    with tempfile.TemporaryDirectory() as folder:
        before = model.predict(x, verbose=0)
        for file in ("model.keras", "model.h5"):
            path = os.path.join(folder, file)
            model.save(path)
            assert np.array_equal(keras.models.load_model(path).predict(x, verbose=0), before)
        model.export(folder, verbose=False)
        loaded = tf.saved_model.load(folder)
        results["exported"] = np.ravel(loaded.serve(x)).tolist()

print(json.dumps(results))
