"""Slices of the batch dimensions of linear operators."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.tensor import Tensor


def slice_operator(operator: Any, slices: Any) -> Any:
    """Returns an operator of a slice of the batch.

    Args:
        operator: An operator.
        slices: The subscript, of batch dimensions only.
    """
    parts = slices if isinstance(slices, tuple) else (slices,)
    rank = operator.shape.rank
    if rank is None:
        raise ValueError("Cannot slice a linear operator of unknown rank.")
    return _sliced(operator, parts, operator.shape._dims[:-2])


def _sliced(operator: Any, parts: tuple[Any, ...], batch: tuple[Any, ...]) -> Any:
    """Slices the parameters of an operator that broadcasts to a batch shape."""
    arguments = dict(operator.parameters)
    for name, ndims in operator._experimental_parameter_ndims_to_matrix_ndims.items():
        value = getattr(operator, name, arguments.get(name))
        if value is not None:
            arguments[name] = _slice_parameter(value, ndims, parts, batch)
    for name in ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square"):
        if name in arguments:
            arguments[name] = getattr(operator, name)
    if "batch_shape" in arguments:
        arguments["batch_shape"] = _slice_shape(operator.batch_shape, parts)
    return type(operator)(**arguments)


def _slice_parameter(value: Any, ndims: Any, parts: tuple[Any, ...], batch: tuple[Any, ...]) -> Any:
    if isinstance(ndims, (list, tuple)):
        return [_slice_parameter(v, n, parts, batch) for v, n in zip(value, ndims)]
    if hasattr(value, "_is_linear_operator"):
        return _sliced(value, parts, batch)
    if isinstance(value, (list, tuple)):
        return [_slice_parameter(v, ndims, parts, batch) for v in value]
    return _slice_tensor(value, ndims, parts, batch)


def _slice_tensor(x: Any, ndims: int, parts: tuple[Any, ...], batch: tuple[Any, ...]) -> Any:
    """Slices the batch dimensions of a tensor as if it had been broadcast to the operator's batch."""
    dims = x.shape._dims
    inner = dims[: len(dims) - ndims]
    if not inner:  # one matrix for all
        _expand_ellipsis(parts, len(batch))
        return x
    first = len(batch) - len(inner)
    subscript: list[Any] = []
    axis = 0
    for part in _expand_ellipsis(parts, len(batch)):
        if axis >= first:
            is_broadcast = part is not None and inner[axis - first] == 1 and batch[axis] != 1
            subscript.append(_of_one(part) if is_broadcast else part)
        axis += part is not None
    return x[(*subscript, ...)] if subscript else x


def _of_one(part: Any) -> Any:
    """Returns the subscript of a dimension of size 1 that stands for any size."""
    return slice(None) if isinstance(part, slice) else 0


def _expand_ellipsis(parts: tuple[Any, ...], rank: int) -> tuple[Any, ...]:
    """Returns a subscript with a part for each batch dimension."""
    used = sum(part is not None and part is not Ellipsis for part in parts)
    if used > rank:
        raise ValueError(
            f"Too many indices: the batch of the operator has {rank} dimensions, but {used} were "
            "indexed."
        )
    rest = (slice(None),) * (rank - used)
    place = next((i for i, part in enumerate(parts) if part is Ellipsis), len(parts))
    return parts[:place] + rest + parts[place + 1 :]


def _slice_shape(shape: Any, parts: tuple[Any, ...]) -> list[int]:
    """Returns the batch shape of a slice."""
    result, axis = [], 0
    for part in _expand_ellipsis(parts, shape.rank):
        if part is None:
            result.append(1)
            continue
        if isinstance(part, slice):
            stops = [
                v if not isinstance(v, Tensor) else int(v)
                for v in (part.start, part.stop, part.step)
            ]
            result.append(len(range(*slice(*stops).indices(shape[axis]))))
        axis += 1
    return result
