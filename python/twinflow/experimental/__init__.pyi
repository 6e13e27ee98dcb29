# Computed from the op table by tools/make_stubs.py.

from collections.abc import Callable, Iterator
from typing import Any

from twinflow._src.composite_tensors.row_partition import RowPartition as RowPartition
from twinflow._src.core.dtypes import DType
from twinflow._src.wings.data.optional import Optional as Optional
from twinflow._src.wings.extension_types.type import (
    BatchableExtensionType as BatchableExtensionType,
)
from twinflow._src.wings.extension_types.type import ExtensionType as ExtensionType
from twinflow._src.wings.extension_types.type import (
    ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder,
)
from twinflow._src.wings.extension_types.type import ExtensionTypeSpec as ExtensionTypeSpec
from twinflow._src.wings.ragged.dynamic_shape import DynamicRaggedShape as DynamicRaggedShape
from twinflow.experimental import dlpack as dlpack
from twinflow.experimental import dtensor as dtensor
from twinflow.experimental import extension_type as extension_type
from twinflow.experimental import numpy as numpy

float4_e2m1fn: DType
float8_e4m3b11fnuz: DType
float8_e4m3fn: DType
float8_e4m3fnuz: DType
float8_e5m2: DType
float8_e5m2fnuz: DType
int2: DType
int4: DType
uint2: DType
uint4: DType

def async_clear_error() -> None:
    """Clears errors of operations that run later; here there are none."""

def async_scope() -> Iterator[None]:
    """Returns a context manager for operations that may run later; here they run at once."""

def dispatch_for_api(api: Any, *signatures: Any) -> Callable[[Any], Any]:
    """Decorator that overrides a public function for arguments of certain types."""

def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> Callable[[Any], Any]:
    """Decorator that overrides all binary element-wise functions for arguments of given types."""

def dispatch_for_binary_elementwise_assert_apis(x_type: Any, y_type: Any) -> Callable[[Any], Any]:
    """Decorator that overrides all binary element-wise assertions for arguments of given types."""

def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[Any], Any]:
    """Decorator that overrides all unary element-wise functions for arguments of a type."""

def enable_strict_mode() -> None:
    """Does nothing: names that TensorFlow advises against stay available."""

def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """Returns a context manager for the executor of functions; all executors are the same one here."""

def unregister_dispatch_for(dispatch_target: Any) -> None:
    """Unregisters a dispatch target from all public functions."""
