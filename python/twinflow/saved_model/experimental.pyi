# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.wings.saved_model.assets import TrackableResource as TrackableResource
from twinflow._src.wings.saved_model.fingerprints import Fingerprint as Fingerprint
from twinflow._src.wings.saved_model.options import VariablePolicy as VariablePolicy

def read_fingerprint(export_dir: Any) -> Fingerprint:
    """Reads the fingerprint of a SavedModel."""
