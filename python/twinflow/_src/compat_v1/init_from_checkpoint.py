"""``tf.compat.v1.train.init_from_checkpoint`` and ``warm_start``: variables that begin with values of checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from twinflow._src.checkpoint.functions import load_checkpoint
from twinflow._src.checkpoint.reader import Reader
from twinflow._src.compat_v1.saver.eager import restore_now
from twinflow._src.compat_v1.saver.specs import Spec, part_text
from twinflow._src.core.context import thread
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API, OPS
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import get_default_graph
from twinflow._src.variables.ref_variable import RefVariable, reference_op
from twinflow._src.variables.scope_object import current_store
from twinflow._src.variables.variable import BaseResourceVariable


def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Any) -> None:
    """Lets variables begin with values of a checkpoint: it replaces their initializers.

    Args:
        ckpt_dir_or_file: A checkpoint, or a directory whose latest one is meant.
        assignment_map: From names, or scopes that end in a slash, in the checkpoint to variables, lists of the
            parts of one, names or scopes of variables; a dictionary or a list of pairs.

    Raises:
        NotFoundError: There is no checkpoint.
        ValueError: The checkpoint has no such value, or it is of another shape.
    """
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    reader = load_checkpoint(ckpt_dir_or_file)
    shapes, prefix = reader.get_variable_to_shape_map(), reader._reader.prefix
    for key, own in sorted(pairs, key=lambda pair: str(pair[0])):
        found = _variable(own)
        wanted = {key: found} if found is not None else _of_scope(key, own, shapes, ckpt_dir_or_file)
        for name, variable in wanted.items():
            _assert_fits(name, variable, shapes, ckpt_dir_or_file)
            _begin(prefix, name, variable)


def _variable(own: Any) -> Any:
    """The variable, or the list of its parts, that a value of the map means; None for a scope."""
    if isinstance(own, BaseResourceVariable):
        return own
    if not isinstance(own, str):
        return list(own)
    return _named(own)


def _named(name: str) -> Any:
    variables = current_store().variables
    found = variables.get(name)
    parts = [v for key, v in variables.items() if key.startswith(f"{name}/part_")]
    return found if found is not None or not parts else parts


def _of_scope(key: str, own: str, shapes: Mapping[str, Any], where: Any) -> dict[str, Any]:
    """The variables of a scope by the names of their values in the checkpoint."""
    scope = own.rpartition("/")[0]
    if not key.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {scope} should map to scope only {key}. Should be 'scope/': "
            "'other_scope/'."
        )
    start = f"{scope}/" if scope else ""
    names = {n.partition("/part_")[0] for n in current_store().variables if n.startswith(start)}
    found = {}
    for name in sorted(names):
        rest = name.removeprefix(start)
        full = (rest if key == "/" else key + rest).rstrip("/")
        if full not in shapes:
            raise ValueError(f"Tensor {full} ({rest} in {key}) is not found in {where} checkpoint")
        found[full] = _named(name)
    return found


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
        assigned = graph.add(reference_op("Assign"), (variable, value), {}, graph.unique_name("Assign")).op
    else:
        given = (variable, API["identity"](value))
        assigned = graph.add(OPS["AssignVariableOp"], given, {}, graph.unique_name("AssignVariableOp"))
    variable._initializer, variable._initial_value = assigned, value


# ------------------------------------------------------------------ warm starts


def warm_start(
    ckpt_to_initialize_from: Any,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Any = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Lets variables begin with values of a checkpoint, by their names.

    Args:
        ckpt_to_initialize_from: A checkpoint, or a directory whose latest one is meant.
        vars_to_warm_start: A pattern of names of variables that optimizers train; a list of patterns of names of
            all; or a list of variables.
        var_name_to_vocab_info: Not supported; None.
        var_name_to_prev_var_name: Names in the checkpoint that are others than those of the variables.

    Raises:
        NotImplementedError: There are vocabularies.
        ValueError: The checkpoint has no such value, or it is of another shape.
    """
    if var_name_to_vocab_info:
        raise NotImplementedError("Rows of variables are not exchanged by vocabularies: remap the arrays themselves.")
    names = var_name_to_prev_var_name or {}
    reader = Reader(load_checkpoint(ckpt_to_initialize_from)._reader.prefix)
    pairs: dict[str, list[Any]] = {}
    for variable in _chosen(vars_to_warm_start):
        info = variable._get_save_slice_info()
        own = variable.op.name if info is None else info.full_name
        pairs.setdefault(names.get(own, own), []).append(variable)
    for name, variables in pairs.items():
        whole = variables[0]._get_save_slice_info() is None
        init_from_checkpoint(reader.prefix, {name: variables[0] if whole else variables})


def _chosen(wanted: Any) -> list[Any]:
    graph = get_default_graph()
    if isinstance(wanted, str):
        return graph.get_collection(GraphKeys.TRAINABLE_VARIABLES, wanted)
    if all(isinstance(x, str) for x in wanted or ()):
        return [v for x in wanted or () for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES, x)]
    return list(wanted)
