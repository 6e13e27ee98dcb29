"""Op definition decorator and the fast paths of ops with one or two tensors.

An op is written once, as a kernel over arrays (see ``op``). From it come the public function, its
conversion rules, its placement log entry, the call record for observers such as tapes, and
the entry in the table that documentation, tests and the R package read.
"""

from __future__ import annotations

import functools
import inspect
import math
import types
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, cast

import numpy as np

from twinflow._src.backends.cpu.elementwise import MANY_SHORT, is_blocked, is_large
from twinflow._src.conversion.constant import CACHED_TYPES, scalars
from twinflow._src.core.context import PLAIN, quiet, runtime, thread
from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import as_dtype, bfloat16
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.call_cache import cached
from twinflow._src.dispatch.channels_first import with_channels_first
from twinflow._src.dispatch.docstrings import (
    ELEMENTWISE,
    complete_docstring,
    document_name,
    documented,
    documented_like,
)
from twinflow._src.dispatch.execute import dispatch, execute, wrapped
from twinflow._src.dispatch.inputs import FAST
from twinflow._src.dispatch.lazy_tables import PublicNames
from twinflow._src.dispatch.registry import (
    OPS,
    REQUIRED,
    RULES,
    AnyIndices,
    Bools,
    Call,
    Indices,
    Ints,
    Kind,
    Longs,
    Op,
    Param,
    Resource,
    Sizes,
    Strings,
    T,
    Tensors,
    Type,
)
from twinflow._src.dispatch.signature_errors import (
    dispatched,
    is_dispatched,
    own_name,
    sign,
    strip_annotations,
)

__all__ = [
    "API",
    "FAST",
    "OPS",
    "R_GENERICS",
    "AnyIndices",
    "Bools",
    "Call",
    "Indices",
    "Ints",
    "Kind",
    "Longs",
    "Op",
    "Param",
    "Resource",
    "Sizes",
    "Strings",
    "Tensors",
    "Type",
    "documented",
    "documented_like",
    "execute",
    "export",
    "named",
    "op",
]

# The public names: "math.add" to the function. Ops and composites alike.
API = PublicNames()
# R's generics that are public functions composed of ops, by generic; ops name theirs by ``r=``.
R_GENERICS: dict[str, str] = {}


class OpFunction(Protocol):
    """The public function of an op.

    Attributes:
        cuda: Registers the op's CUDA formula.
        native: Registers the op's lowering to machine code.
        scalar: Registers the op's expression of NumPy scalars.
        op: The op.
        gradient: The decorator of the op's gradient function. Its options: ``reads``, the names of
            the inputs, and ``"result"``, of which it reads more than the shape (all of them where
            not given), and ``slices``, True if it accepts IndexedSlices.
        specialize: The decorator of a function of the array module, the dtype of the arrays, the
            inputs on the host and the attributes, which returns a function of the arrays, or None;
            ``devices`` are the kinds of device that use it.
        static_value: The decorator of a function of a graph's operation and the index of a result,
            which returns what is known of the value.
        no_op: The decorator of a function of an operation and the known values of its inputs, which
            returns the input that the result equals, or None.
        batched: The decorator of a function of a ``BatchedCall``, which returns the results for all
            elements of a batch at once.
    """

    cuda: Callable[..., None]
    native: Callable[[str], None]
    scalar: Callable[[str], None]
    op: Op
    gradient: Callable[..., Any]
    specialize: Callable[..., Any]
    static_value: Callable[..., Any]
    no_op: Callable[..., Any]
    batched: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


F = TypeVar("F", bound=Callable[..., Any])


