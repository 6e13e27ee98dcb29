"""A stand-in for CuPy, with NumPy underneath: it proves logic only, nothing of what a GPU computes.

Its arrays are of a class of their own, which nothing turns into an array of the host but ``get``; they live on
a numbered device, whose memory is counted and can be short. What CuPy does not have, or refuses (types, NumPy's
arrays among the arguments, arrays of another device than the current one), it refuses too, as far as the record
of CuPy's names tells (``cupy_names.json``, written by ``tools/record_cupy.py``). Each transfer between host and
device, each copy between devices, and each point where the host would wait is written down in ``journal``.

``gpus`` makes the devices of twinflow anew with stand-ins for GPUs among them.
"""

from .arrays import ndarray
from .journal import journal
from .process import gpus
