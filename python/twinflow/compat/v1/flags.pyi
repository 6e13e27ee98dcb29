# Computed from the op table by tools/make_stubs.py.

from collections.abc import Sequence
from typing import Any

from twinflow._src.compat_v1.flags import Error as Error
from twinflow._src.compat_v1.flags import Flag as Flag
from twinflow._src.compat_v1.flags import FlagValues as FlagValues
from twinflow._src.compat_v1.flags import IllegalFlagValueError as IllegalFlagValueError
from twinflow._src.compat_v1.flags import UnrecognizedFlagError as UnrecognizedFlagError
from twinflow.compat.v1.flags import DEFINE_bool as _DEFINE_boolean

DEFINE_boolean = _DEFINE_boolean
FLAGS: FlagValues

def DEFINE_bool(name: str, default: Any, help: str, **kwargs: Any) -> Flag:
    """Makes a flag."""

def DEFINE_enum(
    name: str, default: Any, enum_values: Sequence[str], help: str, **kwargs: Any
) -> Flag:
    """Defines a flag whose value is one of several strings."""

def DEFINE_float(name: str, default: Any, help: str, **kwargs: Any) -> Flag:
    """Makes a flag."""

def DEFINE_integer(name: str, default: Any, help: str, **kwargs: Any) -> Flag:
    """Makes a flag."""

def DEFINE_list(name: str, default: Any, help: str, **kwargs: Any) -> Flag:
    """Makes a flag."""

def DEFINE_multi_float(name: str, default: Any, help: str, **kwargs: Any) -> Flag:
    """Makes a flag."""

def DEFINE_multi_integer(name: str, default: Any, help: str, **kwargs: Any) -> Flag:
    """Makes a flag."""

def DEFINE_multi_string(name: str, default: Any, help: str, **kwargs: Any) -> Flag:
    """Makes a flag."""

def DEFINE_spaceseplist(name: str, default: Any, help: str, **kwargs: Any) -> Flag:
    """Makes a flag."""

def DEFINE_string(name: str, default: Any, help: str, **kwargs: Any) -> Flag:
    """Makes a flag."""
