# Computed from the op table by tools/make_stubs.py.

from twinflow.signal import dct as dct
from twinflow.signal import fft as fft
from twinflow.signal import fft2d as fft2d
from twinflow.signal import fft3d as fft3d
from twinflow.signal import idct as idct
from twinflow.signal import ifft as ifft
from twinflow.signal import ifft2d as ifft2d
from twinflow.signal import ifft3d as ifft3d
from twinflow.signal import irfft as irfft
from twinflow.signal import irfft2d as irfft2d
from twinflow.signal import irfft3d as irfft3d
from twinflow.signal import rfft as rfft
from twinflow.signal import rfft2d as rfft2d
from twinflow.signal import rfft3d as rfft3d
