# Computed from the op table by tools/make_stubs.py.

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
from twinflow.compat.v1.experimental import dlpack as dlpack
from twinflow.compat.v1.experimental import dtensor as dtensor
from twinflow.compat.v1.experimental import extension_type as extension_type
from twinflow.compat.v1.experimental import numpy as numpy
from twinflow.experimental import async_clear_error as async_clear_error
from twinflow.experimental import async_scope as async_scope
from twinflow.experimental import dispatch_for_api as dispatch_for_api
from twinflow.experimental import (
    dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis,
)
from twinflow.experimental import (
    dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
)
from twinflow.experimental import (
    dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis,
)
from twinflow.experimental import enable_strict_mode as enable_strict_mode
from twinflow.experimental import function_executor_type as function_executor_type
from twinflow.experimental import unregister_dispatch_for as unregister_dispatch_for

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
