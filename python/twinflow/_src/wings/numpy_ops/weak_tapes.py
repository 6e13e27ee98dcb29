"""Tapes that take weak tensors: they follow the tensors that these hold, and answer with weak ones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import twinflow as tf
from twinflow._src.autodiff.tape import GradientTape
from twinflow._src.wings.numpy_ops.weak import EagerWeakTensor, WeakTensor


def _strong(structure: Any) -> Any:
    """A structure with the tensors that weak ones hold in their place."""
    return tf.nest.map_structure(lambda v: v.tensor if isinstance(v, WeakTensor) else v, structure)


def _like(source: Any, gradient: Any) -> Any:
    weak = isinstance(source, WeakTensor) and isinstance(gradient, tf.Tensor)
    return EagerWeakTensor(gradient) if weak else gradient


def _differentiating(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def called(self: Any, target: Any, sources: Any, *args: Any, **kwargs: Any) -> Any:
        found = method(self, _strong(target), _strong(sources), *map(_strong, args), **kwargs)
        return tf.nest.map_structure(_like, sources, found)

    return called


def install() -> None:
    """Makes tapes take weak tensors."""
    watch = GradientTape.watch
    watched = functools.wraps(watch)(lambda self, tensor: watch(self, _strong(tensor)))
    GradientTape.watch = watched  # type: ignore[method-assign]
    for name in ("gradient", "jacobian"):
        setattr(GradientTape, name, _differentiating(getattr(GradientTape, name)))
