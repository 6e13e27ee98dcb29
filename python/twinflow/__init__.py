"""twinflow: TensorFlow's tensors, variables and device placement on NumPy and CuPy.

    import twinflow as tf

The names below are TensorFlow's. The operations come from the op table (``twinflow.op.API``); a
module such as ``tf.math`` is a namespace filled from the same table.
"""

import functools as _functools
import sys as _sys
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import autodiff as _autodiff
from . import dispatching as _dispatching
from . import dtypes as _dtypes
from . import errors
from . import nest as _nest
from .composites import sparse_dispatch as _sparse_dispatch
from .composites.indexed_slices import IndexedSlices, IndexedSlicesSpec
from .composites.sparse_tensor import SparseTensor, SparseTensorSpec
from .composites.tensor_array_spec import TensorArraySpec
from .constant import (
    constant,
    convert_to_tensor,
    is_tensor,
    register_tensor_conversion_function,
)
from .control import graph_tensor_array as _graph_tensor_array
from .control import whole_table as _whole_table
from .devices import DeviceSpec
from .dtypes import DType, as_dtype
from .extensions import maps as _extension_maps
from .graphs import names as _graph_names
from .graphs.graph import Graph as _Graph
from .graphs.symbolic import Operation as _Operation
from .op import API as _API
from .ops.arrays import filling as _filling
from .ops.arrays import indexing as _indexing
from .ops.arrays import stacking as _stacking
from .ops.elementary import operators as _operators
from .public_names import compat as _compat
from .public_names import lazy as _lazy_names
from .public_names import on_gpus as _on_gpus
from .ragged_tensors import dispatch as _ragged_dispatch
from .ragged_tensors.spec import RaggedTensorSpec
from .ragged_tensors.tensor import RaggedTensor
from .settings import devices as _config
from .shapes import TensorShape
from .tensor import Tensor
from .tensor_array import TensorArray
from .tensor_spec import TensorSpec, type_spec_from_value
from .type_spec import TypeSpec
from .variable import Variable
from .variables.options import VariableAggregationV2 as VariableAggregation
from .variables.options import VariableSynchronization
from .version import COMPILER_VERSION as __compiler_version__
from .version import GIT_VERSION as __git_version__
from .version import VERSION as __version__

if _TYPE_CHECKING:

    def __getattr__(name: str) -> _Any: ...


newaxis = None


def _namespace(path: str) -> _ModuleType:
    """The module ``twinflow.<path>``, made where it does not exist."""
    full = f"{__name__}.{path}" if path else __name__
    module = _sys.modules.get(full)
    if module is None:
        module = _ModuleType(full, f"TensorFlow's namespace tf.{path}.")
        vars(module)["__path__"] = []  # a package, as in TensorFlow: modules within it can be imported
        _sys.modules[full] = module
        parent, _, leaf = path.rpartition(".")
        setattr(_namespace(parent), leaf, module)
    return module


_OWN_NAMES: dict[str, _Any] = {
    "Graph": _Graph,
    "Operation": _Operation,
    "sparse.SparseTensor": SparseTensor,
    "dtypes.DType": DType,
    "dtypes.as_dtype": as_dtype,
    "dtypes.QUANTIZED_DTYPES": _dtypes.QUANTIZED_DTYPES,
    "convert_to_tensor": _dispatching.dispatched(convert_to_tensor),
}


def _fill() -> None:
    """Puts types and operations under all of their public names."""
    names = dict(_OWN_NAMES)
    for name, dtype in [*_dtypes.ALL.items(), ("half", _dtypes.half), ("double", _dtypes.double)]:
        if dtype in _dtypes.EXPERIMENTAL:
            names[f"dtypes.experimental.{name}"] = dtype
        else:
            names[name] = names[f"dtypes.{name}"] = dtype
    for name, value in names.items():
        path, _, leaf = name.rpartition(".")
        setattr(_namespace(path), leaf, value)
    for path in ("autodiff", "dtypes", "nest"):  # modules of the package, which hold more than TensorFlow's names
        leaves = {name.split(".")[1] for name in (*names, *_API.listed()) if name.startswith(f"{path}.")}
        _namespace(path).__dir__ = _functools.partial(sorted, leaves)  # type: ignore[method-assign]


_API.passes += [_extension_maps.over_extensions, _ragged_dispatch.taking_ragged]
_whole_table.install()
is_tensor.__qualname__ = _dispatching.own_name("is_tensor")
_graph_names.apply()
_API.passes.append(_on_gpus.over_public)
_lazy_names.install(_namespace)
_compat.install(_namespace)
_fill()
