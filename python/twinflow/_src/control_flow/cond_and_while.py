"""``tf.cond``, ``tf.switch_case`` and ``tf.while_loop`` in graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from twinflow._src.composite_tensors.component_specs import (
    component_specs,
    composite_spec,
    without_variables,
)
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices, IndexedSlicesSpec
from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensorSpec
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor, SparseTensorSpec
from twinflow._src.control_flow.if_and_case_ops import Branches, traced
from twinflow._src.control_flow.tensor_array import GraphTensorArray, TensorArray, assert_of_graphs
from twinflow._src.control_flow.while_op import while_loop_of
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import bool_, int32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import TensorShape, static_size, text
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API
from twinflow._src.graph.ops import holding
from twinflow._src.graph.symbolic import Operation, SymbolicTensor

# Control flow version.


class Modes:
    """Process-wide settings; with ``control_flow`` (v2), results have the names of TensorFlow 2."""

    control_flow = True


modes = Modes()


# Conditionals and loops.


def branched(
    type: str,
    index: Any,
    functions: Sequence[Callable[[], Any]],
    said: tuple[str, str, str],
    name: str,
) -> Any:
    """Adds an operation that runs one of several functions, and returns its results.

    ``index`` may be a boolean, for which True selects the first function. ``said`` are the names in
    error messages: of the first function, the second one, and the public function.
    """
    with thread.scope.graph.name_scope(name):
        traces = [traced(f"{name}_branch{i}", function) for i, function in enumerate(functions)]
        graphs, results = [g for g, _ in traces], [r for _, r in traces]
        _check_apart(
            graphs, said[:2] if type == "If" else [f"branch {i}" for i in range(len(graphs))]
        )
        for other, result in zip(graphs[1:], results[1:]):
            _check_same(graphs[0], other, results[0], result, said)
        scope = thread.scope.name.rstrip("/")
        node = Branches(graphs).node(type, index, name=f"{scope}/")
        passed = iter(_passed(node, "Merge"))
    return passed_like(results[0], passed)


def passed_like(structure: Any, passed: Iterator[Any]) -> Any:
    """Packs the results of the operation in the structure of a branch's result."""
    return nest.map_structure(
        lambda x: None if x is None else like_before(x, next(passed)),
        structure,
        expand_composites=True,
    )


def _check_apart(graphs: Sequence[Any], names: Sequence[str]) -> None:
    """Raises ValueError where a branch captures a tensor of another branch."""
    for graph, name in zip(graphs, names):
        for tensor in graph.external_captures:
            owner = None if isinstance(tensor, EagerTensor) else tensor.graph
            if owner in graphs:
                raise ValueError(
                    f"Tensor {tensor.name} in {names[graphs.index(owner)]} is accessed from {name}."
                )


def _check_same(a: Any, b: Any, first: Any, second: Any, said: tuple[str, str, str]) -> None:
    one, two, what = said
    several = any(composite_spec(x) is not None for x in nest.flatten([first, second]))
    if len(a.outputs) != len(b.outputs) and not several:
        raise ValueError(
            f"Lengths of branch outputs of cond must match.\nlen(graphs[0].outputs): {len(a.outputs)}\n"
            f"len(graphs[1].outputs): {len(b.outputs)}\n"
        )
    try:
        nest.assert_same_structure(first, second, expand_composites=True)
        different = [(x, y) for x, y in zip(a.outputs, b.outputs) if x.dtype is not y.dtype]
        if different:
            raise TypeError("{} and {} have different types".format(*different[0]))
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{one} and {two} arguments to {what} must have the same number, type, and overall structure "
            f"of return values.\n\n{one} output: {first}\n{two} output: {second}\n\nError details:\n{error}"
        ) from error


def cond(
    pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None
) -> Any:
    """Adds the operation of ``tf.cond``."""
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool", pred)
    index = _truth(pred, "pred", "Switch")
    said = "true_fn", "false_fn", "tf.cond"
    functions = _with_values(true_fn, index), _with_values(false_fn, index)
    return branched("If", index, functions, said, name or "cond")


def _with_values(function: Callable[[], Any], instead: Any) -> Callable[[], Any]:
    """Returns a function that replaces operations without results, as of ``tf.print``."""

    def call() -> Any:
        return nest.map_structure(lambda x: instead if isinstance(x, Operation) else x, function())

    return call


def _only(xp: Any, x: Any) -> Any:
    if x.size != 1:
        raise _no_scalar(x)
    return x.reshape(())


def _no_scalar(x: Any) -> Exception:
    return invalid(f"The second input must be a scalar, but it has shape {text(x.shape)}")


