"""Answers of ``tf.compat.v1.distributions``: ``TF_PYTHON -m tests.golden.v1_distributions`` records TensorFlow's."""

import json
import os
from pathlib import Path

import numpy as np

ANSWERS = Path(__file__).with_suffix(".json")
_DENSITIES = ["log_prob", "prob", "cdf", "log_cdf", "survival_function", "log_survival_function"]
_STATISTICS = [
    "mean",
    "mode",
    "entropy",
    "covariance",
    "variance",
    "stddev",
    "batch_shape_tensor",
    "event_shape_tensor",
    "is_scalar_event",
    "is_scalar_batch",
]


def distributions(d):
    """Returns constructors of distributions by name, and values to evaluate them at."""
    f64 = np.float64
    return {
        "normal": (lambda **k: d.Normal([0.0, 1.0], 2.0, **k), [0.5, 3.0]),
        "normal64": (lambda **k: d.Normal(f64(0.0), np.array([2.0, 0.1]), **k), [0.5, -30.0]),
        "laplace": (lambda **k: d.Laplace([0.0, 1.0], 2.0, **k), [0.5, -3.0]),
        "student": (lambda **k: d.StudentT([0.5, 1.5, 5.0], 1.0, 2.0, **k), [0.5, -3.0, 2.0]),
        "uniform": (lambda **k: d.Uniform([0.0, 1.0], [2.0, 5.0], **k), [0.5, 7.0]),
        "gamma": (lambda **k: d.Gamma([0.5, 3.0], 2.0, **k), [0.5, 3.0]),
        "exponential": (lambda **k: d.Exponential([0.5, 3.0], **k), [0.5, 3.0]),
        "beta": (lambda **k: d.Beta([0.5, 3.0], 2.0, **k), [0.5, 0.3]),
        "bernoulli": (lambda **k: d.Bernoulli(probs=[0.2, 0.7], **k), [1, 0]),
        "bernoulli_logits": (
            lambda **k: d.Bernoulli(logits=[[0.2, 0.7]], dtype=d.Normal(0.0, 1.0).dtype, **k),
            [1.0, 0.0],
        ),
        "categorical": (
            lambda **k: d.Categorical(probs=[[0.2, 0.7, 0.1], [0.5, 0.25, 0.25]], **k),
            [1, 2],
        ),
        "categorical_logits": (lambda **k: d.Categorical(logits=[0.2, 0.7, 0.1], **k), [1, 2]),
        "dirichlet": (
            lambda **k: d.Dirichlet([[1.5, 2.0, 3.0], [2.0, 2.0, 2.0]], **k),
            [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]],
        ),
        "multinomial": (
            lambda **k: d.Multinomial([3.0, 5.0], probs=[[0.2, 0.8], [0.5, 0.5]], **k),
            [[1.0, 2.0], [2.0, 3.0]],
        ),
        "multinomial_logits": (
            lambda **k: d.Multinomial(4.0, logits=[0.2, 0.8, 0.0], **k),
            [1.0, 2.0, 1.0],
        ),
        "dirichlet_multinomial": (
            lambda **k: d.DirichletMultinomial(3.0, [[1.0, 2.0], [0.5, 0.5]], **k),
            [[1.0, 2.0], [2.0, 1.0]],
        ),
    }


