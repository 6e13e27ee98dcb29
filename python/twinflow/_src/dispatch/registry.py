"""What an op is: its type, its parameters, and the table of all ops."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

from twinflow._src.core import dtypes, shapes
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.dispatch.attributes import attribute, python_name
from twinflow._src.dispatch.lazy_tables import TYPES, LateTable
from twinflow._src.dispatch.signature_errors import HANDWRITTEN, refusal


@dataclass(frozen=True)
class Kind:
    """What a tensor parameter of an op takes.

    Attributes:
        attr: The name of the type attribute that ties parameters of one type together.
        only: The one type that is taken, or None.
        default: The type that a Python value gets where no tensor says otherwise.
        allowed: The types that are taken; None means those of the op.
        host: Whether the kernel reads the values (sizes, axes): they stay on the host.
        many: Whether the parameter is a sequence of tensors.
        mixed: Whether the tensors of the sequence may be of different types, each of them ``allowed``.
    """

    attr: str = "T"
    only: DType | None = None
    default: DType | None = None
    allowed: frozenset[DType] | None = None
    host: bool = False
    many: bool = False
    mixed: bool = False


PLACES = frozenset((dtypes.int16, dtypes.int32, dtypes.int64))
_INDEX_TYPES = frozenset((dtypes.int32, dtypes.int64))
T = Kind()


def _ints(attr: str, default: DType = dtypes.int32) -> Kind:
    return Kind(attr, default=default, allowed=_INDEX_TYPES, host=True)


# Annotations of kernel parameters; a bare one means a tensor of the op's own type.
Ints = Annotated[Any, _ints("Tidx")]
Longs = Annotated[Any, _ints("Tindex", dtypes.int64)]
Sizes = Annotated[Any, _ints("Tshape")]
Indices = Annotated[Any, Kind("Tindices", allowed=_INDEX_TYPES)]
Places = Annotated[Any, Kind("Tindices", allowed=PLACES)]
Bools = Annotated[Any, Kind("bool", only=dtypes.bool_)]
Strings = Annotated[Any, Kind("string", only=dtypes.string)]
Tensors = Annotated[Any, Kind(many=True)]
Resource = Annotated[Any, Kind("resource")]
# Annotations of attributes are parsers.
Type = Annotated[Any, as_dtype]


class Param(NamedTuple):
    """A parameter of a public function: a tensor (``kind`` set) or an attribute."""

    name: str
    default: Any
    kind: Kind | None
    parse: Callable[[Any], Any] | None = None


class Call(NamedTuple):
    """An op that ran: what tapes and other observers are told."""

    op: Op
    inputs: tuple[Any, ...]
    attrs: dict[str, Any]
    outputs: Any


@dataclass(eq=False)
class Op:
    """One operation; see the decorator ``op`` for the attributes."""

    type: str
    kernel: Callable[..., Any]
    api: tuple[str, ...] = ()
    r: str | None = None
    shape: Callable[..., shapes.Dims | None] = shapes.unknown
    dtypes: frozenset[DType] = dtypes.ANY
    out: str | DType | None = None
    devices: tuple[str, ...] = ("CPU", "GPU")
    hinted: bool = False
    impure: bool = False
    sizes: bool = (
        False  # tells of its inputs what needs no look at their values: the results are on the host
    )
    variants: dict[DType, str] = field(default_factory=dict)
    gradient: Callable[..., Any] | None = None
    no_gradient: bool = False
    ufunc: str | None = None
    bulk: str | None = None
    each: bool = False
    light: bool = False
    fill: Callable[..., Any] | None = None
    converts: bool = False  # the public function makes a tensor of its first argument by itself
    infer: Callable[[Any], Any] | None = None  # of a graph's own ops: the results of an operation
    partial: bool = False  # the gradient function takes None for results that nothing depends on
    demands: bool = False  # an attribute has no default
    direct: bool = False  # its inputs may go the short way
    plain: bool = False  # and are tensors of one type, no more
    single: bool = False  # one of them alone has the op's type, and so tells it
    typed: bool = False  # an attribute may be a type
    tells: bool = False  # whether its type and its attributes say whether anything is of bfloat16
    blocked: bool = False  # large inputs are run block by block
    expand: Callable[..., Any] | None = None  # runs what an operation holds op by op, for tapes
    params: tuple[Param, ...] = ()
    tensors: tuple[Param, ...] = ()
    attrs: tuple[Param, ...] = ()
    kinds: tuple[Kind, ...] = ()
    optional: tuple[bool, ...] = ()  # whether tensors may be left out, as axes
    lists: tuple[int, ...] = ()  # the positions of the inputs that are lists
    defaults: dict[str, Any] = field(default_factory=dict)
    places: dict[Any, tuple[list[Any], list[Any], int | None]] = field(
        default_factory=dict
    )  # of arguments
    launches: dict[Any, Callable[..., Any]] = field(
        default_factory=dict
    )  # how it runs on devices other than the host
    remembered: dict[Any, Any] = field(default_factory=dict)  # attributes that were read before
    repeats: dict[Any, Any] = field(default_factory=dict)  # calls that were made before
    public: Callable[..., Any] = field(default=lambda: None, repr=False)

    def __post_init__(self) -> None:
        self.bulk = self.bulk or self.ufunc
        self.each = self.each or self.light or self.bulk is not None

    @property
    def name(self) -> str:
        """The name of the public function."""
        return self.kernel.__name__

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(param.name for param in self.params)

    @functools.cached_property
    def known(self) -> frozenset[str]:
        """The names that a call may use."""
        return frozenset(self.names)

    @functools.cached_property
    def required(self) -> frozenset[str]:
        """The names of those without a default."""
        return frozenset(param.name for param in self.params if param.default is REQUIRED)

    def bind(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """The tensors and the attributes of a call of the public function."""
        if not kwargs and len(args) == len(self.tensors) and not self.demands:
            return list(args), self.defaults.copy()
        given, key = (*args, *kwargs.values()), (len(args), *kwargs)
        tensors, attributes, named = self.places.get(key) or self._found(key)
        values = [param.default if place is None else given[place] for place, param in tensors]
        attrs = self.defaults.copy()
        for place, param in attributes:
            value = given[place]
            if value is not param.default and not type(value) is bool is type(param.default):
                value = self._parsed(param, value)
            attrs[param.name] = value
        if named is not None and thread.scope.graph is not None and given[named]:
            attrs["name"] = given[named]
        return values, attrs

    def _found(self, key: tuple[Any, ...]) -> tuple[list[Any], list[Any], int | None]:
        """Where the parameters stand in calls with so many arguments and these keywords, which is looked up once.

        Args:
            key: The number of arguments that are given by position, and the names of the others.

        Returns:
            The places of the tensors, None for those that are not given, of the attributes that are, and of the name.

        Raises:
            TypeError: Such a call does not fit.
        """
        names, (count, *keywords) = self.names, key
        named = keywords.index("name") + count if "name" in keywords else None
        if count == len(names) + 1:
            count, named = count - 1, count - 1
        given = dict(zip(names, range(count)))
        given.update((name, place) for place, name in enumerate(keywords, key[0]) if name != "name")
        others = [name for name in keywords if name != "name"]
        if not self.required <= given.keys() <= self.known or len(given) < count + len(others):
            raise self._refused(count, others)
        tensors = [(given.get(param.name), param) for param in self.tensors]
        attributes = [(given[param.name], param) for param in self.attrs if param.name in given]
        self.places[key] = found = tensors, attributes, named
        return found

    def _parsed(self, param: Param, value: Any) -> Any:
        """The value of an attribute that was given: as the op's definition or the kernel says."""
        if type(value) not in _REMEMBERED:
            return self._read(param, value)
        key = param.name, type(value), value
        if key in self.remembered:
            return self.remembered[key]
        found = self._read(param, value)
        if len(self.remembered) < _MOST:
            self.remembered[key] = found
        return found

    def _read(self, param: Param, value: Any) -> Any:
        known = attribute(self.type, param.name)
        if known is not None:
            value = known.parsed(value, param.name)
            if value is None and param.default is not REQUIRED:
                return param.default
        return param.parse(value) if param.parse else value

    def _refused(self, given: int, keywords: list[str]) -> Exception:
        """Why arguments do not fit the public function."""
        names = [*(param.name for param in self.params), "name"]
        required = [param.name for param in self.params if param.default is REQUIRED]
        if self.type in HANDWRITTEN:
            return refusal(names, required, given, keywords) or TypeError(self.name)
        name = f"{python_name(self.type) if self.api else self.name}()"
        for keyword in keywords:
            if keyword not in names:
                return TypeError(f"{name} got an unexpected keyword argument '{keyword}'")
            if keyword in names[:given]:
                return TypeError(f"{name} got multiple values for argument '{keyword}'")
        if given > len(names):
            return TypeError(
                f"{name} takes from {len(required)} to {len(names)} positional arguments but {given} were given"
            )
        missing = [repr(n) for n in required if n not in keywords and n not in names[:given]]
        many = (
            f"s: {', '.join(missing[:-1])}{',' * (len(missing) > 2)} and " if missing[1:] else ": "
        )
        return TypeError(
            f"{name} missing {len(missing)} required positional argument{many}{missing[-1]}"
        )


REQUIRED: Any = inspect.Parameter.empty
# Values of these types are read once, so many of them: programs give few different ones for an attribute.
_REMEMBERED, _MOST = frozenset((DType, bool, str)), 64

# The op table: TensorFlow's op type to the op.
OPS: LateTable[Op] = LateTable(TYPES)
