"""Where a name is that a namespace does not have: R users bring code from several versions of TensorFlow."""

from __future__ import annotations

from typing import Any

import twinflow
from twinflow._src.api.lazy_modules import NAMES
from twinflow._src.dispatch.op import API

# Namespaces that repeat the names of others.
_REPEATED = ("compat.", "raw_ops.", "experimental.", "keras.")
_MOST = 3


def elsewhere(namespace: str, name: str) -> list[str]:
    """The public names that end like one that is missing.

    Args:
        namespace: The namespace that was asked, such as ``"train"``; empty for ``tf`` itself.
        name: What it does not have.

    Returns:
        Whole names without ``tf.``: at most three of today's, and TensorFlow 1's where there is one.
    """
    today = sorted(n for n in {*API.listed(), *NAMES} if n.rpartition(".")[2] == name and not n.startswith(_REPEATED))
    old = ".".join(filter(None, ("compat", "v1", namespace, name)))
    return [*today[:_MOST], *([old] if _there(old) else [])]


def _there(path: str) -> bool:
    found: Any = twinflow
    for part in path.split("."):
        found = getattr(found, part, None)
    return found is not None
