# Computed from the op table by tools/make_stubs.py.

from twinflow._src.initializers.keras import Initializer as Initializer
from twinflow._src.train.losses import Loss as Loss
from twinflow._src.train.metrics import Metric as Metric
from twinflow._src.train.optimizers.base import Optimizer as Optimizer
from twinflow._src.variables.keras_variable import Variable as Variable
from twinflow.keras import initializers as initializers
from twinflow.keras import losses as losses
from twinflow.keras import metrics as metrics
from twinflow.keras import optimizers as optimizers
from twinflow.keras import random as random
from twinflow.keras import utils as utils
