"""Op, its parameters and their types, and the op registry."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

from twinflow._src.core import dtypes, shapes
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.fork import cached_property
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.attributes import attribute, python_name
from twinflow._src.dispatch.lazy_tables import TYPES, LateTable
from twinflow._src.dispatch.signature_errors import HANDWRITTEN, refusal


@dataclass(frozen=True)
class Kind:
    """Type constraints of a tensor parameter.

    Attributes:
        attr: The name of the type attribute; parameters that share it have the same dtype.
        only: The single dtype that is allowed, or None.
        default: The dtype of a Python value if no tensor determines it.
        allowed: The allowed dtypes; None means those of the op.
        host: True if the kernel reads the values on the host (sizes, axes).
        many: True if the parameter is a sequence of tensors.
        mixed: True if the tensors of the sequence may have different dtypes, each in ``allowed``.
    """

    attr: str = "T"
    only: DType | None = None
    default: DType | None = None
    allowed: frozenset[DType] | None = None
    host: bool = False
    many: bool = False
    mixed: bool = False


INDEX_TYPES = frozenset((dtypes.int16, dtypes.int32, dtypes.int64))
_INT_TYPES = frozenset((dtypes.int32, dtypes.int64))
T = Kind()


def _ints(attr: str, default: DType = dtypes.int32) -> Kind:
    return Kind(attr, default=default, allowed=_INT_TYPES, host=True)


# Annotations of kernel parameters; a bare one means a tensor of the op's own type.
Ints = Annotated[Any, _ints("Tidx")]
Longs = Annotated[Any, _ints("Tindex", dtypes.int64)]
Sizes = Annotated[Any, _ints("Tshape")]
Indices = Annotated[Any, Kind("Tindices", allowed=_INT_TYPES)]
AnyIndices = Annotated[Any, Kind("Tindices", allowed=INDEX_TYPES)]
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
    """A call of an op, as tapes and other observers get it."""

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
    shape_only: bool = False  # shape queries: inputs are not read, and results are on the host
    variants: dict[DType, str] = field(default_factory=dict)
    gradient: Callable[..., Any] | None = None
    no_gradient: bool = False
    cuda: str | None = None  # the C++ formula of an element; if empty, the kernel is traced
    scalar: str | None = None  # the expression of NumPy scalars, in loops of programs
    native: str | None = None  # the lowering or formula in machine code, where not that of CUDA
    ufunc: str | None = None
    bulk: str | None = None
    each: bool = False
    light: bool = False
    fill: Callable[..., Any] | None = None
    converts: bool = False  # the public function converts its first argument itself
    # of graph-only ops: returns the results of an operation
    infer: Callable[[Any], Any] | None = None
    # Rules, registered beside the kernel.
    reads: tuple[str, ...] | None = (
        None  # what the gradient reads of inputs and "result"; all: None
    )
    slices: bool | str = False  # the gradient accepts IndexedSlices, or "unreduced" ones
    by_row: bool = False  # runs on the rows of IndexedSlices
    specialized: dict[str, Callable[..., Any]] = field(default_factory=dict)  # by kind of device
    static_value: Callable[[Any, int], Any] | None = None  # of a result, by node and index
    of_shapes: bool = False  # the shapes of the inputs determine the static value
    no_op: Callable[[Any, Any], Any] | None = None  # the input that the result equals, if any
    results: tuple[str, ...] = ()  # "name:type" of each, where TensorFlow has no such op
    tf_name: str | None = None  # name of its operations in graphs, where it is not the type
    opens_scope: bool = False  # the public function opens a name scope around the operation
    layout: tuple[str, ...] = ()  # roles of inputs and result in the channels-first data format
    # of a ``BatchedCall``: computes the results for all elements at once
    batched: Callable[[Any], Any] | None = None
    loops: bool = False  # it is a loop, or has one in a branch
    keeps_bfloat16: bool = False  # the kernel takes bfloat16 as it is
    moves: bool = False  # results hold elements of inputs alone: not checked for inf and NaN
    is_identity: bool = False  # the result is the first input
    keeps_zero: bool = False  # maps 0 to 0: runs on the values of sparse tensors
    flat: bool | None = None  # runs on the flat values of ragged tensors; by the shape rule: None
    reads_variable: str | None = None  # returns the "whole" value, "rows", or a "reference"
    implied_axes: str = "all"  # axes where none are given, in this order or "reversed"
    tout: Callable[[DType], DType] | None = None  # the attribute Tout, as a function of T
    partial: bool = False  # the gradient function accepts None for unused upstream gradients
    has_required_attrs: bool = False  # an attribute has no default
    has_dtype_attrs: bool = False  # an attribute may be a dtype
    dtype_is_decisive: bool = False  # dtype and attributes determine whether bfloat16 is involved
    blocked: bool = False  # large inputs are computed in blocks
    expand: Callable[..., Any] | None = None  # runs the body of a function op op by op, for tapes
    # returns an operation without the results that are not in a set of identities
    prune: Callable[[Any, set[int]], Any] | None = None
    duplicate: Callable[[], Any] | None = (
        None  # of ops with subgraphs: the op of a copied operation
    )
    inside: tuple[Any, ...] = ()  # operations whose results a custom gradient may use
    resource: Any = None  # the lookup table that an operation uses or creates
    store: Any = None  # the queue or accumulator that an operation uses
    fixed_attrs: dict[str, Any] = field(default_factory=dict)  # attributes of it in files
    params: tuple[Param, ...] = ()
    tensors: tuple[Param, ...] = ()
    attrs: tuple[Param, ...] = ()
    kinds: tuple[Kind, ...] = ()
    optional: tuple[bool, ...] = ()  # True for tensors that may be omitted, such as axes
    lists: tuple[int, ...] = ()  # the positions of the inputs that are lists
    defaults: dict[str, Any] = field(default_factory=dict)
    call_layouts: dict[Any, tuple[list[Any], list[Any], int | None]] = field(
        default_factory=dict
    )  # argument indices by call form
    launches: dict[Any, Callable[..., Any]] = field(
        default_factory=dict
    )  # launch functions by device
    # the dispatch cache, and the function in front of it; a copy by ``replace`` has its own
    calls: dict[Any, Any] = field(default_factory=dict, init=False)
    cached: Callable[..., Any] | None = field(default=None, init=False)
    public: Callable[..., Any] = field(default=lambda: None, repr=False)

    def __post_init__(self) -> None:
        self.bulk = self.bulk or self.ufunc
        self.each = self.each or self.light or self.bulk is not None

    def register(self, rule: str, function: Callable[..., Any], **options: Any) -> None:
        """Registers a rule: one of ``RULES``, with its options."""
        if not options.keys() <= RULES[rule]:
            raise TypeError(f"unknown options of {rule} of {self.type}: {sorted(options)}")
        if rule == "specialize":
            self.specialized |= dict.fromkeys(options.get("devices", ("CPU", "GPU")), function)
        else:
            setattr(self, rule, function)
            vars(self).update(options)

    @cached_property
    def unread(self) -> frozenset[int | str]:
        """Indices of the inputs that the gradient does not read, and "result" where it is not."""
        if self.reads is None:
            return frozenset()
        positions = {param.name: i for i, param in enumerate(self.tensors)} | {"result": "result"}
        return frozenset(positions[name] for name in positions.keys() - set(self.reads))

    @property
    def name(self) -> str:
        """The name of the public function."""
        return self.kernel.__name__

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(param.name for param in self.params)

    @cached_property
    def name_set(self) -> frozenset[str]:
        """The names of the parameters, as a set."""
        return frozenset(self.names)

    @cached_property
    def required(self) -> frozenset[str]:
        """The names of the parameters without a default."""
        return frozenset(param.name for param in self.params if param.default is REQUIRED)

    @cached_property
    def is_flat(self) -> bool:
        """True if the op runs on the flat values of a ragged tensor: it is element-wise."""
        if self.flat is not None:
            return self.flat
        return self.shape is shapes.broadcast or (
            self.shape is shapes.same and len(self.tensors) == 1
        )

    def bind(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Binds the arguments of the public function to tensor inputs and attributes."""
        if not kwargs and len(args) == len(self.tensors) and not self.has_required_attrs:
            return list(args), self.defaults.copy()
        arguments, key = (*args, *kwargs.values()), (len(args), *kwargs)
        tensors, attributes, named = self.call_layouts.get(key) or self._layout_of(key)
        values = [param.default if index is None else arguments[index] for index, param in tensors]
        attrs = self.defaults.copy()
        for index, param in attributes:
            value = arguments[index]
            if value is not param.default and not type(value) is bool is type(param.default):
                value = self._parsed(param, value)
            attrs[param.name] = value
        if named is not None and thread.scope.graph is not None and arguments[named]:
            attrs["name"] = arguments[named]
        return values, attrs

    def _layout_of(self, key: tuple[Any, ...]) -> tuple[list[Any], list[Any], int | None]:
        """Returns the argument index of each parameter for one call form, and caches it.

        A call form is the number of positional arguments, followed by the keywords. The layout has
        the indices of the tensors (None if omitted), of the attributes that are passed, and of the
        name.
        """
        names, (count, *keywords) = self.names, key
        named = keywords.index("name") + count if "name" in keywords else None
        if count == len(names) + 1:
            count, named = count - 1, count - 1
        indices = dict(zip(names, range(count)))
        indices.update(
            (name, index) for index, name in enumerate(keywords, key[0]) if name != "name"
        )
        others = [name for name in keywords if name != "name"]
        if not self.required <= indices.keys() <= self.name_set or len(indices) < count + len(
            others
        ):
            raise self._refused(count, others)
        tensors = [(indices.get(param.name), param) for param in self.tensors]
        attributes = [(indices[param.name], param) for param in self.attrs if param.name in indices]
        self.call_layouts[key] = layout = tensors, attributes, named
        return layout

    def _parsed(self, param: Param, value: Any) -> Any:
        """Returns an attribute value converted by op definition and kernel parser."""
        definition = attribute(self.type, param.name)
        if definition is not None:
            value = definition.parsed(value, param.name)
            if value is None and param.default is not REQUIRED:
                return param.default
        return param.parse(value) if param.parse else value

    def _refused(self, count: int, keywords: list[str]) -> Exception:
        """Returns the TypeError for arguments that do not match the signature."""
        names = [*(param.name for param in self.params), "name"]
        required = [param.name for param in self.params if param.default is REQUIRED]
        if self.type in HANDWRITTEN:
            return refusal(names, required, count, keywords) or TypeError(self.name)
        name = f"{python_name(self.type) if self.api else self.name}()"
        for keyword in keywords:
            if keyword not in names:
                return TypeError(f"{name} got an unexpected keyword argument '{keyword}'")
            if keyword in names[:count]:
                return TypeError(f"{name} got multiple values for argument '{keyword}'")
        if count > len(names):
            return TypeError(
                f"{name} takes from {len(required)} to {len(names)} positional arguments but {count} were given"
            )
        missing = [repr(n) for n in required if n not in keywords and n not in names[:count]]
        many = (
            f"s: {', '.join(missing[:-1])}{',' * (len(missing) > 2)} and " if missing[1:] else ": "
        )
        return TypeError(
            f"{name} missing {len(missing)} required positional argument{many}{missing[-1]}"
        )


