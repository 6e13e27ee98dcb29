"""``tf.print`` and ``tf.strings.format``, with TensorFlow's formatting of tensors."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.control_flow.py_function import when_run
from twinflow._src.conversion.constant import constant, convert_to_tensor, is_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.nest import flatten, is_nested, map_structure
from twinflow._src.core.scopes import get_logger
from twinflow._src.dispatch.attributes import convert_attributes
from twinflow._src.dispatch.op import export

_ESCAPES = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}


def _real(value: float, short: int, long: int, kind: Any) -> str:
    """Formats a number with ``short`` digits if they round-trip, otherwise with ``long`` digits."""
    if value != value:
        return "nan"
    text = f"{value:.{short}g}"
    return text if kind(text) == kind(value) else f"{value:.{long}g}"


def _escape(value: bytes) -> bytes:
    """Escapes a byte string as a C string literal; bytes above 127 are kept."""
    parts = [
        _ESCAPES[b].encode()
        if b in _ESCAPES
        else b"\\%03o" % b
        if b < 32 or b == 127
        else bytes((b,))
        for b in value
    ]
    return b'"' + b"".join(parts) + b'"'


def element_texts(array: Any, dtype: Any) -> list[bytes]:
    """Formats the elements of a NumPy array as TensorFlow's kernels do."""
    kind = dtype.kind
    if kind == "s":
        return [_escape(v if isinstance(v, bytes) else str(v).encode()) for v in array.ravel()]
    if kind == "f":
        wide = dtype is dtypes.float64
        values = array.astype(np.float64).ravel()
        tiny = np.finfo(np.float64 if wide else np.float32).tiny
        values = np.where(np.abs(values) < tiny, np.copysign(0.0, values), values)  # flushed to 0
        digits = (15, 17, float) if wide else (6, 9, np.float32)
        return [_real(v, *digits).encode() for v in values.tolist()]
    return [b"%d" % int(v) for v in array.ravel()]


def _spacing(depth: int, rank: int) -> bytes:
    return b" " if depth == rank - 1 else b"\n" * (rank - depth - 1) + b" " * (depth + 1)


def summarized(array: Any, dtype: Any, summarize: int) -> bytes:
    """Formats an array in brackets, abbreviated to ``summarize`` elements at either end."""
    ends = array.size if summarize < 0 else min(summarize, array.size)
    if dtype.kind == "b" and not ends:
        return b""
    if not (array.ndim or ends):
        return b"..."
    if dtype.kind in "cr" or dtype is dtypes.qint32:
        return _unknown(array, ends)
    return _dimension(array, dtype, ends, 0, array.ndim)


def _unknown(array: Any, ends: int) -> bytes:
    """Formats an array of a dtype that TensorFlow does not print: a flat list of ``?``."""
    if not array.ndim:
        return b"?"
    return b"[" + b" ".join([b"?"] * ends) + (b"..." if ends < array.size else b"") + b"]"


def _dimension(array: Any, dtype: Any, ends: int, depth: int, rank: int) -> bytes:
    if depth == rank:
        return element_texts(array, dtype)[0]
    count, space = array.shape[0], _spacing(depth, rank)
    head, tail = range(min(ends, count)), range(max(ends, count - ends), count)
    if depth == rank - 1:
        first = element_texts(array[: len(head)], dtype)
        last = element_texts(array[tail.start :], dtype)
    else:
        first = [_dimension(array[i], dtype, ends, depth + 1, rank) for i in head]
        last = [_dimension(array[i], dtype, ends, depth + 1, rank) for i in tail]
    result = b"[" + space.join(first)
    if count > 2 * ends:
        result += space + b"..."
    return result + b"".join(space + item for item in last) + b"]"


def _value_text(x: Any, summarize: int) -> bytes:
    """Formats a tensor or composite tensor as ``tf.print`` does."""
    if hasattr(x, "_printed"):
        return x._printed(summarize)
    x = convert_to_tensor(x)
    return summarized(x._host(), x.dtype, summarize)


def _is_value(x: Any) -> bool:
    return is_tensor(x) or hasattr(x, "_printed")


