"""Tensor contractions: Einstein summation (``tf.einsum``), ``tf.tensordot``, matrix-vector products.

An einsum is computed as pairwise matrix products, in the order of NumPy's greedy contraction path.
"""

from __future__ import annotations

import collections
import math
import re
from collections.abc import Sequence
from typing import Any

from twinflow._src.autodiff.reverse import conjugate, unbroadcast
from twinflow._src.backends.cpu.float16 import widened
from twinflow._src.backends.host_checks import is_host
from twinflow._src.conversion.constant import convert_to_tensor, dense
from twinflow._src.core import whole_numbers
from twinflow._src.core.dtypes import COMPLEXES, REALS, int32, int64
from twinflow._src.core.errors import InvalidArgumentError
from twinflow._src.core.shapes import Dims, broadcast, refused, text
from twinflow._src.dispatch.op import API, Call, Tensors, documented_like, export, op
from twinflow._src.dispatch.signature_errors import FAILURES, fall_back
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.fill import ones, range_
from twinflow._src.ops.array.gather import gather, where
from twinflow._src.ops.array.masks import eye
from twinflow._src.ops.array.shapes import (
    expand_dims,
    rank_of,
    reshape,
    shape,
    size_of,
    squeeze,
    transpose,
)
from twinflow._src.ops.array.stack import stack
from twinflow._src.ops.array.unique import setdiff1d
from twinflow._src.ops.linalg.matmul import matmul, matrix_product, narrowed
from twinflow._src.ops.reduce.reduce import rank, reduce_prod

_SPREAD = "0"  # stands for an ellipsis
_NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def contracted(xp: Any, equation: str, operands: list[Any]) -> Any:
    """Returns the einsum of arrays for an equation with an explicit output and checked sizes."""
    left, _, output = equation.replace("...", _SPREAD).partition("->")
    inputs = left.split(",")
    plain = all(len(set(labels)) == len(labels) for labels in inputs)
    if len(operands) == 1 or not plain:
        return xp.einsum(equation, *operands, optimize=True)
    terms, output = _without_ellipses(xp, list(zip(inputs, operands, strict=True)), output)
    for step in _order(xp, terms, output):
        first, *others = [terms.pop(i) for i in sorted(step, reverse=True)]
        while others:
            second, remaining = others.pop(), terms + others
            rest = set(output).union(*(labels for labels, _ in remaining))
            first = _product(xp, first, second, None if remaining else output, rest)
        terms.append(first)
    labels, array = terms[0]
    return array if labels == output else xp.einsum(f"{labels}->{output}", array)


def _order(xp: Any, terms: list[Any], output: str) -> list[Any]:
    """Returns the contraction path: the operand indices of each pairwise product."""
    if len(terms) == 2:
        return [(0, 1)]
    equation = f"{','.join(labels for labels, _ in terms)}->{output}"
    return xp.einsum_path(equation, *(array for _, array in terms), optimize="greedy")[0][1:]


def _without_ellipses(xp: Any, terms: list[Any], output: str) -> tuple[list[Any], str]:
    """Replaces ellipses by labels and broadcasts the operands over these dimensions."""
    if not any(_SPREAD in labels for labels, _ in terms):
        return terms, output
    free = [c for c in _NAMES if not any(c in labels for labels, _ in terms)]
    shapes = []
    for labels, array in terms:
        at, extra = labels.find(_SPREAD), array.ndim - len(labels) + 1
        shapes.append(array.shape[at : at + extra] if at >= 0 else ())
    dims = xp.broadcast_shapes(*shapes)
    names = "".join(free[: len(dims)])
    broadcast_terms = []
    for (labels, array), spread_dims in zip(terms, shapes, strict=True):
        at = labels.find(_SPREAD)
        if at >= 0:
            head, tail = array.shape[:at], array.shape[at + len(spread_dims) :]
            padded = array.reshape(
                (*head, *(1,) * (len(dims) - len(spread_dims)), *spread_dims, *tail)
            )
            array = xp.broadcast_to(padded, (*head, *dims, *tail))
        broadcast_terms.append((labels.replace(_SPREAD, names), array))
    return broadcast_terms, output.replace(_SPREAD, names)


