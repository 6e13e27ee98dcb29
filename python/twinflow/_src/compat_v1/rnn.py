"""Recurrent networks of ``tf.compat.v1.nn``: cells that are run step by step."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.compat_v1.renamed_args import cond
from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.control_flow.tensor_array import TensorArray
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.dtypes import bool_, int32
from twinflow._src.core.shapes import TensorShape, static_size
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.graph.default_graph import executing_eagerly
from twinflow._src.variables.scopes import variable_scope

# Cells: objects with ``output_size``, ``state_size`` and ``zero_state`` that are called with an input
# and a state, and return an output and the next state.


def check_cell(name: str, cell: Any) -> None:
    """Raises TypeError if a value does not have the methods of a cell."""
    has_start = hasattr(cell, "zero_state") or hasattr(cell, "get_initial_state")
    conditions = [
        (hasattr(cell, "output_size"), "'output_size' property is missing"),
        (hasattr(cell, "state_size"), "'state_size' property is missing"),
        (has_start, "either 'zero_state' or 'get_initial_state' method is required"),
        (callable(cell), "is not callable"),
    ]
    errors = [message for is_met, message in conditions if not is_met]
    if errors:
        raise TypeError(f"The argument {name!r} ({cell}) is not an RNNCell: {', '.join(errors)}.")


def _initial_state(cell: Any, state: Any, batch: Any, dtype: Any) -> Any:
    """Returns the initial state that the caller passed, or that of the cell."""
    if state is not None:
        return nest.map_structure(convert_to_tensor, state)
    if not dtype:
        raise ValueError("If no initial_state is provided, argument `dtype` must be specified")
    if not hasattr(cell, "get_initial_state"):
        return cell.zero_state(batch, dtype)
    values = {"inputs": None, "batch_size": batch, "dtype": dtype}
    parameters = inspect.signature(cell.get_initial_state).parameters  # Keras 3 has the size alone
    return cell.get_initial_state(**{name: x for name, x in values.items() if name in parameters})


def _check_depth(x: Any) -> None:
    if x.shape.rank is not None and x.shape.rank < 2:
        raise ValueError(
            f"Input tensor should have rank >= 2. Received input={x} of rank {x.shape.rank}"
        )
    for size in x.shape.as_list()[2:] if x.shape.rank is not None else ():
        if size is None:
            raise ValueError(
                "Input size (depth of inputs) must be accessible via shape inference, but saw "
                f"value None for input={x}."
            )


def _turn(x: Any) -> Any:
    """Transposes the first two dimensions, batch and time."""
    if x.shape.rank is None:
        order = API["concat"]([[1, 0], API["range"](2, API["rank"](x))], 0)
    else:
        order = [1, 0, *range(2, x.shape.rank)]
    return API["transpose"](x, order)


def _lengths(sequence_length: Any) -> Any:
    if sequence_length is None:
        return None
    lengths = API["cast"](convert_to_tensor(sequence_length), int32)
    if lengths.shape.rank not in (None, 1):
        raise ValueError(
            "Argument sequence_length must be a vector of length batch_size. Received "
            f"sequence_length={sequence_length} of shape: {lengths.shape}"
        )
    return API["identity"](lengths, name="sequence_length")


def _size(x: Any, axis: int) -> Any:
    """Returns a dimension, as a number where it is known."""
    size = static_size(x.shape, axis) if x.shape.rank is not None else None
    return API["shape"](x)[axis] if size is None else size


def _copy(done: Any, old: Any, new: Any) -> Any:
    """Returns the rows of ``old`` where ``done``, else those of ``new``."""
    if isinstance(new, TensorArray) or new.shape.rank == 0:
        return new
    rank = new.shape.rank
    mask = done if rank is None else API["reshape"](done, [-1, *[1] * (rank - 1)])
    if rank is None:
        ones = API["ones"]([API["rank"](new) - 1], int32)
        mask = API["reshape"](done, API["concat"]([[-1], ones], 0))
    result = API["where"](mask, old, new)
    result.set_shape(new.shape)
    return result


def _step(
    cell: Callable[..., Any], time: Any, lengths: Any, least: Any, x: Any, state: Any
) -> tuple[Any, Any]:
    """Runs a cell; rows past their lengths have outputs of zeros and keep their states."""
    # ``least`` is the smallest length: from there on rows are selected.
    output, after = cell(x, state)
    nest.assert_same_structure(state, after)
    if lengths is None:
        return output, after
    zeros = nest.map_structure(API["zeros_like"], output)
    done = API["greater_equal"](time, lengths)

    def select() -> Any:
        return nest.map_structure(
            lambda old, new: _copy(done, old, new), (zeros, state), (output, after)
        )

    if executing_eagerly():
        return (output, after) if bool(time < least) else select()
    return cond(API["less"](time, least), lambda: (output, after), select)


def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: Any = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Runs a cell over the time steps of its inputs, in a loop.

    Args:
        cell: A cell: an object with ``output_size``, ``state_size`` and ``zero_state`` that is called
            with an input and a state, and returns an output and the next state.
        inputs: A tensor of shape [batch_size, max_time, ...], or a structure of such tensors.
        sequence_length: The number of time steps of each example; after them outputs are zero and
            states stay.
        initial_state: The first state; that of ``cell.zero_state`` if None.
        dtype: The dtype of the first state, where there is no ``initial_state``.
        parallel_iterations: Accepted and without effect.
        swap_memory: Accepted and without effect.
        time_major: If True, the first two dimensions of inputs and outputs are swapped.
        scope: A variable scope or its name; "rnn" if None.

    Returns:
        The outputs of all steps, and the last state.

    Raises:
        TypeError: ``cell`` is not a cell.
        ValueError: A shape is invalid, or there is neither an initial state nor a dtype.
    """
    check_cell("cell", cell)
    with variable_scope(scope or "rnn"):
        flat = [convert_to_tensor(x) for x in nest.flatten(inputs)]
        for x in flat:
            if x.shape.rank is not None and x.shape.rank < 2:
                _check_depth(x)
        flat = flat if time_major else [_turn(x) for x in flat]
        lengths, batch = _lengths(sequence_length), _size(flat[0], 1)
        state = _initial_state(cell, initial_state, batch, dtype)
        for x in flat:
            _check_depth(x)
        outputs, last = _loop(cell, inputs, flat, lengths, state, dtype)
        outputs = outputs if time_major else nest.map_structure(_turn, outputs)
        return outputs, last


