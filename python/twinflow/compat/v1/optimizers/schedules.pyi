# Computed from the op table by tools/make_stubs.py.

from twinflow._src.train.schedules import CosineDecay as CosineDecay
from twinflow._src.train.schedules import CosineDecayRestarts as CosineDecayRestarts
from twinflow._src.train.schedules import ExponentialDecay as ExponentialDecay
from twinflow._src.train.schedules import InverseTimeDecay as InverseTimeDecay
from twinflow._src.train.schedules import LearningRateSchedule as LearningRateSchedule
from twinflow._src.train.schedules import PiecewiseConstantDecay as PiecewiseConstantDecay
from twinflow._src.train.schedules import PolynomialDecay as PolynomialDecay
from twinflow.optimizers.schedules import deserialize as deserialize
from twinflow.optimizers.schedules import serialize as serialize
