# Computed from the op table by tools/make_stubs.py.

from twinflow.sets import difference as _set_difference
from twinflow.sets import difference as difference
from twinflow.sets import intersection as _set_intersection
from twinflow.sets import intersection as intersection
from twinflow.sets import size as _set_size
from twinflow.sets import size as size
from twinflow.sets import union as _set_union
from twinflow.sets import union as union

set_difference = _set_difference
set_intersection = _set_intersection
set_size = _set_size
set_union = _set_union
