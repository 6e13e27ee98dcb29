"""twinflow: TensorFlow's tensors, variables and device placement on NumPy and CuPy.

    import twinflow as tf

The names below are TensorFlow's. The operations come from the op table (``twinflow.op.API``); a
module such as ``tf.math`` is a namespace filled from the same table.
"""

from __future__ import annotations

import sys as _sys
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import autodiff as _autodiff
from . import compat_names as _compat_names
from . import config as _config
from . import config_optimizer as _config_optimizer
from . import config_runtime as _config_runtime
from . import dispatching as _dispatching
from . import dtypes as _dtypes
from . import errors, ops
from . import example_functions as _example_functions
from . import extension_maps as _extension_maps
from . import extension_type as _extension_type
from . import function as _function
from . import generator_global as _generator_global
from . import gfile_class as _gfile_class
from . import gfile_functions as _gfile_functions
from . import graph_gradients as _graph_gradients
from . import graph_names as _graph_names
from . import graph_tensor_array as _graph_tensor_array
from . import initializers_v2 as _initializers_v2
from . import interop as _interop
from . import keras_scaling as _keras_scaling
from . import lazy_names as _lazy_names
from . import module as _module
from . import nest as _nest
from . import numpy_namespace as _numpy_namespace
from . import ragged_dispatch as _ragged_dispatch
from . import ragged_splits as _ragged_splits
from . import records as _records
from . import scopes as _scopes
from . import sparse_dispatch as _sparse_dispatch
from . import surroundings as _surroundings
from . import tensor_proto as _tensor_proto
from . import type_names as _type_names
from . import whole_table as _whole_table
from .constant import (
    constant,
    convert_to_tensor,
    is_tensor,
    register_tensor_conversion_function,
)
from .devices import DeviceSpec
from .dtypes import DType, as_dtype
from .graph import Graph as _Graph
from .indexed_slices import IndexedSlices, IndexedSlicesSpec
from .op import API as _API
from .ragged_spec import RaggedTensorSpec
from .ragged_tensor import RaggedTensor
from .shapes import TensorShape
from .sparse_tensor import SparseTensor, SparseTensorSpec
from .symbolic import Operation as _Operation
from .tensor import EagerTensor, Tensor
from .tensor_array import TensorArray
from .tensor_spec import TensorSpec, type_spec_from_value
from .type_spec import TypeSpec
from .variable import Variable
from .variable_options import VariableAggregationV2, VariableSynchronization
from .version import __version__

if _TYPE_CHECKING:

    def __getattr__(name: str) -> _Any: ...


newaxis = None
VariableAggregation = VariableAggregationV2


def _namespace(path: str) -> _ModuleType:
    """The module ``twinflow.<path>``, made where it does not exist."""
    full = f"{__name__}.{path}" if path else __name__
    module = _sys.modules.get(full)
    if module is None:
        module = _ModuleType(full, f"TensorFlow's namespace tf.{path}.")
        _sys.modules[full] = module
        parent, _, leaf = path.rpartition(".")
        setattr(_namespace(parent), leaf, module)
    return module


_OWN_NAMES: dict[str, _Any] = {
    "Graph": _Graph,
    "Operation": _Operation,
    "sparse.SparseTensor": SparseTensor,
    "types.experimental.TensorLike": _type_names.TensorLike,
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
    for name, value in {**names, **_API}.items():
        path, _, leaf = name.rpartition(".")
        setattr(_namespace(path), leaf, value)


is_tensor.__qualname__ = _dispatching.own_name("is_tensor")
_graph_names.apply()
_fill()
_lazy_names.install(_namespace)
_compat_names.prepare(_namespace)
_numpy_namespace.prepare(
    _namespace("experimental.numpy"), _namespace("experimental.numpy.random")
)

__all__ = [name for name in globals() if not name.startswith("_")]
