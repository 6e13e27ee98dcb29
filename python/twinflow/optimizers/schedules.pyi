# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.train.schedules import CosineDecay as CosineDecay
from twinflow._src.train.schedules import CosineDecayRestarts as CosineDecayRestarts
from twinflow._src.train.schedules import ExponentialDecay as ExponentialDecay
from twinflow._src.train.schedules import InverseTimeDecay as InverseTimeDecay
from twinflow._src.train.schedules import LearningRateSchedule as LearningRateSchedule
from twinflow._src.train.schedules import PiecewiseConstantDecay as PiecewiseConstantDecay
from twinflow._src.train.schedules import PolynomialDecay as PolynomialDecay

def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """Creates a schedule from its serialized form."""

def serialize(learning_rate_schedule: Any) -> Any:
    """Serializes a schedule."""
