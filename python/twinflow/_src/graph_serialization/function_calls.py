"""Import of operations that call functions: branches, loops, and plain calls."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.control_flow.if_and_case_ops import Branches, traced
from twinflow._src.control_flow.while_op import while_loop_of
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import PLAIN, altered, entered, thread
from twinflow._src.core.dtypes import as_dtype, int32, int64, resource, string
from twinflow._src.core.errors import UnimplementedError
from twinflow._src.core.protos import message
from twinflow._src.graph.signatures import attributes, signature
from twinflow._src.graph.symbolic import Operation
from twinflow._src.graph_serialization import composed_calls, own_ops
from twinflow._src.graph_serialization.attributes import build_constant, build_node
from twinflow._src.graph_serialization.messages import Written

TYPES = (
    "If",
    "StatelessIf",
    "Case",
    "StatelessCase",
    "While",
    "StatelessWhile",
    "PartitionedCall",
    "StatefulPartitionedCall",
)


def called(node: Any) -> tuple[Any, list[Any]]:
    """Adds the operation for a node that calls functions; returns it and its results."""
    # It is None for a plain call, whose function is inlined.
    kind = node.type.removeprefix("Stateless").removeprefix("Stateful").removeprefix("Partitioned")
    return {"If": _add_branches, "Case": _add_branches, "While": _add_loop, "Call": _copy_body}[
        kind
    ](node)


def _function(node: Any, name: str) -> Any:
    definition = node.library.get(name)
    if definition is None:
        raise ValueError(
            f"The node '{node.name}' calls the function '{name}', which the graph does not have."
        )
    return definition


def _function_name(node: Any, attr: str) -> list[str]:
    value = node.proto.attr[attr]
    funcs = value.list.func if value.WhichOneof("value") == "list" else [value.func]
    return [func.name for func in funcs]


def _add_branches(node: Any) -> tuple[Any, list[Any]]:
    index, *values = node.inputs
    several = node.type.endswith("Case")
    names = (
        _function_name(node, "branches")
        if several
        else _function_name(node, "then_branch") + _function_name(node, "else_branch")
    )
    graphs = [traced(name, lambda name=name: _body(node, name, values))[0] for name in names]
    results = Branches(graphs).node(
        "Case" if several else "If", _truth(index, several), name=f"{node.name}/"
    )
    return thread.scope.graph.get_operation_by_name(node.name), results


def _truth(index: Any, several: bool) -> Any:
    from twinflow._src.core.dtypes import bool_

    if several or index.dtype is bool_:
        return index
    return convert_to_tensor(index) != 0


def _add_loop(node: Any) -> tuple[Any, list[Any]]:
    (cond,), (body,) = _function_name(node, "cond"), _function_name(node, "body")
    inputs = list(node.inputs)
    indices = [i for i, x in enumerate(inputs) if x.dtype is not resource]
    shapes = node.attrs.get("output_shapes") or []
    dims = [shapes[i]._dims if i < len(shapes) else inputs[i]._dims for i in indices]

    def fill_inputs(values: Sequence[Any]) -> list[Any]:
        whole = list(inputs)
        for position, value in zip(indices, values, strict=True):
            whole[position] = value
        return whole

    def step(*values: Any) -> list[Any]:
        results = _body(node, body, fill_inputs(values))
        return [results[i] for i in indices]

    start = [inputs[i] for i in indices]
    results = while_loop_of(
        lambda *values: _body(node, cond, fill_inputs(values))[0],
        step,
        start,
        f"{node.name}/",
        dims,
    )
    operation = thread.scope.graph.get_operation_by_name(node.name)
    return operation, fill_inputs(results)


def _copy_body(node: Any) -> tuple[Any, list[Any]]:
    (name,) = _function_name(node, "f")
    return None, _body(node, name, list(node.inputs), f"{node.name}/")


# ------------------------------------------------------------------ function bodies


def _body(node: Any, name: str, values: Sequence[Any], prefix: str = "") -> list[Any]:
    """Inlines the body of a function in the current graph; returns its results."""
    function = _function(node, name)
    with altered(_copies, "names", lambda outer: (*outer, _count_outputs(node, name, outer))):
        return _body_of(function, values, node.library, prefix)


_MOST_COPIES = 20_000


class _Copies(threading.local):
    """The functions being inlined, innermost last, and the number of inlined bodies."""

    names: tuple[str, ...] = ()
    count = 0


_copies = _Copies()


def _count_outputs(node: Any, name: str, outer: tuple[str, ...]) -> str:
    """Counts an inlined body; raises UnimplementedError for recursion and for too many bodies."""
    if name in outer:
        raise UnimplementedError(
            None, None, f"The function '{name}' calls itself, by the node '{node.name}'."
        )
    _copies.count = _copies.count + 1 if outer else 1
    if _copies.count > _MOST_COPIES:
        said = f"The functions of the graph call each other more than {_MOST_COPIES} times, at the node '{node.name}'."
        raise UnimplementedError(None, None, said)
    return name


def is_inlining() -> bool:
    """True while the body of a function is inlined."""
    return bool(_copies.names)


def inlined(function: Any, values: Sequence[Any], library: dict[str, Any]) -> list[Any]:
    """Inlines the body of a function in the current graph; returns its results."""
    name = function.signature.name
    with altered(_copies, "names", lambda outer: (*outer, name)):
        return _body_of(function, values, library, "")


def _body_of(
    function: Any, values: Sequence[Any], library: dict[str, Any], prefix: str
) -> list[Any]:
    from twinflow._src.graph_serialization.nodes import Nodes

    graph, sources = _as_graph(function)
    nodes = Nodes(graph, library)
    nodes.prefix = prefix or thread.scope.name
    arguments = {
        f"{arg.name}:0": value
        for arg, value in zip(function.signature.input_arg, values, strict=True)
    }
    with entered(thread.scope.but(name="")):
        nodes.add_all(arguments)
    outputs = []
    for arg in function.signature.output_arg:
        if function.ret[arg.name] not in sources:
            raise ValueError(
                f"The function '{function.signature.name}' has no '{function.ret[arg.name]}' for its result '{arg.name}'."
            )
        source = sources[function.ret[arg.name]]
        outputs.append(arguments[source] if source in arguments else nodes.element(source))
    return outputs


def _as_graph(function: Any) -> tuple[Any, dict[str, str]]:
    """Returns a function body as a ``GraphDef``, and a map from its tensor names to the graph's."""
    graph = message("GraphDef")()
    sources = {arg.name: f"{arg.name}:0" for arg in function.signature.input_arg}
    for node in function.node_def:
        sources |= _results(node)
    waits = {f"^{arg.name}" for arg in function.signature.input_arg}  # arguments are there
    for node in function.node_def:
        added = graph.node.add()
        added.CopyFrom(node)
        inputs = [x for x in node.input if x not in waits]
        added.input[:] = [x if x.startswith("^") else sources.get(x, x) for x in inputs]
    return graph, sources


