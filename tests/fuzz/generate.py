"""Random programs, by seeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .functions import function
from .graphs import graph
from .operations import ALL
from .tapes import tape
from .templates import call, slope
from .variables import change, variable
from .writer import Writer


def program(seed: int, kind: str = "") -> dict[str, Any]:
    """Returns a program.

    Args:
        seed: What it is made from.
        kind: One of ``KINDS``; the seed decides where it is not given.

    Returns:
        ``seed``, ``kind``, ``lines`` (statements) and ``ulps`` (how far the result of each may be off).
    """
    chosen = kind or (*KINDS,)[seed % len(KINDS)]
    w = Writer(seed)
    KINDS[chosen](w)
    return {"seed": seed, "kind": chosen, "lines": w.lines, "ulps": w.ulps}


def eager(w: Writer) -> None:
    """A chain of operations, with variables between; at the end all values once more."""
    for _ in range(w.draws.between(1, 2)):
        w.literal(w.types[0], w.shape())
    if w.draws.chance(50):
        variable(w)
    for _ in range(w.draws.between(6, 14)):
        own = (change, change, change) if w.visible(lambda v: v.variable) else ()
        w.draws.pick((*ALL, *own, *(call,) * 12, slope, slope))(w)
    ending(w)


def ending(w: Writer) -> None:
    """Shows all values again: none may have changed with what came after it."""
    values = [v for v in w.scopes[0] if not v.variable]
    names = [v.name for v in values] + [f"{v.name}.value()" for v in w.scopes[0] if v.variable]
    if names:
        w.say(f"({', '.join(names)},)", max([v.ulps for v in values], default=0))


KINDS: dict[str, Callable[[Writer], None]] = {
    "eager": eager,
    "tape": tape,
    "function": function,
    "graph": graph,
}
