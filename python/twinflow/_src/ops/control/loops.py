"""``tf.while_loop``, maps, folds and scans over the first axis of tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from twinflow._src.autograph.source import add_stack_trace
from twinflow._src.compiler.program import in_function
from twinflow._src.composite_tensors.component_specs import composite_spec, without_variables
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.control_flow import cond_and_while as graph_control
from twinflow._src.control_flow.batching import Batch, NoRuleError
from twinflow._src.control_flow.cond_and_while import modes
from twinflow._src.control_flow.tensor_array import TensorArray
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.errors import OpError
from twinflow._src.core.nest import assert_same_structure, flatten, map_structure, pack_sequence_as
from twinflow._src.core.shapes import static_size
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.dispatch.op import API, documented_like, export
from twinflow._src.ops.control import map_values
from twinflow._src.ops.control.map_values import Results, result_spec, sparse_slices
from twinflow._src.variables.variable import BaseResourceVariable


@export("while_loop")
def while_loop(
    cond: Any,
    body: Any,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Repeats ``body`` on the loop variables while ``cond`` returns True.

    Args:
        cond: A function of the loop variables that returns a boolean scalar.
        body: A function of the loop variables that returns their next values.
        loop_vars: A list or tuple of the initial values.
        shape_invariants: Ignored.
        parallel_iterations: Ignored.
        back_prop: Ignored.
        swap_memory: Ignored.
        maximum_iterations: The maximum number of iterations, or None.

    Returns:
        The final values of the loop variables.

    Raises:
        TypeError: A function is not callable, or the body does not return a sequence.
        ValueError: There are no loop variables, or the body returns another structure.
    """
    assert_loop(cond, body, loop_vars, parallel_iterations)
    if thread.scope.graph is not None:
        return graph_control.while_loop(
            cond, body, loop_vars, shape_invariants, maximum_iterations, name
        )
    return repeated(cond, body, loop_vars, maximum_iterations)


def assert_loop(cond: Any, body: Any, loop_vars: Any, parallel_iterations: int) -> None:
    """Validates the arguments of ``while_loop``; raises TypeError or ValueError."""
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    if not loop_vars and (thread.scope.graph is None or not modes.control_flow):
        raise ValueError("'loop_vars' must be provided.")
    len(loop_vars)  # raises TypeError if it is not a sequence


def _limit(maximum_iterations: Any) -> int:
    limit = convert_to_tensor(maximum_iterations)
    if limit.shape.rank:
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {limit.shape}")
    return int(limit)


def repeated(
    cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None, alone: bool = False
) -> Any:
    """Runs a while loop eagerly."""
    # With ``alone``, the body may return the value of a single loop variable unpacked; so is the
    # result.
    alone = alone and len(loop_vars) == 1
    loop_vars = map_structure(_read_variable, loop_vars)
    if maximum_iterations is None:
        return _rounds(cond, body, loop_vars, alone)
    limit = _limit(maximum_iterations)
    unpacked = (lambda values: (values,)) if alone else lambda values: values
    return _rounds(
        lambda i, values: API["logical_and"](i < limit, cond(*unpacked(values))),
        lambda i, values: (i + 1, body(*unpacked(values))),
        (0, loop_vars[0] if alone else loop_vars),
        False,
    )[1]


def _rounds(cond: Any, body: Any, loop_vars: Any, alone: bool) -> Any:
    described = map_structure(_Described, list(loop_vars))
    packed = False
    while cond(*loop_vars):
        loop_vars = body(*loop_vars)
        if alone and not isinstance(loop_vars, (list, tuple)):
            packed, loop_vars = True, (loop_vars,)
        assert_same_structure(described, list(loop_vars))
    values = map_structure(_as_tensor, loop_vars, expand_composites=True)
    return values[0] if packed else values


def _read_variable(value: Any) -> Any:
    """Returns the initial value of a loop variable; a variable is read."""
    is_variable = isinstance(value, BaseResourceVariable)
    return convert_to_tensor(value) if is_variable else without_variables(value)


