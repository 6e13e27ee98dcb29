"""Weak tensors: tensors of Python values, whose dtype adapts to that of other tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

import twinflow as tf
from twinflow._src.autodiff.tape import GradientTape
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.dispatch.execute import COMPOSITES, execute
from twinflow._src.dispatch.registry import Kind, Op

# Weak tensors.


class WeakTensor:
    """A tensor whose dtype was not requested: created from Python values in modes "safe" and "all".

    Other attributes are those of the tensor that it wraps.

    Attributes:
        tensor: The tensor.
    """

    _counts_as_tensor = True

    __array_priority__ = 100

    if TYPE_CHECKING:  # attributes of tensors, added when NumPy behavior is enabled

        def __getitem__(self, key: Any) -> Any: ...

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    def to_tensor(self) -> Any:
        """Returns the tensor, whose dtype is then fixed."""
        return self.tensor

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self.tensor.dtype

    @property
    def shape(self) -> Any:
        """The shape."""
        return self.tensor.shape

    def numpy(self) -> Any:
        """Returns a copy of the value as a NumPy array, or a NumPy scalar for rank 0."""
        return self.tensor.numpy()

    def __getattr__(self, name: str) -> Any:
        if name == "tensor":  # uninitialized, as in copying and unpickling
            raise AttributeError(name)
        return getattr(self.tensor, name)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return tf.convert_to_tensor(self.tensor, dtype, name=name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self.tensor.__array__(dtype))

    def __repr__(self) -> str:
        return f"{repr(self.tensor)[:-1]}, weak=True>"

    def __str__(self) -> str:
        return f"{str(self.tensor)[:-1]}, weak=True)"

    def __format__(self, spec: str) -> str:
        return f"{self.tensor.__format__(spec)} weakly typed"

    def __iter__(self) -> Iterator[WeakTensor]:
        return (type(self)(item) for item in self.tensor)

    def __hash__(self) -> int:
        return hash(self.tensor)

    def __copy__(self) -> WeakTensor:
        return self

    def __deepcopy__(self, memo: Any) -> WeakTensor:
        return self

    def __len__(self) -> int:
        return len(self.tensor)

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __int__(self) -> int:
        return int(self.tensor)

    def __float__(self) -> float:
        return float(self.tensor)

    def __complex__(self) -> complex:
        return complex(self.tensor)

    def __index__(self) -> int:
        return self.tensor.__index__()


class EagerWeakTensor(WeakTensor):
    """A weak tensor with a value."""


def _run(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an op without promotion on unwrapped weak tensors.

    Beside a weak tensor, other values are converted to the dtype of the first tensor.
    """
    dtypes: dict[str, Any] = {}
    for kind, value in zip(op.kinds, inputs):
        if isinstance(value, (tf.Tensor, WeakTensor)):
            dtypes.setdefault(kind.attr, value.dtype)
    loose = any(not isinstance(value, (tf.Tensor, WeakTensor)) for value in inputs)
    return execute(
        op, [_strong(k, v, dtypes if loose else {}) for k, v in zip(op.kinds, inputs)], attrs
    )


def _strong(kind: Kind, value: Any, dtypes: dict[str, Any]) -> Any:
    if kind.many and isinstance(value, (list, tuple)):
        return [item.tensor if isinstance(item, WeakTensor) else item for item in value]
    dtype = kind.only or (dtypes.get(kind.attr) if is_tensor(value) else None)
    if dtype is not None and value is not None:
        return convert_to_tensor(value, dtype)
    return value.tensor if isinstance(value, WeakTensor) else value


COMPOSITES[EagerWeakTensor] = _run


# Gradient tapes with weak tensors: they watch the wrapped tensors, and return weak gradients.


def _strong_structure(structure: Any) -> Any:
    """Replaces weak tensors in a structure by the tensors that they wrap."""
    return tf.nest.map_structure(lambda v: v.tensor if isinstance(v, WeakTensor) else v, structure)


def _like(source: Any, gradient: Any) -> Any:
    weak = isinstance(source, WeakTensor) and isinstance(gradient, tf.Tensor)
    return EagerWeakTensor(gradient) if weak else gradient


def _differentiating(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def wrapper(self: Any, target: Any, sources: Any, *args: Any, **kwargs: Any) -> Any:
        gradients = method(
            self,
            _strong_structure(target),
            _strong_structure(sources),
            *map(_strong_structure, args),
            **kwargs,
        )
        return tf.nest.map_structure(_like, sources, gradients)

    return wrapper


def install_tapes() -> None:
    """Extends gradient tapes to accept weak tensors."""
    watch = GradientTape.watch
    wrapper = functools.wraps(watch)(lambda self, tensor: watch(self, _strong_structure(tensor)))
    GradientTape.watch = wrapper  # type: ignore[method-assign]
    for name in ("gradient", "jacobian"):
        setattr(GradientTape, name, _differentiating(getattr(GradientTape, name)))
