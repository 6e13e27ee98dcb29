"""Runs the recorded R expressions in the R frontend, through rpy2 in this process."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import re
from collections.abc import Iterator
from typing import Any

from tests import harness
from tests.golden import replay
from tests.golden.probes import HERE, alike, missing

# Answers that are not copied: wrong, accidental, or different each time.
NOT_COPIED = {
    "silent-wrong",
    "bug",
    "rng",
    "address",
    "out-of-scope",
    "works-by-accident",
    "quirk",
    "print-version",
    "numerics",
}
_REMARK = "Run `reticulate::py_last_error()` for details."
_NO_SUCH = re.compile(
    r"module 'twinflow[\w.]*' has no attribute"
)  # an R generic over what is not there yet
_NAMES = re.compile(r"\btf((?:\$[A-Za-z_][\w.]*)+)")


@functools.cache
def _run() -> Any:
    import rpy2.robjects as robjects

    assert harness.why_no_r() is None
    robjects.r.source(str(HERE / "probes.R"))
    return robjects.r["run_probe"]


def run(code: str) -> dict[str, Any]:
    """The outcome of an R expression."""
    with contextlib.redirect_stdout(io.StringIO()):
        return json.loads(_run()(code)[0])


def judge(probe: dict[str, Any], tf: Any, listed: dict[str, str]) -> str | None:
    """Runs a probe, enters it into the score, and tells what is wrong with the answer."""
    count = replay.score[f"R {probe['id'].split('/')[0]}"]
    if probe.get("flag") in NOT_COPIED:
        count[replay.DEVIATES] += 1
        return None
    ours = run(probe["code"])
    found = list(differences(probe, ours))
    name = f"R {probe['id']}"
    if found and (_lacks(probe["code"], tf) or _NO_SUCH.search(ours.get("error", ""))):
        count[replay.NOT_YET] += 1
        return None
    if name in listed:
        count[replay.DEVIATES if found else replay.FAILED] += 1
        return None if found else f"{name} is in deviations.md but passes"
    count[replay.FAILED if found else replay.PASSED] += 1
    return "\n".join([f"{name}: {probe['code']}", *found]) if found else None


def _lacks(code: str, tf: Any) -> bool:
    """True if an expression uses a public name that does not exist yet."""
    return any(missing("tf" + m[1].replace("$", "."), tf) for m in _NAMES.finditer(code))


def differences(recorded: dict[str, Any], ours: dict[str, Any]) -> Iterator[str]:
    """In what an answer departs from the recorded one. Of an error only that there is one counts."""
    if ("error" in recorded) != ("error" in ours):
        yield _line("error", recorded.get("error"), ours.get("error"))
    elif "error" not in recorded:
        for aspect in ("dtype", "shape", "as_array", "r_value", "printed", "stdout"):
            before, now = recorded.get(aspect), ours.get(aspect)
            if aspect in recorded and not _same(before, now):
                yield _line(aspect, before, now)
    if recorded.get("warns", False) != ours.get("warns", False):
        yield _line("warns", recorded.get("warns", False), ours.get("warns", False))


def _line(aspect: str, before: Any, now: Any) -> str:
    return (
        f"    {aspect}\n      TensorFlow: {replay.cut(before)}\n      twinflow:   {replay.cut(now)}"
    )


def _same(before: Any, now: Any) -> bool:
    if isinstance(before, str) and isinstance(now, str):
        return alike(before.replace(_REMARK, "").strip(), now.replace(_REMARK, "").strip())
    return before == now
