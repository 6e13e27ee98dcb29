"""GPflow: GPR, SGPR, SVGP, VGP and GPMC; L-BFGS, Adam, natural gradients and HMC; parameters."""

# needs: gpflow tf_keras keras

import contextlib
import io
import json
import tempfile

import gpflow
import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp
import tf_keras

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 1, (20, 1)), 0)
y = np.sin(6 * x) + 0.1 * rng.normal(size=x.shape)
grid, inducing = np.linspace(0, 1, 5)[:, None], x[::5].copy()
models, likelihoods, kernels = gpflow.models, gpflow.likelihoods, gpflow.kernels
results = {}


def flat(values):
    arrays = [np.ravel(np.asarray(v)) for v in tf.nest.flatten(values)]
    return np.concatenate(arrays).astype("float64").tolist()


def minimize(model, data=None, **options):
    loss = model.training_loss if data is None else model.training_loss_closure(data)
    minimizer = gpflow.optimizers.Scipy()
    return minimizer.minimize(loss, model.trainable_variables, options=options).fun


points = rng.normal(size=(4, 2))
for name, kernel in {
    "rbf": kernels.RBF(lengthscales=[0.3, 0.5]),
    "matern": kernels.Matern52() + kernels.Matern12() * kernels.Matern32(),
    "others": kernels.RationalQuadratic() + kernels.Linear() + kernels.Polynomial(),
    "periodic": kernels.Periodic(kernels.RBF()) + kernels.Cosine() + kernels.ArcCosine(1),
}.items():
    with tf.GradientTape() as tape:
        value = tf.reduce_sum(kernel(points, points[:2]) ** 2)
    gradients = tape.gradient(value, kernel.trainable_variables)
    results[f"kernel_{name}"] = flat([kernel(points), kernel(points, full_cov=False), gradients])

gpr = models.GPR((x, y), kernels.RBF())
results["gpr_loss"] = flat(minimize(gpr))
results["gpr"] = flat([gpr.predict_f(grid), gpr.predict_y(grid)])
predict = tf.function(gpr.predict_f, input_signature=[tf.TensorSpec([None, 1], tf.float64)])
results["gpr_traced"] = flat([predict(grid), predict(x)])
results["gpr_posterior"] = flat(gpr.posterior().predict_f(grid))
sgpr = models.SGPR((x, y), kernels.RBF(), inducing)
results["sgpr"] = flat([minimize(sgpr, maxiter=5), sgpr.elbo(), sgpr.upper_bound()])
vgp = models.VGP((x, (y > 0).astype(float)), kernels.RBF(), likelihoods.Bernoulli())
results["vgp"] = flat([minimize(vgp, maxiter=4), vgp.predict_y(grid)])

# A sparse variational process: minibatches and Adam, then natural gradients.
svgp = models.SVGP(kernels.RBF(), likelihoods.Gaussian(), inducing, num_data=len(x))
batches = iter(tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(10))
loss, adam = svgp.training_loss_closure(batches), tf_keras.optimizers.Adam(0.05)


@tf.function
def step():
    adam.minimize(loss, svgp.trainable_variables)


elbos = []
for _ in range(5):
    step()
    elbos.append(svgp.elbo((x, y)))
results["svgp"] = flat([elbos, svgp.predict_f(grid)])
exact = models.SVGP(kernels.RBF(), likelihoods.Gaussian(), x.copy())
gpflow.set_trainable(exact.q_mu, False)
gpflow.set_trainable(exact.q_sqrt, False)
natural = gpflow.optimizers.NaturalGradient(1.0)
natural.minimize(exact.training_loss_closure((x, y)), [(exact.q_mu, exact.q_sqrt)])
results["natural_gradient"] = flat([exact.elbo((x, y)), len(exact.trainable_variables)])
independent = kernels.SharedIndependent(kernels.RBF(), 2)
shared = gpflow.inducing_variables.SharedIndependentInducingVariables(
    gpflow.inducing_variables.InducingPoints(inducing)
)
multiple = models.SVGP(independent, likelihoods.Gaussian(), shared, num_latent_gps=2)
results["multiple_outputs"] = flat(multiple.elbo((x, np.concatenate([y, y**2], 1))))

# Hamiltonian Monte Carlo on the parameters.
gpmc = models.GPMC((x[:8], y[:8]), kernels.RBF(), likelihoods.Gaussian(0.1))
gpflow.set_trainable(gpmc.likelihood, False)
one = gpflow.utilities.to_default_float(1.0)
gpmc.kernel.lengthscales.prior = tfp.distributions.Gamma(one, one)
gpmc.kernel.variance.prior = tfp.distributions.Gamma(one, one)
helper = gpflow.optimizers.SamplingHelper(gpmc.log_posterior_density, gpmc.trainable_parameters)
hmc = tfp.mcmc.HamiltonianMonteCarlo(helper.target_log_prob_fn, 0.01, 3)
samples = tf.function(
    lambda: tfp.mcmc.sample_chain(
        4, helper.current_state, kernel=hmc, trace_fn=None, seed=[1, 2], num_burnin_steps=1
    )
)()
results["gpmc"] = flat([samples, helper.convert_to_constrained_values(samples)])

# Parameters.
gpflow.utilities.multiple_assign(gpr, {".kernel.variance": 3.0, ".likelihood.variance": 0.5})
copied = gpflow.utilities.deepcopy(gpr)
copied.kernel.variance.assign(7.0)
gpflow.set_trainable(gpr.kernel, False)
assert sorted(gpflow.utilities.parameter_dict(gpr)) == [
    ".kernel.lengthscales",
    ".kernel.variance",
    ".likelihood.variance",
]
results["parameters"] = flat(
    [
        gpr.kernel.variance,
        copied.kernel.variance,
        len(gpr.trainable_variables),
        gpr.kernel.variance + 1.0,
        gpr.kernel.variance.unconstrained_variable,
    ]
)
text = io.StringIO()
with contextlib.redirect_stdout(text):
    gpflow.utilities.print_summary(gpr, "simple")
assert "GPR.kernel.variance" in text.getvalue() and "Softplus" in text.getvalue()
with tempfile.TemporaryDirectory() as folder:
    path = tf.train.Checkpoint(model=gpr).save(f"{folder}/gpr")
    restored = models.GPR((x, y), kernels.RBF())
    tf.train.Checkpoint(model=restored).restore(path)
    results["restored"] = flat(restored.kernel.variance)
print(json.dumps(results))
