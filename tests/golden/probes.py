"""Small expressions with the answers that TensorFlow gave, and how ours are compared with them.

The files that ``PYTHON_FILES`` names hold a probe a line: ``code``, and what came of it: ``result`` (a description
that does not depend on the module), ``stdout`` or ``error``. ``Outcome`` is what running one gives,
``differences`` says in what an outcome departs from the recorded one.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import itertools
import json
import linecache
import re
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).parent
SEED = 1234  # before each probe that is not isolated, where the module has random numbers

Description = dict[str, Any]
Difference = tuple[str, Any, Any]  # aspect, recorded, ours


class Outcome(NamedTuple):
    """The outcome of a probe: a description of its last expression, or an error."""

    result: Description | None
    stdout: str
    error: dict[str, str] | None

    @classmethod
    def recorded(cls, probe: dict[str, Any]) -> Outcome:
        return cls(probe.get("result"), probe.get("stdout", ""), probe.get("error"))


PYTHON_FILES = (
    "tf_probes.json",
    "more_probes.json",
    "bad_input_probes.json",
    "value_probes.json",
    "io_probes.json",
    "composite_probes.json",
    "function_probes.json",
    "training_probes.json",
    "checkpoint_probes.json",
    "checkpoint_function_probes.json",
    "tried_probes.json",
    "named_probes.json",
    "varied_probes.json",
    "traced_probes.json",
    "graph_probes.json",
    "program_probes.json",
    "client_probes.json",
)
R_FILES = ("r_probes.json", "r_varied_probes.json")


def load(*names: str) -> list[dict[str, Any]]:
    """The probes of files; of all in Python where none is named."""
    files = [HERE / name for name in names or PYTHON_FILES]
    return [probe for file in files for probe in json.loads(file.read_text("utf-8"))["probes"]]


# ------------------------------------------------------------------ running


def run(code: str, tf: Any) -> Outcome:
    """Runs a snippet whose last expression is the result."""
    names = {"tf": tf, "np": np, "__name__": "__probe__"}
    tree, file = ast.parse(code), _source_file(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    result, out = None, io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(out):
        warnings.simplefilter("ignore")
        try:
            exec(compile(tree, file, "exec"), names)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), file, "eval"), names)
                with contextlib.redirect_stdout(io.StringIO()):
                    result = describe(value, tf)
        except Exception as error:
            return Outcome(
                None, out.getvalue(), {"type": type(error).__name__, "message": str(error)}
            )
    return Outcome(result, out.getvalue(), None)


_numbers = itertools.count()


def _source_file(code: str) -> str:
    """A file name under which the source of a function can be asked for, as AutoGraph does."""
    name = f"<probe-{next(_numbers)}>"
    linecache.cache[name] = (len(code), None, [f"{line}\n" for line in code.split("\n")], name)
    return name


def chains(code: str) -> list[list[str]]:
    """The public names in code, each as its parts: ``["math", "add"]`` for ``tf.math.add``."""
    return [dotted for node in ast.walk(ast.parse(code)) if (dotted := _dotted(node))]


def missing(code: str, tf: Any) -> str | None:
    """The first public name in the code that the module does not have, or None."""
    for chain in chains(code):
        if named(chain, tf) is _ABSENT:
            return ".".join(["tf", *chain])
    return None


_ABSENT = object()


def named(chain: list[str], tf: Any) -> Any:
    """Returns what a public name means; attributes of anything but modules are not looked up."""
    thing = tf
    for part in chain:
        if not isinstance(thing, types.ModuleType):
            break
        thing = getattr(thing, part, _ABSENT)
    return thing


def _dotted(node: ast.AST) -> list[str]:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    return parts if isinstance(node, ast.Name) and node.id == "tf" else []


# ------------------------------------------------------------------ describing


def describe(value: Any, tf: Any, depth: int = 0) -> Description:
    """Returns what a value is, in terms that do not depend on the module that made it."""
    inner = lambda items: [describe(item, tf, depth + 1) for item in items]
    for kind, of_kind, description in _KINDS:
        if of_kind(value, tf):
            return {"kind": kind, **description(value, inner)}
    return {"kind": "object", "type": type(value).__name__, **_text(value)}


def _instance(name: str) -> Callable[[Any, Any], bool]:
    return lambda value, tf: isinstance(value, getattr(tf, name, ()))


def _text(value: Any) -> Description:
    return {"repr": _tried(repr, value), "str": _tried(str, value)}


def _tried(function: Callable[[Any], Any], value: Any) -> Any:
    try:
        return function(value)
    except Exception as error:
        return f"<raises {type(error).__name__}>"


def _shape(value: Any) -> list[int | None] | None:
    return None if value.rank is None else value.as_list()


def _python(value: Any, _: Any) -> Description:
    return {"type": type(value).__name__, "repr": repr(value)}


def _numpy(value: Any, _: Any) -> Description:
    array = np.asarray(value)
    name = array.dtype.kind if array.dtype.kind in "SU" else array.dtype.name
    return {"dtype": name, "shape": list(array.shape), "value": encode(array), **_text(value)}


def _tensor(value: Any, _: Any) -> Description:
    found = {"dtype": value.dtype.name, "shape": _shape(value.shape), **_text(value)}
    with contextlib.suppress(Exception):
        found["value"] = encode(np.asarray(value.numpy()))
    return found


def _variable(value: Any, inner: Any) -> Description:
    return {"name": _tried(lambda v: v.name, value), **_tensor(value, inner)}


def _items(value: Any, inner: Any) -> Description:
    return {"items": inner(value)}


def _named_tuple(value: Any, inner: Any) -> Description:
    return {"type": type(value).__name__, "fields": list(value._fields), "items": inner(value)}


def _slices(value: Any, inner: Any) -> Description:
    return {**_text(value), "items": inner([value.values, value.indices, value.dense_shape])}


def _dict(value: Any, inner: Any) -> Description:
    return {"keys": list(map(str, value)), "items": inner(value.values())}


def _of(*classes: type) -> Callable[[Any, Any], bool]:
    return lambda value, tf: type(value) in classes


def _is(*classes: type) -> Callable[[Any, Any], bool]:
    return lambda value, tf: isinstance(value, classes)


_SEQUENCES = ("ListWrapper", "_TupleWrapper")
_KINDS: list[tuple[str, Callable[[Any, Any], bool], Callable[[Any, Any], Description]]] = [
    (
        "python",
        _of(type(None), bool, int, str, float, complex, bytes, range, slice, type(...)),
        _python,
    ),
    ("npscalar", _is(np.generic), _numpy),
    ("ndarray", _is(np.ndarray), _numpy),
    ("npdtype", _is(np.dtype), lambda v, _: {"value": v.name}),
    ("variable", _instance("Variable"), _variable),
    ("indexed_slices", _instance("IndexedSlices"), _slices),
    (
        "sparse",
        _instance("SparseTensor"),
        lambda v, inner: {**_text(v), "items": inner([v.indices, v.values, v.dense_shape])},
    ),
    (
        "ragged",
        _instance("RaggedTensor"),
        lambda v, _: {**_text(v), "value": _tried(lambda r: repr(r.to_list()), v)},
    ),
    ("tensor", _instance("Tensor"), _tensor),
    ("tensorshape", _instance("TensorShape"), lambda v, _: {"value": _shape(v), **_text(v)}),
    ("dtype", _instance("DType"), lambda v, _: {"value": v.name, **_text(v)}),
    ("tensorspec", _instance("TensorSpec"), lambda v, _: _text(v)),
    ("dict", _is(dict), _dict),
    ("namedtuple", lambda v, tf: isinstance(v, tuple) and hasattr(v, "_fields"), _named_tuple),
    ("tuple", _is(tuple), _items),
    ("list", lambda v, tf: isinstance(v, list) or type(v).__name__ in _SEQUENCES, _items),
    ("class", _is(type), lambda v, _: {"value": v.__name__}),
    (
        "callable",
        _is(types.FunctionType, types.BuiltinFunctionType, types.MethodType),
        lambda v, _: {"value": v.__name__},
    ),
]


def encode(array: np.ndarray[Any, Any]) -> list[Any]:
    """An array as JSON: the name of a NumPy type and base64, or ``"strings"`` and their reprs."""
    if array.dtype.kind in "OSU":
        return ["strings", *map(repr, array.ravel().tolist())]
    if array.dtype.kind == "V" or array.dtype.num > 23:  # NumPy cannot read these back by name
        array = array.astype(np.float32)
    return [array.dtype.str, base64.b64encode(array.tobytes()).decode()]


def decode(value: list[Any]) -> np.ndarray[Any, Any]:
    """The numbers of an encoded array, in a row."""
    return np.frombuffer(base64.b64decode(value[1]), np.dtype(value[0]))


# ------------------------------------------------------------------ comparing

# Relative and absolute tolerance by type; all other types must agree in every bit.
_TOLERANCE = {
    "float16": (2e-3, 1e-3),
    "bfloat16": (2e-2, 1e-2),
    "float32": (5e-6, 1e-6),
    "complex64": (5e-6, 1e-6),
    "float64": (1e-10, 1e-12),
    "complex128": (1e-10, 1e-12),
}

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")

# What Python and NumPy themselves say: the versions that recorded the probes (3.11, 2.4) and others alike.
_OF_PYTHON = [
    (re.compile(r"property ('\w+') of '\w+' object has no setter"), r"can't set attribute \1"),
    (re.compile(r"(string indices must be integers), not '\w+'"), r"\1"),
    (re.compile(r"Mismatch at ind(?:ex|ices):.*?(?=Max absolute| ACTUAL:|\n ACTUAL)", re.S), ""),
    (
        re.compile(
            r"First \d+ mismatches are at indices:.*?(?=Max absolute| ACTUAL:|\n ACTUAL)", re.S
        ),
        "",
    ),
    (re.compile(r"\+inf location mismatch"), "inf location mismatch"),
    (re.compile(r"max\(\) iterable argument is empty"), "max() arg is an empty sequence"),
    (
        re.compile(r"got some positional-only arguments passed as keyword arguments: ('\w+')"),
        r"\1 parameter is positional only, but was passed as a keyword",
    ),
    (
        re.compile(r"missing a required positional-only argument: ('\w+')"),
        r"\1 parameter is positional only, but was passed as a keyword",
    ),
    (
        re.compile(r"complex\(\) argument must be a string or a number, not (\w+)"),
        r"complex() first argument must be a string or a number, not '\1'",
    ),
    (re.compile(r"cannot use '[\w.]+' as a dict key \((.*)\)", re.S), r"\1"),
    (re.compile(r" \(missed __exit__ method\)"), ""),
    (re.compile(r"typing\.Union\[(\w+), (\w+)\]"), r"\1 | \2"),
    (re.compile(r"(too many values to unpack \(expected \d+), got \d+"), r"\1"),
    (re.compile(r"^type object '\w+' has no attribute '([A-Z_]+)'$"), r"\1"),  # of an enumeration
    (
        re.compile(r"without an implementation for abstract (methods?) ('.*')"),
        lambda found: f"with abstract {found[1]} {found[2]}".replace("'", ""),
    ),
    (
        re.compile(r"got an unexpected keyword argument ('\w+')\. Did you mean '\w+'\?"),
        r"got an unexpected keyword argument \1",
    ),
]

# What TensorFlow's runtime and build add to a message, and module paths, which name the module.
_DECORATION = [
    (re.compile(r"\{\{function_node [^}]*\}\} ?"), ""),
    (re.compile(r"\{\{node ([^}]*)\}\}"), r"node \1"),
    (re.compile(r' defined at \(most recent call last\):(?:\n\s*File "[^\n]*)*'), ""),
    (re.compile(r"\s*\[Op:\w+\](?: name: ?\S*)?\s*$"), ""),
    (re.compile(r", node name: \w+"), ""),
    (re.compile(r"(Could not find device for node: node \w+ =|Registered devices).*", re.S), r"\1"),
    (re.compile(r"\b(?:\w+\.)+(\w+(?:'| object))"), r"\1"),
    (re.compile(r"(module|type object) '[^']+'"), r"\1"),
    (re.compile(r"(?<=Graph execution error:).*?(?=Node: )", re.S), " "),
    (re.compile(r'File "(?:[^"]*/)?([^"/<]+|<\w+)[^"]*", line \d+'), r"File \1"),
    (_ADDRESS, "0x"),
    (re.compile(r"/tmp/\w+"), "/tmp"),  # a directory that a probe has made
    (re.compile(r"\s+"), " "),
]
_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+(?=e))(?:e[-+]?\d+)?", re.I)
_PATH = re.compile(r"<(?:\w+\.)+(\w+ object at )")
_BLANKS = re.compile(r"\s*([][(),+=])\s*|\s+")


def differences(recorded: Outcome, ours: Outcome, volatile: bool = False) -> list[Difference]:
    """In what an outcome departs from the recorded one.

    Args:
        recorded: TensorFlow's.
        ours: The one to judge.
        volatile: Whether TensorFlow's own values change from run to run: then only type and shape count.
    """
    found = list(_error_differences(recorded.error, ours.error, volatile))
    if not found and recorded.error is None:
        found += _differences(recorded.result, ours.result)
    if not volatile and not alike(recorded.stdout, ours.stdout):
        found.append(("stdout", recorded.stdout, ours.stdout))
    return [d for d in found if d[0] in ("kind", "dtype", "shape", "error")] if volatile else found


def _error_differences(recorded: Any, ours: Any, volatile: bool) -> Iterator[Difference]:
    a, b = ([e["type"], plain(e["message"])] if e else None for e in (recorded, ours))
    if (a is None) != (b is None) or (a and b and a[0] != b[0]):
        yield "error", a and ": ".join(a), b and ": ".join(b)
    elif a != b and not volatile:
        yield "message", a and a[1], b and b[1]


def plain(message: str) -> str:
    """A message without decoration and module paths."""
    for pattern, replacement in (*_OF_PYTHON, *_DECORATION):
        message = pattern.sub(replacement, message)
    return message.strip()


def _differences(a: Description | None, b: Description | None) -> Iterator[Difference]:
    if a is None or b is None or a["kind"] != b["kind"]:
        if a is not b:
            yield "kind", a, b
        return
    for aspect in sorted((a.keys() | b.keys()) - {"items", "repr", "str"}):
        x, y = a.get(aspect), b.get(aspect)
        if not (
            _close(x, y, a.get("dtype")) if aspect == "value" and isinstance(x, list) else x == y
        ):
            yield aspect, a.get("repr", x), b.get("repr", y)
    exact = a.get("value") == b.get("value")
    for aspect in ("repr", "str"):
        if not alike(a.get(aspect), b.get(aspect), exact):
            yield aspect, a.get(aspect), b.get(aspect)
    items, ours = a.get("items", []), b.get("items", [])
    if len(items) != len(ours):
        yield "length", len(items), len(ours)
        return
    for x, y in zip(items, ours, strict=True):
        yield from _differences(x, y)


def _close(a: Any, b: Any, dtype: Any) -> bool:
    """True if two encoded arrays agree: to a tolerance for inexact numbers, else exactly."""
    if dtype not in _TOLERANCE or a == b or b is None or a[0] != b[0]:
        return a == b
    x, y = decode(a), decode(b)
    relative, absolute = _TOLERANCE[dtype]
    return x.shape == y.shape and np.allclose(x, y, rtol=relative, atol=absolute, equal_nan=True)


def alike(a: Any, b: Any, exact: bool = True) -> bool:
    """True if two texts agree but for addresses, module paths, and the last digits of numbers.

    Where the numbers themselves agree only to a tolerance, their digits do not count at all.
    """
    digits = _five_digits if exact else lambda match: "#"
    return a == b or (
        a is not None and b is not None and _plain_text(a, digits) == _plain_text(b, digits)
    )


def _plain_text(text: str, digits: Callable[[re.Match[str]], str]) -> str:
    text = _PATH.sub(r"<\1", _ADDRESS.sub("0x", text))
    return _NUMBER.sub(digits, _BLANKS.sub(lambda m: m[1] or " ", text))


def _five_digits(match: re.Match[str]) -> str:
    number = float(match[0])
    return f"{number:.5g}" if abs(number) >= 1e-6 else "0"
