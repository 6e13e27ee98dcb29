# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.initializers.keras import Constant as Constant
from twinflow._src.initializers.keras import Constant as _constant
from twinflow._src.initializers.keras import Identity as Identity
from twinflow._src.initializers.keras import Identity as _IdentityInitializer
from twinflow._src.initializers.keras import Identity as _identity
from twinflow._src.initializers.keras import Initializer as Initializer
from twinflow._src.initializers.keras import Ones as Ones
from twinflow._src.initializers.keras import Ones as _ones
from twinflow._src.initializers.keras import Orthogonal as Orthogonal
from twinflow._src.initializers.keras import Orthogonal as _OrthogonalInitializer
from twinflow._src.initializers.keras import Orthogonal as _orthogonal
from twinflow._src.initializers.keras import RandomNormal as RandomNormal
from twinflow._src.initializers.keras import RandomNormal as _random_normal
from twinflow._src.initializers.keras import RandomUniform as RandomUniform
from twinflow._src.initializers.keras import RandomUniform as _random_uniform
from twinflow._src.initializers.keras import TruncatedNormal as TruncatedNormal
from twinflow._src.initializers.keras import TruncatedNormal as _truncated_normal
from twinflow._src.initializers.keras import VarianceScaling as VarianceScaling
from twinflow._src.initializers.keras import VarianceScaling as _variance_scaling
from twinflow._src.initializers.keras import Zeros as Zeros
from twinflow._src.initializers.keras import Zeros as _zeros
from twinflow.initializers import GlorotNormal as _glorot_normal
from twinflow.initializers import GlorotUniform as _glorot_uniform
from twinflow.initializers import HeNormal as _he_normal
from twinflow.initializers import HeUniform as _he_uniform
from twinflow.initializers import LecunNormal as _lecun_normal
from twinflow.initializers import LecunUniform as _lecun_uniform

IdentityInitializer = _IdentityInitializer
OrthogonalInitializer = _OrthogonalInitializer
constant = _constant
glorot_normal = _glorot_normal
glorot_uniform = _glorot_uniform
he_normal = _he_normal
he_uniform = _he_uniform
identity = _identity
lecun_normal = _lecun_normal
lecun_uniform = _lecun_uniform
ones = _ones
orthogonal = _orthogonal
random_normal = _random_normal
random_uniform = _random_uniform
truncated_normal = _truncated_normal
variance_scaling = _variance_scaling
zeros = _zeros

class GlorotNormal(VarianceScaling):
    """Glorot's normal initializer."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class GlorotUniform(VarianceScaling):
    """Glorot's uniform initializer."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class HeNormal(VarianceScaling):
    """He's normal initializer."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class HeUniform(VarianceScaling):
    """He's uniform initializer."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class LecunNormal(VarianceScaling):
    """LeCun's normal initializer."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class LecunUniform(VarianceScaling):
    """LeCun's uniform initializer."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """Creates an initializer from its serialized form."""

def get(identifier: Any) -> Any:
    """Returns an initializer by name, serialized form, class, function or value."""

def serialize(initializer: Any) -> Any:
    """Serializes an initializer."""
