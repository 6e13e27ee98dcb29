"""Calls in rewritten functions: recursive conversion, builtins on tensors, and loop options."""

from __future__ import annotations

import builtins
import enum
import inspect
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from twinflow._src.composite_tensors.component_specs import composite_spec
from twinflow._src.control_flow.tensor_array import TensorArray
from twinflow._src.conversion.constant import constant, is_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype, bool_, string
from twinflow._src.core.shapes import TensorShape, static_size
from twinflow._src.core.specs import TensorSpec
from twinflow._src.dispatch.op import API, export

# Conversion of callees.


Convert = Callable[[Any], Any]


def _is_tensor(value: Any) -> bool:
    """True for a tensor, variable or composite tensor, inside a graph."""
    return thread.scope.graph is not None and (
        is_tensor(value) or composite_spec(value) is not None
    )


def _range(start_or_stop: Any, *args: Any) -> Any:
    limits = (start_or_stop, *args)
    if not any(map(_is_tensor, limits)):
        return builtins.range(*limits)
    if len(args) > 1:
        return API["range"](*limits)
    if args:
        return API["range"](start_or_stop, API["maximum"](*limits))
    return API["range"](API["maximum"](start_or_stop, 0))


def _len(s: Any) -> Any:
    if isinstance(s, TensorArray):
        return s.size()
    if _is_dataset(s):
        count = s.cardinality()
        said = ["len requires dataset with definitive cardinality, got ", count]
        with thread.scope.graph.control_dependencies(
            [API["debugging.Assert"](count >= 0, [_joined(said)])]
        ):
            return API["identity"](count)
    if not _is_tensor(s):
        return builtins.len(s)
    if s.shape.rank is not None:
        if s.shape.rank == 0:
            raise ValueError(
                f"len requires a non-scalar tensor, got one of shape {API['shape'](s)}"
            )
        count = static_size(s.shape, 0)
        return API["shape"](s)[0] if count is None else count
    rank = API["rank"](s)
    said = ["len requires non-zero rank, got ", rank]
    with thread.scope.graph.control_dependencies(
        [API["debugging.Assert"](rank > 0, [_joined(said)])]
    ):
        return API["shape"](s)[0]


def _joined(parts: list[Any]) -> Any:
    """Returns a text and a number as one string tensor."""
    return API["strings.join"]([parts[0], API["strings.as_string"](parts[1])])


def _int(*args: Any, **kwargs: Any) -> Any:
    if not args or not _is_tensor(args[0]):
        return builtins.int(*args, **kwargs)
    base = args[1] if len(args) > 1 else kwargs.get("base", 10)
    if base != 10:
        raise NotImplementedError(f"base {base} not supported for int")
    return _number(args[0], "int32")


def _float(*args: Any) -> Any:
    return _number(args[0], "float32") if args and _is_tensor(args[0]) else builtins.float(*args)


def _number(value: Any, dtype: str) -> Any:
    return (
        API["strings.to_number"](value, as_dtype(dtype))
        if value.dtype is string
        else API["cast"](value, dtype)
    )


def _sorted(iterable: Any, /, **kwargs: Any) -> Any:
    if not _is_tensor(iterable):
        return builtins.sorted(iterable, **kwargs)
    return _sorted_tensor(iterable, **kwargs)


def _sorted_tensor(iterable: Any, key: Any = None, reverse: bool = False) -> Any:
    if iterable.shape.rank != 1:
        raise ValueError("sort only supports only 1D tensors")
    direction = "DESCENDING" if reverse else "ASCENDING"
    if key is None:
        return API["sort"](iterable, direction=direction)
    return API["gather"](
        iterable, API["argsort"](API["map_fn"](key, iterable), direction=direction)
    )


def _abs(x: Any, /) -> Any:
    if _is_dataset(x):
        return x.map(API["abs"])
    return API["abs"](x) if _is_tensor(x) else builtins.abs(x)


def _is_dataset(value: Any) -> bool:
    """True for a dataset inside a graph, where Python cannot iterate over it."""
    return (
        thread.scope.graph is not None
        and hasattr(value, "__graph_iter__")
        and hasattr(value, "element_spec")
        and hasattr(value, "enumerate")
    )


def _enumerate(iterable: Any, start: Any = 0) -> Any:
    return (
        iterable.enumerate(start) if _is_dataset(iterable) else builtins.enumerate(iterable, start)
    )


def _zip(*iterables: Any, **kwargs: Any) -> Any:
    if iterables and not kwargs and all(map(_is_dataset, iterables)):
        return type(iterables[0]).zip(tuple(iterables))
    return builtins.zip(*iterables, **kwargs)


def _map(function: Any, *iterables: Any) -> Any:
    if iterables and all(map(_is_dataset, iterables)):
        return type(iterables[0]).zip(tuple(iterables)).map(function)
    return builtins.map(function, *iterables)


def _filter(function: Any, iterable: Any) -> Any:
    return (
        iterable.filter(function) if _is_dataset(iterable) else builtins.filter(function, iterable)
    )


def _any(iterable: Any, /) -> Any:
    if not _is_dataset(iterable):
        return builtins.any(iterable)
    _check_bools(iterable, "any")
    found = iterable.filter(lambda x: x).take(1)
    return found.reduce(constant(False), lambda _, x: x)


def _all(iterable: Any, /) -> Any:
    if not _is_dataset(iterable):
        return builtins.all(iterable)
    _check_bools(iterable, "all")
    found = iterable.filter(API["logical_not"]).take(1)
    return found.reduce(constant(True), lambda _, x: x)


