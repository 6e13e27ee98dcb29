"""Functions of TensorFlow 1 that update variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import int64
from twinflow._src.core.scopes import name_scope
from twinflow._src.dispatch.op import API
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import executing_eagerly, get_default_graph
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.graph_serialization.variable_handles import variable_of
from twinflow._src.initializers.v1 import Zeros
from twinflow._src.variables.scopes import get_variable
from twinflow._src.variables.updates import batch_indices
from twinflow._src.variables.variable import Variable


def assign(ref: Any, value: Any, validate_shape: Any = None, use_locking: Any = None, name: str | None = None) -> Any:
    """Replaces the value of a variable; see ``tf.Variable.assign``. One that is a reference takes another shape if asked to."""
    with _variable(ref) as variable:
        if getattr(variable, "is_reference", False):
            locking, validate = use_locking is None or use_locking, validate_shape is None or validate_shape
            return variable._replaced(value, name, bool(locking), bool(validate))
        return variable.assign(value, name=name)


@contextmanager
def _variable(ref: Any) -> Iterator[Any]:
    """The variable that is to be updated; where an update gave a reference to its memory, after that update."""
    if not isinstance(ref, SymbolicTensor) or ref.dtype is ref.dtype.base_dtype:
        yield ref
        return
    with thread.scope.graph.control_dependencies([ref.op]):
        yield variable_of(ref, ref.op.name)


def _origin(variable: Any) -> Any:
    """The variable behind what an update gave; these functions do not wait for the update, as in TensorFlow."""
    return getattr(variable, "_origin", variable)


def assign_add(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Adds to the value of a variable; see ``tf.Variable.assign_add``."""
    with _variable(ref) as variable:
        return variable.assign_add(value, name=name)


def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Subtracts from the value of a variable; see ``tf.Variable.assign_sub``."""
    with _variable(ref) as variable:
        return variable.assign_sub(value, name=name)


def count_up_to(ref: Any, limit: int, name: str | None = None) -> Any:
    """Adds one to a counter; see ``tf.Variable.count_up_to``."""
    with _variable(ref) as variable:
        return variable.count_up_to(limit)


def _rows(name: str) -> Callable[..., Any]:
    def scatter(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
        with _variable(ref) as variable:
            return getattr(_origin(variable), method)(IndexedSlices(updates, indices), name=name)

    method = scatter.__name__ = name
    scatter.__doc__ = f"See ``tf.Variable.{name}``."
    return scatter


def _places(name: str) -> Callable[..., Any]:
    def scatter(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
        with _variable(ref) as variable:
            return getattr(_origin(variable), method)(indices, updates, name=name)

    method = scatter.__name__ = name
    scatter.__doc__ = f"See ``tf.Variable.{name}``."
    return scatter


def batch_scatter_update(ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None) -> Any:
    """Replaces slices along the last indexed dimension, batch by batch; see ``tf.Variable.batch_scatter_update``."""
    with _variable(ref) as variable:
        places = batch_indices(convert_to_tensor(indices))
        return _origin(variable).scatter_nd_update(places, updates, name=name)


SCATTERS: dict[str, Callable[..., Any]] = {
    **{f"scatter_{kind}": _rows(f"scatter_{kind}") for kind in ("add", "sub", "mul", "div", "min", "max", "update")},
    **{f"scatter_nd_{kind}": _places(f"scatter_nd_{kind}") for kind in ("add", "sub", "update")},
    "batch_scatter_update": batch_scatter_update,
}


# ------------------------------------------------------------------ the number of steps


def get_global_step(graph: Any = None) -> Any:
    """The variable that counts the steps of training, or None.

    Args:
        graph: The graph; the default one where None.

    Raises:
        TypeError: What counts them is no integer scalar.
    """
    graph = graph or get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        return None
    step = found[0] if found else _named_step(graph)
    if step is not None:
        assert_global_step(step)
    return step


def _named_step(graph: Any) -> Any:
    """The tensor of the default name, where a graph has one."""
    try:
        return graph.get_tensor_by_name("global_step:0")
    except KeyError:
        return None


def create_global_step(graph: Any = None) -> Any:
    """Makes the variable that counts the steps of training.

    Args:
        graph: The graph; the default one where None.

    Raises:
        ValueError: There is one already.
    """
    graph = graph or get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    def make() -> Any:
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            [],
            int64,
            Zeros(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )

    if thread.scope.graph is None:
        step = make()
        graph.add_to_collection(GraphKeys.GLOBAL_STEP, step)
        return step
    with graph.as_default():
        return make()


def get_or_create_global_step(graph: Any = None) -> Any:
    """The variable that counts the steps of training; made where there is none."""
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def assert_global_step(global_step_tensor: Any) -> None:
    """Raises TypeError where a tensor is no integer scalar."""
    if not (is_tensor(global_step_tensor) or isinstance(global_step_tensor, Variable)):
        raise TypeError(f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.')
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}')
    if global_step_tensor.shape.rank not in (0, None):
        raise TypeError(f'Existing "global_step" is not scalar: {global_step_tensor.shape}')


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The number of steps in a session; in eager mode that of the variable."""
    if executing_eagerly():
        return int(global_step_tensor.numpy())
    return int(sess.run(global_step_tensor))


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """Rectifies x times weights plus biases."""
    with name_scope(name or "relu_layer") as path:
        return API["nn.relu"](API["nn.bias_add"](API["matmul"](x, weights), biases), name=path)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """x times weights plus biases."""
    with name_scope(name or "xw_plus_b") as path:
        return API["nn.bias_add"](API["matmul"](x, weights), biases, name=path)
