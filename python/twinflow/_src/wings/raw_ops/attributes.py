"""The attributes of a call of ``tf.raw_ops``: checked by the op's definition, as the op's kernel takes them."""

from __future__ import annotations

import re
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import complex64, complex128, float64
from twinflow._src.core.errors import NotFoundError, UnimplementedError, invalid
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.attributes import Attribute, python_name
from twinflow._src.dispatch.registry import Op
from twinflow._src.graph.graph import UPDATES
from twinflow._src.graph.op_definitions import attributes
from twinflow._src.graph.signatures import PARTS
from twinflow._src.graph_serialization.layouts import RENAMED
from twinflow._src.wings.raw_ops.parameters import Parameter, known_signature, parameters

# Attributes that do not change what comes of a call: hints for kernels, and counts that the inputs tell as well.
_WITHOUT_EFFECT = frozenset(
    ["validate_indices", "grad_a", "grad_b", "grad_x", "grad_y", "use_locking", "use_cudnn_on_gpu", "num_sparse", "Ncontext_sparse", "Nfeature_list_sparse", "Nfeature_list_dense", "Tout", "dtype", "T", "container", "shared_name"]
)


def checked(type: str, values: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a call, in their types.

    Args:
        type: The op's type.
        values: The inputs and attributes of the call, by the definition's names.

    Raises:
        TypeError: One is of another kind.
        InvalidArgumentError: The definition does not allow one.
    """
    return {p.source: _checked(type, p, values[p.source]) for p in parameters(type) if p.attr is not None}


def check_lists(type: str, values: dict[str, Any]) -> None:
    """Raises TypeError or InvalidArgumentError where an input is no list, or a shorter one than the definition wants.

    Args:
        type: The op's type.
        values: The inputs and attributes of the call, by the definition's names.
    """
    inputs = known_signature(type).inputs
    lists = [(place, arg.number, arg.name) for place, arg in enumerate(inputs) if arg.number is not None]
    for _, _, name in lists:
        value = values[name]
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"Expected list for '{name}' argument to '{python_name(type)}' Op, not {value!r}.")
    for place, number, name in lists:
        least = re.search(r",min=(\d+)", attributes(type)[number].text)
        found = len(values[name])
        if least and 0 < found < int(least[1]):
            if thread.scope.graph is not None:
                raise opdefs.short_list(type, place, name, found)
            raise opdefs.too_small(type, number, found, int(least[1]))


def _checked(type: str, parameter: Parameter, value: Any) -> Any:
    attr = parameter.attr
    assert attr is not None
    if value is None and attr.default is not None:
        return attr.default
    if attr.kind == "shape":
        return TensorShape(value)
    if attr.kind == "tensor" and not hasattr(value, "tensor_shape"):
        raise TypeError(f"Don't know how to convert {value!r} to a TensorProto for argument '{parameter.name}'.")
    if attr.kind == "list(shape)" and isinstance(value, (list, tuple)):
        return [TensorShape(item) for item in value]
    return Attribute(type, attr.name, attr.kind + attr.text).parsed(value, parameter.name)


def for_kernel(op: Op, attrs: dict[str, Any]) -> dict[str, Any]:
    """The attributes that an op takes.

    Args:
        op: The op.
        attrs: The attributes of the definition.

    Raises:
        UnimplementedError: The op does not know one, which would change its result.
    """
    found, rest = {}, dict(attrs)
    for param in op.attrs:
        name = next((theirs for theirs, ours in RENAMED.items() if ours == param.name and theirs in rest), param.name)
        value = rest.pop(name, None)
        found[param.name] = param.default if value is None else param.parse(value) if param.parse else value
    for name, value in rest.items():
        check_left(op.type, name, value)
    return found


def check_left(type: str, name: str, value: Any) -> None:
    """Raises UnimplementedError where an attribute that is not known here would change the result.

    Args:
        type: The op's type.
        name: The attribute's name in the definition.
        value: Its value.
    """
    usual = next((p.default for p in parameters(type) if p.source == name), value)
    if name not in _WITHOUT_EFFECT and value != usual:
        raise UnimplementedError(None, None, f"{type} is not there with the attribute {name}={value!r}")


OF_PARTS = PARTS | {"Complex"}


def check_parts(type: str, attrs: dict[str, Any], dtype: Any) -> None:
    """Raises NotFoundError where complex numbers and their parts are to be of different precisions.

    Args:
        type: The op's type.
        attrs: Its attributes.
        dtype: The type of its input; None for ops that know none of them.
    """
    if dtype is None:
        return
    double = complex128 if dtype is float64 else complex64
    if attrs["Tout"] is not (double if type == "Complex" else dtype.real_dtype):
        said = f"{type}[T=DT_{dtype.cname.upper()}, Tout=DT_{attrs['Tout'].cname.upper()}]"
        lead = f"Could not find device for node: {{{{node {type}}}}} = {said}"
        raise NotFoundError(None, None, f"{lead}\nAll kernels registered for op {type}:\n")


_SAID = {
    "AssignVariableOp": "Trying to assign variable with wrong dtype. Expected {own} got {other}",
    "AssignAddVariableOp": "DType of variable handle and value does not match.",
    "AssignSubVariableOp": "DType of variable handle and value does not match.",
    "ResourceStridedSliceAssign": "l-value dtype {own} does not match r-value dtype {other}",
}


def check_update_type(op: Op, variable: Any, values: list[Any]) -> list[Any]:
    """Raises where a variable is updated by a tensor of another type than its own; gives what it takes as tensors.

    Args:
        op: The op.
        variable: The variable.
        values: What the op takes besides.

    Raises:
        InvalidArgumentError: The types differ.
    """
    found, own = list(values), variable.dtype.base_dtype
    for place, param in enumerate(op.tensors[1:]):
        if param.name not in UPDATES:
            continue
        found[place] = value = convert_to_tensor(values[place])
        if value.dtype.base_dtype is own:
            continue
        if thread.scope.graph is None or op.type == "ResourceStridedSliceAssign":  # a graph says so itself
            said = _SAID.get(op.type, "DType of scatter resource and updates does not match.")
            raise invalid(said.format(own=own.cname, other=value.dtype.cname))
    return found


_READING = frozenset(("ReadVariableOp", "ResourceGather", "ResourceGatherNd", "AssignVariableOp"))


def check_value_type(type: str, variable: Any, attrs: dict[str, Any]) -> None:
    """Raises InvalidArgumentError where a variable is read as another type than its own.

    Args:
        type: The op's type.
        variable: The variable.
        attrs: The attributes of the call.
    """
    wanted = attrs.get("dtype")
    if type in _READING and wanted is not None and wanted is not variable.dtype.base_dtype:
        raise invalid(
            f"Trying to read variable with wrong dtype. Expected {wanted.cname} got {variable.dtype.base_dtype.cname}"
        )
