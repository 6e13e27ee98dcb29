# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

from twinflow import Assert as Assert
from twinflow import assert_equal as assert_equal
from twinflow import assert_greater as assert_greater
from twinflow import assert_less as assert_less
from twinflow import assert_rank as assert_rank
from twinflow._src.core.tensor import Tensor

def assert_all_finite(x: Any, message: str, name: str | None = None) -> Any:
    """Returns a tensor if it holds neither NaN nor infinities."""

def assert_greater_equal(
    x: Any, y: Any, message: Any = None, summarize: Any = None, name: str | None = None
) -> Any:
    """Raises an error unless x >= y for all elements."""

def assert_integer(x: Any, message: Any = None, name: str | None = None) -> None:
    """Raises an error unless a tensor is one of integers."""

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
    """Raises an error unless x and y are close, element-wise."""

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
    """Raises an error unless a value is an iterable that is no tensor, array or string."""

def assert_rank_at_least(x: Any, rank: Any, message: Any = None, name: str | None = None) -> None:
    """Raises an error unless a tensor has at least a rank."""

def assert_rank_in(x: Any, ranks: Any, message: Any = None, name: str | None = None) -> None:
    """Raises an error unless a tensor has one of several ranks."""

def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> Any:
    """Returns the floating type that tensors share."""

def assert_scalar(tensor: Any, message: Any = None, name: str | None = None) -> None:
    """Raises an error unless a tensor is a scalar."""

def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: str | None = None,
) -> None:
    """Raises an error unless tensors have the shapes that symbols describe."""

def assert_type(tensor: Any, tf_type: Any, message: Any = None, name: str | None = None) -> None:
    """Raises an error unless a tensor has a type."""

def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """Returns a tensor if it holds neither NaN nor infinities."""

def disable_check_numerics() -> None:
    """Ends what ``tf.debugging.enable_check_numerics`` began."""

def disable_traceback_filtering() -> None:
    """Asks for whole tracebacks."""

def enable_check_numerics(
    stack_height_limit: SupportsIndex = 30, path_length_limit: SupportsIndex = 50
) -> None:
    """Lets operations of this thread be refused whose results are infinite or no numbers, from now on."""

def enable_traceback_filtering() -> None:
    """Asks for tracebacks without the library's own frames; they stay whole here."""

def get_log_device_placement() -> bool:
    """Whether every operation that runs is printed with its device."""

def is_numeric_tensor(tensor: Any) -> bool:
    """Whether a value is a tensor of numbers."""

def is_traceback_filtering_enabled() -> bool:
    """What was asked of tracebacks; they are always whole here."""

def set_log_device_placement(enabled: bool) -> None:
    """Whether every operation that runs is printed with its device."""
