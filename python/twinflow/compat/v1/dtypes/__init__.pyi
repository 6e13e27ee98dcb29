# Computed from the op table by tools/make_stubs.py.

from builtins import frozenset

from twinflow import as_dtype as as_dtype
from twinflow import as_string as as_string
from twinflow import cast as cast
from twinflow import complex as complex
from twinflow import saturate_cast as saturate_cast
from twinflow._src.core.dtypes import DType as DType
from twinflow.compat.v1.dtypes import experimental as experimental

QUANTIZED_DTYPES: frozenset
bfloat16: DType
bool: DType
complex128: DType
complex64: DType
double: DType
float16: DType
float32: DType
float64: DType
half: DType
int16: DType
int32: DType
int64: DType
int8: DType
qint16: DType
qint32: DType
qint8: DType
quint16: DType
quint8: DType
resource: DType
string: DType
uint16: DType
uint32: DType
uint64: DType
uint8: DType
variant: DType
