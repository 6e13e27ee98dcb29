"""Runs programs and describes their results; imports nothing but the standard library and NumPy.

As a script it is the worker of ``oracle.py``: ``python snapshot.py MODULE`` reads programs, a line of JSON each, runs them with the module
(``tensorflow`` or ``twinflow``), and writes a line of answers for each.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import json
import linecache
import os
import re
import sys
import warnings
from typing import Any

import numpy as np

_REAL = frozenset(("float16", "float32", "float64", "bfloat16"))
_SYMBOLIC = frozenset(("SymbolicTensor", "Placeholder"))


def run(tf: Any, program: dict[str, Any]) -> list[Any]:
    """Runs a program, each statement by itself, and returns the description of each one's result.

    Args:
        tf: The module whose names the program uses.
        program: ``kind``, and ``lines``: the statements.
    """
    names: dict[str, Any] = {"tf": tf, "__name__": "fuzzed"}
    around: Any = (
        tf.Graph().as_default() if program["kind"] == "graph" else contextlib.nullcontext()
    )
    tf.random.set_seed(1)
    with around, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [_statement(tf, names, text, i) for i, text in enumerate(program["lines"])]


def _statement(tf: Any, names: dict[str, Any], text: str, place: int) -> Any:
    """The description of what a statement gives, or of the error that it raises."""
    file = f"<fuzzed {place}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    tree = ast.parse(text)
    last = tree.body[-1]
    try:
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(tree.body[:-1], []), file, "exec"), names)
            return describe(tf, eval(compile(ast.Expression(last.value), file, "eval"), names))
        exec(compile(tree, file, "exec"), names)
        if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name):
            return describe(tf, names[last.targets[0].id])
        return "done"
    except Exception as error:
        return {"error": type(error).__name__, "text": stable(str(error))}


def stable(text: str) -> str:
    """Returns the part of an error's text that does not depend on where and how the operation ran."""
    text = re.sub(r"\{\{[^}]*\}\} ?", "", text.strip())
    text = re.sub(r"\s*\[Op:\w+\].*", "", text, flags=re.DOTALL)
    text = re.split(
        r"\n\s*\n|\nin user code|\n\t|\nDetected at|\nOriginal stack|\s*\[\[|\nDefined at|\n  File ",
        text,
    )[0]
    text = re.sub(r" ?name: *$", "", text)
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    return " ".join(text.split())[:300]


def describe(tf: Any, value: Any) -> Any:
    """Returns a description of a value, made of what JSON has."""
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return ["number", _numbers(np.float64(value))]
    if isinstance(value, bytes):
        return ["bytes", value.decode("latin-1")]
    if (
        isinstance(value, tuple)
        and hasattr(value, "_fields")
        and {"values", "indices"} <= set(value._fields)
    ):
        return ["IndexedSlicesValue", *(describe(tf, x) for x in value)]
    if isinstance(value, list | tuple):
        return [
            type(value).__name__ if type(value) in (list, tuple) else "tuple",
            *(describe(tf, x) for x in value),
        ]
    if isinstance(value, dict):
        return ["dict", *([key, describe(tf, value[key])] for key in sorted(value))]
    if isinstance(value, tf.IndexedSlices):
        return [
            "IndexedSlices",
            *(describe(tf, x) for x in (value.values, value.indices, value.dense_shape)),
        ]
    if isinstance(value, tf.TensorShape):
        return ["TensorShape", str(value)]
    if isinstance(value, tf.DType):
        return ["DType", value.name]
    if isinstance(value, np.ndarray | np.generic):
        return _array("array", value)
    if isinstance(value, tf.Variable):
        return (
            ["Variable", value.dtype.name, str(value.shape)]
            if not _eager(tf)
            else _array("Variable", value.numpy())
        )
    if isinstance(value, tf.Tensor):
        if not hasattr(value, "numpy") or not _eager(tf):
            return ["symbolic", value.dtype.name, str(value.shape)]
        return _array("Tensor", value.numpy())
    if isinstance(value, tf.RaggedTensor):
        return ["RaggedTensor", repr(value.to_list())]
    return ["object", type(value).__name__]


def _eager(tf: Any) -> bool:
    """True outside of graphs."""
    return bool(tf.executing_eagerly())


def _array(kind: str, value: Any) -> Any:
    """The description of an array: type, shape, values in order."""
    array = np.asarray(value)
    if array.dtype == object:
        flat = [
            x.decode("latin-1") if isinstance(x, bytes) else str(x)
            for x in array.reshape(-1).tolist()
        ]
        return [kind, "string", list(array.shape), flat]
    return [kind, str(array.dtype), list(array.shape), _numbers(array)]


def _numbers(array: Any) -> str:
    """The values of an array as text: shortest digits that tell each of them."""
    flat = np.asarray(array).reshape(-1)
    if str(flat.dtype) == "bfloat16":
        flat = flat.astype(np.float32)
    if flat.dtype.kind == "c":
        flat = flat.view(np.float32 if flat.dtype == np.complex64 else np.float64)
    if flat.dtype.kind in "f":
        return " ".join(_short(x) for x in flat)
    return " ".join(str(int(x)) for x in flat)


def _short(x: Any) -> str:
    text = str(x)
    return text[:-2] if text.endswith(".0") else text


def _main(module: str) -> None:
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what programs print is not among the answers
    tf = importlib.import_module(module)
    for line in sys.stdin:
        out.write(json.dumps(run(tf, json.loads(line))) + "\n")
        out.flush()


if __name__ == "__main__":
    _main(sys.argv[1])
