"""Tests in the style of TensorFlow Probability's, in graphs and eagerly; automatic batching; filters."""

# needs: tensorflow_probability tf_keras gast
import json
import unittest

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp
from absl import flags
from absl.testing import parameterized
from tensorflow_probability.python.experimental import auto_batching
from tensorflow_probability.python.internal import test_util

flags.FLAGS(["program"])
tfd, tfb, mcmc = tfp.distributions, tfp.bijectors, tfp.experimental.mcmc
placeholder = tf.compat.v1.placeholder_with_default
results = {}


def keep(name, *values):
    flat = [tf.nest.flatten(value, expand_composites=True) for value in values]
    results[name] = [float(v) for part in flat for x in part for v in np.ravel(np.asarray(x, "f8"))]


@test_util.test_all_tf_execution_regimes
class Distributions(test_util.TestCase):
    def keep(self, *values):
        keep(self._testMethodName, *self.evaluate(values))

    def test_gamma(self):
        gamma = tfd.Gamma(placeholder([1.0, 2.5], None), 2.0, validate_args=True)
        seed = test_util.test_seed(hardcoded_seed=3)
        self.keep(gamma.mean(), gamma.log_prob(0.5), gamma.sample(3, seed=seed))
        self.assertAllClose(self.evaluate(gamma.mean()), [0.5, 1.25])

    def test_joint(self):
        joint = tfd.JointDistributionSequential(
            [tfd.Exponential(placeholder(1.5, None)), lambda rate: tfd.Poisson(rate + 3.0)]
        )
        sample = joint.sample(2, seed=test_util.test_seed(hardcoded_seed=4))
        self.keep(sample, joint.log_prob(sample))

    def test_markov(self):
        transition = tfd.Categorical(probs=placeholder(np.float32([[0.7, 0.3], [0.2, 0.8]]), None))
        start, output = tfd.Categorical(probs=[0.8, 0.2]), tfd.Normal([0.0, 15.0], [5.0, 10.0])
        model = tfd.HiddenMarkovModel(start, transition, output, num_steps=4)
        seen = [-2.0, 0.0, 2.0, 14.0]
        self.keep(model.log_prob(seen), model.posterior_mode(seen), model.mean())

    def test_errors(self):
        for wrong in (
            lambda: tfd.Normal(0.0, placeholder(-1.0, None), validate_args=True).sample(seed=1),
            lambda: tfd.Uniform(placeholder(2.0, None), 1.0, validate_args=True).mean(),
            lambda: tfb.Exp(validate_args=True).inverse(placeholder(-1.0, None)),
        ):
            with self.assertRaisesOpError("must be|not defined|non-negative"):
                self.evaluate(wrong())

    def test_deferred(self):
        scale = tfp.util.TransformedVariable(2.0, tfb.Exp())
        self.evaluate([v.initializer for v in scale.trainable_variables])
        self.assertTrue(tf.is_tensor(scale))
        self.assertAllClose(2.0, scale + 0.0)
        self.keep(tfd.Normal(0.0, scale).log_prob(1.0))


@test_util.test_graph_and_eager_modes
class Parameters(test_util.TestCase):
    @parameterized.parameters((1.0, 2.0), (3.0, 4.0))
    def test_sum(self, a, b):
        self.assertAllClose(self.evaluate(tf.constant(a) + b), a + b)

    @parameterized.named_parameters(("small", 0.1), ("large", 10.0))
    def test_sigmoid(self, x):
        keep(f"sigmoid_{x}", self.evaluate(tfb.Sigmoid().forward(x)))


for case in (Distributions, Parameters):
    outcome = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(outcome)
    bad = outcome.errors + outcome.failures
    assert not bad, bad[0][1]
    keep(case.__name__, outcome.testsRun, len(outcome.skipped))

# Automatic batching: programs of NumPy's and TensorFlow's machine, with and without stacks.
context = auto_batching.Context()


@context.batch(type_inference=lambda types: types[0])
def fibonacci(n):
    if n <= 1:
        return 1
    return fibonacci(n - 2) + fibonacci(n - 1)


other = auto_batching.Context()


@other.batch(type_inference=lambda types: types[0])
def absolute(x):
    if auto_batching.truthy(x > 0):
        return x
    return -x


numbers, deep = np.array([0, 1, 4, 7]), {"max_stack_depth": 20}
numpy_backend = auto_batching.NumpyBackend()
keep("fibonacci", fibonacci(numbers, backend=numpy_backend, **deep), fibonacci(numbers, **deep))
traced = tf.function(lambda n: fibonacci(n, **deep), autograph=False)
keep("traced", traced(tf.constant(numbers)))
keep("absolute", absolute(tf.constant([-5.0]), dry_run=True), absolute(tf.constant([-5.0, 3.0])))

# Particle filters, and reductions of a chain that is not kept.
model = {
    "initial_state_prior": tfd.Normal(0.0, 1.0),
    "transition_fn": lambda _, x: tfd.Normal(0.9 * x, 0.3),
    "observation_fn": lambda _, x: tfd.Normal(x, 0.5),
}
seen = np.float32([0.1, 0.3, 0.2, -0.2, 0.5])
filtered = tf.function(lambda: mcmc.particle_filter(seen, num_particles=9, seed=[1, 2], **model))
keep("filter", filtered())
kernel = tfp.mcmc.HamiltonianMonteCarlo(lambda x: -tf.reduce_sum(x**2), 0.2, 2)
reducers = [mcmc.VarianceReducer(), mcmc.ExpectationsReducer()]
fold = lambda: mcmc.sample_fold(8, tf.zeros([2]), kernel=kernel, reducer=reducers, seed=[1, 2])[0]
keep("fold", tf.function(fold)())

print(json.dumps(results))