def _loop(cell: Any, inputs: Any, flat: list[Any], lengths: Any, state: Any, dtype: Any) -> Any:
    """Runs a cell over time-major inputs; returns the stacked outputs and the last state."""
    steps, batch = _size(flat[0], 0), _size(flat[0], 1)
    sizes = nest.flatten(cell.output_size)
    least = None if lengths is None else API["reduce_min"](lengths)
    batch_shape = TensorShape([batch if isinstance(batch, int) else None])
    shapes = [batch_shape.concatenate(TensorShape(_dims(size))) for size in sizes]
    arrays = [
        TensorArray(dtype or nest.flatten(state)[0].dtype, size=steps, element_shape=shape)
        for shape in shapes
    ]

    def body(time: Any, arrays: Any, state: Any) -> Any:
        rows = [API["gather"](x, time) for x in flat]
        for row, x in zip(rows, flat, strict=True):
            row.set_shape(x.shape[1:])
        x = nest.pack_sequence_as(inputs, rows)
        output, after = _step(cell, time, lengths, least, x, state)
        parts = nest.flatten(output)
        written = [array.write(time, part) for array, part in zip(arrays, parts, strict=True)]
        return time + 1, written, after

    _, arrays, state = API["while_loop"](
        lambda time, *_: time < steps, body, (convert_to_tensor(0), arrays, state)
    )
    stacked = []
    for array, shape in zip(arrays, shapes, strict=True):
        whole = array.stack()
        whole.set_shape(TensorShape([static_size(flat[0].shape, 0)]).concatenate(shape))
        stacked.append(whole)
    return nest.pack_sequence_as(cell.output_size, stacked), state


def _dims(size: Any) -> list[Any]:
    return TensorShape(size).as_list() if isinstance(size, (TensorShape, list, tuple)) else [size]


