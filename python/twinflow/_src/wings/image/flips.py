"""Flips, quarter turns and transposition of images, plain and at random."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int32
from twinflow._src.dispatch.op import API, documented_like, export
from twinflow._src.graph.static_values import array_of
from twinflow._src.ops.random.stateful import uniform
from twinflow._src.ops.random.stateless import stateless_uniform
from twinflow._src.wings.image.arguments import as_image, check_least_rank, set_shape

_ROWS, _COLUMNS = -3, -2


def _by_rank(image: Any, function: Callable[[Any, int], Any]) -> Any:
    """Applies a function of an image and its rank, 3 or 4, which may be number at run time only."""
    check_least_rank(image)
    rank = image.shape.rank
    if rank is not None:
        if rank > 4:
            raise ValueError(f"'image' (shape {image.shape})must have either 3 or 4 dimensions.")
        return function(image, rank)
    return API["cond"](
        API["equal"](API["rank"](image), 3),
        lambda: function(image, 3),
        lambda: function(image, 4),
    )


def _flipped(image: Any, axis: int) -> Any:
    image = as_image(image)
    result = _by_rank(image, lambda x, rank: API["reverse"](x, [rank + axis]))
    return set_shape(result, image.shape)


@export("image.flip_left_right")
def flip_left_right(image: Any) -> Any:
    """Reverses the columns of images.

    Args:
        image: A tensor of shape (height, width, channels), or a batch of them.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: The rank is neither 3 nor 4.
    """
    return _flipped(image, _COLUMNS)


@export("image.flip_up_down")
@documented_like(flip_left_right)
def flip_up_down(image: Any) -> Any:
    """Reverses the rows of images."""
    return _flipped(image, _ROWS)


def _flipped_at_random(image: Any, axis: int, draw: Callable[..., Any]) -> Any:
    """Flips an image, or each image of a batch, with a probability of one half."""
    image = as_image(image)

    def flip(x: Any, rank: int) -> Any:
        reverse = lambda: API["reverse"](x, [rank + axis])
        if rank == 3:
            return API["cond"](API["less"](draw(shape=[]), 0.5), reverse, lambda: x)
        numbers = API["reshape"](draw(shape=[API["shape"](x)[0]]), [-1, 1, 1, 1])
        flips = API["cast"](API["round"](numbers), x.dtype)
        return flips * reverse() + (1 - flips) * x

    return set_shape(_by_rank(image, flip), image.shape)


@export("image.random_flip_left_right")
@documented_like(flip_left_right)
def random_flip_left_right(image: Any, seed: Any = None) -> Any:
    """Reverses the columns of each image with a probability of one half.

    Args:
        seed: An op seed, an integer; if None, it is derived from the global seed.
    """
    return _flipped_at_random(image, _COLUMNS, functools.partial(uniform, seed=seed))


@export("image.random_flip_up_down")
@documented_like(random_flip_left_right)
def random_flip_up_down(image: Any, seed: Any = None) -> Any:
    """Reverses the rows of each image with a probability of one half."""
    return _flipped_at_random(image, _ROWS, functools.partial(uniform, seed=seed))


@export("image.stateless_random_flip_left_right")
@documented_like(flip_left_right)
def stateless_random_flip_left_right(image: Any, seed: Any) -> Any:
    """Reverses the columns of each image with a probability of one half, by a seed alone.

    Args:
        seed: A vector of two integers.
    """
    return _flipped_at_random(image, _COLUMNS, functools.partial(stateless_uniform, seed=seed))


@export("image.stateless_random_flip_up_down")
@documented_like(stateless_random_flip_left_right)
def stateless_random_flip_up_down(image: Any, seed: Any) -> Any:
    """Reverses the rows of each image with a probability of one half, by a seed alone."""
    return _flipped_at_random(image, _ROWS, functools.partial(stateless_uniform, seed=seed))


@export("image.transpose", "compat.v1.image.transpose_image")
@documented_like(flip_left_right)
def transpose(image: Any, name: str | None = None) -> Any:
    """Swaps the rows and columns of images.

    Returns:
        A tensor of the same dtype.
    """
    return _by_rank(as_image(image), _transposed)


def _transposed(x: Any, rank: int) -> Any:
    return API["transpose"](x, [*range(rank - 3), rank - 2, rank - 3, rank - 1])


@export("image.rot90")
@documented_like(transpose)
def rot90(image: Any, k: Any = 1, name: str | None = None) -> Any:
    """Turns images counter-clockwise by quarter turns.

    Args:
        k: The number of quarter turns, an integer or a scalar int32 tensor.

    Raises:
        ValueError: The rank is neither 3 nor 4, or ``k`` is not a scalar.
    """
    image = as_image(image)
    check_least_rank(image)
    k = convert_to_tensor(k, dtype=int32, name="k")
    k.shape.assert_has_rank(0)
    turns = API["math.floormod"](k, 4)
    return _by_rank(image, lambda x, rank: _rotate(x, rank, turns))


def _rotate(x: Any, rank: int, turns: Any) -> Any:
    rows, columns = [rank + _ROWS], [rank + _COLUMNS]
    reverse = API["reverse"]
    ways: list[Callable[[], Any]] = [
        lambda: x,
        lambda: _transposed(reverse(x, columns), rank),
        lambda: reverse(x, rows + columns),
        lambda: reverse(_transposed(x, rank), columns),
    ]
    number = array_of(turns)
    if number is not None:
        return ways[int(number)]()
    result = API["switch_case"](turns, ways)
    return set_shape(result, [*x.shape.as_list()[: rank - 3], None, None, x.shape[-1]])
