# Computed from the op table by tools/make_stubs.py.

from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.compat_v1.flags import Error as Error
from twinflow._src.compat_v1.flags import Flag as Flag
from twinflow._src.compat_v1.flags import Flag as _FlagHolder
from twinflow._src.compat_v1.flags import FlagValues as FlagValues
from twinflow._src.compat_v1.flags import IllegalFlagValueError as IllegalFlagValueError
from twinflow._src.compat_v1.flags import UnrecognizedFlagError as UnrecognizedFlagError
from twinflow._src.compat_v1.flags import ValidationError as ValidationError
from twinflow.compat.v1.flags import DEFINE_bool as _DEFINE_boolean

DEFINE_boolean = _DEFINE_boolean
FLAGS: FlagValues
FlagHolder = _FlagHolder

def DEFINE_alias(name: str, original_name: str) -> Flag:
    """Defines another name of a flag."""

def DEFINE_bool(name: str, default: Any, help: str, **kwargs: Any) -> Flag:
    """Makes a flag."""

def DEFINE_enum(
    name: str, default: Any, enum_values: Sequence[str], help: str, **kwargs: Any
) -> Flag:
    """Defines a flag whose value is one of several strings."""

def DEFINE_enum_class(name: str, default: Any, enum_class: Any, help: str, **kwargs: Any) -> Flag:
    """Defines a flag whose value is a member of an enum, given by its name."""

def DEFINE_float(
    name: str,
    default: Any,
    help: str,
    lower_bound: Any = None,
    upper_bound: Any = None,
    **kwargs: Any,
) -> Flag:
    """Makes a flag of a number."""

def DEFINE_integer(
    name: str,
    default: Any,
    help: str,
    lower_bound: Any = None,
    upper_bound: Any = None,
    **kwargs: Any,
) -> Flag:
    """Makes a flag of a number."""

def DEFINE_list(name: str, default: Any, help: str, **kwargs: Any) -> Flag:
    """Makes a flag."""

def DEFINE_multi_enum(
    name: str, default: Any, enum_values: Sequence[str], help: str, **kwargs: Any
) -> Flag:
    """Defines a flag that may be repeated, each value one of several strings."""

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

def mark_flag_as_required(flag_name: str, flag_values: Any = ...) -> None:
    """Requires that a flag has a value other than None."""

def mark_flags_as_mutual_exclusive(
    flag_names: Sequence[str], required: bool = False, flag_values: Any = ...
) -> None:
    """Requires that at most one of several flags has a value other than None."""

def mark_flags_as_required(flag_names: Sequence[str], flag_values: Any = ...) -> None:
    """Requires that several flags have values other than None."""

def register_multi_flags_validator(
    flag_names: Sequence[str],
    multi_flags_checker: Callable[[dict[str, Any]], bool],
    message: str = "Flags validation failed",
    flag_values: Any = ...,
) -> None:
    """Registers a condition that the values of several flags have to satisfy."""

def register_validator(
    flag_name: str,
    checker: Callable[[Any], bool],
    message: str = "Flag validation failed",
    flag_values: Any = ...,
) -> None:
    """Registers a condition that the value of a flag has to satisfy."""

def set_default(flag_holder: Any, value: Any) -> None:
    """Sets the default value of a flag."""

def validator(
    flag_name: str, message: str = "Flag validation failed", flag_values: Any = ...
) -> Callable[[Callable[[Any], bool]], Callable[[Any], bool]]:
    """Decorator that registers a function as the validator of a flag."""