@documented_like(dynamic_rnn)
def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: Any = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Runs two cells over the time steps of their inputs, one forward and one backward.

    Args:
        cell_fw: The forward cell; see ``dynamic_rnn``.
        cell_bw: The backward cell.
        sequence_length: The number of time steps of each example.
        initial_state_fw: The first state of the forward cell.
        initial_state_bw: The first state of the backward cell.
        dtype: The dtype of the first states, where they are None.
        scope: A variable scope or its name; "bidirectional_rnn" if None.

    Returns:
        A pair of the outputs of both cells, and a pair of their last states.

    Raises:
        TypeError: A value is not a cell.
        ValueError: A shape is invalid.
    """
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    time, batch = (0, 1) if time_major else (1, 0)

    def reverse(x: Any) -> Any:
        if sequence_length is None:
            return API["reverse"](x, axis=[time])
        return API["reverse_sequence"](x, sequence_length, seq_axis=time, batch_axis=batch)

    options = (parallel_iterations, swap_memory, time_major)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            output_fw, state_fw = dynamic_rnn(
                cell_fw, inputs, sequence_length, initial_state_fw, dtype, *options, scope=forward
            )
        with variable_scope("bw") as backward:
            turned = nest.map_structure(lambda x: reverse(convert_to_tensor(x)), inputs)
            output, state_bw = dynamic_rnn(
                cell_bw, turned, sequence_length, initial_state_bw, dtype, *options, scope=backward
            )
    return (output_fw, nest.map_structure(reverse, output)), (state_fw, state_bw)


@documented_like(dynamic_rnn)
def raw_rnn(
    cell: Any,
    loop_fn: Callable[..., Any],
    parallel_iterations: Any = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Runs a cell in a loop that a function controls.

    Args:
        cell: A cell; see ``dynamic_rnn``.
        loop_fn: A function of the time, the output and the state of the cell (both None at first)
            and a state of its own, which returns whether each example is finished, the next input,
            the next state, what to emit, and the next state of its loop_state. At first what it emits is
            None or the structure of emissions without the batch dimension.

    Returns:
        A ``TensorArray`` of what was emitted at each step (or a structure of them), the last state,
        and the last state of ``loop_fn``.

    Raises:
        TypeError: ``cell`` is not a cell, or ``loop_fn`` is not callable.
    """
    check_cell("cell", cell)
    if not callable(loop_fn):
        raise TypeError(f"Argument `loop_fn` must be a callable. Received: {loop_fn}.")
    with variable_scope(scope or "rnn"):
        time = convert_to_tensor(0)
        finished, x, state, emitted, loop_state = loop_fn(time, None, None, None)
        first = nest.flatten(x)[0]
        batch = _size(convert_to_tensor(first), 0)
        has_loop_state = loop_state is not None
        loop_state = loop_state if has_loop_state else convert_to_tensor(0)
        if emitted is None:
            shapes, dtypes, outline = _of_output(cell, nest.flatten(state)[0].dtype)
        else:
            leaves = [convert_to_tensor(e) for e in nest.flatten(emitted)]
            shapes, dtypes = [e.shape for e in leaves], [e.dtype for e in leaves]
            outline = emitted
        batch_shape = TensorShape([batch if isinstance(batch, int) else None])
        zeros = [
            API["zeros"](API["concat"]([[batch], s.as_list()], 0), d)
            for s, d in zip(shapes, dtypes, strict=True)
        ]
        arrays = [
            TensorArray(d, size=0, dynamic_size=True, element_shape=batch_shape.concatenate(s))
            for s, d in zip(shapes, dtypes, strict=True)
        ]

        def body(time: Any, finished: Any, x: Any, arrays: Any, state: Any, loop_state: Any) -> Any:
            output, after = cell(x, state)
            nest.assert_same_structure(state, after)
            done, x, after, emitted, next_loop_state = loop_fn(
                time + 1, output, after, loop_state if has_loop_state else None
            )
            nest.assert_same_structure(state, after)
            parts = nest.flatten(emitted)
            kept = [_copy(finished, old, new) for old, new in zip(zeros, parts, strict=True)]
            after = nest.map_structure(lambda old, new: _copy(finished, old, new), state, after)
            written = [array.write(time, part) for array, part in zip(arrays, kept, strict=True)]
            done = API["logical_or"](finished, done)
            return (
                time + 1,
                done,
                x,
                written,
                after,
                next_loop_state if has_loop_state else loop_state,
            )

        finished = convert_to_tensor(finished, dtype=bool_)
        x, state = (nest.map_structure(convert_to_tensor, value) for value in (x, state))
        _, _, _, arrays, state, loop_state = API["while_loop"](
            lambda time, finished, *_: API["logical_not"](API["reduce_all"](finished)),
            body,
            (time, finished, x, arrays, state, loop_state),
        )
        return nest.pack_sequence_as(outline, arrays), state, loop_state if has_loop_state else None


def _of_output(cell: Any, dtype: Any) -> tuple[list[Any], list[Any], Any]:
    """Returns the shapes, dtypes and structure of the outputs of a cell."""
    sizes = nest.flatten(cell.output_size)
    return [TensorShape(_dims(n)) for n in sizes], [dtype] * len(sizes), cell.output_size


