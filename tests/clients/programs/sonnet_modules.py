"""Sonnet 2: an MLP, a convolutional network with batch norm, LSTM and GRU, optimizers, checkpoints."""

# needs: sonnet

import json
import tempfile

import numpy as np
import sonnet as snt
import tensorflow as tf

rng = np.random.default_rng(0)
results = {}


def flat(values):
    arrays = [np.ravel(np.asarray(x)) for x in tf.nest.flatten(values)]
    return np.concatenate(arrays).astype("float64").tolist()


def normal(*shape):
    return tf.constant(rng.normal(size=shape).astype("float32"))


def train(module, optimizer, x, loss, count=4):
    @tf.function
    def step():
        with tf.GradientTape() as tape:
            value = loss(module(x))
        variables = module.trainable_variables
        optimizer.apply(tape.gradient(value, variables), variables)
        return value

    module(x)
    return [step() for _ in range(count)]


rows, images, sequences = normal(4, 5), normal(2, 8, 8, 3), normal(6, 2, 4)
tf.random.set_seed(3)
labels = tf.constant([0, 1, 2, 0])
cross_entropy = lambda logits: tf.reduce_mean(
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
)
mlp = snt.nets.MLP([8, 3])
results["mlp"] = flat(train(mlp, snt.optimizers.Adam(0.01), rows, cross_entropy))
results["mlp_variables"] = flat(mlp.trainable_variables)
assert [v.name for v in mlp.trainable_variables] == [
    f"mlp/linear_{i}/{name}:0" for i in range(2) for name in ("b", "w")
]

for name, optimizer in {
    "sgd": snt.optimizers.SGD(0.1),
    "momentum": snt.optimizers.Momentum(0.1, 0.9, use_nesterov=True),
    "rmsprop": snt.optimizers.RMSProp(0.1, centered=True, momentum=0.5),
    "adam": snt.optimizers.Adam(tf.Variable(0.1)),
}.items():
    v, w = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(tf.ones([4, 2]))
    slices = tf.IndexedSlices(tf.ones([2, 2]), tf.constant([0, 2]), tf.constant([4, 2]))
    for _ in range(3):
        optimizer.apply([v * 2, slices], [v, w])
    results[name] = flat([v, w])


class Network(snt.Module):
    """A convolutional network with batch norm."""

    def __init__(self):
        super().__init__()
        self.conv = snt.Conv2D(4, 3, stride=2)
        self.norm = snt.BatchNorm(True, True, decay_rate=0.9)
        self.linear = snt.Linear(1)

    def __call__(self, x, is_training=True):
        x = tf.nn.relu(self.norm(self.conv(x), is_training=is_training))
        return self.linear(snt.flatten(x))


network = Network()
square = lambda y: tf.reduce_mean(y**2)
results["network"] = flat(train(network, snt.optimizers.SGD(0.01), images, square))
results["network_evaluation"] = flat(network(images, is_training=False))
results["moving_averages"] = flat(
    [network.norm.moving_mean.value, network.norm.moving_variance.value]
)
for name, layer in {
    "transpose": snt.Conv2DTranspose(4, 3, stride=2),
    "depthwise": snt.DepthwiseConv2D(3),
    "layer_norm": snt.LayerNorm(-1, True, True),
    "group_norm": snt.GroupNorm(3),
    "conv1d": snt.Conv1D(4, 3, padding=snt.pad.causal),
}.items():
    results[name] = flat(layer(sequences if name == "conv1d" else images))

# Recurrent networks: unrolled, in a loop, with lengths, and under gradients.
for name, core in {
    "lstm": snt.LSTM(3),
    "gru": snt.GRU(3),
    "deep": snt.DeepRNN([snt.LSTM(3), tf.nn.relu, snt.GRU(2)]),
}.items():
    state = core.initial_state(2)
    results[f"{name}_static"] = flat(snt.static_unroll(core, sequences, state))
    lengths = tf.constant([3, 6])
    results[f"{name}_lengths"] = flat(
        snt.dynamic_unroll(core, sequences, state, sequence_length=lengths)
    )

    @tf.function(input_signature=[tf.TensorSpec([None, None, 4])])
    def gradients(x, core=core):
        with tf.GradientTape() as tape:
            y, _ = snt.dynamic_unroll(core, x, core.initial_state(tf.shape(x)[1]))
            loss = tf.reduce_sum(y**2)
        return loss, tape.gradient(loss, core.trainable_variables)

    results[f"{name}_gradients"] = flat(gradients(sequences))
convolutional = snt.Conv2DLSTM([8, 8, 3], 2, 3)
results["conv_lstm"] = flat(convolutional(images, convolutional.initial_state(2))[0])
quantizer = snt.nets.VectorQuantizer(4, 5, 0.25)
results["quantizer"] = flat(quantizer(normal(6, 4), is_training=True)["loss"])

with tempfile.TemporaryDirectory() as folder:
    path = tf.train.Checkpoint(module=mlp).save(f"{folder}/mlp")
    restored = snt.nets.MLP([8, 3])
    tf.train.Checkpoint(module=restored).restore(path)
    results["restored"] = flat(restored(rows))
print(json.dumps(results))
