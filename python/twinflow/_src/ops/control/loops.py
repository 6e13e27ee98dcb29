"""Loops, maps and folds over the first dimension of tensors.

Folds and scans over the first dimension of tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.autograph.source import told
from twinflow._src.composite_tensors.component_specs import composite_spec
from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.control_flow import cond_and_while as graph_control
from twinflow._src.control_flow.cond_and_while import modes
from twinflow._src.control_flow.tensor_array import TensorArray
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.nest import assert_same_structure, flatten, map_structure, pack_sequence_as
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.dispatch.op import API, export
from twinflow._src.ops.control import map_values
from twinflow._src.ops.control.map_values import Results, result_spec, sparse_slices
from twinflow._src.variables.variable import BaseResourceVariable

# Loops, maps and folds over the first dimension of tensors.


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
    """Calls a function on its own results as long as a condition holds.

    Args:
        cond: A function of the loop variables that gives a boolean scalar.
        body: A function of the loop variables that gives their next values.
        loop_vars: A list or tuple of values to start with.
        shape_invariants: Accepted and without effect.
        parallel_iterations: Accepted and without effect.
        back_prop: Accepted and without effect.
        swap_memory: Accepted and without effect.
        maximum_iterations: The largest number of calls, or None.
        name: A name for the operation.

    Returns:
        The loop variables at the end.

    Raises:
        TypeError: A function cannot be called, or the body gives no sequence.
        ValueError: There are no loop variables, or the body gives others.
    """
    assert_loop(cond, body, loop_vars, parallel_iterations)
    if thread.scope.graph is not None:
        return graph_control.while_loop(
            cond, body, loop_vars, shape_invariants, maximum_iterations, name
        )
    return repeated(cond, body, loop_vars, maximum_iterations)


def assert_loop(cond: Any, body: Any, loop_vars: Any, parallel_iterations: int) -> None:
    """Raises TypeError or ValueError where something cannot be a loop; for the arguments see ``while_loop``."""
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    if not loop_vars and (thread.scope.graph is None or not modes.control_flow):
        raise ValueError("'loop_vars' must be provided.")
    len(loop_vars)  # fails where it is no sequence


def _limit(maximum_iterations: Any) -> int:
    limit = convert_to_tensor(maximum_iterations)
    if limit.shape.rank:
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {limit.shape}")
    return int(limit)


def repeated(
    cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None, alone: bool = False
) -> Any:
    """Runs the rounds of a loop at once.

    Args:
        cond: A function of the loop variables that gives a boolean scalar.
        body: A function of the loop variables that gives their next values.
        loop_vars: A structure of values to start with.
        maximum_iterations: The largest number of rounds, or None.
        alone: Whether the body may give the value of an only loop variable itself, which is then the result.

    Returns:
        The loop variables at the end.
    """
    alone = alone and len(loop_vars) == 1
    loop_vars = map_structure(_held, loop_vars)
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


def _held(value: Any) -> Any:
    """A loop variable before the loop: of a variable what it holds now."""
    return convert_to_tensor(value) if isinstance(value, BaseResourceVariable) else value


class _Described:
    """A value in an error about structures: by its shape and type."""

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


_Described.__name__ = "TensorSpec"  # as errors about structures call it


def _as_tensor(value: Any) -> Any:
    return value if isinstance(value, TensorArray) else convert_to_tensor(value)


# ------------------------------------------------------------------ maps


@export("map_fn")
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
    """Calls a function on each slice along the first dimension and stacks what it gives.

    Args:
        fn: The function; it is given a slice of each tensor in ``elems``, in the same structure.
        elems: A tensor, or a structure of tensors of one first size.
        dtype: The older name of ``fn_output_signature``.
        parallel_iterations: Accepted and without effect.
        back_prop: Accepted and without effect.
        swap_memory: Accepted and without effect.
        infer_shape: Whether all results must have one shape.
        name: A name for the operation.
        fn_output_signature: The types of the results, or ``tf.TensorSpec`` or ``tf.RaggedTensorSpec``
            values, in their structure; those of ``elems`` where None.

    Returns:
        Tensors in the structure of the results.

    Raises:
        TypeError: The function cannot be called.
        ValueError: The tensors are scalars or of different first sizes, or a result has another
            structure.
        InvalidArgumentError: A result has another type.
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
        return map_values.mapped(fn, elems, like, specs, name=name)
    count, slices = _slices(leaves)
    results = [Results(spec, count, infer_shape) for spec in specs]
    columns = [one.arrays() for one in results]
    for i in range(count):
        row = _round(fn, pack_sequence_as(elems, [one(i) for one in slices]), like)
        for one, arrays, value in zip(results, columns, row, strict=True):
            for array, part in zip(arrays, one.parts(value, i), strict=True):
                array.write(i, part)
    return pack_sequence_as(like, [one.joined(arrays) for one, arrays in zip(results, columns)])


