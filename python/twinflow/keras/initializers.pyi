# Computed from the op table by tools/make_stubs.py.

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
from twinflow.initializers import GlorotNormal as GlorotNormal
from twinflow.initializers import GlorotNormal as _glorot_normal
from twinflow.initializers import GlorotUniform as GlorotUniform
from twinflow.initializers import GlorotUniform as _glorot_uniform
from twinflow.initializers import HeNormal as HeNormal
from twinflow.initializers import HeNormal as _he_normal
from twinflow.initializers import HeUniform as HeUniform
from twinflow.initializers import HeUniform as _he_uniform
from twinflow.initializers import LecunNormal as LecunNormal
from twinflow.initializers import LecunNormal as _lecun_normal
from twinflow.initializers import LecunUniform as LecunUniform
from twinflow.initializers import LecunUniform as _lecun_uniform
from twinflow.initializers import deserialize as deserialize
from twinflow.initializers import get as get
from twinflow.initializers import serialize as serialize

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
