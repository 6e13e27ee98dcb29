"""TensorFlow Probability: samples from seeds, log densities, gradients; joint distributions; bijectors."""

# needs: tensorflow_probability tf_keras keras

import json

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

tfd, tfb = tfp.distributions, tfp.bijectors
SEED = [12, 34]
TRIL = [[1.0, 0.0], [0.5, 2.0]]
# A distribution and a value.
DISTRIBUTIONS = {
    "normal": (tfd.Normal([0.0, 1.0], [1.0, 2.0]), 0.7),
    "lognormal": (tfd.LogNormal(0.1, 0.5), 0.7),
    "laplace": (tfd.Laplace(1.0, 2.0), 0.7),
    "cauchy": (tfd.Cauchy(0.0, 1.0), 0.7),
    "gumbel": (tfd.Gumbel(1.0, 2.0), 0.7),
    "logistic": (tfd.Logistic(1.0, 2.0), 0.7),
    "exponential": (tfd.Exponential([1.0, 3.0]), 0.7),
    "half_normal": (tfd.HalfNormal(2.0), 0.7),
    "gamma": (tfd.Gamma([0.5, 3.0], 2.0), 0.7),
    "inverse_gamma": (tfd.InverseGamma(3.0, 2.0), 0.7),
    "beta": (tfd.Beta(2.0, 3.0), 0.3),
    "dirichlet": (tfd.Dirichlet([1.0, 2.0, 3.0]), [0.2, 0.3, 0.5]),
    "student_t": (tfd.StudentT(3.0, 0.0, 1.0), 0.7),
    "chi2": (tfd.Chi2(3.0), 0.7),
    "weibull": (tfd.Weibull(2.0, 1.5), 0.7),
    "kumaraswamy": (tfd.Kumaraswamy(2.0, 3.0), 0.3),
    "pareto": (tfd.Pareto(3.0, 1.0), 2.0),
    "inverse_gaussian": (tfd.InverseGaussian(1.0, 2.0), 0.7),
    "sinh_arcsinh": (tfd.SinhArcsinh(0.0, 1.0, 0.5, 1.0), 0.7),
    "truncated_normal": (tfd.TruncatedNormal(0.0, 1.0, -1.0, 2.0), 0.4),
    "triangular": (tfd.Triangular(0.0, 1.0, 0.4), 0.3),
    "von_mises": (tfd.VonMises(0.5, 2.0), 0.7),
    "johnson_su": (tfd.JohnsonSU(0.0, 1.0, 0.5, 1.0), 0.7),
    "binomial": (tfd.Binomial(10.0, probs=0.3), 1.0),
    "negative_binomial": (tfd.NegativeBinomial(5.0, probs=0.4), 1.0),
    "poisson": (tfd.Poisson([0.5, 4.0, 20.0]), 1.0),
    "bernoulli": (tfd.Bernoulli(probs=[0.2, 0.7]), 1),
    "categorical": (tfd.Categorical(logits=[0.1, 0.5, -1.0]), 1),
    "multinomial": (tfd.Multinomial(10.0, probs=[0.2, 0.3, 0.5]), [3.0, 3.0, 4.0]),
    "beta_binomial": (tfd.BetaBinomial(10.0, 2.0, 3.0), 1.0),
    "zipf": (tfd.Zipf(3.0), 3),
    "mvn_diag": (tfd.MultivariateNormalDiag([0.0, 1.0], [1.0, 2.0]), [0.3, 0.4]),
    "mvn_tril": (tfd.MultivariateNormalTriL([0.0, 1.0], TRIL), [0.3, 0.4]),
    "wishart": (tfd.WishartTriL(4.0, tf.constant(TRIL)), [[4.0, 1.0], [1.0, 3.0]]),
    "lkj": (tfd.LKJ(2, 1.5), [[1.0, 0.2], [0.2, 1.0]]),
    "von_mises_fisher": (tfd.VonMisesFisher([0.0, 0.0, 1.0], 2.0), [0.6, 0.0, 0.8]),
    "mixture": (
        tfd.MixtureSameFamily(
            tfd.Categorical(probs=[0.3, 0.7]), tfd.Normal([-1.0, 1.0], [0.5, 1.0])
        ),
        0.7,
    ),
    "sample": (tfd.Sample(tfd.Normal(0.0, 1.0), 3), [0.1, 0.2, 0.3]),
    "transformed": (tfd.TransformedDistribution(tfd.Normal(0.0, 1.0), tfb.Softplus()), 0.7),
    "quantized": (tfd.QuantizedDistribution(tfd.Normal(3.0, 2.0), low=0.0, high=6.0), 1.0),
    "markov_model": (
        tfd.HiddenMarkovModel(
            tfd.Categorical(probs=[0.8, 0.2]),
            tfd.Categorical(probs=[[0.7, 0.3], [0.2, 0.8]]),
            tfd.Normal([0.0, 15.0], [5.0, 10.0]),
            4,
        ),
        [1.0, 2.0, 3.0, 4.0],
    ),
}
results = {}


