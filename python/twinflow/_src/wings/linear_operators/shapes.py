"""Static properties of linear operators: shapes with batch dimensions, and hints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.dtypes import DType, int32
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API
from twinflow._src.graph.static_values import array_of
from twinflow._src.trackable.module import Module

# Names of private modules' helpers: ``sizes`` are int32 vectors, NumPy arrays where they are known.


def convert_unless_variable(value: Any, name: str, dtype: Any = None) -> Any:
    """Converts a value to a tensor; variables, and modules and objects that act as tensors, stay."""
    if value is None or isinstance(value, Tensor):
        return value
    if isinstance(value, Module) and hasattr(value, "dtype") and hasattr(value, "shape"):
        return value
    if hasattr(type(value), "__tf_tensor__") or (is_tensor(value) and hasattr(value, "assign")):
        return value
    return convert_to_tensor(value, dtype=dtype, name=name)


def as_text(x: Any) -> Any:
    """Returns a tensor for an error's text: its value where it has one."""
    return x.numpy() if hasattr(x, "numpy") else x


def static_dim(shape: TensorShape, index: int) -> int | None:
    """Returns a size of a shape, None where it is unknown."""
    dims = shape._dims
    return None if dims is None else dims[index]


def assert_same_size(a: int | None, b: int | None) -> None:
    """Raises ValueError for two known sizes that differ."""
    if a is not None and b is not None and a != b:
        raise ValueError(f"Dimensions {a} and {b} are not compatible")


def sizes(x: Any, start: int | None = None, stop: int | None = None) -> Any:
    """Returns the sizes of a tensor between two axes."""
    dims = x.shape._dims
    if dims is not None and None not in dims[start:stop]:
        return np.array(dims[start:stop], np.int32)
    return API["shape"](x)[start:stop]


def size(x: Any, axis: int) -> Any:
    """Returns one size of a tensor, an int where it is known."""
    dims = x.shape._dims
    if dims is not None and dims[axis] is not None:
        return dims[axis]
    return API["shape"](x)[axis]


def is_static(value: Any) -> bool:
    """True for a Python number or a NumPy array."""
    return not isinstance(value, Tensor)


def static_of(value: Any) -> Any:
    """Returns the static value of sizes as an array where it is known, else the tensor."""
    if not isinstance(value, Tensor):
        return np.asarray(value, np.int32)
    static = array_of(value)
    return value if static is None else np.asarray(static)


def concat_sizes(parts: Sequence[Any]) -> Any:
    """Concatenates sizes; a list of one size stands for a vector."""
    parts = [part[0] if isinstance(part, list) else part for part in parts]
    if all(map(is_static, parts)):
        return np.concatenate([np.asarray(p, np.int32).reshape(-1) for p in parts])
    vectors = [API["reshape"](API["cast"](p, int32), [-1]) for p in parts]
    return API["concat"](vectors, 0)


def broadcast_sizes(parts: Iterable[Any]) -> Any:
    """Returns the shape that several shapes broadcast to."""
    static, *rest = parts
    for part in rest:
        if is_static(static) and is_static(part):
            static = np.array(np.broadcast_shapes(tuple(static), tuple(part)), np.int32)
        elif is_static(part) and len(part) == 0:
            continue
        elif is_static(static) and len(static) == 0:
            static = part
        else:
            static = API["broadcast_dynamic_shape"](
                convert_to_tensor(static, dtype=int32), convert_to_tensor(part, dtype=int32)
            )
    return static


def broadcast_static(shapes: Iterable[TensorShape]) -> TensorShape:
    """Returns the static shape that several shapes broadcast to."""
    static, *rest = shapes
    for shape in rest:
        static = API["broadcast_static_shape"](static, shape)
    return static


