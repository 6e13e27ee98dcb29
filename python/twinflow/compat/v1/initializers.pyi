# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.initializers.keras import Constant as Constant
from twinflow._src.initializers.keras import Identity as Identity
from twinflow._src.initializers.keras import Identity as _IdentityInitializer
from twinflow._src.initializers.keras import Initializer as Initializer
from twinflow._src.initializers.keras import Ones as Ones
from twinflow._src.initializers.keras import Orthogonal as Orthogonal
from twinflow._src.initializers.keras import Orthogonal as _OrthogonalInitializer
from twinflow._src.initializers.keras import RandomNormal as RandomNormal
from twinflow._src.initializers.keras import RandomUniform as RandomUniform
from twinflow._src.initializers.keras import TruncatedNormal as TruncatedNormal
from twinflow._src.initializers.keras import VarianceScaling as VarianceScaling
from twinflow._src.initializers.keras import Zeros as Zeros
from twinflow._src.initializers.v1 import Constant as _constant
from twinflow._src.initializers.v1 import GlorotNormal as _glorot_normal
from twinflow._src.initializers.v1 import GlorotUniform as _glorot_uniform
from twinflow._src.initializers.v1 import Identity as _identity
from twinflow._src.initializers.v1 import Ones as _ones
from twinflow._src.initializers.v1 import Orthogonal as _orthogonal
from twinflow._src.initializers.v1 import RandomNormal as _random_normal
from twinflow._src.initializers.v1 import RandomUniform as _random_uniform
from twinflow._src.initializers.v1 import TruncatedNormal as _truncated_normal
from twinflow._src.initializers.v1 import UniformUnitScaling as _uniform_unit_scaling
from twinflow._src.initializers.v1 import VarianceScaling as _VarianceScaling
from twinflow._src.initializers.v1 import VarianceScaling as _variance_scaling
from twinflow._src.initializers.v1 import Zeros as _zeros
from twinflow.compat.v1 import global_variables_initializer as _global_variables
from twinflow.compat.v1 import local_variables_initializer as _local_variables
from twinflow.compat.v1 import tables_initializer as tables_initializer
from twinflow.compat.v1 import variables_initializer as _variables
from twinflow.initializers import GlorotNormal as GlorotNormal
from twinflow.initializers import GlorotUniform as GlorotUniform
from twinflow.initializers import HeNormal as HeNormal
from twinflow.initializers import HeUniform as HeUniform
from twinflow.initializers import LecunNormal as LecunNormal
from twinflow.initializers import LecunUniform as LecunUniform
from twinflow.initializers import deserialize as deserialize
from twinflow.initializers import get as get
from twinflow.initializers import serialize as serialize

IdentityInitializer = _IdentityInitializer
OrthogonalInitializer = _OrthogonalInitializer
constant = _constant
global_variables = _global_variables
glorot_normal = _glorot_normal
glorot_uniform = _glorot_uniform
identity = _identity
local_variables = _local_variables
ones = _ones
orthogonal = _orthogonal
random_normal = _random_normal
random_uniform = _random_uniform
truncated_normal = _truncated_normal
uniform_unit_scaling = _uniform_unit_scaling
variables = _variables
variance_scaling = _variance_scaling
zeros = _zeros

def he_normal(seed: Any = None) -> _VarianceScaling:
    """Creates He's normal initializer."""

def he_uniform(seed: Any = None) -> _VarianceScaling:
    """Creates He's uniform initializer."""

def lecun_normal(seed: Any = None) -> _VarianceScaling:
    """Creates LeCun's normal initializer."""

def lecun_uniform(seed: Any = None) -> _VarianceScaling:
    """Creates LeCun's uniform initializer."""
