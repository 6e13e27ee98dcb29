"""AutoGraph: conversion of Python functions to support control flow that depends on tensors."""

from __future__ import annotations
import __future__

import ast
import functools
import inspect
import operator
import types
from collections.abc import Callable
from typing import Any

from twinflow._src.autograph.calls import Options, callee_for, own_call, set_loop_options
from twinflow._src.autograph.control_flow import (
    Undefined,
    and_,
    at,
    for_stmt,
    if_exp,
    if_stmt,
    in_space,
    is_new,
    ld,
    not_,
    or_,
    result,
    while_stmt,
)
from twinflow._src.autograph.rewriter import RUNTIME, rewritten, unsupported
from twinflow._src.autograph.source import InFile, definition_of, in_file, originals, place_of
from twinflow._src.core.scopes import get_logger
from twinflow._src.dispatch.op import export

# The runtime namespace: functions called by rewritten code.
_runtime = types.SimpleNamespace(
    Undefined=Undefined,
    ld=ld,
    at=at,
    is_new=is_new,
    in_space=in_space,
    result=result,
    and_=and_,
    or_=or_,
    not_=not_,
    if_exp=if_exp,
    if_stmt=if_stmt,
    while_stmt=while_stmt,
    for_stmt=for_stmt,
    Options=Options,
)
_codes: dict[InFile, types.CodeType] = {}  # cache: original code -> rewritten code


