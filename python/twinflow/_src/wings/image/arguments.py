"""Arguments of functions on images: tensors, sizes, ranks and requirements."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API


def as_image(image: Any, name: str = "image") -> Any:
    """Returns an image as a tensor."""
    return convert_to_tensor(image, name=name)


def check_rank(image: Any, name: str = "image") -> None:
    """Requires three or four dimensions where the rank is known."""
    rank = image.shape.rank
    if rank is not None and rank not in (3, 4):
        raise ValueError(f"'{name}' (shape {image.shape}) must have either 3 or 4 dimensions.")


def check_least_rank(image: Any, least: int = 3) -> None:
    """Requires at least three dimensions where the rank is known."""
    words = {2: "two", 3: "three", 4: "four"}
    rank = image.shape.rank
    if rank is not None and rank < least:
        raise ValueError(
            f"'image' (shape {image.shape}) must be at least {words[least]}-dimensional."
        )


def require(condition: Any, message: str) -> None:
    """Raises ValueError unless a condition holds; a tensor is asserted when it is computed."""
    if is_tensor(condition):
        API["debugging.Assert"](condition, [message])
    elif not condition:
        raise ValueError(message)


def sizes_of(image: Any) -> list[Any]:
    """Returns the size of each dimension: a number, or a scalar tensor where it is not known.

    The rank must be known.
    """
    dims = image.shape._dims
    if None not in dims:
        return list(dims)
    dynamic = API["shape"](image)
    return [dynamic[i] if size is None else size for i, size in enumerate(dims)]


def static(size: Any) -> Any:
    """Returns a number, or None for a tensor."""
    return None if is_tensor(size) else size


def set_shape(tensor: Any, dims: Any) -> Any:
    """Returns a tensor whose static shape is merged with dimensions, which matters in graphs."""
    if not isinstance(tensor, EagerTensor):
        tensor.set_shape(TensorShape(dims))
    return tensor


class Batch:
    """An image or a batch of images, seen as a batch; a tensor of unknown rank is one image.

    Attributes:
        images: The tensor of rank 4.
    """

    def __init__(self, image: Any, name: str = "image") -> None:
        check_rank(image, name)
        self._is_batch = image.shape.rank == 4
        self.images = image if self._is_batch else API["expand_dims"](image, 0)
        if image.shape.rank is None:
            set_shape(self.images, [None] * 4)

    def unpack(self, images: Any) -> Any:
        """Returns results in the rank of the argument."""
        return images if self._is_batch else API["squeeze"](images, [0])
