# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

from twinflow import Assert as Assert
from twinflow import assert_equal as assert_equal
from twinflow import assert_greater as assert_greater
from twinflow import assert_less as assert_less
from twinflow import assert_rank as assert_rank
from twinflow._src.core.tensor import Tensor

def assert_all_finite(x: Any, message: str, name: str | None = None) -> Any:
    """Returns a tensor, or raises InvalidArgumentError if it contains NaN or inf."""

def assert_greater_equal(
    x: Any, y: Any, message: Any = None, summarize: Any = None, name: str | None = None
) -> Any:
    """Raises an error unless x >= y for all elements."""

def assert_integer(x: Any, message: Any = None, name: str | None = None) -> None:
    """Raises TypeError unless a tensor has an integer dtype."""

def assert_less_equal(
    x: Any, y: Any, message: Any = None, summarize: Any = None, name: str | None = None
) -> Any:
    """Raises an error unless x <= y for all elements."""

def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: Any = None,
    summarize: Any = None,
    name: str | None = None,
) -> Any:
    """Raises InvalidArgumentError unless x and y are element-wise close."""

def assert_negative(
    x: Any, message: Any = None, summarize: Any = None, name: str | None = None
) -> Any:
    """Raises an error unless x < 0 for all elements."""

def assert_non_negative(
    x: Any, message: Any = None, summarize: Any = None, name: str | None = None
) -> Any:
    """Raises an error unless x >= 0 for all elements."""

def assert_non_positive(
    x: Any, message: Any = None, summarize: Any = None, name: str | None = None
) -> Any:
    """Raises an error unless x <= 0 for all elements."""

def assert_none_equal(
    x: Any, y: Any, summarize: Any = None, message: Any = None, name: str | None = None
) -> Any:
    """Raises an error unless x != y for all elements."""

def assert_positive(
    x: Any, message: Any = None, summarize: Any = None, name: str | None = None
) -> Any:
    """Raises an error unless x > 0 for all elements."""

def assert_proper_iterable(values: Any) -> None:
    """Raises TypeError unless a value is an iterable and not a tensor, array or string."""

def assert_rank_at_least(x: Any, rank: Any, message: Any = None, name: str | None = None) -> None:
    """Raises ValueError unless a tensor has at least the given rank."""

def assert_rank_in(x: Any, ranks: Any, message: Any = None, name: str | None = None) -> None:
    """Raises ValueError unless the rank of a tensor is one of the given ranks."""

def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> Any:
    """Returns the common floating-point dtype of tensors."""

def assert_scalar(tensor: Any, message: Any = None, name: str | None = None) -> None:
    """Raises ValueError unless a tensor is a scalar."""

def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: str | None = None,
) -> None:
    """Raises ValueError unless tensors match shapes with symbolic sizes."""

def assert_type(tensor: Any, tf_type: Any, message: Any = None, name: str | None = None) -> None:
    """Raises TypeError unless a tensor has the given dtype."""

def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """Returns a tensor, or raises InvalidArgumentError if it contains NaN or inf."""

def disable_check_numerics() -> None:
    """Disables the checks of ``tf.debugging.enable_check_numerics``."""

def disable_traceback_filtering() -> None:
    """Disables traceback filtering."""

def enable_check_numerics(
    stack_height_limit: SupportsIndex = 30, path_length_limit: SupportsIndex = 50
) -> None:
    """Enables numerics checks in this thread: ops whose results contain inf or NaN raise an error."""

def enable_traceback_filtering() -> None:
    """Enables traceback filtering; the setting is stored, tracebacks are never filtered."""

def get_log_device_placement() -> bool:
    """Returns True if the device of every op that runs is logged."""

def is_numeric_tensor(tensor: Any) -> bool:
    """True if a value is a tensor of a numeric dtype."""

def is_traceback_filtering_enabled() -> bool:
    """Returns the setting of traceback filtering; tracebacks are never filtered."""

def set_log_device_placement(enabled: bool) -> None:
    """Enables or disables logging of the device of every op that runs."""
