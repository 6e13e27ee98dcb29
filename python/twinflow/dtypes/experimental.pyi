# Computed from the op table by tools/make_stubs.py.

from twinflow._src.core.dtypes import DType

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