@documented_like(dynamic_rnn)
def static_rnn(
    cell: Any,
    inputs: Sequence[Any],
    initial_state: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Runs a cell over a list of inputs, one operation after the other.

    Args:
        cell: A cell; see ``dynamic_rnn``.
        inputs: A list of the inputs of each time step: tensors of shape [batch_size, ...], or
            structures of them.

    Returns:
        A list of the outputs, and the last state.

    Raises:
        TypeError: ``cell`` is not a cell, or ``inputs`` is not a list.
        ValueError: ``inputs`` is empty, or there is neither an initial state nor a dtype.
    """
    check_cell("cell", cell)
    if not isinstance(inputs, (list, tuple)) or is_ragged(inputs):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")
    steps, outputs = [nest.map_structure(convert_to_tensor, x) for x in inputs], []
    with variable_scope(scope or "rnn") as within:
        batch = _size(nest.flatten(steps[0])[0], 0)
        state = _initial_state(cell, initial_state, batch, dtype)
        lengths = _lengths(sequence_length)
        least = None if lengths is None else API["reduce_min"](lengths)
        for time, x in enumerate(steps):
            if time:
                within.reuse_variables()
            now = convert_to_tensor(time)
            output, state = _step(cell, now, lengths, least, x, state)
            outputs.append(output)
    return outputs, state


@documented_like(static_rnn)
def static_state_saving_rnn(
    cell: Any,
    inputs: Sequence[Any],
    state_saver: Any,
    state_name: Any,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Runs a cell over a list of inputs, from a state that is stored and to it.

    Args:
        inputs: A list of the inputs of each time step.
        state_saver: An object with the methods ``state(name)`` and ``save_state(name, value)``.
        state_name: The name of the state, or a structure of names like that of ``cell.state_size``.
        sequence_length: The number of time steps of each example.

    Raises:
        TypeError: ``cell`` is not a cell.
        ValueError: The names do not match the states.
    """
    is_nested = nest.is_nested(cell.state_size)
    if is_nested != nest.is_nested(state_name):
        raise ValueError(
            "Argument `state_name` should be the same type as `cell.state_size`. Received: "
            f"state_name={state_name!s}, cell.state_size={cell.state_size!s}."
        )
    names = nest.flatten(state_name)
    if len(names) != len(nest.flatten(cell.state_size)):
        raise ValueError(
            "Number of elements in argument `state_name` and `cell.state_size` are mismatched. "
            f"Received state_name={state_name} with {len(names)} elements and cell.state_size="
            f"{cell.state_size} with {len(nest.flatten(cell.state_size))} elements."
        )
    first = nest.pack_sequence_as(cell.state_size, [state_saver.state(name) for name in names])
    outputs, state = static_rnn(cell, inputs, first, None, sequence_length, scope)
    saved = [
        state_saver.save_state(name, value)
        for name, value in zip(names, nest.flatten(state), strict=True)
    ]
    if not executing_eagerly():
        with API["control_dependencies"]([op for op in saved if op is not None]):
            outputs[-1] = nest.map_structure(API["identity"], outputs[-1])
    return outputs, state


@documented_like(bidirectional_dynamic_rnn)
def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Sequence[Any],
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any, Any]:
    """Runs two cells over a list of inputs, one forward and one backward.

    Args:
        inputs: A list of the inputs of each time step.

    Returns:
        A list of the outputs of both cells, concatenated; the last state of the forward cell, and
        that of the backward cell.

    Raises:
        TypeError: A value is not a cell, or ``inputs`` is not a list.
        ValueError: ``inputs`` is empty.
    """
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            outputs, state_fw = static_rnn(
                cell_fw, inputs, initial_state_fw, dtype, sequence_length, forward
            )
        with variable_scope("bw") as backward:
            turned = _reverse_list(inputs, sequence_length)
            others, state_bw = static_rnn(
                cell_bw, turned, initial_state_bw, dtype, sequence_length, backward
            )
    pairs = zip(outputs, _reverse_list(others, sequence_length), strict=True)
    join = lambda a, b: API["concat"]([a, b], 1)
    return [nest.map_structure(join, a, b) for a, b in pairs], state_fw, state_bw


def _reverse_list(steps: Sequence[Any], lengths: Any) -> list[Any]:
    """Returns time steps in reverse order, example by example where there are lengths."""
    if lengths is None:
        return list(reversed(steps))
    leaves = [nest.flatten(step) for step in steps]
    turned = [
        API["unstack"](
            API["reverse_sequence"](API["stack"](list(part)), lengths, seq_axis=0, batch_axis=1)
        )
        for part in zip(*leaves, strict=True)
    ]
    return [nest.pack_sequence_as(steps[0], list(row)) for row in zip(*turned, strict=True)]
