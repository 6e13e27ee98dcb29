# Computed from the op table by tools/make_stubs.py.

from typing import SupportsIndex

def set_random_seed(seed: SupportsIndex) -> None:
    """Sets the seeds of Python, NumPy and TensorFlow."""
