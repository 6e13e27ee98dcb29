"""Ops of imported graphs without a public function, imported variables and optimizer updates.

TensorFlow's graphs contain such ops mostly because gradients add them. They can be run, and are
serialized as they were read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.control_flow.tensor_list import elements, list_of
from twinflow._src.core import dtypes
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.dtypes import resource, variant
from twinflow._src.core.errors import InvalidArgumentError, invalid
from twinflow._src.core.shapes import TensorShape, text
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.opdefs import is_recorded
from twinflow._src.dispatch.registry import Call, Kind, Op
from twinflow._src.graph.ops import Inferred
from twinflow._src.graph.signatures import attributes
from twinflow._src.graph.static_values import array_of
from twinflow._src.graph.symbolic import SymbolicTensor, leaves
from twinflow._src.ops.control.asserts import summary
from twinflow._src.train.optimizers import formulas
from twinflow._src.train.optimizers.formulas import LEGACY
from twinflow._src.train.optimizers.updates import RATE, LegacyUpdate, Update
from twinflow._src.variables.graph_variable import GraphHandle, GraphVariable
from twinflow._src.variables.options import VariableAggregation, VariableSynchronization
from twinflow._src.variables.variable import BaseResourceVariable

# Ops without a public function.


_LIST = Kind("L", many=True, mixed=True, allowed=dtypes.ANY)
_AXIS = Kind("A", only=dtypes.int32, host=True)
_SIZES = Kind(
    "shape_type",
    default=dtypes.int32,
    allowed=frozenset((dtypes.int32, dtypes.int64)),
    host=True,
    many=True,
)


def _like(index: int) -> Callable[[Any], Inferred]:
    """Returns the inference function of an op whose result has dtype and shape of an input."""

    def infer(node: Any) -> Inferred:
        tensor = leaves(node.arguments)[index]
        return [tensor.dtype.base_dtype], [tensor._dims], True

    return infer


def _softplus(xp: Any, gradients: Any, features: Any) -> Any:
    return gradients / (xp.exp(-features) + 1)


def _offsets(xp: Any, concat_dim: Any, shape: Any) -> list[Any]:
    """Returns the offsets of the parts in a concatenation."""
    if concat_dim.ndim:
        raise invalid(
            f"Concat dim tensor should be a scalar integer, but got shape {text(concat_dim.shape)}"
        )
    for i, sizes in enumerate(shape):
        if sizes.ndim != 1:
            raise invalid(f"input {i + 1} should be a vector, but got shape {text(sizes.shape)}")
    axis, before, offsets = int(concat_dim), 0, []
    rank = len(shape[0])
    if not -rank <= axis < rank:
        raise invalid(f"Concat dim is out of range: {axis} vs. {rank}")
    axis %= rank
    for i, sizes in enumerate(shape):
        if len(sizes) != rank:
            raise invalid(f"input {i} should contain {rank} elements, but got {len(sizes)}")
        if any(m != n for j, (m, n) in enumerate(zip(sizes, shape[0])) if j != axis):
            raise invalid(
                f"All dimensions except {axis} must match. Input {i} has shape [{' '.join(map(str, sizes))}] and "
                f"doesn't match input 0 with shape [{' '.join(map(str, shape[0]))}]."
            )
        begin = np.zeros_like(sizes)
        begin[axis] = before
        before += sizes[axis]
        offsets.append(begin)
    return offsets


def _as_shapes(node: Any) -> Inferred:
    shapes = node.arguments[1]
    return [s.dtype for s in shapes], [s._dims for s in shapes], False


def _assert(xp: Any, condition: Any, data: Any, *, summarize: int = 3) -> None:
    if not condition:
        shown = " ".join(f"[{summary(x, summarize)}]" for x in data)
        raise InvalidArgumentError(None, None, f"assertion failed: {shown}")


# ------------------------------------------------------------------ lists and optionals


def _box(node: Any) -> Inferred:
    return [variant], [()], True


def _empty(xp: Any, element_shape: Any, max_num_elements: Any, **_: Any) -> Any:
    return list_of(())


def _push(xp: Any, input_handle: Any, tensor: Any, **_: Any) -> Any:
    return list_of((*elements(input_handle), tensor))


def _pop(xp: Any, input_handle: Any, element_shape: Any, *, element_dtype: Any) -> list[Any]:
    items = elements(input_handle)
    if not items:
        raise InvalidArgumentError(None, None, "Trying to pop from an empty list.")
    *rest, last = items
    if last is None:  # it was not written
        last = xp.zeros(tuple(int(n) for n in element_shape), element_dtype.np)
    return [list_of(rest), last]


def _push_gradient(call: Call, dlist: Any) -> Any:
    """Returns the gradient of an appended element: the last element of the list's gradient."""
    graph, item = thread.scope.graph, call.inputs[1]
    pop, _ = GRAPH_ONLY["TensorListPopBack"]
    attrs = {"element_dtype": item.dtype.base_dtype}
    return graph.add(pop, (dlist, API["shape"](item)), attrs, graph.unique_name(pop.type))


