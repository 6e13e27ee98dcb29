"""The record of CuPy's public names."""

import json
from pathlib import Path

RECORD = json.loads(Path(__file__).with_name("cupy_names.json").read_text("utf-8"))
# The oldest version that can be used: the first one whose types are promoted as NumPy 2 promotes them.
OLDEST = min(RECORD, key=int)
USED = "14"
NAMES = RECORD[USED]["names"]


def parameters(name):
    """The names of a function's parameters; None where they are not known."""
    found = NAMES.get(name)
    return found.get("parameters") if isinstance(found, dict) else None


def loops(name):
    """The types that a ufunc computes, such as ``"ff->f"``; None for what is no ufunc."""
    found = NAMES.get(name)
    return found.get("ufunc") if isinstance(found, dict) else None
