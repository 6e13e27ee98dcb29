# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.saved_model.options import VariablePolicy as VariablePolicy
from twinflow._src.wings.saved_model.trackable_resource import (
    TrackableResource as TrackableResource,
)
