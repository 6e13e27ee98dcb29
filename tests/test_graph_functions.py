"""Public functions that are more than one op, in graphs: the same bits as outside, whatever is known of shapes.

``graph_calls.txt`` holds an expression a line. The tensors that it makes become arguments of a function;
after ``#!`` stands where TensorFlow refuses to trace it, too: with only the ranks known, or nothing.
"""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.core import nest

LINES = (Path(__file__).parent / "graph_calls.txt").read_text("utf-8").splitlines()
CALLS = [line.partition("  #! ")[::2] for line in LINES if line and not line.startswith("# ")]
MAKERS = {"tf.constant", "tf.ragged.constant", "tf.SparseTensor"}
KNOWN = {
    "all": lambda shape: shape,
    "rank": lambda shape: [None] * len(shape),
    "nothing": lambda shape: None,
}


class Lifted(ast.NodeTransformer):
    """Replaces what makes a tensor by an argument."""

    def __init__(self):
        self.makers = []

    def visit_Lambda(self, node):
        return node

    def visit_Call(self, node):
        if ast.unparse(node.func) in MAKERS:
            self.makers.append(node)
            return ast.Name(f"x{len(self.makers) - 1}", ast.Load())
        return self.generic_visit(node)


def program(code):
    """A function of the tensors in a piece of code, and the tensors."""
    lifted = Lifted()
    *statements, last = lifted.visit(ast.parse(code)).body
    names = [f"x{i}" for i in range(len(lifted.makers))]
    made = ast.parse(f"def program({', '.join(names)}): pass")
    made.body[0].body = [*statements, ast.Return(last.value)]
    scope = {"tf": tf, "np": np}
    exec(compile(ast.fix_missing_locations(made), "<call>", "exec"), scope)
    return scope["program"], [eval(ast.unparse(node), scope) for node in lifted.makers]


def spec_of(value, known):
    if isinstance(value, tf.RaggedTensor):
        return tf.RaggedTensorSpec.from_value(value)
    if isinstance(value, tf.SparseTensor):
        return tf.SparseTensorSpec([None] * value.shape.rank, value.dtype)
    return tf.TensorSpec(known(value.shape), value.dtype)


def facts(result):
    """Types, shapes and bits of all tensors in a result."""
    found = []
    for leaf in nest.flatten(result, expand_composites=True):
        array = np.asarray(leaf.numpy() if isinstance(leaf, tf.Tensor) else leaf)
        bits = array.ravel().tolist() if array.dtype == object else array.tobytes()
        found.append((str(array.dtype), array.shape, bits))
    return found


def floating(values):
    return [x for x in values if isinstance(x, tf.Tensor) and x.dtype.is_floating]


def outcome(function, arguments):
    tf.random.set_seed(0)
    try:
        return facts(function(*arguments))
    except (tf.errors.OpError, LookupError, ValueError, TypeError) as error:
        return type(error)


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize(("code", "refused"), CALLS)
def test_call_in_graph(code, refused, known):
    function, arguments = program(code)
    specs = [spec_of(x, KNOWN[known]) for x in arguments]
    traced = tf.function(function, input_signature=specs, autograph=False)
    expected, found = outcome(function, arguments), outcome(traced, arguments)
    if known in refused.split() or isinstance(expected, type):
        assert isinstance(found, type), "it is refused"
    else:
        assert found == expected


# The gradients of QR and singular value decompositions want sizes that are known, as in TensorFlow.
@pytest.mark.parametrize(
    ("code", "refused"),
    [
        c
        for c in CALLS
        if "1." in c[0] and not re.search("random|linalg.qr|linalg.pinv", c[0]) and not c[1]
    ],
)
def test_gradient_in_graph(code, refused):
    """Gradients of functions that a graph runs as a whole are those of the operations."""
    function, arguments = program(code)

    def gradients(*given):
        with tf.GradientTape() as tape:
            tape.watch(floating(given))
            y = floating(nest.flatten(function(*given), expand_composites=True))
        return [tf.convert_to_tensor(g) for g in tape.gradient(y, floating(given), None, "zero")]

    specs = [spec_of(x, KNOWN["rank"]) for x in arguments]
    traced = tf.function(gradients, input_signature=specs, autograph=False)
    if isinstance(outcome(gradients, arguments), type):  # it has none
        assert isinstance(outcome(traced, arguments), type)
        return
    tf.random.set_seed(0)
    expected = gradients(*arguments)
    tf.random.set_seed(0)
    for a, b in zip(expected, traced(*arguments), strict=True):
        np.testing.assert_allclose(b, a, 1e-5, 1e-6)
