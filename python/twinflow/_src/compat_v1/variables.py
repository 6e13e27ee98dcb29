"""Functions that update or initialize variables in TensorFlow 1.

``assign`` and scatter functions, the global step, ``init_from_checkpoint`` and ``warm_start``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from twinflow._src.checkpoint.functions import load_checkpoint
from twinflow._src.checkpoint.reader import Reader
from twinflow._src.compat_v1.saver.graph import Spec, part_text
from twinflow._src.compat_v1.saver.restore import restore_now
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import int64
from twinflow._src.core.scopes import name_scope
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API, OPS, documented_like
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import executing_eagerly, get_default_graph
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.graph_serialization.graph_only_ops import variable_of
from twinflow._src.initializers.v1 import Zeros
from twinflow._src.variables.ref_variable import RefVariable, reference_op
from twinflow._src.variables.scopes import current_store, get_variable
from twinflow._src.variables.updates import batch_indices
from twinflow._src.variables.variable import BaseResourceVariable, Variable

# Variable updates.


def assign(
    ref: Any,
    value: Any,
    validate_shape: Any = None,
    use_locking: Any = None,
    name: str | None = None,
) -> Any:
    """Assigns a value to a variable; see ``tf.Variable.assign``.

    A reference variable may change its shape if ``validate_shape`` is False.
    """
    with _variable(ref) as variable:
        if getattr(variable, "is_reference", False):
            locking, validate = (
                use_locking is None or use_locking,
                validate_shape is None or validate_shape,
            )
            return variable._replaced(value, name, bool(locking), bool(validate))
        return variable.assign(value, name=name)


@contextmanager
def _variable(ref: Any) -> Iterator[Any]:
    """Yields the variable to update; for the result of an update, after that update."""
    if not isinstance(ref, SymbolicTensor) or ref.dtype is ref.dtype.base_dtype:
        yield ref
        return
    with thread.scope.graph.control_dependencies([ref.op]):
        yield variable_of(ref, ref.op.name)


def _origin(variable: Any) -> Any:
    """Returns the variable behind the result of an update, without control dependency on it."""
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
    """Increments a counter; see ``tf.Variable.count_up_to``."""
    with _variable(ref) as variable:
        return variable.count_up_to(limit)


def _scatter_function(
    name: str, convert: Callable[[Any, Any], tuple[Any, ...]]
) -> Callable[..., Any]:
    """Returns the function of a method of variables, whose arguments follow from both arrays."""

    def scatter(
        ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        with _variable(ref) as variable:
            return getattr(_origin(variable), method)(*convert(indices, updates), name=name)

    method = scatter.__name__ = name
    scatter.__doc__ = f"See ``tf.Variable.{name}``."
    return scatter


def _rows(name: str) -> Callable[..., Any]:
    return _scatter_function(name, lambda indices, updates: (IndexedSlices(updates, indices),))


def _places(name: str) -> Callable[..., Any]:
    return _scatter_function(name, lambda indices, updates: (indices, updates))


def batch_scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Updates slices along the last indexed dimension, per batch.

    See ``tf.Variable.batch_scatter_update``.
    """
    with _variable(ref) as variable:
        positions = batch_indices(convert_to_tensor(indices))
        return _origin(variable).scatter_nd_update(positions, updates, name=name)


SCATTERS: dict[str, Callable[..., Any]] = {
    **{
        f"scatter_{kind}": _rows(f"scatter_{kind}")
        for kind in ("add", "sub", "mul", "div", "min", "max", "update")
    },
    **{f"scatter_nd_{kind}": _places(f"scatter_nd_{kind}") for kind in ("add", "sub", "update")},
    "batch_scatter_update": batch_scatter_update,
}


# ------------------------------------------------------------------ global step


def get_global_step(graph: Any = None) -> Any:
    """Returns the global step, a variable that counts training steps, or None.

    Args:
        graph: The graph; the default one if None.

    Raises:
        TypeError: The global step is not an integer scalar.
    """
    graph = graph or get_default_graph()
    steps = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(steps) > 1:
        return None
    step = steps[0] if steps else _named_step(graph)
    if step is not None:
        assert_global_step(step)
    return step


def _named_step(graph: Any) -> Any:
    """Returns the tensor of the default name, if the graph has one."""
    try:
        return graph.get_tensor_by_name("global_step:0")
    except KeyError:
        return None