def _product(xp: Any, first: Any, second: Any, output: str | None, rest: set[str]) -> Any:
    """Returns the product of two terms, summed over the labels that no other term or output has."""
    (a, x), (b, y) = (
        _sum_private_labels(term, rest | set(other))
        for term, other in ((first, second[0]), (second, first[0]))
    )
    batch = [c for c in a if c in b and c in rest]
    inner = [c for c in a if c in b and c not in rest]
    left, right = [c for c in a if c not in b], [c for c in b if c not in a]
    if output == "".join(batch + right + left):  # swapped operands need no transpose of the result
        (a, x), (b, y), left, right = (b, y), (a, x), right, left
    sizes = {**dict(zip(a, x.shape, strict=True)), **dict(zip(b, y.shape, strict=True))}

    def matrix(labels: str, array: Any, rows: list[str], columns: list[str]) -> Any:
        ordered = array.transpose([labels.index(c) for c in batch + rows + columns])
        height, width = (math.prod(sizes[c] for c in part) for part in (rows, columns))
        return ordered.reshape((*(sizes[c] for c in batch), height, width))

    product = matrix_product(xp, matrix(a, x, left, inner), matrix(b, y, inner, right))
    labels = "".join(batch + left + right)
    product = product.reshape([sizes[c] for c in labels])
    if output is None:
        return labels, product
    return output, product.transpose([labels.index(c) for c in output])


def _sum_private_labels(term: Any, needed: set[str]) -> tuple[str, Any]:
    """Sums a term over the labels that only it has."""
    labels, array = term
    alone = tuple(i for i, c in enumerate(labels) if c not in needed)
    if not alone:
        return labels, array
    return "".join(c for c in labels if c in needed), array.sum(axis=alone)


# ------------------------------------------------------------------ the op, its gradient, and parsing of equations


_ELLIPSIS = "0"  # replaces "..." while an equation is parsed
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _parts(equation: str) -> tuple[list[str], str]:
    """Returns the labels of each input and of the output of a valid equation."""
    left, _, right = equation.replace("...", _ELLIPSIS).partition("->")
    return left.split(","), right


def _label_sizes(equation: str, shapes: Sequence[Dims | None]) -> dict[str, Any]:
    """Returns the size of each label (a shape for the ellipsis); raises if sizes differ."""
    sizes: dict[str, Any] = {_ELLIPSIS: ()}
    for i, (labels, dims) in enumerate(zip(_parts(equation)[0], shapes, strict=True)):
        spread = _ELLIPSIS in labels
        if dims is None:
            sizes = dict.fromkeys(labels) | sizes | ({_ELLIPSIS: None} if spread else {})
            continue
        named = len(labels) - spread
        _check_rank(i, equation, len(dims), named, spread)
        start, extra = labels.find(_ELLIPSIS), len(dims) - named
        if spread:
            sizes[_ELLIPSIS] = broadcast(sizes[_ELLIPSIS], dims[start : start + extra])
        single = dims[:start] + dims[start + extra :] if spread else dims
        for axis, (label, size) in enumerate(
            zip(labels.replace(_ELLIPSIS, ""), single, strict=True)
        ):
            previous = sizes.setdefault(label, size)
            if previous is None:
                sizes[label] = size
            elif size is not None and size != previous:
                at = axis + extra if spread and axis >= start else axis
                raise refused(
                    f"Expected dimension {previous} at axis {at} of the input shaped {text(dims)} "
                    f"but got dimension {size}",
                    f"Dimensions must be equal, but are {previous} and {size}",
                )
    return sizes


def _check_rank(i: int, equation: str, rank: int, named: int, spread: bool) -> None:
    """Raises if the rank of an operand does not match its labels."""
    if rank < named if spread else rank != named:
        expected = f"at least {named}" if spread else str(named)
        at_least = "at least " if spread else ""
        raise refused(
            f"Expected input {i} to have rank {expected} but got: {rank}",
            f"Shape must be {at_least}rank {named} but is rank {rank}\n\t for {i}th input and "
            f"equation: {equation}",
        )


def _einsum_shape(inputs: Sequence[Dims | None], *, equation: str) -> Dims | None:
    sizes, output = _label_sizes(equation, inputs), _parts(equation)[1]
    if sizes[_ELLIPSIS] and _ELLIPSIS not in output:
        raise _lost_ellipsis(equation, len(sizes[_ELLIPSIS]))
    result: list[int | None] = []
    for label in output:
        if sizes[label] is None and label == _ELLIPSIS:
            return None
        result += sizes[label] if label == _ELLIPSIS else (sizes[label],)
    return tuple(result)


