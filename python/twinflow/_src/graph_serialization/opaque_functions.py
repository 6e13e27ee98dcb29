"""Export of opaque calls as calls of functions of operations that TensorFlow has."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import PLAIN, entered
from twinflow._src.core.dtypes import as_dtype, int32, int64, string
from twinflow._src.core.protos import message
from twinflow._src.graph.symbolic import Operation
from twinflow._src.graph_serialization.attributes import attr_value, tensor_message
from twinflow._src.graph_serialization.messages import Written


def has_function(node: Operation) -> bool:
    """True for an opaque call that can be written as a call of a function."""
    return node.type in _WRITERS and "call" in node.definition.fixed_attrs


def opaque_call(node: Operation, library: Any) -> Written | None:
    """Returns the call of a function for an opaque call; None for arguments that none takes."""
    call = node.definition.fixed_attrs["call"]
    args, kwargs = call._structure
    return _WRITERS[node.type](node, library, args, kwargs)


class _Definition:
    """A function that is composed of nodes.

    Args:
        name: Its name.
        inputs: The dtypes of its inputs by name.
    """

    def __init__(self, name: str, inputs: dict[str, Any]) -> None:
        self.proto = message("FunctionDef")()
        self.proto.signature.name = name
        for key, dtype in inputs.items():
            self.proto.signature.input_arg.add(name=key, type=dtype.as_datatype_enum)

    def add(self, name: str, op: str, inputs: list[str], **attrs: tuple[str, Any]) -> None:
        """Adds a node."""
        self.proto.node_def.append(_node(name, op, inputs, **attrs))

    def constant(self, name: str, value: Any, dtype: Any) -> str:
        """Adds a constant; returns the name of its result."""
        self.proto.node_def.append(_constant(name, value, dtype))
        return f"{name}:output:0"

    def returns(self, results: dict[str, Any]) -> Any:
        """Sets the results, sources with their dtypes; returns the message."""
        for i, (source, dtype) in enumerate(results.items()):
            self.proto.signature.output_arg.add(name=f"output_{i}", type=dtype.as_datatype_enum)
            self.proto.ret[f"output_{i}"] = source
        return self.proto


def _node(name: str, op: str, inputs: list[str], **attrs: tuple[str, Any]) -> Any:
    proto = message("NodeDef")(name=name, op=op, input=inputs)
    for key, (kind, value) in attrs.items():
        proto.attr[key].CopyFrom(attr_value(kind, value))
    return proto


def _constant(name: str, value: Any, dtype: Any) -> Any:
    proto = _node(name, "Const", [], dtype=("type", dtype))
    proto.attr["value"].tensor.CopyFrom(tensor_message(np.asarray(value, dtype.np), dtype))
    return proto


def _call(definition: Any, library: Any, inputs: list[Any]) -> Written:
    """Adds a function to the library; returns a call of it."""
    library.functions.append(definition)
    sources, results = definition.signature.input_arg, definition.signature.output_arg
    attrs = {
        "Tin": [as_dtype(arg.type) for arg in sources],
        "Tout": [as_dtype(arg.type) for arg in results],
        "f": definition.signature.name,
        "config": "",
        "config_proto": "",
        "executor_type": "",
    }
    return Written("PartitionedCall", (tuple(inputs),), attrs)


def _arguments(args: Any, kwargs: Any, names: str) -> dict[str, Any]:
    """Returns the arguments of a call by name, None where they are missing."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(n, kind, default=None) for n in names.split()]
    bound = inspect.Signature(parameters).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.arguments


def _input(value: Any, default: Any, dtype: Any, node: Operation, library: Any, name: str) -> Any:
    """Returns an argument as a tensor of the graph, or the name of a constant before the node."""
    value = default if value is None else value
    if is_tensor(value) and not hasattr(value, "_host"):
        return value
    with entered(PLAIN):
        array = convert_to_tensor(value, dtype=dtype)._host()
    return library.adds(_constant(f"{node.name}/{name}", array, dtype))


# ------------------------------------------------------------------ functions


