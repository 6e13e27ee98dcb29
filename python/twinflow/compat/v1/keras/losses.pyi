# Computed from the op table by tools/make_stubs.py.

from twinflow._src.train.losses import BinaryCrossentropy as BinaryCrossentropy
from twinflow._src.train.losses import CategoricalCrossentropy as CategoricalCrossentropy
from twinflow._src.train.losses import CosineSimilarity as CosineSimilarity
from twinflow._src.train.losses import Huber as Huber
from twinflow._src.train.losses import Loss as Loss
from twinflow._src.train.losses import (
    SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
)
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
from twinflow.losses import CategoricalHinge as CategoricalHinge
from twinflow.losses import Hinge as Hinge
from twinflow.losses import KLDivergence as KLDivergence
from twinflow.losses import LogCosh as LogCosh
from twinflow.losses import MeanAbsoluteError as MeanAbsoluteError
from twinflow.losses import MeanAbsolutePercentageError as MeanAbsolutePercentageError
from twinflow.losses import MeanSquaredError as MeanSquaredError
from twinflow.losses import MeanSquaredLogarithmicError as MeanSquaredLogarithmicError
from twinflow.losses import Poisson as Poisson
from twinflow.losses import SquaredHinge as SquaredHinge
from twinflow.losses import binary_crossentropy as binary_crossentropy
from twinflow.losses import categorical_crossentropy as categorical_crossentropy
from twinflow.losses import categorical_hinge as categorical_hinge
from twinflow.losses import cosine_similarity as cosine_similarity
from twinflow.losses import deserialize as deserialize
from twinflow.losses import get as get
from twinflow.losses import hinge as hinge
from twinflow.losses import huber as huber
from twinflow.losses import logcosh as logcosh
from twinflow.losses import poisson as poisson
from twinflow.losses import serialize as serialize
from twinflow.losses import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from twinflow.losses import squared_hinge as squared_hinge

kld = _kld
kullback_leibler_divergence = _kullback_leibler_divergence
mae = _mae
mape = _mape
mse = _mse
msle = _msle
