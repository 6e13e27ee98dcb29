"""Savers as the messages ``SaverDef`` of files, and what is checked before one is made."""

from __future__ import annotations

from typing import Any

from twinflow._src.variables.variable_def import within_scope, without_scope

_NAMES = ("filename_tensor_name", "save_tensor_name", "restore_op_name")


def assert_supported(builder: Any, write_version: int) -> None:
    """Raises NotImplementedError where a saver is to do what it cannot."""
    if builder is not None:
        raise NotImplementedError("Savers build their operations themselves: there are no builders.")
    if write_version != 2:
        raise NotImplementedError(
            "Checkpoints are written in their second format; those of the first one can be read."
        )


def assert_complete(saver_def: Any) -> None:
    """Raises ValueError where a message does not describe a saver."""
    if not hasattr(saver_def, "restore_op_name"):
        raise ValueError(f"saver_def must be a saver_pb2.SaverDef: {saver_def}")
    for field in ("save_tensor_name", "restore_op_name"):
        if not getattr(saver_def, field):
            raise ValueError(f"saver_def must specify the {field}: {saver_def}")


def unscoped(saver_def: Any, scope: str) -> Any:
    """The message of a saver without the scope of its operations; None where they are in another one."""
    names = {field: without_scope(getattr(saver_def, field), scope) for field in _NAMES}
    return None if None in names.values() else _with(saver_def, names)


def scoped(saver_def: Any, scope: str | None) -> Any:
    """The message of a saver whose operations are in a scope."""
    return _with(saver_def, {field: within_scope(getattr(saver_def, field), scope) for field in _NAMES})


def _with(saver_def: Any, names: dict[str, Any]) -> Any:
    proto = type(saver_def)()
    proto.CopyFrom(saver_def)
    for field, name in names.items():
        setattr(proto, field, name)
    return proto


def stem(path: str) -> str:
    """A path without what names one of several files."""
    head, dash, tail = path.rpartition("-of-")
    return head.rpartition("-")[0] if dash and tail.isdigit() and "-" in head else path
