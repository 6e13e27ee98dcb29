"""Contractions of tensors: matrix-vector products, tensordot and einsum."""

from __future__ import annotations

import collections
import re
import string
from collections.abc import Sequence
from typing import Any

from ..constant import convert_to_tensor, dense
from ..dtypes import COMPLEXES, REALS, int32, int64
from ..errors import invalid
from ..gradient import conjugate, unbroadcast
from ..op import Call, Tensors, export, op
from ..shapes import Dims, broadcast, text
from .array import expand_dims, reshape, squeeze, transpose
from .filling import ones
from .linalg import matmul
from .masks import eye
from .products import contracted

_ELLIPSIS = "0"  # one character that stands for "..." while an equation is taken apart


@export("linalg.matvec")
def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the products of matrices and vectors in the last dimensions.

    Args:
        a: A tensor of rank 2 or more.
        b: A tensor of the same type, of a rank less.
        transpose_a: Whether a is transposed first.
        adjoint_a: Whether a is transposed and conjugated first.
        a_is_sparse: Accepted and without effect.
        b_is_sparse: Accepted and without effect.
        name: A name for the operation.

    Returns:
        A tensor of the operands' type.

    Raises:
        InvalidArgumentError: The ranks, sizes or types do not fit.
    """
    column = expand_dims(dense(b), -1)
    product = matmul(a, column, transpose_a=transpose_a, adjoint_a=adjoint_a)
    return squeeze(product, axis=-1)


# ------------------------------------------------------------------ tensordot


@export("tensordot", "linalg.tensordot")
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """Returns the sums of products of two tensors over pairs of dimensions.

    Args:
        a: A tensor of numbers.
        b: A tensor of the same type.
        axes: A number n, for the last n dimensions of a with the first n of b; or a pair of a list of
            dimensions of a and a list of as many of b.
        name: A name for the operation.

    Returns:
        A tensor with the other dimensions of a, then those of b.

    Raises:
        ValueError: The axes are not given as described.
        InvalidArgumentError: The sizes do not fit.
    """
    a, b = dense(a), dense(b)
    axes_a, axes_b = _paired_axes(a, axes)
    left, free_a = _as_matrix(a, axes_a, False)
    right, free_b = _as_matrix(b, axes_b, True)
    product = matmul(left, right)
    dims = free_a + free_b
    return product if product.shape.as_list() == dims else reshape(product, dims)


def _paired_axes(a: Any, axes: Any) -> tuple[list[int], list[int]]:
    """The dimensions of each operand that an ``axes`` argument of tensordot names."""
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        rank = a.shape.rank
        if axes > rank:
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor {a}.  "
                f"Received {axes}, vs tensor dimensions {rank}."
            )
        return list(range(rank - axes, rank)), list(range(axes))
    if isinstance(axes, (list, tuple)):
        if len(axes) != 2:
            raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
        first, second = ([x] if isinstance(x, int) else list(x) for x in axes)
        if len(first) != len(second):
            raise ValueError(
                f"Different number of contraction axes `a` and `b`, {len(first)} != {len(second)}."
            )
        return first, second
    pairs = convert_to_tensor(axes, dtype=int32)
    return [int(i) for i in pairs[0]], [int(i) for i in pairs[1]]


def _as_matrix(x: Any, axes: Sequence[int], first: bool) -> tuple[Any, list[int]]:
    """A tensor as a matrix with the summed dimensions first or last, and its other sizes."""
    dims = x.shape.as_list()
    summed = [i if i >= 0 else i + len(dims) for i in axes]
    free = [i for i in range(len(dims)) if i not in summed]
    free_size, summed_size = 1, 1
    for i in free:
        free_size *= dims[i]
    for i in summed:
        summed_size *= dims[i]
    order = summed + free if first else free + summed
    shape = [summed_size, free_size] if first else [free_size, summed_size]
    if order != list(range(len(dims))):
        x = transpose(x, order)
    return (x if x.shape.as_list() == shape else reshape(x, shape)), [dims[i] for i in free]


# ------------------------------------------------------------------ einsum


def _parts(equation: str) -> tuple[list[str], str]:
    """The labels of each input, and of the output, of an equation that is known to be well formed."""
    left, _, right = equation.replace("...", _ELLIPSIS).partition("->")
    return left.split(","), right


def _label_sizes(equation: str, shapes: Sequence[Dims | None]) -> dict[str, Any]:
    """The size of each label (a shape, for the ellipsis), checked."""
    sizes: dict[str, Any] = {_ELLIPSIS: ()}
    for i, (labels, shape) in enumerate(zip(_parts(equation)[0], shapes, strict=True)):
        if shape is None:
            sizes[_ELLIPSIS] = None
            continue
        spread = _ELLIPSIS in labels
        named = len(labels) - spread
        if spread and len(shape) < named:
            raise invalid(f"Expected input {i} to have rank at least {named} but got: {len(shape)}")
        if not spread and len(shape) != named:
            raise invalid(f"Expected input {i} to have rank {named} but got: {len(shape)}")
        start, extra = labels.find(_ELLIPSIS), len(shape) - named
        if spread:
            sizes[_ELLIPSIS] = broadcast(sizes[_ELLIPSIS], shape[start : start + extra])
        single = shape[:start] + shape[start + extra :] if spread else shape
        for axis, (label, size) in enumerate(
            zip(labels.replace(_ELLIPSIS, ""), single, strict=True)
        ):
            known = sizes.setdefault(label, size)
            if known is None:
                sizes[label] = size
            elif size is not None and size != known:
                at = axis + extra if spread and axis >= start else axis
                raise invalid(
                    f"Expected dimension {known} at axis {at} of the input shaped {text(shape)} "
                    f"but got dimension {size}"
                )
    return sizes


def _einsum_shape(inputs: Sequence[Dims | None], *, equation: str) -> Dims | None:
    sizes = _label_sizes(equation, inputs)
    result: list[int | None] = []
    for label in _parts(equation)[1]:
        if sizes[label] is None and label == _ELLIPSIS:
            return None
        result += sizes[label] if label == _ELLIPSIS else (sizes[label],)
    return tuple(result)


@op("Einsum", dtypes=REALS | COMPLEXES | {int32, int64}, shape=_einsum_shape)
def einsum_of(xp: Any, inputs: Tensors, *, equation: str) -> Any:
    """Returns the sums of products that an equation of labels describes.

    Args:
        inputs: Tensors of one type.
        equation: Labels of the dimensions of each input and, after ``->``, of the result.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: Ranks or sizes do not fit the equation.
    """
    sizes = _label_sizes(equation, [x.shape for x in inputs])
    dtype = inputs[0].dtype
    if dtype.itemsize == 2:  # sums of short floats are kept in float32
        inputs = [x.astype(xp.float32) for x in inputs]
    output = _parts(equation)[1]
    if sizes[_ELLIPSIS] and _ELLIPSIS not in output:
        raise invalid(_lost_ellipsis(equation))
    result = contracted(xp, equation, inputs)
    return xp.ascontiguousarray(result.astype(dtype, copy=result.base is not None)).reshape(
        result.shape
    )


@einsum_of.gradient
def _(call: Call, dy: Any) -> Any:
    (values,) = call.inputs
    labels, output = _parts(call.attrs["equation"])
    sizes = _label_sizes(call.attrs["equation"], [x.shape._dims for x in values])
    return [_by_operand(i, list(values), labels, output, sizes, dy) for i in range(len(values))]


def _by_operand(
    i: int, values: list[Any], labels: list[str], output: str, sizes: dict[str, Any], dy: Any
) -> Any:
    """The gradient of a contraction by one operand: a contraction of all others.

    A label that stands in this operand alone comes back from a vector of ones, one that it repeats
    from a unit matrix; dimensions of the ellipsis that were broadcast are summed.
    """
    value, own = values[i], labels[i]
    operands = [conjugate(x) for j, x in enumerate(values) if j != i]
    terms = [term for j, term in enumerate(labels) if j != i]
    spare = iter(set(string.ascii_letters).difference(*labels, output))
    target = _ELLIPSIS if _ELLIPSIS in output else ""
    named = own.replace(_ELLIPSIS, "")
    for label in named:
        size = sizes[label]
        if label in target:
            terms.append(label + next(spare))
            operands.append(eye(size, dtype=dy.dtype))
            label = terms[-1][1]
        elif not any(label in term for term in (output, *terms)):
            terms.append(label)
            operands.append(ones([size], dy.dtype))
        target += label
    equation = ",".join((output, *terms)) + "->" + target
    found = einsum(equation.replace(_ELLIPSIS, "..."), dy, *operands)
    spread = max(own.find(_ELLIPSIS), 0)
    rank = value.shape.rank - len(named)  # what the ellipsis stands for in this operand
    extra = found.shape.rank - value.shape.rank
    order = [*range(extra + rank, extra + rank + spread), *range(extra, extra + rank)]
    order = [*range(extra), *order, *range(extra + rank + spread, found.shape.rank)]
    return unbroadcast(transpose(found, order), value)


def _lost_ellipsis(equation: str) -> str:
    return f"Output subscripts must contain an ellipsis if the inputs broadcast: {equation}"


@export("einsum", "linalg.einsum")
def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Any:
    """Returns the sums of products that an equation of labels describes.

    Args:
        equation: Labels of the dimensions of each input and, after ``->``, of the result, such as
            ``"ij,jk->ik"``; without ``->`` the labels that occur once, in alphabetical order.
        *inputs: Tensors of one type.
        **kwargs: ``optimize``: accepted; pairs are contracted in a good order anyway. ``name``: a
            name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: The equation is malformed.
        InvalidArgumentError: Ranks, sizes or types do not fit.
    """
    kwargs.pop("name", None)
    kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError(
            f"Invalid keyword arguments for einsum: {', '.join(kwargs)}. "
            "Valid arguments: name, optimize, greedy."
        )
    shapes = [list(x.shape) for x in inputs]
    return einsum_of(list(inputs), equation=_complete(equation, shapes))


def _complete(equation: str, shapes: Sequence[Sequence[Any]]) -> str:
    """An equation without spaces and with its output, checked."""
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


def _check_output(equation: str, output: str, known: set[str]) -> None:
    if len(set(output)) != len(output):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
    for label in output:
        if label != _ELLIPSIS and label not in known:
            raise ValueError(
                f"Output subscripts contain the label {label} not present in the input subscripts."
            )


def _check_ranks(equation: str, labels: list[str], shapes: Sequence[Sequence[Any]]) -> None:
    for i, (own, shape) in enumerate(zip(labels, shapes, strict=True)):
        if _ELLIPSIS not in own and len(own) != len(shape):
            raise ValueError(
                f"Number of named labels in input #{i} of equation {equation} "
                f"must be equal to the number of dimensions in shape {shape}"
            )
        if own.count(_ELLIPSIS) > 1:
            raise ValueError(f"Too many ellipses in input label {own.replace(_ELLIPSIS, '...')}.")
        if len(own) > len(shape) + 1:
            raise ValueError(
                f"Too many named labels in {i}th subscript string of equation {equation} "
                f"for input shape {shape} "
            )
