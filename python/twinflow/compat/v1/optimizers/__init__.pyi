# Computed from the op table by tools/make_stubs.py.

from twinflow._src.train.optimizers.base import Optimizer as Optimizer
from twinflow._src.train.optimizers.classes import SGD as SGD
from twinflow._src.train.optimizers.classes import Adadelta as Adadelta
from twinflow._src.train.optimizers.classes import Adagrad as Adagrad
from twinflow._src.train.optimizers.classes import Adam as Adam
from twinflow._src.train.optimizers.classes import Adamax as Adamax
from twinflow._src.train.optimizers.classes import AdamW as AdamW
from twinflow._src.train.optimizers.classes import Ftrl as Ftrl
from twinflow._src.train.optimizers.classes import Lion as Lion
from twinflow._src.train.optimizers.classes import Nadam as Nadam
from twinflow._src.train.optimizers.classes import RMSprop as RMSprop
from twinflow._src.train.optimizers.loss_scale import LossScaleOptimizer as LossScaleOptimizer
from twinflow._src.train.optimizers.normalized import Adafactor as Adafactor
from twinflow._src.train.optimizers.normalized import Lamb as Lamb
from twinflow._src.train.optimizers.normalized import Muon as Muon
from twinflow._src.train.optimizers.normalized import ScheduleFreeAdamW as ScheduleFreeAdamW
from twinflow.compat.v1.optimizers import schedules as schedules
from twinflow.optimizers import deserialize as deserialize
from twinflow.optimizers import get as get
from twinflow.optimizers import serialize as serialize