REQUIRED: Any = inspect.Parameter.empty
# The decorators of a public function that register a rule of its op, and their options.
RULES: dict[str, frozenset[str]] = {
    "gradient": frozenset(("reads", "slices")),
    "specialize": frozenset(("devices",)),
    "static_value": frozenset(("of_shapes",)),
    "no_op": frozenset(),
    "batched": frozenset(),
}

# The op table: TensorFlow's op type to the op.
OPS: LateTable[Op] = LateTable(TYPES)


# The definitions of ops that TensorFlow does not have, in the form of its own: they derive from
# kernels and from the keywords of @op.


def _derive_definition(type: str) -> str:
    op = OPS.get(type)
    return "" if op is None else derived_definition(op)


def derived_definition(op: Op) -> str:
    """Returns the definition of an op by its kernel, such as ``Op<name=F; signature=x:T -> y:T>``."""
    attrs: dict[str, str] = {}
    inputs = ", ".join(f"{p.name}:{_input_type(op, p, attrs)}" for p in op.tensors)
    for param in op.attrs:
        attrs[param.name] = _attribute_type(op, param)
    outputs = ", ".join(op.results or (f"output:{_output_type(op, attrs)}",))
    parts = [f"signature={inputs} -> {outputs}", *(f"attr={n}:{t}" for n, t in attrs.items())]
    parts += ["is_stateful=true"] * op.impure
    return f"Op<name={op.type}; {'; '.join(parts)}>"


