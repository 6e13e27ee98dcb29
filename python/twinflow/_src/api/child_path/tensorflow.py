"""``tensorflow`` in processes that were spawned by one with the alias; see ``api/alias.py``."""

import twinflow

twinflow.as_tensorflow(force=True)
