# Computed from the op table by tools/make_stubs.py.

from twinflow import import_graph_def as import_graph_def