def converted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Converts a function with AutoGraph.

    The result shares the closure of the function. Other callables, and functions without source,
    are returned unchanged.
    """
    if isinstance(function, types.MethodType):
        return types.MethodType(converted(function.__func__), function.__self__)
    if isinstance(function, functools.partial):
        return functools.partial(converted(function.func), *function.args, **function.keywords)
    method = own_call(function)
    if method is not None:
        return types.MethodType(converted(method), function)
    if not isinstance(function, types.FunctionType) or in_file(function.__code__) in originals:
        return function
    if getattr(function, "__ag_skip__", False) or RUNTIME in function.__code__.co_freevars:
        return function
    key = in_file(function.__code__)
    code = _codes.get(key)
    if code is None:
        code = _codes[key] = function.__code__ if _is_nowhere(function) else _rewritten(function)
        if code is not function.__code__:
            originals[in_file(code)] = function.__code__
    return function if code is function.__code__ else _with_code(function, code)


def _is_nowhere(function: types.FunctionType) -> bool:
    """True for a lambda outside modules and rewritten functions: TensorFlow finds no source."""
    code = function.__code__
    return (
        code.co_name == "<lambda>"
        and inspect.getmodule(function) is None
        and place_of(code) is None
    )


def _with_code(function: types.FunctionType, code: types.CodeType) -> types.FunctionType:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells[RUNTIME] = types.CellType(_runtime)
    closure = tuple(cells[name] for name in code.co_freevars)
    new = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    new.__kwdefaults__ = function.__kwdefaults__
    new.__dict__.update(function.__dict__)
    for name in ("__module__", "__qualname__", "__doc__", "__annotations__"):
        setattr(new, name, getattr(function, name))
    return new


def _rewritten(function: types.FunctionType) -> types.CodeType:
    """Returns the rewritten code of a function, or its own code if it cannot be rewritten."""
    code = function.__code__
    generators = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    if code.co_flags & generators:
        return code
    try:
        definition = definition_of(code)
    except (OSError, SyntaxError, TypeError):
        return code  # no source, as in an interactive session: runs unconverted
    if definition is None:
        return code
    why = unsupported(definition)
    try:
        return code if why else _compiled(definition, function)
    except (SyntaxError, ValueError, RecursionError) as error:  # the user's own code was valid
        why = f"{type(error).__name__}: {error}"
        return code
    finally:
        if why:
            get_logger().warning(_AS_IT_IS, function, why)


_AS_IT_IS = (
    "AutoGraph could not transform %s and will run it as-is.\nCause: %s\n"
    "To silence this warning, decorate the function with @tf.autograph.experimental.do_not_convert"
)


def _is_loop_directive(function: types.FunctionType, node: ast.expr) -> bool:
    """True if an expression of a function is ``tf.autograph.experimental.set_loop_options``."""
    target = _resolved(function, node)
    return getattr(target, "__wrapped__", target) is set_loop_options


def _resolved(function: types.FunctionType, node: ast.expr) -> Any:
    """Returns the object of a name, or of a name in a module; None where it is not known."""
    if isinstance(node, ast.Attribute):
        owner = _resolved(function, node.value)
        return getattr(owner, node.attr, None) if isinstance(owner, types.ModuleType) else None
    if not isinstance(node, ast.Name):
        return None
    if node.id in function.__code__.co_freevars:
        cell = (function.__closure__ or ())[function.__code__.co_freevars.index(node.id)]
        try:
            return cell.cell_contents
        except ValueError:  # not yet assigned
            return None
    return function.__globals__.get(node.id)


def _compiled(definition: ast.FunctionDef, function: types.FunctionType) -> types.CodeType:
    """Compiles a definition with the ``from __future__`` flags of the original module."""
    code = function.__code__
    definition.name = "rewritten__"  # its own name must resolve in the enclosing scope
    definition.returns = None
    vars(definition).pop("type_params", None)  # of generic functions, which Python 3.12 has
    for arg in ast.walk(definition.args):
        if isinstance(arg, ast.arg):
            arg.annotation = None
    nothing = ast.Constant(None)  # the new function gets the defaults of the original
    definition.args.defaults = [nothing for _ in definition.args.defaults]
    definition.args.kw_defaults = [nothing for _ in definition.args.kw_defaults]
    is_directive = functools.partial(_is_loop_directive, function)
    new = rewritten(definition, code.co_freevars, is_directive)
    module = ast.Module([_inside(new, code.co_freevars)], [])
    ast.fix_missing_locations(module)
    features = (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
    flags = code.co_flags & functools.reduce(operator.or_, features)
    code_object = _find_nested_code(
        compile(module, code.co_filename, "exec", flags, dont_inherit=True), "factory__"
    )
    return _find_nested_code(code_object, "rewritten__").replace(co_name=code.co_name)


def _inside(definition: ast.FunctionDef, free: tuple[str, ...]) -> ast.FunctionDef:
    """Wraps a definition in a factory function whose parameters are the free variables."""
    args = ast.arguments([], [ast.arg(n) for n in (RUNTIME, *free)], None, [], [], None, [])
    use: ast.stmt = ast.Return(ast.Name(definition.name, ast.Load()))
    return ast.FunctionDef("factory__", args, [definition, use], [], None)


def _find_nested_code(code: types.CodeType, name: str) -> types.CodeType:
    """Returns the nested code object of a name."""
    return next(c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == name)


_runtime.callee, _runtime.converted = callee_for(converted), converted


# ------------------------------------------------------------------ public API


class ConversionError(Exception):
    """The error of a function that AutoGraph cannot convert."""


def _convertible(entity: Any) -> Any:
    """Returns a function if it has Python code with a source."""
    if not hasattr(entity, "__code__"):
        raise ConversionError(
            f"converting {entity}: ValueError: Cannot apply autograph to a function that doesn't expose "
            "a __code__ object. If this is a @tf.function, try passing f.python_function instead."
        )
    try:
        inspect.getsourcelines(entity.__code__)
    except OSError as error:
        raise ConversionError(
            f"converting {entity}: InaccessibleSourceCodeError: Unable to locate the source code of "
            f"{entity}. Functions defined in the interactive Python shell, for example, have none: "
            "define them in a .py file, or wrap the call using "
            f"@tf.autograph.experimental.do_not_convert. Original error: {error}"
        ) from None
    return entity


@export("autograph.to_graph")
def to_graph(
    entity: Any, recursive: bool = True, experimental_optional_features: Any = None
) -> Any:
    """Converts a function so that its control flow may depend on tensors.

    Args:
        entity: A Python function.
        recursive: Accepted and without effect: functions that it calls are always converted.
        experimental_optional_features: Accepted and without effect.

    Returns:
        The converted function.

    Raises:
        Exception: The function has no Python source (AutoGraph's ConversionError).
    """
    return converted(_convertible(entity))


@export("autograph.to_code")
def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """Returns the source code of a function after conversion.

    Args:
        entity: A Python function.
        recursive: Accepted and without effect.
        experimental_optional_features: Accepted and without effect.

    Returns:
        Python code.

    Raises:
        Exception: The function has no Python source (AutoGraph's ConversionError).
    """
    definition = definition_of(_convertible(entity).__code__)
    if definition is None:
        raise ConversionError(f"converting {entity}: its source has no definition of it.")
    return ast.unparse(
        ast.fix_missing_locations(rewritten(definition, entity.__code__.co_freevars))
    )


@export("autograph.set_verbosity")
def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Sets the verbosity of AutoGraph logging; no effect, nothing is logged.

    Args:
        level: Accepted and without effect.
        alsologtostdout: Accepted and without effect.

    Returns:
        None.
    """


@export("autograph.trace")
def trace(*args: Any) -> None:
    """Prints its arguments when called; in a traced function, at trace time.

    Args:
        *args: The values to print.

    Returns:
        None.
    """
    print(*args)


@export("autograph.experimental.do_not_convert")
def do_not_convert(func: Any = None) -> Any:
    """Marks a function as excluded from conversion.

    Args:
        func: A Python function; if None, a decorator is returned.

    Returns:
        A wrapper that calls it unconverted.
    """
    if func is None:
        return do_not_convert

    @functools.wraps(func)
    def called(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    called.__ag_skip__ = True  # type: ignore[attr-defined]
    return called
