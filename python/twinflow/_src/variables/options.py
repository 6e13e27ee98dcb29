"""Options of variables: synchronization, aggregation, save slices, conversion from ``VariableDef``.

``declare`` adds the methods of concrete classes to the public base classes ``tf.Variable`` and
``tf.Tensor``, whose instances always belong to subclasses.
"""

from __future__ import annotations

import enum
import functools
import inspect
import itertools
import threading
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from twinflow._src.dispatch.signature_errors import wraps

# Options.


_EAGER_OPERATION = "This operation is not supported when eager execution is enabled."
_EAGER_PROPERTY = "This property is not supported when eager execution is enabled."


class VariableSynchronization(enum.Enum):
    """Synchronization modes of distributed copies of a variable."""

    __module__ = "twinflow"

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class _Aggregation(enum.Enum):
    """An enumeration whose members equal those of TensorFlow 1 or 2 with the same number."""

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _Aggregation):
            return self.value == other.value
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.value)


class VariableAggregation(_Aggregation):
    """Aggregation modes of distributed copies of a variable, with the names of TensorFlow 1."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3


class VariableAggregationV2(_Aggregation):
    """Aggregation modes of distributed copies of a variable."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


def member(kind: type[enum.Enum], value: Any, what: str, name: str | None) -> Any:
    """Returns a mode of a variable; the first one where None; ValueError for any other value."""
    if value is None:
        return next(iter(kind))
    if isinstance(value, (VariableSynchronization, _Aggregation)):
        return value
    if isinstance(value, int) and value in range(4):
        return (VariableAggregationV2 if issubclass(kind, _Aggregation) else kind)(value)
    raise ValueError(f"Invalid variable {what} mode: {value} for variable: {name}")


def assert_collections(collections: Any) -> None:
    """Raises ValueError unless ``collections`` is None, a list, a tuple or a set."""
    if collections is not None and not isinstance(collections, (list, tuple, set)):
        raise ValueError(
            "collections argument to Variable constructor must be a list, tuple, or set. Got "
            f"{collections} of type {type(collections)}"
        )


