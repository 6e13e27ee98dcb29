# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.checkpoint.objects import PythonState as PythonState
from twinflow._src.compat_v1.loss_scale import DynamicLossScale as DynamicLossScale
from twinflow._src.compat_v1.loss_scale import FixedLossScale as FixedLossScale
from twinflow._src.compat_v1.loss_scale import LossScale as LossScale
from twinflow._src.compat_v1.loss_scale import (
    MixedPrecisionLossScaleOptimizer as MixedPrecisionLossScaleOptimizer,
)

def disable_mixed_precision_graph_rewrite() -> None:
    """Does nothing: operations keep their dtypes."""

def enable_mixed_precision_graph_rewrite(opt: Any, loss_scale: Any = "dynamic") -> Any:
    """Returns an optimizer that scales losses; operations keep their dtypes."""