def _round(fn: Any, given: Any, like: Any) -> list[Any]:
    """What a function gives for one slice: of a variable what it holds now, as a later round may change it."""
    found = fn(given)
    assert_same_structure(like, found)
    return [x.read_value() if isinstance(x, BaseResourceVariable) else x for x in flatten(found)]


def _sliceable(x: Any) -> Any:
    x = x if is_ragged(x) or isinstance(x, SparseTensor) else convert_to_tensor(x)
    if x.shape.rank == 0:
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    return x


def _slices(leaves: list[Any]) -> tuple[int, list[Any]]:
    """The number of slices of values, and functions that give each of them."""
    pairs = [
        sparse_slices(x) if isinstance(x, SparseTensor) else (x.shape[0], x.__getitem__)
        for x in leaves
    ]
    return int(pairs[0][0]), [one for _, one in pairs]


def _check_sizes(leaves: list[Any]) -> None:
    sizes = [x.shape[0] for x in leaves if x.shape.rank is not None and x.shape[0] is not None]
    for size in sizes[1:]:
        if size != sizes[0]:
            raise ValueError(f"Dimensions {sizes[0]} and {size} are not compatible")


def _spec(given: Any) -> Any:
    return given if isinstance(given, TypeSpec) else as_dtype(given)


@export("vectorized_map")
def vectorized_map(
    fn: Any,
    elems: Any,
    fallback_to_while_loop: bool = True,
    warn: bool = True,
) -> Any:
    """Calls a function on each slice along the first dimension and stacks what it gives.

    Args:
        fn: The function; it is given a slice of each tensor in ``elems``, in the same structure.
        elems: A tensor, or a structure of tensors of one first size.
        fallback_to_while_loop: Accepted and without effect.
        warn: Accepted and without effect.

    Returns:
        Tensors in the structure of the results.

    Raises:
        ValueError: The tensors are of different first sizes, or there are no slices.
    """
    leaves = [API["stack"](x) if is_ragged(x) else convert_to_tensor(x) for x in flatten(elems)]
    sizes = [x.shape.as_list()[0] for x in leaves]
    count = max(n or 0 for n in sizes)
    for size in sizes:
        if size not in (1, count, None):
            raise ValueError(f"Dimensions {sizes[0]} and {size} are not compatible")
    round_ = _round_of(fn, elems, [TensorSpec(x.shape[1:], x.dtype) for x in leaves])
    if None in sizes:
        kinds = map_structure(lambda x: TensorSpec(x.shape, x.dtype), round_.structured_outputs)
        return API["map_fn"](
            lambda slices: round_(*flatten(slices)), elems, fn_output_signature=kinds
        )
    found = [
        round_(*(x[i if n == count else 0] for x, n in zip(leaves, sizes, strict=True)))
        for i in range(count)
    ]
    if not found:
        return map_structure(
            lambda x: x if x is None else API["zeros"]([0, *x.shape], x.dtype),
            round_.structured_outputs,
        )
    rows = [flatten(one) for one in found]
    return pack_sequence_as(
        found[0],
        [x if x is None else API["stack"]([row[k] for row in rows]) for k, x in enumerate(rows[0])],
    )


def _round_of(fn: Any, elems: Any, specs: list[TensorSpec]) -> Any:
    """A function of slices that has been traced, so that it sees tensors of a graph and is called once."""

    def loop_fn(*slices: Any) -> Any:
        with thread.scope.graph.name_scope("loop_body"):
            return fn(
                pack_sequence_as(elems, [API["identity"](x, name="GatherV2") for x in slices])
            )

    outside = thread.scope.graph is None
    try:
        return API["function"](loop_fn, autograph=False).get_concrete_function(*specs)
    except Exception as error:
        raise (told(error) if outside else error) from error.__cause__


# ------------------------------------------------------------------ folds


