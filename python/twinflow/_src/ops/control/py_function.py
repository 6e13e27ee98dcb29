"""``tf.py_function``, ``tf.numpy_function`` and ``tf.timestamp``."""

from __future__ import annotations

import contextlib
import functools
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from twinflow._src.control_flow.py_function import RecordedFunction, gradient_of, later
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import errors
from twinflow._src.core.context import entered, thread
from twinflow._src.core.dtypes import as_dtype, float64
from twinflow._src.core.nest import flatten
from twinflow._src.core.specs import TypeSpec
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import export

_KINDS: tuple[tuple[Any, type[errors.OpError]], ...] = (
    (StopIteration, errors.OutOfRangeError),
    ((ValueError, TypeError), errors.InvalidArgumentError),
    (NotImplementedError, errors.UnimplementedError),
    (MemoryError, errors.ResourceExhaustedError),
)


def _decorator(what: Callable[..., Any], func: Any, inp: Any, Tout: Any, name: Any) -> Any:
    """Returns the decorator if ``func`` is None, else None; validates the arguments."""
    public = what.__name__
    if Tout is None:
        raise TypeError(
            f"Missing required argument: 'Tout'\n  If using tf.{public} as a decorator, set `Tout`\n"
            f"  **by name** above the function:\n  `@tf.{public}(Tout=tout)`"
        )
    if func is not None and inp is None:
        raise TypeError(
            "Missing argument `inp`:\n  You must set the `inp` argument (the list of arguments to the\n"
            f"  function), unless you use `tf.{public}` as a decorator(`func=None`)."
        )
    if func is not None:
        return None
    if inp is not None:
        raise TypeError(
            f"Don't set the `inp` argument when using tf.{public} as a decorator (`func=None`)."
        )

    def py_function_decorator(fun: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fun)
        def call(*args: Any) -> Any:
            return what(fun, inp=args, Tout=Tout, name=name)

        return call

    return py_function_decorator


@export("py_function")
def py_function(
    func: Any = None, inp: Any = None, Tout: Any = None, name: str | None = None
) -> Any:
    """Calls a Python function with tensors, as an op.

    Args:
        func: The function; it takes tensors and returns tensors, values or None. If None, a decorator
            is returned.
        inp: The arguments.
        Tout: The dtype of the result, or a list of dtypes.

    Returns:
        A tensor, or a list of tensors.

    Raises:
        InvalidArgumentError: The results do not match ``Tout``, or the function raised ValueError or
            TypeError.
        UnknownError: The function raised another error.
    """
    decorator = _decorator(py_function, func, inp, Tout, name)
    if decorator is not None:
        return decorator
    several = isinstance(Tout, (list, tuple))
    kinds = flatten(Tout) if several else [Tout]
    dtypes = [as_dtype(getattr(t, "dtype", t) if isinstance(t, TypeSpec) else t) for t in kinds]
    token = next(_calls)
    if thread.scope.graph is not None:
        call = RecordedFunction(lambda *tensors: flatten(py_function(func, tensors, Tout)))
        run = call if several else lambda *tensors: call(*tensors)[0]
        results = dtypes, [None] * len(dtypes), not several
        with _here():
            return later("EagerPyFunc", run, inp, results, name, gradient_of(call))
    values = _call_function(func, inp, dtypes)
    if len(values) != len(dtypes):
        raise errors.invalid(
            f"pyfunc_{token} returns {len(values)} values, but expects to see {len(dtypes)} values."
        )
    return values if several else values[0]


def _call_function(func: Any, inp: Any, dtypes: list[Any]) -> list[Any]:
    """Calls a user function and returns tensors; its exceptions become op errors."""
    if not callable(func):
        raise ValueError(
            f"Expected func to be callable. Received func={func} of type {type(func)}."
        )
    arguments = [
        x if is_tensor(x) and not isinstance(x, Tensor) else convert_to_tensor(x) for x in inp
    ]
    with _op_errors():
        return _results(func(*arguments), dtypes)