def _string_split(node: Operation, library: Any, args: Any, kwargs: Any) -> Written | None:
    """Splits a vector of strings: values and row splits of a ragged tensor."""
    arguments = _arguments(args, kwargs, "input sep maxsplit name")
    source = arguments["input"]
    if not is_tensor(source) or source.shape.rank != 1 or len(node.outputs) != 2:
        return None
    f = _Definition(library.unique("string_split"), {"input": string, "sep": string})
    limit = -1 if arguments["maxsplit"] is None else int(arguments["maxsplit"])
    f.add("split", "StringSplitV2", ["input", "sep"], maxsplit=("int", limit))
    zero, one = f.constant("zero", 0, int32), f.constant("one", 1, int64)
    start, long = f.constant("start", 0, int64), ("type", int64)
    f.add("row", "Unpack", ["split:indices:0"], T=long, num=("int", 2), axis=("int", 1))
    types = {"Tparams": long, "Tindices": ("type", int32), "Taxis": ("type", int32)}
    f.add("rows", "GatherV2", ["split:shape:0", zero, zero], **types, batch_dims=("int", 0))
    f.add("end", "AddV2", ["rows:output:0", one], T=long)
    f.add("range", "Range", [start, "end:z:0", one], Tidx=long)
    for name in ("row", "range"):
        f.add(
            f"{name}_matrix", "ExpandDims", [f"{name}:output:0", zero], T=long, Tdim=("type", int32)
        )
    bounds = ["row_matrix:output:0", "range_matrix:output:0"]
    f.add("bounds", "LowerBound", bounds, T=long, out_type=long)
    f.add("splits", "Squeeze", ["bounds:output:0"], T=long, squeeze_dims=("list(int)", [0]))
    definition = f.returns({"split:values:0": string, "splits:output:0": int64})
    separator = _input(arguments["sep"], "", string, node, library, "sep")
    return _call(definition, library, [source, separator])


def _ragged_to_tensor(node: Operation, library: Any, args: Any, kwargs: Any) -> Written | None:
    """Pads the rows of a ragged tensor."""
    arguments = _arguments(args, kwargs, "ragged default_value name shape")
    values, *splits = nest.flatten(arguments["ragged"], expand_composites=True)
    shape = arguments["shape"]
    sizes: Any = -1 if shape is None else shape if is_tensor(shape) else _sizes(shape)
    if sizes is None:
        return None
    dtype, blank = values.dtype, "" if values.dtype is string else 0
    kinds = {"Tindex": ("type", splits[0].dtype), "T": ("type", dtype)}
    inputs = {"values": dtype, "default": dtype}
    inputs |= {f"splits_{i}": tensor.dtype for i, tensor in enumerate(splits)}
    has_tensor = is_tensor(sizes)
    sized = {"shape": sizes.dtype} if has_tensor else {}
    f = _Definition(library.unique("ragged_to_tensor"), {**inputs, **sized})
    kinds["Tshape"] = ("type", sizes.dtype if has_tensor else int64)
    f.add(
        "dense",
        "RaggedTensorToTensor",
        ["shape" if has_tensor else f.constant("sizes", sizes, int64), *inputs],
        **kinds,
        num_row_partition_tensors=("int", len(splits)),
        row_partition_types=("list(string)", ["ROW_SPLITS"] * len(splits)),
    )
    definition = f.returns({"dense:result:0": dtype})
    default = _input(arguments["default_value"], blank, dtype, node, library, "default")
    shapes = [_input(sizes, None, int64, node, library, "shape")] if has_tensor else []
    return _call(definition, library, [values, default, *splits, *shapes])


def _sizes(shape: Any) -> list[int] | None:
    """Returns a shape with -1 for unknown sizes; None for one of unknown rank."""
    sizes = shape.as_list() if hasattr(shape, "as_list") else list(shape)
    if any(is_tensor(size) for size in sizes):
        return None
    return [-1 if size is None else int(size) for size in sizes]


_WRITERS: dict[str, Callable[..., Written | None]] = {
    "StringSplitV2": _string_split,
    "RaggedTo_Tensor": _ragged_to_tensor,
}
