"""``tensorflow`` in processes that were spawned by one with the alias; see ``api/alias.py``."""

from twinflow._src.api.alias import as_tensorflow

as_tensorflow(force=True)
