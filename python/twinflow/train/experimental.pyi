# Computed from the op table by tools/make_stubs.py.

from twinflow._src.checkpoint.objects import PythonState as PythonState
