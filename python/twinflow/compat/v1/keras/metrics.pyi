# Computed from the op table by tools/make_stubs.py.

from twinflow._src.train.metrics import BinaryAccuracy as BinaryAccuracy
from twinflow._src.train.metrics import BinaryCrossentropy as BinaryCrossentropy
from twinflow._src.train.metrics import CategoricalCrossentropy as CategoricalCrossentropy
from twinflow._src.train.metrics import Mean as Mean
from twinflow._src.train.metrics import MeanMetricWrapper as MeanMetricWrapper
from twinflow._src.train.metrics import Metric as Metric
from twinflow._src.train.metrics import Precision as Precision
from twinflow._src.train.metrics import Recall as Recall
from twinflow._src.train.metrics import RootMeanSquaredError as RootMeanSquaredError
from twinflow._src.train.metrics import (
    SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
)
from twinflow._src.train.metrics import Sum as Sum
from twinflow._src.train.metrics import TopKCategoricalAccuracy as TopKCategoricalAccuracy
from twinflow.losses import KLD as KLD
from twinflow.losses import KLD as _kld
from twinflow.losses import KLD as _kullback_leibler_divergence
from twinflow.losses import MAE as MAE
from twinflow.losses import MAE as _mae
from twinflow.losses import MAPE as MAPE
from twinflow.losses import MAPE as _mape
from twinflow.losses import MSE as MSE
from twinflow.losses import MSE as _mse
from twinflow.losses import MSLE as MSLE
from twinflow.losses import MSLE as _msle
from twinflow.losses import binary_crossentropy as binary_crossentropy
from twinflow.losses import categorical_crossentropy as categorical_crossentropy
from twinflow.losses import categorical_hinge as categorical_hinge
from twinflow.losses import hinge as hinge
from twinflow.losses import huber as huber
from twinflow.losses import logcosh as logcosh
from twinflow.losses import poisson as poisson
from twinflow.losses import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from twinflow.losses import squared_hinge as squared_hinge
from twinflow.metrics import Accuracy as Accuracy
from twinflow.metrics import CategoricalAccuracy as CategoricalAccuracy
from twinflow.metrics import CategoricalHinge as CategoricalHinge
from twinflow.metrics import Hinge as Hinge
from twinflow.metrics import KLDivergence as KLDivergence
from twinflow.metrics import LogCoshError as LogCoshError
from twinflow.metrics import MeanAbsoluteError as MeanAbsoluteError
from twinflow.metrics import MeanAbsolutePercentageError as MeanAbsolutePercentageError
from twinflow.metrics import MeanSquaredError as MeanSquaredError
from twinflow.metrics import MeanSquaredLogarithmicError as MeanSquaredLogarithmicError
from twinflow.metrics import Poisson as Poisson
from twinflow.metrics import SparseCategoricalAccuracy as SparseCategoricalAccuracy
from twinflow.metrics import SquaredHinge as SquaredHinge
from twinflow.metrics import binary_accuracy as binary_accuracy
from twinflow.metrics import categorical_accuracy as categorical_accuracy
from twinflow.metrics import deserialize as deserialize
from twinflow.metrics import get as get
from twinflow.metrics import serialize as serialize
from twinflow.metrics import sparse_categorical_accuracy as sparse_categorical_accuracy
from twinflow.metrics import sparse_top_k_categorical_accuracy as sparse_top_k_categorical_accuracy
from twinflow.metrics import top_k_categorical_accuracy as top_k_categorical_accuracy

kld = _kld
kullback_leibler_divergence = _kullback_leibler_divergence
mae = _mae
mape = _mape
mse = _mse
msle = _msle
