"""Dispatch of public functions on user-defined types (``tf.experimental.dispatch_for_api``).

Composite public functions consult the registry before they run (``dispatching.ASKED``, which is
empty while nothing is registered); ops do so when an input is of an extension type
(``on_extension``).
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from twinflow._src.core import nest
from twinflow._src.dispatch import signature_errors
from twinflow._src.dispatch.execute import COMPOSITES, execute
from twinflow._src.dispatch.op import API, documented_like, export
from twinflow._src.dispatch.registry import Op
from twinflow._src.wings.extension_types.fields import _is_union

# The element-wise public functions, as TensorFlow lists them for its dispatch.


_UNARY = """
    abs acos acosh angle as_string asin asinh atan atanh bitwise.invert cast clip_by_value cos cosh
    debugging.check_numerics exp floor io.decode_base64 io.decode_compressed io.encode_base64 logical_not
    math.angle math.bessel_i0 math.bessel_i0e math.bessel_i1 math.bessel_i1e math.ceil math.conj math.digamma
    math.erf math.erfc math.erfcinv math.erfinv math.expm1 math.imag math.is_finite math.is_inf math.is_nan
    math.lgamma math.log math.log1p math.log_sigmoid math.ndtri math.nextafter math.real math.reciprocal
    math.reciprocal_no_nan math.rint math.rsqrt math.softplus math.special.bessel_j0 math.special.bessel_j1
    math.special.bessel_k0 math.special.bessel_k0e math.special.bessel_k1 math.special.bessel_k1e
    math.special.bessel_y0 math.special.bessel_y1 math.special.dawsn math.special.expint
    math.special.fresnel_cos math.special.fresnel_sin math.special.spence negative nn.elu nn.gelu nn.leaky_relu
    nn.log_softmax nn.relu nn.relu6 nn.selu nn.softplus nn.softsign nn.swish ones_like round saturate_cast
    sigmoid sign sin sinh sqrt square strings.length strings.lower strings.regex_full_match
    strings.regex_replace strings.strip strings.substr strings.to_hash_bucket strings.to_hash_bucket_fast
    strings.to_hash_bucket_strong strings.to_number strings.unicode_script strings.unicode_transcode
    strings.upper tan tanh zeros_like"""
_BINARY = """
    add atan2 bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift
    bitwise.right_shift complex divide equal greater greater_equal less less_equal logical_and logical_or
    math.divide_no_nan math.floordiv math.floormod math.logical_xor math.multiply_no_nan
    math.squared_difference math.xdivy math.xlog1py math.xlogy math.zeta maximum minimum multiply
    nn.sigmoid_cross_entropy_with_logits not_equal pow realdiv scalar_mul subtract truediv truncatediv
    truncatemod"""
_ASSERTS = """
    assert_equal assert_greater assert_less debugging.assert_greater_equal debugging.assert_less_equal
    debugging.assert_near debugging.assert_none_equal"""

UNARY = tuple(_UNARY.split())
BINARY = tuple(_BINARY.split())
ASSERTS = tuple(_ASSERTS.split())


# Registry and dispatch.


class _Target(NamedTuple):
    """A registered dispatch target: its signatures, and whether it accepts ``name``."""

    function: Callable[..., Any]
    signatures: tuple[dict[str, Any], ...]
    takes_name: bool


# Dispatch targets of each public function, and of all element-wise functions.
_targets: dict[Any, list[_Target]] = {}
_unary: dict[Any, Callable[..., Any]] = {}
_binary: dict[tuple[Any, Any], Callable[..., Any]] = {}
_asserts: dict[tuple[Any, Any], Callable[..., Any]] = {}


def _key(api: Any) -> Any:
    """Returns the registry key of a public function, shared by all its names."""
    return inspect.unwrap(api) if callable(api) else api


@functools.cache
def _elementwise(names: tuple[str, ...]) -> frozenset[Any]:
    return frozenset(_key(API[name]) for name in names if name in API)


# ------------------------------------------------------------------ type matching


def _fits(value: Any, annotation: Any) -> bool:
    """True if a value matches a type annotation."""
    if _is_union(annotation):
        return any(_fits(value, part) for part in typing.get_args(annotation))
    if typing.get_origin(annotation) is list:
        (part,) = typing.get_args(annotation)
        return isinstance(value, (list, tuple)) and all(_fits(item, part) for item in value)
    return isinstance(value, annotation)


def _assert_annotation(annotation: Any) -> None:
    parts = typing.get_args(annotation)
    if _is_union(annotation) or typing.get_origin(annotation) is list:
        for part in parts:
            _assert_annotation(part)
    elif not inspect.isclass(annotation):
        raise ValueError(
            f"Type annotation {annotation} is not currently supported by dispatch.  "
            "Supported annotations: type objects,  List[...], and Union[...]"
        )


def _is_dispatchable(value: Any) -> bool:
    """True if a value, or an item of a list, is of a type that supports dispatch targets."""
    items = value if isinstance(value, (list, tuple)) else (value,)
    return any(type(item) in COMPOSITES for item in items)


# ------------------------------------------------------------------ dispatch


def _dispatch_call(function: Any, args: dict[str, Any]) -> Any:
    """Calls the first matching dispatch target; NotImplemented if none matches.

    ``args`` has all arguments by name.
    """
    for target in _targets.get(_key(function), ()):
        for signature in target.signatures:
            if all(_fits(args[name], annotation) for name, annotation in signature.items()):
                accepted = (
                    args if target.takes_name else {k: v for k, v in args.items() if k != "name"}
                )
                result = target.function(**accepted)
                if result is not NotImplemented:
                    return result
    return _dispatch_elementwise(function, args)


def _dispatch_elementwise(function: Any, args: dict[str, Any]) -> Any:
    key, names = _key(function), list(args)
    if _unary and key in _elementwise(UNARY):
        for kind, handler in _unary.items():
            if _fits(args[names[0]], kind):
                return handler(_bind_rest(function, args, 1), args[names[0]])
    for handlers, apis in ((_binary, BINARY), (_asserts, ASSERTS)):
        if handlers and key in _elementwise(apis):
            for (first, second), handler in handlers.items():
                if _fits(args[names[0]], first) and _fits(args[names[1]], second):
                    x, y = args[names[0]], args[names[1]]
                    return handler(_bind_rest(function, args, 2), x, y)
    return NotImplemented


def _bind_rest(function: Any, args: dict[str, Any], count: int) -> Callable[..., Any]:
    """Binds all arguments after the first ``count``."""
    rest = {name: value for name, value in list(args.items())[count:] if name != "name"}
    return (lambda *first: function(*first, **rest)) if rest else function


def _before(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Dispatches a call before the public function runs."""
    if not any(map(_is_dispatchable, (*args, *kwargs.values()))):
        return NotImplemented
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return NotImplemented  # the function raises the error itself
    bound.apply_defaults()
    return _dispatch_call(_public(function), dict(bound.arguments))