def broadcast_batches(*matrices: Any) -> list[Any]:
    """Broadcasts the batch dimensions of matrices to each other."""
    shapes = [m.shape[:-2] for m in matrices]
    first = shapes[0]._dims
    if first is not None and None not in first and all(s._dims == first for s in shapes):
        return list(matrices)
    batch = broadcast_sizes([sizes(m, None, -2) for m in matrices])
    result = []
    for matrix in matrices:
        target = concat_sizes([batch, sizes(matrix, -2)])
        dims = matrix.shape._dims
        if is_static(target) and dims == tuple(target):
            result.append(matrix)
        else:
            result.append(API["broadcast_to"](matrix, target))
    return result


def solve_matrices(matrix: Any, rhs: Any, adjoint: bool = False) -> Any:
    """Solves linear equations with broadcasting of batch dimensions."""
    matrix, rhs = broadcast_batches(matrix, rhs)
    return API["linalg.solve"](matrix, rhs, adjoint=adjoint)


def solve_lower_triangular(matrix: Any, rhs: Any, adjoint: bool = False) -> Any:
    """Solves lower triangular equations with broadcasting of batch dimensions."""
    matrix, rhs = broadcast_batches(matrix, rhs)
    return API["linalg.triangular_solve"](matrix, rhs, adjoint=adjoint)


def solve_cholesky(chol: Any, rhs: Any) -> Any:
    """Solves equations by a Cholesky factor, with broadcasting of batch dimensions."""
    chol, rhs = broadcast_batches(chol, rhs)
    return API["linalg.cholesky_solve"](chol, rhs)


def column(vector: Any) -> Any:
    """Returns vectors as matrices of one column."""
    return API["expand_dims"](vector, -1)


def uncolumn(matrix: Any) -> Any:
    """Returns matrices of one column as vectors."""
    return API["squeeze"](matrix, [-1])


def eye_like(count: Any, batch: Any, dtype: DType) -> Any:
    """Returns identity matrices of a batch shape."""
    return API["eye"](count, batch_shape=batch, dtype=dtype)


# ------------------------------------------------------------------ hints of linear operators (``is_non_singular`` and others) and of their products


Hint = bool | None


def all_hint(hints: Iterable[Hint], hint_values: Hint, text: str) -> Hint:
    """Returns True if all hints are True, else the given one; raises ValueError if it is False."""
    if not all(hints):
        return hint_values
    if hint_values is False:
        raise ValueError(text)
    return True


def both_non_singular(a: Any, b: Any) -> Hint:
    """Returns whether the product of two operators is non-singular."""
    if a.is_non_singular is False or b.is_non_singular is False:
        return False
    return True if a.is_non_singular and b.is_non_singular else None


def both_self_adjoint(a: Any, b: Any) -> Hint:
    """Returns whether the product of two commuting operators is self-adjoint."""
    if a.is_self_adjoint is None or b.is_self_adjoint is None:
        return None
    if a.is_self_adjoint and b.is_self_adjoint:
        return True
    # The product of a self-adjoint and another operator is not, where the first is invertible.
    if (a.is_self_adjoint and a.is_non_singular) or (b.is_self_adjoint and b.is_non_singular):
        return False
    return None


def both_square(a: Any, b: Any) -> Hint:
    """Returns whether the product of two operators is square."""
    if a.is_square and b.is_square:
        return True
    if (a.is_square is False) != (b.is_square is False) and (a.is_square or b.is_square):
        return False
    return None


def both_positive_definite(a: Any, b: Any) -> Hint:
    """Returns whether the product of two commuting operators is positive definite."""
    if (a.is_positive_definite and a.is_self_adjoint) and (
        b.is_positive_definite and b.is_self_adjoint
    ):
        return True
    return None


def commuting(a: Any, b: Any) -> dict[str, Hint]:
    """Returns the hints of the product of two commuting operators."""
    return {
        "is_non_singular": both_non_singular(a, b),
        "is_self_adjoint": both_self_adjoint(a, b),
        "is_positive_definite": both_positive_definite(a, b),
        "is_square": True,
    }
