# Computed from the op table by tools/make_stubs.py.

from twinflow.experimental.extension_type import as_dict as as_dict
