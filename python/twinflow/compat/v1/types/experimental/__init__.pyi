# Computed from the op table by tools/make_stubs.py.

from twinflow._src.api.type_names import Callable as Callable
from twinflow._src.api.type_names import ConcreteFunction as ConcreteFunction
from twinflow._src.api.type_names import PolymorphicFunction as PolymorphicFunction
from twinflow._src.api.type_names import PolymorphicFunction as _GenericFunction
from twinflow._src.api.type_names import TensorLike as TensorLike
from twinflow._src.api.type_names import TraceType as TraceType
from twinflow._src.function.concrete_function import AtomicFunction as AtomicFunction
from twinflow.compat.v1.types.experimental import distributed as distributed

GenericFunction = _GenericFunction
