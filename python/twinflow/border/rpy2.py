"""The converter between R's objects under rpy2 and tensors."""

from twinflow._src.r_bridge.rpy2 import converter

__all__ = ["converter"]
