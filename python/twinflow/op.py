"""Operations: one definition per op, one fast path, one general path.

An op is written once, as a kernel over arrays (see ``op``). From it come the public function, its
conversion rules, the line in the placement log, the record that observers such as tapes get, and
the entry in the table that documentation, tests and the R package read.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple, get_args

import numpy as np

from . import dtypes, errors, opdefs, shapes
from .context import PLAIN, Scope, quiet, quietly, runtime, thread
from .devices import Device
from .dtypes import FROM_NUMPY, DType, as_dtype
from .tensor import EagerTensor, Tensor, convert_to_tensor, is_tensor, moved


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
    """

    attr: str = "T"
    only: DType | None = None
    default: DType | None = None
    allowed: frozenset[DType] | None = None
    host: bool = False
    many: bool = False


_INDEX_TYPES = frozenset((dtypes.int32, dtypes.int64))
T = Kind()


def _ints(attr: str, host: bool = True) -> Kind:
    return Kind(attr, default=dtypes.int32, allowed=_INDEX_TYPES, host=host)


# Annotations of kernel parameters; a bare one means a tensor of the op's own type.
Ints = Annotated[Any, _ints("Tidx")]
Sizes = Annotated[Any, _ints("Tshape")]
Indices = Annotated[Any, _ints("Tindices", host=False)]
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
    params: tuple[Param, ...] = ()
    tensors: tuple[Param, ...] = ()
    attrs: tuple[Param, ...] = ()
    public: Callable[..., Any] = field(default=lambda: None, repr=False)

    @property
    def name(self) -> str:
        """The name of the public function."""
        return self.kernel.__name__

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The tensors and the attributes of a call of the public function."""
        kwargs.pop("name", None)
        if len(args) > len(self.params):
            if len(args) > len(self.params) + 1:
                raise TypeError(
                    f"{self.name}() takes from {sum(p.default is _REQUIRED for p in self.params)} to "
                    f"{len(self.params) + 1} positional arguments but {len(args)} were given"
                )
            args = args[:-1]  # the last one is the name
        values = list(args)
        for param in self.params[len(args) :]:
            value = kwargs.pop(param.name, param.default) if kwargs else param.default
            if value is _REQUIRED:
                raise TypeError(f"{self.name}() missing 1 required positional argument: '{param.name}'")
            values.append(value)
        if kwargs:
            raise self._unexpected(next(iter(kwargs)))
        count = len(self.tensors)
        attrs = {
            param.name: param.parse(value) if param.parse and value is not param.default else value
            for param, value in zip(self.attrs, values[count:], strict=True)
        }
        return values[:count], attrs

    def _unexpected(self, keyword: str) -> TypeError:
        if any(param.name == keyword for param in self.params):
            return TypeError(f"{self.name}() got multiple values for argument '{keyword}'")
        return TypeError(f"{self.name}() got an unexpected keyword argument '{keyword}'")


_REQUIRED: Any = inspect.Parameter.empty

# The op table: TensorFlow's op type to the op.
OPS: dict[str, Op] = {}
# The public names: "math.add" to the function. Ops and composites alike.
API: dict[str, Callable[..., Any]] = {}


def op(type: str, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Defines an operation by its kernel.

    The kernel's first parameter is the array module ``xp`` of the device. Positional parameters after
    it are tensors (arrays for the kernel), keyword-only parameters are attributes (Python values);
    the public function takes both in this order, by position or name, and then ``name``.

    Args:
        type: TensorFlow's name of the op; it appears in logs, graphs and files.
        **options: ``api``: the public names. ``r``: the R generic. ``shape``: the rule for the result's
            shape, which also explains failures. ``dtypes``: the types that the op takes. ``out``: the
            type of the result, or the name of the attribute that holds it, where it is not the
            kernel's. ``devices``: the kinds of device with a kernel. ``hinted``: the first tensor alone
            sets the type, as in ``tf.add``. ``impure``: the op reads or changes state.

    Returns:
        A decorator that gives the public function.
    """

    def define(kernel: Callable[..., Any]) -> Callable[..., Any]:
        names = options.pop("api", ())
        new = Op(type, kernel, api=(names,) if isinstance(names, str) else tuple(names), **options)
        new.params = _params(kernel)
        new.tensors = tuple(p for p in new.params if p.kind is not None)
        new.attrs = new.params[len(new.tensors) :]
        new.public = _public(new)
        OPS[type] = new
        return export(*new.api)(new.public)

    return define


