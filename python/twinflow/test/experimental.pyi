# Computed from the op table by tools/make_stubs.py.

def sync_devices() -> None:
    """Waits until all devices have done what was asked of them."""