# Folds and scans over the first dimension of tensors.


def _assert_callable(fn: Any) -> None:
    if not callable(fn):
        raise TypeError(f"{fn.__name__} is not callable. Please provide a callable function.")


def _unstacked(elems: Any) -> tuple[Any, int]:
    """A structure of the arrays of slices of tensors, and their number."""
    leaves = [convert_to_tensor(x) for x in flatten(elems)]
    count = leaves[0]._array.shape[0]
    arrays = [TensorArray(x.dtype, size=count).unstack(x) for x in leaves]
    return pack_sequence_as(elems, arrays), count


def _fold(
    fn: Callable[..., Any], elems: Any, initializer: Any, backwards: bool, name: str | None
) -> Any:
    if thread.scope.graph is not None:
        return map_values.folded(fn, elems, initializer, backwards, name)
    arrays, count = _unstacked(elems)
    slices = lambda i: map_structure(lambda array: array.read(i), arrays)
    given = initializer is not None
    if backwards:
        at = count if given else count - 1
        begin = [at, initializer if given else slices(at)]
        goes_on = lambda i, state: i > 0
        step = lambda i, state: [i - 1, fn(state, slices(i - 1))]
    else:
        begin = [convert_to_tensor(0 if given else 1), initializer if given else slices(0)]
        goes_on = lambda i, state: i < count
        step = lambda i, state: [i + 1, fn(state, slices(i))]
    return while_loop(goes_on, step, begin, maximum_iterations=count)[1]


@export("foldl")
def foldl(
    fn: Any,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Combines the slices along the first dimension from the first to the last.

    Args:
        fn: A function of what has been combined so far and the next slice.
        elems: A tensor, or a structure of tensors of one first size.
        initializer: What to begin with; the first slice where None.
        parallel_iterations: Accepted and without effect.
        back_prop: Accepted and without effect.
        swap_memory: Accepted and without effect.
        name: A name for the operation.

    Returns:
        What the last call gives.

    Raises:
        TypeError: The function cannot be called.
        OutOfRangeError: There is nothing to begin with.
    """
    _assert_callable(fn)
    return _fold(fn, elems, initializer, False, name)


@export("foldr")
def foldr(
    fn: Any,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Combines the slices along the first dimension from the last to the first.

    Args:
        fn: A function of what has been combined so far and the next slice.
        elems: A tensor, or a structure of tensors of one first size.
        initializer: What to begin with; the last slice where None.
        parallel_iterations: Accepted and without effect.
        back_prop: Accepted and without effect.
        swap_memory: Accepted and without effect.
        name: A name for the operation.

    Returns:
        What the last call gives.

    Raises:
        TypeError: The function cannot be called.
        OutOfRangeError: There is nothing to begin with.
    """
    _assert_callable(fn)
    return _fold(fn, elems, initializer, True, name)


@export("scan")
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
    """Combines the slices along the first dimension and stacks all that comes of it on the way.

    Args:
        fn: A function of what has been combined so far and the next slice.
        elems: A tensor, or a structure of tensors of one first size.
        initializer: What to begin with; the first slice where None, which is then the first result too.
        parallel_iterations: Accepted and without effect.
        back_prop: Accepted and without effect.
        swap_memory: Accepted and without effect.
        infer_shape: Whether all results must have one shape.
        reverse: Whether the slices are taken from the last to the first.
        name: A name for the operation.

    Returns:
        Tensors in the structure of the results.

    Raises:
        TypeError: The function cannot be called.
        InvalidArgumentError: A result has another type than what it began with.
    """
    _assert_callable(fn)
    if thread.scope.graph is not None:
        return map_values.scanned(fn, elems, initializer, reverse, name=name)
    arrays, count = _unstacked(elems)
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
    begun = elems if initializer is None else initializer
    for i in order:
        state = fn(state, map_structure(lambda a, i=i: a.read(i), arrays))
        assert_same_structure(begun, state)
        columns = [c.write(i, x) for c, x in zip(columns, flatten(state))]
    return pack_sequence_as(begun, [c.stack() for c in columns])


def _column(first: Any, count: int, infer_shape: bool) -> TensorArray:
    """What is to hold the results that are like a tensor."""
    shape = first.shape if infer_shape else None
    return TensorArray(first.dtype, size=count, infer_shape=infer_shape, element_shape=shape)
