"""SymPy: expressions as functions of tensors, traced, with gradients."""

# needs: sympy

import json

import numpy as np
import sympy
import tensorflow as tf

s, t = sympy.symbols("s t")
EXPRESSIONS = {
    "elementary": sympy.sin(s) * sympy.exp(-t) + sympy.sqrt(s**2 + 1) / (1 + sympy.Abs(t)),
    "piecewise": sympy.Piecewise((s**2, s > t), (sympy.cos(t), True)),
    "extremes": sympy.Max(s, t) - sympy.Min(s, t) + sympy.sign(t),
    "special": sympy.erf(s) + sympy.loggamma(t + 2) + sympy.atan2(s, t),
    "derivative": sympy.diff(sympy.tanh(s * t), s),
    "rational": sympy.Rational(1, 3) * s + sympy.pi * t + sympy.floor(s * 3),
}
x, y = tf.constant([0.3, -1.2, 2.0]), tf.constant([0.5, 0.7, -0.4])
results = {}
for name, expression in EXPRESSIONS.items():
    function = sympy.lambdify((s, t), expression, modules="tensorflow")
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        value = function(x, y)
    results[name] = value
    results[f"{name}_traced"] = tf.function(function)(x, y)
    gradients = tape.gradient(value, [x, y], unconnected_gradients="zero")
    results[f"{name}_gradients"] = tf.stack(gradients)
matrix = sympy.lambdify((s, t), sympy.Matrix([[s, t], [s * t, 1]]), modules="tensorflow")
results["matrix"] = matrix(tf.constant(2.0), tf.constant(3.0))
print(json.dumps({name: np.ravel(np.asarray(v)).tolist() for name, v in results.items()}))