def _input_type(op: Op, param: Param, attrs: dict[str, str]) -> str:
    """Returns the type of an input, and adds its type attributes."""
    kind = param.kind
    assert kind is not None
    if kind.attr == "resource":
        return kind.attr
    counted = ""
    if kind.many and not kind.mixed:
        counted = "N*"
        attrs.setdefault("N", "int,min=1")
    if kind.only is not None:
        return counted + kind.only.cname
    text = "list(type)" if kind.mixed else "type"
    if kind.default is not None:
        text += f",default={_enum(kind.default)}"
    allowed = kind.allowed or op.dtypes
    if allowed != dtypes.ANY:
        names = map(_enum, sorted(allowed, key=lambda dtype: dtype.as_datatype_enum))
        text += f",allowed=[{', '.join(names)}]"
    attrs.setdefault(kind.attr, text)
    return counted + kind.attr


def _enum(dtype: DType) -> str:
    return f"DT_{dtype.cname.upper()}"


def _output_type(op: Op, attrs: dict[str, str]) -> str:
    if isinstance(op.out, DType):
        return op.out.cname
    if op.out is not None or "T" in attrs:
        return op.out or "T"
    kind = op.kinds[0]
    return kind.attr if kind.only is None else kind.only.cname


def _attribute_type(op: Op, param: Param) -> str:
    """Returns the type and the default of an attribute."""
    name = "DType" if param.parse is as_dtype else op.kernel.__annotations__[param.name]
    if name not in _ATTRIBUTE_TYPES:
        raise TypeError(f"{op.type}: {param.name}: {name} has no type in definitions of ops")
    kind, text = _ATTRIBUTE_TYPES[name]
    default = param.default
    return f"{kind},default={text(default)}" if default not in (REQUIRED, None) else kind


# By annotation: the type of an attribute in definitions, and its default value as text.
_ATTRIBUTE_TYPES: dict[str, tuple[str, Callable[[Any], str]]] = {
    "int": ("int", str),
    "float": ("float", "{:g}".format),
    "bool": ("bool", lambda value: str(value).lower()),
    "str": ("string", lambda value: f'"{value}"'),
    "list[int]": ("list(int)", str),
    "DType": ("type", _enum),
}
opdefs.derived.definition = _derive_definition