def op(type: str, **options: Any) -> Callable[[Callable[..., Any]], OpFunction]:
    """Defines an operation by its kernel.

    The kernel's first parameter is the array module ``xp`` of the device. Positional parameters after
    it are tensors (arrays for the kernel), keyword-only parameters are attributes (Python values);
    the public function takes both in this order, by position or name, and then ``name``.

    Args:
        type: TensorFlow's name of the op; it appears in logs, graphs and files.
        **options: ``api``: the public names. ``r``: the R generic. ``shape``: the rule for the
            result's shape, which also raises the errors. ``dtypes``: the dtypes that the op takes.
            ``out``: the type of the result, or the name of the attribute that holds it, where it is
            not the kernel's. ``devices``: the kinds of device with a kernel. ``hinted``: the first
            tensor alone sets the type, as in ``tf.add``. ``impure``: the op reads or changes state.
            ``variants``: the ops that serve types that this one does not (``Add`` joins strings for
            ``AddV2``). ``no_gradient``: no gradient flows through the op. ``hidden``: the op is
            internal and not in the op table. ``each``: the kernel is elementwise: large inputs are
            computed in blocks, and the compiler may fuse it; ``light`` where it makes at most one
            pass over memory, so that blocks only pay if fused. ``fill``: writes such a float32 or
            float64 block into its last argument. ``bulk``: the kernel equals this function of
            ``xp`` except for tiny arrays. ``ufunc``: always; the fast path calls it without an
            intermediate Python frame. Others are rules that say how graphs and devices treat the
            op: ``results``, ``tf_name``, ``opens_scope``, ``layout``, ``keeps_bfloat16``, ``moves``,
            ``is_identity``, ``tout`` (see ``Op``).

    Returns:
        A decorator that returns the public function.
    """

    def define(kernel: Callable[..., Any]) -> OpFunction:
        names, hidden = options.pop("api", ()), options.pop("hidden", False)
        new = Op(type, kernel, api=(names,) if isinstance(names, str) else tuple(names), **options)
        new.params = _params(kernel)
        new.tensors = tuple(p for p in new.params if p.kind is not None)
        new.attrs = new.params[len(new.tensors) :]
        new.kinds = tuple(p.kind for p in new.tensors if p.kind is not None)
        new.optional = tuple(p.default is None for p in new.tensors)
        new.lists = tuple(i for i, kind in enumerate(new.kinds) if kind.many)
        new.defaults = {p.name: p.default for p in new.attrs}
        new.blocked = is_blocked(new)
        new.has_dtype_attrs = any(
            p.parse is as_dtype or kernel.__annotations__[p.name] == "Any" for p in new.attrs
        )
        new.dtype_is_decisive = all(
            (kind.attr == "T" and not kind.mixed) or _is_long(kind) for kind in new.kinds
        )
        new.has_required_attrs = any(p.default is REQUIRED for p in new.attrs)
        if new.api and kernel.__doc__ and (new.shape, len(new.tensors)) in ELEMENTWISE:
            kernel.__doc__ = complete_docstring(new, kernel.__doc__)
        if new.layout:
            new.kernel = with_channels_first(kernel, new.layout)
        new.cached = cached(new)
        new.public = _public(new, new.cached)
        if not hidden:
            OPS.define(type, new)
        return export(*new.api)(new.public)

    return define


def export(*names: str, r: str | None = None) -> Callable[[F], F]:
    """Registers a function under public names, such as ``"math.add"``; ``r`` is the R generic."""

    def register(function: F) -> F:
        if r is not None:
            R_GENERICS[r] = names[-1]
        public: Any = function
        if isinstance(function, types.FunctionType) and not hasattr(function, "op"):
            strip_annotations(function)
            document_name(function)
            public = dispatched(function) if any(map(is_dispatched, names)) else function
        if (
            public is not function
        ):  # pickle finds the wrapper by its public name; the module holds the wrapped function
            public.__module__ = __name__.partition(".")[0]
            public.__qualname__ = min(
                filter(is_dispatched, names), key=lambda name: name.count(".")
            )
        sign(function)
        for name in names:
            API.define(name, public if is_dispatched(name) else function)
            if own_name(name) and isinstance(function, types.FunctionType):
                function.__qualname__ = own_name(name)
        return function

    return register


def named(function: F, name: str, doc: str) -> F:
    """Names and documents a function that another one defines for a family of public functions."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    if isinstance(function, types.FunctionType):
        function.__code__ = function.__code__.replace(co_name=name)
    return function


def _params(kernel: Callable[..., Any]) -> tuple[Param, ...]:
    """Returns the parameters of a kernel, whose annotations are names of its module.

    They are read from its code: ``inspect.signature`` would take a tenth of the time of the import.
    """
    code, params = kernel.__code__, []
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    positional_defaults = kernel.__defaults__ or ()
    defaults = dict(
        zip(names[code.co_argcount - 1 - len(positional_defaults) :], positional_defaults)
    ) | (kernel.__kwdefaults__ or {})
    for position, name in enumerate(names, 1):
        annotation = kernel.__globals__.get(kernel.__annotations__[name])
        mark = getattr(annotation, "__metadata__", (None,))[0]  # of Annotated
        default = defaults.get(name, REQUIRED)
        if position >= code.co_argcount:
            params.append(Param(name, default, None, mark))
        else:
            params.append(Param(name, default, mark or T))
    return tuple(params)


def _public(new: Op, cached: Callable[..., Any]) -> OpFunction:
    """Returns an op's public function: a fast path for one or two tensors, else the call cache."""
    # Fast path: all tensors have the dtype T; optional ones after the first may be omitted.
    required = [p for p in new.tensors if p.default is not None]
    alone = len(required) == 1 and new.tensors[0] is required[0]
    plain = all(p.kind is T for p in required) and not new.impure and new.out is None
    make = (
        _FAST_PATHS.get(len(required))
        if plain and (alone or len(required) == len(new.tensors))
        else None
    )
    chosen: Any = make(new, cached) if make else cached
    # tracebacks and profiles show the name of the function
    chosen.__code__ = chosen.__code__.replace(co_name=new.kernel.__name__)
    functools.update_wrapper(chosen, new.kernel, assigned=("__module__", "__name__", "__doc__"))
    chosen.__qualname__ = new.kernel.__name__
    chosen.__signature__ = _signature(new)
    chosen.op, chosen.cuda = new, functools.partial(_set_cuda, new)
    chosen.native = functools.partial(_set_native, new)
    chosen.scalar = functools.partial(_set_scalar, new)
    for rule in RULES:
        setattr(chosen, rule, functools.partial(_register, new, rule))
    del chosen.__wrapped__
    return cast(OpFunction, chosen)


