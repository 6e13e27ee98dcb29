"""Programs and libraries written for TensorFlow, run unmodified on twinflow (``make test-clients``)."""