def _lone(xp: Any, x: Any) -> Any:
    if x.ndim:
        raise _no_scalar(x)
    return x


def _scalar(value: Any, kernel: Callable[..., Any] = _only) -> Any:
    """Returns a tensor of one element as a scalar, checked at run time if the rank is unknown."""
    tensor = convert_to_tensor(value)
    if tensor.shape.rank == 0:
        return tensor
    op = holding("Switch", kernel, 1)
    op.infer, op.no_gradient = (lambda node: ([tensor.dtype], [()], True)), True
    graph = thread.scope.graph
    return graph.add(op, (graph.own(tensor),), {}, graph.unique_name("Switch"))


_SIGNATURES = {
    "LoopCond": "signature=input:bool -> output:bool",
    "Switch": "signature=data:T, pred:bool -> output_false:T, output_true:T; attr=T:type",
}


def _truth(value: Any, name: str, type: str) -> Any:
    """Returns a condition as a boolean scalar; errors use TensorFlow's name and op of the input."""
    tensor = convert_to_tensor(value)
    if tensor.dtype is bool_:
        return _scalar(tensor)
    if not modes.control_flow:
        raise TypeError(
            f"Input '{name}' of '{type}' Op has type {tensor.dtype.name} that does not match expected type of bool."
        )
    raise invalid(
        f"Input '{name}' passed {tensor.dtype.cname} expected bool while building NodeDef "
        f"'{thread.scope.name}{'cond/switch_pred' if type == 'Switch' else type}' using Op<name={type}; {_SIGNATURES[type]}>"
    )


