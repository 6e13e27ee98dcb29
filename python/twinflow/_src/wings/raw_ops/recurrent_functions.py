"""``tf.raw_ops`` functions of whole recurrent layers: BlockLSTM, BlockLSTMV2 and CudnnRNN with its later versions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int8, int32, int64
from twinflow._src.core.errors import UnimplementedError, invalid
from twinflow._src.dispatch.op import API
from twinflow._src.graph.symbolic import SymbolicTensor

# ------------------------------------------------------------------ blocks of LSTM steps

_STATES = ("i", "cs", "f", "o", "ci", "co", "h")
_PEEPHOLES = ("wci", "wcf", "wco")


def _block_lstm(order: str, values: dict[str, Any], name: str | None) -> tuple[Any, ...]:
    """Implements BlockLSTM and BlockLSTMV2; ``order`` is that of the gates in the weights."""
    with API["name_scope"](name or "BlockLSTM"):
        tensors = {k: convert_to_tensor(values[k]) for k in ("x", "cs_prev", "h_prev", "w", "b")}
        tensors |= {k: convert_to_tensor(values[k]) for k in _PEEPHOLES}
        _check_block(tensors)
        x, w = tensors["x"], tensors["w"]
        sizes = API["shape"](x)
        count = API["minimum"](
            API["cast"](convert_to_tensor(values["seq_len_max"], int64), int32), sizes[0]
        )
        outer = API["shape"](w)[0] - API["shape"](tensors["h_prev"])[1]
        inner = w[outer:]
        fed = API["tensordot"](x[:count], w[:outer], 1) + tensors["b"]
        if isinstance(fed, SymbolicTensor) and fed.shape.rank is None:
            fed.set_shape([None, None, None])
        step = functools.partial(_lstm_step, order, values, tensors, inner)
        zeros = API["zeros_like"](tensors["cs_prev"])
        initial = [zeros] * len(_STATES)
        initial[_STATES.index("cs")] = tensors["cs_prev"]
        initial[_STATES.index("h")] = tensors["h_prev"]
        states = API["scan"](step, fed, tuple(initial))
        return tuple(_padded(state, sizes[0] - count, x, tensors) for state in states)


def _lstm_step(
    order: str,
    values: dict[str, Any],
    tensors: dict[str, Any],
    w: Any,
    state: tuple[Any, ...],
    fed: Any,
) -> tuple[Any, ...]:
    """Returns the gates, cells and outputs after a step."""
    before = dict(zip(_STATES, state, strict=True))
    parts = API["split"](fed + API["matmul"](before["h"], w), 4, axis=-1)
    gates = dict(zip(order, parts, strict=True))
    to_i, to_f, to_o = ((tensors[name] if values["use_peephole"] else None) for name in _PEEPHOLES)
    peep = lambda gate, weights, cell: gate if weights is None else gate + weights * cell
    i = API["sigmoid"](peep(gates["i"], to_i, before["cs"]))
    f = API["sigmoid"](peep(gates["f"] + values.get("forget_bias", 0.0), to_f, before["cs"]))
    ci = API["tanh"](gates["c"])
    cs = ci * i + before["cs"] * f
    if values["cell_clip"] > 0:
        cs = _clipped(cs, values["cell_clip"])
    o = API["sigmoid"](peep(gates["o"], to_o, cs))
    co = API["tanh"](cs)
    return i, cs, f, o, ci, co, co * o


def _clipped(cells: Any, bound: float) -> Any:
    """Returns clipped cells; gradients pass, as in TensorFlow."""
    clip = lambda x: (API["clip_by_value"](x, -bound, bound), lambda dy: dy)
    return API["custom_gradient"](clip)(cells)


def _padded(state: Any, more: Any, x: Any, tensors: dict[str, Any]) -> Any:
    """Returns the states of all steps, zeros after the last that is computed."""
    result = API["pad"](state, [[0, more], [0, 0], [0, 0]])
    if isinstance(result, SymbolicTensor):
        result.set_shape([*x.shape.with_rank(3)[:2], tensors["cs_prev"].shape.with_rank(2)[1]])
    return result


def _check_block(tensors: dict[str, Any]) -> None:
    """Raises InvalidArgumentError for sizes that are known and do not fit."""
    if tensors["x"].shape.rank not in (None, 3):
        raise invalid("x must be 3D")
    shapes = {k: t.shape.as_list() if t.shape.rank else None for k, t in tensors.items()}
    _, batch, size = shapes["x"] or (None, None, None)
    cells = (shapes["cs_prev"] or [None, None])[1]
    checks = [
        ("cs_prev.dims(0)", "batch_size", (shapes["cs_prev"] or [None])[0], batch),
        ("h_prev.dims(0)", "batch_size", (shapes["h_prev"] or [None])[0], batch),
        ("h_prev.dims(1)", "cell_size", (shapes["h_prev"] or [None, None])[1], cells),
    ]
    if cells is not None:
        if size is not None:
            wide = (shapes["w"] or [None])[0]
            checks.append(("w.dim_size(0)", "input_size + cell_size", wide, size + cells))
        wide = (shapes["w"] or [None, None])[1]
        checks.append(("w.dim_size(1)", "cell_size * 4", wide, 4 * cells))
        checks.append(("b.dim_size(0)", "cell_size * 4", (shapes["b"] or [None])[0], 4 * cells))
        for name in _PEEPHOLES:
            sizes = (shapes[name] or [None])[0]
            checks.append((f"{name}.dim_size(0)", "cell_size", sizes, cells))
    for what, limit, actual, expected in checks:
        if None not in (actual, expected) and actual != expected:
            raise invalid(f"{what} != {limit}: {actual} vs. {expected}")


# ------------------------------------------------------------------ stacked recurrent layers

_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


def _stacked_rnn(values: dict[str, Any], name: str | None, lengths: Any = None) -> tuple[Any, ...]:
    """Implements CudnnRNN: stacked layers, one after the other, of weights in one vector."""
    with API["name_scope"](name or "CudnnRNN"):
        x, h, c, params = (
            convert_to_tensor(values[key]) for key in ("input", "input_h", "input_c", "params")
        )
        ways = 2 if values["direction"] == "bidirectional" else 1
        layers, units, size = _sizes(x, h, ways)
        _check_stacked(values, layers, units, size)
        cell = functools.partial(_CELLS[values["rnn_mode"]], values["rnn_mode"])
        weights = _weights(params, _GATES[values["rnn_mode"]], layers, ways, units, size)
        last: list[tuple[Any, Any]] = []
        for layer in range(layers):
            both = []
            for way in range(ways):
                at = layer * ways + way
                turned = _reverse(x, lengths) if way else x
                state = (h[at], c[at] if values["rnn_mode"] == "lstm" else h[at])
                outputs, state = _layer(cell, turned, lengths, state, *next(weights))
                last.append(state)
                both.append(_reverse(outputs, lengths) if way else outputs)
            x = API["concat"](both, -1) if ways == 2 else both[0]
        output_h = API["stack"]([state[0] for state in last])
        output_c = API["stack"]([state[1] for state in last])
        nothing = API["zeros"]([0], x.dtype)
        return x, output_h, output_c if values["rnn_mode"] == "lstm" else nothing, nothing


def _reverse(x: Any, lengths: Any) -> Any:
    """Returns sequences backwards; each up to its length."""
    if lengths is None:
        return API["reverse"](x, [0])
    return API["reverse_sequence"](x, lengths, seq_axis=0, batch_axis=1)


def _stacked_rnn_v2(values: dict[str, Any], name: str | None) -> tuple[Any, ...]:
    """Implements CudnnRNNV2."""
    return (*_stacked_rnn(values, name), API["zeros"]([0], int8))


def _stacked_rnn_v3(values: dict[str, Any], name: str | None) -> tuple[Any, ...]:
    """Implements CudnnRNNV3: sequences of different lengths, and with batches first."""
    if values["num_proj"]:
        raise UnimplementedError(None, None, "CudnnRNNV3 is not there with a projection")
    states = ("input_h", "input_c") if values["rnn_mode"] == "lstm" else ("input_h",)
    turned = () if values["time_major"] else ("input", *states)
    swapped = {key: API["transpose"](values[key], [1, 0, 2]) for key in turned}
    lengths = convert_to_tensor(values["sequence_lengths"], int32)
    results = list(_stacked_rnn(values | swapped, name, lengths))
    for i in range(len(turned)):
        results[i] = API["transpose"](results[i], [1, 0, 2])
    return (*results, API["zeros"]([0], int8))


def _sizes(x: Any, h: Any, ways: int) -> tuple[int, int, Any]:
    """Returns the numbers of layers, units and inputs; a tensor of the last where it is unknown."""
    if x.shape.rank not in (None, 3):
        raise invalid(f"RNN input must be a 3-D vector.Got shape: {x.shape}")
    if h.shape.rank not in (None, 3):
        raise invalid(f"RNN input_h must be a 3-D vector.Got shape: {h.shape}")
    states, _, units = h.shape.with_rank(3)
    size = x.shape.with_rank(3)[2]
    if None in (states, units):
        raise ValueError("CudnnRNN requires a known number of layers and units")
    return states // ways, units, API["shape"](x)[2] if size is None else size


def _check_stacked(values: dict[str, Any], layers: int, units: int, size: Any) -> None:
    if values["input_mode"] == "skip_input" or (
        values["input_mode"] == "auto_select" and (not isinstance(size, int) or size == units)
    ):
        raise UnimplementedError(None, None, "CudnnRNN is not there with skipped input weights")
    if values["dropout"] and values["is_training"] and layers > 1:
        raise UnimplementedError(None, None, "CudnnRNN is not there with dropout between layers")


def _weights(
    params: Any, gates: int, layers: int, ways: int, units: int, size: Any
) -> Iterator[tuple[Any, ...]]:
    """Returns the weights of inputs and of states and their biases, layer by layer.

    cuDNN has all matrices first, for each layer and direction those of the inputs, then those of the
    states, gate by gate; then all biases in the same order.
    """
    wide = gates * units
    inputs = [size if layer == 0 else units * ways for layer in range(layers) for _ in range(ways)]
    sizes = [count * wide for rows in inputs for count in (rows, units)]
    sizes += [wide] * (2 * len(inputs))
    is_known = isinstance(size, int) and params.shape.rank == 1
    if is_known and params.shape[0] not in (None, sum(sizes)):
        raise invalid(f"CudnnRNN requires {sum(sizes)} parameters, got {params.shape[0]}")
    parts = API["split"](params, sizes)
    matrices, biases = parts[: 2 * len(inputs)], parts[2 * len(inputs) :]
    for at, rows in enumerate(inputs):
        outer, inner = (
            API["transpose"](API["reshape"](part, [wide, count]))
            for part, count in zip(matrices[2 * at : 2 * at + 2], (rows, units), strict=True)
        )
        yield outer, inner, biases[2 * at], biases[2 * at + 1]


def _layer(
    cell: Callable[..., Any],
    x: Any,
    lengths: Any,
    state: tuple[Any, Any],
    outer: Any,
    inner: Any,
    bx: Any,
    bh: Any,
) -> tuple[Any, tuple[Any, Any]]:
    """Returns the outputs of all steps, zero after the end of a sequence, and the last states."""
    fed = API["tensordot"](x, outer, 1) + bx
    if lengths is None:
        step = lambda state, fed: cell(fed, API["matmul"](state[0], inner) + bh, *state)
        outputs, cells = API["scan"](step, fed, state)
        return outputs, (outputs[-1], cells[-1])
    goes_on = API["transpose"](API["sequence_mask"](lengths, API["shape"](x)[0]))[..., None]

    def masked(state: tuple[Any, Any], item: tuple[Any, Any]) -> tuple[Any, Any]:
        fed, here = item
        new = cell(fed, API["matmul"](state[0], inner) + bh, *state)
        h, c = (API["where"](here, *pair) for pair in zip(new, state, strict=True))
        return h, c

    outputs, cells = API["scan"](masked, (fed, goes_on), state)
    return API["where"](goes_on, outputs, 0), (outputs[-1], cells[-1])


def _lstm_cell(mode: str, fed: Any, back: Any, h: Any, c: Any) -> tuple[Any, Any]:
    i, f, g, o = API["split"](fed + back, 4, axis=-1)
    cells = API["sigmoid"](f) * c + API["sigmoid"](i) * API["tanh"](g)
    return API["sigmoid"](o) * API["tanh"](cells), cells


def _gru_cell(mode: str, fed: Any, back: Any, h: Any, c: Any) -> tuple[Any, Any]:
    (r, z, n), (back_r, back_z, back_n) = (API["split"](x, 3, axis=-1) for x in (fed, back))
    update = API["sigmoid"](z + back_z)
    new = API["tanh"](n + API["sigmoid"](r + back_r) * back_n)
    state = (1.0 - update) * new + update * h
    return state, state


def _simple_cell(mode: str, fed: Any, back: Any, h: Any, c: Any) -> tuple[Any, Any]:
    state = API["nn.relu" if mode == "rnn_relu" else "tanh"](fed + back)
    return state, state


_CELLS = {"lstm": _lstm_cell, "gru": _gru_cell, "rnn_relu": _simple_cell, "rnn_tanh": _simple_cell}

RECURRENT: dict[str, Callable[[dict[str, Any], str | None], Any]] = {
    "BlockLSTM": functools.partial(_block_lstm, "icfo"),
    "BlockLSTMV2": functools.partial(_block_lstm, "ifco"),
    "CudnnRNN": _stacked_rnn,
    "CudnnRNNV2": _stacked_rnn_v2,
    "CudnnRNNV3": _stacked_rnn_v3,
}
