# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.compat_v1.distributions.base import Distribution as Distribution
from twinflow._src.compat_v1.distributions.base import RegisterKL as RegisterKL
from twinflow._src.compat_v1.distributions.base import (
    ReparameterizationType as ReparameterizationType,
)
from twinflow._src.compat_v1.distributions.continuous import Beta as Beta
from twinflow._src.compat_v1.distributions.continuous import Exponential as Exponential
from twinflow._src.compat_v1.distributions.continuous import Gamma as Gamma
from twinflow._src.compat_v1.distributions.continuous import Laplace as Laplace
from twinflow._src.compat_v1.distributions.continuous import Normal as Normal
from twinflow._src.compat_v1.distributions.continuous import StudentT as StudentT
from twinflow._src.compat_v1.distributions.continuous import Uniform as Uniform
from twinflow._src.compat_v1.distributions.discrete import Bernoulli as Bernoulli
from twinflow._src.compat_v1.distributions.discrete import Categorical as Categorical
from twinflow._src.compat_v1.distributions.discrete import Dirichlet as Dirichlet
from twinflow._src.compat_v1.distributions.discrete import (
    DirichletMultinomial as DirichletMultinomial,
)
from twinflow._src.compat_v1.distributions.discrete import Multinomial as Multinomial

FULLY_REPARAMETERIZED: ReparameterizationType
NOT_REPARAMETERIZED: ReparameterizationType

def kl_divergence(
    distribution_a: Any, distribution_b: Any, allow_nan_stats: bool = True, name: str | None = None
) -> Any:
    """Returns the Kullback-Leibler divergence ``KL(distribution_a || distribution_b)`` in nats."""
