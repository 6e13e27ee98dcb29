# Computed from the op table by tools/make_stubs.py.

from twinflow.audio import decode_wav as decode_wav
from twinflow.audio import encode_wav as encode_wav
