"""Records random numbers into ``tests/golden/random_numbers.json`` (needs TensorFlow).

    python tools/record_random.py

A case is an expression; of its value the type, the shape, the first elements and a checksum of all
bytes are kept. ``tests/unit/random/test_random.py`` compares.
"""

from __future__ import annotations

import base64
import json
import pathlib
import zlib

TARGET = pathlib.Path(__file__).resolve().parent.parent / "tests" / "golden" / "random_numbers.json"
KEPT = 64

FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("int32", "int64")
MANY = 100_003


def expressions() -> list[str]:
    """The cases."""
    found = []
    for dtype in FLOATS:
        for kind in ("uniform", "normal", "truncated_normal"):
            found += [
                f"tf.random.{kind}([{MANY}], dtype=tf.{dtype})",
                f"tf.random.stateless_{kind}([{MANY}], [11, -22], dtype=tf.{dtype})",
                f"tf.random.stateless_{kind}([5, 7], [3, 2**40], -1.5, 2.25, tf.{dtype})",
                f"tf.random.Generator.from_seed(77).{kind}([{MANY}], dtype=tf.{dtype})",
            ]
    for dtype in INTEGERS:
        found += [
            f"tf.random.uniform([{MANY}], -7, 1000, tf.{dtype})",
            f"tf.random.uniform([1001], tf.{dtype}.min, tf.{dtype}.max, tf.{dtype})",
            f"tf.random.stateless_uniform([{MANY}], [5, 6], -1000, 12345, tf.{dtype})",
        ]
    for dtype in (*INTEGERS, "uint32", "uint64"):
        found.append(f"tf.random.stateless_uniform([{MANY}], [5, 6], None, None, tf.{dtype})")
    return [*found, *OTHERS]


OTHERS = [
    "tf.random.normal([2, 3, 4], 5.0, 2.0, seed=1)",
    "tf.random.uniform([9], maxval=3)",
    f"tf.random.shuffle(tf.range({MANY}))",
    "tf.random.shuffle(tf.reshape(tf.range(24), [6, 4]), seed=2)",
    f"tf.random.experimental.stateless_shuffle(tf.range({MANY}), [4, 5])",
    "tf.random.split([1, 2], 5)",
    "tf.random.fold_in([1, 2], tf.constant(3, tf.int64))",
    "tf.random.experimental.index_shuffle(tf.range(1000), [5, 9], 999)",
    "tf.random.experimental.index_shuffle(tf.range(300), [5, -9], 2**20)",
    "tf.random.categorical([[0.1, 0.9, 2.0], [3.0, 1.0, -1.0]], 5)",
    "tf.random.stateless_categorical(tf.reshape(tf.sin(tf.range(100.0)), [20, 5]), 3, [4, 5])",
    "tf.random.gamma([5001], [0.01, 0.5, 1.0, 1.7, 10.0, 1000.0])",
    "tf.random.stateless_gamma([5001, 2], [1, 2], [0.5, 3.0], dtype=tf.float16)",
    "tf.random.poisson([5001], [0.0, 0.1, 9.9, 10.0, 25.5, 1000.0])",
    "tf.random.stateless_poisson([5001, 3], [1, 2], [0.5, 12.0, 1e5], tf.int64)",
    "tf.random.stateless_binomial([2001, 2, 3], [1, 2], [[5.0], [1000.0]], [0.01, 0.3, 0.9])",
    "tf.random.Generator.from_seed(5).binomial([1001, 2], [10.0, 200.0], [0.3, 0.7])",
    "tf.random.Generator.from_seed(2**70 + 5).make_seeds(4)",
    "tf.random.Generator.from_seed(5).split(3)[2].normal([9])",
    "tf.random.Generator.from_state([-1, -1, 7], 'philox').uniform([1001])",
    "tf.random.Generator.from_state([2**32 - 100, 5, 7], 'philox').normal([1001])",
    "tf.nn.dropout(tf.ones([1001]), 0.3)",
    "tf.nn.experimental.stateless_dropout(tf.ones([1001]), 0.3, [1, 2])",
    "tf.initializers.GlorotUniform(seed=1)([20, 30])",
    "tf.initializers.HeNormal(seed=1)([3, 3, 8, 16])",
    "tf.initializers.LecunNormal(seed=-1)([7])",
    "tf.initializers.VarianceScaling(2.0, 'fan_out', 'untruncated_normal', seed=3)([20, 30])",
    "tf.random_normal_initializer(1.0, 2.0, seed=1)([20, 30])",
    "tf.random_uniform_initializer()([20, 30])",
]


def described(value) -> dict:
    """Returns what is kept of an array."""
    import numpy as np

    array = np.ascontiguousarray(value)
    data = array.tobytes()
    return {
        "dtype": array.dtype.name,
        "shape": list(array.shape),
        "first": base64.b64encode(data[: KEPT * array.itemsize]).decode(),
        "crc": zlib.crc32(data),
    }


def main() -> None:
    """Writes the file."""
    import tensorflow as tf

    cases = {}
    for expression in expressions():
        tf.random.set_seed(42)
        cases[expression] = described(eval(expression, {"tf": tf}).numpy())
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in cases.items()]
    body = ",\n".join(lines)
    TARGET.write_text(f'{{"tensorflow": "{tf.__version__}", "cases": {{\n{body}\n}}}}\n', "utf-8")
    print(f"{len(cases)} cases written to {TARGET.name}")


if __name__ == "__main__":
    main()