def _check_bools(dataset: Any, name: str) -> None:
    spec = dataset.element_spec
    if not isinstance(spec, TensorSpec) or spec.dtype is not bool_:
        raise ValueError(
            f'in graph mode, the "{name}" builtin only supports datasets that return bool scalars; '
            f"got: {spec}"
        )


_BUILTINS: dict[Any, Callable[..., Any]] = {
    builtins.enumerate: _enumerate,
    builtins.zip: _zip,
    builtins.map: _map,
    builtins.filter: _filter,
    builtins.range: _range,
    builtins.len: _len,
    builtins.int: _int,
    builtins.float: _float,
    builtins.sorted: _sorted,
    builtins.abs: _abs,
    builtins.any: _any,
    builtins.all: _all,
}

# Libraries whose functions are not converted, besides the standard library.
_LIBRARIES = (
    *("twinflow", "tensorflow", "numpy", "builtins", "matplotlib", "pandas", "PIL", "absl.logging"),
    *("tensorflow_probability", "tensorflow_datasets.core", "keras", "tf_keras"),
)


def callee_for(convert: Convert) -> Callable[[Any], Any]:
    """Returns the function that rewritten code applies to every callee.

    ``convert`` rewrites a function.
    """

    def callee(function: Any) -> Any:
        try:
            builtin = _BUILTINS.get(function)
        except TypeError:  # not hashable
            return function
        if builtin is not None:
            return builtin
        if isinstance(function, types.FunctionType):
            return convert(function) if _is_users(function) else function
        if isinstance(function, types.MethodType) and isinstance(
            function.__func__, types.FunctionType
        ):
            if not _is_users(function.__func__) or _is_test(function.__self__):
                return function
            return types.MethodType(convert(function.__func__), function.__self__)
        return _of_object(function)

    def _of_object(function: Any) -> Any:
        method = own_call(function)
        return function if method is None else types.MethodType(convert(method), function)

    return callee


def own_call(function: Any) -> types.FunctionType | None:
    """Returns the ``__call__`` of a user-defined class of callable objects, or None."""
    kinds = () if inspect.isclass(function) else type(function).__mro__
    method = next((vars(kind)["__call__"] for kind in kinds if "__call__" in vars(kind)), None)
    return method if isinstance(method, types.FunctionType) and _is_users(method) else None


def _is_users(function: types.FunctionType) -> bool:
    """True for a user function or a wrapper to be converted, False for library functions."""
    if hasattr(function, "_is_rewritten"):
        return True
    name = (
        function.__globals__.get("__name__")
        if hasattr(function, "__wrapped__")
        else function.__module__
    )
    name = name or ""
    if name.partition(".")[0] in sys.stdlib_module_names:
        return name == "__main__"
    return not any(name == library or name.startswith(f"{library}.") for library in _LIBRARIES)


def _is_test(owner: Any) -> bool:
    """True for a test case; its methods are not converted."""
    unittest = sys.modules.get("unittest")
    return unittest is not None and isinstance(owner, unittest.TestCase)


# Loop options and features (``tf.autograph.experimental``).


class Options:
    """Options of a loop; see ``set_loop_options``."""

    def __init__(
        self,
        parallel_iterations: Any = None,
        swap_memory: Any = None,
        maximum_iterations: Any = None,
        shape_invariants: Any = None,
    ) -> None:
        self.most, self.relaxes_shapes = maximum_iterations, False
        self.shape_invariants: list[tuple[Any, Any]] = list(shape_invariants or ())

    def shape_of(self, tensor: Any) -> TensorShape:
        """Returns the shape invariant of a variable."""
        shapes = [TensorShape(shape) for value, shape in self.shape_invariants if value is tensor]
        return shapes[0] if shapes else tensor.shape

    def shapes(self, flat: list[Any]) -> list[TensorShape] | None:
        """Returns the shape invariants of all variables, or None if none was set."""
        if not self.shape_invariants:
            return None
        return [TensorShape(()) if isinstance(x, TensorArray) else self._said_of(x) for x in flat]

    def _said_of(self, value: Any) -> Any:
        """Returns the shape invariant of a variable; of a composite tensor, the spec or None."""
        shapes = [shape for candidate, shape in self.shape_invariants if candidate is value]
        if composite_spec(value) is None:
            return self.shape_of(value)
        return shapes[0] if shapes else None


@export("autograph.experimental.set_loop_options")
def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Sets options of the enclosing loop, as a statement directly in its body.

    AutoGraph evaluates the arguments before the loop. Elsewhere, and in loops that Python runs, the
    call has no effect.

    Args:
        parallel_iterations: Accepted and without effect.
        swap_memory: Accepted and without effect.
        maximum_iterations: The maximum number of iterations, or None.
        shape_invariants: Pairs of a variable and its shape invariant.
    """


@export("autograph.experimental.Feature")
class Feature(enum.Enum):
    """AutoGraph features. All are always enabled; selecting some has no effect."""

    __module__ = "twinflow.autograph.experimental"

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """Returns all features."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: Feature | Iterable[Feature]) -> tuple[Feature, ...]:
        """Returns all features except some.

        Args:
            exclude: One feature, or several.
        """
        left_out = (exclude,) if isinstance(exclude, Feature) else tuple(exclude)
        return tuple(feature for feature in cls if feature not in (cls.ALL, *left_out))
