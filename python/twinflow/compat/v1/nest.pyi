# Computed from the op table by tools/make_stubs.py.

from twinflow.nest import assert_same_structure as assert_same_structure
from twinflow.nest import flatten as flatten
from twinflow.nest import is_nested as is_nested
from twinflow.nest import map_structure as map_structure
from twinflow.nest import pack_sequence_as as pack_sequence_as
