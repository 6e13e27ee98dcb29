"""Runs a program with twinflow as its TensorFlow.

    python -m twinflow.run program.py arguments...
    python -m twinflow.run -m pytest arguments...

``import tensorflow`` imports twinflow, also where TensorFlow is installed. Everything else is as in
``python program.py``: ``sys.argv``, ``sys.path``, ``__main__``, tracebacks and the exit status.
"""

import sys

from twinflow._src.api.runner import main

if __name__ == "__main__":
    main(sys.argv[1:])
