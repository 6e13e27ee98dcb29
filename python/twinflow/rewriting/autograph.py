"""AutoGraph: Python functions whose control flow may depend on tensors."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import textwrap
import traceback
import types
from collections.abc import Callable
from typing import Any

from ..errors import OpError
from ..op import export
from .branches import if_stmt
from .calls import callee_for, own_call
from .jumps import has_loop_else
from .loops import for_stmt, while_stmt
from .rewriter import RUNTIME, rewritten
from .values import Undefined, and_, at, if_exp, is_new, ld, not_, or_, result

# What rewritten functions call.
_runtime = types.SimpleNamespace(
    Undefined=Undefined,
    ld=ld,
    at=at,
    is_new=is_new,
    result=result,
    and_=and_,
    or_=or_,
    not_=not_,
    if_exp=if_exp,
    if_stmt=if_stmt,
    while_stmt=while_stmt,
    for_stmt=for_stmt,
)
# The code objects of rewritten functions, and what each was before.
_codes: dict[types.CodeType, types.CodeType] = {}
_made: set[types.CodeType] = set()


def converted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function like another one whose control flow may depend on tensors.

    Args:
        function: A Python function; anything else, and one whose source is not known, is given back.

    Returns:
        A function that shares its variables.
    """
    if isinstance(function, types.MethodType):
        return types.MethodType(converted(function.__func__), function.__self__)
    if isinstance(function, functools.partial):
        return functools.partial(converted(function.func), *function.args, **function.keywords)
    own = own_call(function)
    if own is not None:
        return types.MethodType(converted(own), function)
    if not isinstance(function, types.FunctionType) or function.__code__ in _made:
        return function
    if getattr(function, "__ag_skip__", False):
        return function
    code = _codes.get(function.__code__)
    if code is None:
        code = _codes[function.__code__] = _rewritten(function.__code__)
        if code is not function.__code__:
            _made.add(code)
    return function if code is function.__code__ else _with_code(function, code)


def _with_code(function: types.FunctionType, code: types.CodeType) -> types.FunctionType:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells[RUNTIME] = types.CellType(_runtime)
    closure = tuple(cells[name] for name in code.co_freevars)
    new = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    new.__kwdefaults__ = function.__kwdefaults__
    new.__module__, new.__qualname__ = function.__module__, function.__qualname__
    return new


def _rewritten(code: types.CodeType) -> types.CodeType:
    """The code of a function after rewriting; the same one where that cannot be done."""
    generators = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    if code.co_flags & generators:
        return code
    try:
        definition = _definition(code)
    except (OSError, SyntaxError, TypeError, IndentationError):
        return code  # no source, as in an interactive session: it runs as it is
    if definition is None or has_loop_else(definition):
        return code
    definition.name = "rewritten__"  # its own name must stay the one of the scope around it
    module = ast.Module([_inside(rewritten(definition), code.co_freevars)], [])
    ast.fix_missing_locations(module)
    return _found(compile(module, code.co_filename, "exec")).replace(co_name=code.co_name)


def _inside(definition: ast.FunctionDef, free: tuple[str, ...]) -> ast.FunctionDef:
    """The definition inside a function that has the variables of its closure."""
    args = ast.arguments([], [ast.arg(n) for n in (RUNTIME, *free)], None, [], [], None, [])
    use: ast.stmt = ast.Return(ast.Name(definition.name, ast.Load()))
    return ast.FunctionDef("factory__", args, [definition, use], [], None)


def _found(code: types.CodeType) -> types.CodeType:
    factory = next(c for c in code.co_consts if isinstance(c, types.CodeType))
    return next(c for c in factory.co_consts if isinstance(c, types.CodeType))


def _definition(code: types.CodeType) -> ast.FunctionDef | None:
    """The definition of a function in its file, with the line numbers that it has there."""
    lines, start = inspect.getsourcelines(code)
    if code.co_name == "<lambda>":
        return _definition_of_lambda(code, lines)
    tree = ast.parse(textwrap.dedent("".join(lines)))
    found = tree.body[0]
    if not isinstance(found, ast.FunctionDef):
        return None
    ast.increment_lineno(found, start - 1)
    return found


def _definition_of_lambda(code: types.CodeType, lines: list[str]) -> ast.FunctionDef | None:
    """A lambda as a definition, where it is the only one of its kind on its lines."""
    whole = "".join(linecache.getlines(code.co_filename)) or "".join(lines)
    same = [
        node
        for node in ast.walk(ast.parse(whole))
        if isinstance(node, ast.Lambda)
        and node.lineno == code.co_firstlineno
        and [a.arg for a in node.args.args] == list(code.co_varnames[: code.co_argcount])
    ]
    if len(same) != 1:
        return None
    value: ast.stmt = ast.copy_location(ast.Return(same[0].body), same[0].body)
    made = ast.FunctionDef("lambda__", same[0].args, [value], [], None)
    return ast.copy_location(made, same[0])