def _set_cuda(new: Op, formula: str = "") -> None:
    """Registers the CUDA formula of an elementwise op; if empty, the kernel is traced.

    Fused kernels use it, and so do eager calls of ops whose kernel is not one array function
    (``bulk``). It is C++ over the parameters' names; ``number`` is the type of the computation.
    """
    new.cuda = formula


def _set_native(new: Op, lowering: str) -> None:
    """Registers the lowering of an op to machine code, or the formula of an element.

    Lowerings are the methods of ``compiler/native/emitter.py``: "move" (results have elements of
    inputs and zeros), "product", "cast", "total" and the names of reductions. Where there is none,
    the CUDA formula serves.
    """
    new.native = lowering


def _set_scalar(new: Op, expression: str) -> None:
    """Registers a Python expression of NumPy scalars with the bits of the kernel.

    ``{x}`` is a parameter, ``{kernel}`` the function of arrays.
    """
    new.scalar = expression


def _is_long(kind: Kind) -> bool:
    """True if a parameter never takes bfloat16."""
    allowed = kind.allowed if kind.only is None else (kind.only,)
    return kind.attr != "resource" and allowed is not None and bfloat16 not in allowed


# If NumPy raises in a fast path below, ``execute`` runs the op again and raises TensorFlow's error.
# A variable whose array is None is uninitialized, or another thread is writing to it. Observers
# must be notified of variable reads and of conversions of numbers: ``execute`` does that. One loop
# over any number of tensors instead of two functions costs 0.5 us a call, half the budget.


def _runner(new: Op, home: Device) -> Callable[..., Any]:
    """Returns the kernel bound to a device, or the array function if it only calls that."""
    if home.kind not in new.devices:
        return _elsewhere
    kernel = new.kernel if home.kind == "CPU" else home.xp.kernel_of(new)
    function = functools.partial(kernel, home.xp)
    whole = (
        new.ufunc if home.kind == "CPU" else new.bulk
    )  # each array function is a launch on a device, so one call is best
    if whole is not None:
        function = getattr(home.xp, whole)
        function = getattr(function, "plain", function)
    return home.backend.runner(function, home.ordinal)


def _elsewhere(*arrays: Any) -> Any:
    raise TypeError("the device has no such kernel: the general path finds another")


def _unary(new: Op, others: Callable[..., Any]) -> Callable[..., Any]:
    allowed, fast, settings, local, enter, plain = new.dtypes, FAST, runtime, thread, quiet, PLAIN
    tensor, allocate, as_array = EagerTensor, object.__new__, np.asarray
    many = MANY_SHORT if new.blocked else math.inf
    absent = (None,) * (len(new.tensors) - 1)
    where: Any = None
    run: Any = None
    scalar: Any = ()
    array_type: Any = np.ndarray

    def function(*args: Any, **kwargs: Any) -> Any:
        nonlocal where, run, scalar, array_type
        home, scope = settings.home, local.scope
        if home is not None and not kwargs and len(args) == 1 and (scope is plain or scope.eager):
            x = args[0]
            if (
                scope is not plain and type(x) in fast and type(x) is not tensor
            ):  # observers are notified of reads
                args = (x := x._read(),)
            if (type(x) is tensor or type(x) in fast) and x._device is home:
                dtype, a = x.dtype, x._array
                if a is not None and dtype in allowed and (a.size < many or not is_large(a)):
                    if home is not where:
                        run, where, scalar, array_type = (
                            _runner(new, home),
                            home,
                            _SCALARS[home.kind],
                            home.xp.ndarray,
                        )
                    try:
                        result = enter().run(run, a)
                    except (ValueError, TypeError, IndexError, MemoryError):
                        return dispatch(new, *new.bind((x,), {}))
                    if isinstance(result, scalar):
                        result = as_array(result)
                    if type(result) is array_type and result.dtype is dtype.np:
                        t = allocate(tensor)
                        t._array, t._device, t.dtype = result, home, dtype
                    else:
                        t = wrapped(result, home, dtype)
                    if scope is not plain and scope.observers:
                        for observer in scope.observers:
                            observer.record(new, (x, *absent), new.defaults, t)
                    return t
        return others(*args, **kwargs)

    return function


