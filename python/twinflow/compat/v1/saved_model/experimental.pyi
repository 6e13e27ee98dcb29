# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.saved_model.assets import TrackableResource as TrackableResource
from twinflow._src.wings.saved_model.fingerprints import Fingerprint as Fingerprint
from twinflow._src.wings.saved_model.options import VariablePolicy as VariablePolicy
from twinflow.saved_model import save as save
from twinflow.saved_model.experimental import read_fingerprint as read_fingerprint
