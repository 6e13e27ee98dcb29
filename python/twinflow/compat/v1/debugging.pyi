# Computed from the op table by tools/make_stubs.py.

from twinflow import Assert as Assert
from twinflow.compat.v1 import assert_equal as assert_equal
from twinflow.compat.v1 import assert_greater as assert_greater
from twinflow.compat.v1 import assert_greater_equal as assert_greater_equal
from twinflow.compat.v1 import assert_less as assert_less
from twinflow.compat.v1 import assert_less_equal as assert_less_equal
from twinflow.compat.v1 import assert_near as assert_near
from twinflow.compat.v1 import assert_negative as assert_negative
from twinflow.compat.v1 import assert_non_negative as assert_non_negative
from twinflow.compat.v1 import assert_non_positive as assert_non_positive
from twinflow.compat.v1 import assert_none_equal as assert_none_equal
from twinflow.compat.v1 import assert_positive as assert_positive
from twinflow.compat.v1 import assert_rank as assert_rank
from twinflow.compat.v1 import assert_rank_at_least as assert_rank_at_least
from twinflow.compat.v1 import assert_rank_in as assert_rank_in
from twinflow.compat.v1 import assert_scalar as assert_scalar
from twinflow.compat.v1 import verify_tensor_all_finite as _assert_all_finite
from twinflow.debugging import assert_integer as assert_integer
from twinflow.debugging import assert_proper_iterable as assert_proper_iterable
from twinflow.debugging import assert_same_float_dtype as assert_same_float_dtype
from twinflow.debugging import assert_shapes as assert_shapes
from twinflow.debugging import assert_type as assert_type
from twinflow.debugging import check_numerics as check_numerics
from twinflow.debugging import disable_check_numerics as disable_check_numerics
from twinflow.debugging import disable_traceback_filtering as disable_traceback_filtering
from twinflow.debugging import enable_check_numerics as enable_check_numerics
from twinflow.debugging import enable_traceback_filtering as enable_traceback_filtering
from twinflow.debugging import get_log_device_placement as get_log_device_placement
from twinflow.debugging import is_numeric_tensor as is_numeric_tensor
from twinflow.debugging import is_traceback_filtering_enabled as is_traceback_filtering_enabled
from twinflow.debugging import set_log_device_placement as set_log_device_placement
from twinflow.math import is_finite as is_finite
from twinflow.math import is_inf as is_inf
from twinflow.math import is_nan as is_nan
from twinflow.math import is_non_decreasing as is_non_decreasing
from twinflow.math import is_strictly_increasing as is_strictly_increasing

assert_all_finite = _assert_all_finite
