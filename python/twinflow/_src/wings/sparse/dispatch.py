"""Operations that take sparse tensors besides those of ``tf.sparse``."""

from __future__ import annotations

from typing import Any

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.core import nest
from twinflow._src.dispatch.execute import COMPOSITES, execute
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import Op

# Those that TensorFlow applies to the elements that are there: all of them keep zero.
_OF_VALUES = frozenset(
    ("Abs", "ComplexAbs", "Neg", "Sign", "Square", "Sqrt", "Erf", "Tanh", "BesselI0e", "BesselI1e")
    + ("Asin", "Asinh", "Atan", "Atanh", "Sin", "Tan", "Cast", "StopGradient")
)


def dispatched(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an op of which an input is sparse.

    Args:
        op: The op.
        inputs: Its inputs.
        attrs: Its attributes.

    Returns:
        What it gives; NotImplemented where it is to go on as usual, which refuses sparse tensors.
    """
    if op.type == "Identity":
        return nest.map_structure(lambda part: execute(op, [part], attrs), inputs[0], expand_composites=True)
    if op.type in _OF_VALUES:
        return inputs[0].with_values(execute(op, [inputs[0].values], attrs))
    if op.type == "Mul" and not isinstance(inputs[0], SparseTensor):
        return inputs[1] * inputs[0]
    if op.type == "Shape":
        return API["cast"](inputs[0].dense_shape, attrs["out_type"])
    return NotImplemented


COMPOSITES[SparseTensor] = dispatched
