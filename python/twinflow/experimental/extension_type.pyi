# Computed from the op table by tools/make_stubs.py.

from typing import Any

def as_dict(value: Any) -> dict[str, Any]:
    """Returns the fields of an extension type as a dictionary, without converting nested ones."""
