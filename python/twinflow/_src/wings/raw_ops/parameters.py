"""Parameters, attribute checks and docstrings of the functions of ``tf.raw_ops``.

A function takes the inputs of the op's definition, then its attributes. Attributes are validated
against the definition and converted to those of the kernel. Docstrings are derived from those of
the ops.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any, NamedTuple

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.errors import NotFoundError, UnimplementedError, invalid
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.attributes import Attribute, python_name
from twinflow._src.dispatch.registry import OPS, REQUIRED, Op
from twinflow._src.graph.graph import UPDATES
from twinflow._src.graph.signatures import Arg, Attr, Signature, attributes, signature
from twinflow._src.graph_serialization.messages import RENAMED

# Parameters: the inputs of an op's definition, then its attributes.


class Parameter(NamedTuple):
    """A parameter of a function.

    Attributes:
        name: Its name.
        source: The name of the input or attribute in the op's definition.
        default: Its default value; ``REQUIRED`` if it has none.
        attr: The attribute, None for an input.
    """

    name: str
    source: str
    default: Any
    attr: Attr | None


# Parameters whose Python names differ from the op definition and are those of our functions.
_RENAMED = ("axis", "condition")
# Those of an op in graphs only.
_NAMES = {"Select": {"t": "x", "e": "y"}}
# Functions with a leading underscore, as their names are reserved in Python or TensorFlow.
_HIDDEN = frozenset(
    [
        "Abs",
        "All",
        "Any",
        "Assert",
        "BatchNormWithGlobalNormalization",
        "ClipByValue",
        "Complex",
        "Exit",
        "For",
        "FusedBatchNorm",
        "HistogramFixedWidth",
        "If",
        "Max",
        "Min",
        "Pow",
        "Print",
        "Range",
        "Slice",
        "Stack",
        "Sum",
        "While",
    ]
)


def function_name(type: str) -> str:
    """Returns the function name of an op type, as shown in errors."""
    return "_" * (type in _HIDDEN) + python_name(type)


def known_signature(type: str) -> Signature:
    """Returns the signature of an op type that has a stored definition."""
    result = signature(type)
    assert result is not None, type
    return result


@functools.cache
def parameters(type: str) -> tuple[Parameter, ...]:
    """Returns the parameters of a function: inputs, required attributes, optional attributes."""
    inputs, op = known_signature(type).inputs, OPS.get(type)
    names = dict(_NAMES.get(type, {}))
    if op is not None:
        names |= {a.name: p.name for a, p in zip(inputs, op.tensors) if p.name in _RENAMED}
        names |= {theirs: ours for theirs, ours in RENAMED.items() if ours in _RENAMED}
    inferred = {each for arg in inputs for each in (arg.type, arg.number)}
    free = [attr for attr in attributes(type).values() if attr.name not in inferred]
    attrs = [Parameter(names.get(a.name, a.name), a.name, _default(a), a) for a in free]
    attrs.sort(key=lambda parameter: parameter.default is not REQUIRED)
    return (*(Parameter(names.get(a.name, a.name), a.name, REQUIRED, None) for a in inputs), *attrs)


def _default(attr: Attr) -> Any:
    return REQUIRED if attr.is_required else attr.default


def python_signature(type: str) -> inspect.Signature:
    """Returns the ``inspect.Signature`` of an op's function."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    items = [inspect.Parameter(p.name, kind, default=p.default) for p in parameters(type)]
    return inspect.Signature([*items, inspect.Parameter("name", kind, default=None)])


