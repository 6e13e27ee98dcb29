"""What can be said of a variable besides its value.

Methods of a class whose objects are all of classes below it: programs take them from ``tf.Variable`` and ``tf.Tensor``.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterable
from typing import Any, NoReturn

from twinflow._src.dispatch.signature_errors import wraps

# What can be said of a variable besides its value.


_EAGER_OPERATION = "This operation is not supported when eager execution is enabled."
_EAGER_PROPERTY = "This property is not supported when eager execution is enabled."


class VariableSynchronization(enum.Enum):
    """When distributed copies of a variable are brought together."""

    __module__ = "twinflow"

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class _Aggregation(enum.Enum):
    """An enumeration whose members equal those of the other generation with the same number."""

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _Aggregation):
            return self.value == other.value
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.value)


class VariableAggregation(_Aggregation):
    """How distributed copies of a variable are combined, as TensorFlow 1 code names it."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3


class VariableAggregationV2(_Aggregation):
    """How distributed copies of a variable are combined."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


def member(kind: type[enum.Enum], value: Any, what: str, name: str | None) -> Any:
    """A mode of a variable; the first of a kind where None.

    Raises:
        ValueError: It is no such mode.
    """
    if value is None:
        return next(iter(kind))
    if isinstance(value, (VariableSynchronization, _Aggregation)):
        return value
    if issubclass(kind, _Aggregation) and isinstance(value, int) and value in range(4):
        return kind(value)
    raise ValueError(f"Invalid variable {what} mode: {value} for variable: {name}")


def assert_collections(collections: Any) -> None:
    """Raises ValueError where collections that a variable is to join come in no list."""
    if collections is not None and not isinstance(collections, (list, tuple, set)):
        raise ValueError(
            "collections argument to Variable constructor must be a list, tuple, or set. Got "
            f"{collections} of type {type(collections)}"
        )


class SaveSliceInfo:
    """Which part of a larger saved tensor a variable is.

    Args:
        full_name: Name of the whole.
        full_shape: Shape of the whole.
        var_offset: Where this part starts, per dimension.
        var_shape: Shape of this part.
        save_slice_info_def: A message that says all of this, or None.
        import_scope: The scope that the message's name is in here, or None.

    Raises:
        TypeError: It is another message.
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
        """The slice as checkpoints name it: the sizes of the whole, then a beginning and a length per dimension."""
        sizes = " ".join(str(size) for size in self.full_shape)
        return f"{sizes} {':'.join(f'{begin},{length}' for begin, length in zip(self.var_offset, self.var_shape))}"

    @classmethod
    def from_spec(cls, spec: str) -> SaveSliceInfo:
        """Returns the slice that a text in the form of ``spec`` names.

        Args:
            spec: The text.

        Raises:
            ValueError: It is no such text.
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
        """Returns the message ``SaveSliceInfoDef``; None where the name is not in a scope.

        Args:
            export_scope: A scope that is left out of the name, or None.
        """
        from twinflow._src.variables.variable_def import slice_proto

        return slice_proto(self, export_scope)


_SPEC = "Spec string must contain comma-separated pairs of offsets and shapes."


class Described:
    """What can be made of a message."""

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> Any:
        """The variable of the default graph that a message describes.

        Args:
            variable_def: A ``VariableDef``.
            import_scope: A scope that its names are in here, or None.
        """
        from twinflow._src.variables.variable_def import from_proto

        return from_proto(variable_def, import_scope)

    def _set_save_slice_info(self, info: Any) -> None:
        """Says of which larger variable this is a part."""
        self._save_slice_info = info

    def _get_save_slice_info(self) -> Any:
        return getattr(self, "_save_slice_info", None)


class GraphAttributes:
    """What a variable has only in a graph: outside one, errors that say so."""

    @property
    def create(self) -> NoReturn:
        """The op that creates the variable in a graph."""
        raise RuntimeError(_EAGER_OPERATION)

    @property
    def initial_value(self) -> NoReturn:
        """The tensor of the initial value in a graph."""
        raise RuntimeError(_EAGER_PROPERTY)

    @property
    def op(self) -> NoReturn:
        """The op of the variable in a graph."""
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> NoReturn:
        """The graph of the variable."""
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    def to_proto(self, export_scope: str | None = None) -> NoReturn:
        """The definition of the variable in a graph."""
        raise RuntimeError(_EAGER_OPERATION)

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> NoReturn:
        """A variable of a graph's definition."""
        raise RuntimeError(_EAGER_OPERATION)

    def eval(self, session: Any = None) -> NoReturn:
        """Evaluates the variable in a session."""
        raise RuntimeError(_EAGER_OPERATION)


# Methods of a class whose objects are all of classes below it: programs take them from
# ``tf.Variable`` and ``tf.Tensor``.


# Those of ``tf.Variable``.
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
    """Puts methods and properties on a class that call those of an object's own class.

    Args:
        cls: The class.
        below: A class that has them, with their documentation.
        names: Their names.
    """
    for name in names:
        found = getattr(below, name)
        setattr(
            cls,
            name,
            _property(cls, name, found)
            if isinstance(found, property)
            else _method(cls, name, found),
        )


def own(self: Any, cls: type, name: str) -> Any:
    """A method or property that a class of this library below another one has for an object; None where none does.

    Those of a program's own class do not count: they call this one by ``super()``.
    """
    kinds = itertools.takewhile(lambda kind: kind is not cls, type(self).__mro__)
    return next(
        (vars(k)[name] for k in kinds if name in vars(k) and k.__module__.startswith(_LIBRARY)),
        None,
    )


def _method(cls: type, name: str, documented: Any) -> Any:
    @wraps(documented)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = own(self, cls, name)
        return (
            _missing(self, name)(*args, **kwargs) if found is None else found(self, *args, **kwargs)
        )

    return method


def _property(cls: type, name: str, documented: property) -> property:
    def get(self: Any) -> Any:
        found = own(self, cls, name)
        return _missing(self, name) if found is None else found.__get__(self)

    return property(get, doc=documented.__doc__)


def _missing(self: Any, name: str) -> Any:
    """What an object without a method of its own finds."""
    find = getattr(type(self), "__getattr__", None)
    if find is None:
        raise NotImplementedError
    return find(self, name)
