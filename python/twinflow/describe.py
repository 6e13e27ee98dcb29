"""The op table: ``python -m twinflow.describe`` prints it as JSON, ``describe("AddV2")`` returns one op.

import twinflow.describe

twinflow.describe("AddV2")["rules"]
"""

import sys
from types import ModuleType
from typing import Any

from twinflow._src.api.describe import describe, main


class _Described(ModuleType):
    """A module that is called as its function."""

    def __call__(self, name: str) -> dict[str, Any]:
        return describe(name)


sys.modules[__name__].__class__ = _Described

if __name__ == "__main__":
    main()