@export("strings.format")
def format_(
    template: str,
    inputs: Any,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> Any:
    """Formats a string template with the values of tensors.

    Args:
        template: The template string.
        inputs: A tensor or a list of values, one for each placeholder.
        placeholder: The placeholder in the template.
        summarize: The number of elements shown at either end of a dimension; -1 for all.

    Returns:
        A string scalar.

    Raises:
        ValueError: The numbers of placeholders and values differ.
    """
    if _is_value(inputs):
        inputs = [inputs]
    (summarize,) = convert_attributes("StringFormat", summarize=summarize)
    expected, actual = template.count(placeholder), len(inputs)
    if expected != actual:
        raise ValueError(
            f"The template expects {expected} tensors, but the inputs only has {actual}. "
            "Please ensure the number of placeholders in template matches inputs length."
        )
    literals = template.split(placeholder)
    text = literals[0].encode()
    for value, literal in zip(inputs, literals[1:], strict=True):
        text += _value_text(value, summarize) + literal.encode()
    return constant(text)


class _Shown:
    """Stand-in for a tensor in a printed structure, whose repr is the formatted tensor."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _pretty(value: Any) -> str:
    import pprint

    return pprint.pformat(value)


def _template(
    value: Any, summarize: int, format: Callable[[Any, int], bytes] = _value_text
) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if _is_value(value):
        return format(value, summarize)
    if not is_nested(value):
        return _pretty(value).encode()
    texts: dict[str, bytes] = {}

    def format_leaf(leaf: Any) -> Any:
        if not _is_value(leaf):
            return leaf
        mark = f"<tensor{len(texts)}>"  # short placeholder, so that long values do not wrap lines
        texts[mark] = format(leaf, summarize)
        return _Shown(mark)

    text = _pretty(map_structure(format_leaf, value) if flatten(value) else value).encode()
    for mark, formatted in texts.items():
        text = text.replace(mark.encode(), formatted)
    return text


_STREAMS = "sys.stdout, sys.stderr, tf.logging.info, tf.logging.warning, tf.logging.error"


_LEVELS = {
    "info": "log(info)",
    "warn": "log(warning)",
    "warning": "log(warning)",
    "error": "log(error)",
}


def _attrs_of_print(*inputs: Any, **kwargs: Any) -> dict[str, Any]:
    """Returns the attributes of ``StringFormat`` and ``PrintV2`` for a call in a graph."""
    stream = kwargs.get("output_stream", sys.stderr)
    names = {sys.stderr: "stderr", sys.stdout: "stdout"}
    target = stream if isinstance(stream, str) else names.get(stream)
    if target is None:
        target = _LEVELS.get(getattr(stream, "__name__", ""), "stderr")
    attrs = {"output_stream": target, "end": kwargs.get("end", "\n")}
    if len(inputs) == 1 and is_tensor(inputs[0]) and _is_plain_string(inputs[0]):
        return attrs
    if any(_is_value(x) and not is_tensor(x) for x in flatten(list(inputs))):
        return {}  # composite tensors, whose text is no template
    summarize = kwargs.get("summarize", 3)
    parts = (_template(x, summarize, lambda *_: b"{}").decode() for x in inputs)
    template = kwargs.get("sep", " ").join(parts)
    return attrs | {"template": template, "placeholder": "{}", "summarize": summarize}


def formatted(template: str, arrays: list[Any], placeholder: str, summarize: int) -> bytes:
    """Returns a template with texts of arrays and their dtypes in place of placeholders."""
    first, *literals = template.split(placeholder)
    text = first.encode()
    for (array, dtype), literal in zip(arrays, literals):
        text += summarized(array, dtype, summarize) + literal.encode()
    return text


def write_to_stream(stream: str, text: bytes) -> None:
    """Writes a text to a stream named as in graphs."""
    if stream.startswith("file://"):
        return _write(stream.removeprefix("file://"), text)
    if stream.startswith("log("):
        level = stream.removeprefix("log(").removesuffix(")")
        return _write(getattr(get_logger(), level, get_logger().info), text)
    return _write(sys.stdout if stream == "stdout" else sys.stderr, text)


@export("print")
@when_run("PrintV2", _attrs_of_print)
def print_(*inputs: Any, **kwargs: Any) -> None:
    """Prints values, tensors with their elements.

    Args:
        *inputs: Tensors, other values, and lists, tuples and dictionaries of them.
        **kwargs: ``output_stream``: ``sys.stderr`` (the default), ``sys.stdout`` or
            ``"file://PATH"``. ``summarize``: the number of elements shown at either end of a
            dimension, 3 by default, -1 for all. ``sep``: the separator of the values. ``end``: the
            string after the last value. ``name``: a name for the operation.

    Returns:
        None.

    Raises:
        ValueError: The output stream or a keyword is unknown.
    """
    stream = kwargs.pop("output_stream", sys.stderr)
    kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    target, joined = _target(stream), sep.join
    (summarize,) = convert_attributes("StringFormat", summarize=summarize)
    if not isinstance(end, str):
        raise TypeError(f"Expected string for argument 'end' not {end!r}.")
    if len(inputs) == 1 and is_tensor(inputs[0]) and _is_plain_string(inputs[0]):
        text = bytes(convert_to_tensor(inputs[0])._host()[()])
    else:
        text = joined(("", "")).encode().join(_template(value, summarize) for value in inputs)
    _write(target, text + end.encode())


def _is_plain_string(x: Any) -> bool:
    return x.dtype is dtypes.string and x.shape.rank == 0


def _target(stream: Any) -> Any:
    if isinstance(stream, str) and stream.startswith("file://"):
        return stream[len("file://") :]
    if stream in (sys.stdout, sys.stderr) or _is_of_logging(stream):
        return stream
    raise ValueError(
        f"Unsupported output stream, logging level, or file.{stream}. Supported streams are {_STREAMS}. "
        "File needs to be in the form of 'file://<filepath>'."
    )


def _is_of_logging(stream: Any) -> bool:
    """True if the output stream is one of the functions of ``tf.compat.v1.logging``."""
    module, name = getattr(stream, "__module__", None) or "", getattr(stream, "__name__", "")
    return module.endswith(".compat_v1.logging") and name in ("info", "warn", "warning", "error")


def _write(target: Any, text: bytes) -> None:
    if isinstance(target, str):
        with open(target, "ab") as file:
            file.write(text)
        return
    if callable(target):
        target("%s", text.decode("utf-8", "replace").removesuffix("\n"))
        return
    target.write(text.decode("utf-8", "replace"))
    target.flush()
