"""Ops that TensorFlow does not have: their definitions follow from their blocks."""

from tests.harness import in_new_python

BLOCK = """
from typing import Any
from twinflow._src.core.dtypes import REALS
from twinflow._src.core.shapes import same
from twinflow._src.dispatch.op import Call, Ints, op

@op("Halves", shape=lambda x, axis, **_: [x, x], dtypes=REALS, results=("low:T", "high:T"))
def halves(
    xp: "Any", x: "Any", axis: "Ints" = None, *, scale: "float" = 0.5, exact: "bool" = False
) -> "Any":
    return [x * x.dtype.type(scale), x - x * x.dtype.type(scale)]

@halves.gradient(reads=())
def _(call: Call, dlow: Any, dhigh: Any) -> Any:
    return dlow * call.attrs["scale"] + dhigh * (1 - call.attrs["scale"]), None

"""


def printed(code):
    return in_new_python(BLOCK + code)


def test_definitions_are_in_tensorflows_form():
    assert printed("""
from twinflow._src.dispatch import opdefs
print(opdefs.definition("Halves"))
""") == (
        "Op<name=Halves; signature=x:T, axis:Tidx -> low:T, high:T; "
        "attr=T:type,allowed=[DT_FLOAT, DT_DOUBLE, DT_BFLOAT16, DT_HALF]; "
        "attr=Tidx:type,default=DT_INT32,allowed=[DT_INT32, DT_INT64]; "
        "attr=scale:float,default=0.5; attr=exact:bool,default=false>"
    )


def test_they_stand_in_graphs():
    assert (
        printed("""
@tf.function
def f(x):
    return halves(x, 0, scale=0.25)

x = tf.constant([1.0, 2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    low, high = f(x)
print(low.numpy(), high.numpy(), tape.gradient(high, x).numpy())
node = [op for op in f.get_concrete_function(x).graph.get_operations() if op.type == "Halves"][0]
print(node.node_def.attr["scale"].f, [t.dtype.name for t in node.outputs])
""")
        == "[0.25 0.5 ] [0.75 1.5 ] [0.75 0.75]\n0.25 ['float32', 'float32']"
    )


def test_messages_quote_them():
    assert printed("""
try:
    halves(tf.constant([1]), 0)
except tf.errors.InvalidArgumentError as error:
    print(error.message[:128])
""") == (
        "Value for attr 'T' of int32 is not in the list of allowed values: float, double, bfloat16, half\n"
        "\t; NodeDef: {{node Halves}}; Op<"
    )


def test_unknown_options_are_refused():
    assert (
        printed("""
try:
    halves.gradient(read=())(print)
except TypeError as error:
    print(error)
""")
        == "unknown options of gradient of Halves: ['read']"
    )
