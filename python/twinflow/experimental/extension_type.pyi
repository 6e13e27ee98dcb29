# Computed from the op table by tools/make_stubs.py.

from typing import Any

def as_dict(value: Any) -> dict[str, Any]:
    """The fields of an extension type and their values; extension types within it stay as they are."""