def _sizes(xp: Any, resource: Any, *, out_type: Any) -> Any:
    return np.asarray(resource._handle.lend().shape, out_type.np)


def _destroy(xp: Any, resource: Any, **_: Any) -> None:
    resource._handle.array = None


def _vector_of_sizes(node: Any) -> Inferred:
    return [node.attrs["out_type"]], [(node.arguments[0].shape.rank,)], True


def _popped_types(node: Any) -> Inferred:
    sizes = array_of(node.arguments[1])
    shape = (
        None
        if sizes is None or sizes.ndim == 0
        else tuple(None if n < 0 else int(n) for n in sizes)
    )
    return [variant, node.attrs["element_dtype"]], [(), shape], False


def _get_values(xp: Any, optional: Any, *, output_types: Any, output_shapes: Any) -> list[Any]:
    values = elements(optional)
    if len(values) != len(output_types):
        raise InvalidArgumentError(None, None, "The given optional does not have a value.")
    return list(values)


def _got_types(node: Any) -> Inferred:
    shapes = [shape._dims for shape in node.attrs["output_shapes"]]
    return list(node.attrs["output_types"]), shapes, False


def _op(
    type: str,
    kernel: Callable[..., Any],
    infer: Callable[[Any], Inferred],
    kinds: int | tuple[Kind, ...],
) -> Op:
    out = variant if infer is _box else None
    op = Op(type, kernel, infer=infer, dtypes=dtypes.ANY | {variant}, out=out)
    op.kinds = kinds if isinstance(kinds, tuple) else tuple(Kind(f"T{i}") for i in range(kinds))
    return op


_TABLE: list[
    tuple[str, Callable[..., Any], Callable[[Any], Inferred], int | tuple[Kind, ...], str]
] = [
    ("InvGrad", lambda xp, y, dy: -dy * y * y, _like(0), 2, ""),
    ("SoftplusGrad", _softplus, _like(0), 2, ""),
    ("PreventGradient", lambda xp, input, **_: input, _like(0), 1, "message"),
    ("ConcatOffset", _offsets, _as_shapes, (_AXIS, _SIZES), ""),
    ("Assert", _assert, lambda node: ([], [], False), (Kind("C"), _LIST), "summarize"),
    ("EmptyTensorList", _empty, _box, 2, "element_dtype"),
    ("TensorListPushBack", _push, _box, 2, "element_dtype"),
    ("VariableShape", _sizes, _vector_of_sizes, (Kind("resource"),), "out_type"),
    (
        "DestroyResourceOp",
        _destroy,
        lambda node: ([], [], False),
        (Kind("resource"),),
        "ignore_lookup_error",
    ),
    (
        "TensorListPopBack",
        _pop,
        _popped_types,
        (Kind("L"), Kind("S", host=True)),
        "element_dtype",
    ),
    ("OptionalFromValue", lambda xp, components, **_: list_of(components), _box, (_LIST,), ""),
    ("OptionalNone", lambda xp: list_of(()), _box, 0, ""),
    ("OptionalGetValue", _get_values, _got_types, 1, "output_types output_shapes"),
]

