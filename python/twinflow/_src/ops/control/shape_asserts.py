"""Assertions on ranks, dtypes and shapes (``tf.debugging``)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API, documented_like, export
from twinflow._src.graph.static_values import array_of
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.ops.control.asserts import _add_assert, _prefix, describe
from twinflow._src.variables.variable import BaseResourceVariable


def _checked_rank(rank: Any) -> int:
    tensor = convert_to_tensor(rank)
    assert_type(tensor, dtypes.int32)
    if tensor.shape.rank:
        raise ValueError("Rank must be a scalar.")
    static = array_of(tensor)
    if static is None:
        raise ValueError(
            "The rank that an assertion asks for must be known while a function is traced."
        )
    return int(static)


def _graph_name(x: Any) -> str:
    return x.name if isinstance(x, SymbolicTensor) else ""


def _value(x: Any) -> Any:
    """Returns a tensor or composite tensor; variables are read, so that tapes record the read."""
    if isinstance(x, BaseResourceVariable):
        return convert_to_tensor(x)
    return x if is_tensor(x) or hasattr(x, "dense_shape") else convert_to_tensor(x)


# Name of an assertion on a rank: the words of its message, and its test of a static and of a dynamic rank.
_RANK_TESTS: dict[str, tuple[str, Callable[..., bool], Callable[..., Any]]] = {
    "assert_rank": ("", operator.eq, lambda rank, n: API["equal"](rank, n)),
    "assert_rank_at_least": (
        " at least",
        operator.ge,
        lambda rank, n: API["greater_equal"](rank, n),
    ),
    "assert_rank_in": (
        " in",
        lambda rank, ranks: rank in ranks,
        lambda rank, ranks: API["reduce_any"](API["equal"](rank, list(ranks))),
    ),
}


def _assert_rank(assertion: str, x: Any, expected: Any, message: Any, name: str | None) -> None:
    """Raises ValueError for a static rank; adds an assertion on a dynamic rank to the graph."""
    words, is_static_match, is_match = _RANK_TESTS[assertion]
    if x.shape.rank is None:
        with thread.scope.graph.name_scope(name or assertion):
            x = convert_to_tensor(x, name="x")
            ranks = expected if isinstance(expected, tuple) else (expected,)
            text = _prefix(message), f"Tensor {_graph_name(x)} must have rank{words}"
            data = [*text, *ranks, "Received shape: "]
            _add_assert(is_match(API["rank"](x), expected), [*data, API["shape"](x)], None)
    elif not is_static_match(x.shape.rank, expected):
        raise ValueError(
            f"{_prefix(message)}Tensor {_graph_name(x)} must have rank{words} {expected}.  "
            f"Received rank {x.shape.rank}, shape {x.shape}"
        )


@export("debugging.assert_rank", "assert_rank")
def assert_rank(x: Any, rank: Any, message: Any = None, name: str | None = None) -> None:
    """Raises ValueError unless a tensor has the given rank.

    Args:
        x: A tensor.
        rank: The rank.
        message: A prefix for the error message.

    Returns:
        None.

    Raises:
        ValueError: The tensor has another rank.
    """
    _assert_rank("assert_rank", _value(x), _checked_rank(rank), message, name)


@export("debugging.assert_rank_at_least")
@documented_like(assert_rank)
def assert_rank_at_least(x: Any, rank: Any, message: Any = None, name: str | None = None) -> None:
    """Raises ValueError unless a tensor has at least the given rank.

    Args:
        rank: The minimum rank.

    Raises:
        ValueError: The tensor has a lower rank.
    """
    _assert_rank("assert_rank_at_least", _value(x), _checked_rank(rank), message, name)


@export("debugging.assert_rank_in")
@documented_like(assert_rank)
def assert_rank_in(x: Any, ranks: Any, message: Any = None, name: str | None = None) -> None:
    """Raises ValueError unless the rank of a tensor is one of the given ranks.

    Args:
        ranks: The ranks.
    """
    _assert_rank("assert_rank_in", _value(x), tuple(map(_checked_rank, ranks)), message, name)


@export("debugging.assert_scalar")
@documented_like(assert_rank)
def assert_scalar(tensor: Any, message: Any = None, name: str | None = None) -> None:
    """Raises ValueError unless a tensor is a scalar.

    Args:
        tensor: A tensor.

    Raises:
        ValueError: The rank is not 0.
    """
    tensor = convert_to_tensor(tensor)
    if tensor.shape.rank != 0:
        named = f" for {_graph_name(tensor)}" if _graph_name(tensor) else ""
        raise ValueError(
            f"{_prefix(message)}Expected scalar shape{named}, saw shape: {tensor.shape}."
        )


@export("debugging.assert_type")
@documented_like(assert_rank)
def assert_type(tensor: Any, tf_type: Any, message: Any = None, name: str | None = None) -> None:
    """Raises TypeError unless a tensor has the given dtype.

    Args:
        tensor: A tensor.
        tf_type: The dtype.

    Raises:
        TypeError: The tensor has another dtype.
    """
    dtype, tensor = as_dtype(tf_type), _value(tensor)
    if tensor.dtype != dtype:
        raise TypeError(
            f"{_prefix(message)}{tensor.name if hasattr(tensor, 'op') else 'tensor'} must be of type {dtype!r}; got {tensor.dtype!r}"
        )


@export("debugging.assert_integer")
@documented_like(assert_rank)
def assert_integer(x: Any, message: Any = None, name: str | None = None) -> None:
    """Raises TypeError unless a tensor has an integer dtype.

    Raises:
        TypeError: The tensor has another dtype.
    """
    x = convert_to_tensor(x)
    if not x.dtype.is_integer:
        raise TypeError(
            f'{_prefix(message)}Expected "x" to be integer type.  Found: tensor of dtype {x.dtype}'
        )


@export("debugging.assert_proper_iterable")
def assert_proper_iterable(values: Any) -> None:
    """Raises TypeError unless a value is an iterable and not a tensor, array or string.

    Args:
        values: Any value.

    Raises:
        TypeError: The value is not such an iterable.
    """
    if isinstance(values, (Tensor, np.ndarray, bytes, str)) or hasattr(values, "dense_shape"):
        raise TypeError(
            f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}'
        )
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


@export("debugging.assert_same_float_dtype")
def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> Any:
    """Returns the common floating-point dtype of tensors.

    Args:
        tensors: A list of tensors, which may contain None.
        dtype: The required dtype, or None.

    Returns:
        The dtype; float32 if there are no tensors and ``dtype`` is None.

    Raises:
        ValueError: The dtypes differ or are not floating-point.
    """
    first = None
    for tensor in tensors or ():
        if tensor is None:
            continue
        if not dtype:
            dtype, first = tensor.dtype.base_dtype, tensor
        elif tensor.dtype.base_dtype != dtype:
            as_first = f" as {first!s}" if first is not None else ""
            raise ValueError(
                f"{tensor!s}, type={tensor.dtype}, must be of the same type ({dtype}){as_first}."
            )
    if not dtype:
        return dtypes.float32
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype


# ------------------------------------------------------------------ shapes with symbolic sizes


_REST = (Ellipsis, "*")


@export("debugging.assert_shapes")
@documented_like(assert_rank)
def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: str | None = None,
) -> None:
    """Raises ValueError unless tensors match shapes with symbolic sizes.

    Args:
        shapes: A dictionary or list of pairs of a tensor and its shape: a sequence of sizes, names
            (equal names mean equal sizes), ``None`` or ``"."`` (any size), and, in front, ``"*"``
            or ``...`` (any further dimensions).
        data: Ignored.
        summarize: Ignored.

    Raises:
        ValueError: A tensor has another shape.
    """
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    checked = []
    for x, symbols in pairs:
        if symbols is not None:
            x = _value(x)
            open_ended, symbols = _parse_symbols(x, symbols, message)
            checked.append((x, open_ended, symbols))
    for x, open_ended, symbols in checked:
        _check_rank(x, open_ended, len(symbols), message)
    sizes: dict[Any, tuple[int, Any, int]] = {}
    for x, open_ended, symbols in checked:
        _check_sizes(x, open_ended, symbols, sizes, message)


def _parse_symbols(x: Any, symbols: Any, message: Any) -> tuple[bool, tuple[Any, ...]]:
    """Returns whether leading dimensions are arbitrary, and the symbols of the other dimensions."""
    if not (hasattr(symbols, "__iter__") or hasattr(symbols, "__getitem__")):
        raise ValueError(
            f"{_prefix(message)}Tensor {describe(x)}.  Specified shape must be an iterable.  An "
            "iterable has the attribute `__iter__` or `__getitem__`.  Received specified shape: "
            f"{symbols}"
        )
    symbols = tuple(symbols)
    for i, symbol in enumerate(symbols):
        if symbol in _REST and i:
            raise ValueError(
                f"{_prefix(message)}Tensor {describe(x)} specified shape index {i}.  Symbol `...` or "
                "`*` for a variable number of unspecified dimensions is only allowed as the first entry"
            )
    open_ended = bool(symbols) and symbols[0] in _REST
    return open_ended, symbols[1:] if open_ended else symbols


def _check_rank(x: Any, open_ended: bool, rank: int, message: Any) -> None:
    if open_ended:
        if rank > 1:
            assert_rank_at_least(x, rank, message=message)
    elif rank < 2:
        assert_rank_in(x, [0, 1], message=message)
    else:
        assert_rank(x, rank, message=message)


def _check_sizes(
    x: Any, open_ended: bool, symbols: tuple[Any, ...], by_symbol: dict[Any, Any], message: Any
) -> None:
    sizes = x.shape.as_list() or [1]  # a scalar is treated as shape [1]
    for i, symbol in enumerate(symbols):
        if symbol is None or symbol == ".":
            continue
        axis = i - len(symbols) if open_ended else i
        try:
            expected, why = int(symbol), "Specified explicitly"
        except (TypeError, ValueError):
            if symbol not in by_symbol:
                by_symbol[symbol] = sizes[axis], x, axis
                continue
            expected, other, at = by_symbol[symbol]
            why = f"Specified by tensor {describe(other)} dimension {at}"
        if sizes[axis] != expected:
            raise ValueError(
                f"{_prefix(message)}{why}.  Tensor {describe(x)} dimension {axis} must have size "
                f"{expected}.  Received size {sizes[axis]}, shape {x.shape}"
            )