def _results(node: Any) -> dict[str, str]:
    """Returns a map from the result names of a node in a function body to those in a graph."""
    if own_ops.is_own_node(node):
        return own_ops.result_names(node)
    gives = signature(node.op)
    names, index = {}, 0
    for arg in gives.outputs if gives is not None else ():
        count = 1
        if arg.number is not None:
            count = _size(node, arg.number)
        for i in range(count):
            names[f"{node.name}:{arg.name}:{i}"] = f"{node.name}:{index}"
            index += 1
    return names


def _size(node: Any, name: str) -> int:
    """Returns the value of an attribute that counts tensors, or lists their dtypes."""
    if name in node.attr:
        value = node.attr[name]
        return len(value.list.type) if value.HasField("list") else int(value.i)
    default = attributes(node.op)[name].default  # files may leave it out
    return len(default) if isinstance(default, (list, tuple)) else int(default or 0)


# ------------------------------------------------------------------ export of opaque calls as calls of functions of operations that TensorFlow has


def has_function(node: Operation) -> bool:
    """True for an opaque call that can be written as a call of a function."""
    return composed_calls.has_body(node) or (
        node.type in _WRITERS and "call" in node.definition.fixed_attrs
    )


def opaque_call(node: Operation, library: Any) -> Written | None:
    """Returns the call of a function for an opaque call; None for arguments that none takes."""
    if composed_calls.has_body(node):
        return _composed(node, library)
    call = node.definition.fixed_attrs["call"]
    args, kwargs = call.arguments(node.tensors)  # those of a copy differ from the call's own
    return _WRITERS[node.type](node, library, args, kwargs)


