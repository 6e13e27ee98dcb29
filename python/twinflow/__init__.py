"""twinflow: TensorFlow's tensors, variables and device placement on NumPy and CuPy.

    import twinflow as tf

The public names are those of TensorFlow. Ops come from the op table (``twinflow._src.dispatch.op.API``);
a module such as ``tf.math`` is a namespace filled from the same table.
"""

import functools as _functools
import sys as _sys
from types import ModuleType as _ModuleType
from typing import Any as _Any

from twinflow._src import version as _version
from twinflow._src.api import lazy_modules as _lazy_names
from twinflow._src.autodiff import custom_gradient as _autodiff
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices, IndexedSlicesSpec
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor, RaggedTensorSpec
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor, SparseTensorSpec
from twinflow._src.config import devices as _config
from twinflow._src.control_flow.tensor_array import TensorArray, TensorArraySpec
from twinflow._src.conversion.constant import (
    constant,
    convert_to_tensor,
    register_tensor_conversion_function,
)
from twinflow._src.conversion.constant import public_is_tensor as is_tensor
from twinflow._src.core import dtypes as _dtypes
from twinflow._src.core import errors as _errors
from twinflow._src.core import nest as _nest
from twinflow._src.core.devices import DeviceSpec
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.specs import TensorSpec, TypeSpec, type_spec_from_value
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch import signature_errors as _dispatching
from twinflow._src.dispatch.op import API as _API
from twinflow._src.graph import opaque_calls as _whole_table
from twinflow._src.graph.graph import Graph as _Graph
from twinflow._src.graph.symbolic import Operation as _Operation
from twinflow._src.graph.tf_exact import names as _graph_names
from twinflow._src.ops.array import fill as _filling
from twinflow._src.ops.array import stack as _stacking
from twinflow._src.ops.array import strided_slice as _indexing
from twinflow._src.ops.elementwise import operators as _operators
from twinflow._src.variables.options import VariableAggregationV2 as VariableAggregation
from twinflow._src.variables.options import VariableSynchronization
from twinflow._src.variables.variable import Variable
from twinflow._src.version import COMPILER_VERSION as __compiler_version__
from twinflow._src.version import GIT_VERSION as __git_version__
from twinflow._src.version import VERSION as __version__
from twinflow._src.wings.extension_types import type as _extension_maps
from twinflow._src.wings.ragged import dispatch as _ragged_dispatch
from twinflow._src.wings.sparse import elementwise as _sparse_dispatch

newaxis = None


def _namespace(path: str) -> _ModuleType:
    """Returns the module ``twinflow.<path>``; creates it if missing."""
    full = f"{__name__}.{path}" if path else __name__
    module = _sys.modules.get(full)
    if module is None:
        module = _ModuleType(full, f"TensorFlow's namespace tf.{path}.")
        vars(module)["__path__"] = []  # a package, as in TensorFlow: submodules can be imported
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
    **{
        f"errors.{name}": value
        for name, value in ((name, getattr(_errors, name)) for name in dir(_errors))
    },
    **{f"version.{name}": getattr(_version, name) for name in _version.__all__},
    "convert_to_tensor": _dispatching.dispatched(convert_to_tensor),
}


def _fill() -> None:
    """Registers dtypes and ops under all of their public names."""
    names = dict(_OWN_NAMES)
    for name, dtype in [*_dtypes.ALL.items(), ("half", _dtypes.half), ("double", _dtypes.double)]:
        if dtype in _dtypes.EXPERIMENTAL:
            names[f"dtypes.experimental.{name}"] = names[f"experimental.{name}"] = dtype
        else:
            names[name] = names[f"dtypes.{name}"] = dtype
    for name, value in names.items():
        path, _, leaf = name.rpartition(".")
        setattr(_namespace(path), leaf, value)
    for path in ("autodiff", "dtypes", "errors", "nest"):
        leaves = {
            name.split(".")[1] for name in (*names, *_API.listed()) if name.startswith(f"{path}.")
        }
        _namespace(path).__dir__ = _functools.partial(sorted, leaves)  # type: ignore[method-assign]


_API.passes += [_extension_maps.over_extensions, _ragged_dispatch.taking_ragged]
_whole_table.install()
is_tensor.__qualname__ = _dispatching.own_name("is_tensor")
for _value in list(globals().values()):
    _dispatching.strip_annotations(_value)
_graph_names.apply()
_lazy_names.install(_namespace)
_lazy_names.install_compat(_namespace)
_fill()