# By type: the op, and the attributes of its kernel.
GRAPH_ONLY = {
    type: (_op(type, kernel, infer, kinds), attrs.split())
    for type, kernel, infer, kinds, attrs in _TABLE
}
GRAPH_ONLY["SoftplusGrad"][0].each = True
for _type in ("Assert", "VariableShape", "DestroyResourceOp"):
    GRAPH_ONLY[_type][0].impure = GRAPH_ONLY[_type][0].no_gradient = True
for _type in ("ConcatOffset", "EmptyTensorList", "OptionalNone"):
    GRAPH_ONLY[_type][0].no_gradient = True
GRAPH_ONLY["TensorListPushBack"][0].gradient = _push_gradient


# Variables of imported graphs.


def handle_of(kind: type[GraphVariable], name: str, dtype: Any, shape: Any) -> Any:
    """Returns a variable with a handle only, for an imported operation."""
    variable: Any = kind.__new__(kind)
    variable._shape, variable._initial_value = TensorShape(shape), None
    variable._handle = GraphHandle(None, runtime.host, dtype.base_dtype, name)
    variable._trainable, variable._constraint = True, None
    variable._synchronization, variable._aggregation = (
        VariableSynchronization.AUTO,
        VariableAggregation.NONE,
    )
    return variable


class ResourceArgument:
    """A variable or another resource that is an argument of an imported function.

    Attributes:
        value: The resource.
        tensor: The result of the operation that creates it, where the graph has one.
    """

    dtype = resource
    _dims = ()

    def __init__(self, value: Any, tensor: Any = None) -> None:
        self.value, self.tensor = value, tensor

    @property
    def shape(self) -> TensorShape:
        """The shape of the handle."""
        return TensorShape(())

    @property
    def name(self) -> str:
        """The name of the resource."""
        return str(getattr(self.value, "name", self.value))


def variable_of(tensor: Any, node: str) -> Any:
    """Returns the variable of a handle or reference; raises ValueError for other tensors."""
    seen = tensor
    if isinstance(seen, ResourceArgument) and isinstance(seen.value, BaseResourceVariable):
        return seen.value
    while isinstance(seen, SymbolicTensor):
        if seen.op.variable is not None:
            return seen.op.variable
        if seen.dtype is not resource and seen.dtype is seen.dtype.base_dtype:
            break
        seen = seen.op.arguments[0] if seen.op.arguments else None
        if isinstance(seen, GraphVariable):
            return seen
    raise ValueError(
        f"The node '{node}' takes a variable, but {getattr(tensor, 'name', tensor)} does not stand for one."
    )


# Optimizer updates.


# Keras's updates, by type and number of variables, and the op of Adam's rate: none of TensorFlow's.
KERAS_UPDATES = {
    (update.type, update.slots + 1): update
    for value in vars(formulas).values()
    for update in (value.values() if isinstance(value, dict) else (value,))
    if isinstance(update, Update) and not isinstance(update, LegacyUpdate)
}
KERAS_RATE = RATE

# All types of ops that TensorFlow defines.
_FORMS = [
    update.type_for(is_resource, is_sparse)
    for update in LEGACY.values()
    for is_resource in (False, True)
    for is_sparse in (False, True)
]
TYPES = [*filter(is_recorded, _FORMS)]


def legacy_update(type: str) -> LegacyUpdate:
    """Returns the update of TensorFlow 1 that an op type belongs to."""
    return LEGACY[type.removeprefix("Resource").replace("SparseApply", "Apply")]


def settings_of(type: str, values: dict[str, Any]) -> dict[str, Any]:
    """Returns those attributes of an update that change its formula, by their values in a node."""
    return {
        name: values[name]
        for name, attr in attributes(type).items()
        if attr.kind == "bool"
        and name != "use_locking"
        and values.get(name, attr.default) != attr.default
    }


def update_of(node: Any) -> Any:
    """Adds the update operation of an optimizer."""
    update = legacy_update(node.type)
    count = update.slots + 1
    variables = [variable_of(tensor, node.name) for tensor in node.inputs[:count]]
    graph, attrs = thread.scope.graph, settings_of(node.type, node.attrs)
    graph.add(update.op(node.type), (*variables, *node.inputs[count:]), attrs, node.name)
    handle = variables[0]._handle
    results = [handle.tensor] if isinstance(handle, GraphHandle) else []  # eager: of a resource
    return graph.get_operation_by_name(node.name), results
