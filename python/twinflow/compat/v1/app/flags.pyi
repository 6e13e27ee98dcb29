# Computed from the op table by tools/make_stubs.py.

from twinflow._src.compat_v1.flags import Error as Error
from twinflow._src.compat_v1.flags import Flag as Flag
from twinflow._src.compat_v1.flags import Flag as _FlagHolder
from twinflow._src.compat_v1.flags import FlagValues as FlagValues
from twinflow._src.compat_v1.flags import IllegalFlagValueError as IllegalFlagValueError
from twinflow._src.compat_v1.flags import UnrecognizedFlagError as UnrecognizedFlagError
from twinflow._src.compat_v1.flags import ValidationError as ValidationError
from twinflow.compat.v1.flags import DEFINE_alias as DEFINE_alias
from twinflow.compat.v1.flags import DEFINE_bool as DEFINE_bool
from twinflow.compat.v1.flags import DEFINE_bool as _DEFINE_boolean
from twinflow.compat.v1.flags import DEFINE_enum as DEFINE_enum
from twinflow.compat.v1.flags import DEFINE_enum_class as DEFINE_enum_class
from twinflow.compat.v1.flags import DEFINE_float as DEFINE_float
from twinflow.compat.v1.flags import DEFINE_integer as DEFINE_integer
from twinflow.compat.v1.flags import DEFINE_list as DEFINE_list
from twinflow.compat.v1.flags import DEFINE_multi_enum as DEFINE_multi_enum
from twinflow.compat.v1.flags import DEFINE_multi_float as DEFINE_multi_float
from twinflow.compat.v1.flags import DEFINE_multi_integer as DEFINE_multi_integer
from twinflow.compat.v1.flags import DEFINE_multi_string as DEFINE_multi_string
from twinflow.compat.v1.flags import DEFINE_spaceseplist as DEFINE_spaceseplist
from twinflow.compat.v1.flags import DEFINE_string as DEFINE_string
from twinflow.compat.v1.flags import mark_flag_as_required as mark_flag_as_required
from twinflow.compat.v1.flags import (
    mark_flags_as_mutual_exclusive as mark_flags_as_mutual_exclusive,
)
from twinflow.compat.v1.flags import mark_flags_as_required as mark_flags_as_required
from twinflow.compat.v1.flags import (
    register_multi_flags_validator as register_multi_flags_validator,
)
from twinflow.compat.v1.flags import register_validator as register_validator
from twinflow.compat.v1.flags import set_default as set_default
from twinflow.compat.v1.flags import validator as validator

DEFINE_boolean = _DEFINE_boolean
FLAGS: FlagValues
FlagHolder = _FlagHolder
