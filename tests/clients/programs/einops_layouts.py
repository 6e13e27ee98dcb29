"""einops: rearrange, reduce, repeat, einsum and pack, eager, traced and under gradients."""

# needs: einops

import json

import einops
import numpy as np
import tensorflow as tf

x = tf.constant(np.random.default_rng(0).normal(size=(2, 4, 6, 3)).astype("float32"))
results = {
    "rearrange": einops.rearrange(x, "b (h h2) w c -> b h w (c h2)", h2=2),
    "reduce": einops.reduce(x, "b h (w w2) c -> b h w", "mean", w2=3),
    "maximum": einops.reduce(x, "b h w c -> c", "max"),
    "repeat": einops.repeat(x[:, 0, 0], "b c -> (b 2) c"),
    "einsum": einops.einsum(x, x, "b h w c, b h w d -> c d"),
    "pack": einops.pack([x[:, 0, 0], x[:, 0]], "b * c")[0],
}


@tf.function(input_signature=[tf.TensorSpec([None, 4, None, 3])])
def traced(x):
    return einops.reduce(x, "b (h h2) w c -> b h c", "sum", h2=2)


results["traced"] = traced(x)
with tf.GradientTape() as tape:
    tape.watch(x)
    value = tf.reduce_sum(einops.rearrange(x, "b h w c -> (b h) (w c)") ** 3)
results["gradient"] = tape.gradient(value, x)
assert einops.parse_shape(x, "b h w _") == {"b": 2, "h": 4, "w": 6}
print(json.dumps({name: value.numpy().ravel().tolist() for name, value in results.items()}))