class _Described:
    """A value shown as its type spec in structure errors."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        x = self._value
        if isinstance(x, TensorArray):
            return repr(x)
        if composite_spec(x) is not None:
            return repr(composite_spec(x))
        x = convert_to_tensor(x)
        return f"TensorSpec(shape={x.shape}, dtype={x.dtype!r}, name=None)"


_Described.__name__ = "TensorSpec"  # the name in structure errors


def _as_tensor(value: Any) -> Any:
    return value if isinstance(value, TensorArray) else convert_to_tensor(value)


# ------------------------------------------------------------------ maps


@export("map_fn")
@documented_like(while_loop)
def map_fn(
    fn: Any,
    elems: Any,
    dtype: Any = None,
    parallel_iterations: Any = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """Applies a function to each slice along the first axis and stacks the results.

    Args:
        fn: The function; its argument is a slice of each tensor in ``elems``, in the same structure.
        elems: A tensor, or a structure of tensors with the same first dimension.
        dtype: Deprecated alias of ``fn_output_signature``.
        infer_shape: If True, all results must have the same shape.
        fn_output_signature: The dtypes of the results, or ``tf.TensorSpec`` or ``tf.RaggedTensorSpec``
            values, in their structure; those of ``elems`` if None.

    Returns:
        Tensors in the structure of the results.

    Raises:
        TypeError: The function is not callable.
        ValueError: The tensors are scalars or have different first dimensions, or a result has another
            structure.
        InvalidArgumentError: A result has another dtype.
    """
    if not callable(fn):
        raise TypeError(f"The provided function {fn.__name__} is not callable.fn must be callable.")
    signature = dtype if fn_output_signature is None else fn_output_signature
    leaves = [_sliceable(x) for x in flatten(elems)]
    if not leaves:
        raise ValueError(
            "elems must be a Tensor or (possibly nested) sequence of Tensors. "
            f"Got {elems}, which does not contain any Tensors."
        )
    like = elems if signature is None else signature
    specs = list(map(result_spec, leaves) if signature is None else map(_spec, flatten(signature)))
    _check_sizes(leaves)
    if thread.scope.graph is not None:
        return map_values.map_in_graph(fn, elems, like, specs, name=name)
    count, slices = _slices(leaves)
    results = [Results(spec, count, infer_shape) for spec in specs]
    columns = [result.arrays() for result in results]
    for i in range(count):
        row = _apply(fn, pack_sequence_as(elems, [slice_at(i) for slice_at in slices]), like)
        for result, arrays, value in zip(results, columns, row, strict=True):
            for array, part in zip(arrays, result.parts(value, i), strict=True):
                array.write(i, part)
    return pack_sequence_as(
        like, [result.stack(arrays) for result, arrays in zip(results, columns)]
    )


def _apply(fn: Any, arguments: Any, like: Any) -> list[Any]:
    """Returns the flat results for one slice; variables are read, as iterations may change them."""
    outputs = fn(arguments)
    assert_same_structure(like, outputs)
    return [x.read_value() if isinstance(x, BaseResourceVariable) else x for x in flatten(outputs)]


def _sliceable(x: Any) -> Any:
    x = x if is_ragged(x) or isinstance(x, SparseTensor) else convert_to_tensor(x)
    if x.shape.rank == 0:
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    return x


def _slices(leaves: list[Any]) -> tuple[int, list[Any]]:
    """Returns the number of slices and a slicing function per leaf."""
    pairs = [
        sparse_slices(x)
        if isinstance(x, SparseTensor)
        else (static_size(x.shape, 0), x.__getitem__)
        for x in leaves
    ]
    return int(pairs[0][0]), [function for _, function in pairs]


def _check_sizes(leaves: list[Any]) -> None:
    counts = [static_size(x.shape, 0) for x in leaves]
    sizes = [count for count in counts if count is not None]
    for size in sizes[1:]:
        if size != sizes[0]:
            raise ValueError(f"Dimensions {sizes[0]} and {size} are not compatible")


def _spec(signature: Any) -> Any:
    return signature if isinstance(signature, TypeSpec) else as_dtype(signature)


@export("vectorized_map")
@documented_like(map_fn)
def vectorized_map(
    fn: Any,
    elems: Any,
    fallback_to_while_loop: bool = True,
    warn: bool = True,
) -> Any:
    """Applies a function to each slice along the first axis and stacks the results.

    The function is traced for one slice, and each operation of the trace runs once for all of them.

    Args:
        fallback_to_while_loop: If True, an operation that cannot do that runs once for each slice.
        warn: If True, such operations are logged.

    Raises:
        ValueError: The first dimensions of the tensors differ, there are no slices, or an operation
            cannot run for all of them at once, and ``fallback_to_while_loop`` is False.
    """
    leaves = [API["stack"](x) if is_ragged(x) else convert_to_tensor(x) for x in flatten(elems)]
    sizes = [x.shape.as_list()[0] if x.shape.rank is not None else None for x in leaves]
    count = max(n or 0 for n in sizes)
    for size in sizes:
        if size not in (1, count, None):
            raise ValueError(f"Dimensions {sizes[0]} and {size} are not compatible")
    slice_function = _trace_slice_function(
        fn, elems, [TensorSpec(x.shape[1:], x.dtype) for x in leaves]
    )
    if None in sizes:
        rows = [API["shape"](x)[0] for x in leaves]
        count = rows[0] if len(rows) == 1 else API["reduce_max"](API["stack"](rows))
    values = [_slices_of_batch(x, n, count, len(leaves)) for x, n in zip(leaves, sizes)]
    run = functools.partial(_batched, slice_function, count, fallback_to_while_loop, warn)
    if thread.scope.graph is not None:
        return run(values)
    try:
        if not any(node.definition.loops for node in slice_function.graph.get_operations()):
            return run(values)
        flags = [is_batched for _, is_batched in values]
        batched = API["function"](lambda *xs: run(list(zip(xs, flags))), autograph=False)
        return batched(*(x for x, _ in values))
    except OpError as error:
        raise in_function(error, slice_function.name.decode()) from error.__cause__
    except ValueError as error:
        raise add_stack_trace(error) from error.__cause__


def _slices_of_batch(x: Any, size: int | None, count: Any, number: int) -> tuple[Any, bool]:
    """Returns a tensor of slices, or a slice that is the same for all, and True for the former."""
    if size == 1 and (not isinstance(count, int) or count > 1):
        return x[0], False
    if size is None and number > 1:  # its size may be 1
        x = API["broadcast_to"](x, API["concat"]([[count], API["shape"](x)[1:]], 0))
    return x, True


def _batched(
    slice_function: Any, count: Any, falls_back: bool, warns: bool, values: list[tuple[Any, bool]]
) -> Any:
    """Returns the stacked results of a traced function for a batch of slices."""
    graph, batch = slice_function.graph, Batch(count, falls_back, warns)
    for symbol, (value, is_batched) in zip(graph.inputs, values):
        batch.keep(symbol, value, is_batched)
    for outer, symbol in graph.captures.values():
        batch.keep(symbol, outer, False)
    structure = slice_function.structured_outputs
    if any(composite_spec(x) is not None for x in flatten(structure)):
        return _looped(slice_function, count, values)
    try:
        results = iter([batch.full(*pair) for pair in batch.run(graph, graph.outputs)])
    except NoRuleError:
        return _looped(slice_function, count, values)
    return map_structure(lambda x: None if x is None else next(results), structure)


def _looped(slice_function: Any, count: Any, values: list[tuple[Any, bool]]) -> Any:
    """Returns the stacked results of a traced function that runs once for each slice."""
    structure = slice_function.structured_outputs
    moving = [x for x, is_batched in values if is_batched]

    def at(slices: Any) -> Any:
        rest = iter(slices)
        return slice_function(*(next(rest) if is_batched else x for x, is_batched in values))

    if isinstance(count, int) and count:
        rows = [flatten(at([x[i] for x in moving])) for i in range(count)]
        columns = [None if column[0] is None else API["stack"](column) for column in zip(*rows)]
        return pack_sequence_as(structure, columns)
    specs = map_structure(lambda x: composite_spec(x) or TensorSpec(x.shape, x.dtype), structure)
    return API["map_fn"](at, moving, fn_output_signature=specs)


def _trace_slice_function(fn: Any, elems: Any, specs: list[TensorSpec]) -> Any:
    """Traces the function of a slice into a ConcreteFunction; it is called once."""

    def loop_fn(*slices: Any) -> Any:
        with thread.scope.graph.name_scope("loop_body"):
            result = fn(
                pack_sequence_as(elems, [API["identity"](x, name="GatherV2") for x in slices])
            )
            return map_structure(
                lambda x: convert_to_tensor(x) if isinstance(x, IndexedSlices) else x, result
            )

    outside = thread.scope.graph is None
    try:
        return API["function"](loop_fn, autograph=False).get_concrete_function(*specs)
    except Exception as error:
        raise (add_stack_trace(error) if outside else error) from error.__cause__


# ------------------------------------------------------------------ folds and scans


def _assert_callable(fn: Any) -> None:
    if not callable(fn):
        raise TypeError(f"{fn.__name__} is not callable. Please provide a callable function.")


def _unstack(elems: Any) -> tuple[Any, int]:
    """Returns a structure of unstacked TensorArrays, and their size."""
    leaves = [convert_to_tensor(x) for x in flatten(elems)]
    count = leaves[0]._array.shape[0]
    arrays = [TensorArray(x.dtype, size=count).unstack(x) for x in leaves]
    return pack_sequence_as(elems, arrays), count


def _fold(
    fn: Callable[..., Any], elems: Any, initializer: Any, backwards: bool, name: str | None
) -> Any:
    if thread.scope.graph is not None:
        return map_values.fold_in_graph(fn, elems, initializer, backwards, name)
    arrays, count = _unstack(elems)
    slices = lambda i: map_structure(lambda array: array.read(i), arrays)
    is_initialized = initializer is not None
    if backwards:
        at = count if is_initialized else count - 1
        begin = [at, initializer if is_initialized else slices(at)]
        goes_on = lambda i, state: i > 0
        step = lambda i, state: [i - 1, fn(state, slices(i - 1))]
    else:
        begin = [
            convert_to_tensor(0 if is_initialized else 1),
            initializer if is_initialized else slices(0),
        ]
        goes_on = lambda i, state: i < count
        step = lambda i, state: [i + 1, fn(state, slices(i))]
    return while_loop(goes_on, step, begin, maximum_iterations=count)[1]


@export("foldl")
@documented_like(while_loop)
def foldl(
    fn: Any,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Folds the slices along the first axis into one value, from first to last.

    Args:
        fn: A function of the accumulator and the next slice that returns the new accumulator.
        elems: A tensor, or a structure of tensors with the same first dimension.
        initializer: The initial accumulator; the first slice if None.

    Returns:
        The final accumulator.

    Raises:
        TypeError: The function is not callable.
        OutOfRangeError: There are no slices and no initializer.
    """
    _assert_callable(fn)
    return _fold(fn, elems, initializer, False, name)