def _public(function: Any) -> Any:
    """Returns the public function that wraps a function."""
    return next((f for f in API.values() if _key(f) is function), function)


def on_extension(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Dispatches an op with an input of an extension type.

    Returns NotImplemented if no target matches; the op then rejects the input.
    """
    args = {p.name: value for p, value in zip(op.tensors, inputs)}
    args |= {name: value for name, value in attrs.items() if name != "name"}
    result = _dispatch_call(op.public, {**args, "name": attrs.get("name")})
    if result is NotImplemented and op.is_identity:
        return nest.map_structure(
            lambda x: execute(op, [x], attrs), inputs[0], expand_composites=True
        )
    return result


# ------------------------------------------------------------------ registration


def _parameters(api: Any) -> list[str]:
    return list(inspect.signature(api).parameters)


def _is_public(api: Any) -> bool:
    """True if a function is public and supports dispatch."""
    is_wrapped = hasattr(api, "op") or hasattr(api, "__wrapped__")
    return is_wrapped and any(_key(f) is _key(api) for f in API.values())


@export("experimental.dispatch_for_api")
def dispatch_for_api(api: Any, *signatures: Any) -> Callable[[Any], Any]:
    """Decorator that overrides a public function for arguments of certain types.

    Args:
        api: The public function, such as ``tf.concat``.
        *signatures: Dictionaries from parameter names to types, or ``Union`` or ``List`` of types;
            the annotations of the decorated function if there are none.

    Raises:
        ValueError: The function does not support dispatch, or a type cannot be dispatched on.
    """
    if not _is_public(api):
        raise ValueError(f"{api} does not support dispatch.")
    names = _parameters(api)
    for signature in signatures:
        _assert_signature(signature, names)

    def decorator(dispatch_target: Any) -> Any:
        parameters, takes_name = _assert_same(dispatch_target, api, names)
        selected = signatures or (_read_annotations(dispatch_target, parameters),)
        _targets.setdefault(_key(api), []).append(_Target(dispatch_target, selected, takes_name))
        _ask()
        return dispatch_target

    return decorator


def _assert_signature(signature: Any, names: list[str]) -> None:
    if not isinstance(signature, Mapping):
        raise TypeError(
            "signatures must be dictionaries mapping parameter names to type annotations."
        )
    for name, annotation in signature.items():
        if name not in names:
            raise ValueError(f"signature includes annotation for unknown parameter {name!r}.")
        _assert_annotation(annotation)


def _assert_same(target: Any, api: Any, names: list[str]) -> tuple[list[str], bool]:
    """Raises unless a target has the parameters of the public function; ``name`` is optional."""
    parameters = _parameters(target)
    takes_name = "name" in parameters
    if parameters != names and [*parameters, "name"] != names:
        mine = list(inspect.signature(target).parameters.values())
        if "name" in names and not takes_name:
            mine.append(inspect.Parameter("name", inspect.Parameter.KEYWORD_ONLY, default=None))
        expected = [
            p.replace(annotation=p.empty) for p in inspect.signature(api).parameters.values()
        ]
        raise ValueError(
            f"Dispatch function's signature {_format_signature(mine)} does not match API's signature {_format_signature(expected)}."
        )
    return parameters, takes_name


def _format_signature(parameters: list[inspect.Parameter]) -> str:
    """Returns parameters as strings, without the ``/`` and ``*`` markers."""
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    plain = [p.replace(kind=kind) if p.kind is p.KEYWORD_ONLY else p for p in parameters]
    return f"({', '.join(map(str, plain))})"


def _read_annotations(target: Any, names: list[str]) -> dict[str, Any]:
    """Returns the signature from a target's annotations."""
    result = {n: a for n, a in inspect.get_annotations(target).items() if n in names}
    if not result:
        raise ValueError(
            "The dispatch_for_api decorator must be called with at least one signature, or applied to a "
            "function that has type annotations on its parameters."
        )
    for annotation in result.values():
        _assert_annotation(annotation)
    return result


def _register(table: dict[Any, Any], key: Any, handler: Any, what: str, shown: Any) -> Any:
    if key in table:
        raise ValueError(
            f"A {what} elementwise dispatch handler ({table[key]}) has already been registered for {shown}."
        )
    table[key] = handler
    _ask()
    return handler


@export("experimental.dispatch_for_unary_elementwise_apis")
def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[Any], Any]:
    """Decorator that overrides all unary element-wise functions for arguments of a type.

    Args:
        x_type: The type of the argument. The decorated function is called with the public function
            and the argument.

    Raises:
        ValueError: A function is registered for the type already (on decoration).
    """

    def decorator(handler: Any) -> Any:
        return _register(_unary, x_type, handler, "unary", x_type)

    return decorator


