# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.lookup.static_tables import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
)
from twinflow._src.wings.lookup.static_tables import StaticHashTableV1 as _StaticHashTable
from twinflow._src.wings.lookup.static_tables import StaticVocabularyTable as StaticVocabularyTable
from twinflow._src.wings.lookup.static_tables import TextFileIndex as TextFileIndex
from twinflow._src.wings.lookup.static_tables import TextFileInitializer as TextFileInitializer
from twinflow.compat.v1.lookup import experimental as experimental

StaticHashTable = _StaticHashTable