@documented_like(get_global_step)
def create_global_step(graph: Any = None) -> Any:
    """Creates the global step.

    Raises:
        ValueError: There already is a global step.
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
    """Returns the global step; creates it if missing."""
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


def assert_global_step(global_step_tensor: Any) -> None:
    """Raises TypeError if a tensor is not an integer scalar."""
    if not (is_tensor(global_step_tensor) or isinstance(global_step_tensor, Variable)):
        raise TypeError(
            f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.'
        )
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(
            f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}'
        )
    if global_step_tensor.shape.rank not in (0, None):
        raise TypeError(f'Existing "global_step" is not scalar: {global_step_tensor.shape}')


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """Returns the value of the global step in a session, or in eager execution."""
    if executing_eagerly():
        return int(global_step_tensor.numpy())
    return int(sess.run(global_step_tensor))


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """Computes ``relu(matmul(x, weights) + biases)``."""
    with name_scope(name or "relu_layer") as path:
        return API["nn.relu"](API["nn.bias_add"](API["matmul"](x, weights), biases), name=path)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """Computes ``matmul(x, weights) + biases``."""
    with name_scope(name or "xw_plus_b") as path:
        return API["nn.bias_add"](API["matmul"](x, weights), biases, name=path)


# Initialization from checkpoints.


def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Any) -> None:
    """Initializes variables from a checkpoint: replaces their initializers.

    Args:
        ckpt_dir_or_file: A checkpoint, or a directory, for its latest checkpoint.
        assignment_map: From names or scopes (ending in a slash) in the checkpoint to variables,
            lists of slices of a variable, names or scopes; a dictionary or a list of pairs.

    Raises:
        NotFoundError: There is no checkpoint.
        ValueError: The checkpoint lacks a value, or its shape differs.
    """
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    reader = load_checkpoint(ckpt_dir_or_file)
    shapes, prefix = reader.get_variable_to_shape_map(), reader._reader.prefix
    for key, target in sorted(pairs, key=lambda pair: str(pair[0])):
        parts = _variable_or_slices(target)
        assigned = (
            {key: parts} if parts is not None else _of_scope(key, target, shapes, ckpt_dir_or_file)
        )
        for name, variable in assigned.items():
            _assert_fits(name, variable, shapes, ckpt_dir_or_file)
            _begin(prefix, name, variable)


def _variable_or_slices(value: Any) -> Any:
    """Returns the variable, or the list of its slices, of a value of the map; None for a scope."""
    if isinstance(value, BaseResourceVariable):
        return value
    if not isinstance(value, str):
        return list(value)
    return _named(value)


def _named(name: str) -> Any:
    variables = current_store().variables
    variable = variables.get(name)
    parts = [v for key, v in variables.items() if key.startswith(f"{name}/part_")]
    return variable if variable is not None or not parts else parts


def _of_scope(key: str, prefix: str, shapes: Mapping[str, Any], where: Any) -> dict[str, Any]:
    """Returns the variables of a scope by the names of their values in the checkpoint."""
    scope = prefix.rpartition("/")[0]
    if not key.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {scope} should map to scope only {key}. Should be 'scope/': "
            "'other_scope/'."
        )
    start = f"{scope}/" if scope else ""
    names = {n.partition("/part_")[0] for n in current_store().variables if n.startswith(start)}
    result = {}
    for name in sorted(names):
        rest = name.removeprefix(start)
        full = (rest if key == "/" else key + rest).rstrip("/")
        if full not in shapes:
            raise ValueError(f"Tensor {full} ({rest} in {key}) is not found in {where} checkpoint")
        result[full] = _named(name)
    return result


def _assert_fits(name: str, variable: Any, shapes: Mapping[str, Any], where: Any) -> None:
    if name not in shapes:
        raise ValueError(f"Tensor {name} is not found in {where} checkpoint {dict(shapes)}")
    if isinstance(variable, list) or variable.shape.is_compatible_with(TensorShape(shapes[name])):
        return
    raise ValueError(
        f"Shape of variable {variable.name} ({variable.shape}) doesn't match with shape of tensor {name} "
        f"({shapes[name]}) from checkpoint reader."
    )


def _begin(prefix: str, name: str, variable: Any) -> None:
    parts = variable if isinstance(variable, list) else [variable]
    for part in parts:
        info = part._get_save_slice_info() if isinstance(variable, list) else None
        spec = Spec(name, part, "" if info is None else part_text(info))
        if thread.scope.graph is None:
            restore_now(prefix, [spec], reshape=False)
        else:
            _replace_initializer(prefix, spec)


def _replace_initializer(prefix: str, spec: Spec) -> None:
    variable = spec.variable
    kinds = (variable.dtype.base_dtype,)
    with API["device"]("/cpu:0"):
        (value,) = OPS["RestoreV2"].public(
            prefix, [spec.name], [spec.part], dtypes=kinds, name="checkpoint_initializer"
        )
    value.set_shape(variable.shape)
    graph = get_default_graph()
    if isinstance(variable, RefVariable):
        assigned = graph.add(
            reference_op("Assign"), (variable, value), {}, graph.unique_name("Assign")
        ).op
    else:
        inputs = (variable, API["identity"](value))
        assigned = graph.add(
            OPS["AssignVariableOp"], inputs, {}, graph.unique_name(OPS["AssignVariableOp"].type)
        )
    variable._initializer, variable._initial_value = assigned, value


# ------------------------------------------------------------------ warm start


def warm_start(
    ckpt_to_initialize_from: Any,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Any = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Initializes variables from a checkpoint, by name.

    Args:
        ckpt_to_initialize_from: A checkpoint, or a directory, for its latest checkpoint.
        vars_to_warm_start: A pattern of names of trainable variables; a list of patterns of names
            of all variables; or a list of variables.
        var_name_to_vocab_info: Not supported; None.
        var_name_to_prev_var_name: Names in the checkpoint that differ from those of variables.

    Raises:
        NotImplementedError: Vocabularies are passed.
        ValueError: The checkpoint lacks a value, or its shape differs.
    """
    if var_name_to_vocab_info:
        raise NotImplementedError(
            "Rows of variables are not exchanged by vocabularies: remap the arrays themselves."
        )
    names = var_name_to_prev_var_name or {}
    reader = Reader(load_checkpoint(ckpt_to_initialize_from)._reader.prefix)
    pairs: dict[str, list[Any]] = {}
    for variable in _select_variables(vars_to_warm_start):
        info = variable._get_save_slice_info()
        full_name = variable.op.name if info is None else info.full_name
        pairs.setdefault(names.get(full_name, full_name), []).append(variable)
    for name, variables in pairs.items():
        whole = variables[0]._get_save_slice_info() is None
        init_from_checkpoint(reader.prefix, {name: variables[0] if whole else variables})


def _select_variables(selection: Any) -> list[Any]:
    graph = get_default_graph()
    if isinstance(selection, str):
        return graph.get_collection(GraphKeys.TRAINABLE_VARIABLES, selection)
    if all(isinstance(x, str) for x in selection or ()):
        return [
            v for x in selection or () for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES, x)
        ]
    return list(selection)