@export("experimental.dispatch_for_binary_elementwise_apis")
def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> Callable[[Any], Any]:
    """Decorator that overrides all binary element-wise functions for arguments of given types.

    Args:
        x_type: The type of the first argument. The decorated function is called with the public
            function and both arguments.
        y_type: The type of the second argument.

    Raises:
        ValueError: A function is registered for the types already, or a type cannot be dispatched
            on.
    """
    return _for_pairs(_binary, x_type, y_type, "binary")


@export("experimental.dispatch_for_binary_elementwise_assert_apis")
@documented_like(dispatch_for_binary_elementwise_apis)
def dispatch_for_binary_elementwise_assert_apis(x_type: Any, y_type: Any) -> Callable[[Any], Any]:
    """Decorator that overrides all binary element-wise assertions for arguments of given types."""
    return _for_pairs(_asserts, x_type, y_type, "binary")


def _for_pairs(table: dict[Any, Any], x_type: Any, y_type: Any, what: str) -> Callable[[Any], Any]:
    def decorator(handler: Any) -> Any:
        for annotation in (x_type, y_type):
            _assert_annotation(annotation)
        return _register(table, (x_type, y_type), handler, what, f"{x_type}, {y_type}")

    return decorator


@export("experimental.unregister_dispatch_for")
def unregister_dispatch_for(dispatch_target: Any) -> None:
    """Unregisters a dispatch target from all public functions.

    Args:
        dispatch_target: The function.

    Raises:
        ValueError: The function is not registered.
    """
    is_registered = False
    for key, targets in list(_targets.items()):
        left = [target for target in targets if target.function is not dispatch_target]
        is_registered = is_registered or len(left) < len(targets)
        if left:
            _targets[key] = left
        else:
            del _targets[key]
    for table in (_unary, _binary, _asserts):
        for kind in [kind for kind, handler in table.items() if handler is dispatch_target]:
            del table[kind]
            is_registered = True
    if not is_registered:
        raise ValueError(
            f"Function {dispatch_target} was not registered using a `@dispatch_for_*` decorator."
        )
    _ask()


def _ask() -> None:
    """Enables the dispatch hook while any target is registered."""
    signature_errors.ASKED[:] = [_before] if any((_targets, _unary, _binary, _asserts)) else []