_runtime.callee = callee_for(converted)


# ------------------------------------------------------------------ errors


def explained(error: Exception, function: Any) -> Exception:
    """An error of a function's body, with the lines of the program that led to it.

    Args:
        error: What was raised.
        function: The function.

    Returns:
        An error of the same class where its class takes a message, else the error itself.
    """
    before = getattr(error, "_explained", None)  # by a function that this one has called
    lines = _user_lines(error)
    if before is True or not lines:
        return error
    inner, said = before or ([], f"{type(error).__name__}: {_message(error)}")
    text = "in user code:\n\n" + "".join([*lines, *inner]) + f"\n    {said}\n"
    if isinstance(error, OpError):
        new: Any = type(error)(error.node_def, error.op, text)
    else:
        new = type(error)(text) if before else _class_for(type(error))(text)
    new._explained = [*lines, *inner], said
    return new


_TAKE_A_TEXT = (
    AssertionError,
    AttributeError,
    NameError,
    NotImplementedError,
    RuntimeError,
    StopIteration,
    TypeError,
    UnboundLocalError,
    ValueError,
)


def _class_for(kind: type[Exception]) -> type[Exception]:
    """The class of an error with more text: of another name where it is not known to take a text."""
    if issubclass(kind, KeyError):
        return _KeyError
    own = kind.__module__.startswith(__name__.partition(".")[0])
    if own or kind in _TAKE_A_TEXT or kind.__init__ is Exception.__init__:
        return kind
    return type("StagingError", (kind,), {"__module__": __name__, "__init__": _only_text, "__str__": _text_of})


def _only_text(self: Any, text: str) -> None:
    self.args = (text,)


def _text_of(self: Any) -> str:
    return str(self.args[0])


class _KeyError(KeyError):
    """A KeyError whose text is not quoted."""

    def __str__(self) -> str:
        return str(self.args[0])


_KeyError.__name__ = _KeyError.__qualname__ = "KeyError"


def _message(error: Exception) -> str:
    return str(error).replace("\n", "\n    ").strip()


def _user_lines(error: Exception) -> list[str]:
    """The lines of rewritten functions in an error's trace."""
    found: list[str] = []
    last: Any = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        code = _function_of(frame)
        if code is None:
            continue
        source = linecache.getline(code.co_filename, line).strip()
        entry = f'    File "{code.co_filename}", line {line}, in {code.co_name}  *\n        {source}\n'
        if last == code and found and frame.f_code is not code:
            found.pop()
        if not found or found[-1] != entry:
            found.append(entry)
        last = code
    return found


def _function_of(frame: Any) -> types.CodeType | None:
    """The rewritten function that a frame is in, itself or one of the functions that it was cut into."""
    code = frame.f_code
    while code not in _made:
        qualname = code.co_qualname if hasattr(code, "co_qualname") else code.co_name
        if RUNTIME not in code.co_freevars and "__" not in qualname.rpartition(".")[2][-3:]:
            return None
        owners = [c for c in _made if c.co_filename == code.co_filename and code in _inner(c)]
        return owners[0] if owners else None
    return code


@functools.cache
def _inner(code: types.CodeType) -> frozenset[types.CodeType]:
    own = {c for c in code.co_consts if isinstance(c, types.CodeType)}
    return frozenset(own.union(*map(_inner, own)))


# ------------------------------------------------------------------ the public names


@export("autograph.to_graph")
def to_graph(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> Any:
    """Returns a function like another one whose control flow may depend on tensors.

    Args:
        entity: A Python function.
        recursive: Accepted and without effect: functions that it calls are rewritten, too.
        experimental_optional_features: Accepted and without effect.

    Returns:
        A function.
    """
    return converted(entity)


@export("autograph.to_code")
def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """Returns the source of a function after rewriting.

    Args:
        entity: A Python function.
        recursive: Accepted and without effect.
        experimental_optional_features: Accepted and without effect.

    Returns:
        Python code.
    """
    definition = _definition(entity.__code__)
    if definition is None:
        raise ValueError(f"The source of {entity} is not known.")
    return ast.unparse(ast.fix_missing_locations(rewritten(definition)))


@export("autograph.experimental.do_not_convert")
def do_not_convert(func: Any = None) -> Any:
    """Marks a function as one that runs as it is.

    Args:
        func: A Python function; a decorator is given where None.

    Returns:
        A function that calls it.
    """
    if func is None:
        return do_not_convert

    @functools.wraps(func)
    def called(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    called.__ag_skip__ = True  # type: ignore[attr-defined]
    return called