@export("foldr")
@documented_like(foldl)
def foldr(
    fn: Any,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Folds the slices along the first axis into one value, from last to first.

    Args:
        initializer: The initial accumulator; the last slice if None.
    """
    _assert_callable(fn)
    return _fold(fn, elems, initializer, True, name)


@export("scan")
@documented_like(map_fn)
def scan(
    fn: Any,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Folds the slices along the first axis and stacks the intermediate accumulators.

    Args:
        fn: A function of the accumulator and the next slice that returns the new accumulator.
        initializer: The initial accumulator; if None the first slice, which is also the first result.
        reverse: If True, runs from the last slice to the first.

    Raises:
        TypeError: The function is not callable.
        InvalidArgumentError: The dtype of the accumulator changes.
    """
    _assert_callable(fn)
    if thread.scope.graph is not None:
        return map_values.scan_in_graph(fn, elems, initializer, reverse, name=name)
    arrays, count = _unstack(elems)
    order = list(range(count))
    if reverse:
        order.reverse()
    if initializer is None:
        state = map_structure(lambda a: a.read(order[0]), arrays)
    else:
        state = map_structure(convert_to_tensor, initializer)
    columns = [_column(x, count, infer_shape) for x in flatten(state)]
    if initializer is None:
        columns = [c.write(order[0], x) for c, x in zip(columns, flatten(state))]
        order = order[1:]
    structure = elems if initializer is None else initializer
    for i in order:
        state = fn(state, map_structure(lambda a, i=i: a.read(i), arrays))
        assert_same_structure(structure, state)
        columns = [c.write(i, x) for c, x in zip(columns, flatten(state))]
    return pack_sequence_as(structure, [c.stack() for c in columns])


def _column(first: Any, count: int, infer_shape: bool) -> TensorArray:
    """Returns a TensorArray for results of the dtype and shape of ``first``."""
    shape = first.shape if infer_shape else None
    return TensorArray(first.dtype, size=count, infer_shape=infer_shape, element_shape=shape)