def _composed(node: Operation, library: Any) -> Written | None:
    """Adds the function of operations that an opaque call is composed of; returns its call."""
    from twinflow._src.graph_serialization.functions import _Function

    graph = composed_calls.trace(node)
    if graph is None:
        return None
    arguments = [(tensor, i) for i, tensor in enumerate(graph.inputs)]
    types = [tensor.dtype.base_dtype for tensor in graph.inputs]
    name = _Function(graph, types, arguments, library).written(f"{node.type}_call", graph.outputs)
    attrs = {**_CALL, "Tin": types, "Tout": [x.dtype.base_dtype for x in graph.outputs], "f": name}
    return Written("PartitionedCall", (tuple(node.tensors),), attrs)


_CALL = {"config": "", "config_proto": "", "executor_type": ""}


class _Definition:
    """A function that is composed of nodes.

    Args:
        name: Its name.
        inputs: The dtypes of its inputs by name.
    """

    def __init__(self, name: str, inputs: dict[str, Any]) -> None:
        self.proto = message("FunctionDef")()
        self.proto.signature.name = name
        self.types = {key: ("type", dtype) for key, dtype in inputs.items()}
        for key, dtype in inputs.items():
            self.proto.signature.input_arg.add(name=key, type=dtype.as_datatype_enum)

    def add(self, name: str, op: str, inputs: list[str], **attrs: tuple[str, Any]) -> None:
        """Adds a node."""
        self.proto.node_def.append(build_node(name, op, inputs, **attrs))

    def constant(self, name: str, value: Any, dtype: Any) -> str:
        """Adds a constant; returns the name of its result."""
        self.proto.node_def.append(build_constant(name, value, dtype))
        return f"{name}:output:0"

    def cast(self, name: str, source: str, dtype: Any, to: Any) -> str:
        """Adds a conversion to another dtype; returns the name of its result."""
        self.add(name, "Cast", [source], SrcT=("type", dtype), DstT=("type", to))
        return f"{name}:y:0"

    def returns(self, results: dict[str, Any]) -> Any:
        """Sets the results, sources with their dtypes; returns the message."""
        for i, (source, dtype) in enumerate(results.items()):
            self.proto.signature.output_arg.add(name=f"output_{i}", type=dtype.as_datatype_enum)
            self.proto.ret[f"output_{i}"] = source
        return self.proto