def flat(values):
    arrays = [np.ravel(np.asarray(x)) for x in tf.nest.flatten(values, expand_composites=True)]
    return np.concatenate(arrays).astype("float64").tolist()


for name, (distribution, point) in DISTRIBUTIONS.items():
    point = tf.constant(point, distribution.dtype)
    results[name] = flat([distribution.sample(4, seed=SEED), distribution.log_prob(point)])
    if point.dtype.is_floating:
        _, gradient = tfp.math.value_and_gradient(distribution.log_prob, point)
        results[f"{name}_gradient"] = flat(gradient)
for name in ("gamma", "poisson", "mvn_tril", "mixture"):
    distribution = DISTRIBUTIONS[name][0]
    draw = tf.function(lambda d, seed: d.sample(4, seed=seed), autograph=False)
    results[f"{name}_traced"] = flat(draw(distribution, tf.constant(SEED)))

# Joint distributions, whole and pinned.


def model():
    scale = yield tfd.HalfNormal(1.0, name="scale")
    weights = yield tfd.Sample(tfd.Normal(0.0, scale), 3, name="weights")
    mean = tf.linalg.matvec(tf.ones([4, 3]), weights)
    yield tfd.Independent(tfd.Normal(mean, 1.0), 1, name="y")


joint = tfd.JointDistributionCoroutineAutoBatched(model, batch_ndims=0)
draws = joint.sample(2, seed=SEED)
pinned = joint.experimental_pin(y=tf.ones(4))
results["joint"] = flat([draws, joint.log_prob(draws)])
results["pinned"] = flat(pinned.unnormalized_log_prob(pinned.sample_unpinned(2, seed=SEED)))
named = tfd.JointDistributionNamed(
    {"a": tfd.Normal(0.0, 1.0), "b": lambda a: tfd.Gamma(tf.exp(a), 1.0)}
)
draws = named.sample(3, seed=SEED)
results["named"] = flat([draws, named.log_prob(draws)])

# Bijectors.
BIJECTORS = {
    "chain": tfb.Chain([tfb.Exp(), tfb.Shift(1.0), tfb.Scale(2.0)]),
    "fill_scale_tril": tfb.FillScaleTriL(),
    "correlation": tfb.CorrelationCholesky(),
    "softplus": tfb.Softplus(),
    "ascending": tfb.Ascending(),
    "iterated_sigmoid": tfb.IteratedSigmoidCentered(),
    "matvec": tfb.ScaleMatvecDiag([1.0, 2.0, 3.0]),
    "spline": tfb.RationalQuadraticSpline(
        [0.5, 1.0, 0.5], [0.4, 1.0, 0.6], [1.0, 1.2], range_min=-1.0
    ),
}
x = tf.constant([0.1, 0.2, 0.3])
for name, bijector in BIJECTORS.items():
    y = tf.identity(bijector.forward(x))
    traced = tf.function(bijector.forward_log_det_jacobian, autograph=False)
    results[f"bijector_{name}"] = flat([y, bijector.inverse(y), traced(x)])

# Variables of distributions as arguments of a function: another one needs no new trace.
traces = []


@tf.function(autograph=False)
def log_density(distribution, value):
    traces.append(1)
    return distribution.log_prob(value)


first = tfd.Normal(tf.Variable(1.0), tfp.util.TransformedVariable(2.0, tfb.Exp()))
second = tfd.Normal(tf.Variable(3.0), tfp.util.TransformedVariable(1.0, tfb.Exp()))
with tf.GradientTape() as tape:
    value = log_density(first, 0.5)
gradients = tape.gradient(value, first.trainable_variables)
results["arguments"] = flat([value, gradients, log_density(second, 0.5), len(traces)])
print(json.dumps(results))
