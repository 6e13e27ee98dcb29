"""Einstein sums as matrix products: pairs of operands, in a good order."""

from __future__ import annotations

import math
from typing import Any

from twinflow._src.ops.linalg.matrix_product import matrix_product

_SPREAD = "0"  # stands for an ellipsis
_NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def contracted(xp: Any, equation: str, operands: list[Any]) -> Any:
    """The sum of products that an equation with its output describes.

    Args:
        xp: The array module.
        equation: Labels of each operand, ``->`` and those of the result; sizes are known to fit.
        operands: Arrays.
    """
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
    """Which operands are multiplied, step by step."""
    if len(terms) == 2:
        return [(0, 1)]
    equation = f"{','.join(labels for labels, _ in terms)}->{output}"
    return xp.einsum_path(equation, *(array for _, array in terms), optimize="greedy")[0][1:]


def _without_ellipses(xp: Any, terms: list[Any], output: str) -> tuple[list[Any], str]:
    """Labels for the dimensions of ellipses, which all operands that have one then share in full."""
    if not any(_SPREAD in labels for labels, _ in terms):
        return terms, output
    free = [c for c in _NAMES if not any(c in labels for labels, _ in terms)]
    shapes = []
    for labels, array in terms:
        at, extra = labels.find(_SPREAD), array.ndim - len(labels) + 1
        shapes.append(array.shape[at : at + extra] if at >= 0 else ())
    whole = xp.broadcast_shapes(*shapes)
    names = "".join(free[: len(whole)])
    found = []
    for (labels, array), own in zip(terms, shapes, strict=True):
        at = labels.find(_SPREAD)
        if at >= 0:
            head, tail = array.shape[:at], array.shape[at + len(own) :]
            padded = array.reshape((*head, *(1,) * (len(whole) - len(own)), *own, *tail))
            array = xp.broadcast_to(padded, (*head, *whole, *tail))
        found.append((labels.replace(_SPREAD, names), array))
    return found, output.replace(_SPREAD, names)


def _product(xp: Any, first: Any, second: Any, output: str | None, rest: set[str]) -> Any:
    """The product of two terms, summed over the labels that nothing else needs."""
    (a, x), (b, y) = (
        _summed(term, rest | set(other)) for term, other in ((first, second[0]), (second, first[0]))
    )
    batch = [c for c in a if c in b and c in rest]
    inner = [c for c in a if c in b and c not in rest]
    left, right = [c for c in a if c not in b], [c for c in b if c not in a]
    if output == "".join(batch + right + left):  # the other way round nothing has to be turned
        (a, x), (b, y), left, right = (b, y), (a, x), right, left
    sizes = {**dict(zip(a, x.shape, strict=True)), **dict(zip(b, y.shape, strict=True))}

    def matrix(labels: str, array: Any, rows: list[str], columns: list[str]) -> Any:
        moved = array.transpose([labels.index(c) for c in batch + rows + columns])
        height, width = (math.prod(sizes[c] for c in part) for part in (rows, columns))
        return moved.reshape((*(sizes[c] for c in batch), height, width))

    product = matrix_product(xp, matrix(a, x, left, inner), matrix(b, y, inner, right))
    labels = "".join(batch + left + right)
    product = product.reshape([sizes[c] for c in labels])
    if output is None:
        return labels, product
    return output, product.transpose([labels.index(c) for c in output])


def _summed(term: Any, needed: set[str]) -> tuple[str, Any]:
    """A term without the labels that only it has."""
    labels, array = term
    alone = tuple(i for i, c in enumerate(labels) if c not in needed)
    if not alone:
        return labels, array
    return "".join(c for c in labels if c in needed), array.sum(axis=alone)