def _call(definition: Any, library: Any, inputs: list[Any]) -> Written:
    """Adds a function to the library; returns a call of it."""
    library.functions.append(definition)
    sources, results = definition.signature.input_arg, definition.signature.output_arg
    attrs = {
        "Tin": [as_dtype(arg.type) for arg in sources],
        "Tout": [as_dtype(arg.type) for arg in results],
        "f": definition.signature.name,
        **_CALL,
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
    return library.adds(build_constant(f"{node.name}/{name}", array, dtype))


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


def _row_numbers(f: _Definition, dtype: Any) -> tuple[str, str]:
    """Adds the row of each value to a function with values and splits, and the number of rows."""
    index, one, none = ("type", dtype), f.constant("one", 1, dtype), f.constant("none", 0, dtype)
    first, kind = f.constant("first", 0, int32), ("type", int32)
    f.add("ends", "Size", ["splits"], T=index, out_type=index)
    f.add("rows", "Sub", ["ends:output:0", one], T=index)
    f.add("sizes", "Shape", ["values"], T=f.types["values"], out_type=index)
    types = {"Tparams": index, "Tindices": kind, "Taxis": kind}
    f.add("size", "GatherV2", ["sizes:output:0", first, first], **types, batch_dims=("int", 0))
    f.add("range", "Range", [none, "size:output:0", one], Tidx=index)
    for name, source in (("starts", "splits"), ("places", "range:output:0")):
        f.add(name, "ExpandDims", [source, first], T=index, Tdim=kind)
    f.add("after", "UpperBound", ["starts:output:0", "places:output:0"], T=index, out_type=index)
    f.add("next", "Squeeze", ["after:output:0"], T=index, squeeze_dims=("list(int)", [0]))
    f.add("row_numbers", "Sub", ["next:output:0", one], T=index)
    return "row_numbers:z:0", "rows:z:0"


_AS_INTEGERS = {"Any": "Sum", "All": "Prod"}


def _ragged_reduction(node: Operation, library: Any, args: Any, kwargs: Any) -> Written | None:
    """Reduces the rows of a ragged tensor with one ragged dimension."""
    values, *splits = nest.flatten(args[0], expand_composites=True)
    axis, rank, kind = _single_axis(args[1:]), values.shape.rank, node.type.removeprefix("Ragged")
    if rank is not None and (len(args) == 1 or args[1] is None) and not node.outputs[0].shape.rank:
        return _flat_reduction(kind, values, rank, library)
    if len(splits) != 1 or rank is None or axis not in (1, -rank):
        return None
    if kind == "Mean" and not values.dtype.is_floating:
        return None
    inputs = {"values": values.dtype, "splits": splits[0].dtype}
    f = _Definition(library.unique(f"ragged_{kind.lower()}"), inputs)
    rows, dtype, source = _row_numbers(f, splits[0].dtype), values.dtype, "values"
    if kind in _AS_INTEGERS:
        source, dtype = f.cast("integers", source, dtype, int32), int32
    index = ("type", splits[0].dtype)
    types = {"T": ("type", dtype), "Tindices": index, "Tnumsegments": index}
    segments = {"Mean": "Sum", **_AS_INTEGERS}.get(kind, kind)
    f.add("result", f"UnsortedSegment{segments}", [source, *rows], **types)
    result = "result:output:0"
    if kind == "Mean":
        f.add("ones", "OnesLike", ["values"], T=types["T"])
        f.add("counts", "UnsortedSegmentSum", ["ones:y:0", *rows], **types)
        f.add("mean", "RealDiv", [result, "counts:output:0"], T=types["T"])
        result = "mean:z:0"
    if kind in _AS_INTEGERS:
        result = f.cast("booleans", result, int32, values.dtype)
    if node.outputs[0].shape.rank == rank + 1:  # the dimension is kept
        at, kept = f.constant("axis", 1, int32), {"T": f.types["values"], "Tdim": ("type", int32)}
        f.add("kept", "ExpandDims", [result, at], **kept)
        result = "kept:output:0"
    return _call(f.returns({result: values.dtype}), library, [values, splits[0]])


def _flat_reduction(kind: str, values: Any, rank: int, library: Any) -> Written:
    """Reduces all values of a ragged tensor."""
    f = _Definition(library.unique(f"ragged_{kind.lower()}"), {"values": values.dtype})
    types = {} if kind in _AS_INTEGERS else {"T": f.types["values"]}
    axes = f.constant("axes", list(range(rank)), int32)
    types |= {"Tidx": ("type", int32), "keep_dims": ("bool", False)}
    f.add("result", kind, ["values", axes], **types)
    return _call(f.returns({"result:output:0": values.dtype}), library, [values])


def _single_axis(arguments: Any) -> int | None:
    """Returns the axis of a reduction; None where there are several, or it is a tensor."""
    axis = arguments[0] if arguments else None
    if axis is None or is_tensor(axis):
        return None
    numbers = list(axis) if isinstance(axis, (list, tuple)) else [axis]
    return int(numbers[0]) if len(numbers) == 1 else None


_REDUCTIONS = ("All", "Any", "Max", "Mean", "Min", "Prod", "Sum")
_WRITERS: dict[str, Callable[..., Written | None]] = {
    **dict.fromkeys([f"Ragged{kind}" for kind in _REDUCTIONS], _ragged_reduction),
    "StringSplitV2": _string_split,
    "RaggedTo_Tensor": _ragged_to_tensor,
}
