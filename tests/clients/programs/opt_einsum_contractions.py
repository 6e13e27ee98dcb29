"""opt_einsum: contractions of tensors, with the backend found from the type of the arguments."""

# needs: opt_einsum

import json

import numpy as np
import opt_einsum
import tensorflow as tf
from opt_einsum.backends import has_backend
from opt_einsum.parser import get_shape
from opt_einsum.sharing import shared_intermediates

rng = np.random.default_rng(0)
shapes = [(3, 4), (4, 5), (5, 6), (6, 3)]
operands = [tf.constant(rng.normal(size=shape)) for shape in shapes]
assert has_backend("tensorflow") and get_shape(operands[0]) == (3, 4)
results = {"chain": opt_einsum.contract("ab,bc,cd,de->ae", *operands)}
assert isinstance(results["chain"], tf.Tensor)
results["trace"] = opt_einsum.contract("ab,bc,cd,da->", *operands)
results["outer"] = opt_einsum.contract("ab,cd->acbd", operands[0], operands[1])
path = opt_einsum.contract_expression("ab,bc,cd->ad", *shapes[:3])
results["expression"] = path(*operands[:3])
with shared_intermediates():
    results["shared"] = opt_einsum.contract("ab,bc,cd->a", *operands[:3])
with tf.GradientTape() as tape:
    tape.watch(operands[1])
    value = opt_einsum.contract("ab,bc,cd,da->", *operands)
results["gradient"] = tape.gradient(value, operands[1])
print(json.dumps({name: value.numpy().ravel().tolist() for name, value in results.items()}))
