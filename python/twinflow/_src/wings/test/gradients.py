"""``tf.test.compute_gradient``: theoretical and numerical Jacobians."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.autodiff.tape import GradientTape
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.shapes import static_sizes
from twinflow._src.dispatch.op import API

DELTA = 1.0 / 1024
_TYPES = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


def _assert_type(tensor: Any, what: str) -> None:
    if tensor.dtype.name not in _TYPES:
        raise AssertionError(
            f"Cannot compute gradient for unsupported type {tensor.dtype.name} of {what}"
        )


def _reals(array: Any) -> Any:
    """Flattens an array; complex numbers become their real and imaginary parts."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _real_type(tensor: Any) -> Any:
    return tensor.dtype.real_dtype.as_numpy_dtype


def compute_gradient(f: Callable[..., Any], x: Any, delta: float | None = None) -> tuple[Any, Any]:
    """Computes the theoretical (gradient tape) and numerical (finite differences) Jacobians.

    Args:
        f: A function of tensors that returns a tensor.
        x: A list or tuple of its arguments.
        delta: The step of the finite differences; 1/1024 if None.

    Returns:
        Two tuples with a matrix for each argument: a row for each element of the result, a column
        for each element of the argument. Complex numbers count as two.

    Raises:
        ValueError: The arguments are not a list or tuple.
        AssertionError: The dtype of an argument or of the result is not differentiable.
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(
            "`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), not a "
            f"{type(x)}"
        )
    tensors = [convert_to_tensor(value) for value in x]
    y = f(*tensors)
    for i, tensor in enumerate(tensors):
        _assert_type(tensor, f"argument {i}")
    _assert_type(y, "y")
    step = DELTA if delta is None else delta
    theory = tuple(_by_tape(f, tensors, i) for i in range(len(tensors)))
    return theory, tuple(_by_differences(f, tensors, i, step) for i in range(len(tensors)))


def _by_tape(f: Callable[..., Any], tensors: list[Any], index: int) -> Any:
    """Returns the Jacobian by the gradient tape, a row for each element of the result."""
    source = tensors[index]
    with GradientTape(persistent=True) as tape:
        tape.watch(source)
        y = f(*tensors)
    count = _reals(y.numpy()).size
    matrix = np.zeros((count, _reals(source.numpy()).size), _real_type(source))
    for row in range(count):
        seed = np.zeros(count, _real_type(y))
        seed[row] = 1
        direction = seed.view(y.dtype.as_numpy_dtype).reshape(static_sizes(y.shape))
        gradient = tape.gradient(y, source, output_gradients=convert_to_tensor(direction, y.dtype))
        if isinstance(gradient, IndexedSlices):
            gradient = convert_to_tensor(gradient)
        if gradient is not None:
            matrix[row] = _reals(gradient.numpy())
    return matrix


def _by_differences(f: Callable[..., Any], tensors: list[Any], index: int, step: float) -> Any:
    source = tensors[index]
    flat, dtype = _reals(source.numpy().copy()), _real_type(source)

    def value(column: int, by: float) -> Any:
        moved = flat.copy()
        moved[column] += np.asarray(by, dtype)
        shaped = moved.view(source.dtype.as_numpy_dtype).reshape(static_sizes(source.shape))
        arguments = [
            *tensors[:index],
            convert_to_tensor(shaped, source.dtype),
            *tensors[index + 1 :],
        ]
        return _reals(f(*arguments).numpy())

    rows = _reals(f(*tensors).numpy()).size
    matrix = np.zeros((rows, flat.size), dtype)
    for column in range(flat.size if rows else 0):
        matrix[:, column] = (value(column, step) - value(column, -step)) / (2 * step)
    return matrix


# ------------------------------------------------------------------ TensorFlow 1


def gradient_in_graph(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> Any:
    """Computes the theoretical and numerical Jacobians of a graph tensor.

    Args:
        x: A tensor, or a list of tensors.
        x_shape: Its shape, or a list of shapes.
        y: The tensor that depends on it.
        y_shape: Its shape.
        x_init_value: The point; random if None.
        delta: The step of the finite differences.
        init_targets: Ops to run first.
        extra_feed_dict: Values for other tensors.

    Returns:
        Two matrices with a row for each element of x, or a list of such pairs.
    """
    from twinflow._src.compat_v1.session.session import get_default_session

    session, several = get_default_session(), isinstance(x, list)
    for target in init_targets or ():
        session.run(target)
    sources, shapes = (x, x_shape) if several else ([x], [x_shape])
    starts = (x_init_value if several else [x_init_value]) or [None] * len(sources)
    values = [_start(*each) for each in zip(sources, shapes, starts)]
    point = _Point(session, sources, values, extra_feed_dict or {})
    jacobians = [
        (point.by_graph(i, y, y_shape), point.by_differences(i, y, delta))
        for i in range(len(sources))
    ]
    return jacobians if several else jacobians[0]


def _start(tensor: Any, shape: Any, value: Any) -> Any:
    dtype = tensor.dtype.as_numpy_dtype
    return np.asarray(np.random.random_sample(shape) if value is None else value, dtype)


class _Point:
    """The point at which a graph is differentiated."""

    def __init__(
        self, session: Any, sources: list[Any], values: list[Any], others: dict[Any, Any]
    ) -> None:
        self._session, self._sources, self._values, self._others = session, sources, values, others

    def _run(self, fetch: Any, index: int, value: Any, more: Any = ()) -> Any:
        values = [*self._values[:index], value, *self._values[index + 1 :]]
        return self._session.run(
            fetch, {**dict(zip(self._sources, values)), **self._others, **dict(more)}
        )

    def by_graph(self, index: int, y: Any, y_shape: Any) -> Any:
        """Returns the transposed Jacobian by the graph's gradients."""
        source, start = self._sources[index], self._values[index]
        seed = API["zeros"](list(y_shape), y.dtype)
        (gradient,) = API["gradients"](y, source, grad_ys=seed)
        rows = []
        count = int(np.prod(y_shape)) * (2 if y.dtype.is_complex else 1)
        for row in range(count):
            direction = np.zeros(count, _real_type(y))
            direction[row] = 1
            seed_value = direction.view(y.dtype.as_numpy_dtype).reshape(y_shape)
            row_gradient = (
                self._run(gradient, index, start, {seed: seed_value}.items())
                if gradient is not None
                else start * 0
            )
            rows.append(_reals(row_gradient))
        return np.stack(rows, 1) if rows else np.zeros((_reals(start).size, 0), _real_type(source))

    def by_differences(self, index: int, y: Any, step: float) -> Any:
        """Returns the transposed Jacobian by finite differences."""
        start, flat = self._values[index], _reals(self._values[index])
        rows = []
        for column in range(flat.size):
            ends = []
            for by in (step, -step):
                moved = flat.copy()
                moved[column] += flat.dtype.type(by)
                ends.append(
                    _reals(self._run(y, index, moved.view(start.dtype).reshape(start.shape)))
                )
            rows.append((ends[0] - ends[1]) / (2 * step))
        return np.stack(rows).astype(flat.dtype)


def gradient_error(*args: Any, **kwargs: Any) -> float:
    """Returns the maximum error between both Jacobians of ``gradient_in_graph``."""
    jacobians = gradient_in_graph(*args, **kwargs)
    pairs = jacobians if isinstance(jacobians, list) else [jacobians]
    return max((np.fabs(a - b).max() for a, b in pairs if a.size), default=0.0)
