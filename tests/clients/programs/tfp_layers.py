"""Models of tf_keras with layers of TensorFlow Probability; flows; Sonnet's traced methods and LSTM."""

# needs: tensorflow_probability tf_keras sonnet
import json

import numpy as np
import sonnet as snt
import tensorflow as tf
import tensorflow_probability as tfp
import tf_keras

tfd, tfb = tfp.distributions, tfp.bijectors
random = np.random.RandomState(0)
x = random.randn(16, 4).astype("f4")
y = x[:, :1] - x[:, 1:2] ** 2
results = {}


def keep(name, *values):
    results[name] = [float(v) for value in values for v in np.ravel(np.asarray(value, "f8"))]


def dense(units, value, **options):
    kernel = tf_keras.initializers.Constant(value)
    return tf_keras.layers.Dense(units, kernel_initializer=kernel, **options)


# A regression with a distribution as its output.
to_normal = lambda t: tfd.Normal(t[..., :1], 1e-3 + tf.math.softplus(t[..., 1:]))
model = tf_keras.Sequential(
    [dense(4, 0.1, activation="tanh"), dense(2, 0.2), tfp.layers.DistributionLambda(to_normal)]
)
model.compile(tf_keras.optimizers.Adam(0.1), loss=lambda true, output: -output.log_prob(true))
history = model.fit(x, y, epochs=3, batch_size=4, shuffle=False, verbose=0)
keep("regression", history.history["loss"], model(x[:3]).mean(), model(x[:3]).stddev())
keep("evaluate", model.evaluate(x, y, verbose=0))

# A posterior that a divergence regularizes.
prior = tfd.Independent(tfd.Normal(tf.zeros(2), 1.0), 1)
divergence = tfp.layers.KLDivergenceRegularizer(prior, use_exact_kl=True)
posterior = tfp.layers.IndependentNormal(2, activity_regularizer=divergence)
model = tf_keras.Sequential([tf_keras.layers.InputLayer((4,)), dense(4, 0.1), posterior])
model.compile(tf_keras.optimizers.legacy.Adam(0.1), lambda true, output: -output.log_prob(true))
targets = np.concatenate([y, -y], 1)
history = model.fit(x, targets, epochs=2, batch_size=8, shuffle=False, verbose=0)
keep("posterior", history.history["loss"], *model.get_weights())

# A flow whose network has the layers of tf_keras.
network = tfb.AutoregressiveNetwork(
    2, hidden_units=[6], event_shape=[4], kernel_initializer=tf_keras.initializers.Constant(0.1)
)
flow = tfd.TransformedDistribution(
    tfd.Sample(tfd.Normal(0.0, 1.0), [4]), tfb.MaskedAutoregressiveFlow(network)
)
optimizer = tf_keras.optimizers.Adam(0.05)


@tf.function
def step():
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(flow.log_prob(x))
    gradients = tape.gradient(loss, flow.trainable_variables)
    optimizer.apply_gradients(zip(gradients, flow.trainable_variables))
    return loss


keep("flow", [step() for _ in range(4)], flow.log_prob(x[:3]), len(flow.trainable_variables))


class Traced(snt.Module):
    """A module with a traced method."""

    def __init__(self):
        super().__init__()
        self.linear = snt.Linear(2, w_init=snt.initializers.Ones())

    @tf.function(input_signature=[tf.TensorSpec([None, 4])])
    def predict(self, inputs):
        return self.linear(inputs)


traced = Traced()
keep("traced", traced.predict(x[:2]), traced.predict(x[:3]))

lstm = snt.UnrolledLSTM(3, w_i_init=snt.initializers.Constant(0.2))
sequence = tf.constant(random.randn(5, 2, 4).astype("f4"))
unrolled = tf.function(lambda inputs: lstm(inputs, lstm.initial_state(2)))
lstm(sequence, lstm.initial_state(2))
for number, variable in enumerate(lstm.variables):
    values = np.sin(np.arange(tf.size(variable)) + number).reshape(variable.shape)
    variable.assign(values.astype("f4"))
outputs, state = unrolled(sequence)
keep("unrolled_lstm", outputs, state.cell)

reduced = tf.function(lambda t: tfp.math.reduce_kahan_sum(t, axis=0))(tf.constant(x))
keep("kahan", reduced)
print(json.dumps(results))