def bind_arguments(type: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Binds keyword arguments (without ``name``) to parameters, by the definition's names.

    Raises TypeError for missing or unknown arguments.
    """
    expected, rest = parameters(type), dict(kwargs)
    values = {p.source: rest.pop(p.name, p.default) for p in expected}
    if rest:
        raise TypeError(
            f"{function_name(type)}() got an unexpected keyword argument '{next(iter(rest))}'"
        )
    missing = [repr(p.name) for p in expected if values[p.source] is REQUIRED]
    if missing:
        raise TypeError(_missing(function_name(type), missing))
    return values


def _missing(name: str, missing: list[str]) -> str:
    if len(missing) == 1:
        return f"{name}() missing 1 required positional argument: {missing[0]}"
    listed = ", ".join(missing[:-1]) + "," * (len(missing) > 2)
    return (
        f"{name}() missing {len(missing)} required positional arguments: {listed} and {missing[-1]}"
    )


# Attribute validation against the op definition, and conversion to the kernel's attributes.


# Attributes that do not affect results: kernel hints, and counts implied by the inputs.
_WITHOUT_EFFECT = frozenset(
    [
        "validate_indices",
        "grad_a",
        "grad_b",
        "grad_x",
        "grad_y",
        "use_locking",
        "use_cudnn_on_gpu",
        "num_sparse",
        "Ncontext_sparse",
        "Nfeature_list_sparse",
        "Nfeature_list_dense",
        "Tout",
        "dtype",
        "T",
        "container",
        "shared_name",
    ]
)


def check_attributes(type: str, values: dict[str, Any]) -> dict[str, Any]:
    """Validates and converts the attributes of a call.

    Raises TypeError for a wrong kind, and InvalidArgumentError for a value that the definition does
    not allow.
    """
    return {
        p.source: _check_attribute(type, p, values[p.source])
        for p in parameters(type)
        if p.attr is not None
    }


def check_lists(type: str, values: dict[str, Any]) -> None:
    """Raises TypeError or InvalidArgumentError if an input is not a list or a list is too short."""
    inputs = known_signature(type).inputs
    lists = [
        (index, arg.number, arg.name) for index, arg in enumerate(inputs) if arg.number is not None
    ]
    for _, _, name in lists:
        value = values[name]
        if not isinstance(value, (list, tuple)):
            raise TypeError(
                f"Expected list for '{name}' argument to '{python_name(type)}' Op, not {value!r}."
            )
    for index, number, name in lists:
        least = attributes(type)[number].minimum
        length = len(values[name])
        if least and 0 < length < least:
            if thread.scope.graph is not None:
                raise opdefs.short_list(type, index, name, length)
            raise opdefs.too_small(type, number, length, least)


def _check_attribute(type: str, parameter: Parameter, value: Any) -> Any:
    attr = parameter.attr
    assert attr is not None
    if value is None and attr.default is not None:
        return attr.default
    if attr.kind == "shape":
        return TensorShape(value)
    is_default = value is None and not attr.is_required
    if attr.kind == "tensor" and not is_default and not hasattr(value, "tensor_shape"):
        raise TypeError(
            f"Don't know how to convert {value!r} to a TensorProto for argument '{parameter.name}'."
        )
    if attr.kind == "list(shape)" and isinstance(value, (list, tuple)):
        return [TensorShape(item) for item in value]
    return Attribute(type, attr.name, attr.kind + attr.text).parsed(value, parameter.name)


def for_kernel(op: Op, attrs: dict[str, Any]) -> dict[str, Any]:
    """Returns the attributes that a kernel takes.

    Raises UnimplementedError for an unsupported attribute that would change the result.
    """
    result, rest = {}, dict(attrs)
    for param in op.attrs:
        name = next(
            (theirs for theirs, ours in RENAMED.items() if ours == param.name and theirs in rest),
            param.name,
        )
        value = rest.pop(name, None)
        result[param.name] = (
            param.default if value is None else param.parse(value) if param.parse else value
        )
    for name, value in rest.items():
        check_left(op.type, name, value)
    return result


def check_left(type: str, name: str, value: Any) -> None:
    """Raises UnimplementedError if an unsupported attribute would change the result."""
    usual = next((p.default for p in parameters(type) if p.source == name), value)
    if name not in _WITHOUT_EFFECT and value != usual:
        raise UnimplementedError(
            None, None, f"{type} is not there with the attribute {name}={value!r}"
        )


def check_tout(op: Op, attrs: dict[str, Any], dtype: Any) -> None:
    """Raises NotFoundError if a complex dtype and its real dtype differ in precision.

    ``dtype`` is that of the input.
    """
    if op.tout is not None and attrs["Tout"] is not op.tout(dtype):
        type = op.type
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
    """Returns the update's operands as tensors; raises InvalidArgumentError if a dtype differs."""
    result, dtype = list(values), variable.dtype.base_dtype
    for index, param in enumerate(op.tensors[1:]):
        if param.name not in UPDATES:
            continue
        result[index] = value = convert_to_tensor(values[index])
        if value.dtype.base_dtype is dtype:
            continue
        if (
            thread.scope.graph is None or op.type == "ResourceStridedSliceAssign"
        ):  # a graph raises by itself
            said = _SAID.get(op.type, "DType of scatter resource and updates does not match.")
            raise invalid(said.format(own=dtype.cname, other=value.dtype.cname))
    return result


def check_value_type(op: Op, variable: Any, attrs: dict[str, Any]) -> None:
    """Raises InvalidArgumentError if a variable is read as another dtype."""
    dtype = None if "dtype" in op.defaults else attrs.get("dtype")
    if dtype is not None and dtype is not variable.dtype.base_dtype:
        raise invalid(
            f"Trying to read variable with wrong dtype. Expected {dtype.cname} got {variable.dtype.base_dtype.cname}"
        )


# Docstrings of the functions of ``tf.raw_ops``, derived from those of the ops.


def description(type: str) -> str:
    """Returns the docstring of an op's function."""
    op, definition = OPS.get(type), known_signature(type)
    text = inspect.getdoc(op.kernel) if op is not None else None
    first = (text or f"Runs the operation {type}.").split("\n\nArgs:")[0]
    inputs = {arg.name: arg for arg in definition.inputs}
    arguments = [_line(p, inputs.get(p.source)) for p in parameters(type)]
    lines = [
        first,
        "",
        "Args:",
        *arguments,
        "    name: A name for the operation (optional).",
        "",
        "Returns:",
    ]
    return "\n".join([*lines, f"    {_results(type, definition.outputs)}"])


def _line(parameter: Parameter, arg: Arg | None) -> str:
    if arg is not None:
        return f"    {parameter.name}: {_tensors(arg)}."
    attr = parameter.attr
    assert attr is not None
    return f"    {parameter.name}: {_kind(attr)}{_default_text(parameter)}."


def _tensors(arg: Arg) -> str:
    if arg.number is None:
        return f"A tensor of type {arg.type}"
    return (
        "A list of tensors"
        if arg.number == arg.type
        else f"A list of {arg.number} tensors of type {arg.type}"
    )


def _kind(attr: Attr) -> str:
    return f"Of the kind {attr.kind}"


def _default_text(parameter: Parameter) -> str:
    default: Any = parameter.default
    if default is REQUIRED:
        return ""
    return f"; {default.name if hasattr(default, 'name') else repr(default)} where it is left out"


def _results(type: str, outputs: tuple[Arg, ...]) -> str:
    if not outputs:
        return "Nothing, or the operation in a graph."
    if len(outputs) == 1:
        return f"{_tensors(outputs[0])}."
    return f"A tuple {type}({', '.join(arg.name for arg in outputs)})."
