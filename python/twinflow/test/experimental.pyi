# Computed from the op table by tools/make_stubs.py.

def sync_devices() -> None:
    """Synchronizes all devices: waits for pending work."""
