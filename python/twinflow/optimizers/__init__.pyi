# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.train.optimizers.adam import Adam as Adam
from twinflow._src.train.optimizers.adam import Adamax as Adamax
from twinflow._src.train.optimizers.adam import AdamW as AdamW
from twinflow._src.train.optimizers.adam import Nadam as Nadam
from twinflow._src.train.optimizers.base import Optimizer as Optimizer
from twinflow._src.train.optimizers.classes import SGD as SGD
from twinflow._src.train.optimizers.classes import Adadelta as Adadelta
from twinflow._src.train.optimizers.classes import Adagrad as Adagrad
from twinflow._src.train.optimizers.classes import Ftrl as Ftrl
from twinflow._src.train.optimizers.classes import Lion as Lion
from twinflow._src.train.optimizers.classes import RMSprop as RMSprop
from twinflow.optimizers import schedules as schedules

def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """Makes an optimizer of its description."""

def get(identifier: Any) -> Any:
    """Finds or makes an optimizer."""

def serialize(optimizer: Any) -> Any:
    """Describes an optimizer by plain values, without its state."""