class SaveSliceInfo:
    """The slice of a larger saved tensor that a variable holds.

    Args:
        full_name: Name of the full tensor.
        full_shape: Shape of the full tensor.
        var_offset: Offset of this slice, per dimension.
        var_shape: Shape of this slice.
        save_slice_info_def: A ``SaveSliceInfoDef`` with these fields, or None.
        import_scope: A name scope that is added to the name in the message, or None.

    Raises:
        TypeError: ``save_slice_info_def`` is another message.
    """

    def __init__(
        self,
        full_name: str | None = None,
        full_shape: Any = None,
        var_offset: Any = None,
        var_shape: Any = None,
        save_slice_info_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if save_slice_info_def is not None:
            from twinflow._src.variables.variable_def import slice_fields

            full_name, full_shape, var_offset, var_shape = slice_fields(
                save_slice_info_def, import_scope
            )
        self.full_name, self.full_shape = full_name, full_shape
        self.var_offset, self.var_shape = var_offset, var_shape

    @property
    def spec(self) -> str:
        """The slice spec of checkpoints: the full shape, then offset and length per dimension."""
        sizes = " ".join(str(size) for size in self.full_shape)
        return f"{sizes} {':'.join(f'{begin},{length}' for begin, length in zip(self.var_offset, self.var_shape))}"

    @classmethod
    def from_spec(cls, spec: str) -> SaveSliceInfo:
        """Returns the slice of a slice spec.

        Args:
            spec: A string in the format of ``spec``.

        Raises:
            ValueError: The string is malformed.
        """
        *sizes, slices = spec.split()
        full = [int(size) for size in sizes]
        if not full:
            raise ValueError(_SPEC)
        offsets, lengths = [], []
        for part in slices.split(":"):
            begin, comma, length = part.partition(",")
            if not comma:
                raise ValueError(_SPEC)
            offsets.append(int(begin))
            lengths.append(int(length))
        return cls(full_shape=full, var_offset=offsets, var_shape=lengths)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the ``SaveSliceInfoDef``; None where the name is not in ``export_scope``.

        Args:
            export_scope: A name scope that is stripped from the name, or None.
        """
        from twinflow._src.variables.variable_def import slice_proto

        return slice_proto(self, export_scope)


_SPEC = "Spec string must contain comma-separated pairs of offsets and shapes."


class Described:
    """Mixin of variables that a ``VariableDef`` describes, with their save slices."""

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> Any:
        """Returns the variable of the default graph that a message describes.

        Args:
            variable_def: A ``VariableDef``.
            import_scope: A name scope that is added to the names in the message, or None.
        """
        from twinflow._src.variables.variable_def import from_proto

        return from_proto(variable_def, import_scope)

    def _set_save_slice_info(self, info: Any) -> None:
        """Sets the slice of a larger tensor that this variable holds."""
        self._save_slice_info = info

    def _get_save_slice_info(self) -> Any:
        return getattr(self, "_save_slice_info", None)


class GraphAttributes:
    """Graph-only attributes of variables, which raise in eager execution."""

    @property
    def create(self) -> NoReturn:
        """The operation that creates the variable in a graph."""
        raise RuntimeError(_EAGER_OPERATION)

    @property
    def initial_value(self) -> NoReturn:
        """The tensor of the initial value in a graph."""
        raise RuntimeError(_EAGER_PROPERTY)

    @property
    def op(self) -> NoReturn:
        """The operation of the variable in a graph."""
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> NoReturn:
        """The graph of the variable."""
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    def to_proto(self, export_scope: str | None = None) -> NoReturn:
        """Returns the definition of the variable in a graph."""
        raise RuntimeError(_EAGER_OPERATION)

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> NoReturn:
        """Returns the variable of a definition in a graph."""
        raise RuntimeError(_EAGER_OPERATION)

    def eval(self, session: Any = None) -> NoReturn:
        """Evaluates the variable in a session."""
        raise RuntimeError(_EAGER_OPERATION)


# Methods of public base classes whose instances always belong to subclasses: ``tf.Variable`` and
# ``tf.Tensor``.


# The attributes of ``tf.Variable``.
METHODS = (
    *("value", "read_value", "initialized_value", "eval", "load", "numpy", "count_up_to"),
    *(
        "assign",
        "assign_add",
        "assign_sub",
        "scatter_sub",
        "scatter_add",
        "scatter_max",
        "scatter_min",
        "scatter_mul",
    ),
    *(
        "scatter_div",
        "scatter_update",
        "batch_scatter_update",
        "scatter_nd_sub",
        "scatter_nd_add",
        "scatter_nd_update",
    ),
    *("sparse_read", "gather_nd", "set_shape", "to_proto", "__iter__", "__hash__", "__repr__"),
    *(
        "name",
        "dtype",
        "shape",
        "device",
        "op",
        "graph",
        "initializer",
        "initial_value",
        "constraint",
    ),
    *("__init__", "trainable", "synchronization", "aggregation", "_shared_name"),
)


_LIBRARY = __name__.partition(".")[0] + "."


def declare(cls: type, below: type, names: Iterable[str]) -> None:
    """Adds methods and properties of a subclass that dispatch to the instance's own class."""
    for name in names:
        member = getattr(below, name)
        setattr(
            cls,
            name,
            _property(cls, name, member)
            if isinstance(member, property)
            else _method(cls, name, member),
        )


def own(self: Any, cls: type, name: str) -> Any:
    """Returns an attribute that a subclass of this library defines for an object, or None."""
    # User subclasses do not count: they call the attribute through ``super()``.
    kinds = itertools.takewhile(lambda kind: kind is not cls, type(self).__mro__)
    return next(
        (
            vars(k)[name]
            for k in kinds
            if name in vars(k) and k.__module__.startswith((_LIBRARY, "tensorflow.python."))
        ),
        None,
    )


def _method(cls: type, name: str, documented: Any) -> Any:
    @wraps(documented)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        function = own(self, cls, name)
        return (
            _missing(self, name)(*args, **kwargs)
            if function is None
            else function(self, *args, **kwargs)
        )

    return method


def _property(cls: type, name: str, documented: property) -> property:
    def get(self: Any) -> Any:
        member = own(self, cls, name)
        return _missing(self, name) if member is None else member.__get__(self)

    return property(get, doc=documented.__doc__)


def _missing(self: Any, name: str) -> Any:
    """Returns an attribute from ``__getattr__``; NotImplementedError where the class has none."""
    find = getattr(type(self), "__getattr__", None)
    if find is None:
        raise NotImplementedError
    return find(self, name)


# Variable creators.


Creator = Callable[..., Any]


class _Creators(threading.local):
    """The variable creators of the thread, innermost last."""

    stack: tuple[Creator, ...] = ()


creators = _Creators()


def before(step: Creator, creator: Creator) -> Creator:
    """Returns a creator that calls one with the next."""
    return lambda **options: creator(step, **options)


def created(cls: type, kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Creates a variable through the creators of the thread; they get the arguments of a kind by name.

    The class is called last.
    """
    bound = _signature(kind).bind(None, *args, **kwargs)
    bound.apply_defaults()
    _, *names, _ = bound.arguments  # without self and **_
    step: Creator = lambda **options: type.__call__(cls, **options)
    for creator in creators.stack:
        step = before(step, creator)
    variable = step(**{name: bound.arguments[name] for name in names})
    if variable is None:
        raise NotImplementedError
    return variable


@functools.cache
def _signature(make: Any) -> inspect.Signature:
    """Returns the signature of a class's ``__init__``, which ends in ``**_``."""
    return inspect.signature(make.__init__)
