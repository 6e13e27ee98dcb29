"""Records fractional pooling of TensorFlow: TF_PYTHON tests/golden/fractional_pooling.py"""

import json
from pathlib import Path

import numpy as np
import tensorflow as tf

WINDOWS = ((11, 7, 1.6), (20, 13, 1.44), (9, 9, 1.5), (12, 6, 1.0), (31, 17, 2.7), (10, 10, 4.9))
SEEDS = ((1, 2), (0, 5), (123456789, 987654321))


def bounds():
    """Returns the bounds of rows and columns for sizes, ratios and seeds."""
    found = []
    for height, width, ratio in WINDOWS:
        for is_pseudo_random in (True, False):
            for seed, seed2 in SEEDS:
                _, rows, columns = tf.raw_ops.FractionalMaxPool(
                    value=np.zeros((1, height, width, 1), "float32"),
                    pooling_ratio=[1.0, ratio, max(ratio * 0.9, 1.0), 1.0],
                    pseudo_random=is_pseudo_random,
                    deterministic=True,
                    seed=seed,
                    seed2=seed2,
                )
                arguments = [height, width, ratio, is_pseudo_random, seed, seed2]
                found.append([*arguments, rows.numpy().tolist(), columns.numpy().tolist()])
    return found


def results(dtype):
    """Returns pooled images and gradients of their sum, weighted by the numbers from 1 on."""
    image = np.random.default_rng(0).integers(-20, 20, (1, 6, 9, 1))
    found = {"image": image.ravel().tolist(), "pooled": []}
    for kind in ("Max", "Avg"):
        for overlapping in (False, True):
            with tf.GradientTape() as tape:
                value = tf.constant(image, dtype)
                tape.watch(value)
                pooled = getattr(tf.raw_ops, f"Fractional{kind}Pool")(
                    value=value,
                    pooling_ratio=[1.0, 1.44, 1.296, 1.0],
                    overlapping=overlapping,
                    deterministic=True,
                    seed=5,
                    seed2=9,
                )[0]
                weights = tf.reshape(tf.range(1, pooled.shape.num_elements() + 1), pooled.shape)
                total = tf.reduce_sum(pooled * tf.cast(weights, dtype))
            gradient = tape.gradient(total, value)
            slopes = None if gradient is None else gradient.numpy().ravel().tolist()
            found["pooled"].append([kind, overlapping, pooled.numpy().ravel().tolist(), slopes])
    return found


if __name__ == "__main__":
    answers = {"bounds": bounds(), **{t: results(t) for t in ("float32", "int32")}}
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(answers, separators=(",", ":")) + "\n", "utf-8")