@op("Einsum", dtypes=REALS | COMPLEXES | {int32, int64}, shape=_einsum_shape)
def einsum_of(xp: Any, inputs: Tensors, *, equation: str) -> Any:
    """Contracts tensors by an Einstein summation equation."""
    sizes = _label_sizes(equation, [x.shape for x in inputs])
    dtype = inputs[0].dtype
    short = dtype.itemsize == 2
    if short:  # sums of 16-bit floats are kept in float32
        inputs = [widened(x) if is_host(xp) else x.astype(xp.float32) for x in inputs]
    output = _parts(equation)[1]
    if sizes[_ELLIPSIS] and _ELLIPSIS not in output:
        raise _lost_ellipsis(equation, len(sizes[_ELLIPSIS]))
    result = contracted(xp, equation, inputs)
    if short and is_host(xp):
        return narrowed(xp.ascontiguousarray(result), dtype).reshape(result.shape)
    seen = (
        len(inputs) == 1 and result.base is not None
    )  # the result of one operand may be a view; products are new arrays
    return xp.ascontiguousarray(result.astype(dtype, copy=seen)).reshape(result.shape)


@einsum_of.batched
def _(call: Any) -> Any:
    terms, output = _parts(call.attrs["equation"])
    label = next(c for c in _NAMES if c not in call.attrs["equation"])
    terms = [label * flag + term for flag, term in zip(call.is_batched[0], terms)]
    return call.run(list(call.inputs[0]), equation=f"{','.join(terms)}->{label}{output}")


@einsum_of.gradient(reads=("inputs",))
def _(call: Call, dy: Any) -> Any:
    (values,) = call.inputs
    labels, output = _parts(call.attrs["equation"])
    sizes = _label_sizes(call.attrs["equation"], [x.shape._dims for x in values])
    return [_by_operand(i, list(values), labels, output, sizes, dy) for i in range(len(values))]


def _by_operand(
    i: int, values: list[Any], labels: list[str], output: str, sizes: dict[str, Any], dy: Any
) -> Any:
    """Returns the gradient of one operand: an einsum of the upstream gradient and the others."""
    # A label that only this operand has is restored with a vector of ones, a repeated one with an
    # identity matrix; broadcast dimensions of the ellipsis are summed.
    value, own_labels = values[i], labels[i]
    operands = [conjugate(x) for j, x in enumerate(values) if j != i]
    terms = [term for j, term in enumerate(labels) if j != i]
    spare = iter(set(_LETTERS).difference(*labels, output))
    target = _ELLIPSIS if _ELLIPSIS in output else ""
    named = own_labels.replace(_ELLIPSIS, "")
    for label in named:
        size = _size(label, own_labels, value) if sizes[label] is None else sizes[label]
        if label in target:
            terms.append(label + next(spare))
            operands.append(eye(size, dtype=dy.dtype))
            label = terms[-1][1]
        elif not any(label in term for term in (output, *terms)):
            terms.append(label)
            operands.append(ones([size], dy.dtype))
        target += label
    equation = ",".join((output, *terms)) + "->" + target
    gradient = einsum(equation.replace(_ELLIPSIS, "..."), dy, *operands)
    spread = own_labels.find(_ELLIPSIS)
    return unbroadcast(
        _in_place(gradient, value, spread, len(named)) if spread > 0 else gradient, value
    )


def _size(label: str, labels: str, value: Any) -> Any:
    """Returns the size of a label in an operand as a tensor (unknown before the graph runs)."""
    at = labels.index(label)
    return size_of(value, at - len(labels) if _ELLIPSIS in labels[:at] else at)


def _in_place(gradient: Any, value: Any, spread: int, named_count: int) -> Any:
    """Transposes a gradient whose ellipsis comes first so that it follows ``spread`` named axes."""
    full_rank, rank = rank_of(gradient), rank_of(value)
    extra, start = (
        full_rank - rank,
        full_rank - named_count,
    )  # number of broadcast axes, offset of the named axes
    parts = (0, extra), (start, start + spread), (extra, start), (start + spread, full_rank)
    if isinstance(start, int):
        return transpose(gradient, [i for part in parts for i in range(*part)])
    return transpose(gradient, API["concat"]([API["range"](*part) for part in parts], 0))


