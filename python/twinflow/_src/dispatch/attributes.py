"""Validation and conversion of op attributes against TensorFlow's op definitions.

Error classes and messages are TensorFlow's.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch import opdefs


class Attribute:
    """An attribute of an op definition: its type, default, minimum and allowed values.

    ``text`` is that in the op definition, such as ``int,min=1``.
    """

    def __init__(self, op: str, name: str, text: str) -> None:
        self._op, self._name = op, name
        self._kind = text.partition(",")[0]
        least = re.search(r",min=(\d+)", text)
        counted = self._kind == "int" or self._kind.startswith("list(")
        self._least = int(least[1]) if least and counted else None
        self._listed = "allowed=[" in text and self._kind in ("string", "type")
        self._free = "default=" in text
        default = re.search(r",default=(\"[^\"]*\"|[^,]*)", text)
        self.default = None
        if default and self._kind in ("int", "bool", "string"):
            import json

            self.default = json.loads(default[1], strict=False)  # texts may hold tabs

    def parsed(self, value: Any, shown: str) -> Any:
        """Converts an argument to the attribute's type and checks it against the op definition.

        None stands for the default, if there is one. ``shown`` is the parameter's public name, for
        messages.
        """
        if value is None and self._free:
            return None
        if self._kind.startswith("list("):
            return self._many(value, shown)
        value = _one(self._kind, value, shown)
        if self._listed:
            opdefs.check_attr(self._op, self._name, value)
        if self._least is not None and value < self._least:
            raise opdefs.too_small(self._op, self._name, value, self._least)
        self._check_width(value)
        return value

    def _many(self, value: Any, shown: str) -> Any:
        if not isinstance(value, (list, tuple)):
            raise TypeError(
                f"Expected list for '{shown}' argument to '{python_name(self._op)}' Op, not {value!r}."
            )
        items = [_one(self._kind[5:-1], item, shown) for item in value]
        if self._least is not None and len(items) < self._least:
            raise opdefs.too_small(self._op, self._name, len(items), self._least, "Length")
        for item in items:
            self._check_width(item)
        return items

    def _check_width(self, value: Any) -> None:
        """Raises an error if the value exceeds int32: kernels store these attributes in 32 bits."""
        if self._name in _COUNTS and value >= 2**31:
            raise ValueError(f"Number of outputs is too big: {value}")
        if self._name in _NARROW and isinstance(value, int) and not -(2**31) <= value < 2**31:
            raise invalid(f"Attr {self._name} has value {value} out of range for an int32")


_NAMES = """
    axis batch_dim batch_dims block_size concat_dim dilations k ksize maxsplit ngram_widths num_sampled num_true
    pad_width precision rates replacement_char seq_dim squeeze_dims strides summarize width"""
_NARROW = frozenset(_NAMES.split())
_COUNTS = frozenset(("num", "num_split", "num_partitions"))


@functools.cache
def attribute(op: str, name: str) -> Attribute | None:
    """Returns an attribute of an op, or None if TensorFlow's op definition does not have it."""
    text = opdefs.attr_text(op, name)
    return None if text is None else Attribute(op, name, text)


def convert_attributes(op: str, **values: Any) -> list[Any]:
    """Converts attribute values against the op definition; None becomes the attribute's default."""
    results = []
    for name, value in values.items():
        definition = attribute(op, name) or Attribute(op, name, "")
        value = definition.parsed(value, name)
        results.append(definition.default if value is None else value)
    return results


def python_name(op: str) -> str:
    """Returns the name of the generated Python function of an op: ``Conv3D`` is ``conv3d``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])", "_", op).lower()


def _one(kind: str, value: Any, shown: str) -> Any:
    convert, name = _KINDS.get(kind, (None, ""))
    if convert is None:
        return value
    try:
        return convert(value)
    except (TypeError, ValueError):
        raise TypeError(f"Expected {name} for argument '{shown}' not {value!r}.") from None


def _int(value: Any) -> int:
    if isinstance(value, (str, bytes)):
        raise TypeError
    return value if type(value) is int else int(value)


def _float(value: Any) -> float:
    if isinstance(value, (str, bytes)) or hasattr(value, "_array"):  # tensors are refused
        raise TypeError
    return value if type(value) is float else float(value)


def _bool(value: Any) -> bool:
    if type(value) is not bool:
        raise TypeError
    return value


def _string(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if not isinstance(value, str):
        raise TypeError
    return value


# Attribute type to its conversion function and its name in TensorFlow's messages.
_KINDS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "int": (_int, "int"),
    "float": (_float, "float"),
    "bool": (_bool, "bool"),
    "string": (_string, "string"),
    "type": (as_dtype, "DataType"),
}