def pairs(d):
    """Returns calls of divergences by name."""
    return {
        "normals": lambda: d.kl_divergence(d.Normal(0.0, 1.0), d.Normal([1.0, 2.0], 3.0)),
        "gammas": lambda: d.kl_divergence(d.Exponential(2.0), d.Gamma([1.0, 2.0], 3.0)),
        "betas": lambda: d.Beta(1.0, 2.0).kl_divergence(d.Beta(3.0, 2.0)),
        "bernoullis": lambda: d.Bernoulli(0.2).kl_divergence(d.Bernoulli(0.7)),
        "categoricals": lambda: d.Categorical([0.2, 0.3]).kl_divergence(d.Categorical([1.0, 0.0])),
        "dirichlets": lambda: d.Dirichlet([1.0, 2.0]).kl_divergence(d.Dirichlet([3.0, 0.5])),
        "none": lambda: d.kl_divergence(d.Normal(0.0, 1.0), d.Gamma(1.0, 1.0)),
        "nan": lambda: d.kl_divergence(
            d.Normal(np.nan, 1.0), d.Normal(0.0, 1.0), allow_nan_stats=False
        ),
        "both": lambda: d.Bernoulli(0.1, 0.2),
        "neither": lambda: d.Categorical(),
        "integers": lambda: d.Normal(1, 2),
        "mixed": lambda: d.Normal(np.float32(1), np.float64(2)),
        "negative": lambda: d.Normal(1.0, -1.0, validate_args=True),
        "above_one": lambda: d.Bernoulli(probs=1.5, validate_args=True),
        "sum": lambda: d.Categorical(probs=[0.5, 0.7], validate_args=True),
        "fraction": lambda: d.Multinomial(1.5, [0.1, 0.2], validate_args=True),
        "one_outcome": lambda: d.Dirichlet([1.0], validate_args=True),
    }


def answer(call):
    """Returns the result of a call as lists or text."""
    try:
        value = call()
    except Exception as error:  # recorded
        return f"{type(error).__name__}: {str(error).partition(' [Op')[0][:150]}"
    return value if isinstance(value, str) else np.asarray(value).tolist()


def answers(tf):
    """Returns all answers by the names of calls."""
    d, found = tf.compat.v1.distributions, {}
    tf.random.set_seed(1)
    for name, (make, value) in distributions(d).items():
        x, strict = make(), make(validate_args=True, allow_nan_stats=False)
        calls = {
            "text": lambda x=x: f"{x} {x!r} {x.reparameterization_type} {sorted(x.parameters)}",
            "quantile": lambda x=x: x.quantile([0.2, 0.7]),
            "kl": lambda x=x, make=make: x.kl_divergence(make()),
            "cross_entropy": lambda x=x, make=make: x.cross_entropy(make()),
            "negative": lambda strict=strict, value=value: strict.log_prob(-np.array(value)),
            "fraction": lambda strict=strict, value=value: strict.log_prob(np.array(value) + 0.5),
            "gradient": lambda x=x, value=value: _gradient(tf, x, value),
            "traced": lambda x=x, value=value: tf.function(x.log_prob)(value),
            "graph": lambda make=make, value=value: _graph(tf, make, value),
        }
        for method in _DENSITIES:
            calls[method] = lambda x=x, method=method, value=value: getattr(x, method)(value)
        for method in _STATISTICS:
            calls[method] = lambda x=x, method=method: getattr(x, method)()
            calls[f"strict_{method}"] = lambda x=strict, method=method: getattr(x, method)()
        for shape in ((), 3, [2, 2]):
            calls[f"sample {shape}"] = lambda x=x, shape=shape: x.sample(shape, seed=5)
        if name == "dirichlet":
            del calls["mode"]  # TensorFlow fails for batches
        found.update({f"{name} {call}": answer(function) for call, function in calls.items()})
    found.update({f"kl {name}": answer(call) for name, call in pairs(d).items()})
    return found


def _gradient(tf, x, value):
    point = tf.constant(value)
    with tf.GradientTape() as tape:
        tape.watch(point)
        total = tf.reduce_sum(x.log_prob(point))
    gradient = tape.gradient(total, point)
    return "None" if gradient is None else gradient


def _graph(tf, make, value):
    with tf.Graph().as_default():
        x = make()
        return f"{x} {x.sample(3).shape} {x.log_prob(value).shape}"


def record():
    """Writes TensorFlow's answers."""
    import tensorflow as tf

    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(answers(tf).items())]
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    record()
