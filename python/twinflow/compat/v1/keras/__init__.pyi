# Computed from the op table by tools/make_stubs.py.

from twinflow._src.initializers.keras import Initializer as Initializer
from twinflow._src.train.losses import Loss as Loss
from twinflow._src.train.metrics import Metric as Metric
from twinflow._src.train.optimizers.base import Optimizer as Optimizer
from twinflow._src.variables.keras_variable import Variable as Variable
from twinflow.compat.v1.keras import initializers as initializers
from twinflow.compat.v1.keras import losses as losses
from twinflow.compat.v1.keras import metrics as metrics
from twinflow.compat.v1.keras import optimizers as optimizers
from twinflow.compat.v1.keras import random as random
from twinflow.compat.v1.keras import utils as utils