@contextlib.contextmanager
def _op_errors() -> Iterator[None]:
    """Context manager that turns exceptions of a user function into op errors."""
    try:
        yield
    except errors.OpError:
        raise
    except Exception as error:
        cls = next((cls for kind, cls in _KINDS if isinstance(error, kind)), errors.UnknownError)
        raise cls(None, None, f"{type(error).__name__}: {error}") from error


def _results(outputs: Any, dtypes: list[Any]) -> list[Any]:
    """Converts the results of a user function to tensors; surplus results are dropped."""
    if isinstance(outputs, (list, tuple)):
        return [convert_to_tensor(v, dtype=t) for v, t in zip(outputs, dtypes)]
    return [] if outputs is None else [convert_to_tensor(outputs, dtype=dtypes[0])]


_calls = itertools.count()  # TensorFlow numbers the function tokens


@export("numpy_function")
def numpy_function(
    func: Any = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Calls a Python function with NumPy arrays, as an op.

    Args:
        func: The function; it takes and returns arrays. If None, a decorator is returned.
        inp: The arguments.
        Tout: The dtype of the result, or a list of dtypes.
        stateful: Ignored; the function is always called.

    Returns:
        A tensor, or a list of tensors; None if the function returns nothing.

    Raises:
        InvalidArgumentError: In a graph, the function raised ValueError or TypeError, or its results
            do not match ``Tout``.
        UnknownError: In a graph, the function raised another error.
    """
    decorator = _decorator(numpy_function, func, inp, Tout, name)
    if decorator is not None:
        return decorator
    if thread.scope.graph is not None:
        return _numpy_function_later(func, inp, Tout, name)
    return _as_tensors(func(*map(np.array, inp)))


def _as_tensors(values: Any) -> Any:
    """Returns what a function returned as a tensor, or as a list of tensors."""
    tensors = [None if v is None else convert_to_tensor(v) for v in flatten(values)]
    return tensors[0] if len(tensors) == 1 else tensors


def _numpy_function_later(func: Any, inp: Any, Tout: Any, name: str | None) -> Any:
    several = isinstance(Tout, (list, tuple))
    dtypes = [as_dtype(t) for t in Tout] if several else [as_dtype(Tout)]
    token = next(_calls)

    def call(*tensors: Any) -> Any:
        arrays = [np.array(x)[()] for x in tensors]  # graphs pass NumPy scalars
        with _op_errors():
            outputs = _as_tensors(func(*arrays))
        values = outputs if isinstance(outputs, list) else [outputs]
        for i, (value, dtype) in enumerate(zip(values, dtypes)):
            if value.dtype is not dtype:
                raise errors.invalid(
                    f"{i}-th value returned by pyfunc_{token} is {value.dtype.cname}, but expects "
                    f"{dtype.cname}"
                )
        return outputs

    results = dtypes, [None] * len(dtypes), not several
    with _here():
        return later("PyFunc", call, _as_numpy_takes(inp), results, name)


def _here() -> Any:
    """Returns a context manager that places ops of traced functions on the local host."""
    scope = thread.scope
    traced = scope.graph.building_function and not scope.device
    return (
        entered(scope.but(device="/job:localhost/replica:0/task:0"))
        if traced
        else contextlib.nullcontext()
    )


def _as_numpy_takes(inputs: Any) -> list[Any]:
    return [x if is_tensor(x) else convert_to_tensor(x) for x in inputs]


@export("timestamp")
def timestamp(name: str | None = None) -> Any:
    """Returns the time in seconds since the Unix epoch.

    Args:
        name: A name for the operation.

    Returns:
        A scalar float64 tensor.
    """
    if thread.scope.graph is not None:
        return later("Timestamp", timestamp, [], ([float64], [()], True), name)
    return convert_to_tensor(np.asarray(time.time()))
