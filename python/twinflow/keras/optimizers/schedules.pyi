# Computed from the op table by tools/make_stubs.py.

from twinflow._src.train.schedules.classes import CosineDecay as CosineDecay
from twinflow._src.train.schedules.classes import CosineDecayRestarts as CosineDecayRestarts
from twinflow._src.train.schedules.classes import ExponentialDecay as ExponentialDecay
from twinflow._src.train.schedules.classes import InverseTimeDecay as InverseTimeDecay
from twinflow._src.train.schedules.classes import LearningRateSchedule as LearningRateSchedule
from twinflow._src.train.schedules.classes import PiecewiseConstantDecay as PiecewiseConstantDecay
from twinflow._src.train.schedules.classes import PolynomialDecay as PolynomialDecay
from twinflow.optimizers.schedules import deserialize as deserialize
from twinflow.optimizers.schedules import serialize as serialize
