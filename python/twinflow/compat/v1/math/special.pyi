# Computed from the op table by tools/make_stubs.py.

from twinflow.math import bessel_i0 as bessel_i0
from twinflow.math import bessel_i0e as bessel_i0e
from twinflow.math import bessel_i1 as bessel_i1
from twinflow.math import bessel_i1e as bessel_i1e
from twinflow.math.special import bessel_j0 as bessel_j0
from twinflow.math.special import bessel_j1 as bessel_j1
from twinflow.math.special import bessel_k0 as bessel_k0
from twinflow.math.special import bessel_k0e as bessel_k0e
from twinflow.math.special import bessel_k1 as bessel_k1
from twinflow.math.special import bessel_k1e as bessel_k1e
from twinflow.math.special import bessel_y0 as bessel_y0
from twinflow.math.special import bessel_y1 as bessel_y1
from twinflow.math.special import dawsn as dawsn
from twinflow.math.special import expint as expint
from twinflow.math.special import fresnel_cos as fresnel_cos
from twinflow.math.special import fresnel_sin as fresnel_sin
from twinflow.math.special import spence as spence
