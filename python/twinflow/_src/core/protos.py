"""Protocol buffer messages of TensorFlow's file formats.

The classes are created on first use from ``messages.proto``, in a separate descriptor pool:
TensorFlow may be loaded in the same process with messages of the same names. Only this module
imports the package protobuf.
"""

from __future__ import annotations

import functools
import importlib
import re
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from twinflow._src.core import dtypes
from twinflow._src.core.data_files import read_text

_PACKAGE = "tensorflow"
_SCALARS = ("double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string")
_NUMBERS = {name: number for number, name in enumerate(_SCALARS, 1)} | {
    "bytes": 12,
    "uint32": 13,
    "sint64": 18,
}
_OPTIONAL, _REPEATED = 1, 3
_OPENING = re.compile(r"(message|oneof|enum) (\w+) \{")
_FIELD = re.compile(r"(repeated )?(?:map<(\w+), (\w+)>|([\w.]+)) (\w+) = (\d+);")
_VALUE = re.compile(r"(\w+) = (\d+);")


def needed(module: str, package: str) -> ModuleType:
    """Imports a module of an optional package; raises ImportError that names the package if it is missing."""
    loaded = sys.modules.get(module)
    if loaded is not None:
        return loaded
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"TensorFlow's file formats need the Python package {package}, which is not installed: "
            f"pip install {package}"
        ) from error


# ------------------------------------------------------------------ descriptors


def _statements(path: str) -> Iterator[str]:
    """Yields the statements of a file of message definitions."""
    for line in read_text(path).splitlines():
        statement = line.partition("//")[0].strip()
        if statement:
            yield statement


def _lines() -> Iterator[str]:
    """Yields the statements of ``messages.proto``, then those of the enum DataType."""
    yield from _statements("core/messages.proto")
    yield "enum DataType {"
    yield "DT_INVALID = 0;"
    for dtype in (*dtypes.ALL.values(), *dtypes._REFS.values()):
        suffix = "" if dtype.base_dtype is dtype else "_REF"
        yield f"DT_{dtype.base_dtype.cname.upper()}{suffix} = {dtype.as_datatype_enum};"
    yield "}"


def _file(name: str, package: str, lines: Iterator[str]) -> Any:
    """Returns the FileDescriptorProto of some statements."""
    proto = needed("google.protobuf.descriptor_pb2", "protobuf")
    file = proto.FileDescriptorProto(name=name, package=package, syntax="proto3")
    open_: list[tuple[str, Any]] = [("file", file)]
    for line in lines:
        kind, within = open_[-1]
        opening = _OPENING.fullmatch(line)
        if line == "}":
            open_.pop()
        elif opening is None:
            (_add_value if kind == "enum" else _add_field)(line, [of for _, of in open_[-2:]], kind)
        elif opening[1] == "oneof":
            within.oneof_decl.add(name=opening[2])
            open_.append(("oneof", within))
        else:
            parts = {"message": "nested_type", "enum": "enum_type"}[opening[1]]
            parts = "message_type" if kind == "file" and opening[1] == "message" else parts
            open_.append((opening[1], getattr(within, parts).add(name=opening[2])))
    return file


def _add_value(line: str, within: list[Any], kind: str) -> None:
    match = _VALUE.fullmatch(line)
    assert match, line
    within[-1].value.add(name=match[1], number=int(match[2]))


def _add_field(line: str, within: list[Any], kind: str) -> None:
    match = _FIELD.fullmatch(line)
    assert match, line
    repeated, key, value, type, name, number = match.groups()
    message = within[-1]
    field = message.field.add(name=name, number=int(number), label=_OPTIONAL)
    if repeated or key:
        field.label = _REPEATED
    if kind == "oneof":
        field.oneof_index = len(message.oneof_decl) - 1
    if key:
        type = _add_entry(message, name, key, value)
    _set_type(field, type)


def _set_type(field: Any, type: str) -> None:
    if type in _NUMBERS:
        field.type = _NUMBERS[type]
    else:
        field.type_name = type  # protobuf resolves whether it is a message or an enum


def _add_entry(message: Any, name: str, key: str, value: str) -> str:
    """Adds the entry message of a map field and returns its name."""
    title = "".join(part.capitalize() for part in name.split("_")) + "Entry"
    entry = message.nested_type.add(name=title)
    entry.options.map_entry = True
    for number, (part, type) in enumerate((("key", key), ("value", value)), 1):
        _set_type(entry.field.add(name=part, number=number, label=_OPTIONAL), type)
    return title


# ------------------------------------------------------------------ classes


@functools.cache
def _pool() -> Any:
    pool = needed("google.protobuf.descriptor_pool", "protobuf").DescriptorPool()
    pool.Add(_file("twinflow.proto", _PACKAGE, _lines()))
    return pool


@functools.cache
def message(name: str) -> Any:
    """Returns the message class of a name such as ``"Example"``."""
    cls = _message_class(_pool(), f"{_PACKAGE}.{name}")
    cls.__module__ = __name__  # where pickle finds it
    return cls


def messages_of(path: str, package: str) -> Callable[[str], Any]:
    """Returns a function from names to message classes of another file of definitions."""
    pool = needed("google.protobuf.descriptor_pool", "protobuf").DescriptorPool()
    pool.Add(_file(path, package, _statements(path)))
    return lambda name: _message_class(pool, f"{package}.{name}")


def _message_class(pool: Any, name: str) -> Any:
    factory = needed("google.protobuf.message_factory", "protobuf")
    return factory.GetMessageClass(pool.FindMessageTypeByName(name))


def shape_proto(dims: Any) -> Any:
    """Returns the TensorShapeProto of a shape; of unknown rank if ``dims`` is None."""
    if dims is None:
        return message("TensorShapeProto")(unknown_rank=True)
    sizes = [{"size": -1 if size is None else size} for size in dims]
    return message("TensorShapeProto")(dim=sizes)


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        if name.startswith("DT_"):
            values = _pool().FindEnumTypeByName(f"{_PACKAGE}.DataType").values_by_name
            return values[name].number
        return message(name)
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
