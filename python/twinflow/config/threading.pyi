# Computed from the op table by tools/make_stubs.py.

from typing import SupportsIndex

def get_inter_op_parallelism_threads() -> int:
    """The number of threads for inter-op parallelism; 0 means the runtime's choice."""

def get_intra_op_parallelism_threads() -> int:
    """The number of threads for intra-op parallelism; 0 means the runtime's choice."""

def set_inter_op_parallelism_threads(num_threads: SupportsIndex) -> None:
    """Sets the number of threads for inter-op parallelism."""

def set_intra_op_parallelism_threads(num_threads: SupportsIndex) -> None:
    """Sets the number of threads for intra-op parallelism."""
