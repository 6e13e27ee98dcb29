"""Random number ops and generators."""
