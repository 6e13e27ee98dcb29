"""The reference page ``raw_ops.md``: the functions of ``tf.raw_ops``."""

from __future__ import annotations

import inspect

from twinflow._src.api import describe
from twinflow._src.dispatch.registry import OPS
from twinflow._src.wings.raw_ops import functions
from twinflow._src.wings.raw_ops.parameters import known_signature


def page(notice: str) -> str:
    """The page.

    Args:
        notice: Its first line.
    """
    parts = [
        f"{notice}# Raw operations",
        "`tf.raw_ops` has a function for each operation, under its type. Arguments are given by name; they are the\n"
        "inputs and attributes of TensorFlow's definition. Operations with several results give a named tuple.",
        "| function | results | what it does |\n| --- | --- | --- |\n"
        + "\n".join(map(_row, functions.names())),
    ]
    return "\n\n".join(parts) + "\n"


def _row(type: str) -> str:
    shown = describe.readable(inspect.signature(functions.function(type)))
    results = ", ".join(arg.name for arg in known_signature(type).outputs) or "-"
    op = OPS.get(type)
    what = (
        (inspect.getdoc(op.kernel) or "").splitlines()[0].replace("|", "\\|")
        if op is not None
        else ""
    )
    return f"| `{type}{shown}` | {results} | {what} |"