def _lost_ellipsis(equation: str, rank: int) -> InvalidArgumentError:
    return refused(
        f"Output subscripts must contain an ellipsis if the inputs broadcast: {equation}",
        f"Shape must be at most rank 0 but is rank {rank}\n\t for einsum equation '{equation}' without "
        "ellipsis (...) in the output subscripts where input(s) have non-empty broadcasting shape",
    )


@export("einsum", "linalg.einsum")
def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Any:
    """Contracts tensors by an Einstein summation equation.

    Args:
        equation: Labels of the axes of each input and, after ``->``, of the result, such as
            ``"ij,jk->ik"``; without ``->`` the output has the labels that occur once, in
            alphabetical order.
        *inputs: Tensors of one dtype.
        **kwargs: ``optimize``: accepted and without effect; the contraction order is always greedy.
            ``name``: a name for the operation.

    Returns:
        A tensor of the same dtype.

    Raises:
        ValueError: The equation is malformed.
        InvalidArgumentError: Ranks, sizes or dtypes are incompatible.
    """
    kwargs.pop("name", None)
    kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError(
            f"Invalid keyword arguments for einsum: {', '.join(kwargs)}. "
            "Valid arguments: name, optimize, greedy."
        )
    shapes = [getattr(x.shape, "_dims", x.shape) for x in inputs]
    try:
        return einsum_of(list(inputs), equation=_complete(equation, shapes))
    except FAILURES:
        result = fall_back(einsum, (equation, *inputs), {})
        if result is NotImplemented:
            raise
        return result


def _complete(equation: str, shapes: Sequence[Dims | None]) -> str:
    """Returns the validated equation without spaces and with an explicit output."""
    plain = equation.replace(" ", "")
    allowed = "a-zA-Z"
    if "..." in plain:
        if _ELLIPSIS in plain:
            raise ValueError(f'Invalid character "{_ELLIPSIS}" in equation: {equation}.')
        plain, allowed = plain.replace("...", _ELLIPSIS), allowed + _ELLIPSIS
    match = re.match(f"^([{allowed},]*)(->[{allowed}]*)?$", plain)
    if match is None:
        raise ValueError(f"Subscripts have incorrect format: {plain}")
    labels = match[1].split(",")
    if len(shapes) != len(labels):
        raise ValueError(
            f'Got {len(shapes)} inputs for equation "{equation}", expecting {len(labels)}'
        )
    if match[2] is None:
        counts = collections.Counter(match[1])
        output = "".join(x for x in sorted(counts) if x != "," and counts[x] == 1)
    else:
        output = match[2][2:]
    _check_output(equation, output, set(match[1]))
    if len(shapes) > 2:
        _check_ranks(equation, labels, shapes)
    return f"{match[1]}->{output}".replace(_ELLIPSIS, "...")


def _check_output(equation: str, output: str, input_labels: set[str]) -> None:
    if len(set(output)) != len(output):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
    for label in output:
        if label != _ELLIPSIS and label not in input_labels:
            raise ValueError(
                f"Output subscripts contain the label {label} not present in the input subscripts."
            )


def _check_ranks(equation: str, labels: list[str], shapes: Sequence[Dims | None]) -> None:
    for i, (operand, dims) in enumerate(zip(labels, shapes, strict=True)):
        if dims is None:
            continue
        shape = list(dims)
        if _ELLIPSIS not in operand and len(operand) != len(shape):
            raise ValueError(
                f"Number of named labels in input #{i} of equation {equation} "
                f"must be equal to the number of dimensions in shape {shape}"
            )
        if operand.count(_ELLIPSIS) > 1:
            raise ValueError(
                f"Too many ellipses in input label {operand.replace(_ELLIPSIS, '...')}."
            )
        if len(operand) > len(shape) + 1:
            raise ValueError(
                f"Too many named labels in {i}th subscript string of equation {equation} "
                f"for input shape {shape} "
            )


# ------------------------------------------------------------------ tensordot and matvec