def switch_case(index: Any, functions: Sequence[Callable[[], Any]], name: str) -> Any:
    """Adds the operation of ``tf.switch_case``."""
    said = "branches[0]", "branches[1]", "tf.switch_case"
    return branched("Case", _scalar(index, _lone), functions, said, name)


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Adds the operation of ``tf.while_loop``.

    Args:
        cond: A function of the loop variables that returns a boolean scalar.
        body: A function of the loop variables that returns their next values.
        loop_vars: A list or tuple of initial values.
        shape_invariants: Shape invariants in the structure of ``loop_vars``, or None.
        maximum_iterations: The maximum number of iterations, or None.
        name: The operation's name.

    Returns:
        The final loop variables.

    Raises:
        ValueError: An iteration changes a shape or the structure.
    """
    graph = thread.scope.graph
    typed = nest.map_structure(loop_value, loop_vars)
    start = list(typed)
    flat = [graph.own(_flow(x)) for x in nest.flatten(start, expand_composites=True)]
    given_back: list[Any] = []
    specs = [None] * len(flat) if shape_invariants is None else _invariants(typed, shape_invariants)
    dims = [x._dims if s is None else _shape(s)._dims for x, s in zip(flat, specs)]

    def test(count: Any, most: Any, *values: Any) -> Any:
        going = cond(*_packed(start, values))
        if maximum_iterations is None:
            return _truth(going, "input", "LoopCond")
        return _scalar(API["logical_and"](count < most, _scalar(going)), _lone)

    def step(count: Any, most: Any, *values: Any) -> list[Any]:
        given_back[:] = [body(*_packed(start, values))]
        after = _after(given_back[0], nest.map_structure(without_variables, loop_vars))
        for before, now, shape in zip(flat, after, dims):
            _check_type(before, now)
            _check_shape(before, now, TensorShape(shape))
        return [count + 1, most, *after]

    with thread.scope.graph.name_scope(name or "while"):
        path = thread.scope.name
        most = convert_to_tensor(
            -1 if maximum_iterations is None else maximum_iterations,
            int32,
            name="maximum_iterations",
        )
        if isinstance(most, SymbolicTensor) and not most.op.name.endswith("maximum_iterations"):
            most = API["identity"](
                most, name="maximum_iterations"
            )  # by its name the body recognizes it
        count = convert_to_tensor(0, dtype=most.dtype, name="loop_counter")
        results = while_loop_of(test, step, [count, most, *flat], path, [(), most._dims, *dims])
        if not graph.building_function:
            results = _passed(results, "Exit", 2)
        results = results[2:]
    last = nest.flatten(given_back[0])
    result = nest.map_structure(
        shaped_like, _packed(start, results), nest.pack_sequence_as(start, last)
    )
    if not modes.control_flow:  # TensorFlow 1: in the structure of the body's result
        return tuple(result) if isinstance(given_back[0], tuple) else result
    return nest.pack_sequence_as(loop_vars, nest.flatten(result))


def _packed(start: Any, values: Sequence[Any]) -> Any:
    """Packs values in the structure of the initial loop variables."""
    firsts = nest.flatten(start, expand_composites=True)
    return nest.pack_sequence_as(
        start, list(map(like_before, firsts, values)), expand_composites=True
    )


def _after(values: Any, start: Any) -> list[Any]:
    """Returns the flat results of an iteration; their structure must be that of the inputs."""
    values = values if isinstance(values, (list, tuple)) else [values]
    values = nest.map_structure(loop_value, values)
    nest.assert_same_structure(values, start, check_types=False, expand_composites=True)
    return list(map(_flow, nest.flatten(values, expand_composites=True)))


def _passed(values: Sequence[Any], name: str, count: int = 0) -> list[Any]:
    """Adds identities for the results, except the first ``own`` ones in control flow v1."""
    if modes.control_flow:
        return [API["identity"](value) for value in values]
    return [*values[:count], *(API["identity"](value, name=name) for value in values[count:])]


def _check_type(before: Any, now: Any) -> None:
    if now.dtype is not before.dtype:
        raise TypeError(
            f"Loop var {before.name} enters the loop with type {before.dtype} but has type {now.dtype} after "
            f"1 iteration. {before.name} type should remain constant."
        )


def _check_shape(before: Any, now: Any, shape: TensorShape) -> None:
    if not now.shape.is_subtype_of(shape):
        raise ValueError(
            f"Input tensor `{before.name}` enters the loop with shape {shape}, but has shape {now.shape} "
            "after one iteration. To allow the shape to vary across iterations, use the "
            "`shape_invariants` argument of tf.while_loop to specify a less-specific shape."
        )


def _invariants(start: Any, invariants: Any) -> list[Any]:
    """Returns the shape invariant of each tensor of a loop, None where there is none."""
    nest.assert_same_structure(start, invariants)
    flat: list[Any] = []
    for value, shape in zip(nest.flatten(start), nest.flatten(invariants)):
        spec = _described(value, shape)
        flat += [spec] if spec is None else component_specs(spec)
    return flat


def _described(value: Any, shape: Any) -> Any:
    """Returns the type spec of a loop variable; None for a tensor without a shape invariant."""
    if isinstance(shape, TypeSpec):
        if not shape.is_compatible_with(_flow(value)):
            raise TypeError(f"TypeSpec {shape} is not compatible with {value!r}")
        return shape
    if shape is None:
        return composite_spec(value)
    if not isinstance(shape, TensorShape):
        raise TypeError(
            f"'shape' must be one of TypeSpec, TensorShape or None. Received: {type(shape)}"
        )
    if isinstance(value, SparseTensor):
        if shape.rank != 1:
            raise ValueError(
                f"Expected a shape with 1 dimension. Obtained: {shape} which has {shape.rank} dimensions."
            )
        rank = static_size(shape, 0)
        return SparseTensorSpec(None if rank is None else [None] * rank, value.dtype)
    if is_ragged(value):
        return RaggedTensorSpec(shape, value.dtype, value.ragged_rank, value.row_splits.dtype)
    if isinstance(value, IndexedSlices):
        return _slices_spec(value, shape)
    return TensorSpec(shape, _flow(value).dtype)


def _slices_spec(value: IndexedSlices, shape: TensorShape) -> IndexedSlicesSpec:
    """Returns the spec of ``tf.IndexedSlices`` whose values have a shape."""
    dense = None if value.dense_shape is None else value.dense_shape.dtype
    return IndexedSlicesSpec(shape, value.dtype, value.indices.dtype, dense, shape[:1])


def _shape(invariant: Any) -> TensorShape:
    return TensorShape(getattr(invariant, "shape", invariant))


def loop_value(value: Any) -> Any:
    """Returns a loop variable: composite tensors as they are, other values as tensors."""
    if isinstance(value, TensorArray):
        return assert_of_graphs(value)
    if composite_spec(value) is not None:
        return without_variables(value)
    return convert_to_tensor(value)


def _flow(value: Any) -> Any:
    """Returns the tensor that represents a loop variable."""
    return value.flow if isinstance(value, TensorArray) else value


def shaped_like(value: Any, last: Any) -> Any:
    """Returns a final loop variable; tensor arrays take the element shape of the last iteration."""
    return value.like(last) if isinstance(value, GraphTensorArray) else value


def like_before(first: Any, value: Any) -> Any:
    """Returns a value as a loop variable of the same class as the initial one."""
    return first.with_flow(value) if hasattr(first, "with_flow") else value
