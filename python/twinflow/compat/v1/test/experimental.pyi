# Computed from the op table by tools/make_stubs.py.

from twinflow.test.experimental import sync_devices as sync_devices
