# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.profiler import Profile as Profile
from twinflow._src.wings.profiler import ProfilerOptions as ProfilerOptions
from twinflow._src.wings.profiler import Trace as Trace
from twinflow.profiler.experimental import start as start
from twinflow.profiler.experimental import stop as stop
