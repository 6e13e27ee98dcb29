"""The version of the package, and of the TensorFlow whose behaviour it has."""

import sys as _sys

# The build reads this one.
TWINFLOW_VERSION = "0.1.0"
VERSION = "2.21.0"
# Of the graphs that are written, and of the oldest programs that read them.
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = GRAPH_DEF_VERSION_MIN_PRODUCER = 0
GIT_VERSION = f"v{VERSION}"
COMPILER_VERSION = _sys.version.rpartition("[")[2].rstrip("]")

__all__ = [
    "COMPILER_VERSION",
    "GIT_VERSION",
    "GRAPH_DEF_VERSION",
    "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER",
    "TWINFLOW_VERSION",
    "VERSION",
]