@export("linalg.matvec")
@documented_like(matmul)
def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Multiplies matrices by vectors in the last dimensions.

    Args:
        b: A tensor of the same dtype, of one dimension less.
        a_is_sparse: Accepted and without effect.
        b_is_sparse: Accepted and without effect.

    Raises:
        InvalidArgumentError: The ranks, sizes or types are incompatible.
    """
    column = expand_dims(dense(b), -1)
    product = matmul(a, column, transpose_a=transpose_a, adjoint_a=adjoint_a)
    return squeeze(product, axis=-1)


@export("tensordot", "linalg.tensordot")
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """Contracts two tensors along pairs of axes.

    Args:
        a: A numeric tensor.
        b: A tensor of the same dtype.
        axes: An integer n to contract the last n axes of ``a`` with the first n of ``b``, or a pair
            of lists of axes of ``a`` and of ``b``, of the same length.

    Returns:
        A tensor with the remaining dimensions of ``a``, then those of ``b``.

    Raises:
        ValueError: ``axes`` is invalid.
        InvalidArgumentError: The sizes are incompatible.
    """
    a, b = dense(a), dense(b)
    axes_a, axes_b = _paired_axes(a, whole_numbers.with_integers(axes))
    left, free_a, sizes_a = _as_matrix(a, axes_a, False)
    right, free_b, sizes_b = _as_matrix(b, axes_b, True)
    product = matmul(left, right)
    if isinstance(free_a, list) and isinstance(free_b, list):
        dims = free_a + free_b
        return product if product.shape._dims == tuple(dims) else reshape(product, dims)
    parts = [convert_to_tensor(free, dtype=int32) for free in (free_a, free_b)]
    result = reshape(product, concat(parts, 0))
    if sizes_a is not None and sizes_b is not None:
        result.set_shape(sizes_a + sizes_b)
    return result


def _paired_axes(a: Any, axes: Any) -> tuple[Any, Any]:
    """Returns the contracted axes of each operand: lists, or tensors."""
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        if a.shape.rank is None:
            count = rank(a)
            return range_(count - axes, count), range_(axes)
        if axes > a.shape.rank:
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor {a}.  "
                f"Received {axes}, vs tensor dimensions {a.shape.rank}."
            )
        return list(range(a.shape.rank - axes, a.shape.rank)), list(range(axes))
    if isinstance(axes, (list, tuple)):
        if len(axes) != 2:
            raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
        first, second = ([x] if isinstance(x, int) else list(x) for x in axes)
        if len(first) != len(second):
            raise ValueError(
                f"Different number of contraction axes `a` and `b`, {len(first)} != {len(second)}."
            )
        return first, second
    pairs = convert_to_tensor(axes, dtype=int32, name="axes")
    return pairs[0], pairs[1]


def _as_matrix(x: Any, axes: Any, first: bool) -> tuple[Any, Any, list[int | None] | None]:
    """Reshapes a tensor to a matrix with the contracted axes first or last."""
    # Also returns its free sizes, and their static values as far as known.
    if not isinstance(axes, list) or x.shape.rank is None:
        return (*_by_values(x, axes, first), None)
    dims = x.shape.as_list()
    summed = [i if i >= 0 else i + len(dims) for i in axes]
    free = [i for i in range(len(dims)) if i not in summed]
    sizes, inner = [dims[i] for i in free], [dims[i] for i in summed]
    if None in dims:
        return (*_dynamic_matrix(x, summed, free, first), sizes)
    pair = math.prod(inner), math.prod(sizes)
    order = summed + free if first else free + summed
    if order != list(range(len(dims))):
        x = transpose(x, order)
    dims_of_matrix = pair if first else pair[::-1]
    return (
        (x if x.shape._dims == dims_of_matrix else reshape(x, list(dims_of_matrix))),
        sizes,
        sizes,
    )


def _by_values(x: Any, axes: Any, first: bool) -> tuple[Any, Any]:
    """Reshapes as ``_as_matrix`` does, for an unknown rank or axes given as a tensor."""
    count, axes = rank(x), convert_to_tensor(axes, dtype=int32)
    axes = where(axes >= 0, axes, axes + count)
    free, _ = setdiff1d(range_(count), axes)
    return _dynamic_matrix(x, axes, free, first)


def _dynamic_matrix(x: Any, summed: Any, free: Any, first: bool) -> tuple[Any, Any]:
    """Reshapes a tensor to a matrix by dynamic shape; returns it and its free sizes."""
    dims = shape(x)
    summed, free = (convert_to_tensor(axes, dtype=int32) for axes in (summed, free))
    sizes = gather(dims, free)
    pair = [reduce_prod(gather(dims, summed)), reduce_prod(sizes)]
    order = concat([summed, free] if first else [free, summed], 0)
    return reshape(transpose(x, order), stack(pair if first else pair[::-1])), sizes
