# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.lookup.mutable_tables import DenseHashTable as DenseHashTable
from twinflow._src.wings.lookup.mutable_tables import MutableHashTable as MutableHashTable
