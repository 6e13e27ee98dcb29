# Computed from the op table by tools/make_stubs.py.