def export(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Gives a function its public names, such as ``"math.add"``."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            API[name] = function
        return function

    return register


def _params(kernel: Callable[..., Any]) -> tuple[Param, ...]:
    found = []
    for parameter in list(inspect.signature(kernel, eval_str=True).parameters.values())[1:]:
        mark = get_args(parameter.annotation)[1] if get_args(parameter.annotation) else None
        if parameter.kind is parameter.KEYWORD_ONLY:
            found.append(Param(parameter.name, parameter.default, None, mark))
        else:
            found.append(Param(parameter.name, parameter.default, mark or T))
    return tuple(found)


def _public(new: Op) -> Callable[..., Any]:
    """The public function of an op: the fast path, and the general one for everything else."""
    kernel, arity, allowed = new.kernel, len(new.tensors), new.dtypes
    settings, local, fast, enter, ndarray = runtime, thread, FAST, quiet, np.ndarray

    def function(*args: Any, **kwargs: Any) -> Any:
        home = settings.home
        if home is not None and not kwargs and len(args) == arity and local.scope is PLAIN:
            arrays, dtype = [], None
            for x in args:
                if type(x) not in fast or x._device is not home:
                    break
                if x.dtype is not dtype:
                    if dtype is not None:
                        break
                    dtype = x.dtype
                array = x._array
                if array is None:  # a variable that has no value, or that a thread is writing to
                    break
                arrays.append(array)
            else:
                if dtype in allowed:
                    try:
                        result = enter().run(kernel, home.xp, *arrays)
                    except (ValueError, TypeError, MemoryError):
                        pass  # the general path says in TensorFlow's words what is wrong
                    else:
                        if type(result) is ndarray and result.dtype is dtype.np:
                            return EagerTensor(result, home, dtype)
                        return _wrapped(result, home, dtype)
        return execute(new, *new.bind(args, kwargs))

    def general(*args: Any, **kwargs: Any) -> Any:
        return execute(new, *new.bind(args, kwargs))

    # The fast path serves calls whose tensors are all of the op's one type.
    plain = arity and all(p.kind is T for p in new.tensors) and not new.impure and new.out is None
    chosen = function if plain else general
    functools.update_wrapper(chosen, kernel, assigned=("__module__", "__name__", "__doc__"))
    chosen.__qualname__ = kernel.__name__
    chosen.__signature__ = _signature(new)  # type: ignore[attr-defined]
    chosen.op = new  # type: ignore[attr-defined]
    del chosen.__wrapped__  # type: ignore[attr-defined]
    return chosen


def _signature(new: Op) -> inspect.Signature:
    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    items = [inspect.Parameter(p.name, either, default=p.default) for p in new.params]
    return inspect.Signature([*items, inspect.Parameter("name", either, default=None)])


# Classes whose ``_array``, ``_device`` and ``dtype`` the fast path may read; variables join it.
FAST: set[type] = {EagerTensor}


# ------------------------------------------------------------------ the general path


def execute(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an op whatever surrounds it: converts, places, logs, runs, wraps, tells observers.

    Args:
        op: The op.
        inputs: One value for each tensor parameter.
        attrs: A value for each attribute.

    Returns:
        A tensor, or a list of tensors where the op has several results.

    Raises:
        OpError: The op cannot take the inputs, or failed.
    """
    scope = thread.scope
    tensors = converted(op, inputs)
    dtype = _leading_type(tensors)
    device = place(op, tensors, dtype, scope)
    arrays = [_array_on(device, p.kind, t) for p, t in zip(op.tensors, tensors, strict=True)]
    runtime.log(op.type, device)
    try:
        if device.kind == "CPU":
            result = quiet().run(op.kernel, device.xp, *arrays, **attrs)
        else:
            with device.backend.activate(device.ordinal):
                result = quietly(op.kernel, device.xp, *arrays, **attrs)
    except (ValueError, TypeError, MemoryError) as error:
        raise _explained(op, tensors, attrs, dtype, device, error) from error
    named = op.out if isinstance(op.out, DType) or op.out is None else attrs[op.out]
    outputs = _wrapped(result, device, named or dtype)
    for observer in scope.observers:
        observer.record(Call(op, tuple(tensors), attrs, outputs))
    return outputs


def converted(op: Op, values: list[Any]) -> list[Any]:
    """The tensors that an op's inputs become; those of one type attribute agree on their type."""
    known = _known_types(op, values)
    for param, value in zip(op.tensors, values, strict=True):
        if value is None and param.kind is not None and param.kind.host:
            runtime.log("_EagerConst", runtime.place(thread.scope.device))  # "all axes", as a vector
    tensors = [_fit(op, i, value, known) for i, value in enumerate(values)]
    for i, (param, tensor) in enumerate(zip(op.tensors, tensors, strict=True)):
        _check_type(op, i, param.kind, tensor, known)
    return tensors


def _known_types(op: Op, values: list[Any]) -> dict[str, DType]:
    """The types that tensors among the values fix, by type attribute; the first one decides."""
    known: dict[str, DType] = {}
    for param, value in zip(op.tensors, values, strict=True):
        kind = param.kind
        assert kind is not None
        if kind.only is None and kind.attr not in known:
            items = value if kind.many and isinstance(value, (list, tuple)) else (value,)
            for item in items:
                if is_tensor(item):
                    known[kind.attr] = item.dtype.base_dtype
                    break
        if op.hinted:
            break
    return known


def _fit(op: Op, position: int, value: Any, known: dict[str, DType]) -> Any:
    kind = op.tensors[position].kind
    assert kind is not None
    if kind.attr == "resource" or (value is None and kind.host):
        return value
    if kind.many:
        return tuple(_fit_one(op, i, kind, item, known) for i, item in enumerate(value))
    return _fit_one(op, position, kind, value, known)


def _fit_one(op: Op, position: int, kind: Kind, value: Any, known: dict[str, DType]) -> EagerTensor:
    expected = kind.only or known.get(kind.attr)
    if is_tensor(value):
        tensor = convert_to_tensor(value)
    elif expected is not None and not (op.hinted and position):
        tensor = convert_to_tensor(value, dtype=expected)
    else:
        tensor = convert_to_tensor(value, dtype_hint=expected or kind.default)
    known.setdefault(kind.attr, tensor.dtype)
    return tensor


def _check_type(op: Op, position: int, kind: Any, tensor: Any, known: dict[str, DType]) -> None:
    if kind.attr == "resource" or tensor is None:
        return
    expected = kind.only or known[kind.attr]
    allowed = kind.allowed or (op.dtypes if kind.only is None else None)
    if allowed is not None and expected not in allowed:
        raise opdefs.not_allowed(op.type, position, expected, allowed)
    for i, item in enumerate(tensor if kind.many else (tensor,)):
        if item.dtype is not expected:
            raise errors.invalid(
                f"cannot compute {op.type} as input #{position + i}(zero-based) was expected to be a "
                f"{expected.cname} tensor but is a {item.dtype.cname} tensor [Op:{op.type}] name: "
            )


def _leading_type(tensors: list[Any]) -> DType | None:
    for tensor in tensors:
        if isinstance(tensor, tuple) and tensor:
            return tensor[0].dtype
        if tensor is not None and not isinstance(tensor, tuple):
            return tensor.dtype
    return None


def place(op: Op, tensors: list[Any], dtype: DType | None, scope: Scope) -> Device:
    """The device that runs an op.

    State ops run where the state is; others where the scope says, or on the default device; an op
    or a type that the chosen kind of device cannot have goes to the host.
    """
    if op.impure and tensors and op.tensors[0].kind is not None and op.tensors[0].kind.attr == "resource":
        return tensors[0]._device
    device = runtime.place(scope.device)
    if device.kind not in op.devices or (device.kind != "CPU" and dtype is dtypes.string):
        return runtime.host
    return device


def _array_on(device: Device, kind: Any, tensor: Any) -> Any:
    if kind.attr == "resource" or tensor is None:
        return tensor
    if kind.many:
        return [moved(item, device)._array for item in tensor]
    return tensor._host() if kind.host else moved(tensor, device)._array


def _wrapped(result: Any, device: Device, dtype: DType | None) -> Any:
    """Tensors of a kernel's results; what NumPy gives as scalars become arrays here, once."""
    if isinstance(result, (list, tuple)):
        return [_wrapped(item, device, dtype) for item in result]
    if isinstance(result, Tensor) or result is None:
        return result
    if isinstance(result, (np.generic, bytes)):
        result = device.xp.asarray(result, dtype=object if isinstance(result, bytes) else None)
    found = result.dtype
    if dtype is None or found is not dtype.np:
        dtype = dtype if dtype is not None and found == dtype.np else FROM_NUMPY[found]
    return EagerTensor(result, device, dtype)


def _explained(
    op: Op, tensors: list[Any], attrs: dict[str, Any], dtype: Any, device: Device, error: Exception
) -> Exception:
    """What TensorFlow says where NumPy failed: the op's shape rule knows, or memory ran out."""
    try:
        shape = op.shape(*map(_dims, tensors), **attrs)
    except errors.OpError as known:
        return known
    if isinstance(error, MemoryError) or "too big" in str(error) or "too large" in str(error):
        return errors.ResourceExhaustedError(
            None,
            None,
            f"OOM when allocating tensor with shape{shapes.text(shape)} and type "
            f"{getattr(dtype, 'cname', 'unknown')} on {device.name} by allocator cpu [Op:{op.type}]",
        )
    return errors.invalid(f"{error} [Op:{op.type}]") if isinstance(error, ValueError) else error


def _dims(tensor: Any) -> Any:
    if isinstance(tensor, tuple):
        return tuple(map(_dims, tensor))
    return None if tensor is None else tensor.shape._dims