def binary(
    new: Op, others: Callable[..., Any], fallback: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """Returns the public function of an op of two tensors; ``others`` serves all other calls."""
    allowed, fast, settings, local, enter, plain = new.dtypes, FAST, runtime, thread, quiet, PLAIN
    tensor, allocate, as_array = EagerTensor, object.__new__, np.asarray
    constants, constant_types = scalars, CACHED_TYPES
    many = MANY_SHORT if new.blocked else math.inf
    where: Any = None
    run: Any = None
    scalar: Any = ()
    array_type: Any = np.ndarray

    def function(x: Any = _MISSING, y: Any = _MISSING, /, *rest: Any, **kwargs: Any) -> Any:
        nonlocal where, run, scalar, array_type
        home, scope = settings.home, local.scope
        if (
            home is not None
            and (type(x) is tensor or type(x) in fast)
            and (scope is plain or scope.eager)
        ):
            if scope is not plain:  # observers are notified of reads
                x = x if type(x) is tensor else x._read()
                y = y._read() if type(y) in fast and type(y) is not tensor else y
            dtype, a, b = x.dtype, x._array, None
            if type(y) is tensor or type(y) in fast:
                if y.dtype is dtype and y._device is home:
                    b = y._array
            elif type(y) in constant_types and (y or type(y) is not float):
                constant = constants.get((type(y), y, dtype, None))
                if constant is not None:
                    b = constant[0]
                    if scope is not plain:
                        y = tensor(*constant)
            if b is None or a is None or kwargs or rest or x._device is not home:
                pass
            elif dtype in allowed and (a.size < many or not is_large(a)):
                if home is not where:
                    run, where, scalar, array_type = (
                        _runner(new, home),
                        home,
                        _SCALARS[home.kind],
                        home.xp.ndarray,
                    )
                try:
                    result = enter().run(run, a, b)
                except (ValueError, TypeError, IndexError, MemoryError):
                    return (fallback or dispatch)(new, *new.bind((x, y), {}))
                if isinstance(result, scalar):
                    result = as_array(result)
                if type(result) is array_type and result.dtype is dtype.np:
                    t = allocate(tensor)  # like EagerTensor(...) without the call of __init__
                    t._array, t._device, t.dtype = result, home, dtype
                else:
                    t = wrapped(result, home, dtype)
                if scope is not plain and scope.observers:
                    for observer in scope.observers:
                        observer.record(new, (x, y), new.defaults, t)
                return t
        if fallback is not None and not kwargs and not rest and y is not _MISSING:
            return fallback(new, [x, y], {})
        if y is _MISSING:
            return others(*(() if x is _MISSING else (x,)), **kwargs)
        return others(x, y, *rest, **kwargs)

    return function


_MISSING: Any = object()
# Scalar types that NumPy returns instead of arrays of rank 0. A GPU kernel that returns one means a
# host value, such as a size.
_SCALARS: dict[str, Any] = {"CPU": np.generic, "GPU": ()}
_FAST_PATHS: dict[int, Callable[..., Any]] = {1: _unary, 2: binary}


def _register(
    new: Op, rule: str, function: Callable[..., Any] | None = None, **options: Any
) -> Callable[..., Any]:
    """Registers a rule of an op: the decorators ``@add.gradient`` and ``@add.gradient(reads=())``."""
    if function is None:
        return functools.partial(_register, new, rule, **options)
    new.register(rule, function, **options)
    return function


def _signature(new: Op) -> inspect.Signature:
    items = [_parameter(p.name, p.default) for p in new.params]
    return inspect.Signature([*items, _parameter("name", None)], __validate_parameters__=False)


def _parameter(name: str, default: Any) -> inspect.Parameter:
    """Returns a parameter of a public function's signature."""
    usual = default is None or default is REQUIRED
    return (_usual_parameter if usual else _new_parameter)(name, default=default)


_new_parameter = functools.partial(inspect.Parameter, kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)
_usual_parameter = functools.cache(_new_parameter)  # cached, as many functions share parameters
