"""TensorFlow Probability: HMC, NUTS and other chains, variational inference, Gaussian processes, time series."""

# needs: tensorflow_probability tf_keras keras

import json

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

tfd, tfb, kernels = tfp.distributions, tfp.bijectors, tfp.math.psd_kernels
SEED = [3, 4]
results = {}


def flat(values):
    arrays = [np.ravel(np.asarray(x)) for x in tf.nest.flatten(values, expand_composites=True)]
    return np.concatenate(arrays).astype("float64").tolist()


# Chains.


def target(x):
    return tfd.MultivariateNormalDiag([0.0, 1.0, 2.0], [1.0, 2.0, 0.5]).log_prob(x)


def chain(kernel, count, start=(0.0, 0.0, 0.0), trace=lambda state, r: ()):
    return tf.function(
        lambda: tfp.mcmc.sample_chain(
            count,
            tf.constant(start),
            kernel=kernel,
            num_burnin_steps=3,
            trace_fn=trace,
            seed=SEED,
        ),
        autograph=False,
    )()


hmc = tfp.mcmc.HamiltonianMonteCarlo(target, 0.1, 3)
results["hmc"] = flat(chain(hmc, 20, trace=lambda state, r: r.is_accepted))
adaptive = tfp.mcmc.DualAveragingStepSizeAdaptation(
    tfp.mcmc.HamiltonianMonteCarlo(target, 0.5, 3), 8
)
results["adaptive"] = flat(chain(adaptive, 10, trace=lambda state, r: r.new_step_size))
nuts = tfp.mcmc.NoUTurnSampler(target, 0.3)
results["nuts"] = flat(chain(nuts, 5, trace=lambda state, r: r.leapfrogs_taken))
transformed = tfp.mcmc.TransformedTransitionKernel(
    tfp.mcmc.HamiltonianMonteCarlo(lambda x: tfd.Gamma(2.0, 3.0).log_prob(x), 0.1, 3), tfb.Exp()
)
results["transformed"] = flat(chain(transformed, 10, 1.0))
for name, kernel in {
    "random_walk": tfp.mcmc.RandomWalkMetropolis(target),
    "langevin": tfp.mcmc.MetropolisAdjustedLangevinAlgorithm(target, 0.1),
    "slice": tfp.mcmc.SliceSampler(target, 1.0, 5),
}.items():
    results[name] = flat(chain(kernel, 5))


@tfd.JointDistributionCoroutineAutoBatched
def hierarchy():
    level = yield tfd.Normal(np.float64(0.0), np.float64(1.0), name="level")
    yield tfd.Normal(level * tf.ones(3, tf.float64), np.float64(1.0), name="seen")


pinned = hierarchy.experimental_pin(seen=tf.constant([1.0, 2.0, 0.5], tf.float64))
windowed = tf.function(
    lambda: tfp.experimental.mcmc.windowed_adaptive_hmc(
        3,
        pinned,
        n_chains=2,
        num_leapfrog_steps=3,
        num_adaptation_steps=40,
        seed=SEED,
        trace_fn=None,
    ),
    autograph=False,
)
results["windowed"] = flat(windowed())
numbers = tf.constant(np.random.default_rng(0).normal(size=(100, 3)).astype("float32"))
results["diagnostics"] = flat(
    [
        tfp.mcmc.effective_sample_size(numbers),
        tfp.mcmc.potential_scale_reduction(numbers),
        tfp.stats.percentile(numbers, [5.0, 50.0, 95.0], axis=0),
        tfp.stats.covariance(numbers),
    ]
)

# A surrogate posterior, trained by Adam on its variables.
import tf_keras  # noqa: E402

surrogate = tfd.MultivariateNormalDiag(
    tf.Variable([0.0, 0.0]), tfp.util.TransformedVariable([1.0, 1.0], tfb.Softplus())
)
results["surrogate_losses"] = flat(
    tfp.vi.fit_surrogate_posterior(
        lambda x: tfd.MultivariateNormalDiag([1.0, 2.0], [0.5, 0.7]).log_prob(x),
        surrogate,
        tf_keras.optimizers.Adam(0.1),
        10,
        sample_size=3,
        seed=SEED,
    )
)
results["surrogate"] = flat([surrogate.mean(), surrogate.stddev()])

# A Gaussian process and its regression.
x = np.linspace(0, 1, 6)[:, None]
y = np.sin(4 * x[:, 0])
amplitude = tfp.util.TransformedVariable(np.float64(1.0), tfb.Exp())
kernel = kernels.ExponentiatedQuadratic(amplitude, np.float64(0.3))
process = tfd.GaussianProcess(kernel, x, observation_noise_variance=np.float64(0.1))
with tf.GradientTape() as tape:
    loss = -process.log_prob(y)
regression = tfd.GaussianProcessRegressionModel(
    kernel, x[:3] + 0.05, x, y, observation_noise_variance=np.float64(0.1)
)
results["process"] = flat([loss, tape.gradient(loss, process.trainable_variables)])
results["regression"] = flat([regression.mean(), regression.variance()])

# Structural time series, optimizers, generalized linear models.
series = tf.constant(np.sin(np.arange(24) / 2) + np.arange(24) * 0.1, tf.float32)
trend = tfp.sts.LocalLinearTrend(observed_time_series=series)
season = tfp.sts.Seasonal(4, observed_time_series=series)
sums = tfp.sts.Sum([trend, season], observed_time_series=series)
parameters = [tf.ones_like(p.prior.sample(seed=SEED)) * 0.3 for p in sums.parameters]
forecast = tfp.sts.forecast(sums, series, [p[None] for p in parameters], 3)
results["series"] = flat([sums.joint_log_prob(series)(*parameters), forecast.mean()])


def squares(x):
    weights = tf.constant([1.0, 10.0, 3.0], x.dtype)
    centers = tf.constant([1.0, 2.0, 3.0], x.dtype)
    value = lambda x: tf.reduce_sum((x - centers) ** 2 * weights, -1)
    return tfp.math.value_and_gradient(value, x)


minimum = tfp.optimizer.lbfgs_minimize(squares, tf.zeros(3, tf.float64))
results["lbfgs"] = flat([minimum.position, minimum.num_iterations])
minimum = tfp.optimizer.bfgs_minimize(squares, tf.zeros(3, tf.float64))
results["bfgs"] = flat([minimum.position, minimum.num_iterations])
features = np.random.default_rng(1).normal(size=(50, 3)).astype("float32")
labels = (features @ [1.0, -1.0, 0.5] > 0.1).astype("float32")
labels[::7] = 1 - labels[::7]
coefficients, _, _, iterations = tfp.glm.fit(features, labels, tfp.glm.Bernoulli())
results["glm"] = flat([coefficients, iterations])
print(json.dumps(results))
