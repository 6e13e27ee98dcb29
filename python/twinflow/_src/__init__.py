"""The private implementation of twinflow; public names are in ``twinflow`` itself."""
