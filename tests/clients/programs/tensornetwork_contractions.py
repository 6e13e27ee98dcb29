"""TensorNetwork: contractions, decompositions, matrix product states, gradients."""

# needs: tensornetwork

import json

import numpy as np
import tensorflow as tf
import tensornetwork as tn

tn.set_default_backend("tensorflow")
rng = np.random.default_rng(0)
a, b, c = (tf.constant(rng.normal(size=shape)) for shape in ((3, 4), (4, 5, 2), (5, 3)))


def contract(a, b, c):
    nodes = tn.Node(a), tn.Node(b), tn.Node(c)
    nodes[0][1] ^ nodes[1][0]
    nodes[1][1] ^ nodes[2][0]
    nodes[2][1] ^ nodes[0][0]
    return tn.contractors.greedy(nodes, output_edge_order=[nodes[1][2]]).tensor


results = {"network": contract(a, b, c), "traced": tf.function(contract)(a, b, c)}
with tf.GradientTape() as tape:
    tape.watch(b)
    value = tf.reduce_sum(contract(a, b, c) ** 2)
results["gradient"] = tape.gradient(value, b)
results["ncon"] = tn.ncon([a, b, c], [[1, 2], [2, 3, -1], [3, 1]])
node = tn.Node(b)
u, s, v, _ = tn.split_node_full_svd(node, [node[0]], [node[1], node[2]], max_singular_values=3)
results["singular_values"] = tf.linalg.diag_part(s.tensor)
results["truncated"] = tn.contract_between(tn.contract_between(u, s), v).tensor
node = tn.Node(b)
q, r = tn.split_node_qr(node, [node[0], node[1]], [node[2]])
results["qr"] = tn.contract_between(q, r).tensor
tensors = [tf.constant(rng.normal(size=shape)) for shape in ((1, 2, 3), (3, 2, 3), (3, 2, 1))]
state = tn.FiniteMPS(tensors, canonicalize=True)
sigma = tf.constant([[1.0, 0.0], [0.0, -1.0]], tf.float64)
results["local"] = tf.stack(state.measure_local_operator([sigma] * 3, [0, 1, 2]))
results["correlations"] = tf.stack(state.measure_two_body_correlator(sigma, sigma, 0, [1, 2]))
print(json.dumps({name: np.ravel(np.asarray(v)).tolist() for name, v in results.items()}))
